"""The functions and classes of a block of code, each with what it needs of the block. It executes
nothing."""

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from . import NOT_PARSED, statements

FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
DEFINITIONS = FUNCTIONS | ast.ClassDef
#: What a statement does to the world, by the name that does it: with one of these it is no
#: constant.
EFFECTS = {
    "print",
    "input",
    "open",
    "exec",
    "eval",
    "exit",
    "quit",
    "_exit",
    "abort",
    "system",
    "sleep",
}
EFFECTS |= {"help", "breakpoint", "__import__", "stdin", "stdout", "stderr"}


class Definition(NamedTuple):
    """A function or class of a block: how it is called, its own text, and the source that it can be
    loaded from."""

    name: str
    call: str
    docstring: str
    text: str
    source: str


class Definitions(NamedTuple):
    """What of a block is no accident: its functions and classes, all that is kept, and what is left
    out."""

    tools: tuple[Definition, ...]
    code: str
    left_out: tuple[str, ...]


def definitions(source: str) -> Definitions | None:
    """A block's functions and classes, each with what it needs of the block; None for one that does
    not parse. Kept are definitions, imports, and constants: names assigned by an expression that
    prints, reads or ends nothing. What a definition needs, they need in turn. Every other statement
    is left out: a call, a print, a loop, a test."""
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    try:
        return _definitions(statements(source), source)
    except NOT_PARSED:
        return None


def _definitions(body: list[ast.stmt], source: str) -> Definitions:
    lines = source.split("\n")
    binds = {one: _bound(one) for one in body}
    names = {one: _names(ast.walk(one)) for one in body}
    texts = {one: _text(one, lines) for one in body}

    def needed(wanted: set[str], among: Mapping[str, list[ast.stmt]]) -> set[ast.stmt]:
        """The statements that bind these names, or what those need; who imports everything may bind
        any."""
        found = set()
        asked = set()
        todo = {*wanted, "*"}
        while todo:
            asked |= todo
            new = {one for name in todo for one in among.get(name, ())} - found
            found |= new
            todo = {other for one in new for other in names[one]} - asked
        return found

    def is_kept(one: ast.stmt) -> bool:
        if not binds[one]:
            return False
        at_once = _names(_at_once(one))
        if isinstance(one, ast.Assign | ast.AnnAssign):
            at_once = at_once.union(*(names[other] for other in needed(at_once, bound_in_body)))
        return EFFECTS.isdisjoint(at_once)

    def by_name(statements: Iterable[ast.stmt]) -> dict[str, list[ast.stmt]]:
        found = defaultdict(list)
        for one in statements:
            for name in binds[one]:
                found[name].append(one)
        return found

    bound_in_body = by_name(body)
    kept = [one for one in body if is_kept(one)]
    bound_in_kept = by_name(kept)
    kept_ones = set(kept)
    tools = {}
    for one in kept:
        if isinstance(one, DEFINITIONS):
            own = needed({one.name}, bound_in_kept)
            source_alone = "\n".join(texts[other] for other in kept if other in own)
            docstring = ast.get_docstring(one) or ""
            tools[one.name] = Definition(one.name, _call(one), docstring, texts[one], source_alone)
    left_out = tuple(texts[one] for one in body if one not in kept_ones and not _is_idle(one))
    code = "\n".join(texts[one] for one in kept) if left_out else source
    return Definitions(tuple(tools.values()), code, left_out)


def _bound(statement: ast.stmt) -> set[str]:
    """The names that a definition, import or plain assignment binds; none for any other
    statement."""
    match statement:
        case ast.Import(names) | ast.ImportFrom(names=names):
            future = getattr(statement, "module", "") == "__future__"
            return {
                "*" if future else alias.asname or alias.name.partition(".")[0] for alias in names
            }
        case ast.Assign(targets):
            parts = [
                part
                for target in targets
                for part in ast.walk(target)
                if not isinstance(part, ast.expr_context)
            ]
            plain = all(
                isinstance(part, ast.Name | ast.Tuple | ast.List | ast.Starred) for part in parts
            )
            return {part.id for part in parts if isinstance(part, ast.Name)} if plain else set()
        case ast.AnnAssign(ast.Name(name), value=ast.expr()):
            return {name}
    return {statement.name} if isinstance(statement, DEFINITIONS) else set()


def _call(node: ast.stmt) -> str:
    if not isinstance(node, ast.ClassDef):
        return f"{node.name}({ast.unparse(node.args)})"
    made = [one.args for one in node.body if isinstance(one, FUNCTIONS) and one.name == "__init__"]
    return f"{node.name}({ast.unparse(made[-1]).partition(', ')[2] if made else ''})"


def _names(nodes: Iterable[ast.AST]) -> set[str]:
    return {getattr(node, "id", None) or getattr(node, "attr", "") for node in nodes} - {""}


def _at_once(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that run when a statement does: not those in the bodies of its functions."""
    yield node
    inside = (
        node.body
        if isinstance(node, FUNCTIONS)
        else [node.body]
        if isinstance(node, ast.Lambda)
        else []
    )
    for child in ast.iter_child_nodes(node):
        if child not in inside:
            yield from _at_once(child)


def _text(statement: ast.stmt, lines: Sequence[str]) -> str:
    """A statement's own text, decorators and comments in it included; offsets are in bytes."""
    first = min(
        [statement.lineno, *(one.lineno for one in getattr(statement, "decorator_list", ()))]
    )
    text = "\n".join(lines[first - 1 : statement.end_lineno]).encode("utf-8", "surrogatepass")
    after = (
        len(lines[statement.end_lineno - 1].encode("utf-8", "surrogatepass"))
        - statement.end_col_offset
    )
    start = statement.col_offset if first == statement.lineno else 0
    return text[start : len(text) - after].decode("utf-8", "surrogatepass")


def _is_idle(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Pass) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )
