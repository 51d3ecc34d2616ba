"""How each family of practice problems is solved by a program: the demonstrations that the model learns from.

Data only: tools (three names each where people would differ, parameters, body) and, for each family, the program that
solves it in one line or a few and the call that solves it with its tool. Written apart from the reference answers in
`families.toml`; `tests/practice/test_practice.py` runs every one of them in the sandbox and compares.
"""

from typing import NamedTuple


class Tool(NamedTuple):
    """A helper function: the names it goes by, its parameters and its body."""

    names: tuple[str, ...]
    parameters: str
    body: tuple[str, ...]

    def lines(self, name: str) -> list[str]:
        """Its definition under a name."""
        return [f"def {name}({self.parameters}):", *(f"    {line}" for line in self.body)]


class Program(NamedTuple):
    """Ways to solve a family: without a function (several are tried), and with a call of `tool`, written {T}."""

    code: tuple[str, ...]
    tool: str
    call: str


def _tool(names: str, parameters: str, *body: str) -> Tool:
    return Tool(tuple(names.split()), parameters, body)


TOOLS = {
    "linear": _tool("solve_linear linear_root solve_for_x", "a, b, c", "return (c - b) // a"),
    "quadratic": _tool(
        "eval_quadratic quadratic_value", "a, b, c, x", "return a * x ** 2 + b * x + c"
    ),
    "sumdiff": _tool("larger_number from_sum_and_difference", "s, d", "return (s + d) // 2"),
    "nth": _tool("nth_term arithmetic_term", "first, diff, n", "return first + (n - 1) * diff"),
    "arsum": _tool(
        "arithmetic_sum series_sum",
        "first, diff, n",
        "last = first + (n - 1) * diff",
        "return n * (first + last) // 2",
    ),
    "slope": _tool("slope line_slope", "x1, y1, x2, y2", "return round((y2 - y1) / (x2 - x1), 2)"),
    "operation": _tool("new_operation apply_operation", "p, q, x, y", "return p * x - q * y"),
    "discriminant": _tool(
        "discriminant quadratic_discriminant", "a, b, c", "return b ** 2 - 4 * a * c"
    ),
    "choose": _tool(
        "choose combinations binomial",
        "n, k",
        "return math.factorial(n) // (math.factorial(k) * math.factorial(n - k))",
    ),
    "arrange": _tool(
        "permutations arrangements",
        "n, k",
        "p = 1",
        "for i in range(k):",
        "    p = p * (n - i)",
        "return p",
    ),
    "factorial": _tool(
        "factorial product_up_to",
        "n",
        "p = 1",
        "for i in range(2, n + 1):",
        "    p = p * i",
        "return p",
    ),
    "multiples": _tool(
        "count_multiples multiples_between", "a, b, k", "return b // k - (a - 1) // k"
    ),
    "product": _tool("count_outfits count_choices", "a, b, c", "return a * b * c"),
    "pairs": _tool("handshakes count_pairs", "n", "return n * (n - 1) // 2"),
    "dice": _tool(
        "count_dice_sums dice_ways",
        "n, s",
        "count = 0",
        "for i in range(1, n + 1):",
        "    if 1 <= s - i <= n:",
        "        count += 1",
        "return count",
    ),
    "perimeter": _tool("rectangle_perimeter perimeter", "l, w", "return 2 * (l + w)"),
    "area": _tool("rectangle_area area", "l, w", "return l * w"),
    "triangle": _tool("triangle_area area_of_triangle", "b, h", "return b * h // 2"),
    "hypotenuse": _tool("hypotenuse longest_side", "a, b", "return math.isqrt(a ** 2 + b ** 2)"),
    "surface": _tool("surface_area box_surface", "l, w, h", "return 2 * (l * w + w * h + l * h)"),
    "volume": _tool("box_volume volume", "l, w, h", "return l * w * h"),
    "distance": _tool(
        "distance point_distance",
        "x1, y1, x2, y2",
        "return math.isqrt((x2 - x1) ** 2 + (y2 - y1) ** 2)",
    ),
    "angles": _tool("interior_angle_sum polygon_angles", "n", "return (n - 2) * 180"),
    "third": _tool("third_angle last_angle", "a, b", "return 180 - a - b"),
    "trapezoid": _tool("trapezoid_area area_of_trapezoid", "a, b, h", "return (a + b) * h // 2"),
    "heron": _tool(
        "heron_area area_from_sides",
        "a, b, c",
        "s = (a + b + c) / 2",
        "return round(math.sqrt(s * (s - a) * (s - b) * (s - c)))",
    ),
    "geometric": _tool(
        "geometric_sum geometric_series", "a, r, n", "return a * (r ** n - 1) // (r - 1)"
    ),
    "root": _tool(
        "larger_root biggest_root", "s, p", "return (s + math.isqrt(s ** 2 - 4 * p)) // 2"
    ),
    "cubic": _tool(
        "poly_remainder eval_cubic", "a, b, c, x", "return x ** 3 + a * x ** 2 + b * x + c"
    ),
    "recurrence": _tool(
        "recurrence run_recurrence",
        "a, p, q, n",
        "for i in range(n - 1):",
        "    a = p * a + q",
        "return a",
    ),
    "log": _tool("integer_log log_base", "b, x", "return round(math.log(x) / math.log(b))"),
    "minimum": _tool("quadratic_minimum min_value", "b, c", "return c - (b // 2) ** 2"),
    "powers": _tool(
        "sum_of_powers power_sum", "n, p", "return sum(i ** p for i in range(1, n + 1))"
    ),
    "squares": _tool("squared_length norm_squared", "v", "return sum(x ** 2 for x in v)"),
    "gcd": _tool(
        "gcd greatest_common_divisor",
        "a, b",
        "for d in range(1, a + 1):",
        "    if a % d == 0 and b % d == 0:",
        "        best = d",
        "return best",
    ),
    "lcm": _tool("lcm least_common_multiple", "a, b", "return a * b // math.gcd(a, b)"),
    "power mod": _tool("power_mod mod_power", "a, b, m", "return pow(a, b, m)"),
    "digits": _tool("digit_sum sum_of_digits", "n", "return sum(int(d) for d in str(n))"),
    "divisors": _tool(
        "count_divisors number_of_divisors",
        "n",
        "return sum(1 for i in range(1, n + 1) if n % i == 0)",
    ),
    "sigma": _tool(
        "sum_divisors divisor_sum", "n", "return sum(i for i in range(1, n + 1) if n % i == 0)"
    ),
    "prime factor": _tool(
        "largest_prime_factor biggest_prime_factor",
        "n",
        "for p in range(2, n + 1):",
        "    while n % p == 0 and n > p:",
        "        n = n // p",
        "return n",
    ),
    "base": _tool(
        "to_base convert_base",
        "n, b",
        "total = 0",
        "for i in range(12):",
        "    total += n % b * 10 ** i",
        "    n = n // b",
        "return total",
    ),
    "primes": _tool(
        "count_primes primes_between",
        "a, b",
        "return sum(1 for n in range(a, b + 1) if all(n % d for d in range(2, n)))",
    ),
    "percent": _tool("percent_of percentage", "p, n", "return p * n // 100"),
    "mean": _tool("average mean", "values", "return sum(values) // len(values)"),
    "change": _tool("money_left change_due", "m, k, c", "return m - k * c"),
    "fractions": _tool(
        "add_fractions fraction_sum", "a, b, c, d", "return round(a / b + c / d, 2)"
    ),
    "travel": _tool("distance_traveled travel_distance", "s, t", "return s * t"),
    "share": _tool("ratio_share split_by_ratio", "total, a, b", "return total * a // (a + b)"),
    "left": _tool("amount_left items_left", "a, b, c", "return a + b - c"),
    "order": _tool("evaluate_expression plus_times_minus", "a, b, c, d", "return a + b * c - d"),
    "dot": _tool("dot_product vector_dot", "u, v", "return sum(x * y for x, y in zip(u, v))"),
    "determinant": _tool("determinant matrix_determinant", "a, b, c, d", "return a * d - b * c"),
    "radians": _tool("to_radians degrees_to_radians", "d", "return round(d * math.pi / 180, 2)"),
    "sine": _tool(
        "scaled_sine sine_times", "k, d", "return round(k * math.sin(math.radians(d)), 2)"
    ),
    "complex": _tool("complex_real_part real_of_product", "a, b, c, d", "return a * c - b * d"),
    "cross": _tool("cross_first cross_x", "u, v", "return u[1] * v[2] - u[2] * v[1]"),
    "period": _tool("sine_period period_degrees", "k", "return round(360 / k, 2)"),
}


