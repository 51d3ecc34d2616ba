"""The call as the unit: how many programs that could call a made tool do, what comes of it, and
where it fails.

It reads tables alone: candidates, and what `recorded.tool_calls` wrote of them. It cannot see
values that are wrong though they fit, a tool that is right by luck where it was made, a program
that is wrong for something else although its tool is right for it, and whether a fitting tool would
have helped."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import scipy  # its parts are imported where they are used: `stats` takes half a second

from trove_lite.candidates import load_candidates, name_table, read_description
from trove_lite.programs.calling import TABLE, TESTS, TOOLS
from trove_lite.selection.tables import choose, in_order

from .differences import difference, percent
from .kept_tools import read_csv
from .statistics import standard_error, wilson

#: Each as the rule that decides it.
REASONS = {
    "listed without a body": "a tool that it calls is a name alone",
    "not at hand": "its error says that the tool's name is not there, though there is a body",
    "wrong arguments": "the arguments of a call do not fit the tool's parameters by number or name",
    "output lost": "what the call returns reaches no print",
    "ends in an error": "it fails in another way, in the tool or beside it",
    "never run by its maker": "no program that defined the tool called it",
    "wrong tool": "every program that made the tool and called it was wrong on its own problem",
    "wrong tool for this problem": "the tool's maker was right, and this program is not",
}
#: The chain from a tool that is made to an answer, each a share of the programs that could call
#: one.
CHAIN = ("made", "kept", "shown", "called", "used", "right")
FEW = 10  # problems: of fewer no difference is given
#: Candidates of runs by their folders' names, as `read_runs` gives them.
RunTables = Mapping[str, pd.DataFrame]
PROBLEM = ["seed", "category", "problem"]
TOOL = ["part", "category", "seed", "tool"]
TOLD_OF_TOOL = [
    "method",
    "dataset",
    "made_at",
    "until",
    "listed",
    "body",
    "maker_calls",
    "maker_right",
]
OF_VERSIONS = [f"{v}_{what}" for v in ("with", "pasted", "cut") for what in ("status", "correct")]
PROGRAM = ["method", "seed", "dataset", "category", "problem", "mode", "sample", "round"]


class Share(NamedTuple):
    """A share of programs, with its 95 % interval by problem."""

    value: float
    low: float
    high: float


def share(right: pd.Series, problem: pd.Series) -> Share:
    """Wilson's interval at as many programs as would be as sure if each had a problem of its own: n
    = p (1 - p) / se^2, se clustered by problem (Miller 2024); where all or none are right, n counts
    problems."""
    right = right.astype(float)
    codes = pd.factorize(problem)[0]
    p = float(right.mean())
    units = len(set(codes))
    se = standard_error(right, codes)
    n = p * (1 - p) / se**2 if 0 < p < 1 and se > 0 else max(units, 1)
    return Share(
        p,
        *wilson(p, n, scipy.stats.t.ppf(0.975, max(units - 1, 1))),
    )


def read_tool_calls(*folders: str | Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The programs that could call a tool, of the stream, and the tools, of the folders that have
    both tables. Programs have `called`, `used` (what a call returns reaches a print), `right` (and
    used), `verdict` (right or not)."""
    programs = _read(TABLE, folders, pd.read_parquet)
    tools = _read(TOOLS, folders, read_csv, dtype={"until": float, "made_at": float})
    tools = tools.reindex(columns=[*dict.fromkeys([*TOOL, *TOLD_OF_TOOL, *tools])])
    wanted = [*PROGRAM, "part", "model", "phase", "correct", "tools", "printed"]
    programs = programs.reindex(columns=[*dict.fromkeys([*wanted, *OF_VERSIONS, *programs])])
    programs = programs[programs["phase"] == "stream"].reset_index(drop=True)
    called = programs["tools"].map(len).gt(0).astype(bool)
    used = called & programs["printed"].astype(bool)
    verdict = programs["correct"].eq(True).fillna(False).astype(bool)
    return programs.assign(called=called, used=used, right=used & verdict, verdict=verdict), tools


def read_tool_tests(*folders: str | Path) -> pd.DataFrame:
    """What LATM's `tool_tests` wrote in those of these folders that have it."""
    return _read(TESTS, folders, read_csv).convert_dtypes()


