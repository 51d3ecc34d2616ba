"""Claims are decided by rows: made rows turn each verdict, what is absent is open, other models judge nothing."""

import pandas as pd
import pytest

from papers import is_its_model
from papers.claims import DOES_NOT, HOLDS, OPEN, SHOWN, claims, known_claims
from trove_lite import TroveLiteError

MODEL = "CodeLlama-7b-Instruct-hf"
BENEFIT = "this toolbox approach does not provide a significant benefit on MATH"
HIGHER = "TROVE consistently yields simpler solutions with higher accuracy than baselines"
REPRODUCED = "we reproduce the results of TROVE"
SELECTION = "TROVE's performance is consistently improved across all categories"
IMPORT = "the removal of the IMPORT mode does not negatively affect performance"
ORDER = "the CREATE mode performs best across all categories, followed by SKIP and IMPORT"
UNIQUE = "CREATE uniquely solves the highest proportion of tasks"
DISTINCT = "with, on average, 0.74 additional solutions on any MATH task"
ORACLE = "there is no significant difference between TROVE and PRIMITIVE"
SELECTOR = "the 19% difference between oracle selection and majority voting"
EXCLUSIVE = "consistently solves 1.03% of tasks that were not solved by any PRIMITIVE run"
OVERLAP = "SKIP and PRIMITIVE have the highest value [… and] PRIMITIVE is least similar to IMPORT"
FAR = "for the oracle by 0.75% after 75 samples"
LEVELS = "more than 70% of the tasks of level 1, at level 5 they only solve roughly 20%"


def difference(value, low, high, **more):
    tests = {
        "p_holm": 0.001 if low > 0 or high < 0 else 0.9,
        "p_within_1": 1.0,
        "p_within_2": 1.0,
        "covers": "problems and runs",
    }
    row = {"category": "all", "rule": "one_stage", "a": "TROVE", "b": "PRIMITIVE", "problems": 3201, "note": ""}
    return row | {"difference": value, "low": low, "high": high} | tests | more


def cell(value, low, high, **more):
    row = {"category": "all, micro", "system": "TROVE", "source": "TROVE", "problems": 3201, "runs": 5, "note": ""}
    return row | {"value": value, "low": low, "high": high} | more


def effect(name, value, low, high, **more):
    return difference(value, low, high, effect=name, k=15) | more


@pytest.fixture
def verdict(tmp_path):
    """The row of the claims table on some words, from made tables; 15 calls a problem, unless they say otherwise."""

    def of(words, *, model=MODEL, dataset="math", **tables):
        tables.setdefault("reeval_paired", [])
        tables["reeval_paired"] = [effect("selection", 0.0, -0.5, 0.5, category="k"), *tables["reeval_paired"]]
        for name, rows in tables.items():
            pd.DataFrame(rows).to_csv(tmp_path / f"{name}.csv", index=False)
        found = claims(tmp_path, model=model, dataset=dataset)
        rows = found[found["claim"] == words]
        return rows.iloc[0] if len(rows) else None

    return of


@pytest.mark.parametrize(
    ("row", "higher", "no_benefit"),
    [
        (difference(0.03, 0.01, 0.05), HOLDS, DOES_NOT),
        (difference(-0.03, -0.05, -0.01), DOES_NOT, DOES_NOT),
        (difference(0.002, -0.01, 0.014, p_within_2=0.01), DOES_NOT, HOLDS),
        (difference(0.01, -0.03, 0.05), OPEN, OPEN),
        (difference(0.03, 0.01, 0.05, b="SKIP pool"), OPEN, OPEN),
        (difference(0.002, -0.01, 0.014, p_within_2=0.01, b="SKIP pool"), OPEN, OPEN),
    ],
    ids=["leads", "trails", "equivalent", "too wide", "leads the stand-in", "equivalent to the stand-in"],
)
def test_the_difference_decides_whether_trove_wins_and_whether_it_has_no_benefit(verdict, row, higher, no_benefit):
    assert verdict(HIGHER, reeval_differences=[row])["verdict"] == higher
    assert verdict(BENEFIT, reeval_differences=[row])["verdict"] == no_benefit


def test_the_oracles_row_decides_on_the_oracle(verdict):
    rows = [difference(0.03, 0.01, 0.05), difference(0.0, -0.01, 0.01, rule="oracle", p_within_2=0.01)]
    assert verdict(ORACLE, reeval_differences=rows)["verdict"] == HOLDS
    assert verdict(BENEFIT, reeval_differences=rows)["verdict"] == DOES_NOT


