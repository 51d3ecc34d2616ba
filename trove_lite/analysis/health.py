"""Signs that something else is measured than a method: read off a run's tables before its numbers are believed.

A sign accuses nobody. Somebody has to look, and to say why it stands. It knows no method or mode by name.
"""

import ast
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import pandas as pd

from ..candidates import MISSING, STREAM, all_candidates, name_table, read_description, run_name
from ..parse import parse_tools, python_blocks
from ..programs import NOT_PARSED, code_blocks, statements
from .failures import FROM_TOOLBOX, NO_TEXT

#: Sign → the share above which it stands. A fifth: no answer or error is so common by chance where problems differ; in
#: recorded runs of the papers no answer has more than 16 %. A tenth of cut or empty replies moves an accuracy by more
#: points than methods differ. Half: what most of a mode's programs do is what the mode is. 0: never to be expected.
LIMITS = {
    "one answer": 0.2,
    "one error": 0.2,
    "nothing ran": 0.0,
    "cut off": 0.1,
    "empty replies": 0.1,
    "unseen blocks": 0.1,
    "one reply": 0.0,
    **dict.fromkeys(MISSING, 0.0),
    "short programs": 0.5,
    "prints while loading": 0.5,
    "no tool made": 0.0,
    "no tool used": 0.0,
}
AT_LEAST = 10  # problems: fewer show any share by chance; what is missing, or empty throughout, stands with one
OF_TEXT = ("one error", "empty replies", "unseen blocks", "one reply", "short programs", "prints while loading")
LINES = 3  # code lines that a program has unless it is a mere call
COLUMNS = ["sign", "run", "method", "mode", "category", "share", "count", "of", "example", "limit"]
WHERE = ["run", "method", "mode", "category"]
Seen = Iterator[tuple[str, int, int, str, float]]  # sign, count, of, example, and what its limit has on top


def signs(candidates: pd.DataFrame, calls: pd.DataFrame, runs: Iterable[str | Path] = ()) -> pd.DataFrame:
    """What stands, a row for each sign, run, method, mode (or stage of a request) and category, the stream alone.

    `count` `of` are answers, programs, requests or tools, of which `example` is one; their `share` is above the
    `limit`. calls: requests. runs: folders whose `run.json` says which tools were kept. `attrs["unread"]`: a line for
    each reason why signs could not be read.
    """
    known = all_candidates(candidates)
    stream = known[known["phase"] == "stream"].astype(dict.fromkeys([*WHERE, "status"], str))
    calls = calls[calls["phase"] == "stream"].astype(dict.fromkeys([*STREAM, "stage"], str))
    right = stream[stream["correct"].eq(True).fillna(False)][["category", "problem", "answer"]].drop_duplicates()
    unread = [] if "solution" in stream else [f"not read: {', '.join(OF_TEXT)}; {NO_TEXT}"]
    if not calls["finish_reason"].isin(["stop", "length"]).any():
        unread.append("not read: cut off; no request says how it ended")
    listed = _listed_tools(runs)
    parts = [(where, _programs(part, right)) for where, part in stream.groupby(WHERE)]
    parts += [(where, _requests(part)) for where, part in calls.assign(mode=calls["stage"]).groupby(WHERE)]
    for (run, method, category), part in stream.groupby(STREAM):
        parts.append(((run, method, "", category), _tools(part, listed.get((run, method, category)))))
    rows = [
        (sign, *where, count / of, count, of, example, LIMITS[sign] + more)
        for where, seen in parts
        for sign, count, of, example, more in seen
    ]
    table = pd.DataFrame(rows, columns=COLUMNS).sort_values("sign", key=lambda s: s.map([*LIMITS].index), kind="stable")
    return name_table(table.reset_index(drop=True), "signs", "Signs that something else is measured", unread=unread)


def _sign(
    sign: str, count: int, of: int, example: str = "", *, among: pd.DataFrame | None = None, more: float = 0.0
) -> Seen:
    """The sign, where it is above its limit and what `more` is to be expected, among enough problems (None: any)."""
    if count > (LIMITS[sign] + more) * of and (among is None or among["problem"].nunique() >= AT_LEAST):
        yield sign, int(count), of, example, more


def _programs(part: pd.DataFrame, right: pd.DataFrame) -> Seen:
    """What the programs of a mode show, and where their text is kept the text.

    One answer has to be above the limit plus its share among the golds that are known. Errors are one whatever numbers
    they tell; an end without a message counts by its status.
    """
    given = part.dropna(subset="answer")
    for common, count in given["answer"].value_counts().head(1).items():
        golds = right[(right["category"] == part["category"].iloc[0]) & right["problem"].isin(part["problem"])]
        known = {*golds["problem"], *given.loc[given["answer"] == common, "problem"]}
        gold = golds.loc[golds["answer"] == common, "problem"].nunique() / len(known)
        yield from _sign("one answer", count, len(given), common, among=given, more=gold)
    if not (part["status"] == "ok").any():
        yield from _sign("nothing ran", len(part), len(part), ", ".join(part["status"].unique()), among=part)
    if "solution" not in part:
        return
    ended = part.loc[~part["status"].isin(["ok", *MISSING]), ["error", "status"]]
    messages = ended["error"].where(ended["error"].fillna("") != "", ended["status"].where(ended["status"] != "error"))
    counts = messages.dropna().str.replace(r"\d+", "N", regex=True).value_counts()
    for message, count in counts.head(1).items():
        yield from _sign("one error", count, len(part), message, among=part)
    replies = part.loc[part["status"].isin(["ok", "no_code"]), "response"].dropna()
    empty = (replies.str.strip() == "").sum()
    yield from _sign("empty replies", empty, len(part), among=None if empty == len(part) else part)
    failed = part[part["status"].isin(["error", "no_code"])].fillna({"response": "", "solution": ""})
    unseen = [row for row in failed.itertuples() if python_blocks(row.response) and not any(code_blocks(row.solution))]
    yield from _sign("unseen blocks", len(unseen), len(part), "--parser strict reads them", among=part)
    whole = part.loc[~part["status"].isin(MISSING), ["problem", "response"]]
    texts = whole["response"].dropna().unique()
    if len(texts) == 1 and texts[0].strip() and len(whole["problem"].unique()) > 1:
        yield from _sign("one reply", len(whole), len(part), texts[0])
    programs = part[part["solution"].fillna("").str.contains("```python", regex=False)]
    short = [line for row in programs.itertuples() if len(line := _code_lines(f"{row.solution}\n{row.tools}")) < LINES]
    yield from _sign("short programs", len(short), len(programs), " ".join(short[0]) if short else "", among=programs)


