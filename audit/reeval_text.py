"""What the re-evaluation's text says, and what its tables say twice: section 1 of the audit, continued."""

from fractions import Fraction

import pandas as pd

from trove_lite.datasets.math import CATEGORIES

from .finding import (
    Finding,
    Look,
    before_rounding,
    by_category,
    cell,
    claim,
    difference_of,
    finding,
    rows_of,
)

RUNS = 5
PAPER = "re-evaluation"
#: The columns of Table 1: their name in words, method, variant.
COLUMNS_OF_TABLE1 = {
    "original PRIMITIVE": ("PRIMITIVE", "original"),
    "PRIMITIVE, K=15": ("PRIMITIVE", "compute_matched"),
    "original TROVE": ("TROVE", "original"),
    "TROVE reproduced": ("TROVE", "reproduced_two_stage"),
    "TROVE improved": ("TROVE", "improved_one_stage"),
}


def statement_findings(look: Look) -> list[Finding]:
    """The checks of this file."""
    return [*tables_1_5_7(look), *text_and_tables(look), *settings(look), *text_and_text(look)]


def sizes_of(look: Look) -> pd.Series:
    """Problems of each category, by Table 8."""
    return by_category(look, "reeval_table8", "count", level="all")


def report(place: str, check: str, **rest: object) -> Finding:
    """A finding about the re-evaluation."""
    return finding(1, PAPER, place, check, **rest)


def tables_1_5_7(look: Look) -> list[Finding]:
    """Cells that Tables 1, 5 and 7 share, and orders that must hold between them."""
    categories, off, compared = [*CATEGORIES, "MATH"], [], 0
    pairs = [("PRIMITIVE", "compute_matched", "PRIMITIVE", 15), ("TROVE", "improved_one_stage", "TROVE", 15)]
    for method, variant, name, k in pairs:
        for c in categories:
            a = cell(look, "reeval_table1", category=c, method=method, variant=variant)
            b = cell(look, "reeval_table5", category=c, method=name, k=k)
            compared += b == b
            if b == b and abs(a - b) > 1e-9:
                off.append(f"{c} {name} {a:.2f} and {b:.2f}")
    for c in categories:
        a = cell(look, "reeval_table1", category=c, method="PRIMITIVE", variant="original")
        b = cell(look, "reeval_table5", category=c, method="PRIMITIVE_original")
        compared += b == b
        if b == b and abs(a - b) > 1e-9:
            off.append(f"{c} original {a:.2f} and {b:.2f}")
        a, b = (cell(look, f"reeval_table{t}", category=c, method="PRIMITIVE", k=1) for t in (5, 7))
        compared += 1
        if abs(a - b) > 1e-9:
            off.append(f"{c} K=1 {a:.2f} by agreement and {b:.2f} by the oracle")
    same = report(
        "Tables 1, 5 and 7",
        "numbers that are printed twice agree",
        stated=f"{compared} pairs",
        computed="; ".join(off) or "all agree",
        holds=not off,
        importance=2,
    )
    oracle = look("reeval_table7").set_index(["category", "method", "k"])["mean"]
    agreement = rows_of(look, "reeval_table5")
    agreement = agreement[agreement["k"].notna()].set_index(["category", "method", "k"])["mean"]
    above = [key for key, value in agreement.items() if value == value and key in oracle and value > oracle[key] + 0.01]
    falling = []
    for key, part in oracle.reset_index().groupby(["category", "method"]):
        steps = part.sort_values("k")["mean"].dropna().diff().dropna()
        falling += [key] * bool((steps < -0.01 - 1e-9).any())
    order = report(
        "Tables 5 and 7",
        "the oracle is never below agreement and never falls with K",
        stated=f"{len(agreement.dropna())} cells and {oracle.index.droplevel('k').nunique()} curves",
        computed=f"{len(above)} cells above the oracle, {len(falling)} falling curves",
        holds=not above and not falling,
        importance=1,
    )
    return [same, order]


