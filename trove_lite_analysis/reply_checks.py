"""Checks of replies that were changed on their way: doubled, stopped at one length, run on, put in
another's place, or without some symbol."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pandas as pd

from trove_lite.candidates import load_candidates

from .check import PROBLEM, Seen, problems_in

#: What belongs to a chat's form, or to a page's, and to no program: a reply that has it was cut or
#: kept wrongly.
SPECIAL = re.compile(
    r"<\|[A-Za-z_]+\|>|</?s>|\[/?INST\]|<(?:start|end)_of_turn>|&(?:lt|gt|amp|quot|#39|#x27);"
)
#: How a turn begins that the model has made up itself.
TURN = re.compile(
    r"^(?:\*\*Question|#+ ?(?:Question|Instruction|Example)|(?:Question|Q|Human|User):|user$)",
    re.MULTILINE,
)
SYNTAX = r"(?:SyntaxError|IndentationError|TabError)|.*invalid syntax"
#: By data set: symbols of Python, the least share of programs that has one in a healthy published
#: part, and the fewest categories of such a part: what all of these need, one alone may not.
WRITING = Path(__file__).with_name("writing.csv")
SYMBOLS = [
    *["**", "*", "_", "<", ">", "==", "%", "[", "{", "//", "/", "-", "'", "#", ".", ":", "+"],
    '"',
    "\n    ",
]
ENOUGH = 200  # programs of a mode whose shares are taken
COMMON = 0.05  # of programs: a symbol that fewer have says nothing where it lacks
SURE = 20  # programs that should have a symbol: none of so many has it by chance in e^-20 of cases
FEW = 0.25  # of what is expected: fewer is too few
LENGTHS = 30  # different lengths of replies: below, one is common by rights
OUTPUT = 50  # characters: shorter outputs are of one length by rights
#: A reply's most characters: so many a token, and some more. At most 0.3 % of a published mode's
#: replies are longer; of replies mixed up within a category 2 to 30 %. A short reply to many tokens
#: says nothing: a model may think unseen.
A_TOKEN, MORE = 6, 60


def of_replies(part: pd.DataFrame, *, drawn: bool) -> Iterator[Seen]:
    """Replies that come several times, hold what no reply should, or go on with a turn of their
    own; programs that do not parse, or lack a symbol. drawn: whether samples were drawn, and so
    should differ."""
    texts = part["response"].dropna().astype(str)
    if drawn:
        yield repeated(part.loc[texts.index])
    for check, pattern in (("special tokens", SPECIAL), ("runs on", TURN)):
        found = texts[texts.str.contains(pattern)]
        example = next(pattern.finditer(found.iloc[0]))[0] if len(found) else ""
        yield Seen(
            check,
            len(found),
            len(texts),
            example,
            problems_in(part),
        )
    errors = part["error"].fillna("").astype(str)
    broken = errors[errors.str.match(SYNTAX)]
    yield Seen(
        "syntax errors",
        len(broken),
        len(part),
        next(iter(broken), ""),
        problems_in(part),
    )


def of_lengths(part: pd.DataFrame) -> Iterator[Seen]:
    """Replies that are longer than their tokens can be; different outputs that end at one length,
    which none exceeds."""
    written = part["response"].fillna("").str.len()
    long = written > A_TOKEN * part["completion_tokens"] + MORE
    yield Seen("another's tokens", long.sum(), len(part), problems=problems_in(part))
    output = part["output"].fillna("")
    each = output.str.len()
    cut = output[each.eq(each.max()) & each.ge(OUTPUT)].nunique()
    if each.nunique() >= LENGTHS:
        yield Seen("outputs cut", cut, len(part), f"{each.max()} characters", cut)


def repeated(part: pd.DataFrame) -> Seen:
    """Problems of which each reply came several times, although they have many.

    Of n draws there are more than n / 3 different ones, and of these but n modulo 2 come once.
    """
    times = part.groupby([*PROBLEM, "response"], observed=True).size()
    each = times.groupby(level=PROBLEM, observed=True).agg(["size", "sum"])
    alone = times.eq(1).groupby(level=PROBLEM, observed=True).sum()
    many = each["size"].ge(3) & each["size"].mul(3).gt(each["sum"])
    all_twice = many & alone.le(each["sum"] % 2)
    example = " ".join(map(str, next(iter(all_twice.index[all_twice]), ())))
    of = int(many.sum())
    return Seen("replies repeat", int(all_twice.sum()), of, example, of)


def programs_of(part: pd.DataFrame) -> pd.Series:
    texts = part["solution"].fillna("").astype(str)
    return texts[texts.str.contains("```python", regex=False)]


def lost_symbols(part: pd.DataFrame) -> Iterator[Seen]:
    """Symbols of Python that far fewer programs have than those of any published part on the same
    data."""
    programs = programs_of(part)
    expected = pd.read_csv(WRITING, dtype={"symbol": str}).query(
        "dataset == @part.dataset.iloc[0] and categories <= @part.category.nunique()"
    )
    for row in expected.itertuples():
        there = int(programs.str.contains(row.symbol, regex=False).sum())
        wanted = row.least * len(programs)
        if wanted >= SURE and there < FEW * wanted:
            yield Seen(
                "symbols lost",
                len(programs) - there,
                len(programs),
                f"`{row.symbol}`",
                problems_in(part),
            )


def lengths(calls: pd.DataFrame) -> Iterator[Seen]:
    """Requests that say they stopped by themselves, and are all of one length that none exceeds."""
    ended = calls.loc[calls["finish_reason"] == "stop", "completion_tokens"].dropna()
    if ended.nunique() >= LENGTHS:
        yield Seen(
            "one length",
            (ended == ended.max()).sum(),
            len(ended),
            f"{ended.max():.0f} tokens",
            problems_in(calls),
        )


def writing(runs: Iterable[str | Path]) -> pd.DataFrame:
    """What WRITING holds: of these runs' modes, by data set and symbol, the least share of programs
    that have it, and the fewest categories. Not for a data set whose tasks ask for different
    programs: none has a symbol that all need."""
    shares = []
    for run in runs:
        rows = load_candidates(run)
        for (dataset, _), part in rows.groupby(["dataset", "mode"], observed=True):
            programs = programs_of(part)
            if len(programs) >= ENOUGH:
                for symbol in SYMBOLS:
                    share = programs.str.contains(symbol, regex=False).mean()
                    shares.append((str(dataset), symbol, share, part["category"].nunique()))
    table = pd.DataFrame(shares, columns=["dataset", "symbol", "least", "categories"])
    least = table.groupby(["dataset", "symbol"], as_index=False).min()
    return least.query("least >= @COMMON").round(3)
