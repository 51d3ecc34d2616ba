"""A run held against its plan, field by field: what is not as the study's file, and its seal, have
it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import NamedTuple

import pandas as pd

from trove_lite.candidates import UNAVAILABLE
from trove_lite.datasets import load_dataset
from trove_lite.errors import TroveLiteError
from trove_lite.methods import load_method
from trove_lite.prompts import load_pack
from trove_lite.prompts.base import PromptPack
from trove_lite.running.folder import HASH_OF_NOTHING

from .plan import HERE, Part, Study
from .sealing import OPEN, Planned, planned, seal_of, shortened, without_seed

LOST = 0.05  # of a part's samples: where more cannot be had, it is drawn again
#: What run.json says of how a part was made, and has to.
MADE = {"kind": "live", "isolation": "full"}
#: Since then a plan names its weights by digest; before, runs held the name of their file alone.
DIGESTS = "2026-11-29"
MINUTE = "%Y-%m-%d %H:%M"
#: Words that a stage has had since runs of this `hash`, of a stage that their pack has in our words
#: alone. A run's hash covers all stages of its methods, also those that it never asks.
REWORDED = HERE / "reworded.csv"
PROBLEM = ["seed", "category", "problem"]


class Found(NamedTuple):
    """What is said of a run beside its plan: `broken` lines, `notes` beside them, and why it is
    `sealed` ("": it is not); `rendered` is the hash of the prompts that its plan means."""

    broken: tuple[str, ...]
    notes: tuple[str, ...] = ()
    sealed: str = ""
    rendered: str = ""


@cache
def against_plan(run, part: Part | None, study: Study) -> Found:
    """What of a run (a `bench.Part`) is not as its part of the study's file has it."""
    if part is None:
        return Found((f"{study.name} plans no part {run.name}",))
    try:
        meant = planned(part, study)
    except TroveLiteError as error:
        return Found((str(error),))
    broken = [
        *not_as_sealed(part, study, meant),
        *other_settings(run.about, part, meant),
        *other_prompts(run, meant),
        *other_model(run, study),
        *other_weights(run, study),
        *other_rows(run, part, meant),
    ]
    notes = [*reworded(run), *unstated(run.about, meant), *missing(run)]
    return Found(
        tuple(f"{run.name}: {line}" for line in broken),
        tuple(f"{run.name}: {line}" for line in notes),
        meant.sealed,
        meant.rendered,
    )


def not_as_sealed(part: Part, study: Study, meant: Planned) -> Iterator[str]:
    """What the study's file means today and did not mean when it was sealed."""
    known = seal_of(part, study)
    if known is None:
        yield "was never sealed: run `python -m studies seal` before a plan's first sample"
        return
    if known.rendered != meant.rendered:
        yield f"its file asks other prompts ({meant.rendered}) than were sealed ({known.rendered})"
    yield from told("sealed", known.settings, meant.settings, "its file")


def other_settings(about: Mapping, part: Part, meant: Planned) -> Iterator[str]:
    """What run.json states otherwise than the plan means."""
    stated = {"grader": None} | shortened(about["settings"])
    stated |= {name: about.get(name) for name in MADE}
    wanted = {"grader": None} | MADE | meant.settings
    del wanted["own"]
    yield from told("planned", wanted, stated, "run.json")
    for name in sorted(stated.keys() - wanted.keys() - OPEN):
        yield f"{name} {stated[name]} in run.json, and the plan has no such setting"
    for method, own in meant.settings["own"].items():
        there = without_seed(shortened(about.get("methods", {}).get(method, {})))
        both = {name: value for name, value in own.items() if name in there}
        for line in told("planned", both, there, "run.json"):
            yield f"{method}.{line}"
    seeds = {"seeds": part.options.get("seeds", stated["seeds"])}
    yield from told("planned", seeds, stated, "run.json")
    hashes = {name: hashed for name, (_, hashed) in meant.problems.items()}
    yield from told("planned", hashes, about.get("data") or {}, "run.json", "problems of ")


