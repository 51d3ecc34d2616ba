"""GQA: what CRAFT's file holds, what lies beside programs, TroVE's rule and GQA's, and the official prompts."""

from pathlib import Path

import pytest

from papers.trove import gqa
from trove_lite.datasets import load_dataset
from trove_lite.datasets.text_answers import read_text
from trove_lite.prompts import load_pack


@pytest.fixture
def problems(table_problems):
    return table_problems("gqa")


def test_a_thousand_questions_with_one_gold_answer_and_an_image_each(problems):
    assert len(problems) == 1000
    assert len({problem.question.context for problem in problems}) == 336
    assert [sum(p.gold == gold for p in problems) for gold in ("yes", "no")] == [179, 175]
    for problem in problems:
        assert problem.files[problem.question.context].read_bytes()[:2] == b"\xff\xd8"  # JPEG
        assert {"vision.py", "eyes.py"} < set(problem.files)


@pytest.mark.parametrize(
    ("output", "gold", "released", "exact"),
    [
        ("yes\n", "yes", True, True),
        ("Yes\n", "yes", True, False),
        ("True\n", "yes", False, False),
        ("left", "right", False, False),
        ("2", "2", True, True),
        ("2.0", "2", False, False),
        ("yes\nyes", "yes", False, False),
        ("", "yes", False, False),
    ],
)
def test_by_the_released_rule_all_that_is_printed_is_the_answer_and_by_gqas_letter_by_letter(
    output, gold, released, exact
):
    dataset = load_dataset("gqa")
    assert dataset.correct(dataset.read(output), gold) == released
    assert dataset.other_rules["exact match"](read_text(output), gold) == exact
    assert dataset.released_votes("Yes – no \n", gold) == ["yes - no"]


@pytest.mark.parametrize("stage", ["primitive", "instance", "import", "create", "skip"])
def test_official_prompts_name_the_question_its_image_and_what_is_given(problems, stage):
    problem = problems[0]
    prompt = load_pack("official", load_dataset("gqa")).render(problem.question, stage)
    assert prompt.rstrip().endswith("**Solution**")
    assert f"**Question**\n{problem.question.text}\n**Image**\n{problem.question.context}\n" in prompt
    lists = stage in ("primitive", "instance", "import")
    assert ("locate_objects(image: str | Image.Image, object_name: str) -> list\n" in prompt) == (
        lists and stage != "import"
    )


def test_guesses_that_never_look_are_worth_what_is_published(problems):
    assert [gqa.guesses(words).sum() for words in (0, 1, 2)] == [179, 237, 265]


def test_a_guess_learns_nothing_from_questions_about_the_same_image(monkeypatch):
    asked = [("a", "Is it so?", "yes"), ("a", "Is it far?", "yes"), ("b", "Who is it?", "man"), ("b", "Who?", "man")]
    rows = [{"image_id": image, "question": question, "answers": [answer]} for image, question, answer in asked]
    monkeypatch.setattr(gqa, "records", lambda: rows)
    assert not gqa.guesses(1).any()


def test_the_files_beside_a_program_are_on_their_own(problems):
    for name in ("vision.py", "eyes.py"):
        assert "trove_lite" not in Path(problems[0].files[name]).read_text(encoding="utf-8")
