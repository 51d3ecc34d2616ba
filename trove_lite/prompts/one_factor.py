"""Prompts that are rendered, not written: a grid of switches over one file of worked examples a
task.

A method asks for a point of the grid (`one_factor.toml`, `stages`), so that two methods differ in
what their points differ in, and in nothing else: the same task, questions, order and answers. The
switches are

    tool      none | program (a function of its own) |
              shared (a function where other questions need it too) |
              toolbox (functions are listed, and imported) | apart (a function alone) |
              given (functions are at hand)
    thought   none | comments (what comes first says in comments how the answer comes about)
    examples  task (of the question's category) | others (as many, of other categories)
    form      completion (one text) | chat (the same text as turns)

A point fixes tool and thought; the pack's name may set thought, examples and form for all that a
run asks for: `one-factor?thought=comments&form=chat`. A worked example
(`worked/TASK/CATEGORY.toml`) holds a question, the reasoning, the imports, a function and a program
that calls it, and a program without it. Where any program of a category is a tool for all of its
questions, as in LATM's tasks, there is one example a category, and those of others are shown.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

from ..datasets.base import Dataset, Names, Question
from ..errors import TroveLiteError, one_of
from ..methods.base import Messages, as_asked
from ..programs import Tool, fenced, format_toolbox
from ..programs.parse import parse_tools
from ..shapes import once
from . import own
from .base import PromptPack, Template

NAME = "one-factor"
GAP = "\n\n\n"
NONE = "none"
COMMENTS = "comments"
TASK = "task"
OTHERS = "others"
COMPLETION = "completion"
CHAT = "chat"
SHOWN = 3  # worked examples of a prompt
#: Where replies end: where they would go on under a prompt's headings; a function alone has no
#: Solution.
STOPS = ("**Question", "## Example", "**Toolbox", "**Program")
#: What a pack's name may set for all points, and to what: first the default, ""
#: for the point's own.
OPTIONS = {
    "thought": ("", NONE, COMMENTS),
    "examples": ("", TASK, OTHERS),
    "form": (COMPLETION, CHAT),
}


@dataclass(frozen=True)
class Point:
    """A point of the grid. again: whether a program that failed is shown. earlier: the name of
    further examples."""

    tool: str = NONE
    thought: str = NONE
    again: str = NONE
    earlier: str = ""

    @property
    def given(self) -> Names:
        """What its prompt is filled with besides question and toolbox."""
        named = {"given": ("tool",)}.get(self.tool, ()) + (
            ("program", "error") if self.again != NONE else ()
        )
        return named + ((self.earlier,) if self.earlier else ())


def pack(dataset: Dataset, options: str = "") -> PromptPack:
    """The pack for a data set that has worked examples. Raises TroveLiteError for another, or an
    unknown option."""
    chosen = options_of(options)
    task = dataset.like or dataset.name
    if task not in words()["tasks"]:
        known = ", ".join(words()["tasks"])
        raise TroveLiteError(
            f"prompts {NAME}: has no worked examples for {dataset.name}, only for {known}; choose own"
        )
    few = {
        OTHERS: len(dataset.categories) < SHOWN,
        TASK: len(examples(task, dataset.categories[0])) < SHOWN,
    }
    if few.get(chosen["examples"]):
        what = "other categories" if chosen["examples"] == OTHERS else "a category"
        raise TroveLiteError(
            f"prompts {NAME}: {dataset.name} has no {SHOWN} worked examples of {what}"
        )
    points = {stage: Point(**point) for stage, point in words()["stages"].items()}

    def template(category: str, stage: str) -> Template:
        point = points[stage]
        worked = examples(task, category)
        wanted = worked[0].get("wanted", "")
        if chosen["examples"] == OTHERS or few[TASK]:
            worked = examples_of_others(task, category, dataset.categories)
        point = replace(point, thought=chosen["thought"] or point.thought)
        return partial(render, task, worked, point, chosen["form"], wanted=wanted)

    stops = {
        stage: (*STOPS, *(["**Solution"] if point.tool == "apart" else []))
        for stage, point in points.items()
    }
    given = {stage: point.given for stage, point in points.items()}
    # what makers are told is no point
    name = NAME + (f"?{options}" if options else "")
    return own.pack_of(name, dataset, given, template, stops)


def covers(dataset: Dataset, stages: Collection[str]) -> bool:
    """Whether the pack has worked examples of a data set, and all these stages."""
    return (dataset.like or dataset.name) in words()["tasks"] and set(stages) <= set(
        words()["stages"]
    )


def options_of(text: str) -> Mapping[str, str]:
    """Options as `thought=comments&form=chat` says them."""
    try:
        given = once([part.partition("=")[::2] for part in text.split("&") if part])
    except ValueError as error:
        raise TroveLiteError(f"prompts {NAME}: {error}") from None
    one_of(f"prompts {NAME} have no option", tuple(given), tuple(OPTIONS))
    for name, value in given.items():
        one_of(name, value, OPTIONS[name])
    return {name: allowed[0] for name, allowed in OPTIONS.items()} | given


def render(
    task: str, worked: Sequence[Mapping], point: Point, form: str,
    question: Question, tools: Sequence[Tool], *, wanted: str = "", **more: str,
) -> str | Messages:  # fmt: skip
    """The prompt of a point: instruction, worked examples, what came earlier, and the question,
    which says what form of answer is `wanted`."""
    instruction = "\n".join(instructions(task, point))
    turns = [
        (asked(asked_by(e), point, tools_of(e, worked, point)), answer(e, worked, point))
        for e in worked
    ]
    earlier = filter(None, [more.get(point.earlier)])
    last = GAP.join([*earlier, asked(stated(question, wanted), point, tools, **more)])
    if form == CHAT:
        spoken = [turn for pair in turns for turn in zip(("user", "assistant"), pair, strict=True)]
        return (("system", instruction), *spoken, ("user", last))
    return GAP.join([instruction, *("\n\n".join(turn) for turn in turns), f"{last}\n\n"])


def instructions(task: str, point: Point) -> list[str]:
    """The lines of the instruction: two of every point, and one for each switch that is set."""
    said = words()
    switched = [said[name].get(getattr(point, name), "") for name in ("tool", "thought", "again")]
    lines = [said["tasks"][task], said["trunk"], *switched]
    return [line.strip() for line in lines if line]


def asked(question: str, point: Point, tools: Sequence[Tool], **more: str) -> str:
    """A question with what a point shows beside it."""
    parts = {"Question": question}
    if point.tool == "toolbox":
        parts["Toolbox"] = format_toolbox(tools) or "(no functions yet)"
    elif point.tool == "given":
        parts["Toolbox"] = fenced(more.get("tool") or "\n\n".join(one.source for one in tools))
    if more.get("program") or more.get("error"):
        parts |= {"Program": more.get("program", ""), "Error": more.get("error", "")}
    return "\n\n".join(f"**{name}**\n{text}" for name, text in parts.items())


def answer(example: Mapping, worked: Sequence[Mapping], point: Point) -> str:
    """A worked answer. A function that others share, or that a toolbox has, helps with the first
    example alone."""
    calls = point.tool in ("program", "apart", "given") or (
        point.tool != NONE and example is worked[0]
    )
    tools = ([f"# {example['reasoning']}"] if point.thought == COMMENTS else []) + [
        example["imports"]
    ]
    if calls and point.tool == "toolbox":
        tools += [f"from toolbox import {function_of(example).name}"]
    elif calls and point.tool != "given":
        tools += ["", example["function"].strip()]
    parts = {"Tools": "\n".join(tools)}
    if point.tool != "apart":
        parts["Solution"] = example["call" if calls else "plain"].strip()
    return "\n\n".join(f"**{name}**\n{fenced(code)}" for name, code in parts.items())


def tools_of(example: Mapping, worked: Sequence[Mapping], point: Point) -> list[Tool]:
    """What a worked example is shown: of a toolbox first the one that helps, amid others; then
    others; then none."""
    if point.tool != "toolbox":
        return [function_of(example)]
    first, second, last = map(function_of, worked)
    return [[last, first, second], [last, first], []][worked.index(example)]


def function_of(example: Mapping) -> Tool:
    """The function of an example, with the import that it may need."""
    (tool,) = parse_tools(fenced(f"{example['imports']}\n\n{example['function'].strip()}"))
    return tool


def asked_by(example: Mapping) -> str:
    text = Question("", "", 0, example["question"].strip(), example.get("context", "").strip())
    return stated(text, example.get("wanted", ""))


def stated(question: Question, wanted: str) -> str:
    return "\n\n".join(filter(None, [as_asked(question), wanted]))


@cache
def words() -> Mapping:
    """The pack's sentences and points, and the tasks and points that plug-ins add."""
    said, *added = (
        own.load_words(file) for home in own.homes() if (file := home / "one_factor.toml").is_file()
    )
    for part in ("tasks", "stages"):
        more = {name: text for one in reversed(added) for name, text in one.get(part, {}).items()}
        said = said | {part: said[part] | more | said[part]}  # a name that is there stays
    return said


@cache
def examples(task: str, category: str) -> tuple[Mapping, ...]:
    """The worked examples of a category of a task, each with the form of answer that is `wanted`
    there, if any is."""
    of_category = own.read_words("worked", task, f"{category}.toml")
    return tuple(
        {"wanted": of_category.get("wanted", "")} | example for example in of_category["example"]
    )


def examples_of_others(task: str, category: str, categories: Sequence[str]) -> list[Mapping]:
    """One example of each of so many categories, from the second that follows on, for neighbours
    are much alike: the first of the first, the second of the second …"""
    place = categories.index(category)
    others = [categories[(place + 2 + n) % len(categories)] for n in range(SHOWN)]
    return [examples(task, other)[n % len(examples(task, other))] for n, other in enumerate(others)]
