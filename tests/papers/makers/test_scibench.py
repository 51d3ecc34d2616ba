"""SciBench: units go into questions and their powers of ten into answers; what is near enough is right."""

import pytest

from trove_lite.datasets import load_dataset
from trove_lite_papers.makers.scibench import question_and_gold

SCIBENCH = load_dataset("scibench")


@pytest.mark.parametrize(
    ("answer", "unit", "asked", "gold"),
    [
        ("50.7", "$\\mathrm{atm}$ ", " The unit of the answer is $\\mathrm{atm}$.", 50.7),
        (
            "1.91",
            " $10^{-47} \\mathrm{~kg} \\mathrm{~m}^2$",
            " The unit of the answer is $\\mathrm{~kg} \\mathrm{~m}^2$.",
            1.91e-47,
        ),
        ("7", " $\\mathrm{10^7} \\mathrm{~km}$", " The unit of the answer is $\\mathrm{~km}$.", 7e7),
        ("3", " 10^{-5} \\mathrm{~m}", " The unit of the answer is \\mathrm{~m}.", 3e-5),
        ("1.2", "$10^{11}$", "", 1.2e11),
        ("89,034.79", " $", " The unit of the answer is $.", 89034.79),
        ("\u22122", " ", "", -2),
    ],
)
def test_a_question_names_its_unit_and_its_answer_has_the_power_of_ten(answer, unit, asked, gold):
    assert question_and_gold({"question": "How much?", "answer": answer, "unit": unit}) == (f"How much?{asked}", gold)


@pytest.mark.parametrize(
    ("output", "gold", "right"),
    [
        ("1.91e-47", 1.9e-47, True),
        ("about 1.06", 1.0, False),
        ("1.049", 1.0, True),
        ("89,034.79", 89034.79, True),
        ("-2", 2.0, False),
        ("2\n1", 1.0, False),  # the first counts
        ("0", 0.0, True),
        ("0.01", 0.0, False),  # nothing is near 0 but 0
        ("nan, 1e999", 1.0, False),
        ("", 1.0, False),
    ],
)
def test_the_first_number_is_right_within_five_percent(output, gold, right):
    assert SCIBENCH.correct(SCIBENCH.read(output), gold) is right


def test_programs_agree_that_nearly_do():
    assert SCIBENCH.read("8.31446") == SCIBENCH.read("8.31413\n")[:1] == ["8.314"]
