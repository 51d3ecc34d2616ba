"""Programs: how complex a model's text is, and which tools it uses."""

import pytest

from trove_lite.programs import COUNTS, UNPARSABLE, operation_counts, operations, used_tools
from trove_lite.programs.parse import parse_tools

DEPTHS = {
    "x = 3": 0,
    "df = f(1)": 0,
    "df = g = f(1)": 4,
    "def f():\n    return 1 + 1": 0,
    "import math": 2,
    "": 0,
}
DEPTHS |= {"x = 3\nprint(x)": 4} | dict.fromkeys(
    ("8!", "(" * 5000 + ")" * 5000, "-" * 50_000 + "1"), UNPARSABLE
)


@pytest.mark.parametrize(("code", "depth"), DEPTHS.items(), ids=range(10))
def test_operations_sum_the_depths_of_top_level_statements(code, depth):
    assert operations(code) == depth


def test_a_listed_tool_is_used_where_the_last_part_of_its_name_occurs():
    tools = parse_tools(
        "```python\nfrom toolbox import area, rest\nimport math\nfrom sympy import solve, symbols\n```"
        "\n```python\ndef area(x):\n    return x\n```"
    )
    solution = "```python\nimport math\nfrom toolbox import rest\nprint(areas + solve(x))\n```"
    assert used_tools(solution, tools) == ["area", "sympy.solve"]


def test_operations_are_counted_as_each_name_says():
    solution = (
        "```python\nimport math\nfrom toolbox import double\nimportant = double(1)\nk = 3\n"
        "for i in range(k):\n    print(i)\n```"
    )
    tools = parse_tools(
        "```python\ndef double(x):\n    return 2 * x\n```\n```python\nimport math\n```"
    )
    counts = dict(zip(COUNTS, operation_counts(solution, tools), strict=True))
    assert counts == {
        "as reported": 5,  # the loop: For, Expr, Call, Name, Load; `important` says "import"
        "as selected by": 5 + 4 + 2 + 2,
        "imports by syntax": 5 + 4,  # important = double(1): Assign, Call, Name, Load
        "every statement": 5 + 4 + 2 + 2 + 3,  # k = 3: Assign, Name, Store
        "with tools written": 5 + 4 + 3 + 5,  # double: FunctionDef, Return, BinOp, Name, Load
        "line by line": (4 + 4)
        + 4
        + 3
        + (3 + 4),  # before the colon: For, Call, Name, Load; def, arguments, arg
        "function calls": 3,
        "function calls, tools too": 3,
    }


@pytest.mark.parametrize(
    "solution", ["```python\nprint(1\n```", "```python\n" + "(" * 300 + ")" * 300 + "\n```"]
)
def test_what_does_not_parse_has_no_count_but_the_one_that_selects(solution):
    counts = dict(zip(COUNTS, operation_counts(solution, ()), strict=True))
    assert counts.pop("as selected by") == UNPARSABLE
    assert set(counts.values()) == {None}
