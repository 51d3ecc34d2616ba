"""SciBench: units go into questions and their powers of ten into answers; what is near enough is right."""

import pytest

from trove_lite.datasets import load_dataset
from trove_lite_papers.makers.scibench import question_and_gold

SCIBENCH = load_dataset("scibench")


@pytest.mark.parametrize(
    ("answer", "unit", "named", "gold"),
    [
        ("50.7", "$\\mathrm{atm}$ ", "$\\mathrm{atm}$", 50.7),
        (
            "1.91",
            " $10^{-47} \\mathrm{~kg} \\mathrm{~m}^2$",
            "$\\mathrm{~kg} \\mathrm{~m}^2$",
            1.91e-47,
        ),
        ("7", " $\\mathrm{10^7} \\mathrm{~km}$", "$\\mathrm{~km}$", 7e7),
        ("3", " 10^{-5} \\mathrm{~m}", "\\mathrm{~m}", 3e-5),
        ("1.2", "$10^{11}$", "", 1.2e11),
        ("89,034.79", " $", "$", 89034.79),
        ("\u22122", " ", "", -2),
    ],
)
def test_a_question_names_its_unit_and_its_answer_has_the_power_of_ten(answer, unit, named, gold):
    asked = f"How much? The unit of the answer is {named}." if named else "How much?"
    assert question_and_gold({"question": "How much?", "answer": answer, "unit": unit}) == (
        asked,
        gold,
    )


NEAR = [("1.91e-47", 1.9e-47), ("1.049", 1.0), ("89,034.79", 89034.79), ("0", 0.0)]
#: Of two numbers the first counts, and nothing is near 0 but 0.
FAR = [
    ("about 1.06", 1.0),
    ("-2", 2.0),
    ("2\n1", 1.0),
    ("0.01", 0.0),
    ("nan, 1e999", 1.0),
    ("", 1.0),
]


@pytest.mark.parametrize(
    ("output", "gold", "right"),
    [*((*pair, True) for pair in NEAR), *((*pair, False) for pair in FAR)],
)
def test_the_first_number_is_right_within_five_percent(output, gold, right):
    assert SCIBENCH.correct(SCIBENCH.read(output), gold) is right


def test_programs_agree_that_nearly_do():
    assert SCIBENCH.read("8.31446") == SCIBENCH.read("8.31413\n")[:1] == ["8.314"]
