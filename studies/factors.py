"""In what two systems of a comparison differ, found from what their models read and not from what
they are called.

A system is a part of a study. Its method is played over two questions with replies in which all goes
well, so that a toolbox fills and what is remembered is shown; what it asks about the second
question is taken apart. The run's own settings are added. A comparison that meets the plan
differs only in the factor that it names.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from statistics import mean
from typing import NamedTuple

import pandas as pd

from trove_lite.errors import TroveLiteError
from trove_lite.running.settings import RunSettings

from .asked import GIVEN, MADE, QUESTIONS, play, rendered, settings_of_part
from .plan import FACTORS, Part, Study, read_study

#: Of FACTORS. `prompts_…` are the hashes of what both systems' prompts say (`rendered`).
COLUMNS = ["id", "named", "differ", "more_than_named", "prompts_tools", "prompts_without"]
#: The first of the plan's measures, within what two systems are equal, what a tool must be, the
#: models that are asked, their weights, and where and when it was planned.
MEASURED = ["measure", "margin", "uses", "models", "weights", "plan"]
COLUMNS += MEASURED
REPRODUCTION = "reproduction"
TOOL = "tool"
#: Two numbers are one where they differ by no more than this factor: a part may spend as much over
#: its plan.
ALIKE = 1.25
THOUGHT = 40  # characters of comment or prose a worked answer: two that differ by fewer think alike
#: A worked example's question, up to a blank line or what follows.
WORKED = re.compile(
    r"^(?:\*\*Question\*\*|#+ ?Question|Question:|Q:)[ \t]*\n?(.*?)(?=\n\s*\n|\n\*\*|\n#|\nA:|\Z)",
    re.M | re.S,
)
SECTION = re.compile(
    r"^(?:\*\*|#+ ?)(?:Toolbox|Tool)(?:\*\*)?:?[ \t]*\n.*?(?=^\*\*|^#+ ?[A-Z]|\Z)", re.M | re.S
)
BLOCK = re.compile(r"^```\w*\n(.*?)(?:^```|\Z)", re.M | re.S)
HEADING = re.compile(r"^\*\*(\w+)\*\*[ \t]*$", re.M)
BESIDE = {"Question", "Toolbox", "Tool"}  # headings of what is shown beside an answer
#: What a line of an instruction is about, the first that fits.
ABOUT = {
    "thought": re.compile(r"\b(?:comments?|think|thoughts?|step by step)\b", re.I),
    TOOL: re.compile(r"\b(?:tool\w*|functions?|import\w*)\b", re.I),
}
#: Whose tools are shown with a question, by a text that is then in the prompt.
AT_HAND = (("another's", GIVEN.name), ("its own", MADE.name), ("its own", "def "))
#: Settings of a run that change what is drawn, by the factor that they are.
SETTINGS = {
    "dataset": "problems",
    "categories": "problems",
    "limit": "problems",
    "model": "model",
    "roles": "model",
}
SETTINGS |= dict.fromkeys(("time_limit", "memory", "isolation"), "limits") | {"parser": "parser"}
SETTINGS |= dict.fromkeys(("k", "completion_tokens"), "budget")
SETTINGS |= dict.fromkeys(("temperature", "top_p", "max_tokens", "stop"), "sampling")


class System(NamedTuple):
    chat: bool
    questions: frozenset[str]  # of worked examples
    thought: float  # characters of comments and prose in a worked answer, on the mean
    layout: frozenset[str]  # headings of worked answers, or that they hold no program
    tools: frozenset[
        tuple
    ]  # of each prompt: how many worked answers write a function, and what tools it shows
    instruction: frozenset[str]  # lines before the worked examples
    requests: int  # for a problem whose programs all run
    votes: int
    repairs: int  # the most, for a program that fails
    settings: RunSettings


def system_of(part: Part, study: Study) -> System:
    """What a part's model reads and is set to. Raises TroveLiteError where it cannot be run as it
    is."""
    settings = settings_of_part(part, study)
    runs, fails = (list(play(settings, status)) for status in ("ok", "error"))
    texts = [
        text if isinstance(text, str) else "\n\n".join(said for _, said in text) for _, text in runs
    ]
    instructions, questions, shown, tools = zip(
        *map(taken_apart, dict.fromkeys(texts)), strict=True
    )
    answers = [*chain(*shown)]
    return System(
        chat=settings.chat == "on"
        or (settings.chat == "auto" and any(not isinstance(text, str) for _, text in runs)),
        questions=frozenset(chain(*questions)),
        thought=mean(map(thought_in, answers)) if answers else 0.0,
        layout=frozenset(chain(*map(layout_of, answers))),
        tools=frozenset(tools),
        instruction=frozenset(chain(*instructions)),
        requests=sum(len(request.samples) for request, _ in runs),
        votes=sum(len(request.samples) for request, _ in runs if request.mode),
        repairs=max((request.round for request, _ in fails), default=0),
        settings=settings,
    )


def taken_apart(prompt: str) -> tuple[list[str], list[str], list[str], tuple[float, bool, str]]:
    """A prompt's lines of instruction, worked questions and answers, and what of tools it shows."""
    before, _, after = prompt.rpartition(QUESTIONS[1])
    found = list(WORKED.finditer(before))
    found = (
        found[:-1] if found and not found[-1][1].strip() else found
    )  # the heading of the question that is asked
    ends = [*(one.start() for one in found), len(before)]
    answers = [
        SECTION.sub("", before[one.end() : end]) for one, end in zip(found, ends[1:], strict=True)
    ]
    first = before[: ends[0]]
    writing = sum("def " in answer for answer in answers) / max(1, len(answers))
    at_hand = next((name for name, text in AT_HAND if text in first + after), "")
    lines = [line.strip() for line in BLOCK.sub("", first).splitlines() if line.strip()]
    return (
        lines,
        [one[1].strip() for one in found],
        answers,
        (round(writing, 2), "Toolbox**" in after, at_hand),
    )


