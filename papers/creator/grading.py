"""CREATOR's answers graded anew from what programs printed and models said, and what the released grader gives away.

Every verdict is computed from the candidates' own texts by both graders (`datasets.graders`), never read from the run.
Where a run kept no texts, the numbers that its data set read in them stand in.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from trove_lite.candidates import UNAVAILABLE
from trove_lite.datasets import graders, load_dataset
from trove_lite.datasets.base import Dataset
from trove_lite.errors import TroveLiteError
from trove_lite.selection import number_text

from .. import named

#: Whose texts are a model's own words, with what kind of reading; all others print.
WORDS = {"standard": "words", "cot": "words", "tool_use_sympy": "continued"}
#: Verdicts by name: the released grader's, the strict one's, and the strict answer by two plainer comparisons.
GRADERS = ("released", "strict", "within 0.01", "two decimals")
LENIENCY_COLUMNS = [
    "category",
    "system",
    *GRADERS,
    "leniency",
    "gifts",
    "gold_in_input",
    "candidates",
    "problems",
    "note",
]


def gold_answers(dataset: str, categories: Sequence[str]) -> pd.DataFrame:
    """A row a problem: `gold`, a number, and whether it is among the numbers of the question and what it is about.

    Raises TroveLiteError where the data set or its file is not there, or its answers are no numbers.
    """
    found = load_dataset(dataset)
    rows = [
        {"category": category, "problem": problem.index, "gold": problem.gold, "gold_in_input": gold_in_input(problem)}
        for category in categories
        for problem in found.load(category)
    ]
    return pd.DataFrame(rows)


def gold_in_input(problem) -> bool:
    """Whether the answer is given away: a number of the question, table or constants is gold, to two decimals."""
    if not isinstance(problem.gold, int | float):
        raise TroveLiteError(f"the answers of {problem.dataset} are no numbers; CREATOR's graders are for numbers")
    text = f"{problem.question.context}\n{problem.question.text}"
    return any(round(float(number), 2) == round(problem.gold, 2) for number in graders.NUMBER.findall(text))


def input_leaks(dataset: Dataset) -> pd.DataFrame:
    """A row a category, and one for all: problems, and the share whose answer is among the input's numbers."""
    parts = {
        category: [gold_in_input(problem) for problem in dataset.load(category)] for category in dataset.categories
    }
    if len(parts) > 1:
        parts["all"] = [leak for part in parts.values() for leak in part]
    return pd.DataFrame(
        [{"category": name, "problems": len(part), "gold_in_input": np.mean(part)} for name, part in parts.items()]
    )


def texts_of(candidates: pd.DataFrame) -> pd.Series:
    """What each candidate is graded by: what a program printed, or all that a model said."""
    if "output" not in candidates:
        return candidates["answers"].map(lambda answers: "" if answers is None else " ".join(answers)).astype(object)
    words = candidates["method"].astype(str).isin(WORDS)
    return candidates["output"].astype(object).where(~words, candidates["response"].astype(object)).fillna("")


def verdicts(candidates: pd.DataFrame, golds: pd.DataFrame) -> pd.DataFrame:
    """For each candidate the verdicts of all GRADERS (null where it could not be had) and its `strict_answer`.

    A program that failed has no answer. Texts repeat, so each is graded once.
    """
    keyed = candidates[["category", "problem", "method", "status"]].astype({"category": str, "method": str})
    keyed["text"] = texts_of(candidates).where(candidates["status"].astype(str) == "ok")
    keyed["kind"] = keyed["method"].map(WORDS).fillna("program")
    keyed["problem"] = keyed["problem"].astype("int64")
    keyed = keyed.merge(golds, on=["category", "problem"], how="left")
    keyed.index = candidates.index
    asked = keyed[["text", "gold", "kind"]].dropna(subset="text").drop_duplicates()
    if asked["gold"].isna().any():
        raise TroveLiteError("a candidate's problem is not in its data set; is this another version of the data?")
    graded = pd.DataFrame([_graded(*row) for row in asked.itertuples(index=False)], index=asked.index)
    graded = pd.concat([asked, graded.reindex(columns=[*GRADERS, "strict_answer"])], axis=1)
    found = keyed.merge(graded, on=["text", "gold", "kind"], how="left")
    found.index = candidates.index
    missing = (candidates["status"].astype(str) == UNAVAILABLE).to_numpy()
    for name in GRADERS:
        right = np.array([value is True for value in found[name].astype(object)])
        found[name] = pd.array(np.where(missing, None, right), dtype="boolean")
    return found[[*GRADERS, "strict_answer", "gold_in_input"]]


def _graded(text: str, gold: float, kind: str) -> dict:
    number, answer = graders.strict_number(text), graders.read_one(text)
    return {
        "released": graders.released(text, gold, kind),
        "strict": graders.strict(text, gold),
        "within 0.01": number is not None and (number == gold or abs(number - gold) < graders.TOLERANCE),
        "two decimals": number is not None and round(number, 2) == round(gold, 2),
        "strict_answer": answer[0] if answer else None,
    }


def graded_by(candidates: pd.DataFrame, grader: str, found: pd.DataFrame) -> pd.DataFrame:
    """The candidates with one grader's verdicts, and the strict answer, the only one that may vote, as their answer."""
    if grader not in GRADERS:
        raise TroveLiteError(f"grader '{grader}': choose from {', '.join(GRADERS)}")
    answer = found["strict_answer"].where(found["strict_answer"].notna(), None)
    answers = [[] if value is None else [canonical(value)] for value in answer]
    return candidates.assign(
        correct=found[grader].array, answer=[a[0] if a else None for a in answers], answers=answers
    )


def canonical(answer: str) -> str:
    """An answer as it votes: numbers that are the same to two decimals are one, as they are for grading."""
    try:
        return number_text(round(float(answer), 2))
    except (ValueError, OverflowError):
        return answer


def leniency(candidates: pd.DataFrame, titles: dict[str, str], *, texts: bool = True) -> pd.DataFrame:
    """What the released grader gives, by category and method: mean verdicts of single attempts, and their difference.

    `leniency` is released less strict; `gifts` the share of attempts that released alone calls right whose gold answer
    is a number of the input; `gold_in_input` the share of problems with such an answer. Of candidates with the columns
    of `verdicts`. titles: what tables call a method.
    """
    rows = []
    categories = [*dict.fromkeys(candidates["category"].astype(str))]
    stream = candidates[(candidates["phase"].astype(str) == "stream") & candidates["strict"].notna()]
    for category in [*categories, *(["all"] if len(categories) > 1 else [])]:
        here = stream if category == "all" else stream[stream["category"].astype(str) == category]
        for method in (method for method in titles if method in set(here["method"].astype(str))):
            part = here[here["method"].astype(str) == method]
            means = {name: float(part[name].astype(float).mean()) for name in GRADERS}
            alone = part["released"].astype(bool) & ~part["strict"].astype(bool)
            problems = part.drop_duplicates(["category", "problem"])
            rows.append(
                {"category": category, "system": titles[method]}
                | means
                | {
                    "leniency": means["released"] - means["strict"],
                    "gifts": float((alone & part["gold_in_input"]).mean()),
                    "gold_in_input": float(problems["gold_in_input"].mean()),
                    "candidates": len(part),
                    "problems": len(problems),
                    "note": "" if texts else "texts were not kept: graded by the numbers in them",
                }
            )
    return named(pd.DataFrame(rows, columns=LENIENCY_COLUMNS), "creator_leniency", "What the released grader gives", "")
