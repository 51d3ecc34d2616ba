"""Does the toolbox help as it grows? IMPORT against CREATE and SKIP along the stream.

IMPORT differs from SKIP in its words, in the tools that its prompt lists and in what its programs may call. Along the
stream the list grows while the words stay: if tools help, IMPORT gains on SKIP, and TROVE's answers on those of the
same calls with no toolbox. None of the papers says.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd

from trove_lite.analysis.choose import PROBLEM
from trove_lite.analysis.compare import corrected, difference_cells, points
from trove_lite.analysis.scores import estimate, variance_of
from trove_lite.analysis.statistics import mean_interval
from trove_lite.candidates import load_candidates
from trove_lite.methods.trove import IMPORT, MODES, NONE, OWN, in_order
from trove_lite.recorded.replay import played_back, stated_settings

from .. import named
from .ablations import Ablations, Variant, selected

OWN_ORDER, SHUFFLED = "the data set's order", "shuffled orders"
BLOCKS = 6
KEYS = [*PROBLEM, "level", "seed"]
GROWTH = ["stream", "measure", "block", "first", "last", "value", "low", "high", "runs", "problems"]
LATER = ["stream", "measure", "difference", "low", "high", "covers", "p", "p_holm", "p_within_2", "problems"]
#: What is measured along the stream: the toolbox, IMPORT's use of it, single programs of each mode, IMPORT's gain, and
#: what the toolbox adds to the answers where a run without one is there.
SIZE, IMPORTS = "tools in the toolbox", "IMPORT programs that import"
ACCURACY = {mode: f"accuracy of {mode.upper()}" for mode in MODES}
GAINS = {mode: f"IMPORT minus {mode.upper()}" for mode in MODES if mode != IMPORT}
WORTH = "answers, toolbox minus none"


def growth(study: Ablations, *, blocks: int = BLOCKS) -> pd.DataFrame:
    """Toolbox, imports and accuracy by mode along the stream: a row a stream, measure and block of problems.

    Streams are the default's, and all shuffled ones together, in which a problem stands now early, now late. Shares
    and accuracies are of single programs (fractions of 1), with intervals over problems and runs; of the toolbox they
    are t's over runs. `first` and `last` are places in the stream, from 1.
    """
    rows = []
    for stream, measure, scores in _measured(study):
        for block, part in enumerate(_blocks(scores, blocks), start=1):
            if part.empty:  # of a stream with fewer problems than blocks
                continue
            about = {"first": part["place"].min() + 1, "last": part["place"].max() + 1}
            found = _size(part) if measure == SIZE else estimate(part)._asdict()
            rows.append({"stream": stream, "measure": measure, "block": block} | about | found)
    table = pd.DataFrame(rows).reindex(columns=GROWTH)
    return named(table, "trove_growth", "TROVE along the stream", study.comparison.title)


def later(study: Ablations) -> pd.DataFrame:
    """What IMPORT has over another mode in the stream's second half, minus what it has in the first; and the toolbox.

    Each is held against what has no tools on the same problem, so that harder problems make no trend. The halves count
    as different problems and runs; shuffled orders have the same problems in both, which makes the interval rather too
    wide than too narrow.
    """
    rows = []
    for stream, measure, scores in _measured(study):
        if measure in (*GAINS.values(), WORTH):
            problem = scores["category"].astype(str) + " " + scores["problem"].astype(str)
            first, second = _blocks(scores.assign(problem=problem), 2)
            both = variance_of(pd.concat([first.assign(category="first"), second.assign(category="second")]))
            contrast = replace(both, weights=np.array([-1.0, 1.0]))  # in the order of their names
            rows.append({"stream": stream, "measure": measure} | difference_cells(contrast))
    table = corrected(pd.DataFrame(rows)).reindex(columns=LATER)
    return named(table, "trove_growth_later", "the stream's second half minus its first", study.comparison.title)


def _blocks(scores: pd.DataFrame, blocks: int) -> list[pd.DataFrame]:
    """Scores in equal parts of each stream, by place."""
    length = scores.groupby("category", observed=True)["place"].transform("max") + 1
    block = scores["place"] * blocks // length
    return [scores[block == number] for number in range(blocks)]


def _size(part: pd.DataFrame) -> dict:
    """The toolbox's mean size in each run, and t's interval over runs."""
    of_runs = part.groupby("run")["score"].mean().to_numpy()
    found = mean_interval(of_runs)
    ends = {"value": found.value, "low": found.low, "high": found.high}
    return ends | {"runs": len(of_runs), "problems": part[["category", "problem"]].drop_duplicates().shape[0]}


def _measured(study: Ablations) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """(stream, measure, scores with a column `place`, from 0) of all that is measured along a stream."""
    for stream, variants in ((OWN_ORDER, [study.default]), (SHUFFLED, study.shuffled)):
        parts = [_along(variant) for variant in variants]
        for measure in parts[0] if parts else ():
            yield stream, measure, pd.concat([part[measure] for part in parts], ignore_index=True)
    for variant in study.variants:
        if variant.changes == {"toolbox": NONE}:
            yield OWN_ORDER, WORTH, _worth(study.default, variant, study.rule)


def _worth(default: Variant, without: Variant, rule: str) -> pd.DataFrame:
    """How much oftener the rule's answer to a problem is right with the toolbox than without, before any retry."""
    both = selected(default, rule).merge(selected(without, rule), on=[*PROBLEM, "level"], suffixes=("", "_without"))
    difference = both.assign(score=both["score"] - both["score_without"])
    return difference.merge(places(default.candidates, default), on=["category", "problem"])


