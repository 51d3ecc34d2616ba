"""The rules of the plan ("What is counted", PLAN.md) as code over files: which comparisons count,
and why not."""

import ast
import hashlib
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from trove_lite.candidates import UNAVAILABLE
from trove_lite.programs import code_blocks, parsed
from trove_lite.programs.calling import TABLE, names_called, read_calls
from trove_lite.programs.definitions import definitions
from trove_lite_analysis.unlike import in_words, unlike

from .against import against_plan, identities, problems_left, too_early
from .factors import REPRODUCTION, SETTINGS, measured_by
from .plan import FACTORS, HERE, Study

#: What was read before accuracies were compared: the `hash` of these candidates, how many of the
#: mode (`read`), and `which`: `drawn` (by `to_read`, so that all can open them), or `told` (nobody
#: noted which: it is not used).
READ = HERE / "read.csv"
#: Faults that were found and are not mended: `of` is a part, or a comparison whose systems differ in
#: more than the tool.
FAULTS = HERE / "faults.csv"
ENOUGH = 30  # programs of each mode
USED = 0.05  # of the programs that could call a made tool, the share that must
#: Methods and modes that make no tool by design: nothing can be used there, and that is no lack.
TOOLLESS = ("primitive", "memory", "pot", "cot")
PLACE = ["category", "problem", "sample", "program"]
#: Of a run's programs, the share that another run has at the same place if it is a copy. TROVE and
#: itself with an empty toolbox share two thirds.
COPIED = 0.9
BY_DESIGN = "a control: no tool is made, by design"
LACKING = "no tool was made"  # how such a program's error begins
#: What has to hold of a comparison, in the order in which a broken rule is told.
RULES = (
    "complete",
    "no_fault",
    "one_factor",
    "tools_used",
    "as_planned",
    "alike",
    "healthy",
    "read",
    "dated",
)
#: The factor that a fact is in which two systems' tables differ (`unlike`); of a setting that of
#: `factors.SETTINGS`.
FACTS = {
    "programs that think in comments": "thought",
    "programs that print more than three": "votes",
    "requests a problem": "budget",
    "samples a problem": "budget",
    "prompts": "",  # what they say is compared, not what they are called
    "chat": "form",
    "grader": "grader",
}


class Calls(NamedTuple):
    """How many programs could call a made tool, how many do, and of how many of these what the call
    returns reaches what is printed."""

    could_call: int
    call: int
    use: int


NONE = Calls(0, 0, 0)


def to_read(rows: pd.DataFrame, mode: str, hashed: str) -> pd.DataFrame:
    """The thirty programs of a mode that are read, drawn by the hash of the candidates: the same
    for everybody."""
    own = rows[rows["mode"] == mode]
    rng = random.Random(f"{hashed} {mode}")
    drawn = rng.sample(range(len(own)), min(ENOUGH, len(own)))
    return own.iloc[sorted(drawn)]


def hash_of(folder: Path) -> str:
    """The hash of a part's candidates, as the reading log has it."""
    return hashlib.sha256((folder / "candidates.parquet").read_bytes()).hexdigest()[:12]


