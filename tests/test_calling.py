"""What a program calls, by its syntax tree; the same with a tool's body in it, and with the call cut out."""

import pytest

from trove_lite.calling import cut_out, pasted, read_calls

TOOLS = {"area": "import math\n\n\ndef area(a, b=1):\n    return math.floor(a) * b", "bare": ""}


@pytest.mark.parametrize(
    ("code", "tools", "printed", "fits"),
    [
        ("print(area(2))", ["area"], True, True),
        ("from toolbox import area as f\nx = f(2)\nprint(x + 1)", ["area"], True, True),
        ("import toolbox\nprint(toolbox.area(2))", ["area"], True, True),
        ("area = area(2)\nprint(area)", ["area"], True, True),  # the name is the tool's when it is read
        ("area(2)\nprint(4)", ["area"], False, True),
        ("x = area(2)\nprint(4)", ["area"], False, True),
        ("found = []\nfor n in range(3):\n    found.append(area(n))\nprint(found)", ["area"], True, True),
        ("if bare(2):\n    print('yes')", ["bare"], True, True),
        ("def twice(n):\n    return 2 * area(n)\nprint(twice(2))", ["area"], True, True),
        ("print(area(1, 2, 3))", ["area"], True, False),
        ("print(area(b=2))", ["area"], True, False),
        ("print(bare(1) + area(2))", ["bare", "area"], True, True),
        ("def area(a):\n    return a\nprint(area(2))", [], False, True),  # its own function
        ("area = lambda a: a\nprint(area(2))", [], False, True),
        ("from sympy import area\nprint(area(2))", [], False, True),
        ("print(sympy.area(2))", [], False, True),
        ("# area(2)\nprint(4)", [], False, True),
        ("print(area(2)", [], False, True),  # does not parse
    ],
)
def test_calls_of_made_tools_are_told_from_names_that_a_program_binds_itself(code, tools, printed, fits):
    found = read_calls(code, TOOLS)
    assert (sorted(found.tools), found.printed, found.fits) == (sorted(tools), printed, fits)


def test_a_pasted_body_does_what_the_tool_did_without_a_toolbox():
    code = "from toolbox import area\narea = area(2.5, 3)\nprint(area)"
    whole = pasted(code, TOOLS, ["area"])
    assert "toolbox" not in whole
    said = []
    exec(whole, {"print": said.append})
    assert said == [6]


def test_a_call_that_is_cut_out_is_none_and_a_statement_that_is_one_is_gone():
    code = "from toolbox import area\narea(1)\nx = area(2)\nprint(x, 7)"
    assert cut_out(code, ["area"]).split("\n") == ["pass", "pass", "x = None", "print(x, 7)"]
