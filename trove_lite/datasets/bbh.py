"""The six tasks that LATM was tried on, and the two of them that can be made anew, in any number and without data.

Four tasks come from BIG-Bench Hard, two LATM made itself (LATM, section 4.1). Of each file's 250 items the first five
are for making a tool, the next five for verifying it, of both only three are used, and the other 240 are tested.
Answers are text: an option's label, words, brackets, a whole number, a time slot.
"""

import json
import random
import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

from ..errors import TroveLiteError
from .answers import plain_words
from .base import Dataset, Problem, Question
from .files import data_folder, public_files, sha256_of

#: Task → its file, in the order of LATM's tables.
FILES = {
    "logical_deduction": "logical_deduction_five_objects",
    "tracking_shuffled_objects": "tracking_shuffled_objects_five_objects",
    "dyck_languages": "dyck_languages",
    "word_sorting": "word_sorting",
    "chinese_remainder": "chinese_remainder_theorem",
    "schedule_meeting": "schedule_meeting",
}
TRAIN, VALIDATION, TESTED = slice(0, 3), slice(5, 8), slice(10, None)
NO_SLOT = "No time slot works."

ANSWER_IS = re.compile(r"answer is:?", re.IGNORECASE)
NEXT_QUESTION = re.compile(r"^(?:Q|Question):", re.MULTILINE)
TIME = re.compile(r"\b(\d?\d:\d\d)\b")
OPTION = re.compile(r"\(([A-J])\)|([A-J])(?=[).:]|$)")
LISTED = re.compile(r"^(\([A-J]\)) (.*)$", re.MULTILINE)
BRACKETS = re.compile(r"[\s()\[\]{}<>]+")
WHOLE = re.compile(r"([-+]?\d+)\.0*|([-+]?\d{1,3}(?:,\d{3})+)(?:\.0*)?")


def items(category: str) -> list[tuple[str, str]]:
    """All 250 questions of a task with their answers, in the file's order.

    Brackets stand without blanks between them, as LATM compares them. Raises TroveLiteError for a missing or altered
    file.
    """
    name = f"bbh/{FILES[category]}.json"
    (file,) = (f for f in public_files() if f.group == "bbh" and f.path == name)
    path = data_folder() / file.name
    if not path.is_file():
        raise TroveLiteError(f"{path}: missing; run `trove-lite fetch bbh`, or set TROVE_LITE_DATA")
    if sha256_of(path) != file.sha256:
        raise TroveLiteError(
            f"{path}: sha256 differs from the pinned {file.sha256[:12]}…; delete it and run `trove-lite fetch bbh`"
        )
    found = [(item["input"], item["target"]) for item in json.loads(path.read_text(encoding="utf-8"))["examples"]]
    return [_closed_up(*item) for item in found] if category == "dyck_languages" else found


def _closed_up(question: str, answer: str) -> tuple[str, str]:
    head, mark, brackets = question.partition("Input: ")
    return head + mark + brackets.replace(" ", ""), answer.replace(" ", "")


def apart(question: str) -> str:
    """A question on brackets as BIG-Bench Hard has it, with blanks between them."""
    head, mark, brackets = question.partition("Input: ")
    return head + mark + " ".join(brackets)


def problems(dataset: str, category: str, found: Iterable[tuple[str, ...]], context: str = "") -> tuple[Problem, ...]:
    """Questions with their answers, and their levels where they have some, as problems, counted from 0."""
    return tuple(
        Problem(Question(dataset, category, index, question, context), *judged)
        for index, (question, *judged) in enumerate(found)
    )


def tested(category: str) -> tuple[Problem, ...]:
    """The 240 problems of a task that are tested."""
    return problems("bbh", category, items(category)[TESTED])


def labelled(category: str) -> tuple[Problem, ...]:
    """The three problems of a task that a tool may be made from, then the three to verify it with."""
    found = items(category)
    return problems("bbh", category, found[TRAIN] + found[VALIDATION])


