"""TROVE: use and grow a toolbox problem by problem, in three modes, and trim it (TroVE, section
3)."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..datasets.base import Names
from ..errors import TroveLiteError
from ..programs import Tool, Tools, format_tools, plain_name, program_of
from ..programs.calling import read_calls
from ..programs.parse import parse_tools
from .base import (
    Answer,
    Attempt,
    Budget,
    Candidate,
    Library,
    Method,
    Question,
    Run,
    Steps,
    ToolSettings,
    chosen,
    draw,
    turns,
)
from .toolbox import RANKINGS, THRESHOLDS, Toolbox, mentions

IMPORT, CREATE, SKIP = MODES = ("import", "create", "skip")
#: The wording of IMPORT where what is given to every program is no entry of the toolbox.
IMPORT_APART = "import_apart"
OWN = "own"
NONE = "none"
LOAD = "load"
LOADED = "loaded"
#: What IMPORT gets of a toolbox: the tools that its prompt lists, best first, and those that its
#: programs run with.
View = tuple[Tools, Library]


@dataclass(frozen=True)
class TroveSettings(ToolSettings):
    """TROVE's settings, as in the paper. The preset `official` has those of the released
    program."""

    selection: str = "one_stage_described"
    """The rule that selects a problem's answer, and so what enters the toolbox."""
    modes: Names = MODES
    """The modes, in the order of sampling."""
    threshold: str = "half_log10"
    """Trimming removes tools that are used less often than this."""
    interval: int = 200
    """Problems between two trimmings."""
    final_trim: bool = False
    """Trim once more at the end."""
    retry: bool = True
    """After trimming, solve the problems that used a removed tool again, by IMPORT and SKIP."""
    shown: int | None = None
    """The most tools that a prompt lists. Default: all."""
    ranking: str = "uses"
    """The order of tools in a prompt: `uses`, `lexical` or `model` (TroVE, Table 10)."""
    shuffle: int | None = None
    """A seed that shuffles the problems. Default: the order of the data set."""
    rectify: str | None = None
    """`create` or `import`: the model rewrites these responses with the toolbox in view. Default:
    neither."""
    adds: Names = ("create",)
    """Modes whose selected response may add tools to the toolbox."""
    adds_failing: Names = ()
    """Modes that may add tools even if their program failed."""
    adds_retry: bool = False
    """Let problems that are solved again add tools."""
    kinds: Names = ("function",)
    """What may be a tool: `function`, `import`."""
    uses: str = "calls"
    """How a selected program uses a known tool: it imports it, or `calls` it at hand; or `imports`
    it alone."""
    given: tuple[str, ...] | None = None
    """Code that a toolbox of imports begins with. Default: what the data set's prompts list."""
    refused: Names = ()
    """Tools that never enter, as CATEGORY/PHASE/PROBLEM/NAME. For replayed runs: tools that did not
    load."""
    toolbox: str = OWN
    """What IMPORT sees. `own`: its toolbox. Placebos: `none`, or another category's toolbox at the
    same place of a finished run, RUN (the next category) or RUN#CATEGORY. hindsight:RUN: the tools
    that right programs used there.
    FILE: functions of a .py, or of a .csv with a column `tool`; of more than ten those most like
        the question."""

    LIMITS = (
        ("modes", MODES),
        ("adds", MODES[:2]),
        ("adds_failing", MODES[:2]),
        ("interval", 1),
        ("shown", 0),
        ("kinds", ("function", "import")),
        ("threshold", tuple(THRESHOLDS)),
        ("uses", ("calls", "imports")),
        ("ranking", (*RANKINGS, "model")),
        ("rectify", (None, CREATE, IMPORT)),
    )
    FORMERLY = ("given", ()), ("uses", "imports")

    def __post_init__(self):
        super().__post_init__()
        n = len(self.modes)
        k = self.budget.calls
        names = ", ".join(self.modes)
        if not n or len(set(self.modes)) < n:
            raise TroveLiteError(f"modes {names or 'none'}: name each mode once, and at least one")
        if not self.toolbox:
            raise TroveLiteError(
                f"toolbox: name a run folder or a file, or say '{OWN}' or '{NONE}'"
            )
        if self.toolbox != OWN and self.rectify:
            raise TroveLiteError(
                f"toolbox {self.toolbox}: a placebo rewrites nothing; leave out rectify"
            )
        if self.budget.completion_tokens is None and k % n:
            raise TroveLiteError(
                f"k {k} does not divide among {n} modes ({names}): choose a multiple of {n}"
            )

    def table_name(self, method: str) -> str:
        """TROVE without IMPORT goes by the name that recorded ablations have, and a placebo is not
        TROVE either."""
        if "import" not in self.modes:
            return f"{method}_no_import"
        other = (
            f"{method}_{'hindsight' if self.toolbox.startswith('hindsight:') else 'lent'}_toolbox"
        )
        return {OWN: method, NONE: f"{method}_no_toolbox"}.get(self.toolbox, other)

    def on(self, given: tuple[str, ...]) -> "TroveSettings":
        """The same for a data set that gives these imports to every program: where imports are
        tools, they are some."""
        return (
            replace(self, given=given if "import" in self.kinds else ())
            if self.given is None
            else self
        )

    @property
    def lender(self) -> str:
        """The run or file whose tools IMPORT is shown, as RUN, RUN#CATEGORY or FILE; "" for
        none."""
        return "" if self.toolbox in (OWN, NONE) else self.toolbox


