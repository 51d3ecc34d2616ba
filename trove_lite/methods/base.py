"""What a method is made of: what it may ask for, what it is given, what it is set to, and what a
problem may spend.

A method is a generator. It yields a list of requests (Attempts of a model, Runs of a program) and
is sent a Candidate for each sample and run, in the same order; it yields an Answer once it has
settled on one. It does no I/O, draws no randomness but from its seed, and never sees a gold answer:
a Question has none. So the same method runs on any model, resumes by being fed its own record, and
cannot peek.
"""

import hashlib
import json
import math
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any, NamedTuple, get_type_hints

from ..datasets.base import Names, Problem, Question
from ..errors import DamagedFile, TroveLiteError, one_of
from ..programs import AT_HAND, Tool, Tools, program_of, whole_program
from ..programs.definitions import definitions
from ..selection import RULES, Vote, random_choice
from ..shapes import misfit


def sample_seed(
    run_seed: int, question: Question, phase: str, stage: str, sample: int, round: int = 0
) -> int:
    """The seed of one sample: a hash of all that tells it from every other sample. 53 bits, so that
    a server that reads JSON numbers as floating point still gets it whole."""
    parts = [run_seed, question.dataset, question.category, question.index, phase, stage, sample]
    parts += [round] if round else []
    key = json.dumps(parts).encode()
    return int.from_bytes(hashlib.blake2b(key, digest_size=8).digest()) >> 11


def at_least(least: int, **numbers: int | None) -> None:
    """Refuse a number below `least`; None is no number."""
    for name, value in numbers.items():
        if value is not None and value < least:
            raise TroveLiteError(f"{name} {value}: must be at least {least}")


@dataclass(frozen=True)
class Budget:
    """What a problem may spend: `calls` samples over all modes (K in the papers), or until so many
    tokens are written.
    most: tokens that one completion may have."""

    calls: int = 15
    completion_tokens: int | None = None
    most: int = 512

    def due(self, tokens: Sequence[int | None]) -> int:
        """How many more samples to ask for at once after some of so many `tokens` each; 0 when the
        budget is met. By tokens, these are as many as are needed even if each is as long as can be:
        so the samples are the first whose tokens reach the budget, as if asked for one by one. One
        of unknown or no tokens is taken as the longest."""
        left = self.left(tokens, least=0)
        return (
            left.calls
            if left.completion_tokens is None
            else math.ceil(left.completion_tokens / self.most)
        )

    def left(self, tokens: Sequence[int | None], least: int = 1) -> "Budget":
        """What remains after replies of so many tokens each, and at least so many calls or
        tokens."""
        if self.completion_tokens is None:
            return replace(self, calls=max(least, self.calls - len(tokens)))
        spent = sum(n or self.most for n in tokens)
        return replace(self, completion_tokens=max(least, self.completion_tokens - spent))


@dataclass(frozen=True)
class Settings:
    """What every method has."""

    budget: Budget = field(default_factory=Budget)
    """What a problem may spend."""
    selection: str = "one_stage"
    """The rule by which the method itself selects its answer, or `random`."""
    seed: int = 0
    """The run's seed: of every sample, and of whatever the method leaves to chance."""

    LIMITS = (
        ("selection", (*RULES, "random")),
    )  # of a setting the least, or all, that it may be; those of bases hold
    # what a setting was in runs that do not state it yet, where presets differ now; those of bases
    # hold
    FORMERLY = ()

    def __post_init__(self):
        for kind in type(self).__mro__:
            for name, limit in vars(kind).get("LIMITS", ()):
                value = getattr(self, name)
                at_least(limit, **{name: value}) if isinstance(limit, int) else one_of(
                    name, value, limit
                )
        spend = (
            self.budget.calls
            if self.budget.completion_tokens is None
            else self.budget.completion_tokens
        )
        if spend < 1:
            raise TroveLiteError(f"budget {spend}: a problem needs at least one call or token")

    def table_name(self, method: str) -> str:
        """What tables call the method with these settings: an ablation may have a name of its
        own."""
        return method

    def on(self, given: tuple[str, ...]) -> "Settings":
        """The same for a data set that gives these imports to every program."""
        return self


def as_begun(kind: type[Settings], stated: Mapping[str, object]) -> dict[str, Any]:
    """The settings of a run whose `run.json` states these: what it does not say yet is as it was
    FORMERLY. Raises DamagedFile for one of a wrong type."""
    hints = get_type_hints(kind)
    formerly = [pair for each in kind.__mro__ for pair in vars(each).get("FORMERLY", ())]
    for name, value in stated.items():
        if name in hints and (fault := misfit(value, hints[name], name)):
            raise DamagedFile(fault)
    return with_tuples(
        {name: value for name, value in (dict(formerly) | dict(stated)).items() if name in hints}
    )


def with_tuples(values: Mapping[str, object]) -> dict[str, object]:
    """Values as settings have them, of YAML or JSON, which know lists alone."""
    return {
        name: tuple(value) if isinstance(value, list) else value for name, value in values.items()
    }


