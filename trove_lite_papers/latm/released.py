"""LATM's released tools, run for real on the 240 tested instances of their tasks, with arguments
read without fault: the most that any user of the tool can get right. `python -m
trove_lite_papers.latm.released` makes results/latm.
"""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd

from trove_lite.datasets.base import Problem
from trove_lite.sandbox.pool import Sandbox
from trove_lite.sandbox.worker import Execution

from ..tables import published_table
from . import bbh
from .bbh import TITLES
from .made_tools import released_tool
from .user import answering

CHARACTERS_A_TOKEN = 4  # of English and Python in GPT-4's tokenizer, about


def released_tokens(category: str) -> tuple[float, float] | None:
    """Tokens that GPT-4 read and wrote to make a task's tool, estimated from its chat's characters;
    None of another."""
    kept = published_table("latm_released_characters").set_index("category")
    return tuple(kept.loc[category] / CHARACTERS_A_TOKEN) if category in kept.index else None


def ceiling(
    sandbox: Sandbox, categories: Sequence[str] = tuple(TITLES), limit: int | None = None
) -> pd.DataFrame:
    """A row a task: of its instances (the first `limit`), how many the released tool gets right,
    and in what time.

    failed: the tool raised an exception. seconds: of computing, over all instances; slowest: of the
        longest.
    """
    rows = []
    for category in categories:
        tool = released_tool(category)
        problems = bbh.BBH.load(category)[:limit]
        questions = [problem.question.text for problem in problems]
        programs = [
            answering(tool, q, "released", f"```python\n{READERS[category](q)}\n```")
            for q in questions
        ]
        rows.append(
            {"task": TITLES[category]} | tally(problems, sandbox.run_many(programs, progress=False))
        )
    return pd.DataFrame(rows)


def tally(problems: Sequence[Problem], runs: Sequence[Execution]) -> dict:
    ran = [
        (bbh.read(run.output), p.gold)
        for p, run in zip(problems, runs, strict=True)
        if run.status == "ok"
    ]
    right = sum(bbh.correct(answers, gold) for answers, gold in ran)
    late = sum(run.status == "timeout" for run in runs)
    counts = {
        "instances": len(runs),
        "right": right,
        "wrong": len(ran) - right,
        "failed": len(runs) - len(ran) - late,
    }
    seconds = [run.cpu for run in runs]
    return counts | {
        "timeout": late,
        "seconds": round(sum(seconds), 1),
        "slowest": round(max(seconds), 2),
    }


def errors(table: pd.DataFrame) -> pd.DataFrame:
    """The errors that LATM prints of users of these tools (Tables 2, 4), in percent of instances,
    by whose they are.

    tool: the released tool's, from `ceiling`. user: what is printed beyond; below zero where print
        is better than that.
    """
    others = (
        published_table("latm_table4")
        .query("metric == 'accuracy_pct'")
        .rename(columns={"value": "accuracy_pct"})
    )
    printed = pd.concat([published_table("latm_table2").query("method == 'LATM'"), others])
    split = printed.drop_duplicates(["task", "tool_user_model"]).merge(table, on="task")
    tool = 100 - (100 * split["right"] / split["instances"]).round(2)
    split = split.assign(tool=tool, printed=(100 - split["accuracy_pct"]).round(2))
    split["user"] = (split["printed"] - split["tool"]).round(2)
    return split[["tool_user_model", "task", "printed", "tool", "user"]]


# ---- readers: a question → the block that parses it, calls the tool and converts what comes back
# ----


def logical_deduction(question: str) -> str:
    """Objects are ordered from left to right, from cheap to expensive, from old to new, from first
    to last."""
    text, _, listed = question.partition("\nOptions:\n")
    named, statements = text.partition(": ")[2].split(". ", 1)
    names = [re.sub(r"^(?:and )?(?:an? )?", "", name) for name in named.split(", ")]
    anyone = re.compile(
        "|".join(rf"\b{re.escape(name)}\b" for name in sorted(names, key=len, reverse=True))
    )
    constraints = [
        constraint(anyone.findall(sentence), sentence) for sentence in statements.split(". ")
    ]
    options = {
        letter: anyone.findall(option)[0] for letter, option in re.findall(r"\((\w)\) (.*)", listed)
    }
    asked = place(listed.split("\n")[0])
    found = f"objects = {names}\nconstraints = [{', '.join(constraints)}]\nret = find_order(objects, constraints)"
    return f"{found}\noptions = {options}\nans = [k for k, v in options.items() if v == ret[{asked}]][0]"


