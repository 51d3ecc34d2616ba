"""The tables of papers: what is printed, our rows beside it, what a row is worth, and how a table
is read and saved.

Printed numbers are one CSV a table under `published/`, copied cell by cell; empty where the print
is illegible or has no value. A row is an estimate with its interval, or the reason for none, and
has one `status`. Nothing here is drawn.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import pandas as pd

from trove_lite.candidates import name_table
from trove_lite.errors import TroveLiteError
from trove_lite.journal import on_disk
from trove_lite.selection.tables import PROBLEM
from trove_lite_analysis import statistics as metrics
from trove_lite_analysis.differences import estimates
from trove_lite_analysis.differences import percent as percent
from trove_lite_analysis.differences import points as points
from trove_lite_analysis.scores import ALL_MICRO, COVERED_MICRO, RERUN
from trove_lite_analysis.systems import Comparison
from trove_lite_analysis.variance import MARGINS, rerun_p

from .captions import ROW_NAMES
from .styles import ALIASES

#: `published` and `published_sd` are the paper's. Ours: `value` with its 95 % interval over
#: problems and runs; where five new runs on the same problems would print theirs (`prediction_low`,
#: `prediction_high`, 95 %), and the p of their printing the paper's (`p_print`); the standard
#: deviation between `runs` runs. `source` says what was measured.
COLUMNS = [
    "category",
    "system",
    "published",
    "published_sd",
    "value",
    "low",
    "high",
    "prediction_low",
]
COLUMNS += ["prediction_high", "p_print", "run_sd", "runs", "problems", "source", "note"]

#: What a paper prints for its own model where the runs are another's: told in a column of its own,
#: and never checked.
ITS_OWN = "printed for CodeLlama-7B"

PUBLISHED = Path(__file__).parent / "published"
ROUNDING = (
    5e-3  # half a unit of the last digit that the papers print; of a percent, a hundredth of it
)
#: Whose numbers a paper prints, by the first word of its tables: how the model's name reads, under
#: whatever address.
ITS_MODEL = {"creator": r"chatgpt|gpt-3\.5", "latm": r"gpt-3\.5"}
ITS_MODEL |= dict.fromkeys(("reeval", "trove"), r"codellama2?-7b-instruct")
#: What fills another's rows where that was not run.
STAND_INS = ("SKIP pool", "SKIP of another run")
CHECKED = [
    "published",
    "value",
    "low",
    "high",
    "prediction_low",
    "prediction_high",
    "difference",
    "p_print",
    "p_holm",
]

Cell = tuple[
    float, float
]  # what is printed: the mean and its standard deviation, NaN where nothing is
Look = Callable[[str], Cell]  # by category


@cache
def published_table(table: str) -> pd.DataFrame:
    """A published table by name, e.g. `reeval_table1` (the re-evaluation's Table 1), in long
    form."""
    if not (file := PUBLISHED / f"{table}.csv").is_file():
        names = sorted(path.stem for path in PUBLISHED.glob("*.csv"))
        raise TroveLiteError(f"no published table '{table}': there are {', '.join(names)}")
    return pd.read_csv(file)


def rows_of(table: str, **where: object) -> pd.DataFrame:
    """The rows of a published table with these values."""
    rows = published_table(table)
    for name, value in where.items():
        rows = rows[rows[name] == value]
    return rows


@cache
def published_value(table: str, column: str = "mean", **where: object) -> float:
    """One printed number: the only row of `table` with these values; NaN where nothing is
    printed."""
    rows = rows_of(table, **where)
    return float(rows[column].iloc[0]) if len(rows) == 1 else float("nan")


def is_its_model(table: str, *models: str) -> bool:
    """Whether these models are the one whose numbers a table of a paper prints; LATM's is the
    dispatcher's."""
    return all(re.search(ITS_MODEL[table.partition("_")[0]], model.lower()) for model in models)


def is_in_print(comparison: Comparison, table: str, *datasets: str) -> bool:
    """Whether what a table prints, for these data sets, is about this comparison's model and data
    set."""
    models = {
        str(model) for system in comparison.systems.values() for model in system["model"].unique()
    }
    return comparison.dataset in datasets and is_its_model(table, *models)


def printed(table: str, *, column: str = "mean", scale: float = 1, **where: object) -> Look:
    """How to look up a printed cell by category, where the table has several."""
    has = set(published_table(table))

    def of(category: str) -> Cell:
        cell = where | ({"category": category} if "category" in has else {})
        sd = published_value(table, "std", **cell) if "std" in has else float("nan")
        return published_value(table, column, **cell) / scale, sd

    return of


def nothing(category: str) -> Cell:
    """The look-up of a table whose values are not printed, or not for this budget, model, data set
    or method."""
    return float("nan"), float("nan")


def scored(rows: pd.DataFrame, values: pd.Series) -> pd.DataFrame:
    """A number of each row (NaN: not known) as scores: the mean over a problem's rows in each run;
    none without any."""
    numbers = rows.assign(score=pd.Series(values, rows.index).astype("Float64").astype(float))
    means = numbers.groupby(PROBLEM, observed=True).agg({"level": "first", "score": "mean"})
    return means.reset_index().dropna(subset="score")


def printed_over(
    category: str, comparison: Comparison, covered: Sequence[str], look_up: Look, level: str = "all"
) -> Cell:
    """What is printed for a row; over several categories, where nothing is, the mean of their
    (rounded) cells."""
    if look_up is nothing or category in (*comparison.categories, ALL_MICRO):
        return look_up("MATH" if category == ALL_MICRO else category)
    values = [look_up(c)[0] for c in covered]
    if category != COVERED_MICRO:
        return sum(values) / len(values), float("nan")
    sizes = [published_value("reeval_table8", "count", category=c, level=level) for c in covered]
    return sum(v * n for v, n in zip(values, sizes, strict=True)) / sum(sizes), float("nan")


def beside(
    comparison: Comparison, source: str, system: str, scores: pd.DataFrame, look_up: Look, *,
    covered: Sequence[str] | None = None, level: str = "all", rounding: float = ROUNDING,
) -> pd.DataFrame:  # fmt: skip
    """One row a category, then the rows over all categories: a source's estimate, or the reason for
    none, beside print.

    covered: the categories that rows over several are about (None: those that all systems have).
        level: of the problems.
    """
    covered = comparison.covered() if covered is None else covered
    rows = []
    for cell in estimates(comparison, source, scores, covered=covered):
        mean, sd = printed_over(cell["category"], comparison, covered, look_up, level)
        p = (
            {"p_print": rerun_p(cell["variance"], mean, RERUN, rounding=rounding)}
            if "variance" in cell
            else {}
        )
        rows.append(
            {"system": system, "published": mean, "published_sd": sd, "source": source} | p | cell
        )
    return in_columns(pd.DataFrame(rows))


def only_printed(comparison: Comparison, system: str, look_up: Look, note: str) -> pd.DataFrame:
    """The rows of a system that is only known from print."""
    categories = [*comparison.categories, ALL_MICRO]
    values = [printed_over(category, comparison, [], look_up)[0] for category in categories]
    about = {"system": system, "runs": 0, "problems": 0, "source": "", "note": note}
    return in_columns(pd.DataFrame({"category": categories, "published": values} | about))


def in_columns(frame: pd.DataFrame) -> pd.DataFrame:
    """A table with the columns of `COLUMNS`, and `rule`, `k` or `level` where it has them."""
    extra = [column for column in ("rule", "k", "level") if column in frame]
    its_own = [ITS_OWN] if bool(ITS_OWN in frame and frame[ITS_OWN].notna().any()) else []
    columns = [*COLUMNS[:2], *extra, *COLUMNS[2:], *its_own]
    return frame.reindex(columns=columns).astype({"runs": "int64", "problems": "int64"})


def paper_table(
    paper: str, name: str, parts: Sequence[pd.DataFrame], runs: str, **about: object
) -> pd.DataFrame:
    """Parts under one another, as `PAPER_NAME`, titled as the paper's table or figure: `table2` is
    "Table 2"."""
    filled = [part for part in parts if len(part)] or [
        pd.DataFrame(columns=["k", "level", "runs", "problems"])
    ]
    whole = in_columns(pd.concat(filled, ignore_index=True))
    return name_table(
        whole, f"{paper}_{name}", f"{name[:-1].capitalize()} {name[-1]}", runs, **about
    )


def statuses(table: pd.DataFrame) -> pd.Series:
    """What each row is worth: `measured`, `stand-in: NAME`, `partial: WHY` or `absent: WHY`."""

    def status(row: dict) -> str:
        note = row.get("note") if isinstance(row.get("note"), str) else ""
        if pd.isna(row.get("value", row.get("difference"))):
            return f"absent: {note}"
        filled = str(row.get("source", row.get("b", "")))
        if stands_in := next((name for name in STAND_INS if name in filled), ""):
            return f"stand-in: {stands_in}"
        return (
            f"partial: {note}"
            if note or str(row.get("category", "")).startswith("covered")
            else "measured"
        )

    return pd.Series(list(map(status, table.to_dict("records"))), index=table.index, dtype=object)


def why_empty(table: pd.DataFrame) -> str:
    """In one line why a table holds nothing that was computed; "" where it does."""
    values = [column for column in ("value", "difference") if column in table]
    if len(table) and (not values or table[values].notna().any(axis=None)):
        return ""
    notes = "; ".join(table["note"].dropna()) if "note" in table else ""
    reasons = "; ".join(note for note in dict.fromkeys(notes.split("; ")) if note)
    return reasons or table.attrs.get("note") or "nothing to show for these runs"


class Whole(pd.DataFrame):
    """A table to read, which a notebook shows whole, in a box that scrolls: pandas leaves out
    columns and rows."""

    @property
    def _constructor(self) -> type["Whole"]:
        return Whole

    def _repr_html_(self) -> str:
        numbered = self.index.name is None and pd.api.types.is_integer_dtype(self.index)
        with pd.option_context("display.max_colwidth", None):
            table = self.to_html(index=not numbered, notebook=True, max_rows=300)
        return f'<div style="max-height:48em;overflow:auto">{table}</div>'


#: Columns that a reader meets, in words; and those that name a method, mode or rule.
WORDS = {"covers": "interval over", "p_holm": "p, corrected", "p_within_2": "p, within 2 points"}
NAMING = {"method", "mode", "system", "a", "b", "rule", "selection"}


def show(table: pd.DataFrame, *, estimate: str = "", percent: Sequence[str] = ()) -> pd.DataFrame:
    """A table to read: four decimals, no empty columns; where it holds nothing, one line that says
    why.

    estimate: a column that becomes one with its interval, of shares or of differences; percent:
        columns of shares.
    """
    if reason := why_empty(table):
        return Whole({"": [reason]}, index=[table.attrs.get("title", "this table")])
    if estimate:
        sign, unit = ("+", "points") if estimate == "difference" else ("", "%")
        cells = [
            "" if pd.isna(v)
            else "cannot be told" if high - low >= 100
            else f"{v:{sign}.1f}" + (f" [{low:{sign}.1f}, {high:{sign}.1f}]" if not pd.isna(low) else "")
            for v, low, high in (100 * table[[estimate, "low", "high"]].astype(float)).itertuples(index=False)
        ]  # fmt: skip
        table = table.assign(**{estimate: cells}).drop(columns=["low", "high"])
        table = table.rename(columns={estimate: f"{estimate} ({unit})"})
    table = table.assign(**{column: (100 * table[column]).round(1) for column in percent})
    table = table.rename(columns={column: f"{column} (%)" for column in percent} | WORDS)
    rounded = Whole(table.round(4).astype(object))
    for column in NAMING & set(rounded):
        rounded[column] = [ALIASES.get(str(name), name) for name in rounded[column]]
    if "category" in rounded:
        rounded["category"] = [row_name(name) for name in rounded["category"]]
    known = rounded.where(rounded.notna() & (rounded != ""))
    shown = known.dropna(axis="columns", how="all").where(known.notna(), "")
    return shown.rename(columns=lambda name: str(name).replace("_", " "))


def row_name(name: object) -> object:
    """A category as figures call it: "categories that all systems have" for `covered, micro`."""
    return ROW_NAMES.get(name, name).replace("\n", " ") if isinstance(name, str) else name


def side_by_side(table: pd.DataFrame, *, percent: bool = False) -> pd.DataFrame:
    """A table to read: a row a category, a column a system, each cell "value [low, high] (the
    paper's)".

    Columns are by rule, k and level first, where a table has them. What stands in for a system is
    named in its column; what is printed for another model has one of its own. Where there is
    nothing, one line says why. percent: of shares.
    """
    if why_empty(table):
        return show(table)
    extra = [c for c in ("rule", "k", "level") if c in table]
    table = table if "published" in table else table.assign(published=float("nan"), source="")
    if ITS_OWN in table:
        its_own = table[table["value"].notna() & table[ITS_OWN].notna()]
        bare = {
            "value": its_own[ITS_OWN],
            "low": float("nan"),
            "published": float("nan"),
            "source": "",
        }
        table = pd.concat(
            [table, its_own.assign(system=its_own["system"] + f", {ITS_OWN}", **bare)]
        )
    filled = (
        table[statuses(table).str.startswith("stand-in")]
        .groupby("system", sort=False)["source"]
        .unique()
    )
    names = {system: f"{system} ({', '.join(sources)})" for system, sources in filled.items()}
    known = table[table["value"].notna() | table["published"].notna()]
    digits = 1 if percent else 3
    cells = []
    for value, low, high, published in (
        100**percent * known[["value", "low", "high", "published"]]
    ).to_numpy(float):
        text = "–" if pd.isna(value) else f"{value:.{digits if percent or value % 1 else 0}f}"
        text += "" if pd.isna(low) else f" [{low:.{digits}f}, {high:.{digits}f}]"
        cells.append(text + ("" if pd.isna(published) else f" ({published:.3g})"))
    known = known.assign(system=known["system"].replace(names), cell=cells)
    wide = known.pivot_table(
        index="category", columns=[*extra, "system"], values="cell", aggfunc="first", sort=False
    )
    order = [c for c in table["category"].unique() if c in wide.index]
    return Whole(wide.reindex(order).fillna("–").rename(index=row_name))


def check(table: pd.DataFrame, folder: str | Path = "") -> pd.DataFrame:
    """The paper's numbers against ours: every cell that has both, by how much they differ, largest
    first.

    Judged is whether five runs like ours on the same problems would print the paper's number.
    `verdict`: `agrees` where it lies in the 95 % prediction interval, which ends within `clear` (3
    points, or the table's own) of our value; `differs` where it lies outside even with Holm's
    correction over the table (`p_holm`); else `open`, see `why`. `difference` is ours minus the
    paper's. Says in one line how many do which; saved as `NAME_check.csv`.
    """
    if not isinstance(table, pd.DataFrame) or not {"published", "low"} <= set(table):
        raise TroveLiteError(
            f"a {type(table).__name__} holds no values beside print: give a paper's table to check()"
        )
    both = table[table["published"].notna() & table["low"].notna()].copy()
    both["difference"] = both["value"] - both["published"]
    both["p_holm"] = metrics.holm(both["p_print"].astype(float))
    judged = [_verdict(row, **table.attrs) for row in both.itertuples()]
    both[["verdict", "why"]] = pd.DataFrame(judged, columns=["verdict", "why"], index=both.index)
    keys = [c for c in ("category", "system", "k", "level") if c in both]
    order = both["difference"].abs().sort_values(ascending=False, kind="stable").index
    result = both.loc[order, [*keys, "source", *CHECKED, "verdict", "why"]]
    result.attrs = (
        table.attrs | {"name": f"{table.attrs['name']}_check"} if "name" in table.attrs else {}
    )
    title = table.attrs.get("title", "this table")
    replaced = statuses(result).str.startswith("stand-in")
    fills = " or ".join(result.loc[replaced, "source"].unique())
    lines = []
    for part, where in (
        (~replaced, f"printed values of {title}"),
        (replaced, f"where the {fills} stands in"),
    ):
        agree, differ, undecided = (
            (result.loc[part, "verdict"] == v).sum() for v in ("agrees", "differs", "open")
        )
        counts = f"{agree} agree with what five more runs of ours would print, {differ} differ, {undecided} are open"
        lines += [f"of {part.sum()} {where}, {counts}"] if bool(part.any()) else []
    beside = table["published"].notna().any()
    why = (
        "has one of ours beside it" if beside else "is for this budget, model, data set and method"
    )
    print("; ".join(lines) or f"no printed value of {title} {why}")
    write(result, folder)
    return result


def _verdict(
    row: object, *, not_scored: str = "", clear: float = MARGINS[-1], **_: object
) -> tuple[str, str]:
    if not_scored or pd.isna(row.p_print):
        return "open", not_scored or "a single run cannot say how far a rerun moves"
    if row.p_holm < 0.05:
        return "differs", ""
    if row.p_print < 0.05:
        return "open", "outside, but so may one cell of many be by chance"
    if max(row.prediction_high - row.value, row.value - row.prediction_low) > clear:
        wide = f"{100 * clear:g} points" if clear < 0.1 else f"{clear:g}"
        return "open", f"inside, but wider than {wide} to a side"
    return "agrees", ""


def expect(
    of: str,
    yours: object,
    theirs: object,
    then: str = "What follows is by yours.",
    near: float = 1e-6,
) -> None:
    """Say in a line where a notebook's definition parts from the paper's example, or the kit's
    numbers (`theirs`)."""
    if not isinstance(theirs, pd.Series):
        if yours != theirs and not (isinstance(theirs, float) and abs(yours - theirs) <= near):
            yours, theirs = (
                f"{value:.3g}" if isinstance(value, float) else value for value in (yours, theirs)
            )
            print(f"Your {of} gives {yours} on the example, the paper's {theirs}. {then}")
        return
    both = (
        pd.DataFrame({"yours": yours, "kit": theirs.reindex(yours.index)})
        .dropna(subset="kit")
        .astype(float)
    )
    far = both[(both["yours"] != both["kit"]) & ~((both["yours"] - both["kit"]).abs() <= near)]
    for place, a, b in far.head(1).itertuples():
        where = ", ".join(map(str, place)) if isinstance(place, tuple) else place
        also = f"{len(far)} of {len(both)} values differ"
        print(f"Your {of} differs from the kit's at {where}: {a:.3f}, kit {b:.3f} ({also}). {then}")


def write(thing: object, folder: str | Path, name: str = "") -> None:
    """A table as CSV (six digits) or a figure as PNG into `folder`, under its own name or this one.

    Nothing is written where folder or table is empty. The same figure gives the same bytes, and
    carries its caption.
    """
    is_table = isinstance(thing, pd.DataFrame)
    name = name or (thing.attrs.get("name", "") if is_table else thing.get_label())
    if not folder or (is_table and thing.empty):
        return
    if not name:
        raise TroveLiteError(
            "a table or figure of no paper has no name of its own: give save() one"
        )
    path = Path(folder) / name
    with on_disk(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        if is_table:
            thing.to_csv(f"{path}.csv", index=False, float_format="%.6g", lineterminator="\n")
            return
        about = {
            "Software": None,
            "Title": thing.get_suptitle() or None,
            "Description": getattr(thing, "caption", "") or None,
        }
        thing.savefig(f"{path}.png", dpi=150, metadata=about)
        if again := getattr(thing, "stacked", None):  # for a narrow screen
            again().savefig(f"{path}-narrow.png", dpi=150, metadata=about)
