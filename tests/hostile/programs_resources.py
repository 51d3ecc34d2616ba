"""Programs that take too much: time, output, memory, stack."""

from .catalogue import Hostile, listed

PROGRAMS = [
    Hostile("loop", "timeout", "while True: pass"),
    Hostile("sleep", "timeout", "import time\ntime.sleep(1000)"),
    Hostile("wait_for_a_signal", "timeout", "import signal\nsignal.pause()"),
    Hostile("loop_inside_one_c_call", "timeout", "import itertools\nsum(itertools.repeat(1))"),
    Hostile("regular_expression_without_end", "timeout", "import re\nre.match(r'(a+)+$', 'a' * 60 + 'b')"),
    Hostile("hang_at_exit", "timeout", "import atexit, time\natexit.register(time.sleep, 1000)"),
    *(
        Hostile(
            f"finaliser_that_{what}", status, f"import os, gc, time\nclass A:\n    def __del__(self): {code}\na = A()"
        )
        for what, status, code in (
            ("sleeps", "timeout", "time.sleep(1000)"),
            ("loops", "timeout", "exec('while True: pass')"),
            ("prints_for_ever", "output", "exec('while True: print(8 ** 999)')"),
            ("fills_memory", "memory ok timeout", "exec('x = []\\nwhile True: x.append(bytes(1 << 20))')"),
            ("starts_a_process", "ok", "os.fork() or time.sleep(30)"),
            ("writes", "ok", "open('@victim@', 'w').write('changed')"),
            ("makes_another", "timeout ok memory", "A(), gc.collect()"),
        )
    ),
    Hostile("wait_for_input", "error", "input()"),
    Hostile("output_made_longer_without_writing", "error", "import os\nos.ftruncate(1, 1 << 36)\nprint('escaped')"),
    Hostile("error_flood", "timeout", "import sys\nwhile True: print('x' * 1000, file=sys.stderr)"),
    Hostile("output_that_is_not_text", "ok", "import os\nos.write(1, bytes(range(256)) * 10)"),
    Hostile("output_that_cannot_be_encoded", "error", "print('\\ud800')"),
    Hostile("one_large_string", "memory", "hoard = 'x' * (1 << 30)\nprint('escaped')"),
    Hostile("one_large_number", "memory", "hoard = 1 << (8 << 30)\nprint('escaped')"),
    Hostile("large_array", "memory", "import numpy\nhoard = numpy.empty(1 << 30, dtype='u1')\nprint('escaped')"),
    Hostile("large_mapping", "error", "import mmap\nhoard = mmap.mmap(-1, 1 << 30)\nprint('escaped')"),
    Hostile("deep_recursion", "error", "def deeper(n): return deeper(n + 1)\ndeeper(0)"),
    Hostile("deep_syntax", "error memory", "compile('-' * 100_000 + '1', 'deep', 'eval')\nprint('survived')"),
    Hostile("segmentation_fault", "killed", "import ctypes\nctypes.string_at(0)"),
    Hostile("abort", "killed", "import os\nos.abort()"),
    Hostile("endless_descriptors", "error", "import os\nheld = [os.pipe() for _ in range(5000)]\nprint('escaped')"),
    *listed(r"""
# loop_that_catches_everything: timeout
while True:
    try:
        while True: pass
    except BaseException: pass
# loop_that_ignores_signals: timeout
import signal
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
while True: pass
# raise_the_cpu_limit: timeout
import resource
for limit in (resource.RLIM_INFINITY, 10_000):
    try: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    except (OSError, ValueError): pass
while True: pass
# hang_in_a_finalizer: ok timeout
class Never:
    def __del__(self):
        while True: pass
never = Never()
# hang_in_the_error_message: timeout
class Never(Exception):
    def __str__(self):
        while True: pass
raise Never
# hang_when_flushed: timeout
import sys, time
class Slow:
    closed = False
    def flush(self): time.sleep(1000)
sys.stdout = Slow()
# output_flood: output
import os
for _ in range(64): print('x' * (1 << 20), flush=True)
os.ftruncate(1, 0); os.lseek(1, 0, 0); os.write(1, b'escaped')
# output_flood_that_ignores_the_signal: output
import os, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
for _ in range(64):
    try: os.write(1, b'x' * (1 << 20))
    except OSError: pass
if os.fstat(1).st_size > 32 << 20:
    os.ftruncate(1, 0); os.lseek(1, 0, 0); os.write(1, b'escaped')
# output_far_away: output
import os
os.lseek(1, 1 << 40, 0)
os.write(1, b'x')
os.ftruncate(1, 0); os.lseek(1, 0, 0)
print('escaped')
# list_bomb: memory
hoard = []
while len(hoard) < 1000: hoard.append(bytearray(1 << 20))
print('escaped')
# memory_bomb_that_tries_again: memory
hoard = []
while True:
    try: hoard.append(bytearray(1 << 20))
    except MemoryError: pass
    if len(hoard) > 1000: print('escaped'); break
# raise_the_memory_limit: memory
import resource
try: resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
except (OSError, ValueError): pass
hoard = 'x' * (1 << 30)
print('escaped')
# memory_outside_the_limit: error
import os
held = []
for i in range(32):
    held.append(os.memfd_create('hoard'))
    os.write(held[-1], b'x' * (1 << 19))
print('escaped')
# deep_recursion_without_a_limit: memory killed error timeout
import sys
sys.setrecursionlimit(1 << 30)
class Deeper:
    def __getattr__(self, name): return getattr(self, name + 'x')
Deeper().a
"""),
]
