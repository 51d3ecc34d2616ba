"""What maker and user have in common: how gold answers are written, and many questions asked at once."""

from collections.abc import Callable, Generator, Sequence
from itertools import islice

from ...datasets.base import Question
from ..base import Answer, Drawn, Settings, Steps, chosen

#: How many instances are asked for at once: they do not depend on one another.
AT_ONCE = 32


def gold_text(gold: object) -> str:
    """A gold answer as it is written: 3, not 3.0."""
    return str(int(gold)) if isinstance(gold, float) and gold.is_integer() else str(gold)


def answer_all(questions: Sequence[Question], ask: Callable[[Question], Drawn], settings: Settings) -> Steps:
    """Answer questions that do not depend on one another, many at once: `ask` draws the candidates for one."""
    for start in range(0, len(questions), AT_ONCE):
        batch = questions[start : start + AT_ONCE]
        drawn = yield from in_parallel([ask(question) for question in batch])
        for question, candidates in zip(batch, drawn, strict=True):
            yield Answer(question, chosen(question, candidates, settings))


def in_parallel(parts: Sequence[Drawn]) -> Generator:
    """Answer several generators' requests together, round by round; returns what each returns."""
    results: dict[int, object] = {}
    replies: dict[int, list | None] = dict.fromkeys(range(len(parts)))
    while replies:
        asked = {}
        for place, reply in replies.items():
            try:
                asked[place] = parts[place].send(reply)
            except StopIteration as end:
                results[place] = end.value
        sent = iter((yield [request for requests in asked.values() for request in requests]) if asked else ())
        samples = {place: sum(len(request.samples) for request in requests) for place, requests in asked.items()}
        replies = {place: list(islice(sent, number)) for place, number in samples.items()}
    return [results[place] for place in range(len(parts))]
