"""What papers claim, and what the tables of some runs say of each: holds, does not, or open, with the reason.

A claim is a row of `claims.csv`: its words, where they stand, what is printed, the rows of a table that decide, and a
rule. A rule reads intervals; what a row is worth is its `status`: a claim is open where its rows are absent or another
method stands in. Only runs of the paper's own model, data set and budget judge it; any others show what they show.
"""

from collections.abc import Callable, Sequence
from importlib import resources
from pathlib import Path

import pandas as pd

from trove_lite.analysis.scores import ALL_MICRO
from trove_lite.analysis.variance import THESE_RUNS
from trove_lite.errors import TroveLiteError

from .tables import is_its_model, named, published_table, statuses

HOLDS, DOES_NOT, OPEN = "holds", "does not", "open"
#: What runs that do not judge a paper show: never its verdict.
SHOWN = {HOLDS: "so here", DOES_NOT: "not so here", OPEN: "open"}
COLUMNS = ["claim", "paper", "place", "printed", "ours", "interval", "prediction", "verdict", "why", "hangs_on"]
CALLS = 15  # a problem, that the re-evaluation is about
OVER_ALL = ("all", ALL_MICRO)

Said = tuple[str, str]


def claims(folder: str | Path, *, model: str, dataset: str) -> pd.DataFrame:
    """The re-evaluation's claims and what the tables in `folder`, of this model and data set, say: `COLUMNS`.

    Where these runs do not judge the paper, claims on a number of its own are left out. Raises for a missing folder.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise TroveLiteError(f"{folder}: no such folder; `trove-lite report RUN --out NAME` makes one")
    judges = is_its_model("reeval", model) and dataset == "math" and _calls(folder) == CALLS
    sizes = published_table("reeval_table8").query("level == 'all' and category != 'MATH'")["count"]
    rows = []
    for claim in known_claims().itertuples():
        if judges or not claim.number:
            found = _decided(claim, folder, int(sizes.sum()) if judges else 0)
            found["verdict"] = found["verdict"] if judges else SHOWN[found["verdict"]]
            about = {"claim": claim.words, "paper": claim.paper, "place": claim.place, "printed": claim.printed}
            rows.append(dict.fromkeys(COLUMNS, "") | about | found)
    title = f"{model} on {dataset}"
    return named(pd.DataFrame(rows, columns=COLUMNS), "claims", "Claims", title, judges=judges)


def known_claims() -> pd.DataFrame:
    """The rows of `claims.csv`; `number`: it is about a number that no other model's runs could have."""
    with (resources.files("papers") / "claims.csv").open(encoding="utf-8") as text:
        return pd.read_csv(text, keep_default_na=False).assign(number=lambda table: table["number"] == "yes")


def _calls(folder: Path) -> int:
    """Calls a problem that the tables are of; 0 where they do not say."""
    path = folder / "reeval_paired.csv"
    rows = pd.read_csv(path).query("effect == 'selection'") if path.is_file() else []
    return int(rows["k"].iloc[-1]) if len(rows) else 0