def trove(
    questions: Sequence[Question], settings: TroveSettings, given: Sequence[View] = ()
) -> Steps:
    """TROVE's steps; returns the toolbox. `given`: what IMPORT is shown at each place of the stream
    where its toolbox is another's: a placebo, which makes TROVE's calls and learns nothing."""
    questions = in_order(questions, settings)
    toolbox = Toolbox()
    forgotten = set()
    if settings.lender and not given:
        raise TroveLiteError(f"toolbox {settings.toolbox}: gives no tools")
    if settings.toolbox != OWN:
        for place, question in enumerate(questions):
            yield from answer(question, given_at(place, given), settings)
        return toolbox
    toolbox.give(parse_tools(format_tools(settings.given or ())))
    threshold = THRESHOLDS[settings.threshold]
    for place, question in enumerate(questions):
        yield from solve(question, place, toolbox, settings)
        if (place + 1) % settings.interval == 0:
            forgotten |= toolbox.trim(threshold(place + 1))
    if settings.final_trim and questions:
        forgotten |= toolbox.trim(threshold(len(questions)))
    for place in sorted(forgotten) if settings.retry else ():
        yield from solve(questions[place], place, toolbox, settings, "retry")
    return toolbox


def given_at(place: int, given: Sequence[View]) -> View:
    """What a placebo shows at a place of the stream: the toolbox given there, or the last; an empty
    one without any."""
    return given[min(place, len(given) - 1)] if given else ((), ())


def solve(
    question: Question, place: int, toolbox: Toolbox, settings: TroveSettings, phase: str = "stream"
) -> Steps:
    """One problem in each mode, with a toolbox that learns from the response selected. IMPORT
    counts uses, and it or CREATE may add tools, those that load."""
    shown = yield from list_tools(question, toolbox, settings, phase)
    view = shown, settings.as_library(toolbox.tools())
    best = yield from answer(question, view, settings, phase)
    if not best.vote.ok and best.mode not in settings.adds_failing:
        return
    add = best.mode in settings.adds and (phase == "stream" or settings.adds_retry)
    tools = [tool for tool in best.tools if tool.kind in settings.kinds or tool.name in toolbox]
    if add and settings.isolated:
        tools = yield from loadable(toolbox, tools, question, settings, phase)
    if best.mode == IMPORT:
        toolbox.use([*tools, *at_hand(best, toolbox, settings)], place, add=add)
    elif best.mode == CREATE and add:
        toolbox.add(tools, place)


def at_hand(best: Candidate, toolbox: Toolbox, settings: TroveSettings) -> list[Tool]:
    """The toolbox's functions that a program calls and does not import."""
    if not (settings.isolated and settings.at_hand and settings.uses == "calls"):
        return []
    imported = {plain_name(tool.name) for tool in best.tools}
    known = {
        tool.name: tool
        for tool in toolbox.tools()
        if tool.kind == "function" and tool.name not in imported
    }
    calls = read_calls(best.solution, {name: tool.source for name, tool in known.items()})
    return [known[name] for name in calls.tools]


def answer(question: Question, view: View, settings: TroveSettings, phase: str = "stream") -> Steps:
    """One problem in each mode, with a view of a toolbox; yields its Answer and returns the
    candidate chosen."""
    modes, budget = share(settings, phase)
    candidates = yield from draw(attempts(question, modes, view, settings, phase), budget)
    if phase == "stream" and settings.rectify in modes:
        candidates = yield from rectify(candidates, question, view, settings)
    best = chosen(question, candidates, settings)
    yield Answer(question, best)
    return best


def loadable(
    toolbox: Toolbox, tools: Sequence[Tool], question: Question, settings: TroveSettings, phase: str
) -> Steps:
    """Those of these tools that the toolbox has, or that load beside it: each new one is loaded
    once, in the sandbox. That is no call. A load that fails, hangs or ends the process refuses the
    tool."""
    names = {tool: f"{question.category}/{phase}/{question.index}/{tool.name}" for tool in tools}
    tools = [
        tool
        for tool in tools
        if names[tool] not in settings.refused
        and (tool.name in toolbox or tool.name == plain_name(tool.name))
    ]
    new = list(dict.fromkeys(tool for tool in tools if tool.name not in toolbox))
    library = (*toolbox.tools(), *new)
    runs = yield [
        Run(question, LOAD, load_program(tool, library), n, phase) for n, tool in enumerate(new)
    ]
    failed = {tool for tool, run in zip(new, runs, strict=True) if run.output.strip() != LOADED}
    toolbox.refused += [names[tool] for tool in new if tool in failed]
    return [tool for tool in tools if tool not in failed]


