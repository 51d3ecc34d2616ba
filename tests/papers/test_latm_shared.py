"""LATM's shared globals: what a reply that never assigns its answer would have found, on made candidates."""

import pandas as pd
import pytest

from papers import latm
from papers.latm.shared import is_missing, variables
from trove_lite.candidates import outcomes
from trove_lite.datasets import load_problems

from ..simulated import candidates as simulated

TASK = "chinese_remainder"
ASSIGNS = "Solution:\n```python\nret = f(1)\nans = ret\n```"
BRANCHES = "Solution:\n```python\nret = f(1)\nif ret is None:\n    ans = ret\n```"
OTHER = "Solution:\n```python\nret1 = f(1)\nans1 = ret1\n```"
MISSING = "KeyError: 'ans' (line 9)"


def reply(solution=ASSIGNS, status="ok", answer=None, error="", **given):
    """A candidate of one task; `answer` is what it printed."""
    about = {
        "run": "run0",
        "method": "latm",
        "dataset": "bbh_made",
        "category": TASK,
        "phase": "stream",
        "mode": "latm",
    }
    ended = {"solution": solution, "status": status, "error": error, "answers": [answer] if answer else []}
    return about | ended | {"sample": 0} | given


def table(*replies):
    """The counts of candidates whose problems are numbered as they stand."""
    rows = [{"problem": i} | row for i, row in enumerate(replies)]
    return latm.shared_globals(pd.DataFrame(rows))


def counts(*replies):
    (row,) = table(*replies).to_dict("records")
    return row["candidates"], row["unassigned"], row["taken"], row["right"]


@pytest.fixture
def golds():
    return [problem.gold for problem in load_problems("bbh_made", TASK)]


def test_a_reply_takes_the_last_answer_that_was_left_under_its_variable():
    assert counts(reply(answer="5"), reply(BRANCHES, "error", error=MISSING)) == (2, 1, 1, 0)
    assert counts(reply(OTHER, answer="5"), reply(BRANCHES, "error", error=MISSING)) == (2, 1, 0, 0)


def test_nothing_is_taken_from_a_later_reply_or_one_that_failed():
    assert counts(reply(BRANCHES, "error", error=MISSING), reply(answer="5")) == (2, 1, 0, 0)
    failed = reply(status="error", error="ValueError: no (line 3)")
    assert counts(failed, reply(BRANCHES, "error", error=MISSING)) == (2, 1, 0, 0)


def test_what_is_taken_is_judged_by_the_problem_of_the_one_who_takes_it(golds):
    taker = reply(BRANCHES, "error", error=MISSING)
    assert counts(reply(answer=golds[1]), taker) == (2, 1, 1, 1)
    assert counts(reply(answer=golds[0]), taker) == (2, 1, 1, 0)
    assert counts(reply(answer=golds[0]), reply(answer=golds[2]), taker) == (3, 1, 1, 1)  # the last


def test_candidates_are_read_in_the_problems_order():
    rows = [reply(BRANCHES, "error", error=MISSING, problem=1), reply(answer="5", problem=0)]
    assert counts(*rows) == (2, 1, 1, 0)


def test_runs_methods_and_tasks_are_told_apart():
    taker = reply(BRANCHES, "error", error=MISSING)
    for other in ({"run": "run1"}, {"method": "latm_of_GPT-4"}, {"category": "schedule_meeting"}):
        found = table(reply(answer="5", **other), taker)
        assert len(found) == 2
        assert found["unassigned"].sum() == 1
        assert found["taken"].sum() == 0


def test_another_missing_key_is_no_missing_variable():
    assert counts(reply(answer="5"), reply(BRANCHES, "error", error="KeyError: 'left' (line 3)")) == (2, 0, 0, 0)
    assert counts(reply(answer="5"), reply(BRANCHES, "error", error="KeyError: 'ans1' (line 3)")) == (2, 0, 0, 0)
    assert is_missing("KeyError: 'ans'", "ans")
    assert not is_missing(None, "ans")


def test_a_reply_is_read_as_the_released_program_reads_it_and_as_ours():
    assert variables(ASSIGNS) == ["ans"]
    assert variables("```python\n# answers below\nans = 1\n```") == ["answers below\nans", "ans"]
    assert variables("no code") == variables(None) == []
    crossed = reply(
        "```python\n# answers below\nans = 1\n```", "error", error=r"KeyError: 'answers below\nans' (line 9)"
    )
    assert counts(reply(answer="5"), crossed) == (2, 1, 0, 0)  # nobody can have left such a name


def test_without_the_problems_what_would_be_right_is_not_known(monkeypatch, tmp_path):
    monkeypatch.setenv("TROVE_LITE_DATA", str(tmp_path))
    of_files = {"dataset": "bbh", "category": "word_sorting"}
    found = table(reply(answer="a b", **of_files), reply(BRANCHES, "error", error=MISSING, **of_files))
    assert found["taken"].tolist() == [1]
    assert found["right"].isna().all()
    assert "fetch bbh" in found["note"].iloc[0]


def test_other_methods_and_outcomes_without_texts_are_not_counted():
    assert latm.shared_globals(simulated(problems=1, runs=1)).attrs["note"] == "no runs of LATM"
    bare = simulated(problems=1, runs=1).assign(method="latm")
    assert latm.shared_globals(outcomes(bare)).attrs["note"].startswith("no texts")
    assert table(reply(answer="5")).attrs["name"] == "latm_shared_globals"
