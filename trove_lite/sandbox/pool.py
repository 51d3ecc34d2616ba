"""Run programs that a language model wrote: fast, confined, and with the same verdict on every
machine.

A program runs as `python program.py` would, in a process of its own, forked from a warm one that
has the libraries imported (`zygote.py`), confined by the kernel (`isolation.py`, `seccomp.py`);
docs/design.md says what it can and cannot do. What the machine does to it (a kill from outside,
say) is no verdict: it runs once more, then it is an error.

What it can still learn: of any path that its user could look at, whether it is there, its size,
owner, mode and times, and where a link leads (/proc/N too, and so which processes run), never what
is in it, nor the names in a folder, but for one kept from it among the libraries; the kernel's
version, uptime, load and memory. At the level "seccomp" it reads every file that its user can.
"""

import asyncio
import functools
import json
import math
import os
import platform
import queue
import subprocess
import sys
import threading
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor, as_completed

from . import isolation as _isolation
from .errors import IsolationError, TroveLiteError, shown
from .start import environment, interpreter
from .versions import version_of
from .worker import START_SECONDS, Execution, Eyes, Files, Worker

#: Bytes. Of 400 recorded programs none needed more than 4 MiB beyond the warm process; at 2 MiB two
#: ran out of memory. The rest is distance: no verdict should hang on an allocator's habits.
SMALLEST_MEMORY = 16 << 20
LIBRARIES = ("numpy", "scipy", "sympy", "mpmath", "pandas", "matplotlib")
_WORTH_KEEPING = (
    1 << 14
)  # characters of a program and its output: what is longer seldom comes again

RECIPE = (
    "in a container on a recent Linux kernel (Docker Desktop's will do) programs can be confined: "
    """docker run --rm -it -v "$PWD":/work -w /work python:3.12 sh -c "pip install -e . && trove-lite doctor"; """
    f"on Linux, --isolation none runs them all the same: {_isolation.LETS_THROUGH['none']}"
)
NO_LANDLOCK = (
    "in a container take Docker 23.0 or newer, or start it with --security-opt seccomp=unconfined (each program gets a "
    "stricter filter of its own); elsewhere Linux 5.13 or newer that names landlock in /sys/kernel/security/lsm; "
    f"--isolation seccomp runs them all the same: {_isolation.LETS_THROUGH['seccomp']}"
)


