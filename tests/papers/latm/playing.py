"""LATM by hand: scripted replies of maker and user, whose programs are run."""

import asyncio
from collections import Counter
from dataclasses import replace

from trove_lite.datasets.base import Problem, Question
from trove_lite.methods.base import Attempt, Budget
from trove_lite.prompts import load_pack
from trove_lite_papers.latm import bbh
from trove_lite_papers.latm.latm import LATM
from trove_lite_papers.latm.user import answering

from ...methods.playing import came_of, play
from ...scripted import InlineSandbox

WORDS = load_pack("own", bbh.BBH).say
OPTIONS = "Which is it?\nOptions:\n(A) The owl is the leftmost\n(B) The quail is the leftmost"
GOOD = "```python\ndef f(x):\n    return x\nprint('shown')\n```"
FAILS = "```python\nf(\n```"
TESTS = "```python\nret = f(2)\nans = ret\nassert ans == 2\n```"
WRONG = "```python\nassert f(2) == 3\n```"
EMPTY = "I cannot do that."
IDLE = "```python\nret = 2\nprint(ret)\n```"
WRAPPED = f"A function:\n{GOOD}\n\nUse cases:\nQuestion: 2\nSolution:\n```python\nret = f(2)\nans = ret\n```"
PLAIN = "```python\nprint(8.5)\n```"
USES = "Solution:\n```python\nans = f(7.5)\n```\n\nQuestion: another"
MAKES = {"propose": [GOOD], "verify": [TESTS], "wrap": [WRAPPED]}


def execute(program):
    """Run a program of these tests in this process."""
    return asyncio.run(InlineSandbox().run(program))


def problems(n):
    return [Problem(Question("bbh", "task", i, f"What is {i}?"), str(i)) for i in range(n)]


class Played:
    """A run of the method on scripted replies (by stage, the last of a stage for good), programs
    run for real."""

    def __init__(
        self, settings, replies, questions=2, run=execute, examples=None, method=LATM, words=WORDS
    ):
        texts = {"use": [USES], "primitive": [PLAIN]} | replies
        self.left = {stage: list(texts) for stage, texts in texts.items()}
        self.run = run
        self.made = None
        steps = method.begin(
            [p.question for p in problems(questions)], settings, examples or problems(6), words
        )
        pairs, self.answers = play(self.steps(steps), self.reply)
        self.requests = [request for request, sample in pairs if sample == request.samples[0]]
        self.of_maker = [
            request for request in self.requests if getattr(request, "role", "user") != "user"
        ]

    def steps(self, steps):
        self.made = yield from steps

    def reply(self, request, sample):
        text = ""
        program = getattr(request, "program", None)
        if isinstance(request, Attempt):
            texts = self.left[request.stage]
            text = texts.pop(0) if len(texts) > 1 else texts[0]
            program = (request.compose or request.program)(text) if request.runs else None
        status = None
        output = ""
        error = ""
        if request.mode and not getattr(request, "runs", True):
            status = "ok"
            output = text
        elif program is not None and not program.strip():
            status = "no_code"
        elif program is not None:
            ended = self.run(program)
            status = ended.status
            output = ended.output
            error = ended.error
        answers = bbh.read(output) if status == "ok" else ()
        return came_of(request, sample, text, status, output, error, answers=answers)

    @property
    def trials(self):
        """Proposals and tests of each trial, and its tool."""
        return [trial[:3] for trial in self.made.trials]

    @property
    def calls(self):
        """Calls by stage."""
        return dict(
            Counter(request.stage for request in self.requests if isinstance(request, Attempt))
        )

    @property
    def chat(self):
        """The chat that was sent last to the maker."""
        return self.of_maker[-1].prompt


PRESETS = {name: replace(preset, budget=Budget(1)) for name, preset in LATM.presets.items()}
PAPER = PRESETS["paper"]
OURS = PRESETS["ours"]


def answer(reading, block, question="What?"):
    """What is read of a user's block, or how its program failed."""
    ended = execute(answering(GOOD, question, reading, f"```python\n{block}\n```"))
    return bbh.read_for(ended.output, question)[0] if ended.status == "ok" else ended.status
