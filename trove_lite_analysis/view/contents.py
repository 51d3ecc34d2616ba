"""What a page about runs holds: candidates → plain values that JSON has, problem by problem, every
text made harmless.

It judges nothing: verdicts are the table's, and who is chosen by which votes is
`analysis.worked`'s."""

import base64
import io
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from inspect import getdoc
from itertools import groupby

import pandas as pd

from trove_lite.candidates import (
    SELECTED,
    SELECTION,
    all_candidates,
    as_text,
    rows_where,
    selections,
)
from trove_lite.datasets.base import Problem
from trove_lite.errors import shown
from trove_lite.selection import RULES
from trove_lite.selection.tables import in_order as sampled
from trove_lite.selection.tables import without_answers

from ..independence import independent_runs
from ..systems import systems_of
from ..worked import Round, rounds, votes_of
from .formulas import pieces

PROBLEM = ["dataset", "category", "problem"]
RUN = ["method", "run"]
PHASES = {"stream": 0, SELECTED: 1, "retry": 2}  # others, drafts, after these
MOST_CHARACTERS, MOST_OF_ANSWER = 20_000, 500  # of one text; what is beyond is counted
MOST_ANSWERS = 12  # of one candidate, and of one round's count
TOGETHER = 300  # candidates in one part of the page, or a problem's, where it has more
MOST_FORMULAS = 5_000  # of replies on a page, at some two thousandths of a second each
MOST_LISTED = 3_000  # texts with formulas in the list, which a page holds unpacked
TEXTS = ("solution", "tools", "response", "output", "error")
NUMBERS = (
    "operations",
    "prompt_tokens",
    "completion_tokens",
    "generate_seconds",
    "execute_seconds",
)
#: What the page has of a candidate, beside its votes.
KEPT = {*TEXTS, *NUMBERS, *PROBLEM, *RUN, "provenance", "phase", "mode", "status", "level"}
KEPT |= {"sample", "round", "correct", "answer", "shortened", "silent"}
AT_ONCE = 500  # problems that are held as plain values
SPENT = ("prompt_tokens", "completion_tokens", "executions")