#: Code that runs before a program; functions given as Tools are the module `toolbox`.
Library = tuple[str | Tool, ...]


@dataclass(frozen=True)
class ToolSettings(Settings):
    """Settings of methods whose programs use tools."""

    isolated: bool = True
    """A tool is a definition with all that it needs, in its own module. False: all lines of its
    block, and all tools in one namespace, as in the official program."""
    at_hand: bool = True
    """Programs may call an isolated tool that they do not import, as in the official program."""

    FORMERLY = ("isolated", False), ("at_hand", False)

    def as_library(self, tools: Sequence[Tool]) -> Library:
        if not self.isolated:
            return tuple(tool.source for tool in tools)
        return (*([AT_HAND] if self.at_hand and tools else []), *tools)


#: A chat so far: ("system" | "user" | "assistant", text) in turn.
Messages = tuple[tuple[str, str], ...]
Words = Callable[..., str]  # a text's name and what fills it → the text, of the run's pack


@dataclass(frozen=True)
class Attempt:
    """A request to a model: these samples of one prompt, each parsed and run, and a candidate
    unless it says not. The prompt is the pack's for `stage`, `shown` and `values`, unless the
    method writes it as `prompt`: a text, or messages."""

    question: Question
    stage: str  # what is asked: a mode of TROVE, or a step on the way, such as `rank` or `rectify`
    samples: range
    phase: str = "stream"  # `retry` for problems solved again after trimming
    shown: Tools = ()  # tools as the prompt lists them
    library: Library = ()
    left_out: int = (
        0  # statements beside the definitions in `library` that are no part of a tool: only counted
    )
    compose: Callable[[str], str] | None = field(
        default=None, compare=False
    )  # reply → program; None: by `program`
    program: Callable[..., str] = field(
        default=program_of, compare=False
    )  # solution, tools, `library` → program
    values: Mapping[str, str] = field(
        default_factory=dict, hash=False
    )  # what else fills the prompt: `program`, `error`
    wording: str = ""  # the stage whose prompt asks it, where the pack has that one ("": its own)
    prompt: str | Messages | None = None
    # False where only the text is wanted: of a candidate, what follows its marker `Final Answer:`
    runs: bool = True
    role: str = "solver"  # who is asked: each role may have a model of its own
    sampling: Mapping[str, object] = field(
        default_factory=dict, hash=False
    )  # where it differs from the run's
    mode: str | None = None  # its mode in tables (None: its stage); "" where it is no candidate
    round: int = (
        0  # 1, 2 … for a program written anew in place of the same sample's: the last one is used
    )

    def __post_init__(self):
        if self.mode is None:
            object.__setattr__(self, "mode", self.stage if self.runs else "")

    @property
    def fences(self) -> str:
        """`blocks` where a reply's program is all its blocks; "" where the run's parser reads
        it."""
        return "blocks" if self.program is whole_program else ""

    @property
    def composed(self) -> bool:
        """Whether the method says itself how a reply becomes a program, and not the official
        program's way."""
        return self.compose is not None or self.program is not program_of


@dataclass(frozen=True)
class Run:
    """A request to run a program that no sample of this request wrote: a tool check, a verifier, a
    composition."""

    question: Question
    stage: str
    program: str
    sample: int = 0
    phase: str = "stream"
    round: int = 0
    mode: str = ""  # as an Attempt's

    @property
    def samples(self) -> range:
        return range(self.sample, self.sample + 1)


@dataclass(frozen=True)
class Candidate:
    """What came of one sample or one run: the text that the model wrote, and how its program fared.
    status: as in the candidates table; None where nothing was run. output, error: of the program,
    as a person who runs it sees them.
    completion_tokens: None where they are not known, as of a sample that could not be had.
    left_out: statements beside its tools that are no part of any, and did not run."""

    mode: str
    sample: int
    text: str
    tools: Tools
    vote: Vote
    completion_tokens: int | None
    status: str | None = None
    output: str = ""
    error: str = ""
    solution: str = ""
    left_out: int = 0

    @property
    def samples(self) -> range:
        return range(self.sample, self.sample + 1)


def as_asked(question: Question) -> str:
    """A question as a prompt states it: what it is about, where there is such a thing, and then its
    text."""
    return f"{question.context}\n\n{question.text}" if question.context else question.text


class Answer(NamedTuple):
    """The candidate that a method answers a question with, for the time being: a later Answer
    replaces it."""

    question: Question
    candidate: Candidate


Request = Attempt | Run
#: A method returns what it has learned in the end: TROVE its toolbox, the others nothing. A part of
#: one returns what its docstring says.
Steps = Generator[list[Request] | Answer, list[Candidate], Any]
Drawn = Generator[list[Request], list[Candidate], list[Candidate]]


