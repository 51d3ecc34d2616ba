"""Training examples for the practice model: a prompt and the completion to imitate, right or with a typical slip.

Slips are put in on purpose: a model trained on right programs alone answers a question the same way fifteen times, and
there is nothing for agreement to choose between. Their rates depend on the level and on nothing else: not on the
mode, so that none of the methods that the kit compares is favoured.
"""

import re

from programs import PROGRAMS, STEPS, TOOLS

from trove_lite.datasets.practice.dice import Dice
from trove_lite.datasets.practice.problems import Item, Wording
from trove_lite.prompts.practice import LISTED_AT_MOST, practice_prompt

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


def demonstrate(
    dice: Dice, item: Item, mode: str, *, slips: bool = False, listed: bool | None = None
) -> tuple[str, str]:
    """A prompt in `mode` and a completion; in IMPORT mode `listed` says whether the toolbox holds the right tool."""
    program = PROGRAMS[item.category][item.family.name]
    toolbox = {}
    if mode == "import":
        listed = dice.random() < 0.5 if listed is None else listed
        toolbox = toolbox_for(dice, item, program.tool, listed, min(int(dice.expovariate(1 / 6)), LISTED_AT_MOST - 2))
    tools, imported = [], []
    if mode == "import" and program.tool in toolbox:
        main, imported = [_fill(program.call, item.arguments, toolbox[program.tool])], [toolbox[program.tool]]
    elif mode == "create" and dice.random() < 0.96:
        name = dice.weighted(TOOLS[program.tool].names, (6, 3, 1)[: len(TOOLS[program.tool].names)])
        main = [_fill(program.call, item.arguments, name)]
        tools = [f"def {name}({TOOLS[program.tool].parameters}):", *("    " + x for x in TOOLS[program.tool].body)]
    else:
        main = _inline(dice, program.code, item.arguments)
    steps = []
    for step, k in item.steps:
        if step.name == "digits" and "digits" in toolbox:
            steps.append(f"ans = {toolbox['digits']}(abs(ans))")
            imported += [toolbox["digits"]] if toolbox["digits"] not in imported else []
        else:
            steps.append(STEPS[step.name].format(k=k))
    level = item.level - 1
    if slips and dice.random() < MAIN_SLIP[level]:
        _mistake(main, tools)
    if slips:
        steps = [step for step in steps if dice.random() >= STEP_SLIP[level]]
    lines = [*main, *steps, "print(ans)"]
    head = ["import math"] if "math." in "\n".join(lines + tools) else []
    head += [f"from toolbox import {', '.join(imported)}"] if imported else []
    if slips and dice.random() < FAILURE[level]:
        _fail(dice, lines, tools, head)
    prompt = practice_prompt(mode, item.question, signatures(toolbox))
    return prompt, _completion(lines, head + tools)


def _completion(lines: list[str], tools: list[str]) -> str:
    solution = "```python\n" + "\n".join(lines) + "\n```\n"
    return solution + ("\n**Tools**\n```python\n" + "\n".join(tools) + "\n```\n" if tools else "")


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


def _mistake(main: list[str], tools: list[str]) -> None:
    """One wrong operator in the function just written or else in the program; where there is none, a number twice."""
    for lines, places in ((tools, range(1, len(tools))), (main, range(len(main)))):
        for pattern, replacement in WRONG:
            for place in places:
                if re.search(pattern, lines[place]):
                    lines[place] = re.sub(pattern, replacement, lines[place], count=1)
                    return
    main[-1] = _repeat_argument(main[-1])


def _repeat_argument(line: str) -> str:
    """`f(a, b)` → `f(a, a)`; `f(a)` → `f(a + 1)`; likewise for vectors."""
    item = r"(?:\[[^\]]*\]|-?\w+)"
    two = re.search(rf"({item}), ({item})\)", line)
    if two:
        return line[: two.start(2)] + two[1] + line[two.end(2) :]
    return re.sub(rf"\(({item})\)", r"(\1 + 1)", line, count=1)


def _fail(dice: Dice, lines: list[str], tools: list[str], head: list[str]) -> None:
    """The program will stop with an error: an import forgotten, a name that does not exist."""
    if head and dice.random() < 0.5:
        head.clear()
    elif tools and dice.random() < 0.5:
        tools[-1] = tools[-1].replace("return ", "return result + ", 1)
    else:
        lines[-1] = "print(answer)"
