"""A program that runs out of memory is `memory`, soon, however it does and at every level that has
limits."""

import pytest

from trove_lite.sandbox.isolation import LEVELS
from trove_lite.sandbox.pool import Sandbox

from . import needs_full, run

pytestmark = needs_full

BOMBS = {
    "a list in a module": "x = []\nwhile True: x.append(len(x))",
    "a list in a function": "def f():\n    x = []\n    while True: x.append(str(len(x)))\nf()",
    "tuples and texts": "x = []\nwhile True: x.append((len(x), str(len(x))))",
    "a dictionary": "d, i = {}, 0\nwhile True:\n    d[i] = str(i); i += 1",
    "one large text": "s = 'x'\nwhile True: s += s",
    "objects": "class A: pass\nx = []\nwhile True:\n    a = A(); a.y = len(x); x.append(a)",
    "one that catches it": "x = 1\ntry:\n    while True: x = (x, 0)\nexcept MemoryError:\n    y = bytearray(2 << 20)",
}
#: Handlers so far down that CPython cannot enter them where no number can be made: it hangs in the
#: program's own frame. The list is long enough from the start, since where one fails to grow there
#: is some memory left.
FAR = (
    "x, i = [0] * (1 << 21), 0\n"
    + "y = 1 + len(x) * len(x)\n" * 60
    + "try:\n    while True: x[i] = i + 99; i += 1\n"
)
STUCK = {
    "finally": f"{FAR}finally:\n    print(y)",
    "except": f"{FAR}except MemoryError as error:\n    raise ValueError from error",
}
GOES_ON = "x = []\nwhile True:\n    try: x.append(bytearray(1 << 20))\n    except MemoryError: pass"


@pytest.fixture(scope="module", params=[level for level in LEVELS if level != "none"])
def sandbox(request):
    with Sandbox(1, time_limit=30, memory=64 << 20, isolation=request.param) as sandbox:
        yield sandbox


@pytest.mark.parametrize("bomb", BOMBS)
def test_out_of_memory_is_memory_within_a_second(sandbox, bomb):
    execution = run(sandbox, BOMBS[bomb])
    assert (execution.status, execution.error[:11]) == ("memory", "MemoryError")
    assert execution.cpu < 1


@pytest.mark.parametrize("handler", STUCK)
def test_an_interpreter_that_hangs_without_memory_is_ended_as_memory(handler):
    """By who watches it, at whatever level."""
    with Sandbox(1, time_limit=30, memory=64 << 20) as sandbox:
        execution = run(sandbox, STUCK[handler])
    assert (execution.status, execution.error) == ("memory", "over 67108864 bytes of memory")
    assert execution.cpu < 5


def test_a_program_that_is_at_its_memory_limit_when_its_time_is_over_is_memory():
    with Sandbox(1, time_limit=0.5, memory=64 << 20) as sandbox:
        assert run(sandbox, GOES_ON).status == "memory"


def test_a_program_that_frees_what_it_took_goes_on(sandbox):
    program = "try:\n    x = bytearray(1 << 40)\nexcept MemoryError: x = None\nfor i in range(10 ** 6): pass\nprint(i)"
    assert run(sandbox, program)[:2] == ("ok", "999999\n")


def test_what_is_kept_for_the_report_is_not_the_programs(sandbox):
    """Its memory is what it was promised, and the spare beside it is given back only once it has
    ended."""
    assert run(sandbox, "x = bytearray(60 << 20)").status == "ok"
    assert run(sandbox, "x = bytearray(66 << 20)").status == "memory"
