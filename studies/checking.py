"""What `check` and `read` print: each planned comparison beside its plan; programs to read, without
verdicts."""

from collections.abc import Iterable, Iterator, Sequence

import pandas as pd

from . import bench, rules
from .against import against_plan
from .plan import Study

WIDTH = 27  # of a comparison's name
LACKING = "a part is not run, not complete or withdrawn"


def says(parts: bench.Parts, study: Study) -> Iterator[str]:
    """What `check` prints of a study: its comparisons, or where it plans none its parts."""
    yield from checked(parts, study) if study.compared else parts_checked(parts, study)


def checked(parts: bench.Parts, study: Study) -> Iterator[str]:
    """A line a comparison of a study's plan: yes or no for each rule, whether it is taken into
    account, and why not. Below it what was compared: runs, problems, dates, factors, and what else
    is to be known of them."""
    family = pd.read_csv(bench.STUDY.with_name("plan.csv")).set_index("id")["family"]
    there = bench.complete(parts, study.compared, by_seed=study.by_seed)
    yield line_of("comparison", rules.RULES, "counts")
    for name, planned in study.compared.items():
        if name not in there:
            yield line_of(
                name,
                ["no"] * len(rules.RULES),
                f"no: {LACKING}",
            )
            continue
        look = rules.looked_at(name, there[name], study)
        reason = next(filter(None, look.why.values()), "")
        if not reason and family.get(name, "yes") != "yes":
            reason = "outside the family"
        yield line_of(
            name,
            ["no" if look.why[rule] else "yes" for rule in rules.RULES],
            f"no: {reason}" if reason else "yes",
        )
        for line in (*compared(name, there[name], planned, study), *look.notes):
            yield f"  {line}"
        for rule, why in look.why.items():
            if why and why != reason:
                yield f"  also not {rule}: {why}"


def line_of(name: str, words: Sequence[str], last: str) -> str:
    """A line of the table: a word below each rule."""
    wide = [word.ljust(len(rule)) for word, rule in zip(words, rules.RULES, strict=True)]
    return "  ".join([name.ljust(WIDTH), *wide, last])


def compared(name: str, systems: bench.Systems, planned: Sequence, study: Study) -> Iterator[str]:
    """Which runs were held against which, and against what plan."""
    one, other = (", ".join(part.name for part in system) for system in systems)
    yield f"{one} - {other}, by {bench.model_of(systems[0][0])}"
    if len(systems[0]) < len(planned[0]):
        yield f"seeds that stand alone: {one}"
    parts = [part for system in systems for part in system]
    sessions = [one for part in parts for one in part.about.get("sessions", ())]
    first = min((one["began"] for one in sessions if "began" in one), default="nobody knows")
    text = study.plan.get("text", "nowhere")
    yield f"planned {study.date_of(name) or 'never'} ({text}), runs from {first} on"
    known = rules.factors_of(name)
    if known:
        hashes = f"prompts {known['prompts_tools']} - {known['prompts_without']}"
        yield f"about {known['named']}; the systems differ in {known['differ']}; {hashes}"


def parts_checked(parts: bench.Parts, study: Study) -> Iterator[str]:
    """A line a part of a study that compares nothing: whether it is as its file has it."""
    planned = {part.name: part for part in study.parts}
    for name, run in parts.items():
        found = against_plan(run, planned.get(name), study)
        said = "no" if found.broken else "as planned"
        yield f"{name.ljust(WIDTH)}  {said}"
        for line in (*found.broken, *found.notes):
            yield f"  {line}"


def pages(parts: Iterable[bench.Part]) -> Iterator[str]:
    """The programs of `rules.to_read` of each part and mode as Markdown: what ran and what came of
    it, no verdict."""
    for part in parts:
        for mode in dict.fromkeys(part.candidates["mode"].astype(str)):
            row = f"{part.name},{part.hash},{mode},{rules.ENOUGH},drawn,DATE,WHAT WAS SEEN"
            yield f"# {part.name}, {mode}: log as {row}\n"
            for program in rules.to_read(part.candidates, mode, part.hash).itertuples():
                yield from page_of(program)


def page_of(program) -> Iterator[str]:
    yield f"## {program.category} {program.problem}, sample {program.sample}\n"
    yield from filter(None, (str(program.tools), str(program.solution)))
    said = str(program.output)[:300] if program.status == "ok" else program.error
    yield f"\n{program.status}: {said}\n"
