"""Runs as one page to read: find a problem, see its candidates side by side, and who is chosen by
which votes.

The page is one file that loads nothing: the table's library (DataTables, of itables) is in it, and
so are the candidates, compressed in parts that are opened one by one. What a model wrote is text
there, never markup."""

import gzip
import html
import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from importlib.resources import files
from itertools import zip_longest
from pathlib import Path

from trove_lite.bars import bar
from trove_lite.candidates import load_calls, load_candidates, table_file
from trove_lite.errors import TroveLiteError
from trove_lite.journal import on_disk, write_atomically
from trove_lite.selection.tables import without_agreement

from ..questions import problems_of
from ..summary import refuse_unanswered
from .contents import Contents, clean

NAME = "view.html"
TABLES = ("candidates.parquet", "outcomes.parquet")
DATA = '<script type="text/plain" id="{}">{}</script>\n'


def write_page(
    runs: Sequence[str | Path], out: str | Path | None = None, *, progress: bool = True
) -> Path:
    """Write the page about these runs to `out` (None: beside the first of them), replacing what is
    there; returns it. A run is a run folder, a file of candidates or outcomes, or a folder that
    holds `outcomes.parquet`."""
    if not runs:
        raise TroveLiteError(
            "no run given: name a run folder or a parquet file of candidates or outcomes"
        )
    tables = [table_of(Path(run)) for run in runs]
    beside = tables[0].parent / (
        NAME if tables[0].name in TABLES else f"{tables[0].stem or 'view'}.html"
    )
    path = beside if out is None else Path(out)
    if path.is_dir() or path.suffix not in (".html", ".htm"):
        raise TroveLiteError(
            f"{path}: no place for a page; name a file that ends in .html, such as {path / NAME}"
        )
    candidates = load_candidates(*tables)
    refuse_unanswered(candidates)
    calls = load_calls(*tables)
    problems, notes = problems_of(candidates, [table.parent for table in tables])
    title = ", ".join(
        table.resolve().parent.name if table.name in TABLES else table.stem for table in tables
    )
    found = Contents(candidates, calls, problems, notes + without_agreement(candidates))
    total = len(candidates)
    del candidates, calls  # a large run's are as large as the page's own
    with (
        on_disk(path),
        bar(total, "page", unit=" candidates", enabled=progress) as shown,
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(
            path,
            lambda part: write(part, found, title, update=shown.update),
        )
    return path


def table_of(run: Path) -> Path:
    """The file of candidates or outcomes that is meant by a path. Raises as `table_file`."""
    names = [name for name in TABLES if (run / name).is_file()]
    return run / names[0] if names == [*TABLES[1:]] else table_file(run)


def write(
    part: Path, found: Contents, title: str, *, lead: str = "", update: Callable = lambda _: None
) -> None:
    """The page with these contents; `lead` is HTML before the list of problems."""
    folder = (
        files("itables") / "html"
    )  # the program and the style of the table's library, for use without a network
    library, style = ((folder / f"dt_bundle.{kind}").read_bytes() for kind in ("js", "css"))
    given = {
        "title": html.escape(clean(title)),
        "table_style": style.decode(),
        "library": b64encode(library).decode(),
        "lead": lead,
    }

    def data() -> Iterator[tuple[str, object]]:
        for number, problems in enumerate(found.parts()):
            yield f"part{number}", problems
            update(sum(len(run["candidates"]) for problem in problems for run in problem["runs"]))
        yield "index", found.index  # last, since it is whole when all parts are

    with part.open("w", encoding="utf-8") as file:
        file.writelines(filled(__package__, "page", given, data()))


def filled(
    package: str, name: str, given: Mapping[str, str], data: Iterable[tuple[str, object]]
) -> Iterator[str]:
    """A page that loads nothing, piece by piece: `name.html` of a package with its style, program
    and data in it. `given` replaces the names in braces. Each datum is an element with that
    id, packed. The page's policy, where its head names the `hash`, lets no other program run than
    `read.js`, which all pages begin with, and `name.js`."""
    style = _own(package, f"{name}.css")
    program = _own(__package__, "read.js") + _own(package, f"{name}.js")
    digest = b64encode(sha256(program.encode()).digest()).decode()
    given = {"hash": f"sha256-{digest}", "style": style, "program": program, **given}
    words = re.split(
        r"\{\{(\w+)\}\}",
        _own(package, f"{name}.html"),
    )
    for text, place in zip_longest(words[::2], words[1::2], fillvalue=""):
        yield text
        if place == "data":
            yield from (DATA.format(identity, packed(value)) for identity, value in data)
        else:
            yield given.get(place, "")


def _own(package: str, name: str) -> str:
    return (files(package) / name).read_text(encoding="utf-8")


def packed(value: object) -> str:
    """A value as JSON, compressed, in letters that mean nothing in HTML."""
    data = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8",
        "replace",
    )
    return b64encode(gzip.compress(data, mtime=0)).decode()
