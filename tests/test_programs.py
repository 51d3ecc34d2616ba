"""Programs: what is code of a model's text, how complex it is, and which tools it uses."""

import pytest

from trove_lite.parse import parse_tools
from trove_lite.programs import code_of, operations, reported_operations, used_tools


@pytest.mark.parametrize(
    ("code", "depth"),
    [
        ("x = 3", 0),
        ("df = f(1)", 0),
        ("df = g = f(1)", 4),
        ("def f():\n    return 1 + 1", 0),
        ("import math", 2),
        ("print(1)", 4),
        ("8!", 100),
        ("x = 3\nprint(x)", 4),
        ("", 0),
    ],
)
def test_operations_sum_the_depths_of_top_level_statements(code, depth):
    assert operations(code) == depth


def test_only_the_code_of_counts():
    assert code_of("```python\na\n```\n```python\nb\n```") == "a"
    assert code_of("```python\nunclosed") == "unclosed"
    assert code_of("no fence") == "no fence"


def test_absurdly_nested_code_does_not_break_the_count():
    assert operations("(" * 5000 + ")" * 5000) == 100
    assert operations("-" * 50_000 + "1") == 100


def test_reported_operations_leave_out_imports_and_what_does_not_parse():
    assert reported_operations("```python\nimport math\nprint(1)\n```") == operations("print(1)")
    assert reported_operations("```python\nprint(important)\n```") == 0  # the line says "import"
    assert reported_operations("```python\n8!\n```") is None


def test_a_listed_tool_is_used_where_the_last_part_of_its_name_occurs():
    tools = parse_tools(
        "```python\nfrom toolbox import area, rest\nimport math\nfrom sympy import solve, symbols\n```"
        "\n```python\ndef area(x):\n    return x\n```"
    )
    solution = "```python\nimport math\nfrom toolbox import rest\nprint(areas + solve(x))\n```"
    assert used_tools(solution, tools) == ["area", "sympy.solve"]
