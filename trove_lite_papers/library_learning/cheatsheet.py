"""Dynamic Cheatsheet (Suzgun et al. 2025, arXiv 2504.07952) on AIME and on equations whose signs are
to be filled in, as its authors ran it → candidates and verdicts.

A memory of earlier solutions and code goes before each problem. `empty` is the placebo: the same
prompt, code allowed, with nothing in the memory; `baseline` has another prompt, which offers no
code. One sample a problem.
Source: github.com/suzgunmirac/dynamic-cheatsheet, `results/AIME_*`, `MathEquationBalancer` (MIT).
    Files of 4 MB and more are not read.
"""

import re
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from trove_lite.candidates import as_arrow, as_frame, fingerprint, run_name
from trove_lite.datasets.files import json_lines
from trove_lite.journal import sha256_of, text_of
from trove_lite.judge.expressions import equal
from trove_lite.judge.strict import is_right
from trove_lite.judge.values import canonical

from .talks import FIXED, such_logs

ARMS = {
    "Baseline": "baseline",
    "EmptyCheatsheet": "empty",
    "DynamicCheatsheet_Cumulative": "cumulative",
    "DynamicCheatsheet_RetrievalSynthesis": "retrieval_synthesis",
    "Dynamic_Retrieval": "retrieval",
}
#: What a curator, a further request a problem, writes: where a step keeps it.
CURATED = {"cumulative": "new_cheatsheet", "retrieval_synthesis": "current_cheatsheet"}
ALONE = ("baseline", "empty")
NAMED = re.compile(r"(.+?)_(" + "|".join(sorted(ARMS, key=len, reverse=True)) + ")")
TASKS = {"MathEquationBalancer": "equations"}
SIGNS = str.maketrans("×÷", "*/")
EXECUTED = "EXECUTE CODE!"
NO_ANSWER = "No final answer found"


def read_cheatsheet(paths: Sequence[Path], folder: Path) -> tuple:
    """A reader of logs, `--format dynamic_cheatsheet`: files of results, or folders of them →
    candidates and facts."""
    files = [
        file
        for path in paths
        for file in (sorted(path.rglob("*.jsonl")) if path.is_dir() else [path])
    ]
    with such_logs(paths[0]):
        table, _ = tables_of(files)
    logs = [{"log": str(file), "sha256": sha256_of(file)} for file in files]
    return table, {"model": sorted(table["model"].unique()), "logs": logs}, []


def tables_of(files: Sequence[Path]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Candidates, a row a problem, and row by row what the kit's table has no column for
    (`more_of`)."""
    rows = []
    more = []
    for file in files:
        model, arm = NAMED.fullmatch(file.stem).groups()
        for number, record in enumerate(json_lines(text_of(file))):
            task = TASKS.get(file.parent.name, file.parent.name.lower())
            rows.append(candidate(record, number, model, ARMS[arm], task))
            more.append(more_of(record, ARMS[arm]))
    return as_frame(as_arrow(rows)), pd.DataFrame(more)


def candidate(record: dict, number: int, model: str, arm: str, category: str) -> dict:
    """A problem's final answer as a row of candidates; tokens are not in the logs."""
    reply = record["steps"][-1]["generator_output"]
    answer = record["final_answer"].strip()
    found = answer != NO_ANSWER
    return {
        "model": model,
        **FIXED,
        "run": run_name(f"{arm}_{model}", 0),
        "method": arm,
        "seed": 0,
        "shares_state": arm not in ALONE,
        "dataset": category.partition("_")[0],
        "category": category,
        "problem": number,
        "mode": "reply",
        "level": "",
        "program": fingerprint(reply, ""),
        "response": reply,
        "solution": reply,
        "tools": "",
        "status": "ok" if found else "no_code",
        "output": answer if found else "",
        "answers": [canonical(answer)] if found else [],
        "answer": canonical(answer) if found else None,
        "correct": found and right(answer, record["target"]),
    }


def right(answer: str, target: str) -> bool:
    """Whether an answer is one of AIME's numbers, "080 or 081 (both …)"; or an equation that has the
    target's numbers, in order, and its value."""
    if "=" not in target:
        return bool(is_right([answer], [float(text) for text in re.findall(r"\d+", target)]))
    ours, theirs = (text.partition("=") for text in (answer.translate(SIGNS), target))
    numbers = [re.findall(r"\d+", text) for text, _, _ in (ours, theirs)]
    return numbers[0] == numbers[1] and bool(equal(ours[0], theirs[2]))


def more_of(record: dict, arm: str) -> dict:
    """`theirs`: the verdict of their notebook, which compares texts; an equation's value, but knows no
    × and no bracket. `question`: a fingerprint of its letters and digits, by which a problem is
    found in two files. `written`: characters of replies, with what programs printed, and of what
    the curator wrote."""
    step = record["steps"][-1]
    target = record["target"]
    answer = record["final_answer"]
    plain = right(answer, target) and not re.search("[×÷(]", answer)
    letters = re.sub(r"[^a-z0-9]", "", record["raw_input"].lower())
    curated = step[CURATED[arm]] if arm in CURATED else ""
    return {
        "theirs": (plain and right(answer, target))
        or text_verdict(step["generator_output"], target),
        "question": fingerprint(letters[:60], ""),
        "programs": step["generator_output"].count(EXECUTED),
        "written": len(step["generator_output"]) + len(curated),
    }


def text_verdict(reply: str, target: str) -> bool:
    """Whether the tagged answer, or what its last box holds, is the target to the letter, less
    punctuation."""
    tagged = reply.partition("<answer>")[2].partition("</answer>")[0] or reply
    inside = tagged.rpartition("boxed{")[2].partition("}")[0].strip()
    return re.sub(r'[,;:."]', "", inside).replace("\n", " ").lower() == target.strip().lower()
