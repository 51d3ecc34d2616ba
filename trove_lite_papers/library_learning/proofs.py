"""LEGO-Prover beside Draft-Sketch-Prove on miniF2F, as "LLM Library Learning Fails" ran them → first proofs.

LEGO-Prover keeps a library of lemmas; DSP, the same prover, keeps none. A file holds the attempt at which a problem
was first proved, checked by Isabelle; a problem that nobody proved is in none, so the lists of problems are
given here (`minif2f.csv`; aime1983_2 and aime_1983_p2 are one). Tokens are those of runs: an attempt costs their mean,
as the authors reckon. The files hold no program, so these are no candidates.
Source: github.com/ikb-a/llm_lib_learning_fails, `data_analysis/*.csv` (MIT).
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from trove_lite.errors import DamagedFile

LISTED = Path(__file__).with_name("minif2f.csv")
RUNS = 3
SIDES = {"lp": "lego_prover", "dsp": "dsp"}


class Experiment(NamedTuple):
    """A model on a list of problems: by side, a file without its ending, and how many attempts a problem had at most,
    which the authors' own plot gives."""

    model: str
    problems: str
    lp: tuple[str, int]
    dsp: tuple[str, int]


EXPERIMENTS = (
    Experiment("gpt-4o-mini", "test", ("exp1", 100), ("exp1", 100)),
    Experiment("gpt-4o", "test12", ("exp3_gpt4o", 50), ("exp3b_gpt4o", 200)),
    Experiment("gpt-4o", "test24", ("exp4_gpt4o", 50), ("exp4b_gpt4o", 250)),
    Experiment("gpt-4o", "test49", ("exp5_gpt4o", 50), ("exp5b_gpt4o", 250)),
    Experiment("o3-mini", "test12", ("exp3_o3_mini", 50), ("exp3_o3_mini", 50)),
    Experiment("o3-mini", "test24", ("exp4_o3_mini", 50), ("exp4b_o3_mini", 250)),
    Experiment(
        "llama-3.1-8b",
        "test",
        ("llama3.1_full_lp", 50),
        ("llama3.1_full_dsp_232atts_premature", 232),
    ),
    Experiment("llama-3.1-8b", "test24", ("llama3.1_10perc", 50), ("llama3.1_10perc", 300)),
    Experiment("qwen3-14b", "test24", ("qwen3_lp_10perc", 50), ("qwen3_dsp_10prec", 300)),
)


def proofs(folder: Path) -> pd.DataFrame:
    """A row a problem, run and side of each experiment: `attempt`, the first that proved it (null: none did), of
    `attempts` at most, and `tokens` an attempt at all problems of the list costs, read and written."""
    listed = pd.read_csv(LISTED)
    parts = []
    for experiment in EXPERIMENTS:
        names = sorted(map(plain, listed.loc[listed["list"] == experiment.problems, "problem"]))
        for side in SIDES:
            parts += _side(folder, experiment, side, names)
    return pd.concat(parts, ignore_index=True).astype({"attempt": "Int32"})


def _side(
    folder: Path, experiment: Experiment, side: str, names: list[str]
) -> Iterator[pd.DataFrame]:
    stem, attempts = getattr(experiment, side)
    rows = _of_side(folder / f"{stem}.csv", side, experiment.problems)
    found = rows["successful_problem"].map(plain)
    if strange := sorted(set(found) - set(names)):
        raise DamagedFile(
            f"{folder / stem}.csv: '{strange[0]}' is not in the list {experiment.problems}; fetch it again"
        )
    used = _of_side(tokens_file(folder, stem), side, experiment.problems)
    tokens = 1e6 * used[["in_M", "out_M"]].to_numpy().sum() / RUNS / attempts
    for run in range(RUNS):
        here = (rows["run"] == run + 1).to_numpy()
        first = pd.Series(rows["problem_attempt"][here].to_numpy(), index=found[here])
        yield pd.DataFrame(
            {
                "model": experiment.model,
                "list": experiment.problems,
                "method": SIDES[side],
                "run": f"{SIDES[side]}_{experiment.model}_seed{run}",
                "problem": np.arange(len(names)),
                "attempt": first.reindex(names).to_numpy(),
                "attempts": attempts,
                "tokens": tokens,
            }
        )


def _of_side(file: Path, side: str, problems: str) -> pd.DataFrame:
    table = pd.read_csv(file, skipinitialspace=True)
    return table[(table["model"] == side) & (table["dataset"] == problems)].reset_index(drop=True)


def tokens_file(folder: Path, stem: str) -> Path:
    """The file of tokens beside a file of proofs, of two endings."""
    named = [folder / f"{stem}{ending}.csv" for ending in ("_tok_use", "_token")]
    return next((file for file in named if file.exists()), named[0])


def plain(name: str) -> str:
    """One name of a problem that is written in two ways."""
    return re.sub(r"_p(\d+)$", r"_\1", re.sub(r"^aime_(?=\d)", "aime", name))
