"""What TroVE's program kept when a run ended: the library file that it writes beside its log and its results."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from ..errors import DamagedFile
from ..parse import parse_tools
from ..programs import Tool, plain_name
from .official_files import ImportReport, seed_of, text_of

DELIMITER = "# %%"
LIBRARY, BESIDE = "library", ("log", "results")


def kept_tools(reports: Iterable[ImportReport], method: Mapping[tuple[str, str], str]) -> list[dict]:
    """The tools that each of these runs ended with, in the order of its file, of the runs that have one.

    method: of each run and category. A run that is known by log and results counts once.
    """
    kept = {}
    for report in reports:
        file = library_of(Path(report.log))
        if file and (report.run, report.category) not in kept:
            about = {
                "seed": seed_of(Path(report.log)),
                "run": report.run,
                "method": method[report.run, report.category],
                "category": report.category,
            }
            kept[report.run, report.category] = [
                about | {"rank": rank, "name": plain_name(tool.name), "signature": tool.signature}
                for rank, tool in enumerate(read_library(file), start=1)
            ]
    return [tool for tools in kept.values() for tool in tools]


def library_of(file: Path) -> Path | None:
    """The library file of the run whose log or results this is, in the official layout; None where there is none."""
    parts = list(file.parts)
    for place in range(len(parts) - 1, -1, -1):
        if parts[place] in BESIDE:
            parts[place] = LIBRARY
            library = Path(*parts).with_suffix(".json")
            return library if library.is_file() else None
    return None


def read_library(file: Path) -> tuple[Tool, ...]:
    """The tools of a library file, which is Python with a line `# %% DOCSTRING (KIND)` before each.

    Raises DamagedFile for a file that cannot be read or is none.
    """
    head, *parts = f"\n{text_of(file)}".split(f"\n{DELIMITER}")
    if head.strip():
        raise DamagedFile(f"{file}: does not begin with '{DELIMITER}', so it is no library of TroVE's program")
    tools = [parse_tools(f"```python\n{code}\n```") for code in (part.partition("\n")[2] for part in parts)]
    return tuple(found[0] for found in tools if found)
