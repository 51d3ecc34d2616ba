"""One sample of a live run: the record that the journal keeps, and what it means to the method, the
tables, the budget.

Everything else is computed from a record, here alone, so that a sample means the same whether it
was just made or read back after a kill. It knows neither models nor files.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Literal, NamedTuple

from msgspec import Struct, to_builtins
from msgspec.structs import force_setattr, replace

from ..candidates import CALLS_SCHEMA, SCHEMA, UNAVAILABLE, fingerprint
from ..datasets.base import Dataset, Judged, Problem, Question
from ..errors import DamagedFile, encodable
from ..judge.answers import plain_words
from ..limits import TookTooLong, is_long, within_limit
from ..methods.base import Attempt, Candidate, Request, Run
from ..models.base import Completion
from ..programs import LONGEST_REPLY, code_of, format_tools, operations
from ..programs.parse import Parsed, parse_completion, read_blocks, without_thinking
from ..selection import Vote
from ..shapes import Count, Number, Whole, misfit

#: The answer follows it in a text without a program (CREATOR's marker).
FINAL_ANSWER = "Final Answer:"


class Key(NamedTuple):
    """What tells one sample or run of a stream from every other."""

    phase: str
    problem: int
    stage: str
    sample: int
    round: int


class Record(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One sample or run, as the journal keeps it. `prompt` is a hash of what the model read, or of
    the program."""

    phase: str
    problem: Whole
    stage: str
    sample: Whole
    round: Whole
    #: The candidate's mode in tables; "" where it is no candidate.
    mode: str
    #: Who was asked; "" where nobody was, and a program alone was run.
    role: str
    prompt: str
    text: str
    prompt_tokens: Count | None
    completion_tokens: Count | None
    #: `refused` where the model refuses this prompt for good, `unavailable` where no answer could
    #: be had.
    finish_reason: str
    generate_seconds: Number
    cached_tokens: Count | None = None
    queue_seconds: Number | None = None
    #: The sandbox's; `no_code` with nothing to run; of MISSING without a sample; None if only text
    #: is read.
    status: (
        Literal[
            "ok",
            "error",
            "timeout",
            "memory",
            "output",
            "killed",
            "no_code",
            "refused",
            "unavailable",
        ]
        | None
    ) = None
    output: str = ""
    truncated: bool = False
    error: str = ""
    execute_seconds: Number | None = None
    #: What the model thought before the text: kept, and read by nobody.
    thinking: str = ""
    thinking_tokens: Count | None = None
    log_probability: Number | None = None
    #: `blocks` where its program is all its blocks (`parse.read_blocks`); "" where the run's parser
    #: reads it.
    fences: Literal["", "blocks"] = ""
    #: Whether it was asked for under TROVE's headings.
    headings: bool = False
    #: Whether it is a turn of a chat, and no text that the model went on with.
    chat: bool = False

    def __post_init__(self):
        for name in self.__struct_fields__:  # from a model, a program, a server or an old journal
            if isinstance(value := getattr(self, name), str) and not value.isascii():
                force_setattr(self, name, encodable(value))  # a lone surrogate fits no parquet file

    @classmethod
    def of(
        cls, key: Key, request: Attempt, prompt: str, completion: Completion, **how: bool
    ) -> "Record":
        """A sample that has been generated but not run: here thinking leaves the text. `how`:
        `headings`, `chat`."""
        text, thinking = without_thinking(completion.text)
        facts = (
            completion._replace(text=text, thinking=completion.thinking + thinking)._asdict() | how
        )
        facts["generate_seconds"] = facts.pop("seconds")
        return cls(*key, request.mode, request.role, prompt, fences=request.fences, **facts)

    @classmethod
    def missing(cls, key: Key, request: Request, prompt: str, why: str, reason: str) -> "Record":
        """A sample that cannot be had. `why`, of MISSING, is its finish reason and its status."""
        empty = cls.of_run(key, request, prompt)
        return replace(empty, role=request.role, finish_reason=why, status=why, error=reason)

    @classmethod
    def of_run(cls, key: Key, request: Request, prompt: str) -> "Record":
        return cls(*key, request.mode, "", prompt, "", None, None, "", 0.0)

    def read(self) -> "Record":
        """The same where the text itself answers: the text after its last marker is what a
        program would print."""
        return replace(self, status="ok", output=plain_words(self.text.rpartition(FINAL_ANSWER)[2]))

    def executed(self, execution) -> "Record":
        return replace(
            self,
            status=execution.status,
            output=execution.output,
            truncated=execution.truncated,
            error=execution.error,
            execute_seconds=round(execution.wall, 6),
        )

    def not_run(self, fences: str, headings: bool) -> "Record":
        """The same as it was generated, before its program ran, and to be read so."""
        return replace(
            self,
            status=None,
            output="",
            truncated=False,
            error="",
            execute_seconds=None,
            fences=fences,
            headings=headings,
        )

    def as_json(self) -> dict:
        """The record as the journal keeps it: what is at its default is left out."""
        return to_builtins(self)

    @property
    def key(self) -> Key:
        return Key(self.phase, self.problem, self.stage, self.sample, self.round)

    def fits(self, request: Request) -> bool:
        """Whether it has a status where the request needs one: only a text on the way to a
        candidate has none."""
        return self.status is not None or not (request.mode or getattr(request, "runs", True))

    def parsed(self, parser: str, isolated: bool = False) -> Parsed:
        return _parsed(self.text, parser, isolated, self.fences, self.headings, self.chat)

    def program(
        self, request: Request, dataset: Dataset, parser: str, isolated: bool = False
    ) -> str | None:
        """What runs for it: its code with what the method and the data set put before it; None if
        only text is read."""
        if not getattr(request, "runs", True):
            return None
        if not isinstance(request, Run) and not request.compose:
            parsed = self.parsed(parser, isolated)
            return request.program(parsed.solution, parsed.code, (*dataset.given, *request.library))
        own = request.program if isinstance(request, Run) else request.compose(self.text)
        return (
            "\n".join([*dataset.given, own]) if own.strip() else own
        )  # it knows nothing of what is given

    @property
    def too_long(self) -> str:
        """Why its text is not read as a program, where it is too long for that."""
        length = len(self.text)
        if length <= LONGEST_REPLY:
            return ""
        return (
            f"a reply of {length:,} characters: "
            f"more than {LONGEST_REPLY:,} are not read as a program"
        )

    @property
    def is_long(self) -> bool:
        """Whether an event loop had better not wait until it is read."""
        return is_long(self.text, self.output)

    def judged(self, problem: Problem, dataset: Dataset) -> Judged:
        """Its answers and its verdict; None where it could not be judged."""
        if self.status == "ok":
            return dataset.judge_output(self.output, problem.question, problem.gold)
        return [], None if self.status == UNAVAILABLE else dataset.correct([], problem.gold)

    def candidate(
        self, question: Question, dataset: Dataset, parser: str, isolated: bool = False
    ) -> Candidate:
        """What the method gets to see."""
        parsed = self.parsed(parser, isolated)
        answers = tuple(dataset.answers(self.output, question)) if self.status == "ok" else ()
        name = self.mode or self.stage
        size = operations(code_of(parsed.solution)) if answers else 0
        return Candidate(
            name,
            self.sample,
            self.text,
            parsed.tools,
            Vote(name, self.status == "ok", answers, size),
            self.completion_tokens,
            self.status,
            self.output,
            self.error,
            parsed.solution,
            parsed.left_out,
        )

    def row(self, problem: Problem, dataset: Dataset, parser: str, isolated: bool = False) -> dict:
        """What the candidates table gets to see."""
        parsed, (answers, right) = self.parsed(parser, isolated), self.judged(problem, dataset)
        tools = format_tools(parsed.code)
        return self._columns(IN_CANDIDATES) | {
            "dataset": problem.dataset,
            "category": problem.category,
            "level": problem.level,
            "program": fingerprint(parsed.solution, tools),
            "response": self.text,
            "solution": parsed.solution,
            "tools": tools,
            "shortened": self.truncated,
            "error": self.error or None,
            "answers": answers,
            "answer": next(iter(answers), "") or None,  # nothing printed is a vote, and no answer
            "correct": right,
            "operations": operations(code_of(parsed.solution)) if answers else None,
        }

    def call(self, models: Mapping[str, str]) -> dict:
        """What the calls table gets to see; `models` names the model of each role; without one the
        solver plays it."""
        return self._columns(IN_CALLS) | {
            "mode": self.mode or None,
            "role": self.role or None,
            "model": models.get(self.role, models.get("solver")) if self.role else None,
            "finish_reason": self.finish_reason or None,
            "executions": int(self.execute_seconds is not None),
        }

    def _columns(self, names: Sequence[str]) -> dict:
        return {name: getattr(self, name) for name in names}


