"""1,000 questions about images of GQA's testdev set (Hudson and Manning 2019), with the images that
TroVE released.

The questions are those that CRAFT drew and published (`vqa/datasets/eval/gqa`), with gold answers:
of the 12,578 that TroVE's Table 2 counts, the file is in no repository. Programs look at images by
the run's `--vision` (docs/images.md).
"""

from dataclasses import replace
from functools import partial

from trove_lite.datasets.base import Dataset, Problem, numbered
from trove_lite.datasets.files import pinned_file
from trove_lite.judge.answers import read_compared, read_text

from .broker import Vision
from .primitives import GIVEN, laid, listed, printed_exactly, printed_in_any_case

NAME = "gqa"
QUESTIONS = "vqa/datasets/eval/gqa/data-00000-of-00001.arrow"
IMAGES = "data/gqa/testdev_images/"
KINDS = ("yes or no", "other")


def records() -> list[dict]:
    """What the file says of each question: `image_id`, `question`, `answers`, of which there is
    one."""
    import pyarrow.ipc

    with pyarrow.ipc.open_stream(pinned_file(NAME, QUESTIONS)) as stream:
        return stream.read_all().to_pylist()


def load(category: str) -> tuple[Problem, ...]:
    """The 1,000 problems; the image's path is the context. Raises TroveLiteError for a missing or
    altered file."""
    from PIL import Image  # slow to import

    rows = []
    images = {}
    for entry in records():
        path, (gold,) = f"{IMAGES}{entry['image_id']}.jpg", entry["answers"]
        if path not in images:
            images[path] = pinned_file(NAME, path)
        kind = KINDS[gold not in ("yes", "no")]
        picture = partial(Image.open, images[path])
        rows.append(
            (entry["question"], gold, kind, path, {path: images[path], **laid("pipe")}, picture)
        )
    return numbered(NAME, category, rows)


def counted(votes: str) -> Dataset:
    """`gqa?votes=released`: votes are for what was printed, as TroVE's program counts them."""
    if votes != "released":
        raise ValueError(votes)
    return replace(GQA, name=f"{NAME}?votes=released", like=NAME, read=read_compared)


HOW = {
    "options": counted,
    "given": GIVEN,
    "listed": listed,
    "looks": Vision,
    "other_rules": {"exact match": printed_exactly},
}
GQA = Dataset(
    NAME, "GQA", (NAME,), load, read_text, printed_in_any_case, KINDS, by="type of answer", **HOW
)
