"""What a program calls, by its syntax tree; the same with a tool's body in it, and with the call
cut out."""

import pytest

from trove_lite.programs.calling import read_calls
from trove_lite_analysis.recorded.edited import cut_out, pasted

TOOLS = {"area": "import math\n\n\ndef area(a, b=1):\n    return math.floor(a) * b", "bare": ""}


#: What prints what `area` gives back; and calls of functions that are none of the toolbox, or that
#: nobody can read.
PRINTS = [
    "print(area(2))",
    "import toolbox\nprint(toolbox.area(2))",
    "from toolbox import area as f\nx = f(2)\nprint(x + 1)",
]
PRINTS += [
    "area = area(2)\nprint(area)",
    "def twice(n):\n    return 2 * area(n)\nprint(twice(2))",
]  # read, then bound
PRINTS += ["found = []\nfor n in range(3):\n    found.append(area(n))\nprint(found)"]
OTHERS = [
    "def area(a):\n    return a\nprint(area(2))",
    "area = lambda a: a\nprint(area(2))",
    "print(sympy.area(2))",
]
OTHERS += ["from sympy import area\nprint(area(2))", "# area(2)\nprint(4)", "print(area(2)"]


@pytest.mark.parametrize(
    ("code", "tools", "printed", "fits"),
    [
        *((code, ["area"], True, True) for code in PRINTS),
        *((f"{call}\nprint(4)", ["area"], False, True) for call in ("area(2)", "x = area(2)")),
        ("if bare(2):\n    print('yes')", ["bare"], True, True),
        ("print(bare(1) + area(2))", ["bare", "area"], True, True),
        *((f"print({call})", ["area"], True, False) for call in ("area(1, 2, 3)", "area(b=2)")),
        *((code, [], False, True) for code in OTHERS),
    ],
)
def test_calls_of_made_tools_are_told_from_names_that_a_program_binds_itself(
    code, tools, printed, fits
):
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
