"""What a planned part asks its model: its method is played over two questions with replies in which
all goes well.

So a toolbox fills, what is remembered is shown, and the prompts are those of a stream on its way.
No model is asked.
"""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from trove_lite.cli import parser_of
from trove_lite.cli.commands import settings_of
from trove_lite.datasets import load_dataset
from trove_lite.datasets.base import Problem, Question
from trove_lite.methods import load_method
from trove_lite.methods.base import Answer, Attempt, Candidate, Messages, Run
from trove_lite.programs import Tool
from trove_lite.prompts import load_pack
from trove_lite.prompts.base import PromptPack
from trove_lite.running.driver import Stream, prompt_of
from trove_lite.running.settings import RunSettings
from trove_lite.selection import Vote

from .plan import Part, Study
from .run import words_of

DIGITS = 16  # of a hash
RUNS = Path("runs")  # where what a part takes from another would lie
ANY = "vllm:model"  # where a study leaves its model to whoever runs it
QUESTIONS = "Which number comes before 17 in this row?", "Which number comes after 18 in this row?"
MADE = Tool(
    "specimen",
    "specimen(n)",
    "A tool.",
    'def specimen(n):\n    """A tool."""\n    return n',
    "function",
)
IMPORTED = MADE._replace(
    source="import specimen", signature="import specimen", kind="import"
)  # where that is a tool
GIVEN = MADE._replace(
    name="another_s", signature="another_s(n)"
)  # of another's toolbox, or of a file
PLAIN = "```python\nprint(1)\n```"
MAKING = f"```python\n{MADE.source}\n\nprint(specimen(1))\n```"
#: Options of a part that say where it lies and whose samples it takes.
NO_SETTING = {"out", "reuse"}


def settings_of_part(part: Part, study: Study) -> RunSettings:
    """The settings that a study's file gives a part. Raises TroveLiteError where it cannot be run
    as it is."""
    folders = {one.name: RUNS / one.name for one in study.parts}
    given = parser_of("run").given(words_of(part, study.model or ANY, Path("out"), folders)[1:])
    tools = given.pop("tool", ())
    for name in NO_SETTING & given.keys():
        del given[name]
    return settings_of(given, None, tools)


def play(
    settings: RunSettings, status: str, method: str = ""
) -> Iterator[tuple[Attempt, str | Messages]]:
    """What a run's method, or its first, asks about the second of two questions in its first
    category, with what prompt."""
    name = method or settings.methods[0]
    for request, prompt in asked(settings, status, name, settings.categories[0]):
        if request.phase == "stream" and request.question.text == QUESTIONS[1]:
            yield request, prompt


def asked(
    settings: RunSettings, status: str, name: str, category: str
) -> Iterator[tuple[Attempt, str | Messages]]:
    """All that a method asks about two questions, and with what prompt, if every program ends in
    this status."""
    dataset = load_dataset(settings.dataset)
    seed = settings.seeds[0]
    method = load_method(name)
    pack = load_pack(settings.prompts, dataset)
    problems = [
        Problem(Question(dataset.name, category, n, text), 1) for n, text in enumerate(QUESTIONS)
    ]
    own = settings.of(name, seed)
    labelled = dataset.examples(category) if method.examples else ()
    if (
        getattr(own, "tools", None) == {}
    ):  # made once, and then used for every question: what is asked then is compared
        own = replace(own, tools={category: MAKING})
    given = [((GIVEN,), (GIVEN,))] if getattr(own, "lender", "") else ()
    stream = Stream(method, category, seed, problems, own, labelled, given)
    for questions in (
        [stream.questions] if method.stream else [[question] for question in stream.questions]
    ):
        steps = stream.method.begin(questions, own, labelled, pack.say)
        answer = None
        with suppress(StopIteration):
            while True:
                requests = steps.send(answer)
                answer = None
                if isinstance(requests, Answer):
                    continue
                answer = [
                    candidate
                    for request in requests
                    for candidate in replies(request, pack, status)
                ]
                for request in requests:
                    if isinstance(request, Attempt):
                        yield request, prompt_of(request, pack)


def programs(settings: RunSettings) -> int:
    """How many programs a problem has whose programs all run, by all methods of a run."""
    return sum(
        len(request.samples)
        for name in settings.methods
        for request, _ in play(settings, "ok", name)
        if request.mode
    )


def rendered(settings: RunSettings) -> str:
    """The hash of all that the run's methods ask in each category, where programs run and where
    they fail."""
    found = [
        [method, category, status, request.mode, request.round, prompt]
        for method in settings.methods
        for category in settings.categories
        for status in ("ok", "error")
        for request, prompt in asked(settings, status, method, category)
    ]
    return sha256(json.dumps(found).encode()).hexdigest()[:DIGITS]


def replies(request: Attempt | Run, pack: PromptPack, status: str) -> Iterator[Candidate]:
    """Programs that print 1; with a function where worked ones have it: such a one is the simplest,
    and so chosen."""
    makes = isinstance(request, Attempt) and "def " in str(prompt_of(request, pack))
    text, tools = (MAKING, (MADE,)) if makes else (PLAIN, (IMPORTED,))
    status = status if request.mode else "ok"  # on the way to a program all goes well
    vote = Vote(request.mode, status == "ok", (("1",) if status == "ok" else ()), 0 if makes else 1)
    output = "loaded" if isinstance(request, Run) else "1"
    for sample in request.samples:
        yield Candidate(
            request.mode, sample, text, tools, vote, len(text), status, output, solution=text
        )
