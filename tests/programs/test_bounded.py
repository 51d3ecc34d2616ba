"""Whatever a model, a program or somebody else wrote is read in the time that 50 ms a MiB stands
for, or refused."""

import json
import random
import time
from functools import cache, partial
from pathlib import Path

import pytest

from trove_lite.datasets.own import read_dataset
from trove_lite.errors import TroveLiteError
from trove_lite.journal import checksum
from trove_lite.judge.votes import bare
from trove_lite.models.base import plain
from trove_lite.models.openai_answers import reply_of
from trove_lite.models.tape import Tape
from trove_lite.programs import (
    LONGEST_CODE,
    LONGEST_REPLY,
    LONGEST_TOOLS,
    NOT_PARSED,
    operations,
    parse,
)
from trove_lite.programs.calling import read_calls
from trove_lite.programs.definitions import definitions
from trove_lite.running.tool_files import tools_of_file
from trove_lite.shapes import described
from trove_lite_analysis.recorded import harness_logs, official_files, official_logs
from trove_lite_analysis.tool_checks import names_in
from trove_lite_papers.library_learning import cheatsheet, talks

from ..recorded.test_harness_logs import LM_EVAL, lm_eval
from .test_linear import READERS, UNITS, seconds

MIB = 1 << 20
#: What else a text may repeat: deep nesting, statements in a line, NULs, digits of other scripts.
MORE = (
    *(
        "(",
        "{",
        '{"a":',
        "'",
        "\0",
        "\u0661",
        "\u00b2",
        "x\n",
        "x;",
        "1,",
        "*a,",
        "lambda:",
        "not ",
    ),
    *("def f():\n return a\n", "import a\n", "f'{x}'", "\r", "\u2028", "<", "|", "## Example 1\n"),
)
#: A line of each kind that a reader knows, before and after what is repeated.
LINES = (
    *("", "dtype: int64", "Name: x, dtype: int64", "a  1", "None", "]", "}", "1", "```python"),
    *(
        "\\end{matrix}",
        "\\boxed{",
        "ans = 1",
        "assert x == 1",
        "Answer:",
        "Question: a",
        "Options:",
    ),
    *("```", "**Tools**", "**Tools**\n```python", "(A) x", "def f(a): return a", "-> Result 0 by"),
)
BETWEEN = ("", "\n", " ")
BEHIND = ("", "x", " b c", "  1")


#: So many sums take about 50 ms on an idle core: a million took 18 to 25 ms in each of thirty tries.
SUMS = 2_300_000
#: What a neighbour costs a reader more than the loop. At a MiB whatever is quadratic takes minutes.
MARGIN = 1.3


def loop() -> float:
    """The processor's time for these sums, in this process and now: what 50 ms stands for."""
    began = time.process_time()
    total = 0
    for number in range(SUMS):
        total += number
    return time.process_time() - began


