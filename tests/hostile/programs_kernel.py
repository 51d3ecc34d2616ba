"""Programs that call on the kernel's rarer services, or on what only administrators need."""

from .catalogue import CALL, Hostile, calls, listed


def _call(name: str, *arguments) -> Hostile:
    """A program that makes one system call and says `escaped` when the kernel obliges."""
    listed = ", ".join(map(str, arguments))
    return Hostile(name, "ok", f"{CALL}if libc.syscall({listed}) >= 0: print('escaped')")


_FILE = "__import__('os').open('@library@/module.py', 0)"
_ROOM = "ctypes.create_string_buffer(256)"

PROGRAMS = [
    _call("new_user_namespace", 272, 0x10000000),
    _call("new_namespaces", 272, 0x7E020000),
    _call("io_uring", 425, 4, _ROOM),
    _call("extended_filter", 321, 5, _ROOM, 120),
    _call(
        "performance_counters", 298, "ctypes.create_string_buffer(bytes([1, 0, 0, 0, 120, 0, 0, 0]), 120)", 0, -1, -1, 0
    ),
    _call("page_faults_in_user_space", 323, 1),
    _call("keys", 248, "b'user'", "b'@mark@'", "b'x'", 1, -3),
    _call("message_queue_of_the_kernel", 68, 0, 0o1600),
    _call("shared_memory_of_the_kernel", 29, 0, 4096, 0o1600),
    _call("semaphores_of_the_kernel", 64, 0, 1, 0o1600),
    _call("posix_message_queue", 240, "b'@mark@'", 0o102, 0o600, 0),
    _call("secret_memory", 447, 0),
    _call("lock_memory", 151, 3),
    _call("watch_everything", 300, 0, 0),
    _call("timers_by_descriptor", 283, 1, 0),
    _call("handle_of_a_file", 303, -100, "b'/'", "ctypes.create_string_buffer(b'\\x80', 256)", _ROOM, 0),
    _call("splice", 275, 0, 0, 1, 0, 1, 0),
    _call("change_personality", 135, 0x0040000),
    _call("another_filter", 317, 1, 0, "ctypes.create_string_buffer(16)"),
    _call("another_session", 112),
    _call("state_of_the_page_cache", 27, 0, 0, _ROOM),
    _call("advice_to_the_page_cache", 221, _FILE, 0, 0, 4),
    _call("read_past_the_page_cache", 327, _FILE, 0, 0, 0, 0, 0),
    _call("write_past_the_page_cache", 328, 1, 0, 0, 0, 0, 0),
    Hostile("change_root", "error", "import os\nos.chroot('/tmp')\nprint('escaped')"),
    Hostile("become_root", "error", "import os\nos.setresuid(0, 0, 0)\nos.setgroups([])\nprint('escaped')"),
    Hostile("kernel_settings", "error", "open('/proc/sys/kernel/hostname', 'r+')\nprint('escaped')"),
    Hostile("less_likely_to_be_killed", "error", "open('/proc/self/oom_score_adj', 'w').write('0')\nprint('escaped')"),
    Hostile("terminal", "error", "import os\nos.open('/dev/tty', os.O_RDWR)\nprint('escaped')"),
    Hostile("kernel_log", "error", "open('/dev/kmsg')\nprint('escaped')"),
    *listed(r"""
# set_the_clock: error
import time
time.clock_settime(time.CLOCK_REALTIME, time.time())
print('escaped')
# real_time_priority: error
import os
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
print('escaped')
"""),
    *calls(r"""
# mount: ok
if libc.mount(b'none', b'/tmp', b'tmpfs', 0, None) == 0: print('escaped')
# rename_the_machine: ok
if libc.sethostname(b'hostile', 7) == 0: print('escaped')
"""),
]
