"""What a method is made of: what it may ask for, what it is given, what it is set to, and what a problem may spend.

A method is a generator. It yields a list of requests (Attempts of a model, Runs of a program) and is sent a Candidate
for each sample and run, in the same order; it yields an Answer once it has settled on one. It does no I/O, draws no
randomness but from its seed, and never sees a gold answer: a Question has none. So the same method runs on any model,
resumes by being fed its own record, and cannot peek.
"""

import hashlib
import json
import math
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import NamedTuple

from ..datasets.base import Problem, Question
from ..definitions import definitions
from ..errors import TroveLiteError
from ..programs import Tool, program_of
from ..selection import RULES, Vote, random_choice


def sample_seed(run_seed: int, question: Question, phase: str, stage: str, sample: int, round: int = 0) -> int:
    """The seed of one sample: a hash of all that tells it from every other sample.

    53 bits, so that a server that reads JSON numbers as floating point still gets it whole.
    """
    parts = [run_seed, question.dataset, question.category, question.index, phase, stage, sample]
    key = json.dumps([*parts, round] if round else parts)
    return int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest()) >> 11


def one_of(name: str, value: object, allowed: Sequence) -> None:
    """Refuse a value that is not among those allowed; of a tuple, each."""
    for one in value if isinstance(value, tuple) else (value,):
        if one not in allowed:
            raise TroveLiteError(f"{name} '{one}': choose from {', '.join(map(str, allowed))}")


def at_least(least: int, **numbers: int | None) -> None:
    """Refuse a number below `least`; None is no number."""
    for name, value in numbers.items():
        if value is not None and value < least:
            raise TroveLiteError(f"{name} {value}: must be at least {least}")


@dataclass(frozen=True)
class Budget:
    """What a problem may spend on candidates."""

    calls: int = 15
    """Samples a problem, over all modes (K in the papers)."""
    completion_tokens: int | None = None
    """Sample until so many tokens are written, instead of `calls` times (None: by calls)."""
    most: int = 512
    """Tokens that one completion may have."""

    def due(self, tokens: Sequence[int | None]) -> int:
        """How many more samples to ask for at once after some of so many `tokens` each; 0 when the budget is met.

        By tokens, these are as many as are needed even if each is as long as it can be. So the samples of a problem
        are the first ones whose tokens reach the budget, as if asked for one by one, and none is wasted. One whose
        tokens are not known, or none at all, counts as the longest: else it may never end.
        """
        if self.completion_tokens is None:
            return max(0, self.calls - len(tokens))
        left = self.completion_tokens - sum(n or self.most for n in tokens)
        return max(0, math.ceil(left / self.most))


@dataclass(frozen=True)
class Settings:
    """What every method has."""

    budget: Budget = field(default_factory=Budget)
    """What a problem may spend."""
    selection: str = "one_stage"
    """The rule by which the method itself selects its answer, or `random`."""
    seed: int = 0
    """The run's seed: of every sample, and of whatever the method leaves to chance."""

    def __post_init__(self):
        one_of("selection", self.selection, (*RULES, "random"))
        spend = self.budget.calls if self.budget.completion_tokens is None else self.budget.completion_tokens
        if spend < 1:
            raise TroveLiteError(f"budget {spend}: a problem needs at least one call or token")

    def table_name(self, method: str) -> str:
        """What tables call the method with these settings: an ablation may have a name of its own."""
        return method

    def on(self, given: tuple[str, ...]) -> "Settings":
        """The same for a data set that gives these imports to every program."""
        return self


#: What runs did whose `run.json` does not say it yet, where a preset does something else now.
FORMERLY = {
    "isolated": False,
    "given": (),
    "released_fences": False,
    "use_cases": False,
    "reaches_end": False,
    "only_definitions": False,
    "fallback": "none",
}


def as_begun(kind: type[Settings], stated: Mapping[str, object]) -> dict[str, object]:
    """The settings of a run whose `run.json` states these: what it does not say yet is as it was FORMERLY."""
    names = {field.name for field in fields(kind)}
    return with_tuples({name: value for name, value in (FORMERLY | dict(stated)).items() if name in names})


