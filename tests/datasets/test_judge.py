"""The judge on what programs print: kinds of answers that a person finds right, and those that only look so."""

import time

import pytest

from tests.datasets.pairs import pairs
from tests.newcomer import inputs
from trove_lite.datasets.judge import is_right, unread
from trove_lite.datasets.values import read_answer

#: A gold answer, and outputs that say it: besides those of `newcomer.json`.
RIGHT = r"""
A | A. | (A), | Option A | The correct option is (A) | A) 12 | answer: **A**
A,B,C | A, B and C | C, B, A | ['A', 'B', 'C'] | A;B;C | (A), (B), (C)
14 - i | 14 - I | 14 - 1.0*I | -I + 14 | 14-i | x = 14 - i
29 | It is $29! | She saves $29.00 a week | 29.00 €
29 | He has 29 dollars left. | Total cost: $29.00
1234 | They earned $1,234.00 in all | The sum is ¥1,234 | 1,234 people came.
1234 | The population is about 1,234 | Profit: $1,234
e^{16} - 1 | exp(16) - 1 | e**16 - 1 | E**16 - 1 | 8886109.52050787 | Decimal('8886109.52050787')
e^{16} - 1 | -(1 - exp(16))
\infty | infinity | ∞ | +\infty | Infinity | x = oo | [inf]
-\infty | -oo | -inf | -∞
5 | The answer is 5⏎None | 5.0⏎None⏎None | x = 5⏎None | [5]⏎None | {5}⏎None
[2, 3, 5] | [2,3,5] | [2 3 5] | (2, 3, 5) | 2.0, 3.0, 5.0 | array([2, 3, 5])
[2, 3, 5] | [np.int64(2), np.int64(3), np.int64(5)]
19, 46, \text{ and } 82 | [19, 46, 82] | 82, 46, 19 | {19, 46, 82} | 19, 46 and 82 | 19; 46; 82
\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix} | [[1 2]⏎ [3 4]]
\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix} | array([[1, 2],⏎       [3, 4]]) | [[1., 2.], [3., 4.]]
\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix} | \begin{bmatrix}1&2\\3&4\end{bmatrix}
\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix} | ImmutableDenseMatrix([[1, 2], [3, 4]])
(0, 12.5) | Interval.open(0, 12.5) | (0 < x) & (x < 12.5) | x \in (0, 12.5) | 12.5 > x > 0 | (0, 25/2)
(-\infty, 5] | Interval(-oo, 5) | x <= 5 | (-oo < x) & (x <= 5)
y = 2(x+1) | Eq(y, 2*(x + 1)) | 2*x + 2
x^2+2x+1 | Poly(x**2 + 2*x + 1, x, domain='ZZ') | (x + 1)**2 | 1 + 2*x + x**2 | x^{2} + 2x + 1
x^2+2x+1 | x*(x + 2) + 1 | y = x**2 + 2*x + 1
12:15 | The train arrives at 12:15. | 12:15 pm
3:00 PM | 15:00 | 3 p.m. | It opens at 15:00. | 3:00
-12 | The temperature is -12°C | -12 °F
-12 degrees Celsius | -12°C
113 litres | There are 113 litres left. | 113 litres of water | 113 litres in total
79 | She keeps $79 after paying $12 for the stall. | $79 remain because 12 were paid.
1000.99 | 1000,99 | 1.000,99 | 1 000,99 € | Der Preis: 1000,99 €
29 | 29,00 €
0.1\overline{6} | 1/6 | 0.16666666667
\begin{pmatrix}6 & 8\end{pmatrix} | The sum is [[1, 2]] + [[5, 6]] | [[6, 8]] | The answer: [[7, 9]] - [[1, 1]]
\begin{pmatrix}7 & 10 \\ 15 & 22\end{pmatrix} | [[1, 2], [3, 4]] * [[1, 2], [3, 4]]
x \ge 5 | Therefore $x \geq 5$ is the solution.
a=1 \text{ or } a=-2 | {-2, 1} | a = 1, a = -2 | -2 and 1 | -2, 1.0 | (1, -2)
6.02e23 | 6.02*10**23 | 6.02e+23 | 602000000000000000000000 | 6.02 × 10²³ | 6.02 x 10^23
1234 | 1,234 | 1234.0 | 1.234e3 | 1 234 | 1.234 × 10^3
1/2 | 0.5 | 50% | \frac{1}{2} | 2/4 | Rational(1, 2) | ½
9007199254740993 | 9007199254740993 | 9,007,199,254,740,993
125 miles | 125 | 125 mi | 125.0 miles | The distance is 125 miles. | \text{125 miles}
1 \pm \sqrt{19} | [1 - sqrt(19), 1 + sqrt(19)] | 1+sqrt(19), 1-sqrt(19) | 1 ± sqrt(19)
x = 3, y = 4 | {x: 3, y: 4} | y = 4, x = 3 | x=3 and y=4 | (3, 4)
yes | True | Yes. | YES
12 square meters | 12 m^2 | 12 m**2 | 12 | It is 12 square meters.
3 hours | 3 h | It takes 3 hours. | 3.0 hours
\emptyset | set() | EmptySet | ∅
i | 1j | I
1, 2, 3 | 1 2 3 | 3, 2, 1
"""
#: A gold answer, and outputs that only look like it.
WRONG = r"""
11 | 711 | 11a + c | 1, 1 | 11/2 | 11:30 | [11, 12] | 11 or 12 | 11*x | 1.1 | not 11
±2 | 2 | -2 | 2, 2 | 4
7 | 7 or 8 | 7*pi | 7*x | x**7 | {7: 1, 8: 1} | total/7 | 7.001
4 | 4*sqrt(2) | 4√2 | 4j | 4 + x | 4 - 8*sqrt(3)
±2021 | 2021 | -2021
12:00 | 1:00 | 12 | 12:30 | 0:00
0 | 0.004 | [] | None
3.14 | 3.14159 | 22/7
3 | 2.999 | 4:3 | [3, 3] | 3, 3
A | B | A or B | A, B | AB
[2, 3, 5] | 5, 3, 2 | 2, 3 | [2, 3, 5, 7] | {2, 3}
14 - i | 14 + 1j | 14 | -14 + I
(0, 12.5) | 0 <= x < 12.5 | [0, 12.5] | 0, 12.5, 1 | {0, 12.5}
x^2+2x+1 | x**2 + 2*x - 1 | y**2 + 2*y + 1 | x^2
e^{16} - 1 | exp(16) | 16*E - 1
\infty | -oo | nan | 1e308
9007199254740993 | 9007199254740992 | 9007199254740993.5
1000000 | 1000000.3 | 1000001
1/2004! | 1/2006!
(x+y)^{90} | (x+y)^90 + 1
a=1 \text{ or } a=-2 | a = 1 | -2 | [1, 2] | a=1 or a=-2 or a=3
125 miles | 125 km | 12 miles | x <= 125
12:15 | 12:51 | 12:15 or 12:30 | not 12:15 | 2:15 | 12
3:00 PM | 3:00 AM | 3 | 15 | 16:00
-12 | 12°C | -12.5°C
20^\circ C | 20°F
5 km | 5 km per hour | 5 km/h
79 | She earns $79 or $12. | She paid $12 after earning $79.
1000.99 | 100,099 | 10,0099 | 1000, 99
2.5 | 2, 5 | (2,5)
2,5 | 2.5
5 | 5,0
\begin{pmatrix}6 & 8\end{pmatrix} | [[2, 3]] * [[3, 4]] | not [[6, 8]] | [[6, 8]] + [[1, 1]] | [[6]] + [[0, 2]]
x \ge 5 | Therefore x > 5 is the solution. | x >= 5 or x < 2 | it is not x >= 5
2x + z = 1 | 1
5 | 5 and a half | 5 - x | 5 to 6 | v5.2 | 5/1/2020 | 5x | x = 5, y = 6 | {x: 5, y: 6} | x + y
"""
#: Golds and answers that would take for ever, or more memory than there is: each against the next.
HOSTILE = [
    *(
        "9^9^9^9",
        "9**9**9",
        "2^{2^{2^{2^{2}}}}",
        "10^{10^{10}}",
        "10^(10^10)+1",
        "100000!",
        "gamma(10^9)",
        "e^(e^(e^(e^e)))",
    ),
    *("sqrt(" * 90 + "x" + ")" * 90, "\\sqrt{" * 70 + "x" + "}" * 70, "+".join(f"sqrt({n})" for n in range(2, 60))),
    *("9" * 10**6, "1/" * 200 + "1", "(x+y+z)^{99999}", "(x+y+z)^(99999)+1", "binomial(10^9,10^8)", "1/0", "0/0"),
    *("__import__('os').system('true')", "().__class__.__base__", "[" * 499, "(1," * 120 + ")" * 120, "|" * 400),
    *(", ".join(f"sqrt(x^2+{n})" for n in range(30)), ", ".join(f"sqrt({n}+x^2)" for n in reversed(range(30)))),
    *(
        "e^(e^(e^(e^e)))",
        "{x: " * 90,
        "\\frac{" * 80,
        "e" * 499,
        "±" * 99,
        "3^x^x^x^x^x^x",
        "sin(" * 55 + "x" + ")" * 55,
        "\ud800",
    ),
    *("((((3!)!)!)!)!", "10^999999999", "1e999999999"),
    *("\\sqrt{1+" * 60 + "1" + "}" * 60, "\\frac{1}{1+" * 70 + "x" + "}" * 70, "(" * 250 + ")" * 250),
    *("[[1,2],[3,4]]" * 30, "[[9^999,9^999],[9^999,9^999]]*" * 8, "Matrix([[" + "1, " * 4000 + "1]])"),
    *("\\begin{pmatrix}" + "1 & 2 \\\\ " * 2000 + "\\end{pmatrix}", "[[" + "],[".join(["7," * 60 + "7"] * 60) + "]]"),
    *("٣٫١٤", "१२३५", "²" * 400, "\u200b" * 10**5, "a\u0301" * 10**5, "1\u0300" * 300, "\u202e12345"),
    *("1:00 " * 120, "1.000,99 " * 50, "°c" * 200, "0.\\overline{3}" * 30, "x>=1 " * 80, "is " * 200 + "8"),
]


