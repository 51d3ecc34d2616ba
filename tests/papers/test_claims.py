"""Claims are decided by rows: made rows turn each verdict, what is absent is open, other models
judge nothing."""

import pandas as pd
import pytest

from trove_lite import TroveLiteError
from trove_lite_papers.claims import DOES_NOT, HOLDS, OPEN, SHOWN, claims, known_claims

from ..cases import cases

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
LEVELS = "more than 70% of the tasks of level 1, at level 5 they only solve roughly 20%"


def difference(value, low, high, **more):
    tests = {"p_holm": 0.001 if low > 0 or high < 0 else 0.9, "p_within_1": 1.0, "p_within_2": 1.0}
    tests["covers"] = "problems and runs"
    row = {
        "category": "all",
        "rule": "one_stage",
        "a": "TROVE",
        "b": "PRIMITIVE",
        "problems": 3201,
        "note": "",
    }
    return row | {"difference": value, "low": low, "high": high} | tests | more


def cell(value, low, high, **more):
    row = {
        "category": "all, micro",
        "system": "TROVE",
        "source": "TROVE",
        "problems": 3201,
        "runs": 5,
        "note": "",
    }
    return row | {"value": value, "low": low, "high": high} | more


def effect(name, value, low, high, **more):
    return difference(value, low, high, effect=name, k=15) | more


@pytest.fixture
def verdict(tmp_path):
    """The row of the claims table on some words, from rows of the table that decides; 15 calls a
    problem."""

    def of(words, rows=(), *, model=MODEL, dataset="math"):
        tables = {"reeval_paired": [effect("selection", 0.0, -0.5, 0.5, category="k")]}
        if rows:
            tables.setdefault(known_claims().set_index("words")["table"][words], []).extend(rows)
        for name, own in tables.items():
            pd.DataFrame(own).to_csv(tmp_path / f"{name}.csv", index=False)
        found = claims(tmp_path, model=model, dataset=dataset)
        found = found[found["claim"] == words]
        return found.iloc[0] if len(found) else None

    return of


def checked(*verdicts, systems=("s0", "s1")):
    known = {"published": 0.22, "prediction_low": 0.2, "prediction_high": 0.24, "why": "too wide"}
    rows = zip(systems, verdicts, strict=False)
    return [
        cell(0.21, 0.2, 0.23, system=system, verdict=verdict) | known for system, verdict in rows
    ]


def each(*rows):
    return [*rows]


def reproduced(verdict):
    return checked(verdict, systems=["TROVE, two-stage"])


def without_import(low, p):
    row = difference(low + 0.01, low, low + 0.02, p_below_1=p)
    return [row | {"counted": counted} for counted in ("all runs", "independent runs")]


def modes(first, second, more=()):
    pairs = {("CREATE", "SKIP"): first, ("SKIP", "IMPORT"): second}
    return [
        effect("modes", v, v - 0.01, v + 0.01, category="number", a=a, b=b, **dict(more))
        for (a, b), v in pairs.items()
    ]


def selector(value, category):
    return [
        effect("selector", value, value - 0.01, value + 0.01, a="TROVE, oracle", category=category)
    ]


def exclusive(note):
    rows = [
        (system, category)
        for system in ("TROVE", "PRIMITIVE")
        for category in ("counting", "all, micro")
    ]
    more = {"source": "PRIMITIVE", "note": note}
    return [
        cell(0.01, 0.005, 0.015, category=c, system=f"{s}, consistent", **more) for s, c in rows
    ]


def overlaps(skip, last, source="PRIMITIVE"):
    value = {"SKIP": skip, "CREATE": 0.5, "IMPORT": last}
    more = {"category": "number", "source": source}
    return [
        cell(v, v - 0.05, v + 0.05, system=f"PRIMITIVE ~ {mode}", **more)
        for mode, v in value.items()
    ]


def levels(easy, hard):
    return [cell(v, v - 0.02, v + 0.02, level=level) for level, v in ((1, easy), (5, hard))]


