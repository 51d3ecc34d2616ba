"""CREATOR's and LATM's numbers against each other: section 2 of the audit, with TroVE's from `audit_trove`."""

from collections.abc import Callable, Iterator

import pandas as pd

from trove_lite.datasets.math import CATEGORIES

from .finding import (
    Finding,
    Look,
    Range,
    as_printed,
    before_rounding,
    by_category,
    cell,
    claim,
    counts_allowed,
    finding,
    rows_of,
)
from .trove import trove_findings
from .trove_counts import simpler_finding

#: MATH's test set by category, all of it; the published subset is its problems with a numeric answer.
WHOLE_MATH = dict(zip(CATEGORIES, (1187, 474, 479, 903, 540, 871, 546), strict=True))
WHOLE_TABMWP = 7686  # test questions of TabMWP (Lu et al. 2023)
TEST_SIZES = range(200, 251)  # of LATM: up to all 250 instances of a task's file


def papers_findings(look: Look | None = None) -> list[Finding]:
    """Every check of the three other papers' arithmetic."""
    look = look or as_printed()
    return [*trove_findings(look), simpler_finding(look), *creator_findings(look), *latm_findings(look)]


# ---- CREATOR ----


def creator_findings(look: Look) -> Iterator[Finding]:
    """CREATOR: which problems Table 2 is about, and numbers of the text."""

    def report(place: str, check: str, **rest: object) -> Finding:
        return finding(2, "CREATOR", place, check, **rest)

    rows = look("creator_table2")
    sizes = {"numeric": by_category(look, "reeval_table8", "count", level="all"), "whole": pd.Series(WHOLE_MATH)}
    impossible = {
        name: [
            f"{r.category} {r.method} {r.setting} {r.value}"
            for r in rows.itertuples()
            if r.category in CATEGORIES and not counts_allowed(r.value / 100, 3, int(n[r.category]))
        ]
        for name, n in sizes.items()
    }
    cells = rows["category"].isin(CATEGORIES).sum()
    part = rows.pivot_table(index=["method", "setting"], columns="category", values="value", sort=False)
    solved = {name: {setting: _solved(line, n) for setting, line in part.iterrows()} for name, n in sizes.items()}
    off = {
        name: [s for s, may in rows.items() if not may.meets(before_rounding(part.loc[s, "MATH"] / 100, 3))]
        for name, rows in solved.items()
    }
    totals = {name: int(n.sum()) for name, n in sizes.items()}
    yield report(
        "Table 2",
        f"cells are counts over the {totals['numeric']} problems with a numeric answer",
        stated=f"{cells} percentages",
        computed="; ".join(f"{totals[n]} problems: {len(bad)} impossible" for n, bad in impossible.items()),
        holds=not impossible["numeric"],
        importance=2,
        note=f"the table fits the {totals['numeric']} numeric problems, which TroVE uses too"
        + (f", but for {'; '.join(impossible['numeric'])}" if impossible["numeric"] else ""),
    )
    yield report(
        "Table 2",
        "averages are weighted by problems",
        stated=f"{len(part)} averages",
        computed="; ".join(
            f"with {totals[n]} problems {len(part) - len(bad)} of {len(part)} fit" for n, bad in off.items()
        ),
        holds=not off["numeric"],
        importance=2,
        note="; ".join(
            f"{' '.join(setting)}: the cells make {totals['numeric'] * may.low:.0f} of {totals['numeric']}, "
            f"{100 * may.low:.2f} %, and {part.loc[setting, 'MATH']} is printed"
            for setting, may in solved["numeric"].items()
            if setting in off["numeric"]
        ),
    )
    share = float(claim(look, "creator", "share of questions tested approximately"))
    found = 100 * totals["numeric"] / totals["whole"]
    tabmwp = 100 * float(look("trove_table1").set_index("category").loc["TabMWP", "size"]) / WHOLE_TABMWP
    yield report(
        "App. A.2",
        "share of MATH and TabMWP that is tested",
        stated=f"about {share:g} %",
        computed=f"MATH {totals['numeric']}/{totals['whole']} = {found:.1f} %; TabMWP {tabmwp:.1f} %, if it is TroVE's "
        "set",
        holds=abs(found - share) < 5,
        importance=1,
    )
    stated = float(claim(look, "creator", "CREATOR on Creation Challenge"))
    main = cell(look, "creator_table4", "value", method="CREATOR (w/o CoT)", setting="all hint", metric="accuracy_pct")
    yield report(
        "§4.3 and Table 4",
        "CREATOR on the Creation Challenge",
        stated=f"{stated} % in the text",
        computed=f"{main} % in Table 4",
        holds=stated == main,
        importance=1,
    )
    yield from _statements(look, report)


