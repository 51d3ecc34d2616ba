"""A study with a real model: run part after part, publish what is complete, render it.

    python -m studies run studies/NAME.toml --model FOLDER_OR_HUB_NAME_OR_SPEC [--only PART …]
    python -m studies publish studies/NAME.toml [--folder PART=RUN …] [--results FOLDER]
    python -m studies report studies/NAME.toml
    python -m studies ablations studies/NAME.toml [--folder PART=RUN …]
    python -m studies plan                    # in which factors the systems of planned comparisons differ; refuses two
    python -m studies seal                    # the hashes of what every planned part asks, kept when a method is gone
    python -m studies health [STUDY.toml]     # the checks that published runs fail, into checks.json, which essays read
    python -m studies check [STUDY.toml]      # every run beside its plan, every comparison by the plan's rules
    python -m studies beside STUDY.toml       # readings that no plan asked for: beside.csv
    python -m studies silent STUDY.toml       # programs for which a tool printed, run again with silent tools
    python -m studies read --only PART …      # thirty programs of each mode without verdicts, to be read and logged

A part is a run of `trove-lite run` with the study's settings and its own. An interrupted study goes
on where it stopped when the same command is given again, and so does a complete one whose `limit`
or attempts were raised. Published are complete parts alone, with their journals, packed, and an
index that says what was run, what was not, and where the notebooks show it. Each of a study's data
sets has a report of its own, unless it says `together = true`. Parts of the group `ablations` are
held against the study's `default`, whose samples they may share (`reuse = "part:NAME"`). `plan`
prints in what the systems of each comparison differ, and refuses those that differ in another factor
than they name. A study of many models has a folder of results for each, by its name:
results/models/MODEL; `health`, `check`, `read` and `report` go through all of them, or that of `--results`.
Where no study is named, `health`, `check` and `read` go through all studies, and the others take the bench.
"""

import argparse
import sys
from pathlib import Path

from studies import bench, beside, grid, sealing, silent
from studies.checking import pages, says
from studies.factors import plan
from studies.notebooks import ablate, report
from studies.plan import Study, read_study
from studies.publish import keep_checks, publish
from studies.run import run
from trove_lite.errors import TroveLiteError

STUDIES = sorted(bench.STUDY.parent.glob("*.toml"))
#: Actions, and those among them that go through all studies where none is named.
ACTIONS = [
    "run",
    "publish",
    "report",
    "ablations",
    "plan",
    "seal",
    "health",
    "check",
    "beside",
    "silent",
    "read",
]
OF_ALL = ["health", "check", "read"]


def main(words: list[str] | None = None) -> int:
    given = parser().parse_args(words)
    try:
        return act(given)
    except TroveLiteError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:  # the part that ran has said so
        return 130


def parser() -> argparse.ArgumentParser:
    how = argparse.RawDescriptionHelpFormatter
    made = argparse.ArgumentParser("python -m studies", description=__doc__, formatter_class=how)
    made.add_argument("action", choices=ACTIONS)
    made.add_argument("study", type=Path, nargs="?", metavar="STUDY.toml")
    spec = "run: a folder, a hub name, or what `trove-lite run --model` takes"
    made.add_argument("--model", help=spec)
    made.add_argument("--runs", type=Path, help="the parts' run folders (default: runs/NAME)")
    made.add_argument("--results", type=Path, help="where its results are (default: results/NAME)")
    only = "run: these parts or groups alone"
    made.add_argument("--only", nargs="+", default=[], metavar="PART", help=only)
    elsewhere = "a part elsewhere"
    made.add_argument("--folder", action="append", default=[], metavar="PART=RUN", help=elsewhere)
    return made


def act(given: argparse.Namespace) -> int:
    """Do what is asked; returns the status."""
    if given.action == "seal":
        return sealing.write(STUDIES)
    if given.action in OF_ALL:
        for path in [given.study] if given.study else STUDIES:
            look(read_study(path), given)
        return 0
    path = given.study or bench.STUDY
    if given.action == "plan":
        return plan(path)
    study = read_study(path)
    if given.action not in ("silent", "beside"):
        return of_runs(study, given)
    for place in places(study, given):
        if given.action == "silent":
            silent.silent(study, place).to_parquet(place / silent.TABLE)
        else:
            grid.save_table(beside.beside(study, place), place / beside.TABLE)
    return 0


def of_runs(study: Study, given: argparse.Namespace) -> int:
    """What needs run folders, or renders: `run`, `publish`, `ablations`, `report`."""
    runs = given.runs or Path("runs") / study.name
    results = given.results or Path("results") / study.name
    pairs = (text.partition("=") for text in given.folder)
    folders = {part: Path(folder) for part, _, folder in pairs}
    if given.action == "run":
        if not given.model:
            raise TroveLiteError(
                "no model: give --model (in make: MODEL=) a folder with weights or a hub name"
            )
        return run(study, given.model, runs, results, given.only, folders)
    if given.action == "publish":
        table = publish(study, runs, results, folders)
        done = int(table["complete"].sum())
        print(f"{results}: {done} of {len(table)} parts published, with README.md")
        return 0
    if given.action == "ablations":
        return ablate(study, runs, results, folders)
    return report(study, results)


def places(study: Study, given: argparse.Namespace) -> list[Path]:
    """The folders of a study's results: one a model, where it has several."""
    if study.models:
        return grid.places(study, given.results)
    return [given.results or Path("results") / study.name]


def look(study: Study, given: argparse.Namespace) -> None:
    """Print what `check` or `read` says of each folder of a study's results, or keep its `health`;
    of all studies those that have any."""
    for place in places(study, given):
        folders = [
            folder
            for folder in (place / "runs").glob("*")
            if not given.only or folder.name in given.only
        ]
        if not (folders or given.study):
            continue
        if given.action == "health":
            keep_checks(study, place)
            continue
        parts = bench.read_parts(folders, given.only, study)
        lines = pages(parts.values()) if given.action == "read" else says(parts, study)
        print(f"{place}:", *lines, sep="\n")


if __name__ == "__main__":
    sys.exit(main())
