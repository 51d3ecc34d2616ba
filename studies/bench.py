"""The bench: every method on the same problems, and the comparisons that were planned before
looking."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from trove_lite.candidates import name_table, read_description
from trove_lite.errors import TroveLiteError
from trove_lite.selection.tables import in_order
from trove_lite_analysis.differences import difference
from trove_lite_analysis.recorded.judging import corrected
from trove_lite_analysis.scores import estimate, score, without

from . import rules
from .plan import Study, is_complete, read_study
from .publish import Tables, explained, tables_of

STUDY = Path(__file__).with_name("bench.toml")
DETECTABLE = 2.8  # standard errors: a difference shown at 5 %, two-sided, with a chance of 80 %
#: The measures that the plan compares; the first decides.
PLANNED = ("agreement", "agreement of a third", "right programs")
#: Beside them: agreement as TroVE describes it. By the papers' programs each number that is printed
#: has a vote.
ONE_VOTE = "agreement, one vote a program"
#: And by the right answers of six problems whose released gold or reading is wrong
#: (`judging.CORRECTIONS`).
CORRECTED = "agreement, corrected golds"
OVER = 1.25  # times the planned requests: a part that spent more is not of the planned size
BUDGETS = (1, 2, 3, 5, 7, 10, 12, 15)  # samples a problem, of the curves
PROBLEM = ["run", "category", "problem"]


class Part(NamedTuple):
    """A complete part: its candidates in the order of sampling, requests, run.json, checks that
    nobody explained, the hash of its candidates, problems of which a sample could not be had, and
    the folder of its study's results."""

    name: str
    candidates: pd.DataFrame
    calls: pd.DataFrame
    about: Mapping
    checks: tuple[str, ...]
    hash: str = ""
    lost: frozenset[tuple[str, int]] = frozenset()
    home: Path = Path()
    # one is no other, so that what was computed of it can be kept (`cache`)
    __eq__ = object.__eq__
    __hash__ = object.__hash__


#: Planned comparisons by their ids: the parts of both systems, a part a seed, those with tools first.
Pairs = Mapping[str, Sequence[Sequence[str]]]
#: Complete parts by their names.
Parts = Mapping[str, Part]
#: The systems of a comparison, a part a seed.
Systems = Sequence[Sequence[Part]]


def read_parts(
    folders: Iterable[str | Path], only: Sequence[str] = (), study: Study | None = None
) -> dict[str, Part]:
    """The complete parts of a study (None: the bench) among these folders, in its order, without
    what it withdraws.

    only: of these names alone, where any is given. Raises TroveLiteError where there is none.
    """
    study = study or read_study(STUDY)
    paths = {Path(folder).name: Path(folder) for folder in folders}
    found = {}
    for part in study.parts:
        path = paths.get(part.name)
        if path and is_complete(path) and not part.withdrawn and (not only or part.name in only):
            tables = tables_of(path)
            checks = [line for line, why in explained(part, path, tables) if not why]
            found[part.name] = part_of_run(path, checks, tables)
    if not found:
        raise TroveLiteError(
            f"no complete part of {study.name} is given; `python -m studies run` makes them"
        )
    return found


def part_of_run(path: Path, checks: Sequence[str], tables: Tables | None = None) -> Part:
    """A run folder as a part, with these checks of its health; another is told where it spent more
    than planned."""
    about = read_description(path)
    candidates, requests = tables or tables_of(path)
    rows = candidates[candidates["phase"] == "stream"]
    calls = requests[requests["phase"] == "stream"]
    return Part(
        path.name,
        in_order(rows),
        calls,
        about,
        (*checks, *off_budget(about, rows, calls)),
        rules.hash_of(path),
        frozenset(rules.unavailable(rows)),
        path.parent.parent,
    )


def off_budget(about: Mapping, rows: pd.DataFrame, calls: pd.DataFrame) -> tuple[str, ...]:
    """A line where a problem took far more requests than planned: repairs are requests, and nobody
    knows how many."""
    planned = about["settings"]["k"]
    spent = len(calls) / rows.groupby(PROBLEM, observed=True).ngroups
    return (
        (f"{spent:.0f} requests a problem, where {planned} were planned",)
        if 1 < planned < spent / OVER
        else ()
    )


@cache
def problems_of(part: Part) -> int:
    return part.candidates.groupby(PROBLEM, observed=True).ngroups


