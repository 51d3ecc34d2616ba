"""Toolboxes that a finished run of TROVE lends to another as a placebo: played back from its tables."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import product

import pandas as pd

from ..candidates import load_candidates
from ..datasets import load_dataset
from ..errors import TroveLiteError
from ..methods.trove import IMPORT, TroveSettings, View
from .replay import played_back, stated_settings, with_isolated_tools

#: By method, category and seed: what IMPORT is shown at each place of the stream.
Lent = Mapping[tuple[str, str, int], tuple[View, ...]]


def lend(settings) -> Lent:
    """The toolboxes that methods of a run with these RunSettings are shown instead of their own; empty for none.

    A lender RUN#CATEGORY lends that category's; RUN alone the next one's after each, in turn. Raises TroveLiteError
    where the run that is named cannot lend them.
    """
    found = {}
    for method in settings.methods:
        own = settings.of(method, settings.seeds[0])
        if not (lender := getattr(own, "lender", "")):
            continue
        folder, _, category = lender.partition("#")
        stated, rows = stated_settings([folder]), load_candidates(folder)
        if not stated:
            raise TroveLiteError(f"{folder}: no live run of TROVE, which alone can lend toolboxes; name one")
        rows = rows[rows["method"] == method]
        if own.isolated:
            rows = with_isolated_tools(rows, [folder])
        present = [c for c in load_dataset(settings.dataset).categories if (rows["category"] == c).any()]
        for to, seed in product(settings.categories, settings.seeds):
            after = [*present[present.index(to) + 1 :], *present, ""] if to in present else [""]
            whose = category or after[0]
            stream = rows[(rows["category"] == whose) & (rows["seed"] == seed)]
            if whose == to or stream.empty:
                raise TroveLiteError(f"{folder}: has no toolbox of another category than {to} for seed {seed}")
            theirs = replace(stated[stream["run"].iloc[0]], isolated=own.isolated)
            found[method, to, seed] = views_along(stream, theirs)
    return found


def views_along(stream: pd.DataFrame, settings: TroveSettings) -> tuple[View, ...]:
    """What IMPORT was shown at each place of one stream, by its candidates and settings."""
    played = played_back(stream, settings)
    return tuple((a.shown, a.library) for a, _ in played if a.mode == IMPORT and a.phase == "stream" and not a.round)
