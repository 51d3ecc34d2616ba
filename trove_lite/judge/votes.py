"""Which answers to a problem are one: what votes, overlap and counts of different answers count.

`[2,4,8]` and `2, 4, 8` are two texts and one answer. The judge says so, either way round, for it
reads an answer as the gold one wants it. A group of answers is called by its most frequent form;
where the judge would put an answer into two groups, into the larger. The papers' data sets count
texts, as the papers do.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from math import isclose

from .answers import LONGEST
from .canonical import as_number
from .strict import FAR, apart, are_same, near, plainly, sketch
from .values import KEPT, is_mathematics, is_wordy, plain_text, value_of
from .words import said

STEPS = 5_000  # comparisons of a problem's answers; beyond these, each is its own


def named(texts: Iterable[str], known: Mapping[str, str] | None = None) -> dict[str, str]:
    """Each answer to a problem → what its group is called. known: names that were given already,
    and stay."""
    names = dict(known or {})
    counts = Counter(texts)
    left = STEPS
    groups = {name: (as_number(name), None) for name in names.values()}
    for text, _ in counts.most_common():  # of equally many the first
        if text in names:
            continue
        value, names[text] = as_number(text), text
        drawn = None
        for name, (number, other) in groups.items():
            if value is not None and number is not None:
                alike = isclose(value, number, rel_tol=FAR, abs_tol=FAR**2) and near(
                    value_of(text), value_of(name)
                )
            else:
                left -= 1
                drawn = drawn or sketch(bare(text))
                other = other or sketch(bare(name))
                alike = left > 0 and not apart(drawn, other) and are_one(text, name)
            if alike:
                names[text] = name
                break
        groups.setdefault(names[text], (value, drawn))
    return names


@lru_cache(20_000)
def are_one(one: str, other: str) -> bool:
    """Whether the judge takes one answer for the other; not where it cannot tell."""
    one = bare(one)
    other = bare(other)
    if are_same(one, other) is True:
        return True
    either_way = is_mathematics(one) and is_mathematics(other)
    return not either_way and are_same(other, one) is True


@lru_cache(KEPT)
def bare(text: str) -> str:
    """What an answer in words says: of `the total is 18 dollars`, 18 dollars."""
    if len(text) > LONGEST or plainly(text):
        return text
    plain = plain_text(text)
    return (said(plain, False) if is_wordy(plain) else None) or text


def rename(rows: Sequence[dict]) -> None:
    """Call the answers of candidates' rows (`answers`, `answer`) by their names, problem by
    problem."""
    problems = [tuple(row.get(name) for name in ("dataset", "category", "problem")) for row in rows]
    for row, names in zip(rows, renamed(problems, [row["answers"] for row in rows]), strict=True):
        if names:
            row |= {"answers": names, "answer": names[0]}


def renamed(
    problems: Iterable[Hashable], answers: Sequence[Sequence[str] | None]
) -> list[Sequence[str] | None]:
    """Answers of a table's rows by their names, problem by problem; None where a row's are not
    known."""
    rows = defaultdict(list)
    found = list(answers)
    for row, problem in enumerate(problems):
        if answers[row] is not None and len(answers[row]):
            rows[problem].append(row)
    for own in rows.values():
        names = named(text for row in own for text in answers[row])
        for row in own:
            found[row] = [names[text] for text in answers[row]]
    return found
