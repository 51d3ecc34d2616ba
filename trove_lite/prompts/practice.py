"""The short prompts that the practice model was trained on. Of a toolbox they list the signatures
alone."""

from collections.abc import Sequence

from ..datasets.base import Dataset
from ..methods.base import as_asked
from ..programs import Tool
from .base import PromptPack, Template
from .own import FOLDER, gaps, load_words, texts

LISTED_AT_MOST = 20
STAGES = load_words(FOLDER / "practice.toml")
STAGES = STAGES | {
    name: STAGES[own["practice"]]
    for name, own in texts("instructions").items()
    if "practice" in own
}


def pack(dataset: Dataset) -> PromptPack:
    def template(category: str, stage: str) -> Template:
        return lambda question, tools, **more: practice_prompt(
            stage, as_asked(question), signatures(tools), **more
        )

    return PromptPack(
        "practice",
        dataset.categories,
        {name: gaps(stage) for name, stage in STAGES.items()},
        template,
    )


def practice_prompt(mode: str, question: str, toolbox: Sequence[str] = (), **more: str) -> str:
    """The prompt in `mode`; `toolbox` holds signatures such as `gcd(a, b)`, `more` what else the
    mode is given. It lists the first LISTED_AT_MOST of them: the model has never seen more at
    once."""
    stage = STAGES[mode]
    listed = "".join(f"- {signature}\n" for signature in toolbox[:LISTED_AT_MOST])
    section = (
        f"**Toolbox**\n{listed}\n"
        if stage.get("toolbox")
        else stage.get("given", "").format_map(more)
    )
    return f"{stage['text']}\n\n**Question**\n{question}\n\n{section}**Solution**\n"


def signatures(tools: Sequence[Tool]) -> list[str]:
    """Of functions their signatures, where these are a line each; imports have none."""
    found = (tool.signature for tool in tools)
    return [s for s in found if s.partition("(")[0].isidentifier() and ")" in s and "\n" not in s]
