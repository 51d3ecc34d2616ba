"""The six tasks that LATM was tried on, and two of them made anew, which need no download.

Four are from BIG-Bench Hard, two LATM's own (LATM, section 4.1). Of a file's 250 items three are
for making a tool, three for verifying it, and 240 are tested. Answers are text: an option, words,
brackets, a whole number, a time slot.
"""

import json
import random
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from trove_lite.datasets.base import Dataset, Problem, numbered
from trove_lite.datasets.files import packaged, pinned_file
from trove_lite.judge.answers import plain_words

#: Task → its file, and what the paper's tables call it, in their order.
FILES, TITLES = (
    {one["task"]: one[name] for one in packaged("tasks", __package__)} for name in ("file", "title")
)
TASKS = tuple(FILES)

TESTED = slice(10, None)  # of a file's items
NO_SLOT = "No time slot works."

ANSWER_IS = re.compile(r"answer is:?", re.IGNORECASE)
MOST_LINES = 1000  # in which the answer is looked for
NEXT_QUESTION = re.compile(r"^(?:Q|Question):", re.MULTILINE)
TIME = re.compile(r"\b(\d?\d:\d\d)\b")
OPTION = re.compile(r"\(([A-J])\)|([A-J])(?=[).:]|$)")
OPTIONS = re.compile(r"^\(([A-J])\) (.*)$", re.MULTILINE)
BRACKETS = re.compile(r"[\s()\[\]{}<>]+")
WHOLE = re.compile(r"([-+]?\d+)\.0*|([-+]?\d{1,3}(?:,\d{3})+)(?:\.0*)?")


def items(category: str) -> list[tuple[str, str]]:
    """All 250 questions of a task with their answers, in the file's order; brackets without blanks
    between them."""
    path = pinned_file("bbh", f"bbh/{FILES[category]}.json")
    found = [
        (item["input"], item["target"])
        for item in json.loads(path.read_text(encoding="utf-8"))["examples"]
    ]
    if category == "dyck_languages":  # as LATM compares them
        parts = [(*question.partition("Input: "), answer) for question, answer in found]
        found = [
            (head + mark + asked.replace(" ", ""), answer.replace(" ", ""))
            for head, mark, asked, answer in parts
        ]
    return found


def apart(question: str) -> str:
    """A question on brackets as BIG-Bench Hard has it, with blanks between them."""
    head, mark, brackets = question.partition("Input: ")
    return head + mark + " ".join(brackets)


def tested(category: str) -> tuple[Problem, ...]:
    return numbered("bbh", category, items(category)[TESTED])


def labelled(category: str) -> tuple[Problem, ...]:
    """The three problems of a task that a tool may be made from, then the three to verify it
    with."""
    found = items(category)
    return numbered("bbh", category, found[:3] + found[5:8])


def read(output: str) -> list[str]:
    """The one answer in what a program printed or a model said; none where there is nothing.

    It is the first line after the last "answer is", or of all, before any question that a model
    goes on to, as `canonical` has it. A JSON string is taken word for word.
    """
    text = output.strip()
    if text[:1] == '"':
        with suppress(ValueError):
            return [json.loads(text)]
    lines = ANSWER_IS.split(NEXT_QUESTION.split(text)[0])[-1].splitlines()[:MOST_LINES]
    line = next(filter(None, (plain_words(line).lstrip(":*").strip() for line in lines)), None)
    return [] if line is None else [canonical(line)]


def canonical(line: str) -> str:
    """An answer in the form of its kind: (C), 10:30 - 12:00, brackets without blanks, a whole
    number, or words."""
    if len(times := TIME.findall(line)) > 1:
        return " - ".join(f"{time:0>5}" for time in times[:2])
    line = line.removesuffix(".").strip()
    if line == "None" or line.casefold() == NO_SLOT.casefold().removesuffix("."):
        return NO_SLOT
    if option := OPTION.match(line):
        return f"({option[1] or option[2]})"
    if BRACKETS.fullmatch(line):
        return "".join(line.split())
    if whole := WHOLE.fullmatch(line):
        return whole[1] or whole[2].replace(",", "")
    return line


def as_option(answer: str, question: str) -> str:
    """The label of the one option that an answer is: by its number or text, part of it, or text
    around it.

    Parts are whole words, case does not matter. An answer that fits no option, or two, stays as it
    is.
    """
    said = f" {answer.casefold()} "
    within = []
    for n, (letter, option) in enumerate(
        OPTIONS.findall(question.partition("Options:")[2]), start=1
    ):
        text = f" {option.casefold()} "
        if said in (text, f" {n} "):
            return f"({letter})"
        within += [f"({letter})"] if said in text or text in said else []
    return within[0] if len(within) == 1 else answer