def _program(tool: str, *code: str, call: str = "") -> Program:
    """A family's program; its call has the tool's parameters for arguments, where none is said."""
    arguments = ", ".join(f"{{{name}}}" for name in TOOLS[tool].parameters.split(", "))
    return Program(code, tool, f"ans = {call or f'{{T}}({arguments})'}")


PROGRAMS = {
    "algebra": {
        "linear": _program("linear", "ans = ({c} - {b}) // {a}"),
        "quadratic value": _program("quadratic", "ans = {a} * {x} ** 2 + {b} * {x} + {c}"),
        "sum and difference": _program("sumdiff", "ans = ({s} + {d}) // 2"),
        "arithmetic term": _program("nth", "ans = {first} + ({n} - 1) * {diff}"),
        "arithmetic sum": _program(
            "arsum",
            "ans = sum({first} + i * {diff} for i in range({n}))",
            "ans = {n} * (2 * {first} + ({n} - 1) * {diff}) // 2",
        ),
        "slope": _program("slope", "ans = round(({y2} - {y1}) / ({x2} - {x1}), 2)"),
        "new operation": _program("operation", "ans = {p} * {x} - {q} * {y}"),
        "discriminant": _program("discriminant", "ans = ({b}) ** 2 - 4 * {a} * {c}"),
    },
    "counting": {
        "choose": _program("choose", "ans = math.comb({n}, {k})"),
        "arrange": _program("arrange", "ans = math.perm({n}, {k})"),
        "line up": _program("factorial", "ans = math.factorial({n})"),
        "multiples": _program(
            "multiples",
            "ans = sum(1 for i in range({a}, {b} + 1) if i % {k} == 0)",
            "ans = {b} // {k} - ({a} - 1) // {k}",
        ),
        "outfits": _program("product", "ans = {a} * {b} * {c}"),
        "handshakes": _program("pairs", "ans = {n} * ({n} - 1) // 2"),
        "two dice": _program(
            "dice",
            "ans = 0\nfor i in range(1, {n} + 1):\n    for j in range(1, {n} + 1):\n        if i + j == {s}:\n"
            "            ans += 1",
        ),
        "mixed committee": _program(
            "choose",
            "ans = math.comb({m}, {a}) * math.comb({n}, {b})",
            call="{T}({m}, {a}) * {T}({n}, {b})",
        ),
    },
    "geometry": {
        "rectangle perimeter": _program("perimeter", "ans = 2 * ({l} + {w})"),
        "rectangle area": _program("area", "ans = {l} * {w}"),
        "triangle area": _program("triangle", "ans = {b} * {h} // 2"),
        "hypotenuse": _program("hypotenuse", "ans = math.isqrt({a} ** 2 + {b} ** 2)"),
        "box surface": _program("surface", "ans = 2 * ({l} * {w} + {w} * {h} + {l} * {h})"),
        "box volume": _program("volume", "ans = {l} * {w} * {h}"),
        "distance": _program(
            "distance", "ans = math.isqrt(({x2} - {x1}) ** 2 + ({y2} - {y1}) ** 2)"
        ),
        "polygon angles": _program("angles", "ans = ({n} - 2) * 180"),
        "third angle": _program("third", "ans = 180 - {a} - {b}"),
        "trapezoid area": _program("trapezoid", "ans = ({a} + {b}) * {h} // 2"),
        "area from sides": _program(
            "heron",
            "s = ({a} + {b} + {c}) / 2\nans = round(math.sqrt(s * (s - {a}) * (s - {b}) * (s - {c})))",
        ),
    },
    "intermediate": {
        "geometric sum": _program(
            "geometric",
            "ans = sum({a} * {r} ** i for i in range({n}))",
            "ans = {a} * ({r} ** {n} - 1) // ({r} - 1)",
        ),
        "larger root": _program("root", "ans = ({s} + math.isqrt({s} ** 2 - 4 * {p})) // 2"),
        "remainder theorem": _program("cubic", "ans = {x} ** 3 + {a} * {x} ** 2 + {b} * {x} + {c}"),
        "recurrence": _program(
            "recurrence", "ans = {a}\nfor i in range({n} - 1):\n    ans = {p} * ans + {q}"
        ),
        "logarithm": _program("log", "ans = round(math.log({x}) / math.log({b}))"),
        "minimum": _program("minimum", "ans = {c} - ({b} // 2) ** 2"),
        "power sum": _program("powers", "ans = sum(k ** {p} for k in range(1, {n} + 1))"),
        "squared modulus": _program(
            "squares", "ans = ({a}) ** 2 + ({b}) ** 2", call="{T}([{a}, {b}])"
        ),
    },
    "number": {
        "common divisor": _program("gcd", "ans = math.gcd({a}, {b})"),
        "common multiple": _program(
            "lcm", "ans = math.lcm({a}, {b})", "ans = {a} * {b} // math.gcd({a}, {b})"
        ),
        "power remainder": _program(
            "power mod", "ans = pow({a}, {b}, {m})", "ans = {a} ** {b} % {m}"
        ),
        "digit sum": _program("digits", "ans = sum(int(d) for d in str({n}))"),
        "divisor count": _program(
            "divisors", "ans = sum(1 for i in range(1, {n} + 1) if {n} % i == 0)"
        ),
        "divisor sum": _program("sigma", "ans = sum(i for i in range(1, {n} + 1) if {n} % i == 0)"),
        "largest prime factor": _program(
            "prime factor",
            "ans = {n}\nfor p in range(2, {n} + 1):\n    while ans % p == 0 and ans > p:\n        ans = ans // p",
        ),
        "other base": _program(
            "base",
            "n = {n}\nans = 0\nfor i in range(12):\n    ans += n % {b} * 10 ** i\n    n = n // {b}",
        ),
        "prime count": _program(
            "primes",
            "ans = 0\nfor n in range({a}, {b} + 1):\n    if all(n % d for d in range(2, n)):\n        ans += 1",
        ),
    },
    "prealgebra": {
        "percent": _program("percent", "ans = {n} * {p} // 100"),
        "average": _program("mean", "values = {values}\nans = sum(values) // len(values)"),
        "change": _program("change", "ans = {m} - {k} * {c}"),
        "fraction sum": _program("fractions", "ans = round({a} / {b} + {c} / {d}, 2)"),
        "travel": _program("travel", "ans = {s} * {t}"),
        "ratio share": _program("share", "ans = {total} * {a} // ({a} + {b})"),
        "gain and loss": _program("left", "ans = {a} + {b} - {c}"),
        "order of operations": _program("order", "ans = {a} + {b} * {c} - {d}"),
    },
    "precalculus": {
        "dot product": _program("dot", "u = {u}\nv = {v}\nans = sum(x * y for x, y in zip(u, v))"),
        "determinant": _program("determinant", "ans = {a} * {d} - {b} * {c}"),
        "radians": _program("radians", "ans = round({d} * math.pi / 180, 2)"),
        "sine": _program("sine", "ans = round({k} * math.sin(math.radians({d})), 2)"),
        "complex product": _program("complex", "ans = {a} * {c} - {b} * {d}"),
        "squared length": _program("squares", "ans = sum(x ** 2 for x in {v})"),
        "cross product": _program("cross", "u = {u}\nv = {v}\nans = u[1] * v[2] - u[2] * v[1]"),
        "period": _program("period", "ans = round(360 / {k}, 2)"),
    },
}

#: Second steps, on `ans`.
STEPS = {
    "add": "ans = ans + {k}",
    "subtract": "ans = ans - {k}",
    "multiply": "ans = ans * {k}",
    "remainder": "ans = ans % {k}",
    "digits": "ans = sum(int(d) for d in str(abs(ans)))",
}
