"""TroVE's Table 2 on made runs: which answers count, what is counted of them, and what is said of it."""

import pandas as pd
import pytest

from papers import trove
from trove_lite.analysis.toolboxes import KEPT
from trove_lite.candidates import outcomes, selections

from ..simulated import candidates

SHORT, LONG = "print(1)", "import math\nfrom toolbox import double\nprint(double(1) + 1)"
TOOLS = "```python\nfrom toolbox import double\n```\n```python\nimport math\n```"


@pytest.fixture
def runs():
    """Two runs of TROVE, whose programs are long and use a tool, and of PRIMITIVE; counting and geometry."""
    frame = candidates(categories=("counting", "geometry"))
    by_trove = frame["method"] == "trove"
    solution = by_trove.map({True: f"```python\n{LONG}\n```", False: f"```python\n{SHORT}\n```"})
    return frame.assign(solution=solution, tools=by_trove.map({True: TOOLS, False: ""}), response="", error=None)


def values(table):
    return table.set_index(["system", "category"])["value"].to_dict()


def test_operations_are_of_the_selected_programs_by_either_count(runs):
    found = values(trove.table2_operations(runs))
    assert found["PRIMITIVE, as reported", "counting"] == 4  # print(1): Expr, Call, Name, Load
    assert found["TROVE, as reported", "counting"] == 6


def test_the_last_attempt_at_a_problem_is_the_one_that_counts(runs):
    first = trove.ended_with(runs)
    key = ["run", "method", "category", "problem"]
    again = runs[(runs["method"] == "trove") & (runs["problem"] == 0) & (runs["run"] == "run0")]
    again = again.assign(phase="retry", solution=f"```python\n{SHORT}\n```")
    last = trove.ended_with(pd.concat([runs, again], ignore_index=True))
    before, after = (frame.set_index(key)["reported_operations"].sort_index() for frame in (first, last))
    changed = before.compare(after)
    assert sorted(changed.index) == [("run0", "trove", "counting", 0), ("run0", "trove", "geometry", 0)]
    assert set(changed["other"]) == {4}


def test_a_recorded_selection_is_what_a_run_ended_with(runs):
    one = runs[(runs["method"] == "trove") & (runs["run"] == "run0") & (runs["mode"] == "skip") & (runs["sample"] == 0)]
    said = one.assign(phase="selected", provenance="recorded selection", solution=f"```python\n{SHORT}\n```")
    both = pd.concat([runs, said], ignore_index=True)
    assert len(selections(both)) == len(said)
    ended = trove.ended_with(both)
    ended = ended[(ended["method"] == "trove") & (ended["run"] == "run0")]
    assert set(ended["reported_operations"]) == {4}
    assert len(ended) == len(said)


def test_used_tools_are_those_that_answers_name_and_kept_ones_what_the_toolbox_holds(runs):
    kept = pd.DataFrame(
        [
            {"run": run, "method": "trove", "category": "counting", "name": name, "signature": signature}
            for run, name, signature in (
                ("run0", "double", "double(x)"),
                ("run0", "math", "import math"),
                ("run1", "math", "import math"),
            )
        ]
    )
    found = values(trove.table2_library(runs, kept))
    assert found["TROVE, used", "counting"] == 1  # math is imported and not named
    assert (found["TROVE, kept", "counting"], found["TROVE, kept functions", "counting"]) == (1.5, 0.5)
    assert pd.isna(found["TROVE, kept", "geometry"])
    assert found["PRIMITIVE, used", "counting"] == 0


def test_differences_are_paired_and_said_in_words(runs):
    differences = trove.table2_differences(runs)
    found = differences.set_index(["measure", "category"])["difference"]
    assert found["#ops, as reported", "covered"] == 2
    words = trove.table2_in_words(
        trove.table2_operations(runs), trove.table2_library(runs, pd.DataFrame(columns=KEPT)), differences
    )
    assert "Against PRIMITIVE, problem by problem, TROVE's programs are longer: +2.0 operations" in words
    alone = runs[runs["method"] == "trove"]
    assert "hold one system alone" in trove.table2_in_words(
        trove.table2_operations(alone),
        trove.table2_library(alone, pd.DataFrame(columns=KEPT)),
        trove.table2_differences(alone),
    )


def test_outcomes_give_the_tables_of_the_text(runs):
    for table in (trove.table2_accuracy, trove.table2_operations, trove.table2_differences):
        pd.testing.assert_frame_equal(table(outcomes(runs)), table(runs))


def test_outcomes_made_before_measures_were_kept_say_so(runs):
    old = outcomes(runs).assign(reported_operations=None, used_tools=None)
    table = trove.table2_operations(old).set_index(["system", "category"])
    assert table.loc[("TROVE, as reported", "counting"), "note"] == "no program's text is known"
    library = trove.table2_library(old, pd.DataFrame(columns=KEPT))
    assert library["value"].isna().all()
    assert set(library["note"]) == {"what the toolbox held is not known"}
