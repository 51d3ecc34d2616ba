"""Is it the tools, or only three prompts? IMPORT with its own toolbox, with another category's, and with none.

The placebos have the same words, the same calls and the same seeds; they learn nothing, so only what IMPORT is shown
and may call differs. None of the papers has this experiment.
"""

import numpy as np
import pandas as pd

from trove_lite.analysis.compare import corrected, difference_cells, points
from trove_lite.analysis.scores import estimate, variance_of
from trove_lite.methods.trove import IMPORT, NONE

from .. import named
from .ablations import Ablations, Variant, selected
from .growth import IMPORTS, KEYS, mean_of

OWN_TOOLS, LENT, WITHOUT = "its own toolbox", "another category's", "no toolbox"
ANSWERS, OF_IMPORT, RAN = "accuracy of the answer", "accuracy of IMPORT", "IMPORT programs that run"
TOKENS = {"tokens written by IMPORT": "completion_tokens", "tokens read by IMPORT": "prompt_tokens"}
PAIRS = ((OWN_TOOLS, WITHOUT), (OWN_TOOLS, LENT), (LENT, WITHOUT))
PLACEBO = ["measure", "toolbox", "value", "low", "high", "run_sd", "runs", "problems"]
DIFFERENCES = ["measure", "a", "b", "difference", "low", "high", "covers", "p", "p_holm", "p_within_2", "problems"]
LACKING = "no run with another toolbox, or with none"


def placebo(study: Ablations) -> pd.DataFrame:
    """What came of each toolbox, over all problems: answers, single IMPORT programs, and a program's tokens.

    First answers only, before any problem is solved again: all have the same calls.
    """
    found = _toolboxes(study)
    rows = [
        {"measure": measure, "toolbox": toolbox} | estimate(scores[measure])._asdict()
        for measure in found[OWN_TOOLS]
        for toolbox, scores in found.items()
    ]
    table = pd.DataFrame(rows).reindex(columns=PLACEBO)
    return named(table, "trove_placebo", "IMPORT and its placebos", study.comparison.title)


def placebo_differences(study: Ablations) -> pd.DataFrame:
    """Each toolbox against the others, problem by problem and seed by seed; one Holm correction over all rows.

    Tokens are numbers, all else fractions of 1; of tokens there is no margin of equivalence.
    """
    found, rows = _toolboxes(study), []
    for a, b in PAIRS:
        for measure in found[OWN_TOOLS] if {a, b} <= set(found) else ():
            row = difference_cells(variance_of(found[a][measure], found[b][measure]))
            margin = {"p_within_2": np.nan} if measure in TOKENS else {}
            rows.append({"measure": measure, "a": a, "b": b} | row | margin)
    table = corrected(pd.DataFrame(rows, columns=[c for c in DIFFERENCES if c != "p_holm"])).reindex(
        columns=DIFFERENCES
    )
    title = "IMPORT and its placebos, paired"
    return named(table, "trove_placebo_differences", title, study.comparison.title, note="" if rows else LACKING)


def _toolboxes(study: Ablations) -> dict[str, dict[str, pd.DataFrame]]:
    """Scores by what IMPORT is shown and by measure."""
    variants = {OWN_TOOLS: study.default}
    for variant in study.variants:
        if set(variant.changes) == {"toolbox"}:
            variants[WITHOUT if variant.changes["toolbox"] == NONE else LENT] = variant
    order = [toolbox for toolbox in (OWN_TOOLS, LENT, WITHOUT) if toolbox in variants]
    return {toolbox: _measures(variants[toolbox], study.rule) for toolbox in order}


def _measures(variant: Variant, rule: str) -> dict[str, pd.DataFrame]:
    rows = variant.candidates
    rows = rows[(rows["phase"] == "stream") & (rows["mode"] == IMPORT)]
    found = {OF_IMPORT: mean_of(rows, "correct"), IMPORTS: mean_of(rows, "imports")}
    found[RAN] = mean_of(rows.assign(ran=rows["status"] == "ok"), "ran")
    for name, column in TOKENS.items():
        tokens = rows.assign(score=rows[column].astype("Float64").astype(float)).dropna(subset="score")
        found[name] = tokens.groupby(KEYS, observed=True)["score"].mean().reset_index()
    paired = {name: scores.assign(run=[f"seed {seed}" for seed in scores["seed"]]) for name, scores in found.items()}
    return {ANSWERS: selected(variant, rule)} | paired


def placebo_in_words(table: pd.DataFrame, differences: pd.DataFrame) -> str:
    """The answer, from `placebo` and `placebo_differences`."""
    if differences.empty:
        return f"It cannot be said: {LACKING}."
    parts = []
    for measure, subject in ((ANSWERS, "a problem's answer"), (OF_IMPORT, "a single IMPORT program")):
        for row in differences[differences["measure"] == measure].itertuples():
            verdict = "is shown to be right equally often within 2 points" if row.p_within_2 < 0.05 else "is left open"
            if row.low > 0 or row.high < 0:
                after = "" if row.p_holm < 0.05 else ", but not after correction"
                verdict = f"is right {'more' if row.difference > 0 else 'less'} often{after}"
            parts.append(f"With {row.a} instead of {row.b} {subject} {verdict}: {points(row)}.")
    shares = table[table["measure"] == IMPORTS]
    said = [f"{100 * row.value:.0f} % with {row.toolbox}" for row in shares.itertuples()]
    return " ".join([*parts, f"Of IMPORT's programs {', '.join(said)} import."])