def load_program(tool: Tool, library: Sequence[Tool]) -> str:
    """A program that loads a tool beside a library, and then says so: a load that ends the process
    does not."""
    line = f"from toolbox import {tool.name}" if tool.kind == "function" else tool.source
    return program_of(
        f"{line}\nprint({LOADED!r})", (), [one for one in library if one.kind == "function"]
    )


def list_tools(question: Question, toolbox: Toolbox, settings: TroveSettings, phase: str) -> Steps:
    """The tools that IMPORT's prompt shows, best first. Ranking by the model costs a call, where
    there is a choice."""
    by_model = settings.ranking == "model"
    tools = toolbox.ranked() if by_model else toolbox.ranked(settings.ranking, question.text)
    if by_model and len(tools) > 1:
        (reply,) = yield [Attempt(question, "rank", range(1), phase, shown=tools, runs=False)]
        tools = tuple(dict.fromkeys([*mentions(reply.text, tools), *tools]))
    return tools[: settings.shown]


def rectify(candidates: list, question: Question, view: View, settings: TroveSettings) -> Steps:
    """The responses of one mode written anew, and adopted whatever they are (TroVE, D.3)."""
    asked = Attempt(question, "rewrite", range(0), "stream", *view, mode=settings.rectify, round=1)
    new = iter(
        (
            yield [
                replace(asked, samples=d.samples, values={"response": d.text.strip()})
                for d in candidates
                if d.mode == settings.rectify
            ]
        )
    )
    return [next(new) if draft.mode == settings.rectify else draft for draft in candidates]


def ahead(
    questions: Sequence[Question], settings: TroveSettings, given: Sequence[View] = ()
) -> Iterator[list[Attempt]]:
    """For each problem in order, what `trove` will surely ask for and does not depend on a toolbox
    of its own."""
    for place, question in enumerate(in_order(questions, settings)):
        every = attempts(question, settings.modes, given_at(place, given), settings)
        yield [
            attempt
            for attempt in turns(every, 0, settings.budget.due(()))
            if attempt.mode != IMPORT or settings.toolbox != OWN
        ]


def in_order(questions: Sequence[Question], settings: TroveSettings) -> list[Question]:
    """The problems in the stream's order; shuffled as the official program does, in place by
    `random`."""
    questions = list(questions)
    if settings.shuffle is not None:
        random.Random(settings.shuffle).shuffle(questions)
    return questions


def attempts(
    question: Question,
    modes: Sequence[str],
    view: View,
    settings: TroveSettings,
    phase: str = "stream",
) -> dict[str, Attempt]:
    """By mode what is asked for, as yet without samples; IMPORT alone sees a toolbox and runs with
    it."""
    found = {mode: Attempt(question, mode, range(0), phase) for mode in modes}
    if IMPORT in found:
        apart = "" if settings.given or "import" in settings.kinds else IMPORT_APART
        found[IMPORT] = Attempt(question, IMPORT, range(0), phase, *view, wording=apart)
    return found


def share(settings: TroveSettings, phase: str) -> tuple[Names, Budget]:
    """A problem's modes and its budget. One solved again has IMPORT and SKIP (TroVE, footnote 3),
    or without IMPORT in the study whatever it has, and the same for each mode as before."""
    modes = settings.modes
    budget = settings.budget
    if phase == "stream":
        return modes, budget
    again = tuple(mode for mode in modes if mode != CREATE or IMPORT not in modes)
    tokens = budget.completion_tokens and max(
        1, budget.completion_tokens * len(again) // len(modes)
    )
    return again, replace(
        budget, calls=budget.calls * len(again) // len(modes), completion_tokens=tokens
    )


def asks(settings: TroveSettings) -> Names:
    return (
        *settings.modes,
        *(["rank"] if settings.ranking == "model" else []),
        *(["rewrite"] if settings.rectify is not None else []),
    )


#: `official` is what the program in zorazrw/trove does where it departs from the paper.
PRESETS = {
    "paper": TroveSettings(),
    "official": TroveSettings(
        selection="two_stage",
        threshold="log20",
        interval=500,
        final_trim=True,
        shown=10,
        adds=(IMPORT, CREATE),
        adds_failing=(IMPORT,),
        adds_retry=True,
        isolated=False,
        uses="imports",
        kinds=("function", "import"),
    ),
}
TROVE = Method(
    "trove", trove, MODES, (*MODES, "rank", "rewrite"), PRESETS, stream=True, ahead=ahead, asks=asks
)
