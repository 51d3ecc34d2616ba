"""The functions and classes of a block of code, each with what it needs of the block. It executes
nothing."""

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from . import LONGEST_TOOLS, NOT_PARSED, Body, statements

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
    "help",
    "breakpoint",
    "__import__",
    "stdin",
    "stdout",
    "stderr",
}
MOST_STATEMENTS = 1000  # of a block


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


def _definitions(body: Body, source: str) -> Definitions:
    if len(body) > MOST_STATEMENTS:
        raise ValueError("too many statements")
    lines = source.encode("utf-8", "surrogatepass").split(b"\n")
    binds = {one: _bound(one) for one in body}
    names = {one: _names(ast.walk(one)) for one in body}
    texts = {one: _text(one, lines) for one in body}

    def by_name(named: Mapping[ast.stmt, set[str]]) -> dict[str, Body]:
        found = defaultdict(list)
        for one, its in named.items():
            for name in its:
                found[name].append(one)
        return found

    def is_kept(one: ast.stmt) -> bool:
        effects = harmful if isinstance(one, ast.Assign | ast.AnnAssign) else EFFECTS
        return bool(binds[one]) and effects.isdisjoint(_names(_at_once(one)))

    # names whose binding needs an effect, however far away
    harmful = EFFECTS.union(*(binds[one] for one in _reached(EFFECTS, by_name(names), binds)))
    kept = [one for one in body if is_kept(one)]
    bound_in_kept = by_name({one: binds[one] for one in kept})
    kept_ones = set(kept)
    tools = {}
    left = LONGEST_TOOLS
    for name, one in {one.name: one for one in kept if isinstance(one, DEFINITIONS)}.items():
        own = _reached({name, "*"}, bound_in_kept, names)  # who imports everything may bind any
        source_alone = "\n".join(texts[other] for other in kept if other in own)
        left -= len(source_alone)
        if left < 0:
            raise ValueError("functions that all need one another are not read")
        tools[name] = Definition(
            name, _call(one), ast.get_docstring(one) or "", texts[one], source_alone
        )
    left_out = tuple(texts[one] for one in body if one not in kept_ones and not _is_idle(one))
    code = "\n".join(texts[one] for one in kept) if left_out else source
    return Definitions(tuple(tools.values()), code, left_out)


def _reached(
    wanted: set[str],
    among: Mapping[str, Sequence[ast.stmt]],
    onward: Mapping[ast.stmt, set[str]],
) -> set[ast.stmt]:
    """The statements that these names lead to, and those that these lead to by `onward`."""
    found = set()
    asked = set()
    todo = wanted
    while todo:
        asked |= todo
        new = {one for name in todo for one in among.get(name, ())} - found
        found |= new
        todo = {other for one in new for other in onward[one]} - asked
    return found


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


def _names(nodes: Iterable[ast.AST]) -> set:
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


def _text(statement: ast.stmt, lines: list[bytes]) -> str:
    """A statement's own text, decorators and comments in it included; offsets are in bytes."""
    first = min(one.lineno for one in (statement, *getattr(statement, "decorator_list", ())))
    text = lines[first - 1 : statement.end_lineno]
    text[-1] = text[-1][: statement.end_col_offset]
    if first == statement.lineno:
        text[0] = text[0][statement.col_offset :]
    return b"\n".join(text).decode("utf-8", "surrogatepass")


def _is_idle(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Pass) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )
