"""What a model is asked: packs of prompts, rendered for a question, a mode and a toolbox.

A pack knows neither models nor how the toolbox was ranked: it shows what it is given. A plug-in may bring a pack, words
for the pack `own` (`own.WORDS`) and prompts for the pack `official` (`official.PARTS`): these add, and replace nothing.
"""

from collections.abc import Callable

from ..datasets.base import Dataset
from ..plugins import Plugins
from .base import PromptPack

PACKS: Plugins[Callable] = Plugins(
    "prompts",
    "prompt pack",
    Callable,
    {name: f"trove_lite.prompts.{name}:pack" for name in ("own", "official", "practice")},
)


def load_pack(name: str, dataset: Dataset) -> PromptPack:
    """The pack of that name for a data set. Raises TroveLiteError for an unknown name, or where it has none."""
    return PACKS.load(name)(dataset)
