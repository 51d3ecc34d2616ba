"""LATM's tables and its bill, on runs of a scripted maker, user and thinker."""

import numpy as np
import pandas as pd
import pytest

from trove_lite.analysis.comparison import Comparison
from trove_lite.candidates import load_calls, load_candidates
from trove_lite.papers import latm

from ..running.test_labelled import run


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Folders of a run with a tool, and of one that thinks step by step, on four instances of a made task."""
    folder = tmp_path_factory.mktemp("runs")
    run(folder / "tool")
    run(folder / "words", methods=("cot",), roles=())
    return [folder / "tool", folder / "words"]


@pytest.fixture(scope="module")
def calls(runs):
    return load_calls(*runs)


@pytest.fixture(scope="module")
def comparison(runs, calls):
    return latm.sides(load_candidates(*runs), calls)


def test_a_side_is_a_method_and_the_model_that_answers(comparison):
    assert set(comparison.sides) == {"LATM, user", "CoT, scripted"}
    table = latm.table2(comparison).set_index(["category", "system"])
    assert table.loc[("chinese_remainder", "LATM, user"), "problems"] == 4
    assert not table["published"].notna().any()  # printed numbers are of the released instances, not of made ones


def test_trials_that_made_a_tool_are_counted_beside_print(runs):
    table = latm.table3(runs).set_index(["category", "maker"])
    ours = table.loc[("chinese_remainder", "maker")]
    assert (ours["successes"], ours["trials"], ours["proposals"]) == (1, 1, 1)
    assert ours["low"] < 1 == ours["high"]
    assert table.loc[("logical_deduction", "GPT-4"), "published"] == 0.6
    assert "do not say" in latm.table3([]).attrs["note"]


def test_the_maker_is_paid_once_and_the_user_at_every_instance(calls):
    costs = latm.costs(calls).set_index(["method", "role"])
    assert costs.loc[("latm", "maker"), "calls"] == 3
    assert costs.loc[("latm", "user"), "calls"] == 4
    assert costs["fixed"].to_dict() == {("cot", "solver"): False, ("latm", "maker"): True, ("latm", "user"): False}
    maker = costs.loc[("latm", "maker")]
    assert maker["15 to 1"] == 15 * maker["tokens"] == 15 * (maker["prompt_tokens"] + maker["completion_tokens"])


def bills(fixed, each, rival, instances=10):
    rows = [
        ("latm", "maker", True, fixed),
        ("latm", "user", False, each * instances),
        ("cot", "solver", False, rival * instances),
    ]
    table = pd.DataFrame(rows, columns=["method", "role", "fixed", "tokens"])
    return table.assign(category="word_sorting", instances=instances)


@pytest.mark.parametrize(
    ("fixed", "each", "rival", "instances"), [(100, 2, 7, 20), (101, 2, 7, 21), (100, 7, 7, np.nan)]
)
def test_a_tool_pays_where_its_line_crosses(fixed, each, rival, instances):
    even = latm.break_even(bills(fixed, each, rival), prices=("tokens",))
    assert even["instances"].tolist() == pytest.approx([instances], nan_ok=True)
    assert (even["each"].item(), even["each_rival"].item()) == (each, rival)


def test_costs_are_drawn_with_their_crossing(calls):
    figure = latm.costs_figure(latm.break_even(bills(100, 2, 7), prices=("tokens",)))
    (axis,) = figure.axes
    assert [line.get_label() for line in axis.lines[:2]] == ["LATM", "cot"]
    assert axis.lines[2].get_xdata() == [20]
    assert axis.get_xlabel() == "instances"
    assert latm.costs_figure(latm.break_even(bills(1, 1, 1).iloc[:2], prices=("tokens",))) is None


def test_the_answer_is_said_in_words(comparison, calls):
    even = latm.break_even(latm.costs(calls))
    words = latm.latm_in_words(latm.differences(comparison), even)
    assert words.startswith("LATM, user is ")
    assert "4 instances" in words
    alone = latm.differences(Comparison.of({"LATM, user": comparison["LATM, user"]}))
    assert "nothing beside LATM" in latm.latm_in_words(alone, even)