class Method(NamedTuple):
    """A method: its generator, what can be chosen about it, and how its problems hang together."""

    name: str
    # of questions and settings; and of `examples` and `words`, where it wants them
    steps: Callable[..., Steps]
    # in the order in which a problem's candidates are sampled: the tie rule of selection
    modes: Names
    stages: Names = ()  # all that it may ask the pack for: prompts, and texts where it `speaks`
    presets: Mapping[str, Settings] = {"paper": Settings()}  # `paper` is the default
    # whether problems come in order, one after another: a later one depends on earlier ones
    stream: bool = False
    #: For each problem of a stream, in order, what it will surely ask for whatever came before: may
    #: be sampled early.
    ahead: Callable[..., Iterator[list[Attempt]]] | None = None
    played_by: Mapping[
        str, str
    ] = {}  # roles that another plays, where it has a model of its own and they have none
    # whether it is given its category's labelled problems, which count: labels are a budget too
    examples: bool = False
    program: Callable[..., str] | None = (
        program_of  # a candidate's program from its row; None: no table holds it whole
    )
    asks: Callable[..., Sequence[str]] | None = (
        None  # which of its stages it asks for with some settings; None: all
    )
    #: Settings for tools that were made elsewhere, of sources (`--tool`), the method and the run's
    #: categories; None: it takes none.
    elsewhere: "Callable[[Sequence[str], Method, Sequence[str]], Mapping[str, object]] | None" = (
        None
    )
    # whether it writes messages, of the pack's texts, given to it as `words(name, **values)`
    speaks: bool = False

    def begin(
        self,
        questions: Sequence[Question],
        settings: Settings,
        examples: Sequence[Problem],
        words: Words,
    ) -> Steps:
        """The generator for these questions; what a method is not given it cannot see."""
        given = [*([examples] if self.examples else []), *([words] if self.speaks else [])]
        return self.steps(questions, settings, *given)


def tool_code(code: str, isolated: bool) -> tuple[str, int]:
    """A tool's code as others run after it: if `isolated`, what `definitions` keeps; and how many
    statements it leaves. Code that does not parse stays: what runs after it fails, and says
    where."""
    found = definitions(code) if isolated else None
    return (found.code, len(found.left_out)) if found else (code, 0)


def chosen(question: Question, candidates: Sequence[Candidate], settings: Settings) -> Candidate:
    """The candidate that answers; `random` is no agreement at all (TroVE, Table 11)."""
    votes = [candidate.vote for candidate in candidates]
    if settings.selection == "random":
        seed = sample_seed(settings.seed, question, "stream", "select", 0)
        return candidates[random_choice(votes, seed)]
    return candidates[RULES[settings.selection](votes)]


def one_prompt(
    questions: Sequence[Question], settings: Settings, *, mode: str, runs: bool = True
) -> Steps:
    """Sample the prompt of `mode` until the budget is met, and agree on what its programs, or
    texts, answer."""
    for question in questions:
        yield from settle(Attempt(question, mode, range(0), runs=runs, mode=mode), settings)


def settle(asked: Attempt, settings: Settings) -> Steps:
    """Sample one prompt until the budget is met and answer its question; returns the candidate
    chosen, and all."""
    candidates = yield from draw({asked.mode: asked}, settings.budget)
    best = chosen(asked.question, candidates, settings)
    yield Answer(asked.question, best)
    return best, candidates


def draw(views: Mapping[str, Attempt], budget: Budget) -> Drawn:
    """Sample the modes in turn until the budget is met; candidates come back mode by mode."""
    candidates: list[Candidate] = []
    while due := budget.due([candidate.completion_tokens for candidate in candidates]):
        candidates += yield turns(views, len(candidates), due)
    modes = list(views)
    return sorted(candidates, key=lambda one: (modes.index(one.mode), one.sample))


def turns(views: Mapping[str, Attempt], drawn: int, due: int) -> list[Attempt]:
    """The next `due` samples after the first `drawn`, where the modes take turns."""
    asked = []
    for place, view in enumerate(views.values()):
        samples = range(*(-((place - total) // len(views)) for total in (drawn, drawn + due)))
        if samples:
            asked.append(replace(view, samples=samples))
    return asked


#: How many questions that do not depend on one another are asked at once.
AT_ONCE = 32


def answer_all(
    questions: Sequence[Question], ask: Callable[[Question], Drawn], settings: Settings
) -> Steps:
    """Answer questions that do not depend on one another, many at once: `ask` draws the candidates
    for one."""
    for start in range(0, len(questions), AT_ONCE):
        batch = questions[start : start + AT_ONCE]
        drawn = yield from in_parallel([ask(question) for question in batch])
        for question, candidates in zip(batch, drawn, strict=True):
            yield Answer(question, chosen(question, candidates, settings))


def in_parallel(parts: Sequence[Drawn]) -> Steps:
    """Answer several generators' requests together, round by round; returns what each returns."""
    results: list[object] = [None] * len(parts)
    replies: dict[int, list | None] = dict.fromkeys(range(len(parts)))
    while replies:
        asked = {}
        for place, reply in replies.items():
            try:
                asked[place] = parts[place].send(reply)
            except StopIteration as end:
                results[place] = end.value
        sent = iter((yield [*chain.from_iterable(asked.values())]))
        replies = {
            place: list(islice(sent, sum(len(request.samples) for request in requests)))
            for place, requests in asked.items()
        }
    return results
