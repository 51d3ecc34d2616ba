"""parse: the official rules, against every recorded sample and by hand; the strict ones; and no text is too odd."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trove_lite.datasets.files import data_folder
from trove_lite.errors import TroveLiteError
from trove_lite.parse import PARSERS, parse_completion, parse_tools
from trove_lite.programs import code_of, format_toolbox, format_tools, program_of, recorded_sources
from trove_lite.recorded.official_logs import TIMEOUT, _modes, _sections

LOGS = sorted((data_folder() / "ikb-a").rglob("run*.md"))
ACTION = re.compile(r"```\n([A-Z]+) \| (.*?)\n```\n", re.DOTALL)
FRAME = re.compile(r'tmp_exec[^"]*", line (\d+)[^\n]*\n    (.+)')
PIECES = [
    "**Solution**",
    "**Tools**",
    "**Question",
    "```python",
    "```",
    "def f(x):",
    "import a, b",
    "from a import b",
    "import ,",
    "from importlib import a, b",
    '"""',
    "Args:",
    "\n",
    " ",
    "(",
    ")",
    ":",
    ",",
    "x = 1",
]


def block(*lines: str) -> str:
    return "\n".join(["```python", *lines, "```"])


def sources(section: str) -> list[tuple[str, str]]:
    return [(tool.name, tool.source) for tool in parse_tools(section)]


@pytest.fixture(scope="module")
def samples():
    """Every recorded sample, with its mode."""
    if not LOGS:
        pytest.skip("no recorded logs in the data folder")
    found = []
    for log in LOGS:
        sections = list(_sections(log.read_text(encoding="utf-8"), Path(log)))
        for section, (_, mode) in zip(sections, _modes(sections), strict=True):
            found += [(mode, sample) for sample in section.samples]
    return found


def test_every_recorded_solution_and_tool_is_read_again(samples):
    assert len(samples) > 50_000
    for _, sample in samples:
        parsed = parse_completion(f"{sample['solution']}\n\n**Tools**\n{sample['tools']}")
        assert parsed.solution == sample["solution"]
        actions = ACTION.findall(sample["actions"])
        said = [(tool.kind, tool.name, tool.signature) for tool in parsed.tools]
        assert len(said) == len(actions)
        for (kind, name, signature), (action, what) in zip(said, actions, strict=True):
            assert kind == ("import" if action == "IMPORT" else "function")
            assert what == (name if action == "EDIT" else signature)


def test_programs_have_the_line_numbers_of_recorded_tracebacks(samples):
    """Of modes without a toolbox; Python itself shortens the few lines that are very long."""
    frames = 0
    for mode, sample in samples:
        if mode == "import" or sample["success"] == "True" or sample["output"] == TIMEOUT:
            continue
        program = program_of(sample["solution"], recorded_sources(sample["tools"])).split("\n")
        for number, line in FRAME.findall(sample["output"]):
            frames += 1
            there = program[int(number) - 1]
            assert there.strip() == line.strip() or (line.strip() in there and len(there) > 200)
    assert frames > 9_000


def test_recorded_tools_are_read_again_but_for_the_space_around_them(samples):
    for _, sample in samples:
        recorded = [source.strip() for source in recorded_sources(sample["tools"])]
        assert [tool.source.strip() for tool in parse_tools(sample["tools"])] == recorded


def test_text_after_another_question_is_cut():
    text = f"{block('print(1)')}\n\n**Question**\nMore?\n**Solution**\n{block('print(2)')}"
    assert parse_completion(text).solution == block("print(1)")
    assert parse_completion(f"{block('print(1)')}\n## Example 2\n{block('print(2)')}").solution == block("print(1)")


def test_only_the_first_block_runs():
    solution = parse_completion(f"So:\n{block('print(1)')}\nor\n{block('print(2)')}").solution
    assert program_of(solution) == "print(1)"
    assert program_of("print(3)") == "print(3)"
    assert program_of("```python") == code_of("") == ""
    assert code_of("```python\nprint(4)") == "print(4)"


