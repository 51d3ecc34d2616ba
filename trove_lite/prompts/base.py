"""What a pack of prompts is: for a question and a stage of a method, the text that a model reads."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..datasets.base import Question
from ..errors import TroveLiteError
from ..programs import Tool

SPECIMEN = Tool("specimen", "specimen(n)", "A tool.", "def specimen(n):\n    return n", "function")

#: A question, the tools to show, and by name whatever else the words have gaps for → the prompt.
Template = Callable[..., str]


@dataclass(frozen=True)
class PromptPack:
    """Prompts for one data set.

    categories: those it has prompts for. stages: what may be asked, modes among them. template: that of a category
    and a stage, made when it is needed. gaps: what else a stage's prompt must be given, by name. otherwise: the
    pack for stages that this one lacks.
    """

    name: str
    categories: tuple[str, ...]
    stages: tuple[str, ...]
    template: Callable[[str, str], Template]
    gaps: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    otherwise: "PromptPack | None" = None

    def render(self, question: Question, stage: str, toolbox: Sequence[Tool] = (), **more: str) -> str:
        """The prompt for one question. Stages whose prompt has no toolbox leave it out.

        more: what else the stage is given. Raises TroveLiteError for an unknown category or stage.
        """
        if self.otherwise and stage not in self.stages:
            return self.otherwise.render(question, stage, toolbox, **more)
        if question.category not in self.categories or stage not in self.stages:
            raise TroveLiteError(
                f"prompt pack '{self.name}' has nothing for category '{question.category}', mode '{stage}': categories "
                f"are {', '.join(self.categories)}; modes {', '.join(self.stages)}"
            )
        return self.template(question.category, stage)(question, toolbox, **more)

    def hash_of(self, stages: Iterable[str]) -> str:
        """A fingerprint of what a model gets to read at these stages: every prompt, rendered for a specimen."""
        digest = hashlib.sha256()
        for category in sorted(self.categories):
            for stage in sorted(stages):
                pack = self if stage in self.stages or not self.otherwise else self.otherwise
                if stage not in pack.stages:  # a choice that is not made with this pack
                    continue
                given = dict.fromkeys(pack.gaps.get(stage, ()), "specimen")
                prompt = pack.render(Question("", category, 0, "What is $1+1$?"), stage, [SPECIMEN], **given)
                digest.update(f"{category}\0{stage}\0{prompt}\0".encode())
        return digest.hexdigest()[:16]


def as_asked(question: Question) -> str:
    """A question as a prompt states it: what it is about, where there is such a thing, and then its text."""
    return f"{question.context}\n\n{question.text}" if question.context else question.text
