"""The audit: do the papers' numbers add up, and does the official program do what the paper says?

It asks every check (`finding`) that finds what it needs; what cannot be computed here is left out, and `missing` says
so. It is one folder and not a part of each paper's, since some checks set two papers side by side.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from inspect import signature
from typing import Any, NamedTuple

import pandas as pd

from trove_lite.candidates import all_candidates
from trove_lite.datasets import load_dataset
from trove_lite.datasets.base import Problem
from trove_lite.datasets.files import pinned_records, public_paths
from trove_lite.errors import TroveLiteError
from trove_lite.running.settings import PAPERS_MODEL
from trove_lite_analysis.independence import independent_runs
from trove_lite_analysis.kept_tools import KEPT
from trove_lite_analysis.sides import Comparison
from trove_lite_papers.creator import creation_challenge
from trove_lite_papers.latm import bbh
from trove_lite_papers.latm.made_tools import transcript
from trove_lite_papers.reeval import PRIMITIVE, TROVE, budget, by_the_kit, differences, power_table
from trove_lite_papers.reeval import sides as sides_of
from trove_lite_papers.trove import (
    counted_otherwise,
    demonstrations,
    recorded_selection,
    table2_explained,
)

from . import benefit, creator, examples, finding, latm, printed, reeval, rules, trove
from .finding import Finding, as_table, read_findings

__all__ = ["Audit", "run_audit"]

#: What checks need of public files: its name in them, what it is, and how it is read where it is here.
FILES = {
    "inputs": ("inputs of CREATOR's data sets", creator.golds_in_inputs),
    "records": (
        "records of CREATOR",
        lambda: pinned_records(creation_challenge.NAME, creation_challenge.FILE),
    ),
    "golds": ("all 5,000 answers of CREATOR's MATH", creator.whole_math),
    "items": ("LATM's tasks", lambda: {task: bbh.items(task) for task in bbh.FILES}),
    "chats": (
        "LATM's released chats",
        lambda: {task: latm.Chat.of(transcript(task)) for task in bbh.FILES},
    ),
}

#: id → its check: the function of that name, of which `switched_rules` makes a finding for each rule.
CHECKS: dict[str, Callable] = {
    name: thing
    for module in (benefit, creator, examples, latm, printed, reeval, rules, trove)
    for name, thing in vars(module).items()
    if name in finding.WORDS.index or name == "switched_rules"
} | {name: partial(printed.one_number, read) for name, read in printed.ONE_NUMBER.items()}


class Audit(NamedTuple):
    """What `run_audit` found: `findings`, the weightiest first, and the tables behind them."""

    findings: pd.DataFrame
    effects: pd.DataFrame  # of the switched rules
    examples: pd.DataFrame | None  # the released prompts' worked ones; None without prompts
    power: pd.DataFrame
    missing: list[str]  # why each thing that is not here is not
    scope: str  # why these runs judge no paper; "" where they do


def run_audit(
    candidates: pd.DataFrame, *, k: int | None = None, seed: int = 0, resamples: int = 100,
    calls: pd.DataFrame | None = None, longer: Comparison | None = None, kept: pd.DataFrame | None = None,
    prompts: Callable | None = None, logs: Callable | None = None,
    sandbox: Callable[[], AbstractContextManager] | None = None,
) -> Audit:  # fmt: skip
    """Every finding about the papers and these runs, from all that is at hand.

    k: calls a problem (None: the papers' 15, or as many as both sides have); calls: the runs' requests; longer: sides
    with PRIMITIVE runs of more calls, to match tokens; kept: what toolboxes held (`trove_lite.toolboxes`). Handed over,
    or done without: `prompts` (`load_pack`), `logs` (`import_logs`) and `sandbox`, which opens one to run programs in.
    """
    missing = []
    scope = _scope(candidates)
    sides = sides_of(candidates, calls=calls)
    how = {"k": budget(sides, k), "seed": seed, "resamples": resamples}
    problems = _known(missing, "problems of math", lambda: problems_of("math"))
    name = sides.dataset
    own = (
        problems
        if name == "math"
        else _known(missing, f"problems of {name}", lambda: problems_of(name))
    )
    evidence = {"candidates": candidates, "whose": "these runs" if scope else "public runs"}
    files = {name: _known(missing, what, read) for name, (what, read) in FILES.items()}
    evidence |= {name: found for name, found in files.items() if found is not None}
    texts = _texts(candidates, problems, logs, missing)
    if sandbox is None:
        missing.append("programs: not run, as asked")
    with ExitStack() as stack:
        box = (
            _known(missing, "programs: not run", lambda: stack.enter_context(sandbox()))
            if sandbox
            else None
        )
        effects, remarks = rules.rule_effects(
            independent_runs(texts), rules.golds_of(own or ()) or None, box
        )
        if prompts and problems:
            evidence |= (
                _known(
                    missing, "released prompts", lambda: _worked_examples(prompts, problems, box)
                )
                or {}
            )
    spread = power_table(sides, **how)
    if not scope:
        kept = pd.DataFrame(columns=KEPT) if kept is None else kept
        evidence |= {
            "runs": candidates,
            "kept": kept,
            "explained": table2_explained(candidates, kept),
        }
        evidence |= {
            "counted": counted_otherwise(candidates),
            "selected": recorded_selection(candidates),
        }
        if left := sorted(rules.AGREES.keys() - set(effects["rule"])):  # corrected together
            missing.append(f"rules: findings not computed here, for lack of {', '.join(left)}")
        else:
            evidence |= {"effects": effects, "remarks": remarks}
        if len(sides[TROVE]) and len(sides[PRIMITIVE]):
            evidence |= how | {"sides": sides, "longer": longer, "spread": spread}
            evidence["paired"] = differences(sides, by_the_kit(sides, **how), k=how.get("k"))
    findings = as_table([*findings_of(evidence), *read_findings()])
    return Audit(findings, effects, evidence.get("examples"), spread, missing, scope)


def findings_of(evidence: Mapping[str, object], *names: str) -> list[Finding]:
    """What these checks find, or all; one that needs what is not in the evidence is left out."""
    found = []
    for name in names or CHECKS:
        needs = signature(CHECKS[name]).parameters
        if needs.keys() <= evidence.keys():
            answers = CHECKS[name](**{need: evidence[need] for need in needs})
            each = [answers] if isinstance(answers, tuple) else answers
            found += [
                one if isinstance(one, Finding) else finding.finding(name, *one) for one in each
            ]
    return found


def _known(missing: list[str], what: str, read: Callable[[], Any]) -> Any:
    """What `read` gives; None, and a line in `missing`, where it is not here."""
    try:
        return read()
    except (TroveLiteError, ImportError, RuntimeError) as error:
        missing.append(f"{what}: {error}")
        return None


def _scope(candidates: pd.DataFrame) -> str:
    """Why these runs say nothing about the papers, in one line; "" for runs of the papers' model and data."""
    theirs = PAPERS_MODEL.rpartition("/")[2]
    models, data = (
        sorted(candidates[column].astype(str).unique()) for column in ("model", "dataset")
    )
    if data == ["math"] and {model.rpartition("/")[2] for model in models} <= {theirs}:
        return ""
    ours = (
        f"they are of {', '.join(models)} on {', '.join(data)}, and the papers' of {theirs} on math"
    )
    return (
        f"no paper is judged by these runs: {ours}; their numbers stand in rules.csv and power.csv"
    )


def problems_of(dataset: str) -> list[Problem]:
    found = load_dataset(dataset)
    return [problem for category in found.categories for problem in found.load(category)]


def _texts(
    candidates: pd.DataFrame, problems: Sequence | None, read: Callable | None, missing: list
) -> pd.DataFrame:
    """The same runs with texts where they have them, or where they were read from the public logs that are here."""
    given = all_candidates(candidates)
    if "solution" in given:
        return given
    paths = [path for path in public_paths("logs", ".md") if path.is_file()]
    if read is None or not problems or not paths:
        missing.append(
            "texts of the runs: no run folder given, and no logs here; run `trove-lite fetch math logs`"
        )
        return given
    if not _scope(candidates):  # known before all logs are read
        table = read(paths, problems, progress=False)[0]
        texts = ["run", "category", "phase", "mode"]
        theirs, ours = (frame.astype(dict.fromkeys(texts, str)) for frame in (table, given))
        known = theirs.set_index(texts[:2]).index.isin(ours.set_index(texts[:2]).index)
        key = [*texts, "problem", "sample", "program"]
        if known.sum() == len(given) == len(theirs.loc[known, key].merge(ours[key], on=key)):
            return table[known]
    missing.append(
        "texts of the runs: outcomes of other runs than the logs here; give their run folder"
    )
    return given


def _worked_examples(prompts: Callable, problems: list[Problem], box: object) -> dict[str, object]:
    packs = [prompts(name, load_dataset("math")) for name in ("official", "own")]
    tables = []
    for demos in map(demonstrations, packs):
        table = examples.leaks(demos, problems)
        tables.append(table if box is None else examples.run_examples(demos, table, box))
    return {"pack": packs[0], "examples": tables[0], "own": tables[1], "problems": problems}
