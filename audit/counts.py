"""What TroVE counts: #ops and #lib in its words, in its program, and in the public result files and toolboxes.

Of the runs at hand: `kept`, what toolboxes held when they ended (`papers.trove.toolboxes`), `explained`, `counted` and
`selected` (`papers.trove.explained`).
"""

from collections.abc import Iterator

import pandas as pd

from papers.trove.explained import CUT, SAME

from .finding import check


def _against_print(explained: pd.DataFrame, measure: str) -> Iterator[tuple]:
    part = explained[explained["measure"] == measure]
    if len(part):
        left = [*part.loc[part["verdict"] == "open", "category"]]
        cells = [f"{r.category} {r.published:g}, ours {r.value:.3g}: {r.why}" for r in part.itertuples()]
        yield None if left else True, {"cells": cells, "open": left}


@check
def lib_of_table2(explained: pd.DataFrame, kept: pd.DataFrame):
    return _against_print(explained, "#lib, used") if len(kept) else []


@check
def ops_of_table2(explained: pd.DataFrame):
    return _against_print(explained, "#ops, as reported")


@check
def accuracy_of_table2(explained: pd.DataFrame):
    return _against_print(explained, "accuracy")


@check
def library_of_functions(kept: pd.DataFrame):
    own = kept[kept["method"] == "trove"]
    if len(own):
        imports = own["signature"].fillna("").str.match(r"(import|from) ").sum()
        toolboxes = own.groupby(["run", "category"]).ngroups
        yield not imports, {"tools": len(own), "toolboxes": toolboxes, "imports": imports}


def _operations(counted: pd.DataFrame, how: str) -> Iterator[tuple]:
    for row in counted[counted["counted"] == how].to_dict("records"):
        fields = {"other": row["more"] + row["less"], "programs": row["programs"], "more": -row["difference"]}
        yield bool(row["same"] + row["uncounted"] == row["programs"]), fields


@check
def operations_are_calls(counted: pd.DataFrame):
    return _operations(counted, "function calls")


@check
def operations_are_expressions(counted: pd.DataFrame):
    return _operations(counted, "every statement")


@check
def result_files(selected: pd.DataFrame):
    if len(selected):
        same = selected.loc[selected["selected"] == SAME, "programs"].sum()
        whole, cut = selected["programs"].sum(), selected.loc[selected["cause"] == CUT, "programs"].sum()
        yield bool(same + cut == whole), {"whole": whole, "same": same, "cut": cut}
