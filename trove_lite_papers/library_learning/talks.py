"""AgentOptimizer beside ReAct on MATH, as "LLM Library Learning Fails" ran them → candidates,
requests, verdicts.

A run is a folder; a program that ended wrote what it had used. Which transcript is whose is told by
what it used, not by its name or place: one lies in another run's folder, one is a `.txt`, one
belongs to no run here. Nothing is executed.
Source: github.com/ikb-a/llm_lib_learning_fails, `additional_experiments/agent_optmizer`
    (Apache-2.0).
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from trove_lite.candidates import CALLS_SCHEMA, as_arrow, as_frame, fingerprint, run_name
from trove_lite.datasets import load_dataset
from trove_lite.datasets.base import Problem
from trove_lite.datasets.files import json_lines
from trove_lite.datasets.math import MATH_FILES
from trove_lite.errors import DamagedFile, UsageError
from trove_lite.journal import sha256_of, text_of
from trove_lite.judge.answers import closing_brace
from trove_lite.judge.strict import is_right
from trove_lite.judge.values import canonical
from trove_lite.models.money import Price
from trove_lite.programs import fenced, format_tools
from trove_lite_analysis.recorded.official_files import NOTHING_WRITTEN

PROBLEMS = 80  # a run
METHODS = {"outputs_direct": "react", "outputs_train": "agent_optimizer"}
TOOLS = "agent_optimizer"
MAKING = "make"
#: Dollars a million tokens, of the logs' own `cost`.
PRICES = {"gpt-4o-2024-08-06": Price(2.5, 10.0), "gpt-4o-mini-2024-07-18": Price(0.15, 0.6)}
#: Of every row of candidates that logs of talks make.
FIXED = {"provenance": "recorded", "phase": "stream", "place": 0, "sample": 0, "round": 0}
FIXED |= {"shortened": None, "error": ""}  # nothing ran here
FILE_OF = {file: category for category, file in MATH_FILES.items()}

TESTED = "Start final eval"  # what comes before it made the functions
BEGIN = re.compile(r"BEGIN EVAL PROBLEM #(\d+)\n")
TURN = re.compile(
    r"^(assistant|mathproxyagent) \(to \w+\):\n\n(.*?)^-{80}$", re.MULTILINE | re.DOTALL
)
USED = re.compile(
    r"\* Model '([^']+)': cost: [\d.e-]+, prompt_tokens: (\d+), completion_tokens: (\d+)"
)
CALL = re.compile(r"Suggested tool call \(\S+\): (\S+) \*+\nArguments: \n(.*?)\n\*{20}", re.DOTALL)
PROGRAM = re.compile(r"```python[ \t]*\r?\n(.*?)\r?\n[ \t]*```", re.DOTALL)
PRAISED = "The result is Correct."
BOX = "\\boxed{"


class Used(NamedTuple):
    """Tokens by one model: what a talk, a test or the making of functions has used."""

    model: str
    read: int
    written: int


class Run(NamedTuple):
    """A run that ended: its folder, what it asked, what it used in test, and its own verdicts."""

    folder: Path
    method: str
    category: str
    seed: int
    test: Used
    verdicts: list[bool]


class Talk(NamedTuple):
    """All that was said on one problem: (who, text), the problem itself first."""

    number: int
    turns: list[tuple[str, str]]
    used: Used

    @property
    def replies(self) -> list[str]:
        return [text for who, text in self.turns if who == "assistant"]

    @property
    def boxes(self) -> list[str]:
        """The last boxed answer of each reply that has one, in order."""
        return [box for text in self.replies if (box := boxed(text)) is not None]

    @property
    def final(self) -> str | None:
        """The answer that is graded: of the last reply that has one and no program, which ends the
        talk."""
        found = [boxed(text) for text in self.replies if not PROGRAM.search(text)]
        return next((box for box in reversed(found) if box is not None), None)

    @property
    def calls(self) -> list[tuple[str, str]]:
        """Names and arguments of the made functions that were called."""
        return [found for text in self.replies for found in CALL.findall(text)]

    @property
    def programs(self) -> list[str]:
        """Programs that ran: those of a reply that calls a function do not."""
        replies = [text for text in self.replies if not CALL.search(text)]
        return [code for text in replies for code in PROGRAM.findall(text)]


def boxed(text: str) -> str | None:
    """What the last `\\boxed{}` of a text holds, as their program reads it; None without one, or
    for nothing."""
    at = text.rfind(BOX)
    inside = text[at + len(BOX) : closing_brace(text, at + len(BOX))] if at >= 0 else ""
    return inside or None


def read_agent_optimizer(paths: Sequence[Path], folder: Path) -> tuple:
    """A reader of logs, `--format agent_optimizer`: the folder with `outputs_direct` and
    `outputs_train` → candidates, facts for `run.json`, and lines on what was left out."""
    with such_logs(paths[0]):
        runs, left_out = runs_of(paths[0])
        table, _ = tables_of(runs, talks_of(paths[0], runs))
    lines = [f"{path}: left out, {why}" for path, why in left_out]
    logs = [
        {"log": str(run.folder), "sha256": sha256_of(run.folder / "results.jsonl")} for run in runs
    ]
    return (
        table,
        {
            "model": sorted(PRICES),
            "logs": logs,
        },
        lines,
    )


@contextmanager
def such_logs(path: Path) -> Iterator[None]:
    """What is not written as these logs are is refused in a line."""
    try:
        yield
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        what = f"{type(error).__name__}: {error}".splitlines()[0]
        raise DamagedFile(
            f"{path}: no such logs ({what}); see --format{NOTHING_WRITTEN}"
        ) from error


def runs_of(root: Path) -> tuple[list[Run], list[tuple[Path, str]]]:
    """The runs that ended, in order, and folders of runs that did not with the reason. Seeds count
    a method's runs of a model and category. Raises DamagedFile for a run that ended and has not 80
    verdicts."""
    runs = []
    left_out = []
    seeds = Counter()
    if absent := [name for name in METHODS if not (root / name).is_dir()]:
        raise UsageError(
            f"{root}: has no folder {absent[0]}; give the folder that holds both systems"
        )
    for name, method in METHODS.items():
        for folder in sorted((root / name).iterdir()):
            usage = folder / "test_time_total_usage.json"
            verdicts = [
                bool(row["is_correct"]) for row in json_lines(text_of(folder / "results.jsonl"))
            ]
            if not usage.exists():
                left_out.append((folder, f"{len(verdicts)} of {PROBLEMS} problems, no end"))
                continue
            if len(verdicts) != PROBLEMS:
                raise DamagedFile(
                    f"{folder}: {len(verdicts)} verdicts of {PROBLEMS}; fetch it again{NOTHING_WRITTEN}"
                )
            category = FILE_OF[json.loads(text_of(folder / "arguments.txt"))["dataset"]]
            test = used_of(json.loads(text_of(usage)))
            seed = seeds[method, category, test.model]
            seeds[method, category, test.model] += 1
            runs.append(Run(folder, method, category, seed, test, verdicts))
    return runs, left_out


def used_of(usage: dict) -> Used:
    """One model's part of a file of usage."""
    ((model, found),) = [(name, part) for name, part in usage.items() if isinstance(part, dict)]
    return Used(model, found["prompt_tokens"], found["completion_tokens"])


