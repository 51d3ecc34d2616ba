import hashlib
import itertools
import json
import random
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from trove_lite.datasets import load_problems, practice_tables
from trove_lite.datasets.answers import number_is_correct, read_numbers
from trove_lite.datasets.math import CATEGORIES as MATH_CATEGORIES
from trove_lite.datasets.practice import problems as practice
from trove_lite.datasets.practice.dice import Dice
from trove_lite.datasets.practice.problems import (
    CATEGORIES,
    LEVELS,
    SHARES,
    draw_item,
    items,
    practice_problems,
)
from trove_lite.parse import parse_completion
from trove_lite.programs import code_blocks, program_of
from trove_lite.sandbox.pool import Sandbox
from trove_lite.selection import number_text

ROOT = Path(__file__).parents[2]
FILLED = re.compile(r"{.*?}")
#: Of all questions and answers of the test set: it is fixed, and results on it are comparable only while it is.
TEST_SET = "ae6ffb74a98ef697"


@pytest.fixture(scope="module")
def training():
    """Modules of `practice/`, which are no part of the package."""
    sys.path.insert(0, str(ROOT / "practice"))
    try:
        import demonstrations
        import programs
        import stages
        import tables
    finally:
        sys.path.pop(0)
    return SimpleNamespace(demonstrations=demonstrations, programs=programs, stages=stages, tables=tables)


def test_categories_are_named_as_maths():
    assert CATEGORIES == MATH_CATEGORIES


@pytest.mark.parametrize("category", CATEGORIES)
def test_a_category_has_eight_families_with_several_phrasings_each(category):
    families = [family for family in practice.FAMILIES[category] if not family.held_out]
    assert len(families) >= 8
    for family in families:
        wordings = [*family.seen, family.dev, family.unseen]
        assert len(family.seen) >= 2
        assert len(set(wordings)) == len(wordings)
        assert all(wordings)


@pytest.mark.parametrize("category", CATEGORIES)
def test_the_test_set_has_twelve_problems_a_level_in_the_stated_shares(category):
    problems, kinds = practice_problems(category), [item.kind for item in practice.items("test", category)]
    assert [problem.index for problem in problems] == list(range(60))
    assert {(problem.dataset, problem.category) for problem in problems} == {("practice", category)}
    assert len({problem.question.text for problem in problems}) == 60
    for level in LEVELS:
        found = [kind for problem, kind in zip(problems, kinds, strict=True) if problem.level == str(level)]
        assert {kind: found.count(kind) for kind in SHARES} == SHARES


def test_the_test_set_is_fixed():
    text = json.dumps([[p.question.text, p.gold, int(p.level)] for c in CATEGORIES for p in practice_problems(c)])
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == TEST_SET


def test_dice_need_nothing_but_the_sequence_that_python_promises():
    dice = Dice("x")
    assert [dice.integer(1, 6) for _ in range(8)] == [int(1 + 6 * value) for value in _uniform("x", 8)]


def _uniform(seed, n):
    source = random.Random(seed)
    return [source.random() for _ in range(n)]


@pytest.mark.parametrize("category", CATEGORIES)
def test_no_numbers_of_the_test_set_occur_in_training_or_tuning(category):
    def numbers(item):
        return item.family.name, str(item.arguments)

    test = {numbers(item) for item in items("test", category)}
    dice = Dice("leak")
    for split in ("train", "dev"):
        drawn = {numbers(draw_item(dice, split, category, 1 + i % 5)) for i in range(1000)}
        assert not test & drawn


@pytest.mark.parametrize("category", CATEGORIES)
def test_wordings_kept_for_the_test_occur_in_no_other_split(category):
    dice = Dice("wording")
    for split, kind in (("train", "seen"), ("dev", "seen"), ("dev", "unseen phrasing")):
        for i in range(200):
            item = draw_item(dice, split, category, 1 + i % 5, kind)
            for held in (item.family.unseen, *(step.unseen for step, _ in item.steps)):
                gaps = [
                    r"\w+" if gap[1:-1] in ("name", "other", "things") else r"[-+0-9, and]+"
                    for gap in FILLED.findall(held)
                ]
                words = [re.escape(part) for part in FILLED.split(held)]
                pattern = "".join(part for pair in itertools.zip_longest(words, gaps, fillvalue="") for part in pair)
                assert not re.search(pattern, item.question)


def test_answers_are_plain_numbers():
    for category in CATEGORIES:
        for problem in practice_problems(category):
            assert read_numbers(str(problem.gold)) == [number_text(problem.gold)]
            assert abs(problem.gold) < practice.LARGEST


def test_harder_levels_have_more_steps():
    steps = [[len(i.steps) for c in CATEGORIES for i in items("test", c) if i.level == level] for level in LEVELS]
    means = [sum(found) / len(found) for found in steps]
    assert means == sorted(set(means))


