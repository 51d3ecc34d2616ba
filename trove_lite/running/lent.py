"""What one run takes from another that is finished: samples that it would ask for again, and toolboxes as a placebo.

Samples come from the other's journals, where prompt and seed are the same and so is all that they are drawn and run
with. Toolboxes come from its tables, played back. Nothing is taken that would make another row.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path

import pandas as pd

from ..candidates import MISSING, load_candidates
from ..datasets import load_dataset
from ..errors import TroveLiteError
from ..journal import finished_journal
from ..methods.base import Method
from ..methods.trove import IMPORT, TroveSettings, View
from ..recorded.replay import played_back, stated_settings, with_isolated_tools
from .record import Key, Record, differing
from .settings import RunSettings

#: What of a run's settings a sample hangs on besides its prompt and seed.
DRAWN = ("model", "roles", "chat", "dataset", "parser", "sampling", "isolation", "time_limit", "memory")
ANSWERING = ("models", "identity")


# ---- samples ----


def refuse_others(folder: Path, theirs: Mapping, ours: Mapping) -> None:
    """Raises TroveLiteError where samples of the run in `folder` are not what ours would be; both are run.json's."""
    changes = differing(_of_samples(theirs), _of_samples(ours))
    changes += [f"{name}: not the same" for name in ANSWERING if theirs.get(name) != ours.get(name)]
    if changes:
        raise TroveLiteError(
            f"{folder}: its samples are not what this run would draw ({'; '.join(changes)}); leave out --reuse"
        )


def _of_samples(about: Mapping) -> dict:
    versions = {library: version for library, version in about["versions"].items() if library != "trove-lite"}
    settings = {name: about["settings"][name] for name in DRAWN}
    return {"settings": settings, "versions": versions, "isolation": about["isolation"]}


def samples_of(folder: Path, label: str) -> dict[Key, Record]:
    """The samples of one stream of a finished or published run; none where it has no such stream."""
    if not (folder / "candidates.parquet").exists() or not (folder / "journal").is_dir():
        raise TroveLiteError(f"{folder}: not a finished run with its journals, whose samples could be used again")
    return samples_in(folder / "journal", label)


def samples_in(journals: Path, label: str) -> dict[Key, Record]:
    """The samples of one stream that a folder of journals holds, but those that could not be had."""
    records = (Record(**record) for record in finished_journal(journals / f"{label}.jsonl"))
    return {record.key: record for record in records if record.finish_reason not in MISSING}


# ---- toolboxes ----


#: By method, category and seed: what IMPORT is shown at each place of the stream.
Lent = dict[tuple[str, str, int], tuple[View, ...]]


def lend(settings: RunSettings) -> Lent:
    """The toolboxes that methods of a run are shown instead of their own; empty where they want none.

    Raises TroveLiteError where the run that is named cannot lend them.
    """
    found: Lent = {}
    for method in settings.methods:
        if lender := getattr(settings.of(method, settings.seeds[0]), "lender", ""):
            folder, _, category = lender.partition("#")
            stated, rows = stated_settings([folder]), load_candidates(folder)
            if not stated:
                raise TroveLiteError(f"{folder}: no live run of TROVE, which alone can lend toolboxes; name one")
            rows = rows[rows["method"] == method]
            if isolated := settings.of(method, settings.seeds[0]).isolated:
                rows = with_isolated_tools(rows, [folder])
            present = [c for c in load_dataset(settings.dataset).categories if (rows["category"] == c).any()]
            for own, seed in product(settings.categories, settings.seeds):
                whose = category or after(own, present)
                stream = rows[(rows["category"] == whose) & (rows["seed"] == seed)]
                if whose == own or stream.empty:
                    raise TroveLiteError(f"{folder}: has no toolbox of another category than {own} for seed {seed}")
                theirs = replace(stated[stream["run"].iloc[0]], isolated=isolated)
                found[method, own, seed] = along(stream, theirs)
    return found


def after(category: str, present: Sequence[str]) -> str:
    """Of the categories that a run has, the one after this, and after the last the first; "" where it has none."""
    later = present[present.index(category) + 1 :] if category in present else []
    return next(iter([*later, *present]), "")


def along(stream: pd.DataFrame, settings: TroveSettings) -> tuple[View, ...]:
    """What IMPORT was shown at each place of one stream, by its candidates and settings."""
    played = played_back(stream, settings)
    return tuple((a.shown, a.library) for a, _ in played if a.mode == IMPORT and a.phase == "stream" and not a.round)


def with_lent(method: Method, views: Sequence[View]) -> Method:
    """The method, shown these toolboxes instead of its own where there are any."""
    if not views:
        return method
    return method._replace(steps=partial(method.steps, lent=views), ahead=partial(method.ahead, lent=views))
