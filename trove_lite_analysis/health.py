"""Signs that something else is measured than a method: read off a run's tables before its numbers are believed.

A sign accuses nobody: somebody has to look, and to say why it stands. It knows no method or mode by name."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import pandas as pd

from trove_lite.candidates import (
    MISSING,
    STREAM,
    all_candidates,
    name_table,
    read_description,
    run_name,
)
from trove_lite.datasets import load_dataset
from trove_lite.errors import TroveLiteError
from trove_lite.programs import code_blocks
from trove_lite.programs.parse import python_blocks

from .failure_modes import A_THREAD, NO_TEXT, REFUSED
from .likeness import in_common, measured, prompts, texts_in_common
from .sign import LIMITS, PROBLEM, Seen, problems_in, standing, unexplained
from .tool_signs import listed_tools, of_mode, of_stream, with_calls

OF_TEXT = (
    "one error",
    "refused by the sandbox",
    "empty replies",
    "prints nothing",
    "unseen blocks",
    "one reply",
)
OF_TEXT += (
    "short programs",
    "one skeleton",
    "right without computing",
    "tools never called",
    "wrong where called",
)
OF_TEXT += ("prints while loading",)
LINES = 3  # code lines that a program has unless it is a mere call
COLUMNS = ["sign", "run", "method", "mode", "category", "share", "count", "of", "example", "limit"]
MODE = ["run", "method", "mode"]
WHOLE = ""  # the category of what is read over all of a mode's
Golds = Mapping[tuple[str, int], str]  # by category and problem, as canonical text


def signs(
    candidates: pd.DataFrame,
    calls: pd.DataFrame,
    runs: Iterable[str | Path] = (),
    *,
    golds: Golds | None = None,
) -> pd.DataFrame:
    """What stands, a row for each sign, run, method, mode (or stage of a request) and category, the stream alone.

    `count` `of` are answers, programs, problems, requests or tools, of which `example` is one; their `share` is above
    the `limit`. category "": over all of them, where none alone shows it. calls: requests. runs: folders whose
    `run.json` says which tools were kept, and the temperature. golds: None is those of the right answers alone.
    `attrs["unread"]`: a line for each reason why signs could not be read."""
    known = all_candidates(candidates)
    stream = known[known["phase"] == "stream"].astype(
        dict.fromkeys([*MODE, "category", "status"], str)
    )
    calls = calls[calls["phase"] == "stream"].astype(dict.fromkeys([*STREAM, "stage"], str))
    right = stream[stream["correct"].eq(True).fillna(False)][
        ["category", "problem", "answer"]
    ].drop_duplicates()
    golds = {(c, n): answer for c, n, answer in right.itertuples(index=False, name=None)} | dict(
        golds or {}
    )
    unread = [] if "solution" in stream else [f"not read: {', '.join(OF_TEXT)}; {NO_TEXT}"]
    if not calls["finish_reason"].isin(["stop", "length"]).any():
        unread.append("not read: cut off; no request says how it ended")
    runs = list(runs)
    listed = listed_tools(runs)
    greedy = greedy_runs(runs)
    stream = with_calls(measured(stream), listed)

    def programs(part: pd.DataFrame) -> Iterator[Seen]:
        yield from _programs(part, right)
        yield from in_common(part, golds, drawn=part["run"].iloc[0] not in greedy)
        if "solution" in part:
            yield from _texts(part)
            yield from texts_in_common(part)
            yield from of_mode(part)

    rows = [row for where, part in stream.groupby(MODE) for row in _read(where, part, programs)]
    for where, part in calls.assign(mode=calls["stage"]).groupby(MODE):
        rows += _read(where, part, _requests)
    for (run, method, category), part in stream.groupby(STREAM):
        found = standing(of_stream(part, listed.get((run, method, category))), whole=False)
        rows += [_row((run, method, ""), category, one) for one in found]
    table = pd.DataFrame(rows, columns=COLUMNS)
    table = table.sort_values(
        "sign", key=lambda s: s.map([*LIMITS].index), kind="stable", ignore_index=True
    )
    return name_table(table, "signs", "Signs that something else is measured", unread=unread)


def to_count(candidates: pd.DataFrame, runs: Iterable[str | Path]) -> Callable[[str], pd.DataFrame]:
    """A function that gives the rows for which a query of pandas holds: of the stream, unless it names `phase`. It
    reads the columns of candidates, what is counted of each (`likeness.measured`, `tool_signs.with_calls`), and
    `@since`: tools that are listed at the end → the problem that they were kept at."""
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


def _read(
    where: tuple, table: pd.DataFrame, count: Callable[[pd.DataFrame], Iterable[Seen]]
) -> Iterator[list]:
    """The rows of what `count` sees in each category of a mode, and over all of them."""
    parts = dict(list(table.groupby("category")))
    found = {category: standing(count(part), whole=False) for category, part in parts.items()}
    told = {one.sign for seen in found.values() for one in seen}
    seen = (one for one in count(table) if len(parts) > 1 or LIMITS[one.sign].category is None)
    whole = standing(seen, whole=True, told=told)
    for category, those in found.items():
        yield from (
            _row(where, category, one) for one in unexplained(those, {one.sign for one in whole})
        )
    yield from (_row(where, WHOLE, one) for one in whole)


def _row(where: tuple, category: str, seen: Seen) -> list:
    limit = (
        LIMITS[seen.sign].whole if category == WHOLE else LIMITS[seen.sign].category
    ) + seen.more
    return [
        seen.sign,
        *where,
        category,
        seen.count / seen.of,
        int(seen.count),
        int(seen.of),
        seen.example,
        limit,
    ]


def _programs(part: pd.DataFrame, right: pd.DataFrame) -> Iterator[Seen]:
    """What programs answer, and whether they run. Of one answer its share of the known golds is expected."""
    given = part.dropna(subset="answer")
    for common, count in given["answer"].value_counts().head(1).items():
        golds = right.merge(part[PROBLEM].drop_duplicates())
        known = problems_in(pd.concat([golds, given[given["answer"] == common]]))
        gold = problems_in(golds[golds["answer"] == common]) / known
        yield Seen("one answer", count, len(given), common, problems_in(given), gold)
    if not (part["status"] == "ok").any():
        yield Seen(
            "nothing ran",
            len(part),
            len(part),
            ", ".join(part["status"].unique()),
            problems_in(part),
        )
    judged = part.dropna(subset="correct")
    for sign, holds in (
        ("all right", judged["correct"].all()),
        ("none right", not judged["correct"].any()),
    ):
        if holds:
            yield Seen(sign, len(judged), len(judged), problems=problems_in(judged))


def _texts(part: pd.DataFrame) -> Iterator[Seen]:
    """What the text of programs and replies shows. Errors are one whatever numbers they tell."""
    problems = problems_in(part)
    count = len(part)
    ended = part.loc[~part["status"].isin(["ok", *MISSING]), ["error", "status"]]
    messages = ended["error"].where(
        ended["error"].fillna("") != "", ended["status"].where(ended["status"] != "error")
    )
    for message, times in (
        messages.dropna().str.replace(r"\d+", "N", regex=True).value_counts().head(1).items()
    ):
        yield Seen("one error", times, count, message, problems)
    wanted = part["status"].eq("error") & part["error"].fillna("").str.match(REFUSED)
    yield Seen(
        "refused by the sandbox", wanted.sum(), count, f"{A_THREAD}, which programs cannot have"
    )
    replies = part.loc[part["status"].isin(["ok", "no_code"]), "response"].dropna()
    empty = (replies.str.strip() == "").sum()
    yield Seen("empty replies", empty, count, problems=float("inf") if empty == count else problems)
    silent = part["status"].eq("ok") & part["output"].fillna("").str.strip().eq("")
    yield Seen("prints nothing", silent.sum(), count, problems=problems)
    failed = part[part["status"].isin(["error", "no_code"])].fillna(
        {"response": "", "solution": ""}
    )
    unseen = [
        row
        for row in failed.itertuples()
        if python_blocks(row.response) and not any(code_blocks(row.solution))
    ]
    yield Seen("unseen blocks", len(unseen), count, "--parser strict reads them", problems)
    whole = part.loc[~part["status"].isin(MISSING), [*PROBLEM, "response"]]
    texts = whole["response"].dropna().unique()
    if len(texts) == 1 and texts[0].strip() and problems_in(whole) > 1:
        yield Seen("one reply", len(whole), count, texts[0])
    programs = part[part["solution"].fillna("").str.contains("```python", regex=False) & ~silent]
    short = [
        line
        for row in programs.itertuples()
        if len(line := _code_lines(f"{row.solution}\n{row.tools}")) < LINES
    ]
    example = " ".join(short[0]) if short else ""
    yield Seen("short programs", len(short), len(programs), example, problems_in(programs))


def _code_lines(text: str) -> list[str]:
    lines = (line.strip() for block in code_blocks(text) for line in block.split("\n"))
    return [line for line in lines if line and not line.startswith(("#", "import ", "from "))]


def _requests(part: pd.DataFrame) -> Iterator[Seen]:
    ended = part["finish_reason"].value_counts()
    for status in MISSING:
        yield Seen(status, ended.get(status, 0), len(part))
    cut = ended.get("length", 0)
    yield Seen("cut off", cut, int(cut + ended.get("stop", 0)), problems=problems_in(part))
    yield from prompts(part)


def greedy_runs(runs: Iterable[str | Path]) -> set[str]:
    """The names of those runs that took the likeliest token each time: their samples are one by rights."""
    told = [settings for run in runs if (settings := read_description(run).get("settings"))]
    cold = [settings for settings in told if settings.get("sampling", {}).get("temperature") == 0]
    return {run_name(settings["name"], seed) for settings in cold for seed in settings["seeds"]}


def golds_of(
    candidates: pd.DataFrame, runs: Iterable[str | Path] = ()
) -> dict[tuple[str, int], str]:
    """The golds of these candidates' problems, as a program would print them; {} where their data is not here. runs:
    their folders."""
    golds = {}
    with suppress(TroveLiteError):
        for dataset, categories in (
            candidates.groupby("dataset", observed=True)["category"].unique().items()
        ):
            data = load_dataset(str(dataset), runs=runs)
            for problem in (
                problem for category in categories for problem in data.load(str(category))
            ):
                if answers := data.answers(str(problem.gold), problem.question):
                    golds[problem.category, problem.index] = answers[0]
    return golds


def in_words(table: pd.DataFrame) -> list[str]:
    """A line for each sign, method and mode, about the run and category where it is strongest."""
    lines = []
    for (sign, method, mode), part in table.groupby(["sign", "method", "mode"], sort=False):
        row = part.loc[part["share"].idxmax()]
        example = " ".join(str(row["example"]).split())[:80].strip()
        limit = f"; at most {100 * row['limit']:.0f} %" if bool(row["limit"]) else ""
        count = f"{100 * row['share']:.0f} % ({row['count']:,} of {row['of']:,}{limit})"
        whose = f"{' '.join(dict.fromkeys(filter(None, [method, mode])))}, {row['category'] or 'all categories'}"
        more = (f": {example}" if bool(example) else "") + (
            f"; and {len(part) - 1} more such" if len(part) > 1 else ""
        )
        lines.append(f"sign: {sign}: {count} of {whose}, {row['run']}{more}")
    return lines + table.attrs.get("unread", [])
