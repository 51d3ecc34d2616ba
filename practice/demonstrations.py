"""Training examples for the practice model: a prompt and the completion to imitate, right or with a typical slip.

Slips are put in on purpose: a model trained on right programs alone answers a question the same way fifteen times, and
there is nothing for agreement to choose between. Their rates depend on the level and on nothing else: not on the
mode, so that none of the methods that the kit compares is favoured.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from trove_lite.prompts.practice import LISTED_AT_MOST, practice_prompt

from .dice import Dice
from .problems import Item, Wording
from .programs import PROGRAMS, STEPS, TOOLS, Tool

MODES = ("skip", "create", "import")
#: Rates by level at which a demonstration errs: in its main line, in each second step, and so that it fails.
MAIN_SLIP = (0.15, 0.26, 0.32, 0.37, 0.40)
STEP_SLIP = (0.00, 0.22, 0.24, 0.26, 0.28)
FAILURE = (0.10, 0.12, 0.14, 0.16, 0.18)
#: A wrong operator: the first of these that fits, so that a family is mistaken in one typical way.
WRONG = (
    (r" \+ 1\)", ")"),
    (r" - 1\)", ")"),
    (r" \*\* 2", " * 2"),
    (r" // ", " * "),
    (r" / ", " * "),
    (r" - ", " + "),
    (r" \* ", " + "),
    (r" \+ ", " - "),
)


@dataclass
class Written:
    """A program as it is written: its lines, those of functions that it defines, the names that it takes from the
    toolbox. What it needs of the library is imported, unless that was `forgotten`."""

    main: list[str]
    tools: list[str]
    taken: list[str]
    forgotten: bool = False

    def define(self, name: str, tool: Tool) -> None:
        self.tools += tool.lines(name)

    def call(self, item: Item, name: str) -> None:
        self.main.append(
            _fill(PROGRAMS[item.category][item.family.name].call, item.arguments, name)
        )

    def imports(self) -> list[str]:
        """The lines that import what it uses."""
        if self.forgotten:
            return []
        math = ["import math"] if "math." in "\n".join(self.main + self.tools) else []
        return math + ([f"from toolbox import {', '.join(self.taken)}"] if self.taken else [])

    def __str__(self) -> str:
        """As a completion: the program, and the Tools section where there is one."""
        tools = self.imports() + self.tools
        return in_a_block(self.main) + (f"\n**Tools**\n{in_a_block(tools)}" if tools else "")


def in_a_block(lines: list[str]) -> str:
    return "```python\n" + "\n".join(lines) + "\n```\n"


def demonstrate(
    dice: Dice, item: Item, mode: str, *, slips: bool = False, listed: bool | None = None
) -> tuple[str, str]:
    """A prompt in `mode` and a completion; in IMPORT mode `listed` says whether the toolbox holds the right tool."""
    toolbox = {}
    if mode == "import":
        listed = dice.random() < 0.5 if listed is None else listed
        tool = PROGRAMS[item.category][item.family.name].tool
        toolbox = toolbox_for(
            dice, item, tool, listed, min(int(dice.expovariate(1 / 6)), LISTED_AT_MOST - 2)
        )
    made = write(dice, item, mode, toolbox, slips=slips)
    if slips and dice.random() < FAILURE[item.level - 1]:
        break_program(dice, made)
    return practice_prompt(mode, item.question, signatures(toolbox)), str(made)


def write(
    dice: Dice, item: Item, mode: str, toolbox: Mapping[str, str] | None = None, *, slips: bool
) -> Written:
    """A program in `mode`, which runs; `toolbox`: tool → its name, of those that it may import."""
    program, toolbox, made = (
        PROGRAMS[item.category][item.family.name],
        toolbox or {},
        Written([], [], []),
    )
    if program.tool in toolbox:
        made.taken.append(toolbox[program.tool])
        made.call(item, toolbox[program.tool])
    elif mode == "create" and dice.random() < 0.96:
        name = pick_name(dice, TOOLS[program.tool])
        made.define(name, TOOLS[program.tool])
        made.call(item, name)
    else:
        made.main += _inline(dice, program.code, item.arguments)
    if slips and dice.random() < MAIN_SLIP[item.level - 1]:
        put_slip(made)
    put_steps(dice, made, item, toolbox, slips)
    return made


def pick_name(dice: Dice, tool: Tool) -> str:
    """One of the names that a tool goes by."""
    return dice.weighted(tool.names, (6, 3, 1)[: len(tool.names)])


def put_steps(
    dice: Dice, made: Written, item: Item, toolbox: Mapping[str, str], slips: bool
) -> None:
    """The item's second steps, and the line that prints the answer."""
    for step, k in item.steps:
        if slips and dice.random() < STEP_SLIP[item.level - 1]:
            continue
        if step.name == "digits" and "digits" in toolbox:
            made.main.append(f"ans = {toolbox['digits']}(abs(ans))")
            made.taken += [toolbox["digits"]] if toolbox["digits"] not in made.taken else []
        else:
            made.main.append(STEPS[step.name].format(k=k))
    made.main.append("print(ans)")


