"""Accidents of runs, each made of a published run that fails no check: each trips its own check and no
other."""

import json

import pandas as pd
import pytest

from trove_lite.candidates import fingerprint, load_calls, load_candidates
from trove_lite_analysis.health import failed_checks, golds_of
from trove_lite_analysis.reply_checks import WRITING, writing

from ..cases import named
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
    return rows[rows["correct"].fillna(False)].set_index(PROBLEM)["answer"].to_dict()


def graded(rows, known):
    """Rows with the verdicts that these golds give."""
    gold = pd.MultiIndex.from_frame(rows[PROBLEM]).map(known)
    return rows.assign(correct=(gold == rows["answer"]) & rows["answer"].notna())


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


def as_it_ran(rows):
    """Each program's fingerprint is that of its text."""
    texts = rows[["solution", "tools"]].fillna("").itertuples(index=False, name=None)
    return rows.assign(program=[fingerprint(*text) for text in texts])


def spread(rows, of):
    return (rows.index * 37) % 100 < 100 * of


def no_seed(rows):
    first = rows.groupby(PROBLEM, observed=True)["sample"].transform("idxmin")
    return rows.assign(**{name: rows.loc[first, name].to_numpy() for name in OF_PROGRAM})


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
    keys = pd.MultiIndex.from_frame(rows[PROBLEM])
    rows["answer"] = keys.map(golds(rows)).fillna("11.0")
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
    wrong = {"answer": lambda row: f"{row.Index}.5", "output": lambda row: f"{row.Index}.5"}
    return put(rows, spread(rows, 0.3), **used, **wrong, status="ok", error=None, correct=False)


def verdicts_moved(rows):
    """Each verdict stands at the sample before, within its problem."""
    moved = rows.groupby(PROBLEM, observed=True)["correct"].shift(-1)
    return rows.assign(correct=moved.fillna(rows["correct"]))


def verdicts_of_the_next_problem(rows):
    right = rows["correct"].shift(-15)
    return rows.assign(correct=right.where(rows["answer"].notna(), rows["correct"]).fillna(False))


def lax(rows, close=0.1):
    """The grader takes what is within a tenth of the gold."""
    gold = pd.MultiIndex.from_frame(rows[PROBLEM]).map(golds(rows))
    ours, theirs = (pd.to_numeric(pd.Series(each, rows.index)) for each in (rows["answer"], gold))
    taken = (ours - theirs).abs() <= close * theirs.abs()
    return rows.assign(correct=rows["correct"].astype(bool) | taken)


def written_anew(rows, old, new):
    """All texts lose a symbol on their way."""
    return kept_otherwise(rows, lambda text: text.replace(old, new))


