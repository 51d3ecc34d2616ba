"""What a pack of prompts is: for a question and a stage of a method, the text or the messages that
a model reads."""

import hashlib
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..datasets.base import Names, Question
from ..errors import TroveLiteError
from ..methods.base import Messages
from ..programs import Tool

SPECIMEN = Tool("specimen", "specimen(n)", "A tool.", "def specimen(n):\n    return n", "function")

#: A question, the tools to show, and by name whatever else the words have gaps for → the prompt.
Template = Callable[..., str | Messages]


@dataclass(frozen=True)
class PromptPack:
    """Prompts for one data set."""

    name: str
    categories: Names
    # what may be asked → what it must be given besides question and toolbox
    stages: Mapping[str, Names]
    # that of a category and a stage, made when it is needed
    template: Callable[[str, str], Template]
    lacks: Container[tuple[str, str]] = ()  # categories and stages that it has nothing for
    # before which replies end, unlike the run's
    stops: Mapping[str, Names] = field(default_factory=dict)
    messages: Names = ()  # names of the texts that methods put into messages of their own
    text: Callable[[str], str] = str  # such a text, with {gaps}
    hashed: "PromptPack | None" = None  # the pack that is hashed for stages that this one lacks

    def has(self, category: str, stage: str) -> bool:
        known = (
            category in self.categories
            and stage in self.stages
            and (category, stage) not in self.lacks
        )
        return known or stage in self.messages

    def render(
        self, question: Question, stage: str, toolbox: Sequence[Tool] = (), **more: str
    ) -> str | Messages:
        """The prompt for one question, with what `more` the stage is given; one without a toolbox
        leaves it out. Raises TroveLiteError for an unknown category or stage."""
        if stage in self.messages or not self.has(question.category, stage):
            raise TroveLiteError(
                f"prompt pack '{self.name}' has nothing for category '{question.category}', mode '{stage}': "
                f"categories are {', '.join(self.categories)}; modes {', '.join(self.stages)}"
            )
        return self.template(question.category, stage)(question, toolbox, **more)

    def say(self, name: str, /, **values: str) -> str:
        """A text for a message that a method writes, filled in. Raises TroveLiteError where the
        pack has none."""
        if name not in self.messages:
            raise TroveLiteError(f"no {self.name} prompt for stage '{name}': choose --prompts own")
        return self.text(name).format(**values)

    def hash_of(self, stages: Iterable[str]) -> str:
        """A fingerprint of what a model gets to read at these stages: every prompt, rendered for a
        specimen."""
        digest = hashlib.sha256()
        stages = sorted(stages)
        for category in sorted(self.categories):
            for stage in stages:
                pack = self if self.has(category, stage) else self.hashed
                if pack is None or stage in pack.messages or not pack.has(category, stage):
                    continue  # a choice that is not made with this pack
                question = Question("", category, 0, "What is $1+1$?")
                given = dict.fromkeys(pack.stages[stage], "specimen")
                read = pack.render(question, stage, [SPECIMEN], **given)
                if not isinstance(read, str):
                    read = "".join(f"{role}\0{text}\0" for role, text in read)
                digest.update(f"{category}\0{stage}\0{read}\0".encode())
        for name in stages:
            if name in self.messages:
                digest.update(f"{name}\0{self.text(name)}\0".encode())
        return digest.hexdigest()[:16]
