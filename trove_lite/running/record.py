"""One sample of a live run: the record that the journal keeps, and what it means to the method, the table, the budget.

Everything else is computed from a record, here alone, so that a sample means the same whether it was just made or read
back after a kill. It knows neither models nor files.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace

import pyarrow as pa

from ..candidates import as_arrow, fingerprint
from ..datasets.answers import first_number, is_correct, printed_numbers
from ..datasets.base import Problem
from ..methods.base import Candidate
from ..models.base import Completion
from ..parse import Parsed, parse_completion
from ..programs import code_of, format_tools, operations
from ..selection import Ballot

#: What of `run.json` a resumed run must share: the rest says what came of it.
IDENTITY = ("kind", "settings", "prompts", "data", "isolation", "versions", "methods")
#: Libraries that change no row of a run.
INDIFFERENT = ("versions.matplotlib", "versions.pyarrow")


@dataclass(frozen=True)
class Record:
    """A sample as it was generated and run. `prompt` is a hash.

    status: the sandbox's; `no_code` where there was nothing to run; `missing` where the model refused the prompt; None
    where only the text was wanted.
    """

    phase: str
    problem: int
    mode: str
    sample: int
    prompt: str
    text: str
    prompt_tokens: int
    completion_tokens: int
    finish_reason: str
    generate_seconds: float
    status: str | None = None
    output: str = ""
    truncated: bool = False
    error: str = ""
    execute_seconds: float | None = None

    @classmethod
    def of(cls, key: tuple, prompt: str, completion: Completion) -> "Record":
        """A sample that has been generated but not run."""
        text = completion.text.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate fits no parquet file
        return cls(*key, prompt, text, *completion[1:])

    @classmethod
    def missing(cls, key: tuple, prompt: str, reason: str) -> "Record":
        """A sample that the model refuses for good: not a wrong answer, but none."""
        return cls(*key, prompt, "", 0, 0, "refused", 0.0, status="missing", error=reason)

    def executed(self, execution) -> "Record":
        """The same with how its program ended (a sandbox's Execution)."""
        return replace(
            self,
            status=execution.status,
            output=execution.output.encode("utf-8", "replace").decode("utf-8"),
            truncated=execution.truncated,
            error=execution.error,
            execute_seconds=round(execution.wall, 6),
        )

    def as_json(self) -> dict:
        """The record as the journal keeps it: what is at its default is left out."""
        return {f.name: value for f in fields(self) if (value := getattr(self, f.name)) != f.default}

    @property
    def key(self) -> tuple[str, int, str, int]:
        return self.phase, self.problem, self.mode, self.sample

    def parsed(self, parser: str) -> Parsed:
        return parse_completion(self.text, parser)

    def answers(self) -> list[float]:
        return printed_numbers(self.output) if self.status == "ok" else []

    def candidate(self, parser: str) -> Candidate:
        """What the method gets to see."""
        parsed, answers = self.parsed(parser), tuple(self.answers())
        size = operations(code_of(parsed.solution)) if answers else 0
        ballot = Ballot(self.mode, self.status == "ok", answers, size)
        tokens = None if self.status == "missing" else self.completion_tokens
        return Candidate(self.mode, self.sample, self.text, tuple(parsed.tools), ballot, tokens)

    @staticmethod
    def verdict(candidate: Candidate, gold: float) -> bool:
        return is_correct(first_number(candidate.ballot.answers), gold)

    def row(self, problem: Problem, parser: str) -> dict:
        """What the candidates table gets to see."""
        parsed, answers = self.parsed(parser), self.answers()
        tools = format_tools(parsed.tools)
        return {
            "dataset": problem.dataset,
            "category": problem.category,
            "problem": problem.index,
            "phase": self.phase,
            "mode": self.mode,
            "sample": self.sample,
            "level": int(problem.level or 0),
            "program": fingerprint(parsed.solution, tools),
            "response": self.text,
            "solution": parsed.solution,
            "tools": tools,
            "status": self.status,
            "output": self.output,
            "shortened": self.truncated,
            "error": self.error or None,
            "answers": answers,
            "answer": first_number(answers),
            "correct": None if self.status == "missing" else is_correct(first_number(answers), problem.gold),
            "operations": operations(code_of(parsed.solution)) if answers else None,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "generate_seconds": self.generate_seconds,
            "execute_seconds": self.execute_seconds,
        }


def rows_of(records: Iterable[Record], problems: Mapping[int, Problem], same: dict, parser: str) -> pa.Table:
    """The candidates of one shard's records; texts that are no programs (a ranking of tools) are none."""
    return as_arrow([same | r.row(problems[r.problem], parser) for r in records if r.status is not None])


def budget_rows(records: Iterable[Record], **same) -> list[dict]:
    """What was spent: a row for each mode and phase, so that solving again (`retry`) is counted apart.

    Tokens of the prompt are counted for each sample, as n = 1 requests read them. Seconds are sums over samples,
    many of which ran at a time.
    """
    rows: dict[tuple, dict] = {}
    for record in records:
        row = rows.setdefault(
            (record.phase, record.mode),
            same
            | {"mode": record.mode, "phase": record.phase, "calls": 0, "prompt_tokens": 0, "completion_tokens": 0}
            | {"executions": 0, "generate_seconds": 0.0, "execute_seconds": 0.0},
        )
        row["calls"] += 1
        row["prompt_tokens"] += record.prompt_tokens
        row["completion_tokens"] += record.completion_tokens
        row["executions"] += record.execute_seconds is not None
        row["generate_seconds"] += record.generate_seconds
        row["execute_seconds"] += record.execute_seconds or 0.0
    return [rows[key] for key in sorted(rows)]


def content_hash(value: object) -> str:
    """A short hash of anything that JSON can hold."""
    return hashlib.blake2b(json.dumps(value, sort_keys=True).encode(), digest_size=12).hexdigest()


def differing(old: dict, new: dict) -> list[str]:
    """What a resumed run would change, as "k: was 15, now 30"."""
    old, new = (dict(flat({part: json.loads(json.dumps(d)).get(part) for part in IDENTITY})) for d in (old, new))
    names = [
        name for name in (new | old) if name not in INDIFFERENT and old.get(name, "absent") != new.get(name, "absent")
    ]
    stated = [name for name in names if not name.startswith("methods.")] or names  # methods follow from settings
    return [
        f"{name.removeprefix('settings.')}: was {old.get(name, 'absent')}, now {new.get(name, 'absent')}"
        for name in stated
    ]


def flat(value: dict, prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, part in value.items():
        if isinstance(part, dict) and part:
            yield from flat(part, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", part
