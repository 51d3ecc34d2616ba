"""The plan's grid by anybody's model: what it will cost and can show, what came of it.

PRIMITIVE, INSTANCE, TROVE and TROVE with an empty toolbox (a placebo: its CREATE and SKIP are
TROVE's requests) are a run folder each in FOLDER/runs. All replies are on a tape in FOLDER, so that
nothing is drawn twice, and what was stopped goes on anywhere. It selects, measures and draws
nothing of its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from math import ceil, nan
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from scipy import stats

from trove_lite.candidates import load_calls, load_candidates, read_description
from trove_lite.datasets import load_dataset
from trove_lite.errors import TroveLiteError
from trove_lite.models.money import Price
from trove_lite.models.tape import Tape
from trove_lite.running.live import live_run
from trove_lite.running.settings import RunSettings

from ..calls import funnel, of_runs, read_runs, read_tool_calls
from ..differences import differences
from ..scores import score
from ..systems import compare

#: Of every run, as the plan has it (studies/WHOLE.md). The sampling settings are the papers', which
#: are the defaults.
PLANNED = {"name": "bench", "preset": "official", "k": 15, "time_limit": 10.0}
TIERS = {
    "small": {"dataset": "practice", "prompts": "practice", "limit": 5, "seeds": (0, 1)},
    "counting": {
        "dataset": "math",
        "prompts": "official",
        "categories": ("counting",),
        "seeds": (0, 1, 2),
    },
    "math": {"dataset": "math", "prompts": "official", "seeds": (0, 1, 2)},
}
TROVE = "trove"
EMPTY = "empty"
SYSTEMS = {
    "primitive": {},
    "instance": {},
    TROVE: {},
    EMPTY: {"choices": {TROVE: {"toolbox": "none"}}},
}
#: The plan's comparisons: the systems' names in tables.
COMPARED = [("trove", "primitive"), ("trove", "trove_no_toolbox"), ("instance", "primitive")]
#: Standard errors that a 95 % interval is wide to one system, and a difference that is shown at 80 %
#: power.
SURE = stats.norm.ppf(0.975)
SHOWN = SURE + stats.norm.ppf(0.8)
TOKENS = "prompt_tokens", "completion_tokens"
MEASURE = "one_stage_described"  # agreement, one vote a program: the plan's primary measure
FIRST = 20  # problems, over all categories, of which the price is made out


def grid(tier: str, model: str | None, **options: object) -> dict[str, RunSettings]:
    """A tier's runs, by system."""
    common = PLANNED | TIERS[tier] | {"model": model} | options
    return {
        system: RunSettings(methods=(TROVE if own else system,), **common | own)
        for system, own in SYSTEMS.items()
    }


class Cost(NamedTuple):
    """What is asked of a model: requests, tokens read and written, and how many hours that takes at
    its speed here."""

    requests: float
    read: float
    written: float
    hours: float = 0.0

    def text(self, price: Price | None = None) -> str:
        told = f"{self.requests:,.0f} requests, {self.read:,.0f} tokens read, {self.written:,.0f} tokens written"
        told += f", {self.hours:.2g} hours here" if self.hours > 0 else ""
        return told + (f"; {price.of(self.read, self.written):,.4g} by --prices" if price else "")


def problems_of(settings: RunSettings) -> dict[str, int]:
    """How many problems each category of a run has."""
    dataset = load_dataset(settings.dataset)
    return {
        category: len(dataset.load(category)[: settings.limit]) for category in settings.categories
    }


def pilot(runs: Mapping[str, RunSettings], out: Path, tier: str, **how: object) -> Cost:
    """The whole's cost by its own first problems, a seed of them: their replies stay on the tape,
    and are not lost."""
    asked = []
    found = 0
    ran = timedelta()
    for system, settings in runs.items():
        sizes = problems_of(settings)
        few = min(ceil(FIRST / len(sizes)), max(sizes.values()))
        first = replace(settings, limit=few, seeds=settings.seeds[:1])
        folder = made(first, out / "pilot" / f"{tier}-{system}", out, **how)
        for session in read_description(folder)["sessions"]:
            ran += datetime.fromisoformat(session["ended"]) - datetime.fromisoformat(
                session["began"]
            )
        calls = load_calls(folder)
        calls = (
            calls[calls["mode"] == "import"] if system == EMPTY else calls
        )  # the others are TROVE's
        times = (
            calls["category"]
            .astype(str)
            .map({c: len(settings.seeds) * n / min(n, few) for c, n in sizes.items()})
        )
        asked.append((times.sum(), *(times @ calls[name].astype(float) for name in TOKENS)))
        found += len(calls)
    requests, *tokens = (float(sum(each)) for each in zip(*asked, strict=True))
    hours = ran.total_seconds() / 3600 * requests / found
    return Cost(requests, *tokens, hours=hours)


