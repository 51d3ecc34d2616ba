"""Questions about made scenes: a world to look at that needs no download and no model that sees.

24 scenes of coloured shapes and 117 questions of GQA's kinds, made by rules of our own. Programs
have GQA's primitives by the same names, which see a scene in the pixels of the image
(`images/pixels.py`).
"""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from trove_lite.datasets.base import Dataset, Problem, numbered
from trove_lite.datasets.files import packaged
from trove_lite.errors import TroveLiteError
from trove_lite.judge.answers import read_text

from .primitives import (
    GIVEN,
    IMPORT,
    NAMES,
    PAPERS,
    laid,
    named,
    printed_exactly,
    printed_in_any_case,
    signatures,
)

if TYPE_CHECKING:
    from PIL.Image import Image

FOLDER = Path(__file__).parent
SCENES = "scenes"
KINDS = ("exist", "count", "color", "relation", "compare")
NOISY = FOLDER / "scenes_noisy.json"
SHOWN = """
The first line is where the picture lies; open it with PIL's Image. These three functions need no import:

```python
{}
```
"""


def load(name: str, dials: Path | None, names: str, category: str) -> tuple[Problem, ...]:
    """The problems; the image's path is the context. dials: a JSON file with the shares `miss` and
    `error`."""
    eyes = laid("pixels", names) | ({"dials.json": dials} if dials else {})
    rows = []
    for entry in packaged("scene_questions", __package__):
        path = f"data/scenes/{entry['scene']}.scene"
        files = {path: FOLDER / "scenes.jsonl", **eyes}
        rows.append(
            (entry["question"], entry["answer"], entry["kind"], path, files, partial(picture, path))
        )
    return numbered(name, category, rows)


def picture(path: str) -> "Image":
    from . import pixels  # slow to import

    with open(FOLDER / "scenes.jsonl", "rb") as file:
        return pixels.open_scene(file, path)


def world(name: str, dials: Path | None = None) -> Dataset:
    """The scenes as a data set, seen as well as the dials say: without these, every object, and
    every answer right."""
    how = {"given": GIVEN, "like": SCENES, "by": "kind of question", "model": "canned:scenes"}
    how |= {
        "other_rules": {"exact match": printed_exactly},
        "judged": "by all that was printed, in any case",
    }
    loaded = partial(load, name, dials, PAPERS)
    return Dataset(name, "scenes", (SCENES,), loaded, read_text, printed_in_any_case, KINDS, **how)


def familiar(names: str = PAPERS, doc: str = "yes") -> Dataset:
    """The scenes with the primitives under other names, listed in prompts with their docstrings or
    without (ours).

    TroVE's section 5.3, of primitives that no model has seen. names: papers, library or nonsense.
    doc: yes or no.
    """
    if names not in NAMES or doc not in ("yes", "no"):
        raise TroveLiteError(
            f"names={names}&doc={doc}: names are {', '.join(NAMES)}; doc is yes or no"
        )
    name = f"{SCENES}?names={names}&doc={doc}"
    called = named(names)
    given = IMPORT, f"from vision import {', '.join(sorted(called.values()))}"
    how = {"plain": SHOWN.format(signatures(names, doc)), "renamed": called, "given": given}
    return replace(world(name), load=partial(load, name, None, names), **how)


CLEAN = replace(world(SCENES), options=familiar)
WITH_NOISE = world("scenes_noisy", NOISY)
