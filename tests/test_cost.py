"""The cost of a study: sums, bases, and tokens that come from runs and not from guesses."""

import math

import pandas as pd
import pytest

from benchmarks.cost import PLAN, as_markdown, counter, filled, main, study_cost, tokens_measured
from trove_lite.datasets.math import CATEGORIES
from trove_lite.errors import TroveLiteError

from .scripted import run


@pytest.fixture
def sizes(monkeypatch):
    monkeypatch.setattr("benchmarks.cost.load_problems", lambda dataset, category: [None] * 10)


def tokens(prompt=300.0, completion=60.0, basis="measured"):
    rows = [(c, m, prompt, completion, basis) for c in CATEGORIES for modes in PLAN.values() for m in modes]
    return pd.DataFrame(rows, columns=["category", "mode", "prompt_tokens", "completion_tokens", "basis"])


def test_calls_tokens_and_hours_are_products(sizes):
    table = study_cost(tokens(), k=15, seeds=5, prefill=1e4, decode=1e3).set_index(["method", "category"])
    row = table.loc["trove", "counting"]
    assert (row["problems"], row["calls"]) == (10, 750)
    assert math.isclose(row["prompt_mtokens"], 750 * 300 / 1e6)
    assert math.isclose(row["gpu_hours"], (750 * 300 / 1e4 + 750 * 60 / 1e3) / 3600)
    assert table.loc[("both", "all"), "calls"] == 2 * 7 * 750
    assert table.loc[("both", "all"), "problems"] == 70
    assert math.isclose(table.loc[("both", "all"), "gpu_hours"], 14 * row["gpu_hours"])


def test_what_no_run_shows_is_estimated_and_says_so():
    known = tokens(basis="recounted").query("category == 'counting' and mode != 'primitive'")
    known.loc[known["mode"] == "import", "prompt_tokens"] += 100
    known = known.set_index(["category", "mode"])
    prompts = {mode: pd.Series(500.0, index=CATEGORIES) for mode in ("create", "skip", "primitive")}
    table = filled(known, prompts).set_index(["category", "mode"])
    assert table.loc[("counting", "skip"), "basis"] == "recounted"
    assert table.loc[("counting", "primitive"), "basis"] == "estimated"
    assert table.loc[("counting", "primitive"), "completion_tokens"] == 60
    assert table.loc[("algebra", "import"), "prompt_tokens"] == 600  # CREATE's, and a toolbox as long as elsewhere


def test_live_runs_are_measured(tmp_path):
    from trove_lite import load_candidates

    rows = load_candidates(run(tmp_path / "a"))
    table = tokens_measured(rows)
    own = rows[rows["mode"] == "skip"]
    assert math.isclose(table.loc[("counting", "skip"), "completion_tokens"], own["completion_tokens"].mean())
    assert set(table["basis"]) == {"measured"}


def test_a_tokenizer_is_any_command_that_prints_numbers():
    assert counter("awk '{print length($0)}'")(["ab", "a\nb"]) == [4, 6]
    for command in ("true", "exit 3", "cat"):
        with pytest.raises(TroveLiteError, match="--tokenizer"):
            counter(command)(["one", "two words"])


def test_the_table_is_markdown(sizes):
    lines = as_markdown(study_cost(tokens(), prefill=1, decode=1)).splitlines()
    assert len({line.count("|") for line in lines}) == 1
    assert len(lines) == 2 + 14 + 3


def test_runs_without_tokens_need_a_tokenizer(tmp_path, capsys):
    assert main([str(run(tmp_path / "a")), "--prefill", "1", "--decode", "1", "--prompts", "own"]) == 1
    assert "--tokenizer" in capsys.readouterr().err
