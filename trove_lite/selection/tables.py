"""Selection rules on whole tables: every problem at once, and at budgets below the recorded one.

`selection` holds the same rules for a single problem, and a test holds both to each other."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from numbers import Integral

import numpy as np
import pandas as pd

from ..candidates import (
    SELECTED,
    UNAVAILABLE,
    require_candidates,
    rows_where,
    selected_alone,
    with_shared_state,
)
from ..errors import TroveLiteError, one_of
from ..judge.canonical import round_answer
from . import RULES
from .subsets import subsets_by_mode

#: What tells a problem of a run from every other; `shares_state` is a fact of the run, so scores
#: have it with them.
PROBLEM = ["method", "run", "shares_state", "dataset", "category", "problem"]
DRAWS = 100_000  # a mean over so many right-or-wrong draws has a Monte Carlo error below 0.002


def in_order(candidates: pd.DataFrame) -> pd.DataFrame:
    """Candidates of the stream in the order in which they were sampled: problem by problem, mode by
    mode. Without those that could not be judged, and without the problems, run by run, of which a
    sample was unavailable. Raises TroveLiteError where a candidate does not say the place of its
    mode, or where there are only selected answers."""
    candidates = with_shared_state(require_candidates(candidates))
    if (candidates["phase"] == SELECTED).all() and len(candidates):
        run, category = selected_alone(candidates)[0]
        raise TroveLiteError(
            f"run '{run}', {category}: only the selected answer of each problem is known, and this needs "
            "all candidates; use `selections` for the accuracy of what was selected"
        )
    stream = rows_where(candidates, candidates["phase"] == "stream")
    # A problem of which one sample could not be had would be judged by fewer than the others.
    lacks = stream["status"].astype(object) == UNAVAILABLE
    if lacks.any():
        lacks = lacks.groupby(
            [stream[name] for name in PROBLEM],
            observed=True,
        ).transform("any")
    frame = rows_where(stream, stream["correct"].notna() & ~lacks)
    if frame["place"].isna().any():
        mode = frame.loc[frame["place"].isna(), "mode"].iloc[0]
        raise TroveLiteError(
            f"mode '{mode}': its column `place` is empty; give the order in which modes were sampled"
        )
    return frame.sort_values(
        [*PROBLEM, "place", "mode", "sample"], kind="stable", ignore_index=True
    )


def modes_of(candidates: pd.DataFrame) -> list[str]:
    """The modes of a table in the order in which they are sampled."""
    places = candidates.groupby("mode", observed=True)["place"].min()
    return places.sort_values(kind="stable").index.tolist()


def _groups(frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """The number of each candidate's problem, and of its mode there, in a table in sampling order
    (`in_order`)."""
    problem = frame.groupby(PROBLEM, observed=True, sort=False).ngroup().to_numpy()
    mode = frame["mode"].astype(object).to_numpy()
    place = frame["place"].to_numpy()
    # In sampling order a mode's candidates are together: a place is shared by one mode alone.
    same_problem = problem[1:] == problem[:-1]
    same_mode = mode[1:] == mode[:-1]
    unclear = same_problem & (same_mode != (place[1:] == place[:-1]))
    if unclear.any():
        a, b = (frame.iloc[unclear.argmax() + i] for i in (0, 1))
        raise TroveLiteError(
            f"run '{a['run']}', {a['category']} problem {a['problem']}: place {a['place']} for mode "
            f"'{a['mode']}' and {b['place']} for '{b['mode']}'; give each mode of a problem a `place` of its own"
        )
    begins = ~(same_problem & same_mode)
    mode_number = np.cumsum(np.r_[False, begins])[: len(frame)]
    return problem, mode_number


def without_answers(stream: pd.DataFrame) -> pd.Series:
    """Of each candidate whether nobody can tell what it agrees with: its run has several samples a
    problem, and its log has verdicts and no answers."""
    run = [stream[name] for name in PROBLEM[:5]]
    ran = stream["status"] == "ok"
    known = stream["answers"].notna()
    if known[ran].all():
        return pd.Series(False, index=stream.index)
    facts = pd.DataFrame(
        {"ran": ran, "answers": ran & known, "several": stream.duplicated(PROBLEM)}
    ).astype(bool)
    found = facts.groupby(run, observed=True).transform("any").astype(bool)
    return found["ran"] & found["several"] & ~found["answers"]


def without_agreement(candidates: pd.DataFrame) -> list[str]:
    """A line for each method that has such a run."""
    stream = candidates[(candidates["phase"] == "stream").to_numpy()]
    methods = stream.loc[without_answers(stream), "method"].astype(str).unique()
    return [
        f"{method}: its log has verdicts and no answers, so agreement (one_stage, two_stage) cannot be "
        "computed; oracle, which is pass@k, can"
        for method in sorted(methods)
    ]


def choose(candidates: pd.DataFrame, rule: str) -> pd.DataFrame:
    """The candidate that `rule` selects for each problem and run, one row each, of all that were
    recorded."""
    frame = in_order(candidates)
    if lines := without_agreement(frame):
        raise TroveLiteError(lines[0])
    winners = _Votes(frame, rule).winners(np.ones(len(frame), dtype=bool))
    return frame.iloc[winners].reset_index(drop=True)


def expected_score(
    candidates: pd.DataFrame, rule: str, k: int, *, seed: int, resamples: int = 100
) -> pd.DataFrame:
    """How often `rule` is right with k of a problem's n candidates: one row a problem and run,
    column `score`.

    k is split evenly over the modes, the remainder to the later ones. Null where a problem has
    fewer candidates than asked of some mode. `resamples`: the most subsets that are drawn, fewer
    with many problems: `DRAWS` in all, but ten a problem."""
    frame = in_order(candidates)
    if not isinstance(k, Integral) or k < 1:
        raise TroveLiteError(f"k {k}: give at least one call a problem")
    mode = frame["mode"].astype(object).to_numpy()
    starts = np.flatnonzero(~frame.duplicated(PROBLEM))
    resamples = max(
        10,
        min(
            resamples,
            DRAWS // max(1, len(starts)),
        ),
    )
    # Problems with the same modes in the same order share their subsets.
    problems = [slice(*ends) for ends in pairwise([*starts, len(frame)])]
    layouts = [tuple(mode[rows]) for rows in problems]
    subsets = {
        modes: even_subsets(modes, k, seed=seed, resamples=resamples)
        for modes in dict.fromkeys(layouts)
    }
    # One mask of all candidates a draw, so that a rule runs once for all problems.
    draws = max(map(len, subsets.values()), default=0)
    sizes = [len(subsets[modes]) for modes in layouts]
    present = np.ones(
        (draws, len(frame)),
        dtype=bool,
    )
    for rows, modes, size in zip(problems, layouts, sizes, strict=True):
        if size:
            # Where there are fewer than elsewhere, they come again and do not count.
            present[:, rows] = np.resize(
                subsets[modes],
                (draws, len(modes)),
            )
    # Where all of a problem's candidates are right, or none is, so is whatever is drawn.
    correct = frame["correct"].to_numpy(dtype=bool)
    mixed = [correct[rows].any() and not correct[rows].all() for rows in problems]
    drawn = np.repeat(mixed, list(map(len, layouts)))
    votes = _Votes(rows_where(frame, drawn), rule)
    right = np.array([votes.correct[votes.winners(each)] for each in present[:, drawn]])
    score = correct[starts].astype(float)
    score[np.array(sizes) == 0] = np.nan
    for column, number in enumerate(np.flatnonzero(mixed)):
        if sizes[number]:
            score[number] = right[: sizes[number], column].mean()
    # Of verdicts without answers only a single sample can be scored: nothing agrees with it.
    silent = without_answers(frame).iloc[starts].to_numpy() & (k > 1)
    known = frame[[*PROBLEM, "level"]].iloc[starts].reset_index(drop=True)
    return known.assign(
        score=np.where(
            silent,
            np.nan,
            score,
        )
    )


def even_subsets(modes: Sequence[str], k: int, *, seed: int, resamples: int) -> np.ndarray:
    """Subsets of k of a problem's candidates as masks (draws, n): everything where k is all there
    is, else evenly from each mode; none where one has too few."""
    counts = Counter(modes)  # in the order of sampling
    even, more = divmod(k, len(counts))
    share: dict = counts
    if k < len(modes):
        # The remainder goes to the later modes, one each.
        share = {mode: even + (i >= len(counts) - more) for i, mode in enumerate(counts)}
    too_few = any(not 0 < share[mode] <= counts[mode] for mode in counts)
    if k > len(modes) or too_few:
        return np.empty(
            (0, len(modes)),
            dtype=bool,
        )
    return subsets_by_mode(modes, share, seed=seed, resamples=resamples)


class _Votes:
    """The table's votes as flat arrays, and the rules on all problems at once."""

    def __init__(self, frame: pd.DataFrame, rule: str):
        one_of("no selection rule", rule, RULES)
        self.described = rule.endswith("described")
        self.ok = (frame["status"] == "ok").to_numpy()
        self.correct = frame["correct"].fillna(False).to_numpy(dtype=bool)
        operations = frame["operations"].fillna(0).to_numpy(dtype=np.int64)
        self.costly_first = np.argsort(operations, kind="stable")[::-1]
        if self.described:
            answers = frame["answer"].map(round_answer, na_action="ignore")
        else:
            answers = frame["answers"]
        # A row a vote: by the official count a program has as many as it has answers.
        votes = answers.astype(object).where(self.ok).reset_index(drop=True).explode().dropna()
        if self.described:
            votes = votes[votes != ""]
        self.voter = votes.index.to_numpy()
        answer, known = pd.factorize(votes)
        problem, mode = _groups(frame)
        # Of each round: every candidate's group, and every vote's number among its group's answers.
        self.rounds = []
        stages = [mode, problem] if rule.startswith("two_stage") else [problem]
        for group in stages:
            own = group[self.voter] * len(known) + answer
            self.rounds.append((group, np.unique(own, return_inverse=True)[1]))

    def winners(self, present: np.ndarray) -> np.ndarray:
        """The row chosen for each problem among the candidates `present`, a mask of all."""
        for group, answer in self.rounds:
            chosen = self._agree(present, group, answer)
            present = np.zeros_like(present)
            present[chosen] = True
        return chosen

    def _agree(self, present: np.ndarray, group: np.ndarray, answer: np.ndarray) -> np.ndarray:
        """One round of agreement → the row chosen in each group. Of rows assigned to the same group
        the last stays."""
        groups = group[self.voter]
        counted = present[self.voter]
        # How many votes the answer of each vote has, and the most that its group gives to one.
        votes = np.bincount(answer, counted)[answer]
        most = np.zeros(group.max(initial=-1) + 1)
        np.maximum.at(most, groups, votes)
        leads = counted & (votes == most[groups])
        if not self.described:
            # Of answers with as many votes the official program takes the one that it met first.
            first = np.zeros(len(most), dtype=int)
            first[groups[leads][::-1]] = answer[leads][::-1]
            leads &= answer == first[groups]
        supports = np.zeros(len(present), dtype=bool)
        supports[self.voter[leads]] = True
        # What is written last stays: any program, then one that ran, then a supporter, the simplest
        # one at the end.
        latest = np.arange(len(present))[::-1]
        chosen = np.zeros(len(most), dtype=int)
        for order, wanted in (
            (latest, present),
            (latest, present & self.ok),
            (self.costly_first, supports),
        ):
            rows = order[wanted[order]]
            chosen[group[rows]] = rows
        return chosen
