"""Tool use: ask a calculator, then answer (CREATOR, section 4.1, whose calculator is WolframAlpha).

WolframAlpha is a paid service on the network. Here sympy stands in for it, in the sandbox, and
tables name the method after it: `tool_use_sympy`. An attempt is always two calls.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from trove_lite.methods.base import Attempt, Method, Question, Run, Settings, Steps

from .repair import Batch, answer_by_attempts

MARKER = re.compile("QUERY:|WOLFRAM:")  # as our prompts have it, and the released ones
MOST = 1500  # characters of what comes back, as released
NOTHING = "Nothing is known. Give the final answer after the marker Final Answer:"
#: Reads an expression, or equations to be solved; prints it as understood, and its result.
EVALUATOR = """\
import re
from sympy import Eq, N, simplify, solve
from sympy.parsing.sympy_parser import (
    convert_xor, implicit_multiplication_application, parse_expr, standard_transformations)

query = {query!r}
rules = (*standard_transformations, implicit_multiplication_application, convert_xor)
text, _, unknowns = re.sub(r"^solve\\b", "", query.strip(), flags=re.I).partition(" for ")
read = lambda part: parse_expr(part.strip(), transformations=rules)
if "=" in text:
    equations = [Eq(*map(read, part.split("=", 1))) for part in re.split(r",|;| and ", text)]
    print("Input:", equations)
    print("Result:", solve(equations, *[[read(name) for name in unknowns.split(",")]] if unknowns else [], dict=True))
else:
    print("Input:", read(text))
    value = simplify(read(text))
    print("Result:", value, "=", N(value)) if value.is_number else print("Result:", value)
"""


@dataclass(frozen=True)
class ToolUseSettings(Settings):
    """What every method has."""

    def table_name(self, method: str) -> str:
        """After the calculator that stands in."""
        return f"{method}_sympy"


def tool_use(questions: Sequence[Question], settings: ToolUseSettings) -> Steps:
    return answer_by_attempts(questions, attempts, settings, 2)


def attempts(question: Question, samples: range) -> Batch:
    """For each sample a reply with a query, what the query gives, and the reply that
    concludes."""
    asked = yield [Attempt(question, "consult", samples, mode="", runs=False)]
    queries = {reply.sample: query_of(reply.text) for reply in asked}
    evaluated = yield [
        Run(question, "evaluate", EVALUATOR.format(query=q), n) for n, q in queries.items() if q
    ]
    returned = {run.sample: run.output.strip()[:MOST] for run in evaluated if run.status == "ok"}
    known = [
        {"reply": r.text.strip(), "returned": returned.get(r.sample) or NOTHING} for r in asked
    ]
    how = {"mode": "tool_use", "runs": False}
    pairs = zip(asked, known, strict=True)
    final = yield [
        Attempt(question, "conclude", reply.samples, values=values, **how)
        for reply, values in pairs
    ]
    return final, [*asked, *final]


def query_of(reply: str) -> str:
    """What a reply asks the calculator: all after its first marker; "" where it asks nothing."""
    return "".join(MARKER.split(reply, maxsplit=1)[1:]).strip()


STAGES = ("consult", "conclude")
PRESETS = {"paper": ToolUseSettings()}
TOOL_USE = Method("tool_use", tool_use, ("tool_use",), STAGES, PRESETS, program=None)