def talks_of(root: Path, runs: Sequence[Run]) -> dict[int, list[Talk]]:
    """Each run's talks, by its place in `runs`: of the transcript, anywhere below `root`, whose
    talks used just what the run used. Raises DamagedFile where there is none."""
    found = {}
    for path in sorted(p for name in METHODS for p in (root / name).rglob("*opt*.*")):
        if path.suffix in (".out", ".txt"):
            talks = list(read_talks(text_of(path)))
            read, written = (sum(talk.used[part] for talk in talks) for part in (1, 2))
            found[Used(talks[0].used.model if talks else "", read, written)] = talks
    of_run = {}
    for number, run in enumerate(runs):
        if len(found.get(run.test, ())) != PROBLEMS:
            raise DamagedFile(
                f"{run.folder}: no transcript has used what it has; `trove-lite fetch strong`{NOTHING_WRITTEN}"
            )
        of_run[number] = found[run.test]
    return of_run


def read_talks(text: str) -> Iterator[Talk]:
    """The talks of the test part of a transcript, in order; one that breaks off has no usage and is
    none."""
    _, *parts = BEGIN.split(text.rpartition(TESTED)[2])
    for number, body in zip(parts[::2], parts[1::2], strict=True):
        if used := USED.search(body):
            model, *tokens = used.groups()
            yield Talk(int(number), TURN.findall(body), Used(model, *map(int, tokens)))


