"""The audit: do the papers' numbers add up, and does the official program do what the paper says?

It asks every check for its findings, with whatever is there: published tables always, recorded runs as given, the data
set, the released prompts, the logs' texts and a sandbox where they can be had. What cannot be computed is taken from
the committed findings, and says so.
"""

from pathlib import Path
from typing import NamedTuple

import pandas as pd

from ..analysis.independence import independent_runs
from ..analysis.study import DATASET_NAMES, Study
from ..datasets import load_dataset
from ..datasets.base import Problem
from ..datasets.files import public_paths
from ..errors import TroveLiteError
from ..recorded.official_logs import import_logs
from .benefit import benefit_findings, independence_findings, power, published_runs
from .creator_latm import papers_findings
from .finding import COLUMNS, Finding, as_table
from .reeval import reevaluation_findings
from .rules import golds_of, rule_effects, rule_findings, trimming_finding
from .worked_examples import demonstrations, leaks, prompt_findings, prompts_equal, run_examples

SECTIONS = {
    1: "The re-evaluation's arithmetic",
    2: "TroVE's, CREATOR's and LATM's arithmetic",
    3: "Paper against program",
    4: "Worked examples: leaks and faults",
    5: "Are five runs five?",
    6: "Does tool-making help?",
}
KEY = ["section", "paper", "place", "check"]
NEEDS_TEXTS = ("rule: number parsing",)
NEEDS_SANDBOX = ("rule: first block", "the programs of worked examples run and print the right answer",
                 "worked examples of our own pack are no test problems, and run")  # fmt: skip
NEEDS_PROBLEMS = ("sizes against the data set", "rule: graded number", "rule: regeneration grading", *NEEDS_TEXTS,
                  *NEEDS_SANDBOX)  # fmt: skip


class Audit(NamedTuple):
    """`findings` has a column `source`: `computed`, or `committed copy` for what could not be computed here.

    `effects` are the switched rules by category, `examples` the released prompts' worked examples (None without
    prompts), `power` the numbers behind the finding of that name (None without both sides); `missing` says why each
    thing that is not here is not.
    """

    findings: pd.DataFrame
    effects: pd.DataFrame
    examples: pd.DataFrame | None
    power: pd.DataFrame | None
    missing: list[str]


def run_audit(
    candidates: pd.DataFrame, *, k: int = 15, margin: float = 0.01, seed: int = 0, resamples: int = 100,
    execute: bool = True, committed: str | Path = "", longer: pd.DataFrame | None = None,
) -> Audit:  # fmt: skip
    """Every finding about the papers and these runs. `execute`: run programs, in the sandbox, where there is one.

    longer: candidates of PRIMITIVE with more calls, for the comparison at matched tokens.
    """
    missing, absent = [], set()
    problems = _problems("math", missing)
    texts = _texts(candidates, problems, missing)
    runs = independent_runs(candidates if texts is None else texts)
    study = Study.of(candidates)
    on_math = study.dataset == "math"
    golds = golds_of(problems if on_math else _problems(study.dataset, missing))
    found = [*reevaluation_findings(problems=problems), *papers_findings()]
    absent |= set() if problems else set(NEEDS_PROBLEMS)
    absent |= set() if "output" in runs else {*NEEDS_TEXTS, "rule: first block"}
    with _sandbox(execute, missing) as sandbox:
        absent |= set(NEEDS_SANDBOX) if sandbox is None else set()
        effects, remarks = rule_effects(runs, golds or None, sandbox)
        found += [*rule_findings(effects, remarks), trimming_finding(runs)]
        examples, rows = _prompts(problems, study if on_math else None, sandbox, missing)
    found += [*rows, *independence_findings(candidates), published_runs()]
    found += benefit_findings(study, k=k, margin=margin, seed=seed, resamples=resamples, longer=longer)
    whole = len(study.trove) > 0 and len(study.primitive) > 0
    spread = power(study, k=k, margin=margin, seed=seed, resamples=resamples) if whole else None
    findings = as_table(found).assign(source="computed")
    if findings.duplicated(KEY).any():
        raise AssertionError("two findings of the same name")
    findings = _filled(findings, committed, absent, section=None if rows else 4, on_math=on_math)
    return Audit(findings, effects, examples, spread, missing)


