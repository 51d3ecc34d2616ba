"""Runs → a study's folder: a page a rater, and the key."""

import ast
import html
import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from papers.trove import ended_with
from trove_lite.candidates import all_candidates, load_candidates, selections
from trove_lite.errors import TroveLiteError
from trove_lite.journal import on_disk
from trove_lite.programs import TOOLBOX, code_of, recorded_sources
from trove_lite.recorded.reexecute import composer, given_to_all, recorded_programs
from trove_lite.recorded.replay import stated_settings
from trove_lite.running.record import content_hash
from trove_lite.view import filled, table_of
from trove_lite.view.contents import clean
from trove_lite.view.questions import problems_of

from .plan import KEY, PROBLEM, plan

PAGES, KEY_FILE, ABOUT = "pages", "key.csv", "study.json"
TITLE = "Is the program right?"


class Study(NamedTuple):
    """A study that was written: its folder, and how much it asks."""

    folder: Path
    raters: int
    problems: int
    methods: tuple[str, ...]
    left_out: int


def write_study(
    runs: Sequence[str | Path],
    out: str | Path,
    *,
    raters: int = 6,
    problems: int = 100,
    seed: int = 0,
    output: bool = False,
) -> Study:
    """Write pages that ask `raters` people about the answers that these runs ended with, and the key to them.

    The runs are of two methods or more on the same problems, with text. output: show what each program printed too (in
    TroVE's study, section 6, it is not said whether people saw it). Answers to problems whose words are not at hand, or
    whose program the record does not hold whole, are left out, and counted. Raises TroveLiteError where the folder
    holds a study already, or nothing can be asked.
    """
    folder = Path(out)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise TroveLiteError(f"{folder}: is there already, and a study is never replaced: choose another --out")
    tables = [table_of(Path(run)) for run in runs]
    candidates = load_candidates(*tables)
    if "solution" not in candidates:
        raise TroveLiteError(f"{runs[0]}: outcomes hold no programs; name run folders with text")
    words, notes = problems_of(candidates, [table.parent for table in tables])
    answers = _with_programs(candidates, [table.parent for table in tables])
    worded = pd.Series([key in words for key in answers[PROBLEM].itertuples(index=False, name=None)], answers.index)
    usable = answers[worded & answers["whole"].notna()]
    if usable.empty and len(answers):
        raise TroveLiteError("; ".join(notes) or f"{runs[0]}: no answer whose program is known whole")
    key = plan(usable, raters=raters, problems=problems, seed=seed)
    study = content_hash(key[KEY].to_dict("records"))
    about = {
        "study": study,
        "runs": list(map(str, runs)),
        "seed": seed,
        "output_shown": output,
        "left_out": int(len(answers) - len(usable)),
        **{name: sorted(candidates[name].astype(str).unique()) for name in ("model", "provenance", "dataset")},
    }
    with on_disk(folder):
        (folder / PAGES).mkdir(parents=True)
        for rater, items in key.groupby("rater"):
            shown = [_item(row, words, output=output) for row in usable.loc[items["row"]].to_dict("records")]
            data = {"study": study, "rater": int(rater), "items": shown}
            page = filled(__package__, "rate", {"title": html.escape(TITLE)}, [("items", data)])
            (folder / PAGES / f"rater{rater}.html").write_text("".join(page), encoding="utf-8")
        key[KEY].to_csv(folder / KEY_FILE, index=False, lineterminator="\n")
        (folder / ABOUT).write_text(json.dumps(about, indent=2, ensure_ascii=True) + "\n", encoding="utf-8")
    drawn = len(key[PROBLEM].drop_duplicates())
    return Study(folder, raters, drawn, tuple(sorted(key["method"].unique())), about["left_out"])


def _item(answer: dict, words: dict, *, output: bool) -> dict:
    """What a page shows of an answer: nothing that tells its method or verdict; every text made harmless."""
    problem = words[tuple(answer[name] for name in PROBLEM)]
    shown = {
        "question": clean(problem.question.text),
        "context": clean(problem.question.context) or None,
        "program": clean(answer["whole"]),
    }
    if output:
        printed = answer["output"] if isinstance(answer["output"], str) else ""
        ended = f"(it did not run to its end: {answer['status']})"
        shown["output"] = clean(printed) if answer["status"] == "ok" else ended
    return shown


def _with_programs(candidates: pd.DataFrame, folders: Sequence[Path]) -> pd.DataFrame:
    """The answers that runs ended with, with their `whole` programs, null where there is none or it is not known.

    That is what ran; of a toolbox, only what the program needs of it.
    """
    held = candidates[candidates["method"].astype(str).map(composer).notna()]
    proper = all_candidates(held)
    texts = candidates.assign(whole=None)
    texts.loc[proper.index, "whole"] = recorded_programs(proper, stated_settings(folders))
    said = selections(held).index
    texts.loc[said, "whole"] = [_alone(row) for row in candidates.loc[said].itertuples()]
    answers = ended_with(texts)
    known = answers["whole"].fillna("").ne("") & (answers["solution"].map(code_of) != "")
    whole = [_lean(row) if is_known else None for row, is_known in zip(answers.itertuples(), known, strict=True)]
    return answers.assign(whole=pd.Series(whole, answers.index, dtype=object)).reset_index(drop=True)


def _alone(row: object) -> str | None:
    """The program of a recorded selection, of which no toolbox is known; None where it needs one."""
    if "from toolbox" in f"{row.tools}{row.solution}":
        return None
    return composer(row.method)(row.solution, recorded_sources(row.tools), given_to_all(row.dataset))


def _lean(row: object) -> str:
    """A program without those of a toolbox's tools that it does not need."""
    if f"{TOOLBOX!a}" in row.whole:
        return _with_modules(row.whole)
    own = composer(row.method)(row.solution, recorded_sources(row.tools))
    toolbox = row.whole.removesuffix(own) if row.whole.endswith(own) else ""
    try:
        tools, wanted = ast.parse(toolbox).body, _names_read(ast.parse(own))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return row.whole
    kept: list[ast.stmt] = []
    while more := [tool for tool in tools if tool not in kept and _names_made(tool) & wanted]:  # one may need another
        kept += more
        wanted |= set().union(*map(_names_read, more))
    lines = toolbox.split("\n")
    shown = ["\n".join(lines[tool.lineno - 1 : tool.end_lineno]) for tool in tools if tool in kept]
    return "\n\n".join([*shown, own]).strip()


def _with_modules(program: str) -> str:
    """A program whose tools are modules as it reads: what stands before them, those that it names, its own code."""
    *_, toolbox, own = ast.parse(program).body
    sources = ast.literal_eval(toolbox.value.args[1].values[1])  # noqa: PD011
    code = own.value.args[0].args[0].value
    shown: dict[str, str] = {}
    while more := {n: s for n, s in sources.items() if n not in shown and n in "\n".join([code, *shown.values()])}:
        shown |= more
    first = "\n".join(program.split("\n")[: toolbox.lineno - 1]).strip()
    return "\n\n".join(filter(None, [first, *shown.values(), code]))


def _names_read(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} | {"*"}


def _names_made(statement: ast.stmt) -> set[str]:
    """The names that a statement of a toolbox makes; `*` for all that a module has."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {(alias.asname or alias.name).partition(".")[0] for alias in statement.names}
    return {statement.name} if isinstance(statement, ast.FunctionDef) else {"*"}
