"""Samples that a run takes from another, or from itself, instead of asking for them again.

They come from journals, where prompt and seed are the same and so is all that they are drawn and run with. Nothing is
taken that would make another row.
"""

from collections.abc import Mapping
from pathlib import Path

from ..candidates import MISSING, read_description
from ..errors import TroveLiteError
from ..journal import finished_journal
from .driver import Stream
from .folder import differing
from .record import Key, Record

#: What of a run's settings a sample hangs on besides its prompt and seed.
DRAWN = ("model", "roles", "chat", "dataset", "parser", "sampling", "isolation", "time_limit", "memory")
ANSWERING = ("models", "identity")


def refuse_others(folder: Path, theirs: Mapping, ours: Mapping) -> None:
    """Raises TroveLiteError where samples of the run in `folder` are not what ours would be; both are run.json's."""
    changes = differing(_of_samples(theirs), _of_samples(ours))
    changes += [f"{name}: not the same" for name in ANSWERING if theirs.get(name) != ours.get(name)]
    if changes:
        raise TroveLiteError(
            f"{folder}: its samples are not what this run would draw ({'; '.join(changes)}); leave out --reuse"
        )


def _of_samples(about: Mapping) -> dict:
    versions = {library: version for library, version in about["versions"].items() if library != "trove-lite"}
    settings = {name: about["settings"][name] for name in DRAWN}
    return {"settings": settings, "versions": versions, "isolation": about["isolation"]}


def take_samples(stream: Stream, folder: Path | None, before: Path) -> None:
    """Let a stream take samples of a finished or published run, and of its own journals of `before`, as there are.

    Raises TroveLiteError where that run has no journals.
    """
    if folder:
        if not (folder / "candidates.parquet").exists() or not (folder / "journal").is_dir():
            raise TroveLiteError(f"{folder}: not a finished run with its journals, whose samples could be used again")
        theirs = read_description(folder).get("methods", {}).get(stream.method.name, {})
        stream.alike = theirs.get("isolated", False) == stream.isolated
        stream.others |= samples_in(folder / "journal", stream.label)
    stream.others |= samples_in(before, stream.label)


def samples_in(journals: Path, label: str) -> dict[Key, Record]:
    """The samples of one stream that a folder of journals holds, but those that could not be had."""
    records = (Record(**record) for record in finished_journal(journals / f"{label}.jsonl"))
    return {record.key: record for record in records if record.finish_reason not in MISSING}
