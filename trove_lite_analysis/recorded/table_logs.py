"""A table of anybody's: CSV, or JSON lines, a row a sample, with verdicts or with answers and right
answers."""

import re
from collections.abc import Iterator
from pathlib import Path

from trove_lite.datasets import base
from trove_lite.judge.answers import NUMBER, read_last_line, text_is_correct
from trove_lite.judge.strict import is_right
from trove_lite.judge.values import read_answer

from .lines import objects, right, rows_of, wrong

#: What tells a sample from every other, and what a table may say of it besides: what `export`
#: writes, and `read` reads.
KEY = ["category", "problem", "method", "run", "sample"]
TOKENS = ["prompt_tokens", "completion_tokens"]
TABLE = [
    *KEY,
    "model",
    "mode",
    "level",
    "shares_state",
    "correct",
    "score",
    "answer",
    "gold",
    *TOKENS,
    "error",
    "question",
    "text",
]


def read(file: Path, grader: str, partial: bool) -> Iterator[dict]:
    """What `import_harness_logs` needs of each sample. The last yields `unused` too: columns that
    nothing reads."""
    unused: dict[str, None] = {}
    for where, entry in objects(file, {}) if file.suffix in (".jsonl", ".json") else rows_of(file):
        unused |= dict.fromkeys(name for name in entry if name not in TABLE)
        known = {name: entry[name] for name in TABLE if entry.get(name) not in (None, "")}
        if strange := [name for name, value in known.items() if isinstance(value, dict | list)]:
            raise wrong(where, f"field '{strange[0]}' is of a wrong type; give a text or a number")
        exact = ("text", "question")
        cells = {n: str(value) if n in exact else str(value).strip() for n, value in known.items()}
        if absent := [name for name in ("problem", "method", "sample") if not cells.get(name)]:
            what = "give problem, method, sample, correct (or answer and gold)"
            raise wrong(where, f"'{absent[0]}' is missing; {what}")
        if not re.fullmatch(r"[0-9]{1,9}", cells["sample"]):
            raise wrong(where, f"sample is {cells['sample']!r}; give a whole number from 0")
        found = {"where": where, "sample": int(cells["sample"]), "unused": unused}
        # a method of another model is another run
        found["run"] = f"{cells.get('run', '')} {cells.get('model', '')}"
        found["tokens"] = tuple(_whole(cells.get(name), where, name) for name in TOKENS)
        if "shares_state" in cells:
            found["shares_state"] = right(cells["shares_state"], where, "shares_state")[0]
        yield cells | found | _verdict(entry, cells, where, grader)


def _verdict(entry: dict, cells: dict[str, str], where: str, grader: str) -> dict:
    """Whether a row is right, its score, and whether that was judged here."""
    gold = cells.get("gold")
    if told := [name for name in ("score", "correct") if name in cells]:
        verdict, score = right(cells[told[0]], where, told[0])
        if "correct" in cells:
            verdict = right(cells["correct"], where, "correct")[0]
        if "score" in cells and score is None:
            score = float(verdict)
        return {"correct": verdict, "score": score, "judged": False}
    # an empty answer is not right; but with an error the sample is missing
    if gold is not None and "answer" in (cells if "error" in cells else entry):
        rule = (read_answer, is_right)
        wanted = gold
        if grader != "strict":
            rule = read_last_line, text_is_correct
            wanted = float(gold) if NUMBER.fullmatch(gold) else gold
        answer = cells.get("answer", "")
        verdict = base.judge_output(*rule, answer, [wanted])[1]
        return {"correct": verdict, "judged": True, "answer": answer}
    if "error" not in cells:
        raise wrong(where, "no verdict; give `correct` (true or false), or `answer` and `gold`")
    return {"correct": None, "judged": False}


def _whole(text: str | None, where: str, name: str) -> int | None:
    if text is None:
        return None
    if not re.fullmatch(r"[0-9]{1,9}(\.0+)?", text):
        raise wrong(where, f"{name} is {text[:40]!r}; give a whole number of tokens")
    return int(text.partition(".")[0])
