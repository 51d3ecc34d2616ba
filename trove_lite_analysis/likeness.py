"""Checks of what has too much in common: samples, programs, prompts, answers and golds, votes of a
problem."""

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from keyword import iskeyword

import pandas as pd

from trove_lite.programs import NOT_PARSED, code_blocks, code_of, statements
from trove_lite.programs.parse import python_blocks

from .check import PROBLEM, Seen, problems_in
from .program_checks import lines_of

SAMPLES = 3  # of a problem, below which nothing is said of them together
TOKENS = 20  # of a program: smaller ones are alike by chance
TOKEN = re.compile(r"""(\"{3}|'{3})[\s\S]*?\1|"[^"\n]*"|'[^'\n]*'|#.*|\d[\w.]*|\w+|[^\w\s]""")
#: What a program is made of that prints constants and computes nothing.
CONSTANT = (
    ast.Expr,
    ast.Call,
    ast.Constant,
    ast.Name,
    ast.Load,
    ast.Store,
    ast.Assign,
    ast.UnaryOp,
    ast.USub,
    ast.Import,
    ast.ImportFrom,
    ast.alias,
    ast.JoinedStr,
    ast.FormattedValue,
)


def measured(stream: pd.DataFrame) -> pd.DataFrame:
    """The stream with what is counted of each program: `votes`, and where its text is kept
    `skeleton`, `constant`, `comments`, `code_lines` (-1: no block of Python), and `unseen`: its
    reply has blocks that were not read."""
    votes = [0 if answers is None else len(answers) for answers in stream["answers"]]
    stream = stream.assign(votes=votes)
    if "solution" not in stream:
        return stream
    solutions = stream["solution"].fillna("").astype(str)
    tools = stream["tools"].fillna("").astype(str)
    lines = zip(
        solutions + "\n" + tools,
        solutions.str.contains("```python", regex=False),
        strict=True,
    )
    return stream.assign(
        skeleton=[skeleton(text) for text in tools + "\n" + solutions],
        constant=solutions.map(code_of).map(computes_nothing).astype(bool),
        comments=solutions.map(in_comments),
        code_lines=[len(lines_of(text)) if has_code else -1 for text, has_code in lines],
        unseen=not_seen(stream),
    )


def not_seen(stream: pd.DataFrame) -> list[bool]:
    """Whether a reply holds blocks of Python of which none was read as its program."""
    texts = stream[["response", "solution"]].fillna("").itertuples(index=False, name=None)
    return [
        status in ("error", "no_code")
        and bool(python_blocks(reply))
        and not any(code_blocks(solution))
        for status, (reply, solution) in zip(stream["status"], texts, strict=True)
    ]


def in_comments(solution: str) -> int:
    """The characters of a program's lines that are comments."""
    lines = (line.strip() for line in code_of(solution).split("\n"))
    return sum(len(line) for line in lines if line.startswith("#"))


@lru_cache(maxsize=65536)
def skeleton(text: str) -> int:
    """A number that programs share which are alike but for names, numbers, texts, comments; 0 for a
    small one."""
    found = TOKEN.finditer("\n".join(code_blocks(text)))
    tokens = [_anonymous(token[0]) for token in found if not token[0].startswith("#")]
    return hash(" ".join(tokens)) if len(tokens) >= TOKENS else 0


def _anonymous(token: str) -> str:
    if token[0] in "\"'" or token[0].isdigit():
        return "0"
    return "_" if token.isidentifier() and not iskeyword(token) else token


@lru_cache(maxsize=65536)
def computes_nothing(code: str) -> bool:
    """Whether a program only prints constants, or names that it gave to constants."""
    try:
        body = statements(code)
    except NOT_PARSED:
        return False
    if not all(
        isinstance(node, CONSTANT) for one in body for node in ast.walk(one)
    ):  # most programs end here
        return False
    calls = (node for one in body for node in ast.walk(one) if isinstance(node, ast.Call))
    return {getattr(node.func, "id", "") for node in calls} == {"print"}


def in_common(part: pd.DataFrame, *, drawn: bool) -> Iterator[Seen]:
    """Samples of a problem that are one; votes of one program. drawn: whether samples were drawn,
    and so should differ."""
    if drawn:
        own = part["response"] if "response" in part else part["program"]
        texts = own.groupby([part[name] for name in PROBLEM]).agg(["nunique", "count"])
        texts = texts[texts["count"] >= SAMPLES]
        alike = texts["nunique"] == 1
        yield Seen(
            "samples alike",
            alike.sum(),
            len(texts),
            _first(alike),
            len(texts),
        )
    voting = part[part["votes"] > 0].groupby(PROBLEM)["votes"].agg(["max", "sum", "count"])
    voting = voting[voting["count"] >= SAMPLES]
    decided = voting["max"] > voting["sum"] / 2
    yield Seen(
        "one program decides",
        decided.sum(),
        len(voting),
        _first(decided),
        len(voting),
    )


def _first(stands: pd.Series) -> str:
    """The first problem of which it is so, in words."""
    return next(
        (f"{category} {problem}" for category, problem in stands.index[stands]),
        "",
    )


def texts_in_common(part: pd.DataFrame) -> Iterator[Seen]:
    """Programs of one skeleton; programs that are right and compute nothing. Programs that call a
    tool made for many problems are alike by rights: they are left out of the skeletons."""
    parsed = part[part["skeleton"].ne(0) & ~part["calls"]]
    for common, count in parsed["skeleton"].value_counts().head(1).items():
        rows = parsed[parsed["skeleton"] == common]
        yield Seen(
            "one skeleton", count, len(part), code_of(rows["solution"].iloc[0]), problems_in(rows)
        )
    right = part[part["constant"] & part["correct"].eq(True).fillna(False)]
    if len(right) > 0.9 * part["constant"].sum():
        example = code_of(right["solution"].iloc[0]) if len(right) else ""
        yield Seen(
            "right without computing",
            len(right),
            len(part),
            example,
            problems_in(right),
        )


def prompts(calls: pd.DataFrame) -> Iterator[Seen]:
    """Problems whose prompts are equally long, as where the question is missing: the first of each
    problem."""
    first = calls.dropna(subset="prompt_tokens").drop_duplicates(PROBLEM)
    for tokens, count in first["prompt_tokens"].value_counts().head(1).items():
        yield Seen(
            "prompts alike",
            count,
            len(first),
            f"{tokens} tokens",
            len(first),
        )
