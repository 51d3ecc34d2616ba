"""The audit: do the papers' numbers add up, and does the official program do what the paper says?

It asks every check for its findings, with whatever is there: published tables always, recorded runs as given, the data
set, and what it is handed: a way to load prompts, to read the logs' texts, to run programs. What cannot be computed is
taken from the committed findings, and says so. Runs of another model, or on other problems, judge no paper.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
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
from .creator import NEEDS_DATA, creator_program_findings
from .creator_latm import papers_findings
from .finding import COLUMNS, Finding, as_table
from .latm import NEEDS_FILES, latm_program_findings
from .reeval import reevaluation_findings
from .rules import golds_of, rule_effects, rule_findings, trimming_finding
from .trove_counts import NEEDS_COUNTS, counting_findings
from .words import answer, as_markdown, paragraphs, ranking
from .worked_examples import leaks, prompt_findings, prompts_equal, run_examples

__all__ = ["Audit", "answer", "as_markdown", "paragraphs", "ranking", "read_findings", "run_audit"]

KEY = ["section", "paper", "place", "check"]
NEEDS_TEXTS = ("rule: number parsing",)
RULE = "rule: "  # how the findings on switched rules begin
NEEDS_SANDBOX = (
    "rule: first block",
    "the programs of worked examples run and print the right answer",
    "worked examples of our own pack are no test problems, and run",
)
NEEDS_PROBLEMS = (
    "sizes against the data set",
    "rule: graded number",
    "rule: regeneration grading",
    *NEEDS_TEXTS,
    *NEEDS_SANDBOX,
)


class Audit(NamedTuple):
    """`findings` has a column `source`: `computed`, or `committed copy` for what could not be computed here.

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
    committed: str | Path = "",
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
    missing, absent = [], set()
    problems = _problems("math", missing)
    whole = all_candidates(candidates)
    texts = _texts(whole, problems, logs, missing)
    runs = independent_runs(whole if texts is None else texts)
    sides = sides_of(candidates, calls=calls)
    k = budget(sides, k)
    scope = _scope(candidates)
    golds = golds_of(problems if sides.dataset == "math" else _problems(sides.dataset, missing))
    found = [*reevaluation_findings(problems=problems), *papers_findings(), *creator_program_findings(missing)]
    absent |= set(NEEDS_DATA) - {row.check for row in found}
    found += latm_program_findings(missing)
    absent |= set(NEEDS_FILES) - {row.check for row in found}
    absent |= set() if problems else set(NEEDS_PROBLEMS)
    absent |= set() if "output" in runs else {*NEEDS_TEXTS, "rule: first block"}
    with _opened(sandbox, missing) as box:
        absent |= set(NEEDS_SANDBOX) if box is None else set()
        effects, remarks = rule_effects(runs, golds or None, box)
        examples, rows = _worked_examples(prompts, problems, None if scope else sides, box, missing)
    found += [*rows, *independence_findings(candidates, "these runs" if scope else "public runs"), published_runs()]
    if not scope:
        found += [*rule_findings(effects, remarks), trimming_finding(whole), *import_findings(candidates)]
        found += benefit_findings(sides, k=k, seed=seed, resamples=resamples, longer=longer)
        found += counting_findings(candidates, kept)
        absent |= set(NEEDS_COUNTS) - {row.check for row in found}
    spread = power_table(sides, k=k, seed=seed, resamples=resamples)
    if any(check.startswith(RULE) for check in absent):  # corrected together: one that is missing changes all
        absent |= {row.check for row in found if row.check.startswith(RULE)}
    findings = as_table(found).assign(source="computed")
    if findings.duplicated(KEY).any():
        raise AssertionError("two findings of the same name")
    findings = _filled(findings, committed, absent, section=None if rows else 4, judges=not scope)
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


def read_findings(path: str | Path) -> pd.DataFrame:
    """Findings as the notebook saved them. Raises TroveLiteError where the file is not such a table."""
    try:
        table = pd.read_csv(path, keep_default_na=False)
    except (OSError, pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise TroveLiteError(f"{path}: cannot be read ({type(error).__name__}); run the audit notebook") from error
    if lacking := [name for name in COLUMNS if name not in table]:
        raise TroveLiteError(f"{path}: lacks the columns {', '.join(lacking)}; run the audit notebook")
    return table[COLUMNS]


def _filled(
    findings: pd.DataFrame, committed: str | Path, absent: set[str], section: int | None, *, judges: bool
) -> pd.DataFrame:
    """Findings with the committed ones of checks that could not be made here, or only in part.

    What was found on the recorded runs stands for no runs that judge no paper.
    """
    if not committed or not Path(committed).is_file():
        return findings
    copy = read_findings(committed)
    copy = copy[copy["check"].isin(absent) | (copy["section"] == section)].assign(source="committed copy")
    if not judges:
        copy = copy[(copy["paper"] != "public runs") & ~copy["check"].str.startswith("rule: ")]
    both = pd.concat([copy, findings], ignore_index=True).drop_duplicates(KEY)
    order = as_table([Finding(*row) for row in both[COLUMNS].itertuples(index=False)])
    return order.merge(both[[*KEY, "source"]], on=KEY)


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
