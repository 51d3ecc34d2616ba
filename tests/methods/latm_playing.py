"""LATM by hand: scripted replies of maker and user, whose programs are run."""

import contextlib
import io
from collections import Counter
from dataclasses import replace

from trove_lite.datasets import bbh
from trove_lite.datasets.base import Problem, Question
from trove_lite.methods.base import Attempt, Budget, Candidate
from trove_lite.methods.latm import LATM, answering
from trove_lite.prompts import load_pack
from trove_lite.sandbox import Execution
from trove_lite.selection import Vote

from .playing import play

WORDS = load_pack("own", bbh.BBH).say
OPTIONS = "Which is it?\nOptions:\n(A) The owl is the leftmost\n(B) The quail is the leftmost"
GOOD, FAILS = "```python\ndef f(x):\n    return x\nprint('shown')\n```", "```python\nf(\n```"
TESTS, WRONG = "```python\nret = f(2)\nans = ret\nassert ans == 2\n```", "```python\nassert f(2) == 3\n```"
EMPTY, IDLE = "I cannot do that.", "```python\nret = 2\nprint(ret)\n```"
WRAPPED = f"A function:\n{GOOD}\n\nUse cases:\nQuestion: 2\nSolution:\n```python\nret = f(2)\nans = ret\n```"
PLAIN = "```python\nprint(8.5)\n```"
USES = "Solution:\n```python\nans = f(7.5)\n```\n\nQuestion: another"


def execute(program):
    """Run a program of these tests in this process."""
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(program, {})
    except Exception as error:
        return Execution("error", "", False, f"{type(error).__name__}: {error}", 0.0, 0.0)
    return Execution("ok", printed.getvalue(), False, "", 0.0, 0.0)


def problems(n, category="task"):
    return [Problem(Question("bbh", category, i, f"What is {i}?"), str(i)) for i in range(n)]


class Played:
    """A run of the method on scripted replies (by stage, the last of a stage for good), programs run for real."""

    def __init__(self, settings, replies, questions=2, run=execute, examples=None, method=LATM, words=WORDS):
        texts = {"use": [USES], "primitive": [PLAIN]} | replies
        self.left, self.run, self.made = {stage: list(texts) for stage, texts in texts.items()}, run, None
        asked = [p.question for p in problems(questions)] if isinstance(questions, int) else questions
        pairs, self.answers = play(
            self.steps(method.begin(asked, settings, examples or problems(6), words)), self.reply
        )
        self.requests = [request for request, sample in pairs if sample == request.samples[0]]

    def steps(self, steps):
        self.made = yield from steps

    def reply(self, request, sample):
        if isinstance(request, Attempt):
            texts = self.left[request.stage]
            text = texts.pop(0) if len(texts) > 1 else texts[0]
            program = (request.compose or request.program)(text) if request.runs else None
        else:
            text, program = "", request.program
        status, output, error = None, "", ""
        if request.mode and not getattr(request, "runs", True):
            status, output = "ok", text
        elif program is not None and not program.strip():
            status = "no_code"
        elif program is not None:
            ended = self.run(program)
            status, output, error = ended.status, ended.output, ended.error
        answers = tuple(bbh.read(output)) if status == "ok" else ()
        vote = Vote(request.mode or request.stage, status == "ok", answers, 1)
        return Candidate(vote.mode, 0, text, (), vote, 10, status, output, error, request.stage)

    @property
    def trials(self):
        """The trials, but for what was left out of their tools."""
        return tuple(trial._replace(left_out=0) for trial in self.made.trials)

    @property
    def calls(self):
        """Calls by stage."""
        return dict(Counter(request.stage for request in self.requests if isinstance(request, Attempt)))

    @property
    def chat(self):
        """The chat that was sent last to the maker."""
        return [request.prompt for request in self.requests if getattr(request, "role", "user") != "user"][-1]


RELEASED, PAPER, OURS = (LATM.presets[name] for name in ("released", "paper", "ours"))


def once(settings, **changes):
    return replace(settings, budget=Budget(1), **changes)


def answer(reading, block, question="What?"):
    """What is read of a user's block, or how its program failed."""
    program = answering(GOOD, question, reading, f"```python\n{block}\n```")
    ended = execute(program)
    return bbh.read(ended.output)[0] if ended.status == "ok" else ended.status
