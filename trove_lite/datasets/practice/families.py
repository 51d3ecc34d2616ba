"""What the practice problems ask: families of questions, each with its wording and its reference answer.

Data only. `practice` draws problems from it; how a family is solved by a program is in `train/programs.py`, written
apart from the answers here, so that each checks the other.

A family draws its arguments by level (1 to 5: larger numbers; second steps are added by `practice`), words them in
one of `seen` phrasings (training and test), `dev` (tuning) or `unseen` (test alone), and computes the answer.
A held-out family never occurs in training. `{x:+}` words 5 as "+ 5" and -5 as "- 5"; `{v:,}` lists a vector, `{v:&}`
ends the list in "and"; {name}, {other} and {things} are filled by chance.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from . import dice as draw
from .dice import Dice, draws, nonzero, signed, upto


@dataclass(frozen=True)
class Family:
    """One kind of question. `draw(dice, level)` gives arguments, `answer` takes these in order."""

    name: str
    draw: Callable[[Dice, int], dict]
    answer: Callable[..., float]
    seen: tuple[str, ...]
    dev: str = ""
    unseen: str = ""
    levels: tuple[int, int] = (1, 5)
    weight: float = 1.0
    held_out: bool = False


PROGRESSION = draws(first=upto(1, 9, 15, 40, 90, 200), diff=upto(2, 6, 9, 15, 30, 60), n=upto(5, 10, 20, 40, 80, 150))
QUADRATIC = draws(
    a=upto(1, 4, 6, 9, 12, 20), b=signed(5, 9, 12, 20, 40), c=signed(9, 18, 27, 36, 45), x=upto(1, 4, 7, 10, 15, 25)
)
SIDES = draws(l=upto(3, 12, 30, 80, 200, 900), w=upto(2, 12, 30, 80, 200, 900))
BOX = draws(l=upto(2, 6, 12, 20, 40, 90), w=upto(2, 6, 12, 20, 40, 90), h=upto(2, 6, 12, 20, 40, 90))
FOUR = draws(
    a=signed(6, 9, 15, 30, 90), b=signed(6, 9, 15, 30, 90), c=signed(6, 9, 15, 30, 90), d=signed(6, 9, 15, 30, 90)
)
WHOLE = draws(n=upto(10, 60, 120, 400, 999, 5000))


def is_prime(n):
    return n > 1 and all(n % d for d in range(2, math.isqrt(n) + 1))


def largest_prime_factor(n):
    return max(p for p in range(2, n + 1) if n % p == 0 and is_prime(p))


def in_base(n, b):
    return n if n < b else 10 * in_base(n // b, b) + n % b


def recurrence(a, p, q, n):
    return a if n == 1 else p * recurrence(a, p, q, n - 1) + q


FAMILIES = {
    "algebra": (
        Family(
            "linear",
            draw.linear_equation,
            lambda a, b, c: (c - b) // a,
            (
                "Solve for x: {a}x {b:+} = {c}.",
                "If {a}x {b:+} = {c}, what is x?",
                "Find the value of x such that {a}x {b:+} = {c}.",
                "What number x satisfies {a}x {b:+} = {c}?",
            ),
            "The equation {a}x {b:+} = {c} has one solution. Find it.",
            "Given that {a}x {b:+} = {c}, compute x.",
            weight=1.4,
        ),
        Family(
            "quadratic value",
            QUADRATIC,
            lambda a, b, c, x: a * x * x + b * x + c,
            (
                "If f(x) = {a}x^2 {b:+}x {c:+}, what is f({x})?",
                "Let f(x) = {a}x^2 {b:+}x {c:+}. Find f({x}).",
                "Evaluate {a}x^2 {b:+}x {c:+} when x = {x}.",
            ),
            "What is the value of {a}x^2 {b:+}x {c:+} at x = {x}?",
            "Compute f({x}) for f(x) = {a}x^2 {b:+}x {c:+}.",
        ),
        Family(
            "sum and difference",
            draw.sum_and_difference,
            lambda s, d: (s + d) // 2,
            (
                "The sum of two numbers is {s} and their difference is {d}. What is the larger number?",
                "If x + y = {s} and x - y = {d}, find x.",
                "Two numbers add up to {s} and differ by {d}. Find the larger one.",
            ),
            "The difference of two numbers is {d} and their sum is {s}. Find the larger number.",
            "Two numbers have a sum of {s} and a difference of {d}. Find the larger number.",
        ),
        Family(
            "arithmetic term",
            PROGRESSION,
            lambda first, diff, n: first + (n - 1) * diff,
            (
                "An arithmetic sequence has first term {first} and common difference {diff}. What is term number {n}?",
                "Find term {n} of the arithmetic sequence with first term {first} and difference {diff}.",
                "A sequence starts at {first} and increases by {diff} each time. What is term {n}?",
            ),
            "The first term of an arithmetic sequence is {first} and the difference is {diff}. Find term {n}.",
            "What is term {n} of the arithmetic sequence that starts at {first} and has common difference {diff}?",
        ),
        Family(
            "arithmetic sum",
            PROGRESSION,
            lambda first, diff, n: sum(range(first, first + n * diff, diff)),
            (
                "An arithmetic sequence has first term {first} and common difference {diff}. "
                "What is the sum of the first {n} terms?",
                "Find the sum of {n} terms of the arithmetic sequence with first term {first} and difference {diff}.",
                "Add up the first {n} terms of the sequence that starts at {first} and increases by {diff}.",
            ),
            "An arithmetic series starts at {first} with difference {diff}. What do its first {n} terms add up to?",
            "A sequence starts at {first} and increases by {diff} each time. Find the sum of the first {n} terms.",
            levels=(2, 5),
            weight=0.8,
        ),
        Family(
            "slope",
            draw.two_points,
            lambda x1, y1, x2, y2: round((y2 - y1) / (x2 - x1), 2),
            (
                "What is the slope of the line through ({x1}, {y1}) and ({x2}, {y2}), to two decimals?",
                "Find the slope of the line that passes through ({x1}, {y1}) and ({x2}, {y2}). Round to two decimals.",
                "A line goes through ({x1}, {y1}) and ({x2}, {y2}). Find its slope to two decimals.",
            ),
            "Give the slope, to two decimals, of the line from ({x1}, {y1}) to ({x2}, {y2}).",
            "Compute the slope of the line joining ({x1}, {y1}) and ({x2}, {y2}), to two decimals.",
        ),
        Family(
            "new operation",
            draws(
                p=upto(2, 5, 9, 12, 20, 30),
                q=upto(2, 5, 9, 12, 20, 30),
                x=upto(1, 9, 12, 20, 50, 90),
                y=upto(1, 9, 12, 20, 50, 90),
            ),
            lambda p, q, x, y: p * x - q * y,
            (
                "Define a @ b = {p}a - {q}b. Find {x} @ {y}.",
                "If a @ b = {p}a - {q}b, what is {x} @ {y}?",
                "Let a @ b mean {p}a - {q}b. Compute {x} @ {y}.",
            ),
            "What is {x} @ {y} when a @ b is defined as {p}a - {q}b?",
            "The operation @ is defined by a @ b = {p}a - {q}b. Compute {x} @ {y}.",
            weight=0.7,
        ),
        Family(
            "discriminant",
            draws(a=upto(1, 4, 6, 9, 15, 25), b=signed(9, 18, 27, 36, 45), c=signed(6, 12, 18, 24, 30)),
            lambda a, b, c: b * b - 4 * a * c,
            (
                "Find the discriminant of {a}x^2 {b:+}x {c:+} = 0.",
                "What is the discriminant of the quadratic {a}x^2 {b:+}x {c:+}?",
            ),
            "The quadratic {a}x^2 {b:+}x {c:+} has which discriminant?",
            "Compute the discriminant of the equation {a}x^2 {b:+}x {c:+} = 0.",
            levels=(2, 5),
            weight=0.6,
        ),
        Family(
            "line value",
            draws(m=signed(6, 9, 15, 30, 60), b=signed(9, 15, 30, 60, 120), x=upto(2, 9, 12, 20, 40, 80)),
            lambda m, b, x: m * x + b,
            (
                "The line y = {m}x {b:+} passes through a point with x = {x}. Find y.",
                "If y = {m}x {b:+}, find y when x = {x}.",
            ),
            held_out=True,
        ),
    ),
    "counting": (
        Family(
            "choose",
            draw.from_and_of,
            math.comb,
            (
                "How many ways are there to choose {k} {things} from {n} {things}?",
                "In how many ways can a team of {k} be chosen from {n} players?",
                "How many subsets of size {k} does a set with {n} elements have?",
                "A club has {n} members. How many committees of {k} members are possible?",
            ),
            "How many groups of {k} {things} can be picked from {n} {things}?",
            "How many different teams of {k} can be chosen from a club with {n} members?",
            weight=1.3,
        ),
        Family(
            "arrange",
            draw.from_and_of,
            math.perm,
            (
                "In how many ways can {k} of {n} {things} be arranged in a row?",
                "How many ordered lists of {k} different {things} can be made from {n} {things}?",
                "There are {n} runners in a race. In how many ways can the first {k} places be filled?",
            ),
            "From {n} {things}, how many ordered rows of {k} can be made?",
            "In how many ways can the first {k} places of a race with {n} runners be filled?",
        ),
        Family(
            "line up",
            draws(n=upto(3, 8, 10, 12, 14, 15)),
            math.factorial,
            (
                "In how many ways can {n} different {things} be arranged in a row?",
                "How many ways are there to line up {n} people?",
                "{n} people stand in a line. How many orders are possible?",
            ),
            "How many orders are there for {n} different {things}?",
            "How many ways are there to arrange {n} people in a row?",
            weight=0.7,
        ),
        Family(
            "multiples",
            draw.interval_and_divisor,
            lambda a, b, k: sum(i % k == 0 for i in range(a, b + 1)),
            (
                "How many integers from {a} to {b} are divisible by {k}?",
                "How many multiples of {k} are between {a} and {b}, inclusive?",
                "Count the integers from {a} to {b} that are multiples of {k}.",
            ),
            "From {a} to {b}, how many numbers can be divided by {k}?",
            "Find the number of multiples of {k} from {a} to {b}.",
        ),
        Family(
            "outfits",
            draws(a=upto(2, 6, 9, 12, 20, 30), b=upto(2, 6, 9, 12, 20, 30), c=upto(2, 4, 6, 9, 15, 25)),
            lambda a, b, c: a * b * c,
            (
                "{name} has {a} shirts, {b} pairs of pants and {c} hats. How many outfits are possible?",
                "A menu has {a} soups, {b} main dishes and {c} desserts. How many meals are possible?",
                "A code has one of {a} letters, one of {b} digits and one of {c} colors. How many codes are there?",
            ),
            "A lock has {a} letters, {b} digits and {c} colors to choose from. How many codes are possible?",
            "{name} owns {a} hats, {b} shirts and {c} pairs of pants. How many different outfits are possible?",
            weight=0.8,
        ),
        Family(
            "handshakes",
            draws(n=upto(4, 20, 30, 60, 150, 500)),
            lambda n: n * (n - 1) // 2,
            (
                "{n} people shake hands with each other once. How many handshakes are there?",
                "Each of {n} teams plays every other team once. How many games are played?",
                "Each of {n} people shakes hands with every other. How many handshakes are there?",
            ),
            "{n} players each play one game with every other player. How many games are played?",
            "At a party {n} people shake hands with each other. How many handshakes are there?",
            weight=0.8,
        ),
        Family(
            "two dice",
            draw.dice_and_total,
            lambda n, s: sum(1 <= s - i <= n for i in range(1, n + 1)),
            (
                "Two dice with {n} sides are rolled. In how many ways can the sum be {s}?",
                "In how many ways can two dice with {n} sides show a total of {s}?",
                "Count the ways to roll a sum of {s} with two dice that have {n} sides.",
            ),
            "How many rolls of two dice with {n} sides have the sum {s}?",
            "Two dice with {n} sides are rolled. How many outcomes have a total of {s}?",
            levels=(2, 5),
            weight=0.7,
        ),
        Family(
            "mixed committee",
            draw.two_groups,
            lambda m, n, a, b: math.comb(m, a) * math.comb(n, b),
            (
                "A committee of {a} men and {b} women is chosen from {m} men and {n} women. How many ways are there?",
                "From {m} boys and {n} girls, in how many ways can {a} boys and {b} girls be chosen?",
                "There are {m} red and {n} blue {things}. How many ways are there to take {a} red and {b} blue ones?",
            ),
            "In how many ways can {a} men and {b} women be chosen from {m} men and {n} women?",
            "How many ways are there to choose {a} boys and {b} girls from {m} boys and {n} girls?",
            levels=(3, 5),
            weight=0.8,
        ),
        Family(
            "diagonals",
            draws(n=upto(4, 20, 30, 60, 120, 300)),
            lambda n: n * (n - 3) // 2,
            (
                "How many diagonals does a convex polygon with {n} sides have?",
                "Count the diagonals of a polygon with {n} sides.",
            ),
            held_out=True,
        ),
    ),
    "geometry": (
        Family(
            "rectangle perimeter",
            SIDES,
            lambda a, b: a + b + a + b,
            (
                "What is the perimeter of a rectangle with length {l} and width {w}?",
                "A rectangle is {l} cm long and {w} cm wide. Find its perimeter.",
                "A garden is {l} m by {w} m. How long is the fence around it?",
            ),
            "How long is the border of a rectangle with sides {l} and {w}?",
            "Find the perimeter of a garden that is {l} m long and {w} m wide.",
        ),
        Family(
            "rectangle area",
            SIDES,
            lambda a, b: a * b,
            (
                "What is the area of a rectangle with length {l} and width {w}?",
                "A rectangle is {l} cm long and {w} cm wide. Find its area.",
                "A garden is {l} m by {w} m. What is its area?",
            ),
            "How large is the area of a rectangle with sides {l} and {w}?",
            "Find the area of a garden that is {l} m long and {w} m wide.",
            weight=0.7,
        ),
        Family(
            "triangle area",
            lambda dice, level: {
                "b": 2 * dice.integer(2, (8, 15, 40, 100, 300)[level - 1]),
                "h": dice.integer(2, (12, 30, 80, 200, 600)[level - 1]),
            },
            lambda b, h: b // 2 * h,
            (
                "What is the area of a triangle with base {b} and height {h}?",
                "A triangle has base {b} and height {h}. Find its area.",
                "The base of a triangle is {b} and its height is {h}. What is the area?",
            ),
            "How large is a triangle with base {b} and height {h}?",
            "Find the area of a triangle whose base is {b} and whose height is {h}.",
        ),
        Family(
            "hypotenuse",
            draw.right_triangle,
            lambda a, b: round(math.hypot(a, b)),
            (
                "A right triangle has legs {a} and {b}. What is the hypotenuse?",
                "Find the hypotenuse of a right triangle with legs of length {a} and {b}.",
                "A ladder reaches {a} m up a wall and stands {b} m from it. How long is the ladder?",
            ),
            "What is the longest side of a right triangle with legs {a} and {b}?",
            "The legs of a right triangle are {a} and {b}. How long is the hypotenuse?",
        ),
        Family(
            "box surface",
            BOX,
            lambda a, b, c: 2 * a * b + 2 * b * c + 2 * a * c,
            (
                "What is the surface area of a box with sides {l}, {w} and {h}?",
                "A box measures {l} by {w} by {h}. Find its surface area.",
                "How much paper covers a box with sides {l}, {w} and {h}?",
            ),
            "A box has sides {l}, {w} and {h}. What is the area of its surface?",
            "Find the surface area of a box that is {l} by {w} by {h}.",
            levels=(2, 5),
        ),
        Family(
            "box volume",
            BOX,
            lambda a, b, c: a * b * c,
            (
                "What is the volume of a box with sides {l}, {w} and {h}?",
                "A box measures {l} by {w} by {h}. Find its volume.",
                "How many unit cubes fill a box with sides {l}, {w} and {h}?",
            ),
            "A box has sides {l}, {w} and {h}. What is its volume?",
            "Find the volume of a box that is {l} by {w} by {h}.",
            weight=0.7,
        ),
        Family(
            "distance",
            draw.whole_distance,
            lambda x1, y1, x2, y2: round(math.dist((x1, y1), (x2, y2))),
            (
                "What is the distance between ({x1}, {y1}) and ({x2}, {y2})?",
                "Find the length of the segment from ({x1}, {y1}) to ({x2}, {y2}).",
                "How far apart are the points ({x1}, {y1}) and ({x2}, {y2})?",
            ),
            "How long is the segment between ({x1}, {y1}) and ({x2}, {y2})?",
            "Compute the distance from ({x1}, {y1}) to ({x2}, {y2}).",
            levels=(2, 5),
        ),
        Family(
            "polygon angles",
            draws(n=upto(4, 20, 30, 50, 80, 120)),
            lambda n: 180 * n - 360,
            (
                "What is the sum of the interior angles of a polygon with {n} sides, in degrees?",
                "A polygon has {n} sides. Find the sum of its interior angles in degrees.",
                "Add up the interior angles of a polygon with {n} sides, in degrees.",
            ),
            "In degrees, what do the interior angles of a polygon with {n} sides add up to?",
            "Find the sum of the interior angles of a polygon that has {n} sides.",
            weight=0.7,
        ),
        Family(
            "third angle",
            draw.two_angles,
            lambda a, b: 180 - (a + b),
            (
                "Two angles of a triangle are {a} and {b} degrees. What is the third angle?",
                "A triangle has angles of {a} and {b} degrees. Find the third angle in degrees.",
                "What is the third angle of a triangle if two are {a} and {b} degrees?",
            ),
            "In a triangle one angle is {a} degrees and one is {b} degrees. Find the third.",
            "Find the third angle of a triangle with angles of {a} and {b} degrees.",
            levels=(1, 3),
            weight=0.7,
        ),
        Family(
            "trapezoid area",
            lambda dice, level: {
                "a": dice.integer(3, (9, 20, 50, 100, 300)[level - 1]),
                "b": dice.integer(3, (9, 20, 50, 100, 300)[level - 1]),
                "h": 2 * dice.integer(1, (5, 10, 25, 50, 150)[level - 1]),
            },
            lambda a, b, h: h // 2 * (a + b),
            (
                "A trapezoid has parallel sides {a} and {b} and height {h}. What is its area?",
                "Find the area of a trapezoid with bases {a} and {b} and height {h}.",
                "The bases of a trapezoid are {a} and {b} and its height is {h}. Find its area.",
            ),
            "How large is a trapezoid with bases {a} and {b} and height {h}?",
            "What is the area of a trapezoid whose bases are {a} and {b} and whose height is {h}?",
            levels=(3, 5),
            weight=0.7,
        ),
        Family(
            "area from sides",
            draw.whole_heron,
            lambda a, b, c: round(math.sqrt((a + b + c) * (-a + b + c) * (a - b + c) * (a + b - c)) / 4),
            (
                "A triangle has sides {a}, {b} and {c}. What is its area?",
                "Find the area of a triangle with side lengths {a}, {b} and {c}.",
                "The sides of a triangle are {a}, {b} and {c}. Find its area.",
            ),
            "How large is a triangle with sides {a}, {b} and {c}?",
            "What is the area of a triangle whose sides are {a}, {b} and {c}?",
            levels=(4, 5),
            weight=0.8,
        ),
        Family(
            "square area",
            draws(a=upto(3, 20, 40, 90, 300, 900)),
            lambda a: a * a,
            ("What is the area of a square with side {a}?", "A square has sides of {a} cm. Find its area."),
            held_out=True,
        ),
    ),
    "intermediate": (
        Family(
            "geometric sum",
            draws(a=upto(1, 4, 9, 15, 30, 60), r=upto(2, 3, 3, 4, 5, 7), n=upto(3, 6, 7, 8, 10, 12)),
            lambda a, r, n: sum(a * r**i for i in range(n)),
            (
                "A geometric series has first term {a} and ratio {r}. What is the sum of the first {n} terms?",
                "Find the sum of {n} terms of the geometric series with first term {a} and common ratio {r}.",
                "Add up the first {n} terms of the geometric sequence that starts at {a} with ratio {r}.",
            ),
            "A geometric series starts at {a} with ratio {r}. What do its first {n} terms add up to?",
            "What is the sum of the first {n} terms of a geometric series with first term {a} and ratio {r}?",
        ),
        Family(
            "larger root",
            draw.two_roots,
            lambda s, p: max(x for x in range(s + 1) if x * (s - x) == p),
            (
                "What is the larger root of x^2 - {s}x + {p} = 0?",
                "Find the largest solution of x^2 - {s}x + {p} = 0.",
                "The equation x^2 - {s}x + {p} = 0 has two roots. Find the larger one.",
            ),
            "Which is the larger solution of x^2 - {s}x + {p} = 0?",
            "Find the larger of the two roots of x^2 - {s}x + {p} = 0.",
        ),
        Family(
            "remainder theorem",
            draws(
                a=nonzero(4, 8, 12, 16, 20),
                b=nonzero(6, 12, 18, 24, 30),
                c=nonzero(9, 18, 27, 36, 45),
                x=upto(1, 3, 5, 8, 12, 20),
            ),
            lambda a, b, c, x: ((x + a) * x + b) * x + c,
            (
                "What is the remainder when x^3 {a:+}x^2 {b:+}x {c:+} is divided by x - {x}?",
                "Find the remainder of x^3 {a:+}x^2 {b:+}x {c:+} divided by x - {x}.",
                "Divide x^3 {a:+}x^2 {b:+}x {c:+} by x - {x}. What is the remainder?",
            ),
            "Dividing x^3 {a:+}x^2 {b:+}x {c:+} by x - {x} leaves which remainder?",
            "The polynomial x^3 {a:+}x^2 {b:+}x {c:+} is divided by x - {x}. Find the remainder.",
            levels=(2, 5),
        ),
        Family(
            "recurrence",
            draws(
                a=upto(1, 5, 9, 12, 20, 40),
                p=upto(2, 3, 3, 3, 4, 5),
                q=signed(9, 18, 27, 36, 45),
                n=upto(3, 4, 6, 8, 10, 12),
            ),
            recurrence,
            (
                "A sequence has a(1) = {a} and a(n + 1) = {p}a(n) {q:+}. What is a({n})?",
                "Let a(1) = {a} and a(n + 1) = {p}a(n) {q:+}. Find a({n}).",
                "If a(1) = {a} and a(n + 1) = {p}a(n) {q:+}, what is a({n})?",
            ),
            "Find a({n}) for the sequence with a(1) = {a} and a(n + 1) = {p}a(n) {q:+}.",
            "Compute a({n}) if a(1) = {a} and a(n + 1) = {p}a(n) {q:+}.",
        ),
        Family(
            "logarithm",
            draw.power_of_base,
            lambda b, x: round(math.log(x, b)),
            (
                "What is the logarithm of {x} in base {b}?",
                "Solve {b}^x = {x} for x.",
                "To what power must {b} be raised to get {x}?",
            ),
            "Which power of {b} is equal to {x}?",
            "Find x such that {b}^x = {x}.",
            levels=(1, 4),
            weight=0.8,
        ),
        Family(
            "minimum",
            lambda dice, level: {
                "b": 2 * nonzero(4, 8, 12, 16, 20)(dice, level),
                "c": nonzero(12, 24, 36, 48, 60)(dice, level),
            },
            lambda b, c: c - b * b // 4,
            (
                "What is the minimum value of x^2 {b:+}x {c:+}?",
                "Find the smallest value of x^2 {b:+}x {c:+} over real x.",
                "How small can x^2 {b:+}x {c:+} be for real x?",
            ),
            "What is the least value that x^2 {b:+}x {c:+} takes?",
            "Find the minimum value of f(x) = x^2 {b:+}x {c:+}.",
        ),
        Family(
            "power sum",
            draws(n=upto(3, 15, 20, 30, 60, 150), p=upto(2, 3, 3, 3, 4, 5)),
            lambda n, p: sum(i**p for i in range(1, n + 1)),
            (
                "What is the sum of k^{p} for k from 1 to {n}?",
                "Compute 1^{p} + 2^{p} + ... + {n}^{p}.",
                "Add up k^{p} for all k from 1 to {n}.",
            ),
            "What is 1^{p} + 2^{p} + ... + {n}^{p}?",
            "Find the sum of k^{p} as k goes from 1 to {n}.",
        ),
        Family(
            "squared modulus",
            draws(a=nonzero(6, 12, 18, 24, 30), b=nonzero(6, 12, 18, 24, 30)),
            lambda a, b: a * a + b * b,
            (
                "What is |z|^2 for z = {a} {b:+}i?",
                "If z = {a} {b:+}i, find the square of |z|.",
                "Let z = {a} {b:+}i. What is |z|^2?",
            ),
            "Compute the square of |z| for z = {a} {b:+}i.",
            "Find |z|^2 if z = {a} {b:+}i.",
            weight=0.7,
        ),
        Family(
            "sum of squared roots",
            draw.two_roots,
            lambda s, p: s * s - 2 * p,
            (
                "What is the sum of the squares of the roots of x^2 - {s}x + {p} = 0?",
                "The roots of x^2 - {s}x + {p} = 0 are squared and added. What is the sum?",
            ),
            held_out=True,
        ),
    ),
    "number": (
        Family(
            "common divisor",
            draw.common_factor,
            math.gcd,
            (
                "What is the greatest common divisor of {a} and {b}?",
                "Find the gcd of {a} and {b}.",
                "What is the largest integer that divides both {a} and {b}?",
            ),
            "Find the largest number that divides both {a} and {b}.",
            "Compute the greatest common divisor of {a} and {b}.",
            weight=1.2,
        ),
        Family(
            "common multiple",
            draw.common_factor,
            math.lcm,
            (
                "What is the least common multiple of {a} and {b}?",
                "Find the lcm of {a} and {b}.",
                "What is the smallest positive integer divisible by both {a} and {b}?",
            ),
            "Which is the smallest number that both {a} and {b} divide?",
            "Find the smallest positive integer that is a multiple of both {a} and {b}.",
        ),
        Family(
            "power remainder",
            draws(a=upto(2, 9, 12, 20, 50, 150), b=upto(3, 9, 20, 50, 150, 900), m=upto(3, 9, 12, 20, 50, 120)),
            lambda a, b, m: a**b % m,
            (
                "What is the remainder when {a}^{b} is divided by {m}?",
                "Find {a}^{b} modulo {m}.",
                "{a}^{b} is divided by {m}. What is the remainder?",
            ),
            "Which remainder does {a}^{b} leave when divided by {m}?",
            "Compute the remainder when {a}^{b} is divided by {m}.",
        ),
        Family(
            "digit sum",
            draws(n=upto(10, 99, 999, 9999, 99999, 9999999)),
            lambda n: sum(map(int, str(n))),
            ("What is the sum of the digits of {n}?", "Add up all the digits of {n}.", "Find the digit sum of {n}."),
            "What do the digits of {n} add up to?",
            "Compute the sum of all digits of {n}.",
        ),
        Family(
            "divisor count",
            WHOLE,
            lambda n: len([i for i in range(1, n + 1) if n % i == 0]),
            (
                "How many positive divisors does {n} have?",
                "Find the number of divisors of {n}.",
                "By how many positive integers can {n} be divided?",
            ),
            "What is the number of positive divisors of {n}?",
            "Count the positive divisors of {n}.",
        ),
        Family(
            "divisor sum",
            WHOLE,
            lambda n: sum(i for i in range(1, n + 1) if n % i == 0),
            (
                "What is the sum of the positive divisors of {n}?",
                "Find the sum of all divisors of {n}.",
                "Add up the positive divisors of {n}.",
            ),
            "What do the divisors of {n} add up to?",
            "Compute the sum of the divisors of {n}.",
            levels=(2, 5),
        ),
        Family(
            "largest prime factor",
            WHOLE,
            largest_prime_factor,
            (
                "What is the largest prime factor of {n}?",
                "Find the greatest prime that divides {n}.",
                "Which is the largest prime number that divides {n}?",
            ),
            "What is the largest prime that divides {n}?",
            "Compute the largest prime factor of {n}.",
            levels=(3, 5),
            weight=0.8,
        ),
        Family(
            "other base",
            draws(n=upto(10, 40, 90, 200, 600, 3000), b=upto(2, 9, 9, 9, 9, 9)),
            in_base,
            ("Write {n} in base {b}.", "Convert {n} to base {b}.", "What is {n} written in base {b}?"),
            "How is {n} written in base {b}?",
            "What is {n} in base {b}?",
            levels=(2, 5),
            weight=0.8,
        ),
        Family(
            "prime count",
            draw.prime_interval,
            lambda a, b: sum(map(is_prime, range(a, b + 1))),
            (
                "How many primes are there from {a} to {b}?",
                "Count the prime numbers between {a} and {b}, inclusive.",
                "How many prime numbers lie between {a} and {b}, inclusive?",
            ),
            "From {a} to {b}, how many numbers are prime?",
            "Find the number of primes from {a} to {b}.",
            levels=(3, 5),
            weight=0.8,
        ),
        Family(
            "remainder",
            draws(a=upto(20, 90, 300, 900, 5000, 90000), b=upto(3, 9, 15, 30, 60, 300)),
            lambda a, b: a - a // b * b,
            ("What is the remainder when {a} is divided by {b}?", "Find the remainder of {a} divided by {b}."),
            held_out=True,
        ),
    ),
    "prealgebra": (
        Family(
            "percent",
            draw.percent_and_whole,
            lambda p, n: p * n // 100,
            (
                "What is {p}% of {n}?",
                "Find {p} percent of {n}.",
                "A school has {n} students and {p}% of them play a sport. How many students play a sport?",
            ),
            "How much is {p}% of {n}?",
            "Compute {p}% of {n}.",
            weight=1.2,
        ),
        Family(
            "average",
            draw.values_with_whole_mean,
            lambda values: round(math.fsum(values) / len(values)),
            (
                "What is the average of {values:&}?",
                "Find the mean of the numbers {values:&}.",
                "{name} scored {values:&} on some tests. What is the average score?",
            ),
            "What is the mean of {values:&}?",
            "Compute the average of the numbers {values:&}.",
        ),
        Family(
            "change",
            draw.purchase,
            lambda k, c, m: m - k * c,
            (
                "{name} has {m} dollars and buys {k} {things} for {c} dollars each. How many dollars are left?",
                "{k} {things} cost {c} dollars each. {name} pays with {m} dollars. How much change is given?",
                "{name} buys {k} {things} at {c} dollars each with {m} dollars. How many dollars remain?",
            ),
            "With {m} dollars, {name} buys {k} {things} for {c} dollars each. How many dollars are left?",
            "{name} buys {k} {things} that cost {c} dollars each and pays with {m} dollars. "
            "How many dollars of change are given?",
            weight=1.1,
        ),
        Family(
            "fraction sum",
            draws(
                a=upto(1, 5, 9, 12, 20, 40),
                b=upto(2, 6, 9, 15, 30, 60),
                c=upto(1, 5, 9, 12, 20, 40),
                d=upto(2, 6, 9, 15, 30, 60),
            ),
            lambda a, b, c, d: round((a * d + c * b) / (b * d), 2),
            (
                "What is {a}/{b} + {c}/{d}, to two decimals?",
                "Compute {a}/{b} + {c}/{d}. Round to two decimals.",
                "Add {a}/{b} and {c}/{d}. Give two decimals.",
            ),
            "To two decimals, how much is {a}/{b} + {c}/{d}?",
            "Find the sum of {a}/{b} and {c}/{d}, to two decimals.",
        ),
        Family(
            "travel",
            draws(s=upto(3, 12, 30, 60, 90, 300), t=upto(2, 6, 9, 15, 25, 60)),
            lambda s, t: s * t,
            (
                "A train travels at {s} km per hour for {t} hours. How far does it go?",
                "{name} drives {s} km each hour. How many km does {name} drive in {t} hours?",
                "A bus goes {s} km per hour. How far does it get in {t} hours?",
            ),
            "For {t} hours a car goes {s} km per hour. How far does it go?",
            "How far does a train go in {t} hours at {s} km per hour?",
            levels=(1, 3),
            weight=0.8,
        ),
        Family(
            "ratio share",
            draw.ratio_and_total,
            lambda total, a, b: total // (a + b) * a,
            (
                "{name} and {other} share {total} {things} in the ratio {a}:{b}. How many does {name} get?",
                "{total} {things} are divided in the ratio {a}:{b}. What is the first share?",
                "Divide {total} {things} in the ratio {a}:{b}. How large is the first part?",
            ),
            "In the ratio {a}:{b}, {name} and {other} divide {total} {things}. How many does {name} get?",
            "{total} {things} are shared by {name} and {other} in the ratio {a}:{b}. How many does {name} get?",
            levels=(2, 5),
        ),
        Family(
            "gain and loss",
            draw.gain_and_loss,
            lambda a, b, c: a + b - c,
            (
                "{name} has {a} {things}, finds {b} more and gives away {c}. How many {things} are left?",
                "{name} had {a} {things}. {other} gave {name} {b} more, and then {c} were lost. How many are left?",
                "{a} {things} are in a box. {b} are put in and {c} are taken out. How many {things} are there now?",
            ),
            "{name} starts with {a} {things}, buys {b} and sells {c}. How many {things} remain?",
            "{name} had {a} {things}, then got {b} more and lost {c}. How many {things} are left?",
        ),
        Family(
            "order of operations",
            draws(
                a=upto(2, 20, 50, 99, 400, 999),
                b=upto(2, 6, 12, 25, 60, 120),
                c=upto(2, 6, 12, 25, 60, 120),
                d=upto(1, 9, 30, 60, 200, 600),
            ),
            lambda a, b, c, d: a - d + b * c,
            (
                "Compute {a} + {b} * {c} - {d}.",
                "What is the value of {a} + {b} * {c} - {d}?",
                "Evaluate {a} + {b} * {c} - {d}.",
            ),
            "How much is {a} + {b} * {c} - {d}?",
            "Find {a} + {b} * {c} - {d}.",
        ),
        Family(
            "pages",
            draws(a=upto(20, 90, 300, 600, 900, 3000), b=upto(2, 6, 12, 20, 40, 90), c=upto(2, 3, 9, 15, 20, 30)),
            lambda a, b, c: a - b * c,
            (
                "A book has {a} pages. {name} reads {b} pages a day for {c} days. How many pages are still unread?",
                "{name} reads {b} pages a day of a book with {a} pages. How many pages remain after {c} days?",
            ),
            held_out=True,
        ),
    ),
    "precalculus": (
        Family(
            "dot product",
            draw.vectors("u", "v"),
            lambda u, v: sum(x * y for x, y in zip(u, v, strict=True)),
            (
                "What is the dot product of ({u:,}) and ({v:,})?",
                "Find the dot product of the vectors ({u:,}) and ({v:,}).",
                "Let u = ({u:,}) and v = ({v:,}). What is the dot product of u and v?",
            ),
            "Multiply the vectors ({u:,}) and ({v:,}) by the dot product. What is the result?",
            "Compute the dot product of ({u:,}) with ({v:,}).",
            weight=1.2,
        ),
        Family(
            "determinant",
            FOUR,
            lambda a, b, c, d: a * d - b * c,
            (
                "What is the determinant of the matrix [[{a}, {b}], [{c}, {d}]]?",
                "Find the determinant of [[{a}, {b}], [{c}, {d}]].",
                "The matrix [[{a}, {b}], [{c}, {d}]] has which determinant?",
            ),
            "Let A = [[{a}, {b}], [{c}, {d}]]. What is det A?",
            "Compute det [[{a}, {b}], [{c}, {d}]] of this matrix.",
        ),
        Family(
            "radians",
            draws(d=upto(10, 90, 180, 360, 720, 2000)),
            lambda d: round(math.pi * d / 180, 2),
            (
                "Convert {d} degrees to radians, to two decimals.",
                "How many radians is an angle of {d} degrees? Round to two decimals.",
                "An angle has {d} degrees. Give it in radians, to two decimals.",
            ),
            "What is {d} degrees in radians, to two decimals?",
            "Express {d} degrees in radians, rounded to two decimals.",
        ),
        Family(
            "sine",
            draws(k=upto(1, 9, 12, 20, 50, 200), d=upto(5, 90, 180, 180, 360, 360)),
            lambda k, d: round(k * math.sin(math.radians(d)), 2),
            (
                "What is {k} times the sine of {d} degrees, rounded to two decimals?",
                "Compute {k} sin({d}) with the angle in degrees. Round to two decimals.",
                "Evaluate {k} sin(x) for x = {d} degrees, to two decimals.",
            ),
            "How much is {k} times the sine of {d} degrees, to two decimals?",
            "Find {k} sin({d}) rounded to two decimals, with the angle in degrees.",
        ),
        Family(
            "complex product",
            FOUR,
            lambda a, b, c, d: round((complex(a, b) * complex(c, d)).real),
            (
                "What is the real part of ({a} {b:+}i)({c} {d:+}i)?",
                "Find the real part of the product of {a} {b:+}i and {c} {d:+}i.",
                "Multiply {a} {b:+}i by {c} {d:+}i. What is the real part?",
            ),
            "The product ({a} {b:+}i)({c} {d:+}i) has which real part?",
            "Compute the real part of ({a} {b:+}i)({c} {d:+}i).",
            levels=(2, 5),
        ),
        Family(
            "squared length",
            draw.vectors("v", size=3),
            lambda v: sum(x * x for x in v),
            (
                "What is the squared length of the vector ({v:,})?",
                "Find the square of the norm of ({v:,}).",
                "Let v = ({v:,}). What is the square of its length?",
            ),
            "How large is the squared norm of the vector ({v:,})?",
            "Compute the squared norm of the vector ({v:,}).",
        ),
        Family(
            "cross product",
            draw.vectors("u", "v", size=3),
            lambda u, v: u[1] * v[2] - u[2] * v[1],
            (
                "What is the first component of the cross product of ({u:,}) and ({v:,})?",
                "Let u = ({u:,}) and v = ({v:,}). What is the first component of u x v?",
            ),
            "The cross product of ({u:,}) and ({v:,}) has which first component?",
            "Find the first component of ({u:,}) x ({v:,}), the cross product.",
            levels=(3, 5),
            weight=0.7,
        ),
        Family(
            "period",
            draws(k=upto(2, 20, 30, 40, 90, 300)),
            lambda k: round(360 / k, 2),
            (
                "What is the period of y = sin({k}x) in degrees, to two decimals?",
                "Find the period of the function sin({k}x) in degrees, to two decimals.",
                "After how many degrees does sin({k}x) repeat? Round to two decimals.",
            ),
            "To two decimals, how many degrees is the period of sin({k}x)?",
            "What is the period in degrees of the function y = sin({k}x), to two decimals?",
            levels=(1, 3),
            weight=0.7,
        ),
        Family(
            "trace",
            FOUR,
            lambda a, b, c, d: a + d,
            (
                "What is the trace of the matrix [[{a}, {b}], [{c}, {d}]]?",
                "Find the trace of [[{a}, {b}], [{c}, {d}]].",
            ),
            held_out=True,
        ),
    ),
}


@dataclass(frozen=True)
class Step:
    """A second step on a whole-number result, `k` drawn by level."""

    name: str
    draw: Callable[[Dice, int], int]
    answer: Callable[[int, int], int]
    seen: tuple[str, ...]
    dev: str
    unseen: str


STEPS = (
    Step(
        "add",
        upto(2, 30, 60, 90, 120, 150),
        lambda x, k: x + k,
        ("Add {k} to the result.", "What is {k} more than the result?"),
        "What is the result plus {k}?",
        "Increase the result by {k}.",
    ),
    Step(
        "subtract",
        upto(2, 30, 60, 90, 120, 150),
        lambda x, k: x - k,
        ("Subtract {k} from the result.", "What is {k} less than the result?"),
        "What is the result minus {k}?",
        "Decrease the result by {k}.",
    ),
    Step(
        "multiply",
        upto(2, 4, 8, 12, 16, 20),
        lambda x, k: x * k,
        ("Multiply the result by {k}.", "What is {k} times the result?"),
        "What is the result times {k}?",
        "Find {k} times the result.",
    ),
    Step(
        "remainder",
        upto(3, 8, 16, 24, 32, 40),
        lambda x, k: x % k,
        ("Find the remainder when the result is divided by {k}.", "What is the result modulo {k}?"),
        "Divide the result by {k} and give the remainder.",
        "Give the remainder of the result divided by {k}.",
    ),
    Step(
        "digits",
        upto(0, 0, 0, 0, 0, 0),
        lambda x, k: sum(map(int, str(abs(x)))),
        ("Find the digit sum of the result.", "Add up the digits of the result."),
        "What do the digits of the result add up to?",
        "What is the sum of the digits of the result?",
    ),
)
