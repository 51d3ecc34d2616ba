"""The plan's page: its text stands in PLAN.md, its tables are made from rows (plan.csv, draws.csv)."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pandas as pd

HERE = Path(__file__).parent
PAGE, PLAN, DRAWS = HERE / "PLAN.md", HERE / "plan.csv", HERE / "draws.csv"
#: What became of a part in a draw.
STATES = ("counted", "replaced", "withdrawn", "not complete", "not run")
MADE = re.compile(r"(<!-- rows: (\w+), .*-->\n)(?:\|.*\n)*")


def page(text: str) -> str:
    """The page's text with each table made anew from its rows, below the comment that names it."""
    return MADE.sub(lambda found: found[1] + TABLES[found[2]](), text)


def comparisons() -> str:
    """A line a planned comparison (plan.csv)."""
    plan = pd.read_csv(PLAN, keep_default_na=False)
    columns = {
        "comparison": plan["id"],
        "with tools − without": plan["tools"] + " − " + plan["without"],
        "data": plan["data"],
        "prompts": plan["prompts"],
        "requests": plan["requests"],
        "family": plan["family"],
        "why": plan["why"],
    }
    return markdown(columns)


def draws() -> str:
    """A line a draw, state, reason and what was seen of accuracies before, with all parts of which these hold."""
    rows = pd.read_csv(DRAWS, keep_default_na=False)
    rows["order"] = rows["state"].map(STATES.index)
    same = ["draw", "order", "state", "date", "reason", "seen"]
    found = rows.groupby(same, sort=False)["part"].agg(", ".join).reset_index().sort_values(same[:2], kind="stable")
    return markdown({name: found[name] for name in ("draw", "state", "date", "part", "reason", "seen")})


def markdown(columns: Mapping[str, pd.Series]) -> str:
    lines = [list(columns), ["---"] * len(columns), *zip(*columns.values(), strict=True)]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


TABLES: dict[str, Callable[[], str]] = {"comparisons": comparisons, "draws": draws}
