"""LEGO-Prover beside Draft-Sketch-Prove on miniF2F, as "LLM Library Learning Fails" ran them →
first proofs.

LEGO-Prover keeps a library of lemmas; DSP, the same prover, keeps none. A file holds the attempt at
which a problem was first proved, checked by Isabelle; a problem that nobody proved is in none, so
the lists of problems are given here (`minif2f.csv`; aime1983_2 and aime_1983_p2 are one). Tokens
are those of runs: an attempt costs their mean, as the authors reckon. The files hold no program, so
these are no candidates.
Source: github.com/ikb-a/llm_lib_learning_fails, `data_analysis/*.csv` (MIT).
"""

import re
from pathlib import Path

import numpy as np
import pandas as pd

from trove_lite.errors import DamagedFile

LISTED = Path(__file__).with_name("minif2f.csv")
#: A row a model, list and system: its file without the ending, and how many attempts a problem had at
#: most, which the authors' own plot says.
EXPERIMENTS = Path(__file__).with_name("experiments.csv")
RUNS = 3
SYSTEMS = {"lego_prover": "lp", "dsp": "dsp"}


def proofs(folder: Path) -> pd.DataFrame:
    """A row a problem, run and system of each experiment: `attempt`, the first that proved it (null:
    none did), of `attempts` at most, and `tokens` an attempt at all `problems` of the list costs,
    read and written."""
    listed = pd.read_csv(LISTED).groupby("list")["problem"]
    parts = []
    for system in pd.read_csv(EXPERIMENTS).itertuples():
        names = sorted(map(plain, listed.get_group(system.list)))
        first = first_proofs(folder / f"{system.file}.csv", system, names)
        used = rows_of(tokens_file(folder, system.file), system)[["in_M", "out_M"]].to_numpy().sum()
        parts.append(
            first.assign(
                model=system.model,
                list=system.list,
                method=system.method,
                attempts=system.attempts,
                problems=len(names),
                tokens=1e6 * used / RUNS / system.attempts,
            )
        )
    return pd.concat(parts, ignore_index=True).astype({"attempt": "Int32"})


def first_proofs(file: Path, system: tuple, names: list[str]) -> pd.DataFrame:
    """A row a run and problem, numbered in the order of `names`. Raises DamagedFile for a name that
    is not of them."""
    rows = rows_of(file, system)
    rows = rows.assign(problem=rows["successful_problem"].map(plain))
    if strange := sorted({*rows["problem"]} - {*names}):
        what = f"'{strange[0]}' is not in the list {system.list}"
        raise DamagedFile(f"{file}: {what}; fetch it again")
    parts = []
    for run in range(RUNS):
        here = rows[rows["run"] == run + 1].set_index("problem")["problem_attempt"]
        part = {"problem": np.arange(len(names)), "attempt": here.reindex(names).to_numpy()}
        parts.append(pd.DataFrame(part).assign(run=f"{system.method}_{system.model}_seed{run}"))
    return pd.concat(parts, ignore_index=True)


def rows_of(file: Path, system: tuple) -> pd.DataFrame:
    """A file's rows of this system and list."""
    table = pd.read_csv(file, skipinitialspace=True)
    known = (table["model"] == SYSTEMS[system.method]) & (table["dataset"] == system.list)
    return table[known]


def tokens_file(folder: Path, stem: str) -> Path:
    """The file of tokens beside a file of proofs, of two endings."""
    named = [folder / f"{stem}{ending}.csv" for ending in ("_tok_use", "_token")]
    return next((file for file in named if file.exists()), named[0])


def plain(name: str) -> str:
    """One name of a problem that is written in two ways."""
    return re.sub(r"_p(\d+)$", r"_\1", re.sub(r"^aime_(?=\d)", "aime", name))