def test_the_row_over_all_decides_and_says_how_many_of_the_papers_problems_it_is_about(verdict):
    rows = [
        difference(0.3, 0.2, 0.4, category="counting"),
        difference(0.0, -0.1, 0.1, category="covered", problems=528),
    ]
    found = verdict(HIGHER, reeval_differences=rows)
    assert found["verdict"] == OPEN
    assert found["hangs_on"] == "528 of 3,201 problems"


@pytest.mark.parametrize(
    ("checked", "expected"),
    [(["agrees"], HOLDS), (["differs"], DOES_NOT), (["open"], OPEN), (["agrees", "open"], OPEN)],
)
def test_a_number_holds_where_the_check_of_its_table_says_so(verdict, checked, expected):
    def rows(systems):
        known = {"published": 0.22, "prediction_low": 0.2, "prediction_high": 0.24, "why": "too wide"}
        return [cell(0.21, 0.2, 0.23, system=s, verdict=v) | known for s, v in zip(systems, checked, strict=False)]

    table1 = rows(["TROVE, two-stage"]) if len(checked) == 1 else []
    if table1:
        found = verdict(REPRODUCED, reeval_table1_check=table1)
        assert (found["verdict"], found["prediction"]) == (expected, "[20.0, 24.0]")
    assert verdict(UNIQUE, reeval_table2_check=rows(["CREATE", "SKIP"]))["verdict"] == expected


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (effect("selection", 0.03, 0.01, 0.05), HOLDS),
        (effect("selection", -0.03, -0.05, -0.01), DOES_NOT),
        (effect("selection", 0.0, -0.01, 0.01, p_within_1=0.01), DOES_NOT),
        (effect("selection", 0.03, -0.01, 0.07), OPEN),
    ],
)
def test_one_vote_against_two_stages(verdict, row, expected):
    single = effect("selection", -0.01, -0.02, 0.0, category="counting")
    assert verdict(SELECTION, reeval_paired=[single, row])["verdict"] == expected


@pytest.mark.parametrize(
    ("low", "p_below_1", "expected"),
    [(-0.03, 0.001, HOLDS), (0.005, 0.9, DOES_NOT), (-0.01, 0.4, OPEN)],
)
def test_no_worse_without_import_takes_a_refuted_gain(verdict, low, p_below_1, expected):
    row = difference(low + 0.01, low, low + 0.02, p_below_1=p_below_1, runs_a=5, runs_b=4, run_sd_to_0=0.0131)
    rows = [row | {"counted": counted} for counted in ("all runs", "independent runs")]
    assert verdict(IMPORT, reeval_without_import=rows)["verdict"] == expected


def modes(first, second):
    pairs = {("CREATE", "SKIP"): first, ("SKIP", "IMPORT"): second}
    return [effect("modes", v, v - 0.01, v + 0.01, category="number", a=a, b=b) for (a, b), v in pairs.items()]


@pytest.mark.parametrize(
    ("first", "second", "expected"), [(0.05, 0.03, HOLDS), (0.05, -0.03, DOES_NOT), (0.05, 0.005, OPEN)]
)
def test_one_category_in_another_order_refutes_an_order_in_all(verdict, first, second, expected):
    assert verdict(ORDER, reeval_paired=modes(first, second))["verdict"] == expected
    uncorrected = [row | {"p_holm": 0.2} for row in modes(first, second)]
    assert verdict(ORDER, reeval_paired=uncorrected)["verdict"] == OPEN


@pytest.mark.parametrize(("b", "expected"), [("PRIMITIVE", HOLDS), ("SKIP pool", OPEN)])
def test_more_distinct_predictions_are_counted_in_predictions(verdict, b, expected):
    found = verdict(DISTINCT, reeval_paired=[effect("distinct", 0.8, 0.6, 1.0, b=b)])
    assert (found["verdict"], found["ours"]) == (expected, "+0.8")


@pytest.mark.parametrize(
    ("value", "category", "expected"),
    [(0.19, "all", HOLDS), (0.25, "all", DOES_NOT), (0.21, "all", OPEN), (0.19, "covered", OPEN)],
)
def test_what_a_perfect_selector_adds_is_near_the_printed_number_or_not(verdict, value, category, expected):
    row = effect("selector", value, value - 0.01, value + 0.01, a="TROVE, oracle", category=category)
    assert verdict(SELECTOR, reeval_paired=[row])["verdict"] == expected


@pytest.mark.parametrize(
    ("note", "expected"), [("5 run(s) against 5 of PRIMITIVE", HOLDS), ("2 run(s) against 1", OPEN)]
)
def test_exclusive_problems_are_of_five_runs_against_five(verdict, note, expected):
    rows = [
        cell(0.01, 0.005, 0.015, category=category, system=f"{side}, consistent", source="PRIMITIVE", note=note)
        for side in ("TROVE", "PRIMITIVE")
        for category in ("counting", "all, micro")
    ]
    assert verdict(EXCLUSIVE, reeval_table6=rows)["verdict"] == expected


