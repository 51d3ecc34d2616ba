"""The maker: it proposes a function from labelled problems, verifies it with tests on others, and
wraps it up."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from trove_lite.datasets.base import Problem
from trove_lite.errors import TroveLiteError
from trove_lite.methods.base import (
    Attempt,
    Candidate,
    Question,
    Run,
    Steps,
    Words,
    as_asked,
    in_parallel,
    tool_code,
)

from .settings import OF_MAKER, RELEASED, LatmSettings, gold_text
from .verifier import names_defined, only_tests, reached_its_end, to_its_end, without_sense

BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
#: The question of a tool's use case, before its answer or solution.
USE_CASE = re.compile(
    r"\A(?>.*?^Question:)(.*?)^[^\S\n]*+(?:Answer|Solution):", re.DOTALL | re.MULTILINE
)
#: The line that the sandbox names of an error.
LINE = re.compile(r" \(line (\d+)\)\Z")
#: All that the pack is asked for to make a tool, and what else where we wrap it.
MAKING = (
    "labelled",
    "propose",
    "repair_propose",
    "verify",
    "repair_verify",
    "wrap",
    "no_code",
    "no_test",
    "ended",
)
WRAPPED = ("wrapped", "use_case")


class Trial(NamedTuple):
    """One attempt to make a tool: proposals and tests written, and the wrapped tool, "" where it
    failed.

    left_out: statements of its code that are no part of it (`only_definitions`).
    """

    proposals: int
    verifications: int
    tool: str
    left_out: int = 0


class Made(NamedTuple):
    """What came of making a tool for a task. `labels` is how many labelled problems the maker
    saw."""

    trials: Sequence[Trial]
    labels: int

    @property
    def tool(self) -> str:
        """The wrapped tool that is used, the first trial's that passed; "" where none was made."""
        return next((trial.tool for trial in self.trials if trial.tool), "")

    def listing(self) -> list[dict]:
        return [
            trial._asdict() | {"made": bool(trial.tool), "labels": self.labels}
            for trial in self.trials
        ]


def make_tool(
    question: Question, settings: LatmSettings, examples: Sequence[Problem], words: Words
) -> Steps:
    """Trials until one makes a tool, or all at once. `question` is the task's first: there its
    calls are put down."""
    if len(examples) < 2:
        raise TroveLiteError(
            f"{question.dataset}, {question.category}: needs at least 2 labelled problems"
        )
    planned = [
        trial(question, settings, examples, number, words) for number in range(settings.trials)
    ]
    if settings.all_trials:
        return (yield from in_parallel(planned))
    trials: list[Trial] = []
    for one in planned:
        trials.append((yield from one))
        if trials[-1].tool:
            break
    return trials


