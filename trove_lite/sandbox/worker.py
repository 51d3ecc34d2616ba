"""One worker of a `Sandbox`: up to four warm processes, with more and more libraries imported, and
four with a folder.

It starts them when they are first needed, hands a program over, reads back what it printed, and
starts them again when they die. It trusts nothing that a program can have touched: of the files
that it hands over it reads a bounded number of bytes, and what it makes of them is text.
"""

import contextlib
import functools
import importlib.util
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple, Protocol

from . import isolation as _isolation
from . import zygote as _zygote
from .errors import IsolationError, TroveLiteError, shown
from .hidden import hidden_places, out_of_reach
from .libraries import TIERS
from .start import environment, interpreter, matplotlib_cache

# a warm process that is not ready by then has failed (matplotlib's first start lists all fonts)
START_SECONDS = 120
GRACE_SECONDS = 20  # after a program's deadline, for the warm process to kill it and answer
RETRY_SECONDS = 1.0  # after a failure of the machine
#: What a program may read: relative path → the file.
Files = Mapping[str, str | Path]
#: Of a warm process: its libraries, and whether it has a working folder.
WarmKind = tuple[str, bool]
_DIED = (EOFError, ConnectionError, TimeoutError)  # other errors have a cause of which they tell
# what a report may say: a line's number below, and so many characters
_LINES = 10**7
_LETTERS = 2000


class Execution(NamedTuple):
    """How a program ended.

    `status`: `ok` (exit code 0), `error` (an exception, or another exit code), `timeout` (CPU time
    or the wall-clock backstop), `memory` (MemoryError, or at the limit until it was ended),
    `output` (printed more than the limit), `killed` (by a signal: a crash).
    `output`: what it printed to stdout, decoded, cut at the limit; `truncated` says whether
        something is missing.
    `error`: what went wrong, such as "ZeroDivisionError: division by zero (line 3)", without paths;
        "" when `ok`.
    `wall` and `cpu`: seconds, from the fork to the end.
    """

    status: str
    output: str
    truncated: bool
    error: str
    wall: float
    cpu: float


class Killed(EOFError):
    """A program was killed, and not by us; its warm process is well."""


class Eyes(Protocol):
    """Who looks at images for programs: a plug-in's, over a line that each program has, and on no
    other way."""

    name: str  # its identity
    waits: int  # times the limit of CPU time on the clock, for programs that ask

    def serve(self, line: socket.socket) -> None:
        """Answer one program until its end. What it sends is hostile."""


class Worker:
    """Runs one program at a time. Not for two threads at once, but for `close`. A program that is
    given files finds copies of them in a working folder of its own, from a warm process that may
    read there: Landlock's rules are those of a process and all that it forks."""

    def __init__(self, level: str, limits: dict, vision: Eyes | None = None):
        self.level = level
        self.limits = limits
        self.vision = vision
        self.zygotes: dict[WarmKind, Zygote] = {}
        self.closed = False

    def run(self, program: str, files: Files) -> Execution:
        """Run one program. Raises IsolationError where it could not be confined, or the machine
        fails. A warm process or a program that dies by no limit of ours is the machine's fault
        (memory that ran out, say) until it happens again in a new one; and still is, unless the
        empty program then comes through."""
        kind = tier_of(program), bool(files)
        for wait in (RETRY_SECONDS, 0):
            try:
                return self._attempt(kind, program, files)
            except (OSError, EOFError) as error:
                failure = error
                time.sleep(wait)
        try:
            if isinstance(failure, _DIED):
                self._attempt(kind, "", files)
                return Execution("killed", "", False, "killed twice, and by no limit", 0.0, 0.0)
        except (OSError, EOFError) as error:
            failure = error
        raise IsolationError(
            f"this machine cannot run programs now: {failure}; nothing is recorded of this one, so mend that (memory, "
            "processes, descriptors, temporary files: see `ulimit -a`) and run again to go on"
        ) from failure

    def _attempt(self, kind: WarmKind, program: str, files: Files) -> Execution:
        try:
            return self._zygote(kind).run(program, files, self.vision)
        except Killed:
            raise
        except (OSError, EOFError, TroveLiteError):
            if zygote := self.zygotes.pop(kind, None):
                zygote.close()
            if self.closed:
                raise RuntimeError("the Sandbox was closed while a program ran") from None
            raise

    def _zygote(self, kind: WarmKind) -> "Zygote":
        if kind not in self.zygotes:
            self.zygotes[kind] = Zygote(*kind, self.level, self.limits)
        if self.closed:  # while it started: `close` may not have seen it
            self.zygotes[kind].close()
            raise EOFError
        return self.zygotes[kind]

    def close(self) -> None:
        """End the warm processes, and with them the program that runs, if one does."""
        self.closed = True
        for zygote in list(self.zygotes.values()):
            zygote.close()


