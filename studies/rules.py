"""The rules of the plan ("What is counted", PLAN.md) as code over files: which comparisons count, and why not."""

import hashlib
import random
from collections import namedtuple
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

import pandas as pd

from trove_lite.candidates import UNAVAILABLE
from trove_lite.programs import code_blocks
from trove_lite.programs.calling import TABLE, names_called
from trove_lite.programs.definitions import definitions

from .plan import FACTORS, HERE

#: What was read before accuracies were compared: the `hash` of these candidates, how many of the mode (`read`), and
#: `which`: `drawn` (by `to_read`, so that all can open them), or `told` (nobody noted which: it counts for nothing).
READ = HERE / "read.csv"
#: Faults that were found and are not mended: `of` is a part, or a comparison whose sides differ in more than the tool.
FAULTS = HERE / "faults.csv"
ENOUGH = 30  # programs of each mode
USED = 0.05  # of the programs that could call a made tool, the share that must
#: Methods and modes that make no tool by design: nothing can be used there, and that is no lack.
TOOLLESS = ("primitive", "memory", "pot", "cot")
#: The modes of a method whose programs may call a tool that another request made.
CALLERS = ("import", "craft", "latm", "tte")
BY_DESIGN = "a control: no tool is made, by design"
LACKING = "no tool was made"  # how such a program's error begins
RULES = ("complete", "one_factor", "healthy", "read", "tools_used", "no_fault")


#: How many programs could call a made tool, and how many do.
Calls = namedtuple("Calls", "could_call call")


def to_read(rows: pd.DataFrame, mode: str, hashed: str) -> pd.DataFrame:
    """The thirty programs of a mode that are read, drawn by the hash of the candidates: the same for everybody."""
    own = rows[rows["mode"] == mode]
    return own.iloc[
        sorted(random.Random(f"{hashed} {mode}").sample(range(len(own)), min(ENOUGH, len(own))))
    ]


def hash_of(folder: Path) -> str:
    """The hash of a part's candidates, as the reading log has it."""
    return hashlib.sha256((folder / "candidates.parquet").read_bytes()).hexdigest()[:12]