def twice(rows):
    """Each reply comes twice: eight draws of fifteen."""
    rows = rows.sort_values([*PROBLEM, "sample"], ignore_index=True)
    taken = rows[OF_PROGRAM].iloc[rows.index - (rows.index % 15 + 1) // 2]
    return rows.assign(**taken.set_index(rows.index))


def run_on(rows, tail):
    """Half of the replies go on with a turn that the model has made up."""
    half = spread(rows, 0.5)
    return rows.assign(response=rows["response"].mask(half, rows["response"] + tail))


def unindented(rows):
    """A third of the programs lose what stands before a line, and do not parse: Python says so in
    many ways."""
    kinds = ["SyntaxError: '(' was never closed", "IndentationError: unexpected indent"]
    kinds += [f"SyntaxError: expected {what}" for what in ("':'", "an indented block", "'except'")]
    error = {"status": "error", "error": lambda row: kinds[row.Index % len(kinds)]}
    return put(rows, spread(rows, 0.34), **error, **LOST)


def stale_answers(rows):
    """A second execution fails, and the answers of the first stay."""
    lost = spread(rows, 0.05) & rows["answer"].notna().to_numpy()
    return rows.assign(output=rows["output"].astype(object).mask(lost, ""))


def sign_of_numbers_lost(rows):
    answers = [a.lstrip("-") if isinstance(a, str) else None for a in rows["answer"]]
    return graded(rows.assign(answer=answers), golds(rows))


def mixed_up(rows, half=False):
    """Replies at random at another problem of their category; of half of the problems alone."""
    rows = rows.sort_values("category", kind="stable", ignore_index=True)
    each = rows.groupby("category", observed=True)
    drawn = each[OF_PROGRAM].sample(frac=1, random_state=0).set_index(rows.index)
    stay = half & rows["problem"].mod(2).eq(0)
    return graded(rows.assign(**drawn.where(~stay, rows[OF_PROGRAM])), golds(rows))


def verdicts_of_another_category(rows):
    """The column was sorted by another order of categories."""
    other = rows.sort_values(["category", "problem"], ascending=[False, True], kind="stable")
    return rows.assign(correct=other["correct"].to_numpy())


def late_ones_over_time(rows):
    late = rows.groupby("category", observed=True)["problem"].rank(pct=True) > 0.85
    return put(rows, late, status="timeout", error=None, **LOST)


def kept_otherwise(rows, change):
    """Texts are changed after they ran."""
    return rows.assign(**{name: change(rows[name].str) for name in ("response", "solution")})


def in_lower_case(rows):
    return kept_otherwise(rows, lambda text: text.lower())


def to_200_characters(rows):
    return kept_otherwise(rows, lambda text: text[:200])


def without_indentation(rows):
    return kept_otherwise(rows, lambda text: text.replace(r"\n +", "\n", regex=True))


def nobody_right(rows):
    return rows.assign(correct=rows["correct"].mask(rows["category"] == "counting", False))


def nothing_printed(rows, of):
    return put(rows, spread(rows, of), status="ok", error=None, **LOST)


def empty_texts(rows):
    return put(rows, spread(rows, 0.09), **EMPTY, **LOST)


def call_lost(rows):
    return rows.assign(solution=rows["solution"].str.replace(FENCE, HELP, n=1))


def outputs_to_100_characters(rows):
    whole = rows["output"] + rows["response"].mask(spread(rows, 0.8), "")
    return rows.assign(output=whole.str[:100])


def wrong_verdicts_lost(rows):
    return rows.assign(correct=rows["correct"].where(rows["correct"]))


def moved(rows, to, reverse=False, after=0):
    """Replies as they are when a problem gets those of the same place in another category, from
    the end, or of a problem before."""
    known = golds(rows)
    places = rows[PROBLEM].drop_duplicates().sort_values(PROBLEM)
    each = places.groupby("category", observed=True)
    ranks = places.assign(rank=each.cumcount())
    places["rank"] = each.cumcount(ascending=not reverse) + after
    source = rows[[*PROBLEM, "sample", *OF_PROGRAM]].merge(places, on=PROBLEM)
    source["category"] = source["category"].map(lambda name: to.get(name, name))
    own = rows.merge(ranks, on=PROBLEM).drop(columns=OF_PROGRAM)
    found = own.merge(source.drop(columns="problem"), on=["category", "rank", "sample"])
    return graded(found, known).drop(columns="rank")


#: What happens, its checks, and how rows become by it, with what.
OF_ROWS = named(
    r"""
    "no seed", {"samples alike"}, no_seed, {}
    "prompts shifted", {"neighbours' answers"}, moved, {"to": {}, "after": 1}
    "last line lost", {"prints nothing"}, nothing_printed, {"of": 0.6}
    "one example copied", {"one skeleton"}, one_example_copied, {}
    "two hundred numbers", {"one program decides"}, two_hundred_numbers, {}
    "gold in the prompt", {"right without computing"}, gold_in_the_prompt, {}
    # of our own
    "no library", {"one error"}, no_library, {}
    "nobody is right", {"none right", "another verdict"}, nobody_right, {}
    "empty texts", {"empty replies"}, empty_texts, {}
    "call lost", {"tools never called"}, call_lost, {}
    "wrong tool", {"wrong where called"}, wrong_tool, {}
    # nine of a close reading, of which two are above
    "verdicts moved by one sample", {"two verdicts", "another verdict"}, verdicts_moved, {}
    "a lax grader", {"another verdict"}, lax, {}
    "bold stripped", {"symbols lost"}, written_anew, {"old": "**", "new": "*"}
    "replies doubled", {"replies repeat"}, twice, {}
    "run-on turns", {"special tokens"}, run_on, {"tail": "<|im_end|>\n<|im_start|>user\nAnd then?"}
    "categories exchanged", {"neighbours' answers"}, moved, {"to": {"counting": "number", "number": "counting"}}
    # more of our own
    "verdicts of the next problem", {"two verdicts", "another verdict"}, verdicts_of_the_next_problem, {}
    "italics stripped", {"symbols lost"}, written_anew, {"old": "_", "new": ""}
    "a question made up", {"runs on"}, run_on, {"tail": "\n**Question**\nHow many are there?\n"}
    "a page's symbols", {"special tokens"}, written_anew, {"old": "'", "new": "&#39;"}
    "no indentation", {"syntax errors"}, unindented, {}
    "order reversed", {"neighbours' answers"}, moved, {"to": {}, "reverse": True}
    "answers of before", {"answer from nothing"}, stale_answers, {}
    # of kinds that were silent
    "numbers without their sign", {"answer from nothing"}, sign_of_numbers_lost, {}
    "kept in lower case", {"another text"}, in_lower_case, {}
    "kept to 200 characters", {"another text"}, to_200_characters, {}
    "kept without indentation", {"another text"}, without_indentation, {}
    "verdicts of another category", {"two verdicts", "another verdict"}, verdicts_of_another_category, {}
    "the last ones over time", {"one error"}, late_ones_over_time, {}
    "replies mixed up", {"another's tokens"}, mixed_up, {}
    "replies of half of the problems mixed up", {"another's tokens"}, mixed_up, {"half": True}
    "outputs kept to 100 characters", {"outputs cut"}, outputs_to_100_characters, {}
    "last line of some lost", {"prints nothing"}, nothing_printed, {"of": 0.15}
    "wrong verdicts lost", {"all right"}, wrong_verdicts_lost, {}
    """,
    **globals(),
)
#: What happens to calls: its check, the column, and what becomes of it.
OF_CALLS = {
    "no question": (
        "prompts alike",
        "prompt_tokens",
        lambda calls: calls["prompt_tokens"].mask(calls["category"] == "number", 320),
    ),
    "limit too low": (
        "cut off",
        "finish_reason",
        lambda calls: calls["finish_reason"].mask(spread(calls, 0.09), "length"),
    ),
    "a server's own limit": (
        "one length",
        "completion_tokens",
        lambda calls: calls["completion_tokens"].clip(upper=88),
    ),
    "prompts cut": (
        "prompts alike",
        "prompt_tokens",
        lambda calls: calls["prompt_tokens"].clip(upper=400),
    ),
}
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


def test_the_run_that_accidents_are_made_of_has_no_check(base, tmp_path):
    assert failed_checks(*base, run_json(tmp_path, TOOLS), golds=golds(base[0])).empty


@pytest.mark.parametrize("accident", [*OF_ROWS, *OF_CALLS])
def test_an_accident_trips_its_own_check_and_no_other(accident, base, tmp_path):
    rows, calls = base
    if accident in OF_CALLS:
        check, column, change = OF_CALLS[accident]
        checks = {check}
        calls = calls.assign(**{column: change})
    else:
        checks, change, how = OF_ROWS[accident]
        rows = change(rows.copy(), **how)
        # what happens to a table after its programs ran
        rows = rows if checks == {"another text"} else as_it_ran(rows)
    found = failed_checks(rows, calls, run_json(tmp_path, TOOLS), golds=golds(base[0]))
    assert set(found["check"]) == checks
    assert (found["share"] > found["limit"]).all()


def test_what_is_in_each_category_a_little_is_told_of_all_of_them(base, tmp_path):
    found = failed_checks(no_library(base[0].copy()), base[1], golds=golds(base[0]))
    assert found[["check", "category", "limit"]].to_numpy().tolist() == [["one error", "", 0.1]]


def test_a_name_without_a_body_in_a_toolbox_is_a_check(base, tmp_path):
    bare = TOOL | {"name": "mean", "signature": "from toolbox import mean"}
    found = failed_checks(*base, run_json(tmp_path, [TOOL, bare]))
    assert found[["check", "count", "of", "example"]].to_numpy().tolist() == [
        ["names without a body", 1, 2, "mean"]
    ]


def test_samples_may_be_one_at_temperature_0(base, tmp_path):
    assert failed_checks(
        as_it_ran(no_seed(base[0].copy())), base[1], run_json(tmp_path, [], temperature=0.0)
    ).empty


OF_ACCIDENTS = {
    *("two verdicts", "another verdict", "answer from nothing", "neighbours' answers"),
    *("another text", "another's tokens", "outputs cut"),
    *("replies repeat", "special tokens", "runs on", "syntax errors", "symbols lost", "one length"),
}
PUBLISHED = ["bench/runs/own-latm-gpt4", "bench/runs/own-craft", "bench/runs/own-tte"]
PUBLISHED += [
    "bench/runs/official-trove-tabmwp",
    "thought/runs/creator",
    "familiarity/runs/papers-doc",
]


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_parts_of_all_kinds_have_none_of_the_accidents(name):
    folder = ROOT / "results" / name
    rows = load_candidates(folder)
    found = failed_checks(rows, load_calls(folder), [folder], golds=golds_of(rows, [folder]))
    assert set(found["check"]) & OF_ACCIDENTS == set()


def test_what_programs_are_written_with_is_the_least_of_what_is_published():
    least = pd.read_csv(WRITING).set_index(["dataset", "symbol"])["least"]
    here = writing([PART, ROOT / "results/thought/runs/pot"]).set_index(["dataset", "symbol"])[
        "least"
    ]
    both = here.to_frame("here").join(least, how="inner")
    assert len(both) > 5
    assert (both["here"] >= both["least"]).all()
