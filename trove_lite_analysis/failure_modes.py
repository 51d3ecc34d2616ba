"""How programs fail, and what the tools are like that a model made: counted, not chosen.

What is counted in text, runs that keep none cannot tell: their tables are empty, with the reason in
`attrs["note"]`."""

import ast
import re
from collections.abc import Iterable

import pandas as pd

from trove_lite.candidates import name_table, require_candidates
from trove_lite.programs import NOT_PARSED, Tool, plain_name, statements
from trove_lite.programs.parse import parse_tools

ERROR = re.compile(r"(\w*(?:Error|Exception|Exit|Interrupt|Warning|Iteration))\b")
#: Names that libraries had when the papers' models learned, and that numpy 1.24 to 2, pandas 2 or
#: scipy 1.14 dropped.
DROPPED = re.compile(
    r"module 'numpy' has no attribute '(?:float|int|bool|object|complex|str|math|product|cumproduct|sometrue|alltrue|"
    r"Inf|NaN|Infinity|in1d|trapz|row_stack|float_|string_|unicode_)'"
    r"|'(?:DataFrame|Series|Index|DatetimeIndex)' object has no attribute "
    r"'(?:append|iteritems|ix|mad|lookup|applymap|weekofyear|is_monotonic)'"
    r"|module 'scipy(?:\.integrate)?' has no attribute '(?:simps|trapz|cumtrapz|misc)'"
    r"|No module named 'scipy\.misc'|cannot import name '(?:comb|factorial|simps|trapz|cumtrapz)' from 'scipy"
)
#: What Python says where the sandbox refuses a thread, a process, or the pair of sockets of
#: `asyncio.run`'s event loop; refused files have a name behind it.
REFUSED = re.compile(
    r"RuntimeError: can't start new thread"
    r"|PermissionError: \[Errno (?:1\] Operation not permitted|13\] Permission denied)(?!:)"
)
A_THREAD = "a thread, event loop, process or socket"  # the kind of programs that end so
FROM_TOOLBOX = "toolbox."
HARD_CODED = ("constant", "no arguments")
NO_TEXT = "these runs hold numbers without text: name run folders that keep the programs"
FUNCTION = ["method", "category", "seed", "function"]
TOOL_COLUMNS = [*FUNCTION, "kind", "first_problem", "made", "right", "imported", "problems"]
KIND_COLUMNS = ["method", "kind", "tools", "share", "imported", "right", "right_and_used", "of"]
IMPORTED_COLUMNS = ["method", "mode", "programs", "importing", "right", "others", "right_of_others"]


def failures(candidates: pd.DataFrame) -> pd.DataFrame:
    """How the programs of the stream ended: a row for each method, mode and kind, as a share of
    that mode's."""
    stream = require_candidates(candidates)[candidates["phase"] == "stream"]
    ends = stream.reindex(columns=["status", "answer", "correct", "error"]).itertuples(index=False)
    kinds = stream[["method", "mode"]].astype(str).assign(kind=[kind_of(*end) for end in ends])
    table = kinds.groupby(["method", "mode", "kind"]).size().reset_index(name="programs")
    of = table.groupby(["method", "mode"])["programs"].transform("sum")
    table = table.assign(share=table["programs"] / of, of=of).sort_values(
        ["method", "mode", "programs", "kind"],
        ascending=[True, True, False, True],
        ignore_index=True,
    )
    return name_table(table, "failures", "How programs ended")


def kind_of(status: str, answer: object, correct: object, error: object) -> str:
    """How one program ended: `right`, `wrong`, `no answer` (none printed), `a dropped name` (of a
    library's newer version), `A_THREAD` (refused by the sandbox), its exception's name, or else its
    status."""
    if status == "ok":
        return "no answer" if pd.isna(answer) else "right" if correct else "wrong"
    if status != "error" or not isinstance(error, str):
        return "another error" if status == "error" else status
    if REFUSED.match(error):
        return A_THREAD
    name = ERROR.match(error)
    return "a dropped name" if DROPPED.search(error) else name[1] if name else "another error"


