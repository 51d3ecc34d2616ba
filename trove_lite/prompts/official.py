"""The official program's templates, from the data folder, rendered with Mako as the official program does.

Mako drops lines that start with `##`, so the templates' "## Example" headings never reach the model. A template can run
code, so only files with the pinned sha256 are used.
"""

from collections.abc import Sequence
from functools import cache

from ..datasets.base import Dataset, Question
from ..datasets.files import pinned_file, public_files
from ..errors import TroveLiteError
from ..parse import parse_tools
from ..programs import Tool, format_toolbox
from . import own
from .base import PromptPack, Template, as_asked

#: Mode → the official file.
FILES = {
    "primitive": "primitive.md",
    "instance": "instance.md",
    "import": "online_import.md",
    "create": "online_create.md",
    "skip": "online_skip.md",
}


def pack(dataset: Dataset) -> PromptPack:
    """The pack `official` for a data set. Raises TroveLiteError where files are missing or are other ones."""
    from mako.template import Template as MakoTemplate

    start = f"prompt/{dataset.like or dataset.name}/"
    files = {f.path.removeprefix(start): f for f in public_files() if f.group == "prompts" and f.path.startswith(start)}
    if not files:
        raise TroveLiteError(f"no official prompts for data set '{dataset.name}': choose another --prompts")
    paths = {name: pinned_file("prompts", file.path) for name, file in files.items()}

    given = [tool for line in dataset.given for tool in parse_tools(f"```python\n{line}\n```")]

    @cache
    def template(category: str, stage: str) -> Template:
        path = paths.get(f"{category}/{FILES[stage]}") or paths[FILES[stage]]  # some have a folder a category
        text = path.read_bytes().decode("utf-8")
        compiled, has_place = MakoTemplate(text), "${table}" in text

        def render(question: Question, tools: Sequence[Tool]) -> str:
            asked = question.text if has_place else as_asked(question)
            toolbox = tools if stage == "import" else (*tools, *given)  # IMPORT's toolbox has what is given, or lost it
            return compiled.render(question=asked, table=question.context, toolbox=format_toolbox(toolbox))

        return render

    return PromptPack("official", dataset.categories, tuple(FILES), template, otherwise=own.pack(dataset))
