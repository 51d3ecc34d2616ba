"""Finished runs and imported logs, judged again: what a rule says of the same outputs. No program
runs."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import pandas as pd

from trove_lite.candidates import KEY, SELECTED, load_candidates, read_description
from trove_lite.datasets import GRADERS, grader_of, load_dataset
from trove_lite.datasets.base import Dataset, Problem, Question, judge_output
from trove_lite.errors import TroveLiteError
from trove_lite.judge.answers import NUMBER, graded, read_last_line, text_is_correct
from trove_lite.judge.strict import is_right, unread
from trove_lite.judge.values import read_answer
from trove_lite.judge.votes import named, renamed
from trove_lite.programs import code_of, operations

from . import HARNESSES

SHOWN = 3  # examples
#: The papers' rule, but for problems whose released gold or reading is wrong: these are judged
#: strictly, by the right answer of the file. Released is what the papers' tables are made of, and
#: stays the default.
CORRECTED = "corrected"
CORRECTIONS = Path(__file__).with_name("corrections.csv")
VERDICTS = [*KEY, "gold", "answer_before", "right_before", "answer", "right"]


def judge_run(run: str | Path, grader: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A run's candidates with the verdicts of `grader`, and a table of both verdicts on each output
    (`VERDICTS`).

    strict is the judge of one's own problems, for any data set; papers, the rule of the data set
    itself; corrected, the same with CORRECTIONS. Outputs that a record cut short, failed programs
    and missing samples keep their verdicts. Raises TroveLiteError where there are no texts, or no
    gold answers."""
    old = load_candidates(run)
    about = read_description(run)
    if "response" not in old:
        raise TroveLiteError(f"{run}: holds no texts; name a run folder that does")
    ready = (
        (old["status"] == "ok")
        & (old["phase"] != SELECTED)
        & ~old["shortened"].fillna(False).astype(bool)
    )
    found = {
        name: old[name].astype(object).tolist()
        for name in ("answers", "answer", "correct", "operations")
    }
    rules = {}
    both = []
    fixed = corrections() if grader == CORRECTED else {}
    for place, row in zip(ready.to_numpy().nonzero()[0], old[ready].itertuples(), strict=True):
        where = row.dataset, row.category
        if where not in rules:
            rules[where] = _rule(*where, about, grader, run)
        dataset, problems = rules[where]
        if row.problem not in problems:
            raise TroveLiteError(
                f"{run}: no gold answer for problem {row.problem} of {row.category} is at hand"
            )
        problem = problems[row.problem]
        gold = fixed.get((*where, row.problem))
        output = text_of_answer(row)
        answers, right = dataset.judge_output(output, problem.question, problem.gold)
        answer = graded(answers)
        right = right if gold is None else judge_output(read_answer, is_right, output, [gold])[1]
        count = operations(code_of(row.solution or "")) if answers else None
        for column, value in zip(found.values(), (answers, answer, right, count), strict=True):
            column[place] = value
        both.append(
            (
                *(getattr(row, name) for name in KEY),
                problem.gold,
                row.answer,
                row.correct,
                answer,
                right,
            )
        )
    if grader == GRADERS[0]:
        problems = zip(old["dataset"], old["category"], old["problem"], strict=True)
        found["answers"] = renamed(problems, found["answers"])
        found["answer"] = [
            one if names is None or not len(names) else names[0]
            for one, names in zip(found["answer"], found["answers"], strict=True)
        ]
    columns = {
        n: pd.Series(v, old.index, dtype=object).astype(old[n].dtype) for n, v in found.items()
    }
    return old.assign(**columns), pd.DataFrame(both, columns=VERDICTS)


@cache
def corrections() -> dict[tuple[str, str, int], str]:
    """Data set, category and number → the right answer, of problems whose released gold or reading
    is wrong."""
    table = pd.read_csv(CORRECTIONS, dtype=str).astype({"problem": int})
    return {(row.dataset, row.category, row.problem): row.right for row in table.itertuples()}


def corrected(candidates: pd.DataFrame) -> pd.DataFrame:
    """Candidates with the verdicts of CORRECTED, from the texts that they hold: no data set is
    needed."""
    fixed = corrections()
    correct = candidates["correct"].copy()
    where = candidates[["dataset", "category"]].astype(str).assign(problem=candidates["problem"])
    keys = pd.Series(where.itertuples(index=False, name=None), candidates.index)
    wrong = keys.isin(fixed.keys()) & (candidates["status"] == "ok")
    for row in candidates[wrong].itertuples():
        gold = [fixed[keys[row.Index]]]
        correct[row.Index] = judge_output(read_answer, is_right, text_of_answer(row), gold)[1]
    return candidates.assign(correct=correct)


