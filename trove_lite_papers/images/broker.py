"""Who looks at images for programs: a vision server, or answers from a file, asked over a line that
each program has.

A program sends an RGB image's pixels and a text, and gets JSON: the boxes of objects of that name
(`loc`), or words (`vqa`). No image that a program made is decoded here, and nothing of what it
sends is more than numbers and text: what is not as it should be ends the line, and then the
program, in an error of its own. What was asked before is not asked
again: requests are known by the sha256 of size, pixels and text.
"""

import hashlib
import io
import json
import math
import socket
import struct
import tempfile
import threading
from http.client import HTTPException
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import urlopen

from trove_lite.datasets.files import sha256_of
from trove_lite.errors import DamagedFile, TroveLiteError, shown
from trove_lite.journal import text_of
from trove_lite.shapes import once

# kind, width, height, bytes of text; bytes of the answer
HEAD = struct.Struct("<3sHHI")
LENGTH = struct.Struct("<I")
KINDS = {b"loc": ("object_name", "boxes"), b"vqa": ("question", "answer")}
MOST_PIXELS, MOST_TEXT, MOST_REQUESTS = 1 << 22, 1000, 200  # of one request; bytes; of one program
MOST_BOXES, MOST_WORDS = 100, 1000  # of one answer; characters
MOST_KEPT = 100_000  # answers
WAIT = 60  # seconds for a server's answer
SPECS = "http://HOST:PORT (a server as TroVE's `server/gqa.py`), transformers:BLIP,OWL (models here) or canned:FILE"


class Vision:
    """The eyes of a run, from a spec. Raises TroveLiteError for one that is none.

    asked, known: requests of programs so far, and how many of them had been answered before. For
        several threads.
    """

    waits = 20  # times the limit of CPU time on the clock, for programs that ask

    def __init__(self, spec: str):
        kind, _, rest = spec.partition(":")
        if kind == "canned" and rest:
            self._see = Canned(Path(rest)).see
        elif kind in ("http", "https") and rest.startswith("//"):
            self._see = Server(spec).see
        elif kind == "transformers":
            from .models import Models

            self._see = Models(rest).see
        else:
            raise TroveLiteError(f"--vision {spec}: give {SPECS}")
        self.name = self.identity(spec)
        self.asked = self.known = 0
        self._answers: dict[tuple[bytes, str, str], bytes] = {}
        self._lock = threading.Lock()

    @staticmethod
    def identity(spec: str) -> str:
        """A spec without what may differ tomorrow: of a server that it is one, of files their name
        and content."""
        kind, _, rest = spec.partition(":")
        if kind == "canned":
            return f"canned:{Path(rest).name} {sha256_of(Path(rest))[:16]}"
        if kind == "transformers":
            return f"transformers:{','.join(map(model_identity, rest.split(',')))}"
        return "server"

    def serve(self, line: socket.socket) -> None:
        """Answer one program until its end, or until it asks for what nobody may; raises
        TroveLiteError for no answer.

        Waiting for it is safe: when it ends, so does the line, and what it does not read is less
        than a line holds.
        """
        try:
            for _ in range(MOST_REQUESTS):
                kind, width, height, length = HEAD.unpack(_take(line, HEAD.size))
                if kind not in KINDS or not 0 < width * height <= MOST_PIXELS or length > MOST_TEXT:
                    return
                text = _take(line, length).decode("utf-8", "replace")
                answer = self.answer(kind, (width, height), _take(line, 3 * width * height), text)
                line.sendall(LENGTH.pack(len(answer)) + answer)
        except OSError:  # the program has gone
            pass
        finally:
            line.close()

    def answer(self, kind: bytes, size: tuple[int, int], pixels: bytes, text: str) -> bytes:
        """What is seen, as JSON. Raises TroveLiteError where nobody answers as they should."""
        digest = hashlib.sha256(b"%d %d " % size + pixels).hexdigest()
        key = kind, digest, text
        with self._lock:
            self.asked += 1
            if key in self._answers:
                self.known += 1
                return self._answers[key]
        seen = json.dumps(self._see(kind, digest, size, pixels, text)).encode()
        with self._lock:
            if len(self._answers) < MOST_KEPT:
                self._answers[key] = seen
        return seen


