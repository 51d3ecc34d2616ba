"""The practice problems: the data sets are what `practice/` makes, no split knows another, and programs solve them."""

import hashlib
import random
import re

import pytest

from practice.dice import Dice
from practice.freeze import freeze
from practice.problems import CATEGORIES, draw_item, items
from practice.table_questions import NAME, TABLES
from trove_lite.datasets import load_dataset, load_problems

from ..conftest import ROOT

#: What a person would write for a question of each kind, in the order of the questions about a table.
BY_HAND = (
    "n = text.split()[-1].rstrip('?')\nprint((df[group] == n).sum())",
    "col = df[amount]\nprint(df.loc[col.idxmin() if 'lowest' in text else col.idxmax(), df.columns[0]])",
    "n = text.split()[-1].rstrip('?')\nprint(df.loc[df[group] == n, amount].sum())",
    "print(df[group].mode()[0])",
    "a, b = [df.loc[df.iloc[:, 0] == n, amount].item() for n in df.iloc[:, 0] if f' {n} ' in text]\nprint(abs(a - b))",
)


@pytest.fixture
def outputs_of(box):
    """What each program prints; all must run to their end."""

    def outputs(programs, files=None):
        executions = box.run_many(programs, progress=False, files=files)
        assert {execution.status for execution in executions} == {"ok"}
        return [execution.output for execution in executions]

    return outputs


def test_the_data_sets_are_what_the_generator_makes(tmp_path):
    freeze(tmp_path)
    made = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.*"))
    assert len(made) == 5 + TABLES
    for path in made:
        kept, again = (
            hashlib.sha256((folder / path).read_bytes()).hexdigest() for folder in (ROOT, tmp_path)
        )
        assert kept == again, path


def test_programs_that_read_the_table_answer_all(outputs_of):
    dataset, problems, programs = load_dataset(NAME), load_problems(NAME, NAME), []
    for problem in problems:
        (name,) = problem.files
        start = (
            f"import pandas as pd\ntext = {problem.question.text!r}\ndf = pd.read_table({name!r})"
        )
        programs.append(
            f"{start}\n_, group, amount = df.columns\n{BY_HAND[problem.index % len(BY_HAND)]}"
        )
    outputs = outputs_of(programs, [problem.files for problem in problems])
    assert all(
        dataset.correct(dataset.read(out), p.gold) for out, p in zip(outputs, problems, strict=True)
    )


def test_dice_need_nothing_but_the_sequence_that_python_promises():
    dice, source = Dice("x"), random.Random("x")
    assert [dice.integer(1, 6) for _ in range(8)] == [
        int(1 + 6 * source.random()) for _ in range(8)
    ]


@pytest.mark.parametrize("category", CATEGORIES)
def test_no_numbers_of_the_test_set_occur_in_training_or_tuning(category):
    def numbers(item):
        return item.family.name, str(item.arguments)

    test, dice = {numbers(item) for item in items("test", category)}, Dice("leak")
    for split in ("train", "dev"):
        assert not test & {numbers(draw_item(dice, split, category, 1 + i % 5)) for i in range(300)}


@pytest.mark.parametrize("category", CATEGORIES)
def test_wordings_kept_for_the_test_occur_in_no_other_split(category):
    dice = Dice("wording")
    for split, kind in (("train", "seen"), ("dev", "seen"), ("dev", "unseen phrasing")):
        for i in range(80):
            item = draw_item(dice, split, category, 1 + i % 5, kind)
            for held in (item.family.unseen, *(step.unseen for step, _ in item.steps)):
                pattern = re.sub(r"\\{(name|other|things)\\}", r"\\w+", re.escape(held))
                assert not re.search(re.sub(r"\\{.*?\\}", "[-+0-9, and]+", pattern), item.question)
