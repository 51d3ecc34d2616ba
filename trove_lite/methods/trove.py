"""PRIMITIVE, INSTANCE and TROVE as generators: what to ask a model for, and what to do with what came back.

A method yields lists of Attempts and is sent the Candidates that came of them, in the same order; it yields an Answer
once it has settled on one. It does no I/O, draws no randomness but from its seed, and never sees a gold answer: a
Question has none. So the same method runs on any model, resumes by being fed its own record, and cannot peek.
"""

import random
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

from ..models.base import sample_seed
from ..parse import Tool, format_toolbox
from ..selection import RULES, Ballot, random_choice
from .settings import Budget, Settings, TroveSettings
from .toolbox import THRESHOLDS, Toolbox, named_order

RECTIFY = """\
Your task is to update the program solution with the provided math tools, i.e., Python functions.
For each example, based on the initial solution, select the suitable tool(s), you need to rewrite the solution using \
the selected tools. Do not use any undefined functions or unspecified tools.

**Question**
{question}

**Toolbox**
{toolbox}

**Initial Solution**
{response}

**Solution**
"""  # the instruction is TroVE's (D.3); the paper does not print the rest

RANK = """\
Please rank the tool functions based on their relevance to the question: How many ways are there to choose 3 of 7 books?
```python
# Sum a list of numbers
total(numbers)
```
```python
# The number of ways to choose k of n things
choose(n, k)
```
**Ranking**
choose, total

Please rank the tool functions based on their relevance to the question: {question}
{toolbox}
**Ranking**
"""  # the sentence is TroVE's (D.1), "with one in-context example", which the paper does not print


class Question(NamedTuple):
    """A problem as a method may see it."""

    dataset: str
    category: str
    index: int
    text: str


@dataclass(frozen=True)
class Attempt:
    """A wish: these samples of one prompt, each parsed and run.

    phase: `stream`; `retry` for problems solved again after trimming; `draft` for what is rectified before it counts.
    shown: tools as the prompt lists them; library: code that the programs run after.
    prompt: the text itself, where it is not one of the prompt pack's; runs: False where only the text is wanted.
    """

    question: Question
    mode: str
    samples: range
    phase: str = "stream"
    shown: tuple[Tool, ...] = ()
    library: tuple[str, ...] = ()
    prompt: str | None = None
    runs: bool = True


@dataclass(frozen=True)
class Candidate:
    """One answer to an Attempt: what the model wrote, and how it fared (`ballot`).

    completion_tokens: None where the model refused the prompt, and no sample is to be had.
    """

    mode: str
    sample: int
    text: str
    tools: tuple[Tool, ...]
    ballot: Ballot
    completion_tokens: int | None


class Answer(NamedTuple):
    """The candidate that a method answers a question with, for the time being: a later Answer replaces it."""

    question: Question
    candidate: Candidate


#: What it returns is what it has learned in the end: TROVE its toolbox, the others nothing.
Steps = Generator[list[Attempt] | Answer, list[Candidate], Toolbox | None]
Drawn = Generator[list[Attempt], list[Candidate], list[Candidate]]


def primitive(questions: Sequence[Question], settings: Settings, mode: str = "primitive") -> Steps:
    """K programs a problem from one prompt, each problem by itself."""
    for question in questions:
        candidates = yield from draw({mode: Attempt(question, mode, range(0))}, settings.budget)
        yield Answer(question, chosen(question, candidates, settings))


def instance(questions: Sequence[Question], settings: Settings) -> Steps:
    """The same with the prompt that asks for functions made for this problem alone (TroVE, 2.2)."""
    return primitive(questions, settings, "instance")


def trove(questions: Sequence[Question], settings: TroveSettings) -> Steps:
    """TROVE (section 3): use and grow a toolbox problem by problem, and trim it at intervals; returns the toolbox."""
    questions = in_order(questions, settings)
    toolbox, forgotten = Toolbox(), set()
    threshold = THRESHOLDS[settings.threshold]
    for place, question in enumerate(questions):
        best = yield from solve(question, toolbox, settings)
        learn(toolbox, best, place, settings)
        if (place + 1) % settings.interval == 0:
            forgotten |= toolbox.trim(threshold(place + 1))
    if settings.final_trim and questions:
        forgotten |= toolbox.trim(threshold(len(questions)))
    for place in sorted(forgotten) if settings.retry else ():
        best = yield from solve(questions[place], toolbox, settings, phase="retry")
        learn(toolbox, best, place, settings, add=settings.adds_retry)
    return toolbox


def solve(question: Question, toolbox: Toolbox, settings: TroveSettings, *, phase: str = "stream") -> Generator:
    """One problem in each mode; yields its Answer and returns the candidate chosen."""
    shown = yield from listed(question, toolbox, settings, phase)
    views = {}
    for mode in settings.modes if phase == "stream" else retry_modes(settings):
        views[mode] = plain(question, mode, phase)
        if mode == "import":
            views[mode] = Attempt(question, mode, range(0), phase, shown, toolbox.sources())
    candidates = yield from draw(drafts(views, settings), shares(settings, phase))
    if phase == "stream" and settings.rectify in views:
        candidates = yield from rectified(candidates, question, shown, toolbox, settings)
    best = chosen(question, candidates, settings)
    yield Answer(question, best)
    return best


def chosen(question: Question, candidates: Sequence[Candidate], settings: Settings) -> Candidate:
    """The candidate that answers; `random` is no agreement at all (TroVE, Table 11)."""
    ballots = [candidate.ballot for candidate in candidates]
    if settings.selection == "random":
        seed = sample_seed(settings.seed, *question[:3], "stream", "select", 0)
        return candidates[random_choice(ballots, seed)]
    return candidates[RULES[settings.selection](ballots)]


