"""TroVE's Table 5 and Figure 10: how well and how fast people verify programs of each method, of any ratings."""

from itertools import combinations
from math import nan

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from papers.raters.ratings import agreement, by_method, method_differences, study_power
from trove_lite.analysis.variance import POWER_WANTED

from .. import Words, is_its_model, named, published_value
from ..style import PRINT, SERIES, Series, counted, handle, key, titled

SYSTEM = {"primitive": "PRIMITIVE", "instance": "INSTANCE", "trove": "TROVE", "trove_no_import": "TROVE without IMPORT"}
METRIC = {"accuracy": "human_accuracy", "seconds": "time_s"}
UNIT = {"accuracy": "judged rightly (% of programs)", "seconds": "time (s a program)"}
#: What a study should be able to see: what the paper prints between its methods.
EFFECTS = {"accuracy": 0.10, "seconds": 8.0}
PROBLEMS = (10, 20, 40, 60, 80, 100, 150, 200, 300, 400)
#: Greys, since a number of raters is no method.
POWER_STYLES = (Series("0.7", "o"), Series("0.5", "s"), Series("0.3", "^"), Series("0", "D"))


def table5(ratings: pd.DataFrame) -> pd.DataFrame:
    """Table 5 from ratings (`raters.answers.read_study`): accuracy and seconds by method, beside print.

    `value` with its 95 % interval over problems and raters; `rater_sd` between raters, as the paper's `published_sd`
    (of 6, on WTQ with CodeLlama, and beside ratings of such programs alone).
    """
    table = by_method(ratings)
    system = table["method"].map(_system)
    models = ratings.attrs.get("model", ())
    alike = models and is_its_model("trove_table5", *models) and set(ratings["dataset"].astype(str)) == {"wtq"}
    cells = list(zip(system, table["measure"], strict=True))
    about = {
        f"published{end}": [_print(*cell, column) if alike else nan for cell in cells]
        for end, column in (("", "mean"), ("_sd", "std"))
    }
    return _named(table.drop(columns="method").assign(system=system, **about), "table5", ratings)


def verification_differences(ratings: pd.DataFrame) -> pd.DataFrame:
    """TROVE minus each other method, and the others among themselves, in accuracy, seconds and share of time."""
    table = method_differences(ratings, _pairs(ratings))
    return _named(table.assign(a=table["a"].map(_system), b=table["b"].map(_system)), "table5_differences", ratings)


def verification_agreement(ratings: pd.DataFrame) -> pd.DataFrame:
    """Cohen's kappa of raters with each other and with the verdicts; the paper gives none."""
    return _named(agreement(ratings), "table5_agreement", ratings)


def verification_power(ratings: pd.DataFrame) -> pd.DataFrame:
    """What a study with so many raters and problems sees of the differences that the paper prints (`EFFECTS`)."""
    a, b = _pairs(ratings)[0]
    step = ratings["method"].nunique()
    raters = [step * times for times in (1, 2, 4, 8)]
    table = study_power(ratings, a, b, EFFECTS, raters=raters, problems=PROBLEMS)
    return _named(table.assign(a=_system(a), b=_system(b)), "table5_power", ratings)


def figure10(ratings: pd.DataFrame, table: pd.DataFrame) -> Figure:
    """Figure 10 from ratings and their `table5`: every rater a line, the mean with its interval, print beside."""
    methods = sorted(ratings["method"].unique(), key=lambda method: (method == "trove", method))
    figure, both = plt.subplots(1, 2, figsize=(8.4, 4.4), layout="constrained")
    scores = {"accuracy": (ratings["said"] == ratings["right"]) * 100.0, "seconds": ratings["seconds"]}
    for axes, (measure, values) in zip(both, scores.items(), strict=True):
        means = ratings.assign(score=values).groupby(["rater", "method"])["score"].mean().unstack("method")
        for _, line in means.reindex(columns=methods).iterrows():
            axes.plot(range(len(methods)), line, color="0.6", linewidth=0.9, marker=".", markersize=4, zorder=1)
        scale = 100 if measure == "accuracy" else 1
        for place, method in enumerate(methods):
            cell = table[(table["system"] == _system(method)) & (table["measure"] == measure)].iloc[0]
            style = SERIES.get(_system(method), SERIES["CREATE"])
            axes.plot([place] * 2, [scale * cell.low, scale * cell.high], color=style.colour, linewidth=2.5)
            axes.plot(place, scale * cell.value, marker=style.marker, color=style.colour, markersize=8, zorder=4)
            if pd.notna(cell.published):
                at, sd = scale * cell.published, scale * cell.published_sd
                axes.errorbar(place + 0.12, at, sd, color="black", linewidth=0.8, capsize=3, zorder=3)
                axes.scatter(place + 0.12, at, marker="D", **PRINT | {"s": 24, "facecolor": "white"})
        axes.set_xticks(range(len(methods)), [_system(method).replace(" without", "\nwithout") for method in methods])
        axes.set_xlim(-0.5, len(methods) - 0.5)
        axes.set_ylabel(UNIT[measure])
        axes.grid(axis="y", color="0.9")
        axes.set_axisbelow(True)
    both[0].set_ylim(top=101)
    both[1].set_ylim(bottom=0)
    lines = {"one rater": Series("0.6", "."), "mean, 95 % interval": Series("0", "")}
    handles = [handle(label, style, line="-") for label, style in lines.items()]
    key(both[0], handles, paper=bool(table["published"].notna().any()), columns=3)
    text = "How well and how fast people verify programs"
    over = f"{counted(ratings['rater'].nunique(), 'rater', 'raters')}, {len(ratings):,} judgements"
    paper = " The paper's: mean and standard deviation over 6 people." * bool(table["published"].notna().any())
    caption = f"{text}. {over}. Grey: each rater; bars: 95 % intervals over problems and raters.{paper}"
    return titled(figure, table, text, "trove_figure10", detail=over, caption=caption)