class Zygote:
    """The supervisor's end of a warm process. Raises OSError where this machine cannot start
    one."""

    def __init__(self, tier: str, has_folder: bool, level: str, limits: dict):
        self.limits = limits
        with contextlib.ExitStack() as undo:
            self.folder = None
            if has_folder:
                self.folder = tempfile.mkdtemp(prefix="trove-lite-")
                undo.callback(_zygote.remove, self.folder)
                os.chmod(self.folder, 0o700)  # whatever the umask
            self.socket, theirs = socket.socketpair()
            undo.callback(self.socket.close)
            hidden = out_of_reach(hidden_places())
            settings = limits | {
                "tier": tier,
                "level": level,
                "folder": self.folder,
                "hidden": hidden,
            }
            with theirs, _isolation.fixed_addresses():
                self.process = subprocess.Popen(
                    interpreter("zygote.main()", json.dumps(settings)),
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    cwd="/",
                    env=environment() | matplotlib_cache(),
                    start_new_session=True,
                )
            undo.callback(self._end)
            with self.process.stderr as errors:
                self.socket.settimeout(START_SECONDS)
                try:
                    started = self.socket.recv(1)
                except TimeoutError:
                    raise IsolationError(
                        f"a worker process did not start within {START_SECONDS} s"
                    ) from None
                if not started:
                    reason = errors.read().decode("utf-8", "replace").strip() or "it was killed"
                    raise IsolationError(
                        f"a worker process could not start: {shown(reason.splitlines()[-1][-1000:])}"
                    )
            self.socket.settimeout(_zygote.PATIENCE * limits["wall_limit"] + GRACE_SECONDS)
            self.close = undo.pop_all().close

    def run(self, program: str, files: Files, vision: Eyes | None) -> Execution:
        """Run one program. Raises OSError or EOFError where the warm process does not answer as it
        should."""
        if files:
            lay_out(self.folder, files, self.limits["memory"])
        with contextlib.ExitStack() as done:
            made = []  # for this program only
            for name in ("program", "output", "report"):
                made.append(os.memfd_create(name))
                done.callback(os.close, made[-1])
            with open(made[0], "wb", closefd=False) as file:
                file.write(program.encode("utf-8", "surrogatepass"))
            lines = socket.socketpair() if vision else ()  # ours, and the program's
            for line in lines:
                done.callback(line.close)
            socket.send_fds(self.socket, [b"!"], [*made, *(line.fileno() for line in lines[1:])])
            if vision:
                lines[1].close()
                vision.serve(lines[0])
            reply = self.socket.recv(_zygote.REPLY.size)  # it comes whole, or not at all
            if len(reply) < _zygote.REPLY.size:
                raise EOFError("the worker process has gone")
            limit = self.limits["output_limit"]
            length = os.fstat(made[1]).st_size
            # As long as it is: to ask for the limit would make a buffer of that size for each
            # program.
            printed = os.pread(made[1], min(length, limit), 0).decode("utf-8", "replace")
            told = os.pread(made[2], 1 << 16, 0)
        ending, code, wall, cpu = _zygote.REPLY.unpack(reply)
        full = length >= limit
        status, error = self._verdict(ending, code, full, told)
        return Execution(status, printed, full, error, wall, cpu)

    def _verdict(self, ending: int, code: int, full: bool, told: bytes) -> tuple[str, str]:
        """Status and error. Only how the process ended decides; what the program reported fills in
        the words."""
        if ending == _zygote.NOT_STARTED:
            raise OSError(code, os.strerror(code))
        if code == -signal.SIGKILL and ending in (_zygote.FINISHED, _zygote.NOT_CONFINED):
            raise Killed("somebody killed the process")  # the kernel, say, when memory ran out
        if ending == _zygote.NOT_CONFINED:
            raise OSError(
                f"a program could not be confined, so it did not run: {read_report(told)[0]}"
            )
        if ending == _zygote.CPU_LIMIT:
            return "timeout", f"over {self.limits['time_limit']:g} s of CPU time"
        if ending == _zygote.WALL_LIMIT:
            return "timeout", f"over {self.limits['wall_limit']:g} s on the clock"
        if ending == _zygote.MEMORY_FULL:
            return "memory", f"over {self.limits['memory']} bytes of memory"
        if full or code == -signal.SIGXFSZ:
            return "output", f"over {self.limits['output_limit']} bytes of output"
        if code == 0:
            return "ok", ""
        if code < 0:
            return "killed", signal.Signals(-code).name if -code in set(
                signal.Signals
            ) else f"signal {-code}"
        words, is_memory = read_report(told)
        if self.folder:
            words = words.replace(self.folder + "/", "")
        return ("memory" if is_memory else "error"), words or f"exit code {code}"

    def _end(self) -> None:
        """End the warm process: it leaves when its socket closes, and takes a running program with
        it."""
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)  # wakes a thread that waits for an answer
        self.socket.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def lay_out(folder: str, files: Files, limit: int) -> None:
    """Copy files into an empty folder, each under its relative path, where nobody can write to them
    or beside them."""
    size = 0
    for name, source in files.items():
        path = PurePosixPath(name)
        if not path.name or path.is_absolute() or ".." in path.parts:
            raise TroveLiteError(
                f"{name!r}: a file for a program needs a path relative to its working folder"
            )
        if not os.path.isfile(source):
            raise TroveLiteError(f"{source}: not a file, so no program can have it as {name}")
        size += os.path.getsize(source)
    if size > limit:
        raise TroveLiteError(
            f"{', '.join(files)}: {size} bytes, more than the memory that a program gets, {limit}"
        )
    folders = set()
    for name, source in files.items():
        place = Path(folder)
        for part in PurePosixPath(name).parts[:-1]:
            place /= part
            place.mkdir(exist_ok=True)
            place.chmod(0o755)  # whatever the umask
            folders.add(place)
        place /= PurePosixPath(name).name
        shutil.copyfile(source, place)
        place.chmod(0o444)
    for place in folders:
        place.chmod(0o555)


