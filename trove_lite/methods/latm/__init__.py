"""LATM: one model makes a tool for a task, once, and another uses it for every instance (LATM, section 3).

The maker proposes a function from labelled problems, verifies it with tests on others, and wraps it up with its use
cases; the user is shown that text and a question, and writes the call. A tool made elsewhere can be carried in. The
dispatcher, a method of its own, says which task a question belongs to. Beside them: chains of thought in a tool's place
(`thoughts`), and tasks that come unannounced, mixed (`streaming`).
"""

import re
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import NamedTuple

from ...datasets.base import Problem
from ...errors import TroveLiteError
from ..base import (
    Answer,
    Attempt,
    Candidate,
    Drawn,
    Messages,
    Method,
    Question,
    Run,
    Settings,
    Steps,
    Words,
    chosen,
    draw,
    one_of,
)
from .proof import defined, definitions, only_tests, reached_its_end, stored, syntax, to_its_end, without_sense

#: What a question without a tool is answered by, and the mode of such a candidate: PRIMITIVE's prompt for the question.
PRIMITIVE, NONE, FALLBACK = "primitive", "none", "fallback"
#: Between the method's name and the maker's, where tools were made elsewhere.
CARRIED = "_of_"
#: How the other's turn begins where a chat is one text, and the next question of one who wrote the use cases on.
NEXT_TURN, NEXT_QUESTION = "\nUser:", "\nQuestion:"
#: What a model that completes goes on from, as the use cases have it.
SOLUTION = "\nSolution:\n"
#: How many instances are asked for at once: they do not depend on one another.
AT_ONCE = 32
#: Blocks of a maker's reply, and of a user's, which does not count before it is closed on a line of its own.
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
CLOSED_BLOCK = re.compile(r"\A(?>.*?```python\n)(.*?)\n```", re.DOTALL)
#: The question of a tool's use case, before its answer or solution.
USE_CASE = re.compile(r"\A(?>.*?^Question:)(.*?)^[^\S\n]*+(?:Answer|Solution):", re.DOTALL | re.MULTILINE)
OPTIONS = re.compile(r"^\(([A-J])\) (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class MakerSettings(Settings):
    """What goes for whatever one model makes for another to use."""

    tools: dict[str, str] = field(default_factory=dict)
    """What was made elsewhere, by category ("": nothing could be), or CATEGORY#SEED: for these no maker is asked."""
    maker: str = ""
    """Who made `tools`, as tables call it."""
    chat: bool = True
    """Whether models are sent messages; else one text, to be continued, and a reply ends before the next turn."""
    maker_temperature: float = 0.3
    """Of the maker, whose replies may be `maker_tokens` long: the run's sampling does not hold for it."""
    maker_tokens: int = 2048
    """Tokens that a maker's reply may have."""
    user_temperature: float | None = None
    """Of the user. None: 0, as in LATM, where each instance is asked once; the run's own where it is asked again."""

    def table_name(self, method: str) -> str:
        """What was made elsewhere makes another system: `latm_of_GPT-4`."""
        return f"{method}{CARRIED}{self.maker or 'elsewhere'}" if self.tools else method

    def given(self, category: str) -> str | None:
        """What was made elsewhere for a category, with the run's own seed where there are several; None: nothing."""
        return self.all_given.get(category)

    @property
    def all_given(self) -> dict[str, str | None]:
        """The same for each category that anything was made for."""
        return of_seed(self.tools, self.seed)

    def of_user(self, **how: object) -> dict[str, object]:
        """How a user's reply is drawn: so, and at the user's temperature."""
        temperature = self.user_temperature
        if temperature is None and self.budget.calls == 1:
            temperature = 0.0
        return how if temperature is None else how | {"temperature": temperature}


@dataclass(frozen=True)
class LatmSettings(MakerSettings):
    """LATM's choices, as the paper describes them; `released` does as its program does, `ours` reads answers better."""

    proposals: int = 3
    """How often the function may be written, until it runs."""
    verifications: int = 3
    """How often the tests may be written, until the function passes them."""
    trials: int = 1
    """How often a tool is made from the start, until one passes, which is used."""
    all_trials: bool = False
    """Whether all trials are made although one passed, to count how many do (LATM, Table 3). The first is used."""
    user_tokens: int = 256
    """Tokens that a user's reply may have."""
    stop: tuple[str, ...] = ()
    """Texts before which a reply ends."""
    reading: str = "released"
    """How the answer is found: `released`, the program's pattern and conversions, or `ours`, by syntax tree."""
    vacuous: bool = False
    """Whether a reply without code passes, and tests do whatever the function answers (`released`)."""
    unproven: bool = False
    """Whether the last of the proposals is verified although none of them ran (`released`)."""
    doubled: bool = False
    """Whether the chat holds the last proposal twice (`released`)."""
    use_cases: bool = False
    """Whether a wrapped tool needs a function and a use case: one without says nobody how it is called (`ours`)."""
    reaches_end: bool = False
    """Whether code passes only where its last statement was reached: an exit before it ends well too (`paper`)."""
    only_definitions: bool = False
    """Whether a tool is its functions with their imports and constants, and nothing else of its code (`paper`)."""
    fallback: str = NONE
    """What answers where no tool was made: `primitive`, a program by PRIMITIVE's prompt (`paper`), or `none`."""

    def __post_init__(self):
        super().__post_init__()
        one_of("reading", self.reading, tuple(CONVERSIONS))
        one_of("fallback", self.fallback, (PRIMITIVE, NONE))
        for name in ("proposals", "verifications", "trials"):
            if getattr(self, name) < 1:
                raise TroveLiteError(f"{name} {getattr(self, name)}: must be at least 1")

    def stops(self, turn: str) -> tuple[str, ...]:
        """Texts before which a reply ends: a model that completes would go on with the other's `turn`."""
        return self.stop if self.chat else (*self.stop, turn)


class Trial(NamedTuple):
    """One attempt to make a tool: proposals and tests written, and the wrapped tool, "" where it failed.

    left_out: statements of its code that are no part of it (`only_definitions`).
    """

    proposals: int
    verifications: int
    tool: str
    left_out: int = 0


class Made(NamedTuple):
    """What came of making a tool for a task. `labels` is how many labelled problems the maker saw."""

    trials: tuple[Trial, ...]
    labels: int

    @property
    def tool(self) -> str:
        """The wrapped tool that is used, the first trial's that passed; "" where none was made."""
        return next((trial.tool for trial in self.trials if trial.tool), "")

    def listing(self) -> list[dict]:
        """Every trial as plain data."""
        return [trial._asdict() | {"made": bool(trial.tool), "labels": self.labels} for trial in self.trials]


def latm(questions: Sequence[Question], settings: LatmSettings, examples: Sequence[Problem], words: Words) -> Steps:
    """Make a tool for the questions' task, or take the one that is given, then use it on each; returns what was made.

    Without a tool the questions are answered by `fallback`.
    """
    if not questions:
        return Made((), 0)
    given = settings.given(questions[0].category)
    if given is None:
        trials = yield from made(questions[0], settings, examples, words)
    else:
        trials = (Trial(0, 0, given, function_in(given, settings.only_definitions)[1]),)
    made_here = Made(trials, len(examples) if given is None else 0)
    yield from answered(questions, lambda question: used(question, made_here.tool, settings, words), settings)
    return made_here


def answered(questions: Sequence[Question], ask: Callable[[Question], Drawn], settings: Settings) -> Steps:
    """Answer questions that do not depend on one another, many at once: `ask` draws the candidates for one."""
    for start in range(0, len(questions), AT_ONCE):
        batch = questions[start : start + AT_ONCE]
        drawn = yield from side_by_side([ask(question) for question in batch])
        for question, candidates in zip(batch, drawn, strict=True):
            yield Answer(question, chosen(question, candidates, settings))


# ---- the maker ----


def made(question: Question, settings: LatmSettings, examples: Sequence[Problem], words: Words) -> Generator:
    """Trials until one makes a tool, or all at once. `question` is the task's first: there its calls are put down."""
    if len(examples) < 2:
        raise TroveLiteError(f"{question.dataset}, {question.category}: needs at least 2 labelled problems")
    if settings.all_trials:
        all_trials = [trial(question, settings, examples, n, words) for n in range(settings.trials)]
        return tuple((yield from side_by_side(all_trials)))
    trials: list[Trial] = []
    while len(trials) < settings.trials and not (trials and trials[-1].tool):
        trials.append((yield from trial(question, settings, examples, len(trials), words)))
    return tuple(trials)


def trial(
    question: Question, settings: LatmSettings, examples: Sequence[Problem], number: int, words: Words
) -> Generator:
    """Propose, verify, wrap, in one growing chat: three calls, and one more for each reply that does not do."""
    train, validation = examples[: len(examples) // 2], examples[len(examples) // 2 :]
    stop = settings.stops(NEXT_TURN)
    how = {"temperature": settings.maker_temperature, "max_tokens": settings.maker_tokens, "stop": stop}
    maker = Attempt(question, "", range(number, number + 1), mode="", sampling=how)
    chat = [("user", words("propose", examples=labelled(train, words)))]
    stage = replace(maker, stage="propose", role="maker")
    asked, code, ran = yield from until_it_runs(stage, chat, "", settings.proposals, settings, words)
    if not (ran or settings.unproven):
        return Trial(asked, 0, "")
    if settings.doubled:
        chat.append(next(message for message in reversed(chat) if message[0] == "assistant"))
    chat.append(("user", words("verify", examples=labelled(validation, words))))
    code = definitions(code)[0] if settings.only_definitions else code
    stage, times = replace(maker, stage="verify", role="verifier"), settings.verifications
    tested, _, passed = yield from until_it_runs(stage, chat, code, times, settings, words)
    if not passed:
        return Trial(asked, tested, "")
    chat.append(("user", words("wrap")))
    (reply,) = yield [replace(maker, stage="wrap", role="wrapper", prompt=said(chat, settings), runs=False)]
    tool = reply.text or "\n"  # so that one of which nothing is asked, in `released`, is one
    if not is_tool(tool, settings):
        return Trial(asked, tested, "")
    return Trial(asked, tested, tool, function_in(tool, settings.only_definitions)[1])


def until_it_runs(asked: Attempt, chat: list, tool: str, times: int, settings: LatmSettings, words: Words) -> Generator:
    """Ask until the code of a reply runs after `tool`, `times` at most; `chat` grows by every turn.

    Returns how often was asked, the last code, and whether it ran.
    """
    code = ""
    for round in range(times):
        prompt, compose = said(chat, settings), partial(tried, tool, settings)
        (reply,) = yield [replace(asked, prompt=prompt, compose=compose, round=round)]
        chat.append(("assistant", reply.text))
        code = code_in(reply.text)
        error = reply.error if code else words("no_code")
        passed = passes(reply, composed(tool, settings.vacuous, reply.text), settings)
        if reply.status == "ok" and not passed:
            error = words("ended")
        if passed and tool and not settings.vacuous:  # tests that pass whatever it answers do not test the function
            needed = f"{tool}\n\n" if settings.only_definitions else ""  # tests may read its imports and constants
            program = f"{needed}{without_sense(tool)}\n\n{only_tests(tool, code)}"
            run = to_its_end(program) if settings.reaches_end else program
            (without,) = yield [Run(asked.question, "prove", run, sample=asked.samples.start, round=round)]
            passed, error = not passes(without, program, settings), words("no_test")
        if passed:
            return round + 1, code, True
        chat.append(("user", words(f"repair_{asked.stage}", error=error)))
    return times, code, False


def said(chat: Sequence[tuple[str, str]], settings: LatmSettings) -> str | Messages:
    """A chat as messages, or as the text that a model without them goes on from."""
    if settings.chat:
        return tuple(chat)
    return "".join(f"{role.title()}:\n{text.strip()}\n\n" for role, text in chat) + "Assistant:\n"


def tried(tool: str, settings: LatmSettings, reply: str) -> str:
    """The program that runs of a maker's reply."""
    program = composed(tool, settings.vacuous, reply)
    return to_its_end(program) if settings.reaches_end else program


def passes(ran: Candidate, program: str, settings: LatmSettings) -> bool:
    """Whether a program ran without fault, and where that is asked for, to its end."""
    return ran.status == "ok" and (not settings.reaches_end or reached_its_end(program, ran.output))


def composed(tool: str, vacuous: bool, reply: str) -> str:
    """The program that tries a maker's reply, after the tool that it tests; "" where it has no code."""
    code = code_in(reply)
    if vacuous:
        return f"{tool}\n\n{code or 'pass'}"
    if not code:
        return ""
    return f"{tool}\n\n{only_tests(tool, code)}" if tool else code


def code_in(reply: str) -> str:
    """All Python blocks of a maker's reply as one."""
    return "\n\n".join(code.strip() for code in BLOCK.findall(reply))


def is_tool(reply: str, settings: LatmSettings) -> bool:
    """Whether a wrapper's reply can be used: it has code and, where that is asked for, a function and a use case.

    The released program looks at none of it: without code it is its user who fails.
    """
    block = BLOCK.search(reply)
    complete = block and (not settings.use_cases or (defined(block[1]) and USE_CASE.search(reply)))
    return bool(complete) or settings.vacuous


def labelled(problems: Sequence[Problem], words: Words) -> str:
    """Problems with their answers, as the maker reads them."""
    pairs = [words("labelled", question=stated(p.question), answer=answer_of(p.gold)) for p in problems]
    return "\n\n".join(pairs)


def stated(question: Question) -> str:
    """A question with what it is asked about, such as a table, before it."""
    return f"{question.context}\n\n{question.text}" if question.context else question.text


def answer_of(gold: object) -> str:
    """A gold answer as it is written: 3, not 3.0."""
    return str(int(gold)) if isinstance(gold, float) and gold.is_integer() else str(gold)


# ---- the user ----


def used(question: Question, tool: str, settings: LatmSettings, words: Words) -> Drawn:
    """Candidates for one question with the wrapped tool; without one by `fallback`, or a program that fails.

    The fallback is asked and sampled as PRIMITIVE is in such a run, from the same seeds.
    """
    if not tool and settings.fallback == PRIMITIVE:
        attempt = Attempt(question, PRIMITIVE, range(0), role="user", mode=FALLBACK)
        return (yield from draw({FALLBACK: attempt}, settings.budget))
    if not tool:
        return (yield [Run(question, "use", 'raise LookupError("no tool was made for this task")', mode="latm")])
    prompt, stop = words("use", tool=tool, question=stated(question)), settings.stop
    if settings.reading == "ours":  # the paper's base models were told nothing more, and were not stopped
        prompt, stop = prompt if settings.chat else prompt + SOLUTION, settings.stops(NEXT_QUESTION)
    attempt = Attempt(
        question,
        "use",
        range(0),
        role="user",
        mode="latm",
        prompt=(("user", prompt),) if settings.chat else prompt,
        compose=partial(answering, tool, question.text, settings.reading, only_definitions=settings.only_definitions),
        sampling=settings.of_user(max_tokens=settings.user_tokens, stop=stop),
    )
    return (yield from draw({"latm": attempt}, settings.budget))


def answering(tool: str, question: str, reading: str, reply: str, *, only_definitions: bool = False) -> str:
    """The program of a user's reply: the tool, the first closed block, and nothing printed but the answer.

    "" where no block is closed, as in a reply that was cut off.
    """
    block = CLOSED_BLOCK.search(reply)
    if not block:
        return ""
    function = function_in(tool, only_definitions)[0]
    if reading == "released" and not CLOSED_BLOCK.search(tool):  # there nothing runs
        return 'raise LookupError("the wrapped tool has no block of Python")'
    head = f"{QUIET}\n{function}\n\n"
    variable = VARIABLES[reading](block[1])
    if variable is None:
        return f"{head}{LOUD}\n{block[1]}"
    found = f"_options, _variable = {OPTIONS_IN[reading](question)!r}, {variable!r}\n{CONVERSIONS[reading]}"
    return f"{head}{block[1]}\n\n{found}{LOUD}\n{PRINTS[reading]}"


def function_in(tool: str, only_definitions: bool = False) -> tuple[str, int]:
    """The code of a wrapped tool, its first block, and how many of its statements were left out; "" without one."""
    block = BLOCK.search(tool)
    code = block[1].strip() if block else ""
    return definitions(code) if only_definitions else (code, 0)


def option_lines(question: str) -> list[str]:
    """What the released program takes for options: all lines after the first "Options:"."""
    _, mark, listed = question.partition("Options:")
    return listed.strip().split("\n") if mark else []


def labelled_options(question: str) -> list[tuple[str, str]]:
    """Options with their labels: lines such as "(A) the owl" after the first "Options:"."""
    return [(f"({letter})", text) for letter, text in OPTIONS.findall(question.partition("Options:")[2])]


def last_match(block: str) -> str:
    """The variable that the released program takes, from "ans" to " =" be it lines on; what is no variable fails."""
    found, end = "", 0
    while (start := block.find("ans", end)) >= 0 and (stop := block.find(" =", start + 3)) >= 0:
        found, end = block[start:stop], stop + 2
    return found


def assigned(block: str) -> str | None:
    """`ans` where it is assigned, else the last assigned name that begins so; None where there is none."""
    tree = syntax(block)
    names = list(stored(tree)) if tree else []
    return "ans" if "ans" in names else next((name for name in reversed(names) if name.startswith("ans")), None)


VARIABLES = {"released": last_match, "ours": assigned}
OPTIONS_IN = {"released": option_lines, "ours": labelled_options}

#: What a tool or a block prints on the way is no answer.
QUIET = "import io as _io, json as _json, sys as _sys; _printed, _sys.stdout = _sys.stdout, _io.StringIO()"
LOUD = "_sys.stdout = _printed"
#: How the answer variable's value becomes an answer.
CONVERSIONS = {
    "released": """\
_answer = globals()[_variable]
if isinstance(_answer, (list, tuple)):
    _answer = f"{_answer[0]} - {_answer[1]}"
else:
    _letters = "ABCDEFGHIJ"
    _labels = {key: f"({_letters[i]})" for i in range(10) for key in (i + 1, _letters[i], f"({_letters[i]})")}
    if _options and _answer not in _labels and _answer not in _labels.values():
        _answer = next((option.split(" ")[0] for option in _options if _answer in option), _answer)
    _answer = _labels.get(_answer, _answer)
""",
    "ours": """\
_answer = globals()[_variable]
if _options and isinstance(_answer, int) and not isinstance(_answer, bool) and 1 <= _answer <= len(_options):
    _answer = _options[_answer - 1][0]
elif _options and isinstance(_answer, str) and _answer.strip():
    _text = _answer.strip().casefold()
    _same = [label for label, text in _options if _text in (label.casefold(), label[1:-1].casefold(), text.casefold())]
    _within = [label for label, text in _options if _text in text.casefold()]
    _answer = next((found[0] for found in (_same, _within) if len(found) == 1), _answer)
""",
}
#: How it is printed: `released` word for word, as JSON, since so it is compared.
PRINTS = {
    "released": "print(_answer if _answer is None else _json.dumps(str(_answer)))",
    "ours": "print(_answer)",
}


# ---- both ----


def side_by_side(parts: Sequence[Drawn]) -> Generator:
    """Answer several generators' requests together, round by round; returns what each returns."""
    ended: dict[int, object] = {}
    replies: dict[int, list | None] = dict.fromkeys(range(len(parts)))
    while replies:
        asked = {}
        for place, reply in replies.items():
            try:
                asked[place] = parts[place].send(reply)
            except StopIteration as end:
                ended[place] = end.value
        answered = iter((yield [request for requests in asked.values() for request in requests]) if asked else ())
        replies = {place: list(islice(answered, sum(map(width, requests)))) for place, requests in asked.items()}
    return [ended[place] for place in range(len(parts))]


def width(request: Attempt | Run) -> int:
    """How many candidates a request is answered with."""
    return len(request.samples) if isinstance(request, Attempt) else 1


# ---- the dispatcher ----


def of_seed(tools: Mapping[str, str | None], seed: int) -> dict[str, str | None]:
    """By task the tool that a run of this seed is given: of TASK#SEED its own, where several seeds made one."""
    tasks = dict.fromkeys(name.partition("#")[0] for name in tools)
    return {task: tools.get(f"{task}#{seed}", tools.get(task)) for task in tasks}


@dataclass(frozen=True)
class DispatcherSettings(Settings):
    """Which tools it knows."""

    tools: dict[str, str] = field(default_factory=dict)
    """Wrapped tools by the name of their task."""
    chat: bool = True
    """Whether the model is sent a message; else a text."""


def dispatcher(questions: Sequence[Question], settings: DispatcherSettings, words: Words) -> Steps:
    """Ask which task a question belongs to, shown the first use case of each tool that its `context` lists."""
    for question in questions:
        prompt = dispatch(question, of_seed(settings.tools, settings.seed), words)
        asked = Attempt(
            question,
            "dispatch",
            range(0),
            role="dispatcher",
            mode="dispatcher",
            prompt=(("user", prompt),) if settings.chat else prompt,
            runs=False,
            sampling={"temperature": 0.0, "max_tokens": 256} if settings.budget.calls == 1 else {},
        )
        candidates = yield from draw({"dispatcher": asked}, settings.budget)
        yield Answer(question, chosen(question, candidates, settings))


def dispatch(question: Question, tools: Mapping[str, str], words: Words) -> str:
    """What the dispatcher reads. Raises TroveLiteError for a task without its tool."""
    known = {}
    for task in question.context.splitlines():
        case = USE_CASE.search(tools.get(task) or "")
        if not case:
            raise TroveLiteError(f"dispatcher: no tool with a use case for '{task}'; give one by the setting `tools`")
        known[task] = case[1].strip()
    return which(known, question.text, words)


def which(known: Mapping[str, str], question: str, words: Words) -> str:
    """The text that asks which task a question belongs to, of these by name with a question of each."""
    shown = [words("known", task=task, question=first) for task, first in known.items()]
    return words("dispatch", known=words("between_known").join(shown), question=question)


MAKING = (
    "labelled",
    "propose",
    "repair_propose",
    "verify",
    "repair_verify",
    "wrap",
    "use",
    "no_code",
    "no_test",
    "ended",
)
DISPATCHING = ("known", "between_known", "dispatch")


#: What goes for all presets but `released`. A field's own default is what was done before there was such a choice.
HELD = {"reaches_end": True, "only_definitions": True, "user_tokens": 1024}
PAPER = LatmSettings(**HELD, fallback=PRIMITIVE)
LATM = Method(
    "latm",
    latm,
    modes=("latm", FALLBACK),
    stages=(*MAKING, PRIMITIVE),
    asks=lambda settings: MAKING if settings.fallback == NONE else (*MAKING, PRIMITIVE),
    speaks=True,
    presets={
        "paper": PAPER,
        "released": LatmSettings(vacuous=True, unproven=True, doubled=True),
        "ours": replace(PAPER, reading="ours", use_cases=True),
    },
    stream=True,
    grows=True,
    examples=True,
    played_by={"verifier": "maker", "wrapper": "maker"},
    program=None,
)
DISPATCHER = Method(
    "dispatcher",
    dispatcher,
    modes=("dispatcher",),
    stages=DISPATCHING,
    speaks=True,
    presets={"paper": DispatcherSettings()},
    program=None,
)
