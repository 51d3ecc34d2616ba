"""Selection rules on whole tables: every problem at once, and at budgets below the recorded one.

A rule applied to K of n candidates is a mean over subsets, K/modes from each mode: all where they are few, else seeded
draws. `selection` holds the same rules for a single problem, and a test holds both to each other.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from numbers import Integral
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..candidates import SELECTED, UNAVAILABLE, require_candidates, selected_alone, with_shared_state
from ..errors import TroveLiteError
from ..selection import RULES, round_answer
from .statistics import subsets_by_mode

#: What tells a problem of a run from every other; `shares_state` is a fact of the run, so scores have it with them.
PROBLEM = ["method", "run", "shares_state", "dataset", "category", "problem"]
CELLS = 4_000_000  # array elements at a time
DRAWS = 100_000  # a mean over so many right-or-wrong draws has a Monte Carlo error below 0.002
NEVER = np.iinfo(np.int64).max


class Stack(NamedTuple):
    """Problems of one layout: `rows` (problems, n) points into the table; `modes` (n,) names each position."""

    rows: np.ndarray
    modes: np.ndarray


def in_order(candidates: pd.DataFrame) -> pd.DataFrame:
    """Candidates of the stream in the order in which they were sampled: problem by problem, mode by mode.

    Without those that could not be judged, and without the problems, run by run, of which a sample was unavailable.
    Raises TroveLiteError where a candidate does not say the place of its mode, or where there are only selected
    answers.
    """
    candidates = with_shared_state(require_candidates(candidates))
    if (candidates["phase"] == SELECTED).all() and len(candidates):
        run, category = selected_alone(candidates)[0]
        what = "only the selected answer of each problem is known, and this needs all candidates"
        remedy = "use `selections` for the accuracy of what was selected"
        raise TroveLiteError(f"run '{run}', {category}: {what}; {remedy}")
    stream = candidates[candidates["phase"] == "stream"]
    lacks = stream["status"].astype(object) == UNAVAILABLE
    if lacks.any():
        lacks = lacks.groupby([stream[name] for name in PROBLEM], observed=True).transform("any")
    frame = stream[stream["correct"].notna() & ~lacks]
    if frame["place"].isna().any():
        mode = frame.loc[frame["place"].isna(), "mode"].iloc[0]
        raise TroveLiteError(f"mode '{mode}': its column `place` is empty; give the order in which modes were sampled")
    return frame.sort_values([*PROBLEM, "place", "mode", "sample"], kind="stable", ignore_index=True)


def modes_of(candidates: pd.DataFrame) -> list[str]:
    """The modes of a table in the order in which they are sampled."""
    places = candidates.groupby("mode", observed=True)["place"].min()
    return places.sort_values(kind="stable").index.tolist()


def stacks(frame: pd.DataFrame) -> Iterator[Stack]:
    """Group the problems of a table in sampling order (`in_order`) by how many samples they have of each mode."""
    if frame.empty:
        return
    group = frame.groupby(PROBLEM, observed=True, sort=False).ngroup().to_numpy()
    starts = np.flatnonzero(np.r_[True, group[1:] != group[:-1]])
    mode, names = pd.factorize(frame["mode"].astype(object))
    place = frame["place"].to_numpy()
    unclear = (group[1:] == group[:-1]) & ((mode[1:] == mode[:-1]) != (place[1:] == place[:-1]))
    if unclear.any():
        a, b = (frame.iloc[unclear.argmax() + i] for i in (0, 1))
        where = f"run '{a['run']}', {a['category']} problem {a['problem']}"
        what = f"place {a['place']} for mode '{a['mode']}' and {b['place']} for '{b['mode']}'"
        raise TroveLiteError(f"{where}: {what}; give each mode of a problem a `place` of its own")
    layouts: dict[tuple, list[int]] = {}
    for start, end in pairwise([*starts.tolist(), len(group)]):
        layouts.setdefault(tuple(mode[start:end]), []).append(start)
    for layout, first in layouts.items():
        yield Stack(np.array(first)[:, None] + np.arange(len(layout)), names[list(layout)].to_numpy())


def without_answers(stream: pd.DataFrame) -> pd.Series:
    """Of each candidate whether nobody can tell what it agrees with: its run has several samples a problem, and its log
    (`recorded.harness_logs`) has verdicts and no answers."""
    run = [stream[name] for name in PROBLEM[:5]]
    ran, known = stream["status"] == "ok", stream["answers"].notna()
    if known[ran].all():
        return pd.Series(False, index=stream.index)
    facts = pd.DataFrame({"ran": ran, "answers": ran & known, "several": stream.duplicated(PROBLEM)}).astype(bool)
    found = facts.groupby(run, observed=True).transform("any").astype(bool)
    return found["ran"] & found["several"] & ~found["answers"]


def without_agreement(candidates: pd.DataFrame) -> list[str]:
    """A line for each method that has such a run."""
    stream = candidates[(candidates["phase"] == "stream").to_numpy()]
    methods = stream.loc[without_answers(stream), "method"].astype(str).unique()
    why = "its log has verdicts and no answers, so agreement (one_stage, two_stage) cannot be computed"
    return [f"{method}: {why}; oracle, which is pass@k, can" for method in sorted(methods)]


def choose(candidates: pd.DataFrame, rule: str) -> pd.DataFrame:
    """The candidate that `rule` selects for each problem and run, one row each, of all that were recorded."""
    frame = in_order(candidates)
    if lines := without_agreement(frame):
        raise TroveLiteError(lines[0])
    votes = _Votes(frame, rule)
    chosen = [
        stack.rows[part, votes.winners(stack, part, np.ones((1, len(stack.modes)), dtype=bool))[0]]
        for stack in stacks(frame)
        for part in votes.chunks(stack, 1)
    ]
    return frame.iloc[np.sort(np.concatenate(chosen)) if chosen else []].reset_index(drop=True)


def expected_score(candidates: pd.DataFrame, rule: str, k: int, *, seed: int, resamples: int = 100) -> pd.DataFrame:
    """How often `rule` is right with k of a problem's n candidates: one row a problem and run, column `score`.

    k is split evenly over the modes, the remainder to the later ones. Null where a problem has fewer candidates than
    asked of some mode. `resamples`: the most subsets that are drawn, fewer with many problems: `DRAWS` in all, but ten
    a problem.
    """
    frame = in_order(candidates)
    if not isinstance(k, Integral) or k < 1:
        raise TroveLiteError(f"k {k}: give at least one call a problem")
    first = ~frame.duplicated(PROBLEM).to_numpy()
    resamples = max(10, min(resamples, DRAWS // max(1, int(first.sum()))))
    votes = _Votes(frame, rule)
    score = np.full(len(frame), np.nan)
    for stack in stacks(frame):
        counts = Counter(stack.modes)  # in the order of sampling
        share = _split(k, np.array([*counts.values()]))
        if share is None:
            continue
        picks = subsets_by_mode(stack.modes, dict(zip(counts, share, strict=True)), seed=seed, resamples=resamples)
        masks = np.zeros((len(picks), len(stack.modes)), dtype=bool)
        np.put_along_axis(masks, picks, True, axis=1)
        for part in votes.chunks(stack, len(masks)):
            score[stack.rows[part, 0]] = votes.correct[stack.rows[part, votes.winners(stack, part, masks)]].mean(axis=0)
    score[(without_answers(frame) & (k > 1)).to_numpy()] = np.nan
    return frame.loc[first, [*PROBLEM, "level"]].assign(score=score[first]).reset_index(drop=True)


def _split(k: int, counts: np.ndarray) -> list[int] | None:
    """k over the modes: everything where k is all there is, else evenly; None where a mode has too few."""
    if k == counts.sum():
        return counts.tolist()
    share = [k // len(counts) + (i >= len(counts) - k % len(counts)) for i in range(len(counts))]
    return share if all(s <= n for s, n in zip(share, counts, strict=True)) and min(share) > 0 else None


class _Votes:
    """The table's votes as flat arrays, and the rules on blocks of them."""

    def __init__(self, frame: pd.DataFrame, rule: str):
        if rule not in RULES:
            raise TroveLiteError(f"no selection rule '{rule}': choose from {', '.join(RULES)}")
        self.by_mode, self.described = rule.startswith("two_stage"), rule.endswith("described")
        self.ok = (frame["status"] == "ok").to_numpy()
        self.correct = frame["correct"].fillna(False).to_numpy(dtype=bool)
        self.operations = frame["operations"].fillna(0).to_numpy(dtype=np.int64)
        answers = frame["answer"].map(round_answer, na_action="ignore") if self.described else frame["answers"]
        votes = answers.astype(object).where(self.ok).reset_index(drop=True).explode().dropna()
        self.row, (self.value, _) = votes.index.to_numpy(), pd.factorize(votes)
        self.start = np.searchsorted(self.row, np.arange(len(frame) + 1))

    def chunks(self, stack: Stack, resamples: int) -> Iterator[np.ndarray]:
        """Problems of a stack in parts with as many distinct answers as fit, few first: padding stays small."""
        widths = self.start[stack.rows[:, -1] + 1] - self.start[stack.rows[:, 0]] + 1
        order = np.argsort(widths, kind="stable")
        while len(order):
            cost = widths[order] * np.arange(1, len(order) + 1) * (resamples + 2 * len(stack.modes))
            size = max(1, int(np.searchsorted(cost, CELLS, side="right")))
            yield order[:size]
            order = order[size:]

    def winners(self, stack: Stack, part: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Position (draws, problems) of the chosen candidate, for each subset in `masks` (draws, n)."""
        rows = stack.rows[part]
        block = self._block(rows)
        present = np.broadcast_to(masks[:, None], (len(masks), *rows.shape))
        if not self.by_mode:
            return self._agree(present, block)
        finalists = np.zeros(present.shape, dtype=bool)
        for mode in dict.fromkeys(stack.modes):
            (own,) = np.nonzero(stack.modes == mode)
            best = own[self._agree(present[..., own], _Block(*(array[:, own] for array in block)))]
            np.put_along_axis(finalists, best[..., None], True, axis=2)
        return self._agree(finalists, block)

    def _block(self, rows: np.ndarray) -> "_Block":
        problems, n = rows.shape
        begin, end = self.start[rows[:, 0]], self.start[rows[:, -1] + 1]
        vote = np.concatenate([np.arange(*ends) for ends in zip(begin, end, strict=True)])
        problem = np.repeat(np.arange(problems), end - begin)
        position = self.row[vote] - rows[problem, 0]
        distinct = self.value.max(initial=0) + 1
        keys, key = np.unique(problem * distinct + self.value[vote], return_inverse=True)
        first = np.searchsorted(keys, np.arange(problems + 1) * distinct)
        code, answers = key - first[problem], max(1, np.diff(first).max())  # a problem's answers are numbered from 0
        count = np.zeros((problems, n, answers), dtype=np.float32)
        np.add.at(count, (problem, position, code), 1)
        met = np.full((problems, n, answers), NEVER)
        np.minimum.at(met, (problem, position, code), vote)
        return _Block(count, met, self.operations[rows] * n + np.arange(n), self.ok[rows])

    def _agree(self, present: np.ndarray, block: "_Block") -> np.ndarray:
        """One round of agreement among the candidates `present` (draws, problems, n) → position of the chosen."""
        count, met, cost, ok = block
        total = _per_problem(present, count)
        top = total.max(axis=2)  # the most votes for any answer (draws, problems)
        leads = total == top[..., None]
        if self.described:
            supports = _per_problem(leads, count.transpose(0, 2, 1)) > 0
        else:
            winner = leads.argmax(axis=2)
            tied = (leads.sum(axis=2) > 1) & (top > 0)
            draw, problem, answer = np.nonzero(leads & tied[..., None])
            when = np.where(present[draw, problem], met[problem, :, answer], NEVER).min(axis=1)
            earliest = np.full(top.shape, NEVER)
            np.minimum.at(earliest, (draw, problem), when)
            first = when == earliest[draw, problem]
            winner[draw[first], problem[first]] = answer[first]
            supports = count.transpose(0, 2, 1)[np.arange(len(count)), winner] > 0
        ranked = np.where(present & supports, cost, NEVER)
        ran = present & ok
        fallback = np.where(ran.any(axis=2), ran.argmax(axis=2), present.argmax(axis=2))
        return np.where(top > 0, ranked.argmin(axis=2), fallback)


class _Block(NamedTuple):
    """A block of problems: votes of each candidate for each answer, when each vote was first met (both problems ×
    n × answers), and each candidate's rank by operations and success (both problems × n)."""

    count: np.ndarray
    met: np.ndarray
    cost: np.ndarray
    ok: np.ndarray


def _per_problem(draws: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """(draws, problems, a) with (problems, a, b) → (draws, problems, b), summed over a for each problem."""
    return np.matmul(draws.transpose(1, 0, 2).astype(np.float32), matrix).transpose(1, 0, 2)
