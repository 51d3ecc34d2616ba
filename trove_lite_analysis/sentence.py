"""The answer first: a sentence with a number, its interval and its rule, from the comparison that
decides most.

`report`, `compare`, `run` and the essays begin with it. An interval that covers all there is, is
never said."""

from html import escape

import pandas as pd

from .differences import percent, points, tells_nothing

NOTHING = "Nothing is compared yet: that takes two methods on the same problems, and the notebook 02_methods."


class Sentence(str):
    """What a page says first; a notebook shows it in bold."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return f"<p><b>{escape(self)}</b></p>"


def headline(*tables: pd.DataFrame) -> Sentence:
    """Which of two systems is ahead, by the first of these tables of differences that can tell; of
    several pairs, the one with the least p. Without any, the `value` of the first system of a
    table of `between_runs`.

    A table of differences has `a`, `b`, `difference`, `low`, `high`, `p` and `problems`, its last
    row of a pair over all categories; of several rules (`rule`, of `k` programs a problem) the
    first is said. An empty one has its reason.
    """
    why = [table.attrs["note"] for table in tables if table.attrs.get("note")]
    tables = [table for table in tables if len(table)]
    pairs = [_first_rule(table) for table in tables if "difference" in table]
    for table in pairs:
        clear = [row for row in table.itertuples() if not tells_nothing(row)]
        if clear:
            shown = (table.get("p_holm", table["p"]) <= 0.05).sum()
            among = (
                f"A difference is shown in {shown} of {len(table)} pairs; the clearest is "
                if len(table) > 1
                else ""
            )
            return Sentence(among + pair(clear[0]))
    if pairs:
        row = next(pairs[0].itertuples())
        return Sentence(
            f"These runs cannot tell which of {row.a} and {row.b} is ahead: there are too few."
        )
    known = [row for table in tables for row in table.itertuples() if row.value == row.value]
    return Sentence(
        system(known[0]) if known else f"Nothing can be compared: {why[0]}." if why else NOTHING
    )


def _first_rule(table: pd.DataFrame) -> pd.DataFrame:
    """A row a pair and `study`, where it is told, over all categories, by the first rule; the least
    p first."""
    table = table[table["rule"] == table["rule"].iloc[0]] if "rule" in table else table
    return table.drop_duplicates(
        [*{"study", "a", "b"} & set(table)],
        keep="last",
    ).sort_values("p", kind="stable")


def pair(row: object) -> str:
    """A row of differences as a sentence: the number, its interval, and which system is ahead."""
    k = getattr(row, "k", 0)
    budget = ", a sample a problem" if k == 1 else f", {k} programs a problem each" if k else ""
    study = f" ({study})" if (study := getattr(row, "study", "")) else ""
    where = f"{row.a} minus {row.b}{budget}, {row.problems:,.0f} problems{study}"
    return f"{where}: {points(row)}{_how(row)} (95 %); {verdict(row)}."


def verdict(row: object) -> str:
    if tells_nothing(row):
        return "these runs cannot tell which is ahead"
    if row.low > 0 or row.high < 0:
        unsure = ", but not after correction" if not getattr(row, "p_holm", row.p) <= 0.05 else ""
        return f"{row.a if row.low > 0 else row.b} is ahead{unsure}"
    within = getattr(row, "p_within_2", 1) <= 0.05
    return "they differ by less than 2 points" if within else "which is ahead is open"


def system(row: object) -> str:
    """A row of `compare.between_runs` as a sentence: accuracy, interval, rule, and the spread
    between runs."""
    spread = (
        f", whose means spread by {100 * row.run_sd:.1f} points (SD)"
        if row.run_sd == row.run_sd
        else ""
    )
    runs = f"the mean of {row.runs:.0f} runs{spread}" if row.runs > 1 else "one run"
    if tells_nothing(row):
        return f"{row.system}: {row.problems:,.0f} problems are too few to tell an accuracy."
    return f"{row.system}: {percent(row)} (95 %) of {row.problems:,.0f} problems are right{_how(row)}: {runs}."


def _how(row: object) -> str:
    rule = getattr(row, "rule", "")
    k = getattr(row, "k", 0)
    if k == 1 or not rule:
        return ""
    return (
        f" by a right one among {k}"
        if rule == "oracle"
        else f" by {rule.replace('_', '-')} agreement"
    )
