"""Programs that could call a made tool, run again: as they were, with the tool's body in them, with
the call cut out.

A run is played back to its method, which tells what tools each program had at hand and what its
prompt listed; no model is asked. What the numbers mean is `analysis.calls`."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from trove_lite.candidates import KEY, all_candidates, load_candidates, read_description, save_csv
from trove_lite.datasets import grader_of, load_dataset
from trove_lite.datasets.base import Question
from trove_lite.errors import TroveLiteError, UsageError
from trove_lite.journal import locked, on_disk, write_atomically
from trove_lite.methods.base import Attempt, Request
from trove_lite.programs import (
    AT_HAND,
    Tool,
    code_of,
    fenced,
    plain_name,
    program_of,
    recorded_sources,
)
from trove_lite.programs.calling import TABLE, TOOLS, Calls, names_called, read_calls
from trove_lite.programs.definitions import definitions
from trove_lite.programs.parse import parse_tools
from trove_lite.running.given import load_given
from trove_lite.running.live import recorded_streams, row_key
from trove_lite.running.replay import played_back, stated_settings
from trove_lite.sandbox.pool import Sandbox

from .edited import cut_out, pasted, without_toolbox
from .official_files import IMPORT
from .reexecute import STREAM, Job, execute_all, graded_row, problems_of

PROBLEM = KEY.index("problem")
SAMPLE = KEY.index("sample")
#: What is told of a tool, after its stream.
TOOL = ["tool", "made_at", "until", "listed", "body", "maker_calls", "maker_right"]
#: The three versions of a program that calls a tool.
VERSIONS = WITH, PASTED, CUT = ("with", "pasted", "cut")
#: Who is asked with LATM's tool, and by another prompt where none was made.
USER = "user"
#: What says that a name is not there.
ABSENT = re.compile(r"(NameError|ImportError|ModuleNotFoundError|AttributeError|LookupError)\b")
SECTION = re.compile(r"from +toolbox +import +(\w+)")


class Reply(NamedTuple):
    """A reply on record, with what it could call. `tools`: a source each, "" for a name that is
    listed without one."""

    key: tuple
    asked: Request
    solution: str
    code: tuple[str, ...]
    program: str
    tools: dict[str, str]
    listed: frozenset[str]
    given: tuple[str, ...]


def tool_calls(
    runs: Sequence[str | Path],
    out: Path,
    *,
    vision: str | None = None,
    execute: bool = True,
    **limits: object,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Of these run folders every program that could call a made tool, and every tool that several
    problems share.

    Programs have their candidate's key, `part` (the folder's name), and whether a function had been
    `made` for it, was `kept`, and `shown` in its prompt; of those that call one what `read_calls`
    finds, and how each of VERSIONS ended (`with_status`, `with_correct`, …). `loads`: no error says
    that a called name is not there. Tools have the problem at which they were made and until which
    they were kept (empty: to the end), for how many problems they were listed, whether there is a
    body, whether a program that defines it calls it (`maker_calls`) and is right (`maker_right`).
    execute: False runs nothing. limits: of the sandbox. Executions are kept in `out` until the
    tables are written: a stopped call goes on. Raises TroveLiteError for runs without text."""
    if len({Path(run).name for run in runs}) < len(runs):
        raise UsageError(
            "two run folders of one name, by which their programs are told apart: call one after another"
        )
    found = [_of_run(Path(run), vision) for run in runs]
    programs, tools = (pd.concat(each, ignore_index=True) for each in zip(*found, strict=True))
    with on_disk(out):
        out.mkdir(parents=True, exist_ok=True)
    with locked(out):
        if execute:
            with Sandbox(**limits) as sandbox:
                programs = _executed(programs, runs, sandbox, out / "executions.jsonl")
        programs = programs.drop(columns=[*VERSIONS])
        with on_disk(out):
            write_atomically(
                out / TABLE, partial(programs.to_parquet, index=False, compression="zstd")
            )
            save_csv(tools, out / TOOLS)
            (out / "executions.jsonl").unlink(missing_ok=not execute)
    return programs, tools


def _of_run(run: Path, vision: str | None) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A run's programs that could call a tool, with the text of each version, and its tools."""
    candidates = all_candidates(load_candidates(run))
    if "solution" not in candidates:
        raise TroveLiteError(f"{run}: outcomes hold no programs; name a run folder with text")
    told = candidates.assign(phase=candidates["phase"].astype(str).replace("draft", "stream"))
    correct = told.set_index(KEY)["correct"]
    ended = defaultdict(set)
    for kept in read_description(run).get("toolboxes") or ():
        ended[str(kept["category"]), kept["seed"]].add(kept.get("name"))
    replies = []
    stages = set()
    tools = []
    for shares, found in _streams(run, candidates, vision):
        rows, asked, own = _of_stream(found, shares, correct, ended)
        replies += rows
        stages |= asked
        tools += own
    could = [
        _row(*each) for each in replies if (each[0].asked.stage, each[0].asked.round) in stages
    ]
    columns = [*KEY, "made", "kept", "shown", *Calls._fields, "body", *VERSIONS]
    programs = pd.DataFrame(could, columns=columns)
    programs = programs.merge(told[[*KEY, "model", "provenance", "correct"]], on=KEY, how="left")
    return programs.assign(part=run.name), pd.DataFrame(tools, columns=[*STREAM, *TOOL]).assign(
        part=run.name
    )


