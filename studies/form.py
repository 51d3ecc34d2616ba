"""The form of replies to a pack's prompts, counted without verdicts: what is changed in a prompt is read by it.

    trove-lite run --methods studies.form:FORM --k 6 --seeds 0 --dataset math_train --categories counting number \
        --limit 5 --prompts PACK --model SPEC --out RUN
    python -m studies.form RUN …     # a line a run and mode; an example's text is a copy by name or by skeleton

It asks each point of the grid that may see a tool, and those that see none, the same development problems.
"""

import sys

import pandas as pd

from trove_lite.candidates import load_candidates, read_description
from trove_lite.datasets import load_dataset
from trove_lite.datasets.base import Question
from trove_lite.methods.base import Answer, Attempt, Method, chosen, draw
from trove_lite.programs import AT_HAND, fenced
from trove_lite.programs.parse import parse_tools
from trove_lite.prompts import load_pack
from trove_lite_analysis.likeness import skeleton
from trove_lite_analysis.tool_signs import names_in

from .asked import QUESTIONS
from .factors import taken_apart

#: What a filled toolbox lists: two functions for counting, two for number theory.
TOOLS = parse_tools(
    fenced('''import math

def at_least(wanted, drawn, special, total):
    """Ways to draw so many of a total at once, of them at least `wanted` special ones."""
    return sum(math.comb(special, n) * math.comb(total - special, drawn - n) for n in range(wanted, drawn + 1))

def orders_in_a_circle(things):
    """Orders of so many distinct things around a table, where turning it makes no difference."""
    return math.factorial(things - 1)

def divisors(number):
    """All divisors of a positive whole number, the lowest first."""
    return [n for n in range(1, number + 1) if number % n == 0]

def units_digit(base, exponent):
    """The last digit of a power."""
    return pow(base, exponent, 10)''')
)
#: Mode → the stage that asks it; `--k 3` asks the first three.
STAGES = {
    "import, filled": "import",
    "instance": "instance",
    "create": "create",
    "import, empty": "import",
}
STAGES |= {"primitive": "primitive", "skip": "skip"}
LISTED = frozenset(tool.name for tool in TOOLS)


def form(questions, settings):
    for question in questions:
        asked = {}
        for mode, stage in STAGES.items():
            view = (TOOLS, (AT_HAND, *TOOLS)) if mode == "import, filled" else ()
            asked[mode] = Attempt(question, mode, range(0), "stream", *view, wording=stage)
        candidates = yield from draw(asked, settings.budget)
        yield Answer(question, chosen(question, candidates, settings))


FORM = Method("form", form, modes=tuple(STAGES), stages=tuple(dict.fromkeys(STAGES.values())))


def counted(rows: pd.DataFrame, prompts: str) -> pd.DataFrame:
    """A row a mode: how many of its replies import, call, lack, fail and copy."""
    dataset = load_dataset(rows["dataset"].iloc[0])
    pack = load_pack(prompts, dataset)
    found = []
    for row in rows.itertuples():
        tools = TOOLS if "filled" in row.mode else ()
        prompt = pack.render(
            Question(dataset.name, row.category, 0, QUESTIONS[1]), STAGES[row.mode], tools
        )
        text = f"{row.tools}\n{row.solution}"
        worked = taken_apart(str(prompt))[2]
        names = names_in(text)
        functions = frozenset().union(*(names_in(answer).defined for answer in worked))
        said = {"mode": row.mode, "n": 1, "imports a tool": bool(names.imported & LISTED)}
        said["calls one"] = bool(names.called & LISTED)
        said["calls, imports none"] = bool(names.called & LISTED - names.imported - names.defined)
        said |= {"defines": bool(names.defined), "lacks a name": "NameError" in str(row.error)}
        said["fails"] = row.status != "ok"
        same = skeleton(text) in set(map(skeleton, worked)) - {0}
        found.append(said | {"copies": same or bool(names.defined & functions)})
    return pd.DataFrame(found).groupby("mode", sort=False).sum()


if __name__ == "__main__":
    for run in sys.argv[1:]:
        print(
            run,
            counted(load_candidates(run), read_description(run)["settings"]["prompts"]).to_string(),
            sep="\n",
        )
