"""Checks of what was graded: a verdict follows from a problem and an answer, and an answer from what
a program prints.

Nothing is executed. Numbers are held against golds as the papers' rule has them, to two decimals;
what is no number is not graded again."""

from collections.abc import Iterator, Mapping
from math import sqrt
from typing import NamedTuple

import numpy as np
import pandas as pd

from trove_lite.candidates import fingerprint

from .check import PROBLEM, Seen

CLOSE = 0.0101  # two numbers are one, to two decimals
PLAIN = r"-?\d{1,15}(?:\.\d{1,15})?"  # a number that a float holds
STEPS = (1, -1, 2, -2, 3, -3)
Golds = Mapping[tuple[str, int], str]  # by category and problem, as canonical text


def of_verdicts(part: pd.DataFrame) -> Iterator[Seen]:
    """Answers of a problem that have two verdicts, or another than their gold gives (`misjudged`,
    as of `regraded`), or another than its program printed."""
    read = {*PROBLEM, "answer", "correct", "status", "misjudged", "output"}
    given = part.loc[part["answer"].notna(), [name for name in part if name in read]]
    judged = given[given["correct"].notna()]
    judged = judged.assign(right=judged["correct"].astype(float))
    answers = judged.groupby([*PROBLEM, "answer"], observed=True)
    each = answers["right"].agg(["min", "max"])
    torn = each.index[each["min"] < each["max"]]
    example = " ".join(map(str, next(iter(torn), ())))
    yield Seen("two verdicts", len(torn), len(each), example)
    wrong = judged[judged["misjudged"]]
    yield Seen(
        "another verdict",
        len(wrong),
        len(judged),
        first_of(wrong),
    )
    nothing = given["status"] != "ok"
    if "output" in given:  # an outcomes file keeps no texts
        output = given["output"].fillna("").astype(str).str.strip()
        printed = pd.to_numeric(output.where(output.str.fullmatch(PLAIN)), errors="coerce")
        answer = pd.to_numeric(given["answer"].astype(object), errors="coerce")
        nothing |= (output == "") | ((printed - answer).abs() > CLOSE)
    lost = given[nothing]
    yield Seen(
        "answer from nothing",
        len(lost),
        len(given),
        first_of(lost),
    )


def of_records(part: pd.DataFrame) -> Iterator[Seen]:
    """Programs whose text is not the one that was kept by its fingerprint: it was changed since."""
    known = part.dropna(subset=["program", "solution"])  # of a private text nothing is known
    texts = known[["solution", "tools"]].fillna("").itertuples(index=False, name=None)
    changed = known[[fingerprint(*text) for text in texts] != known["program"]]
    yield Seen("another text", len(changed), len(known), first_of(changed))


def regraded(rows: pd.DataFrame, golds: Golds) -> pd.Series:
    """Whether a verdict is another than its gold gives: right though not within two decimals, wrong
    though the same."""
    keys = zip(rows["category"], rows["problem"], strict=True)
    gold = pd.Series(
        [golds.get(key) for key in keys],
        rows.index,
        dtype=object,
    )
    answer = rows["answer"].astype(object)
    ours = pd.to_numeric(answer, errors="coerce")
    theirs = pd.to_numeric(gold, errors="coerce")
    right, wrong = (
        rows["correct"].eq(verdict).fillna(False).astype(bool) for verdict in (True, False)
    )
    far = (ours - theirs).abs() > CLOSE
    same = answer.eq(gold) & gold.notna()
    return (right & far) | (wrong & same)


def first_of(rows: pd.DataFrame) -> str:
    """The first of these rows in words: its problem and answer."""
    return next((f"{row.category} {row.problem}: {row.answer}" for row in rows.itertuples()), "")


