"""What the rules of judging and of voting decide: accuracy of the same outputs under each of them.

TroVE's program lets the gold answer decide what an output votes with on some data sets, and counts one of several gold
values as enough; official evaluators do neither. No program runs again, and nothing is generated.
"""

from collections.abc import Callable, Sequence

import pandas as pd

from ..datasets import load_dataset, load_problems
from ..datasets.base import Dataset
from ..errors import TroveLiteError
from .choose import choose, in_order

COLUMNS = ["dataset", "category", "method", "votes", "rule", "value", "correct", "problems", "runs"]
OURS, RELEASED = "by output alone", "as released"


def accuracy_by_rule(candidates: pd.DataFrame, *, selection: str = "two_stage") -> pd.DataFrame:
    """Accuracy of the selected answers of each method, a row for each way to vote and each rule of judging.

    `votes`: `by output alone`, as everywhere else; `as released` where TroVE's program does it otherwise. `rule`:
    `released`, by which candidates are judged elsewhere, and the data set's other ones. `value` is a fraction of the
    answers selected in all `runs`. Raises TroveLiteError where outputs are not at hand, as in outcomes.
    """
    if "output" not in candidates:
        raise TroveLiteError("outcomes hold no outputs to be judged by other rules: give a run folder")
    rows = []
    for (name, category, method), part in in_order(candidates).groupby(
        ["dataset", "category", "method"], observed=True, sort=False
    ):
        dataset, problems = load_dataset(name), load_problems(name, category)
        gold = {problem.index: problem.gold for problem in problems}
        about = {"dataset": name, "category": category, "method": method, "runs": part["run"].nunique()}
        for votes, table in _voting(part, dataset, gold):
            chosen = choose(table, selection)
            for rule, is_right in _rules(dataset).items():
                right = [is_right(said, gold[i]) for said, i in zip(chosen["said"], chosen["problem"], strict=True)]
                counted = {"value": sum(right) / len(right), "correct": sum(right)}
                rows.append(about | counted | {"votes": votes, "rule": rule, "problems": chosen["problem"].nunique()})
    return pd.DataFrame(rows, columns=COLUMNS)


def _rules(dataset: Dataset) -> dict[str, Callable[[Sequence[str], object], bool]]:
    return {"released": dataset.correct, **dataset.other_rules}


def _voting(part: pd.DataFrame, dataset: Dataset, gold: dict) -> list[tuple[str, pd.DataFrame]]:
    """The candidates with what each votes with as `answers`, and what it said as `said`, for each way to vote."""
    tables = [(OURS, part.assign(said=part["answers"]))]
    if dataset.released_votes:
        votes = [
            dataset.released_votes(output, gold[problem]) if status == "ok" else []
            for output, problem, status in zip(part["output"], part["problem"], part["status"], strict=True)
        ]
        tables.append((RELEASED, part.assign(said=part["answers"], answers=votes)))
    return tables