def _solved(cells: pd.Series, sizes: pd.Series) -> Range:
    """The share of all problems that a row's categories say were solved.

    A percentage of one decimal fixes the count of up to 1000 problems; one that no count rounds to is taken as it is.
    """
    low = high = 0.0
    for category in CATEGORIES:
        n, share = int(sizes[category]), cells[category] / 100
        counts = counts_allowed(share, 3, n)
        may = Range(counts[0], counts[-1]) if counts else Range(*(n * end for end in before_rounding(share, 3)))
        low, high = low + may.low, high + may.high
    return Range(low / sizes.sum(), high / sizes.sum())


def _statements(look: Look, report: Callable[..., Finding]) -> Iterator[Finding]:
    """What the text says of CREATOR against its baselines, and of chain of thought."""
    four = rows_of(look, "creator_table4", metric="accuracy_pct").set_index(["method", "setting"])["value"]
    ours, entangled = (four[f"{name} (w/o CoT)"] for name in ("CREATOR", "CREATOR-Entangled"))
    others = four[~four.index.get_level_values(0).str.startswith("CREATOR")]
    best = max(others.max(), entangled["no hint"])
    pairs = [("Creation Challenge", setting, ours[setting], entangled[setting]) for setting in ours.index]
    for task, rows in (
        ("MATH", rows_of(look, "creator_table2", category="MATH")),
        ("TabMWP", rows_of(look, "creator_table3", metric="accuracy_pct")),
    ):
        wide = rows.pivot(index="setting", columns="method", values="value")[["CREATOR", "CREATOR-Entangled"]].dropna()
        pairs += [(task, *row) for row in wide.itertuples()]
    below = [f"{task} {setting} {a} and {b}" for task, setting, a, b in pairs if a <= b]
    yield report(
        "§4.3 and Table 4",
        "CREATOR against the best of the baselines on the Creation Challenge",
        stated=claim(look, "creator", "accuracy against the best of the baselines"),
        computed=f"without hints, as they are: {ours['no hint']} % against {best} % "
        f"({ours['no hint'] - best:+.1f} points); with all hints {ours['all hint']} % against "
        f"{entangled['all hint']} % of CREATOR-Entangled",
        holds=bool(ours["no hint"] > best),
        importance=2,
        note=f"CREATOR is above CREATOR-Entangled in {len(pairs) - len(below)} of {len(pairs)} like settings of Tables "
        "2 to 4" + (f"; not: {'; '.join(below)}" if below else ""),
    )
    methods = ("PoT (w/o Rec.)", "PoT (w/ Rec.)", "CREATOR")
    for number, task, down in ((2, "MATH", True), (3, "TabMWP", False)):
        rows = look(f"creator_table{number}")
        column = "category" if number == 2 else "dataset"
        rows = rows[rows["method"].isin(methods) & (rows["metric"] == "accuracy_pct") & (rows[column] != "MATH")]
        wide = rows.pivot(index=["method", column], columns="setting", values="value")
        change = wide["w/ CoT"] - wide["w/o CoT"]
        against = change[change > 0] if down else change[change < 0]
        yield report(
            f"§4.4 and Table {number}",
            f"chain of thought in programs, {task}",
            stated=claim(look, "creator", f"{task} with CoT under PoT and CREATOR"),
            computed=f"accuracy {'rises' if down else 'falls'} in {len(against)} of {len(change)} cells"
            + (
                ": "
                + ", ".join(
                    f"{m} {c} {wide.loc[(m, c), 'w/o CoT']} → {wide.loc[(m, c), 'w/ CoT']}" for m, c in against.index
                )
                if len(against)
                else ""
            ),
            holds=against.empty,
            importance=1,
        )


# ---- LATM ----


def latm_findings(look: Look) -> Iterator[Finding]:
    """LATM: the test-set size that the accuracies imply, and numbers that are printed twice."""

    def report(place: str, check: str, **rest: object) -> Finding:
        return finding(2, "LATM", place, check, **rest)

    two, four, five = look("latm_table2"), look("latm_table4"), look("latm_table5")
    four = four[four["metric"] == "accuracy_pct"]
    shared = four["tool_user_model"].isin(two["tool_user_model"])
    values = pd.concat(
        [two["accuracy_pct"], four.loc[~shared, "value"], five.loc[five["method"] == "GPT-4 CoT", "accuracy_pct"]]
    )
    values = values[(values > 0) & (values < 100)]
    stated = int(float(claim(look, "latm", "test instances per dataset")))
    fit = {n: sum(bool(counts_allowed(v / 100, 3, n)) for v in values) for n in TEST_SIZES}
    best = max(fit, key=lambda n: (fit[n], n))
    yield report(
        "Tables 2, 4 and 5",
        "accuracies are counts over the test set",
        stated=f"{stated} test instances a task",
        computed=f"{fit[stated]} of {len(values)} accuracies are counts over {stated}; {fit[best]} are over {best}, "
        f"the best of {TEST_SIZES.start} to {TEST_SIZES.stop - 1}",
        holds=fit[stated] == len(values),
        importance=2,
        note=f"{stated} - {best} = {stated - best}: most accuracies seem to leave {stated - best} instances out, so "
        f"they are known to about {100 / stated:.1f} points"
        if best != stated
        else "",
    )