def read(output: str) -> list[str]:
    """The one answer in what a program printed or a model said; none where there is nothing.

    It is the first line after the last "answer is", or of all, before any question that a model goes on to. It loses
    markup and a full stop and takes the form that answers of its kind have: "(C)" of "C." or "(C) the owl",
    "10:30 - 12:00" of `('10:30', '12:00')`, brackets without blanks, `None` as the sentence that says so. A JSON string
    is taken word for word.
    """
    text = output.strip()
    if text[:1] == '"':
        try:
            return [json.loads(text)]
        except ValueError:
            pass
    lines = ANSWER_IS.split(NEXT_QUESTION.split(text)[0])[-1].splitlines()
    line = next(filter(None, (plain_words(line).lstrip(":*").strip() for line in lines)), None)
    return [] if line is None else [canonical(line)]


def canonical(line: str) -> str:
    """An answer in the form that its kind has."""
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


def option_of(question: str, answer: str) -> str:
    """The label of the option whose text an answer is, or of the only one that it is part of; "" of none."""
    listed, text = LISTED.findall(question.partition("Options:")[2]), answer.strip().casefold()
    same = [label for label, option in listed if text == option.strip().casefold()]
    within = [label for label, option in listed if text in option.casefold()]
    return next((found[0] for found in (same, within) if len(found) == 1), "") if text else ""


def correct(answers: Sequence[str], gold: object) -> bool:
    """Whether the answer is the gold one, letter by letter."""
    return len(answers) > 0 and answers[0] == gold


BBH = Dataset("bbh", "LATM's tasks", tuple(FILES), tested, read, correct, examples=labelled)

# Tasks made anew, by the rules that the shipped items of two tasks obey.

DAY = tuple(f"{hour:02}:{minute:02}" for hour in range(8, 19) for minute in (0, 30))[:21]  # 08:00 to 18:00
PRIMES = tuple(n for n in range(2, 300) if all(n % d for d in range(2, int(n**0.5) + 1)))
CONTAINERS = ("bag", "basket", "box", "container", "field", "room", "ship", "truck")
FRUITS = (
    *("apples", "apricots", "avocadoes", "bananas", "coconuts", "dragonfruits", "durians", "kiwifruits", "lemons"),
    *("limes", "mangos", "oranges", "papayas", "passionfruits", "peaches", "pears", "pineapples", "strawberries"),
    *("tomatoes", "watermelons"),
)
ANIMALS = (
    *("bears", "cows", "crocodiles", "dinosaurs", "elephants", "hippos", "horses", "lemurs", "monkeys", "penguins"),
    *("people", "racoons"),
)


def make_schedule(seed: int) -> tuple[str, str]:
    """A question for a meeting of two people, and its answer.

    Each has 5 to 15 of the 20 half-hours between 08:00 and 18:00; the meeting takes 0.5, 1 or 1.5 hours. The answer is
    its earliest start in a run of half-hours that both have.
    """
    rng = random.Random(f"schedule {seed}")
    one, two = (sorted(rng.sample(range(20), rng.randint(5, 15))) for _ in range(2))
    halves = rng.randint(1, 3)
    question = (
        f"A and B want to schedule a {halves / 2:g}-hour meeting together.\n"
        f"A's availability: {_ranges(one)}\nB's availability: {_ranges(two)}\n"
        "What time slot works best? (if multiple, choose the earliest one)"
    )
    both = set(one) & set(two)
    starts = (start for start in sorted(both) if both.issuperset(range(start, start + halves)))
    start = next(starts, None)
    return question, NO_SLOT if start is None else f"{DAY[start]} - {DAY[start + halves]}"


def _ranges(slots: Sequence[int]) -> str:
    """Half-hours as times of the day, neighbours run together."""
    first = [slots[0], *(later for before, later in pairwise(slots) if later > before + 1)]
    last = [*(before for before, later in pairwise(slots) if later > before + 1), slots[-1]]
    return ", ".join(f"{DAY[start]} - {DAY[end + 1]}" for start, end in zip(first, last, strict=True))


def make_remainder(seed: int) -> tuple[str, str]:
    """A question for a number below the product of three primes, given what each leaves of it, and its answer."""
    rng = random.Random(f"remainder {seed}")
    primes = sorted(rng.sample(PRIMES, 3))
    limit = primes[0] * primes[1] * primes[2]
    answer = rng.randrange(limit)
    container, fruit = rng.choice(CONTAINERS), rng.choice(FRUITS)
    clauses = "; ".join(
        f"if we divide them equally among {prime} {rng.choice(ANIMALS)}, we have {answer % prime} left"
        for prime in primes
    )
    question = (
        f"There is a {container} of no more than {limit} {fruit}. I{clauses[1:]}. How many {fruit} are in the "
        f"{container}?"
    )
    return question, str(answer)


