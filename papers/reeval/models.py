"""Several models beside one another: the same tables for each.

Nothing is compared across models here, whose problems, prompts and numbers of runs may differ: each has its own rows.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pandas as pd

from trove_lite.candidates import load_calls, load_candidates

from ..tables import named
from .two_sides import MODELS, TwoSides, sides


def models(*groups: Sequence[str | Path]) -> dict[str, TwoSides]:
    """The two sides of each model, by its name: a group of runs for each, of one model.

    The folder of a published study stands for the run folders in its `runs`. A group of which no path is there is left
    out; so is one of a model that has its sides already.
    """
    found: dict[str, TwoSides] = {}
    for paths in groups:
        group = [run for path in map(Path, paths) for run in (sorted((path / "runs").glob("*")) or [path])]
        if any(path.exists() for path in group):
            candidates = load_candidates(*group)
            name = str(candidates["model"].iloc[0])
            if MODELS.get(name, name) not in found:
                found[MODELS.get(name, name)] = sides(candidates, calls=load_calls(*group))
    return found


def each_model(compared: Mapping[str, TwoSides], make: Callable[..., pd.DataFrame], **given: object) -> pd.DataFrame:
    """A table of the re-evaluation for each of these models, under one another, with the column `model`.

    Rows that hold no value of ours are left out: a model's own tables say why.
    """
    parts = {name: make(comparison, **given) for name, comparison in compared.items()}
    about = next(iter(parts.values())).attrs
    rows = [part.dropna(subset="value" if "value" in part else "difference").astype(object) for part in parts.values()]
    whole = pd.concat(rows, keys=parts, names=["model"]).reset_index("model").reset_index(drop=True).infer_objects()
    note = "; ".join(dict.fromkeys(part.attrs["note"] for part in parts.values() if part.attrs.get("note")))
    return named(whole, f"{about['name']}_models", about["title"], " beside ".join(parts), note=note)
