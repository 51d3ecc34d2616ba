"""Damaged runs and logs, by seeded mutations, given to every command that reads them: it works, or
says in one line which file is wrong, with exit code 2."""

import json
import random
import shutil
from contextlib import suppress
from itertools import product

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from trove_lite.candidates import (
    TABLES,
    load_calls,
    load_candidates,
    read_description,
    write_description,
)
from trove_lite.cli import main
from trove_lite.errors import DamagedFile, TroveLiteError
from trove_lite.running.replay import stated_settings
from trove_lite_papers.latm.made_tools import tool_settings

from .recorded.test_harness_logs import LM_EVAL, evalplus, lm_eval, rows, table
from .recorded.test_official_results import PROBLEMS, entries
from .running.test_damaged import harm
from .scripted import run
from .simulated import log
from .test_report import notebook

READERS = "summary {0}|view {0} --quiet --out v.html|outcomes {0} --out o|export {0} --out t.csv"
READERS += "|report {0} --out r --notebooks {1}/books|export {0} --format inspect --out logs"
HOW = {"dataset": "practice", "problems": None, "seeds": (0,), "limit": 2}
CELLS = ("x", "", -1, 2**40, 2.5, float("nan"), float("inf"), None)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with a run, and with a log of each format."""
    folder = tmp_path_factory.mktemp("made")
    run(folder / "run", **HOW)
    (folder / "books").mkdir()
    notebook(folder / "books" / "01_x.ipynb", parameters="runs: list = ['']")
    (folder / "official.md").write_text(log(PROBLEMS))
    (folder / "run0.json").write_text(json.dumps(entries()))
    record = {"question": "q", "prediction_code": "def f(): pass", "prediction_call": "print(1)"}
    (folder / "creator.jsonl").write_text(json.dumps(record) + "\n")
    table(folder / LM_EVAL, [lm_eval(n, 1.0) for n in range(3)])
    (folder / "evalplus_eval_results.json").write_text(json.dumps(evalplus(("pass", "pass"))))
    table(folder / "table.csv", rows())
    table(folder / "table.jsonl", rows())
    return folder


FORMATS = {
    "official.md": "official",
    "run0.json": "official",
    "creator.jsonl": "creator",
    LM_EVAL: "lm-eval",
}
FORMATS |= {"evalplus_eval_results.json": "evalplus", "table.csv": "table", "table.jsonl": "table"}


def edit_table(path, rng):
    """A column gone, of another type, with one odd cell or none at all; rows gone or twice."""
    found = pq.read_table(path)
    name = rng.choice(found.column_names)
    way = rng.choice(["gone", "rows", "twice", "version", "cells", "cells"])
    if way == "gone":
        found = found.drop_columns([name])
    elif way == "version":
        found = found.replace_schema_metadata(
            {b"trove_lite.schema": rng.choice([b"x", b"", b"99"])}
        )
    elif way == "cells":
        found = found.set_column(
            found.column_names.index(name), name, pa.array([rng.choice(CELLS)] * len(found))
        )
    else:
        found = found.slice(0, 0) if way == "rows" else pa.concat_tables([found, found])
    pq.write_table(found, path)


def is_read_or_refused(words, path, capsys):
    code = main(words)
    said = capsys.readouterr().err
    lines = [line for line in said.splitlines() if line.startswith("error: ")]
    assert "Traceback" not in said
    assert code == 0 or (code == 2 and len(lines) == 1 and str(path) in lines[0]), (
        words,
        code,
        said,
    )


@pytest.mark.parametrize(
    ("name", "seed"),
    [
        *product(["run.json"], range(16)),
        *product(["candidates.parquet", "calls.parquet"], range(5)),
        ("candidates.parquet", 1250),  # no row is of a method
    ],
)
def test_a_damaged_run_is_read_or_refused(
    made, name, seed, tmp_path, capsys, monkeypatch, told_to_run
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        "trove_lite_analysis.recorded.export.inspect_ai",
        lambda: type("", (), {"write_eval_log": print}),
    )
    monkeypatch.setattr("trove_lite_analysis.recorded.export._as_inspect", print)
    folder = shutil.copytree(made / "run", tmp_path / "run")
    write_description(
        folder, {part: said for part, said in read_description(folder).items() if part != "tables"}
    )
    rng = random.Random(f"{name}{seed}")
    (edit_table if name.endswith(".parquet") and rng.random() < 0.7 else harm)(folder / name, rng)
    for words in READERS.format(folder, made).split("|"):
        is_read_or_refused(words.split(), folder, capsys)
    for read in (stated_settings, tool_settings):
        with suppress(TroveLiteError):
            read([folder])


@pytest.mark.parametrize(("name", "column"), [(TABLES[0], "correct"), (TABLES[1], "executions")])
def test_an_edited_table_is_named_until_the_run_makes_it_again(
    made, name, column, tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    folder = shutil.copytree(made / "run", tmp_path / "run")
    found = pd.read_parquet(folder / name)
    found[column] = 1 - found[column].fillna(0).astype(int)
    found.astype({column: bool if column == "correct" else int}).to_parquet(folder / name)
    for words in READERS.format(folder, made).split("|"):
        assert main(words.split()) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith(f"error: {folder / name}: not as the run wrote it")
    with pytest.raises(
        DamagedFile, match=rf"{name}: not as .* delete {folder / TABLES[0]}: then the run's command"
    ):
        run(folder, **HOW)
    (folder / TABLES[0]).unlink()
    for load in (load_candidates, load_calls):
        pd.testing.assert_frame_equal(load(run(folder, **HOW)), load(made / "run"))


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("seed", range(8))
def test_a_damaged_log_is_read_or_refused(made, name, seed, tmp_path, capsys, monkeypatch, request):
    if FORMATS[name] == "creator":  # whose programs are judged by MATH's golds
        request.getfixturevalue("public_problems")
    monkeypatch.setattr(
        "trove_lite_analysis.recorded.official_logs.known_problems", lambda *_: PROBLEMS
    )
    path = shutil.copy(made / name, tmp_path / name)
    harm(path, random.Random(f"{name}{seed}"))
    words = ["import", str(path), "--format", FORMATS[name], "--out", str(tmp_path / "out")]
    is_read_or_refused(words, path, capsys)