def thought_in(answer: str) -> int:
    """The characters of a worked answer that are comments of its code, or prose beside it."""
    if start := HEADING.search(answer):
        answer = answer[start.start() :]
    lines = [line.strip() for block in BLOCK.findall(answer) for line in block.splitlines()]
    prose = HEADING.sub("", BLOCK.sub("", answer)).split()
    comments = sum(len(line) for line in lines if line.startswith("#"))
    return comments + len(" ".join(prose))


def layout_of(answer: str) -> list[str]:
    return [
        *(set(HEADING.findall(answer)) - BESIDE),
        *(["no program"] if not BLOCK.search(answer) else []),
    ]


def differing(one: System, other: System) -> dict[str, str]:
    """The factors in which two systems differ, each with what the one and the other has."""
    found = {}
    if one.chat != other.chat:
        found["form"] = " and ".join("chat" if system.chat else "text" for system in (one, other))
    lines = sorted(one.instruction ^ other.instruction)
    kinds = {
        line: next((name for name, about in ABOUT.items() if about.search(line)), "words")
        for line in lines
    }
    if one.tools != other.tools:
        found[TOOL] = " and ".join(tools_in_words(system) for system in (one, other))
    thought = sorted((one.thought, other.thought))
    if thought[1] > max(ALIKE * thought[0], THOUGHT + thought[0]) or "thought" in kinds.values():
        found["thought"] = (
            f"{one.thought:.0f} and {other.thought:.0f} characters of it in a worked answer"
        )
    if one.questions != other.questions:
        numbers = f"{len(one.questions)} and {len(other.questions)}"
        found["examples"] = (
            f"{numbers} worked questions, {len(one.questions & other.questions)} of both"
        )
    if one.layout != other.layout:
        found["layout"] = " and ".join(
            "+".join(sorted(system.layout)) or "a block" for system in (one, other)
        )
    if changed := [
        line
        for line, kind in kinds.items()
        if kind == "words" or (kind == TOOL and TOOL not in found)
    ]:
        found["words"] = f"{len(changed)} lines of one system alone, such as {changed[0][:60]!r}"
    spent = sorted((one.requests, other.requests))
    if spent[1] > ALIKE * spent[0]:
        found["budget"] = f"{one.requests} and {other.requests} requests a problem"
    if one.repairs != other.repairs:
        found["repairs"] = f"{one.repairs} and {other.repairs} of a program that fails"
    a, b = (asdict(system.settings) | asdict(system.settings.sampling) for system in (one, other))
    for name, factor in SETTINGS.items():
        if a[name] != b[name]:
            found[factor] = ", ".join(
                [*filter(None, [found.get(factor)]), f"{name} {a[name]} and {b[name]}"]
            )
    return found


def tools_in_words(system: System) -> str:
    writes = max((share for share, *_ in system.tools), default=0)
    said = [f"functions in {writes:.0%} of worked answers"] if writes else []
    boxes = sorted({at_hand for _, toolbox, at_hand in system.tools if toolbox})
    said += [f"a toolbox with {box} tools" if box else "an empty toolbox" for box in boxes]
    said += (
        ["a tool at hand"]
        if any(at_hand and not toolbox for _, toolbox, at_hand in system.tools)
        else []
    )
    return ", ".join(said) or "none"