def text_of_answer(row) -> str:
    """What is judged of a candidate: what its program printed; of an imported sample its answer, or
    else its text."""
    texts = (row.output, row.answer, row.response)
    return next((text for text in texts if isinstance(text, str)), "").strip()


def _rule(
    name: str, category: str, about: Mapping, grader: str, run: str | Path
) -> tuple[Dataset, dict[int, Problem]]:
    """How outputs of a category are read and judged, and its problems by number."""
    if "golds" in about:  # a log of another program, with the gold answers that it had
        golds = about["golds"].get(category, {})
        if grader != GRADERS[0]:
            golds = {
                n: float(gold) if NUMBER.fullmatch(gold) else gold for n, gold in golds.items()
            }
        problems = {
            int(n): Problem(Question(name, category, int(n), ""), gold) for n, gold in golds.items()
        }
        dataset = Dataset(name, name, (category,), problems.get, read_last_line, text_is_correct)
    elif about.get("format") in HARNESSES:
        what = "its log holds no gold answers, so nothing can be judged again; name one that does"
        raise TroveLiteError(f"{run}: {what}")
    else:
        stated = (about.get("settings") or {}).get("dataset", name)
        try:
            dataset = load_dataset(
                stated if Path(stated).name == name else name, grader, runs=[run]
            )
            problems = {problem.index: problem for problem in dataset.load(category)}
        except TroveLiteError as error:
            raise TroveLiteError(f"{run}: its gold answers are not at hand ({error})") from error
    if grader == GRADERS[0]:
        dataset = replace(
            dataset, read=read_answer, correct=is_right, named=named
        )  # what the question says of answers stays known
        problems = {
            n: replace(problem, gold=_plain_gold(problem.gold)) for n, problem in problems.items()
        }
    return dataset, problems


def _plain_gold(gold: object) -> object:
    """A gold answer as the strict judge understands it: of WikiTableQuestions' values all are asked
    for."""
    gold = ", ".join(gold["values"]) if isinstance(gold, dict) and "values" in gold else gold
    if not all(
        isinstance(one, str | int | float) for one in (gold if isinstance(gold, list) else [gold])
    ):
        raise TroveLiteError(
            f"gold answers such as {str(gold)[:60]} are no texts or numbers: --grader papers judges them"
        )
    return gold


def changes_in_words(both: pd.DataFrame, grader: str) -> list[str]:
    """What changed, counted, with examples."""
    before = both["right_before"].astype("boolean")
    after = both["right"].astype("boolean")
    known = before.notna() & after.notna()
    kinds = {
        "right now, wrong before": known & after.fillna(False) & ~before.fillna(False),
        "wrong now, right before": known & before.fillna(False) & ~after.fillna(False),
        "not judged, too much to read or to compare": after.isna(),
    }
    lines = [
        f"{len(both):,} outputs judged by {grader}: {int(after.sum()):,} right, {int(before.sum()):,} before"
    ]
    for what, which in kinds.items():
        if which.any():
            lines.append(f"  {int(which.sum()):,} {what}, such as")
            for row in (
                both[which]
                .drop_duplicates(["category", "problem", "answer"])
                .head(SHOWN)
                .itertuples()
            ):
                lines.append(
                    f"    {row.category} {row.problem}: {str(row.answer)[:60]!r} for {str(row.gold)[:60]!r}"
                )
    return lines


def unread_in_words(table: pd.DataFrame, run: str | Path) -> list[str]:
    """How many outputs of a live run held no answer that could be read, with examples; [] where all
    did."""
    ran = table[(table["status"] == "ok") & (table["phase"] == "stream")]
    about = read_description(run)
    golds = {}
    silent = []
    for row in ran.itertuples():
        if not len(row.answers) or not any(map(str.isdigit, row.answers[0])):
            where = row.dataset, row.category
            if where not in golds:
                golds[where] = _rule(*where, about, grader_of(about.get("settings") or {}), run)[1]
            if unread(
                row.answers,
                getattr(golds[where].get(row.problem), "gold", None),
            ):
                silent.append(row)
    doubt = int(ran["correct"].isna().sum())
    lines = (
        [
            f"not judged: {doubt:,} of {len(ran):,} outputs, which are too much to read or to compare; "
            "they count neither way"
        ]
        if doubt
        else []
    )
    if silent:
        ends = ", ".join(
            [*dict.fromkeys(repr((row.output or "").strip()[-40:]) for row in silent)][:SHOWN]
        )
        lines.append(
            f"no answer could be read from {len(silent):,} of {len(ran):,} outputs, such as {ends}"
        )
    return lines
