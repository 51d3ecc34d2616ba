"""The strict grader of own problems: what is the same answer, what is not, and that hostile text is only text."""

import pytest

from trove_lite.datasets.judge import is_right
from trove_lite.datasets.values import canonical, read_answer

#: Answers that are the same, whichever of them is gold.
SAME = r"""
0.003 | 3e-3 | 0.0030
1234 | 1,234 | $1,234 | 1234.0 | USD 1,234 | 1.234e3
1,234,567 | 1234567 | 1,234,567 | 1 234 567
12345678901234567890 | 12,345,678,901,234,567,890
0.5 | 1/2 | .5 | 50% | \frac{1}{2} | \frac12 | ½ | Fraction(1, 2) | \(\dfrac{1}{2}\) | x = 0.5
50% | 0.5 | \frac12
50 | 50% | 50 percent
-0.5 | -\frac{1}{2} | −1/2
7.75 | 7 3/4 | 7\frac{3}{4} | 7¾
-7.75 | -7 3/4
0.001 | 10^{-3} | 10⁻³ | 10^-3
300000000 | 3 \times 10^8 | 3×10⁸ | 300 million
100 | 10² | 1e2 | 1E2 | **100**
0.3333333333 | 1/3
0 | 1e-17 | -0.0
-5 | −5 | - 5 | -$5 | $-5
18 | \$18 | \(18\) | 18 dollars | 18\text{ cm} | 18. | [18] | \boxed{18}
90 | 90° | 90^\circ
8 | 2^3 | 2**3
\frac{\sqrt{3}}{2} | sqrt(3)/2 | 0.8660254037844386
\frac{1+\sqrt{5}}{2} | (1+sqrt(5))/2 | 1.618033988749895
2\pi | 6.283185307179586 | 2*pi | 2π
[0, 1) | [0,1) | \left[0, 1\right) | [0.0, 1)
(1/2, 3) | (0.5, 3) | (0.5,3)
(1, 234) | (1,234)
(-∞, 5] | (-\infty, 5]
{1,2} | {2, 1} | \{1,2\}
[0, 1) ∪ (2, 3] | [0,1)∪(2,3]
x+1 | x + 1
3:4 | 3 : 4
1/0 | 1/0
true | True
B | (B) | b.
Paris | paris | \text{Paris} | **Paris**. | The answer is Paris. | 'PARIS'
New York | 'new  york'.
"""
#: A gold answer, and what is another.
OTHER = r"""
0.003 | 0 | 0.0049 | -0.004 | 0.0031
0.001 | 0
1e-06 | 0.004
1e-20 | 0
0 | 0.001
0.5 | 0.501 | 5% | 1/20
0.36 | 1.2.3
1.5 | 1,5
3 | 3 million
4 | 4,000 | 4/7 | 4e3 | 44
5 | 10**10000000 | 1/0 | 0.05% | 5 or 6
6 | 2 3
10 | x = 5 or y = 10
12 | It takes 3 days to make 12
19 | covid-19
36 | 12(3)
1000000 | 1000001
1234.5 | 1234.6
2014 | 2020-01-05
12345678901234567890 | 12345678901234567891
1 | 1e999999999
50% | 0.05
2-3 | -1
[0, 1) | [0, 1] | (0, 1) | [0, 1, 2)
(1/2, 3) | (0.5, 4)
{1,2} | {1, 3}
x+1 | x-1
Paris | It is Rome | Rome
"""


def rows(table):
    return [row.split(" | ") for row in table.strip().split("\n")]


def as_gold(text):
    """As a file of problems has it."""
    try:
        return float(text) if float(text) <= 2**53 else text
    except ValueError:
        return text


@pytest.mark.parametrize(("gold", "output"), [(row[0], output) for row in rows(SAME) for output in row])
def test_the_same_value_or_text_is_right(gold, output):
    assert is_right(read_answer(f"Step 1\n{output}\n"), as_gold(gold))


@pytest.mark.parametrize(("gold", "output"), [(row[0], output) for row in rows(OTHER) for output in (*row[1:], "")])
def test_another_value_or_text_is_wrong(gold, output):
    assert not is_right(read_answer(output), as_gold(gold))


@pytest.mark.parametrize(
    ("output", "answer"),
    [
        ("Answer: 4\nDone.", "4.0"),
        ("#### 72", "72.0"),
        ("so \\boxed{7} cm\n", "7.0"),
        ("[1,\n 2]", "[1.0,2.0]"),
        ("[[1 0]\n [0 1]]", "[[1.0,0.0],[0.0,1.0]]"),
        ("5\nNone", "5.0"),
        ("None", "none"),
        ("0    9.81\nName: eraser, dtype: float64", "9.81"),
        ("\n", ""),
    ],
)
def test_the_answer_of_an_output(output, answer):
    assert "".join(read_answer(output)) == answer


@pytest.mark.parametrize(
    "outputs", [("1,234", "$1234.0", "1.234e3"), ("1/2", ".5", "0.50"), ("Paris.", "paris"), ("{2,1}", "{1, 2}")]
)
def test_equal_answers_vote_alike(outputs):
    assert len({tuple(read_answer(output)) for output in outputs}) == 1


HOSTILE = ("9" * 499, "1e999", "1e-999", "2^2^2^2^2^2^2", "(" * 499, "[1," * 150, "9**9**9", "sqrt" * 120 + "2")


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_numbers_are_read_at_once_and_stay_themselves(text):
    assert is_right([text], text)
    assert canonical(canonical(text)) == canonical(text)
    assert not is_right(read_answer(text), 5.0)
