"""Tool use: a calculator of our own between two calls (what they ask: `test_transcript`)."""

import pytest

from trove_lite.datasets.base import Question
from trove_lite.methods import load_method
from trove_lite.methods.base import Budget, Run
from trove_lite.methods.tool_use import EVALUATOR, NOTHING, ToolUseSettings

from .playing import came_of, play

QUESTION = Question("math", "algebra", 0, "How many?")


def play_tool_use(reply, outcome=("ok", "Result: 7"), calls=2):
    """All requests of one problem whose first replies are `reply` and whose queries end in `outcome`."""

    def replied(request, sample):
        ran = outcome if isinstance(request, Run) else (None, "")
        return came_of(request, sample, reply, *ran, ok=True, answers=("7.0",))

    steps = load_method("tool_use").steps([QUESTION], ToolUseSettings(budget=Budget(calls)))
    return [request for request, _ in play(steps, replied)[0]]


@pytest.mark.parametrize("outcome", [("error", "Input: x"), ("timeout", ""), ("ok", " ")])
def test_a_query_that_fails_says_nothing(outcome):
    assert play_tool_use("QUERY: x", outcome)[-1].values["returned"] == NOTHING


def test_the_stand_in_computes_and_solves(box):
    queries = ["3*sqrt(16)/4", "solve 35 + 12*m = 17*m for m", "x^2 - 5x + 6 = 0", "x+y = 3 and x-y=1", "what is love?"]
    runs = box.run_many([EVALUATOR.format(query=query) for query in queries], progress=False)
    assert [run.status for run in runs] == ["ok", "ok", "ok", "ok", "error"]
    results = [run.output.partition("Result: ")[2].strip() for run in runs]
    assert results[:4] == ["3 = 3.00000000000000", "[{m: 7}]", "[{x: 2}, {x: 3}]", "[{x: 2, y: 1}]"]