def _read(
    name: str, folders: Iterable[str | Path], read: Callable[..., pd.DataFrame], **how: object
) -> pd.DataFrame:
    """The files of this name in those folders that have one; each once, however often its folder is
    named."""
    paths = dict.fromkeys((Path(folder) / name).resolve() for folder in folders)
    tables = [read(path, **how) for path in paths if path.is_file()]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=["part"])


def read_runs(runs: Sequence[str | Path]) -> dict[str, pd.DataFrame]:
    """Candidates of the stream by folder (`part`), with `prompts`, the pack's name ("": nobody
    says)."""
    found = {}
    for run in map(Path, runs):
        rows = load_candidates(run)
        folder = run if run.is_dir() else run.parent
        pack = (read_description(folder).get("prompts") or {}).get("name", "")
        rows = rows[rows["phase"] == "stream"]
        found[folder.name] = rows.assign(
            prompts=pack, verdict=rows["correct"].fillna(False).astype(bool)
        )
    return found


def of_runs(programs: pd.DataFrame, runs: RunTables) -> pd.DataFrame:
    """The programs of these runs, each with its `prompts` and its `system`: method, data and
    prompts."""
    programs = programs[programs["part"].isin(list(runs))].reset_index(drop=True)
    packs = {name: rows["prompts"].iloc[0] for name, rows in runs.items()}
    programs = programs.assign(prompts=programs["part"].map(packs))
    words = programs["prompts"].map(lambda pack: f", {pack} prompts" if pack else "").astype(str)
    system = programs["method"].astype(str) + " on " + programs["dataset"].astype(str) + words
    return programs.assign(system=system)


def without_tools(runs: RunTables, part: pd.DataFrame, method: str) -> pd.DataFrame:
    """A method's programs on the same data by the same prompts."""
    first = part.iloc[0]
    rows = [
        one[(one["method"] == method) & (one["dataset"] == first["dataset"])]
        for one in runs.values()
    ]
    rows = [one for one in rows if len(one) and (one["prompts"] == first["prompts"]).all()]
    return pd.concat(rows) if rows else next(iter(runs.values())).iloc[:0]


def rates(programs: pd.DataFrame, runs: RunTables, plain: str, by: str = "part") -> pd.DataFrame:
    """A row a part, or `system`: its programs that call a tool, its others on the same problems,
    and there those of `plain`, a method without tools. Of each the number that is right and the
    share. `difference`: calling minus plain, the mean over problems of the differences of shares,
    with its interval `low`, `high`."""
    rows = []
    for name, part in programs.groupby(by, sort=False):
        calling = part[part["called"]]
        if calling.empty:
            continue
        others = _on(calling, part[~part["called"]])
        bare = _on(calling, without_tools(runs, part, plain))
        row = {
            by: name,
            "model": str(part["model"].iloc[0]),
            "programs": len(part),
            "programs that call": len(calling),
            "problems": calling.groupby(PROBLEM).ngroups,
        }
        for words, system in (("calling", calling), ("others", others), (plain, bare)):
            row |= {
                f"{words}, programs": len(system),
                f"{words}, right": int(system["verdict"].sum()),
            }
            row |= _named(words, share(system["verdict"], labels(system)))
        several = len(bare) and row["problems"] >= FEW
        found = difference(by_problem(calling), by_problem(bare)) if several else []
        cells = found[0][0] if found else {}
        rows.append(row | {name: cells.get(name) for name in ("difference", "low", "high")})
    return name_table(pd.DataFrame(rows), "call_rates", "Programs that call a made tool")


def sentence(programs: pd.DataFrame, tools: pd.DataFrame, runs: RunTables, plain: str) -> str:
    """In one sentence: of programs that call a tool that problems share and the run made, how many
    are right, and of those of `plain`, a method without tools, on the same problems."""
    made = tools.loc[tools["made_at"].notna(), "part"]
    calling = programs[programs["part"].isin(made) & programs["called"]]
    if calling.empty:
        return "No program of these runs calls a tool that was made for several problems, or none has text on record."
    bare = [
        _on(one, without_tools(runs, one, plain)).assign(part=part)
        for part, one in calling.groupby("part")
    ]
    first = f"Of {len(calling):,} programs that call a made tool {_right_of(calling)} are right"
    there = pd.concat(bare)
    if there.empty:
        return f"{first}."
    return f"{first}; {plain.upper()} on the same problems: {_right_of(there)}."


def _right_of(rows: pd.DataFrame) -> str:
    return percent(share(rows["verdict"], rows["part"].astype(str) + labels(rows)))


