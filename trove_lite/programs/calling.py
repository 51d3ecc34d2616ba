"""Which made tools a program calls, by its syntax tree.

It executes nothing. What it cannot see: a tool that is called by another name (`g = f; g(1)`),
through `map` or `eval`, or in a program that does not parse, which calls nothing.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from . import IMPORTS, Body, parsed
from .definitions import DEFINITIONS, FUNCTIONS

#: What `trove-lite calls` writes.
TABLE = "tool_calls.parquet"
TOOLS = "call_tools.csv"
TESTS = "tool_tests.csv"


class Calls(NamedTuple):
    """The made tools that a program calls, in order. `printed`: whether what one returns reaches
    what is printed;
    `fits`: whether the arguments of every call fit the tool's parameters by number and name."""

    tools: tuple[str, ...] = ()
    printed: bool = False
    fits: bool = True


def read_calls(code: str, tools: Mapping[str, str], *, own: str = "", answer: str = "") -> Calls:
    """What a program calls of `tools`, a source each ("": a name without a body). A name that the
    program binds itself (`own` too, the code before it) is not the tool's. answer: where
    variables that begin so are printed for the program."""
    if not any(tool in code for tool in tools):
        return Calls()
    body = parsed(code)
    names = meant(body, tools, defined(own))
    found = [(node, tool) for node in walk(body) if (tool := tool_of(node, names))]
    if not found:
        return Calls()
    made = {tool: _function(tools[tool], tool) for _, tool in found}
    fits = all(_fits(call, made[tool]) for call, tool in found if made[tool])
    return Calls(tuple(made), _reaches_print(body, names, answer), fits)


def names_called(code: str) -> set[str]:
    """The plain names that a program calls."""
    calls = (node.func for node in walk(parsed(code)) if isinstance(node, ast.Call))
    return {one.id for one in calls if isinstance(one, ast.Name)}


def walk(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    for one in body:
        yield from ast.walk(one)


def defined(code: str) -> set[str]:
    return {one.name for one in walk(parsed(code)) if isinstance(one, DEFINITIONS)}


def is_toolbox(node: ast.AST) -> bool:
    return isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "toolbox"


def meant(body: Body, tools: Mapping[str, str], bound: set[str]) -> dict[str, str]:
    """The names that mean a tool in a program, and which; without those that it binds before it
    first reads them."""
    names = {tool: tool for tool in tools if tool not in bound}
    first: dict[str, tuple[int, int]] = {}
    for node in walk(body):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            place = node.lineno, node.col_offset
            first[node.id] = min(place, first.get(node.id, place))
    for node in walk(body):
        if is_toolbox(node):
            names |= {
                alias.asname: alias.name
                for alias in node.names
                if alias.asname and alias.name in tools
            }
            continue
        if isinstance(node, DEFINITIONS):
            binds = [node.name]
        elif isinstance(node, IMPORTS):
            binds = [alias.asname or alias.name for alias in node.names]
        elif isinstance(node, ast.arg):
            binds = [node.arg]
        else:
            is_set = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            binds = [node.id] if is_set and (node.lineno,) < first.get(node.id, (0, 0))[:1] else []
        for name in binds:
            names.pop(name, None)
    return names


def tool_of(node: ast.AST, names: Mapping[str, str]) -> str | None:
    match node:
        case ast.Call(ast.Name(name)):
            return names.get(name)
        case ast.Call(ast.Attribute(ast.Name("toolbox"), name)):
            return name if name in names.values() else None
    return None


def _function(source: str, name: str) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    return next(
        (one for one in parsed(source) if isinstance(one, FUNCTIONS) and one.name == name), None
    )


def _fits(call: ast.Call, function: ast.FunctionDef) -> bool:
    a = function.args
    given = [word.arg for word in call.keywords]
    if None in given or any(isinstance(one, ast.Starred) for one in call.args):
        return True  # nobody knows
    places = [one.arg for one in (*a.posonlyargs, *a.args)]
    named = {*places, *(one.arg for one in a.kwonlyargs)}
    filled = {*places[: len(call.args)], *given}
    needed = {*places[: len(places) - len(a.defaults)]}
    needed |= {
        one.arg for one, value in zip(a.kwonlyargs, a.kw_defaults, strict=True) if value is None
    }
    return (len(call.args) <= len(places) or a.vararg is not None) and needed <= filled and (
        bool(a.kwarg) or {*given} <= named
    )  # fmt: skip


def _reaches_print(body: Body, names: Mapping[str, str], answer: str) -> bool:
    """Whether a call's value reaches a print, through what is assigned, appended, returned or
    decided by it."""
    carries: set[str] = set()

    def holds(node: ast.AST) -> bool:
        parts = list(ast.walk(node))
        if any(tool_of(part, names) for part in parts):
            return True
        return any(isinstance(part, ast.Name) and part.id in carries for part in parts)

    def named(nodes: Iterable[ast.AST], context: type = ast.expr_context) -> set[str]:
        return {
            one.id
            for one in walk(nodes)
            if isinstance(one, ast.Name) and isinstance(one.ctx, context)
        }

    for _ in range(20):  # until nothing is added: a loop may carry a value to the lines above
        before = len(carries)
        for node in walk(body):
            match node:
                case ast.Assign(targets, value) if holds(value):
                    carries |= named(targets)
                case ast.AugAssign(target, _, value) | ast.NamedExpr(target, value) if holds(value):
                    carries |= named([target])
                case ast.For() | ast.comprehension() if holds(node.iter):
                    carries |= named([node], ast.Store)
                case ast.If() | ast.While() if holds(node.test):
                    if any(map(_is_print, ast.walk(node))):
                        return True
                    carries |= named([node], ast.Store)
                case ast.Call(ast.Attribute(ast.Name(name))) if any(map(holds, node.args)):
                    carries.add(name)
                case ast.FunctionDef() if any(
                    isinstance(one, ast.Return) and holds(one) for one in ast.walk(node)
                ):
                    carries.add(node.name)
        if len(carries) == before:
            break
    prints = filter(_is_print, walk(body))
    return any(map(holds, prints)) or bool(
        answer and any(name.startswith(answer) for name in carries)
    )


def _is_print(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    )
