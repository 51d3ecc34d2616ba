"""Renders a study by notebooks: its published parts, a report a data set, and its ablations."""

import json
from collections.abc import Mapping
from pathlib import Path

from studies import grid
from studies.plan import ABLATIONS, NOTEBOOKS, Study, from_notebooks
from trove_lite import load_candidates
from trove_lite.candidates import outcomes, save_table
from trove_lite.datasets import load_dataset
from trove_lite.errors import TroveLiteError

OF_ABLATIONS = ("21_trove_ablations", "22_trove_growth")
#: What of a part's options is no choice of the method that its ablation would change.
OUTER = ("methods", "categories", "seeds", "limit", "reuse")


def report(study: Study, results: Path) -> int:
    """Render the published study's tables, figures and pages, a report a data set; one line where
    there is none."""
    from trove_lite.cli import main  # which a venv with vLLM has without what notebooks need

    if study.models:
        return max((grid.report(study, place) for place in grid.places(study)), default=0)
    published = study.published(results)
    status = 0
    if not published:
        withdrawn = {part.withdrawn for part in study.parts if part.withdrawn}
        print(f"{results}: left out ({'; '.join(withdrawn) or 'no published study there'})")
    for dataset, runs in published.items():
        title = study.title + f"; {load_dataset(dataset).title}" * study.several
        words = [
            "report",
            *map(str, runs),
            "--out",
            study.report_name(dataset),
            "--title",
            title,
        ]
        words += ["--only", *study.notebooks] if study.notebooks else []
        status = max(status, main(words))
    return status


def ablate(study: Study, runs: Path, results: Path, given: Mapping[str, Path]) -> int:
    """Tables and figures of the study's complete ablations; returns how many notebooks failed.

    Of runs that are not published their outcomes are kept, which the essay reads.
    """
    # the extra [notebooks], which a venv with vLLM may lack
    from trove_lite_analysis.cli.notebooks import (
        Job,
        run_all,
    )

    parts = [p for p in study.parts if p.name == study.default] + [
        p for p in study.parts if p.group == ABLATIONS
    ]
    done = [(part, found) for part in parts if (found := part.complete(runs, given, results))]
    if len(done) < 2 or done[0][0].name != study.default:
        raise TroveLiteError(
            f"{runs}: the default and at least one ablation have to be complete; run them first"
        )
    if lacking := [part.name for part in parts if part not in [complete for complete, _ in done]]:
        print(f"left out, for they are not complete: {', '.join(lacking)}")
    default = done[0][0].options
    pages = results / "notebooks"
    parameters = {
        "results": from_notebooks(results),
        "figures": from_notebooks(Path("figures") / study.name),
        "rule": "one_stage",
    }
    changes = {
        part.name: {
            name: value
            for name, value in part.options.items()
            if name not in OUTER and value != default.get(name)
        }
        for part, _ in done
    }
    kept = results / ABLATIONS
    for part, folder in done:
        if not (kept / part.name / "candidates.parquet").is_file():
            keep_outcomes(folder, kept / part.name)
    told = json.dumps(changes, indent=1)
    (kept / "changes.json").write_text(told + "\n", encoding="utf-8")
    parameters["variants"] = {from_notebooks(folder): changes[part.name] for part, folder in done}
    jobs = {
        n: Job(NOTEBOOKS / f"{n}.ipynb", parameters, pages / f"{n}.ipynb", page=True)
        for n in OF_ABLATIONS
    }
    return len(run_all(jobs, pages, at_once=1, force=True))


def keep_outcomes(run: Path, folder: Path) -> None:
    """A run's numbers, without texts and times, and what its toolboxes end with."""
    from trove_lite_analysis.kept_tools import TOOLBOXES, toolboxes

    table = outcomes(load_candidates(run)).assign(generate_seconds=None, execute_seconds=None)
    folder.mkdir(parents=True, exist_ok=True)
    save_table(table, folder / "outcomes.parquet")
    toolboxes([run]).to_csv(folder / TOOLBOXES, index=False, lineterminator="\n")