def other_prompts(run, meant: Planned) -> Iterator[str]:
    """Whether the run's pack is another than the plan's, in what it asked or may have asked."""
    hashed = run.about.get("prompts", {}).get("hash")
    if hashed not in (meant.pack, HASH_OF_NOTHING) and not any(reworded(run)):
        yield f"prompts {hashed} in run.json, planned {meant.pack}"


def reworded(run) -> Iterator[str]:
    """What the pack has had since, of stages that this run never asked: without it the pack's hash
    is the run's."""
    about = run.about
    known = pd.read_csv(REWORDED, dtype=str)
    for row in known[known["hash"] == about.get("prompts", {}).get("hash")].itertuples():
        asked = row.stage in {*run.calls["stage"].astype(str)}
        if not asked and is_before(row, about):
            yield f"never asked {row.stage}, which its pack words anew since: +{row.words!r}"


def is_before(row, about: Mapping) -> bool:
    """Whether the pack has a row's hash without its words. Where the pack's files are not here the
    row is believed: it was checked where they are."""
    try:
        pack = load_pack(about["prompts"]["name"], load_dataset(row.dataset))
    except TroveLiteError:
        return True
    methods = map(load_method, about["settings"]["methods"])
    stages = {stage for method in methods for stage in method.stages or method.modes}
    return before(pack, row.stage, row.words).hash_of(stages) == row.hash


def before(pack: PromptPack, stage: str, words: str) -> PromptPack:
    """A pack as it was before it had these words in a stage that it has in our words."""
    ours = pack.hashed

    def template(category: str, asked: str):
        render = ours.template(category, asked)
        if asked != stage:
            return render
        return lambda *given, **more: render(*given, **more).replace(words, "")

    return replace(pack, hashed=replace(ours, template=template))


def told(first: str, wanted: Mapping, found: Mapping, second: str, what: str = "") -> Iterator[str]:
    """A line for each name whose value is another: `wanted` as it was planned or sealed, and what
    is `found`."""
    for name, value in wanted.items():
        if found.get(name, "nothing") != value:
            there = found.get(name, "nothing")
            yield f"{what}{name} {there} in {second}, {first} {value}"


def unstated(about: Mapping, meant: Planned) -> Iterator[str]:
    """Settings of methods that run.json does not state, since the kit of then had none."""
    for method, own in meant.settings["own"].items():
        there = about.get("methods", {}).get(method, {})
        if lacking := sorted(own.keys() - there.keys() - {"seed"}):
            yield f"was no setting yet: {method}.{', '.join(lacking)}"


def other_model(run, study: Study) -> Iterator[str]:
    """Whose replies they are, by run.json, the identity of its weights and both tables, where the
    plan names its models."""
    stated = {run.about["model"], *run.about.get("models", {}).values()}
    stated |= {one.get("name", "unknown") for one in identities(run)}
    written = {*run.candidates["model"].astype(str)}
    written |= {*run.calls["model"].dropna().astype(str)}
    if stated != written:
        ours, theirs = (", ".join(sorted(names)) for names in (stated, written))
        yield f"model {ours} in run.json, {theirs} in its tables"
    models = study.plan.get("models") or [*filter(None, [study.model])]
    if strange := ", ".join(sorted((stated | written) - {*models})):
        yield f"model {strange}, planned {', '.join(models) or 'none'}"


def other_weights(run, study: Study) -> Iterator[str]:
    """Weights that the plan does not name, by digest; those that nobody knows are none of them."""
    if "models" not in study.plan:
        return
    wanted = study.plan.get("weights", ["none"])
    by_name = study.plan.get("date", DIGESTS) < DIGESTS
    for one in identities(run):
        found = one.get("sha256") or (by_name and one.get("file")) or "unknown"
        if found not in wanted:
            yield f"weights {found}, planned {', '.join(wanted)}"


