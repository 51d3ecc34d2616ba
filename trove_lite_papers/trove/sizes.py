"""What toolboxes of TROVE end with, and which answers use it (Table 6, Figures 6 and 7), as tables
and a figure.

Which answers use a tool the essay defines: the problems, by run, category and the tool's name.
"""

from collections.abc import Mapping, Sequence
from itertools import chain

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from trove_lite.errors import shown
from trove_lite.programs import plain_name
from trove_lite.programs.parse import parse_tools
from trove_lite_analysis.sentence import Sentence

from ..figures import titled
from ..tables import name_table
from .simplicity import Study

Uses = Mapping[tuple[str, str, str], Sequence[int]]
COLUMNS = [
    "category",
    "run",
    "tool",
    "signature",
    "kind",
    "uses",
    "first",
    "last",
    "problems",
]
BEST = [
    "category",
    "kind",
    "signature",
    "uses",
    "first",
    "last",
    "run",
    "source",
]
MOST = 8  # tools drawn of a category
#: Kind of tool → colour and width of its ticks, and what it is.
TICKS = {"function": ("black", 2.2), "import": ("0.6", 1.2)}
KINDS = {
    "function": "a function that the model wrote",
    "import": "an import of a module",
}


def libraries(study: Study, kept: pd.DataFrame, uses: Uses) -> pd.DataFrame:
    """A row a tool that the first run of each category ends with, in its toolbox's order, and who
    uses it.

    kept: of `ta.toolboxes`. `problems`: those whose answer uses the tool; `uses` of them, from
        `first` to `last`.
    """
    own = kept[kept["method"] == "trove"].sort_values(["seed", "run", "rank"], kind="stable")
    there = [own[own["category"] == category] for category in study.comparison.categories]
    firsts = [part[part["run"] == part["run"].iloc[0]] for part in there if len(part)]
    rows = []
    for tool in chain.from_iterable(part.itertuples() for part in firsts):
        kind = "import" if str(tool.signature).startswith(("import ", "from ")) else "function"
        by = uses.get((str(tool.run), str(tool.category), str(tool.name)), [])
        ends = (by[0], by[-1]) if len(by) else (pd.NA, pd.NA)
        about = (
            tool.category,
            tool.run,
            tool.name,
            tool.signature,
            kind,
        )
        rows.append((*about, len(by), *ends, by))
    table = pd.DataFrame(rows, columns=COLUMNS).astype({"first": "Int64", "last": "Int64"})
    note = "no toolbox of TROVE is known"
    return name_table(
        table,
        "trove_libraries",
        "libraries",
        study.comparison.title,
        note=note,
    )


def most_used(held: pd.DataFrame) -> pd.DataFrame:
    return held[held["uses"] > 0].sort_values("uses", ascending=False, kind="stable")


def libraries_sentence(held: pd.DataFrame, reused: pd.Series) -> Sentence:
    """How much of toolboxes are functions, and how many of these are `reused`."""
    if held.empty:
        return Sentence("These runs cannot tell: no toolbox of TROVE is known.")
    functions = held["kind"] == "function"
    return Sentence(
        f"Of {len(held)} tools that toolboxes of TROVE end with {functions.sum()} are functions, and the rest "
        f"imports; {(functions & reused).sum()} functions are used again. One run a category is shown, so this "
        "cannot say how much toolboxes vary."
    )


def libraries_figure(held: pd.DataFrame, candidates: pd.DataFrame) -> Figure | None:
    """Which answers use a tool, a tick each, along the stream; a panel a category (Figures 6 and
    7)."""
    ranked = most_used(held)
    order = [
        category for category in held["category"].unique() if category in set(ranked["category"])
    ]
    blocks = [ranked[ranked["category"] == category].head(MOST) for category in order]
    if not blocks:
        return None
    height = 1.2 + sum(0.2 * len(part) + 0.35 for part in blocks)
    figure, grid = plt.subplots(
        len(blocks), figsize=(8, height), layout="constrained", squeeze=False, sharex=True,
        gridspec_kw={"height_ratios": [len(part) + 1 for part in blocks]},
    )  # fmt: skip
    for axes, part in zip(grid[:, 0], blocks, strict=True):
        category = part["category"].iloc[0]
        _ticks(axes, part)
        problems = candidates.loc[candidates["category"] == category, "problem"].nunique()
        axes.set_title(f"{category}, {problems} problems", fontsize=9, loc="left")
    grid[-1, 0].set_xlabel("problem, in the order of the stream")
    keys = [
        Line2D(
            [],
            [],
            color=colour,
            linewidth=2 * width,
            label=KINDS[kind],
        )
        for kind, (colour, width) in TICKS.items()
    ]
    figure.legend(handles=keys, frameon=False, ncols=2, fontsize=9, loc="outside lower center")
    about = "A tick: the answer to this problem uses the tool. The eight most used tools of each category's first run."
    return titled(
        figure,
        held,
        "Which tools TROVE's answers use",
        about,
        name="trove_figure6",
    )


def _ticks(axes: Axes, part: pd.DataFrame) -> None:
    colours, widths = zip(*(TICKS[kind] for kind in part["kind"]), strict=True)
    places = {
        "lineoffsets": range(len(part)),
        "linelengths": 0.7,
        "linewidths": widths,
    }
    axes.eventplot(list(part["problems"]), colors=colours, **places)
    names = [name.replace("$", r"\$")[:40] for name in part["signature"]]
    axes.set_yticks(range(len(part)), names, fontsize=7)
    axes.invert_yaxis()


def table6(held: pd.DataFrame, candidates: pd.DataFrame) -> pd.DataFrame:
    """Table 6: of each category the function, and the import, that most answers use; its source
    where it is known."""
    best = most_used(held).drop_duplicates(["category", "kind"])
    best = best.sort_values(["category", "kind"], kind="stable")
    best = best.assign(source=[_source(tool, candidates) for tool in best.itertuples()])
    table = best[BEST].reset_index(drop=True)
    note = "no tool that a final answer used"
    return name_table(
        table,
        "trove_table6",
        "TroVE's Table 6",
        held.attrs["runs"],
        note=note,
    )


def _source(tool: object, candidates: pd.DataFrame) -> str:
    """The function as an answer first wrote it, where the runs hold text."""
    if tool.kind == "import" or "tools" not in candidates:
        return ""
    stream = candidates[(candidates["run"] == tool.run) & (candidates["category"] == tool.category)]
    texts = stream.sort_values("problem", kind="stable")["tools"].fillna("")
    for text in texts[texts.str.contains(tool.tool, regex=False)]:
        for one in parse_tools(text):
            if one.kind == "function" and plain_name(one.name) == tool.tool:
                return shown(one.source, lines=True).strip()
    return ""