def made(
    settings: RunSettings, folder: Path, out: Path, *, max_cost: float | None, **how: object
) -> Path:
    """A run of the bench in `out`, by replies of its tape, with what the others left of the
    money."""
    spent = sum(read_description(one).get("cost", 0) for one in out.glob("*/*") if one != folder)
    if max_cost and spent >= max_cost:
        raise TroveLiteError(
            f"{spent:.6g} of --max_cost {max_cost:g} is spent: give a larger one to go on"
        )
    return live_run(settings, folder, tape=out, max_cost=max_cost and max_cost - spent, **how)


def spent(folder: Path) -> Cost:
    """What was asked of the model until now: what is on the tape."""
    lines = Tape(folder).replies.values()
    replies = [line["reply"] for line in lines if "reply" in line]  # the others were refused
    return Cost(
        len(lines),
        *(sum(nan if one[name] is None else one[name] for one in replies) for name in TOKENS),
    )


def can_show(known: Path, problems: int, seeds: int) -> list[str]:
    """For each comparison the difference that such a grid shows at 80 % power, and its power for 2
    points.

    known: a table of standard errors in points, by comparison, as studies/power.csv has them of so
    many problems and seeds. There are two bounds: nothing is gained from more seeds (`alone`), or
    all noise is between seeds (`spread`). Raises TroveLiteError for a file that is no such table.
    """
    lines = []
    for row in standard_errors(known).itertuples():
        share = row.problems / problems
        alone = row.alone * share**0.5
        spread = row.spread * (share * row.seeds / seeds) ** 0.5
        bounds = sorted((alone, spread), reverse=True)
        least = " to ".join(f"{SHOWN * se:.1f}" for se in bounds)
        power = " to ".join(f"{stats.norm.sf(SURE - 2 / se):.2f}" for se in bounds)
        lines.append(f"{row.a} - {row.b}: {least} points are shown; power for 2 points {power}")
    return lines


def standard_errors(path: Path) -> pd.DataFrame:
    """The table that `can_show` reads."""
    columns = ["a", "b", "alone", "spread", "problems", "seeds"]
    try:
        return pd.read_csv(path)[columns]
    except (OSError, ValueError, KeyError) as error:
        raise TroveLiteError(
            f"{path}: no table of standard errors with the columns {', '.join(columns)} ({error})"
        ) from error


def row_of(tier: str, runs: Sequence[Path], called: Path) -> pd.DataFrame:
    """The model's row for the table of models: differences by the plan's primary measure, with 95 %
    intervals."""
    rows = load_candidates(*runs)
    calls = load_calls(*runs)
    systems = compare(rows)
    scores = {
        name: score(system, MEASURE, PLANNED["k"]) for name, system in systems.systems.items()
    }
    found = (
        differences(systems, scores, pairs=COMPARED)
        .drop_duplicates(["a", "b"], keep="last")
        .set_index(["a", "b"])
    )
    stream = rows[rows["phase"] == "stream"]
    row = {
        "model": str(rows["model"].iloc[0]).rpartition("#")[2],
        "tier": tier,
        "measure": MEASURE,
        "problems": len(stream[["category", "problem"]].drop_duplicates()),
        "seeds": stream["seed"].nunique(),
    }
    for pair in COMPARED:
        name = " - ".join(pair)
        cells = found.loc[pair] if pair in found.index else {}
        row |= {
            name: cells.get("difference"),
            f"{name}, low": cells.get("low"),
            f"{name}, high": cells.get("high"),
        }
    programs, tools = read_tool_calls(called)
    calling = programs[programs["called"]]
    row |= {
        "tools made": int((tools["body"].astype(bool) & tools["made_at"].notna()).sum()),
        "could call": len(programs),
        "call": len(calling),
        "calls right": int(calling["verdict"].sum()),
        "requests": len(calls),
    }
    return pd.DataFrame([row | {name: calls[name].sum(min_count=1) for name in TOKENS}])


def funnel_lines(runs: Sequence[Path], called: Path) -> list[str]:
    """From a made tool to a right answer."""
    table = funnel(of_runs(read_tool_calls(called)[0], read_runs(runs)))
    links = table.itertuples() if len(table) else ()
    return [
        f"{one.link}: {one.programs:,} of {one.of:,} programs ({100 * one.value:.1f} %)"
        for one in links
    ]