_IMPORTS = re.compile(
    r"^['\"]?[ \t]*(?:import|from)[ \t]+(\w+)", re.MULTILINE
)  # in lines of a quoted tool, too
_SYMBOLIC = re.compile(r"sympy|mpmath")
_NUMERIC = re.compile(r"numpy|lambdify|stats")  # the last two: sympy's ways to numpy
_SCIENTIFIC = re.compile(r"scipy|pandas|matplotlib|plot|__import__|importlib")


def tier_of(program: str) -> str:
    """Which warm process should run a program, by the libraries that its text names. A wrong guess
    only costs time, since a program can import what it needs; but numpy's seed and display are
    fixed only where it is imported beforehand, so any other library, which may bring it along, is
    met with all of them."""
    if _SCIENTIFIC.search(program) or any(map(_is_installed, _IMPORTS.findall(program))):
        return "scientific"
    if _NUMERIC.search(program):
        return "numeric"
    return "symbolic" if _SYMBOLIC.search(program) else "lean"


@functools.cache
def _is_installed(name: str) -> bool:
    """Whether there is a library of that name, other than the standard one and those of the numeric
    tier."""
    if name in sys.stdlib_module_names or name in TIERS["numeric"]:
        return False
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def read_report(told: bytes) -> tuple[str, bool]:
    """What a program reported of its own end, as "Type: message (line 3)", and whether it was out
    of memory. The program can have written anything at all. So this is total: whatever the bytes
    are, it returns, and the words are short and can be encoded; what is not a report says nothing:
    ("", False)."""
    head = told[: _zygote.REPORT.size]
    words = told[_zygote.REPORT.size :]
    if len(head) < _zygote.REPORT.size:
        return "", False
    line, is_memory, length = _zygote.REPORT.unpack(head)
    if not 0 <= line < _LINES or is_memory > 1 or not 0 < length <= len(words):
        return "", False
    text = words[:length].decode("utf-8", "replace")
    where = f" (line {line})" if line else ""
    for folder in (
        _isolation.library_paths()
    ):  # of this machine: "cannot import name 'x' from 'sympy' (/home/...)"
        text = text.replace(folder + "/", "")
    return text[:_LETTERS] + where, is_memory == 1