def rows(table):
    return [tuple(row.replace("⏎", "\n").split(" | ")) for row in table.strip().split("\n")]


@pytest.mark.parametrize(
    ("gold", "output"),
    [(one["answer"], output) for one in inputs("own").values() for output in one["outputs"]]
    + [(row[0], one) for row in rows(RIGHT) for one in row],
)
def test_what_a_person_finds_right_is_right(gold, output):
    assert is_right(read_answer(output), gold) is True


@pytest.mark.parametrize(("gold", "output"), [(row[0], one) for row in rows(WRONG) for one in row[1:]])
def test_what_only_looks_right_is_wrong(gold, output):
    assert is_right(read_answer(output), gold) is False


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_hostile_golds_and_answers_end_in_a_verdict_or_in_none(number):
    is_right(["2*x"], "2x")  # the sandbox has started
    gold, output = HOSTILE[number - 1], HOSTILE[number]
    before = time.thread_time()
    for one, other in ((gold, output), (output, gold)):
        assert is_right(read_answer(one), other) is not True
    assert time.thread_time() - before < 1  # of this process: the sandbox's has a limit of its own


def test_what_cannot_be_compared_in_time_is_not_judged():
    assert is_right(["9^9^9"], "9^9^8+x") is None
    assert is_right(["9^9^9"], ["9^9^8+x", "9^9^9"]) is True


def test_an_output_without_a_number_is_told_where_one_was_asked_for():
    assert [unread(read_answer(output), 5.0) for output in ("", "None", "no idea", "5 or 6", "2*x")] == [1, 1, 1, 0, 0]
    assert not unread(["paris"], "Paris")


def test_the_corpus_has_few_errors():
    """Those that docs/datasets.md counts; the command there prints each."""
    found = [(pair, is_right(read_answer(pair.output), pair.gold)) for pair in pairs()]
    false_right = [pair for pair, verdict in found if verdict and not pair.right]
    false_wrong = [pair for pair, verdict in found if verdict is False and pair.right]
    assert len(found) > 500
    assert (len(false_right), len(false_wrong)) <= (0, 26)
