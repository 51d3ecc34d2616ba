"""Public files, pinned by their content: where each one lives, and how it is brought here."""

import csv
import hashlib
import json
import os
import re
from collections.abc import Iterator
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from platformdirs import user_cache_path

from ..bars import bar
from ..errors import TroveLiteError
from ..journal import sha256_of
from ..plugins import Plugins

#: Lists of public files that plug-ins add, of the columns of `PublicFile`.
LISTS: Plugins[Path] = Plugins("files", "list of public files", Path, {})


class PublicFile(NamedTuple):
    """A file of a public repository at a pinned commit, known by its sha256, or by git's SHA-1
    where only `listed`."""

    group: str
    repo: str
    commit: str
    path: str
    bytes: int
    sha256: str
    licence: str
    git_blob: str = ""

    listed = property(lambda self: not self.sha256)
    name = property(lambda self: f"{self.repo}/{self.path}")
    url = property(
        lambda self: f"https://raw.githubusercontent.com/{self.repo}/{self.commit}/{self.path}"
    )


def public_files() -> tuple[PublicFile, ...]:
    """Every file that `fetch` can bring, from `registry.csv`, and then from what plug-ins list."""
    return _files(True) + _files(False)


@lru_cache
def _files(of_the_kit: bool) -> tuple[PublicFile, ...]:
    """The files that the kit lists, or other packages."""
    own = [Path(__file__).with_name("registry.csv")] if of_the_kit else []
    return tuple(file for path in (*own, *LISTS.working_of(of_the_kit)) for file in listed(path))


def listed(path: Path) -> Iterator[PublicFile]:
    """The files of a list. Raises TroveLiteError for what is none."""
    try:
        with path.open(encoding="utf-8") as file:
            yield from (
                PublicFile(**row | {"bytes": int(row["bytes"] or 0)})
                for row in csv.DictReader(file)
            )
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise TroveLiteError(
            f"{path}: no list of public files ({error}); its columns are those of registry.csv"
        ) from error


@lru_cache
def files_of(group: str) -> dict[str, PublicFile]:
    """The files of a group by their path, in the lists' order; of two with one path the first, so
    the kit's stay. A group of the kit's is all its own."""
    found: dict[str, PublicFile] = {}
    for of_the_kit in (True, False):
        if not found:
            for file in _files(of_the_kit):
                if file.group == group:
                    found.setdefault(file.path, file)
    return found


def data_folder() -> Path:
    """Where public files live: `$TROVE_LITE_DATA`, else the user's cache folder. Raises
    TroveLiteError for neither."""
    try:
        return Path(os.environ.get("TROVE_LITE_DATA") or user_cache_path("trove_lite"))
    except RuntimeError as error:  # a user whom the system does not know, as in containers
        raise TroveLiteError(
            "you have no home folder: set TROVE_LITE_DATA to a folder for data, or HOME"
        ) from error


def fetch(group: str, *, progress: bool = True) -> list[Path]:
    """Download the files of `group` that are missing or damaged; returns the paths of all that are
    there. Raises TroveLiteError where a download fails or does not have the pinned content; nothing
    half-written stays. Only files that are no more than `listed` may fail to come: `not_here` names
    them."""
    files = files_of(group).values()
    if not files:
        groups = ", ".join(sorted({file.group for file in public_files()}))
        raise TroveLiteError(f"no file group named '{group}': choose from {groups}")
    paths = []
    with bar(
        sum(f.bytes for f in files), f"fetching {group}", unit="B", enabled=progress
    ) as fetched:
        for file in files:
            if path := _retrieve(file):
                paths.append(path)
            fetched.update(file.bytes)
    return paths


def _retrieve(file: PublicFile) -> Path | None:
    import pooch  # slow to import, and only needed here

    pooch.get_logger().setLevel("ERROR")
    try:
        path = Path(pooch.retrieve(file.url, file.sha256 or None, file.name, data_folder()))
        if file.listed and git_blob_of(path) != file.git_blob:
            path.unlink()
            raise ValueError("another blob")
        return path
    except OSError as error:  # from the connection (requests' errors are OSErrors) or the disk
        if file.listed:
            return None
        raise TroveLiteError(
            f"{file.url}: could not be stored in {data_folder()} ({type(error).__name__}); check the "
            "connection and the folder, or set TROVE_LITE_DATA to a folder that holds the file"
        ) from error
    except ValueError as error:  # pooch's word for a wrong checksum
        pin = f"git blob {file.git_blob[:12]}…" if file.listed else f"sha256 {file.sha256[:12]}…"
        raise TroveLiteError(
            f"{file.url}: the download does not have the pinned {pin}; "
            "try again, and if it persists report it: the source has changed"
        ) from error


def public_paths(group: str, suffix: str = "") -> list[Path]:
    """Where the files of a group lie once fetched, in the registry's order; of those only `listed`,
    what is there."""
    folder = data_folder()
    return [
        folder / f.name
        for f in files_of(group).values()
        if f.name.endswith(suffix) and (not f.listed or (folder / f.name).is_file())
    ]


def not_here(group: str) -> list[PublicFile]:
    return [f for f in files_of(group).values() if not (data_folder() / f.name).is_file()]


def pinned_file(group: str, path: str) -> Path:
    """Where the file of a group with this path lies, its content checked. Raises TroveLiteError
    where it is not so."""
    file = files_of(group).get(path)
    if file is None:
        raise TroveLiteError(f"{path}: no file of the group '{group}' in any registry.csv")
    where = data_folder() / file.name
    if not where.is_file():
        raise TroveLiteError(
            f"{where}: missing; run `trove-lite fetch {group}`, or set TROVE_LITE_DATA"
        )
    if sha256_of(where) != file.sha256:
        raise TroveLiteError(
            f"{where}: sha256 differs from the pinned {file.sha256[:12]}…; "
            f"delete the file and run `trove-lite fetch {group}`"
        )
    return where


def pinned_records(group: str, path: str) -> list[dict]:
    """The objects in a pinned file of JSON lines; raises as `pinned_file` does, whose checksum
    vouches for the rest."""
    return json_lines(pinned_file(group, path).read_text(encoding="utf-8"))


def json_lines(text: str) -> list[dict]:
    return [json.loads(line) for line in text.removesuffix("\n").split("\n")]


def python_blocks(*texts: str) -> str:
    """The Python blocks of some texts, joined; other fenced blocks hold outputs."""
    return "\n\n".join(
        block for text in texts for block in re.findall(r"```python\s*\n(.*?)```", text, re.DOTALL)
    )


@lru_cache
def packaged(dataset: str, package: str = __package__) -> list[dict]:
    """The problems of a data set that comes with a package, as its file of JSON lines has them."""
    return json_lines((resources.files(package) / f"{dataset}.jsonl").read_text(encoding="utf-8"))


def git_blob_of(path: Path) -> str:
    """The name that git gives a file's content: the SHA-1 of "blob LENGTH", a zero byte and the
    bytes."""
    data = path.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
