"""A throw-away place to run a command in: own processes, network, mounts and IPC; every file
read-only; little memory.

    python -m tests.hostile.cell USER COMMAND...   USER: "root", or "user" for somebody without rights

Started by an ordinary user, its "root" is the root of a namespace of its own: number 0, with every
capability there.

At the level "full" it is a precaution; at the weaker ones, where hostile programs do what they try,
it is what makes trying them safe. It exits with 125 and one line where this machine does not let it
be made.
"""

import contextlib
import ctypes
import fcntl
import json
import os
import resource
import select
import signal
import socket
import struct
import subprocess
import sys
from pathlib import Path

from trove_lite.sandbox.isolation import PR_SET_DUMPABLE, PR_SET_PDEATHSIG, prctl
from trove_lite.sandbox.isolation import _check as check
from trove_lite.sandbox.isolation import _libc as libc

from .catalogue import Hostile

PATIENCE = 120  # seconds
NOBODY = 65534
NEW = (
    0x20000 | 0x4000000 | 0x8000000 | 0x20000000 | 0x40000000
)  # mounts, names, IPC, processes, network
NEW_USERS = 0x10000000
MS_NOSUID = 2
MS_BIND = 0x1000
MS_REC = 0x4000
MS_PRIVATE = 0x40000


def mount(
    source: str, target: str, kind: str | None = None, flags: int = 0, options: str = ""
) -> None:
    words = [None if word is None else word.encode() for word in (source, target, kind)]
    check(libc.mount(*words, ctypes.c_ulong(flags), options.encode()), f"mount {target}")


def enter(user: str) -> None:
    """Make the namespaces and become the first process in them (this returns in a grandchild
    only)."""
    root = os.geteuid() == 0
    needed = [Path(sys.base_prefix), Path(sys.prefix), Path(__file__).resolve().parents[2]]
    uid = os.geteuid()
    gid = os.getegid()
    check(libc.unshare(NEW | (0 if root else NEW_USERS)), "unshare")
    if not root:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{0 if user == 'root' else uid} {uid} 1")
        Path("/proc/self/gid_map").write_text(f"{0 if user == 'root' else gid} {gid} 1")
    _fork_and_wait()  # the first process of the new process namespace: it only waits
    mount("none", "/", None, MS_REC | MS_PRIVATE)
    if root and user == "user":
        for path in needed:
            _make_reachable(path)
    read_only = struct.pack(
        "QQQQ", 1, 0, 0, 0
    )  # MOUNT_ATTR_RDONLY, for every mount there is (AT_RECURSIVE)
    check(libc.syscall(442, -100, b"/", 0x8000, read_only, ctypes.c_size_t(32)), "mount_setattr")
    for place in (Path("/tmp"), Path("/dev/shm")):
        kept = [path for path in needed if place in path.parents]  # a checkout under /tmp, say
        kept = [path for path in kept if not any(other in path.parents for other in kept)]
        _cover(place, kept, "size=128m,nr_inodes=8192,mode=1777")
    mount("proc", "/proc", "proc")
    _bring_up_loopback()
    if root and user == "user":
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        os.environ["HOME"] = "/nonexistent"
        prctl(PR_SET_DUMPABLE, 1)  # let it look at its own /proc/self again
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # changing user has cleared it
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    os.environ["TROVE_LITE_CELL"] = user
    _fork_and_wait()  # not the first process itself: that one is deaf to signals
    if os.getpid() == 1:
        raise OSError("still the first process")


def _fork_and_wait() -> None:
    pid = os.fork()
    if pid == 0:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        return
    for descriptor in (0, 1):
        os.close(descriptor)  # so that the other end sees when the command is gone
    while True:
        with contextlib.suppress(ChildProcessError):
            ended, status = os.wait()
            if ended != pid:
                continue
            code = os.waitstatus_to_exitcode(status)
            os._exit(code if code >= 0 else 128 - code)


def _make_reachable(path: Path) -> None:
    """Let everybody walk to `path`: cover the first closed folder on the way with one that holds
    `path` alone."""
    closed = [folder for folder in reversed(path.parents) if not folder.stat().st_mode & 1]
    if closed:
        _cover(closed[0], [path], "size=1m,mode=755")


def _cover(place: Path, kept: list[Path], options: str) -> None:
    """Put an empty folder over `place`, with what is kept of it in it again."""
    descriptors = [os.open(path, os.O_PATH) for path in kept]
    mount("tmpfs", str(place), "tmpfs", MS_NOSUID, options)
    for path, descriptor in zip(kept, descriptors, strict=True):
        path.mkdir(parents=True)
        mount(f"/proc/self/fd/{descriptor}", str(path), None, MS_BIND | MS_REC)
        os.close(descriptor)


def _bring_up_loopback() -> None:
    with socket.socket() as any_socket:
        request = struct.pack("16sh14x", b"lo", 1)  # IFF_UP
        fcntl.ioctl(any_socket, 0x8914, request)


class Gone(Exception):
    """The runner died, hangs, or left ill: a program reached what was to judge it."""


class Nowhere(Exception):
    """No cell can be made here."""


class Station:
    """A runner at a level, in a cell: started when it is first asked, and again when a program took
    it along.

    Where no cell can be made (containers, some distributions), an ordinary user's programs run
    without: at the level "full" it is only a precaution.
    """

    def __init__(self, user: str, level: str = "full"):
        self.cells = [user, ""] if user == "user" and level == "full" and os.geteuid() else [user]
        self.level = level
        self.process = None
        self.reason = ""

    def attack(self, hostile: Hostile) -> dict:
        """The runner's answer. Raises Gone, or Nowhere."""
        if self.process is None:
            self._start()
        if self.cells == [""] and hostile.reaches_everybody:
            raise Nowhere(self.reason)
        try:
            self.process.stdin.write(hostile.name + "\n")
            self.process.stdin.flush()
            if select.select([self.process.stdout], [], [], PATIENCE)[0]:
                return json.loads(self.process.stdout.readline())
        except (BrokenPipeError, ValueError):
            pass
        raise Gone(f"the runner died or hangs: {self.kill()}")

    def _start(self) -> None:
        while self.cells:
            cell = (
                ["tests.hostile.cell", self.cells[0], sys.executable, "-m"] if self.cells[0] else []
            )
            command = [sys.executable, "-m", *cell, "tests.hostile.runner", self.level]
            how = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE) | {"text": True}
            process = subprocess.Popen(command, cwd=Path(__file__).resolve().parents[2], **how)
            if process.stdout.readline():
                self.process = process
                return
            told = process.communicate()[1].strip()
            assert process.returncode == 125, told
            self.reason = f"{told} (user: {self.cells.pop(0)})"
        raise Nowhere(self.reason)

    def kill(self) -> str:
        """End the whole cell, and say what it told last; the next program gets a fresh one."""
        self.process.kill()
        told = self.process.communicate()[1][-2000:]
        self.process = None
        return told

    def close(self) -> None:
        """End it, in which it looks at all its warm processes once more. Raises Gone where one is
        ill."""
        if (
            self.process
            and (told := self.process.communicate(timeout=PATIENCE)[1])
            and self.process.returncode
        ):
            raise Gone(told[-2000:])


if __name__ == "__main__":
    try:
        enter(sys.argv[1])
        os.execv(sys.argv[2], sys.argv[2:])
    except OSError as error:
        print(f"no cell here: {error}", file=sys.stderr)
        os._exit(125)
