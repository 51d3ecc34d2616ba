"""Where papers, released programs and this kit part: one table of what stands beside the switches.

`python -m benchmarks.departures` writes `results/audit/departures.csv`. Its rows are those
of the `departures.csv` in the folder that holds the switch. What a switch is by default and which
preset has it are read from the settings, and `replies` is counted in published runs.
"""

import csv
import shlex
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pandas as pd

import trove_lite
import trove_lite_papers
from trove_lite.cli import parser_of
from trove_lite.methods import load_method
from trove_lite.models.base import SamplingSettings
from trove_lite.programs import whole_program
from trove_lite.programs.parse import read_blocks
from trove_lite.running.settings import RunSettings
from trove_lite_papers.creator.fences import of_repair
from trove_lite_papers.creator.repair import is_cut
from trove_lite_papers.latm.bbh import read_task
from trove_lite_papers.latm.dispatch import named_as_released
from trove_lite_papers.tables import write

NAME = "departures"
#: The folders whose switches have rows, in the table's order.
FOLDERS = (
    Path(trove_lite.__file__).parent / "methods",
    *(
        Path(trove_lite_papers.__file__).parent / name
        for name in ("trove", "images", "creator", "latm")
    ),
)
RESULTS = Path("results")


class Departure(NamedTuple):
    """Something that paper, program and kit do.

    switch: the option that brings the program's way. why: why there is none. cases: where the two
    differed, of cases that were made for it and run through the released program; these are not in
    the repository. measure: a name of MEASURES and the published runs to count in. effect: on
    published numbers.
    """

    place: str
    paper: str
    program: str
    here: str
    switch: str
    why: str
    cases: str
    measure: str
    effect: str

    @property
    def agrees(self) -> bool:
        """The kit does what the program does, be it not what the paper says."""
        return self.here.startswith("as the program")


def other_code(run: pd.DataFrame) -> pd.Series:
    """Which replies are another program by CREATOR's released reader."""
    ours = run["response"].map(lambda reply: whole_program(read_blocks(reply).solution))
    return ours != run["response"].map(of_repair)


def cut_and_silent(run: pd.DataFrame) -> pd.Series:
    silent = (run["status"] == "ok") & (run["answers"].str.len() == 0)
    return silent & run["response"].map(is_cut)


def other_task(run: pd.DataFrame) -> pd.Series:
    """Which replies of a dispatcher name another task by the released reading."""
    return run["response"].map(read_task).str[0] != run["response"].map(named_as_released)


MEASURES: dict[str, Callable[[pd.DataFrame], pd.Series]] = {
    "fences": other_code,
    "cut": cut_and_silent,
    "task": other_task,
}


def departures() -> Iterator[Departure]:
    for folder in FOLDERS:
        with (folder / f"{NAME}.csv").open(encoding="utf-8", newline="") as file:
            yield from (Departure(**row) for row in csv.DictReader(file))


@cache
def values_of(switch: str) -> list[tuple[str, str, object]]:
    """The method ("" for a run's own option), name and value of each option of a switch. Raises
    UsageError for one that `trove-lite run` does not take."""
    words = shlex.split(switch)
    found = []
    for name, value in parser_of("run", words).given(words).items():
        own = value.items() if name.endswith(".") else [(name, value)]
        method = name[:-1] if name.endswith(".") else ""
        found += [(method, option, each) for option, each in own]
    return found


def default_of(method: str, name: str) -> object:
    """What a setting is where nobody names it; of one that every method has, TROVE's."""
    settings = load_method(method or "trove").presets["paper"]
    holders = [settings] if method else [RunSettings, SamplingSettings, settings]
    found = (getattr(holder, name, None) for holder in holders)
    return next((value for value in found if value is not None), "")


def presets_with(method: str, name: str, value: object) -> list[str]:
    """The presets of a method, TROVE's for an option of every method, that have this value."""
    presets = load_method(method or "trove").presets
    return [
        preset
        for preset, own in presets.items()
        if preset != "paper" and getattr(own, name, None) == value
    ]


def counted(measure: str, results: Path) -> str:
    """In how many of the replies of these published runs something differs."""
    how, *runs = measure.split()
    found = []
    for run in runs:
        table = pd.read_parquet(results / run / "candidates.parquet")
        table = table[table["response"].notna()]
        found.append(f"{MEASURES[how](table).sum():,} of {len(table):,} ({Path(run).name})")
    return "; ".join(found)


def table(results: Path = RESULTS) -> pd.DataFrame:
    """A row a place: what paper, program and kit do, how the program's way is had, and what it
    touches."""
    rows = []
    for one in departures():
        default = preset = ""
        if one.switch:
            method, name, value = values_of(one.switch)[0]
            default = str(default_of(method, name))
            preset = ", ".join(presets_with(method, name, value))
        about = {"place": one.place, "paper": one.paper, "program": one.program, "here": one.here}
        about |= {"switch": one.switch, "default": default, "in preset": preset, "why": one.why}
        about |= {"made cases": one.cases, "replies": ""}
        if one.measure:
            about["replies"] = counted(one.measure, results)
        rows.append(about | {"effect on published numbers": one.effect})
    return pd.DataFrame(rows)


if __name__ == "__main__":
    found = table()
    write(found, RESULTS / "audit", NAME)
    print(f"{len(found)} places, {(found['switch'] != '').sum()} with a switch")