class Contents:
    """All that the page about these runs shows: `parts`, read when a problem of theirs is opened,
    and `index`. The index is what the list needs at once, whole when the parts have been run
    through; a problem of it names its part and its place there. `problems`: those whose words are
    at hand, by PROBLEM; `notes` say why others are not. shown: which candidates it has, all those
    of a problem or none; what is told of whole runs covers all."""

    def __init__(
        self,
        candidates: pd.DataFrame,
        calls: pd.DataFrame,
        problems: Mapping[tuple, Problem],
        notes: Sequence[str],
        *,
        shown: pd.Series | None = None,
    ):
        frame = in_order(candidates.assign(shown=True if shown is None else shown))
        runs = frame.groupby(RUN)[["model", "provenance"]].first()
        sizes = all_candidates(frame).groupby(RUN).size()
        about = {rule: getdoc(apply).split("\n")[0] for rule, apply in RULES.items()}
        if (frame["phase"] == SELECTED).any():
            about = {SELECTION: getdoc(selections).split("\n")[0]} | about
        silent = without_answers(frame[frame["phase"] == "stream"]).reindex(
            frame.index, fill_value=False
        )
        self.frame = rows_where(frame.assign(silent=silent), frame["shown"])
        self.words = problems
        self.asked = _by_problem(calls)
        self.idle = _idle(frame)
        self.numbers = {who: number for number, who in enumerate(runs.index)}
        told = [
            dict(
                zip(
                    RUN,
                    map(clean, who),
                    strict=True,
                )
            )
            | dict(facts.map(clean))
            | {"candidates": int(sizes.get(who, 0))}
            for who, facts in runs.iterrows()
        ]
        self.index: dict = {
            "rules": list(about),
            "about": about,
            "runs": told,
            "notes": list(map(clean, notes)),
            "problems": [],
            "rows": [],
            "formulas": [],
        }
        self.room = MOST_FORMULAS

    def parts(self) -> Iterator[list[dict]]:
        """The problems with their candidates, some problems at a time."""
        part = []
        room = TOGETHER
        number = 0
        for key, places in self._problems():
            if part and len(places) > room:
                yield part
                part = []
                room = TOGETHER
                number += 1
            room -= len(places)
            words = self.words.get(key)
            level = self.rows["level"][places[0]]
            question = words.question.text if words else None
            self.index["problems"].append(
                [
                    clean(key[0]),
                    clean(key[1]),
                    int(key[2]),
                    clean(level),
                    clean(question),
                    number,
                    len(part),
                ]
            )
            held = _words(words) | {
                "runs": [self._run(key, *run) for run in self.rows.grouped(places, RUN)]
            }
            part.append(held | self._formulas(held))
        yield part

    def _problems(self) -> Iterator[tuple[tuple, list[int]]]:
        """Each problem with its places in `rows`, which hold some problems at a time: as lists of
        plain values a million candidates are a gigabyte."""
        number = (~self.frame.duplicated(PROBLEM)).cumsum()
        for _, frame in self.frame.groupby(number // AT_ONCE):
            self.rows = _Rows(frame)
            yield from self.rows.grouped(range(len(frame)), PROBLEM)

    def _run(self, key: tuple, who: tuple, own: Sequence[int]) -> dict:
        """What a run answered to the last problem of the index, which is told of it."""
        rows = self.rows
        index = self.index
        cast = [i for i in own if rows["phase"][i] == "stream" and rows["correct"][i] is not None]
        votes = [rows.votes[i] for i in cast]
        chosen = (
            {rule: rounds(votes, rule) for rule in RULES}
            if cast and not rows["silent"][cast[0]]
            else {}
        )
        picked = {rule: cast[every[-1].chosen] for rule, every in chosen.items()}
        if recorded := [i for i in own if rows["phase"][i] == SELECTED]:
            picked[SELECTION] = recorded[0]
        kinds = sorted({(clean(rows["mode"][i]), clean(rows["status"][i])) for i in own})
        right = sum(bool(rows["correct"][i]) for i in cast)
        picks = [self._pick(picked.get(r)) for r in index["rules"]]
        counts = int((*who, *key[1:]) not in self.idle)
        index["rows"].append(
            [
                len(index["problems"]) - 1,
                self.numbers[who],
                len(cast),
                right,
                counts,
                picks,
                kinds,
            ]
        )
        place = {row: number for number, row in enumerate(own)}
        among = [place[i] for i in cast]
        return {
            "run": self.numbers[who],
            "candidates": [_candidate(rows, i) for i in own],
            "rules": {
                rule: [_round(held, among) for held in every] for rule, every in chosen.items()
            },
            "spent": self.asked.get(
                (*key, *who),
                {},
            ),
        }

    def _formulas(self, held: dict) -> dict:
        """The texts of a problem that hold formulas, each with its pieces, and of them in the index
        those that the list shows."""
        question = self.index["problems"][-1][4]
        picked = {
            pick[0] for row in self.index["rows"][-len(held["runs"]) :] for pick in row[5] if pick
        }
        texts = [question, held.get("gold")]
        for candidate in (one for run in held["runs"] for one in run["candidates"]):
            texts += [candidate.get("answer"), *candidate["votes"]]
            texts += [candidate.get(name) for name in ("output", "response")]
        found = []
        for text in dict.fromkeys(filter(None, texts)):
            parts = pieces(text) if self.room > 0 or text == question else [text]
            if parts != [text]:
                found.append([text, parts])
                self.room -= sum(isinstance(part, list) for part in parts)
        listed = [pair for pair in found if pair[0] in {*picked, question}]
        self.index["formulas"] += listed[: MOST_LISTED - len(self.index["formulas"])]
        return {"formulas": found} if found else {}

    def _pick(self, row: int | None) -> tuple[str | None, int] | None:
        """The answer of the candidate that a rule picks, and its verdict; None where it can pick
        none."""
        return (
            None
            if row is None
            else (readable(self.rows["answer"][row]), int(self.rows["correct"][row]))
        )


def in_order(candidates: pd.DataFrame) -> pd.DataFrame:
    """Candidates problem by problem, run by run, in each by phase, then in the order in
    which they were sampled."""
    phase = candidates["phase"].astype(str).map(PHASES).fillna(len(PHASES))
    by = [*PROBLEM, *RUN, "_phase", "place", "mode", "sample", "round"]
    frame = candidates.assign(_phase=phase).sort_values(
        by,
        kind="stable",
        ignore_index=True,
    )
    return as_text(frame.drop(columns="_phase"), [*PROBLEM[:2], *RUN])


def _idle(frame: pd.DataFrame) -> set[tuple]:
    """The (method, run, category, problem) that count in no accuracy: they repeat an earlier run,
    or lack a sample."""
    keys = [*RUN, *PROBLEM[1:]]
    frame = frame.drop(columns=[*TEXTS, *NUMBERS, "answers", "answer"], errors="ignore")
    stream = rows_where(frame, frame["phase"] == "stream")
    systems = systems_of(stream).values()
    counting = [sampled(independent_runs(system, across=True))[keys] for system in systems]
    kept = {key for part in counting for key in pd.MultiIndex.from_frame(part).unique()}
    return {*pd.MultiIndex.from_frame(stream[keys]).unique()} - kept


class _Rows(dict):
    """A table as lists of plain values by column, None where there is none; `votes` are the
    candidates'."""

    def __init__(self, frame: pd.DataFrame):
        table = frame[[name for name in frame if name in KEPT]].to_dict("list")
        super().__init__(
            {name: [None if v is pd.NA else v for v in column] for name, column in table.items()}
        )
        self.votes = votes_of(frame)

    def grouped(
        self, places: Iterable[int], names: Sequence[str]
    ) -> Iterator[tuple[tuple, list[int]]]:
        """Neighbours that have the same values of these columns."""
        columns = [self[name] for name in names]
        for key, own in groupby(
            places,
            lambda i: tuple(column[i] for column in columns),
        ):
            yield key, list(own)


def _candidate(rows: _Rows, i: int) -> dict:
    found = {
        "mode": clean(rows["mode"][i]),
        "sample": rows["sample"][i],
        "round": rows["round"][i] or None,
        "phase": None if rows["phase"][i] == "stream" else clean(rows["phase"][i]),
        "status": clean(rows["status"][i]),
        "right": plain(rows["correct"][i]),
        "answer": readable(rows["answer"][i]),
        "votes": [readable(answer) for answer in rows.votes[i].answers[:MOST_ANSWERS]],
        "more": max(
            0,
            len(rows.votes[i].answers) - MOST_ANSWERS,
        )
        or None,
        "shortened": rows["shortened"][i] or None,
        **{name: plain(rows[name][i]) for name in NUMBERS},
    }
    if "solution" in rows:
        found |= {name: clean(rows[name][i]) or None for name in TEXTS}
        response, solution = (str(rows[name][i] or "").strip() for name in ("response", "solution"))
        if response == solution:  # it says no more
            found["response"] = None
    return {name: value for name, value in found.items() if value is not None}


def _round(held: Round, places: Sequence[int]) -> dict:
    counts = [[readable(text), count] for text, count in held.counts.most_common(MOST_ANSWERS)]
    found = {
        "among": [places[i] for i in held.among],
        "counts": counts,
        "chosen": places[held.chosen],
    }
    if (more := len(held.counts) - MOST_ANSWERS) > 0:
        found["more"] = more
    return found


def _by_problem(calls: pd.DataFrame) -> dict[tuple, dict]:
    """How many requests each problem of a run took, and what they spent where it was counted, by
    PROBLEM and RUN."""
    by = as_text(calls.assign(calls=1), [*PROBLEM[:2], *RUN]).groupby([*PROBLEM, *RUN])
    totals = by[["calls", *SPENT]].sum(min_count=1)
    rows = zip(
        totals.index,
        totals.to_dict("records"),
        strict=True,
    )
    return {
        key: {name: known for name, n in row.items() if (known := plain(n)) is not None}
        for key, row in rows
    }


def as_address(problem: Problem) -> str:
    """A problem's image as a data: address, 320 pixels at most; "" where it has none that can be
    read."""
    if problem.picture is None:
        return ""
    try:
        image = problem.picture()
        kind = "jpeg" if image.format == "JPEG" else "png"
        image = image.convert("RGB")
    except (OSError, ValueError, LookupError):
        return ""
    image.thumbnail((320, 320))
    image.save(kept := io.BytesIO(), kind)
    return f"data:image/{kind};base64,{base64.b64encode(kept.getvalue()).decode()}"


def _words(problem: Problem | None) -> dict:
    if problem is None:
        return {}
    gold = (
        problem.gold
        if isinstance(problem.gold, str)
        else json.dumps(
            problem.gold,
            default=str,
            ensure_ascii=False,
        )
    )
    words = {
        "context": clean(problem.question.context),
        "image": as_address(problem),
        "gold": readable(gold),
        "files": [*map(clean, sorted(problem.files))],
    }
    return {name: value for name, value in words.items() if value}


def plain(value: object) -> int | float | None:
    if value is None or value is pd.NA or not math.isfinite(value):
        return None
    number = float(value)
    return int(number) if number.is_integer() else round(number, 3)


@lru_cache(maxsize=4096)  # candidates of a problem share answers and how they ended
def readable(answer: object) -> str | None:
    """An answer as one reads it, still exact: 4 for 4.0."""
    text = clean(answer, MOST_OF_ANSWER)
    return (
        text.removesuffix(".0")
        if text and text.removesuffix(".0").lstrip("-").isdecimal()
        else text
    )


@lru_cache(maxsize=1024)
def clean(text: object, most: int = MOST_CHARACTERS) -> str | None:
    """A text that somebody wrote as it can be shown: controls escaped, the rest beyond `most` cut;
    else None."""
    if not isinstance(text, str):
        return None
    kept = text[:most]
    if not kept.replace("\n", "").replace("\t", "").isprintable():
        kept = "\t".join(shown(piece, lines=True) for piece in kept.split("\t"))
    return kept if len(text) <= most else f"{kept}\n… and {len(text) - most:,} more characters"
