"""Our own prompts: what a method asks for (`instructions/METHOD.toml`) × a data set's worked examples.

The examples of a category (`examples/DATASET/CATEGORY.toml`) are the same for every method and mode, so that these
differ in nothing but what they ask for. The first has a tool that helps as a step of a longer program; in IMPORT and
CREATE the last does without (`choice`). A category without examples of its own gets the instructions alone. Where a
data set's categories are tasks, of which any program is a tool (`of_others` in `examples/DATASET.toml`), examples that
answer by programs are other tasks'; a stage NAME_same_task shows those of its own.
"""

import string
import textwrap
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources

from ..datasets.base import Dataset, Question
from ..methods.base import as_asked
from ..parse import parse_tools
from ..programs import Tool, format_toolbox
from .base import PromptPack, Template

FOLDER = resources.files(__package__)
#: What a stage is called that shows examples of the task itself, where others' are shown.
SAME_TASK = "_same_task"
NO_TOOLS = "(no functions yet)"


def pack(dataset: Dataset) -> PromptPack:
    """The pack `own` for a data set."""
    stages = with_variants(instructions())
    source = dataset.like or dataset.name
    words = _read("words.toml") | _of(source)
    of_others = words.get("of_others", False)
    if of_others:
        stages |= {f"{name}{SAME_TASK}": stage for name, stage in stages.items()}

    @cache
    def template(category: str, stage: str) -> Template:
        own = not of_others or stage.endswith(SAME_TASK) or stages[stage]["examples"] == "words"
        worked = examples(source, category) if own else examples_of_others(source, category, dataset.categories)
        return template_of(stages[stage], words, worked)

    gaps_of = {name: gaps(stage) for name, stage in stages.items()}
    said = {"messages": tuple(messages()), "text": message}
    return PromptPack("own", dataset.categories, tuple(stages), template, gaps_of, **said)


def gaps(stage: dict) -> tuple[str, ...]:
    """What a stage's prompt is filled with besides question and toolbox: a program to repair, its error."""
    return tuple(name for _, name, *_ in string.Formatter().parse(stage.get("given", "")) if name)


@cache
def instructions() -> dict[str, dict]:
    """What each stage of every method says, by its name: `text`, how `examples` answer, what is `given` to it."""
    files = sorted(file.name for file in (FOLDER / "instructions").iterdir())
    return {stage: words for file in files for stage, words in _read("instructions", file).items()}


@cache
def messages() -> dict[str, str]:
    """What methods say in messages of their own (`messages/METHOD.toml`), by name."""
    files = sorted(file.name for file in (FOLDER / "messages").iterdir())
    return {name: text for file in files for name, text in _read("messages", file).items()}


def message(name: str) -> str:
    """One of these, with its {gaps}."""
    return messages()[name]


def with_variants(stages: Mapping[str, dict]) -> dict[str, dict]:
    """Stages, and of those marked `varies` two more: STAGE_bare shows no worked example, STAGE_thoughts wants words
    before the code, and its examples have them."""
    found = dict(stages)
    for name, stage in stages.items():
        if stage.get("varies"):
            found[f"{name}_bare"] = stage | {"examples": "none", "shows": stage.get("shows", False)}
            found[f"{name}_thoughts"] = stage | {"thoughts": True, "text": f"{stage['text'].strip()} {{thoughts}}"}
    return found


@cache
def examples(dataset: str, category: str) -> list[dict]:
    """The worked examples of one category, or none."""
    return _read("examples", _of(dataset).get("like", dataset), f"{category}.toml").get("example", [])


def examples_of_others(dataset: str, category: str, categories: Sequence[str]) -> list[dict]:
    """As many worked examples, one each of the categories that follow in turn, and none of its own."""
    place = categories.index(category)
    others = [*categories[place + 1 :], *categories[:place]]
    return [examples(dataset, other)[0] for other in others[: len(examples(dataset, category))]]