def toolbox_for(dice: Dice, item: Item, tool: str, listed: bool, size: int) -> dict[str, str]:
    """Up to `size` tools and, if `listed`, the right one: tool → its name, in random order.

    Mostly of the same category, as a stream's toolbox is.
    """
    kin = [program.tool for program in PROGRAMS[item.category].values()]
    keys = [dice.pick(kin if dice.random() < 0.6 else list(TOOLS)) for _ in range(size)]
    keys += [tool] if listed and tool else []
    if any(step.name == "digits" for step, _ in item.steps) and dice.random() < 0.5:
        keys.append("digits")
    keys = dice.shuffled([key for key in dict.fromkeys(keys) if listed or key != tool])
    return {key: dice.pick(TOOLS[key].names) for key in keys}


def signatures(toolbox: dict[str, str]) -> list[str]:
    """The lines of the prompt's Toolbox section."""
    return [f"{name}({TOOLS[key].parameters})" for key, name in toolbox.items()]


def _fill(template: str, arguments: dict, name: str = "") -> str:
    return Wording().format(template, **arguments, T=name)


def _inline(dice: Dice, variants: tuple[str, ...], arguments: dict) -> list[str]:
    code = dice.weighted(variants, (3, 1)[: len(variants)])
    plain = not any(isinstance(value, list) for value in arguments.values())
    if plain and "for " not in code and dice.random() < 0.25:  # name the numbers first
        named = f"{', '.join(arguments)} = {', '.join(map(str, arguments.values()))}"
        return [named, *_fill(code, {key: key for key in arguments}).split("\n")]
    return _fill(code, arguments).split("\n")


def put_slip(made: Written) -> None:
    """One wrong operator in the function just written or else in the program; where there is none, a number twice."""
    for lines, places in (
        (made.tools, range(1, len(made.tools))),
        (made.main, range(len(made.main))),
    ):
        for pattern, replacement in WRONG:
            for place in places:
                if re.search(pattern, lines[place]):
                    lines[place] = re.sub(pattern, replacement, lines[place], count=1)
                    return
    lines = made.main or made.tools
    lines[-1] = _repeat_argument(lines[-1])


def _repeat_argument(line: str) -> str:
    """`f(a, b)` → `f(a, a)`; `f(a)` → `f(a + 1)`; likewise for vectors."""
    item = r"(?:\[[^\]]*\]|-?\w+)"
    two = re.search(rf"({item}), ({item})\)", line)
    if two:
        return line[: two.start(2)] + two[1] + line[two.end(2) :]
    return re.sub(rf"\(({item})\)", r"(\1 + 1)", line, count=1)


def break_program(dice: Dice, made: Written) -> str:
    """Has the program stop with an error, an import forgotten or a name that does not exist; gives that name."""
    if (imports := made.imports()) and dice.random() < 0.5:
        made.forgotten = True
        return imports[0].split()[-1]
    if made.tools and dice.random() < 0.5:
        made.tools[-1] = made.tools[-1].replace("return ", "return result + ", 1)
        return "result"
    made.main[-1] = "print(answer)"
    return "answer"
