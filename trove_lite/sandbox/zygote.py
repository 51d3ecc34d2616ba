"""The warm process that programs are forked from: it imports libraries once, then makes a confined
child a program.

It runs in an interpreter of its own, started by `sandbox.py`, and never looks at a program or at
what one prints: those are in files that the supervisor makes anew for each program and passes on as
descriptors. So it cannot be talked to by a program, has nothing of one program to show to the next,
and forks every program from the same memory.

A request is one byte with three descriptors (program, output, report), and a fourth where programs
ask `vision.py`. The reply is `REPLY`: how the child ended.
"""

import atexit
import contextlib
import fcntl
import gc
import json
import math
import os
import resource
import select
import signal
import socket
import struct
import sys
import time
import types

from . import isolation as _isolation
from . import libraries as _libraries
from . import seccomp as _seccomp

REPLY = struct.Struct(
    "<iidd"
)  # ending, exit code (negative: a signal), seconds of wall, seconds of CPU
FINISHED, CPU_LIMIT, WALL_LIMIT, MEMORY_FULL, NOT_CONFINED, NOT_STARTED = range(
    6
)  # last: code is errno
# What a program's own process reports of an exception: line (0: unknown), whether memory was out,
# bytes of "Type: message" in UTF-8, which follow. A program can write there whatever it likes: who
# reads it (`worker.py`) expects that.
REPORT = struct.Struct("<iBH")

# times the wall-clock limit: the end even for a program that the machine leaves no time to run
PATIENCE = 10
PROGRAM_NAME = "program.py"
_SPARE = 16 << 20  # bytes kept for reporting that the memory is used up
_spare = b""  # they; given back in the child where its program ended in an exception
# Descriptors of the child; the first and the last stay open while the program runs, its own until
# it is read.
_REPORT = 3
_RULESET = 4
_CONFINED = 5
_PROGRAM = 6
_LINE = 7
_WATCH_MEMORY = 0.5  # seconds between looks at the size of a program that runs long
_FULL = 1 << 20  # bytes: with less to be had, Python gets no memory for a new object
_STUCK = 2.0  # CPU seconds of a program without memory until it is ended


def main() -> None:
    """Serve programs until the supervisor closes its end of the socket, which is this process's
    standard input."""
    settings = json.loads(sys.argv[1])
    control = socket.socket(fileno=fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, 10))
    _isolation.forget_caller()
    signal.signal(
        signal.SIGXFSZ, signal.SIG_DFL
    )  # in programs, too much output is the end, like too much time
    with _no_fork_hooks():
        for name in _libraries.TIERS[settings["tier"]]:
            with contextlib.suppress(ImportError):
                __import__(name)
        if settings["tier"] != "lean":
            _libraries.warm_up()
    _libraries.fix_chance_and_display()
    child = _Child(settings)
    gc.collect()
    gc.freeze()  # a collection in a child would copy every page that it visits
    with contextlib.suppress(OSError):
        _isolation.memory_collapse()
    child.limit_memory()
    os.dup2(0, 2)  # until here an exception's traceback reached the supervisor
    control.sendall(b"!")
    try:
        while (request := socket.recv_fds(control, 1, 4))[0]:
            try:
                reply = child.run(control, *request[1])
            except OSError as error:  # this machine has no process or descriptor to spare
                reply = (NOT_STARTED, error.errno or 0, 0.0, 0.0)
            control.sendall(REPLY.pack(*reply))
    finally:
        remove(child.folder)


@contextlib.contextmanager
def _no_fork_hooks():
    """Modules imported here don't act on a fork: `random` would seed itself anew in every child,
    and `threading` and `logging` repair locks that other threads hold. There are none, and the
    hooks cost more than the fork."""
    register, os.register_at_fork = os.register_at_fork, lambda **hooks: None
    try:
        yield
    finally:
        os.register_at_fork = register


