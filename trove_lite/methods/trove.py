"""TROVE: use and grow a toolbox problem by problem, in three modes, and trim it (TroVE, section 3)."""

import random
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ..errors import TroveLiteError
from ..parse import parse_tools
from ..programs import Tool, plain_name, program_of
from .base import (
    Answer,
    Attempt,
    Budget,
    Candidate,
    Drawn,
    Method,
    Question,
    Run,
    Steps,
    ToolSettings,
    at_least,
    chosen,
    draw,
    one_of,
    one_sample,
    turns,
)
from .toolbox import RANKINGS, THRESHOLDS, Toolbox, named_order

IMPORT, CREATE, SKIP = MODES = ("import", "create", "skip")
OWN, NONE = "own", "none"
LOAD, LOADED = "load", "loaded"
#: What IMPORT gets of a toolbox: the tools that its prompt lists, best first, and those that its programs run with.
View = tuple[tuple[Tool, ...], tuple[str | Tool, ...]]


@dataclass(frozen=True)
class TroveSettings(ToolSettings):
    """TROVE's choices, as the paper describes them; PRESETS has the official program's beside them."""

    selection: str = "one_stage_described"
    """The rule by which a problem's answer is selected, which also decides what the toolbox learns."""
    modes: tuple[str, ...] = MODES
    """The modes, in the order in which they are sampled."""
    threshold: str = "half_log10"
    """A tool used less often than this is trimmed (THRESHOLDS)."""
    interval: int = 200
    """Trim every so many problems."""
    final_trim: bool = False
    """And once more at the end."""
    retry: bool = True
    """Then solve again what had used a trimmed tool, by IMPORT and SKIP."""
    shown: int | None = None
    """How many tools a prompt lists (None: all)."""
    ranking: str = "uses"
    """In which order: `uses`, `lexical` or `model` (TroVE, Table 10)."""
    shuffle: int | None = None
    """The seed of a shuffled problem order (None: the data set's own)."""
    rectify: str | None = None
    """`create` or `import`, whose responses the model writes anew with the toolbox in view (None: neither)."""
    adds: tuple[str, ...] = ("create",)
    """Modes whose selected response may add tools."""
    adds_failing: tuple[str, ...] = ()
    """Those that may although their program failed."""
    adds_retry: bool = False
    """Whether problems solved again may add tools."""
    kinds: tuple[str, ...] = ("function",)
    """What is a tool: `function`, `import`."""
    given: tuple[str, ...] | None = None
    """Imports that a toolbox of imports begins with, as yet unused (None: those that the data set gives)."""
    refused: tuple[str, ...] = ()
    """Tools that never enter, each as CATEGORY/PHASE/PROBLEM/NAME: in a run that is played back, what did not load."""
    toolbox: str = OWN
    """What IMPORT is shown: its `own` toolbox; as a placebo, with the same calls and nothing learned, `none` at all or
    another category's at the same place in its stream, of a finished run: RUN (the category after its own), or
    RUN#CATEGORY."""

    def __post_init__(self):
        super().__post_init__()
        one_of("modes", self.modes, MODES)
        one_of("adds", self.adds, (IMPORT, CREATE))
        one_of("adds_failing", self.adds_failing, (IMPORT, CREATE))
        one_of("kinds", self.kinds, ("function", "import"))
        one_of("threshold", self.threshold, tuple(THRESHOLDS))
        one_of("ranking", self.ranking, (*RANKINGS, "model"))
        one_of("rectify", self.rectify, (None, CREATE, IMPORT))
        at_least(1, interval=self.interval)
        at_least(0, shown=self.shown)
        if not self.modes or len(set(self.modes)) < len(self.modes):
            raise TroveLiteError(f"modes {', '.join(self.modes) or 'none'}: name each mode once, and at least one")
        if not self.toolbox:
            raise TroveLiteError(f"toolbox: name a run folder, or say '{OWN}' or '{NONE}'")
        if self.toolbox != OWN and self.rectify:
            raise TroveLiteError(f"toolbox {self.toolbox}: a placebo rewrites nothing; leave out rectify")
        if self.budget.completion_tokens is None and self.budget.calls % len(self.modes):
            raise TroveLiteError(
                f"k {self.budget.calls} does not divide among {len(self.modes)} modes ({', '.join(self.modes)}): "
                f"choose a multiple of {len(self.modes)}"
            )

    def table_name(self, method: str) -> str:
        """TROVE without IMPORT goes by the name that recorded ablations have, and a placebo is not TROVE either."""
        if "import" not in self.modes:
            return f"{method}_no_import"
        return {OWN: method, NONE: f"{method}_no_toolbox"}.get(self.toolbox, f"{method}_lent_toolbox")

    def on(self, given: tuple[str, ...]) -> "TroveSettings":
        """The same for a data set that gives these imports to every program: where imports are tools, they are some."""
        return replace(self, given=given if "import" in self.kinds else ()) if self.given is None else self

    @property
    def lender(self) -> str:
        """The run whose toolboxes IMPORT is shown, as RUN or RUN#CATEGORY; "" for none."""
        return "" if self.toolbox in (OWN, NONE) else self.toolbox


