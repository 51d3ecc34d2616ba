"""Every Eval Ever's instance-level records (schema 0.3.0; evaleval/every_eval_ever): JSON lines, a
sample each."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from ..questions import gold_text
from .lines import fields, objects, wrong

VERSION = "0.3.0"
RECORD = {"schema_version": str, "model_id": str, "evaluation_name": str, "sample_id": str}
RECORD |= {"input": dict, "evaluation": dict, "output": dict | None, "error": str | None}
RECORD |= {"token_usage": dict | None, "answer_attribution": list[dict] | None}
RECORD |= {
    "metadata": dict[str, str] | None,
    "evaluation_id": str | None,
}
SPENT = {"input_tokens": int | None, "output_tokens": int | None}
INPUT = {
    "raw": str | None,
    "reference": list[str] | str | None,
}
JUDGED = {"score": int | float | None, "is_correct": bool | None}
ALONE = "single_turn"  # each question is asked by itself


def read(file: Path, verdict: str, partial: bool) -> Iterator[dict]:
    """What `import_harness_logs` needs of each sample. A sample that comes again, as epochs do, is
    one more of its problem; `metadata` may name method, mode, run and number, as `record` writes
    them."""
    seen: dict[tuple, int] = {}
    for where, entry in objects(file, RECORD):
        asked = fields(entry["input"], f"{where}, input", INPUT)
        judged = fields(entry["evaluation"], f"{where}, evaluation", JUDGED)
        about = entry.get("metadata") or {}
        model = entry["model_id"]
        method = about.get("method") or model.rpartition("/")[2]
        run = about.get("run") or entry.get("evaluation_id") or ""
        key = (model, method, run, entry["evaluation_name"], entry["sample_id"])
        seen[key] = seen.get(key, -1) + 1
        found = {
            "where": where,
            "model": model,
            "method": method,
            "run": f"{run} {model}",
            "category": entry["evaluation_name"],
            "problem": entry["sample_id"],
            "sample": seen[key],
            "question": asked.get("raw") or None,
            "gold": _right(asked.get("reference")),
            "mode": about.get("mode"),
            "level": about.get("level"),
            "error": entry.get("error"),
            "text": _first((entry.get("output") or {}).get("raw")),
            "answer": _answer(entry.get("answer_attribution") or []),
            "tokens": _spent(entry, where),
        }
        if entry.get("interaction_type") == ALONE and "shares_state" not in about:
            found["shares_state"] = False
        elif "shares_state" in about:
            found["shares_state"] = about["shares_state"] == "true"
        yield found | _verdict(judged, entry, where)


def _first(texts: object) -> str | None:
    """The first of several texts, or a text that is alone."""
    one = texts[0] if isinstance(texts, list) and texts else texts
    return one if isinstance(one, str) and one else None


def _right(references: list[str] | str | None) -> str | None:
    """One right answer, or several of which each is right."""
    each = [*filter(None, [references] if isinstance(references, str) else references or [])]
    return gold_text(each if len(each) > 1 else each[0]) if each else None


def _answer(attribution: list[dict]) -> str | None:
    final = [one for one in attribution if one.get("is_terminal", True)]
    found = final[-1].get("extracted_value") if final else None
    return found if isinstance(found, str) else None


def _spent(entry: dict, where: str) -> tuple[int | None, int | None]:
    usage = fields(entry.get("token_usage") or {}, f"{where}, token_usage", SPENT)
    return usage.get("input_tokens"), usage.get("output_tokens")


def _verdict(judged: dict, entry: dict, where: str) -> dict:
    """Right as it says; its score where that is a part, from 0 to 1."""
    score = judged.get("score")
    verdict = judged.get("is_correct")
    if verdict is None and score is None:
        if entry.get("error"):
            return {"correct": None}
        raise wrong(where, "evaluation has neither `is_correct` nor `score`; is the line whole?")
    if score is not None and not 0 <= score <= 1:
        if verdict is None:
            raise wrong(where, f"score {score} is not from 0 to 1; only such scores are compared")
        score = None
    partly = score is not None and 0 < score < 1
    return {
        "correct": score == 1 if verdict is None else verdict,
        "score": float(score) if partly else None,
    }


def record(row: object, dataset: str) -> str:
    """A sample of a table (`table_logs.TABLE`, by attribute) as a line of this form."""
    has = {
        name: value
        for name, value in row._asdict().items()
        if value is not None and not pd.isna(value)
    }
    question = str(has.get("question", ""))
    gold = str(has.get("gold", ""))
    score = has.get("score", float(bool(has.get("correct"))))
    told = {name: str(has[name]) for name in ("method", "mode", "run", "level") if has.get(name)}
    answer = {
        "turn_idx": 0,
        "source": "output.raw",
        "extracted_value": str(has.get("answer", "")),
        "extraction_method": "custom",
        "is_terminal": True,
    }
    found = {
        "schema_version": VERSION,
        "evaluation_id": f"{dataset}/{has['run']}",
        "model_id": has["model"],
        "evaluation_name": has["category"],
        "sample_id": str(has["problem"]),
        "sample_hash": hashlib.sha256(f"{question}{gold}".encode()).hexdigest(),
        "interaction_type": ALONE,
        "input": {"raw": question, "reference": [gold] if gold else []},
        "output": {"raw": [str(has.get("text", ""))]},
        "answer_attribution": [answer] if "answer" in has else [],
        "evaluation": {"score": float(score), "is_correct": bool(has.get("correct", False))},
        "metadata": told | {"shares_state": str(bool(has.get("shares_state", True))).lower()},
    }
    if "prompt_tokens" in has and "completion_tokens" in has:
        spent = int(has["prompt_tokens"]), int(has["completion_tokens"])
        names = ("input_tokens", "output_tokens", "total_tokens")
        found["token_usage"] = dict(zip(names, (*spent, sum(spent)), strict=True))
    if "error" in has:
        found["error"] = str(has["error"])
    return json.dumps(found, ensure_ascii=False)