MAKERS: dict[str, Callable[[int], tuple[str, str]]] = {
    "chinese_remainder": make_remainder,
    "schedule_meeting": make_schedule,
}


@lru_cache
def made(category: str) -> tuple[Problem, ...]:
    """240 problems of our own making, none of them among the labelled ones."""
    return problems("bbh_made", category, [MAKERS[category](seed) for seed in range(6, 246)])


def made_labelled(category: str) -> tuple[Problem, ...]:
    """Six more."""
    return problems("bbh_made", category, [MAKERS[category](seed) for seed in range(6)])


MADE = Dataset("bbh_made", "Two of LATM's tasks, made anew", tuple(MAKERS), made, read, correct, examples=made_labelled)

# Which task is it? Questions of all tasks mixed, for a dispatcher that knows the tools of some.

DRAWS = range(5)
DRAWN = 100
TASK = re.compile(r"Task:[ \t]*(.*)")
UNKNOWN = "unknown"


def all_known(rng: random.Random) -> tuple[list[str], list[str]]:
    """Every task has its tool."""
    return list(FILES), list(FILES)


def half_known(rng: random.Random) -> tuple[list[str], list[str]]:
    """Four tasks have a tool; of the four that are asked about, two do (LATM, section 4.3)."""
    shuffled = rng.sample(list(FILES), 6)
    return shuffled[:4], shuffled[2:]


def drawn_known(rng: random.Random) -> tuple[list[str], list[str]]:
    """Four have a tool and four are asked about, drawn apart, as the released program does: two to four do."""
    return rng.sample(list(FILES), 4), rng.sample(list(FILES), 4)


#: Kind of draw → which tasks have a tool, and which are asked about.
MIXES = {"existing": all_known, "new": half_known, "new_released": drawn_known}


def mixed(category: str) -> tuple[Problem, ...]:
    """100 questions of one draw, such as `new_3`; `context` lists the tasks that have a tool, gold is one or unknown.

    Balanced over the tasks where these are four, drawn from all 1,440 where they are six.
    """
    kind, _, number = category.rpartition("_")
    rng = random.Random(f"{kind} {number}")
    known, asked = MIXES[kind](rng)
    if len(asked) == len(FILES):
        chosen = rng.sample([problem for task in asked for problem in tested(task)], DRAWN)
    else:
        chosen = [problem for task in asked for problem in rng.sample(tested(task), DRAWN // len(asked))]
        rng.shuffle(chosen)
    found = [(p.question.text, p.category if p.category in known else UNKNOWN, p.category) for p in chosen]
    return problems("bbh_mixed", category, found, "\n".join(sorted(known)))


def read_task(output: str) -> list[str]:
    """The task that a dispatcher names in the first line that says one; unknown where there is none."""
    named = TASK.search(output)
    name = named[1].strip().rstrip(".") if named else ""
    return [name if name in FILES else UNKNOWN]


MIXED = Dataset(
    "bbh_mixed",
    "LATM's tasks, mixed",
    tuple(f"{kind}_{number}" for kind in MIXES for number in DRAWS),
    mixed,
    read_task,
    correct,
    levels=tuple(FILES),
    by="task",
)

# Tasks that come unannounced: as many questions of each, in one order, whose answers are asked for.

EACH = 20
STREAMS = {"all": FILES, "made": MAKERS}


def streamed(category: str) -> tuple[Problem, ...]:
    """20 questions of every task, shuffled as a draw such as `all_3` says, or `made_3`, which needs no files."""
    kind, _, number = category.rpartition("_")
    rng = random.Random(f"stream {kind} {number}")
    load = made if kind == "made" else tested
    chosen = [problem for task in STREAMS[kind] for problem in rng.sample(load(task), EACH)]
    rng.shuffle(chosen)
    return problems("bbh_stream", category, [(p.question.text, p.gold, p.category) for p in chosen])


STREAM = Dataset(
    "bbh_stream",
    "LATM's tasks, unannounced",
    tuple(f"{kind}_{number}" for kind in STREAMS for number in DRAWS),
    streamed,
    read,
    correct,
    levels=tuple(FILES),
    by="task",
)