#: `official` is what the program in zorazrw/trove does where it departs from the paper.
PRESETS = {
    "paper": TroveSettings(),
    "official": TroveSettings(
        selection="two_stage",
        threshold="log20",
        interval=500,
        final_trim=True,
        shown=10,
        adds=("import", "create"),
        adds_failing=("import",),
        adds_retry=True,
        kinds=("function", "import"),
        isolated=False,
    ),
}


def trove(questions: Sequence[Question], settings: TroveSettings, lent: Sequence[View] = ()) -> Steps:
    """TROVE (section 3): use and grow a toolbox problem by problem, and trim it at intervals; returns the toolbox.

    `lent`: what IMPORT is shown at each place of the stream where its toolbox is another's: a placebo, which makes
    TROVE's calls and learns nothing.
    """
    questions = in_order(questions, settings)
    toolbox, forgotten = Toolbox(), set()
    if settings.lender and not lent:
        raise TroveLiteError(f"toolbox {settings.toolbox}: nothing was lent")
    if settings.toolbox != OWN:
        for place, question in enumerate(questions):
            yield from answer(question, lent_at(place, lent), settings)
        return toolbox
    toolbox.give(tool for line in settings.given or () for tool in parse_tools(f"```python\n{line}\n```"))
    threshold = THRESHOLDS[settings.threshold]
    for place, question in enumerate(questions):
        best = yield from solve(question, toolbox, settings)
        yield from learn(toolbox, best, question, place, settings)
        if (place + 1) % settings.interval == 0:
            forgotten |= toolbox.trim(threshold(place + 1))
    if settings.final_trim and questions:
        forgotten |= toolbox.trim(threshold(len(questions)))
    for place in sorted(forgotten) if settings.retry else ():
        best = yield from solve(questions[place], toolbox, settings, phase="retry")
        yield from learn(toolbox, best, questions[place], place, settings, phase="retry")
    return toolbox


def lent_at(place: int, lent: Sequence[View]) -> View:
    """What a placebo shows at a place of the stream: the toolbox lent there, or the last; an empty one without any."""
    return lent[min(place, len(lent) - 1)] if lent else ((), ())


def solve(question: Question, toolbox: Toolbox, settings: TroveSettings, *, phase: str = "stream") -> Generator:
    """One problem in each mode, with a toolbox; yields its Answer and returns the candidate chosen."""
    shown = yield from listed(question, toolbox, settings, phase)
    library = toolbox.tools() if settings.isolated else toolbox.sources()
    return (yield from answer(question, (shown, library), settings, phase))


def answer(question: Question, view: View, settings: TroveSettings, phase: str = "stream") -> Generator:
    """One problem in each mode, with a view of a toolbox; yields its Answer and returns the candidate chosen."""
    modes = settings.modes if phase == "stream" else retry_modes(settings)
    candidates = yield from draw(attempts(question, modes, view, phase), shares(settings, phase))
    if phase == "stream" and settings.rectify in modes:
        candidates = yield from rectified(candidates, question, view, settings)
    best = chosen(question, candidates, settings)
    yield Answer(question, best)
    return best


def learn(
    toolbox: Toolbox, best: Candidate, question: Question, place: int, settings: TroveSettings, phase: str = "stream"
) -> Drawn:
    """What the selected response teaches: IMPORT counts uses, and it or CREATE may add tools, those that load."""
    if not best.vote.ok and best.mode not in settings.adds_failing:
        return
    add = best.mode in settings.adds and (phase == "stream" or settings.adds_retry)
    tools = [tool for tool in best.tools if tool.kind in settings.kinds or tool.name in toolbox]
    if add and settings.isolated:
        tools = yield from loadable(toolbox, tools, question, settings, phase)
    if best.mode == IMPORT:
        toolbox.use(tools, place, add=add)
    elif best.mode == "create" and add:
        toolbox.add(tools, place)


