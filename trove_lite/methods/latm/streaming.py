"""LATM where tasks come unannounced and mixed (LATM, section 3.2): the dispatcher decides which questions are new.

A question of a known task is answered with its tool. One of an unknown task is answered by the maker, step by step, and
is kept; after six of a task a tool is made from them, with the maker's own answers for labels, and used from then on.
The paper describes this and tries no more of it than the dispatcher. How questions that belong to no tool are told
apart it does not say: here a task is known to the dispatcher, by its first question, as soon as that has come.
"""

import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field

from ...datasets.base import Problem, Question
from ...errors import TroveLiteError
from ..base import Answer, Attempt, Method, Steps, Words, chosen, draw
from . import DISPATCHING, HELD, MAKING, NEXT_TURN, USE_CASE, LatmSettings, made, said, stated, used, which

BY_TOOL, BY_MAKER = "latm", "by_maker"
NAMED = re.compile(r"Task:[ \t]*(.*)")


@dataclass(frozen=True)
class StreamingSettings(LatmSettings):
    """LATM's, and when a tool is made. `tools` are those that are known from the beginning, by their tasks."""

    enough: int = 6
    """How many questions of a task are answered without a tool before one is made; as many again if none could be."""

    def __post_init__(self):
        super().__post_init__()
        if self.enough < 2:
            raise TroveLiteError(f"enough {self.enough}: must be at least 2, to make a tool and to verify it")


@dataclass
class Task:
    """A task as far as it has come up: its first question, its tool, and which problems were taken for it."""

    name: str
    first: str
    tool: str = ""
    solved: list[Problem] = field(default_factory=list)
    by_maker: list[int] = field(default_factory=list)
    by_tool: list[int] = field(default_factory=list)
    trials: int = 0


@dataclass(frozen=True)
class Tasks:
    """What a stream ends with."""

    tasks: tuple[Task, ...]

    def listing(self) -> list[dict]:
        """Every task as plain data: its tool, and the problems that were answered with and without it."""
        names = ("name", "tool", "by_maker", "by_tool", "trials")
        return [{name: getattr(task, name) for name in names} for task in self.tasks]


def streaming(questions: Sequence[Question], settings: StreamingSettings, words: Words) -> Steps:
    """Say of each question in turn which task it belongs to, answer it, and make a tool when a task has come enough."""
    tasks = [Task(name, first_question(tool, name), tool) for name, tool in settings.all_given.items() if tool]
    for question in questions:
        task = yield from identified(question, tasks, settings, words)
        if task is None:
            task = Task(f"task {len(tasks) + 1}", stated(question))
            tasks.append(task)
        if task.tool:
            candidate = chosen(question, (yield from used(question, task.tool, settings, words)), settings)
            task.by_tool.append(question.index)
        else:
            candidate = chosen(question, (yield from by_maker(question, settings, words)), settings)
            task.by_maker.append(question.index)
            if candidate.vote.answers:
                task.solved.append(Problem(question, candidate.vote.answers[0]))
                yield from prepared(question, task, settings, words)
        yield Answer(question, candidate)
    return Tasks(tuple(tasks))


def first_question(tool: str, name: str) -> str:
    """What the dispatcher is shown of a tool. Raises TroveLiteError for one without a use case."""
    case = USE_CASE.search(tool)
    if not case:
        raise TroveLiteError(f"tool of '{name}': has no use case to know its task by")
    return case[1].strip()


def identified(question: Question, tasks: Sequence[Task], settings: StreamingSettings, words: Words) -> Generator:
    """The task that the dispatcher names; None where it names none of these, or there is none yet."""
    if not tasks:
        return None
    text = which({task.name: task.first for task in tasks}, stated(question), words)
    how = {"temperature": 0.0, "max_tokens": 256}
    prompt = (("user", text),) if settings.chat else text
    asked = Attempt(question, "dispatch", range(1), role="dispatcher", mode="", prompt=prompt, runs=False, sampling=how)
    (reply,) = yield [asked]
    named = NAMED.search(reply.text)
    name = named[1].strip().rstrip(".") if named else ""
    return next((task for task in tasks if task.name == name), None)


def by_maker(question: Question, settings: StreamingSettings, words: Words) -> Generator:
    """The maker's own answers, step by step."""
    chat = [("user", words("think", question=stated(question)))]
    stop = settings.stops(NEXT_TURN)
    attempt = Attempt(
        question,
        "solve",
        range(0),
        role="maker",
        mode=BY_MAKER,
        prompt=said(chat, settings),
        runs=False,
        sampling=settings.of_user(max_tokens=settings.maker_tokens, stop=stop),
    )
    return (yield from draw({BY_MAKER: attempt}, settings.budget))


def prepared(question: Question, task: Task, settings: StreamingSettings, words: Words) -> Generator:
    """Make the task's tool from the last of its solved questions, where there are enough new ones."""
    if len(task.solved) % settings.enough:
        return
    trials = yield from made(question, settings, task.solved[-settings.enough :], words)
    task.trials += len(trials)
    task.tool = next((trial.tool for trial in trials if trial.tool), "")


STREAMING = Method(
    "latm_streaming",
    streaming,
    modes=(BY_TOOL, BY_MAKER),
    stages=(*MAKING, *DISPATCHING, "think"),
    speaks=True,
    presets={"paper": StreamingSettings(**HELD), "ours": StreamingSettings(**HELD, reading="ours", use_cases=True)},
    stream=True,
    grows=True,
    played_by={"verifier": "maker", "wrapper": "maker"},
    program=None,
)