def _code_lines(text: str) -> list[str]:
    lines = (line.strip() for block in code_blocks(text) for line in block.split("\n"))
    return [line for line in lines if line and not line.startswith(("#", "import ", "from "))]


def _requests(part: pd.DataFrame) -> Seen:
    ended = part["finish_reason"].value_counts()
    for status in MISSING:
        yield from _sign(status, ended.get(status, 0), len(part))
    cut = ended.get("length", 0)
    yield from _sign("cut off", cut, int(cut + ended.get("stop", 0)), among=part)


def _listed_tools(runs: Iterable[str | Path]) -> dict[tuple, list[dict]]:
    """By run, method and category the tools, or trials of one, that `run.json` lists; of a method that keeps tools."""
    kept: dict[tuple, list[dict]] = {}
    for about in map(read_description, runs):
        settings = about.get("settings", {})
        for method in about.get("keep_tools", ()):
            names = [run_name(settings["name"], seed) for seed in settings["seeds"]]
            kept |= {(name, method, category): [] for name in names for category in settings["categories"]}
        for tool in about.get("toolboxes") or ():
            run = tool.get("run") or run_name(settings["name"], tool["seed"])
            kept.setdefault((run, tool["method"], tool["category"]), []).append(tool)
    return kept


def _tools(part: pd.DataFrame, tools: list[dict] | None) -> Seen:
    """What becomes of tools in a stream. tools: those that its `run.json` lists, None where it does not say."""
    if tools is not None and all(tool.get("made") is False for tool in tools):
        yield from _sign("no tool made", max(1, len(tools)), max(1, len(tools)), among=part)
    elif tools and all(tool.get("imports") == 0 for tool in tools):
        yield from _sign("no tool used", len(tools), len(tools), tools[0]["name"], among=part)
    if "tools" not in part or part["problem"].nunique() < AT_LEAST:
        return
    part = part.sort_values("problem", kind="stable")
    part = part.assign(known=part["tools"].fillna("").map(parse_tools))
    defining = part[[any(tool.kind == "function" for tool in known) for known in part["known"]]]
    importing = part[[any(tool.name.startswith(FROM_TOOLBOX) for tool in known) for known in part["known"]]]
    if tools is None and len(part["mode"].unique()) > 1 and importing.empty:
        yield from _sign("no tool used", len(defining), len(defining))
    importing = importing[importing["status"] == "ok"]
    lines, found = importing["output"].fillna("").str.split("\n").str[0], []
    for problem in defining["problem"].unique():  # after which most programs with a toolbox print the same first
        after = importing[importing["problem"] > problem]
        for line, count in lines[after.index].loc[lambda first: first != ""].value_counts().head(1).items():
            seen = _sign("prints while loading", count, len(after), line, among=after)
            found += [(-count / len(after), problem, each) for each in seen]
    for _, problem, (sign, count, of, line, more) in sorted(found):
        tools = (tool for known in defining.loc[defining["problem"] == problem, "known"] for tool in known)
        if name := next((tool.name for tool in tools if tool.kind == "function" and _prints(tool.source)), None):
            yield sign, count, of, f"{name}: {line}", more
            return


def _prints(source: str) -> bool:
    kinds = ast.Expr | ast.If | ast.For | ast.While | ast.With | ast.Try
    with suppress(*NOT_PARSED):
        beside = [node for node in statements(source) if isinstance(node, kinds)]
        return any(isinstance(node, ast.Call) for statement in beside for node in ast.walk(statement))
    return False


def in_words(table: pd.DataFrame) -> list[str]:
    """A line for each sign, method and mode, about the run and category where it is strongest."""
    lines = []
    for (sign, method, mode), part in table.groupby(["sign", "method", "mode"], sort=False):
        row = part.loc[part["share"].idxmax()]
        example = " ".join(str(row["example"]).split())[:80].strip()
        limit = f"; at most {100 * row['limit']:.0f} %" * bool(row["limit"])
        lines.append(
            f"sign: {sign}: {100 * row['share']:.0f} % ({row['count']:,} of {row['of']:,}{limit})"
            f" of {' '.join(filter(None, [method, mode]))}, {row['category']}, {row['run']}"
            + f": {example}" * bool(example)
            + f"; and {len(part) - 1} more such" * (len(part) > 1)
        )
    return lines + table.attrs.get("unread", [])
