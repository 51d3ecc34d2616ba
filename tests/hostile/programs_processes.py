"""Programs that start others, outlive themselves, or reach for other processes."""

from .catalogue import Hostile, calls, listed

PROGRAMS = [
    Hostile("subprocess", "error", "import subprocess\nsubprocess.run(['touch', '@folder@/@mark@'])"),
    Hostile("shell", "ok", "import os\nos.system('echo changed > @victim@')"),
    Hostile("spawn", "error", "import os\nos.posix_spawn('/bin/sh', ['sh', '-c', 'echo changed > @victim@'], {})"),
    Hostile("pseudo_terminal", "error", "import pty, time\nif pty.fork()[0] == 0: time.sleep(30)\nprint('escaped')"),
    Hostile("kill_the_parent", "error", "import os\nos.kill(os.getppid(), 9)"),
    Hostile("kill_the_supervisor", "error", "import os\nos.kill(@supervisor@, 9)"),
    Hostile("kill_everybody", "error", "import os\nos.kill(-1, 9)"),
    Hostile("kill_somebody", "error", "import os\nos.kill(@process@, 9)"),
    Hostile("kill_own_group", "error killed", "import os\nos.killpg(0, 9)"),
    Hostile("stop_itself", "error timeout", "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)"),
    Hostile("stop_the_parent", "error", "import os, signal\nos.kill(os.getppid(), signal.SIGSTOP)"),
    Hostile("stop_somebody", "error", "import os, signal\nos.kill(@process@, signal.SIGSTOP)"),
    Hostile("limit_somebody", "error", "import resource\nresource.prlimit(@process@, resource.RLIMIT_NOFILE, (3, 3))"),
    Hostile("slow_somebody_down", "error", "import os\nos.setpriority(os.PRIO_PROCESS, @process@, 19)"),
    Hostile("pin_somebody", "error", "import os\nos.sched_setaffinity(@process@, {min(os.sched_getaffinity(0))})"),
    *listed(r"""
# fork_bomb: error
import os, time
for _ in range(50):
    if os.fork() == 0: time.sleep(30)
print('escaped')
# thread_bomb: error
import threading, time
for _ in range(150): threading.Thread(target=time.sleep, args=(30,), daemon=True).start()
print('escaped')
# thread_that_never_ends: error timeout
import threading, time
threading.Thread(target=time.sleep, args=(1000,)).start()
# daemon: error
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(0.3)
        open('@victim@', 'w').write('from beyond the grave')
    os._exit(0)
# daemon_that_ignores_hangup: error
import os, signal, time
if os.fork() == 0:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    os.setsid()
    while True: time.sleep(1)
# become_another_program: error
import os
os.execv('/bin/sh', ['sh', '-c', 'echo changed > @victim@'])
# multiprocessing: error
import multiprocessing, time
multiprocessing.Process(target=time.sleep, args=(20,)).start()
# signal_through_a_process_descriptor: error
import os, signal
signal.pidfd_send_signal(os.pidfd_open(@process@), 9)
# signal_through_an_owned_descriptor: error
import fcntl, os
reading, writing = os.pipe()
fcntl.fcntl(reading, 8, @process@)
fcntl.fcntl(reading, 10, 9)
fcntl.fcntl(reading, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
os.write(writing, b'x')
# signal_by_32_bit_code: killed
import ctypes, mmap, struct
page = mmap.mmap(-1, 4096, prot=7)
load = b'\xb8%b\xbb%b\xb9%b' % tuple(struct.pack('<I', number) for number in (37, @process@, 9))
page.write(b'\x53' + load + b'\xcd\x80\x5b\xc3')  # kill(process, 9) by interrupt 0x80
ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
# somebodys_memory_as_a_file: error
memory = open('/proc/@process@/mem', 'r+b', buffering=0)
memory.seek(@address@)
memory.write(b'changed!')
# memory_of_the_parent_as_a_file: error
import os
open(f'/proc/{os.getppid()}/mem', 'rb')
print('escaped')
# limit_the_parent: error
import os, resource
resource.prlimit(os.getppid(), resource.RLIMIT_CPU, (1, 1))
"""),
    *calls(r"""
# fork_without_python: ok
pid = libc.syscall(57)
if pid == 0:
    import time; time.sleep(30)
if pid > 0: print('escaped')
# vfork: ok
if libc.vfork() > 0: print('escaped')
import os; os._exit(0)
# clone3: ok
import struct, time
arguments = ctypes.create_string_buffer(struct.pack('8Q', 0, 0, 0, 0, 17, 0, 0, 0), 64)
pid = libc.syscall(435, arguments, 64)
if pid == 0: time.sleep(30)
if pid > 0: print('escaped')
# kill_a_thread_of_somebody: ok
libc.syscall(234, @process@, @process@, 9)
# queue_a_signal: ok
libc.sigqueue(@process@, 9, ctypes.c_void_p(0))
# signal_by_another_calling_convention: ok killed
libc.syscall(0x40000000 + 62, @process@, 9)
# trace_somebody: ok
if libc.ptrace(16, @process@, 0, 0) == 0: print('escaped')
# trace_the_parent: ok
import os
if libc.ptrace(16, os.getppid(), 0, 0) == 0: print('escaped')
# write_into_somebodys_memory: ok
class Span(ctypes.Structure): _fields_ = [('base', ctypes.c_void_p), ('size', ctypes.c_size_t)]
bad = ctypes.create_string_buffer(b'changed!')
here, there = Span(ctypes.addressof(bad), 8), Span(@address@, 8)
libc.syscall(311, @process@, ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
# read_somebodys_memory: ok
class Span(ctypes.Structure): _fields_ = [('base', ctypes.c_void_p), ('size', ctypes.c_size_t)]
room = ctypes.create_string_buffer(64)
here, there = Span(ctypes.addressof(room), 64), Span(@address@, 64)
libc.syscall(310, @process@, ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
print(room.value)
# take_somebodys_descriptor: error ok
import os
if libc.syscall(438, os.pidfd_open(@process@), 0, 0) >= 0: print('escaped')
# outlive_the_worker: ok
if libc.prctl(1, 0) == 0: print('escaped')  # no longer to be killed with its parent
"""),
]