def power_figure(table: pd.DataFrame) -> Figure | None:
    """How many raters and problems a study needs, from `verification_power`; None where that cannot be said."""
    if table.empty or table["power"].isna().all():
        return None
    figure, both = plt.subplots(1, 2, figsize=(8.4, 4.2), layout="constrained", sharey=True)
    raters = list(table["raters"].unique())
    for axes, (measure, part) in zip(both, table.groupby("measure", sort=False), strict=True):
        for count, style in zip(raters, POWER_STYLES, strict=True):
            own = part[part["raters"] == count]
            axes.plot(own["problems"], 100 * own["power"], color=style.colour, marker=style.marker, markersize=5)
        delta = part["delta"].iloc[0]
        axes.set_title(f"{100 * delta:g} points" if measure == "accuracy" else f"{delta:g} seconds", fontsize=10)
        axes.axhline(100 * POWER_WANTED, color="black", linewidth=0.8, linestyle=":")
        axes.set_xscale("log")
        axes.set_xticks(PROBLEMS[::2], [str(n) for n in PROBLEMS[::2]], minor=False)
        axes.minorticks_off()
        axes.set_xlabel("problems, each judged once by every rater")
        axes.set_ylim(0, 101)
        axes.grid(color="0.9")
    both[0].set_ylabel("power of the test at 5 % (%)")
    handles = [handle(f"{n} raters", style, line="-") for n, style in zip(raters, POWER_STYLES, strict=True)]
    key(both[0], handles, columns=len(handles))
    a, b = table["a"].iloc[0], table["b"].iloc[0]
    text = f"What a study would see of a difference between {a} and {b}"
    caption = f"{text}, from the variances in these ratings. Dotted: {100 * POWER_WANTED:g} %."
    return titled(figure, table, text, caption=caption)


def verification(ratings: pd.DataFrame) -> list[pd.DataFrame | Figure | None]:
    """Everything that is said of ratings: Table 5, differences, agreement, power, then Figure 10 and that of power."""
    table, power = table5(ratings), verification_power(ratings)
    tables = [table, verification_differences(ratings), verification_agreement(ratings), power]
    return [*tables, figure10(ratings, table), power_figure(power)]


def verification_in_words(table: pd.DataFrame, differences: pd.DataFrame, agreed: pd.DataFrame) -> Words:
    """What raters' answers say, from the tables."""
    parts = [f"{table.attrs['runs'][:1].upper()}{table.attrs['runs'][1:]}."]
    for row in differences.itertuples():
        if row.a != differences["a"].iloc[0] or row.measure == "seconds" or pd.isna(row.difference):
            continue
        scale, unit = (100, " points") if row.measure == "accuracy" else (100, " % of the time")
        shown = "is shown" if row.p_holm < 0.05 else "is not shown"
        what = "judged more rightly" if row.measure == "accuracy" else "judged faster or slower"
        parts.append(
            f"That {row.a}'s programs are {what} than {row.b}'s {shown}: {scale * row.difference:+.1f}{unit} "
            f"[{scale * row.low:+.1f}, {scale * row.high:+.1f}]."
        )
    among = agreed[agreed["with"] == "other raters"].iloc[0]
    if "kappa" in agreed and pd.notna(among["kappa"]):
        interval = "" if pd.isna(among.get("low")) else f" [{among['low']:.2f}, {among['high']:.2f}]"
        parts.append(f"Raters agree with each other at kappa {among['kappa']:.2f}{interval}.")
    return Words(" ".join(parts))


def _pairs(ratings: pd.DataFrame) -> list[tuple[str, str]]:
    methods = sorted(ratings["method"].unique(), key=lambda method: (method != "trove", method))
    return list(combinations(methods, 2))


def _system(method: str) -> str:
    return SYSTEM.get(method, method)


def _print(system: str, measure: str, column: str) -> float:
    return published_value("trove_table5", column, method=system, metric=METRIC[measure])


def _named(table: pd.DataFrame, name: str, ratings: pd.DataFrame) -> pd.DataFrame:
    runs = ratings.attrs.get("runs", "")
    part = name.removeprefix("table5").replace("_", ", ")
    note = "no two problems were judged in both methods: give the answers of more raters"
    return named(table, f"trove_{name}", f"TroVE's Table 5{part}", runs, note=note)
