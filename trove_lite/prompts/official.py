"""The authors' own words, from the data folder: TroVE's here, those of other papers where plug-ins
bring them.

TroVE's templates are rendered with Mako as the official program does. Mako drops lines that start
with `##`, so the templates' "## Example" headings never reach the model. A template can run code,
so only files with the pinned sha256 are used.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

from ..datasets.base import Dataset, Question
from ..datasets.files import files_of, pinned_file
from ..methods.base import as_asked
from ..plugins import Plugins
from ..programs import Tool, format_toolbox, format_tools
from ..programs.parse import parse_tools
from . import own
from .base import PromptPack, Template

#: Mode → the official file.
FILES = {mode: f"{mode}.md" for mode in ("primitive", "instance")}
FILES |= {mode: f"online_{mode}.md" for mode in ("import", "create", "skip")}
#: IMPORT where what is given to every program is no entry of the toolbox.
FILES["import_apart"] = FILES["import"]
#: Stages of TROVE that have no official prompt. They are in its hash in our words, as of runs of
#: before.
OURS = ("rank", "rewrite")
#: Data set → a PromptPack of what else was released for it. Where several have a stage, the first
#: in the alphabet does.
PARTS: Plugins[Callable] = Plugins("prompts.official", "official prompts", Callable, {})


def pack(dataset: Dataset) -> PromptPack:
    """The pack `official` for a data set: all that its authors, or a method's, have released for
    it. Raises TroveLiteError where TroVE's files for it are missing or are other ones; of the rest,
    when these are asked for."""
    parts = [trove(dataset), *(part(dataset) for _, part in sorted(PARTS.working().items()))]
    stages = {stage: gaps for part in reversed(parts) for stage, gaps in part.stages.items()}
    asked = [(category, stage) for category in dataset.categories for stage in stages]
    homes = {key: part for part in reversed(parts) for key in asked if part.has(*key)}
    voices = {name: part for part in reversed(parts) for name in part.messages}
    ours = own.pack(dataset)
    return PromptPack(
        "official",
        dataset.categories,
        stages,
        lambda category, stage: homes[category, stage].template(category, stage),
        lacks=set(asked) - set(homes),
        stops={stage: ends for part in reversed(parts) for stage, ends in part.stops.items()},
        messages=tuple(voices),
        text=lambda name: voices[name].text(name),
        hashed=replace(ours, stages={stage: ours.stages[stage] for stage in OURS}, messages=()),
    )


def trove(dataset: Dataset) -> PromptPack:
    from mako.template import Template as MakoTemplate

    start = f"prompt/{dataset.like or dataset.name}/"
    files = [path for path in files_of("prompts") if path.startswith(start)]
    paths = {path.removeprefix(start): pinned_file("prompts", path) for path in files}
    given = parse_tools(format_tools(dataset.shown(official=True)))

    @cache
    def template(category: str, stage: str) -> Template:
        path = (
            paths.get(f"{category}/{FILES[stage]}") or paths[FILES[stage]]
        )  # some have a folder a category
        text = path.read_bytes().decode("utf-8")
        compiled = MakoTemplate(text)
        has_place = re.search(r"\$\{(table|image)\}", text)

        def render(question: Question, tools: Sequence[Tool]) -> str:
            places = dict.fromkeys(("table", "image"), question.context)
            asked = question.text if has_place else as_asked(question)
            # IMPORT's toolbox has what is given, or lost it
            toolbox = tools if stage == "import" else (*tools, *given)
            return compiled.render(question=asked, **places, toolbox=format_toolbox(toolbox))

        return render

    return PromptPack(
        "official", dataset.categories, dict.fromkeys(FILES, ()) if files else {}, template
    )
