"""What LATM's maker is held to: code passes at its end alone, a tool is its definitions; how options are read."""

from dataclasses import replace

import pytest

from trove_lite.methods.base import Budget
from trove_lite.methods.latm.proof import reached_its_end, to_its_end
from trove_lite.sandbox import Sandbox

from .latm_playing import GOOD, OURS, PAPER, RELEASED, TESTS, WRAPPED, Played, answer

#: A function that is wrong, and tests that would say so, after which nothing may pass.
WRONG = "def f(x):\n    return x + 1\n"
HELD_TO = "```python\nassert f(2) == 2\n```"
ENDS = {
    "exit()": f"{WRONG}exit()",
    "sys.exit(0)": f"import sys\n{WRONG}sys.exit(0)",
    "sys.exit(main())": f"import sys\n{WRONG}def main():\n    pass\nif __name__ == '__main__':\n    sys.exit(main())",
    "os._exit(0)": f"import os\n{WRONG}os._exit(0)",
    "SystemExit": f"{WRONG}raise SystemExit",
    "in a thread": f"import os, threading as t\n{WRONG}a = t.Thread(target=os._exit, args=(0,))\na.start()\na.join()",
    "at exit": f"import atexit, os\n{WRONG}@atexit.register\ndef leave():\n    os._exit(0)",
    "in the function": "import os\ndef f(x):\n    os._exit(0)",
}


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox(1, time_limit=10) as sandbox:
        yield lambda program: sandbox.run_many([program], progress=False)[0]


def played(sandbox, preset, propose, verify=HELD_TO, **settings):
    replies = {"propose": [f"```python\n{propose}\n```"], "verify": [verify], "wrap": [WRAPPED]}
    return Played(replace(preset, budget=Budget(1), fallback="none", **settings), replies, 1, run=sandbox)


@pytest.mark.parametrize("preset", [PAPER, OURS])
@pytest.mark.parametrize("how", ENDS)
def test_a_program_that_ends_before_its_tests_were_reached_passes_none(sandbox, preset, how):
    assert played(sandbox, preset, ENDS[how]).made.tool == ""


@pytest.mark.parametrize("how", ["exit()", "sys.exit(main())", "at exit"])
def test_the_released_program_lets_it_pass_and_so_does_a_run_that_was_begun_before_there_was_the_choice(sandbox, how):
    assert played(sandbox, RELEASED, ENDS[how]).made.tool == WRAPPED
    before = {"reaches_end": False, "only_definitions": False}
    assert played(sandbox, PAPER, ENDS[how], **before).made.tool == WRAPPED


def test_tests_that_end_between_two_assertions_do_not_pass_and_the_maker_is_told(sandbox):
    tests = "```python\nassert f(2) == 3\nimport sys\nsys.exit(0)\nassert f(2) == 2\n```"
    found = played(sandbox, PAPER, WRONG, tests)
    assert found.made.tool == ""
    assert "ended before its last line" in found.chat[-1][1]
    right = played(sandbox, PAPER, WRONG, "```python\nassert f(2) == 3\n```")
    assert right.made.tool == WRAPPED


@pytest.mark.parametrize(
    "ending",
    [
        "import inspect, sys\nprint(inspect.getsource(sys.modules['__main__']))\nsys.exit(0)",
        "import sys\nprint(sys._getframe().f_code.co_consts)\nsys.exit(0)",
        "print(0",
    ],
)
def test_no_program_passes_by_printing_its_own_source(sandbox, ending):
    assert not reached_its_end(ending, sandbox(to_its_end(ending)).output)


@pytest.mark.parametrize(
    "program",
    [
        "def print(*_): pass",
        "import sys, io\nsys.stdout = io.StringIO()",
        "from __future__ import annotations\nx = 1  # no line after this one",
        "import sys\nsys.stdout.write('no line')",
    ],
)
def test_a_program_that_comes_to_its_end_shows_it_whatever_it_did_to_its_output(sandbox, program):
    ran = sandbox(to_its_end(program))
    assert ran.status == "ok"
    assert reached_its_end(program, ran.output)


def test_what_else_stands_in_a_wrapped_tool_is_left_out_and_counted(sandbox):
    wrapped = WRAPPED.replace("print('shown')", "print(f(1))\nraise ValueError")
    for preset, status, left_out in ((OURS, "ok", 2), (replace(OURS, only_definitions=False), "error", 0)):
        given = replace(preset, budget=Budget(1), tools={"task": wrapped})
        found = Played(given, {}, 1, run=sandbox)
        assert found.answers[0].candidate.status == status
        assert found.made.listing()[0]["left_out"] == left_out
    made = Played(replace(OURS, budget=Budget(1)), {"propose": [GOOD], "verify": [TESTS], "wrap": [wrapped]}, 1)
    assert made.made.listing()[0]["left_out"] == 2


# ---- options ----


@pytest.mark.parametrize(
    ("listed", "said", "expected"),
    [
        ("\n- Yes\n- No", "'No'", "-"),
        ("\n(K) a hen\n(L) an owl", "'owl'", "(L)"),
        ("\nA hen\nB owl", "'owl'", "(B)"),
        ("\n(A) a hen", "'zebra'", "zebra"),
    ],
)
def test_the_released_reading_takes_any_line_after_options_for_one(listed, said, expected):
    assert answer("released", f"ans = {said}", f"Which?\nOptions:{listed}") == expected
