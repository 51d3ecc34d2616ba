"""Replies that a stream may want: its next problems are asked with the tools that it has now,
before their turn comes.

A toolbox seldom changes between two problems, so most such replies are wanted. The others are never
recorded: a run has the same candidates with guesses as without.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from ..methods.base import Attempt, Question
from ..models.base import Completion, ModelError

Sent = tuple  # what `LanguageModel.complete` is given: what, seed, how


@dataclass(eq=False)
class Guess:
    """A reply on its way. begun: whether the model has been asked already."""

    sent: Sent
    task: asyncio.Task | None = None
    begun: bool = False


@dataclass
class Guesses:
    """A stream's guesses, by sample."""

    known: dict[object, Guess] = field(default_factory=dict)
    asked: int = 0
    wanted: int = 0

    def add(self, key: object, sent: Sent, ask: Callable, start: Callable) -> None:
        """Ask for a sample, in a task that `start` makes, unless that is on its way. `ask(guess)`
        gives its reply."""
        if key in self.known and self.known[key].sent == sent:
            return
        self.drop(key)
        self.known[key] = guess = Guess(sent)
        guess.task = start(self._ask(guess, ask))

    async def _ask(self, guess: Guess, ask: Callable) -> Completion | None:
        try:
            return await ask(guess)
        except ModelError:  # it is asked again when its turn comes
            return None

    async def take(self, key: object, sent: Sent) -> Completion | None:
        """The reply to what is asked for now, if it was guessed and the model is at it."""
        guess = self.known.get(key)
        if guess is None or guess.sent != sent or not guess.begun:
            self.drop(key)
            return None
        reply = await self.known.pop(key).task
        self.wanted += reply is not None
        return reply

    def drop(self, *keys: object) -> None:
        """Stop asking for these."""
        for key in keys:
            if guess := self.known.pop(key, None):
                guess.task.cancel()


def alike(asked: Sequence[Attempt], questions: Iterable[Question]) -> list[Attempt]:
    """The same requests for other problems; those that depend on a reply are left out."""
    first = [one for one in asked if isinstance(one, Attempt) and not one.values and not one.round]
    return [replace(one, question=question) for question in questions for one in first]
