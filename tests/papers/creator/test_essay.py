"""Essay 30 computes CREATOR's tables: a changed definition gives them the value that it has on the
same runs."""

import numpy as np
import pytest

from trove_lite.candidates import save_run
from trove_lite.errors import TroveLiteError
from trove_lite_papers import creator

from ...conftest import ROOT, skip_without
from ..essays import made_by
from .test_creator import CATEGORIES, FIRST_TOOL, OWN, simulated, transferred

RIGHT = 'attempts["correct"].fillna(False).astype(float)'
LAST = 'early[early["round"] == early.groupby(attempt)["round"].transform("max")]'
KEY = ["method", "category", "problem", "sample"]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Simulated runs, as a folder of candidates and calls."""
    candidates, calls = simulated(problems=3, attempts=4)
    folder = tmp_path_factory.mktemp("simulated")
    save_run(folder, candidates, {}, calls=calls)
    return candidates, calls, folder


def made(folder, *changes, until="", **given):
    return made_by("30", [folder], *changes, until=until, resamples=5, **given)


def cell(table, system, category, **where):
    rows = table[(table["system"] == system) & (table["category"] == category)]
    for name, value in where.items():
        rows = rows[rows[name] == value]
    return rows["value"].item()


def ends(candidates, method):
    """The programs that count of a method's attempts, one each."""
    rows = candidates[(candidates["method"] == method) & (candidates["phase"] == "stream")]
    return rows.assign(ran=rows["status"] == "ok")


def test_accuracy_as_the_share_that_ran_is_so_in_table_2_and_in_figures_4_and_5(runs):
    candidates, _, folder = runs
    found = made(folder, (RIGHT, '(attempts["status"] == "ok").astype(float)'))
    own = ends(candidates, "pot")
    by_category = own.groupby("category", observed=True)["ran"].mean()
    for category in CATEGORIES:
        assert cell(found["creator_table2"], "PoT", category) == pytest.approx(
            by_category[category]
        )
    by_level = own.groupby("level", observed=True)["ran"].mean()
    for level, share in by_level.items():
        table = found["creator_figure4"]
        assert cell(table, "PoT", "all", level=level) == pytest.approx(share)
        assert np.isclose(found["creator_figure4.png"], 100 * share).any()
    share = own["ran"].mean()
    most = own["round"].max()
    assert cell(found["creator_figure5"], "PoT", "covered, micro", k=most) == pytest.approx(share)
    assert np.isclose(found["creator_figure5.png"], 100 * share).any()


def test_without_attempts_that_were_repaired_table_2_and_figure_5_are_of_the_others(runs):
    candidates, _, folder = runs
    untouched = 'early[early.groupby(attempt)["round"].transform("max") == 0]'
    found = made(folder, (LAST, untouched), until="creator_table2")
    rows = candidates[candidates["method"] == "creator"]
    once = rows[
        rows.groupby(["category", "problem", "sample"], observed=True)["round"].transform("max")
        == 0
    ]
    right = once.assign(right=once["answer"].astype(object) != "7777.0")
    right["right"] &= once["status"] == "ok"
    share = right.groupby(["category", "problem"], observed=True)["right"].mean().mean()
    assert cell(
        found["creator_figure5"], "CREATOR", "covered, micro", k=rows["round"].max()
    ) == pytest.approx(share)
    assert np.isclose(found["creator_figure5.png"], 100 * share).any()


def test_a_creation_at_twice_the_price_is_so_in_the_spend_and_in_its_figure(runs):
    _, calls, folder = runs
    dear = 'requests["stage"].eq("creation") + pd.Series(1.0, requests.index)'
    change = "return pd.Series(1.0, requests.index)", f"return {dear}"
    found = made(folder, change, until="creator_histogram")
    own = calls[calls["method"] == "creator"].assign(price=1.0)
    own["price"] += own["stage"] == "creation"
    each = own.groupby(KEY, observed=True)["price"].sum()
    spent = each.groupby(["category", "problem"], observed=True).mean().mean()
    table = found["creator_spend"].set_index(["system", "attempts"])
    assert table.loc[("CREATOR", 2), "calls"] == pytest.approx(2 * spent)
    matched = found["creator_matched"].query("budget == 'calls' and difference.notna()")
    pots = calls[calls["method"] == "pot"].groupby(KEY, observed=True).size()
    pot = pots.groupby(["category", "problem"], observed=True).mean().mean()
    row = matched[(matched["a"] == "CREATOR") & (matched["b"] == "PoT")].iloc[0]
    assert row["attempts_b"] == pytest.approx(spent / pot)
    row = matched[(matched["b"] == "PoT") & (matched["category"] == "covered")].iloc[0]
    assert np.isclose(found["creator_spend.png"], 100 * row["difference"]).any()


