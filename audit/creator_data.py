"""CREATOR's data and graders against its paper: golds that no method, or no method of words, can be right on.

Each finding is computed from released files or by `datasets.graders`; a file that is not here leaves out its own.
"""

import json
import math
import re
from collections.abc import Callable, Iterator, Sequence

from trove_lite.datasets import creation_challenge, graders
from trove_lite.datasets.files import data_folder, pinned_records, sha256_of
from trove_lite.datasets.math import MATH_FILES
from trove_lite.errors import TroveLiteError

from .finding import Finding, finding

ENDLESS, SECOND_BLOCK = "every gold answer is a finite number", "a record holds one program that answers its question"
NOT_NUMBERS, PERCENT = "the questions released are those with numeric answers", "gold answers in percent are right"
#: MATH with all answers, as texts, at the program's last commit: no data set of this kit, so pinned here.
WHOLE_MATH = {
    "algebra": "11a6a613c73c27197251fbe83c7520f665aaa8b92e6d939935cbf4c8a2706128",
    "counting": "40b74cf3ed7880c5529a7440962b60370ddcf54f38c5a8235db5dab7f7436eea",
    "geometry": "476b2d97c59a875b8199cab813e45690c02606f341f9867d41fca41661b8539f",
    "intermediate": "31238e814ddbc864af810fbbea18f7ba7c63c3acae6196c49f7f3b8a943bf8bb",
    "number": "b715cd0541b62551c301d3eaa5c3a70d87eec89dbce62ca56ddd472e12f7f959",
    "prealgebra": "ea19f70c506a29dd5c071a17d078feda4d47d91ef6dc07d7ec0e56ecabef47ae",
    "precalculus": "71609b00cd5cbe9e21738185e212a7a3edd7f3f5d814ad6037118a7168b006c5",
}


def data_findings(missing: list[str]) -> Iterator[Finding]:
    """What the released data and the grader show; data that are not here are left out, and said."""
    yield side_by_side()
    try:
        yield from creation_findings(pinned_records(creation_challenge.NAME, creation_challenge.FILE))
    except TroveLiteError as error:
        if (line := f"problems of creation_challenge: {error}") not in missing:
            missing.append(line)
    if golds := whole_math():
        yield from whole_math_findings(golds)
    else:
        missing.append("all 5,000 answers of CREATOR's MATH: not here, and no data set of `trove-lite fetch`")


def _report(place: str, check: str, **rest: object) -> Finding:
    return finding(2, "CREATOR", place, check, **rest)


def side_by_side(value_of: Callable[[str], float | None] = graders.value_of) -> Finding:
    """Whether two numbers with a space between them have one value."""
    text = "18 8"
    value = value_of(text)
    return _report(
        "program, grader.py",
        "two numbers side by side are no answer",
        stated="an answer is compared to the standard one (§3.4)",
        computed=f'"{text}" is read as {value:g}' if value is not None else f'"{text}" has no value',
        holds=value is None,
        importance=1,
        note="the step that reads a mixed number adds up any digits with a space between",
    )


# ---- the Creation Challenge ----


def creation_findings(records: Sequence[dict]) -> Iterator[Finding]:
    """The Creation Challenge: gold answers without end, and blocks beside the program."""
    golds = [float(record["answer"]) for record in records]
    endless = [index for index, gold in enumerate(golds) if not math.isfinite(gold)]
    unmarked = [graders.released(str(golds[index]), golds[index]) for index in endless]
    yield _report(
        "App. B.1 and Creation/dataset/CC.jsonl",
        ENDLESS,
        stated=f"{len(golds)} records with a final answer",
        computed=f"{len(endless)} is infinite: item {', '.join(map(str, endless))}" if endless else "all are",
        holds=not endless,
        importance=1,
        note=f"printed as it is, it counts as right in {sum(unmarked)} of {len(endless)}: it holds no digit, so only "
        "after the marker can it match"
        if endless
        else "",
    )
    beside = sum("```" in _without_python(record["solution"]) for record in records)
    yield _report(
        "App. B.1 and Creation/dataset/CC.jsonl",
        SECOND_BLOCK,
        stated=f"{len(records)} solutions",
        computed=f"{beside} hold another fence beside the Python block",
        holds=not beside,
        importance=1,
        note="what stands in it is mostly what the program is said to print" if beside else "",
    )


def _without_python(text: str) -> str:
    return re.sub(r"```python\s*\n.*?```", "", text, flags=re.DOTALL)


# ---- MATH with all its answers ----


def whole_math() -> list[str]:
    """The gold answers of all 5,000 problems, as texts; none where a file is missing or another."""
    golds = []
    for category, pin in WHOLE_MATH.items():
        path = data_folder() / "qiancheng0" / "CREATOR" / "MATH" / "dataset" / f"{MATH_FILES[category]}.jsonl"
        if not path.is_file() or sha256_of(path) != pin:
            return []
        golds += [json.loads(line)["answer"] for line in path.read_text(encoding="utf-8").splitlines()]
    return golds


def whole_math_findings(golds: Sequence[str]) -> Iterator[Finding]:
    """MATH at the last commit: answers that words cannot be right with, and answers that are wrong themselves."""
    others = [gold for gold in golds if not _is_number(gold)]
    none = [gold for gold in others if value_in_latex(gold) is None]
    yield _report(
        "App. A.2 and MATH/dataset",
        NOT_NUMBERS,
        stated="questions with integers or decimals as answers",
        computed=f"at the last commit {len(golds)} problems, {len(others)} of them without a plain number as answer; "
        f"in {len(none)} our grader finds no number, however written",
        holds=not others,
        importance=1,
        note="lists, terms, matrices and words; of a model's words only numbers are graded (generate_cot.py, "
        f"generate_tooluse.py), so CoT and Tool Use reach about {100 * (1 - len(none) / len(golds)):.0f} % at most, "
        "and what a program prints after the marker is graded whole"
        if none
        else "",
    )
    percents = [gold for gold in golds if "%" in gold]
    wrong = [gold for gold in percents if not graders.agrees(gold, _as_share(gold))]
    yield _report(
        "program, grader.py, and MATH/dataset",
        PERCENT,
        stated="answers are compared to the standard ones (§3.4)",
        computed=f"{len(wrong)} of {len(percents)} gold answers in percent are wrong when they are given as the answer",
        holds=not wrong,
        importance=1,
        note="the gold answer alone is divided by 100, so 0.5 is right for 50 %, and 50 and 50 % are wrong"
        if wrong
        else "",
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _as_share(gold: str) -> float:
    """What the released grader makes of an answer in percent."""
    return float(gold.replace("\\%", "").replace("%", "")) / 100


def value_in_latex(gold: str) -> float | None:
    r"""The one number that a LaTeX answer is: as `graders.value_of`, and with \frac12 and roots within fractions."""
    value, before = graders.value_of(gold), ""
    gold = re.sub(r"\\[cdt]frac", r"\\frac", gold)
    while gold != before:
        before = gold
        gold = re.sub(r"\\sqrt\s*(?:\{([^{}]*)\}|(\d))", lambda root: f"sqrt({root[1] or root[2]})", gold)
        gold = re.sub(r"\\frac\s*(\{[^{}]*\}|\d)\s*(\{[^{}]*\}|\d)", r"(\1)/(\2)", gold)
        gold = re.sub(r"\(\{([^{}]*)\}\)", r"(\1)", gold)
    return graders.value_of(gold) if value is None else value
