"""An essay's tables: a notebook run in this process, on any candidates, and the names that its cells define."""

import ast
import contextlib
import io
import os

import matplotlib.pyplot as plt
import nbformat

from trove_lite.candidates import outcomes, save_table

from ..conftest import ROOT


def names_of(stem, frame, folder, **given):
    """What the notebook whose name begins with `stem` defines, run on these candidates without saving anything."""
    save_table(outcomes(frame), runs := folder / "outcomes.parquet")
    (path,) = (ROOT / "notebooks").glob(f"{stem}*.ipynb")
    given, names = {"runs": [str(runs)], "results": "", "figures": ""} | given, {"display": print}
    before = os.getcwd()
    os.chdir(path.parent)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            for cell in nbformat.read(path, as_version=4).cells:
                if cell.cell_type == "code":
                    exec(compile(ast.parse(cell.source), path.name, "exec"), names)
                    if "parameters" in cell.metadata.get("tags", ()):
                        names |= {name: value for name, value in given.items() if name in names}
                    plt.close("all")
    finally:
        os.chdir(before)
    return names
