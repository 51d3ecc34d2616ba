"""Our own worked examples of table questions: they run, look like the data sets' own, and leak nothing."""

import re
from collections import Counter

import pytest

from trove_lite.datasets import files, load_dataset
from trove_lite.datasets.base import Question
from trove_lite.datasets.hitab.problems import UTILS
from trove_lite.parse import PARSERS, isolated_tools, parse_completion, parse_tools
from trove_lite.programs import program_of
from trove_lite.prompts import load_pack
from trove_lite.prompts.own import examples

MODES = ("primitive", "instance", "import", "create", "skip")
NAMES = ("tabmwp", "wtq", "hitab", "practice_tables")
EXAMPLES = [(name, example) for name in NAMES for example in examples(name, name)]
#: The largest share of an example's runs of so many words that one question may hold.
RUN, SHARE = 3, 0.25


def fenced(source):
    return f"```python\n{source.strip()}\n```"


def programs(example):
    """The program without functions, with one of its own, and with one from the toolbox."""
    own = parse_tools(fenced(example["tool"]))
    also = parse_tools(fenced(example["also"])) if "also" in example else []
    yield program_of(example["plain"], parse_tools(fenced(example["imports"])))
    yield program_of(example["solution"], [*also, *own])
    yield program_of(example["solution"], also, [tool.source for tool in own])
    toolbox = isolated_tools([f"{example.get('also', '')}{example['tool']}"]).tools
    yield program_of(example["solution"], [*also, f"from toolbox import {toolbox[-1].name}"], toolbox)


def gold(name, answer):
    """An answer in the form that the data set judges."""
    if name == "wtq":
        return {"values": [str(answer)], "canonical": [str(answer)]}
    return {"hitab": [answer], "practice_tables": answer}.get(name) or float(answer)


def runs(text):
    words = re.findall(r"[a-z]+|\d+", text.lower())
    return Counter(tuple(words[i : i + RUN]) for i in range(len(words) - RUN + 1))


def shared(example, question):
    return (example & question).total() / example.total()


@pytest.fixture(scope="module")
def sandbox():
    pool = pytest.importorskip("trove_lite.sandbox.pool")
    with pool.Sandbox(1, time_limit=30) as box:
        yield box


@pytest.mark.parametrize(("name", "example"), EXAMPLES)
def test_programs_print_the_answer_and_nothing_else(name, example, sandbox, tmp_path):
    files = {UTILS.name: UTILS}
    if "file" in example:
        files[example["file"]] = tmp_path / "table"
        files[example["file"]].write_text(example["table"])
    whole = list(programs(example))
    for ran in sandbox.run_many(whole, progress=False, files=[files] * len(whole)):
        assert ran.status == "ok", ran.error
        dataset = load_dataset(name)
        assert dataset.correct(dataset.read(ran.output), gold(name, example["answer"])), ran.output
        assert len(ran.output.split("\n")) == 2


@pytest.mark.parametrize("name", NAMES)
def test_no_test_question_is_like_an_example(name, table_problems):
    problems = table_problems(name)
    questions = [problem.question.text for problem in problems]
    for path in sorted((files.data_folder() / "zorazrw/trove/prompt" / name).glob("*.md")):  # the papers' own examples
        questions += re.findall(r"\*\*Question\*\*\n(.*)\n", path.read_text(encoding="utf-8"))
    known, tables = [runs(question) for question in questions], {problem.question.context for problem in problems}
    for _, example in EXAMPLES:
        ours = runs(example["question"])
        closest = max(range(len(known)), key=lambda i: shared(ours, known[i]))
        assert shared(ours, known[closest]) <= SHARE, (example["question"], questions[closest])
        assert example["context"] not in tables


@pytest.mark.parametrize("parser", PARSERS)
@pytest.mark.parametrize("name", NAMES)
def test_answers_of_our_examples_are_read_back(name, parser):
    for mode in MODES:
        prompt = load_pack("own", load_dataset(name)).render(Question(name, name, 0, "how many rows?"), mode)
        answers = [part[part.index("**Tools**\n") :] for part in prompt.split("**Question**\n")[1:-1]]
        for answer, example in zip(answers, examples(name, name), strict=True):
            solution, tools, *_ = parse_completion(answer, parser)
            last = example is examples(name, name)[-1]
            uses = mode == "instance" or (mode in ("import", "create") and not last)
            assert program_of(solution, ()).strip() == example["solution" if uses else "plain"].strip()
            assert any(tool.kind == "function" for tool in tools) == (uses and mode != "import")
