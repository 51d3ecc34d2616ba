"""Our own worked examples: they run in every mode, fail as they say where they are mended, and leak
nothing."""

import itertools
import re
from collections import Counter

import pytest

from trove_lite.datasets import DATASETS, load_dataset
from trove_lite.datasets.base import Question
from trove_lite.datasets.files import data_folder
from trove_lite.judge.answers import read_numbers
from trove_lite.programs import code_of, program_of, whole_program
from trove_lite.programs.parse import PARSERS, isolated_tools, parse_completion
from trove_lite.prompts import load_pack
from trove_lite.prompts.own import examples
from trove_lite_papers.trove.hitab.problems import UTILS

MODES = ("primitive", "instance", "import", "create", "skip")
TABLES = ("tabmwp", "wtq", "hitab", "practice_tables")
NAMES = ["math", *(name for name in TABLES if name in DATASETS.working())]
#: The largest share of an example's runs of so many words that a question may hold; an `extra` has
#: MATH's idiom (LOG).
RUN = 3
SHARE = 0.25
SHARE_OF_EXTRA = 0.47


def gold(name, answer):
    """An answer in the form that the data set judges."""
    wtq = {"values": [str(answer)], "canonical": [str(answer)]}
    return {"hitab": [answer], "practice_tables": answer, "wtq": wtq}.get(name) or float(answer)


def parts(name, category, stage, **given):
    """The worked examples of a prompt, each from its question on."""
    prompt = load_pack("own", load_dataset(name)).render(
        Question(name, category, 0, "How many?"), stage, **given
    )
    return prompt.split("**Question**\n")[1:-1]


@pytest.mark.parametrize("name", NAMES)
def test_worked_examples_print_their_answers_in_every_mode_read_by_either_parser(
    name, box, tmp_path
):
    dataset = load_dataset(name)
    programs = []
    files = []
    golds = []
    for category, mode, parser in itertools.product(dataset.categories, MODES, PARSERS):
        known = examples(name, category)
        library = isolated_tools(
            f"{example.get('also', '')}{example['tool']}" for example in known
        ).tools
        for part, example in zip(parts(name, category, mode), known, strict=True):
            solution, tools, *_ = parse_completion(part[part.index("**Tools**\n") :], parser)
            helped = known[:1] if "extra" in known[-1] else known[:-1]  # the others do without
            uses = mode == "instance" or (mode in ("import", "create") and example in helped)
            assert program_of(solution).strip() == example["solution" if uses else "plain"].strip()
            kinds = [tool.name.startswith("toolbox.") or tool.kind for tool in tools]
            assert ("function" in kinds, True in kinds) == (
                uses and mode != "import",
                uses and mode == "import",
            )
            programs.append(program_of(solution, tools, library if mode == "import" else ()))
            golds.append(gold(name, example["answer"]))
            files.append({UTILS.name: UTILS})
            if "file" in example:
                files[-1][example["file"]] = tmp_path / example["file"].replace("/", "-")
                files[-1][example["file"]].write_text(example["table"])
    for program, ran, answer in zip(
        programs, box.run_many(programs, False, files=files), golds, strict=True
    ):
        assert ran.status == "ok", (program, ran)
        assert dataset.correct(dataset.read(ran.output), answer), (program, ran)
        assert len(ran.output.split("\n")) == 2


@pytest.mark.parametrize("stage", ["rectify", "rectify_tool"])
@pytest.mark.parametrize("name", ["math", "tabmwp", "creation_challenge", "tool_transfer"])
def test_worked_repairs_show_programs_that_fail_as_said_and_ones_that_answer(name, stage, box):
    """The repairs that creator asks for."""
    texts = []
    answers = []
    for category in load_dataset(name).categories:
        shown = parts(name, category, stage, program="?", error="?")
        texts += [re.split(r"\*\*(?:Program|Error|Solution)\*\*\n", part) for part in shown]
        answers += [
            example["answer"] for example in examples(name, category) if "program" in example
        ]
    assert len(texts) == len(answers) >= len(load_dataset(name).categories)
    failing = box.run_many(
        [whole_program(program) or code_of(program) for _, program, *_ in texts], False
    )
    assert [result.error for result in failing] == [error.strip() for _, _, error, _ in texts]
    assert stage != "rectify_tool" or all(
        "def " in code_of(solution) for *_, solution in texts
    )  # tool and call
    assert "**Error" in load_pack("own", load_dataset(name)).stops["rectify"]
    mended = box.run_many([code_of(solution) for *_, solution in texts], False)
    assert [list(map(float, read_numbers(result.output))) for result in mended] == [
        [answer] for answer in answers
    ]


def runs(text):
    words = re.findall(r"[a-z]+|\d+", text.lower())
    return Counter(tuple(words[i : i + RUN]) for i in range(len(words) - RUN + 1))


@pytest.mark.parametrize("name", NAMES)
def test_no_test_question_nor_one_of_the_papers_examples_is_like_an_example(
    name, table_problems, public_problems
):
    problems = (
        [*itertools.chain(*public_problems.values())] if name == "math" else table_problems(name)
    )
    assert len(problems) == 3201 or name != "math"
    questions = [problem.question.text for problem in problems]
    for path in sorted((data_folder() / "zorazrw/trove/prompt" / name).rglob("*.md")):
        questions += re.findall(
            r"\*\*Question\*\*\n(.*?)\n\s*\*\*", path.read_text(encoding="utf-8"), re.DOTALL
        )
    known = list(map(runs, questions))
    contexts = {problem.question.context for problem in problems}
    for example in itertools.chain(
        *(examples(one, c) for one in NAMES for c in load_dataset(one).categories)
    ):
        ours = runs(example["question"])
        alike = ((i, other) for i, other in enumerate(known) if not ours.keys().isdisjoint(other))
        share, closest = max(
            (((ours & other).total() / ours.total(), i) for i, other in alike), default=(0, 0)
        )
        assert share <= (SHARE_OF_EXTRA if example.get("extra") else SHARE), (
            example["question"],
            questions[closest],
        )
        assert not example.get("context") or example["context"] not in contexts


@pytest.mark.usefixtures("public_problems")
def test_no_question_of_the_bench_is_like_an_example_of_its_category():
    bench = load_dataset("math_bench")
    for category in bench.categories:
        for example, problem in itertools.product(examples("math", category), bench.load(category)):
            ours = runs(example["question"])
            alike = (ours & runs(problem.question.text)).total()
            assert alike <= SHARE * ours.total(), (example["question"], problem.question.text)
