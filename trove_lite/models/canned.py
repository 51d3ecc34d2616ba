"""A model whose replies come from a file (docs/models.md, "Written replies"), to try methods with
words of one's own.

Of the lines that are found in a prompt the one answers whose match ends last; of several, the
longest, then the first.
"""

import hashlib
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

from ..errors import DamagedFile, TroveLiteError
from ..journal import text_of
from ..shapes import once
from .base import Completion, LanguageModel, Prompt, PromptRefused, SamplingSettings

EXAMPLE = (
    '{"prompt": "How many (.+) are there", "text": "print(len(locate_objects(image, \'\\\\1\')))"}'
)


def from_spec(spec: str, settings: SamplingSettings, chat: str) -> "CannedModel":
    place = spec.partition(":")[2]
    if not place:
        raise TroveLiteError(f"{spec}: name a file of JSON lines such as {EXAMPLE}")
    return CannedModel(Path(place), settings)


class CannedModel(LanguageModel):
    """Replies of a file. What no line is for is refused, as a prompt that is too long for a model
    would be."""

    def __init__(self, path: Path, settings: SamplingSettings):
        self.name = f"canned:{path.name}"
        self.settings = settings
        self.path = path
        self._text = text_of(path)
        self._lines = tuple(read(path, self._text))

    async def sample(self, prompt: Prompt, seed: int, settings: SamplingSettings) -> Completion:
        """The reply of the line that is for this prompt, up to a text at which completions stop."""
        asked = (
            prompt
            if isinstance(prompt, str)
            else "\n\n".join(message.content for message in prompt)
        )
        found = [
            (matches[-1], texts)
            for pattern, texts in self._lines
            if (matches := list(pattern.finditer(asked)))
        ]
        if not found:
            raise PromptRefused(f"{self.path}: no line is for this prompt: …{asked[-80:]!r}")
        match, texts = max(
            found, key=lambda each: (each[0].end(), len(each[0][0]))
        )  # the first of equal ones
        text = random.Random(seed).choice(texts)
        text = re.sub(r"\\(\d)", lambda group: match[int(group[1])] or "", text)
        ends = [text.find(stop) for stop in settings.stop if stop in text]
        return Completion(text[: min(ends, default=None)], None, None, "stop", 0.0)

    def identity(self) -> dict:
        return {"name": self.name, "sha256": hashlib.sha256(self._text.encode()).hexdigest()}


def read(path: Path, text: str) -> Iterator[tuple[re.Pattern, list[str]]]:
    """What a prompt has to contain, and the replies to it. Raises DamagedFile, which names the line
    that has none."""
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            entry = json.loads(line, object_pairs_hook=once)
            pattern = re.compile(entry["prompt"])
            texts = entry.get("texts") or [entry["text"]]
            used = [int(group) for each in texts for group in re.findall(r"\\(\d)", each)]
            if max(used, default=0) > pattern.groups:
                raise ValueError
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError, re.error):
            raise DamagedFile(
                f"{path}, line {number}: no reply to a prompt; write such as {EXAMPLE}"
            ) from None
        yield pattern, list(texts)
