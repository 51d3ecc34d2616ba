"""The prompts of CREATOR's released program, from the data folder, filled in as it does and sent as
it does: a sentence on who the assistant is, and one message. Its replies end where the model ends
them.

What only a run can say, an error or what the calculator returns, fills its gap in this kit's words.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import product

from trove_lite.datasets.base import Dataset, Question
from trove_lite.datasets.files import files_of, packaged, pinned_file
from trove_lite.methods.base import Messages
from trove_lite.prompts.base import PromptPack, Template

from . import creation_challenge as CC
from . import tool_transfer as TT

#: Stage → the file, and what else it must be given.
FILES = {
    one["stage"]: (one["file"], tuple(one["given"])) for one in packaged("stages", __package__)
}
LATER = (
    "decide",
    "decide_transfer",
    "rectify",
)  # they read what came of a first one, which knew of a hint
#: Stages that a method may ask with thoughts before the code.
VARIED = ("entangled", "creation", "decide")
THOUGHTS = "_thoughts"
GAP = re.compile(r"===(\w+)===")
#: What a worked example says before its hint, and the program says too.
BEFORE_HINT = re.compile(r"^### Hints\n(?!\.\.\.|===)(.*\n)", re.MULTILINE)
FENCE = "```python"
END = "```"


@dataclass(frozen=True)
class ReleasedPrompts:
    """How CREATOR's released program asks about a data set's questions.

    folder: its prompts' place in the repository. about: what the assistant helps with. gaps: what
    is filled in of a question. variants: how a category's files end. thoughts: of the examples.
    unsent: stages whose file is never sent.
    """

    folder: str
    about: str
    gaps: Callable[[Question], Mapping[str, str]]
    variants: Mapping[str, str] = field(default_factory=dict, hash=False)
    thoughts: bool = False
    unsent: tuple[str, ...] = ()


def released_table(text: str) -> str:
    """The undoing of `table_text`: the table as the file has it, and as CREATOR's program shows
    it."""
    lines = text.split("\n")
    first = next((i for i, line in enumerate(lines) if "|" in line), len(lines))
    rows = [line[2:-2] for line in lines[first:]]
    return "\n".join([*lines[:first], *rows[:1], *rows[2:]])


def table_gaps(question: Question) -> dict[str, str]:
    return {"qst": question.text, "table": released_table(question.context)}


#: How it asks about each data set, and those that are like it.
RELEASED = {
    "math": ReleasedPrompts(
        "MATH", "math competition problems", lambda question: {"qst": question.text}
    ),
    "tabmwp": ReleasedPrompts(
        "TabMWP", "questions with tabular contents", table_gaps, thoughts=True
    ),
    CC.NAME: ReleasedPrompts("Creation", "newly defined questions", CC.gaps, CC.VARIANTS),
    TT.NAME: ReleasedPrompts(
        "ToolTransfer", "questions with tools", TT.gaps, TT.VARIANTS, unsent=("rectify",)
    ),
}


def released_for(dataset: Dataset) -> ReleasedPrompts | None:
    return RELEASED.get(dataset.name) or RELEASED.get(dataset.like)


def pack(dataset: Dataset) -> PromptPack:
    """What the program asks about a data set; nothing where it asks nothing."""
    paths = paths_of(dataset)
    released = released_for(dataset)
    stages = {stage: FILES[stage.removesuffix(THOUGHTS)][1] for _, stage in paths}
    lacks = {(c, stage) for c in dataset.categories for stage in stages} - set(paths)

    def template(category: str, stage: str) -> Template:
        text = pinned_file("prompts", paths[category, stage]).read_text(encoding="utf-8").strip()
        hinted = BEFORE_HINT.search(text)

        def render(question: Question, tools=(), **more: str) -> Messages:
            filled = dict(released.gaps(question))
            if hinted:
                filled["hints"] = hinted[1] + filled["hints"]
            filled |= fill_from_method(
                stage, more, whole=(category, "decide_transfer") not in paths
            )
            system = f"You are a helpful assistant in answering {released.about}."
            return ("system", system), ("user", GAP.sub(lambda gap: filled[gap[1]], text))

        return render

    ends = dict.fromkeys(stages, ())
    return PromptPack("official", dataset.categories, stages, template, lacks=lacks, stops=ends)


def paths_of(dataset: Dataset) -> dict[tuple[str, str], str]:
    released = released_for(dataset)
    known = files_of("prompts")
    found = {}
    for category, stage in product(dataset.categories if released else (), FILES):
        start = f"{released.folder}/prompt_lib/prompt_{FILES[stage][0]}"
        endings = [released.variants.get(category, ""), *([""] if stage in LATER else [])]
        path = next((path for ending in endings if (path := f"{start}{ending}.md") in known), None)
        if path and stage not in released.unsent:
            ways = ("", THOUGHTS) if released.thoughts and stage in VARIED else ("",)
            found |= {(category, f"{stage}{way}"): path for way in ways}
    return found


def fill_from_method(stage: str, more: Mapping[str, str], *, whole: bool) -> dict[str, str]:
    """What a method's values put into gaps. whole: whether a decision reads the whole reply that
    made the tool."""
    if stage == "rectify":
        if (
            "made" in more
        ):  # joined as the program of the pinned commit does, which fences even a reply with fences
            return {
                "ori": f"{close_fences(more['made'])}\n{close_fences(more['used'])}",
                "err": more["error"],
            }
        program = more["program"]
        return {
            "ori": program if END in program else f"{FENCE}\n{program}\n{END}",
            "err": more["error"],
        }
    if stage == "conclude":
        return {"res": more["reply"], "wol": more["returned"]}
    if stage == "decide_transfer":
        return {"tool": f"{FENCE}\n{more['tool']}\n{END}"}
    return {"tool": more["made"] if whole else more["tool"]} if stage.startswith("decide") else {}


def close_fences(reply: str) -> str:
    reply = reply if reply.startswith(FENCE) else f"{FENCE}\n{reply.strip()}"
    return reply if reply.endswith(END) else f"{reply.strip()}\n{END}"
