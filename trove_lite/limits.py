"""Reading what a model or a program wrote, under a limit: what takes too long costs that one text,
and nobody waits.

A short text is read at once. A long one is read in a process beside this one, which the kernel ends
at `SECONDS` of its processor's time: a pattern that backtracks holds the interpreter, so no thread
could be stopped. A function that cannot be sent there (one of a notebook's) reads here, without a
limit.
"""

import atexit
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from multiprocessing.connection import Connection, Pipe
from typing import Any

from .errors import TroveLiteError

SHORT = 5_000  # characters: what is quadratic takes a fifth of a second at most
SECONDS = 2.0  # of the processor, for one text; a legal output of 1 MiB takes a tenth of it
ON_THE_CLOCK = 120.0  # the backstop, should that limit not hold
CANNOT_BE_SENT = (pickle.PicklingError, AttributeError, TypeError, ImportError)


class TookTooLong(TroveLiteError):
    """A text that could not be read within the limit."""


def is_long(*texts: str) -> bool:
    """Whether these are read beside this process, so that an event loop had better not wait for
    it."""
    return sum(map(len, texts)) > SHORT


def within_limit(read: Callable, *arguments: object, of: tuple[str, ...]) -> Any:
    """`read(*arguments)`, under the limit where `of`, the texts that are read, are long. Raises
    TookTooLong."""
    if not is_long(*of):
        return read(*arguments)
    try:
        asked = pickle.dumps((read, arguments))
    except CANNOT_BE_SENT:
        return read(*arguments)
    came, value = _reader(os.getpid()).answer(asked)
    if came == "raised":
        raise value
    return value if came == "read" else read(*arguments)


class Reader:
    """The process beside this one, started when it is first needed and again when it was ended."""

    def __init__(self) -> None:
        self.process: subprocess.Popen | None = None
        self.one_at_a_time = threading.Lock()

    def answer(self, asked: bytes) -> tuple[str, object]:
        """What came of it, `read`, `raised` or `unknown`, and the value. Raises TookTooLong."""
        with self.one_at_a_time:
            if self.process is None:
                self._start()
            try:
                self.line.send_bytes(asked)
                if self.line.poll(ON_THE_CLOCK):
                    return pickle.loads(self.line.recv_bytes())
            except (EOFError, OSError):
                pass
            self.end()
        raise TookTooLong(f"a text could not be read in {SECONDS:g} seconds of processor time")

    def _start(self) -> None:
        self.line, theirs = Pipe()
        code = f"from {__name__} import serve; serve({theirs.fileno()})"
        self.process = subprocess.Popen(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
        )
        theirs.close()

    def end(self) -> None:
        if self.process is not None:
            self.line.close()
            self.process.kill()
            self.process.wait()
            self.process = None


@cache
def _reader(owner: int) -> Reader:
    """This process' own; a fork of it starts another."""
    reader = Reader()
    atexit.register(lambda: reader.end() if os.getpid() == owner else None)
    return reader


def serve(descriptor: int) -> None:
    """Read whatever comes over this line, until it is closed. The kernel ends the process at the
    limit."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    line = Connection(descriptor)
    with suppress(EOFError, OSError):
        while asked := line.recv_bytes():
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            came = _read(asked)
            signal.setitimer(signal.ITIMER_PROF, 0)
            line.send_bytes(came)


def _read(asked: bytes) -> bytes:
    try:
        read, arguments = pickle.loads(asked)
    except CANNOT_BE_SENT:
        return pickle.dumps(("unknown", None))
    try:
        return pickle.dumps(("read", read(*arguments)))
    except Exception as error:
        return pickle.dumps(("raised", error))
