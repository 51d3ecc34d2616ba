"""What papers claim, and what the tables of some runs say of each: holds, does not, or open, with
the reason.

A claim is a row of `claims.csv`, with the rows of a table that decide and a rule, which reads
intervals. It is open where its rows are absent or another method stands in. Only runs of the
paper's own model, data and budget judge it.
"""

from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap

import pandas as pd
from matplotlib.figure import Figure

from trove_lite.errors import TroveLiteError
from trove_lite_analysis.scores import ALL_MICRO
from trove_lite_analysis.sentence import Sentence
from trove_lite_analysis.variance import THESE_RUNS

from .figures import forest
from .tables import Whole, is_its_model, name_table, published_table, statuses

HOLDS = "holds"
DOES_NOT = "does not"
OPEN = "open"
#: What runs that do not judge a paper show: never its verdict.
SHOWN = {HOLDS: "so here", DOES_NOT: "not so here", OPEN: "open"}
COLUMNS = [
    "claim",
    "paper",
    "place",
    "printed",
    "ours",
    "interval",
    "prediction",
    "verdict",
    "why",
    "hangs_on",
]
CALLS = 15  # a problem, that the re-evaluation is about
OVER_ALL = ("all", ALL_MICRO)

#: Whether a claim holds, whether it does not, and why: in either case, and in neither.
Decision = tuple[bool, bool, str, str, str]


def claims(folder: str | Path, *, model: str, dataset: str) -> pd.DataFrame:
    """The re-evaluation's claims, and what the tables in `folder`, of this model and data set, say
    of them."""
    folder = Path(folder)
    calls = 0
    if not folder.is_dir():
        raise TroveLiteError(
            f"{folder}: no such folder; `trove-lite report RUN --out NAME` makes one"
        )
    if (path := folder / "reeval_paired.csv").is_file():
        calls = pd.read_csv(path).query("effect == 'selection'")["k"].max()
    judges = bool(is_its_model("reeval", model) and dataset == "math" and calls == CALLS)
    sizes = published_table("reeval_table8").query("level == 'all' and category != 'MATH'")["count"]
    rows = []
    for claim in known_claims().itertuples():
        if judges or not claim.number:
            row = {
                "claim": claim.words,
                "paper": claim.paper,
                "place": claim.place,
                "printed": claim.printed,
            }
            row = (
                dict.fromkeys(COLUMNS, "")
                | row
                | _decided(claim, folder, int(sizes.sum()) if judges else 0)
            )
            rows.append(row | ({} if judges else {"verdict": SHOWN[row["verdict"]]}))
    return name_table(
        pd.DataFrame(rows, columns=COLUMNS),
        "claims",
        "Claims",
        f"{model} on {dataset}",
        judges=judges,
    )


def known_claims() -> pd.DataFrame:
    """The rows of `claims.csv`; `number`: it is about a number that no other model's runs could
    have."""
    table = pd.read_csv(Path(__file__).with_suffix(".csv"), keep_default_na=False)
    return table.assign(number=table["number"] == "yes")


def _decided(claim: object, folder: Path, whole: int) -> dict[str, str]:
    """The verdict on a claim with our numbers, from the rows of its table that hold one."""
    path = folder / f"{claim.table}.csv"
    if not path.is_file():
        return {"verdict": OPEN, "why": f"absent: these runs have no {path.name}"}
    try:
        rows = pd.read_csv(path).query(claim.row or "index >= 0")
        signed = "value" not in rows or "minus" in claim.row
        rows = rows.assign(
            status=statuses(rows), value=rows["value" if "value" in rows else "difference"]
        )
        known = rows[rows["value"].notna()]
        if known.empty:
            return {
                "verdict": OPEN,
                "why": "; ".join(dict.fromkeys(rows["status"])) or "absent: no such row",
            }
        last = _last(known)
        holds, does_not, *whys = RULES[claim.rule](
            known, [float(bound) for bound in claim.within.split()]
        )
        verdict, why = (
            (HOLDS, whys[0]) if holds else (DOES_NOT, whys[1]) if does_not else (OPEN, whys[2])
        )
        undecided = sorted({worth for worth in last["status"] if worth.startswith("stand-in")})
        undecided += (
            [f"it needs {claim.needs}"]
            if claim.needs and not NEEDS[claim.needs](known, last)
            else []
        )
    except (
        KeyError,
        ValueError,
        pd.errors.UndefinedVariableError,
    ) as column:  # another version wrote the table
        return {
            "verdict": OPEN,
            "why": f"absent: {path.name} lacks {column}; make the report again",
        }
    if undecided:
        verdict, why = OPEN, f"{why}; open: {'; '.join(undecided)}"
    problems = last["problems"].iloc[-1] if "problems" in last else whole
    hangs_on = [f"{problems:,.0f} of {whole:,} problems"] if problems < whole else []
    numbers = (
        {}
        if claim.rule in BY_CATEGORY
        else _numbers(last, signed, 1 if "distinct" in claim.row else 100)
    )
    if claim.rule == "agrees" and not last["category"].isin(OVER_ALL).all():
        hangs_on = ["the covered categories only"]
        numbers["printed"] = (
            f"{claim.printed} (there: {', '.join(f'{100 * p:.1f} %' for p in last['published'])})"
        )
    hangs_on += (
        [f"the interval is of {THESE_RUNS}"]
        if "covers" in last and THESE_RUNS in set(last["covers"])
        else []
    )
    return numbers | {"verdict": verdict, "why": why, "hangs_on": "; ".join(hangs_on)}