def template_of(stage: dict, words: dict, worked: Sequence[dict]) -> Template:
    """Instruction and worked examples stand first, so that an engine can keep them for every question.

    Only examples that have what the stage is given are shown: some have no failing program.
    """
    answers = ANSWERS[stage["examples"]]
    shows, given = stage.get("shows", stage["examples"] == "toolbox"), stage.get("given", "")
    worked = [example for example in worked if all(name in example for name in gaps(stage))]
    starts = "" if worked and answers in SECTIONS else "**Solution**\n"
    fitting = worked[:-1] if stage.get("choice") else worked
    listed = [shown_tool(example) for example in worked]  # one that helps, and others that do not

    def stated(example: dict) -> str:
        toolbox = listed if example in fitting else ()
        question = _asked(as_asked(question_of(example)), toolbox, shows, given.format_map(example), starts)
        thoughts = f"{example['thoughts']}\n\n" if stage.get("thoughts") else ""
        return question + thoughts + (answers if example in fitting else _plain)(example)

    shown = [stated(example) for example in (worked if answers else ())]
    instruction = stage["text"].format_map(words).strip()

    def template(question: Question, tools: Sequence[Tool], **more: str) -> str:
        asked = _asked(as_asked(question), tools, shows, given.format_map(more), starts)
        return "\n\n\n".join([instruction, *shown, asked])

    return template


def question_of(example: dict) -> Question:
    """What an example asks, with what it is about where there is such a thing."""
    return Question("", "", 0, example["question"], example.get("context", ""))


def shown_tool(example: dict) -> Tool:
    """An example's function as the toolbox holds it."""
    (tool,) = parse_tools(f"```python\n{example['tool'].strip()}\n```")
    return tool


def _asked(question: str, toolbox: Sequence[Tool], shows: bool, given: str, starts: str) -> str:
    shown = f"**Toolbox**\n{format_toolbox(toolbox) or NO_TOOLS}\n\n" if shows else ""
    given = f"{given.strip()}\n\n" if given else ""
    return f"**Question**\n{question}\n\n{shown}{given}{starts}"


def _answered(program: str, tools: str) -> str:
    """Tools before the program that needs them: a call that is written first calls what may never be written."""
    return f"**Tools**\n```python\n{tools.strip()}\n```\n\n**Solution**\n```python\n{program.strip()}\n```"


def _plain(example: dict) -> str:
    return _answered(example["plain"], example["imports"])


def _function(example: dict) -> str:
    return _answered(example["solution"], _with_imports(example, example["tool"]))


def _imported(example: dict) -> str:
    return _answered(example["solution"], _with_imports(example, f"from toolbox import {shown_tool(example).name}"))


def _with_imports(example: dict, code: str) -> str:
    """Code after what its solution imports `also`."""
    also = [line for line in example.get("also", "").strip().split("\n") if line not in code.split("\n")]
    between = [""] if also and code.startswith("def ") else []
    return "\n".join([*also, *between, code])


def _tool(example: dict) -> str:
    return f"```python\n{example['tool'].strip()}\n```"


def _whole(example: dict) -> str:
    tool = _with_imports(example, example["tool"].strip())
    return f"```python\n{tool}\n\n{example['solution'].strip()}\n```"


def _commented(example: dict) -> str:
    thoughts = "\n".join(f"# {line}" for line in textwrap.wrap(example["thoughts"], 100))
    return f"```python\n{example['imports'].strip()}\n\n{thoughts}\n{example['plain'].strip()}\n```"


def _use(example: dict) -> str:
    return f"```python\n{_with_imports(example, example['solution'].strip())}\n```"


def _mended(example: dict) -> str:
    return f"{example['why']}\n\n```python\n{example['imports'].strip()}\n\n{example['plain'].strip()}\n```"


def _words(example: dict) -> str:
    return f"Final Answer: {example['answer']}"


#: How a worked example answers: in sections, by a plain program, by one with a function of its own, or by one that
#: imports it; by that function alone, by the program that uses it, by both in one block, by one block that says its
#: thoughts in comments, by a program in place of one that fails, or in words. None: the instructions stand alone.
ANSWERS = {"plain": _plain, "function": _function, "toolbox": _imported, "tool": _tool, "use": _use, "words": _words}
ANSWERS |= {"whole": _whole, "commented": _commented, "mended": _mended, "none": None}
SECTIONS = (_plain, _function, _imported)


def _of(dataset: str) -> dict:
    """What a data set says for itself: its `task`, or that its examples are `like` another's. May be nothing."""
    own = _read("examples", f"{dataset}.toml")
    return _read("examples", f"{own['like']}.toml") | own if "like" in own else own


@cache
def _read(*path: str) -> dict:
    file = FOLDER.joinpath(*path)
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
