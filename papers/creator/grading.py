"""CREATOR's answers graded anew from what programs printed and models said.

Every verdict is computed from the candidates' own texts by both graders (`datasets.graders`), never read from the run.
Where a run kept no texts, the numbers that its data set read in them stand in.
"""

from collections.abc import Sequence

import pandas as pd

from trove_lite.candidates import UNAVAILABLE
from trove_lite.datasets import graders
from trove_lite.datasets.base import Dataset
from trove_lite.errors import TroveLiteError
from trove_lite.selection import number_text

#: Whose texts are a model's own words, with what kind of reading; all others print.
WORDS = {"standard": "words", "cot": "words", "tool_use_sympy": "continued"}
#: Verdicts by name: the released grader's, the strict one's, and the strict answer by two plainer comparisons.
GRADERS = ("released", "strict", "within 0.01", "two decimals")
GRADED_BY = ["text", "gold", "kind"]


def gold_answers(dataset: Dataset, categories: Sequence[str]) -> pd.DataFrame:
    """A row a problem: `gold`, a number, and whether it is among the numbers of the question and what it is about.

    Raises TroveLiteError where the data set's file is not there, or its answers are no numbers.
    """
    rows = [
        {"category": category, "problem": problem.index, "gold": problem.gold, "gold_in_input": gold_in_input(problem)}
        for category in categories
        for problem in dataset.load(category)
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
    golds = gold_answers(dataset, dataset.categories)
    several = len(dataset.categories) > 1
    parts = pd.concat([golds, golds.assign(category="all")]) if several else golds
    leaks = parts.groupby("category", sort=False)["gold_in_input"]
    return leaks.agg(problems="size", gold_in_input="mean").reset_index()


def texts_of(candidates: pd.DataFrame) -> pd.Series:
    """What each candidate is graded by: what a program printed, or all that a model said."""
    if "output" not in candidates:
        return candidates["answers"].map(lambda answers: "" if answers is None else " ".join(answers)).astype(object)
    words = candidates["method"].astype(str).isin(WORDS)
    return candidates["output"].astype(object).where(~words, candidates["response"].astype(object)).fillna("")


def verdicts(candidates: pd.DataFrame, golds: pd.DataFrame) -> pd.DataFrame:
    """For each candidate the verdicts of all GRADERS (null where it could not be had) and its `strict_answer`.

    golds: of `gold_answers`. A program that failed has no answer. Texts repeat, so each is graded once.
    """
    keyed = candidates[["category", "problem", "method"]].astype({"category": str, "problem": "int64", "method": str})
    status = candidates["status"].astype(str)
    keyed["text"] = texts_of(candidates).where(status == "ok")
    keyed["kind"] = keyed["method"].map(WORDS).fillna("program")
    keyed = keyed.merge(golds, on=["category", "problem"], how="left")
    asked = keyed[GRADED_BY].dropna(subset="text").drop_duplicates(ignore_index=True)
    if asked["gold"].isna().any():
        raise TroveLiteError("a candidate's problem is not in its data set; is this another version of the data?")
    graded = pd.DataFrame([_verdicts(*row) for row in asked.itertuples(index=False)])
    graded = pd.concat([asked, graded.reindex(columns=[*GRADERS, "strict_answer"])], axis="columns")
    found = keyed.merge(graded, on=GRADED_BY, how="left").set_axis(candidates.index)
    for name in GRADERS:
        found[name] = found[name].eq(True).astype("boolean").mask(status == UNAVAILABLE)
    return found[[*GRADERS, "strict_answer", "gold_in_input"]]


def _verdicts(text: str, gold: float, kind: str) -> dict:
    number, answer = graders.strict_number(text), graders.read_one(text)
    return {
        "released": graders.released(text, gold, kind),
        "strict": graders.strict(text, gold),
        "within 0.01": number is not None and (number == gold or abs(number - gold) < graders.TOLERANCE),
        "two decimals": number is not None and round(number, 2) == round(gold, 2),
        "strict_answer": answer[0] if answer else None,
    }


def graded_by(candidates: pd.DataFrame, grader: str, found: pd.DataFrame) -> pd.DataFrame:
    """The candidates with all verdicts, of which one grader's counts (`correct`), and the strict answer as their own:
    it alone may vote."""
    if grader not in GRADERS:
        raise TroveLiteError(f"grader '{grader}': choose from {', '.join(GRADERS)}")
    answer = [None if pd.isna(text) else canonical(text) for text in found["strict_answer"]]
    answers = [[] if text is None else [text] for text in answer]
    rest = {name: found[name].array for name in (*GRADERS, "gold_in_input")}
    return candidates.assign(correct=found[grader].array, answer=answer, answers=answers, **rest)


def canonical(answer: str) -> str:
    """An answer as it votes: numbers that are the same to two decimals are one, as they are for grading."""
    try:
        return number_text(round(float(answer), 2))
    except (ValueError, OverflowError):
        return answer
