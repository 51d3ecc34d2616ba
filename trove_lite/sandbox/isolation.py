"""Confinement of one process by the kernel, for programs that nobody has read: levels, how to apply
them, what is here.

Nothing here needs privileges, a helper program or a container. Three parts, each of which a process
applies to itself and cannot take back: resource limits; Landlock, which says *which files* it can
open (the interpreter's libraries, to read); seccomp, which says *which system calls* it can make
(`seccomp.py`). A feature is taken as present when a throw-away child has used it and found the
forbidden thing forbidden: kernel versions say little inside containers.
"""

import contextlib
import ctypes
import errno
import json
import os
import resource
import signal
import struct
import sys
import sysconfig

from . import seccomp as _seccomp

# From strongest to weakest: what is applied. "landlock" and "limits" exist to be measured, not
# used.
LEVELS = {
    "full": ("limits", "landlock", "seccomp"),
    "seccomp": ("limits", "seccomp"),
    "landlock": ("limits", "landlock"),
    "limits": ("limits",),
    "none": (),
}
#: What programs can do at the levels that a run may ask for, in words.
LETS_THROUGH = {
    "full": "programs read the interpreter's libraries and what they are given, and can ask whether other files exist",
    "seccomp": "programs write, send and start nothing, but read every file that you can read, gold answers too",
    "none": "programs do all that you can do: only for programs that you have read",
}

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
if sys.platform == "linux":
    _libc.prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]


def _check(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def prctl(option: int, value: int) -> None:
    """The system call, with one argument. Raises OSError."""
    _check(_libc.prctl(option, value, 0, 0, 0), f"prctl {option}")


@contextlib.contextmanager
def fixed_addresses():
    """Programs that this thread starts meanwhile get the same memory layout each time, where that
    may be had. Addresses get into answers: `print(f)` shows one, and the order of a set of objects
    hangs on them."""
    no_randomize = 0x0040000
    ask = 0xFFFFFFFF
    before = _libc.personality(ctypes.c_ulong(ask))
    _libc.personality(ctypes.c_ulong(before | no_randomize))
    try:
        yield
    finally:
        _libc.personality(ctypes.c_ulong(before))


PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38


def forget_caller() -> None:
    """Undo what a caller may have set for all that it starts: an ignored SIGCHLD leaves no child to
    wait for."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    os.umask(0o022)


def drop_capabilities() -> None:
    """Make root an ordinary owner of root's files, here and in all children. Nothing to do for
    anybody else."""
    for capability in range(64):
        if _libc.prctl(24, capability, 0, 0, 0) < 0:  # PR_CAPBSET_DROP
            break
    header = struct.pack("Ii", 0x20080522, 0)
    none = bytes(24)
    _check(_libc.capset(ctypes.c_char_p(header), ctypes.c_char_p(none)), "capset")


# Landlock: the numbers are the same on every machine.
_CREATE_RULESET = 444
_ADD_RULE = 445
_RESTRICT_SELF = 446
_READ_FILE = 1 << 2
_READ_DIR = 1 << 3
_HANDLED_BY_ABI = {
    1: (1 << 13) - 1,
    2: (1 << 14) - 1,
    3: (1 << 15) - 1,
    4: (1 << 15) - 1,
}  # later: 16 rights


def landlock_abi() -> int:
    return _libc.syscall(
        ctypes.c_long(_CREATE_RULESET), None, ctypes.c_size_t(0), ctypes.c_uint32(1)
    )


def landlock_ruleset(readable=(), hidden=()) -> int:
    """Build a ruleset once, for many children to enter: a descriptor. Raises OSError. It refuses
    every way of touching a file or directory that this kernel's Landlock knows, except reading
    `readable` and what lies below, less `hidden` (real paths); where the kernel can, also TCP,
    abstract Unix sockets and signals to the outside (seccomp refuses these too)."""
    abi = _check(landlock_abi(), "landlock")
    handled = _HANDLED_BY_ABI.get(abi, (1 << 16) - 1)
    attributes = struct.pack("QQQ", handled, 3 if abi >= 4 else 0, 3 if abi >= 6 else 0)
    size = ctypes.c_size_t(24 if abi >= 6 else 16 if abi >= 4 else 8)
    made = _libc.syscall(
        ctypes.c_long(_CREATE_RULESET), ctypes.c_char_p(attributes), size, ctypes.c_uint32(0)
    )
    ruleset = _check(made, "landlock_create_ruleset")
    for path, rights in (
        rule for top in readable for rule in _reading(os.path.realpath(top), hidden)
    ):
        try:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue  # what cannot be opened here cannot be read there either
        if not os.path.isdir(path):
            rights &= _READ_FILE
        rule = ctypes.c_char_p(struct.pack("=Qi", rights & handled, place))
        to = ctypes.c_int(ruleset)
        added = _libc.syscall(
            ctypes.c_long(_ADD_RULE), to, ctypes.c_int(1), rule, ctypes.c_uint32(0)
        )
        os.close(place)
        _check(added, f"landlock_add_rule {path}")
    return ruleset


def _reading(path: str, hidden):
    """The rules that let `path` be read, less what is hidden in it: a rule cannot be taken back
    further down, so a folder that holds something hidden gets one for each entry. The names below
    it can be listed: imports look there."""
    if not any(os.path.join(place, "").startswith(os.path.join(path, "")) for place in hidden):
        yield path, _READ_FILE | _READ_DIR
    elif path not in hidden and os.path.isdir(path):
        yield path, _READ_DIR
        with os.scandir(path) as entries:
            for entry in entries:
                if not entry.is_symlink():  # what it leads to has a rule of its own, or none
                    yield from _reading(entry.path, hidden)


def landlock_enter(ruleset: int) -> None:
    """Bind this process by the ruleset. Needs no_new_privs. Raises OSError."""
    _check(
        _libc.syscall(ctypes.c_long(_RESTRICT_SELF), ctypes.c_int(ruleset), ctypes.c_uint32(0)),
        "landlock",
    )


def library_paths() -> list[str]:
    """What a Python program must be able to read: the interpreter's modules, shared libraries, time
    zones, randomness. Not the home directory, the working directory, /etc or /proc; so an
    interpreter that lives in someone's home opens its own libraries there and nothing else."""
    python = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    python |= {os.path.join(sys.base_prefix, name) for name in ("lib", "lib64")}
    system = [
        "/usr/lib",
        "/usr/lib64",
        "/usr/local/lib",
        "/lib",
        "/lib64",
        "/usr/share/zoneinfo",
        "/etc/ld.so.cache",
    ]
    return sorted(python) + system + ["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"]


def set_limits(*, address_space: int, file_size: int) -> None:
    """Limit this process and its children: bytes of address space and of each file, 64 descriptors,
    8 MB of stack."""
    _lower(resource.RLIMIT_NOFILE, 64)
    _lower(resource.RLIMIT_STACK, 8 << 20)
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_MEMLOCK, 0)
    _require("file size", resource.RLIMIT_FSIZE, file_size)
    _require("address space", resource.RLIMIT_AS, address_space)


