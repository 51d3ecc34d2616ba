"""Numbers that are printed twice, within a paper or in two: are they the same? Sections 1 and 2 of the audit."""

from collections.abc import Callable

from .finding import CHECKS, check
from .printed import Look, cell, claim, rows_of


def _setting(look: Look, name: str) -> float:
    return cell(look, "reeval_table4", "value", hyperparameter=name, method="TROVE")


def _said(look: Look, paper: str, quantity: str) -> float:
    return float(claim(look, paper, quantity))


#: id → the numbers that should be one; 1024 is read in CREATOR's utils.py: the longest completion that it asks for.
ONE_NUMBER: dict[str, Callable[[Look], tuple[float, ...]]] = {
    "time_limit": lambda look: (
        _said(look, "reeval", "exec_timeout changed from 100 to"),
        _setting(look, "exec_timeout"),
    ),
    "trimming_interval": lambda look: (_setting(look, "trim_steps"), _said(look, "trove", "trim interval")),
    "data_sets_of_gpt4": lambda look: (
        _said(look, "trove", "data sets tried with GPT-4"),
        _said(look, "trove", "data sets called representative"),
        rows_of(look, "trove_table3", model="GPT-4", metric="acc")["category"].nunique(),
    ),
    "longest_completion": lambda look: (_said(look, "creator", "max generation length"), 1024),
    "creation_challenge_twice": lambda look: (
        _said(look, "creator", "CREATOR on Creation Challenge"),
        cell(look, "creator_table4", "value", method="CREATOR (w/o CoT)", setting="all hint", metric="accuracy_pct"),
    ),
}


def one_number(numbers: Callable[[Look], tuple[float, ...]]) -> Callable[[Look], tuple]:
    """The check that these numbers are the same; its fields are a, b, c."""
    return lambda look: (len(set(numbers(look))) == 1, dict(zip("abc", numbers(look), strict=False)))


CHECKS.update({name: one_number(numbers) for name, numbers in ONE_NUMBER.items()})


@check
def cells_of_table4(look: Look):
    cells, off = 0, []
    for row in look("trove_table4").dropna(subset=["value"]).itertuples():
        table, where = ("trove_table2", {}) if row.model == "CodeLlama" else ("trove_table3", {"model": row.model})
        other = cell(look, table, "value", category="GQA", metric=row.metric, method=row.method, **where)
        cells += other == other
        if other == other and other != row.value:
            off.append(f"{row.model} {row.method} {row.metric} {row.value:g}, {table[-6:]} {other:g}")
    return not off, locals()


@check
def originals_of_table2(look: Look):
    keys = ["category", "metric"]
    rows = look("trove_table7").merge(rows_of(look, "trove_table2", method="TROVE")[[*keys, "value"]], on=keys)
    differ = rows[rows["value"] != rows["original"]].itertuples()
    off = [f"{r.category} {r.metric} {r.original:g}, Table 2 {r.value:g}" for r in differ]
    return not off, locals()
