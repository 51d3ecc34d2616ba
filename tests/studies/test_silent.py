"""Programs run again with tools that are not heard: what loading prints is lost, and nothing
else."""

import pandas as pd
import pytest

from studies import silent
from studies.bench import Part

TOOL = "import math\n\ndef half(n):\n    return n // 2\n\nprint(half(14))"


@pytest.mark.parametrize(
    ("solution", "heard"),
    [
        ("```python\nprint(half(6))\n```", "3\n"),
        ("```python\nhalf(6)\n```", ""),
        ("```python\nfrom toolbox import half\nprint(math.sqrt(half(8)))\n```", "2.0\n"),
    ],
)
def test_what_a_library_prints_while_it_loads_is_not_heard(solution, heard, capsys):
    """Its names are there as before, and its imports too."""
    exec(silent.quiet(solution, [], [TOOL]), {"__name__": "__main__"})
    assert capsys.readouterr().out == heard


def test_only_the_programs_that_ran_again_answer_otherwise():
    key = {"seed": 0, "category": "counting", "problem": 7, "mode": "import"}
    old = {"status": "ok", "answers": ["14.0", "3.0"], "answer": "14.0", "correct": True}
    system = pd.DataFrame([key | {"sample": n, "operations": 2} | old for n in range(3)])
    new = {"status": "ok", "answers": ["3.0"], "answer": "3.0", "correct": False, "operations": 2}
    ran = {"a-trove-0": 1, "a-trove-1": 2}  # part: sample
    table = pd.DataFrame([key | new | {"part": name, "sample": n} for name, n in ran.items()])
    part = Part("a-trove-0", system, pd.DataFrame(), {}, ())
    found = silent.unheard(part, table).candidates
    assert found["answer"].to_list() == ["14.0", "3.0", "14.0"]
    assert found["correct"].to_list() == [True, False, True]