class _Child:
    """Everything about children that can be made ready before the first one."""

    def __init__(self, settings: dict):
        self.cpu_limit = settings["time_limit"]
        self.wall_limit = settings["wall_limit"]
        # The kernel's own limit, for what a program begins. It counts by ticks, and where others
        # want the core it was seen to count 31 s where 23.5 had been used: it has to stay clear of
        # ours, which is exact.
        self.cpu_seconds = 2 * math.ceil(self.cpu_limit) + 1
        self.memory = settings["memory"]
        self.output_limit = settings["output_limit"]
        self.folder = settings["folder"]
        self.address_space = math.inf
        self.parts = _isolation.LEVELS[settings["level"]]
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, _REPORT, _RULESET, _CONFINED, _PROGRAM):
            os.dup2(null, descriptor)
        self.confined, announce = os.pipe()
        os.set_blocking(self.confined, False)
        os.dup2(announce, _CONFINED)
        if self.parts:
            _isolation.drop_capabilities()
            _isolation.prctl(_isolation.PR_SET_NO_NEW_PRIVS, 1)
        if "landlock" in self.parts:
            readable = [
                *_isolation.library_paths(),
                *settings["readable"],
                *([self.folder] if self.folder else []),
            ]
            os.dup2(_isolation.landlock_ruleset(readable, settings["hidden"]), _RULESET)
        if "seccomp" in self.parts:
            self.filter = _seccomp.prepare(_seccomp.build())
        _isolation.prctl(_isolation.PR_SET_CHILD_SUBREAPER, 1)
        _isolation.prctl(_isolation.PR_SET_DUMPABLE, 0)  # nobody but root may read this memory
        with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as score:
            score.write("500")  # where memory runs out, a program goes first
        self._present_as_script()

    def limit_memory(self) -> None:
        """Take on the limits that children inherit: what this process has mapped by now, and the
        program's share."""
        global _spare
        _spare = bytes(_SPARE)  # mapped, but never touched
        if "limits" in self.parts:
            self.address_space = _mapped(os.getpid()) + self.memory
            _isolation.set_limits(address_space=self.address_space, file_size=self.output_limit)

    def _present_as_script(self) -> None:
        """Leave in this process what a script finds when it starts, and no more of ourselves than
        is needed."""
        libraries = tuple(path + os.sep for path in _isolation.library_paths())
        sys.path[:] = [path for path in sys.path if (path + os.sep).startswith(libraries)]
        sys.argv[:] = [PROGRAM_NAME]
        sys.orig_argv[:] = [sys.executable, PROGRAM_NAME]
        for name in [name for name in sys.modules if name.startswith("trove_lite")]:
            del sys.modules[name]
        os.environ.pop("MPLCONFIGDIR", None)
        os.chdir(self.folder or "/")
        sys.stdin = sys.__stdin__ = open(0, closefd=False)  # noqa: SIM115
        sys.stdout = sys.__stdout__ = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stderr = sys.__stderr__ = open(  # noqa: SIM115
            2, "w", encoding="utf-8", errors="backslashreplace", closefd=False
        )
        atexit._clear()

    def run(self, control, *descriptors: int) -> tuple:
        """Fork a child for the program, wait for its end or make one, leave nothing of it; the
        fields of a reply."""
        started = time.monotonic()
        try:
            pid = os.fork()
            if pid == 0:
                try:
                    self._become(*descriptors)
                finally:
                    os._exit(1)
        finally:
            for descriptor in descriptors:
                os.close(descriptor)
        try:
            ending = self._wait(pid, control, started)
        finally:
            with contextlib.suppress(
                OSError
            ):  # the group first: while its leader is not reaped, its number is its own
                os.killpg(pid, signal.SIGKILL)
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
            _, status, usage = os.wait4(pid, 0)
            wall = time.monotonic() - started
            _reap_strays()
            if self.folder:
                empty(self.folder)
        cpu = usage.ru_utime + usage.ru_stime
        if ending is FINISHED and cpu >= self.cpu_limit and status == signal.SIGKILL:
            # several threads, or a child of the program: the kernel's own limit was first
            ending = CPU_LIMIT
        try:
            os.read(self.confined, 1)
        except BlockingIOError:
            ending = NOT_CONFINED
        return ending, os.waitstatus_to_exitcode(status), wall, cpu

    def _wait(self, pid: int, control, started: float) -> int:
        """Wait until the child ends or goes over a limit. CPU time is read from its clock, which it
        cannot touch."""
        clock = (~pid << 3) | 2  # the CPU clock of that process
        full_since = math.inf
        exited = os.pidfd_open(pid)
        poll = select.poll()
        poll.register(exited, select.POLLIN)
        poll.register(control, 0)  # only for the news that the supervisor is gone
        try:
            while True:
                wall_left = self.wall_limit - (time.monotonic() - started)
                if (
                    wall_left <= 0
                ):  # on a busy machine a program may just have had no core to run on
                    starved = (
                        _told(pid, "schedstat", 1) / 1e9
                    )  # seconds for which it was ready and waited
                    wall_left += min(starved, (PATIENCE - 1) * self.wall_limit)
                try:
                    cpu_left = self.cpu_limit - time.clock_gettime(clock)
                except OSError:
                    cpu_left = 1e-3
                if cpu_left <= 0 or wall_left <= 0:
                    return (
                        MEMORY_FULL
                        if self._is_full(pid)
                        else CPU_LIMIT
                        if cpu_left <= 0
                        else WALL_LIMIT
                    )
                events = poll.poll(math.ceil(min(cpu_left, wall_left, _WATCH_MEMORY) * 1000))
                if any(descriptor != exited for descriptor, _ in events):
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)
                    remove(self.folder)
                    os._exit(0)
                if events:
                    return FINISHED
                full_since = (
                    min(full_since, self.cpu_limit - cpu_left) if self._is_full(pid) else math.inf
                )
                if self.cpu_limit - cpu_left - full_since > _STUCK:
                    return MEMORY_FULL
        finally:
            os.close(exited)

    def _is_full(self, pid: int) -> bool:
        """Whether a program has all the memory that it may have. CPython up to 3.13 then can hang
        for good: it cannot make the number by which an exception handler far down in a function
        knows where it came from, and tries again.
        """
        return self.address_space - _mapped(pid) < _FULL

    def _become(self, program: int, output: int, report: int, line: int | None = None) -> None:
        """In the child: confine this process, say so, and run the program. Does not return."""
        try:
            os.setsid()
            _isolation.prctl(_isolation.PR_SET_PDEATHSIG, signal.SIGKILL)
            null = os.open(
                os.devnull, os.O_RDWR
            )  # opened anew: the flags of an open file are all its holders'
            for source, target in (
                (program, _PROGRAM),
                (null, 0),
                (output, 1),
                (null, 2),
                (report, _REPORT),
            ):
                os.dup2(source, target)
            if line is not None:
                os.dup2(line, _LINE)
            os.closerange(_PROGRAM + 1 + (line is not None), 1 << 20)
            if "limits" in self.parts:
                _isolation.set_cpu_limit(self.cpu_seconds)
            if "landlock" in self.parts:
                _isolation.landlock_enter(_RULESET)
            if "seccomp" in self.parts:
                _seccomp.install(self.filter)
            os.write(
                _CONFINED, b"1"
            )  # without it the reply is NOT_CONFINED; the program cannot send or unsend it
            os.closerange(_RULESET, _CONFINED + 1)
            if self.folder:
                sys.path.insert(
                    0, self.folder
                )  # here alone, where what a program leaves there can do no harm
        except BaseException as error:
            os._exit(_report(error))
        os._exit(_run())