class Coded(NamedTuple):
    """Answers and golds as numbers: a row an answer, with its problem's place; a place a problem,
    in order."""

    place: np.ndarray  # of each row
    answer: np.ndarray  # of each row
    gold: np.ndarray  # of each place; -1: not known
    category: np.ndarray  # of each place
    rank: np.ndarray  # of each place, within its category
    names: np.ndarray  # of the categories

    def at(self, category: np.ndarray, rank: np.ndarray) -> np.ndarray:
        """The golds of the problems of these ranks in these categories; -1 where there is none."""
        size = self.rank.max(initial=0) + 1
        table = np.full((len(self.names), size), -1)
        table[self.category, self.rank] = self.gold
        inside = (rank >= 0) & (rank < size)
        near = np.clip(rank, 0, size - 1)
        return np.where(
            inside,
            table[category, near],
            -1,
        )


def of_others(part: pd.DataFrame, golds: Golds) -> Iterator[Seen]:
    """Answers that are another problem's gold, as where replies or golds were mixed up: of one some
    steps before or after, of the one as far from the end, of the one at the same place of another
    category.

    Expected are as many as chance gives (an answer against all golds of that category) and three
    standard errors. It is no failed check where answers are their own gold more often. Told is where it is
    strongest.
    """
    rows = part[part["answer"].notna()]
    if rows.empty or not golds:
        return
    coded = code(part, rows, golds)
    found = []
    for other, words in alignments(coded):
        found += told(coded, other, words)
    if found:
        yield max(found, key=lambda seen: seen.count / seen.of - seen.more)


def code(part: pd.DataFrame, rows: pd.DataFrame, golds: Golds) -> Coded:
    problems = part[PROBLEM].drop_duplicates().sort_values(PROBLEM, ignore_index=True)
    category, names = pd.factorize(problems["category"])
    known = [golds.get(key) for key in problems.itertuples(index=False, name=None)]
    texts = pd.concat([rows["answer"].astype(object), pd.Series(known, dtype=object)])
    codes, _ = pd.factorize(texts)
    places = rows[PROBLEM].merge(
        problems.reset_index(names="place"),
        on=PROBLEM,
        how="left",
    )
    rank = problems.groupby("category", observed=True).cumcount().to_numpy()
    return Coded(
        place=places["place"].to_numpy(),
        answer=codes[: len(rows)],
        gold=codes[len(rows) :],
        category=category,
        rank=rank,
        names=np.asarray(names),
    )


def alignments(coded: Coded) -> Iterator[tuple[np.ndarray, str]]:
    """For each place the gold of another one, in words which."""
    for step in STEPS:
        where = f"of problems {abs(step)} {'before' if step > 0 else 'after'}"
        yield coded.at(coded.category, coded.rank - step), where
    last = np.bincount(coded.category) - 1
    yield coded.at(coded.category, last[coded.category] - coded.rank), "in reverse"
    for number, name in enumerate(coded.names):
        other = coded.at(np.full_like(coded.category, number), coded.rank)
        yield np.where(coded.category == number, -1, other), f"of {name}"


def told(coded: Coded, other: np.ndarray, words: str) -> Iterator[Seen]:
    """What of each category's answers are these other golds, and of all of them."""
    theirs = other[coded.place]
    own = coded.gold[coded.place]
    valid = (theirs >= 0) & (theirs != own)
    category = coded.category[coded.place]
    parts = {name: category == number for number, name in enumerate(coded.names)}
    parts["all"] = np.full(len(valid), True)
    for name, within in parts.items():
        rows = valid & within
        hits = int((rows & (coded.answer == theirs)).sum())
        if hits <= int((rows & (coded.answer == own)).sum()):
            continue
        problems = len(np.unique(coded.place[rows]))
        chance = likely(coded.answer[rows], other[(other >= 0)])
        error = sqrt(chance * (1 - chance) / problems)
        yield Seen(
            "neighbours' answers",
            hits,
            int(rows.sum()),
            f"{name}: {words}",
            problems,
            chance + 3 * error,
        )


def likely(answers: np.ndarray, golds: np.ndarray) -> float:
    """How often an answer is one of these golds, drawn at random."""
    if not len(answers) or not len(golds):
        return 0.0
    times = np.bincount(golds, minlength=answers.max() + 1)
    return float(times[answers].mean()) / len(golds)
