"""Accidents of runs, each made of a published run that has no sign: each trips its own sign and no other."""

import json

import pytest

from trove_lite.candidates import load_calls, load_candidates
from trove_lite_analysis.health import signs

from ..conftest import ROOT

PART = ROOT / "results/bench/runs/own-primitive"
CATEGORIES = ("algebra", "counting", "number")
PROBLEM = ["category", "problem"]
OF_PROGRAM = [
    "response",
    "solution",
    "status",
    "output",
    "error",
    "answers",
    "answer",
    "correct",
    "program",
]
LOST = {"answer": None, "correct": False, "output": ""}
EMPTY = {"response": "", "solution": "", "status": "no_code", "error": None}
FENCE = "```python\n"
HELP = "```python\ndef help(x):\n    return x\n\n"


@pytest.fixture(scope="module")
def base():
    tables = (load_candidates(PART), load_calls(PART))
    rows, calls = (
        table[table["category"].isin(CATEGORIES)].reset_index(drop=True) for table in tables
    )
    for name in ("status", "finish_reason"):
        for table in (rows, calls):
            if name in table:
                table[name] = table[name].astype(object)
    return rows, calls


def golds(rows):
    right = rows[rows["correct"].fillna(False)]
    return dict(
        zip(zip(right["category"], right["problem"], strict=True), right["answer"], strict=True)
    )


def put(rows, chosen, **values):
    """The rows with these values where chosen; a function has the row."""
    rows = rows.copy()
    for name, value in values.items():
        own = [value(row) if callable(value) else value for row in rows[chosen].itertuples()]
        rows.loc[chosen, name] = own
    rows.loc[chosen, "answers"] = rows.loc[chosen, "answer"].map(
        lambda answer: [] if answer is None else [answer]
    )
    return rows


def spread(rows, of):
    return (rows.index * 37) % 100 < 100 * of


def no_seed(rows):
    rows[OF_PROGRAM] = rows.groupby(PROBLEM, observed=True)[OF_PROGRAM].transform("first")
    return rows


def prompts_shifted(rows):
    known = golds(rows)
    places = rows[PROBLEM].drop_duplicates()
    before = places.assign(
        other=places.groupby("category", observed=True)["problem"].shift(1)
    ).dropna()
    moved = rows.merge(before, on=PROBLEM).drop(columns=OF_PROGRAM)
    source = rows[[*PROBLEM, "sample", *OF_PROGRAM]].rename(columns={"problem": "other"})
    moved = moved.merge(source, on=["category", "other", "sample"])
    where = zip(moved["category"], moved["problem"], moved["answer"], strict=True)
    return moved.assign(correct=[known.get((c, n)) == answer for c, n, answer in where])


def one_example_copied(rows):
    code = "```python\nn = {0}\ntotal = 0\nfor i in range(n):\n    total = total + i * {1}\nprint(total + n * {1})\n```"
    text = {
        "solution": lambda row: code.format(row.problem, row.sample),
        "answer": lambda row: f"{row.Index}.5",
    }
    return put(
        rows, spread(rows, 0.8), **text, status="ok", error=None, output="x\n", correct=False
    )


def two_hundred_numbers(rows):
    loud = rows["sample"] == 3
    rows.loc[loud, "answers"] = rows.loc[loud, "answers"].map(
        lambda _: [f"{n}.0" for n in range(200)]
    )
    return rows


def gold_in_the_prompt(rows):
    rows["answer"] = [
        golds(rows).get(key, "11.0") for key in zip(rows["category"], rows["problem"], strict=True)
    ]
    text = {
        "solution": lambda row: f"```python\nprint({row.answer})\n```",
        "output": lambda row: f"{row.answer}\n",
    }
    return put(rows, rows["sample"] >= 0, **text, status="ok", error=None, correct=True)


def no_library(rows):
    error = {
        "status": "error",
        "error": lambda row: f"NameError: name 'sympy' is not defined (line {row.sample})",
    }
    return put(rows, spread(rows, 0.15), **error, **LOST)


