"""The audit: do the papers' numbers add up, and does the official program do what the paper says?

It asks every check (`finding.check`) that finds what it needs: published tables always, recorded runs as given, public
files that are here, and what it is handed: a way to load prompts, to read the logs' texts, to run programs. What cannot
be computed here is left out, and `missing` says so. Runs of another model, or on other problems, judge no paper.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import NamedTuple

import pandas as pd

from papers.reeval import PRIMITIVE, TROVE, budget, differences, power_table
from papers.reeval import sides as sides_of
from papers.trove import counted_otherwise, demonstrations, recorded_selection, table2_explained
from trove_lite.analysis.independence import independent_runs
from trove_lite.analysis.sides import Comparison
from trove_lite.candidates import all_candidates
from trove_lite.datasets import bbh, creation_challenge, load_dataset
from trove_lite.datasets.base import Problem
from trove_lite.datasets.files import pinned_records, public_paths
from trove_lite.errors import TroveLiteError
from trove_lite.running.settings import PAPERS_MODEL

from . import benefit as benefit
from . import counts as counts
from . import reeval as reeval
from . import repeated as repeated
from . import several as several
from . import trove as trove
from .creator import golds_in_inputs, whole_math
from .examples import leaks, run_examples
from .finding import as_table, findings_of, read_findings
from .latm import released_chats, released_sizes
from .printed import as_printed
from .rules import AGREES, golds_of, rule_effects

__all__ = ["Audit", "run_audit"]

KEPT = ["run", "method", "category", "name", "signature"]
#: What checks need of public files: its name in them, what it is, and how it is read where it is here.
FILES = {
    "inputs": ("inputs of CREATOR's data sets", golds_in_inputs),
    "records": ("records of CREATOR", lambda: pinned_records(creation_challenge.NAME, creation_challenge.FILE)),
    "golds": ("all 5,000 answers of CREATOR's MATH", whole_math),
    "items": ("LATM's tasks", lambda: {task: bbh.items(task) for task in bbh.FILES}),
    "chats": ("LATM's released chats", released_chats),
    "sizes": ("LATM's tools and examples", released_sizes),
}


class Audit(NamedTuple):
    """What `run_audit` found: `findings`, the weightiest first, and the tables behind them.

    `effects` are the switched rules by method and category, `examples` the released prompts' worked examples (None
    without prompts), `power` the numbers behind the finding of that name; `missing` says why each thing that is not
    here is not, and `scope` in one line why these runs judge no paper ("" where they do).
    """

    findings: pd.DataFrame
    effects: pd.DataFrame
    examples: pd.DataFrame | None
    power: pd.DataFrame
    missing: list[str]
    scope: str


def run_audit(
    candidates: pd.DataFrame,
    *,
    k: int | None = None,
    seed: int = 0,
    resamples: int = 100,
    calls: pd.DataFrame | None = None,
    longer: Comparison | None = None,
    kept: pd.DataFrame | None = None,
    prompts: Callable | None = None,
    logs: Callable | None = None,
    sandbox: Callable[[], AbstractContextManager] | None = None,
) -> Audit:
    """Every finding about the papers and these runs, from all that is at hand.

    k: calls a problem (None: the papers' 15, or as many as both sides have); calls: the runs' requests, where they are
    known; longer: sides with PRIMITIVE runs of more calls, for the comparison at matched tokens; kept: what toolboxes
    held when the runs ended (`papers.trove.toolboxes`). Handed over, or else
    done without: `prompts` (`prompts.load_pack`), `logs` (`recorded.official_logs.import_logs`) and `sandbox`, which
    opens one to run programs in (`sandbox.pool.Sandbox`).
    """
    missing = []
    evidence = {"look": as_printed()}
    for name, (what, read) in FILES.items():
        try:
            evidence[name] = read()
        except TroveLiteError as error:
            missing.append(f"{what}: {error}")
    problems = _problems("math", missing)
    whole = all_candidates(candidates)
    texts = _texts(whole, problems, logs, missing)
    runs = independent_runs(whole if texts is None else texts)
    sides = sides_of(candidates, calls=calls)
    scope, how = _scope(candidates), {"k": budget(sides, k), "seed": seed, "resamples": resamples}
    golds = golds_of(problems if sides.dataset == "math" else _problems(sides.dataset, missing))
    with _opened(sandbox, missing) as box:
        effects, remarks = rule_effects(runs, golds or None, box)
        evidence |= _worked_examples(prompts, problems, box, missing)
    spread = power_table(sides, **how)
    evidence |= {"candidates": candidates, "whose": "these runs" if scope else "public runs"}
    if not scope:
        kept = pd.DataFrame(columns=KEPT) if kept is None else kept
        evidence |= {"runs": candidates, "stream": whole, "kept": kept, "explained": table2_explained(candidates, kept)}
        evidence |= {"counted": counted_otherwise(candidates), "selected": recorded_selection(candidates)}
        if left := sorted(AGREES.keys() - set(effects["rule"])):  # corrected together: one that is missing changes all
            missing.append(f"rules: findings not computed here, for lack of {', '.join(left)}")
        else:
            evidence |= {"effects": effects, "remarks": remarks}
        if len(sides[TROVE]) and len(sides[PRIMITIVE]):
            evidence |= how | {"sides": sides, "longer": longer, "spread": spread}
            evidence["paired"] = differences(sides, **how)
    findings = as_table([*findings_of(evidence), *read_findings()])
    if findings.duplicated(["section", "paper", "place", "check"]).any():
        raise AssertionError("two findings of the same name")
    return Audit(findings, effects, evidence.get("examples"), spread, missing, scope)


def _scope(candidates: pd.DataFrame) -> str:
    """Why these runs say nothing about the papers, in one line; "" for runs of the papers' model and data."""
    theirs = PAPERS_MODEL.rpartition("/")[2]
    models, data = (sorted(candidates[column].astype(str).unique()) for column in ("model", "dataset"))
    if data == ["math"] and all(model.rpartition("/")[2] == theirs for model in models):
        return ""
    return (
        f"no paper is judged by these runs: they are of {', '.join(models)} on {', '.join(data)}, and the papers' of "
        f"{theirs} on math; their numbers stand in rules.csv and power.csv"
    )


def _problems(dataset: str, missing: list[str]) -> list[Problem]:
    try:
        found = load_dataset(dataset)
        return [problem for category in found.categories for problem in found.load(category)]
    except TroveLiteError as error:
        missing.append(f"problems of {dataset}: {error}")
        return []


def _texts(
    candidates: pd.DataFrame, problems: list[Problem], read: Callable | None, missing: list[str]
) -> pd.DataFrame | None:
    """The same runs with texts: as given, or read from the public logs where these are what was given."""
    if "solution" in candidates:
        return candidates
    paths = [path for path in public_paths("logs", ".md") if path.is_file()]
    if read is None or not problems or not paths:
        missing.append("texts of the runs: no run folder given, and no logs here; run `trove-lite fetch math logs`")
        return None
    others = "texts of the runs: outcomes of other runs than the logs here; give their run folder"
    if _scope(candidates):  # known before all logs are read
        missing.append(others)
        return None
    table, _ = read(paths, problems, progress=False)
    key = ["run", "category", "problem", "phase", "mode", "sample", "program"]
    texts = ["run", "category", "phase", "mode"]
    theirs, given = (frame.astype(dict.fromkeys(texts, str)) for frame in (table, candidates))
    asked = (
        theirs.merge(given[texts[:2]].drop_duplicates(), on=texts[:2], how="left", indicator=True)["_merge"] == "both"
    )
    table = table[asked.to_numpy()]
    if len(table) != len(given) or len(theirs[key].merge(given[key], on=key)) != len(given):
        missing.append(others)
        return None
    return table


@contextmanager
def _opened(sandbox: Callable[[], AbstractContextManager] | None, missing: list[str]) -> Iterator[object]:
    """A sandbox, or None where programs cannot or should not be run."""
    with ExitStack() as stack:
        box = None
        try:
            box = stack.enter_context(sandbox()) if sandbox else missing.append("programs: not run, as asked")
        except (TroveLiteError, RuntimeError) as error:  # no isolation on this machine
            missing.append(f"programs: not run: {str(error).splitlines()[0]}")
        yield box


def _worked_examples(prompts: Callable | None, problems: list[Problem], box: object, missing: list[str]) -> dict:
    """The released prompts' pack, and the worked examples of theirs and ours; nothing where they are not here."""
    try:
        packs = {name: prompts(name, load_dataset("math")) for name in ("official", "own")} if prompts else {}
    except (TroveLiteError, ImportError) as error:
        missing.append(f"released prompts: {error}")
        return {}
    if not packs or not problems:
        return {}
    tables = {}
    for name, pack in packs.items():
        demos = demonstrations(pack)
        tables[name] = leaks(demos, problems)
        if box is not None:
            tables[name] = run_examples(demos, tables[name], box)
    return {"pack": packs["official"], "examples": tables["official"], "own": tables["own"], "problems": problems}
