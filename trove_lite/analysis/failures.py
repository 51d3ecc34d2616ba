"""How programs fail, and what the tools are like that a model made: counted, not chosen.

What it counts in text, runs that keep none cannot tell: their tables are empty, with the reason in `attrs["note"]`.
It knows no method or mode by name.
"""

import ast
import re
import warnings

import pandas as pd

from ..candidates import checked, named
from ..parse import parse_tools
from ..programs import plain_name

ERROR = re.compile(r"(\w*(?:Error|Exception|Exit|Interrupt|Warning|Iteration))\b")
IMPORTED_COLUMNS = ["method", "mode", "programs", "importing", "right", "others", "right_of_others"]
FAILURE_COLUMNS = ["method", "mode", "kind", "programs", "share", "of"]
FROM_TOOLBOX = "toolbox."
HARD_CODED = ("constant", "no arguments")
KIND_COLUMNS = ["method", "kind", "tools", "share", "imported", "right", "right_and_used", "of"]
NO_TEXT = "these runs hold numbers without text: name run folders that keep the programs"
TOOL_COLUMNS = [
    "method",
    "category",
    "seed",
    "function",
    "kind",
    "first_problem",
    "made",
    "right",
    "imported",
    "problems",
]


def failures(candidates: pd.DataFrame) -> pd.DataFrame:
    """How the programs of the stream ended: a row for each method, mode and kind, as a share of that mode's.

    Kinds: `right`; `wrong` (an answer, another one); `no answer` (it ran and printed none); the exception's name, such
    as `NameError` (`another error` where it has none, or the runs keep no text); else the status (`timeout`, `memory`,
    `output`, `killed`, `no_code`, `refused`, `unavailable`).
    """
    stream = checked(candidates)[candidates["phase"] == "stream"]
    told = ["status", "answer", "correct"]
    errors = stream["error"] if "error" in stream else [None] * len(stream)
    kinds = pd.DataFrame(
        {
            "method": stream["method"].astype(str),
            "mode": stream["mode"].astype(str),
            "kind": [kind_of(*row) for row in zip(*(stream[name] for name in told), errors, strict=True)],
        }
    )
    counts = kinds.groupby(["method", "mode", "kind"]).size().rename("programs").reset_index()
    counts["of"] = counts.groupby(["method", "mode"])["programs"].transform("sum")
    counts["share"] = counts["programs"] / counts["of"]
    order = ["method", "mode", "programs", "kind"]
    table = counts.sort_values(order, ascending=[True, True, False, True], ignore_index=True)[FAILURE_COLUMNS]
    return named(table, "failures", "How programs ended")


def kind_of(status: str, answer: object, correct: object, error: object) -> str:
    """How one program ended, in a word or two."""
    if status == "ok":
        return "no answer" if pd.isna(answer) else "right" if correct else "wrong"
    if status != "error":
        return status
    named = ERROR.match(error) if isinstance(error, str) else None
    return named[1] if named else "another error"


def tools_made(candidates: pd.DataFrame) -> pd.DataFrame:
    """Every function that a model defined in its tools, by stream and name: what kind it is of, and who used it.

    kind: see `tool_kind`, of the first definition. made: programs that define it, and right: of these, how many print
    the right answer. imported: programs that import it from the toolbox, and problems: of how many problems. Tools that
    no response defines are not there.
    """
    if "tools" not in checked(candidates):
        return named(pd.DataFrame(columns=TOOL_COLUMNS), "tools_made", "Tools", note=NO_TEXT)
    where = ["method", "category", "seed"]
    made: dict[tuple, dict] = {}
    users: dict[tuple, list[int]] = {}
    for row in candidates.sort_values("problem", kind="stable").itertuples():
        stream = tuple(getattr(row, name) for name in where)
        for tool in parse_tools(row.tools):
            key = (*stream, plain_name(tool.name))
            if tool.kind == "function":
                about = {"kind": tool_kind(tool.source), "first_problem": row.problem, "made": 0, "right": 0}
                found = made.setdefault(key, about)
                found["made"] += 1
                found["right"] += not pd.isna(row.correct) and bool(row.correct)
            elif tool.name != plain_name(tool.name):
                users.setdefault(key, []).append(row.problem)
    rows = [
        dict(zip([*where, "function"], key, strict=True))
        | about
        | {"imported": len(users.get(key, ())), "problems": len(set(users.get(key, ())))}
        for key, about in made.items()
    ]
    table = pd.DataFrame(rows, columns=TOOL_COLUMNS)
    table = table.sort_values(["problems", "imported", "made"], ascending=False, kind="stable", ignore_index=True)
    return named(table, "tools_made", "Tools", note="no program of these runs defines a function as a tool")


