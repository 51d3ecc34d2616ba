"""A fault of the machine is an error that says so in a line, never a program's verdict; and work
goes on after it."""

import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time

import pytest

from trove_lite.errors import TroveLiteError
from trove_lite.sandbox import pool, worker
from trove_lite.sandbox.pool import Sandbox
from trove_lite.sandbox.worker import IsolationError

from . import needs_full, run

pytestmark = needs_full


@pytest.fixture(autouse=True)
def _soon(monkeypatch):
    monkeypatch.setattr(worker, "RETRY_SECONDS", 0.01)


def fault(sandbox, files=None) -> str:
    """The one line that running a program ends with."""
    with pytest.raises(TroveLiteError) as caught:
        run(sandbox, files=files)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def script(body: str, **how) -> str:
    """What a script that starts from scratch prints."""
    start = "import os, resource, signal\nfrom trove_lite.sandbox.pool import Sandbox\n"
    command = [sys.executable, "-c", start + body]
    return subprocess.run(
        command, capture_output=True, text=True, check=True, timeout=300, **how
    ).stdout


@pytest.fixture
def dying(monkeypatch):
    """Start warm processes that do something else first: `dying(code)`."""
    real = worker.interpreter

    def start(code: str):
        monkeypatch.setattr(
            worker, "interpreter", lambda call, *rest: real(f"import os; {code}; {call}", *rest)
        )

    return start


def children(pid: int) -> list[int]:
    with open(f"/proc/{pid}/task/{pid}/children") as pids:
        return [int(child) for child in pids.read().split()]


def kill_children(sandbox, times: int) -> threading.Thread:
    """Kill so many programs of the sandbox, one after the other, from outside."""

    def kill() -> None:
        killed = set()
        while len(killed) < times:
            time.sleep(0.05)
            for zygote in list(sandbox._all[0].zygotes.values()):
                for child in children(zygote.process.pid):
                    if child not in killed:
                        time.sleep(0.2)  # it is confined by now, and runs
                        os.kill(child, signal.SIGKILL)
                        killed.add(child)

    thread = threading.Thread(target=kill)
    thread.start()
    return thread


@pytest.mark.parametrize("free", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("warm", [True, False])
def test_no_descriptors(free, warm):
    with Sandbox(1) as sandbox:
        if warm:
            run(sandbox)
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        before = descriptors()
        lowest = os.dup(0)
        os.close(lowest)
        sandbox._submit(int).result()  # its thread has started
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (lowest + free, hard))
            told = [] if warm and free > 2 else [fault(sandbox)]
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        assert all("Too many open files" in line for line in told)
        assert descriptors() <= before
        assert run(sandbox).output == "1\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may have as many processes as it likes")
def test_no_process_at_all():
    body = """
with Sandbox(1) as s:
    s.run_many(['print(1)'], False)
    zygote = s._all[0].zygotes['lean', False].process.pid
    for pid in (zygote, os.getpid()): resource.prlimit(pid, resource.RLIMIT_NPROC, (1, 9999))
    try: s.run_many(['print(1)'], False)
    except Exception as error: print(error)
    resource.setrlimit(resource.RLIMIT_NPROC, (9999, 9999))
    print(s.run_many(['print(1)'], False))
"""
    told = script(body)
    assert "cannot run programs now: [Errno 11] Resource temporarily unavailable" in told
    assert "status='ok'" in told


NOT_CONFINED = "zygote._isolation.landlock_enter = lambda _: os.open('/nowhere', 0)"


def test_no_thread(monkeypatch):
    def start(thread):
        raise RuntimeError("can't start new thread")

    with Sandbox(1) as sandbox, monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", start)
        assert "can't start new thread" in fault(sandbox)


def test_no_temporary_folder(monkeypatch):
    files = {"data": __file__}
    with Sandbox(1) as sandbox:
        with monkeypatch.context() as patch:
            patch.setattr(tempfile, "tempdir", "/nowhere")
            assert "No such file or directory: '/nowhere" in fault(sandbox, files=files)
        assert run(sandbox, files=files).output == "1\n"


