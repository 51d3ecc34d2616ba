"""Is it the tools? IMPORT along the stream, as its toolbox grows, and beside placebos with another toolbox or none.

IMPORT differs from SKIP in its words, in the tools that its prompt lists and in what its programs may call. Along the
stream the list grows while the words stay. Placebos have the same words, calls and seeds and learn nothing, so that
only what IMPORT is shown and may call differs. None of the papers has these experiments.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd

from trove_lite.analysis.choose import PROBLEM
from trove_lite.analysis.compare import corrected, difference_cells
from trove_lite.analysis.scores import estimate, variance_of
from trove_lite.candidates import load_candidates
from trove_lite.methods.trove import IMPORT, MODES, NONE, OWN, in_order
from trove_lite.recorded.replay import played_back, stated_settings

from .. import named
from .ablations import Ablations, Variant, selected
from .table2 import over_runs

KEYS = [*PROBLEM, "level", "seed"]
GROWTH = ["stream", "measure", "block", "first", "last", "value", "low", "high", "runs", "problems"]
LATER = ["stream", "measure", "difference", "low", "high", "covers", "p", "p_holm", "p_within_2", "problems"]
#: What is measured along the stream: the toolbox, IMPORT's use of it, single programs of each mode, IMPORT's gain.
SIZE, IMPORTS = "tools in the toolbox", "IMPORT programs that import"
ACCURACY = {mode: f"accuracy of {mode.upper()}" for mode in MODES}
GAINS = {mode: f"IMPORT minus {mode.upper()}" for mode in MODES if mode != IMPORT}
#: Which toolboxes are held against each other.
OWN_TOOLS, LENT, WITHOUT = "its own toolbox", "another category's", "no toolbox"
PAIRS = ((OWN_TOOLS, WITHOUT), (OWN_TOOLS, LENT), (LENT, WITHOUT))
TOKENS = {"tokens written by IMPORT": "completion_tokens", "tokens read by IMPORT": "prompt_tokens"}
PLACEBO = ["measure", "toolbox", "value", "low", "high", "run_sd", "runs", "problems"]
DIFFERENCES = ["measure", "a", "b", *LATER[2:]]


def mean_of(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    """The mean of a column over a problem's samples in each run, as scores; a verdict that is missing counts as no."""
    value = rows[column].astype("Float64").fillna(0).astype(float)
    return rows.assign(score=value).groupby(KEYS, observed=True)["score"].mean().reset_index()


# ---- along the stream ----


def growth(study: Ablations, *, blocks: int = 6) -> pd.DataFrame:
    """Toolbox, imports and accuracy by mode along the stream: a row a stream, measure and block of problems.

    Streams are the default's, and all shuffled ones together, in which a problem stands now early, now late. Shares
    and accuracies are of single programs (fractions of 1), with intervals over problems and runs; of the toolbox they
    are t's over runs. `first` and `last` are places in the stream, from 1.
    """
    rows = []
    for stream, measure, scores in _measured(study):
        for block, part in enumerate(_blocks(scores, blocks), start=1):
            if len(part):  # of a stream with fewer problems than blocks there is none
                about = {"stream": stream, "measure": measure, "block": block, "first": part["place"].min() + 1}
                found = estimate(part)._asdict()
                if measure == SIZE:
                    found |= over_runs(part.groupby("run")["score"].mean().to_numpy())
                rows.append(about | {"last": part["place"].max() + 1} | found)
    table = pd.DataFrame(rows).reindex(columns=GROWTH)
    return named(table, "trove_growth", "TROVE along the stream", study.comparison.title)


def later(study: Ablations) -> pd.DataFrame:
    """What IMPORT has over another mode in the stream's second half, minus what it has in the first.

    Each is held against what has no tools on the same problem, so that harder problems make no trend. The halves count
    as different problems and runs; shuffled orders have the same problems in both, which makes the interval rather too
    wide than too narrow.
    """
    rows = []
    for stream, measure, scores in _measured(study):
        if measure in GAINS.values():
            problem = scores["category"].astype(str) + " " + scores["problem"].astype(str)
            halves = zip(("first", "second"), _blocks(scores.assign(problem=problem), 2), strict=True)
            both = variance_of(pd.concat([half.assign(category=name) for name, half in halves]))
            contrast = replace(both, weights=np.array([-1.0, 1.0]))  # in the order of their names
            rows.append({"stream": stream, "measure": measure} | difference_cells(contrast))
    table = corrected(pd.DataFrame(rows)).reindex(columns=LATER)
    return named(table, "trove_growth_later", "the stream's second half minus its first", study.comparison.title)


def _blocks(scores: pd.DataFrame, blocks: int) -> list[pd.DataFrame]:
    """Scores in equal parts of each stream, by place."""
    length = scores.groupby("category", observed=True)["place"].transform("max") + 1
    block = scores["place"] * blocks // length
    return [scores[block == number] for number in range(blocks)]


