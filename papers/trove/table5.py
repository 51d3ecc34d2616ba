"""TroVE's Table 5 and Figure 10: how well and how fast people verify programs of each method, of any ratings."""

from itertools import combinations
from math import nan

import pandas as pd
from matplotlib.figure import Figure

from papers.raters.ratings import agreement, by_method, method_differences, study_power

from .. import is_its_model, named, published_value
from ..figures import curve, forest

SYSTEM = {"primitive": "PRIMITIVE", "instance": "INSTANCE", "trove": "TROVE", "trove_no_import": "TROVE without IMPORT"}
METRIC = {"accuracy": "human_accuracy", "seconds": "time_s"}
#: What a study should be able to see: what the paper prints between its methods.
EFFECTS = {"accuracy": 0.10, "seconds": 8.0}
PROBLEMS = (10, 20, 40, 60, 80, 100, 150, 200, 300, 400)


def table5(ratings: pd.DataFrame) -> pd.DataFrame:
    """Table 5 from ratings (`raters.answers.read_study`): accuracy and seconds by method, beside print.

    `value` with its 95 % interval over problems and raters; `rater_sd` between raters, as the paper's `published_sd`
    (of 6, on WTQ with CodeLlama, and beside ratings of such programs alone).
    """
    table = by_method(ratings)
    system, models = table["method"].map(_system), ratings.attrs.get("model", ())
    alike = models and is_its_model("trove_table5", *models) and set(ratings["dataset"].astype(str)) == {"wtq"}
    for end, column in (("", "mean"), ("_sd", "std")):
        cells = zip(system, table["measure"], strict=True)
        printed = [
            published_value("trove_table5", column, method=s, metric=METRIC[m]) if alike else nan for s, m in cells
        ]
        table[f"published{end}"] = printed
    return _named(table.drop(columns="method").assign(system=system), "table5", ratings)


def verification(ratings: pd.DataFrame) -> list[pd.DataFrame | Figure | None]:
    """Everything that is said of ratings: Table 5, differences, agreement, power, then Figure 10 and that of power.

    Differences are TROVE's minus each other method's, then the others' among themselves, in accuracy, seconds and share
    of time. Agreement is Cohen's kappa, of raters with each other and with the verdicts. Power is what a study with so
    many raters and problems sees of the differences that the paper prints (`EFFECTS`).
    """
    table = table5(ratings)
    methods = sorted(ratings["method"].unique(), key=lambda method: (method != "trove", method))
    pairs = list(combinations(methods, 2))
    raters = [len(methods) * times for times in (1, 2, 4, 8)]
    found = {"table5_differences": method_differences(ratings, pairs)}
    found["table5_power"] = study_power(ratings, *pairs[0], EFFECTS, raters=raters, problems=PROBLEMS)
    differences, power = (
        _named(part.assign(a=part["a"].map(_system), b=part["b"].map(_system)), name, ratings)
        for name, part in found.items()
    )
    agreed = _named(agreement(ratings), "table5_agreement", ratings)
    return [table, differences, agreed, power, figure10(table), power_figure(power)]


def figure10(table: pd.DataFrame) -> Figure | None:
    """Figure 10 from Table 5: each method's mean with its interval, print beside."""
    percent = 100 * (table["measure"] == "accuracy") + 1 * (table["measure"] != "accuracy")
    columns = [name for name in ("value", "low", "high", "published") if name in table]
    shown = table.assign(**{name: table[name] * percent for name in columns})
    text, labels = "How well and how fast people verify programs", {"accuracy": "judged rightly (%)"}
    labels |= {"seconds": "time (s a program)"}
    caption = "Bars: 95 % intervals over problems and raters."
    how = {"rows": "system", "panel": "measure", "label": labels, "scale": 1, "caption": caption}
    return forest(shown, title=text, name="trove_figure10", **how)


def power_figure(table: pd.DataFrame) -> Figure | None:
    """How many raters and problems a study needs, from `table5_power`; None where that cannot be said."""
    if table.empty or table["power"].isna().all():
        return None
    text = f"What a study would see of a difference between {table['a'].iloc[0]} and {table['b'].iloc[0]}"
    shown = table.assign(raters=table["raters"].astype(str) + " raters", problems=table["problems"].astype(float))
    labels = "problems, each judged once by every rater", "power of the test at 5 % (%)"
    return curve(shown, title=text, x="problems", series="raters", panel="measure", value="power", labels=labels)


def _system(method: str) -> str:
    return SYSTEM.get(method, method)


def _named(table: pd.DataFrame, name: str, ratings: pd.DataFrame) -> pd.DataFrame:
    part = name.removeprefix("table5").replace("_", ", ")
    note = "no two problems were judged in both methods: give the answers of more raters"
    return named(table, f"trove_{name}", f"TroVE's Table 5{part}", ratings.attrs.get("runs", ""), note=note)