def tools_imported(candidates: pd.DataFrame) -> pd.DataFrame:
    """How many programs of the stream import from the toolbox, and how many of those, and of the `others`, are right.

    A row for each method and mode of which a program imports from the toolbox; all columns are numbers of programs.
    """
    title = "Programs that import from the toolbox"
    if "tools" not in checked(candidates):
        return named(pd.DataFrame(columns=IMPORTED_COLUMNS), "tools_imported", title, note=NO_TEXT)
    stream = candidates[candidates["phase"] == "stream"]
    importing = [any(tool.name.startswith(FROM_TOOLBOX) for tool in parse_tools(text)) for text in stream["tools"]]
    right = stream["correct"].eq(True).fillna(False).to_numpy(dtype=bool)
    each = stream[["method", "mode"]].astype(str).assign(programs=1, importing=importing, right=right & importing)
    each = each.assign(others=~each["importing"], right_of_others=right & ~each["importing"])
    table = each.groupby(["method", "mode"], sort=True)[IMPORTED_COLUMNS[2:]].sum().astype(int).reset_index()
    table = table[table["importing"] > 0].reset_index(drop=True)
    return named(table, "tools_imported", title, note="no program of these runs imports from a toolbox")


def tool_kinds(tools: pd.DataFrame) -> pd.DataFrame:
    """The tools of `tools_made` counted by kind, and all that hard-code an answer (`HARD_CODED`) together.

    A row for each method and kind. tools, as a `share` `of` the method's; imported: those that another program imports;
    right: those that a right program defines; right_and_used: both.
    """
    rows = []
    for method, part in tools.groupby(tools["method"].astype(str), sort=True):
        kinds = {kind: part["kind"] == kind for kind in part["kind"].value_counts().index}
        for kind, mask in (kinds | {"hard-coded, together": part["kind"].isin(HARD_CODED)}).items():
            here = part[mask]
            used, right = here["imported"] > 0, here["right"] > 0
            counts = {"imported": used.sum(), "right": right.sum(), "right_and_used": (used & right).sum()}
            rows.append({"method": method, "kind": kind, "tools": len(here), "of": len(part)} | counts)
    table = pd.DataFrame(rows, columns=[name for name in KIND_COLUMNS if name != "share"])
    table["share"] = table["tools"] / table["of"]
    return named(table[KIND_COLUMNS], "tool_kinds", "Tools by kind", note=tools.attrs.get("note", ""))


def tools_kept(toolbox: pd.DataFrame, tools: pd.DataFrame) -> pd.DataFrame:
    """The tools that each toolbox held at its end (with `method`, `category`, `seed` and `function`), described.

    Adds what `tools_made` knows of each: `kind`, `made`, `right`, and `imported` by how many programs of how many
    `problems`. A tool that no program of these defines stays undescribed.
    """
    key = ["method", "category", "seed", "function"]
    known = tools.astype({"method": str, "category": str})[[*key, "kind", "made", "right", "imported", "problems"]]
    table = toolbox.astype({"method": str, "category": str}).merge(known, how="left", on=key)
    table.attrs = toolbox.attrs | {"name": "tools_kept"}
    return table


def tool_kind(source: str) -> str:
    """What a function is like, by its syntax tree.

    `constant`: it returns or prints the same whatever it is given; `no arguments`; `unused arguments`: of some it makes
    no use; `general`: it computes from all of its arguments; `broken`: it does not parse.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "broken"
    function = next((node for node in body if isinstance(node, ast.FunctionDef)), None)
    if function is None:
        return "broken"
    arguments = function.args
    given = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    given |= {a.arg for a in (arguments.vararg, arguments.kwarg) if a}
    used = {node.id for part in function.body for node in ast.walk(part) if isinstance(node, ast.Name)} & given
    if not given:
        return "no arguments"
    if not used:
        return "constant"
    return "general" if used == given else "unused arguments"
