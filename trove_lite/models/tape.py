"""A tape: replies by request and seed, in files, drawn once and used by any run, at any time, on any machine.

A folder of JSON lines. Each session that draws something adds a file, and packs it when it ends. A request is known by
its model's name, its prompt and its sampling settings; of two replies to one request and seed the first in the order of
file names counts. So a run from a tape has the same candidates wherever and however often it was stopped.
"""

import asyncio
import hashlib
import json
import os
import time
from dataclasses import asdict
from pathlib import Path

from ..errors import DamagedFile, UsageError
from ..journal import PACKED, Journal, finished_journal, on_disk, pack, records_of
from .base import Completion, LanguageModel, Prompt, PromptRefused, SamplingSettings

LOOK_SECONDS = 0.2  # between two looks at what other sessions draw


def request_hash(prompt: Prompt, settings: SamplingSettings) -> str:
    asked = prompt if isinstance(prompt, str) else [tuple(message) for message in prompt]
    return hashlib.blake2b(
        json.dumps([asked, asdict(settings)]).encode(), digest_size=12
    ).hexdigest()


class Tape:
    """The replies in a folder, and a file of its own for new ones, made with the first of them."""

    def __init__(self, folder: Path):
        self.folder, self.replies, self.models = folder, {}, {}
        self.journal: Journal | None = None
        self.sizes: dict[
            Path, int
        ] = {}  # of files that are being written, as far as they were read
        self.looked = 0.0
        if folder.exists() and not folder.is_dir():
            raise UsageError(f"{folder}: is a file, and a tape is a folder of files")
        for path in sorted(
            {Path(str(path).removesuffix(PACKED)) for path in folder.glob("*.jsonl*")}
        ):
            if path.exists():
                self._read_on(path)
            else:
                self._take(finished_journal(path), path)

    def look_again(self) -> None:
        """Take what other sessions have put here since, if that was not looked for just now."""
        if time.monotonic() - self.looked > LOOK_SECONDS:
            self.looked = time.monotonic()
            for path in sorted(self.folder.glob("*.jsonl")):
                if self.journal is None or path != self.journal.path:
                    self._read_on(path)

    def _read_on(self, path: Path) -> None:
        """Take the whole lines after those that were read."""
        try:
            with path.open("rb") as file:
                file.seek(at := self.sizes.get(path, 0))
                lines = file.read()
        except FileNotFoundError:  # packed just now; what it had at the end is asked for again
            return
        self.sizes[path] = at + (sound := lines.rfind(b"\n") + 1)
        self._take(records_of(lines[:sound], path)[0], path)

    def _take(self, lines: list[dict], path: Path) -> None:
        for line in lines:
            try:
                if "identity" not in line:
                    self.replies.setdefault((line["model"], line["request"], line["seed"]), line)
                elif self.models.setdefault(line["model"], line["identity"]) != line["identity"]:
                    both = (
                        f"{self.folder}: holds replies by two models of one name, '{line['model']}'"
                    )
                    raise UsageError(f"{both}; keep them in folders of their own")
            except (KeyError, TypeError) as error:
                what = f"a line that is no reply ({type(error).__name__}: {error})"
                raise DamagedFile(f"{path}: {what}; restore it, or take it away") from None

    def write(self, line: dict) -> None:
        if self.journal is None:
            with on_disk(self.folder):
                self.folder.mkdir(parents=True, exist_ok=True)
                self.journal = Journal(self.folder / f"tape-{time.time_ns()}-{os.getpid()}.jsonl")
            for name, identity in self.models.items():  # each file stands alone
                self.journal.append({"model": name, "identity": identity})
        self._take([line], self.journal.path)
        self.journal.append(line)

    def close(self) -> None:
        """Pack what was written here."""
        if self.journal:
            self.journal.sync()
            self.journal.close()
            with on_disk(self.folder):
                pack(self.journal.path, self.folder)
                self.journal.path.unlink()
            self.journal = None


def of_the_model(name: str) -> property:
    """An attribute that a taped model shares with the model behind it."""
    return property(
        lambda self: getattr(self.model, name), lambda self, value: setattr(self.model, name, value)
    )


class Taped(LanguageModel):
    """A model whose replies go on a tape, and come from there where they are on it.

    Where the tape knows the model it is entered only when something is asked that is not on the tape: a run that asks
    for nothing else needs no server.
    """

    def __init__(self, model: LanguageModel, folder: str | Path):
        self.model, self.folder, self.tape = model, Path(folder), None
        self.settings, self.chat, self.name = model.settings, model.chat, model.name
        self.found = self.drawn = 0
        self._entering, self._entered = asyncio.Lock(), False

    async def check(self) -> None:
        if self.model.name not in Tape(self.folder).models:
            await self.model.check()

    async def __aenter__(self):
        self.tape = Tape(self.folder)
        if self.model.name not in self.tape.models:
            await self._enter()
        return self

    async def __aexit__(self, *error) -> None:
        if self._entered:
            self._entered = False
            await self.model.__aexit__(*error)
        self.tape.close()

    async def _enter(self) -> None:
        if self._entered:
            return
        self._entered, self.model.on_notice = True, self.on_notice
        await self.model.__aenter__()
        self.name, self.context_length, now = (
            self.model.name,
            self.model.context_length,
            self.model.identity(),
        )
        was = self.tape.models.get(self.name)
        if was is None:
            self.tape.write({"model": self.name, "identity": now})
        elif was != now:
            differs = f"'{self.name}' was {was} when this was drawn, and is {now}"
            raise UsageError(f"{self.folder}: {differs}; choose another --tape")

    async def sample(self, prompt: Prompt, seed: int, settings: SamplingSettings) -> Completion:
        """The reply on the tape, or a new one, which is then there. A prompt that was refused is refused again."""
        about = {"model": self.name, "request": request_hash(prompt, settings), "seed": seed}
        if (key := tuple(about.values())) not in self.tape.replies:
            self.tape.look_again()
        if (line := self.tape.replies.get(key)) is not None:
            self.found += 1
        else:
            line = about | await self._new(prompt, seed, settings)
            self.drawn += 1
            self.tape.write(line)
        if "refused" in line:
            raise PromptRefused(line["refused"])
        return Completion(**line["reply"])

    async def _new(self, prompt: Prompt, seed: int, settings: SamplingSettings) -> dict:
        async with self._entering:
            await self._enter()
        try:
            reply = (await self.model.complete(prompt, [seed], sampling=settings))[0]._asdict()
        except PromptRefused as error:
            return {"refused": str(error)}
        defaults = Completion._field_defaults
        return {
            "reply": {
                name: v for name, v in reply.items() if name not in defaults or v != defaults[name]
            }
        }

    def identity(self) -> dict:
        return self.model.identity() if self._entered else self.tape.models[self.name]

    def setup(self) -> dict:
        return self.model.setup() if self._entered else {}

    concurrency, retried, is_billed, purse = map(
        of_the_model, ("concurrency", "retried", "is_billed", "purse")
    )