def _run() -> int:
    """Run the program as `python program.py` would, report an exception, and return the exit
    code."""
    global _spare
    main_module = types.ModuleType("__main__")
    main_module.__file__ = PROGRAM_NAME
    main_module.__builtins__ = __builtins__
    sys.modules["__main__"] = main_module
    sys.setrecursionlimit(1000 + _depth() + 1)
    standard_output = sys.stdout
    code = 0
    try:
        source = os.pread(_PROGRAM, os.fstat(_PROGRAM).st_size, 0)
        os.close(_PROGRAM)
        main_module.__loader__ = _Source(source)
        exec(compile(source, PROGRAM_NAME, "exec", dont_inherit=True), main_module.__dict__)
    except BaseException as error:
        # first, and without a call: where memory is out (its traceback holds it), none can be
        # entered
        _spare = None
        code = _report(error)
    _spare = None
    try:
        if threading := sys.modules.get("threading"):
            threading._shutdown()
        atexit._run_exitfuncs()
        _flush(sys.stdout, standard_output)
        # Its finalisers, as where Python ends, under the program's limits; they print to where a
        # script's output began.
        # Python does so first: it sorts objects, so that a file writes what it holds before it
        # closes
        gc.collect()
        sys.stdout = standard_output
        sys.modules.pop("__main__", None)
        del main_module
        gc.collect()
        _flush(standard_output)
    except BaseException as error:
        code = code or _report(error) or 120
    return code