@cache
def samples_of(part: Part) -> int:
    """Of a problem: those among which agreement chooses."""
    return int(part.candidates.groupby(PROBLEM, observed=True).size().mode().max())


def any_of(part: Part) -> pd.DataFrame:
    """A part's samples without their modes: a subset may be any of a problem's."""
    return part.candidates.assign(
        mode="any", place=0, sample=part.candidates.groupby(PROBLEM, observed=True).cumcount()
    )


#: Each problem's scores: agreement over all samples and over a third of them, the share of right
#: programs, both of any samples; agreement with one vote a program; and whether any is right
#: (pass@k, at all k).
MEASURES = {
    "agreement": lambda part: score(part.candidates, "one_stage", samples_of(part)),
    "agreement of a third": lambda part: agreement_of(
        part, max(1, round(samples_of(part) / 3)), resamples=1000
    ),
    "right programs": lambda part: score(any_of(part), "oracle", 1),
    ONE_VOTE: lambda part: score(part.candidates, "one_stage_described", samples_of(part)),
    CORRECTED: lambda part: score(corrected(part.candidates), "one_stage", samples_of(part)),
    "oracle": lambda part: score(part.candidates, "oracle", samples_of(part)),
}


@cache
def scores_by(measure: str, part: Part) -> pd.DataFrame:
    return MEASURES[measure](part)


@cache
def agreement_of(part: Part, samples: float, resamples: int = 200) -> pd.DataFrame:
    """Each problem's expected score by agreement of so many of its samples, any of them; of 7.4: in
    6 of 10 cases 7, in 4 of 10 cases 8. `resamples`: the most subsets."""
    few = int(samples)
    chance = samples % 1
    rows = any_of(part)
    found = score(rows, "one_stage", few, resamples=resamples)
    if chance:  # both have the order of the table
        more = score(rows, "one_stage", few + 1, resamples=resamples)["score"]
        found = found.assign(score=(1 - chance) * found["score"] + chance * more)
    return found.assign(worth=samples_of(part) / samples)


def methods(parts: Parts) -> pd.DataFrame:
    """A row a part: what it answers right, with 95 % intervals, what a problem cost, what tools it
    made and used."""
    rows = []
    for part in parts.values():
        settings = part.about["settings"]
        problems = problems_of(part)
        row = {
            "part": part.name,
            "method": str(part.candidates["method"].iloc[0]),
            "dataset": settings["dataset"],
            "prompts": part.about["prompts"]["name"],
            "seeds": " ".join(map(str, settings["seeds"])),
            "problems": problems,
        }
        for measure in MEASURES:
            value, low, high, *_ = estimate(scores_by(measure, part))
            row |= {measure: value, f"{measure}, low": low, f"{measure}, high": high}
        kept = part.about.get("toolboxes")
        could, do, _ = (
            rules.calls_of(part, shown=False) if rules.makes_tools(part.about) else rules.NONE
        )
        row |= {
            "requests": len(part.calls) / problems,
            "tokens read": part.calls["prompt_tokens"].sum() / problems,
            "tokens written": written([part]),
            "tools made": sum(map(len, rules.functions_kept(kept).values())) if kept else None,
            "calls a tool": do / could if could else None,
            "signs": "; ".join(part.checks),
        }
        rows.append(row)
    return name_table(pd.DataFrame(rows), "methods", "Every method on the same problems")


def planned() -> Pairs:
    """The bench's planned comparisons."""
    return read_study(STUDY).compared


def differences(parts: Parts, pairs: Pairs) -> pd.DataFrame:
    """A row a planned comparison (as of `planned`) and measure whose parts are all complete: tools
    minus without, and the rules of the plan that it meets (`rules.met`). A problem that a run of
    either system lacks is in neither."""
    rows = []
    study = read_study(STUDY)
    for name, systems in complete(parts, pairs).items():
        rows_of = (
            {"id": name} | rules.met(name, systems, study) | {"model": model_of(systems[0][0])}
        )
        for measure in (*PLANNED, ONE_VOTE, CORRECTED):
            for cells, v in difference(*scores_of(systems, measure)):
                about = {"measure": measure, "detectable": DETECTABLE * v.se}
                rows.append(rows_of | about | cells)
    return name_table(
        pd.DataFrame(rows), "differences", "Planned comparisons: with tools minus without"
    )


def model_of(part: Part) -> str:
    return part.about["model"].rpartition("#")[2]


