"""A tape: replies by request and seed, in files, drawn once and used by any run, at any time, on
any machine.

A folder of JSON lines. Each session that draws something adds a file, and packs it when it ends. A
request is known by its model's name, its prompt and its sampling settings; of two replies to one
request and seed the first in the order of file names is used. So a run from a tape has the same
candidates wherever and however often it was stopped. Sessions that draw at the same time claim what
they ask for: nothing is asked twice, and each has what the tape says.
"""

import asyncio
import errno
import fcntl
import hashlib
import json
import os
import re
import struct
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Literal

from msgspec import Struct

from ..errors import DamagedFile, TroveLiteError, UsageError
from ..journal import PACKED, Journal, on_disk, pack, records_of, unpacked
from ..shapes import Count, Number, Whole, misfit
from .base import Completion, LanguageModel, Prompt, PromptRefused, SamplingSettings

LOOK_SECONDS = 0.2  # between two looks at what other sessions draw
NAME = re.compile(r"[^.].*\.jsonl(\.xz)?")  # a kill may leave `.NAME.xz.…`, half written
CLAIMS = ".claims"
REMEDY = "restore it, or take it away"

Key = tuple[str, str, int]  # model, hash of the request, seed


class Line(Struct, forbid_unknown_fields=True):
    """A line of a tape, each of which is about one model."""

    model: str


class Identified(Line):
    """A line that says which model a name stands for."""

    identity: dict


class Reply(Struct, forbid_unknown_fields=True):
    """A completion as a tape holds it: what is at its default is left out."""

    text: str
    prompt_tokens: Count | None
    completion_tokens: Count | None
    finish_reason: Literal["stop", "length"]
    seconds: Number
    cached_tokens: Count | None = None
    queue_seconds: Number | None = None
    thinking: str = ""
    thinking_tokens: Count | None = None
    log_probability: Number | None = None


class Drawn(Line):
    """A line with a reply."""

    request: str
    seed: Whole
    reply: Reply


class Refused(Line):
    """A line that says why there is none, and never will be."""

    request: str
    seed: Whole
    refused: str


def kind_of(line: dict) -> type:
    return Identified if "identity" in line else Refused if "refused" in line else Drawn


def request_hash(prompt: Prompt, settings: SamplingSettings) -> str:
    asked = prompt if isinstance(prompt, str) else [tuple(message) for message in prompt]
    return hashlib.blake2b(
        json.dumps([asked, asdict(settings)]).encode(), digest_size=12
    ).hexdigest()


