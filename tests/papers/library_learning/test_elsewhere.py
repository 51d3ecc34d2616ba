"""By which reading of the public logs others' numbers come out to the digit, and by which not.

readings.csv: points with a 95 % interval over problems, here (`found`) and elsewhere (`read`). GPT-4o
is computed again from the files; GPT-4o-mini where its transcripts are there, which are 98 MB.
"""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from trove_lite.datasets.files import data_folder
from trove_lite.errors import TroveLiteError
from trove_lite.judge.answers import closing_brace
from trove_lite_papers.library_learning import published, talks

READINGS = pd.read_csv(Path(__file__).with_name("readings.csv"))
UNITS = re.compile(r"\^?\{?\\circ\}?|\\?%|\\(?:text|mathrm)\{[^}]*\}|\\?\$|,")
FRACTION = re.compile(r"(-?)\\[dt]?frac\{?(-?\d+)\}?\{?(-?\d+)\}?")
PROBLEM = ["category", "problem"]


def value(text: str | None) -> float | None:
    """The number that a boxed text is, without its unit; None for any other."""
    bare = UNITS.sub("", text or "").strip()
    if (found := FRACTION.fullmatch(bare)) and int(found[3]):
        return float(f"{found[1]}1") * int(found[2]) / int(found[3])
    try:
        return float(bare)
    except ValueError:
        return None


def last_number(text: str | None) -> float | None:
    found = re.findall(r"-?\d+(?:\.\d+)?", (text or "").replace(",", ""))
    return float(found[-1]) if found else None


def first_box(text: str) -> str | None:
    at = text.find(talks.BOX)
    return text[at + len(talks.BOX) : closing_brace(text, at + len(talks.BOX))] if at >= 0 else None


def of_text(talk, gold, theirs) -> bool:
    """The first reply with a box: its last, by text."""
    return bool(talk.boxes) and talk.boxes[0] == str(gold).removesuffix(".0")


def after_a_program(talk, gold, theirs) -> bool:
    """The first box after a reply with code, as a number; the verdict of the file without one."""
    coded = ["```" in text for text in talk.replies]
    start = coded.index(True) + 1 if any(coded) else len(coded)
    boxes = [box for text in talk.replies[start:] if (box := first_box(text)) is not None]
    if not boxes:
        return theirs
    try:
        return abs(float(boxes[0]) - float(gold)) < 1e-6
    except ValueError:
        return False


def voted(runs: pd.DataFrame) -> float:
    """The share of a vote's winners that are right; ties are shared, and no answer has no vote."""
    votes = runs.dropna(subset="says").groupby("says")["theirs"].agg(["size", "mean"])
    return votes.loc[votes["size"] == votes["size"].max(), "mean"].mean() if len(votes) else 0.0


FIRST = {"by text": of_text, "after a program, else the verdict": after_a_program}
VOTES = {
    "any two runs, any answer": ([(0, 1), (0, 2), (1, 2)], lambda text: text),
    "the first two runs, any answer": ([(0, 1)], lambda text: text),
    "the first two runs, the last number": ([(0, 1)], last_number),
    "the first two runs, numbers alone": ([(0, 1)], value),
}


@pytest.fixture(scope="module", params=["gpt-4o-2024-08-06", "gpt-4o-mini-2024-07-18"])
def asked(request):
    root = data_folder() / published.AGENTS
    if not root.is_dir():
        pytest.skip("public data is not here: trove-lite fetch math strong")
    runs = [run for run in talks.runs_of(root)[0] if run.test.model == request.param]
    try:
        told = talks.talks_of(root, runs)
    except TroveLiteError:
        pytest.skip(f"the transcripts of {request.param} are not here: trove-lite fetch strong")
    rows = []
    for number, run in enumerate(runs):
        golds = [problem.gold for problem in talks.problems_asked(run)]
        for talk, theirs in zip(told[number], run.verdicts, strict=True):
            row = {"method": run.method, "category": run.category, "seed": run.seed, "talk": talk}
            rows.append(
                row | {"problem": talk.number, "gold": golds[talk.number], "theirs": theirs}
            )
    return request.param, pd.DataFrame(rows)


def told(gap: pd.Series) -> str:
    half = 1.96 * gap.std() / np.sqrt(len(gap))
    ends = gap.mean() + np.array([0, -half, half])
    return "{:.1f} [{:.1f}, {:.1f}]".format(*100 * ends)


def found(model: str, reading: str) -> str:
    rows = READINGS[(READINGS["model"] == model) & (READINGS["reading"] == reading)]
    return rows["found"].iloc[0]


@pytest.mark.parametrize("reading", FIRST)
def test_first_boxed_answers_by_each_reading(reading, asked):
    model, rows = asked
    cells = zip(rows["talk"], rows["gold"], rows["theirs"], strict=True)
    right = rows.assign(right=[float(FIRST[reading](*each)) for each in cells])
    means = right.groupby([*PROBLEM, "method"])["right"].mean().unstack()
    assert told(means[talks.TOOLS] - means["react"]) == found(model, reading)


@pytest.mark.parametrize("reading", VOTES)
def test_the_vote_of_two_by_each_reading(reading, asked):
    model, rows = asked
    pairs, says = VOTES[reading]
    rows = rows.assign(says=[says(talk.final) for talk in rows["talk"]])
    ours = rows[rows["method"] == talks.TOOLS].groupby(PROBLEM)["theirs"].mean()
    plain = rows[rows["method"] == "react"]
    both = [plain[plain["seed"].isin(pair)].groupby(PROBLEM) for pair in pairs]
    votes = [of[["says", "theirs"]].apply(voted) for of in both]
    assert told(ours - sum(votes) / len(votes)) == found(model, reading)
