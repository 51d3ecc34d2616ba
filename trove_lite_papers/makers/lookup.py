"""How methods look up tools and past programs: by a likeness of texts, which is one choice for all
of them.

The papers have embeddings. Here words are the default, for they need no model; a
sentence-transformer is the extra `[embeddings]`, and runs on the CPU, so that the same texts are
always as much alike.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

from trove_lite.errors import TroveLiteError
from trove_lite.methods.base import Candidate, Question, ToolSettings, as_asked
from trove_lite.methods.toolbox import likeness
from trove_lite.programs import Tool, code_of, fenced, format_toolbox, whole_program

#: Two texts → how alike they are, at most 1.
Alike = Callable[[str, str], float]
#: The imports that a program begins with, each on a line of its own.
FIRST_IMPORTS = re.compile(r"(?:(?:import|from) [^\n(\\]*\n\s*)*")


@dataclass(frozen=True)
class LookupSettings(ToolSettings):
    """What methods have that look something up."""

    likeness: str = "words"
    """How alike texts are: by `words`, or embedding:NAME, by a sentence-transformer's name or
    folder."""

    def __post_init__(self):
        super().__post_init__()
        kind, _, name = self.likeness.partition(":")
        if self.likeness != "words" and not (kind == "embedding" and name):
            raise TroveLiteError(f"likeness '{self.likeness}': write words or embedding:NAME")

    @property
    def measure(self) -> Alike:
        return (
            likeness
            if self.likeness == "words"
            else embedded(self.likeness.removeprefix("embedding:"))
        )


@cache
def embedded(name: str) -> Alike:
    """The cosine of two texts' embeddings by this model. Raises TroveLiteError where it cannot be
    had."""
    try:
        from sentence_transformers import SentenceTransformer

        model = SentenceTransformer(name, device="cpu")
    except ImportError as error:
        raise TroveLiteError(
            f"likeness embedding:{name}: needs pip install -e '.[embeddings]'"
        ) from error
    except (OSError, ValueError) as error:
        raise TroveLiteError(
            f"likeness embedding:{name}: no model there ({str(error).splitlines()[0]})"
        ) from error
    vector = lru_cache(100_000)(lambda text: model.encode(text, normalize_embeddings=True))
    return lambda one, other: float(vector(one) @ vector(other))


class Past(NamedTuple):
    """A question of before, the program that answered it, and the tools that it imports."""

    question: Question
    program: str
    tools: tuple[Tool, ...] = ()


def program_text(candidate: Candidate) -> str:
    return whole_program(candidate.solution, candidate.tools) or code_of(candidate.solution)


def as_shown(past: Sequence[Past]) -> str:
    """Past questions in the form of worked examples: a program's first imports are under
    Tools."""
    shown = []
    for one in past:
        imports = next(FIRST_IMPORTS.finditer(one.program))[0]
        parts = {"Question": as_asked(one.question), "Toolbox": format_toolbox(one.tools)}
        parts |= {"Tools": fenced(imports.strip()), "Solution": fenced(one.program[len(imports) :])}
        shown.append("\n\n".join(f"**{name}**\n{text}" for name, text in parts.items() if text))
    return "\n\n\n".join(shown)


def similar_past(question: Question, past: Sequence[Past], number: int, alike: Alike) -> list[Past]:
    """Those whose questions are most like this one, the likest last, beside what is to be
    answered."""
    order = sorted(past, key=lambda one: alike(question.text, one.question.text))
    return order[len(order) - number :] if number < len(order) else order
