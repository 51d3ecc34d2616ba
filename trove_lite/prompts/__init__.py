"""What a model is asked: packs of prompts, rendered for a question, a mode and a toolbox.

A pack knows neither models nor how the toolbox was ranked: it shows what it is given. A plug-in may
bring a pack, words for the pack `own` (`own.WORDS`) and prompts for the pack `official`
(`official.PARTS`): these add, and replace nothing.
"""

from collections.abc import Callable

from ..datasets.base import Dataset
from ..errors import TroveLiteError
from ..plugins import Plugins
from .base import PromptPack

PACKS: Plugins[Callable] = Plugins(
    "prompts",
    "prompt pack",
    Callable,
    {
        n: f"trove_lite.prompts.{n.replace('-', '_')}:pack"
        for n in ("one-factor", "own", "official", "practice")
    },
)


def load_pack(name: str, dataset: Dataset) -> PromptPack:
    """The pack of that name, or NAME?OPTIONS, for a data set. Raises TroveLiteError for an unknown
    name or option, or where it has none."""
    name, mark, options = name.partition("?")
    make = PACKS.load(name)
    if mark and name != "one-factor":
        raise TroveLiteError(f"prompts {name}: takes no options, such as ?{options}")
    return make(dataset, *([options] if mark else []))
