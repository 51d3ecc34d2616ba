"""What answers to GQA are worth that never look at an image, beside TroVE's Table 2; and which data
sets Table 1 has.

`python -m trove_lite_papers.trove.gqa` makes both in `results/trove/`, from CRAFT's 1,000 of
TroVE's 12,578 questions.
"""

from collections import Counter

import pandas as pd
from scipy.stats import binomtest

from trove_lite.datasets import load_problems
from trove_lite_papers.images.gqa import records
from trove_lite_papers.images.primitives import printed_in_any_case

from ..pages import save
from ..tables import published_table
from .simplicity import CALLED

GUESSES = {
    "the most frequent answer": 0,
    "by the question's first word": 1,
    "by the question's first two words": 2,
}
PEEKED = 20  # questions of a first word


def guesses(words: int) -> pd.Series:
    """Per question: is the most frequent answer to those on other images that open with the same
    words right?"""
    rows = [
        (e["image_id"], tuple(e["question"].lower().split()[:words]), e["answers"][0])
        for e in records()
    ]
    answers: dict[tuple, Counter] = {}
    for (
        image,
        opening,
        answer,
    ) in rows:  # by opening, and of each image by itself to take it away again
        for key in ((opening,), (opening, image), (), ((), image)):
            answers.setdefault(key, Counter())[answer] += 1
    right = []
    for image, opening, answer in rows:
        others = answers[opening,] - answers[opening, image] or answers[()] - answers[(), image]
        right.append(printed_in_any_case([others.most_common(1)[0][0]], answer))
    return pd.Series(right)


def peeked() -> pd.Series:
    """Per question: is the most frequent answer by its first word right, where it was counted
    itself (24.4 %)?"""
    rows = pd.DataFrame(
        [(e["question"].split()[0], e["answers"][0]) for e in records()], columns=["word", "gold"]
    )
    by_word = rows.groupby("word")["gold"]
    often = by_word.transform(lambda golds: golds.mode()[0]).where(
        by_word.transform("size") >= PEEKED
    )
    return rows["gold"] == often.fillna(rows["gold"].mode()[0])


def beside_print() -> pd.DataFrame:
    """A row for each guess, with its 95 % interval (Wilson's) over the questions, and for each
    system in print."""
    rows = []
    ways = {name: guesses(words) for name, words in GUESSES.items()} | {
        f"by a first word of {PEEKED}, seen": peeked()
    }
    for name, right in ways.items():
        interval = binomtest(int(right.sum()), len(right)).proportion_ci(method="wilson")
        rows.append(
            (
                name,
                len(right),
                right.mean(),
                round(interval.low, 4),
                round(interval.high, 4),
                "measured",
            )
        )
    table2 = published_table("trove_table2")
    for row in table2[(table2["task"] == "VISUALQA") & (table2["metric"] == "acc")].itertuples():
        rows.append((row.method, 12_578, row.value, None, None, "printed"))
    return pd.DataFrame(rows, columns=["system", "questions", "accuracy", "low", "high", "status"])


def table1() -> pd.DataFrame:
    """Table 1: of each of its 11 data sets how many questions are in print (`size`) and here
    (`here`)."""
    table = published_table("trove_table1")
    own = {name: data_set for data_set, name in CALLED.items()}
    pairs = [(own.get(name, "math"), own.get(name, name)) for name in table["category"]]
    return table.assign(here=[len(load_problems(*pair)) for pair in pairs])[
        ["task", "category", "size", "here"]
    ]


if __name__ == "__main__":
    for name, table in {"gqa": beside_print(), "table1": table1()}.items():
        print(save(table, "results/trove", name).to_string(index=False, na_rep=""), "\n")
    print(f"{(table['here'] > 0).sum()} of Table 1's {len(table)} data sets are here")
