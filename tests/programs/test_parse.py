"""parse: the official rules, against recorded samples and by hand; the strict ones; and no text is
too odd."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trove_lite import programs
from trove_lite.datasets.files import data_folder
from trove_lite.programs import (
    code_of,
    fenced,
    format_toolbox,
    format_tools,
    program_of,
    whole_program,
)
from trove_lite.programs.parse import (
    PARSERS,
    parse_completion,
    parse_tools,
    python_blocks,
    read_blocks,
    without_thinking,
)
from trove_lite_analysis.recorded.official_files import TIMEOUT
from trove_lite_analysis.recorded.official_logs import _modes, _sections

LOGS = sorted((data_folder() / "ikb-a").rglob("run*.md"))
ACTION = re.compile(r"```\n([A-Z]+) \| (.*?)\n```\n", re.DOTALL)
FRAME = re.compile(r'tmp_exec[^"]*", line (\d+)[^\n]*\n    (.+)')
PIECES = [
    *(
        "**Solution**",
        "**Tools**",
        "**Question",
        "```python",
        "```",
        "def f(x):",
        "import a, b",
        "from a import b",
    ),
    *(
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
    ),
]


def block(*lines: str) -> str:
    return "\n".join(["```python", *lines, "```"])


@pytest.fixture(scope="module")
def samples():
    """Every recorded sample of every sixth log, with its mode."""
    if not LOGS:
        pytest.skip("no recorded logs in the data folder")
    found = []
    for log in LOGS[::6]:
        sections = list(_sections(log.read_text(encoding="utf-8"), Path(log)))
        for section, (_, mode) in zip(sections, _modes(sections), strict=True):
            found += [(mode, sample) for sample in section.samples]
    return found


def test_every_recorded_solution_and_tool_is_read_again(samples):
    assert len(samples) > 7_000
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
        program = program_of(sample["solution"], programs.recorded_sources(sample["tools"])).split(
            "\n"
        )
        for number, line in FRAME.findall(sample["output"]):
            frames += 1
            there = program[int(number) - 1]
            assert there.strip() == line.strip() or (line.strip() in there and len(there) > 200)
    assert frames > 1_500


def test_sections_count_by_their_last_heading_in_either_order():
    tools = block("import math")
    solution = block("print(1)")
    for text in (
        f"{solution}\n**Tools**\n{tools}",
        f"**Tools**\n{tools}\n**Solution**\n{solution}",
        f"**Solution**\n{block('print(0)')}\n**Solution**\n{solution}\n**Tools**\n{tools}",
    ):
        parsed = parse_completion(text)
        assert (parsed.solution, [tool.name for tool in parsed.tools]) == (solution, ["math"])


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
    program = program_of(
        block("from toolbox import half", "print(half(4))"),
        tools,
        ["def half(x):\n    return x / 2"],
    )
    assert program.split("\n") == [
        "def half(x):",
        "    return x / 2",
        "",
        "",
        "import math",
        "",
        "print(half(4))",
    ]


def test_strict_registers_every_import_and_nothing_that_is_not_python():
    code = block(
        "import math, random",
        "from sympy import (solve,",
        "    symbols)",
        "def f(x: int) -> int:",
        '    "Import nothing: def g(): pass"',
        "    return x",
    )
    parsed = parse_completion(
        f"{block('print(f(1))')}\n**Tools**\n{code}\n{block('def g(x)')}", "strict"
    )
    assert [tool.name for tool in parsed.tools] == [
        "math",
        "random",
        "sympy.solve",
        "sympy.symbols",
        "f",
    ]
    assert parsed.tools[-1].signature == "f(x: int) -> int"
    assert program_of(parsed.solution, parsed.tools).endswith("print(f(1))")
    official = parse_completion(f"{block('print(f(1))')}\n**Tools**\n{code}")
    assert [tool.name for tool in official.tools] == ["f", "g"]  # the docstring's, too


@pytest.mark.parametrize("parser", PARSERS)
@settings(deadline=None)
@given(
    text=st.one_of(
        st.text(), st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3))).map("".join)
    )
)
def test_no_text_raises(parser, text):
    solution, tools, *_ = parse_completion(text, parser)
    assert "**Question" not in solution
    assert isinstance(program_of(solution, tools, [tool.source for tool in tools]), str)
    assert isinstance(format_tools(tools) + format_toolbox(tools), str)
    assert all(tool.kind in ("function", "import") for tool in tools)


WAYS = (
    *(
        "```py\nprint(42)\n```",
        "```Python3\nprint(42)\n```",
        "``` python\nprint(42)\n```",
        "~~~python\nprint(42)\n~~~",
    ),
    *(
        "```{.python}\nprint(42)\n```",
        "```\nprint(42)\n```",
        "```python title=a.py\nprint(42)\n```",
        "print(42)\n```",
    ),
    *(
        "So: ```python\nprint(42)\n```",
        "```python\nprint(42)```\nIt prints 42.",
        "```python\nprint(42)",
    ),
    *("print(42)\n```\nIt prints\n```\n42\n```", "1. Run\n   ```python\n   print(42)\n   ```"),
    "```bash\npip install sympy\n```\nThen\n```python\nprint(42)\n```",
    *("For\n```\n1 2 3\n```\nit is\n```python\nprint(42)\n```", "````python\nprint(42)\n````"),
)


FENCES_INSIDE = (
    "s = '```python' + '''```'''\nprint(42)",
    "s = '''```\na'''\nprint(42)",
    "def f():\n    '''\n    ```\n    f()\n    ```\n    '''\nprint(42)",
)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        *(("print(42)", text) for text in WAYS),
        *((code, f"```python\n{code}\n```\nSo.") for code in FENCES_INSIDE),
    ],
)
def test_a_block_is_seen_however_a_chat_model_writes_it_and_no_fence_in_it_ends_it(code, text):
    assert program_of(parse_completion(text, "strict").solution) == code
    assert whole_program(read_blocks(text).solution) == code


def test_a_block_in_another_language_is_no_program():
    assert python_blocks("```json\n{}\n```\n") == []
    assert python_blocks("Here:\n```\nprint(1)") == [
        "print(1)"
    ]  # words before it: no program that ends there


@settings(deadline=None)
@given(st.lists(st.sampled_from(["`", "```", "``````", "a", "\n", "python"])).map("".join))
def test_code_in_a_fence_is_read_back(code):
    assert code_of(fenced(code)) == code.strip()


TOOL = "```python\ndef f():\n    return 7\n```"
USE = "```python\nprint(f())\n```"


@pytest.mark.parametrize(
    "between",
    [
        "",
        "**Solution**",
        "## Example usage",
        "**Question** Which one?",
        "**Tools**",
        "### Tools\n**Solution**:",
    ],
)
def test_all_blocks_of_a_chats_reply_are_its_program_whatever_stands_between(between):
    read = read_blocks(f"{TOOL}\n{between}\n{USE}\n", chat=True)
    assert (whole_program(read.solution), read.tools) == (
        "def f():\n    return 7\n\nprint(f())",
        (),
    )


def test_a_reply_that_runs_on_ends_before_the_next_question_but_in_a_chat():
    text = f"{TOOL}\n**Question**\nMore?\n{USE}"
    assert (
        parse_completion(text).solution
        == parse_completion(f"{TOOL}\n## Example 2\n{USE}").solution
        == TOOL
    )
    assert "print" not in read_blocks(text).solution
    assert "print" in read_blocks(text, chat=True).solution


def test_what_was_asked_for_under_tools_runs_first_and_alone_there():
    text = f"{USE}\n**Tools**\n{TOOL}"
    asked, other = (read_blocks(text, headings=headings) for headings in (True, False))
    assert [tool.name for tool in asked.tools] == ["f"]
    assert whole_program(asked.solution, asked.code).endswith("return 7\n\nprint(f())")
    assert whole_program(other.solution, other.code).startswith("print(f())")


@pytest.mark.parametrize("text", ["In words.", "", "```python\n```"])
def test_a_reply_without_a_program_has_none(text):
    assert whole_program(read_blocks(text).solution) == ""


ANSWER = "```python\nprint(42)\n```"


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (ANSWER, "<think>maybe\n```python\nprint(1)\n```\nno</think>\n```python\nprint(42)\n```"),
        (ANSWER, "try\n```python\nprint(1)\n```\n</think>\n```python\nprint(42)\n```"),
        (ANSWER, "try\n```python\nprint(1)\n</think>\n```python\nprint(42)\n```"),
        (
            f"{ANSWER}\n</think>",
            f"<think>a</think>\n{ANSWER}\n</think>",
        ),  # a close too many takes nothing away
        *(
            ("42", t)
            for t in ("  \n<THINK>\nhm\n</ Think >\n\n42", "<think>a<think>b</think>c</think>42")
        ),
        *(
            ("42", t)
            for t in (
                "<think>a</think>\n<think>b</think>42",
                "<think>shall I use <think> tags?</think>42",
            )
        ),
        *(("42", t) for t in ("hm <think>a</think> b</think>42", "[THINK]hm[/THINK]42")),
        (
            "42",
            "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>42",
        ),
        *(
            ("", t)
            for t in (
                "<think>never closed\n```python\nprint(1)\n```",
                "all of it</think>",
                "<think></think>",
            )
        ),
    ],
)
def test_thinking_is_split_off(answer, text):
    found, thinking = without_thinking(text)
    assert found == answer
    assert thinking
    if not answer.endswith("</think>"):
        assert without_thinking(answer) == (answer, "")
        assert all(
            parse_completion(text, parser) == parse_completion(answer, parser) for parser in PARSERS
        )
        assert read_blocks(text) == read_blocks(answer)


TEXTS = [
    block("print('<think>no</think>')"),
    block("print('a', '</think>')"),
    "I write <think> nowhere.",
    " 42 \n",
]
TEXTS += [block('s = """', tag, '"""') for tag in ("<think>", "</think>")]
TEXTS += [
    "```python\nx = s.split('</think>')[-1]",
    "Tags such as `<think>` and `</think>` are text.",
]


@pytest.mark.parametrize("text", TEXTS)
def test_tags_that_are_text_stay(text):
    assert without_thinking(text) == (text, "")


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(["<think>", "</think>", "\n", "```", "```python\n", "a", " ", "'"])
    ).map("".join)
)
def test_no_character_of_text_or_thinking_is_lost_but_blanks(text):
    said, thinking = without_thinking(text)
    assert sorted("".join((said + thinking).split())) == sorted("".join(text.split()))
