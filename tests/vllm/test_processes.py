"""An engine's processes end with the one that began them, however that ends and whenever."""

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

SCRIPT = """
import asyncio, signal, sys
from trove_lite.models import load_model
from trove_lite.models.base import SamplingSettings

async def main():
    async with load_model(sys.argv[1], SamplingSettings(max_tokens=2000, stop=())) as model:
        print("running", flush=True)
        while True:
            await model.complete("What is 1 + 1?", range(8))

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # behind an & it is ignored
    asyncio.run(main())
"""


def in_session(leader: int) -> list[str]:
    """The titles of all processes of a session."""
    found = []
    for process in psutil.process_iter():
        try:
            if os.getsid(process.pid) == leader and process.status() != psutil.STATUS_ZOMBIE:
                found.append(" ".join(process.cmdline()))
        except (psutil.Error, OSError):
            continue
    return found


@pytest.mark.parametrize(
    ("phase", "sent"),
    [
        ("starting", signal.SIGTERM),
        ("starting", signal.SIGINT),
        ("running", signal.SIGTERM),
        ("running", signal.SIGKILL),
        ("running", signal.SIGINT),
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_no_process_is_left(phase, sent, tiny_model, tmp_path):
    script = tmp_path / "ask.py"
    script.write_text(SCRIPT)
    spec = f"vllm:{tiny_model}?max_model_len=4096&dtype=float32&enforce_eager=true&kv_cache_memory_bytes={1 << 28}"
    asking = subprocess.Popen([sys.executable, script, spec], stdout=subprocess.PIPE, text=True, start_new_session=True)
    try:
        if phase == "running":
            assert any(line == "running\n" for line in asking.stdout)
            time.sleep(1)
        else:
            while not any(title.startswith("VLLM::EngineCore") for title in in_session(asking.pid)):
                assert asking.poll() is None
                time.sleep(0.1)
        assert len(in_session(asking.pid)) >= 2
        os.kill(asking.pid, sent)
        began = time.monotonic()
        while left := in_session(asking.pid):
            assert time.monotonic() - began < 60, left
            time.sleep(0.2)
        assert asking.wait() != 0
    finally:
        for process in psutil.process_iter():
            try:
                if os.getsid(process.pid) == asking.pid:
                    process.kill()
            except (psutil.Error, OSError):
                continue
        asking.wait()
        asking.stdout.close()
