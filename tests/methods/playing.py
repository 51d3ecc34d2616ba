"""A method run by hand: all that it asks for, answered by a function, and the answers that it
gives."""

from trove_lite.methods.base import Answer, Candidate
from trove_lite.selection import Vote


def play(steps, reply):
    """Run a method's steps to their end: (request, sample) of all that it asks for, and its
    answers.

    reply: request, sample → Candidate.
    """
    sent = None
    asked = []
    answers = []
    while True:
        try:
            wanted = steps.send(sent)
        except StopIteration:
            return asked, answers
        sent = None
        if isinstance(wanted, Answer):
            answers.append(wanted)
            continue
        pairs = [(request, sample) for request in wanted for sample in request.samples]
        asked += pairs
        sent = [reply(request, sample) for request, sample in pairs]


def came_of(
    request,
    sample,
    text="",
    status=None,
    output="",
    error="",
    *,
    answers=(),
    tools=(),
    solution="",
    ok=None,
):
    """What came of a request: a candidate of ten tokens."""
    vote = Vote(request.mode, status == "ok" if ok is None else ok, tuple(answers), 1)
    return Candidate(request.mode, sample, text, tools, vote, 10, status, output, error, solution)
