"""The tables of strong models: made again from public logs, or from what is committed of them."""

import json

import numpy as np
import pandas as pd
import pytest

from trove_lite import load_calls, load_candidates
from trove_lite.datasets.files import data_folder
from trove_lite_papers.library_learning import (
    cheatsheet,
    load,
    load_making,
    load_proofs,
    published,
    tables,
    talks,
)

from ...conftest import ROOT
from ..essays import executed

KEPT = ROOT / "results" / "strong"
(ESSAY,) = (ROOT / "notebooks").glob("07_*.ipynb")
FOUR = "gpt-4o-2024-08-06"
KEY = published.KEY


@pytest.fixture(scope="module")
def kept():
    return load(KEPT), load_proofs(KEPT), load_making(KEPT)


@pytest.fixture(scope="module")
def again():
    """GPT-4o's talks and AIME's, from the files."""
    if not (data_folder() / published.AGENTS).is_dir():
        pytest.skip("public data is not here: trove-lite fetch math strong")
    return published.make([FOUR])


def test_gpt_4o_and_aime_come_out_of_the_files_as_they_are_committed(again):
    kept = load_candidates(KEPT / "outcomes.parquet")
    apart = kept["run"].isin(again["outcomes"]["run"]) & kept["category"].isin(
        again["outcomes"]["category"]  # of equations where they were fetched
    )
    columns = ["answer", "correct", "prompt_tokens", "completion_tokens", "used_tools", "program"]
    told = []
    for table in (again["outcomes"], kept[apart]):
        table = table.assign(used_tools=table["used_tools"].map(list))
        table = table.astype(dict.fromkeys(KEY[:2], str)).set_index(KEY).sort_index()
        told.append(table[columns].astype(str))
    pd.testing.assert_frame_equal(*told)


def test_their_verdicts_and_counts_come_out_of_the_files_as_they_are_committed(again):
    wanted = pd.read_parquet(KEPT / "talks.parquet").set_index(KEY).sort_index()
    found = again["talks"].set_index(KEY).sort_index()
    assert set(found) == set(wanted)
    for name in found:
        assert found[name].astype(str).equals(wanted[name].loc[found.index].astype(str)), name


def test_making_comes_out_of_the_files_as_it_is_committed(again):
    wanted = load_making(KEPT).query("model == @FOUR")
    found = published.making_in(again["calls"])
    names = ["run", "category", "role", "tokens", "dollars"]
    a, b = (table[names].sort_values(names[:3]).reset_index(drop=True) for table in (found, wanted))
    pd.testing.assert_frame_equal(a.astype(object), b.astype(object))


def test_a_verdict_of_theirs_is_whether_the_graded_text_is_the_gold_and_a_price_is_theirs(again):
    root = data_folder() / published.AGENTS
    runs = [run for run in talks.runs_of(root)[0] if run.test.model == FOUR]
    for number, run_talks in talks.talks_of(root, runs).items():
        asked = talks.problems_asked(runs[number])
        golds = [str(asked[talk.number].gold).removesuffix(".0") for talk in run_talks]
        told = [talk.final == gold for talk, gold in zip(run_talks, golds, strict=True)]
        assert told == runs[number].verdicts
        cost = json.loads((runs[number].folder / "test_time_total_usage.json").read_text())
        dollars = talks.PRICES[FOUR].of(*runs[number].test[1:])
        assert dollars == pytest.approx(cost["total_cost"])


def test_proofs_come_out_of_the_files_as_they_are_committed(again):
    pd.testing.assert_frame_equal(again["proofs"], load_proofs(KEPT))


@pytest.mark.filterwarnings("default")  # of pandas to come, in a cell
def test_every_committed_table_is_what_the_essay_makes_of_the_committed_parquet(tmp_path):
    executed(ESSAY, results=str(tmp_path))
    for path in sorted(KEPT.glob("*.csv")):
        assert (tmp_path / path.name).read_text() == path.read_text(), path.name


def test_a_right_verdict_of_theirs_is_right_by_value_and_is_what_the_model_was_told(kept):
    own = kept[0][kept[0]["study"] == tables.AGENTS]
    assert not (own["theirs"] & ~own["ours"]).any()
    assert (own["praised"].astype(bool) == own["theirs"]).all()


WON = [
    ("aime_2020_2024", "cumulative", "empty", 16, 5),  # p = .027 by a sign test
    ("equations", "retrieval_synthesis", "empty", 60, 2),
]


@pytest.mark.parametrize(("category", "a", "b", "wins", "losses"), WON)
def test_claude_wins_and_loses_as_many_problems_as_others_found(category, a, b, wins, losses, kept):
    own = kept[0].query("model == 'claude-3-5-sonnet' and category == @category")
    right = own.pivot(index="problem", columns="method", values="ours").dropna(subset=[a, b])
    gap = right[a].astype(int) - right[b].astype(int)
    assert [(gap > 0).sum(), (gap < 0).sum()] == [wins, losses]


def steps(name: str) -> list[dict]:
    file = data_folder() / published.AIME / "AIME_2020_2024" / f"claude-3-5-sonnet_{name}.jsonl"
    if not file.is_file():
        pytest.skip("public data is not here: trove-lite fetch strong")
    return [json.loads(line)["steps"][-1] for line in file.read_text().splitlines()]


def test_the_curator_writes_4217_characters_a_problem():
    written = [len(step["new_cheatsheet"]) for step in steps("DynamicCheatsheet_Cumulative")]
    assert round(np.mean(written)) == 4217


@pytest.mark.parametrize(("name", "offers"), [("EmptyCheatsheet", 133), ("Baseline", 0)])
def test_the_placebo_s_prompt_offers_to_run_code_and_the_baseline_s_does_not(name, offers):
    asked = [cheatsheet.EXECUTED in step["generator_prompt"] for step in steps(name)]
    assert [len(asked), sum(asked)] == [133, offers]


def test_no_committed_table_has_text_and_a_run_has_80_problems(kept):
    assert not {"response", "solution", "output"} & set(load_candidates(KEPT / "outcomes.parquet"))
    own = kept[0][kept[0]["study"] == tables.AGENTS]
    assert set(own.groupby(["run", "category"]).size()) == {80}
    assert load_calls(KEPT / "calls.parquet")["stage"].isin(["talk", "reply", "make"]).all()


@pytest.mark.filterwarnings("default")  # of pandas to come, in a cell
def test_a_changed_definition_changes_the_table_of_the_essay(kept, tmp_path):
    """Jaccard as Dice, which is 2 J / (1 + J)."""
    copy = tmp_path / ESSAY.name
    was = "(a & b).sum() / (a | b).sum()"
    now = "2 * (a & b).sum() / (a.sum() + b.sum())"
    assert was in ESSAY.read_text()
    copy.write_text(ESSAY.read_text().replace(was, now))
    executed(copy, data=str(KEPT), results=str(tmp_path))
    made = pd.read_csv(tmp_path / "overlap.csv").set_index(["model", "which"])["overlap"]
    one = kept[0][(kept[0]["model"] == FOUR) & (kept[0]["method"] == "react")]
    sets = [
        set(zip(g["category"], g["problem"], strict=True))
        for _, g in one[one["ours"]].groupby("run")
    ]
    pairs = [(a, b) for n, a in enumerate(sets) for b in sets[n + 1 :]]
    dice = np.mean([2 * len(a & b) / (len(a) + len(b)) for a, b in pairs])
    assert made[FOUR, "two runs of react"] == pytest.approx(dice, abs=1e-5)
