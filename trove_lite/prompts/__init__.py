"""What a model is asked: packs of prompts, rendered for a question, a mode and a toolbox.

A pack knows neither models nor how the toolbox was ranked: it shows what it is given.
"""

from importlib import import_module

from ..datasets.base import Dataset
from ..errors import TroveLiteError
from ..methods.base import one_of
from .base import PromptPack

#: Name → module of this folder, imported when it is asked for: its function `pack` makes one for a data set.
PACKS = {name: name.replace("-", "_") for name in ("one-factor", "own", "official", "practice", "chain_of_thought")}
TAKE_OPTIONS = ("one-factor",)


def load_pack(name: str, dataset: Dataset) -> PromptPack:
    """The pack of that name, or NAME?OPTIONS, for a data set. Raises TroveLiteError for an unknown name or option, or
    where it has none."""
    name, mark, options = name.partition("?")
    one_of("prompt pack", name, tuple(PACKS))
    if mark and name not in TAKE_OPTIONS:
        raise TroveLiteError(f"prompts {name}: takes no options, such as ?{options}")
    return import_module(f".{PACKS[name]}", __package__).pack(dataset, *[options] * bool(mark))
