"""Checks of what becomes of tools: made, kept, shown, called, and whether calls do any good."""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from trove_lite.candidates import read_description, run_name
from trove_lite.programs import NOT_PARSED, Tool, code_blocks, fenced, statements
from trove_lite.programs.parse import parse_tools

from .check import AT_LEAST, PROBLEM, Seen, problems_in
from .failure_modes import any_import

EXPECTED = 10  # right answers: of fewer nearly all may be lost by chance
Listed = Mapping[tuple[str, str, str], list[dict]]


class Names(NamedTuple):
    """What a text's Python defines as functions, what it calls, and what it imports from the
    toolbox."""

    defined: frozenset[str]
    called: frozenset[str]
    imported: frozenset[str]


@lru_cache(maxsize=65536)
def names_in(text: str) -> Names:
    """The names in the Python blocks of a text; none where it does not parse. Wider than
    `calling.names_called`: `x.f()` calls f, too. Accepted reasons count by it (142 for 144 by the
    other)."""
    nodes: list[ast.AST] = []
    with suppress(*NOT_PARSED):
        nodes += chain.from_iterable(map(ast.walk, statements("\n".join(code_blocks(text)))))
    calls = (node.func for node in nodes if isinstance(node, ast.Call))
    imports = (
        node for node in nodes if isinstance(node, ast.ImportFrom) and node.module == "toolbox"
    )
    return Names(
        frozenset(node.name for node in nodes if isinstance(node, ast.FunctionDef)),
        frozenset(getattr(func, "id", getattr(func, "attr", "")) for func in calls),
        frozenset(alias.name for node in imports for alias in node.names),
    )


def listed_tools(runs: Iterable[str | Path]) -> dict[tuple[str, str, str], list[dict]]:
    """By run, method and category the tools, or trials of one, that `run.json` lists; of a method
    that keeps tools."""
    kept: dict[tuple, list[dict]] = {}
    for about in map(read_description, runs):
        settings = about.get("settings", {})
        for method in about.get("keep_tools", ()):
            names = [run_name(settings["name"], seed) for seed in settings["seeds"]]
            kept |= {
                (name, method, category): []
                for name in names
                for category in settings["categories"]
            }
        for tool in about.get("toolboxes") or ():
            run = tool.get("run") or run_name(settings["name"], tool["seed"])
            kept.setdefault(
                (run, tool["method"], tool["category"]),
                [],
            ).append(tool)
    return kept


def with_calls(stream: pd.DataFrame, listed: Listed) -> pd.DataFrame:
    """The stream with the functions that each program `defines`, whether it calls none of them
    (`idle`), and whether it `calls` a tool that another request made: one that is listed, or that
    it imports from the toolbox."""
    if "solution" not in stream:
        return stream
    texts = stream[["solution", "tools"]].fillna("").itertuples(index=False, name=None)
    names = [names_in(f"{tools}\n{solution}") for solution, tools in texts]
    kept = {key: frozenset().union(*map(_functions, tools)) for key, tools in listed.items()}
    where = stream[["run", "method", "category"]].astype(str).itertuples(index=False, name=None)
    known = [
        kept.get(key, frozenset()) | one.imported for key, one in zip(where, names, strict=True)
    ]
    return stream.assign(
        defines=[", ".join(sorted(one.defined)) for one in names],
        idle=[bool(one.defined) and not one.defined & one.called for one in names],
        calls=[
            bool(one.called & tools - one.defined) for one, tools in zip(names, known, strict=True)
        ],
    )


def _functions(tool: Mapping) -> frozenset[str]:
    """The names by which a listed tool is called."""
    text = str(tool.get("tool") or "")
    return (
        frozenset(filter(None, [tool.get("name")]))
        | names_in(text if "```" in text else fenced(text)).defined
    )