def labels(rows: pd.DataFrame) -> pd.Series:
    """The problem and seed of each program, as a text."""
    return rows[PROBLEM].astype(str).agg(" ".join, axis=1) if len(rows) else rows["seed"]


def _named(words: str, found: Share) -> dict[str, float]:
    return dict(zip((words, f"{words}, low", f"{words}, high"), found, strict=True))


def _on(calling: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """The rows on the problems of these programs: of the same seeds, where all have them."""
    by = PROBLEM if set(calling["seed"]) <= set(rows["seed"]) else PROBLEM[1:]
    keys = set(calling[by].itertuples(index=False, name=None))
    return (
        rows[[key in keys for key in rows[by].itertuples(index=False, name=None)]]
        if len(rows)
        else rows
    )


def by_problem(rows: pd.DataFrame) -> pd.DataFrame:
    """Scores as `scores` knows them: the share of right programs of each problem and seed."""
    keys = ["method", "seed", "category", "problem"]
    found = rows.assign(**{key: rows[key].astype(object) for key in ("method", "category")})
    found = found.groupby(keys)["verdict"].mean().rename("score").reset_index()
    return found.assign(run=found["seed"].astype(str), shares_state=False)


def struck_out(programs: pd.DataFrame, runs: RunTables) -> pd.DataFrame:
    """A row a part: verdicts by agreement that change where no program that calls a tool has a
    vote."""
    rows = []
    for name, part in programs.groupby("part", sort=False):
        if not part["called"].any():
            continue
        system = in_order(runs[name])
        system = system[system["method"].isin(part["method"].unique())]
        calling = set(
            part.loc[part["called"], PROGRAM].itertuples(
                index=False,
                name=None,
            )
        )
        struck = pd.Series(
            [key in calling for key in system[PROGRAM].itertuples(index=False, name=None)],
            system.index,
        )
        verdicts = [
            choose(kept, "one_stage").set_index(PROBLEM)["verdict"]
            for kept in (system, system[~struck])
        ]
        both = (
            pd.concat(verdicts, axis=1, keys=["with", "without"])
            .astype("boolean")
            .fillna({"without": False})
        )
        gained = both["without"].astype(int) - both["with"].astype(int)
        rows.append(
            {
                "part": name,
                "method": str(part["method"].iloc[0]),
                "calling": int(struck.sum()),
                "verdicts": len(both),
                "changed": int((gained != 0).sum()),
                "net right without": int(gained.sum()),
            }
        )
    return name_table(
        pd.DataFrame(rows), "call_agreement", "Agreement with the calling programs struck out"
    )


def versions(programs: pd.DataFrame) -> pd.DataFrame:
    """A row a part: of the programs that call a tool, the share that is right as run here again,
    with the tool's body in the program, and without the call; the last two on the programs that
    have both."""
    rows = []
    for name, part in programs[programs["called"]].groupby("part", sort=False):
        whole = part[part["pasted_correct"].notna()]
        row = {
            "part": name,
            "method": str(part["method"].iloc[0]),
            "programs": len(part),
            "with a body": len(whole),
        }
        for version in ("with", "pasted", "cut"):
            right = whole[f"{version}_correct"].fillna(False).astype(bool)
            row[f"{version}, right"] = int(right.sum())
            row |= _named(version, share(right, labels(whole)))
            row[f"{version}, ends ok"] = float((whole[f"{version}_status"] == "ok").mean())
        rows.append(row)
    return name_table(
        pd.DataFrame(rows), "call_versions", "With the call, with the tool's body, without the call"
    )


def reasons(programs: pd.DataFrame, tools: pd.DataFrame) -> pd.Series:
    """Why each calling program is not right, the first of REASONS that holds; "right" for one that
    is."""
    is_false = lambda fact: pd.notna(fact) and not fact  # noqa: E731 (it may not be told)
    makers = (
        tools.drop_duplicates(TOOL)
        .set_index(TOOL)[["maker_calls", "maker_right"]]
        .T.to_dict("list")
    )

    def reason(row: NamedTuple) -> str:
        if row.verdict:
            return "right"
        keys = [(row.part, row.category, row.seed, tool) for tool in row.tools]
        idle, wrong = (
            any(is_false(makers[key][i]) for key in keys if key in makers) for i in (0, 1)
        )
        rules = (
            not row.body,
            is_false(row.loads),
            not row.fits,
            not row.printed,
            row.with_status != "ok",
            idle,
            wrong,
            True,
        )
        return next(name for name, holds in zip(REASONS, rules, strict=True) if holds)

    return pd.Series([reason(row) for row in programs.itertuples()], programs.index, dtype=object)


def why_wrong(programs: pd.DataFrame, tools: pd.DataFrame) -> pd.DataFrame:
    """By part, how many calling programs have each of REASONS, and how many are right."""
    calling = programs[programs["called"]]
    table = (
        calling.assign(reason=reasons(calling, tools))
        .groupby(["part", "reason"])
        .size()
        .unstack(fill_value=0)
    )
    table = table.reindex(columns=["right", *REASONS], fill_value=0).rename_axis(columns=None)
    return name_table(
        table.reset_index(), "call_reasons", "Why programs that call a tool are wrong"
    )


def tool_table(programs: pd.DataFrame, tools: pd.DataFrame) -> pd.DataFrame:
    """A row a tool that problems share: when made and kept, for how many listed, its calls, why
    most of them fail.
    `unseen`: the programs that call it on another problem than the one where it was made;
        `unseen_right`."""
    calling = programs[programs["called"]]
    each = (
        calling.assign(reason=reasons(calling, tools))
        .explode("tools")
        .rename(columns={"tools": "tool"})
    )
    each = each.join(
        tools.drop_duplicates(TOOL).set_index(TOOL)["made_at"],
        on=TOOL,
    )
    each["unseen"] = each["problem"].astype(float) != each["made_at"]
    each["unseen_right"] = each["unseen"] & each["verdict"]
    found = each.groupby(TOOL)
    table = found.agg(
        problems=("problem", "nunique"),
        right=("verdict", "sum"),
        called=("verdict", "size"),
        unseen=("unseen", "sum"),
        unseen_right=("unseen_right", "sum"),
    )
    counts = [*table]
    table["reason"] = (
        each[~each["verdict"]].groupby(TOOL)["reason"].agg(lambda one: one.mode().iloc[0])
    )
    table = tools[[*TOOL, "made_at", "until", "listed", "body", "maker_calls", "maker_right"]].join(
        table, on=TOOL
    )
    table[counts] = table[counts].fillna(0).astype(int)
    table = table.sort_values(["part", "called"], ascending=[True, False])
    return name_table(table, "calls_by_tool", "Every kept tool")


def funnel(programs: pd.DataFrame) -> pd.DataFrame:
    """A row a system and link of CHAIN: how many of the programs that could call a tool came so
    far. `value` is their share of all of these, with its 95 % interval by problem; `of_before` of
    the link before."""
    rows = []
    for name, part in programs.groupby("system", sort=False):
        problem = labels(part)
        before = len(part)
        reached = True
        for link in CHAIN:
            reached = part[link].astype(bool) & reached
            number = int(reached.sum())
            rows.append(
                {
                    "system": name,
                    "link": link,
                    "programs": number,
                    "of": len(part),
                    "problems": problem.nunique(),
                    **share(reached, problem)._asdict(),
                    "of_before": number / before if before else None,
                }
            )
            before = number
    return name_table(pd.DataFrame(rows), "call_funnel", "From a made tool to a right answer")


def chain_in_words(links: pd.DataFrame, rates: pd.DataFrame, plain: str) -> pd.DataFrame:
    """`funnel` and `rates` (by system) to read, a row a system: its programs that could call a
    tool, the percent of them that came to each link of CHAIN, then of those that call one the
    percent that is right, with its interval, and that of `plain` on the same problems."""
    percents = (100 * links.pivot(index="system", columns="link", values="value")).round(1)
    table = percents.reindex(columns=[*CHAIN]).rename_axis(columns=None)
    sizes = links.groupby("system")["of"].first()
    table.insert(0, "programs", sizes.reindex(table.index))
    known = rates.set_index("system")
    for system, words in (
        ("calling", "right, of those that call"),
        (plain, f"{plain.upper()} there"),
    ):
        cells = {
            name: f"{100 * row[system]:.1f} [{100 * row[f'{system}, low']:.1f}, {100 * row[f'{system}, high']:.1f}]"
            for name, row in known.iterrows()
            if row[system] == row[system]
        }
        table[words] = pd.Series(cells, dtype=object)
    order = links["system"].drop_duplicates()
    title = "From a made tool to a right answer, in percent of programs"
    return name_table(table.reindex(order).reset_index(), "call_chain", title)
