"""The tables that everything goes through, and the run folder they are kept in.

Candidates: one row for each program that a model wrote. Calls: one row for each request to a model,
whether it made a candidate or not: what a run spent is read there. It knows the schemas, how to
load, check and store them; it neither makes rows (recorded, running) nor judges them (selection,
analysis).
"""

import hashlib
import json
import math
import platform
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from . import __version__
from .errors import DamagedFile, TroveLiteError, UsageError
from .journal import sha256_of, write_atomically
from .programs import operation_counts, used_tools
from .programs.parse import parse_tools
from .sandbox.versions import version_of
from .shapes import described

# pandas 3 gives columns that are all null other types. That is no matter here: every table is cast
# to its schema.
for change in (
    "The behavior of DataFrame concatenation with empty",
    "Downcasting object dtype arrays on .fillna",
):
    warnings.filterwarnings("ignore", change, FutureWarning)

#: Why there is no completion: `refused` is the method's doing, whose prompt is too long, and is
#: a wrong answer; `unavailable` is the machine's: it is no answer, and takes the problem from
#: whatever compares it.
MISSING = REFUSED, UNAVAILABLE = "refused", "unavailable"
FAIL_ON_MISSING = 0.05  # a run of which a larger share is unavailable says nothing
KEY = [
    "run",
    "method",
    "seed",
    "dataset",
    "category",
    "problem",
    "phase",
    "mode",
    "sample",
    "round",
]
#: What tells one run of a method on a category from every other.
STREAM = ["run", "method", "category"]
TABLES = ("candidates.parquet", "calls.parquet")  # of a run folder
TEXT = ["response", "solution", "tools", "output", "error"]
#: Rows that repeat, one a problem, the answer that a recorded run ended with, problems solved again
#: included.
SELECTED = "selected"
SELECTION = "recorded selection"


def _schema(*columns: tuple[str, pa.DataType]) -> pa.Schema:
    """Names of columns with their type, in the table's order."""
    return pa.schema([(name, kind) for names, kind in columns for name in names.split()])


#: `problem` is the index in the data set's own order; `phase` is `stream`, `retry` for problems
#: solved again after trimming, `draft` for what is rewritten afterwards, or `selected` for
#: rows of provenance `recorded selection` (`selections`), which are no candidates of their own;
#: `place` is the order in which a problem's modes are sampled (0, 1, …), which decides ties;
#: `round` counts how often a program was written anew in place of the one before (0: never; the
#: last is the stream's, those before it are drafts); `level` is what tables may split by, or "";
#: `status` is `ok`, `error`, `timeout`, `memory`, `output`, `killed`, `no_code`, or of MISSING
#: where no completion was to be had; `program` fingerprints solution and tools, so that copies can
#: be found without the text; `shortened` says that the record of the output (and so of `answers`)
#: is not whole, null where nothing ran; `answers` holds every answer that the data set reads in the
#: output, as canonical text, `answer` the one that is graded; `correct` is null where it could not
#: be judged; `operations` is the sum of AST depths that ranks supporters, null where the program
#: supports no answer; `log_probability` is the mean over the reply's tokens, null where the engine
#: was not asked or did not tell. `score` is what a log gives in place of right or wrong, from 0 to
#: 1, null where it is no part. Facts of the run, in each of its rows: `shares_state`, whether its
#: problems have anything in common (a toolbox, a tool made for all); `selection`, by which rule it
#: chose its answers, null where that is not known.
SCHEMA = _schema(
    ("model provenance run method", pa.string()),
    ("seed", pa.int64()),
    ("shares_state", pa.bool_()),
    ("selection dataset category", pa.string()),
    ("problem", pa.int32()),
    ("phase mode", pa.string()),
    ("place", pa.int16()),
    ("sample", pa.int32()),
    ("round", pa.int16()),
    ("level", pa.string()),
    ("program", pa.int64()),
    ("response solution tools status output", pa.string()),
    ("shortened", pa.bool_()),
    ("error", pa.string()),
    ("answers", pa.list_(pa.string())),
    ("answer", pa.string()),
    ("correct", pa.bool_()),
    ("operations prompt_tokens completion_tokens", pa.int32()),
    ("generate_seconds execute_seconds log_probability score", pa.float64()),
)
#: What outcomes keep of the text: #ops as TroVE reports it, the tools of #lib, and #ops by each of
#: `programs.COUNTS`. Null is what is not known.
MEASURED = _schema(
    ("reported_operations", pa.int32()),
    ("used_tools", pa.list_(pa.string())),
    ("operation_counts", pa.list_(pa.int32())),
)
OUTCOMES_SCHEMA = pa.schema([*(field for field in SCHEMA if field.name not in TEXT), *MEASURED])
#: `stage` is what was asked, a candidate's mode or another thing such as `rank`; `mode` is null
#: where the request made no candidate. Tokens and seconds are null where they are not known;
#: `executions` counts programs run.
CALLS_SCHEMA = _schema(
    ("run method", pa.string()),
    ("seed", pa.int64()),
    ("dataset category", pa.string()),
    ("problem", pa.int32()),
    ("phase stage mode", pa.string()),
    ("sample", pa.int32()),
    ("round", pa.int16()),
    ("role model", pa.string()),
    ("prompt_tokens cached_tokens completion_tokens", pa.int32()),
    ("finish_reason", pa.string()),
    ("executions", pa.int32()),
    ("generate_seconds queue_seconds execute_seconds", pa.float64()),
)
#: What tables may lack that were made before it was kept.
LATER = ("shares_state", "selection", "log_probability", "score", *MEASURED.names)
CALLS_KEY = [*KEY[:7], "stage", "role", "mode", "sample", "round"]
#: What no row may lack: of candidates, and of calls.
FILLED = [*KEY, "model", "provenance", "place", "level", "program", "status"]
CALLS_FILLED = [*KEY[:7], "stage", "sample", "round", "executions"]
#: Of both tables' schemas.
VERSION = 2
VERSION_KEY = b"trove_lite.schema"
NAMES = {
    "model",
    "provenance",
    "run",
    "method",
    "dataset",
    "category",
    "phase",
    "stage",
    "mode",
    "level",
    "status",
    "role",
    "finish_reason",
    "selection",
}
NULLABLE = {
    pa.bool_(): pd.BooleanDtype(),
    pa.int16(): pd.Int16Dtype(),
    pa.int32(): pd.Int32Dtype(),
    pa.int64(): pd.Int64Dtype(),
}


