"""Prompts of table questions: our own show table and examples, the official ones are the released program's."""

import re

import pytest

from trove_lite.datasets import load_dataset
from trove_lite.datasets.base import Question
from trove_lite.datasets.files import data_folder, public_paths
from trove_lite.parse import PARSERS, parse_completion
from trove_lite.programs import Tool, format_toolbox, program_of
from trove_lite.prompts import load_pack, official, own

NAMES = ("tabmwp", "wtq", "hitab")
MODES = ("primitive", "instance", "import", "create", "skip")
TOOL = Tool("half", "half(x)", "Halve.", 'def half(x):\n    """Halve."""\n    return x / 2', "function")
CONTEXT = "File: data/t.tsv\nPreview: | a |\n|  --- |\n| 1 ${x} |\n## 5 % |"


def primitive(line: str) -> str:
    """As the released program lists what its toolbox starts with: after all that was used, the line twice."""
    return f"```python\n# {line}\n{line}\n```"


def asked(name: str) -> Question:
    return Question(name, name, 0, "how many rows?\n", CONTEXT)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", NAMES)
def test_our_prompts_show_the_table_before_the_question_and_so_do_their_examples(name, mode):
    prompt = load_pack("own", load_dataset(name)).render(asked(name), mode, [TOOL])
    parts = prompt.split("**Question**\n")
    worked = own.examples(name, name)
    assert len(parts) == len(worked) + 2
    for part, example in zip(parts[1:], [*worked, {"context": CONTEXT, "question": "how many rows?\n"}], strict=True):
        assert part.startswith(f"{example['context']}\n\n{example['question']}\n\n")
    ends = format_toolbox([TOOL]) if mode == "import" else f"{CONTEXT}\n\nhow many rows?\n"
    assert prompt.endswith(f"{ends}\n\n")
    assert "{" not in parts[0]
    assert "table" in parts[0]


@pytest.mark.parametrize("parser", PARSERS)
@pytest.mark.parametrize("name", NAMES)
def test_answers_of_our_examples_are_read_back(name, parser):
    for mode in MODES:
        prompt = load_pack("own", load_dataset(name)).render(asked(name), mode, [TOOL])
        answers = [part[part.index("**Tools**\n") :] for part in prompt.split("**Question**\n")[1:-1]]
        for answer, example in zip(answers, own.examples(name, name), strict=True):
            solution, tools = parse_completion(answer, parser)
            last = example is own.examples(name, name)[-1]
            uses = mode == "instance" or (mode in ("import", "create") and not last)
            assert program_of(solution, ()).strip() == example["solution" if uses else "plain"].strip()
            assert any(tool.kind == "function" for tool in tools) == (uses and mode != "import")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", NAMES)
def test_official_prompts_are_what_mako_makes_of_the_files_for_the_first_fifty_questions(name, mode, table_problems):
    """By the official program's own lines; tables are letter by letter its own, which the data sets' tests say."""
    from mako.template import Template

    path = data_folder() / "zorazrw/trove/prompt" / name / official.FILES[mode]
    if not all(file.is_file() for file in public_paths("prompts")):
        pytest.skip("no official prompts in the data folder: run `trove-lite fetch prompts`")
    template, pack = Template(filename=str(path)), load_pack("official", load_dataset(name))
    toolbox = "\n".join([format_toolbox([TOOL]), *map(primitive, load_dataset(name).given)])
    for problem in table_problems(name)[:50]:
        question = problem.question
        prompt = pack.render(question, mode, [TOOL])
        assert prompt == template.render(question=question.text, table=question.context, toolbox=toolbox)
        assert f"**Question**\n{question.text}\n**Table**\n{question.context}\n" in prompt
        assert re.search(r"\*\*Solution\*\*\n+$", prompt)
        assert "## Example" not in prompt