def _last(rows: pd.DataFrame) -> pd.DataFrame:
    """Of each system or level the row over all categories; else over those that are covered; else
    the last."""
    rows = rows[~rows["category"].str.endswith("macro")]
    rank = rows["category"].isin(OVER_ALL) * 2 + rows["category"].str.startswith("covered")
    rows = rows.loc[rank.sort_values(kind="stable").index]
    names = [name for name in ("system", "level") if name in rows]
    return rows.drop_duplicates(names, keep="last") if names else rows.tail(1)


#: What an open claim would take, of its rows and the last of them.
NEEDS = {
    "all problems": lambda rows, last: last["category"].isin(OVER_ALL).all(),
    "75 samples": lambda rows, last: last["k"].min() >= 75,
    "5 runs against 5": lambda rows, last: (
        rows.loc[~rows["category"].str.contains(","), "note"]
        .str.startswith("5 run(s) against 5")
        .all()
    ),
}


def above(rows: pd.DataFrame, _: Sequence[float]) -> Decision:
    """A difference is above 0."""
    row = rows.iloc[-1]
    wide = "the interval reaches from below 0 to above it"
    whys = (
        "the whole interval lies above 0",
        "the interval lies below 0, or less than 2 points either way is shown",
    )
    return row["low"] > 0, row["high"] < 0 or no_difference(rows, _)[0], *whys, wide


def no_difference(rows: pd.DataFrame, _: Sequence[float]) -> Decision:
    """There is none: shown by a test of equivalence within 2 points, refuted by an interval beside
    0."""
    row = rows.iloc[-1]
    wide = "the interval covers 0, and is too wide to show that nothing is there"
    whys = "less than 2 points either way is shown", "the interval leaves 0 out"
    return (
        row[["p_within_1", "p_within_2"]].min() <= 0.05,
        row["low"] > 0 or row["high"] < 0,
        *whys,
        wide,
    )


def no_benefit(rows: pd.DataFrame, _: Sequence[float]) -> Decision:
    """A difference is no benefit: one of 2 points is refuted, so that "behind" is none either."""
    row = rows.iloc[-1]
    wide = "the interval reaches from below 0 to 2 points and above"
    return (
        row["high"] < 0.02,
        row["low"] > 0,
        "a benefit of 2 points is refuted",
        "the interval leaves 0 out",
        wide,
    )


def between(rows: pd.DataFrame, bounds: Sequence[float]) -> Decision:
    """Numbers lie within bounds, a pair for each row: their whole intervals, or none of one."""
    last = _last(rows)
    low = 100 * last["low"]
    high = 100 * last["high"]
    least = bounds[::2]
    most = bounds[1::2]
    words = "within " + " and ".join(f"{a:g} to {b:g}" for a, b in zip(least, most, strict=True))
    inside = (low >= least) & (high <= most)
    outside = (high < least) | (low > most)
    return inside.all(), outside.any(), words, f"not {words}", f"too wide to tell whether {words}"


def agrees(rows: pd.DataFrame, _: Sequence[float]) -> Decision:
    """Printed numbers are what a rerun would give, by the verdicts of a check
    (`trove_lite_papers.check`)."""
    last = _last(rows)
    narrow = "the printed value lies where a rerun would fall, and that is narrow enough to tell"
    whys = (
        narrow,
        "a printed value lies where no rerun would fall",
        "; ".join(dict.fromkeys(last["why"].dropna())),
    )
    return last["verdict"].eq("agrees").all(), last["verdict"].eq("differs").any(), *whys


def no_worse(rows: pd.DataFrame, _: Sequence[float]) -> Decision:
    """Less than a point is lost, one-sided; worse: the interval of what is lost lies above 0."""
    row = rows.iloc[-1]
    adds = "that IMPORT adds a point"
    refuted = f"{adds} or more is refuted, over problems, these runs as they are"
    return (
        row["p_below_1"] <= 0.05,
        row["low"] > 0,
        refuted,
        "IMPORT adds something",
        f"{adds} is not refuted",
    )


def above_in_each(rows: pd.DataFrame, _: Sequence[float]) -> Decision:
    """Every difference, category by category, is above 0 after Holm's correction; one below 0
    refutes it."""
    rows = rows[~rows["category"].isin(("all", "covered"))]
    sure = rows[rows["p_holm"] <= 0.05]
    ahead = (sure["value"] > 0).sum()
    behind = (sure["value"] < 0).sum()
    why = f"{ahead} of {len(rows)} differences lie clearly above 0, {behind} below (Holm's correction)"
    return ahead == len(rows), behind > 0, why, why, why


