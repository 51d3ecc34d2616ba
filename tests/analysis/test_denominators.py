"""Who pays for a sample that could not be had: refused, the method; unavailable, nobody, and both
systems alike."""

from itertools import product

import pandas as pd
import pytest

from trove_lite.candidates import as_arrow, as_frame
from trove_lite_analysis import accuracy, accuracy_differences, compare, matched_budgets
from trove_lite_analysis.summary import as_text, summarise

K = 3


def rows(method, problems=4, seeds=(0,), lost=lambda *_: False, why="refused"):
    """A method that answers everything rightly, but for what is `lost`(seed, problem, sample)."""
    same = {
        "model": "m",
        "provenance": "live",
        "method": method,
        "dataset": "made",
        "category": "c",
        "mode": method,
    }
    same |= {"phase": "stream", "place": 0, "round": 0, "solution": "print(1)", "tools": ""}
    right = {"status": "ok", "answers": ["1"], "answer": "1", "correct": True}
    right |= {"prompt_tokens": 10, "completion_tokens": 5}
    gone = {"status": why, "answers": [], "correct": None if why == "unavailable" else False}
    gone |= {"error": "an answer that is not JSON, 3 times"}
    found = []
    for number, (seed, problem, sample) in enumerate(product(seeds, range(problems), range(K))):
        about = {"run": f"r_seed{seed}", "seed": seed, "problem": problem, "sample": sample}
        program = {"program": hash(method) % 2**50 + number}
        found.append(same | about | program | (gone if lost(seed, problem, sample) else right))
    return found


def compared(*systems):
    return compare(as_frame(as_arrow([row for system in systems for row in system])))


def one(table, **where):
    (row,) = table[(table[[*where]] == pd.Series(where)).all(axis=1)].to_dict("records")
    return row


def test_refused_prompts_are_not_answered_and_count_on_the_same_problems():
    both = compared(rows("primitive"), rows("instance", lost=lambda _, problem, __: problem < 2))
    told = one(accuracy(both, rules=("one_stage",)), system="instance", category="c")
    assert (told["value"], told["problems"], told["refused"], told["unavailable"]) == (0.5, 4, 2, 0)
    assert "2 problems a sample was refused" in told["note"]
    gap = one(accuracy_differences(both, rules=("one_stage",)))
    assert (gap["difference"], gap["problems"], gap["refused"], gap["unavailable"]) == (
        0.5,
        4,
        2,
        0,
    )
    spent = matched_budgets(both)
    for budget in ("calls", "completion tokens", "total tokens"):
        matched = one(spent, budget=budget)
        assert (matched["value_a"], matched["value_b"], matched["refused"]) == (1.0, 0.5, 2)


@pytest.mark.parametrize("samples", [{0}, {0, 1, 2}])
def test_a_problem_that_was_unavailable_on_one_system_is_taken_from_both(samples):
    lost = lambda _, problem, sample: problem == 3 and sample in samples  # noqa: E731
    wrong = [row | {"correct": row["problem"] != 3} for row in rows("primitive")]
    both = compared(wrong, rows("instance", lost=lost, why="unavailable"))
    told = one(accuracy(both, rules=("one_stage",)), system="instance", category="c")
    assert (told["value"], told["problems"], told["unavailable"]) == (1.0, 3, 1)
    gap = one(accuracy_differences(both, rules=("one_stage",)))
    assert (gap["difference"], gap["problems"], gap["refused"], gap["unavailable"]) == (
        0.0,
        3,
        0,
        1,
    )
    matched = one(matched_budgets(both), budget="calls")
    assert (matched["difference"], matched["problems"], matched["unavailable"]) == (0.0, 3, 1)


def test_a_problem_unavailable_in_one_seed_is_in_neither_system_of_a_comparison():
    lost = lambda seed, problem, _: (seed, problem) == (1, 0)  # noqa: E731
    both = compared(
        rows("primitive", seeds=(0, 1)),
        rows("instance", seeds=(0, 1), lost=lost, why="unavailable"),
    )
    gap = one(accuracy_differences(both, rules=("one_stage",)))
    assert (gap["difference"], gap["problems"], gap["unavailable"]) == (0.0, 3, 1)


def test_a_run_that_is_nearly_all_unavailable_is_summarised_in_one_line_and_others_are_not():
    lost = as_frame(as_arrow(rows("primitive", lost=lambda *_: True, why="unavailable")))
    found = summarise(lost)
    assert found["runs"] == []
    line = "r_seed0: no accuracy, for no sample could be had (an answer that is not JSON, 3 times)"
    assert as_text(found) == line
    sound = rows("primitive", seeds=(1,))
    sound[0] |= {"correct": None, "status": "error"}
    both = summarise(pd.concat([lost, as_frame(as_arrow(sound))], ignore_index=True))
    assert as_text(both).startswith(line)
    assert [(row["run"], row["not_judged"]) for row in both["runs"]] == [("r_seed1", 1)]
