"""Renders a study by notebooks: its published parts, a report a data set, and its ablations."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

from studies.plan import ABLATIONS, LONGER, OUTER, Study
from trove_lite.datasets import load_dataset
from trove_lite.errors import TroveLiteError

OF_ABLATIONS = ("21_trove_ablations", "22_trove_growth")


def report(study: Study, results: Path) -> int:
    """Render the published study's tables, figures and pages, a report a data set; one line where there is none.

    One of several data sets has its report beside the study's folder, in `results`-DATASET.
    """
    published, ended = study.published(results), 0
    if not published:
        withdrawn = {part.withdrawn for part in study.parts if part.withdrawn}
        print(f"{results}: left out ({'; '.join(withdrawn) or 'no published study there'})")
    for dataset, runs in published.items():
        title = study.title + f"; {load_dataset(dataset).title}" * study.several
        words = ["report", *map(str, runs), "--out", study.report_name(dataset), "--title", title, "--force"]
        if study.notebooks:
            words += ["--only", *study.notebooks]
        others = {"beside": study.rivals(results), "longer": sorted((results / LONGER).glob("*"))}
        for name, paths in others.items():
            words += ["-p", name, json.dumps([f"../{path}" for path in paths])] if paths else []
        ended = max(ended, trove_lite(words))
    return ended


def trove_lite(words: list[str]) -> int:
    """The command line, which a venv with vLLM has without what notebooks need."""
    from trove_lite.cli import main

    return main(words)


def ablate(study: Study, runs: Path, results: Path, given: Mapping[str, Path]) -> int:
    """Tables and figures of the study's complete ablations; returns how many notebooks failed."""
    from trove_lite.notebooks import Job, run_all  # the extra [notebooks], which a venv with vLLM may lack

    parts = [p for p in study.parts if p.name == study.default] + [p for p in study.parts if p.group == ABLATIONS]
    done = [(part, found) for part in parts if (found := part.complete(runs, given, results))]
    if len(done) < 2 or done[0][0].name != study.default:
        raise TroveLiteError(f"{runs}: the default and at least one ablation have to be complete; run them first")
    complete = {part.name for part, _ in done}
    if lacking := [part.name for part in parts if part.name not in complete]:
        print(f"left out, for they are not complete: {', '.join(lacking)}")
    home, default = Path("notebooks"), done[0][0].options
    changes = [
        {name: value for name, value in part.options.items() if name not in OUTER and value != default.get(name)}
        for part, _ in done
    ]
    parameters = {
        "variants": {os.path.relpath(folder, home): own for (_, folder), own in zip(done, changes, strict=True)},
        "results": os.path.relpath(results, home),
        "figures": os.path.relpath(Path("figures") / study.name, home),
    }
    pages = {name: results / "notebooks" / f"{name}.ipynb" for name in OF_ABLATIONS}
    jobs = {name: Job(home / f"{name}.ipynb", parameters, page, page=True) for name, page in pages.items()}
    return len(run_all(jobs, results / "notebooks", at_once=1, force=True))
