"""The table of candidates that everything goes through, and the run folder it is kept in.

One row for each program that a model wrote. It knows the schema, how to load, check and store it; it neither
makes rows (import_logs, run) nor judges them (select, metrics).
"""

import hashlib
import json
import platform
from importlib import metadata
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from .errors import TroveLiteError
from .journal import write_atomically

KEY = ["run", "method", "seed", "dataset", "category", "problem", "phase", "mode", "sample"]
TEXT = ["response", "solution", "tools", "output", "error"]
#: Column → arrow type. `problem` is the index in the data set's own order; `phase` is `stream`, `retry` for problems
#: solved again after trimming, or `draft` for what is rectified before it counts; `status` is `ok`, `error`, `timeout`,
#: `memory`, `output`, `killed`, `no_code`, or `missing` where the model refused the prompt; `program` fingerprints
#: solution and tools, so that copies can be found without the text; `shortened` says that the record of the output
#: (and so of `answers`) is not whole; `answers` holds every number printed, `answer` the one that is graded; `correct`
#: is null where it could not be judged; `operations` is the sum of AST depths that ranks supporters, null where the
#: program supports no answer.
SCHEMA = pa.schema(
    [
        ("model", pa.string()),
        ("provenance", pa.string()),
        ("run", pa.string()),
        ("method", pa.string()),
        ("seed", pa.int64()),
        ("dataset", pa.string()),
        ("category", pa.string()),
        ("problem", pa.int32()),
        ("phase", pa.string()),
        ("mode", pa.string()),
        ("sample", pa.int32()),
        ("level", pa.int8()),
        ("program", pa.int64()),
        ("response", pa.string()),
        ("solution", pa.string()),
        ("tools", pa.string()),
        ("status", pa.string()),
        ("output", pa.string()),
        ("shortened", pa.bool_()),
        ("error", pa.string()),
        ("answers", pa.list_(pa.float64())),
        ("answer", pa.float64()),
        ("correct", pa.bool_()),
        ("operations", pa.int32()),
        ("prompt_tokens", pa.int32()),
        ("completion_tokens", pa.int32()),
        ("generate_seconds", pa.float64()),
        ("execute_seconds", pa.float64()),
    ]
)
OUTCOMES_SCHEMA = pa.schema([field for field in SCHEMA if field.name not in TEXT])
NULLABLE = {
    pa.bool_(): pd.BooleanDtype(),
    pa.int8(): pd.Int8Dtype(),
    pa.int32(): pd.Int32Dtype(),
    pa.int64(): pd.Int64Dtype(),
}


def fingerprint(solution: str, tools: str) -> int:
    """A signed 64-bit hash of a program's text: equal programs have equal fingerprints."""
    digest = hashlib.blake2b(f"{solution}\0{tools}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, signed=True)


def as_arrow(rows: list[dict]) -> pa.Table:
    """Rows as dicts → an arrow table with the schema's columns and types; absent values are null."""
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def as_frame(table: pa.Table) -> pd.DataFrame:
    """An arrow table of candidates or outcomes → pandas, with nullable types, names as categories."""
    frame = table.to_pandas(types_mapper=NULLABLE.get)
    for name in ("model", "provenance", "run", "method", "dataset", "category", "phase", "mode", "status"):
        frame[name] = frame[name].astype("category")
    return frame


def outcomes(candidates: pd.DataFrame) -> pd.DataFrame:
    """The same table without any text that a model or a program wrote."""
    return candidates.drop(columns=TEXT, errors="ignore")


def load_candidates(*paths: str | Path) -> pd.DataFrame:
    """Read candidates or outcomes from run folders and parquet files into one table, sorted by its key.

    Raises TroveLiteError where a path holds no such table, lacks columns, or repeats a run that another has.
    """
    if not paths:
        raise TroveLiteError("no run given: name a run folder or a parquet file of candidates or outcomes")
    tables = [_read(Path(path)) for path in paths]
    schema = SCHEMA if all("solution" in table.column_names for table in tables) else OUTCOMES_SCHEMA
    table = pa.concat_tables([t.select(schema.names).cast(schema) for t in tables])
    frame = as_frame(table).sort_values(KEY, kind="stable", ignore_index=True)
    repeated = frame.duplicated(KEY)
    if repeated.any():
        row = frame[repeated].iloc[0]
        raise TroveLiteError(
            f"{', '.join(map(str, paths))}: run '{row['run']}', {row['category']} problem {row['problem']} is there "
            "twice; give each run once"
        )
    return frame


def _read(path: Path) -> pa.Table:
    file = path / "candidates.parquet" if path.is_dir() else path
    if not file.is_file():
        hint = "the run is not complete" if (path / "run.json").exists() else "not a run folder or parquet file"
        raise TroveLiteError(f"{file}: missing ({hint}); see `trove-lite --help` for how to make a run")
    try:
        table = pq.read_table(file)
    except (pa.ArrowInvalid, OSError) as error:
        raise TroveLiteError(f"{file}: not a readable parquet file; make or fetch it again") from error
    absent = [name for name in OUTCOMES_SCHEMA.names if name not in table.column_names]
    if absent:
        raise TroveLiteError(f"{file}: lacks the columns {', '.join(absent)}; see candidates.py for the schema")
    return table


def save_table(candidates: pd.DataFrame, path: Path) -> None:
    """Write candidates or outcomes as parquet, atomically, with the schema's exact types."""
    schema = SCHEMA if "solution" in candidates else OUTCOMES_SCHEMA
    table = pa.Table.from_pandas(candidates, schema=schema, preserve_index=False).replace_schema_metadata(None)
    write_atomically(path, lambda part: pq.write_table(table, part, compression="zstd", compression_level=9))


def save_run(folder: Path, candidates: pd.DataFrame, description: dict) -> None:
    """Write a run folder: `run.json`, then `candidates.parquet`, whose presence says that the run is complete."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(description | {"versions": versions()}, indent=2, ensure_ascii=False) + "\n"
    write_atomically(folder / "run.json", lambda part: part.write_text(text, encoding="utf-8"))
    save_table(candidates, folder / "candidates.parquet")


def versions() -> dict[str, str]:
    """Versions of Python and of the libraries that results may depend on."""
    names = ["trove-lite", "numpy", "pandas", "scipy", "sympy", "matplotlib", "pyarrow"]
    return {"python": platform.python_version()} | {name: metadata.version(name) for name in names}


def run_name(name: str, seed: int) -> str:
    """What the tables call the run of one seed."""
    return f"{name}_seed{seed}"