def set_cpu_limit(seconds: int) -> None:
    """Limit this process alone: the kernel kills it after so many CPU seconds. Raises OSError as
    `set_limits` does."""
    _require("CPU time", resource.RLIMIT_CPU, seconds)


def _require(name: str, kind: int, limit: int) -> None:
    if (now := _lower(kind, limit)) < limit:
        raise OSError(
            errno.EPERM,
            f"the limit on {name} is {now} already (see `ulimit -a`), and {limit} is needed",
        )


def _lower(kind: int, limit: int) -> int:
    """Set a limit, unless a lower one is in force already; returns the one in force."""
    ceiling = resource.getrlimit(kind)[1]
    limit = limit if ceiling == resource.RLIM_INFINITY else min(limit, ceiling)
    resource.setrlimit(kind, (limit, limit))
    return limit


def memory_collapse() -> None:
    """Back this process's heap by huge pages (Linux 6.1), which makes forking it a third cheaper;
    else do nothing."""
    huge = 2 << 20
    collapse = 25
    with open("/proc/self/maps") as maps:
        lines = maps.read().splitlines()
    for line in lines:
        span, rights, *rest = line.split()
        start, end = (int(part, 16) for part in span.split("-"))
        if rights.startswith("rw") and (len(rest) == 3 or rest[3] == "[heap]"):
            for page in range(-(-start // huge) * huge, end // huge * huge, huge):
                _libc.madvise(ctypes.c_void_p(page), ctypes.c_size_t(huge), collapse)


_SHORT_OF = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN)  # says nothing about a feature


def _in_child(check) -> bool:
    """Whether `check()` returns a true value in a child of its own, made for it and thrown away."""
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(0 if check() else 1)
        except OSError as error:
            os._exit(error.errno if error.errno in _SHORT_OF else 1)
        except BaseException:
            os._exit(1)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code in _SHORT_OF:
        raise OSError(code, os.strerror(code))
    return code == 0


def _refused(action) -> bool:
    try:
        action()
    except OSError:
        return True
    return False


def _landlock_works() -> bool:
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    landlock_enter(landlock_ruleset(["/dev/null"]))
    os.close(os.open("/dev/null", os.O_RDONLY))
    return _refused(lambda: os.open("/", os.O_RDONLY)) and _refused(
        lambda: os.open("/dev/null", os.O_WRONLY)
    )


def _seccomp_works() -> bool:
    import socket

    prctl(PR_SET_NO_NEW_PRIVS, 1)
    _seccomp.install(_seccomp.prepare(_seccomp.build()))
    os.close(os.open("/dev/null", os.O_RDONLY))
    attempts = (
        lambda: os.open("/dev/null", os.O_WRONLY),
        os.fork,
        socket.socket,
        lambda: os.kill(os.getpid(), 0),
    )
    return all(_refused(attempt) for attempt in attempts)


def report() -> None:
    """Print what this Linux offers, as JSON: each is found by using it in a child that is thrown
    away."""
    forget_caller()
    abi = landlock_abi()
    features = {
        "limits": _in_child(
            lambda: _lower(resource.RLIMIT_AS, 1 << 30) == resource.getrlimit(resource.RLIMIT_AS)[0]
        ),
        "landlock": abi > 0 and _in_child(_landlock_works),
        "landlock_abi": max(abi, 0),
        "seccomp": _seccomp.supported() and _in_child(_seccomp_works),
    }
    print(json.dumps(features))
