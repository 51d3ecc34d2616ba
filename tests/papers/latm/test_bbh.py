"""LATM's six tasks: which items are tested, and how answers and named tasks are read."""

import pytest

from trove_lite import TroveLiteError
from trove_lite_papers.latm import bbh


@pytest.mark.parametrize("category", bbh.FILES)
def test_six_are_labelled_and_the_rest_tested_with_golds_that_are_read_as_they_are(category):
    try:
        items = bbh.items(category)
        tested = bbh.tested(category)
        labelled = bbh.labelled(category)
    except TroveLiteError as error:
        pytest.skip(str(error))
    assert [p.question.text for p in tested] == [question for question, _ in items[10:]]
    assert [p.question.text for p in labelled] == [
        question for question, _ in items[:3] + items[5:8]
    ]
    assert all(bbh.correct(bbh.read(problem.gold), problem.gold) for problem in tested)
    if category == "dyck_languages":
        assert not any(
            " " in question.partition("Input: ")[2] + answer for question, answer in items
        )


SAYS_D = [r"So the correct answer is \(\boxed{D}\).", r"The answer is $\boxed{\text{(D)}}$"]
SAYS_D += ["The answer is:\n\\[\n\\boxed{D}\n\\]", "the answer is **(D) the owl**."]
SAYS_D += ["The answer is A. No: the answer is (D) the owl"]
READ = dict.fromkeys(SAYS_D, "(D)") | {"(C)\n": "(C)", "Let's see. So the answer is (B).": "(B)"}
READ |= {
    "So the answer is (B).\n\nQ: And now?\nA: The answer is (C).": "(B)",
    "] ] >\nand nothing else": "]]>",
}
READ |= {
    "('10:30', '12:00')": "10:30 - 12:00",
    "9:30-10:00": "09:30 - 10:00",
    "apple bee": "apple bee",
}
READ |= dict.fromkeys(("None", "no time slot works"), "No time slot works.")
READ |= {"14,687": "14687", '"14687.0"': "14687.0", '"No time slot works"': "No time slot works"}


@pytest.mark.parametrize(("output", "answer"), READ.items())
def test_answers_are_read_in_the_form_of_their_kind(output, answer):
    assert bbh.read(output) == [answer]


SAID = {
    "black": "(B)",
    "2": "(B)",
    "Claire has the Black Ball.": "(B)",
    "ball": "ball",
    '"black"': "black",
    "C": "(C)",
}


@pytest.mark.parametrize(("output", "answer"), SAID.items())
def test_an_option_is_its_label_however_a_program_names_it(output, answer):
    assert bbh.read_for(output, "What?\nOptions:\n(A) red ball\n(B) black ball\n(C) blue ball") == [
        answer
    ]


@pytest.mark.parametrize("output", ["", " \n", "The answer is"])
def test_nothing_is_no_answer(output):
    assert bbh.read(output) == []
    assert not bbh.correct([], "")


NAMED = {"Task: word_sorting": "word_sorting", "Task: cooking": "unknown", "": "unknown"}
NAMED |= {"It is this one.\nTask: word_sorting. \nTask: dyck_languages": "word_sorting"}


@pytest.mark.parametrize(("output", "task"), NAMED.items())
def test_a_named_task_is_read_and_all_else_is_unknown(output, task):
    assert bbh.read_task(output) == [task]
