"""Our own prompts: what a method asks for (`instructions/METHOD.toml`) × a data set's worked
examples.

The examples of a category (`examples/DATASET/CATEGORY.toml`) are the same for every method and
mode, so that these differ in nothing but what they ask for. The first has a tool that helps as a
step of a longer program; in IMPORT and CREATE the last does without (`choice`). Some categories
have an `extra` one, shown last by stages that say `extra`: then two do without, one with a filled
Toolbox. A category without examples gets the instructions alone. Where a data set's categories are
tasks, of which any program is a tool (`of_others` in `examples/DATASET.toml`), examples that answer
by programs are other tasks'; a stage NAME_same_task shows those of its own. A plug-in adds to both
by a folder with `instructions/`, `examples/` and `messages/` of its own.

Kept as it is, by its hash, for runs begun with it and for what the pack `one-factor`, which
replaces it, lacks.
"""

import re
import string
import textwrap
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from importlib import resources
from pathlib import Path

from ..datasets.base import Dataset, Names, Question
from ..methods.base import as_asked
from ..plugins import Plugins
from ..programs import Tool, format_toolbox
from ..programs.parse import parse_tools
from .base import PromptPack, Template

FOLDER = resources.files(__package__)
#: Folders of words that plug-ins add.
WORDS: Plugins[Path] = Plugins("prompts.own", "words for the pack own", Path, {})
#: What a stage is called that shows examples of the task itself, where others' are shown.
SAME_TASK = "_same_task"


def pack(dataset: Dataset) -> PromptPack:
    stages = with_variants(texts("instructions"))
    source = dataset.like or dataset.name
    words = (
        read_words("words.toml")
        | _of(source)
        | ({"plain": dataset.plain.strip()} if dataset.plain else {})
    )
    words["imports"], of_others = words[words["imports"]], words.get("of_others", False)
    if of_others:
        stages |= {f"{name}{SAME_TASK}": stage for name, stage in stages.items()}

    @cache
    def template(category: str, stage: str) -> Template:
        own = not of_others or stage.endswith(SAME_TASK) or stages[stage]["examples"] == "words"
        worked = (
            examples(source, category)
            if own
            else examples_of_others(source, category, dataset.categories)
        )
        form = "".join({example["form"] for example in examples(source, category)})
        return template_of(
            stages[stage], words, form, [renamed(example, dataset.renamed) for example in worked]
        )

    given = {name: gaps(stage) for name, stage in stages.items()}
    stops = {name: tuple(stage["stop"]) for name, stage in stages.items() if "stop" in stage}
    return pack_of("own", dataset, given, template, stops)


def pack_of(
    name: str, dataset: Dataset, given: Mapping, template: Callable, stops: Mapping
) -> PromptPack:
    """A pack whose messages are what the folders of words say."""
    said = texts("messages")
    return PromptPack(
        name,
        dataset.categories,
        given,
        template,
        stops=stops,
        messages=tuple(said),
        text=said.__getitem__,
    )


def gaps(stage: dict) -> Names:
    """What a stage's prompt is filled with besides question and toolbox: a program to repair, its
    error."""
    said = stage.get("given", "") + stage.get("earlier", "")
    return tuple(name for _, name, *_ in string.Formatter().parse(said) if name)


@cache
def texts(folder: str) -> dict:
    """What the files of a folder say, a file a method: of `instructions` what each stage says
    (`text`, how `examples` answer, what is `given` to it), of `messages` what methods say in
    messages of their own."""
    found: dict = {}
    for home in homes():
        for file in sorted((home / folder).glob("*.toml")):
            found = found | load_words(file) | found  # who says it first stays
    return found


def with_variants(stages: Mapping[str, dict]) -> dict[str, dict]:
    """Stages, and of those marked `varies` two more: STAGE_bare shows no worked example,
    STAGE_thoughts wants words before the code, and its examples have them."""
    found = dict(stages)
    for name, stage in stages.items():
        if stage.get("varies"):
            found[f"{name}_bare"] = stage | {"examples": "none"}
            found[f"{name}_thoughts"] = stage | {
                "thoughts": True,
                "text": f"{stage['text'].strip()} {{thoughts}}",
            }
    return found


