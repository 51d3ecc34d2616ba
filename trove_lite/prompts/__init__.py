"""What a model is asked: packs of prompts, rendered for a question, a mode and a toolbox.

A pack knows neither models nor how the toolbox was ranked: it shows what it is given.
"""

from importlib import import_module

from ..datasets.base import Dataset
from ..methods.base import one_of
from .base import PromptPack

#: Each a module of this folder with a function `pack`, imported when it is asked for.
PACKS = ("own", "official", "practice", "chain_of_thought")


def load_pack(name: str, dataset: Dataset) -> PromptPack:
    """The pack of that name for a data set. Raises TroveLiteError for an unknown name, or where it has none."""
    one_of("prompt pack", name, PACKS)
    return import_module(f".{name}", __package__).pack(dataset)