class Verdict(NamedTuple):
    """A comparison, the factors in which its systems differ, and whether that is the one that it
    names."""

    name: str
    named: str
    found: Mapping[str, str]
    votes: tuple[int, int]
    rendered: tuple[str, str] = ("", "")  # the hashes of both systems' prompts

    @property
    def passes(self) -> bool:
        return self.named == REPRODUCTION or set(self.found) == {self.named}

    @property
    def more(self) -> list[str]:
        """The factors that make it one of several."""
        return [] if self.passes else [factor for factor in self.found if factor != self.named]

    def __str__(self) -> str:
        kind = "one factor" if self.passes else "REFUSED"
        if self.named == REPRODUCTION:
            kind = REPRODUCTION
        factors = "; ".join(f"{name}: {what}" for name, what in self.found.items())
        votes = f"{self.votes[0]} and {self.votes[1]} votes a problem"
        return f"{self.name}: {kind}; {votes}; differ in {factors or 'nothing that is seen'}"


def judge(name: str, systems: Sequence[Part], study: Study, named: str = TOOL) -> Verdict:
    """A comparison of two parts. One whose systems both have the papers' words is a reproduction, as
    printed, unless they differ in nothing but the factor that it names."""
    one, other = (system_of(part, study) for part in systems)
    found = differing(one, other)
    if all(system.settings.prompts == "official" for system in (one, other)) and set(found) != {
        named
    }:
        named = REPRODUCTION
    return Verdict(
        name,
        named,
        found,
        (one.votes, other.votes),
        (rendered(one.settings), rendered(other.settings)),
    )


def plan(path: Path) -> int:
    """Print every comparison of a study with its factors; returns 1 where one differs in another
    than it names, or is measured otherwise than it was planned.

    They are written to FACTORS, which the rules of plans read. A comparison of which a system cannot
    be built any more, since its method or pack is gone or its data is not here, keeps the row that
    it has: it is sealed.
    """
    study = read_study(path)
    plans = pd.read_csv(path.with_name("plan.csv")).set_index("id")
    named = {**plans["factor"], **study.factors}
    parts = {part.name: part for part in study.parts}
    known = pd.read_csv(FACTORS, dtype=str, keep_default_na=False).set_index("id")
    refused = []
    rows = {}
    for name, systems in study.compared.items():
        was = known.loc[name] if name in known.index else None
        rows[name], line = row_of(
            name, [parts[system[0]] for system in systems], study, named.get(name, TOOL), was
        )
        print(line)
        if rows[name]["more_than_named"] or ": REFUSED" in line:
            refused.append(name)
    table = pd.DataFrame.from_dict(rows, orient="index", columns=COLUMNS[1:])
    kept = known.drop(index=rows, errors="ignore")
    table = pd.concat([kept, table]).rename_axis("id").sort_index()
    table.to_csv(FACTORS, lineterminator="\n")
    print(
        f"{len(refused)} of {len(rows)} comparisons differ in another factor than they name",
        *refused,
    )
    return int(bool(refused))


def row_of(
    name: str, pair: Sequence[Part], study: Study, named: str, was: pd.Series | None
) -> tuple[Mapping[str, str], str]:
    """A comparison's row of FACTORS, and the line that is printed of it. was: the row that it has,
    if any."""
    measured = measured_by(study, name)
    if was is not None and {**was[MEASURED]} != measured:
        planned = f"planned by {', '.join(was[MEASURED])}"
        return was, f"{name}: REFUSED; {planned}: a plan stays as it is"
    try:
        verdict = judge(name, pair, study, named)
    except TroveLiteError as error:
        if was is None:
            raise
        return was, f"{name}: sealed; differed in {was['differ']} ({error})"
    one, other = verdict.rendered
    row = {
        "named": verdict.named,
        "differ": ", ".join(verdict.found),
        "more_than_named": ", ".join(verdict.more),
        "prompts_tools": one,
        "prompts_without": other,
    }
    return row | measured, str(verdict)


def measured_by(study: Study, name: str) -> dict[str, str]:
    """By what a study's comparison is measured, and its plan, as FACTORS has it."""
    shown = ", of those shown one" if study.plan.get("shown") else ""
    plan = study.plan.get("text", ""), study.plan.get("commit", ""), study.date_of(name)
    return {
        "measure": (*study.measures, "")[0],
        "margin": f"{study.margin:g}",
        "uses": study.plan.get("uses", "") + shown,
        "models": " ".join(study.plan.get("models", ())),
        "weights": " ".join(study.plan.get("weights", ())),
        "plan": " ".join(plan).strip(),
    }
