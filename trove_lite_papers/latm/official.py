"""What LATM's released notebooks say to the maker, the user and the dispatcher: the string literals
in them, from the data folder, read by syntax tree. Nothing in a notebook is run.

A text has {gaps}; what else the notebooks put around them, such as blank lines, is in it.
"""

import ast
import json
from dataclasses import replace
from functools import cache

from trove_lite.datasets.base import Dataset
from trove_lite.datasets.files import pinned_file
from trove_lite.prompts import own
from trove_lite.prompts.base import PromptPack

from . import chain_of_thought

#: Errors that only this kit's checks find; they take the place of an exception's in the notebooks.
CHECKS = ("no_code", "no_test", "ended")
#: What the notebooks say, by step, and these errors.
NAMES = ("labelled", "propose", "repair_propose", "verify", "repair_verify", "wrap", "use")
NAMES += ("known", "between_known", "dispatch", *CHECKS)


def pack(dataset: Dataset) -> PromptPack:
    """What LATM's program says in messages; and of its tasks, the chains of thought that it
    compares itself with."""
    has_thoughts = set(dataset.categories) <= set(chain_of_thought.FILES)
    shown = (
        chain_of_thought.pack(dataset)
        if has_thoughts
        else PromptPack("", dataset.categories, {}, lambda *_: None)
    )
    return replace(shown, messages=NAMES, text=text)


def text(name: str) -> str:
    """A step's text with its {gaps}. Raises TroveLiteError where the notebooks are missing or other
    ones."""
    return own.texts("messages")[name] if name in CHECKS else literals()[name]


@cache
def literals() -> dict[str, str]:
    maker = code_of("toolmaker.ipynb")
    user = code_of("tooluser.ipynb")
    (making,) = (node for node in nodes_in(maker, ast.FunctionDef) if node.name == "tool_making")
    labelled, unmade, _, unverified = (as_text(node) for node in nodes_in(making, ast.JoinedStr))
    (using,) = (node for node in nodes_in(user, ast.FunctionDef) if node.name == "get_ans")
    asked = next(
        node.args[0]
        for node in nodes_in(using, ast.Call)
        if getattr(node.func, "id", "") == "generate"
    )
    (known,) = (node.value for node in nodes_in(user, ast.AugAssign) if node.target.id == "router")
    maker_texts = values_in(maker)
    user_texts = values_in(user)
    return {
        "labelled": labelled,
        "propose": "{examples}\n\n" + as_text(maker_texts["tool_maker_prompt"]),
        "repair_propose": unmade,
        "verify": "{examples}\n\n" + as_text(maker_texts["tool_verification_prompt"]),
        "repair_verify": unverified,
        "wrap": as_text(maker_texts["tool_wrapper_prompt"]),
        "use": as_text(asked).replace("{wrapper}", "{tool}"),
        "known": as_text(known).replace(
            "{question}", f"{user_texts['question'].left.value}{{question}}"
        ),
        "between_known": "",
        "dispatch": as_text(user_texts["router"])
        + "{known}"
        + user_texts["router_usage_template"].value,
    }


def code_of(notebook: str) -> ast.Module:
    """The code of a released notebook, one cell after another."""
    content = json.loads(pinned_file("prompts", notebook).read_text(encoding="utf-8"))
    code = ["".join(cell["source"]) for cell in content["cells"] if cell["cell_type"] == "code"]
    return ast.parse("\n".join(code))


def nodes_in(tree: ast.AST, kind: type) -> list:
    nodes = (node for node in ast.walk(tree) if isinstance(node, kind))
    return sorted(nodes, key=lambda node: (node.lineno, node.col_offset))


def values_in(tree: ast.AST) -> dict[str, ast.expr]:
    return {
        getattr(node.targets[0], "id", ""): node.value
        for node in reversed(nodes_in(tree, ast.Assign))
    }


def as_text(node: ast.expr) -> str:
    """An expression of strings as a text with {gaps}: a name or key is a gap, and an exception's
    two are {error}."""
    match node:
        case ast.Constant():
            return str(node.value).replace("{", "{{").replace("}", "}}")
        case ast.BinOp(op=ast.Add()):
            return as_text(node.left) + as_text(node.right)
        case ast.BinOp(op=ast.Mult()):
            return as_text(node.left) * node.right.value
        case ast.JoinedStr():
            return "".join(map(as_text, node.values)).replace("{__name__} {e}", "{error}")
        case ast.FormattedValue():
            return as_text(node.value)
    gap = {ast.Name: "id", ast.Attribute: "attr"}.get(type(node))
    return f"{{{getattr(node, gap) if gap else node.slice.value}}}"
