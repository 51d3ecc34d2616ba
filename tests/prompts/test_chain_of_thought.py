"""The released chains of thought: whole, without their canary, and the tested question last."""

import re

import pytest

from trove_lite.datasets import bbh, load_dataset
from trove_lite.datasets.files import public_paths
from trove_lite.errors import TroveLiteError
from trove_lite.prompts import chain_of_thought, load_pack


@pytest.fixture(autouse=True)
def _released():
    if not all(path.is_file() for path in (*public_paths("latm"), *public_paths("bbh"))):
        pytest.skip("the data folder holds no LATM prompts: run `trove-lite fetch latm` or set TROVE_LITE_DATA")


@pytest.mark.parametrize("category", bbh.FILES)
def test_answers_of_the_worked_examples_are_read(category):
    answers = [bbh.read(text.partition("\n\nQ:")[0]) for text in chain_of_thought.examples(category).split("\nA: ")[1:]]
    form = {
        "logical_deduction": r"\([ABC]\)",
        "tracking_shuffled_objects": r"\([ABC]\)",
        "dyck_languages": r"[\])}>]+",
        "word_sorting": r"[a-z]+( [a-z]+)+",
        "chinese_remainder": r"\d+",
        "schedule_meeting": r"\d\d:\d\d - \d\d:\d\d|No time slot works\.",
    }[category]
    assert len(answers) == 3
    assert all(re.fullmatch(form, answer) for (answer,) in answers)


def test_tasks_made_anew_have_them_and_other_data_sets_do_not():
    made = load_dataset("bbh_made")
    question = made.load("schedule_meeting")[0].question
    assert load_pack("chain_of_thought", made).render(question, "cot").endswith("\nA:")
    with pytest.raises(TroveLiteError, match="no released chains of thought for data set 'math'"):
        load_pack("chain_of_thought", load_dataset("math"))