def _decided(claim: object, folder: Path, whole: int) -> dict[str, str]:
    """The verdict on a claim with our numbers, from the rows of its table that hold one; open where there are none."""
    path = folder / f"{claim.table}.csv"
    if not path.is_file():
        return {"verdict": OPEN, "why": f"absent: these runs have no {path.name}"}
    try:
        table = pd.read_csv(path)
        rows = table.query(claim.row) if claim.row else table
        value = "value" if "value" in rows else "difference"
        worth = statuses(rows)
        rows, absent = rows[rows[value].notna()], worth[worth.str.startswith("absent")]
        if rows.empty:
            return {"verdict": OPEN, "why": "; ".join(dict.fromkeys(absent)) or "absent: no such row"}
        rows = rows.assign(status=worth, value=rows[value], signed=value == "difference" or "minus" in claim.row)
        verdict, why = RULES[claim.rule](rows, [float(bound) for bound in claim.within.split()])
        last = _last(rows)
        stands_in = sorted({part for part in last["status"] if part.startswith("stand-in")})
        lacking = claim.needs and not NEEDS[claim.needs](rows, last)
    except (
        KeyError,
        ValueError,
        pd.errors.UndefinedVariableError,
    ) as column:  # a table that another version of this program wrote
        return {"verdict": OPEN, "why": f"absent: {path.name} lacks {column}; make the report again"}
    if stands_in or lacking:
        undecided = [*stands_in, *([f"it needs {claim.needs}"] if lacking else [])]
        verdict, why = OPEN, f"{why}; open: {'; '.join(undecided)}"
    problems = last["problems"].iloc[-1] if "problems" in last else whole
    part = f"{problems:,.0f} of {whole:,} problems" if problems < whole else ""
    numbers = {} if claim.rule in BY_CATEGORY else _numbers(last, 1 if "distinct" in claim.row else 100)
    if claim.rule == "agrees" and not last["category"].isin(OVER_ALL).all():
        part = "the covered categories only"
        numbers["printed"] = f"{claim.printed} (there: {', '.join(f'{100 * p:.1f} %' for p in last['published'])})"
    alone = f"the interval is of {THESE_RUNS}" if "covers" in last and THESE_RUNS in set(last["covers"]) else ""
    return numbers | {"verdict": verdict, "why": why, "hangs_on": "; ".join(filter(None, [part, alone]))}


def _last(rows: pd.DataFrame) -> pd.DataFrame:
    """Of each system or level the row over all categories; else over those that are covered; else the last."""
    rows = rows[~rows["category"].str.endswith("macro")]
    rank = rows["category"].isin(OVER_ALL) * 2 + rows["category"].str.startswith("covered")
    rows = rows.loc[rank.sort_values(kind="stable").index]
    names = [name for name in ("system", "level") if name in rows]
    return rows.drop_duplicates(names, keep="last") if names else rows.tail(1)


# ---- what an open claim would take ----


NEEDS: dict[str, Callable[[pd.DataFrame, pd.DataFrame], bool]] = {
    "all problems": lambda rows, last: last["category"].isin(OVER_ALL).all(),
    "75 samples": lambda rows, last: last["k"].min() >= 75,
    "5 runs against 5": lambda rows, last: (
        rows.loc[~rows["category"].str.contains(","), "note"].str.startswith("5 run(s) against 5").all()
    ),
}


# ---- rules: the rows that decide, and bounds in points → a verdict and why ----


def above(rows: pd.DataFrame, _: Sequence[float]) -> Said:
    """A difference is above 0."""
    row = rows.iloc[-1]
    if row["low"] > 0:
        return HOLDS, "the whole interval lies above 0"
    if row["high"] < 0 or min(row["p_within_1"], row["p_within_2"]) <= 0.05:
        return DOES_NOT, "the interval lies below 0, or less than 2 points either way is shown"
    return OPEN, "the interval reaches from below 0 to above it"


def no_difference(rows: pd.DataFrame, _: Sequence[float]) -> Said:
    """There is none: shown by a test of equivalence within 2 points, refuted by an interval beside 0."""
    row = rows.iloc[-1]
    if min(row["p_within_1"], row["p_within_2"]) <= 0.05:
        return HOLDS, "less than 2 points either way is shown"
    if row["low"] > 0 or row["high"] < 0:
        return DOES_NOT, "the interval leaves 0 out"
    return OPEN, "the interval covers 0, and is too wide to show that nothing is there"


def between(rows: pd.DataFrame, bounds: Sequence[float]) -> Said:
    """Numbers lie within bounds, a pair for each row: their whole intervals, or none of one."""
    last = _last(rows)
    ends = list(zip(100 * last["low"], 100 * last["high"], bounds[::2], bounds[1::2], strict=True))
    words = " and ".join(f"{least:g} to {most:g}" for *_, least, most in ends)
    if all(least <= low and high <= most for low, high, least, most in ends):
        return HOLDS, f"within {words}"
    if any(high < least or low > most for low, high, least, most in ends):
        return DOES_NOT, f"not within {words}"
    return OPEN, f"too wide to tell whether within {words}"