def constraint(named: Sequence[str], sentence: str) -> str:
    """A statement on one object's place, or on the order of two, as a function of the order."""
    if len(named) == 1:
        return f"lambda order: order[{place(sentence)}] == {named[0]!r}"
    after = re.search(r"right of|more expensive|newer|below", sentence)
    return (
        f"lambda order: order.index({named[0]!r}) {'>' if after else '<'} order.index({named[1]!r})"
    )


def place(phrase: str) -> int:
    """The index that "the second from the right", "third-newest" or "finished last" stands for."""
    nth = 2 if "second" in phrase else 3 if "third" in phrase else 1
    return -nth if re.search(r"right|newest|expensive|last", phrase) else nth - 1


def tracking_shuffled_objects(question: str) -> str:
    """Who holds what at first, the swaps in turn, and who is asked about."""
    text, _, listed = question.partition("\nOptions:\n")
    held = re.findall(
        r"([A-Z]\w+) (?:is dancing with|is playing|has an?|gets) (.+?)(?=, |\.\n)", text
    )
    swaps = re.findall(r"([A-Z]\w+) and ([A-Z]\w+) (?:switch|trade|swap) ", text)
    (asked,) = re.findall(r"At the end of the \w+, (\w+) ", text)
    options = re.findall(r"\(\w\) (.*)", listed)
    found = f"initial_partners = {held}\nswitches = {swaps}\nret = square_dance(initial_partners, switches)"
    return f"{found}\noptions = {options}\nans = options.index(ret[{asked!r}]) + 1"


def chinese_remainder(question: str) -> str:
    """The limit, the divisors and what they leave."""
    (limit,) = re.findall(r"no more than (\d+)", question)
    divisors, remainders = zip(
        *re.findall(r"among (\d+) \w+, we have (\d+) left", question), strict=True
    )
    read = f"max_limit = {limit}\ndivisors = [{', '.join(divisors)}]\nremainders = [{', '.join(remainders)}]"
    return f"{read}\nret = find_number(max_limit, divisors, remainders)\nans = ret"


def schedule_meeting(question: str) -> str:
    """When each is free, and how long the meeting takes, in minutes."""
    meeting, one, two, _ = question.split("\n")
    free = [re.findall(r"(\d\d:\d\d) - (\d\d:\d\d)", line) for line in (one, two)]
    (hours,) = re.findall(r"a ([\d.]+)-hour", meeting)
    return (
        f"a_availability = {free[0]}\nb_availability = {free[1]}\nmeeting_duration = {round(60 * float(hours))}\n"
        "ret = find_earliest_time_slot(a_availability, b_availability, meeting_duration)\n"
        'ans = ret if ret else "No time slot works."'
    )


COMPLETED = "\nret = complete_sequence(input_str)\nans = ret"
SORTED = '\nret1 = sort_words_alphabetically(words1)\nans1 = " ".join(ret1)'
READERS: dict[str, Callable[[str], str]] = {
    "logical_deduction": logical_deduction,
    "tracking_shuffled_objects": tracking_shuffled_objects,
    "dyck_languages": lambda asked: f"input_str = {asked.partition('Input: ')[2]!r}{COMPLETED}",
    "word_sorting": lambda asked: f"words1 = {asked.partition('List: ')[2].split()}{SORTED}",
    "chinese_remainder": chinese_remainder,
    "schedule_meeting": schedule_meeting,
}


def main() -> None:
    folder = Path("results") / "latm"
    folder.mkdir(parents=True, exist_ok=True)
    with Sandbox(1, time_limit=60.0) as sandbox:  # the tool for remainders tries every number
        table = ceiling(sandbox)
    table.to_csv(folder / "ceiling.csv", index=False)
    errors(table).to_csv(folder / "errors.csv", index=False)
    print(table.to_string(index=False))


if __name__ == "__main__":
    main()
