"""The libraries that a warm process imports before any program: which, by tier, and how they are
made ready.

It runs in the warm process (`zygote.py`) and looks at no program.
"""

import contextlib
import sys

LEAN = ("cmath", "collections", "functools", "itertools", "math", "random")
SYMBOLIC = ("mpmath", "sympy", "sympy.geometry")
NUMERIC = ("numpy", "scipy")
SCIENTIFIC = (
    *(
        "scipy.integrate",
        "scipy.linalg",
        "scipy.optimize",
        "scipy.special",
        "scipy.stats",
        "scipy.spatial",
    ),
    *("pandas", "matplotlib.pyplot"),
)
# What a warm process has imported. Every library that it holds makes its forks dearer: one program
# in a hundred needs more than sympy, and four in five need nothing but `math`, so they are not made
# to pay for it.
TIERS = {
    "lean": LEAN,
    "symbolic": LEAN + SYMBOLIC,
    "numeric": LEAN + NUMERIC + SYMBOLIC,
    "scientific": LEAN + NUMERIC + SYMBOLIC + SCIENTIFIC,
}


def warm_up() -> None:
    """Do once what sympy does at first use (0.1 s: lazy modules, dispatch tables), then forget the
    results."""
    import sympy
    from sympy.core.cache import clear_cache

    scope = {}
    exec("from sympy import *; x, y = symbols('x y')", scope)
    for expression in _WARM_UP.splitlines():
        with contextlib.suppress(Exception):
            eval(expression, scope)
    clear_cache()
    sympy.core.random.seed(0)
    sympy.Dummy._base_dummy_index = (
        10**6
    )  # drawn at random on import, and the order of terms can hang on it


_WARM_UP = """\
solve(x**2 - 3*x + 1, x), solve(Eq(x**3, 8), x), solve(sin(x) - Rational(1, 2), x), solveset(x**2 - 1, x)
solve([2*x + y - 7, x - 5*y - 1], [x, y]), nsolve(x**2 - 2, 1)
simplify((x**2 - 1)/(x - 1) + sin(x)**2 + cos(x)**2), trigsimp(sin(x)*cos(x)), expand((x + 1)**5), factor(x**4 - 1)
integrate(x**2, x), diff(tan(x), x), limit(sin(x)/x, x, 0), summation(x, (x, 1, 10))
Triangle(Point(0, 0), Point(4, 0), Point(0, 3)).area, Circle(Point(0, 0), 5).area
Polygon((0, 0), (1, 0), (1, 1), (0, 1)).area, Line(Point(0, 0), Point(1, 1)).intersection(Line((0, 1), (1, 0)))
Matrix([[1, 2], [3, 4]]).inv(), Matrix([[1, 2], [3, 4]]).eigenvals()
N(sqrt(2)), nsimplify(0.5), binomial(10, 3), factorint(360), divisors(360), isprime(97), gcd(12, 18)
latex(x**2/2), str(sqrt(x)/2), sympify('x**2 + 1').subs(x, 2)
"""


def fix_chance_and_display() -> None:
    """The same seeds for every program, and numbers shown as numpy 1 did: `3.5`, not
    `np.float64(3.5)`."""
    sys.modules["random"].seed(0)
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed(0)
        numpy.set_printoptions(legacy="1.25")