def skip_most_import_least(rows: pd.DataFrame, _: Sequence[float]) -> Decision:
    """In every category SKIP's overlap lies clear above IMPORT's; the reverse in one refutes it."""
    ends = rows.assign(mode=rows["system"].str.split().str[-1]).pivot(
        index="category", columns="mode"
    )
    low = ends["low"]
    high = ends["high"]
    means = ", ".join(f"{mode} {100 * mean:.0f} %" for mode, mean in ends["value"].mean().items())
    why = f"means over {len(ends)} categories: {means}"
    return (low["SKIP"] > high["IMPORT"]).all(), (high["SKIP"] < low["IMPORT"]).any(), why, why, why


BY_CATEGORY = {rule.__name__: rule for rule in (above_in_each, skip_most_import_least)}
RULES = {
    rule.__name__: rule for rule in (above, no_difference, no_benefit, between, agrees, no_worse)
} | BY_CATEGORY


def _numbers(rows: pd.DataFrame, signed: bool, scale: float) -> dict[str, str]:
    """Ours, its interval and where a rerun would fall, as text: shares in percent, differences in
    points."""
    sign = "+" * signed
    unit = "" if scale == 1 else " points" if signed else " %"
    names = [
        f"{row.system} " if len(rows) > 1 and "level" not in rows else ""
        for row in rows.itertuples()
    ]

    def text(form: str, *columns: str) -> str:
        cells = zip(names, *(scale * rows[column] for column in columns), strict=True)
        return ", ".join(name + form.format(*numbers) for name, *numbers in cells)

    ends = f"[{{:{sign}.1f}}, {{:{sign}.1f}}]"
    numbers = {
        "ours": text(f"{{:{sign}.1f}}{unit}", "value"),
        "interval": text(ends, "low", "high"),
    }
    return numbers | (
        {"prediction": text(ends, "prediction_low", "prediction_high")} if "verdict" in rows else {}
    )


NUMBER = r"([+-]?\d+(?:\.\d+)?)"


def about_claims(found: pd.DataFrame) -> Sentence:
    """How many of them hold, and the first decided one that is about a printed share."""
    words = {"open": "are open", "holds": "hold", "so here": "hold"}
    counts = found["verdict"].value_counts().items()
    said = " and ".join(f"{n} {words.get(verdict, 'do not hold')}" for verdict, n in counts)
    said = f"Of {len(found)} claims {said}"
    if not found.attrs["judges"]:
        about = "They are about another model, data set or budget"
        return Sentence(f"{said}. {about}: these runs show, and do not judge.")
    shares = found["ours"].str.endswith("%") & (found["printed"] != "")
    for row in found[shares & ~found["verdict"].str.endswith("open")].head(1).itertuples():
        here = f"{row.printed} in print, here {row.ours} {row.interval} (95 %)"
        return Sentence(f"{said}; “{row.claim}”: {here}.")
    return Sentence(f"{said}: of a printed share these runs cannot tell.")


def _row_name(row: object) -> str:
    """Where a claim is made, its words, the verdict, and of an open one why it is."""
    why = f": {row.why.rpartition('; open: ')[2]}" if row.verdict.endswith("open") else ""
    verdict = wrap(f"{row.verdict}{why}", 56)
    return "\n".join([row.place, *wrap(f"“{row.claim}”", 52), *verdict])


def claims_figure(found: pd.DataFrame) -> Figure | None:
    """The claims about a difference; the paper's numbers are beside its own model's alone."""
    value = found["ours"].str.extract(rf"^{NUMBER} points$")[0].astype(float)
    ends = found["interval"].str.extract(rf"^\[{NUMBER}, {NUMBER}\]$").astype(float)
    drawn = {"value": value, "low": ends[0], "high": ends[1], "system": "difference"}
    drawn["sure"] = ~found["verdict"].str.endswith("open")
    if found.attrs["judges"]:
        printed = found["printed"].str.extract(rf"^{NUMBER} points?$")[0]
        drawn["published"] = printed.astype(float)
    drawn["row"] = [_row_name(row) for row in found.itertuples()]
    where = found["hangs_on"][value.notna()]
    over = " or ".join(dict.fromkeys(where[where != ""]))
    look = {"rows": "row", "scale": 1, "label": "difference (points)"}
    return forest(
        name_table(pd.DataFrame(drawn), "claims", "Claims", found.attrs["runs"]),
        title="Claims about a difference",
        caption=f"Each over {over}." if over else "",
        **look,
    )


def in_words(found: pd.DataFrame) -> pd.DataFrame:
    """The claims as a table to read, decided ones first."""
    table = found.assign(
        claim=found["claim"] + " (" + found["paper"] + ", " + found["place"] + ")",
        here=(found["ours"] + " " + found["interval"]).str.strip(),
    )
    order = table["verdict"].str.endswith("open").sort_values(kind="stable").index
    shown = table.loc[order, ["claim", "printed", "here", "verdict", "why"]]
    return Whole(shown.set_index("claim"))
