"""Tables of cases written as one text: a line a case, its values with commas between."""

import ast


class Named(ast.NodeTransformer):
    """Names in a text stand for these values; `A | {…}` is a dict with other entries."""

    def __init__(self, values: dict):
        self.values = values

    def visit_Name(self, node):
        return ast.Constant(self.values[node.id])

    def visit_BinOp(self, node):
        assert isinstance(node.op, ast.BitOr)
        sides = [ast.literal_eval(self.visit(side)) for side in (node.left, node.right)]
        return ast.Constant(sides[0] | sides[1])


def cases(text: str, /, **values) -> list[tuple]:
    """The rows of a table of Python's literals, among which are these values by their names.

    A row goes on in the next line after a comma. An empty line is none, nor is what follows a #.
    """
    rows = text.replace(",\n", ",").split("\n")
    lines = [row for row in rows if row.partition("#")[0].strip()]
    trees = [ast.parse(f"({line.strip()}\n,)", mode="eval") for line in lines]
    return [ast.literal_eval(Named(values).visit(tree)) for tree in trees]


def named(text: str, /, **values) -> dict:
    """The rows of a table by their first value: the others, or the other one."""
    rows = cases(text, **values)
    return {row[0]: row[1:] if row[2:] else row[1] for row in rows}