def paragraphs(findings: pd.DataFrame, section: int) -> str:
    """The findings of a section as Markdown, one short paragraph each, every number from the row."""
    parts = []
    for row in findings[findings["section"] == section].itertuples():
        copy = " *(committed copy)*" if getattr(row, "source", "computed") != "computed" else ""
        note = f" {row.note[0].upper()}{row.note[1:]}." if row.note else ""
        parts.append(
            f"**{row.verdict.capitalize()}** – {row.paper}, {row.place}: *{row.check}*.{copy} "
            f"Stated: {row.stated}. Computed: {row.computed}.{note}"
        )
    text = "\n\n".join(parts) or "Nothing to show for these runs."
    return text.replace("$", r"\$").replace("~", r"\~").replace("_", r"\_")


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
    findings: pd.DataFrame, committed: str | Path, absent: set[str], section: int | None, *, on_math: bool
) -> pd.DataFrame:
    """Findings with the committed ones of checks that could not be made here, or only in part.

    What was found on the recorded runs of MATH stands for no runs on other problems.
    """
    if not committed or not Path(committed).is_file():
        return findings
    copy = read_findings(committed)
    copy = copy[copy["check"].isin(absent) | (copy["section"] == section)].assign(source="committed copy")
    if not on_math:
        copy = copy[(copy["paper"] != "public runs") & ~copy["check"].str.startswith("rule: ")]
    both = pd.concat([copy, findings], ignore_index=True).drop_duplicates(KEY)
    order = as_table([Finding(*row) for row in both[COLUMNS].itertuples(index=False)])
    return order.merge(both[[*KEY, "source"]], on=KEY)


def _problems(dataset: str, missing: list[str]) -> list[Problem]:
    try:
        found = load_dataset(dataset)
        return [problem for category in found.categories for problem in found.load(category)]
    except TroveLiteError as error:
        missing.append(f"problems of {DATASET_NAMES[dataset]}: {error}")
        return []


def _texts(candidates: pd.DataFrame, problems: list[Problem], missing: list[str]) -> pd.DataFrame | None:
    """The same runs with texts: as given, or read from the public logs where these are what was given."""
    if "solution" in candidates:
        return candidates
    logs = public_paths("logs", ".md")
    if not problems or not logs or not all(log.is_file() for log in logs):
        missing.append("texts of the runs: no run folder given, and no logs here; run `trove-lite fetch math logs`")
        return None
    table, _ = import_logs(logs, problems, progress=False)
    key = ["run", "category", "problem", "phase", "mode", "sample", "program"]
    same = table.astype({"run": str, "category": str, "phase": str, "mode": str})[key]
    given = candidates.astype({"run": str, "category": str, "phase": str, "mode": str})[key]
    if len(same) != len(given) or len(same.merge(given, on=key)) != len(given):
        missing.append("texts of the runs: outcomes of other runs than the public logs; give their run folder")
        return None
    return table


class _sandbox:
    """The sandbox as a context, or None where programs cannot or should not be run."""

    def __init__(self, execute: bool, missing: list[str]):
        self.execute, self.missing, self.inner = execute, missing, None

    def __enter__(self) -> object:
        if not self.execute:
            self.missing.append("programs: not run, as asked")
            return None
        from ..sandbox.pool import Sandbox

        try:
            self.inner = Sandbox(time_limit=5)
            return self.inner.__enter__()
        except RuntimeError as error:  # no isolation on this machine
            self.inner = None
            self.missing.append(f"programs: not run: {str(error).splitlines()[0]}")
            return None

    def __exit__(self, *details: object) -> None:
        if self.inner is not None:
            self.inner.__exit__(*details)


def _prompts(
    problems: list[Problem], study: Study | None, sandbox: object, missing: list[str]
) -> tuple[pd.DataFrame | None, list[Finding]]:
    """The released prompts' worked examples, and the findings about them; nothing where they are not here."""
    from ..prompts import load_pack

    try:
        packs = {name: load_pack(name, load_dataset("math")) for name in ("official", "own")}
    except (TroveLiteError, ImportError) as error:
        missing.append(f"released prompts: {error}")
        return None, []
    if not problems:
        return None, []
    tables = {}
    for name, pack in packs.items():
        demos = demonstrations(pack)
        tables[name] = leaks(demos, problems)
        if sandbox is not None:
            tables[name] = run_examples(demos, tables[name], sandbox)
    rows = prompt_findings(tables["official"], problems=problems, own=tables["own"],
                           study=study if study and len(study.trove) else None)  # fmt: skip
    return tables["official"], [*rows, prompts_equal(packs["official"])]