def identities(run) -> list[Mapping]:
    """Of which weights a run's roles are; an empty one where run.json does not say."""
    return [*run.about.get("identity", {}).values()] or [{}]


def other_rows(run, part: Part, meant: Planned) -> Iterator[str]:
    """Where there are not as many programs as problems, seeds and programs of a problem make. A
    problem of which a sample could not be had is known, and leaves both systems."""
    rows = run.candidates.query("phase == 'stream'").astype({"category": str})
    if again := int(rows.duplicated([*PROBLEM, "method", "mode", "sample"]).sum()):
        yield f"{again} samples are there twice"
    each = rows.groupby(PROBLEM).size()
    there = each.groupby(["seed", "category"]).size()
    for seed in part.options.get("seeds") or run.about["settings"]["seeds"]:
        for category, (number, _) in meant.problems.items():
            n = int(there.get((seed, category), 0))
            lost = sum(1 for one, _ in run.lost if one == category)
            if not number - lost <= n <= number:
                yield f"{n} of {number} problems of {category}, seed {seed}"
    if short := int((each != meant.programs).sum()):
        yield f"{short} of {len(each)} problems have not {meant.programs} programs"
    calls = run.calls.astype({"category": str})
    tokens = "completion_tokens"
    asked = calls.groupby(PROBLEM)[tokens].agg(["size", "sum"]).reindex(each.index)
    if short := int((~(asked["size"] >= each)).sum()):
        yield f"{short} of {len(each)} problems have fewer requests than programs"
    if short := int((asked["sum"] < rows.groupby(PROBLEM)[tokens].sum()).sum()):
        yield f"{short} of {len(each)} problems have requests of fewer tokens than their programs"
    own = tuple(meant.settings["own"])
    for method in rows["method"].astype(str).unique():
        if not method.startswith(own):
            yield f"programs of {method}, planned {', '.join(own)}"
    longest = meant.settings["sampling"]["max_tokens"]
    written = run.calls.loc[run.calls["mode"].notna(), tokens]  # a maker has its own
    if longer := int((written > longest + 1).sum()):  # servers count the end, or not
        yield f"{longer} replies are longer than {longest} tokens"
    lost = run.calls["finish_reason"].astype(str).eq(UNAVAILABLE).mean()
    if lost > LOST:
        yield f"{lost:.0%} of its requests could not be had, at most {LOST:.0%} may lack"


def missing(run) -> Iterator[str]:
    """The problems that leave both systems, since a sample of them could not be had."""
    if run.lost:
        named = [f"{category} {problem}" for category, problem in sorted(run.lost)]
        yield f"a sample could not be had of {', '.join(named)}"


def too_early(runs: Sequence, study: Study, name: str) -> str:
    """Whether runs were begun before their comparison was planned, or ended before they were begun,
    as a reason; "" where none was."""
    if not study.date_of(name):
        return f"{study.name} names no date of its plan"
    date = datetime.fromisoformat(study.date_of(name))
    for run in runs:
        try:
            times = [
                [datetime.fromisoformat(session[name]) for name in ("began", "ended")]
                for session in run.about["sessions"]
            ]
            first = min(times)[0]
            early = first < date
        except (KeyError, TypeError, ValueError):
            return f"{run.name} does not say when it was begun and ended"
        if early:
            return f"{run.name} was begun {first:{MINUTE}}, before its plan of {date:{MINUTE}}"
        if any(ended < began for began, ended in times):
            return f"{run.name} has a session that ended before it was begun"
    return ""


def problems_left(systems: Sequence[Sequence]) -> str:
    """How many problems both systems have after those that either lacks."""
    tables = [run.candidates for system in systems for run in system]
    every = [{*table.groupby(["category", "problem"], observed=True).groups} for table in tables]
    lost = {problem for system in systems for run in system for problem in run.lost}
    left = len(set.intersection(*every) - lost)
    of = len(set.union(*every))
    return f"{left} of {of} problems are in both systems"
