"""The journal of a live run: every sample as soon as it is known, so that a killed run loses only
what was in flight.

One append-only file of JSON lines for each stream (method, category, seed). A line is written with
one `write`, which outlives the process; `sync`, every few seconds, makes it outlive the machine.
Each has a checksum of its own, by which an edit is seen. Also the lock that keeps a second process
out of a run folder. It does not know what a sample means.
"""

import errno
import fcntl
import hashlib
import json
import lzma
import os
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import DamagedFile, TroveLiteError

PACKED = ".xz"
CHECKSUM = "crc32"  # the member of a line that holds it; lines of earlier releases have none
LEAST_UNPACKED = 64 << 20  # bytes that any packed journal may hold
MOST_PACKED = (
    200  # times its size, that a larger one may: texts of models are packed ten to thirty times
)
UNPACKERS_MEMORY = 256 << 20  # bytes; what `pack` packs takes 65 MiB
REMEDY = "restore it, or run again in a new folder"
# seconds for a lock: a child that a killed process was just starting holds its copy until it
# executes
PATIENCE = 1.0
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Journal:
    """One stream's file. Opening it reads what is there and cuts off a torn last line; `notice`
    says if it did."""

    def __init__(self, path: Path):
        self.path = path
        self.records, sound, self.notice = read_journal(path)
        self.file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        os.ftruncate(self.file, sound)
        self.size = sound
        self.dirty = False

    def append(self, record: dict) -> None:
        """Write one record. Raises TroveLiteError where the disk is full, leaving a journal that
        can be resumed."""
        whole = record | {CHECKSUM: checksum(record, self.path.name)}
        line = rest = (
            json.dumps(whole, separators=(",", ":")).encode() + b"\n"
        )  # ASCII: any text comes back
        with on_disk(self.path):
            try:
                while rest:
                    rest = rest[os.write(self.file, rest) :]
            except OSError:
                os.ftruncate(self.file, self.size)  # no torn line for others to write after
                raise
        self.size += len(line)
        self.dirty = True

    def sync(self) -> None:
        """Make everything appended so far outlive a crash of the machine. May be called from any
        thread."""
        if self.dirty:
            self.dirty = False
            with on_disk(self.path):
                os.fsync(self.file)

    def close(self) -> None:
        """Close without a last `sync`: whoever needs the file to be safe calls that first."""
        os.close(self.file)


def checksum(record: dict, journal: str) -> str:
    """A record's, in the journal of that file name: a line of another journal does not fit."""
    return f"{zlib.crc32(json.dumps([journal, record], sort_keys=True).encode()):08x}"


def read_journal(path: Path) -> tuple[list[dict], int, str]:
    """Records, the bytes that they take, and a notice where a last line, torn by a kill, was
    dropped (else "")."""
    if path.exists() and not path.is_file():
        raise DamagedFile(f"{path}: no file; restore it, or run again in a new folder")
    return records_of(path.read_bytes() if path.exists() else b"", path)


def pack(journal: Path, folder: Path) -> None:
    """Put a copy of a finished journal into `folder` to be kept: compressed, the same bytes for the
    same journal."""
    data = lzma.compress(journal.read_bytes(), preset=9 | lzma.PRESET_EXTREME)
    write_atomically(folder / f"{journal.name}{PACKED}", lambda path: path.write_bytes(data))


def finished_journal(path: Path) -> list[dict]:
    """The records of a finished run's journal, `path`, or of the copy that `pack` made of it; none
    where neither is."""
    packed = path.with_name(f"{path.name}{PACKED}")
    if path.exists() or not packed.exists():
        return read_journal(path)[0]
    return records_of(unpacked(packed), packed)[0]


def unpacked(packed: Path) -> bytes:
    """What `pack` has packed. Raises DamagedFile for anything else, and where it is far more than
    journals hold."""
    data = packed.read_bytes()
    most = max(LEAST_UNPACKED, MOST_PACKED * len(data))
    found = b""
    try:
        while data and len(found) <= most:  # pieces that were packed one after the other, too
            unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=UNPACKERS_MEMORY)
            found += unpacker.decompress(data, max_length=most + 1 - len(found))
            if not unpacker.eof and len(found) <= most:
                raise EOFError("it ends before its end")
            data = unpacker.unused_data
    except (lzma.LZMAError, EOFError) as error:
        raise DamagedFile(f"{packed}: cannot be unpacked ({error}); restore it") from error
    if len(found) > most:
        raise DamagedFile(f"{packed}: unpacks to more than {most >> 20} MiB; restore it")
    return found


def records_of(
    data: bytes, path: Path, *, checked: bool = False, remedy: str = REMEDY
) -> tuple[list[dict], int, str]:
    """As `read_journal` has them, in a part of a journal. checked: refuse even a first line without
    a checksum."""
    records = []
    sound = 0
    name = path.name.removesuffix(PACKED)
    for number, line in enumerate(data.splitlines(keepends=True), start=1):
        try:
            record = json.loads(line)
            if not line.endswith(b"\n") or not isinstance(record, dict):
                raise ValueError
            stated = record.pop(CHECKSUM, None)
            written = checksum(record, name)
        except (ValueError, RecursionError):
            if sound + len(line) < len(data):
                raise DamagedFile(
                    f"{path}, line {number}: not a record of a run, though others follow it; {remedy}"
                ) from None
            return (
                records,
                sound,
                f"{path}, line {number}: dropped a torn last line ({len(line)} bytes)",
            )
        checked = (
            checked or stated is not None
        )  # a run begun with an earlier release goes on with checksums
        if checked and stated != written:
            raise DamagedFile(
                f"{path}, line {number}: not as it was written (its checksum differs); {remedy}"
            )
        records.append(record)
        sound += len(line)
    return records, sound, ""


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def text_of(file: Path) -> str:
    """A file's text. Raises DamagedFile where it cannot be read or is none."""
    try:
        return file.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except OSError as error:
        raise DamagedFile(f"{file}: cannot be read ({error.strerror}); check the path") from error
    except UnicodeDecodeError as error:
        raise DamagedFile(
            f"{file}: not UTF-8 text (byte {error.start}); save it as UTF-8"
        ) from error


@contextmanager
def on_disk(path: Path) -> Iterator[None]:
    """Around work on files alone: what the system refuses becomes one clear line."""
    try:
        yield
    except OSError as error:
        what = f"cannot be written ({error.strerror or error})"
        remedy = "check the path and whose it is"
        if error.errno in FULL:
            what = "the disk is full"
            remedy = "make room, then run the same command again"
        raise TroveLiteError(
            f"{path}: {what}; what was done before this is kept: {remedy}"
        ) from error


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a run folder for this process alone. The kernel drops the lock however the process
    ends."""
    # never deleted: a lock on a deleted file keeps nobody out
    file = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
    until = time.monotonic() + PATIENCE
    try:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > until:
                    who = os.read(file, 20).decode(errors="replace").strip() or "unknown"
                    raise TroveLiteError(
                        f"{folder}: another process (pid {who}) is writing this run; "
                        "wait for it, or choose another --out"
                    ) from None
                time.sleep(0.01)
        os.ftruncate(file, 0)
        os.pwrite(file, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(file)


def write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    """Call `write` with a temporary path beside `path`, then move it there: a reader sees all or
    nothing. Raises as `on_disk`."""
    with on_disk(path):
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        os.close(handle)
        part = Path(name)
        try:
            write(part)
            part.chmod(0o644)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