def wrong_tool(rows):
    used = {"solution": lambda row: row.solution.replace("\n```", "\nprint(count_it(2))\n```")}
    return put(rows, spread(rows, 0.3), **used, answer=lambda row: f"{row.Index}.5", correct=False)


#: What happens, its sign, and how rows become by it; or, of those in OF_CALLS, calls.
ACCIDENTS = {
    "no seed": ("samples alike", no_seed),
    "prompts shifted": ("neighbours' answers", prompts_shifted),
    "last line lost": (
        "prints nothing",
        lambda r: put(r, spread(r, 0.6), status="ok", error=None, **LOST),
    ),
    "one example copied": ("one skeleton", one_example_copied),
    "two hundred numbers": ("one program decides", two_hundred_numbers),
    "no question": (
        "prompts alike",
        lambda calls: calls["prompt_tokens"].mask(calls["category"] == "number", 320),
    ),
    "gold in the prompt": ("right without computing", gold_in_the_prompt),
    # of our own
    "no library": ("one error", no_library),
    "nobody is right": (
        "none right",
        lambda r: r.assign(correct=r["correct"].mask(r["category"] == "counting", False)),
    ),
    "limit too low": (
        "cut off",
        lambda calls: calls["finish_reason"].mask(spread(calls, 0.09), "length"),
    ),
    "empty texts": ("empty replies", lambda r: put(r, spread(r, 0.09), **EMPTY, **LOST)),
    "call lost": (
        "tools never called",
        lambda r: r.assign(solution=r["solution"].str.replace(FENCE, HELP, n=1)),
    ),
    "wrong tool": ("wrong where called", wrong_tool),
}
OF_CALLS = {"no question": "prompt_tokens", "limit too low": "finish_reason"}
TOOL = {"method": "primitive", "category": "algebra", "seed": 0, "name": "count_it", "imports": 3}
TOOL |= {"signature": "count_it(x)"}
TOOLS = [TOOL | {"category": category} for category in CATEGORIES]


def run_json(folder, tools, temperature=0.6):
    settings = {
        "name": "bench",
        "seeds": [0],
        "categories": CATEGORIES,
        "sampling": {"temperature": temperature},
    }
    (folder / "run.json").write_text(json.dumps({"settings": settings, "toolboxes": tools}))
    return [folder]


def test_the_run_that_accidents_are_made_of_has_no_sign(base, tmp_path):
    assert signs(*base, run_json(tmp_path, TOOLS), golds=golds(base[0])).empty


@pytest.mark.parametrize("accident", ACCIDENTS)
def test_an_accident_trips_its_own_sign_and_no_other(accident, base, tmp_path):
    (sign, change), (rows, calls) = ACCIDENTS[accident], base
    if accident in OF_CALLS:
        calls = calls.assign(**{OF_CALLS[accident]: change})
    else:
        rows = change(rows.copy())
    found = signs(rows, calls, run_json(tmp_path, TOOLS), golds=golds(base[0]))
    assert set(found["sign"]) == {sign}
    assert (found["share"] > found["limit"]).all()


def test_what_is_in_each_category_a_little_is_told_of_all_of_them(base, tmp_path):
    found = signs(no_library(base[0].copy()), base[1], golds=golds(base[0]))
    assert found[["sign", "category", "limit"]].to_numpy().tolist() == [["one error", "", 0.1]]


def test_a_name_without_a_body_in_a_toolbox_is_a_sign(base, tmp_path):
    bare = TOOL | {"name": "mean", "signature": "from toolbox import mean"}
    found = signs(*base, run_json(tmp_path, [TOOL, bare]))
    assert found[["sign", "count", "of", "example"]].to_numpy().tolist() == [
        ["names without a body", 1, 2, "mean"]
    ]


def test_samples_may_be_one_at_temperature_0(base, tmp_path):
    assert signs(no_seed(base[0].copy()), base[1], run_json(tmp_path, [], temperature=0.0)).empty
