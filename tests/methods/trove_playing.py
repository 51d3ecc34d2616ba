"""Questions, tools and replies of TROVE's tests: scripted candidates, and what each prompt was
shown."""

from dataclasses import replace

from hypothesis import settings

from trove_lite.datasets.base import Question
from trove_lite.methods.base import Candidate, Run
from trove_lite.methods.trove import LOADED
from trove_lite.programs import Tool, plain_name
from trove_lite.selection import Vote

from . import playing

few = settings(max_examples=60, deadline=None)


def questions(n):
    return [Question("math", "counting", i, f"question {i}") for i in range(n)]


def function(name):
    return Tool(name, f"{name}(x)", f"doc of {name}", f"def {name}(x): return x", "function")


def imported(name):
    line = f"from toolbox import {name}"
    return Tool(f"toolbox.{name}", line, line, line, "import")


def candidate(mode, sample=0, tools=(), *, answer=None, ok=True, tokens=10, text=""):
    answers = () if answer is None or not ok else (str(float(answer)),)
    return Candidate(mode, sample, text, tuple(tools), Vote(mode, ok, answers, 1), tokens)


def play(steps, reply):
    """Run a generator to its end: all attempts in the order asked for, and the answers given. Every
    tool loads."""

    def replied(request, sample):
        if isinstance(request, Run):
            return replace(candidate("", sample), output=f"{LOADED}\n")
        return reply(request, sample)

    asked, answers = playing.play(steps, replied)
    attempts = [r for r, sample in asked if not isinstance(r, Run) and sample == r.samples[0]]
    return attempts, answers


def winner(script):
    """A reply in which at each problem one mode's first sample, scripted, is the only one that
    prints a number."""

    def reply(attempt, sample):
        key = (attempt.phase, attempt.question.index)
        mode, tools, *failed = script.get(key, ("skip", ()))
        if attempt.mode == mode and sample == 0:
            return candidate(mode, 0, tools, answer=1, ok=not failed)
        return candidate(attempt.mode, sample, ok=not failed)

    return reply


def toolboxes(asked):
    """What IMPORT was shown, problem by problem."""
    imports = (a for a in asked if a.mode == "import" and a.runs)
    return [
        (a.phase, a.question.index, " ".join(plain_name(t.name) for t in a.shown)) for a in imports
    ]


def calls_by_problem(asked, phase="stream"):
    counts = {}
    for attempt in asked:
        if attempt.phase == phase and attempt.mode and not attempt.round:
            counts[attempt.question.index] = counts.get(attempt.question.index, 0) + len(
                attempt.samples
            )
    return counts
