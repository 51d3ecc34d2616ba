"""Are several runs several? Section 5 of the audit, on the runs at hand."""

from collections.abc import Mapping

import pandas as pd

from trove_lite.analysis.independence import independent_runs, shared_programs
from trove_lite.candidates import SELECTED, all_candidates

from .finding import check


@check
def runs_are_several(candidates: pd.DataFrame, whose: str):
    """Which of the runs repeat another one, by category, and where."""
    pairs, stream = shared_programs(candidates), all_candidates(candidates)
    key = ["run", "method"]
    kept = independent_runs(stream).groupby(["category", *key], observed=True)["problem"].nunique()
    for category, part in stream.groupby("category", observed=True):
        sizes = part.groupby(key, observed=True)["problem"].nunique()
        left = kept[category].reindex(sizes.index).fillna(0)
        runs = list(sizes.index.get_level_values("run"))
        names = {i: i[0] if runs.count(i[0]) == 1 else f"{i[0]} ({i[1]})" for i in sizes.index}
        partly = ((left > 0) & (left < sizes)).sum()
        here = pairs[(pairs["category"] == category) & (pairs["mode"] != SELECTED)]
        free, repeats = here[here["verdict"] == "independent"], repetitions(here, names)
        yield (
            not repeats,
            {
                "whose": whose,
                "category": category,
                "runs": list(names.values()),
                "s": "s" * (len(sizes) > 1),
                "whole": (left == sizes).sum(),
                "partly": f", {partly} in part (the problems where it repeats none)" if partly else "",
                "repeats": repeats,
                "note": f"independent pairs share {100 * free['identical'].max():.0f} % of a mode's programs at most, "
                f"by chance {100 * free['by_chance'].max():.0f} %"
                if len(free)
                else "",
            },
        )


def repetitions(pairs: pd.DataFrame, names: Mapping[tuple[str, str], str]) -> list[str]:
    """Runs that repeat others, in words: copies of one another together, each other run with what it repeats most."""
    group: dict[str, tuple[str, ...]] = {}
    modes = [
        (names[i[:2]], names[i[2:]], rows)
        for i, rows in pairs.groupby(["run_a", "method_a", "run_b", "method_b"], observed=True, sort=False)
    ]
    for a, b, rows in modes:
        if (rows["verdict"] == "copy").all():
            both = tuple(sorted({*group.get(a, (a,)), *group.get(b, (b,))}))
            group |= dict.fromkeys(both, both)
    words = [" = ".join(copies) for copies in dict.fromkeys(group.values())]
    later = {name for copies in group.values() for name in copies[1:]}
    most: dict[str, tuple[int, str, pd.DataFrame]] = {}
    for a, b, rows in modes:
        if rows["shared"].sum() > most.get(b, (0,))[0] and not later & {a, b}:
            most[b] = int(rows["shared"].sum()), a, rows[rows["verdict"] != "independent"]
    for b, (_, a, rows) in most.items():
        where = (f"{r.mode} ({'all' if r.verdict == 'copy' else f'problems {r.stretches}'})" for r in rows.itertuples())
        words.append(f"{b} repeats {a} in {', '.join(where)}")
    return words