def learn(toolbox: Toolbox, best: Candidate, problem: int, settings: TroveSettings, *, add: bool = True) -> None:
    """What the selected response teaches: IMPORT counts uses, and it or CREATE may add tools."""
    if not best.ballot.ok and best.mode not in settings.adds_failing:
        return
    add = add and best.mode in settings.adds
    if best.mode == "import":
        known = [tool for tool in best.tools if tool.name in toolbox or tool.kind in settings.kinds]
        toolbox.use(known, problem, add=add)
    elif best.mode == "create" and add:
        toolbox.add((tool for tool in best.tools if tool.kind in settings.kinds), problem)


def listed(question: Question, toolbox: Toolbox, settings: TroveSettings, phase: str) -> Generator:
    """The tools that IMPORT's prompt shows, best first. Ranking by the model costs a call, where there is a choice."""
    if settings.ranking != "model":
        tools = toolbox.ranked(settings.ranking, question.text)
    else:
        tools = toolbox.ranked()
        if len(tools) > 1:
            prompt = RANK.format(question=question.text, toolbox=format_toolbox(tools))
            (reply,) = yield [Attempt(question, "rank", range(1), phase, prompt=prompt, runs=False)]
            tools = named_order(reply.text, tools)
    return tools[: settings.shown]


def rectified(
    candidates: list[Candidate], question: Question, shown: Sequence[Tool], toolbox: Toolbox, settings: TroveSettings
) -> Drawn:
    """The responses of one mode written anew, and adopted whatever they are (TroVE, D.3)."""
    rewrites = [
        Attempt(
            question,
            draft.mode,
            range(draft.sample, draft.sample + 1),
            library=toolbox.sources(),
            prompt=RECTIFY.format(question=question.text, toolbox=format_toolbox(shown), response=draft.text.strip()),
        )
        for draft in candidates
        if draft.mode == settings.rectify
    ]
    new = iter((yield rewrites))
    return [next(new) if draft.mode == settings.rectify else draft for draft in candidates]


def draw(views: dict[str, Attempt], budget: Budget) -> Drawn:
    """Sample the modes in turn until the budget is met; candidates come back mode by mode."""
    candidates: list[Candidate] = []
    while due := budget.due([candidate.completion_tokens for candidate in candidates]):
        candidates += yield turns(views, len(candidates), due)
    place = {mode: i for i, mode in enumerate(views)}
    return sorted(candidates, key=lambda candidate: (place[candidate.mode], candidate.sample))


def turns(views: dict[str, Attempt], drawn: int, due: int) -> list[Attempt]:
    """The next `due` samples after the first `drawn`, where the modes take turns."""
    n = len(views)
    attempts = []
    for place, view in enumerate(views.values()):
        start, stop = (-((place - total) // n) for total in (drawn, drawn + due))
        if start < stop:
            attempts.append(replace(view, samples=range(start, stop)))
    return attempts


def ahead(questions: Sequence[Question], settings: TroveSettings) -> Iterator[list[Attempt]]:
    """For each problem in order, what `trove` will surely ask for and does not depend on the toolbox.

    The driver may sample these early: with the same prompts and seeds the run is the same, only sooner.
    """
    for question in in_order(questions, settings):
        views = drafts({mode: plain(question, mode, "stream") for mode in settings.modes}, settings)
        first = turns(views, 0, settings.budget.due(()))
        yield [attempt for attempt in first if attempt.mode != "import"]


def in_order(questions: Sequence[Question], settings: TroveSettings) -> list[Question]:
    """The problems in the stream's order; shuffled as the official program does, in place by `random`."""
    questions = list(questions)
    if settings.shuffle is not None:
        random.Random(settings.shuffle).shuffle(questions)
    return questions


def plain(question: Question, mode: str, phase: str) -> Attempt:
    """An attempt that neither sees nor runs with the toolbox: CREATE's and SKIP's."""
    return Attempt(question, mode, range(0), phase)


def drafts(views: dict[str, Attempt], settings: TroveSettings) -> dict[str, Attempt]:
    """The views, but for the mode that is rectified, whose samples are drafts."""
    if settings.rectify not in views or any(view.phase == "retry" for view in views.values()):
        return views
    return views | {settings.rectify: replace(views[settings.rectify], phase="draft")}


def retry_modes(settings: TroveSettings) -> tuple[str, ...]:
    """IMPORT and SKIP (TroVE, footnote 3); without IMPORT in the study, whatever it has."""
    return tuple(mode for mode in settings.modes if mode != "create" or "import" not in settings.modes)


def shares(settings: TroveSettings, phase: str) -> Budget:
    """A problem's budget; of one solved again, the same for each of its modes as before."""
    budget = settings.budget
    if phase == "stream":
        return budget
    part = Fraction(len(retry_modes(settings)), len(settings.modes))
    tokens = budget.completion_tokens
    return replace(budget, calls=int(budget.calls * part), completion_tokens=tokens and max(1, int(tokens * part)))


class Method(NamedTuple):
    """A method by name: its generator, its settings, and, where problems form a stream, what it can ask ahead."""

    steps: Callable[[Sequence[Question], Settings], Steps]
    settings: type[Settings]
    ahead: Callable[[Sequence[Question], Settings], Iterator[list[Attempt]]] | None


METHODS = {
    "primitive": Method(primitive, Settings, None),
    "instance": Method(instance, Settings, None),
    "trove": Method(trove, TroveSettings, ahead),
}