def loadable(
    toolbox: Toolbox, tools: Sequence[Tool], question: Question, settings: TroveSettings, phase: str
) -> Generator:
    """Those of these tools that the toolbox has, or that load beside it: each new one is loaded once, in the sandbox.

    That is no call. A load that fails, hangs or ends the process refuses the tool.
    """
    names = {tool: f"{question.category}/{phase}/{question.index}/{tool.name}" for tool in tools}
    tools = [tool for tool in tools if tool.name in toolbox or tool.name == plain_name(tool.name)]
    tools = [tool for tool in tools if names[tool] not in settings.refused]
    new = list(dict.fromkeys(tool for tool in tools if tool.name not in toolbox))
    library = (*toolbox.tools(), *new)
    runs = [Run(question, LOAD, loading(tool, library), number, phase) for number, tool in enumerate(new)]
    runs = (yield runs) if runs else []
    failed = {tool for tool, run in zip(new, runs, strict=True) if run.output.strip() != LOADED}
    toolbox.refused += [names[tool] for tool in new if tool in failed]
    return [tool for tool in tools if tool not in failed]


def loading(tool: Tool, library: Sequence[Tool]) -> str:
    """A program that loads a tool beside a library, and then says so: a load that ends the process does not."""
    line = f"from toolbox import {tool.name}" if tool.kind == "function" else tool.source
    return program_of(f"{line}\nprint({LOADED!r})", (), [one for one in library if one.kind == "function"])


def listed(question: Question, toolbox: Toolbox, settings: TroveSettings, phase: str) -> Generator:
    """The tools that IMPORT's prompt shows, best first. Ranking by the model costs a call, where there is a choice."""
    if settings.ranking != "model":
        tools = toolbox.ranked(settings.ranking, question.text)
    else:
        tools = toolbox.ranked()
        if len(tools) > 1:
            (reply,) = yield [Attempt(question, "rank", range(1), phase, shown=tools, runs=False)]
            tools = named_order(reply.text, tools)
    return tools[: settings.shown]


def rectified(candidates: list[Candidate], question: Question, view: View, settings: TroveSettings) -> Drawn:
    """The responses of one mode written anew, and adopted whatever they are (TroVE, D.3)."""
    shown, library = view
    asked = Attempt(question, "rewrite", range(0), shown=shown, library=library, mode=settings.rectify, round=1)
    drafts = [draft for draft in candidates if draft.mode == settings.rectify]
    new = yield [replace(asked, samples=one_sample(d), values={"response": d.text.strip()}) for d in drafts]
    rewritten = iter(new)
    return [next(rewritten) if draft.mode == settings.rectify else draft for draft in candidates]


def ahead(questions: Sequence[Question], settings: TroveSettings, lent: Sequence[View] = ()) -> Iterator[list[Attempt]]:
    """For each problem in order, what `trove` will surely ask for and does not depend on a toolbox of its own.

    The driver may sample these early: with the same prompts and seeds the run is the same, only sooner.
    """
    for place, question in enumerate(in_order(questions, settings)):
        first = turns(attempts(question, settings.modes, lent_at(place, lent)), 0, settings.budget.due(()))
        yield [attempt for attempt in first if attempt.mode != IMPORT or settings.toolbox != OWN]


def in_order(questions: Sequence[Question], settings: TroveSettings) -> list[Question]:
    """The problems in the stream's order; shuffled as the official program does, in place by `random`."""
    questions = list(questions)
    if settings.shuffle is not None:
        random.Random(settings.shuffle).shuffle(questions)
    return questions


def attempts(question: Question, modes: Sequence[str], view: View, phase: str = "stream") -> dict[str, Attempt]:
    """By mode what is asked for, as yet without samples; IMPORT alone sees a toolbox and runs with it."""
    return {mode: Attempt(question, mode, range(0), phase, *(view if mode == IMPORT else ())) for mode in modes}


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


def asks(settings: TroveSettings) -> tuple[str, ...]:
    """The stages that these settings ask for."""
    return (*settings.modes, *["rank"] * (settings.ranking == "model"), *["rewrite"] * (settings.rectify is not None))


TROVE = Method(
    "trove", trove, MODES, stages=(*MODES, "rank", "rewrite"), presets=PRESETS, stream=True, ahead=ahead, asks=asks
)