def agrees(rows: pd.DataFrame, _: Sequence[float]) -> Said:
    """Printed numbers are what a rerun would give, by the verdicts of a check (`papers.check`)."""
    last = _last(rows)
    if "differs" in set(last["verdict"]):
        return DOES_NOT, "a printed value lies where no rerun would fall"
    if set(last["verdict"]) == {"agrees"}:
        return HOLDS, "the printed value lies where a rerun would fall, and that is narrow enough to tell"
    return OPEN, "; ".join(dict.fromkeys(last["why"].dropna()))


def no_worse(rows: pd.DataFrame, _: Sequence[float]) -> Said:
    """Less than a point is lost, one-sided; worse: the interval of what is lost lies above 0."""
    row = rows.iloc[-1]
    if row["p_below_1"] <= 0.05:
        return HOLDS, "that IMPORT adds a point or more is refuted, over problems, these runs as they are"
    return (DOES_NOT, "IMPORT adds something") if row["low"] > 0 else (OPEN, "that IMPORT adds a point is not refuted")


def above_in_each(rows: pd.DataFrame, _: Sequence[float]) -> Said:
    """Every difference, category by category, is above 0 after Holm's correction; one below 0 refutes it."""
    rows = rows[~rows["category"].isin(("all", "covered"))]
    sure = rows[rows["p_holm"] <= 0.05]
    ahead, behind = (sure["value"] > 0).sum(), (sure["value"] < 0).sum()
    verdict = DOES_NOT if behind else HOLDS if ahead == len(rows) else OPEN
    return verdict, f"{ahead} of {len(rows)} differences lie clearly above 0, {behind} below (Holm's correction)"


def skip_most_import_least(rows: pd.DataFrame, _: Sequence[float]) -> Said:
    """In every category SKIP's overlap lies clear above IMPORT's; the reverse in one refutes it."""
    ends = rows.assign(mode=rows["system"].str.split().str[-1]).pivot(index="category", columns="mode")
    low, high = ends["low"], ends["high"]
    verdict = HOLDS if (low["SKIP"] > high["IMPORT"]).all() else OPEN
    verdict = DOES_NOT if (high["SKIP"] < low["IMPORT"]).any() else verdict
    means = ", ".join(f"{mode} {100 * mean:.0f} %" for mode, mean in ends["value"].mean().items())
    return verdict, f"means over {len(ends)} categories: {means}"


RULES = {
    rule.__name__: rule
    for rule in (above, no_difference, between, agrees, no_worse, above_in_each, skip_most_import_least)
}
BY_CATEGORY = ("above_in_each", "skip_most_import_least")


def _numbers(rows: pd.DataFrame, scale: float) -> dict[str, str]:
    """Ours, its interval and where a rerun would fall, as text: shares in percent, differences in points."""
    sign = "+" if rows["signed"].any() else ""
    unit = "" if scale == 1 else " points" if sign else " %"
    names = [f"{row.system} " if len(rows) > 1 and "level" not in rows else "" for row in rows.itertuples()]

    def text(form: str, *columns: str) -> str:
        cells = zip(names, *(scale * rows[column] for column in columns), strict=True)
        return ", ".join(name + form.format(*numbers) for name, *numbers in cells)

    numbers = {
        "ours": text(f"{{:{sign}.1f}}{unit}", "value"),
        "interval": text(f"[{{:{sign}.1f}}, {{:{sign}.1f}}]", "low", "high"),
    }
    if "verdict" in rows:
        numbers["prediction"] = text("[{:.1f}, {:.1f}]", "prediction_low", "prediction_high")
    return numbers