def fingerprint(solution: str, tools: str) -> int:
    digest = hashlib.blake2b(
        f"{solution}\0{tools}".encode("utf-8", "surrogatepass"), digest_size=8
    ).digest()
    return int.from_bytes(digest, signed=True)


def as_arrow(rows: list[dict], schema: pa.Schema = SCHEMA) -> pa.Table:
    """Rows as dicts → an arrow table with the schema's columns and types; absent values are
    null."""
    return pa.Table.from_pylist(rows, schema=schema)


def as_frame(table: pa.Table) -> pd.DataFrame:
    """An arrow table of candidates, outcomes or calls → pandas, with nullable types, names as
    categories."""
    frame = table.to_pandas(types_mapper=NULLABLE.get)
    for name in NAMES & set(frame.columns):
        frame[name] = frame[name].astype("category")
    return with_shared_state(frame) if "shares_state" in frame else frame


def with_shared_state(candidates: pd.DataFrame) -> pd.DataFrame:
    """The same table with `shares_state` in each row. A run that does not say it may share
    something among its problems, so what is seen of it is seen of these runs alone."""
    if "shares_state" not in candidates:
        return candidates.assign(shares_state=True)
    return candidates.assign(shares_state=candidates["shares_state"].fillna(True))


def require_candidates(candidates: object) -> pd.DataFrame:
    if not isinstance(candidates, pd.DataFrame):
        raise TroveLiteError(
            f"not a table of candidates, but a {type(candidates).__name__}: see load_candidates"
        )
    if absent := [
        name
        for name in ("run", "category", "problem", "phase", "mode", "sample")
        if name not in candidates
    ]:
        raise TroveLiteError(
            f"not a table of candidates: it lacks {', '.join(absent)}; see load_candidates"
        )
    return candidates


def outcomes(candidates: pd.DataFrame) -> pd.DataFrame:
    """The same table without the texts that a model or a program wrote; of these only answers and
    measures stay."""
    return add_measures(require_candidates(candidates)).drop(columns=TEXT, errors="ignore")


def add_measures(candidates: pd.DataFrame) -> pd.DataFrame:
    """The same table with what `programs` measures of a solution (`MEASURED`)."""
    if "solution" not in candidates:
        return candidates.assign(**dict.fromkeys(set(MEASURED.names) - set(candidates.columns)))
    texts = candidates[["solution", "tools"]].fillna("").itertuples(index=False, name=None)
    pairs = [(solution, parse_tools(tools)) for solution, tools in texts]
    counts = pd.Series([operation_counts(*pair) for pair in pairs], candidates.index, dtype=object)
    used = pd.Series([used_tools(*pair) for pair in pairs], candidates.index, dtype=object)
    return candidates.assign(
        reported_operations=counts.str[0].astype("Int32"), used_tools=used, operation_counts=counts
    )


