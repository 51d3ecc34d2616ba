"""How programs fail, and what the tools are like that a model made: counted, not chosen.

It reads the text of candidates, so runs without text are refused. It knows no method or mode by name.
"""

import ast
import re
import warnings

import pandas as pd

from ..errors import TroveLiteError
from ..parse import parse_tools
from ..programs import plain_name

ERROR = re.compile(r"(\w*(?:Error|Exception|Exit|Interrupt|Warning|Iteration))\b")
FAILURE_COLUMNS = ["method", "mode", "kind", "programs", "share", "of"]
TOOL_COLUMNS = ["method", "category", "seed", "function", "kind", "first_problem", "made", "imported", "problems"]


def failures(candidates: pd.DataFrame) -> pd.DataFrame:
    """How the programs of the stream ended: a row for each method, mode and kind, as a share of that mode's.

    Kinds: `right`; `wrong` (an answer, another one); `no answer` (it ran and printed none); the exception's name, such
    as `NameError`; else the status (`timeout`, `memory`, `output`, `killed`, `no_code`, `missing`).
    """
    _with_text(candidates)
    stream = candidates[candidates["phase"] == "stream"]
    kinds = pd.DataFrame(
        {
            "method": stream["method"].astype(str),
            "mode": stream["mode"].astype(str),
            "kind": [kind_of(*row) for row in stream[["status", "answer", "correct", "error"]].itertuples(index=False)],
        }
    )
    counts = kinds.groupby(["method", "mode", "kind"]).size().rename("programs").reset_index()
    counts["of"] = counts.groupby(["method", "mode"])["programs"].transform("sum")
    counts["share"] = counts["programs"] / counts["of"]
    order = ["method", "mode", "programs", "kind"]
    return counts.sort_values(order, ascending=[True, True, False, True], ignore_index=True)[FAILURE_COLUMNS]


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

    kind: see `tool_kind`, of the first definition. made: programs that define it. imported: programs that import it
    from the toolbox, and problems: of how many problems. Tools that no response defines are not there.
    """
    _with_text(candidates)
    where = ["method", "category", "seed"]
    made: dict[tuple, dict] = {}
    users: dict[tuple, list[int]] = {}
    for row in candidates.sort_values("problem", kind="stable").itertuples():
        stream = tuple(getattr(row, name) for name in where)
        for tool in parse_tools(row.tools):
            key = (*stream, plain_name(tool.name))
            if tool.kind == "function":
                about = {"kind": tool_kind(tool.source), "first_problem": row.problem, "made": 0}
                made.setdefault(key, about)["made"] += 1
            elif tool.name != plain_name(tool.name):
                users.setdefault(key, []).append(row.problem)
    rows = [
        dict(zip([*where, "function"], key, strict=True))
        | about
        | {"imported": len(users.get(key, ())), "problems": len(set(users.get(key, ())))}
        for key, about in made.items()
    ]
    table = pd.DataFrame(rows, columns=TOOL_COLUMNS)
    return table.sort_values(["problems", "imported", "made"], ascending=False, kind="stable", ignore_index=True)


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


def _with_text(candidates: pd.DataFrame) -> None:
    if "tools" not in getattr(candidates, "columns", ()):
        raise TroveLiteError("these runs hold numbers without text: name run folders that keep the programs")
