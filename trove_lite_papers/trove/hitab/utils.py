"""What programs about HiTab's tables import by the released name, `from utils import parse_table`.

This file is laid beside each such program, so it is on its own: it imports nothing of the package. TroVE's program
has a module of this name too; that one holds much else, and reads an API key when it is imported.
"""

import json

import numpy as np
import pandas as pd
from numpy import nan

__all__ = ["nan", "parse_table"]

if (
    __name__ == "utils"
):  # in a program: numbers print as they did with numpy 1, `3.5` and not `np.float64(3.5)`
    np.set_printoptions(legacy="1.25")


def parse_table(file_path: str) -> pd.DataFrame | None:
    """Read a table with hierarchical headers: both axes are labelled with the path from the outermost header.

    A header that stands for a line of data is a label, and may have others below it. Missing cells are "". Where
    headers and data do not fit together, it prints why and returns None, as the released function does.
    """
    with open(file_path, encoding="utf-8") as file:
        table = json.load(file)
    columns = pd.MultiIndex.from_tuples(header_paths(table["top_root"]))
    index = pd.MultiIndex.from_tuples(header_paths(table["left_root"]))
    cells = [[cell["value"] for cell in row] for row in table["data"]]
    try:
        return pd.DataFrame(cells, index=index, columns=columns).apply(_without_gaps)
    except Exception as error:  # whatever pandas says of cells that do not fit
        print(f"Error: {error}")
        return None


def _without_gaps(column: pd.Series) -> pd.Series:
    return column.astype(object).fillna("") if column.hasnans else column


def header_paths(node: dict, path: tuple = ()) -> list[tuple]:
    """The path below the root of each header that stands for a line of data, parents before children."""
    below = [
        p for child in node["children_dict"] for p in header_paths(child, (*path, child["value"]))
    ]
    return below if node.get("line_idx") is None else [path, *below]