class Canned:
    """Answers from a file of JSON lines: `answer`, words or boxes, for the `image` (sha256) and
    `text` of a request.

    A line without `image` is for all images, without `text` for all texts; what no line is for is
    "unknown", or no box.
    """

    def __init__(self, path: Path):
        self.known = {(b"vqa", None, None): "unknown", (b"loc", None, None): []}
        try:
            lines = text_of(path).splitlines()
        except DamagedFile as error:
            raise TroveLiteError(f"--vision canned:{error}") from None
        for number, line in enumerate(lines, start=1):
            try:
                entry = json.loads(line, object_pairs_hook=once)
                kind = b"loc" if isinstance(entry["answer"], list) else b"vqa"
                self.known[kind, entry.get("image"), entry.get("text")] = checked(
                    kind, entry["answer"]
                )
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
                example = '{"text": "What is it?", "answer": "a dog"}'
                raise DamagedFile(
                    f"{path}, line {number}: no answer to a request; write such as {example}"
                ) from None

    def see(
        self, kind: bytes, digest: str, size: tuple[int, int], pixels: bytes, text: str
    ) -> object:
        places = ((digest, text), (digest, None), (None, text), (None, None))
        return next(self.known[kind, *place] for place in places if (kind, *place) in self.known)


class Server:
    """A server with /vqa and /loc as the released one has, which reads images from the same disk:
    PNG, in RGB."""

    def __init__(self, address: str):
        self.address = address.rstrip("/")

    def see(
        self, kind: bytes, digest: str, size: tuple[int, int], pixels: bytes, text: str
    ) -> object:
        """What the server says, asked once more where it fails."""
        from PIL import Image

        asks, says = KINDS[kind]
        url = f"{self.address}/{kind.decode()}"
        with tempfile.TemporaryDirectory(prefix="trove-lite-") as folder:
            Image.frombytes("RGB", size, pixels).save(file := f"{folder}/{digest}.png")
            query = urlencode({"image_name": file, asks: text})
            for _ in range(2):
                try:
                    with urlopen(f"{url}?{query}", timeout=WAIT) as answer:
                        return checked(kind, json.load(answer)[says])
                except (
                    OSError,
                    HTTPException,
                    ValueError,
                    TypeError,
                    KeyError,
                    RecursionError,
                ) as error:
                    failure = f"{type(error).__name__} {error}"[:200]
        remedy = "start the server, on this disk, and run again to go on"
        raise TroveLiteError(f"--vision {url}: no answer ({shown(failure)}); {remedy}")


def model_identity(name: str) -> str:
    weights = sorted(Path(name).glob("*.safetensors")) if name else []
    return (
        f"{Path(name).absolute().name} {' '.join(sha256_of(file)[:16] for file in weights)}"
        if weights
        else name
    )


def checked(kind: bytes, answer: object) -> object:
    """An answer as programs may have it: words, or boxes of four numbers. Raises ValueError for any
    other."""
    if kind == b"vqa" and isinstance(answer, str) and len(answer) <= MOST_WORDS:
        return answer
    if kind == b"loc" and isinstance(answer, list):
        boxes = [[float(edge) for edge in box] for box in answer[:MOST_BOXES]]
        if all(len(box) == 4 and all(map(math.isfinite, box)) for box in boxes):
            return boxes
    raise ValueError("no words, and no boxes")


def _take(line: socket.socket, size: int) -> bytes:
    data = io.BytesIO()
    while left := size - data.tell():
        part = line.recv(min(left, 1 << 20))
        if not part:
            raise ConnectionResetError
        data.write(part)
    return data.getvalue()