@cache
def _table(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def unread(side: Sequence, log: pd.DataFrame | None = None) -> str:
    """The modes of a side of which fewer than thirty programs were read, as a reason; "" where there is none."""
    log = _table(READ) if log is None else log
    log = log[log["which"] == "drawn"]
    log = log.assign(read=log["read"].astype(int)).groupby(["part", "hash", "mode"])["read"].sum()
    found: dict[str, int] = {}
    for part in side:
        for mode in part.side["mode"].unique():
            found[mode] = found.get(mode, 0) + int(log.get((part.name, part.hash, mode), 0))
    few = [f"{n} of {mode}" for mode, n in found.items() if n < ENOUGH]
    return f"fewer than {ENOUGH} programs read: {', '.join(few)} ({side[0].name})" if few else ""


def faults(names: Iterable[str]) -> str:
    """The faults known of these parts and comparisons, with their dates, as a reason."""
    known = _table(FAULTS)
    return "; ".join(
        f"{row.date}: {row.fault}" for row in known[known["of"].isin(list(names))].itertuples()
    )


def makes_tools(part) -> bool:
    """Whether a part's method makes tools that later programs may call, by its settings."""
    settings = part.about["settings"]
    empty = settings["choices"].get("trove", {}).get("toolbox") == "none"
    return not empty and not set(settings["methods"]) <= set(TOOLLESS)


def tools_used(side: Sequence, *, shown: bool = False) -> tuple[bool | None, Calls]:
    """Whether of the programs that could call a made tool one in twenty does; None where no tool is meant to be made.

    An import is no tool. Where nothing can be counted (no program could call one) the answer is False. shown: of those
    alone whose prompt lists one.
    """
    each = [calls_of(part, shown=shown) for part in side if makes_tools(part)]
    found = Calls(sum(one.could_call for one in each), sum(one.call for one in each))
    return (found.call >= USED * found.could_call > 0 if each else None), found


def calls_of(part, *, shown: bool = False) -> Calls:
    """Of the programs that could call a made tool, those that do, as `trove-lite calls` found it.

    INSTANCE's programs hold their tool: each could. Where that command was not run (its table is not in the part's
    `home`), tools are the functions that a stream's toolbox held at its end.
    """
    if set(part.side["mode"]) == {"instance"}:
        texts = part.side[["tools", "solution"]].to_numpy()
        return Calls(
            len(texts),
            sum(bool(defined(tools) & names_called(_code(text))) for tools, text in texts),
        )
    if part.side["error"].astype(str).str.contains(LACKING, regex=False).mean() > 0.5:
        return Calls(
            len(part.side), 0
        )  # LATM's, where most questions have no tool: what the others do is no answer
    found = _found(part.home / TABLE)
    found = found[(found["part"] == part.name) & found["model"].isin(part.side["model"])]
    if len(found):
        found = found[found["shown"] | (not shown)]
        return Calls(len(found), int((found["tools"].str.len() > 0).sum()))
    kept, rows = (
        functions_kept(part.about.get("toolboxes") or ()),
        part.side[part.side["mode"].isin(CALLERS)],
    )
    texts = zip(
        zip(rows["category"].astype(str), rows["seed"], strict=True), rows["solution"], strict=True
    )
    return Calls(
        len(rows),
        sum(bool(kept.get(key, set()) & names_called(_code(text))) for key, text in texts),
    )


def functions_kept(toolboxes: Iterable[Mapping]) -> dict[tuple[str, int], set[str]]:
    """Category and seed → the names of the functions that were kept: imports and names without a body are none."""
    kept: dict[tuple[str, int], set[str]] = {}
    for entry in toolboxes:
        names = (
            defined(entry["tool"])
            if "tool" in entry
            else {entry["name"]}
            if "(" in entry["signature"]
            else set()
        )
        kept.setdefault((entry["category"], entry["seed"]), set()).update(names)
    return kept


@cache
def _found(path: Path) -> pd.DataFrame:
    columns = ["part", "model", "phase", "tools", "shown"]
    there = (
        pd.read_parquet(path, columns=columns) if path.is_file() else pd.DataFrame(columns=columns)
    )
    return there.query("phase != 'retry'")


def _code(text: object) -> str:
    return "\n\n".join(code_blocks(str(text))) or str(text)


def defined(text: object) -> set[str]:
    """The functions that a text's Python defines."""
    found = definitions(_code(text))
    return {one.name for one in found.tools} if found else set()


def factors_of(name: str) -> Mapping[str, str]:
    """In what the sides of a comparison differ, and in which factor they are said to (FACTORS); empty where unknown."""
    known = _table(FACTORS).set_index("id")
    return dict(known.loc[name]) if name in known.index else {}


def unavailable(rows: pd.DataFrame) -> set[tuple[str, int]]:
    """The problems of which a sample could not be had: they leave both sides of each comparison."""
    lost = rows[rows["status"].astype(object) == UNAVAILABLE]
    return set(zip(lost["category"].astype(str), lost["problem"], strict=True))


def met(
    name: str, sides: Sequence[Sequence], *, shown: bool = False, factor: str = "tool"
) -> dict[str, object]:
    """The rules that a comparison meets whose parts are all complete, and in `reason` the first that it does not.

    shown: as `tools_used` has it. factor: what the comparison is about; only one about the tool needs calls of it.
    """
    parts, (used, calls) = (
        [part for side in sides for part in side],
        tools_used(sides[0], shown=shown),
    )
    idle = (
        f"a made tool is called by {calls.call} of {calls.could_call} programs"
        if calls.could_call
        else "no call was counted"
    )
    factors = factors_of(name).get("more_than_named", "")
    why = {
        "no_fault": faults([name, *(part.name for part in parts)]),
        "one_factor": f"the sides also differ in {factors}" * bool(factors),
        "tools_used": "" if used or factor != "tool" else BY_DESIGN if used is None else idle,
        "healthy": "; ".join(dict.fromkeys(sign for part in parts for sign in part.signs)),
        "read": "; ".join(filter(None, map(unread, sides))),
    }
    row = {"complete": True} | {rule: not why[rule] for rule in RULES[1:]} | calls._asdict()
    return row | {"reason": next(filter(None, why.values()), ""), "tools_used": used}
