"""TroVE's Tables 1 and 6 and Figures 6 and 7: data sets and primitives, and what the library of each subject holds."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from trove_lite.datasets import load_dataset, load_problems
from trove_lite.errors import TroveLiteError, shown
from trove_lite.parse import parse_tools
from trove_lite.programs import plain_name

from .. import named, published_table
from ..style import counted, titled
from .table2 import _of

#: TroVE's data sets by what the paper calls them: data set and category here; none of GQA, whose images need models.
DATASETS = {"TabMWP": ("tabmwp", "tabmwp"), "WTQ": ("wtq", "wtq"), "HiTab": ("hitab", "hitab")}
TABLE1 = ["task", "category", "published_size", "size", "same", "published_primitives", "primitives", "note"]
LIBRARY = ["category", "run", "tool", "signature", "kind", "uses", "first", "last", "problems"]
EXAMPLES = ["category", "kind", "signature", "uses", "first", "last", "run", "source"]
MOST = 8  # tools drawn for a subject
SIGNATURE = 46  # characters


def table1() -> pd.DataFrame:
    """TroVE's Table 1: sizes and primitives, printed and of the data sets here, where their files are at hand."""
    rows = []
    for row in published_table("trove_table1").itertuples():
        dataset, category = DATASETS.get(row.category, ("math", row.category))
        cells = {"task": row.task, "category": row.category, "published_size": row.size}
        cells["published_primitives"] = row.primitive_functions.replace(";", ", ")
        if row.category == "GQA":
            rows.append(cells | {"note": "not among the data sets here"})
            continue
        given = "; ".join(load_dataset(dataset).given)
        cells["primitives"] = "built-in functions" + (f"; {given}" if given else "")
        try:
            size = len(load_problems(dataset, category))
            rows.append(cells | {"size": size, "same": size == row.size})
        except TroveLiteError as error:
            rows.append(cells | {"note": str(error).partition(": ")[2]})  # all but the path on this machine
    table = pd.DataFrame(rows).reindex(columns=TABLE1).astype({"size": "Int64"})
    return named(table, "trove_table1", "TroVE's Table 1", "the data sets here")


def libraries(candidates: pd.DataFrame, kept: pd.DataFrame) -> pd.DataFrame:
    """What TROVE's toolboxes end with, a row a tool, and which `problems` have a final answer that lists and names it.

    In the order of the toolbox's own listing. `first` and `last` are the first and last of those problems (numbers in
    the data set's order), `uses` how many; a tool that no final answer used has 0. The first of each category's runs
    that has a toolbox.
    """
    comparison, answers = _of(candidates)
    used = answers[answers["status"] == "ok"].explode("used_tools").dropna(subset="used_tools")
    used = used.astype(dict.fromkeys(("run", "category", "used_tools"), str))
    problems = used.groupby(["run", "category", "used_tools"])["problem"].agg(lambda own: sorted(map(int, set(own))))
    rows = []
    own = kept[kept["method"] == "trove"].sort_values(["seed", "run", "rank"], kind="stable")
    for category in comparison.categories:
        here = own[own["category"] == category]
        for tool in here[here["run"] == here["run"].iloc[0]].itertuples() if len(here) else ():
            by = problems.get((str(tool.run), category, str(tool.name)), [])
            kind = "import" if str(tool.signature).startswith(("import ", "from ")) else "function"
            ends = (by[0], by[-1]) if by else (pd.NA, pd.NA)
            rows.append((category, tool.run, tool.name, tool.signature, kind, len(by), *ends, by))
    table = pd.DataFrame(rows, columns=LIBRARY).astype({"first": "Int64", "last": "Int64"})
    return named(table, "trove_libraries", "libraries", comparison.title, note="no toolbox of TROVE is known")


