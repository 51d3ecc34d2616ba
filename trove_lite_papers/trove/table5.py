"""TroVE's Table 5 and Figure 10: how well and how fast people verify programs of each method, of
any ratings."""

from itertools import combinations
from math import nan

import pandas as pd
from matplotlib.figure import Figure

from trove_lite_papers.raters.ratings import by_method, method_differences

from ..figures import forest
from ..tables import is_its_model, name_table, published_value

SYSTEM = {
    "primitive": "PRIMITIVE",
    "instance": "INSTANCE",
    "trove": "TROVE",
    "trove_no_import": "TROVE without IMPORT",
}
METRIC = {"accuracy": "human_accuracy", "seconds": "time_s"}


def table5(ratings: pd.DataFrame) -> pd.DataFrame:
    """Table 5 from ratings (`raters.answers.read_study`): accuracy and seconds by method, beside
    print."""
    table = by_method(ratings).replace({"method": SYSTEM})
    models = ratings.attrs.get("model", ())
    alike = (
        models
        and is_its_model("trove_table5", *models)
        and set(ratings["dataset"].astype(str)) == {"wtq"}
    )
    for end, column in (("", "mean"), ("_sd", "std")):
        cells = [
            {"method": s, "metric": METRIC[m]}
            for s, m in zip(table["method"], table["measure"], strict=True)
        ]
        table[f"published{end}"] = [
            published_value("trove_table5", column, **c) if alike else nan for c in cells
        ]
    return table.rename(columns={"method": "system"})


def verification(ratings: pd.DataFrame) -> list[pd.DataFrame | Figure | None]:
    """All that is said of ratings: Table 5, differences of methods, and Figure 10."""
    methods = sorted(ratings["method"].unique(), key=lambda method: (method != "trove", method))
    differences = method_differences(ratings, list(combinations(methods, 2))).replace(
        {"a": SYSTEM, "b": SYSTEM}
    )
    parts = {"": table5(ratings), "_differences": differences}
    note = "no two problems were judged in both methods: give the answers of more raters"
    for part, table in parts.items():
        title = f"TroVE's Table 5{part.replace('_', ', ')}"
        name_table(table, f"trove_table5{part}", title, ratings.attrs.get("runs", ""), note=note)
    return [*parts.values(), figure10(parts[""])]


def figure10(table: pd.DataFrame) -> Figure | None:
    numbers = ["value", "low", "high", "published"]
    shown = table.assign(
        **table[numbers].mul(table["measure"].map({"accuracy": 100, "seconds": 1}), axis=0)
    )
    labels = {"accuracy": "judged rightly (%)", "seconds": "time (s a program)"}
    how = {"rows": "system", "panel": "measure", "scale": 1, "name": "trove_figure10"}
    return forest(shown, title="How well and how fast people verify programs", label=labels, **how)