@cache
def examples(dataset: str, category: str) -> list[dict]:
    """The worked examples of one category, or none, each with the `form` of its answers."""
    of_category = read_words("examples", _of(dataset).get("like", dataset), f"{category}.toml")
    return [
        example | {"form": of_category.get("form", "")}
        for example in of_category.get("example", [])
    ]


def examples_of_others(dataset: str, category: str, categories: Sequence[str]) -> list[dict]:
    """As many worked examples, one each of the categories that follow in turn, and none of its
    own."""
    place = categories.index(category)
    others = [*categories[place + 1 :], *categories[:place]]
    return [examples(dataset, other)[0] for other in others[: len(examples(dataset, category))]]


def renamed(example: Mapping[str, object], names: Mapping[str, str]) -> dict[str, object]:
    """An example with other words in place of some."""
    other = partial(re.sub, r"\w+", lambda word: names.get(word[0], word[0]))
    return {
        key: other(value) if isinstance(value, str) else value for key, value in example.items()
    }


def template_of(stage: dict, words: dict, form: str, worked: Sequence[dict]) -> Template:
    """Instruction and worked examples come first, so that an engine can keep them for every
    question. A question says the form of its answer where its category's file does.

    Only examples that have what the stage is given are shown: some have no failing program.
    """
    shows = stage.get("shows", stage["examples"] == "toolbox")
    given = stage.get("given", "")
    worked = [e for e in worked if stage.get("extra") or not e.get("extra")]
    worked = stage.get("worked") or [
        *worked[:-1],
        *stage.get("amid", ())[: len(worked)],
        *worked[-1:],
    ]
    worked = [stage.get("without", {}) | e for e in worked]
    reads = stage.get("reads", {})
    worked = [e | {"tool": with_imports(e, e.get("tool", "").strip())} for e in worked]
    worked = [e | {gap: e.get(name) for gap, name in reads.items()} for e in worked]
    worked = [e for e in worked if all(e.get(name) is not None for name in gaps(stage))]
    in_sections = worked and stage["examples"] in IN_SECTIONS
    starts = "" if in_sections else f"**{stage.get('heading', 'Solution')}**\n"
    # one that helps, and others that do not
    listed = [shown_tool(e) for e in worked if e["tool"] and "how" not in e]
    third = any(e.get("extra") for e in worked)
    toolbox_last = stage.get("toolbox_last")

    def asked(question: Question, tools: Sequence[Tool], more: Mapping[str, str]) -> str:
        parts = [f"**Question**\n{as_asked(question)}", *filter(None, [more.get("form")])]
        listing = format_toolbox(map(brief, tools) if toolbox_last else tools)
        beside = [f"**Toolbox**\n{listing or '(no functions yet)'}"] * shows
        beside += [given.format_map(more).strip()] if given else []
        return "\n\n".join([*parts, *(beside[::-1] if toolbox_last else beside), starts])

    def shown(example: dict) -> str:
        question = Question("", "", 0, example["question"], example.get("context", ""))
        thoughts = f"{example['thoughts']}\n\n" if stage.get("thoughts") else ""
        fits = (
            not stage.get("choice") or example is worked[0] or not (third or example is worked[-1])
        )
        answer = ANSWERS[example.get("how", stage["examples"]) if fits else "plain"]
        return asked(question, worked_toolbox(example, fits), example) + thoughts + answer(example)

    def worked_toolbox(example: dict, fits: bool) -> Sequence[Tool]:
        """A worked Toolbox: `lists` says it; with the tool that helps, of three not the first; or
        others; or empty."""
        if "lists" in example:
            return parse_tools(fence(*example["lists"]))
        if not third:
            return listed if fits else ()
        if example is worked[-1]:
            return ()
        helps = shown_tool(example)
        others = [tool for tool in listed if tool != helps]
        return [*others[:1], *[helps] * fits, *others[1:]]

    first = [
        stage["text"].format_map(words).strip(),
        *map(shown, worked if ANSWERS[stage["examples"]] else ()),
    ]

    def render(question: Question, tools: Sequence[Tool], **more: str) -> str:
        # earlier questions are shown as further worked examples
        earlier = filter(None, [stage.get("earlier", "").format_map(more)])
        return "\n\n\n".join([*first, *earlier, asked(question, tools, {"form": form} | more)])

    return render


