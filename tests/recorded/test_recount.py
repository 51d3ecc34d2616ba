"""What the bundle says of each recorded run is what its raw files say, counted by other code (`recount`)."""

import json
from pathlib import Path

import pandas as pd
import pytest

from trove_lite.cli import main
from trove_lite.datasets.files import data_folder, public_files

from ..conftest import ROOT
from .recount import recount_log, recount_results

BUNDLE = ROOT / "results" / "codellama-7b-instruct"
FILES = [file for file in public_files() if file.group == "logs"]
LOGS = [file for file in FILES if file.path.endswith(".md") and not file.listed]
RESULTS = [file for file in FILES if "/results/" in file.path]


def key(file):
    """(run, category), as the official folders name them."""
    parts = Path(file.path).parts
    run = parts[2] if parts[2] == "baseline_run0" else parts[3]
    return run, parts[parts.index("math") + 1]


def path_of(file):
    path = data_folder() / file.name
    if not path.is_file():
        pytest.skip("the data folder holds no recorded runs: run `trove-lite fetch logs` or set TROVE_LITE_DATA")
    return path


@pytest.fixture(scope="module")
def summary():
    """`trove-lite summary` of the bundle, by run and category."""
    import contextlib
    import io

    with contextlib.redirect_stdout(text := io.StringIO()):
        assert main(["summary", str(BUNDLE / "outcomes.parquet"), "--json"]) == 0
    return {(row["run"], row["category"]): row for row in json.loads(text.getvalue())["runs"]}


@pytest.fixture(scope="module")
def recorded():
    table = pd.read_csv(BUNDLE / "recorded.csv")
    return table[table["kind"] == "selected answers"].set_index(["run", "category"])


def test_there_are_26_logs_17_that_are_only_listed_and_43_result_files():
    listed = [file for file in FILES if file.listed]
    assert (len(LOGS), len(listed), len(RESULTS)) == (26, 17, 43)
    assert {key(file) for file in LOGS + listed} == {key(file) for file in RESULTS}
    assert all(len(file.git_blob) == 40 for file in listed)


@pytest.mark.parametrize("file", LOGS, ids=lambda file: " ".join(key(file)))
def test_the_summary_of_a_log_is_what_the_log_says(summary, file):
    counted, row = recount_log(path_of(file)), summary[key(file)]
    for name in ("pass_at_5", "unique"):
        assert counted.pop(name) == pytest.approx(row[name])
    assert counted == {name: row[name] for name in counted}


@pytest.mark.parametrize("file", RESULTS, ids=lambda file: " ".join(key(file)))
def test_the_record_of_a_result_file_is_what_the_file_says(summary, recorded, file):
    counted, row = recount_results(path_of(file)), recorded.loc[key(file)]
    assert counted == {name: int(row[name]) for name in counted}
    assert summary[key(file)]["selected_correct"] == row["correct"]