@cache
def texts(n: int, length: int = MIB) -> list[str]:
    """Texts of two repeated units, with a line of some kind before and after; each unit and line in
    its turn."""
    rng = random.Random(0)
    units = (*UNITS, *MORE)
    found = []
    for i in range(n):
        pair = units[i * len(units) // n], rng.choice(units)
        half = length // 2 - 30  # so that the lines have room
        between = rng.choice(BETWEEN).join(one * (half // len(one)) for one in pair)
        ends = LINES[i % len(LINES)], rng.choice(LINES)
        found.append(f"{ends[0]}\n{between}{rng.choice(BEHIND)}\n{ends[1]}")
    return found


def reads(read, text: object) -> None:
    """What is refused in a line is read."""
    try:
        read(text)
    except (TroveLiteError, *NOT_PARSED):
        pass


def slow(read, found: list, more: float = 0.0) -> list[str]:
    """The texts that take longer than that and so many seconds more, each of four times."""

    def late(text) -> bool:
        took = seconds(partial(reads, read), text) - more
        return took > 0.05 and took > MARGIN * loop()  # the loop costs more than most readers

    return [str(text)[:60] for text in found if all(late(text) for _ in range(4))]


PARTS = {
    **READERS,
    "calls": lambda text: read_calls(text, {"f": text}),
    "votes": bare.__wrapped__,
    "names": names_in.__wrapped__,
    "stream": lambda text: reply_of(b"data: " + text.encode("utf-8", "replace"), str),
    "server's words": plain,
    "numbers": official_logs._recorded_answers,
    "sections of a log": lambda text: [*official_logs._sections(text, "x.md")],
    "talks": lambda text: [*talks.read_talks(text)],
}


@pytest.mark.parametrize("name", PARTS)
def test_a_text_is_read_at_once(name):
    assert slow(PARTS[name], texts(16)) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", PARTS)
def test_each_of_200_texts_is_read_at_once(name):
    assert slow(PARTS[name], texts(200)) == []


#: Readers of programs, and the longest that they read.
PROGRAMS = {
    **{name: (READERS[name], LONGEST_REPLY) for name in READERS if name.startswith("parser")},
    "isolated": (partial(parse.parse_completion, isolated=True), LONGEST_REPLY),
    "blocks": (partial(parse.read_blocks, headings=True), LONGEST_REPLY),
    "operations": (operations.__wrapped__, LONGEST_CODE),
    "definitions": (definitions, LONGEST_CODE),
    "calls": (PARTS["calls"], LONGEST_CODE),
}


#: Programs in which each statement needs the next, and functions with much before them.
SHAPES = [
    "".join(line.format(i, i + 1) for i in range(n))
    for line, n in (("def a{0}(): a{1}\n", 999), ("a{0}=a{1}\n", 999), ("x=1;", 4999))
]
SHAPES += [f"from {'a' * 8000} import {'b,' * 4000}b\n"]
SHAPES += [before * n + "def f(): 0\n" * n for before, n in (("import a\n", 499), ("x=1\n", 4000))]


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_longest_program_that_is_read_is_read_at_once(name):
    read, longest = PROGRAMS[name]
    assert (
        slow(read, [*texts(100, longest), *SHAPES, *map("**Tools**\n```python\n{}".format, SHAPES)])
        == []
    )


@pytest.mark.parametrize("name", [*map("parser {}".format, parse.PARSERS), "isolated", "blocks"])
def test_the_tools_of_a_reply_are_not_many_times_as_long_as_it_is(name):
    read, _ = PROGRAMS[name]
    for shape in SHAPES:
        tools = read(f"**Tools**\n```python\n{shape}```\n").tools
        assert sum(len(tool.source) for tool in tools) <= LONGEST_TOOLS


def drawn(text: str) -> dict:
    line = {"model": "m", "request": "r", "seed": 1, "replies": [{"text": text}]}
    return line | {"crc32": checksum(line, "a.jsonl")}


def importing(kind: str):
    return lambda file: harness_logs.import_harness_logs([str(file)], kind)


def one_row(text: str) -> dict:
    return {"problem": "p", "method": "m", "sample": 0, "correct": True, "text": text}


#: Files: how each is named and read, and what holds a text; without it, the text is the file.
FILES = {
    "table.csv": ("a.csv", importing("table"), None),
    "table": ("a.jsonl", importing("table"), one_row),
    "answers": ("a.jsonl", importing("table"), lambda text: one_row("") | {"answer": text}),
    "lm-eval": (LM_EVAL, importing("lm-eval"), lambda text: lm_eval(0, 1.0, resps=[[text]])),
    "evalplus": ("a_eval_results.json", importing("evalplus"), None),
    "eee": ("a.jsonl", importing("eee"), None),
    "inspect": ("a.json", importing("inspect"), None),
    "official": ("run0.json", lambda file: official_files.read_results(file, ()), None),
    "cheatsheet": ("a_b.jsonl", lambda file: cheatsheet.read_cheatsheet([file], file.parent), None),
    "own problems": ("a.jsonl", read_dataset, lambda text: {"question": text, "answer": "1"}),
    "own golds": ("a.jsonl", read_dataset, lambda text: {"question": "q", "answer": text}),
    "tools": ("a.py", tools_of_file, None),
    "tools.csv": ("a.csv", tools_of_file, None),
    "tape": ("a.jsonl", lambda file: Tape(file.parent), drawn),
    "run": ("run.json", described, None),
    "run's model": ("run.json", described, lambda text: {"kind": "live", "model": text}),
}


def written(folder, name: str, text: str) -> Path:
    filename, _, row = FILES[name]
    folder.mkdir()
    data = text if row is None else json.dumps(row(text)) + "\n"
    (folder / filename).write_text(data, "utf-8", errors="surrogatepass")
    return folder / filename


def slow_files(folder, name: str, found: list[str]) -> list[str]:
    """As `slow`, less what reading a short file takes."""
    read = FILES[name][1]
    short = written(folder / "short", name, "1")
    reads(read, short)  # what is loaded once
    before = min(seconds(partial(reads, read), short) for _ in range(3))
    files = [written(folder / str(i), name, text) for i, text in enumerate(found)]
    return slow(read, files, before)


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_read_at_once_or_refused_in_a_line(name, tmp_path):
    assert slow_files(tmp_path, name, texts(12)) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_each_of_200_files_is_read_at_once_or_refused_in_a_line(name, tmp_path):
    assert slow_files(tmp_path, name, texts(200)) == []
