"""Decoys: what a hostile program may attack, made for it alone, and how to see that it did.

Files, a secret in a file and one in the environment, a process, listeners. All of it belongs to the
user that runs the programs, so that nothing but the sandbox stands between them.
"""

import contextlib
import os
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import uuid
from pathlib import Path

PROCESS = """
import ctypes, sys
ctypes.CDLL(None).prctl(0x59616d61, ctypes.c_ulong(-1), 0, 0, 0)  # anybody may trace it, as far as Yama is concerned
memory = ctypes.create_string_buffer(b"untouched")
print(ctypes.addressof(memory), flush=True)
for _ in sys.stdin:
    print(memory.value.decode("latin-1"), flush=True)
"""


class World:
    """A set of decoys. `damage()` says what has happened to them since the last call, and mends
    it."""

    def __init__(self):
        self.mark = "hostile-" + uuid.uuid4().hex[:12]
        self.token = "token-" + uuid.uuid4().hex
        self.root = Path(tempfile.mkdtemp(prefix="trove-lite-world-"))
        os.environ["TROVE_LITE_DECOY"] = self.token
        self._make_files()
        self._start_process()
        self.listeners = {}
        for name, family, kind, address in (
            ("tcp", socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            ("udp", socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
            ("unix", socket.AF_UNIX, socket.SOCK_STREAM, str(self.root / "unix")),
            ("datagram", socket.AF_UNIX, socket.SOCK_DGRAM, str(self.root / "datagram")),
            ("abstract", socket.AF_UNIX, socket.SOCK_STREAM, "\0" + self.mark + "-decoy"),
        ):
            listener = self.listeners[name] = socket.socket(family, kind)
            listener.bind(address)
            if kind == socket.SOCK_STREAM:
                listener.listen()
            listener.setblocking(False)
        self.before = self._state()

    def _make_files(self) -> None:
        self.folder, self.library, self.table = (
            self.root / name for name in ("folder", "library", "table")
        )
        shutil.rmtree(self.folder, ignore_errors=True)
        for folder in (
            self.folder,
            self.library,
        ):  # the library stays the same folder: the sandbox knows it by that
            folder.mkdir(exist_ok=True)
            for path in folder.iterdir():
                path.unlink()
        (self.folder / "victim").write_text("untouched")
        (self.folder / "secret").write_text(self.token)
        (self.folder / "secret").chmod(0o600)
        (self.library / "module.py").write_text("value = 1\n")
        self.table.write_text("Year\tTitle\n2001\ta\n2002\tb\n2003\tc\n")

    def _start_process(self) -> None:
        how = {
            "stdin": subprocess.PIPE,
            "stdout": subprocess.PIPE,
            "text": True,
            "start_new_session": True,
        }
        self.process = subprocess.Popen([sys.executable, "-c", PROCESS], **how)
        self.address = int(self.process.stdout.readline())

    def _end_process(self) -> None:
        self.process.kill()
        self.process.communicate()

    def fill(self, source: str) -> str:
        """A hostile program's text with the decoys' names in it."""
        values = {
            name: self.root / name for name in ("folder", "library", "table", "unix", "datagram")
        }
        values |= {name: self.folder / name for name in ("victim", "secret")}
        values |= {name: self.listeners[name].getsockname()[1] for name in ("tcp", "udp")}
        values |= {"mark": self.mark, "abstract": self.mark + "-decoy", "supervisor": os.getpid()}
        values |= {"process": self.process.pid, "address": self.address}
        values |= {
            "repository": Path(__file__).resolve(),
            "checkout": Path(__file__).resolve().parents[2],
        }
        for name, value in values.items():
            source = source.replace(f"@{name}@", str(value))
        return source

    def damage(self) -> list[str]:
        """What is no longer as it was: one clause for each decoy."""
        now = self._state()
        both = {name: (self.before.get(name), now.get(name)) for name in sorted(self.before | now)}
        found = [f"{name}: {old} became {new}" for name, (old, new) in both.items() if old != new]
        found += [f"{name}: somebody came" for name in self.listeners if self._visited(name)]
        for place in ("/tmp", "/dev/shm", "/", os.getcwd()):
            for name in os.listdir(place):
                if self.mark in name:
                    found.append(f"{place}/{name} was made")
                    with contextlib.suppress(OSError):
                        os.unlink(os.path.join(place, name))
        if found:
            self._make_files()
            self._end_process()
            self._start_process()
            self.before = self._state()
        return found

    def close(self) -> None:
        self._end_process()
        for listener in self.listeners.values():
            listener.close()
        shutil.rmtree(self.root, ignore_errors=True)

    def _state(self) -> dict:
        state = self._files() | {"supervisor": self._limits(os.getpid())}
        state["process"] = (self._memory(), self._limits(self.process.pid))
        with open("/proc/sysvipc/shm") as shared:
            state["shared memory"] = len(shared.readlines())
        return state

    def _files(self) -> dict:
        files = {}
        for path in sorted(self.root.rglob("*")):
            s = path.lstat()
            kept = (
                oct(s.st_mode),
                s.st_uid,
                s.st_nlink,
                *os.listxattr(path, follow_symlinks=False),
            )
            content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
            files[str(path.relative_to(self.root))] = (
                *kept,
                content,
                None if path.is_dir() else s.st_mtime_ns,
            )
        return files

    def _memory(self) -> str:
        """The process's own account of its memory; it must be alive and running to give it."""
        try:
            with open(f"/proc/{self.process.pid}/stat") as stat:
                if stat.read().rsplit(")", 1)[1].split()[0] in "TtZX":
                    return "stopped or dead"
            self.process.stdin.write("\n")
            self.process.stdin.flush()
            return self.process.stdout.readline().strip() or "dead"
        except OSError:
            return "dead"

    @staticmethod
    def _limits(pid: int) -> tuple:
        try:
            limits = [
                resource.prlimit(pid, kind)
                for kind in (resource.RLIMIT_NOFILE, resource.RLIMIT_CPU)
            ]
            return (*limits, os.getpriority(os.PRIO_PROCESS, pid), os.sched_getaffinity(pid))
        except OSError:
            return ("dead",)

    def _visited(self, name: str) -> bool:
        listener = self.listeners[name]
        try:
            if listener.type == socket.SOCK_STREAM:
                listener.accept()[0].close()
            else:
                listener.recv(100)
        except BlockingIOError:
            return False
        return True
