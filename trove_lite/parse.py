"""A model's text → the code that runs.

Works on text alone: it never executes anything and never raises on what a model wrote.
"""

import ast
import re
import warnings
from functools import lru_cache

BLOCK = re.compile(r"```python[ \t]*\n(.*?)(?:```|\Z)", re.DOTALL)
UNPARSABLE = 100


def first_block(solution: str) -> str:
    """The first fenced Python block (to the end where the fence is not closed), or the text itself.

    Only this block runs in the official program (`utils/code.py`), whatever follows it.
    """
    match = BLOCK.search(solution)
    return match[1] if match else solution


@lru_cache(maxsize=65536)
def operations(code: str) -> int:
    """How complex a program is: the depths of its top-level statements' syntax trees, summed.

    The official count (`utils/select.py`; TroVE, appendix B): function definitions, assignments of a constant
    and assignments to `df` count nothing, imports do; a program that does not parse counts 100.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # `2x` and the like are what models write
            body = ast.parse(code).body
        return sum(_depth(statement) for statement in body if not _is_free(statement))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return UNPARSABLE


def _is_free(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Assign):
        target = statement.targets[0]
        return isinstance(statement.value, ast.Constant) or (isinstance(target, ast.Name) and target.id == "df")
    return isinstance(statement, ast.FunctionDef)


def _depth(node: ast.AST) -> int:
    # Written out by hand: importing a log spends most of its time here, and ast.iter_child_nodes is 3 × slower.
    deepest = 0
    for name in node._fields:
        value = getattr(node, name, None)
        if type(value) is list:
            for child in value:
                if isinstance(child, ast.AST) and (depth := _depth(child)) > deepest:
                    deepest = depth
        elif isinstance(value, ast.AST) and (depth := _depth(value)) > deepest:
            deepest = depth
    return deepest + 1