def scores_of(systems: Systems, measure: str) -> list[pd.DataFrame]:
    """Both systems' scores by a measure, on the problems that no run of either lacks."""
    lost = lost_by(systems)
    return [
        without(pd.concat([scores_by(measure, part) for part in system]), lost)
        for system in systems
    ]


def complete(
    parts: Parts,
    pairs: Pairs,
    *,
    by_seed: bool = False,
) -> dict[str, list[list[Part]]]:
    """The comparisons whose parts are all there, with them; by_seed: those of which a seed is, with
    its parts alone."""
    found = {}
    for name, systems in pairs.items():
        if by_seed and len({len(system) for system in systems}) == 1:
            seeds = [own for own in zip(*systems, strict=True) if set(own) <= set(parts)]
            systems = list(zip(*seeds, strict=True)) if seeds else systems
        if all(part in parts for system in systems for part in system):
            found[name] = [[parts[part] for part in system] for system in systems]
    return found


def lost_by(systems: Systems) -> frozenset[tuple[str, int]]:
    return frozenset().union(*(part.lost for system in systems for part in system))


def written(system: Sequence[Part]) -> float:
    """Tokens that a system's model wrote for a problem, on the mean over problems and runs, with all
    that was asked."""
    return float(
        sum(part.calls["completion_tokens"].sum() for part in system)
        / sum(map(problems_of, system))
    )


def equal_tokens(parts: Parts, pairs: Pairs) -> pd.DataFrame:
    """A row a planned comparison (as `differences`): agreement where both systems write as many
    tokens a problem.

    The system that writes more keeps the same share of every problem's samples, any of them
    (`agreement_of`); the other keeps all. `as drawn` is the difference at all samples. The plan
    does not name this measure: it decides nothing.
    """
    rows = []
    plan = read_study(STUDY).plan
    for name, systems in complete(parts, pairs).items():
        tokens = [written(system) for system in systems]
        kept = [min(tokens) / each for each in tokens]
        if any(
            share * samples_of(part) < 1
            for share, system in zip(kept, systems, strict=True)
            for part in system
        ):
            continue
        a, b, *all_of = (
            without(
                pd.concat([agreement_of(part, share * samples_of(part)) for part in system]),
                lost_by(systems),
            )
            for share, system in zip((*kept, 1, 1), (*systems, *systems), strict=True)
        )
        for (whole, _), (cells, v) in zip(difference(*all_of), difference(a, b), strict=True):
            row = {
                "id": name,
                "tools_used": rules.tools_used(systems[0], plan)[0],
                "tokens, tools": tokens[0],
                "tokens, without": tokens[1],
                "at tokens": min(tokens),
                "kept, tools": kept[0],
                "kept, without": kept[1],
                "tools": a["score"].mean(),
                "without": b["score"].mean(),
                "as drawn": whole["difference"],
            }
            rows.append(row | cells | {"detectable": DETECTABLE * v.se})
    return name_table(
        pd.DataFrame(rows), "equal_tokens", "Agreement at equal written tokens, not planned"
    )


def frontier(parts: Parts) -> pd.DataFrame:
    """A row a pack of prompts, method and number of samples: agreement with 95 % interval, and
    tokens written for it.

    The runs of a method are taken together; one request a problem is no curve. Subsets are any of a
    problem's samples, so that tokens grow with them.
    """
    rows = []
    systems = {}
    for part in parts.values():
        settings = part.about["settings"]
        if settings["dataset"] == "math_bench":
            empty = settings["choices"].get("trove", {}).get("toolbox") == "none"
            name = "TROVE, no toolbox" if empty else str(part.candidates["method"].iloc[0])
            systems.setdefault((f"{part.about['prompts']['name']} prompts", name), []).append(part)
    for (prompts, name), runs in systems.items():
        if (n := min(map(samples_of, runs))) == 1:
            continue
        for k in sorted({min(k, n) for k in BUDGETS}):
            found = estimate(pd.concat([agreement_of(part, k) for part in runs]))
            row = {
                "prompts": prompts,
                "system": name,
                "samples": k,
                "of": n,
                "tokens written": k / n * written(runs),
                "value": found.value,
                "low": found.low,
                "high": found.high,
                "problems": found.problems,
                "runs": found.runs,
            }
            rows.append(row)
    return name_table(pd.DataFrame(rows), "frontier", "Accuracy against written tokens")