def with_tuples(values: Mapping[str, object]) -> dict[str, object]:
    """Values as settings have them, of YAML or JSON, which know lists alone."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}


@dataclass(frozen=True)
class ToolSettings(Settings):
    """What every method has whose programs stand with tools."""

    isolated: bool = True
    """A tool is a definition with the imports, constants and definitions that it needs, and of a toolbox it is a module
    of its own (False: all lines of its block, in one namespace with every other tool, as in the official program)."""


Messages = tuple[tuple[str, str], ...]  # a chat so far: ("system" | "user" | "assistant", text) in turn
Words = Callable[..., str]  # a text's name and what fills it → the text, of the run's pack


@dataclass(frozen=True)
class Attempt:
    """A request to a model: these samples of one prompt, each parsed and run, and a candidate unless it says not.

    The prompt is the pack's for `stage`, `shown` and `values`, unless it is given as `prompt` (a text, or messages), of
    the texts that the pack has for a method that `speaks`.
    """

    question: Question
    stage: str
    """What is asked: a mode of TROVE, or a step on the way, such as `rank` or `rectify`."""
    samples: range
    phase: str = "stream"
    """`retry` for problems solved again after trimming."""
    shown: tuple[Tool, ...] = ()
    """Tools as the prompt lists them."""
    library: tuple[str | Tool, ...] = ()
    """Code that the programs run after; functions given as Tools are the module `toolbox` that they import from."""
    left_out: int = 0
    """Statements that stood with the definitions in `library` and are no part of a tool: they are only counted."""
    compose: Callable[[str], str] | None = field(default=None, compare=False)
    """How a reply becomes the program that runs (None: by `program`, of what the run's parser reads in it)."""
    program: Callable[..., str] = field(default=program_of, compare=False)
    """How a reply's solution, its tools and `library` become the program that runs."""
    fences: str = ""
    """How a reply is read whose program is all its blocks: one of `parse.FENCES` ("": by the run's parser)."""
    trial: str = ""
    """The same for the program that runs, where others are given another: a tool that is tried first."""
    values: Mapping[str, str] = field(default_factory=dict, hash=False)
    """What else the stage's prompt is filled with: a program to repair, its error."""
    wording: str = ""
    """The stage whose prompt asks it, where the pack has that one ("": its own)."""
    prompt: str | Messages | None = None
    """The prompt itself, where the method writes it."""
    runs: bool = True
    """False where only the text is wanted: of a candidate, what stands after its marker `Final Answer:`."""
    role: str = "solver"
    """Who is asked: each role may have a model of its own."""
    sampling: Mapping[str, object] = field(default_factory=dict, hash=False)
    """How its completions are drawn, where that differs from the run's: fields of SamplingSettings."""
    mode: str | None = None
    """What the candidate counts as in tables (None: its stage); "" where it is no candidate."""
    round: int = 0
    """1, 2 … for a program written anew in place of the same sample's one before: the last one counts."""

    def __post_init__(self):
        if self.mode is None:
            object.__setattr__(self, "mode", self.stage if self.runs else "")

    @property
    def composed(self) -> bool:
        """Whether the method says itself how a reply becomes a program, and not the official program's way."""
        return self.compose is not None or self.program is not program_of


@dataclass(frozen=True)
class Run:
    """A request to run a program that no sample of this request wrote: a tool check, a verifier, a composition."""

    question: Question
    stage: str
    program: str
    sample: int = 0
    phase: str = "stream"
    round: int = 0
    mode: str = ""
    """What the outcome counts as in tables; "" where it is no candidate."""

    @property
    def samples(self) -> range:
        """The one sample, as an Attempt has several."""
        return range(self.sample, self.sample + 1)


@dataclass(frozen=True)
class Candidate:
    """What came of one sample or one run: the text that the model wrote, and how its program fared.

    status: as in the candidates table; None where nothing was run. output, error: of the program, as a person who runs
    it sees them. completion_tokens: None where they are not known, as of a sample that could not be had.
    """

    mode: str
    sample: int
    text: str
    tools: tuple[Tool, ...]
    vote: Vote
    completion_tokens: int | None
    status: str | None = None
    output: str = ""
    error: str = ""
    stage: str = ""
    solution: str = ""
    left_out: int = 0
    """Statements beside its tools that are no part of any, and did not run."""


def one_sample(candidate: Candidate) -> range:
    """The samples of a request that goes on from this candidate."""
    return range(candidate.sample, candidate.sample + 1)


def as_asked(question: Question) -> str:
    """A question as a prompt states it: what it is about, where there is such a thing, and then its text."""
    return f"{question.context}\n\n{question.text}" if question.context else question.text


class Answer(NamedTuple):
    """The candidate that a method answers a question with, for the time being: a later Answer replaces it."""

    question: Question
    candidate: Candidate


Request = Attempt | Run
#: What it returns is what it has learned in the end: TROVE its toolbox, the others nothing.
Steps = Generator[list[Request] | Answer, list[Candidate], object]
Drawn = Generator[list[Request], list[Candidate], list[Candidate]]


class Method(NamedTuple):
    """A method: its generator, what can be chosen about it, and how its problems hang together.

    One with `examples` is given its category's labelled problems as `steps(questions, settings, examples)`, and they
    are counted: labels are a budget too.
    """

    name: str
    steps: Callable[..., Steps]
    #: Modes in the order in which a problem's candidates are sampled: the tie rule of selection.
    modes: tuple[str, ...]
    #: Everything that it may ask the pack of prompts for: prompts, and texts where it `speaks`.
    stages: tuple[str, ...] = ()
    #: Settings by preset; `paper` is the default.
    presets: Mapping[str, Settings] = {"paper": Settings()}
    #: Whether problems come in order, one after another, because a later one depends on earlier ones.
    stream: bool = False
    #: For each problem of a stream, in order, what it will surely ask for whatever came before: may be sampled early.
    ahead: Callable[[Sequence[Question], Settings], Iterator[list[Attempt]]] | None = None
    #: Roles that another plays, where it has a model of its own and they have none.
    played_by: Mapping[str, str] = {}
    #: Whether it may see labelled problems of its category: the data set's examples, never the ones asked.
    examples: bool = False
    #: How a candidate's solution and tools become its program again, to run once more; None: no table holds it whole.
    program: Callable[..., str] | None = program_of
    #: Which of its stages it asks for with some settings; None: all.
    asks: Callable[..., Sequence[str]] | None = None
    #: Whether it writes messages itself, of the pack's texts, which are given to it as `words(name, **values)`.
    speaks: bool = False

    def begin(
        self,
        questions: Sequence[Question],
        settings: Settings,
        examples: Sequence[Problem] = (),
        words: Words | None = None,
    ) -> Steps:
        """The generator for these questions; what a method is not given it cannot see."""
        given = [*([examples] if self.examples else []), *([words] if self.speaks else [])]
        return self.steps(questions, settings, *given)


def tool_code(code: str, isolated: bool) -> tuple[str, int]:
    """A tool's code as others run after it: if `isolated`, what `definitions` keeps; and how many statements it leaves.

    Code that does not parse stays: what runs after it fails, and says where.
    """
    found = definitions(code) if isolated else None
    return (found.code, len(found.left_out)) if found else (code, 0)


def chosen(question: Question, candidates: Sequence[Candidate], settings: Settings) -> Candidate:
    """The candidate that answers; `random` is no agreement at all (TroVE, Table 11)."""
    votes = [candidate.vote for candidate in candidates]
    if settings.selection == "random":
        seed = sample_seed(settings.seed, question, "stream", "select", 0)
        return candidates[random_choice(votes, seed)]
    return candidates[RULES[settings.selection](votes)]


def answer_each(questions: Sequence[Question], ask: Callable[[Question], Drawn], settings: Settings) -> Steps:
    """Answer questions one after another by agreement among the candidates that `ask` draws for each."""
    for question in questions:
        candidates = yield from ask(question)
        yield Answer(question, chosen(question, candidates, settings))


def one_prompt(questions: Sequence[Question], settings: Settings, *, mode: str, runs: bool = True) -> Steps:
    """Sample the prompt of `mode` until the budget is met, and agree on what its programs, or texts, answer."""

    def ask(question: Question) -> Drawn:
        return draw({mode: Attempt(question, mode, range(0), runs=runs, mode=mode)}, settings.budget)

    return answer_each(questions, ask, settings)


def draw(views: Mapping[str, Attempt], budget: Budget) -> Drawn:
    """Sample the modes in turn until the budget is met; candidates come back mode by mode."""
    candidates: list[Candidate] = []
    while due := budget.due([candidate.completion_tokens for candidate in candidates]):
        candidates += yield turns(views, len(candidates), due)
    place = {mode: i for i, mode in enumerate(views)}
    return sorted(candidates, key=lambda candidate: (place[candidate.mode], candidate.sample))


def turns(views: Mapping[str, Attempt], drawn: int, due: int) -> list[Attempt]:
    """The next `due` samples after the first `drawn`, where the modes take turns."""
    n = len(views)
    attempts = []
    for place, view in enumerate(views.values()):
        start, stop = (-((place - total) // n) for total in (drawn, drawn + due))
        if start < stop:
            attempts.append(replace(view, samples=range(start, stop)))
    return attempts


#: Attempts of one problem, each of as many calls as it takes: their final candidates, and all replies on the way.
Batch = Generator[list[Request], list[Candidate], tuple[list[Candidate], list[Candidate]]]


def repeat(batch: Callable[[range], Batch], budget: Budget, most_calls: int, *, attempts: int | None = None) -> Drawn:
    """Whole attempts until the problem's budget is met, or so many whatever they cost; returns their final candidates.

    An attempt takes at most `most_calls`. As many are begun at once as are needed even if each takes that many: they
    are the first whose cost reaches the budget, as if begun one by one, and the last may overshoot it.
    """
    if attempts:
        return (yield from batch(range(attempts)))[0]
    final: list[Candidate] = []
    replies: list[Candidate] = []
    while due := budget.due([reply.completion_tokens for reply in replies]):
        new, on_the_way = yield from batch(range(len(final), len(final) + math.ceil(due / most_calls)))
        final += new
        replies += on_the_way
    return final