def test_demonstrated_programs_reach_the_reference_answers_in_every_mode(training):
    demonstrations, programs = training.demonstrations, training.programs
    dice, expected, texts = Dice("demonstrations"), [], []
    for category in CATEGORIES:
        for family in (family for family in practice.FAMILIES[category] if not family.held_out):
            item = _item_of(dice, category, family)
            for mode in demonstrations.MODES:
                _, completion = demonstrations.demonstrate(dice, item, mode, listed=True)
                parsed = parse_completion(completion)
                library = _library(programs) if mode == "import" else ()
                texts.append(program_of(parsed.solution, parsed.tools, library))
                expected.append(item.answer)
    with Sandbox(2, time_limit=10) as sandbox:
        for execution, answer, text in zip(sandbox.run_many(texts, progress=False), expected, texts, strict=True):
            assert execution.status == "ok", text
            assert number_is_correct(read_numbers(execution.output), answer), text


def answers_of(texts, files=None):
    """What each program prints; all must run to their end."""
    with Sandbox(2, time_limit=10) as sandbox:
        executions = sandbox.run_many(texts, progress=False, files=files)
    assert {execution.status for execution in executions} == {"ok"}
    return [execution.output for execution in executions]


@pytest.mark.parametrize("category", CATEGORIES)
def test_creators_stages_reach_the_reference_answers(training, category):
    dice, texts, expected = Dice("stages"), [], []
    for family in (family for family in practice.FAMILIES[category] if not family.held_out):
        item = _item_of(dice, category, family)
        decided, use = training.stages.demonstrate_stage(dice, item, "decide")
        (tool,) = code_blocks(decided)
        texts.append(program_of(use, (), [tool]))
        _, mended = training.stages.demonstrate_stage(dice, item, "rectify")
        parsed = parse_completion(mended)
        texts.append(program_of(parsed.solution, parsed.tools))
        expected += [item.answer] * 2
    for output, answer, text in zip(answers_of(texts), expected, texts, strict=True):
        assert number_is_correct(read_numbers(output), answer), text


def test_a_program_to_be_mended_stops_by_the_error_that_is_shown(training):
    dice, texts, names = Dice("broken"), [], []
    for i in range(40):
        item = draw_item(dice, "train", CATEGORIES[i % 7], 2)
        prompt, _ = training.stages.demonstrate_stage(dice, item, "rectify")
        program, error = re.search(r"Program\*\*\n(.*)\n\n\*\*Error\*\*\n(.*)", prompt, re.DOTALL).groups()
        parsed = parse_completion(program)
        texts.append(program_of(parsed.solution, parsed.tools))
        names.append(error.partition(" (line")[0])
    with Sandbox(2, time_limit=10) as sandbox:
        for execution, name in zip(sandbox.run_many(texts, progress=False), names, strict=True):
            assert execution.error.startswith(name)


def test_demonstrated_programs_on_tables_answer_in_every_mode(training):
    tables, dice, texts, files, expected = training.tables, Dice("tables"), [], [], []
    library = [
        f"def {name}({kind.tool.parameters}):\n    {kind.tool.body[0]}"
        for kind in tables.KINDS.values()
        for name in kind.tool.names
    ]
    problems = load_problems(practice_tables.NAME, practice_tables.NAME)
    for number in range(practice_tables.TABLES):
        table, draw = practice_tables.made_table(number), random.Random(f"{practice_tables.NAME} {number} questions")
        for place, ask in enumerate(practice_tables.QUESTIONS):
            asked, problem = ask(table, draw), problems[number * len(practice_tables.QUESTIONS) + place]
            mode = training.demonstrations.MODES[len(texts) % 3]
            toolbox = tables.toolbox_for(dice, asked.kind, True) if mode == "import" else {}
            parsed = parse_completion(str(tables.table_program(dice, mode, asked, *problem.files, toolbox)))
            texts.append(program_of(parsed.solution, parsed.tools, ["import pandas as pd", *library]))
            files.append(problem.files)
            expected.append(str(problem.gold))
    assert [output.strip() for output in answers_of(texts, files)] == expected


def _item_of(dice, category, family):
    while True:
        item = draw_item(dice, "train", category, dice.integer(*family.levels))
        if item.family is family:
            return item


def _library(programs):
    return [
        "\n".join(["import math", f"def {name}({tool.parameters}):", *("    " + line for line in tool.body)])
        for tool in programs.TOOLS.values()
        for name in tool.names
    ]


def test_slips_change_programs_more_often_at_higher_levels(training):
    demonstrate = training.demonstrations.demonstrate
    shares = []
    for level in (1, 5):
        changed = 0
        for i in range(400):
            item = draw_item(Dice(f"{level}/{i}"), "train", "algebra", level)
            right, noisy = (
                demonstrate(Dice("same"), item, "skip", slips=False)[1],
                demonstrate(Dice(f"slip{i}"), item, "skip", slips=True)[1],
            )
            changed += right != noisy
        shares.append(changed)
    assert shares[0] < shares[1]
