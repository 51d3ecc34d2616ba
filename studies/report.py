"""Renders a published study: tables, figures and pages by the notebooks that show it."""

import json
from pathlib import Path

from studies.plan import LONGER, Study
from trove_lite.cli import main as trove_lite
from trove_lite.datasets import load_dataset


def report(study: Study, results: Path) -> int:
    """Render the published study's tables, figures and pages, a report a data set; one line where there is none.

    One of several data sets has its report beside the study's folder, in `results`-DATASET.
    """
    published, ended = study.published(results), 0
    if not published:
        withdrawn = {part.withdrawn for part in study.parts if part.withdrawn}
        print(f"{results}: left out ({'; '.join(withdrawn) or 'no published study there'})")
    for dataset, runs in published.items():
        out = study.name + f"-{dataset}" * study.several
        title = study.title + f"; {load_dataset(dataset).title}" * study.several
        words = ["report", *map(str, runs), "--out", out, "--title", title, "--force"]
        if study.notebooks:
            words += ["--only", *study.notebooks]
        others = {"beside": study.rivals(results), "longer": sorted((results / LONGER).glob("*"))}
        for name, paths in others.items():
            words += ["-p", name, json.dumps([f"../{path}" for path in paths])] if paths else []
        ended = max(ended, trove_lite(words))
    return ended