def rows_where(table: pd.DataFrame, holds: pd.Series | np.ndarray) -> pd.DataFrame:
    """The rows for which it holds; without a copy of their values where it holds for all, as a
    million rows are some hundred megabytes."""
    return table.copy(deep=False) if holds.all() else table[np.asarray(holds)]


def as_text(table: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """The table with these columns as text. Rows share it: `astype(str)` makes a text for each, of
    57 bytes."""
    return table.astype(dict.fromkeys(names, "category")).astype(dict.fromkeys(names, object))


def all_candidates(candidates: pd.DataFrame) -> pd.DataFrame:
    """The candidates proper: without the rows that say what a recorded run selected
    (`selections`)."""
    return rows_where(candidates, require_candidates(candidates)["phase"] != SELECTED)


def selections(candidates: pd.DataFrame) -> pd.DataFrame:
    """The answer that each recorded run ended with, as its result file says, after problems were
    solved again with the trimmed toolbox: one row a problem and run, of which nothing else may be
    known (`selected_alone`)."""
    return candidates[(require_candidates(candidates)["phase"] == SELECTED).to_numpy()]


def selected_alone(candidates: pd.DataFrame) -> list[tuple[str, str]]:
    """(run, category) of the runs of which only the selected answers are known, sorted."""
    selected, whole = (
        {*pd.MultiIndex.from_frame(part[["run", "category"]]).unique()}
        for part in (selections(candidates), all_candidates(candidates))
    )
    return sorted(selected - whole)


def load_candidates(*paths: str | Path) -> pd.DataFrame:
    """Read candidates or outcomes from run folders and parquet files into one table, sorted by its
    key."""
    return _load_together(paths, _read_candidates, KEY)


def load_calls(*paths: str | Path) -> pd.DataFrame:
    """Read every request to a model from run folders and parquet files into one table, sorted by
    its key. Of a run that kept none (recorded, or of an earlier release) it is what its candidates
    tell: see `calls_of`."""
    return _load_together(paths, _read_calls, CALLS_KEY)


def calls_of(candidates: pd.DataFrame) -> pd.DataFrame:
    """The requests behind candidates: one each, so requests that made no candidate are not
    there."""
    candidates = all_candidates(candidates)
    status = candidates["status"].astype(object)
    known = candidates.assign(
        stage=candidates["mode"], role="solver", finish_reason=status.where(status.isin(MISSING))
    )
    ran = ~status.isin([*MISSING, "no_code"])
    if "shortened" in known:  # not told of a reply that somebody else judged: nothing ran here
        ran &= known["shortened"].notna()
    known["executions"] = ran.astype(int)
    return as_frame(
        pa.Table.from_pandas(
            known.reindex(columns=CALLS_SCHEMA.names), CALLS_SCHEMA, preserve_index=False
        )
    )


def name_table(
    table: pd.DataFrame, name: str, title: str, runs: str = "", **about: object
) -> pd.DataFrame:
    """A table that knows its file's name, its title in print, its runs, and why it is empty where
    it is (`note`)."""
    table.attrs = {"name": name, "title": title, "runs": runs, **about}
    return table


def _load_together(
    paths: tuple[str | Path, ...], read: Callable[[Path], pa.Table], key: list[str]
) -> pd.DataFrame:
    if not paths:
        raise UsageError(
            "no run given: name a run folder or a parquet file of candidates or outcomes"
        )
    if wrong := [type(path).__name__ for path in paths if not isinstance(path, (str, Path))]:
        raise TroveLiteError(f"a {wrong[0]} is not the path of a run: name a run folder or a file")
    tables = [read(Path(path)) for path in paths]
    if not all("solution" in table.column_names for table in tables):
        tables = [
            _outcomes_of(table) if "solution" in table.column_names else table for table in tables
        ]
    frame = as_frame(pa.concat_tables(tables)).sort_values(key, kind="stable", ignore_index=True)
    if len(again := frame[frame.duplicated(key)]):
        row = again.iloc[0]
        raise UsageError(
            f"{', '.join(map(str, paths))}: run '{row['run']}', {row['category']} problem "
            f"{row['problem']} is there twice; give each run once"
        )
    return frame


def _outcomes_of(table: pa.Table) -> pa.Table:
    return pa.Table.from_pandas(outcomes(as_frame(table)), OUTCOMES_SCHEMA, preserve_index=False)


def table_file(path: Path) -> Path:
    """The table of candidates that is meant by a run folder, or by the path of a table. Raises
    UsageError for neither, DamagedFile for a folder that does not say what it is a run of."""
    file = path / TABLES[0] if path.is_dir() else path
    if not file.is_file():
        hint = (
            "the run is not complete"
            if (path / "run.json").exists()
            else "not a run folder or parquet file"
        )
        hint = (
            hint
            if len(file.name) > 1
            else "a text instead of a list of paths? For papermill write -y 'runs: [RUN]'"
        )
        raise UsageError(f"{file}: missing ({hint}); see `trove-lite --help` for how to make a run")
    if file != path and not (path / "run.json").exists():
        raise DamagedFile(f"{path}: its run.json is missing; restore it, or make the run again")
    if file.name in TABLES:
        refuse_edited(file.parent)
    return file


def _read_candidates(path: Path) -> pa.Table:
    table = _read(file := table_file(path))
    if not len(table):
        raise DamagedFile(f"{file}: holds no row; make the run again")
    schema = SCHEMA if {*TEXT} & {*table.column_names} else OUTCOMES_SCHEMA
    if "selection" not in table.column_names:
        table = table.append_column("selection", _stated_rules(table, file.parent))
    for name in {*LATER} & {*schema.names} - {*table.column_names}:
        table = table.append_column(name, pa.nulls(len(table), schema.field(name).type))
    return _cast(table, schema, file)


def _stated_rules(table: pa.Table, folder: Path) -> pa.Array:
    """By which rule runs chose, of `run.json`; tables may name a method longer
    (`trove_no_import`)."""
    told = {
        name: about.get("selection")
        for name, about in read_description(folder).get("methods", {}).items()
    }
    methods = table["method"].to_pylist() if "method" in table.column_names else [""] * len(table)
    rules = {
        m: told[n]
        for m in set(methods)
        for n in sorted(told, key=len)
        if f"{m}_".startswith(f"{n}_")
    }
    return pa.array(map(rules.get, methods), pa.string())


def _read_calls(path: Path) -> pa.Table:
    file = table_file(path)  # without it the run is not complete
    beside = file.with_name(TABLES[1]) if file.name == TABLES[0] else file
    table = _read(beside) if beside.is_file() else None
    if table is None or "stage" not in table.column_names:
        known = _read_candidates(file)
        needed = {*CALLS_SCHEMA.names, "status", "shortened"} & {*known.column_names}
        calls = calls_of(as_frame(known.select(sorted(needed))))
        return pa.Table.from_pandas(calls, CALLS_SCHEMA, preserve_index=False)
    return _cast(table, CALLS_SCHEMA, beside)


def _read(file: Path) -> pa.Table:
    """A file's table, of the schema of this release; one that does not say its schema is taken at
    its columns."""
    try:
        table = pq.read_table(file)
        version = int((table.schema.metadata or {}).get(VERSION_KEY, VERSION))
    except (pa.ArrowException, OSError, ValueError) as error:
        raise DamagedFile(f"{file}: not a readable parquet file; make or fetch it again") from error
    if version != VERSION:
        age, remedy = "an earlier", "make the run again"
        if version > VERSION:
            age, remedy = "a later", "update trove_lite"
        raise DamagedFile(
            f"{file}: made by {age} release (schema {version}, here {VERSION}); {remedy}"
        )
    return table


def _cast(table: pa.Table, schema: pa.Schema, file: Path) -> pa.Table:
    if absent := [name for name in schema.names if name not in table.column_names]:
        raise DamagedFile(
            f"{file}: lacks the columns {', '.join(absent)}; see candidates.py for the schema"
        )
    try:
        found = table.select(schema.names).cast(schema)
    except pa.ArrowException as error:
        raise DamagedFile(
            f"{file}: a column of another type ({error}); see candidates.py for the schema"
        ) from error
    for name in CALLS_FILLED if schema is CALLS_SCHEMA else FILLED:
        if found[name].null_count:
            raise DamagedFile(
                f"{file}: column {name} is empty in some rows; make or fetch it again"
            )
    for field in schema:
        is_number = pa.types.is_primitive(field.type) and field.type != pa.bool_()
        if is_number and field.name not in ("program", "log_probability"):
            least, most = pc.min_max(found[field.name]).as_py().values()
            if least is not None and not 0 <= least <= most < math.inf:
                raise DamagedFile(
                    f"{file}: column {field.name} holds {least if least < 0 else most}; restore it"
                )
    return found


def as_parquet(table: pd.DataFrame) -> bytes:
    """Candidates, outcomes or calls as a file's content, with the schema's exact types and its
    version."""
    schema = (
        CALLS_SCHEMA if "stage" in table else SCHEMA if "solution" in table else OUTCOMES_SCHEMA
    )
    arrow = pa.Table.from_pandas(table, schema=schema, preserve_index=False)
    arrow = arrow.replace_schema_metadata({VERSION_KEY: str(VERSION)})
    pq.write_table(arrow, file := pa.BufferOutputStream(), compression="zstd", compression_level=9)
    return file.getvalue().to_pybytes()


def save_table(table: pd.DataFrame, path: Path) -> None:
    write_atomically(path, partial(Path.write_bytes, data=as_parquet(table)))


def save_csv(table: pd.DataFrame, path: Path, **how: object) -> None:
    """Write a CSV without its index, whole or not at all. how: as `DataFrame.to_csv` has it."""
    write_atomically(path, partial(table.to_csv, index=False, lineterminator="\n", **how))


def save_run(
    folder: Path, candidates: pd.DataFrame, description: dict, calls: pd.DataFrame | None = None
) -> None:
    """Write a run folder: `run.json`, `calls.parquet` where there are calls, and last
    `candidates.parquet`. The presence of the last says that the run is complete, so one that is
    replaced goes first. `run.json` has the sha256 of each table, by which an edit is seen. What a
    full disk or an interrupt leaves of a new folder is nothing."""
    files = {TABLES[0]: as_parquet(candidates)}
    if calls is not None:
        files[TABLES[1]] = as_parquet(calls)
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    is_new = not (folder / "run.json").exists()
    folder.mkdir(parents=True, exist_ok=True)
    for name in TABLES:
        (folder / name).unlink(missing_ok=True)
    try:
        write_description(folder, {"versions": versions()} | description | {"tables": sums})
        for name in reversed(files):
            write_atomically(folder / name, partial(Path.write_bytes, data=files[name]))
    except BaseException:
        for name in (*TABLES, "run.json") if is_new else ():
            (folder / name).unlink(missing_ok=True)
        raise


def refuse_edited(folder: Path) -> None:
    """Raises DamagedFile for a table that is not as the run wrote it; those of earlier releases
    have no sha256."""
    for name, stated in read_description(folder).get("tables", {}).items():
        if not (file := folder / name).is_file() or sha256_of(file) != stated:
            remedy = "restore it, or make the run again"
            if any((folder / "journal").glob("*.jsonl")):
                remedy = f"delete {folder / TABLES[0]}: then the run's command makes its tables again, of the journals"
            raise DamagedFile(
                f"{file}: not as the run wrote it (its sha256 in run.json differs); {remedy}"
            )


def write_description(folder: Path, description: Mapping) -> None:
    text = json.dumps(description, indent=2, ensure_ascii=False) + "\n"
    write_atomically(folder / "run.json", lambda part: part.write_text(text, encoding="utf-8"))


def read_description(folder: str | Path) -> dict:
    """What a run folder's `run.json` says; {} where there is none. Raises DamagedFile for one that
    is damaged."""
    return described(Path(folder) / "run.json")


def file_of_problems(name: str, runs: Iterable[str | Path]) -> str:
    """Where a file of problems lies that is not here, but where these runs were begun, or above
    their folders. The name itself where it is here, where no run knows it, or where two have files
    of one name."""
    found = set()
    for run in () if Path(name).is_file() else map(Path, runs):
        run = run if run.is_dir() else run.parent
        settings = read_description(run).get("settings")
        stated = Path(str(settings.get("dataset") if isinstance(settings, dict) else ""))
        if stated.name == Path(name).name:
            places = (above / stated for above in (Path.cwd(), *run.resolve().parents))
            found.update([*filter(Path.is_file, places)][:1])
    return str(found.pop()) if len(found) == 1 else name


def versions() -> dict[str, str]:
    libraries = ("numpy", "pandas", "scipy", "sympy", "matplotlib", "pyarrow")
    return {
        "python": platform.python_version(),
        "trove-lite": __version__,
        **{name: version_of(name) for name in libraries},
    }


def run_name(name: str, seed: int) -> str:
    return f"{name}_seed{seed}"
