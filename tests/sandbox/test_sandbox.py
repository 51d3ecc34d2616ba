"""What a program gets from the sandbox: verdicts, limits, sameness, and a pool that survives."""

import asyncio
import os
import subprocess
import sys
import time

import pytest

from trove_lite.errors import TroveLiteError
from trove_lite.sandbox import pool as sandbox_module
from trove_lite.sandbox.pool import Sandbox, choose_level, isolation_report
from trove_lite.sandbox.worker import IsolationError, Worker, tier_of

from ..cases import cases, named
from . import needs_full, run

pytestmark = needs_full


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox(
        1, time_limit=0.5, wall_limit=3.0, memory=256 << 20, output_limit=10_000
    ) as sandbox:
        yield sandbox


@pytest.mark.parametrize(
    ("program", "status", "error"),
    cases(
        r"""
        "print(6 * 7)", "ok", ""
        "", "ok", ""
        "raise SystemExit", "ok", ""
        "import sys\nsys.exit('no')", "error", "SystemExit: no (line 2)"
        "x = 1\nprint(1 / 0)", "error", "ZeroDivisionError: division by zero (line 2)"
        "def f():\n    return missing\n\nf()", "error", "NameError: name 'missing' is not defined (line 2)"
        "print(1", "error", "SyntaxError: '(' was never closed (line 1)"
        "import json\njson.loads('')", "error", "JSONDecodeError: Expecting value: line 1 column 1 (char 0) (line 2)"
        "import time\ntime.sleep(99)", "timeout", "over 3 s on the clock"
        "x = [0] * 10**9", "memory", "MemoryError (line 1)"
        "print('x' * 20_000)", "output", "over 10000 bytes of output"
        "import ctypes\nctypes.string_at(0)", "killed", "SIGSEGV"
        """
    ),
)
def test_status_and_error(sandbox, program, status, error):
    execution = run(sandbox, program)
    assert (execution.status, execution.error) == (status, error)


@pytest.mark.parametrize(
    ("program", "output", "truncated"),
    cases(
        r"""
        "print('seen')\nraise ValueError", "seen\n", False
        "print('x' * 20_000)", MOST, True
        "import numpy as np\nprint([np.float64(3.5)])", "[3.5]\n", False
        "import pandas as pd\nprint(pd.Series(['b', 'a'], name='x').to_frame()['x'].unique())", "['b' 'a']\n", False
        "import inspect\ndef f(): pass\nprint(__name__, inspect.getsource(f))", "__main__ def f(): pass\n\n", False
        "import os, sys\nprint(sys.argv, os.environ['TZ'], os.getcwd())", "['program.py'] UTC /\n", False
        """,
        MOST="x" * 10_000,
    ),
)
def test_what_is_printed_is_as_the_papers_libraries_print_it_in_a_script(
    sandbox, program, output, truncated
):
    execution = run(sandbox, program)
    assert (execution.output, execution.truncated) == (output, truncated)


#: What a program does at its end, once `x` is 5 and an `A` prints it when it is deleted; and how
#: deep one may call.
ENDS = named(
    r"""
    "atexit", "import atexit\natexit.register(print, x)"
    "__del__", "a = A()"
    "a cycle", "a = A()\na.a = a\ndel a"
    "weakref.finalize", "import weakref\nclass B: pass\nb = B()\nweakref.finalize(b, print, x)"
    "a generator", "def g():\n    try: yield 1\n    finally: print(x)\none = g()\nnext(one)"
    "stdout elsewhere", "import io, sys\nsys.stdout = io.StringIO()\na = A()"
    "sys.exit", "import sys\na = A()\nsys.exit(0)"
    "an error", "a = A()\n1 / 0"
    "a failing one", "class B:\n    def __del__(self): 1 / 0\nb = B()\na = A()"
    "a file", "import sys\nout = open(1, 'w', closefd=False)\nout.write('6')\na = A()"
    "deep", "def f(n):\n    try: return f(n + 1)\n    except RecursionError: return n\nprint(f(0))\na = A()"
    """
)


