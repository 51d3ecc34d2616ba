"""Programs that start others, outlive themselves, or reach for other processes."""

from .catalogue import Hostile

_CALL = "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"

PROGRAMS = [
    Hostile(
        "fork_bomb",
        "error",
        "import os, time\nfor _ in range(50):\n    if os.fork() == 0: time.sleep(30)\nprint('escaped')",
    ),
    Hostile(
        "thread_bomb",
        "error",
        """
import threading, time
for _ in range(150): threading.Thread(target=time.sleep, args=(30,), daemon=True).start()
print('escaped')
""",
    ),
    Hostile(
        "thread_that_never_ends",
        "error timeout",
        """
import threading, time
threading.Thread(target=time.sleep, args=(1000,)).start()
""",
    ),
    Hostile(
        "daemon",
        "error",
        """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(0.3)
        open('@victim@', 'w').write('from beyond the grave')
    os._exit(0)
""",
    ),
    Hostile(
        "daemon_that_ignores_hangup",
        "error",
        """
import os, signal, time
if os.fork() == 0:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    os.setsid()
    while True: time.sleep(1)
""",
    ),
    Hostile(
        "fork_without_python",
        "ok",
        _CALL
        + """
pid = libc.syscall(57)
if pid == 0:
    import time; time.sleep(30)
if pid > 0: print('escaped')
""",
    ),
    Hostile("vfork", "ok", _CALL + "if libc.vfork() > 0: print('escaped')\nimport os; os._exit(0)"),
    Hostile(
        "clone3",
        "ok",
        _CALL
        + """
import struct, time
arguments = ctypes.create_string_buffer(struct.pack('8Q', 0, 0, 0, 0, 17, 0, 0, 0), 64)
pid = libc.syscall(435, arguments, 64)
if pid == 0: time.sleep(30)
if pid > 0: print('escaped')
""",
    ),
    Hostile("subprocess", "error", "import subprocess\nsubprocess.run(['touch', '@folder@/@mark@'])"),
    Hostile("shell", "ok", "import os\nos.system('echo changed > @victim@')"),
    Hostile(
        "become_another_program",
        "error",
        """
import os
os.execv('/bin/sh', ['sh', '-c', 'echo changed > @victim@'])
""",
    ),
    Hostile(
        "spawn",
        "error",
        """
import os
os.posix_spawn('/bin/sh', ['sh', '-c', 'echo changed > @victim@'], {})
""",
    ),
    Hostile(
        "multiprocessing",
        "error",
        "import multiprocessing, time\nmultiprocessing.Process(target=time.sleep, args=(20,)).start()",
    ),
    Hostile(
        "pseudo_terminal",
        "error",
        """
import pty, time
if pty.fork()[0] == 0: time.sleep(30)
print('escaped')
""",
    ),
    Hostile("kill_the_parent", "error", "import os\nos.kill(os.getppid(), 9)"),
    Hostile("kill_the_supervisor", "error", "import os\nos.kill(@supervisor@, 9)"),
    Hostile("kill_everybody", "error", "import os\nos.kill(-1, 9)"),
    Hostile("kill_somebody", "error", "import os\nos.kill(@process@, 9)"),
    Hostile("kill_own_group", "error killed", "import os\nos.killpg(0, 9)"),
    Hostile("stop_itself", "error timeout", "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)"),
    Hostile("stop_the_parent", "error", "import os, signal\nos.kill(os.getppid(), signal.SIGSTOP)"),
    Hostile("stop_somebody", "error", "import os, signal\nos.kill(@process@, signal.SIGSTOP)"),
    Hostile("kill_a_thread_of_somebody", "ok", _CALL + "libc.syscall(234, @process@, @process@, 9)"),
    Hostile("queue_a_signal", "ok", _CALL + "libc.sigqueue(@process@, 9, ctypes.c_void_p(0))"),
    Hostile(
        "signal_through_a_process_descriptor",
        "error",
        "import os, signal\nsignal.pidfd_send_signal(os.pidfd_open(@process@), 9)",
    ),
    Hostile(
        "signal_through_an_owned_descriptor",
        "error",
        """
import fcntl, os
reading, writing = os.pipe()
fcntl.fcntl(reading, 8, @process@)
fcntl.fcntl(reading, 10, 9)
fcntl.fcntl(reading, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
os.write(writing, b'x')
""",
    ),
    Hostile(
        "signal_by_another_calling_convention",
        "ok killed",
        _CALL
        + """
libc.syscall(0x40000000 + 62, @process@, 9)
""",
    ),
    Hostile(
        "signal_by_32_bit_code",
        "killed",
        """
import ctypes, mmap, struct
page = mmap.mmap(-1, 4096, prot=7)
load = b'\\xb8%b\\xbb%b\\xb9%b' % tuple(struct.pack('<I', number) for number in (37, @process@, 9))
page.write(b'\\x53' + load + b'\\xcd\\x80\\x5b\\xc3')  # kill(process, 9) by interrupt 0x80
ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
""",
    ),
    Hostile("trace_somebody", "ok", _CALL + "if libc.ptrace(16, @process@, 0, 0) == 0: print('escaped')"),
    Hostile(
        "trace_the_parent",
        "ok",
        _CALL + "import os\nif libc.ptrace(16, os.getppid(), 0, 0) == 0: print('escaped')",
    ),
    Hostile(
        "write_into_somebodys_memory",
        "ok",
        _CALL
        + """
class Span(ctypes.Structure): _fields_ = [('base', ctypes.c_void_p), ('size', ctypes.c_size_t)]
bad = ctypes.create_string_buffer(b'changed!')
here, there = Span(ctypes.addressof(bad), 8), Span(@address@, 8)
libc.syscall(311, @process@, ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
""",
    ),
    Hostile(
        "read_somebodys_memory",
        "ok",
        _CALL
        + """
class Span(ctypes.Structure): _fields_ = [('base', ctypes.c_void_p), ('size', ctypes.c_size_t)]
room = ctypes.create_string_buffer(64)
here, there = Span(ctypes.addressof(room), 64), Span(@address@, 64)
libc.syscall(310, @process@, ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
print(room.value)
""",
    ),
    Hostile(
        "somebodys_memory_as_a_file",
        "error",
        """
memory = open('/proc/@process@/mem', 'r+b', buffering=0)
memory.seek(@address@)
memory.write(b'changed!')
""",
    ),
    Hostile(
        "memory_of_the_parent_as_a_file",
        "error",
        """
import os
open(f'/proc/{os.getppid()}/mem', 'rb')
print('escaped')
""",
    ),
    Hostile(
        "limit_somebody",
        "error",
        """
import resource
resource.prlimit(@process@, resource.RLIMIT_NOFILE, (3, 3))
""",
    ),
    Hostile(
        "limit_the_parent",
        "error",
        """
import os, resource
resource.prlimit(os.getppid(), resource.RLIMIT_CPU, (1, 1))
""",
    ),
    Hostile("slow_somebody_down", "error", "import os\nos.setpriority(os.PRIO_PROCESS, @process@, 19)"),
    Hostile(
        "pin_somebody",
        "error",
        "import os\nos.sched_setaffinity(@process@, {min(os.sched_getaffinity(0))})",
    ),
    Hostile(
        "take_somebodys_descriptor",
        "error ok",
        _CALL + "import os\nif libc.syscall(438, os.pidfd_open(@process@), 0, 0) >= 0: print('escaped')",
    ),
    Hostile(
        "outlive_the_worker",
        "ok",
        _CALL + "if libc.prctl(1, 0) == 0: print('escaped')  # no longer to be killed with its parent",
    ),
]
