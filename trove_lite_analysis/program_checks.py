"""Checks of what programs answer, how they end, and what their text is made of."""

from collections.abc import Iterator

import pandas as pd

from trove_lite.candidates import MISSING
from trove_lite.programs import code_blocks

from .check import PROBLEM, Seen, problems_in
from .failure_modes import A_THREAD, REFUSED

LINES = 3  # code lines that a program has unless it is a mere call


def of_programs(part: pd.DataFrame, right: pd.DataFrame) -> Iterator[Seen]:
    """What programs answer, and whether they run. Of one answer its share of the known golds is
    expected.

    right: the answers that are right, by category and problem.
    """
    given = part.dropna(subset="answer")
    for common, count in given["answer"].value_counts().head(1).items():
        golds = right.merge(part[PROBLEM].drop_duplicates())
        said = given[given["answer"] == common]
        known = problems_in(pd.concat([golds, said]))
        expected = problems_in(golds[golds["answer"] == common]) / known
        yield Seen(
            "one answer",
            count,
            len(given),
            common,
            problems_in(given),
            expected,
        )
    if not (part["status"] == "ok").any():
        ends = ", ".join(part["status"].unique())
        yield Seen(
            "nothing ran",
            len(part),
            len(part),
            ends,
            problems_in(part),
        )
    judged = part.dropna(subset="correct")
    problems = problems_in(judged)
    if judged["correct"].all():
        yield Seen("all right", len(judged), len(judged), problems=problems)
    if not judged["correct"].any():
        yield Seen("none right", len(judged), len(judged), problems=problems)


def of_texts(part: pd.DataFrame) -> Iterator[Seen]:
    """What the text of programs and replies shows. Errors are one whatever numbers they tell."""
    problems = problems_in(part)
    count = len(part)
    yield from one_error(part)
    errors = part["error"].fillna("").astype(str)
    refused = part["status"].eq("error") & errors.str.match(REFUSED)
    thread = f"{A_THREAD}, which programs cannot have"
    yield Seen("refused by the sandbox", refused.sum(), count, thread)
    replies = part.loc[part["status"].isin(["ok", "no_code"]), "response"].dropna()
    empty = (replies.str.strip() == "").sum()
    everywhere = float("inf") if empty == count else problems
    yield Seen("empty replies", empty, count, problems=everywhere)
    silent = part["status"].eq("ok") & part["output"].fillna("").str.strip().eq("")
    yield Seen("prints nothing", silent.sum(), count, problems=problems)
    unseen = int(part["unseen"].sum())
    yield Seen("unseen blocks", unseen, count, "--parser strict reads them", problems)
    yield from one_reply(part)
    written = part[part["code_lines"].ge(0) & ~silent]
    short = written[written["code_lines"] < LINES]
    texts = short[["solution", "tools"]].head(1).fillna("").to_numpy().ravel()
    example = " ".join(lines_of("\n".join(texts)))
    yield Seen(
        "short programs",
        len(short),
        len(written),
        example,
        problems_in(written),
    )


def one_error(part: pd.DataFrame) -> Iterator[Seen]:
    ended = part[~part["status"].isin(["ok", *MISSING])]
    status = ended["status"].where(ended["status"] != "error")
    said = ended["error"].fillna("") != ""
    messages = ended["error"].where(said, status).dropna()
    alike = messages.str.replace(r"\d+", "N", regex=True).value_counts()
    for message, times in alike.head(1).items():
        yield Seen(
            "one error",
            times,
            len(part),
            message,
            problems_in(part),
        )


def one_reply(part: pd.DataFrame) -> Iterator[Seen]:
    whole = part.loc[~part["status"].isin(MISSING), [*PROBLEM, "response"]]
    texts = whole["response"].dropna().unique()
    if len(texts) == 1 and texts[0].strip() and problems_in(whole) > 1:
        yield Seen(
            "one reply",
            len(whole),
            len(part),
            texts[0],
        )


def lines_of(text: str) -> list[str]:
    """The lines of a text's code that are neither comments nor imports."""
    lines = (line.strip() for block in code_blocks(text) for line in block.split("\n"))
    return [line for line in lines if line and not line.startswith(("#", "import ", "from "))]