#: What the tables hold of a record as it is.
IN_CANDIDATES, IN_CALLS = (
    [name for name in Record.__struct_fields__ if name in names]
    for names in (SCHEMA.names, CALLS_SCHEMA.names)
)


@lru_cache(maxsize=4096)  # asked for before the program runs, and after
def _parsed(
    text: str, parser: str, isolated: bool, fences: str, headings: bool, chat: bool
) -> Parsed:
    """A text's sections; of one that takes too long to read, none."""
    if fences:
        read = partial(read_blocks, headings=headings, chat=chat)
    else:
        read = partial(parse_completion, parser=parser, isolated=isolated)
    try:
        return within_limit(read, text, of=(text,))
    except TookTooLong:
        return Parsed("", ())


Records = dict[Key, Record]


def keyed(lines: Sequence[dict], path: Path) -> Records:
    """The records of a journal, in its order. Raises DamagedFile for a line that is none, or that
    repeats another."""
    found: Records = {}
    for number, line in enumerate(lines, start=1):
        record = None if (fault := misfit(line, Record)) else Record(**line)
        if record and record.key in found:
            first = 1 + list(found).index(record.key)
            fault = f"the same {record.stage} sample of problem {record.problem} as in line {first}"
        if fault:
            raise DamagedFile(
                f"{path}, line {number}: {fault}; restore it, or run again in a new folder"
            )
        found[record.key] = record
    return found


def content_hash(value: object) -> str:
    """A short hash of anything that JSON can hold."""
    return hashlib.blake2b(json.dumps(value, sort_keys=True).encode(), digest_size=12).hexdigest()
