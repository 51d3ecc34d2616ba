"""What answers to GQA are worth that never look at an image, beside TroVE's Table 2.

`python -m papers.trove.gqa` makes `results/trove/gqa.csv` from CRAFT's 1,000 questions; TroVE ran all 12,578.
"""

from collections import Counter
from pathlib import Path

import pandas as pd
from scipy.stats import binomtest

from trove_lite.datasets.gqa import records, released_is_correct

from ..tables import published_table

#: A guess → by how many of the question's first words.
GUESSES = {"the most frequent answer": 0, "by the question's first word": 1, "by the question's first two words": 2}


def guesses(words: int) -> pd.Series:
    """For each question whether the most frequent answer among those that open with the same words is right.

    Only questions about other images count; where none opens so, all of these do. words: 0 looks at no question.
    """
    rows = [(e["image_id"], tuple(e["question"].lower().split()[:words]), e["answers"][0]) for e in records()]
    answers: dict[tuple, Counter] = {}
    for image, opening, answer in rows:  # by opening, and of each image by itself to take it away again
        for key in ((opening,), (opening, image), (), ((), image)):
            answers.setdefault(key, Counter())[answer] += 1
    right = []
    for image, opening, answer in rows:
        others = answers[opening,] - answers[opening, image] or answers[()] - answers[(), image]
        right.append(released_is_correct([others.most_common(1)[0][0]], answer))
    return pd.Series(right)


def beside_print() -> pd.DataFrame:
    """A row for each guess, with its 95 % interval (Wilson's) over the questions, and for each system in print."""
    rows = []
    for name, words in GUESSES.items():
        right = guesses(words)
        interval = binomtest(int(right.sum()), len(right)).proportion_ci(method="wilson")
        rows.append((name, len(right), right.mean(), round(interval.low, 4), round(interval.high, 4), "measured"))
    table2 = published_table("trove_table2")
    for row in table2[(table2["task"] == "VISUALQA") & (table2["metric"] == "acc")].itertuples():
        rows.append((row.method, 12_578, row.value, None, None, "printed"))
    return pd.DataFrame(rows, columns=["system", "questions", "accuracy", "low", "high", "status"])


def main() -> None:
    """Write and print the table."""
    table, file = beside_print(), Path("results/trove/gqa.csv")
    file.parent.mkdir(parents=True, exist_ok=True)
    table.to_csv(file, index=False, lineterminator="\n")
    print(table.to_string(index=False, na_rep=""))


if __name__ == "__main__":
    main()
