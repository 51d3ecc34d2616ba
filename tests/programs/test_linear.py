"""Whatever reads a text of a model's or a program's takes time in its length: twice the text, no
more than thrice."""

import time
from functools import partial

import pytest

from trove_lite import programs
from trove_lite.datasets import DATASETS
from trove_lite.errors import encodable, shown
from trove_lite.judge import answers, values
from trove_lite.judge import strict as judge
from trove_lite.methods import toolbox
from trove_lite.models.openai_answers import parts_of
from trove_lite.programs import parse
from trove_lite.running.record import Record
from trove_lite.sandbox.worker import read_report, tier_of
from trove_lite.sandbox.zygote import REPORT
from trove_lite_papers.creator import graders, repair, tool_use
from trove_lite_papers.latm import bbh, maker, user

from ..cases import cases

#: What a hostile text repeats, and how it ends.
UNITS = [
    unit
    for row in cases(
        r"""
        "1", "1.", "-", "9,", "1,234", "1 ", ".5", "1e", "+0", "2^", "((1", "!", "[1]", "[", " (", "(a", "a", "aB", "é"
        "\u0301\u0327", "\ufdfa", " ", "\n", "\t", "\\frac{", "\\text{", "\\boxed{", "{", "$a ", "**a", "* ", "day "
        "`", "```", "~~~\n", "```python\n", "```python\nx", "```py\n", "x```\n", "(```\n", "```\n", " ```a\n", "\n```"
        "**Tools**\n", "**Solution**\n", "**Question", "def f(): \n", "import a\n", "from a import b,", '\"\"\"'
        "Args:", "^ ", "<think>", "\n<think>", "</think>", "```\n</think>\n", "x <think></think>", "Final Answer:"
        "answer is", "Task:", "Q:\n", "Question:\n", "Answer:\n", "ans", "ans =", "aError", "=", '"', "\\", "(A)"
        "10:10 ", "x\x1b", "\ud800"
        """
    )
    for unit in row
]
# characters, and seconds below which nothing is told apart
STEP = 4000
MOST = 16_000
SHORT = 0.01
ENDS = ("", "x")

KEY = ("stream", 0, "primitive", 0, 0, "primitive", "solver", "")
GOLDS = {"wtq": {"values": ["x"], "canonical": ["x"]}}
GOLDS |= {"hitab": ["x", 1.5]} | dict.fromkeys(
    ("practice_tables", *(n for n in DATASETS if n.startswith("bbh"))), "x"
)
GOLDS |= dict.fromkeys(("gqa", "scenes", "scenes_noisy"), "x")


def record(text: str) -> Record:
    return Record(*KEY, text, 1, 1, "stop", 0.0)


def judged(dataset, rule, text: str) -> None:
    rule(dataset.read(text), GOLDS.get(dataset.name, 1.5))


READERS = {
    **{f"parser {name}": partial(parse.parse_completion, parser=name) for name in parse.PARSERS},
    "blocks": partial(parse.read_blocks, headings=True),
    "thinking": parse.without_thinking,
    "parts": lambda text: parts_of([{"type": "thinking", "thinking": [text]}, text]),
    "tools": parse.parse_tools,
    "program_of": programs.program_of,
    "whole_program": programs.whole_program,
    "recorded_sources": programs.recorded_sources,
    "fenced": programs.fenced,
    "without_imports": programs.without_imports,
    "used_tools": lambda text: programs.used_tools(text, parse.parse_tools(text)),
    "tier_of": tier_of,
    "report": lambda text: read_report(
        REPORT.pack(1, 0, min(len(text), 0xFFFF)) + text.encode("utf-8", "replace")
    ),
    "shown": shown,
    "encodable": encodable,
    "words of a question": toolbox.words,
    "words of a model": lambda text: record(text).read(),
    "ranking": lambda text: toolbox.mentions(text, [programs.Tool("aa", "", "", "", "function")]),
    "query": tool_use.query_of,
    "latm code": maker.code_in,
    "latm answer": lambda text: user.answering(text, "Options:" + text, "released", text),
    "latm variable": user.last_match,
    "latm use case": maker.USE_CASE.search,
    "latm tests": maker.lines_before_assertions,
    "cut off": repair.is_cut,
    "unread": lambda text: judge.unread([text], 1.0),
    "task": bbh.read_task,
    **{
        f"released {kind}": lambda text, kind=kind: graders.released(text, 3.5, kind)
        for kind in graders.KINDS
    },
    "one_answer": lambda text: graders.one_answer(text, 3.5),
    "judge": lambda text: judge.is_right(values.read_answer(text), "x + 1"),
    "answer_number": graders.answer_number,
    "value_of": graders.value_of,
    "plain_words": answers.plain_words,
    "normalised": answers.normalised,
    **{
        f"{dataset.name} by {rule}": partial(judged, dataset, correct)
        for dataset in {(d.read, d.correct): d for d in DATASETS.working().values()}.values()
        for rule, correct in {"its own": dataset.correct, **dataset.other_rules}.items()
    },
}


def seconds(read, text: str) -> float:
    """The processor's time for a reading."""
    began = time.process_time()
    read(text)
    return time.process_time() - began


def growth(read, unit: str, end: str) -> float:
    """How many times as long a text takes as one half as long, at the first length at which that
    can be told."""
    length = STEP
    while length < MOST and seconds(read, unit * (length // len(unit)) + end) < SHORT:
        length *= 4
    half, whole = (unit * (length // part // len(unit)) + end for part in (2, 1))
    for _ in range(4):  # what is quadratic is so each time
        taken = seconds(read, whole)
        ratio = taken / max(seconds(read, half), 1e-9) if taken >= SHORT else 0.0
        if ratio < 3:
            break
    return ratio


@pytest.mark.parametrize("name", READERS)
def test_twice_the_text_is_read_in_less_than_thrice_the_time(name):
    slow = {
        (unit, end): ratio
        for unit in UNITS
        for end in ENDS
        if (ratio := growth(READERS[name], unit, end)) >= 3
    }
    assert not slow
