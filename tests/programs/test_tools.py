"""A tool is a tool: what of a block is one, and how a program finds those of a toolbox."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trove_lite.methods.trove import LOADED, load_program
from trove_lite.programs import AT_HAND, Tool, format_tools, program_of, recorded_sources
from trove_lite.programs.definitions import definitions
from trove_lite.programs.parse import isolated_tools, parse_completion
from trove_lite.sandbox.pool import Sandbox, isolation_report

CONFINED = pytest.mark.skipif(
    isolation_report()["level"] is None, reason="programs cannot be confined here"
)


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox(1, time_limit=1) as sandbox:
        yield sandbox


def tools(*blocks):
    return tuple(tool for tool in isolated_tools(blocks).tools if tool.kind == "function")


def ran(sandbox, program, *library):
    (execution,) = sandbox.run_many([program_of(program, (), library)], progress=False)
    return execution


def loads(sandbox, tool, *others):
    (execution,) = sandbox.run_many([load_program(tool, (*others, tool))], progress=False)
    return execution.output.strip() == LOADED


@CONFINED
def test_a_tool_at_hand_is_called_without_an_import_and_gives_way_to_the_program_s_own(sandbox):
    up = "import math\ndef up(x):\n    return math.ceil(x)"
    library = tools(up, "from toolbox import up\ndef two(x):\n    return 2 * up(x)")
    broken = Tool("lost", "lost()", "", "def lost(): pass\n1 / 0", "function")
    uses = "print(two(1.5), up(2.5))"
    assert ran(sandbox, uses, AT_HAND, *library, broken).output == "4 3\n"
    assert (
        ran(sandbox, f"def up(x):\n    return 'mine'\n{uses}", AT_HAND, *library).output
        == "4 mine\n"
    )
    for program, *there in ((uses, *library), ("lost()", AT_HAND, *library, broken)):
        assert "NameError" in ran(sandbox, program, *there).error


STRAY = [
    "print(f(1))",
    "f(2)",
    "if __name__ == '__main__':\n    f(3)",
    "for i in range(3):\n    f(i)",
    "memo[0] = 1",
]
STRAY += [
    "import sys; sys.exit(0)",
    "n = int(input())",
    "n = f(print(1))",
    "assert f(1) == 1",
    "sys.stdout = None",
]
STRAY += ["class Noisy:\n    print(1)", "def noisy(x=print(1)): pass", "loud = shout()"]


@pytest.mark.parametrize("stray", STRAY)
def test_whatever_is_no_definition_import_or_constant_is_left_out_and_counted(stray):
    block = f"def f(x):\n    return x\n\ndef shout():\n    print(1)\n\n{stray}"
    found = definitions(block)
    assert found.left_out == (stray.removeprefix("import sys; "),)
    assert [tool.name for tool in found.tools] == ["f", "shout"]
    assert stray not in found.code
    assert isolated_tools([block]).left_out == 1


def test_a_tool_has_all_that_it_needs_of_its_block_and_nothing_else():
    block = (
        "import math\nfrom itertools import chain as joined, product\nimport nowhere\nN = 2\nM: int = N * 3\n"
        "other = [1]\n"
        "def helper(x):\n    return math.comb(M, x)\n\nclass Pair:\n    'Two.'\n    def __init__(self, a, b=1):\n"
        "        self.a = helper(a)\n\n@staticmethod\ndef f(x):  # with a comment\n    return Pair(x).a, joined\n"
    )
    *_, f = tools(block)
    needed = (
        block.replace("import nowhere\n", "")
        .replace("other = [1]\n", "")
        .replace("\n\n", "\n")
        .strip()
    )
    assert f.source == needed
    assert definitions(f.source).left_out == ()


def test_functions_and_classes_are_described_as_prompts_show_them():
    f, pair = tools(
        'def f(x, y=1) -> int:\n    """Add.\n    Args: two."""\n    return x\n\nclass P:\n    "A point."\n'
    )
    assert (f.signature, f.docstring) == ("f(x, y=1) -> int", "Add.")
    assert (pair.signature, pair.docstring, pair.kind) == ("P()", "A point.", "function")


def test_a_use_of_the_toolbox_counts_also_where_a_function_is_written_beside_it():
    found = isolated_tools(["from toolbox import f\n\ndef g(x):\n    return f(x)"]).tools
    assert [(tool.name, tool.kind) for tool in found] == [
        ("g", "function"),
        ("toolbox.f", "import"),
    ]


@pytest.mark.parametrize("parser", ["official", "strict"])
def test_a_reply_s_own_definitions_run_with_its_solution_without_what_they_print(parser):
    reply = "```python\nprint(f(N))\n```\n**Tools**\n```python\nimport math\n"
    reply += "N = 3\ndef f(x):\n    return x\nprint(7)\n```"
    parsed = parse_completion(reply, parser, isolated=True)
    assert (
        program_of(parsed.solution, parsed.code)
        == "import math\nN = 3\ndef f(x):\n    return x\n\nprint(f(N))"
    )
    assert isolated_tools(recorded_sources(format_tools(parsed.code))).tools == parsed.tools


@settings(deadline=None)
@given(
    st.text()
    | st.lists(
        st.sampled_from(["def f(x):", "\n", " return ", "x", "=", "print(1)", "\r", ";", "'"])
    ).map("".join)
)
def test_no_text_raises_and_what_is_kept_is_kept_again(text):
    found = definitions(text)
    if found:
        again = definitions(found.code)
        assert (again.tools, again.left_out) == (found.tools, ())


@CONFINED
def test_what_a_tool_prints_while_it_loads_is_nobody_s_output(sandbox):
    f = Tool(
        "f",
        "",
        "",
        "print(11218)\nimport sys\nprint(1, file=sys.stderr)\ndef f(x):\n    return x",
        "function",
    )
    assert ran(sandbox, "from toolbox import f\nprint(f(2))", f).output == "2\n"


@CONFINED
@pytest.mark.parametrize(
    "fault",
    [
        "import sys; sys.exit(0)",
        "exit()",
        "while True: pass",
        "1 / 0",
        "import os; os._exit(0)",
        "input()",
    ],
)
def test_a_tool_whose_load_fails_hangs_or_ends_the_process_does_not_enter_and_harms_nobody_else(
    sandbox, fault
):
    bad = Tool("bad", "", "", f"{fault}\ndef bad(x):\n    return x", "function")
    (good,) = tools("def good(x):\n    return x")
    assert not loads(sandbox, bad, good)
    assert loads(sandbox, good, bad)
    assert ran(sandbox, "from toolbox import good\nprint(good(2))", bad, good).output == "2\n"
    assert ran(sandbox, "from toolbox import bad\nprint(2)", bad, good).output == ""


FROM = ("from toolbox import f", "from toolbox import (\n    f,\n)", "from toolbox import *")
WAYS = [
    f"{line}\nprint(f(2))"
    for line in (*FROM, "from __future__ import annotations\nfrom toolbox import f")
]
WAYS += ["from toolbox import f as g\nprint(g(2))", "import toolbox\nprint(toolbox.f(2))"]
WAYS += ["import toolbox as box\nprint(box.f(2))"]


@CONFINED
@pytest.mark.parametrize("program", WAYS)
def test_a_program_imports_a_tool_as_python_does(sandbox, program):
    (bad,) = tools("def bad(x=1 / 0): pass")
    library = tools("TWO = 2\ndef helper(x):\n    return TWO * x\ndef f(x):\n    return helper(x)")
    assert ran(sandbox, program, bad, *library).output == "4\n"


@CONFINED
def test_a_tool_that_is_not_there_is_named_where_it_is_imported(sandbox):
    (f,) = tools("def f(x):\n    return x")
    assert (
        "cannot import name 'gone' from 'toolbox'"
        in ran(sandbox, "x = 1\nfrom toolbox import gone", f).error
    )


@CONFINED
def test_what_a_data_set_gives_to_all_programs_tools_have_too(sandbox):
    (f,) = tools("def f(x):\n    return half(math.floor(x))")
    given = "import math\ndef half(x):\n    return x / 2"
    program = "from toolbox import f, half\nprint(f(4.5), half(3))"
    assert ran(sandbox, program, given, f).output == "2.0 1.5\n"


@CONFINED
@pytest.mark.parametrize(
    ("program", "line"),
    [
        ("from toolbox import f\n\nf(0)", 3),
        ("x = 1\nfrom toolbox import bad", 2),
        ("x = 1\n\n\nif x:", 4),
        ("1/0", 1),
    ],
)
def test_an_error_s_line_is_one_of_the_program_that_the_model_wrote(sandbox, program, line):
    library = tools("def f(x):\n    y = 1\n    return y / x", "def bad(x=1 / 0): pass")
    assert ran(sandbox, program, "import math", *library).error.endswith(f"(line {line})")


@CONFINED
@pytest.mark.parametrize(
    "name", ["'", '"""', "a\nb", "\ud800", "\\", "{x}", "", "__path__", "__all__"]
)
def test_a_hostile_name_or_source_breaks_nothing(sandbox, name):
    hostile = Tool(name, name, name, f"'''{name}\\", "function")
    (f,) = tools("def f(x):\n    return x")
    for program in ("from toolbox import f\nprint(f(2))", "from toolbox import *\nprint(f(2))"):
        assert ran(sandbox, program, hostile, f).output == "2\n"