@pytest.mark.parametrize(
    ("dataset", "category", "row"),
    [("tabmwp", "tabmwp", "CoT"), ("creation_challenge", "no_hint", "CoT, no hint")],
)
def test_words_without_a_marker_as_an_execution_are_so_in_tables_3_and_4(
    tmp_path, dataset, category, row
):
    candidates, calls = simulated(methods=("cot", "pot"), problems=2, attempts=3)
    about = {"dataset": dataset, "category": category}
    half = candidates["sample"] == 0
    candidates = candidates[candidates["category"] == "counting"].assign(**about)
    candidates["response"] = candidates["response"].mask(half, "It is 3.")
    told = calls[calls["category"] == "counting"].assign(**about)
    save_run(tmp_path, candidates, {}, calls=told)
    name = {"tabmwp": "creator_table3", "creation_challenge": "creator_table4"}[dataset]
    change = "(~in_words | marked)", "(~in_words | ~marked)"
    found = made(tmp_path, change, until=name)[name]
    assert cell(found, row, "successful execution") == pytest.approx(1 / 3)


def test_the_worst_tool_by_gold_is_so_in_table_5(tmp_path, monkeypatch):
    def golds(*_):
        raise TroveLiteError("no gold answers: verdicts are the simulated ones")

    monkeypatch.setattr("trove_lite_papers.creator.systems.gold_answers", golds)
    study = transferred([FIRST_TOOL, OWN])
    save_run(tmp_path, study.graded, {})
    change = "right.mean(axis=2).max(axis=1)", "right.mean(axis=2).min(axis=1)"
    table = made(tmp_path, change, until="creator_table5")["creator_table5"]
    found = table[table["system"] == "with transfer, best tool by gold answers"]
    assert found.set_index("category").loc["accuracy", "value"] == pytest.approx((0 + 1 / 3) / 2)


def test_the_first_printed_number_as_the_answer_is_so_in_table_3_and_its_figure():
    """Of the recorded programs, by essay 24."""
    skip_without("math")
    skip_without("tabmwp")
    first = 'program.printed.split(" ")[0] == str(float(program.gold))'
    change = "return creator.released(program.printed, program.gold)", f"return {first}"
    given = {"records": "../results/gpt-3.5-creator/outcomes.parquet"}
    found = made_by("24", [], change, until="trove_table3_creator.png", **given)
    programs = creator.recorded(str(ROOT / "results" / "gpt-3.5-creator" / "outcomes.parquet"))
    right = programs["printed"].str.split(" ").str[0] == programs["gold"].astype(float).astype(str)
    table = found["trove_table3_creator"].query("system == 'released'").set_index("category")
    for name, share in right.groupby(programs["name"], observed=True).mean().items():
        assert table.loc[name, "value"] == pytest.approx(share)
        assert np.isclose(found["trove_table3_creator.png"], 100 * share).any()


def test_a_lead_turned_round_is_so_in_the_essay_on_unseen_primitives_and_its_figure():
    turned = 'return scores["primitive"] - scores["trove"]'
    change = 'return scores["trove"] - scores["primitive"]', turned
    place = ROOT / "results" / "familiarity" / "runs"
    runs = [place / f"{name}-{doc}" for name in ("papers", "nonsense") for doc in ("doc", "bare")]
    plain, found = (
        made_by("25", runs, *changes, until="trove_unseen.png") for changes in ([], [change])
    )
    values = found["trove_unseen"]["value"]
    assert values.tolist() == pytest.approx((-plain["trove_unseen"]["value"]).tolist())
    for value in values:
        assert np.isclose(found["trove_unseen.png"], 100 * value).any()
