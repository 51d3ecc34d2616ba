"""Signs of what has too much in common: samples, programs, prompts, answers and golds, votes of a problem."""

import ast
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from keyword import iskeyword
from math import sqrt

import pandas as pd

from trove_lite.programs import NOT_PARSED, code_blocks, code_of, statements

from .sign import PROBLEM, Seen, problems_in

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
)
CONSTANT += (ast.Import, ast.ImportFrom, ast.alias, ast.JoinedStr, ast.FormattedValue)


def measured(stream: pd.DataFrame) -> pd.DataFrame:
    """The stream with what is counted of each program: `votes`, and where its text is kept `skeleton`,
    `constant`, `comments`."""
    stream = stream.assign(
        votes=stream["answers"].map(lambda answers: 0 if answers is None else len(answers))
    )
    if "solution" not in stream:
        return stream
    texts = stream[["solution", "tools"]].fillna("")
    skeletons = [
        skeleton(f"{tools}\n{solution}")
        for solution, tools in texts.itertuples(index=False, name=None)
    ]
    constant = texts["solution"].map(code_of).map(computes_nothing).astype(bool)
    return stream.assign(
        skeleton=skeletons, constant=constant, comments=texts["solution"].map(in_comments)
    )


def in_comments(solution: str) -> int:
    """The characters of a program's lines that are comments."""
    lines = (line.strip() for line in code_of(solution).split("\n"))
    return sum(len(line) for line in lines if line.startswith("#"))


@lru_cache(maxsize=65536)
def skeleton(text: str) -> int:
    """A number that programs share which are alike but for names, numbers, texts, comments; 0 for a small one."""
    found = TOKEN.finditer("\n".join(code_blocks(text)))
    signs = [_anonymous(token[0]) for token in found if not token[0].startswith("#")]
    return hash(" ".join(signs)) if len(signs) >= TOKENS else 0


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


def in_common(
    part: pd.DataFrame, golds: Mapping[tuple[str, int], str], *, drawn: bool
) -> Iterator[Seen]:
    """Samples of a problem that are one; votes of one program; answers that are a neighbour's gold. drawn: whether
    samples were drawn, and so should differ."""
    each = part.groupby(PROBLEM)
    own = part["response"] if "response" in part else part["program"]
    texts = own.groupby([part[name] for name in PROBLEM]).agg(["nunique", "count"])
    texts = texts[texts["count"] >= SAMPLES]
    if drawn:
        alike = texts["nunique"] == 1
        yield Seen("samples alike", alike.sum(), len(texts), _first(alike), len(texts))
    votes = each["votes"].agg(["max", "sum", lambda counts: (counts > 0).sum()])
    votes = votes[votes.iloc[:, 2] >= SAMPLES]
    decided = votes["max"] > votes["sum"] / 2
    yield Seen("one program decides", decided.sum(), len(votes), _first(decided), len(votes))
    yield from _neighbours(part.dropna(subset="answer"), golds)


def _first(stands: pd.Series) -> str:
    """The first problem of which it is so, in words."""
    return next((f"{category} {problem}" for category, problem in stands.index[stands]), "")


def _neighbours(given: pd.DataFrame, golds: Mapping[tuple[str, int], str]) -> Iterator[Seen]:
    """Answers that are the gold of the problem before, or after, of those whose own gold is another. Expected are as
    many as chance gives (each answer against all of its category's golds) and three standard errors. It is no sign
    where answers are their own gold more often."""
    gold = pd.DataFrame(
        [(*problem, gold) for problem, gold in golds.items()], columns=[*PROBLEM, "gold"]
    )
    problems = given[PROBLEM].drop_duplicates().sort_values(PROBLEM)
    problems = problems.merge(gold.astype(problems.dtypes.to_dict()), how="left", on=PROBLEM)
    by_category = problems.groupby("category")["gold"]
    shares = {category: golds.value_counts(normalize=True) for category, golds in by_category}
    for step in (1, -1):
        rows = given[[*PROBLEM, "answer"]].merge(
            problems.assign(other=by_category.shift(step)), on=PROBLEM
        )
        rows = rows[rows["other"].notna() & (rows["other"] != rows["gold"])]
        count = rows["answer"].eq(rows["other"]).sum()
        of = problems_in(rows)
        if count and count > rows["answer"].eq(rows["gold"]).sum():
            pairs = zip(rows["category"], rows["answer"], strict=True)
            chance = sum(shares[category].get(answer, 0.0) for category, answer in pairs) / len(
                rows
            )
            more = chance + 3 * sqrt(chance * (1 - chance) / of)
            yield Seen(
                "neighbours' answers", count, len(rows), f"of problems {step} before", of, more
            )


def texts_in_common(part: pd.DataFrame) -> Iterator[Seen]:
    """Programs of one skeleton; programs that are right and compute nothing. Programs that call a tool made for many
    problems are alike by rights: they are left out of the skeletons."""
    parsed = part[part["skeleton"].ne(0) & ~part["calls"]]
    for common, count in parsed["skeleton"].value_counts().head(1).items():
        rows = parsed[parsed["skeleton"] == common]
        yield Seen(
            "one skeleton", count, len(part), code_of(rows["solution"].iloc[0]), problems_in(rows)
        )
    right = part[part["constant"] & part["correct"].eq(True).fillna(False)]
    if len(right) > 0.9 * part["constant"].sum():
        example = code_of(right["solution"].iloc[0]) if len(right) else ""
        yield Seen("right without computing", len(right), len(part), example, problems_in(right))


def prompts(calls: pd.DataFrame) -> Iterator[Seen]:
    """Problems whose prompts are equally long, as where the question is missing: the first of each problem."""
    first = calls.dropna(subset="prompt_tokens").drop_duplicates(PROBLEM)
    for tokens, count in first["prompt_tokens"].value_counts().head(1).items():
        yield Seen("prompts alike", count, len(first), f"{tokens} tokens", len(first))