def trial(
    question: Question,
    settings: LatmSettings,
    examples: Sequence[Problem],
    number: int,
    words: Words,
) -> Steps:
    """Propose, verify, wrap, in one growing chat: three calls, and one more for each reply that
    does not do."""
    train = examples[: len(examples) // 2]
    validation = examples[len(examples) // 2 :]
    maker = Attempt(
        question, "propose", range(number, number + 1), role="maker", mode="", sampling=OF_MAKER
    )
    chat = [("user", words("propose", examples=labelled_text(train, words)))]
    asked, code, ran = yield from until_it_runs(
        maker, chat, "", settings.proposals, settings, words
    )
    if not ran and settings.stops:
        return Trial(asked, 0, "")
    if settings.repeats:
        last = next(text for role, text in reversed(chat) if role == "assistant")
        chat.append(("assistant", last))
    chat.append(("user", words("verify", examples=labelled_text(validation, words))))
    code, _ = tool_code(code, settings.only_definitions)
    verifier = replace(maker, stage="verify", role="verifier")
    tested, tests, passed = yield from until_it_runs(
        verifier, chat, code, settings.verifications, settings, words
    )
    if not passed:
        return Trial(asked, tested, "")
    chat.append(("user", words("wrap", question=as_asked(validation[0].question))))
    (reply,) = yield [replace(maker, stage="wrap", role="wrapper", prompt=tuple(chat), runs=False)]
    wrapped = reply.text
    block = BLOCK.search(wrapped)
    code_of_it = block[1] if block else ""
    if not (block or settings.accepts == RELEASED) or (
        settings.use_cases and not (names_defined(code_of_it) and USE_CASE.search(wrapped))
    ):
        wrapped = wrapped_by_us(code, tests, validation, words) if settings.rewrap else ""
    return Trial(asked, tested, wrapped, function_in(wrapped, settings.only_definitions)[1])


def wrapped_by_us(tool: str, tests: str, problems: Sequence[Problem], words: Words) -> str:
    """The tested function, and of each test what comes before its assertion; "" unless each problem
    has its test."""
    found = lines_before_assertions(
        re.sub(r"^assert (\w+\(.*\)) ==.*", r"ans = \1\nassert", tests, flags=re.MULTILINE)
    )
    pairs = zip(problems, found, strict=False)
    cases = [
        words("use_case", question=as_asked(problem.question), solution=lines.strip())
        for problem, lines in pairs
    ]
    return (
        words("wrapped", tool=tool, cases="\n".join(cases)) if len(found) == len(problems) else ""
    )


def lines_before_assertions(tests: str) -> list[str]:
    """Of each test its lines up to its assertion, with `ans` among them. A line at a time, as a
    pattern that looks for all three again from each line takes time in the cube of a text's
    length."""
    found = []
    lines = []
    for line in tests.split("\n"):
        is_test = line.startswith("assert") and re.match(r"assert\b", line)
        if is_test and any(one.startswith("ans = ") for one in lines):
            found.append("\n".join(lines))
            lines = []
        else:
            lines.append(line)
    return found


def until_it_runs(
    asked: Attempt, chat: list, tool: str, times: int, settings: LatmSettings, words: Words
) -> Steps:
    """Ask until the code of a reply runs after `tool`, `times` at most; `chat` grows by every turn.

    Returns how often was asked, the last code, and whether it ran. Tests must fail for a function
    that answers nothing
    sensible: those that pass whatever it answers do not test it.
    """
    held = to_its_end if settings.reaches_end else str
    lax = settings.accepts == RELEASED

    def composed(text: str) -> str:
        if not lax:
            return compose_trial(tool, text)
        tests = asked.stage == "verify"
        program = f"{tool}\n" * tests + code_as_it_is(text)
        return program if program.strip() else "pass"

    def passes(ran: Candidate, program: str) -> bool:
        return ran.status == "ok" and (
            not settings.reaches_end or reached_its_end(program, ran.output)
        )

    asked = replace(asked, compose=lambda text: held(composed(text)))
    code = ""
    for round in range(times):
        (reply,) = yield [replace(asked, prompt=tuple(chat), round=round)]
        chat.append(("assistant", reply.text))
        code = code_as_it_is(reply.text) if lax else code_in(reply.text)
        passed = passes(reply, composed(reply.text))
        if lax:
            error = as_exception(reply.error)
        elif reply.status == "ok":
            error = words("ended")
        else:
            error = reply.error if code else words("no_code")
        if passed and tool and not lax:
            needed = (
                f"{tool}\n\n" if settings.only_definitions else ""
            )  # tests may read its imports and constants
            program = f"{needed}{without_sense(tool)}\n\n{only_tests(tool, code)}"
            (without,) = yield [
                Run(asked.question, "prove", held(program), asked.samples.start, round=round)
            ]
            passed = not passes(without, program)
            error = words("no_test")
        if passed:
            return round + 1, code, True
        chat.append(("user", words(f"repair_{asked.stage}", error=error)))
    return times, code, False


def labelled_text(problems: Sequence[Problem], words: Words) -> str:
    return "\n\n".join(
        words("labelled", question=as_asked(p.question), answer=gold_text(p.gold)) for p in problems
    )


def compose_trial(tool: str, reply: str) -> str:
    code = code_in(reply)
    return f"{tool}\n\n{only_tests(tool, code)}" if code and tool else code


def code_in(reply: str) -> str:
    return "\n\n".join(code.strip() for code in BLOCK.findall(reply))


def code_as_it_is(reply: str) -> str:
    return "\n\n".join(BLOCK.findall(reply))


def as_exception(error: str) -> str:
    """An error as the released program words it: `NameError: no x (line 2)` → `NameError no x`; of
    syntax it says the line too."""
    line = LINE.search(error)
    kind, _, said = LINE.sub("", error).partition(": ")
    if line and kind in ("SyntaxError", "IndentationError", "TabError"):
        said += f" (<string>, line {line[1]})"
    return f"{kind} {said}"


def function_in(tool: str, only_definitions: bool = False) -> tuple[str, int]:
    """The code of a wrapped tool, its first block, and how many of its statements were left out; ""
    without one."""
    block = BLOCK.search(tool)
    return tool_code(block[1].strip() if block else "", only_definitions)