@pytest.mark.parametrize("what", ENDS)
def test_what_finalisers_print_at_the_end_and_how_deep_calls_go_is_as_in_a_script(
    sandbox, what, tmp_path
):
    program = f"x = 5\nclass A:\n    def __del__(self): print(x)\n{ENDS[what]}"
    (tmp_path / "program.py").write_text(program)
    script = subprocess.run(
        [sys.executable, tmp_path / "program.py"], capture_output=True, text=True, check=False
    )
    assert "5" in script.stdout
    execution = run(sandbox, program)
    assert (execution.output, execution.status == "ok") == (script.stdout, script.returncode == 0)


def test_errors_name_no_folder_of_this_machine(sandbox):
    error = run(sandbox, "from sympy import nothing").error
    assert error.startswith("ImportError: cannot import name 'nothing' from 'sympy'")
    assert sys.prefix not in error


def test_a_loop_runs_into_a_time_limit(sandbox):
    execution = run(sandbox, "while True: pass")
    assert execution.status == "timeout"
    assert execution.error in (
        "over 0.5 s of CPU time",
        "over 3 s on the clock",
    )  # the latter on a very busy machine
    assert execution.cpu < 4


def test_the_same_program_runs_once_where_executions_are_reused_and_only_there(sandbox):
    moment = "import time; print(time.perf_counter_ns())"
    assert (
        len({execution.output for execution in sandbox.run_many([moment] * 3, progress=False)}) == 3
    )
    with Sandbox(1, reuse=2) as once:
        asked = [moment, moment, moment + " ", moment, "1", "2", moment]
        first, second, third, again, *_, forgotten = once.run_many(asked, progress=False)
    assert first == second == again
    assert len({first.output, third.output, forgotten.output}) == 3


def test_what_was_killed_or_is_long_is_not_reused():
    with Sandbox(1, reuse=9) as once:
        once.run_many(
            ["import os; os.abort()", "print('x' * (1 << 15))", "print(1)"], progress=False
        )
        assert list(once._known) == [("print(1)",)]


def test_runs_from_any_event_loop(sandbox):
    async def several():
        return await asyncio.gather(*(sandbox.run(f"print({i})") for i in range(5)))

    for _ in range(2):
        assert [execution.output for execution in asyncio.run(several())] == [
            f"{i}\n" for i in range(5)
        ]


def test_cpu_time_is_not_wall_time(sandbox):
    sleeping = run(sandbox, "import time\ntime.sleep(0.3)")
    assert sleeping.wall >= 0.3
    assert sleeping.cpu < 0.1
    assert run(sandbox, "import time\nwhile time.process_time() < 0.2: pass").cpu >= 0.19


@pytest.mark.parametrize("imports", ["", "import numpy, sympy, pandas, matplotlib.pyplot"])
def test_chance_is_the_same_in_every_run(box, imports):
    program = f"{imports}\nimport random\nprint(random.random(), {{'b', 'a', 'c'}}, hash('x'))"
    if imports:
        program += "\nprint(numpy.random.rand(3))"
    with Sandbox(1) as other:
        outputs = [
            one.output
            for where in (box, other)
            for one in where.run_many([program] * 2, progress=False)
        ]
    assert len(set(outputs)) == 1


@pytest.mark.parametrize(
    ("tier", "programs"),
    cases(
        r"""
        "lean",       ["import math\nfrom itertools import product"]
        "lean",       ["from collections import Counter\n# from the list\nimport asy"]
        "symbolic",   ["from sympy import *"]
        "numeric",    ["import sympy\nf = sympy.lambdify(x, x**2)", "import numpy as np"]
        "scientific", ["np = __import__('numpy')", "import matplotlib.pyplot as plt", "import pytest"]
        """
    ),
)
def test_tier(tier, programs):
    assert {program: tier_of(program) for program in programs} == dict.fromkeys(programs, tier)