def tools_made(candidates: pd.DataFrame) -> pd.DataFrame:
    """Every function that a model defined in its tools, by stream and name: its kind, and who used
    it. kind: `tool_kind` of the first definition. made: programs that define it, of which
    `right` print the right answer.
    imported: programs that import it from the toolbox, of so many problems."""
    if "tools" not in require_candidates(candidates):
        return name_table(pd.DataFrame(columns=TOOL_COLUMNS), "tools_made", "Tools", note=NO_TEXT)
    ordered = candidates.assign(right=_is_right(candidates)).sort_values("problem", kind="stable")
    rows = [
        (
            row.method,
            row.category,
            row.seed,
            plain_name(tool.name),
            row.problem,
            row.right,
            *tool,
        )
        for row in ordered.itertuples()
        for tool in parse_tools(row.tools)
    ]
    each = pd.DataFrame(rows, columns=[*FUNCTION, "problem", "right", *Tool._fields])
    defines = each["kind"] == "function"
    imports = ~defines & (each["name"] != each["function"])
    table = (
        each[defines]
        .groupby(FUNCTION, sort=False, observed=True)
        .agg(
            kind=("source", "first"),
            first_problem=("problem", "first"),
            made=("source", "size"),
            right=("right", "sum"),
        )
    )
    table["kind"] = table["kind"].map(tool_kind)
    used = (
        each[imports]
        .groupby(FUNCTION, observed=True)["problem"]
        .agg(imported="size", problems="nunique")
    )
    table = (
        table.join(used)
        .fillna({"imported": 0, "problems": 0})
        .astype({"imported": int, "problems": int})
    )
    table = table.reset_index().sort_values(
        ["problems", "imported", "made"], ascending=False, kind="stable", ignore_index=True
    )[TOOL_COLUMNS]
    return name_table(
        table, "tools_made", "Tools", note="no program of these runs defines a function as a tool"
    )


def tools_imported(candidates: pd.DataFrame) -> pd.DataFrame:
    """By method and mode, programs that import from the toolbox, and how many of those, and of
    `others`, are right."""
    name = "tools_imported"
    title = "Programs that import from the toolbox"
    if "tools" not in require_candidates(candidates):
        return name_table(pd.DataFrame(columns=IMPORTED_COLUMNS), name, title, note=NO_TEXT)
    stream = candidates[candidates["phase"] == "stream"]
    imports = stream["tools"].map(parse_tools).map(any_import).astype(bool)
    right = _is_right(stream)
    columns = [1, imports, right & imports, ~imports, right & ~imports]
    each = (
        stream[["method", "mode"]]
        .astype(str)
        .assign(**dict(zip(IMPORTED_COLUMNS[2:], columns, strict=True)))
    )
    table = each.groupby(["method", "mode"])[IMPORTED_COLUMNS[2:]].sum().astype(int).reset_index()
    table = table[table["importing"] > 0].reset_index(drop=True)
    return name_table(table, name, title, note="no program of these runs imports from a toolbox")


def any_import(known: Iterable[Tool]) -> bool:
    """Whether one of these tools is imported from the toolbox."""
    return any(tool.name.startswith(FROM_TOOLBOX) for tool in known)


def _is_right(candidates: pd.DataFrame) -> pd.Series:
    return candidates["correct"].astype("boolean").fillna(False).astype(bool)


def tool_kinds(tools: pd.DataFrame) -> pd.DataFrame:
    """The tools of `tools_made` counted by kind, and all that hard-code an answer (`HARD_CODED`)
    together. tools, as a `share` `of` the method's; imported: those that another program imports;
    right: those that a right program defines;
    right_and_used: both."""
    rows = []
    for method, part in tools.groupby(tools["method"].astype(str)):
        kinds = {kind: part[part["kind"] == kind] for kind in part["kind"].value_counts().index}
        for kind, here in (
            kinds | {"hard-coded, together": part[part["kind"].isin(HARD_CODED)]}
        ).items():
            used = here["imported"] > 0
            right = here["right"] > 0
            counts = [used.sum(), right.sum(), (used & right).sum()]
            rows.append([method, kind, len(here), len(here) / len(part), *counts, len(part)])
    table = pd.DataFrame(rows, columns=KIND_COLUMNS)
    return name_table(table, "tool_kinds", "Tools by kind", note=tools.attrs.get("note", ""))


def tool_kind(source: str) -> str:
    """What a function is like, by its syntax tree. `constant`: it makes no use of its arguments;
    `no arguments`;
    `unused arguments`: of some it makes no use; `general`: it computes from all of them; `broken`:
    it does not parse."""
    try:
        function = next(node for node in statements(source) if isinstance(node, ast.FunctionDef))
    except (*NOT_PARSED, StopIteration):
        return "broken"
    a = function.args
    given = {
        each.arg for each in (*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg) if each
    }
    used = {
        node.id for part in function.body for node in ast.walk(part) if isinstance(node, ast.Name)
    } & given
    if not given:
        return "no arguments"
    return "constant" if not used else "general" if used == given else "unused arguments"
