"""The audit: do the papers' numbers add up, and does the official program do what the paper says?

It asks every check for its findings, with whatever is there: published tables always, recorded runs as given, the data
set, and what it is handed: a way to load prompts, to read the logs' texts, to run programs. What cannot be
computed here is left out, and `missing` says so. Runs of another model, or on other problems, judge no paper.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import NamedTuple

import pandas as pd

from papers.reeval import TROVE, budget, power_table
from papers.reeval import sides as sides_of
from papers.trove import demonstrations
from trove_lite.analysis.independence import independent_runs
from trove_lite.analysis.sides import Comparison
from trove_lite.candidates import all_candidates
from trove_lite.datasets import load_dataset
from trove_lite.datasets.base import Problem
from trove_lite.datasets.files import public_paths
from trove_lite.errors import TroveLiteError
from trove_lite.running.settings import PAPERS_MODEL

from .benefit import benefit_findings, import_findings, independence_findings, published_runs
from .creator import creator_program_findings
from .creator_latm import papers_findings
from .finding import Finding, as_table
from .latm import latm_program_findings
from .reeval import reevaluation_findings
from .rules import SWITCHES, golds_of, rule_effects, rule_findings, trimming_finding
from .trove_counts import counting_findings
from .worked_examples import leaks, prompt_findings, prompts_equal, run_examples

__all__ = ["Audit", "run_audit"]


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
    problems = _problems("math", missing)
    whole = all_candidates(candidates)
    texts = _texts(whole, problems, logs, missing)
    runs = independent_runs(whole if texts is None else texts)
    sides = sides_of(candidates, calls=calls)
    k = budget(sides, k)
    scope = _scope(candidates)
    golds = golds_of(problems if sides.dataset == "math" else _problems(sides.dataset, missing))
    found = [*reevaluation_findings(), *papers_findings(), *creator_program_findings(missing)]
    found += latm_program_findings(missing)
    with _opened(sandbox, missing) as box:
        effects, remarks = rule_effects(runs, golds or None, box)
        examples, rows = _worked_examples(prompts, problems, None if scope else sides, box, missing)
    found += [*rows, *independence_findings(candidates, "these runs" if scope else "public runs"), published_runs()]
    if not scope:
        if left := sorted(set(SWITCHES) - set(effects["rule"])):  # corrected together: one that is missing changes all
            missing.append(f"rules: findings not computed here, for lack of {', '.join(left)}")
        else:
            found += rule_findings(effects, remarks)
        found += [trimming_finding(whole), *import_findings(candidates)]
        found += benefit_findings(sides, k=k, seed=seed, resamples=resamples, longer=longer)
        found += counting_findings(candidates, kept)
    spread = power_table(sides, k=k, seed=seed, resamples=resamples)
    findings = as_table(found)
    if findings.duplicated(["section", "paper", "place", "check"]).any():
        raise AssertionError("two findings of the same name")
    return Audit(findings, effects, examples, spread, missing, scope)


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


def _worked_examples(
    prompts: Callable | None,
    problems: list[Problem],
    sides: Comparison | None,
    sandbox: object,
    missing: list[str],
) -> tuple[pd.DataFrame | None, list[Finding]]:
    """The released prompts' worked examples, and the findings about them; nothing where they are not here."""
    try:
        packs = {name: prompts(name, load_dataset("math")) for name in ("official", "own")} if prompts else {}
    except (TroveLiteError, ImportError) as error:
        missing.append(f"released prompts: {error}")
        return None, []
    if not packs or not problems:
        return None, []
    tables = {}
    for name, pack in packs.items():
        demos = demonstrations(pack)
        tables[name] = leaks(demos, problems)
        if sandbox is not None:
            tables[name] = run_examples(demos, tables[name], sandbox)
    rows = prompt_findings(
        tables["official"], problems=problems, own=tables["own"], sides=sides if sides and len(sides[TROVE]) else None
    )
    return tables["official"], [*rows, prompts_equal(packs["official"])]
