"""Programs that attack the worker itself: its descriptors, its protocol, its state, and the program after them."""

from .catalogue import Hostile, listed


def _report(name: str, told: str, status: str = "error", end: str = "os._exit(1)") -> Hostile:
    """A program that writes its own report of how it ended."""
    return Hostile(name, status, f"import os, struct\nos.write(3, {told})\n{end}")


PROGRAMS = [
    _report("forge_the_report", "struct.pack('<iBH', 1, 1, 6) + b'forged'", "ok", "os._exit(0)"),
    _report("report_out_of_memory", "struct.pack('<iBH', 1, 1, 6) + b'forged'", "memory"),
    _report("report_infinity", """b'["x", "y", Infinity, false]'"""),
    _report("report_a_number_beyond_all", """b'["x", "y", -1e999, false]'"""),
    _report("report_half_a_character", """b'["ValueError", "\\\\ud800", 1, false]'"""),
    _report("report_in_other_letters", "'[\"ValueError\", \"\\ud800\", 1, false]'.encode('utf-16', 'surrogatepass')"),
    _report("report_half_a_character_in_bytes", "struct.pack('<iBH', 1, 0, 3) + b'\\xed\\xa0\\x80'"),
    _report("report_a_line_that_is_none", "struct.pack('<iBH', -2147483648, 0, 1) + b'x'"),
    _report("report_a_strange_truth", "struct.pack('<iBH', 1, 255, 1) + b'x'"),
    _report("report_more_than_there_is", "struct.pack('<iBH', 1, 0, 65535) + b'x'"),
    _report("report_nothing", "struct.pack('<iBH', 1, 0, 0)"),
    _report("report_one_byte", "b'x'"),
    _report("report_terminal_escapes", "struct.pack('<iBH', 1, 0, 8) + b'\\x1b]0;x\\x07\\x9b'"),
    _report("report_a_long_text", "struct.pack('<iBH', 1, 0, 60000) + b'\\xf0\\x9f\\x98\\x80' * 15000"),
    _report("spoil_the_report", "b'[' * 60000"),
    Hostile("report_and_then_fail", "error", "import os\nos.write(3, b'x' * 70000)\nraise ValueError('\\ud800')"),
    Hostile("report_what_is_not_text", "error", "import os, sys\nos.write(3, bytes(range(256)))\nsys.exit(1)"),
    Hostile("say_it_was_not_confined", "error", "import os, sys\nos.write(3, b'not confined')\nsys.exit(113)"),
    Hostile("close_all_descriptors", "ok error", "import os\nos.closerange(0, 1024)"),
    Hostile("close_standard_output", "ok error", "import sys\nsys.stdout.close()\nsys.stdin.close()"),
    Hostile("replace_standard_output", "ok", "import sys\nsys.stdout = sys.stderr = None"),
    Hostile("leave_early", "ok", "import sys\nprint(42)\nsys.exit(0)\nraise RuntimeError"),
    Hostile("leave_at_once", "ok", "import os\nprint(42, flush=True)\nos._exit(0)"),
    Hostile("leave_with_a_code", "error", "import sys\nsys.exit(3)"),
    Hostile("error_with_a_large_message", "error", "raise ValueError('x' * 10_000_000)"),
    Hostile("error_with_a_strange_message", "error", "raise ValueError('\\ud800\\0\\x1b[2J')"),
    Hostile("not_a_program", "error", "\0\0\0"),
    Hostile("text_that_cannot_be_encoded", "error", "x = '\ud800'"),
    Hostile(
        "look_for_the_program_before",
        "ok",
        """
import gc
needle = 'left' + 'over' + '-4711'
seen = [o for o in gc.get_objects() if isinstance(o, dict)]
seen += [o.__dict__ for o in gc.get_objects() if hasattr(o, '__dict__')]
texts = [value for names in seen for value in list(names.values()) if isinstance(value, str)]
if any(needle in text and len(text) > 20 for text in texts): print('escaped')
""",
        first="leftover = 'leftover-4711' * 3\nprint(leftover)\nimport builtins; builtins.leftover = leftover",
    ),
    Hostile(
        "flags_left_on_standard_descriptors",
        "ok",
        """
import fcntl
if [fcntl.fcntl(descriptor, fcntl.F_GETFL) & 0o26000 for descriptor in range(4)] != [0] * 4: print('escaped')
""",
        first="""
import fcntl, os
for descriptor in range(4):
    fcntl.fcntl(descriptor, fcntl.F_SETFL, os.O_APPEND | os.O_NONBLOCK | os.O_ASYNC)
    print(fcntl.fcntl(descriptor, fcntl.F_GETFL))
""",
    ),
    Hostile("how_it_was_started", "ok", "import sys\nif sys.orig_argv[1:] != ['program.py']: print('escaped')"),
    *listed(r"""
# forge_the_reply: error
import os, struct, sys
for descriptor in range(3, 1024):
    for forged in (struct.pack('<iidd', 0, 0, 0.0, 0.0), b'{"status": "ok", "output": "42"}', b'1'):
        try: os.write(descriptor, forged)
        except OSError: pass
print('{"status": "ok"}')
sys.exit(1)
# flood_the_report: output killed
import os
for _ in range(64): os.write(3, bytes(1 << 20))
print('escaped')
# use_inherited_descriptors: ok
import os, stat
for descriptor in range(3, 1024):
    try: kind = os.fstat(descriptor).st_mode
    except OSError: continue
    if descriptor != 3 or not stat.S_ISREG(kind): print('escaped')
# standard_output_is_something_else: ok error
import os
os.dup2(os.open('/dev/zero', os.O_RDONLY), 1)
print('x')
# leave_with_a_strange_code: ok error
class Code(int):
    def __and__(self, other): return 0
raise SystemExit(Code(5))
# error_without_a_message: error
class Mute(Exception):
    def __str__(self): raise RuntimeError
raise Mute
# error_in_an_unknown_line: error
exec(compile('\n' * 10**6 + '1/0', 'program.py', 'exec'))
# break_the_error_report: error
import json, os
json.dumps = os.write = os.pwrite = None
raise ValueError('unheard')
# rewrite_the_worker: ok error
import sys
for frame in sys._current_frames().values():
    while frame:
        frame.f_globals.clear()
        frame = frame.f_back
# return_into_the_worker: ok error
import gc, types
for f in gc.get_objects():
    if isinstance(f, types.FunctionType) and f.__name__ in ('run', '_wait', 'main'):
        f.__code__ = (lambda *a: None).__code__
# poison_builtins: ok error
import builtins
builtins.print = builtins.sum = builtins.len = None
builtins.poison = 1
# poison_modules: ok
import math, random, sys, os
math.pi = 3
random.seed(7)
os.environ['POISON'] = '1'
os.umask(0o777)
sys.path.insert(0, '/tmp')
sys.setrecursionlimit(50)
# poison_the_imports: ok
import sys
sys.modules['math'] = sys.modules['sympy'] = None
sys.meta_path.clear()
sys.path.clear()
# poison_the_libraries: ok
import numpy, sympy
sympy.Integer.__add__ = lambda a, b: sympy.Integer(7)
sympy.core.cache.clear_cache()
numpy.random.seed(99)
numpy.set_printoptions(precision=1)
numpy.pi = 3
"""),
]