def shown_tool(example: dict) -> Tool:
    (tool,) = parse_tools(fence(example["tool"].strip()))
    return tool


def brief(tool: Tool) -> Tool:
    """A tool with its docstring's first paragraph in one line, without the example by which it is
    checked."""
    return tool._replace(
        docstring=" ".join(tool.docstring.split(">>>")[0].split("\n\n")[0].split())
    )


def fence(*parts: str) -> str:
    return "```python\n" + "\n\n".join(parts) + "\n```"


def sections(program: str, tools: str) -> str:
    """Tools before the program that needs them: a call that is written first calls what may never
    be written."""
    return f"**Tools**\n{fence(tools.strip())}\n\n**Solution**\n{fence(program.strip())}"


def with_imports(example: dict, code: str) -> str:
    """Code after what its solution imports `also`."""
    also = [
        line for line in example.get("also", "").strip().split("\n") if line not in code.split("\n")
    ]
    return "\n".join([*also, *([""] if also and code.startswith("def ") else []), code])


def commented(example: dict) -> str:
    thoughts = "\n".join(f"# {line}" for line in textwrap.wrap(example["thoughts"], 100))
    return fence(example["imports"].strip(), f"{thoughts}\n{example['plain'].strip()}")


#: How a worked example answers: in sections, by a plain program, by one with a function of its own,
#: or by one that imports it; by that function alone, by the program that uses it, by both in one
#: block, by one block that says its thoughts in comments, by a program or by tool and program in
#: place of what fails, in words, or as the stage's own `worked` examples say. None: the
#: instructions alone.
ANSWERS: dict[str, Callable | None] = {
    "plain": lambda e: sections(e["plain"], e["imports"]),
    "function": lambda e: sections(e["solution"], with_imports(e, e["tool"])),
    "toolbox": lambda e: sections(
        e["solution"], with_imports(e, f"from toolbox import {shown_tool(e).name}")
    ),
    "tool": lambda e: fence(e["tool"].strip()),
    "use": lambda e: fence(with_imports(e, e["solution"].strip())),
    "whole": lambda e: fence(with_imports(e, e["tool"].strip()), e["solution"].strip()),
    "commented": commented,
    "mended": lambda e: f"{e['why']}\n\n{fence(e['imports'].strip(), e['plain'].strip())}",
    "remade": lambda e: f"{e['because']}\n\n{ANSWERS['whole'](e)}",
    "words": lambda e: f"Final Answer: {e['answer']}",
    "said": lambda e: e["said"].strip(),
    "none": None,
}
IN_SECTIONS = ("plain", "function", "toolbox")


def _of(dataset: str) -> dict:
    """What a data set says for itself: its `task`, or that its examples are `like` another's. May
    be nothing."""
    own = read_words("examples", f"{dataset}.toml")
    return read_words("examples", f"{own['like']}.toml") | own if "like" in own else own


def homes() -> Iterator[Path]:
    """Where words lie: the kit's folders, which go first, and those of plug-ins that can be loaded,
    which are only loaded where the kit has not what is looked for."""
    yield FOLDER
    yield from _homes(True)
    yield from _homes(False)


_homes = cache(WORDS.working_of)


def read_words(*path: str) -> dict:
    return next(
        (load_words(file) for home in homes() if (file := home.joinpath(*path)).is_file()), {}
    )


@cache
def load_words(file: Path) -> dict:
    return tomllib.loads(file.read_text(encoding="utf-8"))