@cache
def _table(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def unread(system: Sequence, log: pd.DataFrame | None = None) -> str:
    """The modes of a system of which fewer than thirty programs were read, as a reason; "" where
    there is none."""
    log = _table(READ) if log is None else log
    drawn = log[log["which"] == "drawn"].astype({"read": int})
    read = drawn.groupby(["part", "hash", "mode"])["read"].sum()
    found: Counter[str] = Counter()
    for part in system:
        for mode in part.candidates["mode"].unique():
            found[mode] += int(read.get((part.name, part.hash, mode), 0))
    few = ", ".join(f"{n} of {mode}" for mode, n in found.items() if n < ENOUGH)
    return f"fewer than {ENOUGH} programs read: {few} ({system[0].name})" if few else ""


def faults(names: Iterable[str]) -> str:
    """The faults known of these parts and comparisons, with their dates, as a reason."""
    known = _table(FAULTS)
    theirs = known[known["of"].isin(list(names))]
    return "; ".join(theirs["date"] + ": " + theirs["fault"])


def makes_tools(about: Mapping) -> bool:
    """Whether a run's method makes tools that later programs may call, by its run.json."""
    settings = about["settings"]
    empty = settings["choices"].get("trove", {}).get("toolbox") == "none"
    return not empty and not set(settings["methods"]) <= set(TOOLLESS)


def tools_used(system: Sequence, plan: Mapping[str, object]) -> tuple[bool | None, Calls]:
    """Whether of the programs that could call a made tool one in twenty does; None where no tool is
    meant to be made.

    An import is no tool. Where nothing can be counted (no program could call one) the answer is
    False. plan: whether `uses` is "called" or "used", and whether of those alone whose prompt lists
    one (`shown`).
    """
    each = [
        calls_of(part, shown=bool(plan.get("shown"))) for part in system if makes_tools(part.about)
    ]
    if not each:
        return None, NONE
    found = Calls(*map(sum, zip(*each, strict=True)))
    does = found.call if plan.get("uses") == "called" else found.use
    return does >= USED * found.could_call > 0, found


@cache
def calls_of(part, *, shown: bool = False) -> Calls:
    """Of the programs that could call a made tool, those that do, as `trove-lite calls` found it.

    INSTANCE's programs hold their tool: each could. Where that command was not run (its table is
    not in the part's `home`), none could.
    """
    if set(part.candidates["mode"]) == {"instance"}:
        texts = part.candidates[["solution", "tools"]].itertuples(index=False, name=None)
        known = ((text, defined(tools)) for text, tools in texts)
        return counted((without(text, tools), tools) for text, tools in known)
    errors = part.candidates["error"].astype(str)
    if errors.str.contains(LACKING, regex=False).mean() > 0.5:
        # LATM's, where most questions have no tool: what the others do is no answer
        return Calls(len(part.candidates), 0, 0)
    found = _found(part.home / TABLE)
    found = found[(found["part"] == part.name) & found["model"].isin(part.candidates["model"])]
    could = found[found["shown"].astype(bool)] if shown else found
    calls = could[could["tools"].str.len() > 0]
    return Calls(len(could), len(calls), int(calls["printed"].sum()))


def counted(programs: Iterable[tuple[str, set[str]]]) -> Calls:
    """Of programs, each with the tools that it could call, those that call one and print what it
    returns."""
    could = call = use = 0
    for code, tools in programs:
        could += 1
        if tools & names_called(code):
            call += 1
            use += read_calls(code, dict.fromkeys(tools, "")).printed
    return Calls(could, call, use)


def without(text: object, tools: set[str]) -> str:
    """A program without the tools that it writes once more: its call then means the tool."""
    code = _code(text)
    if not any(f"def {tool}" in code for tool in tools):
        return code
    return "\n".join(
        ast.unparse(node) for node in parsed(code) if getattr(node, "name", "") not in tools
    )


def functions_kept(toolboxes: Iterable[Mapping]) -> dict[tuple[str, int], set[str]]:
    """Category and seed → the names of the functions that were kept: imports and names without a
    body are none."""
    kept = {}
    for entry in toolboxes:
        key = (entry["category"], entry["seed"])
        names = kept.setdefault(key, set())
        if "tool" in entry:
            names |= defined(entry["tool"])
        elif "(" in entry["signature"]:
            names.add(entry["name"])
    return kept


@cache
def _found(path: Path) -> pd.DataFrame:
    columns = ["part", "model", "phase", "tools", "shown", "printed"]
    there = (
        pd.read_parquet(path, columns=columns) if path.is_file() else pd.DataFrame(columns=columns)
    )
    return there.query("phase != 'retry'")


def _code(text: object) -> str:
    return "\n\n".join(code_blocks(str(text))) or str(text)


def defined(text: object) -> set[str]:
    """The functions that a text's Python defines."""
    found = definitions(_code(text))
    return {one.name for one in found.tools} if found else set()


def factors_of(name: str) -> Mapping[str, str]:
    """In what the systems of a comparison differ, and in which factor they are said to (FACTORS);
    empty where unknown."""
    known = _table(FACTORS).set_index("id")
    return dict(known.loc[name]) if name in known.index else {}


def unavailable(rows: pd.DataFrame) -> set[tuple[str, int]]:
    """The problems of which a sample could not be had: they leave both systems of each comparison."""
    lost = rows[rows["status"].astype(object) == UNAVAILABLE]
    return set(zip(lost["category"].astype(str), lost["problem"], strict=True))


def met(name: str, systems: Sequence[Sequence], study: Study) -> dict[str, object]:
    """The rules that a comparison meets whose parts are all there, and in `reason` the first that
    it does not.

    Each has to be known to hold. Only a comparison about the tool needs that tools are used.
    """
    look = looked_at(name, systems, study)
    return (
        {rule: not look.why[rule] for rule in RULES}
        | look.calls._asdict()
        | {"reason": next(filter(None, look.why.values()), ""), "tools_used": look.used}
    )


class Judgement(NamedTuple):
    """What was compared: why a rule does not hold ("": it does), whether tools were used, calls,
    and notes."""

    why: Mapping[str, str]
    used: bool | None
    calls: Calls
    notes: Sequence[str]


def looked_at(name: str, systems: Sequence[Sequence], study: Study) -> Judgement:
    """A comparison beside its plan, rule by rule."""
    parts = [part for system in systems for part in system]
    planned = {part.name: part for part in study.parts}
    held = [
        [against_plan(run, planned.get(run.name), study) for run in system] for system in systems
    ]
    every = [found for system in held for found in system]
    factor = study.factors.get(name, "tool")
    used, calls = tools_used(systems[0], study.plan)
    why = {
        "complete": "",
        "no_fault": faults([name, *(part.name for part in parts)]),
        "one_factor": other_factors(name, [system[0].rendered for system in held], study),
        "tools_used": idle(used, calls, study.plan) if factor == "tool" else "",
        "as_planned": "; ".join(line for found in every for line in found.broken),
        "alike": "; ".join([*unlike_systems(name, systems, factor), *copies(parts)]),
        "healthy": "; ".join(dict.fromkeys(check for part in parts for check in part.checks)),
        "read": "; ".join(filter(None, map(unread, systems))),
        "dated": too_early(parts, study, name),
    }
    notes = [line for found in every for line in found.notes]
    notes += [f"sealed: {found.sealed}" for found in every if found.sealed]
    return Judgement(
        why,
        used,
        calls,
        [problems_left(systems), *dict.fromkeys(notes)],
    )


def idle(used: bool | None, calls: Calls, plan: Mapping) -> str:
    """Why tools were not used; "" where they were."""
    if used:
        return ""
    if used is None:
        return BY_DESIGN
    if not calls.could_call:
        return "no call was counted; `trove-lite calls` counts them"
    if plan.get("uses") == "called":
        return f"a made tool is called by {calls.call} of {calls.could_call} programs"
    return (
        f"a made tool is used by {calls.use} of {calls.could_call} programs, called by {calls.call}"
    )


def other_factors(name: str, rendered: Sequence[str], study: Study) -> str:
    """In which factors the systems differ besides the one that they name, by what was rendered
    before; as a reason.

    rendered: the hashes of both systems' prompts.
    """
    known = factors_of(name)
    if not known:
        return f"{FACTORS.name} has no {name}: `python -m studies plan` never saw it"
    if [known["prompts_tools"], known["prompts_without"]] != [*rendered]:
        return f"its systems ask other prompts than those of {name} in {FACTORS.name}"
    for what, now in measured_by(study, name).items():
        if known[what] != now:
            return f"{what} {now}, planned {known[what]}"
    if known["named"] != (said := study.factors.get(name, known["named"])):
        return f"its file says that it is about {said}, planned {known['named']}"
    more = known["more_than_named"]
    return f"the systems also differ in {more}" if more else ""


def copies(parts: Iterable) -> Iterator[str]:
    """Parts that hold another's programs: a run copied to another place, under another seed or
    name."""
    held = [
        (part.name, {*part.candidates[PLACE].itertuples(index=False, name=None)}) for part in parts
    ]
    for (one, known), (other, found) in combinations(held, 2):
        if len(known & found) > COPIED * len(known):
            yield f"{one} and {other} hold the same programs: one run, twice"


def unlike_systems(name: str, systems: Sequence[Sequence], factor: str) -> list[str]:
    """In what the tables and settings of two systems differ that is not the named factor, a line
    each. A reproduction, whose systems have the papers' words, may differ in all that was found of it
    before."""
    known = factors_of(name)
    told = {factor, ""}
    if known.get("named") == REPRODUCTION:
        told |= {*known["differ"].split(", ")}
    rows = [pd.concat([part.candidates for part in system]) for system in systems]
    calls = [pd.concat([part.calls for part in system]) for system in systems]
    about = [[part.about for part in system] for system in systems]
    found = unlike(*rows, calls, about)
    factor_of = SETTINGS | FACTS
    factors = found["fact"].map(lambda fact: factor_of.get(fact, fact))
    lines = in_words(found[~factors.isin(told)])
    weights = {
        str(sorted(one.items()))
        for system in systems
        for part in system
        for one in identities(part)
    }
    if len(weights) > 1 and "model" not in told:
        lines.append(f"weights: {' and '.join(sorted(weights))}")
    return [f"the systems differ: {line}" for line in lines]