def table6(candidates: pd.DataFrame, held: pd.DataFrame) -> pd.DataFrame:
    """TroVE's Table 6 from `libraries`: example tools of each subject, by a rule; the paper states none.

    The function, and the import, that most final answers of the category's first run use; of several the older.
    `source`: the function as a final answer first wrote it, where the runs hold text.
    """
    best = held[held["uses"] > 0].sort_values("uses", ascending=False, kind="stable")
    best = best.drop_duplicates(["category", "kind"]).sort_values(["category", "kind"], kind="stable")
    sources = [_source(candidates, row) if row.kind == "function" else "" for row in best.itertuples()]
    table = best.assign(source=sources)[EXAMPLES].reset_index(drop=True)
    return named(table, "trove_table6", "TroVE's Table 6", held.attrs["runs"], note="no tool that a final answer used")


def _source(candidates: pd.DataFrame, row: object) -> str:
    if "tools" not in candidates:
        return ""
    stream = candidates[(candidates["run"] == row.run) & (candidates["category"] == row.category)]
    for text in stream.sort_values("problem", kind="stable")["tools"]:
        for tool in parse_tools(text or "") if row.tool in (text or "") else ():
            if tool.kind == "function" and plain_name(tool.name) == row.tool:
                return shown(tool.source, lines=True).strip()
    return ""


def library_figure(held: pd.DataFrame, *, name: str = "trove_figure6") -> Figure | None:
    """Figures 6 and 7: each subject's library, most used first: every use a tick at its problem, first to last a line.

    None where no toolbox is known.
    """
    if held.empty:
        return None
    ranked = held.sort_values("uses", ascending=False, kind="stable").groupby("category", sort=False)
    blocks = {category: ranked.get_group(category).head(MOST) for category in held["category"].unique()}
    heights = [len(part) + 1.1 for part in blocks.values()]
    figure, all_axes = plt.subplots(
        len(blocks),
        1,
        figsize=(8.6, 1.3 + 0.23 * sum(heights)),
        layout="constrained",
        gridspec_kw={"height_ratios": heights},
        squeeze=False,
    )
    for axes, (category, part) in zip(all_axes[:, 0], blocks.items(), strict=True):
        whole = held[held["category"] == category]
        for place, row in enumerate(part.itertuples()):
            colour = "black" if row.kind == "function" else "0.45"
            if row.uses:
                axes.plot([row.first, row.last], [place, place], color=colour, linewidth=0.8)
                axes.plot(row.problems, [place] * row.uses, "|", color=colour, markersize=7, markeredgewidth=1.1)
            uses = counted(row.uses, "use", "uses")
            said = f"{uses}, {row.first}–{row.last}" if row.uses else "no final answer used it"
            axes.annotate(
                said, (1.01, place), xycoords=("axes fraction", "data"), va="center", fontsize=7, color=colour
            )
        axes.set_yticks(range(len(part)), [_label(row) for row in part.itertuples()], fontsize=7, family="monospace")
        for label, row in zip(axes.get_yticklabels(), part.itertuples(), strict=True):
            label.set_fontweight("bold" if row.kind == "function" else "normal")
        axes.set_ylim(len(part) - 0.4, -0.6)
        axes.set_xlim(left=-2)
        axes.tick_params(axis="x", labelsize=7)
        axes.grid(axis="x", color="0.92")
        axes.set_axisbelow(True)
        more = f", {len(whole) - len(part)} more not drawn" if len(whole) > len(part) else ""
        functions = int((whole["kind"] == "function").sum())
        axes.set_title(f"{category}: {len(whole)} tools, {functions} functions{more}", fontsize=9, loc="left")
    all_axes[-1, 0].set_xlabel(
        "problem, in the order of the stream; a tick: its final answer uses the tool", fontsize=9
    )
    text = "What the library of each subject holds"
    detail = "bold: functions that the model wrote; grey: imports of modules. First run of each subject"
    caption = f"{text}, most used first: signature, uses, first and last problem. {detail}."
    return titled(figure, held, text, name, detail=detail, caption=caption)


def _label(row: object) -> str:
    """A signature as it can be drawn, mathematics and all."""
    text = shown(str(row.signature)).replace("$", r"\$")
    return text if len(text) <= SIGNATURE else f"{text[: SIGNATURE - 1]}…"
