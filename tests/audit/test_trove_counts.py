"""TroVE's counts: on made runs that would turn each verdict."""

import numpy as np
import pandas as pd
import pytest

from audit.finding import CONSISTENT, INCONSISTENT, UNDECIDED, as_printed
from audit.trove_counts import CHECKS, counting_findings, simpler_finding
from papers import published_table, trove

from ..simulated import candidates
from .planting import only


def runs(solution):
    frame = candidates(categories=("counting", "geometry"), problems=4)
    frame = frame[frame["method"] == "trove"].astype({"phase": object, "provenance": object})
    return frame.assign(solution=f"```python\n{solution}\n```", tools="", response="", error=None)


def toolbox(*signatures):
    rows = [("run0", "trove", c, 0, i, s) for c in ("counting", "geometry") for i, s in enumerate(signatures)]
    table = pd.DataFrame(rows, columns=["run", "method", "category", "seed", "rank", "signature"])
    return table.assign(name=table["signature"])


def test_runs_that_tell_nothing_give_no_verdict_on_it():
    bare = runs("print(1)").drop(columns=["solution", "tools", "response", "error"])
    assert {row.check for row in counting_findings(bare, None)} <= {CHECKS[5]}


@pytest.mark.parametrize(("signatures", "verdict"), [(("f(x)",), CONSISTENT), (("f(x)", "import math"), INCONSISTENT)])
def test_a_library_with_imports_is_no_library_of_functions(signatures, verdict):
    row = only(counting_findings(runs("print(1)"), toolbox(*signatures)), "what counts in a library")
    assert row.verdict == verdict
    assert f"of {2 * len(signatures)} tools in 2 public toolboxes {2 * len(signatures) - 2} are imports" in row.computed


@pytest.mark.parametrize(
    ("solution", "calls", "every"),
    [
        ("print(1)", INCONSISTENT, CONSISTENT),  # four levels, one call
        ("k = 3\nprint(k)", INCONSISTENT, INCONSISTENT),  # the constant is left out
        ("k = 3", CONSISTENT, INCONSISTENT),
    ],
)
def test_a_count_that_differs_from_the_words_is_found(solution, calls, every):
    found = [*counting_findings(runs(solution), None)]
    assert only(found, "a function call").verdict == calls
    assert only(found, "every expression").verdict == every


@pytest.mark.parametrize(
    ("lost", "cut", "verdict"), [(0, False, CONSISTENT), (2, True, CONSISTENT), (2, False, INCONSISTENT)]
)
def test_another_program_in_a_result_file_is_found_unless_the_log_is_cut(lost, cut, verdict):
    frame = runs("print(1)")
    ended = trove.ended_with(frame)[frame.columns].assign(phase="selected", provenance="recorded selection")
    ended.loc[ended.index[:lost], "program"] = np.arange(lost)
    both = pd.concat([frame.assign(shortened=cut), ended], ignore_index=True)
    assert only(counting_findings(both, None), "two-stage selection picks").verdict == verdict


def test_a_printed_cell_that_nothing_gives_is_open_and_one_that_a_count_gives_is_not(monkeypatch):
    printed = {"acc": 0.4, "n_ops": 4, "n_lib": 2}
    look = "papers.trove.explained.print_of"
    monkeypatch.setattr(look, lambda comparison, system, metric: lambda category: (printed[metric], float("nan")))
    frame, kept = runs("print(1)"), toolbox("f(x)", "import math")
    found = [*counting_findings(frame, kept)]
    assert only(found, "#lib of Table 2").verdict == CONSISTENT
    assert only(found, "#ops of Table 2").verdict == CONSISTENT
    printed |= {"n_ops": 50, "n_lib": 50}
    found = [*counting_findings(frame, kept)]
    assert only(found, "#lib of Table 2").verdict == UNDECIDED
    assert only(found, "#ops of Table 2").verdict == UNDECIDED
    assert "counting" in only(found, "#lib of Table 2").note


def test_simpler_is_said_of_all_data_sets_and_printed_of_some():
    assert simpler_finding(as_printed()).verdict == INCONSISTENT
    table = published_table("trove_table2").copy()
    table.loc[(table["metric"] == "n_ops") & (table["method"] == "TROVE"), "value"] = 1.0
    assert simpler_finding(as_printed(trove_table2=table)).verdict == CONSISTENT