def _streams(
    run: Path, candidates: pd.DataFrame, vision: str | None
) -> Iterator[tuple[bool, Iterable[Reply]]]:
    """Each stream's replies in order, and whether its problems share tools."""
    if read_description(run).get("kind") == "live":
        for stream, dataset, settings in recorded_streams([run], vision, load_given):
            yield stream.method.stream, _live(stream, dataset, settings)
        return
    settings = stated_settings([run])
    for (name, *_), rows in candidates.groupby(STREAM, sort=False, observed=True):
        shares = (rows["mode"] == IMPORT).any()
        apart = (rows["mode"] == "").all()
        if not (shares or apart):  # another program's log, too, of whose data set nothing is known
            continue
        given = load_dataset(str(rows["dataset"].iloc[0]), runs=[run]).given
        if shares:
            yield True, _recorded(rows, played_back(rows, settings.get(name)), given)
        else:  # no mode: the tool comes from a request of its own, before the program's
            yield False, _recorded(rows, ((None, [row]) for row in rows.to_dict("records")), given)


def _live(stream, dataset, settings) -> Iterator[Reply]:
    for asked, record in stream.played(dataset, settings.parser):
        how = settings.parser, stream.isolated
        parsed = record.parsed(*how)
        program = record.program(asked, dataset, *how) or ""
        tools, listed = _at_hand(asked, program, parsed.solution)
        key = row_key(settings, stream, record)
        yield Reply(key, asked, parsed.solution, parsed.code, program, tools, listed, dataset.given)


def _recorded(rows: pd.DataFrame, played: Iterable, given: tuple[str, ...]) -> Iterator[Reply]:
    for asked, found in played:
        for row in found:
            code = tuple(recorded_sources(row["tools"]))
            library = getattr(asked, "library", ())
            if asked is None:  # the tool that its first request made
                library = code
                code = ()
                question = Question(row["dataset"], row["category"], row["problem"], "")
                asked = Attempt(question, row["mode"] or "program", range(1), library=library)
            tools, listed = _at_hand(asked, "", row["solution"])
            program = program_of(row["solution"], code, (*given, *library))
            yield Reply(
                tuple(row[name] for name in KEY),
                asked,
                row["solution"],
                code,
                program,
                tools,
                listed,
                given,
            )


def _at_hand(asked: Request, program: str, solution: str) -> tuple[dict[str, str], frozenset[str]]:
    """The made tools that a program may call, and those that its prompt lists."""
    found: dict[str, str] = {}
    for part in getattr(asked, "library", ()):
        if isinstance(part, Tool):
            found |= {part.name: part.source} if part.kind == "function" else {}
        elif part != AT_HAND:
            each = _tools(part) or parse_tools(fenced(part))
            found |= {
                one.name: one.source
                for one in each
                if getattr(one, "kind", "function") == "function"
            }
            found = dict.fromkeys(SECTION.findall(part), "") | found
    if getattr(asked, "compose", None):
        mine = {one.name for one in _tools(code_of(solution))}
        found |= {one.name: one.source for one in _tools(program) if one.name not in mine}
    listed = {tool.name: plain_name(tool.name) for tool in getattr(asked, "shown", ())}
    bodiless = [plain for name, plain in listed.items() if name.startswith("toolbox.")]
    found = dict.fromkeys(bodiless, "") | found
    return found, frozenset(listed.values() & found.keys() if listed else found)


def _tools(code: str) -> tuple:
    """The functions that some code defines; none where it does not parse."""
    return tuple(getattr(definitions(code), "tools", ()))


def _of_stream(
    replies: Iterable[Reply], shares: bool, correct: pd.Series, ended: Mapping[tuple, set]
) -> tuple[list, set, list[tuple]]:
    """Each reply with whether a function was made for it; the requests that have tools; and tools
    that are shared."""
    rows = []
    order = []
    made = set()
    stages = set()
    makers = defaultdict(list)
    stream = ("",) * 5
    history: dict[str, dict] = defaultdict(lambda: {"at": [], "listed": set(), "body": False})
    for reply in replies:
        asked = reply.asked
        problem = reply.key[PROBLEM]
        stream = reply.key[:5]
        scope = None if shares else (problem, reply.key[SAMPLE])
        order += [problem] if problem not in order[-1:] else []
        tooled = isinstance(asked, Attempt) and (
            asked.library or asked.shown or asked.compose or asked.role == USER
        )
        if asked.mode and tooled:
            stages.add((asked.stage, asked.round))
        if asked.mode:
            rows.append((reply, scope in made))
        for name in reply.tools if shares and asked.mode else ():
            told = history[name]
            told["at"] += [problem] if problem not in told["at"][-1:] else []
            told["listed"] |= {problem} if name in reply.listed else set()
            told["body"] |= bool(reply.tools[name])
        for name in _defined(reply):
            makers[name].append((problem, name in names_called(code_of(reply.solution)), reply.key))
            made.add(scope)
    at_end = ended[stream[4], stream[2]]
    for name in at_end & makers.keys() if shares else ():
        history[name]["body"] = True  # made last of all, and never listed
    tools = [
        (*stream, name, *_told(told, makers[name], order, name in at_end, correct))
        for name, told in history.items()
    ]
    return rows, stages, tools


