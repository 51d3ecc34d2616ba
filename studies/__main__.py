"""A study with a real model: run part after part, publish what is complete, render it.

    python -m studies run studies/NAME.toml --model FOLDER_OR_HUB_NAME_OR_SPEC [--only PART …]
    python -m studies publish studies/NAME.toml [--folder PART=RUN …] [--results FOLDER]
    python -m studies report studies/NAME.toml
    python -m studies ablations studies/NAME.toml [--folder PART=RUN …]
    python -m studies plan                    # in which factors the sides of planned comparisons differ; refuses two
    python -m studies seal                    # the hashes of what every planned part asks, kept when a method is gone
    python -m studies check [STUDY.toml]      # which planned comparisons meet the plan's rules, and which do not
    python -m studies beside STUDY.toml       # readings that no plan asked for: beside.csv
    python -m studies read --only PART …      # thirty programs of each mode without verdicts, to be read and logged

A part is a run of `trove-lite run` with the study's settings and its own. An interrupted study goes on where it stopped
when the same command is given again, and so does a complete one whose `limit` or attempts were raised. Published are
complete parts alone, with their journals, packed, and an index that says what was run, what was not, and where the
notebooks show it. Each of a study's data sets has a report of its own, unless it says `together = true`. Parts of the
group `ablations` are held against the study's `default`, whose samples they may share (`reuse = "part:NAME"`). `plan`
prints in what the sides of each comparison differ (of the bench, where no study is named), and refuses those that
differ in another factor than they name. A study of many models has a folder of results for each, by its name:
results/models/MODEL; `check`, `read` and `report` go through all of them, or that of `--results`.
"""

import argparse
import sys
from pathlib import Path

from studies import bench, beside, grid, sealing
from studies.checking import checked, pages
from studies.factors import plan
from studies.notebooks import ablate, report
from studies.plan import read_study
from studies.publish import publish
from studies.run import run
from trove_lite.errors import TroveLiteError

ACTIONS = (
    *("run", "publish", "report", "ablations"),
    *("plan", "seal", "check", "beside", "read"),
)


def main(words: list[str] | None = None) -> int:
    how = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="python -m studies", description=__doc__, formatter_class=how
    )
    parser.add_argument("action", choices=ACTIONS)
    parser.add_argument("study", type=Path, nargs="?", default=bench.STUDY, metavar="STUDY.toml")
    parser.add_argument(
        "--model", help="run: a folder, a hub name, or what `trove-lite run --model` takes"
    )
    parser.add_argument("--runs", type=Path, help="the parts' run folders (default: runs/NAME)")
    parser.add_argument(
        "--results", type=Path, help="where its results are (default: results/NAME)"
    )
    parser.add_argument(
        "--only", nargs="+", default=[], metavar="PART", help="run: these parts or groups alone"
    )
    parser.add_argument(
        "--folder", action="append", default=[], metavar="PART=RUN", help="a part elsewhere"
    )
    given = parser.parse_args(words)
    try:
        if given.action == "plan":
            return plan(given.study)
        if given.action == "seal":
            return sealing.write(sorted(bench.STUDY.parent.glob("*.toml")))
        study = read_study(given.study)
        runs, results = (
            given.runs or Path("runs") / study.name,
            given.results or Path("results") / study.name,
        )
        folders = {
            part: Path(folder) for part, _, folder in (text.partition("=") for text in given.folder)
        }
        if given.action in ("check", "read"):
            for place in grid.places(study, given.results) if study.models else [results]:
                parts = bench.read_parts((place / "runs").iterdir(), given.only, study)
                print(
                    "\n".join(
                        checked(parts, study) if given.action == "check" else pages(parts.values())
                    )
                )
            return 0
        if given.action == "beside":
            for place in grid.places(study, given.results) if study.models else [results]:
                grid.save_table(beside.beside(study, place), place / beside.TABLE)
            return 0
        if given.action == "run":
            if not given.model:
                raise TroveLiteError(
                    "no model: give --model (in make: MODEL=) a folder with weights or a hub name"
                )
            return run(study, given.model, runs, results, given.only, folders)
        if given.action == "publish":
            table = publish(study, runs, results, folders)
            print(
                f"{results}: {int(table['complete'].sum())} of {len(table)} parts published, with README.md"
            )
        if given.action == "ablations":
            return ablate(study, runs, results, folders)
        return report(study, results) if given.action == "report" else 0
    except TroveLiteError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:  # the part that ran has said so
        return 130


if __name__ == "__main__":
    sys.exit(main())