def test_a_probe_that_finds_nothing_says_so(monkeypatch):
    pool._features.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(
            pool,
            "interpreter",
            lambda call: [sys.executable, "-c", "raise OSError(24, 'Too many')"],
        )
        with pytest.raises(
            IsolationError, match=r"could not be tested: OSError: \[Errno 24\] Too many$"
        ):
            Sandbox(1).__enter__()
    pool._features.cache_clear()


@pytest.mark.parametrize(
    "start",
    [
        "signal.signal(signal.SIGCHLD, signal.SIG_IGN)",
        "signal.pthread_sigmask(signal.SIG_SETMASK, signal.valid_signals())",
    ],
)
def test_a_callers_signals_are_not_the_programs(start):
    program = "import signal; print(signal.pthread_sigmask(signal.SIG_BLOCK, ()))"
    body = f"{start}\nwith Sandbox(1) as s: print(s.run_many([{program!r}], False)[0].output)"
    assert script(body).strip() == "set()"


@pytest.mark.parametrize(
    ("kind", "limit", "name"),
    [("AS", 900 << 20, "address space"), ("CPU", 25, "CPU time"), ("FSIZE", 1 << 10, "file size")],
)
def test_a_lower_limit_of_the_caller_is_not_passed_off_as_ours(kind, limit, name):
    body = f"""
resource.setrlimit(resource.RLIMIT_{kind}, ({limit}, {limit}))
with Sandbox(1) as s:
    try: print(s.run_many(['print(1)'], False))
    except Exception as error: print(type(error).__name__, error)
"""
    assert f"the limit on {name} is {limit} already" in script(body)


def test_a_forked_process_is_refused_and_harms_nobody():
    body = """
from trove_lite.errors import TroveLiteError
with Sandbox(1) as s:
    s.run_many(['print(1)'], False)
    if os.fork() == 0:
        try: s.run_many(['print(1)'], False)
        except TroveLiteError as error: print(error, flush=True)
        s.__exit__()
        os._exit(0)
    os.wait()
    print(s.run_many(['print(2)'], False))
"""
    told = script(body)
    assert "belongs to process" in told
    assert "output='2\\n'" in told


@pytest.mark.parametrize(
    ("times", "ends"),
    [(1, ("ok", "1\n", "")), (2, ("killed", "", "killed twice, and by no limit"))],
)
def test_a_program_that_somebody_kills_runs_again_and_is_killed_the_second_time(times, ends):
    with Sandbox(1) as sandbox:
        killer = kill_children(sandbox, times)
        status, output, _, error, *_ = run(sandbox, "import time\ntime.sleep(2)\nprint(1)")
        assert (status, output, error) == ends
        killer.join()
        assert run(sandbox).output == "1\n"


def test_a_program_that_has_the_kernel_end_it_is_killed_and_its_worker_lives():
    with Sandbox(1) as sandbox:
        run(sandbox)
        worker = sandbox._all[0].zygotes["lean", False]
        lower = "import resource\nresource.setrlimit(resource.RLIMIT_CPU, (1, 1))\nwhile True: pass"
        assert run(sandbox, lower).status == "killed"
        assert sandbox._all[0].zygotes["lean", False] is worker


@pytest.mark.parametrize(
    ("instead", "told"),
    [
        ("zygote._Child.run = lambda *a: os._exit(1)", "the worker process has gone"),
        (
            "raise OSError(28, 'No space left')",
            "a worker process could not start: OSError: [Errno 28] No space left",
        ),
        (NOT_CONFINED, "could not be confined, so it did not run: FileNotFoundError"),
    ],
)
def test_a_worker_that_fails_with_any_program_is_the_machines_fault(dying, instead, told):
    with Sandbox(1) as sandbox:
        dying(instead)
        assert told in fault(sandbox)


def test_a_program_larger_than_the_memory_limit_is_out_of_memory():
    with Sandbox(1, memory=64 << 20) as sandbox:
        assert run(sandbox, "#" * (70 << 20))[::3] == ("memory", "MemoryError")
        assert run(sandbox, "x = 1\n" * (1 << 19)).status == "memory"
        assert run(sandbox).output == "1\n"