def _along(variant: Variant) -> dict[str, pd.DataFrame]:
    rows = variant.candidates[variant.candidates["phase"] == "stream"]
    modes = {mode: mean_of(rows[rows["mode"] == mode], "correct") for mode in MODES}
    found = {ACCURACY[mode]: scores for mode, scores in modes.items()}
    for mode, name in GAINS.items():
        both = modes[IMPORT].merge(modes[mode][[*KEYS, "score"]], on=KEYS, suffixes=("", "_other"))
        found[name] = both.assign(score=both["score"] - both["score_other"])
    found[IMPORTS] = mean_of(rows[rows["mode"] == IMPORT], "imports")
    found[SIZE] = modes[IMPORT].drop(columns="score").merge(toolbox_sizes(variant), on=["category", "seed", "problem"])
    where = places(rows, variant)
    return {name: scores.merge(where, on=["category", "problem"]) for name, scores in found.items()}


def mean_of(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    """The mean of a column over a problem's samples in each run, as scores; a verdict that is missing counts as no."""
    value = rows[column].astype("Float64").fillna(0).astype(float)
    return rows.assign(score=value).groupby(KEYS, observed=True)["score"].mean().reset_index()


def places(rows: pd.DataFrame, variant: Variant) -> pd.DataFrame:
    """Where each problem stands in its stream, from 0: columns category, problem, `place`."""
    parts = []
    for category, part in rows.groupby(rows["category"].astype(str)):
        problems = in_order(sorted(part["problem"].unique()), variant.settings)
        parts.append(pd.DataFrame({"category": category, "problem": problems, "place": range(len(problems))}))
    return pd.concat(parts, ignore_index=True)


def toolbox_sizes(variant: Variant) -> pd.DataFrame:
    """How many tools IMPORT's programs ran after at each problem, its run being played back (`score`)."""
    found = []
    if variant.settings.toolbox == OWN:
        stated, rows = stated_settings([variant.folder]), load_candidates(variant.folder)
        for run, category in rows[["run", "category"]].astype(str).drop_duplicates().itertuples(index=False):
            stream = rows[(rows["run"] == run) & (rows["category"] == category)]
            for attempt, _ in played_back(stream, stated[run]):
                if attempt.mode == IMPORT and attempt.phase == "stream" and not attempt.round:
                    found.append((category, stated[run].seed, attempt.question.index, float(len(attempt.library))))
    return pd.DataFrame(found, columns=["category", "seed", "problem", "score"])


# ---- in words ----


def growth_in_words(table: pd.DataFrame, halves: pd.DataFrame) -> str:
    """Does a longer stream help? From `growth` and `later`."""
    own, parts = table[table["stream"] == OWN_ORDER], []
    sizes, imports = (own[own["measure"] == measure]["value"] for measure in (SIZE, IMPORTS))
    if len(sizes):
        parts.append(
            f"The toolbox holds {sizes.iloc[0]:.1f} tools in the first block and {sizes.iloc[-1]:.1f} in the last."
        )
    if len(imports):
        first, last = 100 * imports.iloc[0], 100 * imports.iloc[-1]
        parts.append(f"Of IMPORT's programs {first:.0f} % import in the first block and {last:.0f} % in the last.")
    held = ((GAINS["skip"], "IMPORT", "SKIP"), (WORTH, "TROVE", "the same calls with no toolbox"))
    for measure, subject, other in held:
        for row in halves[halves["measure"] == measure].itertuples():
            way = "gains on" if row.low > 0 else "loses to" if row.high < 0 else "is not shown to gain on or to lose to"
            sure = f" (Holm-corrected p = {row.p_holm:.2g})" if row.low > 0 or row.high < 0 else ""
            half = f"From the first half to the second, in {row.stream}"
            parts.append(f"{half}, {subject} {way} {other}: {points(row)}{sure}.")
    return " ".join(parts)