def _flush(*streams) -> None:
    for stream in streams:
        if stream is not None and not stream.closed:
            stream.flush()


class _Source:
    """Where `inspect` and `linecache` find the program's text, since it is in no file."""

    def __init__(self, source: bytes):
        self.source = source

    def get_source(self, name: str) -> str:
        return self.source.decode("utf-8", "replace")


def _depth() -> int:
    frame = sys._getframe()
    depth = 0
    while frame := frame.f_back:
        depth += 1
    return depth


def _report(error: BaseException) -> int:
    """Write down what ended the program, for the supervisor, which trusts none of it; return the
    exit code."""
    if isinstance(error, SystemExit) and error.code in (None, 0):
        return 0
    line = None
    trace = error.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_filename == PROGRAM_NAME:
            line = trace.tb_lineno
        trace = trace.tb_next
    if isinstance(error, SyntaxError) and error.filename == PROGRAM_NAME:
        line = error.lineno
        message = error.msg
    else:
        try:
            message = str(error)
        except BaseException:
            message = ""
    kind = type(error).__name__
    words = (f"{kind}: {message[:2000]}" if message else kind).encode("utf-8", "replace")
    line = line if isinstance(line, int) and 0 < line < 1 << 31 else 0
    with contextlib.suppress(OSError):
        os.pwrite(_REPORT, REPORT.pack(line, isinstance(error, MemoryError), len(words)) + words, 0)
    code = error.code if isinstance(error, SystemExit) else 1
    return code & 255 if isinstance(code, int) else 1


def _mapped(pid: int) -> int:
    """Bytes of address space that a process has."""
    return _told(pid, "statm", 0) * resource.getpagesize()


def _told(pid: int, file: str, place: int) -> int:
    """A number that the kernel tells of a process; 0 of one that is gone."""
    try:
        with open(f"/proc/{pid}/{file}") as numbers:
            return int(numbers.read().split()[place])
    except (OSError, ValueError, IndexError):
        return 0


def _reap_strays() -> None:
    """Kill and reap whatever the program started that moved here when its parent died (nothing can,
    under seccomp)."""
    children = f"/proc/self/task/{os.getpid()}/children"
    with contextlib.suppress(ChildProcessError):
        while True:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                with open(children) as pids:
                    for pid in pids.read().split():
                        os.kill(int(pid), signal.SIGKILL)
                os.waitpid(-1, 0)


def remove(folder: str | None) -> None:
    """Delete a working folder, where there is one: both ends do, since either may be killed."""
    if folder:
        with contextlib.suppress(OSError):
            empty(folder)
            os.rmdir(folder)


def empty(folder: str) -> None:
    """Delete what is in a working folder; the program that read it is dead by now."""
    with os.scandir(folder) as entries:
        for entry in list(entries):
            if entry.is_dir(follow_symlinks=False):
                os.chmod(entry, 0o700)
                empty(entry.path)
                os.rmdir(entry)
            else:
                os.unlink(entry)
