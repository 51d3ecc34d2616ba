"""What LATM's released notebooks say to the maker, the user and the dispatcher: the string literals in them, from the
data folder, read by syntax tree. Nothing in a notebook is run.

A text has {gaps}; what else the notebooks put around them, such as blank lines, is in it.
"""

import ast
import json
from collections.abc import Iterator
from functools import cache

from ..datasets.files import pinned_file
from . import own

#: What the notebooks say, by step.
RELEASED = (
    *("labelled", "propose", "repair_propose", "verify", "repair_verify", "wrap", "use"),
    *("known", "between_known", "dispatch"),
)
#: Errors that only this kit's checks find; they stand where the notebooks have an exception's.
CHECKS = ("no_code", "no_test", "ended")
NAMES = (*RELEASED, *CHECKS)


def text(name: str) -> str:
    """A step's text with its {gaps}. Raises TroveLiteError where the notebooks are missing or other ones."""
    return own.message(name) if name in CHECKS else literals()[name]


@cache
def literals() -> dict[str, str]:
    """All of `RELEASED`."""
    maker = cells("toolmaker.ipynb")
    said = {
        node.targets[0].id: node.value for node in found(maker, ast.Assign) if isinstance(node.targets[0], ast.Name)
    }
    making = next(node for node in found(maker, ast.FunctionDef) if node.name == "tool_making")
    labelled, unmade, _, unverified = (as_text(node) for node in found(making, ast.JoinedStr))
    user = cells("tooluser.ipynb")
    using = next(node for node in found(user, ast.FunctionDef) if node.name == "get_ans")
    asked = next(node.args[0] for node in found(using, ast.Call) if getattr(node.func, "id", "") == "generate")
    routed = {
        node.targets[0].id: node.value for node in found(user, ast.Assign) if isinstance(node.targets[0], ast.Name)
    }
    (known,) = (n.value for n in found(user, ast.AugAssign) if n.target.id == "router")
    before = next(n.value for n in found(user, ast.Assign) if getattr(n.targets[0], "id", "") == "question")
    return {
        "labelled": labelled,
        "propose": "{examples}\n\n" + as_text(said["tool_maker_prompt"]),
        "repair_propose": unmade,
        "verify": "{examples}\n\n" + as_text(said["tool_verification_prompt"]),
        "repair_verify": unverified,
        "wrap": as_text(said["tool_wrapper_prompt"]),
        "use": as_text(asked).replace("{wrapper}", "{tool}"),
        "known": as_text(known).replace("{question}", f"{before.left.value}{{question}}"),
        "between_known": "",
        "dispatch": as_text(routed["router"]) + "{known}" + routed["router_usage_template"].value,
    }


def cells(notebook: str) -> ast.Module:
    """The code of a released notebook, one cell after another."""
    content = json.loads(pinned_file("prompts", notebook).read_text(encoding="utf-8"))
    code = ["".join(cell["source"]) for cell in content["cells"] if cell["cell_type"] == "code"]
    return ast.parse("\n".join(code))


def found(tree: ast.AST, kind: type) -> Iterator:
    """The nodes of a kind, in the order of the text."""
    nodes = (node for node in ast.walk(tree) if isinstance(node, kind))
    return iter(sorted(nodes, key=lambda node: (node.lineno, node.col_offset)))


def as_text(node: ast.expr) -> str:
    """An expression of strings as a text with {gaps}: a name or key is a gap, and an exception's two are {error}."""
    match node:
        case ast.Constant():
            return node.value.replace("{", "{{").replace("}", "}}")
        case ast.BinOp(op=ast.Add()):
            return as_text(node.left) + as_text(node.right)
        case ast.BinOp(op=ast.Mult()):
            return as_text(node.left) * node.right.value
        case ast.JoinedStr():
            return "".join(map(as_text, node.values)).replace("{__name__} {e}", "{error}")
        case ast.FormattedValue():
            return as_text(node.value)
        case ast.Name():
            return f"{{{node.id}}}"
        case ast.Attribute():
            return f"{{{node.attr}}}"
        case ast.Subscript():
            return f"{{{node.slice.value}}}"
    raise TypeError(f"a notebook's {ast.dump(node)} is no text")
