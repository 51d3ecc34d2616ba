"""Essay 40 computes LATM's tables: a changed definition gives them the value that it has on the
same runs."""

import numpy as np
import pytest

from trove_lite.candidates import load_calls, load_candidates, read_description, save_table

from ...conftest import ROOT
from ..essays import made_by

#: Real runs, as the essay shows them: made and given tools, and thoughts.
BENCH = ROOT / "results" / "bench" / "runs"
OWN, GIVEN, WORDS = (BENCH / name for name in ("official-latm", "own-latm-gpt4", "cot-bbh"))
MODEL = "qwen2.5-coder-1.5b-instruct"
LATM = f"LATM of GPT-4, {MODEL}"
THOUGHT = f"CoT, {MODEL}"
TASK = "word_sorting"
RIGHT = 'answers["correct"].fillna(False).astype(float)'


def made(folders, *changes, until="", **given):
    return made_by("40", folders, *changes, until=until, released="../results/latm", **given)


def value(table, system, category=TASK):
    return table[(table["system"] == system) & (table["category"] == category)]["value"].item()


def ran(folder):
    """The share of a run's programs that ran, on the task."""
    rows = load_candidates(folder)
    return (rows[rows["category"] == TASK]["status"] == "ok").mean()


def test_an_accuracy_of_what_ran_is_so_in_tables_2_4_and_the_differences():
    change = RIGHT, '(answers["status"] == "ok").astype(float)'
    found = made([GIVEN, WORDS], change, until="latm_table4")
    assert value(found["latm_table2"], LATM) == pytest.approx(ran(GIVEN))
    assert value(found["latm_table2"], THOUGHT) == pytest.approx(ran(WORDS))
    assert value(found["latm_table4"], LATM) == pytest.approx(ran(GIVEN))
    (row,) = found["latm_differences"].query("category == @TASK").itertuples()
    assert row.difference == pytest.approx(ran(GIVEN) - ran(WORDS))


def test_an_accuracy_of_what_ran_is_so_in_table_5(tmp_path):
    """Programs of a tool, renamed, stand in for replies by a made chain of thought: no run has these."""
    for name, table in (
        ("candidates", load_candidates(GIVEN)),
        ("calls", load_calls(GIVEN)),
    ):
        renamed = table.assign(method="made_cot_of_big", run="thoughts")
        save_table(renamed, tmp_path / f"{name}.parquet")
    (tmp_path / "run.json").write_text("{}")
    change = RIGHT, '(answers["status"] == "ok").astype(float)'
    found = made([GIVEN, tmp_path], change, until="latm_table5")["latm_table5"]
    rows = load_candidates(GIVEN)
    for task in rows["category"].unique():
        share = (rows[rows["category"] == task]["status"] == "ok").mean()
        assert value(found, f"made CoT of big, {MODEL}", task) == pytest.approx(share)
        assert value(found, LATM, task) == pytest.approx(share)


def test_an_accuracy_of_what_ran_is_so_for_the_dispatcher():
    folder = ROOT / "results" / "latm-qwen2.5-coder-1.5b" / "runs" / "dispatcher"
    change = RIGHT, '(answers["answer"].notna()).astype(float)'
    table = made([folder], change, until="latm_dispatcher")["latm_dispatcher"]
    rows = load_candidates(folder)
    kinds = rows["category"].astype(str).str.rpartition("_")[0]
    shares = rows["answer"].notna().groupby(kinds).mean()
    assert table.set_index("kind")["value"].to_dict() == pytest.approx(shares.to_dict())


def test_a_trial_whose_tests_were_repaired_as_no_success_is_so_in_table_3():
    change = 'return trials["made"]', 'return trials["made"] & (trials["verifications"] == 1)'
    table = made([OWN], change, until="latm_table3")["latm_table3"]
    tried = [one for one in read_description(OWN)["toolboxes"] if one.get("proposals")]
    at_once = sum(one["made"] and one["verifications"] == 1 for one in tried)
    ours = table[(table["source"] == "run") & (table["category"] == "all")]
    assert ours["successes"].item() == at_once < sum(one["made"] for one in tried)


def each_use(folder, written):
    """What the user's requests of a question cost, on average, where a token written costs so
    much."""
    calls = load_calls(folder)
    own = calls[(calls["category"] == TASK) & calls["role"].isin(["user", "solver"])]
    costs = own["prompt_tokens"] + written * own["completion_tokens"]
    return costs.astype(float).groupby(own["problem"]).sum().mean()


def bill(*changes):
    """What a bill by changed definitions is made of, and from where on a made tool pays beside
    thoughts."""
    found = made([GIVEN, WORDS], *changes, until="latm_costs_tokens.png")
    even = found["latm_break_even"].query("prices == 'tokens' and category == @TASK")
    return found, even[(even["a"] == LATM) & (even["b"] == THOUGHT)].iloc[0]


def test_a_token_written_at_twice_the_price_is_so_in_the_bill_and_in_its_figure():
    change = '"tokens": (ALIKE, ALIKE)', '"tokens": (ALIKE, latm.Price(1, 2, cached=1))'
    found, row = bill(change)
    mine = each_use(GIVEN, 2)
    rival = each_use(WORDS, 2)
    assert (row["each"], row["each_rival"]) == pytest.approx((mine, rival))
    assert row["instances"] == np.ceil(row["fixed"] / (rival - mine))
    drawn = found["latm_costs_tokens.png"]
    share = value(found["latm_table2"], LATM)
    for n in (1, 100):
        assert np.isclose(drawn, (row["fixed"] / n + mine) / share).any()


def test_a_bill_without_the_making_and_a_break_even_from_the_next_question_on_are_so():
    changes = ("return fixed / n + each", "return 0 * fixed / n + each")
    later = "return np.ceil(fixed / saved)", "return 1 + np.ceil(fixed / saved)"
    found, row = bill(changes, later)
    mine = each_use(GIVEN, 1)
    rival = each_use(WORDS, 1)
    assert row["instances"] == 1 + np.ceil(row["fixed"] / (rival - mine))
    share = value(found["latm_table2"], LATM)
    assert np.isclose(found["latm_costs_tokens.png"], mine / share).sum() > 2
