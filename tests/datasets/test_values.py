"""The strict grader of own problems: what is the same answer, what is not, and that hostile text is only text."""

import pytest

from trove_lite.datasets.values import canonical, is_right, read_answer

#: Gold answer, outputs.
RIGHT = [
    (0.003, ["0.003"]),
    (42, ["Step 1\n42"]),
    (1234, ["1,234", "$1,234"]),
    ("1,234", ["1234", "1,234"]),
    ("[0, 1)", ["[0,1)"]),
    ("(1/2, 3)", ["(0.5, 3)"]),
    (4000, ["4,000"]),
    (0.5, ["1/2", ".5", "50%", "\\frac{1}{2}"]),
    ("1/2", ["0.5"]),
    ("\\frac{1}{2}", ["1/2"]),
    ("\\dfrac{\\sqrt{3}}{2}", ["sqrt(3)/2"]),
    ("\\frac12", ["0.5"]),
    (7.75, ["7 3/4", "7\\frac{3}{4}"]),
    (-7.75, ["-7 3/4"]),
    (-0.5, ["-\\frac{1}{2}"]),
    (50, ["50%"]),
    ("50%", [".5", "50"]),
    (-5, ["−5", "- 5"]),
    (3.5, ["3½"]),
    (100, ["10²"]),
    (0.001, ["10^{-3}", "10⁻³"]),
    (300000000.0, ["3 \\times 10^8", "3×10⁸"]),
    (3000000.0, ["3 million"]),
    (12, ["12 apples"]),
    ("Paris", ["The answer is **Paris**."]),
    ("B", ["(B)"]),
    ("x=4", ["4"]),
    (4, ["x = 4", "Answer: 4\nDone.", "[4]"]),
    (72, ["#### 72"]),
    (7, ["so \\boxed{7} cm\n"]),
    ("{1,2}", ["{2, 1}"]),
    ("\\{1,2\\}", ["{2, 1}"]),
    ("12345678901234567890", ["12,345,678,901,234,567,890"]),
    (0.3333333333333333, ["0.3333333333"]),
    (0, ["1e-17"]),
    ("true", ["True"]),
    (5, ["(5)", "5."]),
    ("\\text{Paris}", ["paris"]),
    ("90^\\circ", ["90"]),
    (90, ["90°"]),
    (1.5, ["Fraction(3, 2)"]),
    ("2\\pi", ["6.283185307", "2*pi"]),
    (1234567, ["1\u202f234\u202f567"]),
    ("x+1", ["x + 1"]),
    ([1, "one"], ["one", "1.0"]),
    ("3:4", ["3 : 4"]),
    (18, ["\\$18", "\\(18\\)", "18 dollars", "18\\text{ cm}"]),
    (-2, ["-$2", "$-2"]),
    ("(1, 234)", ["(1,234)"]),
    (0.30000000000000004, ["0.3"]),
    ("1/0", ["1/0"]),
    (8, ["2^3"]),
    (2.5, ["\\frac{5}{2}"]),
    ("\\frac{x}{2}", ["\\frac{x}{2}"]),
    ("(1+\\sqrt{5})/2", ["1.6180339887"]),
    ("\\frac{1+\\sqrt{5}}{2}", ["1.6180339887"]),
    (1234.56, ["USD 1,234.56"]),
    (1000, ["1e3", "1E3"]),
    (0.05, ["5e-2", "5%"]),
    ("[0, 1) ∪ (2, 3]", ["[0,1)∪(2,3]"]),
    ("$\\frac{3}{4}$", ["0.75"]),
    ("New York", ["'new  york'."]),
    (1e-09, ["1E-9"]),
    ("(-∞, 5]", ["(-\\infty, 5]"]),
    ("7", ["7.0 apples"]),
]
WRONG = [
    (0.003, ["0", "0.0049", "-0.004"]),
    ("[0, 1)", ["[0, 1]"]),
    ("[0,1)", ["(0,1)"]),
    (4, ["4,000", "4/7", "4e3"]),
    (0.001, ["0"]),
    (1e-06, ["0.004"]),
    (3, ["3 million"]),
    (12, ["It takes 3 days to make 12"]),
    ("2-3", ["-1"]),
    ("2020-01-05", ["2014"]),
    (2014, ["2020-01-05"]),
    ("Paris", ["It is Paris"]),
    (12345678901234567890, ["12345678901234567891"]),
    ("12345678901234567890", ["12345678901234567891"]),
    (1234567, ["1234568"]),
    (0.5, ["0.501", "5%"]),
    (0, ["0.001"]),
    (True, [""]),
    (1, ["1e999999999"]),
    (5, ["10**10000000", "1/0", "", "0.05%"]),
    (0.36, ["1.2.3"]),
    (1234.5, ["1234.6"]),
    ([1, "one"], ["2"]),
    (1000000, ["1000001"]),
    (10, ["x = 5 or y = 10"]),
    (6, ["2 3"]),
    (36, ["12(3)"]),
    (120, ["5!"]),
    (19, ["covid-19"]),
    ("[1, 2]", ["[1,\n 2]"]),
    ("", [""]),
    (1e-20, ["0"]),
    ("(1/2, 3)", ["(0.5, 4)"]),
    ("{1,2}", ["{1, 3}"]),
    (1.5, ["1,5"]),
    ("50%", ["0.05"]),
    (5000000.0, ["5 thousand"]),
    ("x+1", ["x-1"]),
]


@pytest.mark.parametrize(("gold", "outputs"), RIGHT)
def test_the_same_value_or_text_is_right(gold, outputs):
    assert [output for output in outputs if not is_right(read_answer(output), gold)] == []


@pytest.mark.parametrize(("gold", "outputs"), WRONG)
def test_another_value_or_text_is_wrong(gold, outputs):
    assert [output for output in outputs if is_right(read_answer(output), gold)] == []


@pytest.mark.parametrize(
    "outputs",
    [("1,234", "$1234.0", "1.234e3"), ("1/2", ".5", "0.50"), ("Paris.", "paris"), ("{2,1}", "{1, 2}")],
)
def test_equal_answers_vote_alike(outputs):
    assert len({tuple(read_answer(output)) for output in outputs}) == 1


HOSTILE = ("9" * 499, "1e999", "1e-999", "2^2^2^2^2^2^2", "(" * 499, "[1," * 150, "9**9**9", "sqrt" * 120 + "2")


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_numbers_are_read_at_once_and_stay_themselves(text):
    assert is_right([text], text)
    assert canonical(canonical(text)) == canonical(text)
    assert not is_right(read_answer(text), 5.0)
