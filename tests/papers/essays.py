"""Essays run in this process, on any candidates: what their cells print, and the names that they define."""

import ast
import contextlib
import io

import matplotlib.pyplot as plt
import nbformat

from trove_lite.candidates import outcomes, save_table

from ..conftest import ROOT, imports_one_away


def code_of(path) -> str:
    return "\n".join(
        cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"
    )


#: The notebooks, but for those about a paper whose folder is away.
NOTEBOOKS = [
    path
    for path in sorted((ROOT / "notebooks").glob("*.ipynb"))
    if not imports_one_away(code_of(path))
]


def executed(path, until="", **given) -> tuple[str, dict]:
    """What a notebook's cells print and show, and the names they define, run in its folder: a kernel costs seconds.

    Of what is given it takes the parameters that it has. It ends after the cell that prints `until`. Warnings are
    errors here, as in every test.
    """
    out, names = io.StringIO(), {"display": print}
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


def names_of(stem, frame, folder, change=("", ""), **given) -> dict:
    """What a notebook of this number defines and `printed`, on these candidates; `change`: code, what replaces it."""
    save_table(outcomes(frame), runs := folder / "outcomes.parquet")
    (path,) = (ROOT / "notebooks").glob(f"{stem}*.ipynb")
    (copy := folder / path.name).write_text(path.read_text().replace(*change))
    printed, names = executed(
        copy, **{"runs": [str(runs)], "results": "", "figures": "", "resamples": 10} | given
    )
    return names | {"printed": printed}
