"""Which system calls a model-written program may make: an allow-list, as a seccomp filter.

A program that computes an answer reads files, maps memory, looks at the clock and writes to
descriptors that it already has. That is the whole list. Whatever it does not name is refused:
processes and threads, sockets, signals, tracing, namespaces, io_uring, mounts, keys, shared memory,
the page cache's state (a message to the next program), and every call that Linux will only learn
later. What a call may *reach* (which files) is no business of this file: see `isolation.py`.
"""

import ctypes
import os
import platform
import re
import struct


def _calls(table: str) -> dict[str, tuple[int | None, int | None]]:
    """Name → numbers on x86_64 and aarch64, None where there is no such call, from "NAME NUMBER
    NUMBER, ..."."""
    calls = re.sub(r"#.*", ",", table).replace("\n", " ").split(",")
    named = (call.split() for call in calls if call.strip())
    return {name: tuple(None if n == "-" else int(n) for n in numbers) for name, *numbers in named}


_ALLOWED = _calls("""
    # descriptors that are open already, and looking at files (Landlock decides which of them can be opened)
    read 0 63, write 1 64, pread64 17 67, pwrite64 18 68, readv 19 65, writev 20 66, preadv 295 69, pwritev 296 70,
    lseek 8 62, close 3 57, close_range 436 436, dup 32 23, dup2 33 -, dup3 292 24, stat 4 -, fstat 5 80, lstat 6 -,
    newfstatat 262 79, statx 332 291, statfs 137 43, fstatfs 138 44, access 21 -, faccessat 269 48,
    faccessat2 439 439, readlink 89 -, readlinkat 267 78, getdents 78 -, getdents64 217 61, getcwd 79 17, chdir 80 49,
    fchdir 81 50, umask 95 166, pipe 22 -, pipe2 293 59, poll 7 -, ppoll 271 73, select 23 -, pselect6 270 72,
    epoll_create 213 -, epoll_create1 291 20, epoll_ctl 233 21, epoll_wait 232 -, epoll_pwait 281 22, eventfd2 290 19
    # memory
    mmap 9 222, munmap 11 215, mremap 25 216, mprotect 10 226, madvise 28 233, brk 12 214, msync 26 227
    # the process itself: locks, end, its own signal handlers and timers
    futex 202 98, set_tid_address 218 96, set_robust_list 273 99, rseq 334 293, membarrier 324 283, arch_prctl 158 -,
    restart_syscall 219 128, exit 60 93, exit_group 231 94, wait4 61 260, waitid 247 95, rt_sigaction 13 134,
    rt_sigprocmask 14 135, rt_sigreturn 15 139, rt_sigpending 127 136, rt_sigsuspend 130 133, rt_sigtimedwait 128 137,
    sigaltstack 131 132, pause 34 -, alarm 37 -, setitimer 38 103, getitimer 36 102, setrlimit 160 164,
    getrlimit 97 163, sched_yield 24 124
    # time, chance, and facts about the machine and the process
    time 201 -, gettimeofday 96 169, clock_gettime 228 113, clock_getres 229 114, clock_nanosleep 230 115,
    nanosleep 35 101, times 100 153, getrusage 98 165, getrandom 318 278, uname 63 160, sysinfo 99 179,
    getcpu 309 168, getpid 39 172, getppid 110 173, gettid 186 178, getuid 102 174, geteuid 107 175, getgid 104 176,
    getegid 108 177, getresuid 118 148, getresgid 120 150, getgroups 115 158, getpgrp 111 -, getpgid 121 155,
    getsid 124 156, getpriority 140 141, sched_getaffinity 204 123, sched_getparam 143 121,
    sched_getscheduler 145 120, sched_get_priority_max 146 125, sched_get_priority_min 147 126
""")

# Allowed for some values of one argument: name: (numbers, argument, values).
_ONE_OF = {
    # duplicate, descriptor and status flags. Not F_SETOWN and F_SETSIG: they make the kernel signal
    # other processes.
    "fcntl": ((72, 25), 1, (0, 1, 2, 3, 4, 1030)),
    "ioctl": (
        (16, 29),
        1,
        (0x5401, 0x802C542A, 0x5413, 0x541B, 0x5450, 0x5451),
    ),  # is it a terminal? how wide?
    "prctl": ((157, 167), 0, (15, 16, 0x53564D41)),  # names of threads and of memory
    "prlimit64": ((302, 261), 0, (0,)),  # its own limits, never another process's
}