def of_mode(part: pd.DataFrame) -> Iterator[Seen]:
    """Tools that the programs that make them do not call; right answers lost where a tool of others
    is called. What is to be expected where a tool is called are the mode's programs on the same
    problem that call none."""
    making = part[part["defines"] != ""]
    idle = part.loc[part["idle"], "defines"]
    example = next(iter(idle), "")
    yield Seen(
        "tools never called",
        len(idle),
        len(making),
        example,
        problems_in(making),
    )
    if not part["calls"].any() or part["calls"].all():
        return
    right = part.assign(right=part["correct"].eq(True).fillna(False).astype(float))
    both = (
        right.groupby([*PROBLEM, "calls"])["right"].agg(["mean", "sum", "size"]).unstack().dropna()
    )
    expected = (both["mean", False] * both["size", True]).sum()
    if expected >= EXPECTED:
        lost = expected - both["sum", True].sum()
        yield Seen(
            "wrong where called",
            round(lost),
            round(expected),
            problems=len(both),
        )


def of_stream(part: pd.DataFrame, tools: list[dict] | None) -> Iterator[Seen]:
    """What becomes of tools in a stream. tools: those that its `run.json` lists, None where it does
    not say."""
    problems = problems_in(part)
    if tools is not None and all(tool.get("made") is False for tool in tools):
        yield Seen(
            "no tool made",
            max(1, len(tools)),
            max(1, len(tools)),
            problems=problems,
        )
    elif tools and all(tool.get("imports") == 0 for tool in tools):
        yield Seen(
            "no tool used",
            len(tools),
            len(tools),
            tools[0]["name"],
            problems,
        )
    bare = [
        tool["name"]
        for tool in tools or ()
        if str(tool.get("signature", "")).startswith("from toolbox import")
    ]
    yield Seen(
        "names without a body",
        len(bare),
        len(tools or ()),
        ", ".join(bare),
    )
    if "tools" not in part or problems < AT_LEAST:
        return
    part = part.sort_values("problem", kind="stable")
    known = part["tools"].fillna("").map(parse_tools)
    defines = known.map(any_function).astype(bool)
    imports = known.map(any_import).astype(bool)
    if tools is None and len(part["mode"].unique()) > 1 and not imports.any():
        yield Seen("no tool used", defines.sum(), defines.sum())
    part = part.assign(known=known)
    yield from _loud(
        part[defines],
        part[imports & (part["status"] == "ok")],
    )


def any_function(known: Iterable[Tool]) -> bool:
    return any(tool.kind == "function" for tool in known)


def _loud(defining: pd.DataFrame, importing: pd.DataFrame) -> Iterator[Seen]:
    """The problem after which most programs with a toolbox print the same first, where it made a
    tool that prints."""
    made = defining.groupby("problem")["known"].agg(list)
    for _, problem, seen in sorted(_first_lines(importing, [*made.index])):
        tools = chain.from_iterable(made[problem])
        name = next(
            (one.name for one in tools if one.kind == "function" and _prints(one.source)), ""
        )
        if name and seen.problems >= AT_LEAST:
            yield seen._replace(example=f"{name}: {seen.example}")
            return


def _first_lines(importing: pd.DataFrame, problems: Iterable[int]) -> Iterator[tuple]:
    """After each of these problems the line that most programs print first: less its share, the
    problem, and what is seen. It is read backwards, so that each program is counted once."""
    lines = importing["output"].fillna("").str.split("\n").str[0]
    rows = [*zip(importing["problem"], lines, strict=True)]  # in the order of problems
    times: Counter[str] = Counter()
    common = ""
    count = 0
    after = set()
    for problem in sorted(problems, reverse=True):
        while rows and rows[-1][0] > problem:
            later, line = rows.pop()
            after.add(later)
            times[line] += 1
            if line and times[line] > count:
                common = line
                count = times[line]
        of = times.total()
        if count:
            seen = Seen("prints while loading", count, of, common, len(after))
            yield -count / of, problem, seen


def _prints(source: str) -> bool:
    """Whether a tool prints while it is loaded."""
    kinds = ast.Expr | ast.If | ast.For | ast.While | ast.With | ast.Try
    with suppress(*NOT_PARSED):
        beside = [node for node in statements(source) if isinstance(node, kinds)]
        return any(
            isinstance(node, ast.Call) for statement in beside for node in ast.walk(statement)
        )
    return False