def tables_of(runs: Sequence[Run], talks: dict) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Candidates, a row a talk, and row by row what the kit's table has no column for
    (`more_of`)."""
    rows = []
    more = []
    for number, run in enumerate(runs):
        asked = problems_asked(run)
        made = made_functions(run)
        for talk, theirs in zip(talks[number], run.verdicts, strict=True):
            problem = asked[talk.number]
            rows.append(candidate(run, talk, problem, made))
            more.append(more_of(talk, problem, theirs, made))
    return as_frame(as_arrow(rows)), pd.DataFrame(more)


def problems_asked(run: Run) -> list[Problem]:
    """The run's problems in the order asked: those of TroVE's MATH with the same text."""
    known = {problem.question.text: problem for problem in load_dataset("math").load(run.category)}
    file = run.folder.parent.parent / "MATH" / "subset" / f"{MATH_FILES[run.category]}.jsonl"
    return [known[row["question"]] for row in json_lines(text_of(file))]


def made_functions(run: Run) -> dict[str, str]:
    """The functions at hand in the test, a source each; none without tools."""
    file = run.folder / "final_used_tools.json"
    found = json.loads(text_of(file)) if file.exists() else {}
    return {name: function["code"] for name, function in found.items()}


def candidate(run: Run, talk: Talk, problem: Problem, made: dict[str, str]) -> dict:
    """A talk as a row of candidates: `response` is all that was said, `solution` the programs that
    ran and then the calls, `tools` the made functions called, `output` the graded answer, `answers`
    all boxed ones."""
    called = [f"{name}(**{arguments})" for name, arguments in talk.calls]
    tools = format_tools(
        [made[name] for name in dict.fromkeys(n for n, _ in talk.calls) if name in made]
    )
    solution = fenced("\n\n".join([*talk.programs, *called]))
    answer = talk.final
    return {
        **candidate_key(run),
        **FIXED,
        "shares_state": run.method == TOOLS,
        "problem": problem.index,
        "mode": "talk",
        "level": problem.level,
        "program": fingerprint(solution, tools),
        "response": "\n\n".join(f"{who}: {text}" for who, text in talk.turns),
        "solution": solution,
        "tools": tools,
        "status": "no_code" if answer is None else "ok",
        "output": answer or "",
        "answers": [canonical(box) for box in talk.boxes],
        "answer": None if answer is None else canonical(answer),
        "correct": right(answer, problem),
        "prompt_tokens": talk.used.read,
        "completion_tokens": talk.used.written,
    }


def candidate_key(run: Run) -> dict:
    """What all rows of a run have in common."""
    return {
        "model": run.test.model,
        "run": run_name(f"{run.method}_{run.test.model}", run.seed),
        "method": run.method,
        "seed": run.seed,
        "dataset": "math",
        "category": run.category,
    }


def right(answer: str | None, problem: Problem) -> bool | None:
    """Whether an answer is right by value, as the kit's strict judge says; no answer is wrong."""
    return answer is not None and is_right([answer], problem.gold)


def more_of(talk: Talk, problem: Problem, theirs: bool, made: dict[str, str]) -> dict:
    """`theirs`: the verdict of their program, which compares texts. `first` and `first_theirs`:
    ours, and by text, on the first boxed answer. `praised`: the model was told that it is right.
    Then counts of replies, programs, and calls of made functions."""
    first = talk.boxes[0] if talk.boxes else None
    gold = str(problem.gold).removesuffix(".0")
    calls = [name for name, _ in talk.calls if name in made]
    return {
        "theirs": theirs,
        "first": right(first, problem),
        "first_theirs": first == gold,
        "praised": any(PRAISED in text for who, text in talk.turns if who != "assistant"),
        "replies": len(talk.replies),
        "programs": len(talk.programs),
        "calls": len(calls),
    }


def making_of(runs: Sequence[Run]) -> pd.DataFrame:
    """What a run's functions took to make, as requests: the agent's practice and the optimizer's, a
    row each, whose tokens are sums; `problem` is no problem of the test, and 0."""
    rows = []
    for run in runs:
        file = run.folder / "optimizer_total_cost.json"
        parts = json.loads(text_of(file)) if file.exists() else {}
        for role in ("agent", "optimizer") if parts else ():
            used = used_of(parts[role])
            key = candidate_key(run) | {"problem": 0, "sample": 0, "round": 0, "executions": 0}
            tokens = {"prompt_tokens": used.read, "completion_tokens": used.written}
            rows.append(key | tokens | {"phase": "stream", "stage": MAKING, "role": role})
    return as_frame(as_arrow(rows, CALLS_SCHEMA))