def test_a_worker_that_dies_is_replaced_and_its_program_runs_again():
    with Sandbox(1, time_limit=30) as one:
        assert run(one, "print(1)").status == "ok"
        slow = one._submit(one._run, "import time\ntime.sleep(0.5)\nprint(2)")
        time.sleep(0.2)
        one._all[0].zygotes["lean", False].process.kill()
        assert slow.result(120)[:2] == ("ok", "2\n")


def test_a_worker_that_starts_while_the_sandbox_closes_is_closed_too():
    worker = Worker("limits", Sandbox(1).limits)
    worker.close()
    with pytest.raises(RuntimeError):
        worker.run("print(1)", {})
    assert worker.zygotes == {}


def test_closing_ends_what_runs():
    sandbox = Sandbox(1, time_limit=60).__enter__()
    running = sandbox._submit(sandbox._run, "while True: pass")
    time.sleep(0.5)
    started = time.monotonic()
    sandbox.__exit__()
    assert time.monotonic() - started < 40  # not until its time limit
    with pytest.raises(RuntimeError):
        running.result(1)
    with pytest.raises(RuntimeError):
        run(sandbox, "print(1)")


def test_a_level_that_the_machine_lacks_is_refused(monkeypatch):
    monkeypatch.setattr(
        sandbox_module, "_features", lambda: dict.fromkeys(("limits", "seccomp", "landlock"), False)
    )
    with pytest.raises(IsolationError, match="docker run"):
        Sandbox(1).__enter__()
    assert isolation_report()["level"] is None
    assert choose_level("none") == "none"
    monkeypatch.setattr(
        sandbox_module, "_features", lambda: {"limits": True, "seccomp": True, "landlock": False}
    )
    assert "read every file that you can read" in isolation_report()["message"]
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(IsolationError, match="docker run"):
        choose_level("none")


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"isolation": "bubblewrap"}, "isolation 'bubblewrap': not one of auto, full"),
        ({"workers": 0}, "workers 0: must be at least 1"),
        ({"time_limit": 0}, "time limit 0"),
        ({"time_limit": float("nan")}, "time limit nan"),
        ({"memory": 1 << 20}, "memory 1048576: must be at least 16777216"),
    ],
)
def test_a_limit_that_makes_no_sense_is_refused(wrong, named):
    with pytest.raises(TroveLiteError, match=f"^{named}"):
        Sandbox(**wrong)


def test_the_smallest_memory_holds_an_interpreter_with_its_libraries():
    programs = [
        "print(sum(range(10)))",
        "import re, json, decimal, fractions, statistics\nprint(statistics.mean([1, 2]))",
        "from sympy import *\nx = symbols('x')\nprint(solve(x**2 - 4), integrate(sin(x), x))",
        "import numpy as np\nprint(np.linalg.inv(np.eye(3)).sum())",
        "import pandas as pd\nprint(pd.DataFrame({'a': [1, 2]}).groupby('a').size().to_dict())",
        "import matplotlib.pyplot as plt\nplt.plot([1, 2])",
    ]
    with Sandbox(1, memory=sandbox_module.SMALLEST_MEMORY) as sandbox:
        assert {execution.status for execution in sandbox.run_many(programs, progress=False)} == {
            "ok"
        }
        assert run(sandbox, "x = bytearray(64 << 20)").status == "memory"


def test_warm_processes_have_one_thread(box):
    """A fork takes along the locks of all threads, and only one of the threads."""
    box.run_many(
        ["'one thread'", "import sympy #", "import numpy #", "import pandas #"], progress=False
    )
    pids = [zygote.process.pid for zygote in box._all[0].zygotes.values()]
    assert len(pids) >= 4
    assert {len(os.listdir(f"/proc/{pid}/task")) for pid in pids} == {1}
