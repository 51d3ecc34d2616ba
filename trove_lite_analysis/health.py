"""Checks that a run measures its methods and nothing else: read off its tables before its numbers
are believed.

A check accuses nobody: somebody has to look, and to say why it fails. It knows no method or mode by
name. A run that is copied is told where runs are compared (`trove-lite compare`, `summary`).

Not seen: a problem that is in a file of data twice; replies mixed up together with their tokens, or
all about as long, but for few right answers; cut outputs, where fewer than ten were longer; golds
mixed up in a category, where some happen to be right; numbers rounded before they were graded."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path

import pandas as pd

from trove_lite.candidates import (
    MISSING,
    STREAM,
    all_candidates,
    as_text,
    name_table,
    read_description,
    rows_where,
    run_name,
)
from trove_lite.datasets import load_dataset
from trove_lite.errors import TroveLiteError
from trove_lite.judge.canonical import number_text

from .check import LIMITS, PROBLEM, UNREAD, Seen, problems_in, standing, unexplained
from .failure_modes import NO_TEXT
from .likeness import in_common, measured, prompts, texts_in_common
from .program_checks import of_programs, of_texts
from .reply_checks import lengths, lost_symbols, of_lengths, of_replies
from .tool_checks import listed_tools, of_mode, of_stream, with_calls
from .verdict_checks import Golds, of_others, of_records, of_verdicts, regraded

#: What is read where the text of replies is kept.
OF_TEXT = [
    "one error",
    "refused by the sandbox",
    "empty replies",
    "prints nothing",
    "unseen blocks",
    "one reply",
    "replies repeat",
    "special tokens",
    "runs on",
    "syntax errors",
    "symbols lost",
    "short programs",
    "one skeleton",
    "right without computing",
    "tools never called",
    "wrong where called",
    "prints while loading",
    "another text",
    "another's tokens",
    "outputs cut",
]
COLUMNS = ["check", "run", "method", "mode", "category", "share", "count", "of", "example", "limit"]
MODE = ["run", "method", "mode"]
#: What is read of a request.
ASKED = [*STREAM, "problem", "stage", "finish_reason", "prompt_tokens", "completion_tokens"]
WHOLE = ""  # the category of what is read over all of a mode's
Count = Callable[[pd.DataFrame], Iterable[Seen]]
OF_REPLIES = {"empty replies", "one reply", "replies repeat", "special tokens", "runs on"}
#: What only a program that ran can show: not a reply in another's log.
OF_EXECUTIONS = {"nothing ran", "answer from nothing", *OF_TEXT} - OF_REPLIES


def failed_checks(
    candidates: pd.DataFrame,
    calls: pd.DataFrame,
    runs: Iterable[str | Path] = (),
    *,
    golds: Golds | None = None,
) -> pd.DataFrame:
    """What fails, a row for each check, run, method, mode (or stage of a request) and category, the
    stream alone.

    `count` `of` are answers, programs, problems, requests or tools, of which `example` is one;
    their `share` is above the `limit`. category "": over all of them, where none alone shows it.
    calls: requests. runs: folders whose `run.json` says which tools were kept, and the temperature.
    golds: None is those of the right answers alone.
    `attrs["unread"]`: a line for each reason why checks could not be read."""
    stream = all_candidates(candidates.drop(columns=UNREAD, errors="ignore"))
    stream = rows_where(stream, stream["phase"] == "stream")
    stream = as_text(stream, [*MODE, "category", "status"])
    calls = rows_where(calls[ASKED], calls["phase"] == "stream")
    calls = as_text(calls, [*STREAM, "stage"])
    unread = [] if "solution" in stream else [f"not read: {', '.join(OF_TEXT)}; {NO_TEXT}"]
    if not calls["finish_reason"].isin(["stop", "length"]).any():
        unread.append("not read: cut off; no request says how it ended")
    is_right = stream["correct"].eq(True).fillna(False)
    right = stream.loc[is_right, [*PROBLEM, "answer"]].drop_duplicates()
    golds = right.set_index(PROBLEM)["answer"].to_dict() | dict(golds or {})
    runs = list(runs)
    listed = listed_tools(runs)
    greedy = greedy_runs(runs)
    stream = with_calls(measured(stream), listed)
    stream = stream.assign(misjudged=regraded(stream, golds))

    def in_each(part: pd.DataFrame) -> Iterator[Seen]:
        drawn = part["run"].iloc[0] not in greedy
        yield from of_programs(part, right)
        yield from of_verdicts(part)
        yield from in_common(part, drawn=drawn)
        if "solution" in part:
            yield from of_texts(part)
            yield from of_records(part)
            yield from of_replies(part, drawn=drawn)
            yield from texts_in_common(part)
            yield from of_mode(part)

    def beyond(part: pd.DataFrame) -> Iterator[Seen]:
        yield from of_others(part, golds)
        if "solution" in part:
            yield from lost_symbols(part)
            yield from of_lengths(part)

    ran = stream["shortened"].notna() | (stream["provenance"] != "recorded")
    idle = stream[~ran]
    stream = rows_where(stream, ran)
    if len(idle):
        unread.append(
            "not read: what programs do; these replies were judged by others, and not run"
        )
    rows = []
    for table, unseen in ((idle, OF_EXECUTIONS), (stream, ())):
        for where, part in table.groupby(MODE):
            found = _read(where, part, in_each, beyond)
            rows += [row for row in found if row[0] not in unseen]
    for where, part in calls.assign(mode=calls["stage"]).groupby(MODE):
        rows += _read(where, part, of_requests, lengths)
    for (run, method, category), part in stream.groupby(STREAM):
        seen = of_stream(part, listed.get((run, method, category)))
        rows += [_row((run, method, ""), category, one) for one in standing(seen, whole=False)]
    order = [*LIMITS].index
    table = pd.DataFrame(rows, columns=COLUMNS)
    table = table.sort_values(
        "check",
        key=lambda s: s.map(order),
        kind="stable",
        ignore_index=True,
    )
    return name_table(
        table, "checks", "Failed checks: something else may be measured", unread=unread
    )


def to_count(candidates: pd.DataFrame, runs: Iterable[str | Path]) -> Callable[[str], pd.DataFrame]:
    """A function that gives the rows for which a query of pandas holds: of the stream, unless it
    names `phase`. It reads the columns of candidates, what is counted of each (`likeness.measured`,
    `tool_checks.with_calls`), and `@since`: tools that are listed at the end → the problem that they
    were kept at."""
    listed = listed_tools(runs)
    since = {tool.get("name"): tool.get("problem") for tools in listed.values() for tool in tools}
    rows = candidates.astype(dict.fromkeys(("phase", "mode", "category", "status"), str))
    rows = with_calls(measured(rows), listed).fillna({"error": "", "answer": "", "correct": False})
    stream = rows[rows["phase"] == "stream"]

    def found(query: str) -> pd.DataFrame:
        of = rows if "phase" in query else stream
        holds = of.eval(query, engine="python", local_dict={"since": since})
        if not (isinstance(holds, pd.Series) and holds.dtype.name in ("bool", "boolean")):
            raise TypeError("it is no yes or no for each program")
        return of[holds.fillna(False)]

    return found


def _read(where: tuple, table: pd.DataFrame, in_each: Count, beyond: Count) -> Iterator[list]:
    """The rows of what is seen in each category of a mode, and over all of them, where more can be
    seen (`beyond`)."""
    each = {category: list(in_each(part)) for category, part in table.groupby("category")}
    found = {category: standing(seen, whole=False) for category, seen in each.items()}
    told = {one.check for seen in found.values() for one in seen}
    over = [*(in_each(table) if len(each) > 1 else chain(*each.values())), *beyond(table)]
    seen = [one for one in over if len(each) > 1 or LIMITS[one.check].category is None]
    whole = standing(seen, whole=True, told=told)
    names = {one.check for one in whole}
    for category, those in found.items():
        for one in unexplained(those, names):
            yield _row(where, category, one)
    for one in whole:
        yield _row(where, WHOLE, one)


def _row(where: tuple, category: str, seen: Seen) -> list:
    limits = LIMITS[seen.check]
    limit = limits.whole if category == WHOLE else limits.category
    return [
        seen.check,
        *where,
        category,
        seen.count / seen.of,
        int(seen.count),
        int(seen.of),
        seen.example,
        limit + seen.more,
    ]


def of_requests(part: pd.DataFrame) -> Iterator[Seen]:
    """What requests show: those that failed, or were cut off, and prompts that are equally long."""
    ended = part["finish_reason"].value_counts()
    for status in MISSING:
        yield Seen(
            status,
            ended.get(status, 0),
            len(part),
        )
    cut = ended.get("length", 0)
    yield Seen(
        "cut off",
        cut,
        int(cut + ended.get("stop", 0)),
        problems=problems_in(part),
    )
    yield from prompts(part)


def greedy_runs(runs: Iterable[str | Path]) -> set[str]:
    """The names of those runs that took the likeliest token each time: their samples are one by
    rights."""
    described = (read_description(run).get("settings") or {} for run in runs)
    return {
        run_name(one["name"], seed)
        for one in described
        if one.get("sampling", {}).get("temperature") == 0
        for seed in one["seeds"]
    }


def golds_of(
    candidates: pd.DataFrame, runs: Iterable[str | Path] = ()
) -> dict[tuple[str, int], str]:
    """The golds of these candidates' problems, as a program would print them; {} where their data
    is not here. runs: their folders."""
    golds = {}
    pairs = candidates[["dataset", "category"]].astype(str).drop_duplicates()
    with suppress(TroveLiteError):
        for dataset, categories in pairs.groupby("dataset")["category"]:
            data = load_dataset(dataset, runs=runs)
            for problem in (problem for category in categories for problem in data.load(category)):
                gold = problem.gold
                if isinstance(gold, float):  # 6.72e-05 would be read as 6.72
                    gold = number_text(gold)
                elif answers := data.answers(str(gold), problem.question):
                    gold = answers[0]
                else:
                    continue
                golds[problem.category, problem.index] = gold
    return golds


def in_words(table: pd.DataFrame) -> list[str]:
    """A line for each check, method and mode, about the run and category where it is strongest."""
    lines = []
    for (check, method, mode), part in table.groupby(["check", "method", "mode"], sort=False):
        row = part.loc[part["share"].idxmax()]
        whose = " ".join(dict.fromkeys(filter(None, [method, mode])))
        limit = f"; at most {100 * row['limit']:.0f} %" if row["limit"] else ""
        count = f"{100 * row['share']:.0f} % ({row['count']:,} of {row['of']:,}{limit})"
        line = f"check: {check}: {count} of {whose}, {row['category'] or 'all categories'}, {row['run']}"
        if example := " ".join(str(row["example"]).split())[:80].strip():
            line += f": {example}"
        if len(part) > 1:
            line += f"; and {len(part) - 1} more such"
        lines.append(line)
    return lines + table.attrs.get("unread", [])