_OPENS = {"open": ((2, None), 1), "openat": ((257, 56), 2)}
_WRITING = 0x400243  # O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | __O_TMPFILE

# From clone3 on, libc takes "no such call" as the cue for the older call, and "not permitted" as a
# failure.
_FIRST_RECENT = 435

_libc = ctypes.CDLL(None, use_errno=True)
_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_LOAD = 0x20
_EQUAL = 0x15
_AT_LEAST = 0x35
_ANY_BIT = 0x45
_RETURN = 0x06
_ALLOW = 0x7FFF0000
_KILL = 0x80000000
_ERRNO = 0x00050000
_EPERM = 1
_EACCES = 13
_ENOSYS = 38


def supported() -> bool:
    """Whether the call numbers of this kind of machine are known here (x86_64 and aarch64)."""
    return platform.machine() in _MACHINES


def build() -> bytes:
    """Return the filter as BPF instructions."""
    column, architecture = _MACHINES[platform.machine()]

    def refuse(errno):
        return [(_RETURN, 0, 0, _ERRNO | errno)]

    allow = [(_RETURN, 0, 0, _ALLOW)]

    def argument(
        index,
    ):  # its lower half: all the arguments looked at are 32 bits wide in the kernel
        return (_LOAD, 0, 0, 16 + 8 * index)

    verdicts = {}
    for numbers in _ALLOWED.values():
        verdicts[numbers[column]] = allow
    for numbers, index, values in _ONE_OF.values():
        tests = [(_EQUAL, len(values) - i, 0, value) for i, value in enumerate(values)]
        verdicts[numbers[column]] = [argument(index), *tests, *refuse(_EPERM), *allow]
    for numbers, index in _OPENS.values():
        verdicts[numbers[column]] = [
            argument(index),
            (_ANY_BIT, 0, 1, _WRITING),
            *refuse(_EACCES),
            *allow,
        ]
    verdicts.pop(None, None)

    steps = [
        (0, verdicts.get(0, refuse(_EPERM)))
    ]  # (first call number, what happens from there on)
    for number in range(1, 600):
        verdict = verdicts.get(number, refuse(_ENOSYS if number >= _FIRST_RECENT else _EPERM))
        if verdict != steps[-1][1]:
            steps.append((number, verdict))
    code = [
        (_LOAD, 0, 0, 4),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),  # 32-bit calls have other numbers
        (_LOAD, 0, 0, 0),
        *_search(steps),
    ]
    return b"".join(struct.pack("HBBI", *instruction) for instruction in code)


def _search(steps):
    """A binary search for the call's number: the kernel walks the filter for each number when it is
    installed, so a list of comparisons would cost every program a tenth of a millisecond."""
    if len(steps) == 1:
        return steps[0][1]
    half = len(steps) // 2
    below = _search(steps[:half])
    above = _search(steps[half:])
    return [(_AT_LEAST, len(below), 0, steps[half][0]), *below, *above]


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def prepare(filter_code: bytes) -> tuple:
    """Lay the filter out in memory once, so that installing it in a child is a single call."""
    _libc.prctl.argtypes = [
        ctypes.c_int,
        ctypes.c_ulong,
        ctypes.c_void_p,
        ctypes.c_ulong,
        ctypes.c_ulong,
    ]
    buffer = ctypes.create_string_buffer(filter_code, len(filter_code))
    program = _Program(len(filter_code) // 8, ctypes.addressof(buffer))
    return ctypes.byref(program), buffer  # the buffer must live as long


def install(prepared: tuple) -> None:
    """Put the filter on this process, for good. Needs no_new_privs. Raises OSError."""
    if _libc.prctl(22, 2, prepared[0], 0, 0) != 0:  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER
        number = ctypes.get_errno()
        raise OSError(number, f"seccomp: {os.strerror(number)}")
