"""Essays run in this process, on any candidates: what their cells print, and the names that they
define."""

import ast
import contextlib
import io
from pathlib import Path
from types import SimpleNamespace

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import QuadMesh

from trove_lite.candidates import outcomes, save_table

from ..conftest import ROOT, one_is_away


def code_of(path) -> str:
    return "\n".join(
        cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"
    )


#: The notebooks, but for those about a paper whose folder is away.
NOTEBOOKS = [
    path for path in sorted((ROOT / "notebooks").glob("*.ipynb")) if not one_is_away(code_of(path))
]


def executed(path, until="", **given) -> tuple[str, dict]:
    """What a notebook's cells print and show, and the names they define, run in its folder: a
    kernel costs seconds.

    Of what is given it takes the parameters that it has. It ends after the cell that prints
    `until`. Warnings are errors here, as in every test.
    """
    out = io.StringIO()
    names = {"display": print}
    with contextlib.chdir(path.parent), contextlib.redirect_stdout(out):
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "code":
                tree = ast.parse(cell.source)
                last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
                exec(compile(tree, path.name, "exec"), names)
                if last:
                    print(eval(compile(ast.Expression(last.value), path.name, "eval"), names))
                if "parameters" in cell.metadata.get("tags", ()):
                    names |= {name: value for name, value in given.items() if name in names}
                plt.close("all")
                if until and until in out.getvalue():
                    break
    return out.getvalue(), names


def essay(stem) -> Path:
    """The notebook of this number; skips where it is about a paper whose folder is away."""
    (path,) = (ROOT / "notebooks").glob(f"{stem}*.ipynb")
    if path not in NOTEBOOKS:
        pytest.skip(f"{path.stem} needs a folder that is away", allow_module_level=True)
    return path


def definitions(stem) -> SimpleNamespace:
    """What a notebook of this number imports and defines (functions, lists, dicts, constants),
    without a run."""
    path = essay(stem)
    kinds = ast.Import | ast.ImportFrom | ast.FunctionDef
    names: dict = {}
    for node in ast.parse(code_of(path)).body:
        written = isinstance(node, ast.Assign | ast.AugAssign) and (
            isinstance(getattr(node.value, "left", node.value), ast.List | ast.Dict | ast.DictComp)
            or (isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).isupper())
        )
        if isinstance(node, kinds) or written:
            with contextlib.suppress(NameError):  # a list of what a run makes
                exec(compile(ast.Module([node], []), path.name, "exec"), names)
    return SimpleNamespace(**names)


def made_by(stem, runs, *changes, until="", **given) -> dict:
    """What a copy of a notebook saves, by name, with these changes of its code (what stands there,
    what is to).

    It ends after the cell that saves `until`. A figure is the numbers that it draws.
    """
    path = essay(stem)
    text = code_of(path)
    for old, _ in changes:
        assert text.count(old) == 1, f"{path.stem}: {text.count(old)} × {old}"
    saved: dict = {}

    def save(thing, folder, name=""):
        if thing is not None:
            table = isinstance(thing, pd.DataFrame)
            name = name or (thing.attrs.get("name") if table else thing.get_label())
            saved[name if table else f"{name}.png"] = thing if table else drawn(thing)
        return thing if isinstance(thing, pd.DataFrame) else None

    def answer(sentence, figure, folder=""):
        saved["answer"] = sentence
        save(figure, folder)

    names: dict = {"display": lambda *_: None}
    with contextlib.chdir(path.parent), contextlib.redirect_stdout(io.StringIO()):
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "code":
                source = cell.source
                for change in changes:
                    source = source.replace(*change)
                exec(compile(source, path.name, "exec"), names)
                if "parameters" in cell.metadata.get("tags", ()):
                    names |= {"runs": [str(run) for run in runs]} | given
                names |= {"save": save} if "save" in names else {}
                names |= {"Answer": lambda: answer} if "Answer" in names else {}
                plt.close("all")
                if until in saved:
                    break
    return saved


def drawn(figure) -> np.ndarray:
    """All coordinates of the points and lines of a figure, and the values of a heat map."""
    found = []
    for axes in figure.axes:
        found += [line.get_xydata().ravel() for line in axes.lines]
        for drawn_there in axes.collections:
            is_map = isinstance(drawn_there, QuadMesh)
            found.append(np.ravel(drawn_there.get_array() if is_map else drawn_there.get_offsets()))
    return np.concatenate(found).astype(float)


def names_of(stem, frame, folder, change=("", ""), **given) -> dict:
    """What a notebook of this number defines and `printed`, on these candidates; `change`: code,
    what replaces it."""
    save_table(outcomes(frame), runs := folder / "outcomes.parquet")
    path = essay(stem)
    (copy := folder / path.name).write_text(path.read_text().replace(*change))
    printed, names = executed(
        copy, **{"runs": [str(runs)], "results": "", "figures": "", "resamples": 10} | given
    )
    return names | {"printed": printed}
