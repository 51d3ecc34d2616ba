"""What CREATOR's tables amount to, in sentences made from them."""

import pandas as pd

from trove_lite.analysis import comparison as analysis

from .sides import CREATOR, ENTANGLED, Study, without_hints
from .tables import accuracy, repair_sides


def leniency_in_words(table: pd.DataFrame) -> str:
    """What the released grader gives each method, over all categories."""
    if table.empty:
        return f"Nothing was graded anew: {table.attrs.get('note', '')}."
    whole = table[table["category"] == table["category"].iloc[-1]]
    parts = [f"{row.system} {100 * row.leniency:+.1f}" for row in whole.itertuples()]
    leak = whole["gold_in_input"].iloc[0]
    return (
        f"The released grader gives, in points over the strict one: {', '.join(parts)}. Of these problems "
        f"{100 * leak:.1f} % have their answer among the numbers of the input."
    )


def repair_in_words(study: Study) -> str:
    """What up to three repairs bring over none, problem by problem; the paper says about 10 % of the value."""
    sides: dict[str, dict[int, pd.DataFrame]] = {}
    study = without_hints(study)
    for name, limit, side in repair_sides(study):
        sides.setdefault(name, {})[limit] = side
    lines = []
    for name, by_limit in sides.items():
        most = max(by_limit)
        if not most:
            continue
        scores = {f"{limit}": accuracy(by_limit[limit]) for limit in (most, 0)}
        row = analysis.differences(study.sides, scores, pairs=[(str(most), "0")]).iloc[-1]
        none = scores["0"]["score"].mean()
        relative = f", {100 * row.difference / none:+.0f} % of its value" if none else ""
        lines.append(
            f"{name}: up to {most} repairs add {analysis.points(row)} to {100 * none:.1f} %{relative} "
            f"({row.problems} problems)."
        )
    return "\n".join(lines) or "No method that repairs was run."


def disentangling_in_words(matched: pd.DataFrame) -> str:
    """Does it help to make the tool in one call and to use it in another, at equal calls, and at equal tokens?"""
    found = matched[(matched["a"] == CREATOR) & (matched["b"] == ENTANGLED)]
    lines = []
    for budget, part in found.groupby("budget", sort=False):
        known = part[part["difference"].notna()]
        if known.empty:
            lines.append(f"At equal {budget}: not known ({part['note'].iloc[0]}).")
        for spent, rows in known.groupby("spent", sort=True):
            row = rows.iloc[-1]
            lines.append(
                f"At {spent:.1f} {budget} a problem, CREATOR (tool and use apart) less Entangled (both at once): "
                f"{analysis.points(row)} ({row.problems} problems): {_verdict(row)}."
            )
    return "\n".join(lines)


def transfer_in_words(table5: pd.DataFrame) -> str:
    """What tools made for other questions add to one attempt of one's own, by who chooses among them (Table 5)."""
    gains = table5[(table5["category"] == "gain") & table5["value"].notna()].rename(columns={"value": "difference"})
    parts = [f"{row.system} {analysis.points(row)}" for row in gains.itertuples()]
    return f"Over one attempt at each question: {'; '.join(parts)}." if parts else "Nothing was transferred."


def _verdict(row) -> str:
    if row.low <= 0 <= row.high:
        return "no difference is seen"
    alone = f", but not after correction over the table (p = {row.p_holm:.2f})" if row.p_holm >= 0.05 else ""
    return ("it helps" if row.low > 0 else "it hurts") + alone