def _told(told: dict, makers: list, order: list, at_end: bool, correct: pd.Series) -> tuple:
    """A tool's facts after its name (`TOOL`): of its makers those of the last problem before it was
    at hand."""
    at = {problem: place for place, problem in reversed(list(enumerate(order)))}
    first = at[told["at"][0]] if told["at"] else len(order)
    made_at = max(
        (at[maker[0]] for maker in makers if at[maker[0]] <= first),
        default=None,
    )
    mine = [maker for maker in makers if at[maker[0]] == made_at]
    known = [
        bool(right)
        for *_, key in mine
        if (right := correct.get(key)) is not None and not pd.isna(right)
    ]
    calls = any(one for _, one, _ in mine) if mine else None
    right = any(known) if known else None
    kept = at_end or told["at"][-1] == order[-1]
    made = None if made_at is None else order[made_at]
    until = None if kept else told["at"][-1]
    return made, until, len(told["listed"]), told["body"], calls, right


def _defined(reply: Reply) -> set[str]:
    """The functions that a reply makes: of its tools, or, of one that is asked for a tool alone, of
    all of it."""
    source = "\n\n".join(reply.code) if reply.asked.mode else code_of(reply.solution)
    if "def " not in source or getattr(reply.asked, "role", "") == "planner":
        return set()
    return {one.name for one in _tools(source)}


def _row(reply: Reply, made: bool) -> tuple:
    """A program's row: KEY, what was at hand, what it calls, and the three versions (None: it calls
    nothing)."""
    asked = reply.asked
    own = "\n\n".join(reply.code)
    tools = reply.tools
    composed = bool(
        getattr(asked, "compose", None)
    )  # of a tool that the prompt holds, whether a program came or not
    code = reply.program if composed else code_of(reply.solution)
    for one in _tools(code) if composed else ():  # tools call one another
        code = code.replace(one.text, "") if one.name in tools else code
    calls = read_calls(code, tools, own=own, answer="ans" if composed else "")
    kept = bool(tools) or composed
    facts = (*reply.key, made or kept, kept, bool(reply.listed) or composed, *calls)
    if not calls.tools:
        return (*facts, None, None, None, None)
    body = all(tools[tool] for tool in calls.tools)
    if composed:  # there the program holds the body as it is
        return (*facts, body, reply.program, reply.program, cut_out(code, calls.tools))
    bare = tuple(map(without_toolbox, reply.code))
    given = reply.given
    inside = (
        asked.program(fenced(pasted(code, tools, calls.tools, own)), bare, given) if body else None
    )
    cut = asked.program(
        fenced(cut_out(code, calls.tools, own)),
        bare,
        (*given, *asked.library),
    )
    return (*facts, body, reply.program, inside, cut)


def _executed(
    programs: pd.DataFrame, runs: Sequence[str | Path], sandbox: Sandbox, journal: Path
) -> pd.DataFrame:
    """The same with how each version ended, graded as the run was."""
    calling = programs[programs["with"].notna()]
    graders = {
        Path(run).name: grader_of(read_description(run).get("settings") or {}) for run in runs
    }
    pairs = calling[["dataset", "part"]].drop_duplicates().itertuples(index=False, name=None)
    datasets = {(name, part): load_dataset(name, graders[part], runs=runs) for name, part in pairs}
    problems = problems_of(calling, runs)
    jobs = {
        (index, version): Job(text, tuple(problem.files.items()))
        for version in VERSIONS
        for index, text, problem in zip(calling.index, calling[version], problems, strict=True)
        if isinstance(text, str)
    }
    ended = execute_all(
        [(sandbox, list(dict.fromkeys(jobs.values())))],
        journal,
    )
    problem = dict(zip(calling.index, problems, strict=True))
    columns = {
        f"{version}_{what}": {} for version in VERSIONS for what in ("status", "correct")
    } | {"loads": {}}
    for (index, version), job in jobs.items():
        row = calling.loc[index]
        dataset = datasets[row["dataset"], row["part"]]
        status, _, error, _, _, right, *_ = graded_row(ended[job], "", problem[index], dataset)
        columns[f"{version}_status"][index], columns[f"{version}_correct"][index] = status, right
        if version == WITH:
            named = any(f"'{tool}'" in (error or "") for tool in row["tools"])
            columns["loads"][index] = not (named and ABSENT.match(error))
    for name, values in columns.items():
        kind = "string" if name.endswith("status") else "boolean"
        programs[name] = pd.Series(values, dtype=kind).reindex(programs.index)
    return programs