def overlaps(skip, last, source="PRIMITIVE"):
    value = {"SKIP": skip, "CREATE": 0.5, "IMPORT": last}
    return [
        cell(v, v - 0.05, v + 0.05, category="number", system=f"PRIMITIVE ~ {mode}", source=source)
        for mode, v in value.items()
    ]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (overlaps(0.7, 0.3), HOLDS),
        (overlaps(0.3, 0.7), DOES_NOT),
        (overlaps(0.52, 0.48), OPEN),
        (overlaps(0.7, 0.3, "SKIP of another run"), OPEN),
    ],
)
def test_whom_primitive_resembles(verdict, rows, expected):
    assert verdict(OVERLAP, reeval_figure3=rows)["verdict"] == expected


@pytest.mark.parametrize(
    ("k", "value", "expected"), [(75, 0.01, HOLDS), (75, 0.06, DOES_NOT), (75, 0.03, OPEN), (30, 0.01, OPEN)]
)
def test_seventy_five_samples_take_seventy_five_samples(verdict, k, value, expected):
    row = cell(value, value - 0.01, value + 0.01, system="TROVE minus PRIMITIVE, oracle", source="PRIMITIVE", k=k)
    assert verdict(FAR, reeval_figure4=[row])["verdict"] == expected


@pytest.mark.parametrize(
    ("easy", "hard", "expected"), [(0.76, 0.2, HOLDS), (0.6, 0.2, DOES_NOT), (0.71, 0.2, OPEN), (0.76, 0.3, DOES_NOT)]
)
def test_levels_are_held_against_what_the_text_says_of_them(verdict, easy, hard, expected):
    rows = [cell(v, v - 0.02, v + 0.02, level=level) for level, v in ((1, easy), (5, hard))]
    assert verdict(LEVELS, reeval_table9=rows)["verdict"] == expected


# ---- what is absent, and who judges ----


def test_without_tables_every_claim_is_open_and_says_why(verdict, tmp_path):
    verdict(BENEFIT)
    found = claims(tmp_path, model=MODEL, dataset="math")
    others = found[found["claim"] != SELECTION]
    assert len(found) == len(known_claims())
    assert set(others["verdict"]) == {OPEN}
    assert others["why"].str.startswith("absent: ").all()


def test_a_table_without_a_number_gives_its_own_reason(verdict):
    row = {"category": "all", "rule": "one_stage", "difference": None, "note": "no PRIMITIVE runs"}
    found = verdict(BENEFIT, reeval_differences=[row])
    assert (found["verdict"], found["why"].count("no PRIMITIVE runs")) == (OPEN, 1)


@pytest.mark.parametrize(
    ("model", "dataset", "calls", "judges"),
    [
        (MODEL, "math", 15, True),
        ("server#codellama/CodeLlama-7b-Instruct-hf", "math", 15, True),
        ("practice", "practice", 15, False),
        ("Qwen2.5-0.5B-Instruct", "math", 15, False),
        (MODEL, "practice", 15, False),
        (MODEL, "math", 6, False),
    ],
)
def test_only_the_papers_model_data_and_budget_judge_the_paper(tmp_path, model, dataset, calls, judges):
    rows = [effect("selection", 0.03, 0.01, 0.05) | {"k": calls}]
    pd.DataFrame(rows).to_csv(tmp_path / "reeval_paired.csv", index=False)
    found = claims(tmp_path, model=model, dataset=dataset)
    (verdict,) = found.loc[found["claim"] == SELECTION, "verdict"]
    assert verdict == (HOLDS if judges else SHOWN[HOLDS])
    assert found.attrs["judges"] == judges
    assert set(found["verdict"]) <= ({HOLDS, DOES_NOT, OPEN} if judges else set(SHOWN.values()))


def test_another_models_numbers_are_not_held_against_the_papers(verdict):
    numbers = set(known_claims().query("number")["words"])
    assert numbers
    for words in numbers:
        assert verdict(words, model="practice", dataset="practice") is None
    assert verdict(BENEFIT, model="practice", dataset="practice") is not None


def test_a_larger_or_chatty_sister_is_another_model():
    assert not is_its_model("reeval", "CodeLlama-13b-Instruct-hf")
    assert not is_its_model("reeval", "CodeLlama-7b-hf")


def test_a_folder_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(TroveLiteError, match="no such folder"):
        claims(tmp_path / "none", model=MODEL, dataset="math")
