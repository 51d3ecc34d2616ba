"""CREATOR's answers graded anew (`graders`) from the texts of runs, or else the numbers read in
them."""

from collections.abc import Sequence

import pandas as pd

from trove_lite.candidates import UNAVAILABLE
from trove_lite.datasets.base import Dataset, Problem
from trove_lite.errors import TroveLiteError
from trove_lite.judge.canonical import number_text

from . import graders

#: Whose texts are a model's own words, with what kind of reading; all others print.
WORDS = {"standard": "words", "cot": "words", "tool_use_sympy": "continued"}
#: How the released grader reads a method's texts, where not as what a program printed.
READ_AS = WORDS | {"transfer": "transfer"}
#: Verdicts by name: the released grader's, the one-answer grader's, and its answer by two plainer
#: comparisons.
GRADERS = ("released", "one-answer", "within 0.01", "two decimals")
GRADED_BY = ["text", "gold", "kind"]


def gold_answers(dataset: Dataset, categories: Sequence[str]) -> pd.DataFrame:
    """A row a problem: `gold`, a number, and whether it is given away (`gold_in_input`)."""
    problems = [(c, p.index, p.gold, gold_in_input(p)) for c in categories for p in dataset.load(c)]
    return pd.DataFrame(problems, columns=["category", "problem", "gold", "gold_in_input"])


def gold_in_input(problem: Problem) -> bool:
    """Whether the answer is given away: a number of the question, table or constants is gold, to
    two decimals."""
    if not isinstance(problem.gold, int | float):
        raise TroveLiteError(
            f"the answers of {problem.dataset} are no numbers; CREATOR's graders are for numbers"
        )
    text = f"{problem.question.context}\n{problem.question.text}"
    return any(
        round(float(number), 2) == round(problem.gold, 2) for number in graders.NUMBER.findall(text)
    )


def texts_of(candidates: pd.DataFrame) -> pd.Series:
    """What each candidate is graded by: what a program printed, or all that a model said."""
    if "output" not in candidates:
        return (
            candidates["answers"]
            .map(lambda answers: "" if answers is None else " ".join(answers))
            .astype(object)
        )
    words = candidates["method"].astype(str).isin(WORDS)
    return (
        candidates["output"]
        .astype(object)
        .where(~words, candidates["response"].astype(object))
        .fillna("")
    )


def graded_anew(candidates: pd.DataFrame, golds: pd.DataFrame, grader: str) -> pd.DataFrame:
    """The candidates with the verdicts of all GRADERS, null where one could not be had, and with
    `gold_in_input`.

    One grader's verdict is `correct`; the one answer alone may vote. golds: of
    `gold_answers`.
    """
    if grader not in GRADERS:
        raise TroveLiteError(f"grader '{grader}': choose from {', '.join(GRADERS)}")
    status = candidates["status"].astype(str)
    keyed = candidates[["category", "problem", "method"]].astype(
        {"category": str, "problem": "int64", "method": str}
    )
    keyed["text"], keyed["kind"] = (
        texts_of(candidates).where(status == "ok"),
        keyed["method"].map(READ_AS),
    )
    keyed = keyed.fillna({"kind": "program"}).merge(golds, on=["category", "problem"], how="left")
    asked = keyed[GRADED_BY].dropna(subset="text").drop_duplicates(ignore_index=True)
    if asked["gold"].isna().any():
        raise TroveLiteError(
            "a candidate's problem is not in its data set; is this another version of the data?"
        )
    graded = pd.DataFrame(
        [_verdicts(*row) for row in asked.itertuples(index=False)], columns=[*GRADERS, "answer"]
    )
    found = keyed.merge(
        pd.concat([asked, graded], axis="columns"), on=GRADED_BY, how="left"
    ).set_axis(candidates.index)
    for name in GRADERS:
        found[name] = found[name].eq(True).astype("boolean").mask(status == UNAVAILABLE)
    answer = [None if pd.isna(text) else canonical(text) for text in found["answer"]]
    own = {"answer": answer, "answers": [[] if text is None else [text] for text in answer]}
    return candidates.assign(correct=found[grader], **own, **found[[*GRADERS, "gold_in_input"]])


def _verdicts(text: str, gold: float, kind: str) -> tuple[bool, bool, bool, bool, str | None]:
    number = graders.answer_number(text)
    answer = graders.read_one(text)
    near = number is not None and (number == gold or abs(number - gold) < graders.TOLERANCE)
    same = number is not None and round(number, 2) == round(gold, 2)
    return (
        graders.released(text, gold, kind),
        graders.one_answer(text, gold),
        near,
        same,
        answer[0] if answer else None,
    )


def canonical(answer: str) -> str:
    """An answer as it votes: numbers that are the same to two decimals are one, as they are for
    grading."""
    try:
        return number_text(round(float(answer), 2))
    except (ValueError, OverflowError):
        return answer