class Sandbox:
    """Warm workers that run untrusted programs, each in a confined process of its own. A context
    manager.

    workers: programs run at a time; None means one for each core that this process may use.
    time_limit: CPU seconds a program. `wall_limit`, seconds on the clock less those spent waiting
        for a core, only ends sleepers (None: twice the time limit, with `vision` 20 times): a busy
        machine makes no timeout.
    memory: bytes that a program may map beyond what the warm process has, at least 16 MiB;
        output_limit: bytes of stdout.
    isolation: a level (`isolation.LEVELS`), or "auto", which is "full": a weaker one is never taken
        unasked. Raises IsolationError on entering where the level cannot be had.
    readable: files and folders that programs may read besides the interpreter's libraries, such as
        a data set's tables.
    reuse: of how many programs to keep the execution, to give it again when the same text comes,
        times included.
    vision: who looks at images for programs, over a line that each has: no other way leads out of
        one.
    """

    def __init__(
        self,
        workers: int | None = None,
        *,
        time_limit: float = 30.0,
        wall_limit: float | None = None,
        memory: int = 1 << 30,
        output_limit: int = 1 << 20,
        isolation: str = "auto",
        readable=(),
        reuse: int = 0,
        vision: Eyes | None = None,
    ):
        if isolation != "auto" and isolation not in _isolation.LEVELS:
            raise TroveLiteError(
                f"isolation {isolation!r}: not one of auto, {', '.join(_isolation.LEVELS)}"
            )
        for name, value, least in (
            ("workers", 1 if workers is None else workers, 1),
            ("time limit", time_limit, 0.01),
            ("memory", memory, SMALLEST_MEMORY),
        ):
            if not least <= value < math.inf:
                raise TroveLiteError(f"{name} {value}: must be at least {least}")
        own_cores = (
            len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        )
        self.workers = workers or own_cores or 1
        self.isolation = isolation
        self.limits = {
            "time_limit": float(time_limit),
            "wall_limit": float(wall_limit or (vision.waits if vision else 2) * time_limit),
            "memory": int(memory),
            "output_limit": int(output_limit),
            "readable": [os.path.realpath(path) for path in readable],
        }
        self.reuse = reuse
        self.vision = vision
        self._known: OrderedDict[tuple, Execution] = OrderedDict()
        self.level: str | None = None
        self._threads: ThreadPoolExecutor | None = None

    def __enter__(self) -> "Sandbox":
        self.level = choose_level(self.isolation)
        self._owner = os.getpid()
        self._idle = queue.SimpleQueue()
        self._all = [Worker(self.level, self.limits, self.vision) for _ in range(self.workers)]
        for worker in self._all:
            self._idle.put(worker)
        self._threads = ThreadPoolExecutor(self.workers, thread_name_prefix="sandbox")
        return self

    def __exit__(self, *_) -> None:
        if os.getpid() != self._owner:  # the workers are another's
            return
        threads = self._threads
        self._threads = None
        threads.shutdown(wait=False, cancel_futures=True)
        for worker in self._all:  # what still runs is cut short: its thread sees the socket closed
            worker.close()
        threads.shutdown(wait=True)

    async def run(self, program: str, files: Files | None = None) -> Execution:
        """Run one program. Waits for a free worker; any number of calls may wait at a time, on any
        event loop.

        files: what this program, and no other, may read besides: relative path → the file that it
            finds there, in a fresh working folder. It gets copies, which it cannot change. The
            files themselves must not change while the Sandbox is in use.
        """
        if self._threads and (known := self._known.get(_key(program, files))):
            return known  # without a thread's turn, which costs more
        return await asyncio.wrap_future(self._submit(self._run, program, files))

    def run_many(self, programs, progress=None, done=None, files=None) -> list[Execution]:
        """Run programs and return their executions in the same order.

        progress(): called, where given, for each program that has ended, such as a bar's `update`.
        done(number, execution): called as soon as the program of that number has ended, to keep it.
        files: as for `run`, for each program.
        """
        programs = list(programs)
        given = list(files) if files is not None else [None] * len(programs)
        executions: list = [None] * len(programs)
        numbers = iter(range(len(programs)))
        one_at_a_time = threading.Lock()

        def work() -> None:
            for number in numbers:
                executions[number] = self._run(programs[number], given[number])
                with one_at_a_time:
                    if progress:
                        progress()
                    if done:
                        done(number, executions[number])

        working = [self._submit(work) for _ in range(min(self.workers, len(programs)))]
        try:
            for future in as_completed(working):
                future.result()
        finally:  # where one fails, the others finish their program and stop
            list(numbers)
        return executions

    def describe(self) -> dict:
        """Level, features of this machine, limits, who looks and library versions, to be kept with
        a run's results."""
        eyes = {"vision": self.vision.name} if self.vision else {}
        return (
            isolation_report()
            | {"level": self.level, "limits": self.limits, "workers": self.workers}
            | eyes
        )

    def _submit(self, work, *arguments):
        if self._threads is None:
            raise RuntimeError("a Sandbox runs programs inside its `with` block")
        if os.getpid() != self._owner:
            raise IsolationError(
                f"this Sandbox belongs to process {self._owner}: a forked one enters its own"
            )
        try:
            return self._threads.submit(work, *arguments)
        except RuntimeError as error:  # no thread to be had
            raise IsolationError(
                f"this machine cannot run programs now: {error} (see `ulimit -a`)"
            ) from error

    def _run(self, program: str, files: Files | None = None) -> Execution:
        key = _key(program, files)
        if known := self._known.get(key):
            return known
        worker = self._idle.get_nowait()  # there are as many threads as workers
        try:
            execution = worker.run(program, files or {})
        finally:
            self._idle.put(worker)
        if (
            self.reuse
            and execution.status != "killed"
            and len(program) + len(execution.output) < _WORTH_KEEPING
        ):
            self._known[key] = execution
            if len(self._known) > self.reuse:
                self._known.popitem(last=False)
        return execution


def _key(program: str, files: Files | None) -> tuple:
    return (program, *sorted((name, str(source)) for name, source in (files or {}).items()))


def isolation_report() -> dict:
    """What this machine offers: the level that `auto` takes (None: it refuses), features, versions,
    what is missing."""
    found = {}
    message = ""
    try:
        found = _features()
        level = choose_level("auto")
    except IsolationError as error:
        level = None
        message = str(error)
    return {
        "level": level,
        "features": dict(found),
        "message": message,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "libraries": {name: version_of(name) for name in LIBRARIES},
    }


def interpreter_of_programs() -> dict[str, str]:
    """The Python of model-written programs, and the version of each library that they are meant to
    import."""
    found = {name: version_of(name) for name in (*LIBRARIES, "seaborn")}
    return {"python": platform.python_version()} | found


def choose_level(isolation: str) -> str:
    """The level to use: the one named, "full" for "auto"; or IsolationError where this machine
    cannot apply it."""
    if sys.platform != "linux":
        raise IsolationError(f"{platform.system()} cannot confine a program: {RECIPE}")
    level = "full" if isolation == "auto" else isolation
    if missing := [part for part in _isolation.LEVELS[level] if not _features()[part]]:
        remedy = NO_LANDLOCK if missing == ["landlock"] else RECIPE
        raise IsolationError(
            f"isolation '{level}' needs {' and '.join(missing)}, which this system lacks: {remedy}"
        )
    return level


@functools.cache
def _features() -> dict:
    """What this machine offers, tried out once, in a process of its own."""
    if sys.platform != "linux":
        return dict.fromkeys(("limits", "landlock", "landlock_abi", "seccomp"), False)
    command = interpreter("isolation.report()")
    try:
        probe = subprocess.run(
            command, env=environment(), capture_output=True, text=True, timeout=START_SECONDS
        )
        return json.loads(probe.stdout)
    except (OSError, subprocess.TimeoutExpired) as error:
        reason = str(error)
    except ValueError:
        reason = shown((probe.stderr.strip() or "it was killed").splitlines()[-1][-500:])
    raise IsolationError(f"the isolation of this machine could not be tested: {reason}")