def _measured(study: Ablations) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """(stream, measure, scores with a column `place`, from 0) of all that is measured along a stream."""
    for stream, variants in (("the data set's order", [study.default]), ("shuffled orders", study.shuffled)):
        parts = [_along(variant) for variant in variants]
        for measure in parts[0] if parts else ():
            yield stream, measure, pd.concat([part[measure] for part in parts], ignore_index=True)


def _along(variant: Variant) -> dict[str, pd.DataFrame]:
    rows = variant.candidates[variant.candidates["phase"] == "stream"]
    modes = {mode: mean_of(rows[rows["mode"] == mode], "correct") for mode in MODES}
    found = {ACCURACY[mode]: scores for mode, scores in modes.items()}
    for mode, name in GAINS.items():
        both = modes[IMPORT].merge(modes[mode][[*KEYS, "score"]], on=KEYS, suffixes=("", "_other"))
        found[name] = both.assign(score=both["score"] - both["score_other"])
    found[IMPORTS] = mean_of(rows[rows["mode"] == IMPORT], "imports")
    found[SIZE] = modes[IMPORT].drop(columns="score").merge(toolbox_sizes(variant), on=["category", "seed", "problem"])
    return {name: scores.merge(places(variant), on=["category", "problem"]) for name, scores in found.items()}


def places(variant: Variant) -> pd.DataFrame:
    """Where each problem stands in its stream, from 0: columns category, problem, `place`."""
    settings, rows = next(iter(stated_settings([variant.folder]).values())), variant.candidates
    ordered = rows.groupby(rows["category"].astype(str))["problem"].apply(
        lambda own: in_order(sorted(own.unique()), settings)
    )
    table = ordered.explode().rename("problem").reset_index().astype({"problem": int})
    return table.assign(place=table.groupby("category").cumcount())


def toolbox_sizes(variant: Variant) -> pd.DataFrame:
    """How many tools IMPORT's programs ran after at each problem, its run being played back (`score`)."""
    found, stated, rows = [], stated_settings([variant.folder]), load_candidates(variant.folder)
    for (run, category), stream in rows.groupby(["run", "category"], observed=True):
        if stated[run].toolbox == OWN:
            for attempt, _ in played_back(stream, stated[run]):
                if attempt.mode == IMPORT and attempt.phase == "stream" and not attempt.round:
                    found.append((category, stated[run].seed, attempt.question.index, float(len(attempt.library))))
    return pd.DataFrame(found, columns=["category", "seed", "problem", "score"])


# ---- the placebo ----


def placebo(study: Ablations) -> pd.DataFrame:
    """What came of each toolbox, over all problems: answers, single IMPORT programs, and a program's tokens.

    First answers only, before any problem is solved again: all have the same calls.
    """
    found = _by_toolbox(study)
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
    found, rows = _by_toolbox(study), []
    for a, b in PAIRS:
        for measure in found[OWN_TOOLS] if {a, b} <= set(found) else ():
            row = difference_cells(variance_of(found[a][measure], found[b][measure]))
            rows.append(
                {"measure": measure, "a": a, "b": b} | row | ({"p_within_2": np.nan} if measure in TOKENS else {})
            )
    table = corrected(pd.DataFrame(rows, columns=[c for c in DIFFERENCES if c != "p_holm"])).reindex(
        columns=DIFFERENCES
    )
    title, note = "IMPORT and its placebos, paired", "no run with another toolbox, or with none"
    return named(table, "trove_placebo_differences", title, study.comparison.title, note="" if rows else note)


def _by_toolbox(study: Ablations) -> dict[str, dict[str, pd.DataFrame]]:
    """Scores by what IMPORT is shown and by measure."""
    changed = {v.changes["toolbox"] == NONE: v for v in study.variants if set(v.changes) == {"toolbox"}}
    shown = {OWN_TOOLS: study.default, LENT: changed.get(False), WITHOUT: changed.get(True)}
    return {toolbox: _measures(variant, study.rule) for toolbox, variant in shown.items() if variant}


def _measures(variant: Variant, rule: str) -> dict[str, pd.DataFrame]:
    rows = variant.candidates
    rows = rows[(rows["phase"] == "stream") & (rows["mode"] == IMPORT)].assign(ran=rows["status"] == "ok")
    columns = {ACCURACY[IMPORT]: "correct", IMPORTS: "imports", "IMPORT programs that run": "ran"} | TOKENS
    found = {"accuracy of the answer": selected(variant, rule)}
    for name, column in columns.items():
        scores = mean_of(rows.dropna(subset=column) if name in TOKENS else rows, column)
        found[name] = scores.assign(run=[f"seed {seed}" for seed in scores["seed"]])
    return found