LEADS = difference(0.03, 0.01, 0.05)
TRAILS = difference(-0.03, -0.05, -0.01)
ALIKE = difference(0.002, -0.01, 0.014, p_within_2=0.01)
WIDE = difference(0.01, -0.03, 0.05)
OF_POOL = {"b": "SKIP pool"}
#: What rows of its table make of a claim: how the rows are made, of what, and the verdict.
CASES = cases(
    """
    HIGHER, each, LEADS, HOLDS
    HIGHER, each, TRAILS, DOES_NOT
    HIGHER, each, ALIKE, DOES_NOT
    HIGHER, each, WIDE, OPEN
    HIGHER, each, LEADS | OF_POOL, OPEN
    BENEFIT, each, LEADS, DOES_NOT
    BENEFIT, each, ALIKE, HOLDS
    BENEFIT, each, TRAILS, HOLDS
    BENEFIT, each, WIDE, OPEN
    ORACLE, each, LEADS, ALIKE | {"rule": "oracle"}, HOLDS
    REPRODUCED, reproduced, "agrees", HOLDS
    REPRODUCED, reproduced, "differs", DOES_NOT
    REPRODUCED, reproduced, "open", OPEN
    UNIQUE, checked, "agrees", "open", OPEN
    UNIQUE, checked, "agrees", "agrees", HOLDS
    IMPORT, without_import, -0.03, 0.001, HOLDS
    IMPORT, without_import, 0.005, 0.9, DOES_NOT
    IMPORT, without_import, -0.01, 0.4, OPEN
    ORDER, modes, 0.05, 0.03, HOLDS
    ORDER, modes, 0.05, -0.03, DOES_NOT
    ORDER, modes, 0.05, 0.005, OPEN
    ORDER, modes, 0.05, 0.03, {"p_holm": 0.2}, OPEN  # corrected
    SELECTOR, selector, 0.19, "all", HOLDS
    SELECTOR, selector, 0.25, "all", DOES_NOT
    SELECTOR, selector, 0.21, "all", OPEN
    SELECTOR, selector, 0.19, "covered", OPEN
    EXCLUSIVE, exclusive, "5 run(s) against 5 of PRIMITIVE", HOLDS
    EXCLUSIVE, exclusive, "2 run(s) against 1", OPEN
    OVERLAP, overlaps, 0.7, 0.3, HOLDS
    OVERLAP, overlaps, 0.3, 0.7, DOES_NOT
    OVERLAP, overlaps, 0.52, 0.48, OPEN
    OVERLAP, overlaps, 0.7, 0.3, "SKIP of another run", OPEN
    LEVELS, levels, 0.76, 0.2, HOLDS
    LEVELS, levels, 0.6, 0.2, DOES_NOT
    LEVELS, levels, 0.71, 0.2, OPEN
    """,
    **globals(),
)


@pytest.mark.parametrize(
    ("words", "rows", "expected"),
    [(words, make(*of), expected) for words, make, *of, expected in CASES],
)
def test_rows_decide(verdict, words, rows, expected):
    assert verdict(words, rows)["verdict"] == expected


def test_the_row_over_all_decides_and_numbers_are_in_their_units(verdict):
    rows = [
        difference(0.3, 0.2, 0.4, category="counting"),
        WIDE | {"category": "covered", "problems": 528},
    ]
    found = verdict(HIGHER, rows)
    assert (found["verdict"], found["ours"], found["hangs_on"]) == (
        OPEN,
        "+1.0 points",
        "528 of 3,201 problems",
    )
    assert verdict(DISTINCT, [effect("distinct", 0.8, 0.6, 1.0)])["ours"] == "+0.8"
    assert verdict(REPRODUCED, reproduced("agrees"))["prediction"] == "[20.0, 24.0]"


def test_without_tables_every_claim_is_open_and_says_why(verdict, tmp_path):
    verdict(BENEFIT)
    found = claims(tmp_path, model=MODEL, dataset="math")
    others = found[found["claim"] != SELECTION]
    assert len(found) == len(known_claims())
    assert set(others["verdict"]) == {OPEN}
    assert others["why"].str.startswith("absent: ").all()
    row = {"category": "all", "rule": "one_stage", "difference": None, "note": "no PRIMITIVE runs"}
    assert verdict(BENEFIT, [row])["why"] == "absent: no PRIMITIVE runs"


@pytest.mark.parametrize(
    ("model", "dataset", "calls", "judges"),
    cases(
        """
        MODEL, "math", 15, True
        "server#codellama/CodeLlama-7b-Instruct-hf", "math", 15, True
        "practice", "practice", 15, False
        "CodeLlama-13b-Instruct-hf", "math", 15, False  # a larger or chatty sister is another model
        "CodeLlama-7b-hf", "math", 15, False
        MODEL, "practice", 15, False
        MODEL, "math", 6, False
        """,
        MODEL=MODEL,
    ),
)
def test_only_the_papers_model_data_and_budget_judge_the_paper(
    tmp_path, model, dataset, calls, judges
):
    rows = [effect("selection", 0.03, 0.01, 0.05) | {"k": calls}]
    pd.DataFrame(rows).to_csv(tmp_path / "reeval_paired.csv", index=False)
    found = claims(tmp_path, model=model, dataset=dataset)
    (verdict,) = found.loc[found["claim"] == SELECTION, "verdict"]
    assert verdict == (HOLDS if judges else SHOWN[HOLDS])
    assert found.attrs["judges"] == judges
    assert set(found["verdict"]) <= ({HOLDS, DOES_NOT, OPEN} if judges else set(SHOWN.values()))


def test_another_models_numbers_are_not_held_against_the_papers(verdict, tmp_path):
    for words, is_there in ((REPRODUCED, False), (BENEFIT, True)):
        assert (verdict(words, model="practice", dataset="practice") is not None) == is_there
    with pytest.raises(TroveLiteError, match="no such folder"):
        claims(tmp_path / "none", model=MODEL, dataset="math")