def text_and_tables(look: Look) -> list[Finding]:
    """Statements of the text about Tables 1, 2, 3, 5, 7 and 9."""
    columns = {n: by_category(look, "reeval_table1", method=m, variant=v) for n, (m, v) in COLUMNS_OF_TABLE1.items()}
    reproduced, improved, primitive = (columns[n] for n in ("TROVE reproduced", "TROVE improved", "PRIMITIVE, K=15"))
    original, results = columns["original TROVE"], []

    def at_most(place: str, check: str, quantity: str, gaps: pd.Series) -> None:
        stated = float(claim(look, "reeval", quantity))
        worst = gaps.abs().idxmax()
        results.append(
            report(
                place,
                check,
                stated=f"at most {stated:g} points",
                computed=f"up to {100 * gaps.abs().max():.0f} ({worst})",
                holds=bool(100 * gaps.abs().max() <= stated + 1e-6),
                importance=1,
            )
        )

    at_most(
        "§4.1.1",
        "reproduced TROVE against the original, by category",
        "reproduction within +- of original",
        reproduced - original,
    )
    at_most(
        "§4.1.1",
        "PRIMITIVE at K=15 against reproduced TROVE, by category",
        "largest category difference PRIMITIVE vs reproduced TROVE",
        primitive - reproduced,
    )
    gains = improved - reproduced
    results.append(
        report(
            "§4.1.2",
            "one-stage selection improves every category",
            stated="consistently, across all categories",
            computed=f"{(gains > 0).sum()} of 7, by {100 * gains.min():.0f} to {100 * gains.max():.0f} points",
            holds=bool((gains > 0).all()),
            importance=1,
        )
    )
    for method in ("TROVE", "PRIMITIVE"):
        oracle = cell(look, "reeval_table7", category="MATH", method=method, k=15)
        vote = cell(look, "reeval_table5", category="MATH", method=method, k=15)
        stated = float(claim(look, "reeval", "oracle minus majority vote at K=15 (both)"))
        results.append(
            report(
                "§4.3",
                f"oracle minus agreement at K=15, {method}",
                stated=f"{stated:g} points",
                computed=f"{oracle:.2f} - {vote:.2f} = {100 * (oracle - vote):.0f}",
                holds=difference_of(oracle, vote, 2).meets(before_rounding(stated / 100, 2)),
                importance=1,
            )
        )
    delta = {m: by_category(look, "reeval_table3", method=m) for m in ("PRIMITIVE", "TROVE", "delta")}
    off = [
        c
        for c in CATEGORIES
        if not difference_of(delta["TROVE"][c], delta["PRIMITIVE"][c], 2).meets(before_rounding(delta["delta"][c], 2))
    ]
    results.append(
        report(
            "Table 3",
            "Δ is TROVE minus PRIMITIVE",
            stated="7 differences",
            computed=", ".join(off) or "all agree within rounding",
            holds=not off,
            importance=1,
        )
    )
    for level, quantity, sign in (
        (1, "level-1 tasks solved (both) more than", ">"),
        (5, "level-5 tasks solved (both) roughly", "≈"),
    ):
        stated = float(claim(look, "reeval", quantity))
        shares = [
            cell(look, "reeval_table9", "percent", category="MATH", method=m, level=level)
            for m in ("PRIMITIVE", "TROVE")
        ]
        results.append(
            report(
                "B.5",
                f"share of level-{level} problems solved",
                stated=f"{sign} {stated:g} %",
                computed=f"PRIMITIVE {shares[0]} %, TROVE {shares[1]} %",
                holds=min(shares) > stated if sign == ">" else max(abs(s - stated) for s in shares) < 5,
                importance=1,
            )
        )
    return results


def settings(look: Look) -> list[Finding]:
    """Appendix A: what the text says of the settings, what Table 4 says, and what TroVE's paper says."""
    timeout = float(claim(look, "reeval", "exec_timeout changed from 100 to"))
    printed = cell(look, "reeval_table4", "value", hyperparameter="exec_timeout", method="TROVE")
    trim = cell(look, "reeval_table4", "value", hyperparameter="trim_steps", method="TROVE")
    paper = float(claim(look, "trove", "trim interval"))
    return [
        report(
            "App. A and Table 4",
            "time limit of a program",
            stated=f"set to {timeout:g} s in the text",
            computed=f"Table 4 prints {printed:g} s",
            holds=timeout == printed,
            importance=1,
        ),
        report(
            "App. A, Table 4",
            "settings are those of TroVE's paper: trimming interval",
            stated=f"{trim:g} steps",
            computed=f"TroVE §5.1 states {paper:g}",
            holds=trim == paper,
            importance=1,
        ),
    ]


def text_and_text(look: Look) -> list[Finding]:
    """Statements of the text and of its listings against each other."""

    def said(section: str, quantity: str) -> str:
        return str(rows_of(look, "figures", paper="reeval", section=section, quantity=quantity)["value"].iloc[0])

    everywhere = said("§4.2.1", "order of modes in all categories")
    there = said("§B.3", "order of modes in precalculus")
    rank = {mode: i for i, mode in enumerate(everywhere.split(" > "))}
    first, second = there.split(" > ")
    modes, k = len(rank), int(float(claim(look, "reeval", "compute budget K")))
    text, listing = (Fraction(said(where, "share of K sampled in each mode")) for where in ("§2", "Algorithms 1 and 2"))
    bound, read = (set(said("Algorithm 1", f"names that are {kind}").split()) for kind in ("bound", "read"))
    return [
        report(
            "§4.2.1 and B.3",
            "the order of the modes",
            stated=f"§4.2.1: {everywhere} in all categories",
            computed=f"B.3: {there} in precalculus",
            holds=rank[first] < rank[second],
            importance=2,
            note="both are said of Figure 1, whose values are not printed",
        ),
        report(
            "§2 and Algorithms 1, 2",
            "calls a problem, given K",
            stated=f"§2: K = {k} calls, {text} of them in each of {modes} modes",
            computed=f"the algorithms sample {'K' if listing == 1 else f'{listing} K'} in each mode: "
            f"{listing * modes * k} calls",
            holds=text == listing,
            importance=2,
            note="" if text == listing else f"budgets are matched at {k} calls only as §2 has it",
        ),
        report(
            "Algorithm 1",
            "every name that is read has a value",
            stated=f"{len(read)} names are read",
            computed=", ".join(sorted(read - bound)) + " has none" if read - bound else "all have",
            holds=read <= bound,
            importance=0.5,
        ),
    ]
