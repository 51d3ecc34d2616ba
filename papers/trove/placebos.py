"""Is it the tools? IMPORT beside placebos: the same words, calls and seeds, shown another toolbox or none (ours)."""

import numpy as np
import pandas as pd

from trove_lite.analysis.compare import add_holm, difference_cells
from trove_lite.analysis.scores import estimate, variance_of
from trove_lite.methods.trove import IMPORT, NONE

from ..tables import name_table
from .ablations import Ablations, Variant, by_seed, mean_of, selected

#: Which toolboxes are held against each other.
OWN_TOOLS, LENT, WITHOUT = "its own toolbox", "another category's", "no toolbox"
PAIRS = ((OWN_TOOLS, WITHOUT), (OWN_TOOLS, LENT), (LENT, WITHOUT))
TOKENS = {"tokens written by IMPORT": "completion_tokens", "tokens read by IMPORT": "prompt_tokens"}
#: What is measured of single IMPORT programs, and the column that holds it.
MEASURES = {
    "accuracy of IMPORT": "correct",
    "IMPORT programs that import": "imports",
    "IMPORT programs that run": "ran",
}
PLACEBO = ["measure", "toolbox", "value", "low", "high", "run_sd", "runs", "problems"]
DIFFERENCES = ["measure", "a", "b", "difference", "low", "high", "covers", "p", "p_holm", "p_within_2", "problems"]


def placebo(study: Ablations) -> pd.DataFrame:
    """What came of each toolbox, over all problems: first answers, single IMPORT programs, and a program's tokens."""
    found = _by_toolbox(study)
    cells = {(m, box): estimate(scores[m])._asdict() for m in found[OWN_TOOLS] for box, scores in found.items()}
    table = pd.DataFrame([{"measure": m, "toolbox": box} | cell for (m, box), cell in cells.items()], columns=PLACEBO)
    return name_table(table, "trove_placebo", "IMPORT and its placebos", study.comparison.title)


def placebo_differences(study: Ablations) -> pd.DataFrame:
    """Each toolbox against the others, problem by problem and seed by seed; one Holm correction over all rows."""
    found, rows = _by_toolbox(study), []
    for a, b in PAIRS:
        for measure in found[OWN_TOOLS] if {a, b} <= set(found) else ():
            cells = difference_cells(variance_of(found[a][measure], found[b][measure]))
            no_margin = {"p_within_2": np.nan} if measure in TOKENS else {}
            rows.append({"measure": measure, "a": a, "b": b} | cells | no_margin)
    table = add_holm(pd.DataFrame(rows, columns=[c for c in DIFFERENCES if c != "p_holm"]))[DIFFERENCES]
    title, note = "IMPORT and its placebos, paired", "no run with another toolbox, or with none"
    return name_table(table, "trove_placebo_differences", title, study.comparison.title, note="" if rows else note)


def _by_toolbox(study: Ablations) -> dict[str, dict[str, pd.DataFrame]]:
    changed = {v.changes["toolbox"] == NONE: v for v in study.variants if set(v.changes) == {"toolbox"}}
    shown = {OWN_TOOLS: study.default, LENT: changed.get(False), WITHOUT: changed.get(True)}
    return {toolbox: _measured(variant, study.rule) for toolbox, variant in shown.items() if variant}


def _measured(variant: Variant, rule: str) -> dict[str, pd.DataFrame]:
    rows = variant.candidates
    rows = rows[(rows["phase"] == "stream") & (rows["mode"] == IMPORT)].assign(ran=rows["status"] == "ok")
    found = {"accuracy of the answer": selected(variant, rule)}
    for name, column in (MEASURES | TOKENS).items():
        known = rows.dropna(subset=column) if name in TOKENS else rows
        values = known[column].astype("Float64").fillna(0)  # a verdict that is missing counts as no
        found[name] = mean_of(by_seed(known.assign(**{column: values}), column))
    return found
