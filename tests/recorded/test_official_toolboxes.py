"""What recorded runs kept in their toolboxes: read as written, found beside logs and results, and told as a table."""

import pandas as pd
import pytest

from trove_lite import TroveLiteError, toolboxes
from trove_lite.cli import main
from trove_lite.recorded.official_files import library_of, read_library

from ..simulated import log, problem

LIBRARY = '''# %% import numpy as np (import)
import numpy as np


# %% Add one. (function)

def more(x):
    """
    Add one.
    """
    return x + 1


# %%  (function)
import math

def half(x):
    return math.floor(x / 2)


'''


@pytest.fixture
def run(tmp_path):
    """A log with a library beside it, in the official layout."""
    files = {"log/Noneex/trove/run0.md": log([problem(0), problem(1)]), "library/Noneex/trove/run0.json": LIBRARY}
    for name, text in files.items():
        path = tmp_path / "count_run0" / "Llama-7b" / name
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "count_run0/Llama-7b/log/Noneex/trove/run0.md"


def test_a_library_holds_imports_and_functions_with_all_their_code(run):
    first, second, third = read_library(library_of(run))
    assert [first.name, second.name, third.name] == ["numpy", "more", "half"]
    assert [first.kind, second.kind, third.kind] == ["import", "function", "function"]
    assert (second.signature, second.docstring) == ("more(x)", "Add one.")
    assert "import math" in third.source


def test_toolboxes_are_imported_and_go_with_outcomes(run, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("trove_lite.recorded.official_logs.known_problems", lambda: [problem(0), problem(1)])
    assert main(["import", str(run), "--out", str(tmp_path / "run")]) == 0
    assert main(["outcomes", str(tmp_path / "run"), "--out", str(tmp_path / "bundle" / "o.parquet")]) == 0
    assert "toolboxes.csv" in capsys.readouterr().out
    kept = toolboxes([tmp_path / "run"])
    assert kept[["run", "rank", "name", "signature"]].to_numpy().tolist() == [
        ["count_run0", 1, "numpy", "import numpy as np"],
        ["count_run0", 2, "more", "more(x)"],
        ["count_run0", 3, "half", "half(x)"],
    ]
    bundled = toolboxes([tmp_path / "bundle" / "o.parquet"])
    pd.testing.assert_frame_equal(bundled, kept, check_dtype=False)
    with pytest.raises(TroveLiteError, match="missing"):
        toolboxes([tmp_path / "nowhere.parquet"])
