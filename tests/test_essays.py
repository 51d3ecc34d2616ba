"""What the committed essays show is what results/ holds: every estimate with an interval stands in a table there."""

import json
import re
import subprocess

import numpy as np
import pandas as pd
import pytest

from .conftest import ROOT

ESTIMATE = re.compile(r"([+-]?\d+\.\d+) \[([+-]?\d+\.\d+), ([+-]?\d+\.\d+)\]")


@pytest.fixture(scope="module")
def kept() -> np.ndarray:
    """Estimates × (value, low, high) of all committed tables."""
    paths = subprocess.run(["git", "ls-files", "results/*.csv"], cwd=ROOT, capture_output=True, text=True, check=True)
    tables = [pd.read_csv(ROOT / path) for path in paths.stdout.split()]
    of_interest = [
        table[[value, "low", "high"]]
        for table in tables
        for value in ("value", "difference")
        if {value, "low"} <= set(table)
    ]
    return np.concatenate([table.apply(pd.to_numeric, errors="coerce").dropna().to_numpy() for table in of_interest])


@pytest.mark.parametrize("name", sorted(path.stem for path in (ROOT / "notebooks").glob("[1-9]*.ipynb")))
def test_every_estimate_of_an_essay_stands_in_a_table(name, kept):
    outputs = [
        out
        for cell in json.loads((ROOT / "notebooks" / f"{name}.ipynb").read_text())["cells"]
        for out in cell.get("outputs", [])
    ]
    texts = ["".join(out.get("text", out.get("data", {}).get("text/html", []))) for out in outputs]
    unknown = []
    for found in ESTIMATE.finditer("\n".join(texts)):
        shown, half = (
            np.array([float(number) for number in found.groups()]),
            0.51 * 10.0 ** -len(found[1].split(".")[1]),
        )
        if not any((abs(kept * scale - shown) <= half).all(axis=1).any() for scale in (1, 100)):  # shares, or points
            unknown.append(found[0])
    assert unknown == []