class Tape:
    """The replies in a folder, and a file of its own for new ones, made with the first of them."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.replies = {}
        self.models = {}
        self.journal: Journal | None = None
        self.read: dict[str, int] = {}  # by name, how much of each file was read
        self.looked = 0.0
        self.asking: dict[Key, asyncio.Lock] = {}
        self.claims: int | None = None
        if folder.exists() and not folder.is_dir():
            raise UsageError(f"{folder}: is a file, and a tape is a folder of files")
        self.look_again()

    def look_again(self) -> None:
        """Take what other sessions have put here since."""
        self.looked = time.monotonic()
        own = self.journal and self.journal.path.name
        names = self._names()
        for name in sorted({name.removesuffix(PACKED) for name in names} - {own}):
            # A file that is packed is taken away afterwards: what was read of it need not have been
            # all.
            packed = self.folder / f"{name}{PACKED}"
            read = name in names and self._read_on(self.folder / name)
            if not read and packed.name not in self.read and packed.exists():
                with on_disk(packed):
                    data = unpacked(packed)
                self._take_lines(data, packed)
                self.read[packed.name] = len(data)

    def _names(self) -> set[str]:
        """The files of a tape. Raises DamagedFile where one is something else."""
        if not self.folder.exists():
            return set()
        with on_disk(self.folder):
            names = {name for name in os.listdir(self.folder) if NAME.fullmatch(name)}
        for path in (self.folder / name for name in names - self.read.keys()):
            if path.exists() and not path.is_file():
                raise DamagedFile(f"{path}: no file; {REMEDY}")
        return names

    def _read_on(self, path: Path) -> bool:
        """Take the whole lines after those that were read; whether the file is there."""
        at = self.read.get(path.name, 0)
        try:
            with on_disk(path):
                if path.stat().st_size == at:
                    return True
                with path.open("rb") as file:
                    file.seek(at)
                    lines = file.read()
        except TroveLiteError as error:
            if isinstance(error.__cause__, FileNotFoundError):
                return False
            raise
        sound = lines.rfind(b"\n") + 1
        self._take_lines(lines[:sound], path)
        self.read[path.name] = at + sound
        return True

    def _take_lines(self, data: bytes, path: Path) -> None:
        self._take(records_of(data, path, checked=True, remedy=REMEDY)[0], path)

    def _take(self, lines: list[dict], path: Path) -> None:
        for line in lines:
            if fault := misfit(line, kind_of(line)):
                raise DamagedFile(f"{path}: a line that is no reply ({fault}); {REMEDY}")
            if "identity" not in line:
                self.replies.setdefault((line["model"], line["request"], line["seed"]), line)
            elif self.models.setdefault(line["model"], line["identity"]) != line["identity"]:
                raise UsageError(
                    f"{self.folder}: holds replies by two models of one name, '{line['model']}'; "
                    "keep them in folders of their own"
                )

    @asynccontextmanager
    async def claim(self, key: Key) -> AsyncIterator[None]:
        """Within it the reply is on the tape, or nobody else asks for it, here or in another
        process."""
        async with self.asking.setdefault(key, asyncio.Lock()):
            held = False
            while key not in self.replies and not (held := self._lock(key, fcntl.F_WRLCK)):
                await asyncio.sleep(LOOK_SECONDS)
                if time.monotonic() - self.looked > LOOK_SECONDS:
                    self.look_again()
            try:
                if held:  # whoever held it before may have had it
                    self.look_again()
                yield
            finally:
                if held:
                    self._lock(key, fcntl.F_UNLCK)
        if key in self.replies:
            self.asking.pop(key, None)

    def _lock(self, key: Key, kind: int) -> bool:
        """Take or give back the lock of a request; whether it could be had. The kernel drops it
        where a process ends.

        It is a byte of a file, far beyond its end. It belongs to the open file, and so to this Tape
        alone.
        """
        if self.claims is None:
            with on_disk(self.folder):
                self.folder.mkdir(parents=True, exist_ok=True)
                self.claims = os.open(self.folder / CLAIMS, os.O_RDWR | os.O_CREAT, 0o644)
        digest = hashlib.blake2b(json.dumps(key).encode(), digest_size=8).digest()
        try:
            lock = struct.pack("hhqqi4x", kind, os.SEEK_SET, int.from_bytes(digest) >> 2, 1, 0)
            fcntl.fcntl(self.claims, fcntl.F_OFD_SETLK, lock)
        except OSError as error:
            if error.errno in (errno.EACCES, errno.EAGAIN):
                return False
            with on_disk(self.folder / CLAIMS):
                raise
        return True

    def write(self, line: dict) -> None:
        if self.journal is None:
            with on_disk(self.folder):
                self.folder.mkdir(parents=True, exist_ok=True)
                self.journal = Journal(self.folder / f"tape-{time.time_ns()}-{os.getpid()}.jsonl")
            for name, identity in self.models.items():  # each file is complete by itself
                self.journal.append({"model": name, "identity": identity})
        self._take([line], self.journal.path)
        self.journal.append(line)

    def close(self) -> None:
        """Pack what was written here."""
        if self.claims is not None:
            os.close(self.claims)
            self.claims = None
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

    Where the tape knows the model it is entered only when something is asked that is not on the
    tape: a run that asks for nothing else needs no server.
    """

    def __init__(self, model: LanguageModel, folder: str | Path):
        self.model = model
        self.folder = Path(folder)
        self.tape = None
        self.settings = model.settings
        self.chat = model.chat
        self.name = model.name
        self.found = self.drawn = 0
        self._entering: asyncio.Task | None = None

    async def check(self) -> None:
        if self.model.name not in Tape(self.folder).models:
            await self.model.check()

    async def __aenter__(self):
        self.tape = Tape(self.folder)
        if self.model.name not in self.tape.models:
            await self._enter()
        return self

    async def __aexit__(self, *error) -> None:
        try:
            if self._entered:
                await self.model.__aexit__(*error)
            elif self._entering:
                self._entering.cancel()
                await asyncio.wait([self._entering])
        finally:
            self._entering = None
            self.tape.close()

    @property
    def _entered(self) -> bool:
        task = self._entering
        return bool(task and task.done() and not task.cancelled() and not task.exception())

    async def _enter(self) -> None:
        """Enter the model, once for all who ask: who no longer waits does not end it, and all see
        its failure."""
        if self._entering is None:
            self._entering = asyncio.create_task(self._enter_model())
        await asyncio.shield(self._entering)

    async def _enter_model(self) -> None:
        self.model.on_notice = self.on_notice
        await self.model.__aenter__()
        try:
            self._compare()
        except BaseException as error:
            await self.model.__aexit__(type(error), error, error.__traceback__)
            raise

    def _compare(self) -> None:
        """Note which model it is, or refuse one that is another than the tape's."""
        self.name = self.model.name
        self.context_length = self.model.context_length
        was = self.tape.models.get(self.name)
        now = self.model.identity()
        if was is None:
            self.tape.write({"model": self.name, "identity": now})
        elif was != now:
            raise UsageError(
                f"{self.folder}: '{self.name}' was {was} when this was drawn, and is {now}; "
                "choose another --tape"
            )

    async def sample(self, prompt: Prompt, seed: int, settings: SamplingSettings) -> Completion:
        """The reply on the tape, or a new one, which is then there. A prompt that was refused is
        refused again."""
        about = {"model": self.name, "request": request_hash(prompt, settings), "seed": seed}
        key = tuple(about.values())
        async with self.tape.claim(key):
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

    concurrency, retried, is_billed, budget = map(
        of_the_model, ("concurrency", "retried", "is_billed", "budget")
    )
