"""What the bench's model wrote, counted: tools, failures, and the problems on which two methods
part."""

from collections.abc import Iterable

import pandas as pd

from trove_lite.candidates import name_table
from trove_lite.selection.tables import choose
from trove_lite_analysis.failure_modes import failures, tools_made

from .bench import Part, Parts

MODES = ("primitive", "instance", "skip", "import", "create")
MAKING = ("instance", "create")
CHOSEN = ("method", "mode", "status", "answer")  # of a chosen program
RARE = 0.01  # a kind of failure that is rarer everywhere is counted with others


def wrote(parts: Parts) -> pd.DataFrame:
    """A row a part and mode: the shares of replies that define a function, import a tool, fail, and
    are right."""
    rows = []
    for name, part in parts.items():
        for mode, own in part.candidates[part.candidates["mode"].isin(MODES)].groupby(
            "mode", observed=True
        ):
            tools = own["tools"].astype(str)
            rows.append(
                {
                    "part": name,
                    "mode": mode,
                    "replies": len(own),
                    "defines": tools.str.contains("def ").mean(),
                    "imports": tools.str.contains("from toolbox import").mean(),
                    "fails": own["status"].ne("ok").mean(),
                    "right": own["correct"].eq(True).mean(),
                }
            )
    return name_table(pd.DataFrame(rows), "wrote", "What the model wrote")


def tools(parts: Parts) -> pd.DataFrame:
    """A row a part whose programs define functions as tools: how many, and the shares of them that
    compute from all of their arguments (`general`), that a later program imports (`used again`),
    that are in a right program (`right`), and all three."""
    rows = []
    for name, part in parts.items():
        if part.candidates["mode"].isin(MAKING).any():
            found = tools_made(part.candidates)
            kept = len(part.about.get("toolboxes") or ())
            is_so = pd.DataFrame(
                {
                    "general": found["kind"] == "general",
                    "used again": found["imported"] > 0,
                    "right": found["right"] > 0,
                }
            )
            is_so["all three"] = is_so.all(axis=1)
            shares = is_so.mean().to_dict()
            rows.append({"part": name, "functions": len(found), "kept at the end": kept} | shares)
    return name_table(pd.DataFrame(rows), "tools", "Functions that the model wrote as tools")


def import_failures(parts: Parts) -> pd.DataFrame:
    """How IMPORT's programs ended: a row a kind, a column a part, as shares; the most frequent
    first."""
    found = {
        name: failures(part.candidates[part.candidates["mode"] == "import"])
        for name, part in parts.items()
    }
    shares = {name: table.set_index("kind")["share"] for name, table in found.items() if len(table)}
    table = pd.DataFrame(shares).fillna(0.0)
    rare = table[(table < RARE).all(axis=1)].index
    table = (
        table.groupby(table.index.where(~table.index.isin(rare), "another error"))
        .sum()
        .rename_axis("kind")
    )
    order = table.mean(axis=1).sort_values(ascending=False, kind="stable").index
    return name_table(
        table.loc[order].reset_index(), "import_failures", "How IMPORT's programs ended"
    )


def parted(pairs: Iterable[tuple[Part, Part]]) -> pd.DataFrame:
    """The problems of which the program that agreement chooses is right in one part and wrong in
    the other, pair by pair in the data set's order: all of them. `right`: the part that is right;
    what ends in _a belongs to the first."""
    found = []
    keys = ["dataset", "category", "problem", "level"]
    for a, b in pairs:
        both = choose(a.candidates, "one_stage").merge(
            choose(b.candidates, "one_stage"), on=keys, suffixes=("_a", "_b")
        )
        right = both["correct_a"].map({True: a.name, False: b.name})
        found.append(both.assign(right=right)[(both["correct_a"] != both["correct_b"]).to_numpy()])
    columns = [
        *keys,
        "right",
        *(f"{name}_{system}" for system in "ab" for name in CHOSEN),
    ]
    table = pd.concat(found, ignore_index=True)[columns]
    return name_table(table, "parted", "Where the chosen programs of two methods part")
