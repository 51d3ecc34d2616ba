"""CREATOR's stages as demonstrations: a tool alone, a program that calls one, a program that failed written anew.

PoT and Entangled are asked as SKIP and CREATE are and need no demonstrations of their own. Slips come at the rates of
TROVE's modes: in the tool where it is made, in what the program does besides calling it.
"""

from trove_lite.prompts.practice import practice_prompt

from .demonstrations import (
    FAILURE,
    MAIN_SLIP,
    Written,
    break_program,
    in_a_block,
    pick_name,
    put_slip,
    put_steps,
    write,
)
from .dice import Dice
from .problems import Item
from .programs import PROGRAMS, TOOLS

STAGES = ("creation", "decide", "rectify")
FARTHEST = 24  # lines down in a program at which an error is shown


def demonstrate_stage(
    dice: Dice, item: Item, stage: str, *, slips: bool = False
) -> tuple[str, str]:
    """A prompt of CREATOR's `stage` and a completion."""
    return {"creation": _creation, "decide": _decide, "rectify": _rectify}[stage](dice, item, slips)


def _creation(dice: Dice, item: Item, slips: bool) -> tuple[str, str]:
    return practice_prompt("creation", item.question), in_a_block(_tool(dice, item, slips)[1])


def _tool(dice: Dice, item: Item, slips: bool) -> tuple[str, list[str]]:
    """A name for the family's function, and its lines with what they import."""
    tool = TOOLS[PROGRAMS[item.category][item.family.name].tool]
    name, made = pick_name(dice, tool), Written([], [], [])
    made.define(name, tool)
    if slips and dice.random() < MAIN_SLIP[item.level - 1]:
        put_slip(made)
    return name, [*made.imports(), *made.tools]


def _decide(dice: Dice, item: Item, slips: bool) -> tuple[str, str]:
    name, tool = _tool(dice, item, slips)
    made = Written([], [], [])
    made.call(item, name)
    put_steps(dice, made, item, {}, slips)
    if slips and dice.random() < FAILURE[item.level - 1]:
        break_program(dice, made)
    return practice_prompt("decide", item.question, tool="\n".join(tool)), in_a_block(
        [*made.imports(), *made.main]
    )


def _rectify(dice: Dice, item: Item, slips: bool) -> tuple[str, str]:
    failed = write(dice, item, dice.pick(("skip", "create")), slips=slips)
    error = f"NameError: name '{break_program(dice, failed)}' is not defined (line {dice.integer(1, FARTHEST)})"
    again = write(dice, item, "skip", slips=slips)
    return practice_prompt("rectify", item.question, program=str(failed).strip(), error=error), str(
        again
    )
