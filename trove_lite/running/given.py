"""Toolboxes that IMPORT is shown instead of its own: a finished run's, played back from its tables,
or a file's."""

from dataclasses import replace
from itertools import product
from pathlib import Path

import pandas as pd

from ..candidates import load_candidates
from ..datasets import load_dataset
from ..datasets.base import Question
from ..errors import TroveLiteError
from ..methods.toolbox import Toolbox
from ..methods.trove import IMPORT, TroveSettings, View, in_order
from ..programs import plain_name, used_tools
from ..programs.parse import parse_tools
from .replay import played_back, stated_settings, with_isolated_tools
from .tool_files import KINDS, tools_of_file

HINDSIGHT = "hindsight:"
#: Of a file with more functions, so many are shown: those whose words are most like the question's
#: (TroVE, D.1).
SHOWN = 10


def load_given(settings) -> dict[tuple[str, str, int], tuple[View, ...]]:
    """What IMPORT is shown instead of its own toolbox at each place of the stream, by method,
    category and seed.

    `hindsight:RUN` lends a category its own, those tools alone that right programs used: an upper
    bound, which peeks. A lender RUN#CATEGORY lends that category's; RUN alone the next one's after
    each, in turn; a file (KINDS) lends its functions to all. Raises TroveLiteError where the run or
    file that is named cannot lend them."""
    found = {}
    dataset = load_dataset(settings.dataset)
    for method in settings.methods:
        own = settings.of(method, settings.seeds[0])
        if not (lender := getattr(own, "lender", "")):
            continue
        streams = list(product(settings.categories, settings.seeds))
        if lender.endswith(KINDS):
            box = Toolbox()
            box.give(tools_of_file(Path(lender)))
            for category, seed in streams:
                questions = [
                    problem.question for problem in dataset.load(category)[: settings.limit]
                ]
                found[method, category, seed] = likest(box, questions, settings.of(method, seed))
            continue
        peeks = lender.startswith(HINDSIGHT)
        folder, _, category = lender.removeprefix(HINDSIGHT).partition("#")
        stated = stated_settings([folder])
        rows = load_candidates(folder)
        if not stated:
            raise TroveLiteError(
                f"{folder}: not a live run of TROVE; only these have toolboxes to give"
            )
        rows = rows[rows["method"] == method]
        rows = with_isolated_tools(rows, [folder]) if own.isolated else rows
        present = [c for c in dataset.categories if (rows["category"] == c).any()]
        for to, seed in streams:
            whose = category
            if not category and peeks:
                whose = to
            elif not category and to in present:
                whose = present[(present.index(to) + 1) % len(present)]
            stream = rows[(rows["category"] == whose) & (rows["seed"] == seed)]
            if (whose == to and not peeks) or stream.empty:
                raise TroveLiteError(
                    f"{folder}: has no toolbox of another category than {to} for seed {seed}"
                )
            played = played_back(
                stream, replace(stated[stream["run"].iloc[0]], isolated=own.isolated)
            )
            views = tuple(
                (asked.shown, asked.library)
                for asked, _ in played
                if asked.mode == IMPORT and asked.phase == "stream" and not asked.round
            )
            found[method, to, seed] = in_hindsight(stream, views, own) if peeks else views
    return found


def in_hindsight(
    stream: pd.DataFrame, views: tuple[View, ...], own: TroveSettings
) -> tuple[View, ...]:
    """Of the tools that a finished stream ever showed, those that a right program of IMPORT used;
    all along."""
    right = stream[(stream["mode"] == IMPORT) & stream["correct"].fillna(False).astype(bool)]
    used = {
        plain_name(n)
        for r in right.itertuples()
        for n in used_tools(r.solution, parse_tools(r.tools))
    }
    every = (tool for shown, _ in views for tool in shown if plain_name(tool.name) in used)
    tools = tuple(dict.fromkeys(every))
    return ((tools, own.as_library(tools)),)


def likest(box: Toolbox, questions: list[Question], own: TroveSettings) -> tuple[View, ...]:
    """The tools of a box whose words are most like each question's, in the order in which questions
    are asked."""
    limit = SHOWN if own.shown is None else own.shown
    shown = [box.ranked("lexical", question.text)[:limit] for question in in_order(questions, own)]
    return tuple((tools, own.as_library(tools)) for tools in shown)
