"""What TroVE counts: #ops and #lib in its words, in its program, and in the public result files and toolboxes."""

from collections.abc import Iterator

import pandas as pd

from papers.trove import counted_otherwise, recorded_selection, table2_explained
from papers.trove.explained import CUT, SAME

from .finding import Finding, Look, finding, rows_of

#: The names of the checks.
CHECKS = (
    "#lib of Table 2 against the public toolboxes",
    "what counts in a library is functions",
    "#ops of Table 2 against the public result files",
    "an operation is a function call",
    "#ops counts every expression",
    "accuracy of Table 2 against the public result files",
    "result files hold what two-stage selection picks from the logs",
)
MOST_NAMED = 3


def counting_findings(candidates: pd.DataFrame, kept: pd.DataFrame | None) -> Iterator[Finding]:
    """TroVE's Table 2 and its definitions against these runs; kept: what toolboxes held (`papers.trove.toolboxes`).

    Nothing of what the runs do not tell: operations in every way, toolboxes, result files with all candidates.
    """
    kept = pd.DataFrame(columns=["run", "method", "category", "name", "signature"]) if kept is None else kept
    explained, counted = table2_explained(candidates, kept), counted_otherwise(candidates)
    places = {"#lib, used": CHECKS[0], "#ops, as reported": CHECKS[2], "accuracy": CHECKS[5]}
    for measure, check in places.items():
        part = explained[explained["measure"] == measure]
        if len(part) and (measure != "#lib, used" or len(kept)):
            yield _against_print(part, check)
    own = kept[kept["method"] == "trove"]
    if len(own):
        yield _what_is_kept(own)
    if len(counted):
        yield from _operations(counted.set_index("counted"))
    if len(selected := recorded_selection(candidates)):
        yield _result_files(selected)


def _against_print(part: pd.DataFrame, check: str) -> Finding:
    cells = [f"{r.category} {r.published:g}, ours {r.value:.3g}: {r.why}" for r in part.itertuples()]
    left = part[part["verdict"] == "open"]
    return _trove(
        2,
        "Table 2",
        check,
        stated=f"{len(part)} cells of TROVE",
        computed="; ".join(cells),
        holds=None if len(left) else True,
        importance=2,
        note=f"open: {', '.join(left['category'])}; the paper's own runs are not published" if len(left) else "",
    )


def _what_is_kept(own: pd.DataFrame) -> Finding:
    imports = own["signature"].fillna("").str.match(r"(import|from) ")
    return _trove(
        3,
        "§5.2",
        CHECKS[1],
        stated="the number of additionally induced functions",
        computed=f"of {len(own)} tools in {own.groupby(['run', 'category']).ngroups} public toolboxes {imports.sum()} "
        "are imports of modules, and its program counts them",
        holds=not imports.any(),
        importance=2,
    )


def _operations(counted: pd.DataFrame) -> Iterator[Finding]:
    stated = {
        "function calls": ("§5.2", CHECKS[3], "the number of function calls involved"),
        "every statement": ("App. B", CHECKS[4], "the depths of all expressions, summed"),
    }
    for name, (place, check, words) in stated.items():
        row = counted.loc[name]
        yield _trove(
            3,
            place,
            check,
            stated=words,
            computed=f"the reported count differs in {row['more'] + row['less']:.0f} of {row['programs']:.0f} selected "
            f"programs, by {-row['difference']:+.1f} in the mean",
            holds=bool(row["same"] + row["uncounted"] == row["programs"]),
            importance=2,
            note="its program sums depths of trees; it leaves out imports, function definitions and constants assigned",
        )


def _result_files(selected: pd.DataFrame) -> Finding:
    same = selected.loc[selected["selected"] == SAME, "programs"].sum()
    whole, cut = selected["programs"].sum(), selected.loc[selected["cause"] == CUT, "programs"].sum()
    return _trove(
        3,
        "result files",
        CHECKS[6],
        stated=f"{whole} selected programs of runs whose candidates are known",
        computed=f"{same} are the same program; of the others {cut} have an output that the log cuts",
        holds=bool(same + cut == whole),
        importance=1,
    )


def simpler_finding(look: Look) -> Finding:
    """The abstract's "consistently yields simpler solutions" against the #ops that Table 2 prints."""
    rows = rows_of(look, "trove_table2", metric="n_ops").pivot(index="category", columns="method", values="value")
    longer = {rival: rows.index[rows["TROVE"] > rows[rival]] for rival in ("PRIMITIVE", "INSTANCE")}
    return _trove(
        2,
        "abstract and Table 2",
        "TROVE's programs are simpler",
        stated="consistently simpler solutions",
        computed="; ".join(
            f"#ops above {rival}'s in {len(names)} of {len(rows)} data sets"
            + (f" (the first: {', '.join(names[:MOST_NAMED])})" if len(names) else "")
            for rival, names in longer.items()
        ),
        holds=not any(len(names) for names in longer.values()),
        importance=2,
    )


def _trove(section: int, place: str, check: str, **rest: object) -> Finding:
    return finding(section, "TroVE", place, check, **rest)
