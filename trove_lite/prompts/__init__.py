"""What a model is asked: packs of prompts, rendered for a category, a mode, a question and a toolbox.

`own` is ours, kept in `prompts/`, a folder a data set: instructions by mode, and worked examples by category, the same
examples in every mode, so that modes differ in nothing but what they ask for. `official` renders the official
program's templates as it does. A pack knows neither models nor how the toolbox was ranked: it shows what it is given.
"""

import hashlib
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import resources

from ..datasets.files import data_folder
from ..datasets.math import CATEGORIES
from ..errors import TroveLiteError
from ..parse import parse_tools
from ..programs import Tool, format_toolbox

FOLDER = resources.files(__package__)
MODES = ("primitive", "instance", "import", "create", "skip")
#: Where the official templates are, and the sha256 of all of them: a template can run code, so only these are used.
OFFICIAL = "zorazrw/trove/prompt/math"
OFFICIAL_FILES = {
    "primitive": "primitive.md",
    "instance": "instance.md",
    "import": "online_import.md",
    "create": "online_create.md",
    "skip": "online_skip.md",
}
OFFICIAL_SHA256 = "bed276b32cdce59ac7c3df0bbc4945e7882a20166d116493732e634912b0099e"
SPECIMEN = Tool("specimen", "specimen(n)", "A tool.", "def specimen(n):\n    return n", "function")

Template = Callable[[str, str], str]


@dataclass(frozen=True)
class PromptPack:
    """Prompts for every category and mode. `templates` take a question and a formatted toolbox."""

    name: str
    templates: Mapping[tuple[str, str], Template]

    def render(self, category: str, mode: str, question: str, toolbox: Sequence[Tool] = ()) -> str:
        """The prompt for one question. Modes whose prompt has no toolbox leave it out."""
        template = self.templates.get((category, mode))
        if template is None:
            raise TroveLiteError(
                f"prompt pack '{self.name}' has nothing for category '{category}', mode '{mode}': categories are "
                f"{', '.join(CATEGORIES)}; modes {', '.join(MODES)}"
            )
        return template(question, format_toolbox(toolbox))

    @cached_property
    def hash(self) -> str:
        """A fingerprint of what a model gets to read: every prompt, rendered for a specimen."""
        digest = hashlib.sha256()
        for category, mode in sorted(self.templates):
            prompt = self.render(category, mode, "What is $1+1$?", [SPECIMEN])
            digest.update(f"{category}\0{mode}\0{prompt}\0".encode())
        return digest.hexdigest()[:16]


def load_pack(name: str = "own") -> PromptPack:
    """The pack of that name, `own` or `official`, for the MATH categories."""
    if name not in PACKS:
        raise TroveLiteError(f"no prompt pack named '{name}': choose from {', '.join(PACKS)}")
    return PACKS[name]()


def _own() -> PromptPack:
    text = tomllib.loads((FOLDER / "instructions" / "own.toml").read_text(encoding="utf-8"))
    instructions = {mode: words.format_map(text).strip() for mode, words in text["modes"].items()}
    templates = {}
    for category in CATEGORIES:
        examples = _own_examples(category)
        for mode in MODES:
            templates[category, mode] = _own_template(mode, instructions[mode], examples)
    return PromptPack("own", templates)


def _own_examples(category: str) -> list[dict]:
    return tomllib.loads((FOLDER / "examples" / "math" / f"{category}.toml").read_text(encoding="utf-8"))["example"]


def _own_template(mode: str, instruction: str, examples: list[dict]) -> Template:
    """Instruction and worked examples stand first, so that an engine can keep them for every question."""
    toolbox = format_toolbox(_shown_tool(example["tool"]) for example in examples)
    head = "\n\n\n".join(
        [instruction, *(_asked(mode, e["question"], toolbox) + _answered(mode, e) for e in examples), ""]
    )
    return lambda question, toolbox: head + _asked(mode, question, toolbox)


def _asked(mode: str, question: str, toolbox: str) -> str:
    shown = f"**Toolbox**\n{toolbox}\n\n" if mode == "import" else ""
    return f"**Question**\n{question}\n\n{shown}**Solution**\n"


def _answered(mode: str, example: dict) -> str:
    """The worked solution and its tools: imports, a function, or a function imported from the toolbox."""
    if mode in ("primitive", "skip"):
        program, tools = example["plain"], example["imports"]
    elif mode == "import":
        name = _shown_tool(example["tool"]).name
        program, tools = example["solution"], f"{example.get('also', '')}from toolbox import {name}"
    else:
        program = example["solution"]
        tools = "\n".join(filter(None, [example.get("also", ""), example["tool"]]))
    return f"```python\n{program.strip()}\n```\n\n**Tools**\n```python\n{tools.strip()}\n```"


def _shown_tool(source: str) -> Tool:
    """An example's function as the toolbox holds it."""
    (tool,) = parse_tools(f"```python\n{source.strip()}\n```")
    return tool


def _practice() -> PromptPack:
    """The short prompts that the practice model was trained on."""
    from ..datasets.practice.problems import practice_templates

    return PromptPack("practice", practice_templates())


def _official() -> PromptPack:
    """The official templates, from the data folder, rendered with Mako as the official program does.

    Mako drops lines that start with `##`, so the templates' "## Example" headings never reach the model.
    """
    from mako.template import Template as MakoTemplate

    folder = data_folder() / OFFICIAL
    files = {(c, m): folder / c / OFFICIAL_FILES[m] for c in CATEGORIES for m in MODES}
    try:
        texts = {key: path.read_bytes() for key, path in files.items()}
    except OSError as error:
        raise TroveLiteError(
            f"{error.filename}: missing; run `trove-lite fetch prompts`, or set TROVE_LITE_DATA"
        ) from error
    found = hashlib.sha256(b"\0".join(texts[key] for key in sorted(texts))).hexdigest()
    if found != OFFICIAL_SHA256:
        raise TroveLiteError(f"{folder}: not the official prompts; delete it and run `trove-lite fetch prompts`")

    def template(text: bytes) -> Template:
        compiled = MakoTemplate(text.decode("utf-8"))
        return lambda question, toolbox: compiled.render(question=question, toolbox=toolbox)

    return PromptPack("official", {key: template(text) for key, text in texts.items()})


PACKS = {"own": _own, "official": _official, "practice": _practice}
