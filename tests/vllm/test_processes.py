"""An engine's processes end with the command that began them, however that ends and whenever; and
the run goes on."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from trove_lite import load_candidates

CLOCKS = ["generate_seconds", "execute_seconds"]


def command(model: Path, out: Path) -> list:
    """A run of a few hundred samples, by the command that users give."""
    options = "max_model_len=4096&dtype=float32&enforce_eager=true&enable_prefix_caching=false"
    words = "run --quiet --name x --methods primitive --prompts own --categories counting --seeds 0 --limit 6"
    spec = f"vllm:{model}?{options}&kv_cache_memory_bytes={1 << 28}"
    program = Path(sys.executable).with_name("trove-lite")
    return [
        program,
        *words.split(),
        "--max_tokens",
        "300",
        "--workers",
        "1",
        "--model",
        spec,
        "--out",
        out,
    ]


def alive(leader: int, known: set[psutil.Process]) -> list[str]:
    """The titles of the processes of a session, and of those known before, that have not ended."""
    found = set(known)
    for process in psutil.process_iter():
        with suppress(OSError):
            if os.getsid(process.pid) == leader:
                found.add(process)
    titles = []
    for process in found:
        with suppress(psutil.Error):
            if process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
                titles.append(" ".join(process.cmdline()))
    return titles


def generated(out: Path) -> int:
    return sum(path.read_bytes().count(b"\n") for path in out.glob("journal/*.jsonl"))


@pytest.fixture(scope="module")
def whole(tiny_model, tmp_path_factory):
    """The table of the run that nobody ended."""
    out = tmp_path_factory.mktemp("whole") / "run"
    subprocess.run(command(tiny_model, out), check=True)
    return load_candidates(out).drop(columns=CLOCKS)


def end(sent: signal.Signals, model: Path, out: Path, *, once) -> None:
    """Begin the run, send the signal once that is so, and see that the run ends as it should, with
    all its processes.

    `once` is asked with the titles of the run's processes.
    """
    said = out.with_name("said")
    with said.open("w") as errors:
        running = subprocess.Popen(command(model, out), stderr=errors, start_new_session=True)
    begun = set()
    try:
        while not once(alive(running.pid, set())):
            assert running.poll() is None, said.read_text()
            time.sleep(0.05)
        begun = set(psutil.Process(running.pid).children(recursive=True))
        assert is_engine(alive(running.pid, begun))
        running.send_signal(sent)
        began = time.monotonic()
        assert running.wait(60) in (-sent, 128 + sent)
        while left := alive(running.pid, begun):
            assert time.monotonic() - began < 60, left
            time.sleep(0.2)
    finally:
        for process in begun:
            with suppress(psutil.Error):
                process.kill()
        running.kill()
        running.wait()
    if sent != signal.SIGKILL:
        assert (
            "interrupted; what is done is kept: give the same command again to go on\n"
            in said.read_text()
        )
        assert "Traceback" not in said.read_text()
    assert not (out / "candidates.parquet").exists()


def is_engine(titles: list[str]) -> bool:
    return any(title.startswith("VLLM::EngineCore") for title in titles)


# Engines take half a minute to start, so each is sent once: the command makes SIGTERM a SIGINT, and
# after a SIGKILL the kernel ends the engine's processes, which they ask for as they begin.
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL], ids=lambda sent: sent.name)
def test_no_process_is_left_of_an_engine_that_starts(sent, tiny_model, tmp_path):
    end(sent, tiny_model, tmp_path / "run", once=is_engine)
    assert generated(tmp_path / "run") == 0


def test_no_process_is_left_of_a_run_which_then_goes_on_to_the_same_table(
    tiny_model, tmp_path, whole
):
    out = tmp_path / "run"
    end(signal.SIGTERM, tiny_model, out, once=lambda _: generated(out))
    assert 0 < generated(out) < len(whole)
    subprocess.run(command(tiny_model, out), check=True)
    assert load_candidates(out).drop(columns=CLOCKS).equals(whole)
