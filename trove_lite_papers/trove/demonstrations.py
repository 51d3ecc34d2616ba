"""Worked examples in prompts, as a model reads them: the audit asks which are test problems, and whether they run."""

import re
from typing import NamedTuple

from trove_lite.datasets.base import Question
from trove_lite.programs import code_blocks

OPEN = "@@the question that is asked@@"
MODES = ("primitive", "instance", "import", "create", "skip")
PART = re.compile(r"^\*\*(Table|Toolbox|Solution|Tools)\*\*[ \t]*$", re.MULTILINE)


class Demonstration(NamedTuple):
    """A worked example of a prompt; its `toolbox`: what it imports, from the prompt that creates the same tool."""

    category: str
    mode: str
    index: int
    question: str
    solution: str
    tools: str
    toolbox: str = ""

    @property
    def program(self) -> str:
        """Toolbox, tools, solution: the order in which the official program puts them together."""
        return (
            "\n\n".join([self.toolbox, self.tools, self.solution]).strip() if self.solution else ""
        )


def demonstrations(pack: object) -> list[Demonstration]:
    """The worked examples of every prompt of a pack, as a model reads them."""
    found = []
    for category in pack.categories:
        for mode in (
            mode for mode in MODES if mode in pack.stages
        ):  # other stages show something else
            sections = pack.render(Question("", category, 0, OPEN), mode).split("**Question**\n")[
                1:
            ]
            for index, section in enumerate(s for s in sections if OPEN not in s):
                question, *parts = PART.split(section)
                part = dict(zip(parts[::2], parts[1::2], strict=True))
                tools = part.get("Tools", "")
                borrows = "from toolbox import" in part.get("Tools", "")
                codes = _code(part.get("Solution", "")), _code(tools), "wanted" * borrows
                found.append(Demonstration(category, mode, index, question.strip(), *codes))
    sources = {(d.category, d.question): d.tools for d in found if d.mode == "create"}
    return [
        d._replace(toolbox=sources.get((d.category, d.question), "") if d.toolbox else "")
        for d in found
    ]


def _code(section: str) -> str:
    lines = "\n".join(code_blocks(section)).split("\n")
    return "\n".join(line for line in lines if not ("import" in line and "toolbox" in line))


def normalised(question: str) -> str:
    """A question without what differs between prints of the same one: spacing, case, and doubled backslashes."""
    single = re.sub(r"\\+", r"\\", re.sub(r"\s+", " ", question))
    return single.replace("\\$", "$").replace("\\%", "%").strip().lower()
