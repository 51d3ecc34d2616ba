"""CREATOR's and LATM's numbers against each other: section 2 of the audit, with TroVE's from `audit_trove`."""

from collections.abc import Iterator

import pandas as pd

from ..datasets.math import CATEGORIES
from .finding import (
    Finding,
    Look,
    as_printed,
    by_category,
    cell,
    claim,
    counts_allowed,
    finding,
    mean_fit,
)
from .trove import trove_findings

#: MATH's test set by category, all of it; the published subset is its problems with a numeric answer.
WHOLE_MATH = dict(zip(CATEGORIES, (1187, 474, 479, 903, 540, 871, 546), strict=True))
WHOLE_TABMWP = 7686  # test questions of TabMWP (Lu et al. 2023)
CREATION = 2047  # questions in the released Creation Challenge
TEST_SIZES = range(200, 251)  # of LATM: up to all 250 instances of a task's file


def papers_findings(look: Look | None = None) -> list[Finding]:
    """Every check of the three other papers' arithmetic."""
    look = look or as_printed()
    return [*trove_findings(look), *creator_findings(look), *latm_findings(look)]


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
    fits = {}
    for name, n in sizes.items():
        part = rows.pivot_table(index=["method", "setting"], columns="category", values="value", sort=False)
        fits[name] = sum(
            mean_fit(line[list(CATEGORIES)], line["MATH"], n, 1).fits in ("micro", "either")
            for _, line in part.iterrows()
        )
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
        computed="; ".join(f"with {totals[n]} problems {count} of {len(part)} fit" for n, count in fits.items()),
        holds=fits["numeric"] == len(part),
        importance=2,
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
    plain = cell(look, "creator_table4", "value", method="CREATOR (w/o CoT)", setting="no hint", metric="accuracy_pct")
    gain, up_to = main / plain - 1, float(claim(look, "creator", "gain from hints up to"))
    yield report(
        "§4.3 and Table 4",
        "gain from hints",
        stated=f"up to {up_to} %",
        computed=f"{main - plain:.1f} points, {100 * gain:.1f} % of {plain} %",
        holds=abs(100 * gain - up_to) < 0.1,
        importance=1,
        note="the stated gain is relative",
    )
    for number, n in ((3, int(look("trove_table1").set_index("category").loc["TabMWP", "size"])), (4, CREATION)):
        values = look(f"creator_table{number}")["value"]
        bad = [v for v in values if not counts_allowed(v / 100, 3, n)]
        yield report(
            f"Table {number}",
            f"percentages are counts over {n} questions",
            stated=f"{len(values)} cells",
            computed=", ".join(map(str, bad)) or "all are possible",
            holds=not bad,
            importance=1,
        )
    five = look("creator_table5").set_index("quantity")["value"].astype(float)
    pieces, normal, transfer = (
        five[q] for q in ("data_pieces", "acc_tool_create_normal", "acc_tool_create_with_transfer")
    )
    counts = [counts_allowed(value / 100, 3, int(pieces)) for value in (normal, transfer)]
    right = all(counts) and abs(transfer - normal - five["increase_of_acc"]) < 0.11
    yield report(
        "Table 5",
        "accuracies are counts over the items, and differ by the stated gain",
        stated=f"{normal} % and {transfer} % of {pieces:.0f}, +{five['increase_of_acc']}",
        computed=" and ".join(", ".join(map(str, c)) or "no count" for c in counts) + f"; {transfer - normal:+.1f}",
        holds=right,
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
    base = two[two["method"] == "CoT"].set_index(["tool_user_model", "task"])["accuracy_pct"]
    steps = two[two["stated_difference_vs_cot"].notna()]
    off = [
        f"{r.task} {r.stated_difference_vs_cot}"
        for r in steps.itertuples()
        if abs(r.accuracy_pct - base[r.tool_user_model, r.task] - r.stated_difference_vs_cot) > 0.01
    ]
    yield report(
        "Table 2",
        "stated differences against CoT",
        stated=f"{len(steps)} differences",
        computed="; ".join(off) or "all agree",
        holds=not off,
        importance=1,
    )
    latm = two[two["method"] == "LATM"].set_index(["tool_user_model", "task"])["accuracy_pct"]
    pairs = [(r.task, r.value, latm[r.tool_user_model, r.task]) for r in four[shared].itertuples()]
    user = "GPT-3.5 Turbo"
    pairs += [
        (r.task, r.accuracy_pct, latm[user, r.task] if r.method == "LATM" else base[user, r.task])
        for r in five.itertuples()
        if r.method in ("LATM", "Human-written CoT")
    ]
    off = [f"{task} {a} and {b}" for task, a, b in pairs if a != b]
    yield report(
        "Tables 2, 4 and 5",
        "accuracies that are printed twice agree",
        stated=f"{len(pairs)} pairs",
        computed="; ".join(off) or "all agree",
        holds=not off,
        importance=1,
    )
