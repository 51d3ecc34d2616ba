"""Is it the tools? IMPORT beside placebos: the same words, calls and seeds, another toolbox or none
(ours).

What is right, and what is measured of IMPORT's programs, the essay defines; `answer` is how an
answer is selected.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from trove_lite.methods.trove import IMPORT, NONE, TROVE, TroveSettings
from trove_lite_analysis.calls import PROBLEM, by_problem, without_tools
from trove_lite_analysis.differences import (
    add_holm,
    difference,
    points,
)
from trove_lite_analysis.scores import estimate, over_problems
from trove_lite_analysis.sentence import Sentence, verdict

from ..figures import forest
from ..tables import name_table
from .simplicity import Measure
from .variants import TESTED, Ablations, Way, by_seed, selected

OWN_TOOLS = "its own toolbox"
LENT = "another category's"
WITHOUT = "no toolbox"
PAIRS = ((OWN_TOOLS, WITHOUT), (OWN_TOOLS, LENT), (LENT, WITHOUT))
PLACEBO = [
    "measure",
    "toolbox",
    "value",
    "low",
    "high",
    "run_sd",
    "runs",
    "problems",
]
PLACEBO_PAIRS = ["measure", "a", "b", *TESTED, "problems"]


def placebo(
    study: Ablations,
    answer: Way,
    right: Measure,
    measures: Mapping[str, Measure],
) -> pd.DataFrame:
    """What came of each toolbox, over all problems: the answers that are right, and measures of
    IMPORT's programs."""
    found = _by_toolbox(study, answer, right, measures)
    cells = {
        (m, box): estimate(scores[m])._asdict()
        for m in found[OWN_TOOLS]
        for box, scores in found.items()
    }
    rows = [{"measure": m, "toolbox": box} | cell for (m, box), cell in cells.items()]
    table = pd.DataFrame(rows, columns=PLACEBO)
    return name_table(
        table,
        "trove_placebo",
        "IMPORT and its placebos",
        study.comparison.title,
    )


def placebo_differences(
    study: Ablations,
    answer: Way,
    right: Measure,
    measures: Mapping[str, Measure],
) -> pd.DataFrame:
    """Each toolbox against the others, problem by problem and seed by seed; one Holm correction
    over all rows."""
    found = _by_toolbox(study, answer, right, measures)
    rows = []
    for a, b in PAIRS:
        for measure in found[OWN_TOOLS] if {a, b} <= set(found) else ():
            both = found[a][measure], found[b][measure]
            is_share = all(scores["score"].between(0, 1).all() for scores in both)
            ((cells, _),) = difference(*both, shares=is_share)
            no_margin = {} if is_share else {"p_within_2": np.nan}
            rows.append({"measure": measure, "a": a, "b": b} | cells | no_margin)
    columns = [column for column in PLACEBO_PAIRS if column != "p_holm"]
    table = add_holm(pd.DataFrame(rows, columns=columns))[PLACEBO_PAIRS]
    note = "" if rows else "no run with another toolbox, or with none"
    name = "trove_placebo_differences"
    title = "IMPORT and its placebos, paired"
    return name_table(table, name, title, study.comparison.title, note=note)


def filled_against_empty(programs: pd.DataFrame, runs: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """IMPORT with a toolbox that holds a tool against IMPORT with an empty one, on the same
    problems and seeds. A row a part and one of all: the mean over problems, each over its seeds, of
    the difference of right shares. programs, runs: of `calls.of_runs` and `calls.read_runs`."""
    empty_runs = TroveSettings(toolbox=NONE).table_name(TROVE.name)
    theirs = programs[(programs["mode"] == IMPORT) & (programs["method"] == TROVE.name)]
    pairs = {}
    for name, part in theirs.groupby("part", sort=False):
        filled = part[part["kept"].astype(bool)]
        empty = without_tools(runs, filled, empty_runs) if len(filled) else filled
        empty = empty[empty["mode"] == IMPORT]
        if set(empty["seed"]) & set(filled["seed"]):
            pairs[name] = [by_problem(system.assign(method=name)) for system in (filled, empty)]
    if len(pairs) > 1:
        pairs["together"] = [pd.concat(system) for system in zip(*pairs.values(), strict=True)]
    rows = []
    for name, both in pairs.items():
        ((cells, v),) = difference(*both, of=over_problems)
        shared = both[0].merge(both[1], on=["method", *PROBLEM])
        about = {"part": name, "problems and seeds": len(shared), "problems": v.problems}
        rows.append(about | {key: cells[key] for key in ("difference", "low", "high", "p")})
    title = "IMPORT with a filled toolbox minus an empty one"
    return name_table(pd.DataFrame(rows), "call_filled", title)


def placebo_sentence(differences: pd.DataFrame, about: str) -> Sentence:
    """The first difference in accuracy, and what it says."""
    for row in differences[differences["measure"].str.startswith("accuracy")].head(1).itertuples():
        said = f"TROVE with {row.a} is {points(row)} from TROVE with {row.b}"
        return Sentence(f"{said} ({about}, {row.problems} problems); {verdict(row)}.")
    return Sentence("These runs cannot tell: no toolbox is held against another, or against none.")


def placebo_figure(differences: pd.DataFrame, about: str) -> Figure | None:
    """The differences in accuracy."""
    drawn = differences[differences["measure"].str.startswith("accuracy")]
    drawn = drawn.assign(pair=drawn["a"] + "\nminus " + drawn["b"])
    title = f"Is it the tools? {about}"
    label = f"difference (points, n = {differences['problems'].max()})"
    how = {
        "rows": "pair",
        "series": "measure",
        "value": "difference",
        "margin": 0.02,
    }
    return forest(
        drawn,
        title=title,
        label=label,
        name="trove_placebo_differences",
        **how,
    )


def _by_toolbox(
    study: Ablations,
    answer: Way,
    right: Measure,
    measures: Mapping[str, Measure],
) -> dict[str, dict[str, pd.DataFrame]]:
    changed = {
        v.changes["toolbox"] == NONE: v for v in study.variants if set(v.changes) == {"toolbox"}
    }
    shown = {
        OWN_TOOLS: study.default,
        LENT: changed.get(False),
        WITHOUT: changed.get(True),
    }
    found = {}
    for toolbox, variant in ((box, one) for box, one in shown.items() if one):
        rows = variant.candidates
        rows = rows[(rows["phase"] == "stream") & (rows["mode"] == IMPORT)]
        of_import = {name: by_seed(rows, measure) for name, measure in measures.items()}
        found[toolbox] = {"accuracy of the answer": selected(variant, answer, right)} | of_import
    return found
