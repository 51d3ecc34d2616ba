"""The published logs as tables: made from what `trove-lite fetch math strong` brings, kept in
`results/strong`, read.

`outcomes.parquet` and `calls.parquet` are the kit's tables, without text; of the second, rows of
stage `make` made the functions. `talks.parquet` has beside each outcome what those have no column
for, `proofs.parquet` the first proofs.
"""

from collections.abc import Collection
from functools import partial
from pathlib import Path

import pandas as pd

from trove_lite.candidates import calls_of, load_calls, load_candidates, outcomes, save_table
from trove_lite.datasets.files import data_folder
from trove_lite.errors import UsageError
from trove_lite.journal import write_atomically

from . import cheatsheet, proofs, talks

HOME = Path("ikb-a/llm_lib_learning_fails")
AGENTS = HOME / "additional_experiments/agent_optmizer"
AIME = Path("suzgunmirac/dynamic-cheatsheet/results")
KEY = ["run", "category", "problem"]
TOKENS = ("prompt_tokens", "completion_tokens")
NOTHING = talks.Price(0.0, 0.0)
STUDIES = {
    "math": "AgentOptimizer",
    "aime": "Dynamic Cheatsheet",
    "equations": "Dynamic Cheatsheet",
}


def make(models: Collection[str] = ()) -> dict[str, pd.DataFrame]:
    """The tables, by name, from the data folder. models: of AgentOptimizer's runs only those of
    these (none: all)."""
    data = data_folder()
    if not (data / AGENTS).is_dir():
        raise UsageError(f"{data / AGENTS}: missing; run `trove-lite fetch math strong`")
    runs = [
        run for run in talks.runs_of(data / AGENTS)[0] if not models or run.test.model in models
    ]
    parts = [
        talks.tables_of(runs, talks.talks_of(data / AGENTS, runs)),
        cheatsheet.tables_of(sorted((data / AIME).glob("[AM][Ia]*/*.jsonl"))),  # AIME, Math
    ]
    candidates, more = (pd.concat(tables, ignore_index=True) for tables in zip(*parts, strict=True))
    key = candidates[KEY].astype(dict.fromkeys(KEY[:2], str))
    return {
        "outcomes": outcomes(candidates),
        "calls": pd.concat([calls_of(candidates), talks.making_of(runs)], ignore_index=True),
        "talks": key.join(more.convert_dtypes(convert_string=False)),
        "proofs": proofs.proofs(data / HOME / "data_analysis"),
    }


def save(tables: dict[str, pd.DataFrame], folder: Path) -> None:
    """Write the tables as parquet files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("outcomes", "calls"):
        save_table(tables[name], folder / f"{name}.parquet")
    for name in ("talks", "proofs"):
        write = partial(tables[name].to_parquet, index=False, compression="zstd")
        write_atomically(folder / f"{name}.parquet", write)


def load(folder: str | Path) -> pd.DataFrame:
    """All talks, one a row: outcomes with what `talks.parquet` adds, `study` and `tokens`. Verdicts
    are plain bools."""
    folder = Path(folder)
    return joined(
        load_candidates(folder / "outcomes.parquet"), pd.read_parquet(folder / "talks.parquet")
    )


def joined(found: pd.DataFrame, more: pd.DataFrame) -> pd.DataFrame:
    """Outcomes and what is known beside them, as one table."""
    texts = ["run", "method", "model", "category"]
    found = found.astype(dict.fromkeys(texts, str))
    table = found.merge(more, on=KEY, validate="1:1")
    verdicts = ["theirs", "first", "first_theirs"]
    return table.assign(
        study=table["dataset"].astype(str).map(STUDIES),
        ours=table["correct"].astype(bool),
        **used_by(table),
        **{name: table[name].astype("boolean").fillna(False).astype(bool) for name in verdicts},
    )


def load_proofs(folder: str | Path) -> pd.DataFrame:
    """First proofs of LEGO-Prover and DSP (`proofs.proofs`)."""
    return pd.read_parquet(Path(folder) / "proofs.parquet")


def load_making(folder: str | Path) -> pd.DataFrame:
    """The requests that made functions, a row a run and role, with `tokens` and `dollars`."""
    calls = load_calls(Path(folder) / "calls.parquet")
    return making_in(calls)


def making_in(calls: pd.DataFrame) -> pd.DataFrame:
    made = calls[(calls["stage"] == talks.MAKING).to_numpy()]
    made = made.astype(dict.fromkeys(["run", "category", "model"], str))
    return made.assign(**used_by(made))


def used_by(table: pd.DataFrame) -> dict[str, pd.Series]:
    """`tokens`, read and written, and `dollars` of a table's rows; null where the logs have no
    tokens."""
    read, written = (table[name].astype("Float64") for name in TOKENS)
    prices = [talks.PRICES.get(name, NOTHING) for name in table["model"]]
    dollars = [price.of(*used) for price, *used in zip(prices, read, written, strict=True)]
    return {"tokens": read + written, "dollars": pd.Series(dollars, table.index, dtype="Float64")}
