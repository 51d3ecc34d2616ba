"""What a check of health is: something counted in a run's tables, and the share above which somebody
has to look."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import pandas as pd

from trove_lite.candidates import MEASURED, MISSING

# problems: fewer show any share by chance; what is missing, or empty throughout, fails with one
AT_LEAST = 10
PROBLEM = ["category", "problem"]
#: Columns of candidates that no count and no check reads. Each step copies a table, so these are
#: left out first.
UNREAD = [
    "prompt_tokens",
    "generate_seconds",
    "execute_seconds",
    "log_probability",
    "score",
    "selection",
    *MEASURED.names,
]


class Limit(NamedTuple):
    """The share above which a check fails: in a category, and over all of a mode's categories,
    where chance is smaller and no category shows it; None: not read there."""

    category: float | None
    whole: float | None = None


#: A fifth: no answer or error is so common by chance where problems differ; in recorded runs of the
#: papers no answer has more than 16 %. A tenth of cut or empty replies moves an accuracy by more
#: points than methods differ. Half: what most of a mode's programs do is what the mode is. 0: never
#: to be expected. Of the others the most that a healthy published run shows: 15 % print nothing, 55
#: % of problems have samples alike (three each, of the practice model), one program has most votes
#: in 45 % of a category's and 14 % of a mode's problems, 30 % of a mode's programs are one
#: skeleton, 35 % of prompts are equally long, 16 % of programs print a constant that is right, 17 %
#: do not parse, 6 % of replies go on with a question of their own, 33 % of problems with many
#: replies have none that comes once. A category that is one task (sort these words) may be one
#: skeleton by rights, so that is read over all.
LIMITS = {
    "one answer": Limit(0.2, 0.1),
    "one error": Limit(0.2, 0.1),
    "nothing ran": Limit(0.0),
    "refused by the sandbox": Limit(0.0),
    "cut off": Limit(0.1, 0.05),
    "one length": Limit(None, 0.05),
    "outputs cut": Limit(None, 0.0),
    "another's tokens": Limit(None, 0.01),
    "empty replies": Limit(0.1, 0.05),
    "prints nothing": Limit(0.2, 0.1),
    "unseen blocks": Limit(0.1, 0.05),
    "one reply": Limit(0.0),
    "replies repeat": Limit(0.5, 0.5),
    "special tokens": Limit(0.01, 0.01),
    "runs on": Limit(None, 0.1),
    "syntax errors": Limit(None, 0.2),
    "symbols lost": Limit(None, 0.0),
    "two verdicts": Limit(0.0),
    "another verdict": Limit(0.0),
    "answer from nothing": Limit(0.0),
    "another text": Limit(0.0),
    **dict.fromkeys(MISSING, Limit(0.0)),
    "short programs": Limit(0.5),
    "samples alike": Limit(0.6, 0.6),
    "one skeleton": Limit(None, 0.4),
    "one program decides": Limit(0.5, 0.25),
    "prompts alike": Limit(0.5),
    "neighbours' answers": Limit(None, 0.1),
    "right without computing": Limit(0.2, 0.2),
    "all right": Limit(0.0),
    "none right": Limit(0.0),
    "prints while loading": Limit(0.5),
    "no tool made": Limit(0.0),
    "no tool used": Limit(0.0),
    "names without a body": Limit(0.0),
    "tools never called": Limit(0.5),
    "wrong where called": Limit(None, 0.5),
}
#: Check → those that it explains, which are then not told.
EXPLAINS = {
    "nothing ran": ("none right",),
    "neighbours' answers": ("one answer", "none right", "another's tokens"),
    "replies repeat": ("another's tokens",),
    "short programs": ("symbols lost",),
    "right without computing": ("short programs", "all right", "one skeleton", "symbols lost"),
}


class Seen(NamedTuple):
    """So many `count` `of` what a check counts, one `example`, of so many `problems` (inf: however
    few there are). more: the share on top of its limit that is to be expected here."""

    check: str
    count: int
    of: int
    example: str = ""
    problems: float = float("inf")
    more: float = 0.0

    def above(self, limit: float | None) -> bool:
        return (
            limit is not None
            and self.count > (limit + self.more) * self.of
            and self.problems >= AT_LEAST
        )


def problems_in(rows: pd.DataFrame) -> int:
    return len(rows[PROBLEM].drop_duplicates())


def standing(seen: Iterable[Seen], *, whole: bool, told: Iterable[str] = ()) -> list[Seen]:
    """What fails of what was seen in a category, or over the whole mode, but for what other checks
    explain. told: checks that fail in a category: over the whole they are not told again."""
    kept = [
        one
        for one in seen
        if one.above(LIMITS[one.check].whole if whole else LIMITS[one.check].category)
        and not (whole and one.check in told)
    ]
    return [*unexplained(kept, {one.check for one in kept} | {*told})]


def unexplained(seen: Iterable[Seen], names: Iterable[str]) -> Iterator[Seen]:
    """Those that none of the checks of these names explains."""
    known = {other for name in names for other in EXPLAINS.get(name, ())}
    return (one for one in seen if one.check not in known)