def test_sections_count_by_their_last_heading_in_either_order():
    tools, solution = block("import math"), block("print(1)")
    for text in (
        f"{solution}\n**Tools**\n{tools}",
        f"**Tools**\n{tools}\n**Solution**\n{solution}",
        f"**Solution**\n{block('print(0)')}\n**Solution**\n{solution}\n**Tools**\n{tools}",
    ):
        parsed = parse_completion(text)
        assert (parsed.solution, [tool.name for tool in parsed.tools]) == (solution, ["math"])


def test_every_import_line_is_a_tool_but_of_several_modules_only_the_first():
    assert sources(block("import math", "import numpy as np", "x = 1")) == [
        ("math", "import math"),
        ("numpy", "import numpy as np"),
    ]
    assert sources(block("import math, random")) == [("math", "import math, random")]
    assert sources(block("from sympy import solve, symbols")) == [
        ("sympy.solve", "from sympy import solve"),
        ("sympy.symbols", "from sympy import symbols"),
    ]
    assert sources(block("# import this, or that")) == []
    assert sources("import math") == []  # not in a block


def test_functions_carry_what_stands_before_the_first_of_them():
    halve = ["def f(x):", '    """Halve.', "", '    Args: x"""', "    return x / 2"]
    f, g = parse_tools(block("import math", *halve, "def g(x, y=1) -> int:", "    return x"))
    assert (f.name, f.signature, f.docstring, f.kind) == ("f", "f(x)", "Halve.", "function")
    assert (g.name, g.signature, g.docstring) == ("g", "g(x, y=1) -> int", "")
    assert g.source == "import math\ndef g(x, y=1) -> int:\n    return x"
    assert f.source.startswith("import math\ndef f(x):")
    assert parse_tools(block("def f(x):", '    """never closed')) == ()


def test_programs_are_library_then_tools_then_solution():
    tools = parse_tools(block("from toolbox import half") + block("import math"))
    program = program_of(block("from toolbox import half", "print(half(4))"), tools, ["def half(x):\n    return x / 2"])
    assert program.split("\n") == ["def half(x):", "    return x / 2", "", "", "import math", "", "print(half(4))"]


def test_toolbox_shows_docstrings_and_signatures():
    tools = parse_tools(block("def f(x):", '    """Halve."""') + block("import math"))
    assert format_toolbox(tools) == "```python\n# Halve.\nf(x)\n```\n```python\n# import math\nimport math\n```"
    assert format_toolbox([]) == ""


def test_strict_registers_every_import_and_nothing_that_is_not_python():
    code = block(
        "import math, random",
        "from sympy import (solve,",
        "    symbols)",
        "def f(x: int) -> int:",
        '    "Import nothing: def g(): pass"',
        "    return x",
    )
    parsed = parse_completion(f"{block('print(f(1))')}\n**Tools**\n{code}\n{block('def g(x)')}", "strict")
    assert [tool.name for tool in parsed.tools] == ["math", "random", "sympy.solve", "sympy.symbols", "f"]
    assert parsed.tools[-1].signature == "f(x: int) -> int"
    assert program_of(parsed.solution, parsed.tools).endswith("print(f(1))")
    official = parse_completion(f"{block('print(f(1))')}\n**Tools**\n{code}")
    assert [tool.name for tool in official.tools] == ["f", "g"]  # the docstring's, too


def test_strict_takes_blocks_of_any_name():
    parsed = parse_completion("Here:\n```\nprint(1)\n```\n**Tools**\n```py\nimport math\n```", "strict")
    assert (code_of(parsed.solution), [tool.name for tool in parsed.tools]) == ("print(1)", ["math"])


def test_unknown_parser_names_the_known_ones():
    with pytest.raises(TroveLiteError, match="official, strict"):
        parse_completion("", "lax")


@pytest.mark.parametrize("parser", PARSERS)
@settings(deadline=None)
@given(text=st.one_of(st.text(), st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3))).map("".join)))
def test_no_text_raises(parser, text):
    solution, tools, *_ = parse_completion(text, parser)
    assert "**Question" not in solution
    assert isinstance(program_of(solution, tools, [tool.source for tool in tools]), str)
    assert isinstance(format_tools(tools) + format_toolbox(tools), str)
    assert all(tool.kind in ("function", "import") for tool in tools)
