"""The maker: it proposes a function from labelled problems, verifies it with tests on others, and wraps it up."""

import re
from collections.abc import Generator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from ...datasets.base import Problem
from ...errors import TroveLiteError
from ..base import Attempt, Candidate, Question, Run, Words, as_asked, tool_code
from .chats import NEXT_TURN, gold_text, in_parallel, prompt_of_chat
from .proof import defined, only_tests, reached_its_end, to_its_end, without_sense
from .settings import OF_MAKER, LatmSettings

#: Blocks of a maker's reply.
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
#: The question of a tool's use case, before its answer or solution.
USE_CASE = re.compile(r"\A(?>.*?^Question:)(.*?)^[^\S\n]*+(?:Answer|Solution):", re.DOTALL | re.MULTILINE)
#: All that the pack is asked for to make a tool.
MAKING = ("labelled", "propose", "repair_propose", "verify", "repair_verify", "wrap", "no_code", "no_test", "ended")


class Trial(NamedTuple):
    """One attempt to make a tool: proposals and tests written, and the wrapped tool, "" where it failed.

    left_out: statements of its code that are no part of it (`only_definitions`).
    """

    proposals: int
    verifications: int
    tool: str
    left_out: int = 0


class Made(NamedTuple):
    """What came of making a tool for a task. `labels` is how many labelled problems the maker saw."""

    trials: tuple[Trial, ...]
    labels: int

    @property
    def tool(self) -> str:
        """The wrapped tool that is used, the first trial's that passed; "" where none was made."""
        return next((trial.tool for trial in self.trials if trial.tool), "")

    def listing(self) -> list[dict]:
        """Every trial as plain data."""
        return [trial._asdict() | {"made": bool(trial.tool), "labels": self.labels} for trial in self.trials]


def make_tool(question: Question, settings: LatmSettings, examples: Sequence[Problem], words: Words) -> Generator:
    """Trials until one makes a tool, or all at once. `question` is the task's first: there its calls are put down."""
    if len(examples) < 2:
        raise TroveLiteError(f"{question.dataset}, {question.category}: needs at least 2 labelled problems")
    if settings.all_trials:
        all_trials = [trial(question, settings, examples, n, words) for n in range(settings.trials)]
        return tuple((yield from in_parallel(all_trials)))
    trials: list[Trial] = []
    while len(trials) < settings.trials and not (trials and trials[-1].tool):
        trials.append((yield from trial(question, settings, examples, len(trials), words)))
    return tuple(trials)


def trial(
    question: Question, settings: LatmSettings, examples: Sequence[Problem], number: int, words: Words
) -> Generator:
    """Propose, verify, wrap, in one growing chat: three calls, and one more for each reply that does not do."""
    train, validation = examples[: len(examples) // 2], examples[len(examples) // 2 :]
    how = OF_MAKER | {"stop": settings.stops(NEXT_TURN)}
    maker = Attempt(question, "", range(number, number + 1), mode="", sampling=how)
    chat = [("user", words("propose", examples=labelled(train, words)))]
    stage = replace(maker, stage="propose", role="maker")
    asked, code, ran = yield from until_it_runs(stage, chat, "", settings.proposals, settings, words)
    if not (ran or settings.unproven):
        return Trial(asked, 0, "")
    if settings.doubled:
        chat.append(next(message for message in reversed(chat) if message[0] == "assistant"))
    chat.append(("user", words("verify", examples=labelled(validation, words))))
    code, _ = tool_code(code, settings.only_definitions)
    stage = replace(maker, stage="verify", role="verifier")
    tested, _, passed = yield from until_it_runs(stage, chat, code, settings.verifications, settings, words)
    if not passed:
        return Trial(asked, tested, "")
    chat.append(("user", words("wrap")))
    prompt = prompt_of_chat(chat, settings.chat)
    (reply,) = yield [replace(maker, stage="wrap", role="wrapper", prompt=prompt, runs=False)]
    tool = reply.text or "\n"  # so that one of which nothing is asked, in `released`, is one
    if not is_tool(tool, settings):
        return Trial(asked, tested, "")
    return Trial(asked, tested, tool, function_in(tool, settings.only_definitions)[1])


def until_it_runs(asked: Attempt, chat: list, tool: str, times: int, settings: LatmSettings, words: Words) -> Generator:
    """Ask until the code of a reply runs after `tool`, `times` at most; `chat` grows by every turn.

    Returns how often was asked, the last code, and whether it ran.
    """
    code = ""
    for round in range(times):
        prompt, compose = prompt_of_chat(chat, settings.chat), partial(trying, tool, settings)
        (reply,) = yield [replace(asked, prompt=prompt, compose=compose, round=round)]
        chat.append(("assistant", reply.text))
        code = code_in(reply.text)
        error = reply.error if code else words("no_code")
        passed = passes(reply, composed(tool, settings.vacuous, reply.text), settings)
        if reply.status == "ok" and not passed:
            error = words("ended")
        if passed and tool and not settings.vacuous:  # tests that pass whatever it answers do not test the function
            needed = f"{tool}\n\n" if settings.only_definitions else ""  # tests may read its imports and constants
            program = f"{needed}{without_sense(tool)}\n\n{only_tests(tool, code)}"
            run = to_its_end(program) if settings.reaches_end else program
            (without,) = yield [Run(asked.question, "prove", run, asked.samples.start, round=round)]
            passed, error = not passes(without, program, settings), words("no_test")
        if passed:
            return round + 1, code, True
        chat.append(("user", words(f"repair_{asked.stage}", error=error)))
    return times, code, False


def labelled(problems: Sequence[Problem], words: Words) -> str:
    """Problems with their answers, as the maker reads them."""
    pairs = [words("labelled", question=as_asked(p.question), answer=gold_text(p.gold)) for p in problems]
    return "\n\n".join(pairs)


def composed(tool: str, vacuous: bool, reply: str) -> str:
    """The program that tries a maker's reply, after the tool that it tests; "" where it has no code."""
    code = code_in(reply)
    if vacuous:
        return f"{tool}\n\n{code or 'pass'}"
    if not code:
        return ""
    return f"{tool}\n\n{only_tests(tool, code)}" if tool else code


def trying(tool: str, settings: LatmSettings, reply: str) -> str:
    """The program that runs of a maker's reply: where that is asked for, with a last statement that shows its end."""
    program = composed(tool, settings.vacuous, reply)
    return to_its_end(program) if settings.reaches_end else program


def passes(ran: Candidate, program: str, settings: LatmSettings) -> bool:
    """Whether a program ran without fault, and where that is asked for, to its end."""
    return ran.status == "ok" and (not settings.reaches_end or reached_its_end(program, ran.output))


def code_in(reply: str) -> str:
    """All Python blocks of a maker's reply as one."""
    return "\n\n".join(code.strip() for code in BLOCK.findall(reply))


def function_in(tool: str, only_definitions: bool = False) -> tuple[str, int]:
    """The code of a wrapped tool, its first block, and how many of its statements were left out; "" without one."""
    block = BLOCK.search(tool)
    return tool_code(block[1].strip() if block else "", only_definitions)


def is_tool(reply: str, settings: LatmSettings) -> bool:
    """Whether a wrapper's reply can be used: it has code and, where that is asked for, a function and a use case.

    The released program looks at none of it: without code it is its user who fails.
    """
    block = BLOCK.search(reply)
    complete = block and (not settings.use_cases or (defined(block[1]) and USE_CASE.search(reply)))
    return bool(complete) or settings.vacuous