def read_for(output: str, question: str) -> list[str]:
    """`read`, but an answer that is an option of the question is its label, unless it is to be
    taken word for word."""
    return (
        read(output)
        if output.strip()[:1] == '"'
        else [as_option(answer, question) for answer in read(output)]
    )


def correct(answers: Sequence[str], gold: object) -> bool:
    return len(answers) > 0 and answers[0] == gold


BBH = Dataset(
    "bbh", "LATM's tasks", TASKS, tested, read, correct, examples=labelled, read_for=read_for
)

# Two tasks made anew, by the rules that their shipped items obey: a file of ours (docs/shelf.md).

MADE_TASKS = ("chinese_remainder", "schedule_meeting")


def made_items(category: str, which: slice) -> tuple[Problem, ...]:
    """Of 246 questions of our own making these, counted from 0: six are labelled, the others
    tested."""
    found = [
        (e["question"], e["answer"])
        for e in packaged("bbh_made", __package__)
        if e["category"] == category
    ]
    return numbered("bbh_made", category, found[which])


made, made_labelled = (partial(made_items, which=which) for which in (slice(6, None), slice(6)))
MADE = Dataset(
    "bbh_made",
    "Two of LATM's tasks, made anew",
    MADE_TASKS,
    made,
    read,
    correct,
    examples=made_labelled,
)

# Which task is it? Questions of all tasks mixed, for a dispatcher that knows the tools of some.

DRAWS = range(5)
DRAWN = 100
TASK = re.compile(r"Task:[ \t]*(.*)")
UNKNOWN = "unknown"


def tasks_of(kind: str, rng: random.Random) -> tuple[list[str], list[str]]:
    """Which tasks have a tool, and which are asked about: all (`existing`), or four and four of
    which two are the same (`new`; LATM, section 4.3), or, as the released program draws them apart,
    two to four (`new_released`)."""
    if kind == "existing":
        return list(TASKS), list(TASKS)
    if kind == "new_released":
        return rng.sample(TASKS, 4), rng.sample(TASKS, 4)
    shuffled = rng.sample(TASKS, 6)
    return shuffled[:4], shuffled[2:]


MIXES = ("existing", "new", "new_released")


def mixed(category: str) -> tuple[Problem, ...]:
    """100 questions of one draw, such as `new_3`; `context` lists the tasks with a tool, gold is
    one or unknown."""
    kind, _, number = category.rpartition("_")
    rng = random.Random(f"{kind} {number}")
    known, asked = tasks_of(kind, rng)
    if len(asked) == len(TASKS):
        chosen = rng.sample([problem for task in asked for problem in tested(task)], DRAWN)
    else:
        chosen = [
            problem for task in asked for problem in rng.sample(tested(task), DRAWN // len(asked))
        ]
        rng.shuffle(chosen)
    tools = "\n".join(sorted(known))
    found = [
        (p.question.text, p.category if p.category in known else UNKNOWN, p.category, tools)
        for p in chosen
    ]
    return numbered("bbh_mixed", category, found)


def read_task(output: str) -> list[str]:
    """The task that a dispatcher names in the first line that says one; unknown where there is
    none."""
    named = TASK.search(output)
    name = named[1].strip().rstrip(".") if named else ""
    return [name if name in TASKS else UNKNOWN]


def draws_of(kinds: Iterable[str]) -> tuple[str, ...]:
    return tuple(f"{kind}_{number}" for kind in kinds for number in DRAWS)


MIXED = Dataset(
    "bbh_mixed",
    "LATM's tasks, mixed",
    draws_of(MIXES),
    mixed,
    read_task,
    correct,
    levels=TASKS,
    by="task",
)

# Tasks that come unannounced: as many questions of each, in one order, whose answers are asked for.

EACH = 20
STREAMS = {"all": TASKS, "made": MADE_TASKS}


def streamed(category: str) -> tuple[Problem, ...]:
    """20 questions of every task, shuffled as a draw such as `all_3` says, or `made_3`, which needs
    no files."""
    kind, _, number = category.rpartition("_")
    rng = random.Random(f"stream {kind} {number}")
    load = made if kind == "made" else tested
    chosen = [problem for task in STREAMS[kind] for problem in rng.sample(load(task), EACH)]
    rng.shuffle(chosen)
    return numbered("bbh_stream", category, [(p.question.text, p.gold, p.category) for p in chosen])


kept = {
    "categories": draws_of(STREAMS),
    "load": streamed,
    "examples": None,
    "levels": TASKS,
    "by": "task",
}
STREAM = replace(BBH, name="bbh_stream", title="LATM's tasks, unannounced", **kept)
