"""What the audit comes to, to be read: a ranking, a section in paragraphs, and the answer in a few sentences.

Every number is taken from the findings; where they are others, so are the sentences.
"""

import pandas as pd

from .finding import CONSISTENT, INCONSISTENT, UNDECIDED

DETAIL = 0.3  # consistent findings of less weight are no conclusion of a paper
IN_WORDS = {INCONSISTENT: "do not fit together", UNDECIDED: "cannot be decided", CONSISTENT: "hold"}


def ranking(findings: pd.DataFrame, most: int = 15) -> pd.DataFrame:
    """The findings that do not hold and on which most rests, the weightiest first."""
    table = findings[findings["verdict"] != CONSISTENT].head(most).reset_index(drop=True)
    where = table["paper"] + ", " + table["place"]
    return table[["weight", "verdict"]].assign(where=where, what=table["check"], **table[["stated", "computed"]])


def as_markdown(table: pd.DataFrame) -> str:
    """A table as Markdown, its columns left-aligned, to be read whole."""
    rows = [table.columns, [":---"] * len(table.columns), *table.astype(str).to_numpy()]
    return _escaped("\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows))


def paragraphs(findings: pd.DataFrame, section: int) -> str:
    """A section's findings as Markdown: a paragraph each, but for details that hold, which are a list."""
    rows = findings[findings["section"] == section]
    parts, details = [], (rows["verdict"] == CONSISTENT) & (rows["weight"] < DETAIL)
    for row in rows[~details].itertuples():
        note = f" {row.note[0].upper()}{row.note[1:]}." if row.note else ""
        parts.append(
            f"**{row.verdict.capitalize()}** – {row.paper}, {row.place}: *{row.check}*.{_copied(row)} "
            f"Stated: {row.stated}. Computed: {row.computed}.{note}"
        )
    holds = rows[details]
    if len(holds):
        lines = [f"- {r.paper}, {r.place}: {r.check} ({r.computed}){_copied(r)}" for r in holds.itertuples()]
        parts.append(f"**Consistent** ({len(holds)}):\n\n" + "\n".join(lines))
    return _escaped("\n\n".join(parts) or "Nothing to show for these runs.")


def answer(findings: pd.DataFrame) -> str:
    """The audit's answer as Markdown, in sentences made from its findings."""
    counts, by_paper = findings["verdict"].value_counts(), _by_paper(findings[findings["verdict"] == INCONSISTENT])
    parts = [
        f"Of {len(findings)} statements, "
        + ", ".join(f"{counts.get(verdict, 0)} {words}" for verdict, words in IN_WORDS.items())
        + "."
        + (f" Those that do not fit, by paper: {by_paper}." if by_paper else "")
    ]
    parts += [_program(findings[findings["section"] == 3]), _runs(findings[findings["section"] == 5])]
    parts += [_question(findings[findings["section"] == 6])]
    return _escaped("\n\n".join(part for part in parts if part))


def _by_paper(rows: pd.DataFrame) -> str:
    return ", ".join(f"{paper} {n}" for paper, n in rows["paper"].value_counts().items())


def _program(rows: pd.DataFrame) -> str:
    rules = rows[rows["check"].str.startswith("rule: ")]
    if rules.empty:
        return ""
    other = rules[rules["verdict"] == INCONSISTENT]
    names = ", ".join(other["check"].str.removeprefix("rule: "))
    text = (
        f"**Does the program do what the paper says?** It does something else in {len(other)} of {len(rules)} rules "
        f"({names}), and the paper is silent on {(rules['verdict'] == UNDECIDED).sum()}."
    )
    whole = rules[rules["check"] == "rule: all of selection"]
    return text + "".join(f" All of selection together: {row.computed.split('; ')[-1]}." for row in whole.itertuples())


def _runs(rows: pd.DataFrame) -> str:
    logs = rows[rows["place"].str.startswith("logs of ")]
    if logs.empty:
        return ""
    bad = logs[logs["verdict"] == INCONSISTENT]
    names = ", ".join(bad["place"].str.removeprefix("logs of "))
    return f"**Are several runs several?** Not in {len(bad)} of {len(logs)} categories" + (
        f" ({names})." if names else "."
    )


def _question(rows: pd.DataFrame) -> str:
    if rows.empty:
        return ""
    is_open = rows["verdict"] == UNDECIDED
    lines = [
        f"- {row.check}: {row.computed} – **{row.verdict}**"
        for row in pd.concat([rows[~is_open], rows[is_open]]).itertuples()
    ]
    head = f"**Does tool-making help?** Of {len(rows)} statements about it {is_open.sum()} cannot be decided."
    return head + "\n\n" + "\n".join(lines)


def _copied(row: object) -> str:
    return " *(committed copy)*" if getattr(row, "source", "computed") != "computed" else ""


def _escaped(text: str) -> str:
    return text.replace("$", r"\$").replace("~", r"\~").replace("_", r"\_")
