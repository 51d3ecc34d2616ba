"""Models that look at images in this process: BLIP answers, OWL-ViT or OWLv2 finds. They want the
extra `[vision]`.

As TroVE's server has them (`server/gqa.py`), by today's interface of the library transformers.
"""

import queue
import threading
from concurrent.futures import Future

from PIL import Image

from trove_lite.errors import TroveLiteError

# TroVE's
ANSWERS = "Salesforce/blip-vqa-base"
FINDS = "google/owlvit-base-patch16"
# of boxes
LEAST_SCORE = 0.1
MOST_OVERLAP = 0.5
AT_ONCE = 16  # requests
SMALLEST = 8  # pixels: of fewer, libraries guess which side has the colours


class Models:
    """BLIP and OWL-ViT (or OWLv2), by the hub's names or folders; "" is those of TroVE. Raises
    TroveLiteError for none.

    What programs ask at the same time is looked at together, by one thread.
    """

    def __init__(self, names: str):
        try:
            import torch
            from transformers import (
                AutoModelForZeroShotObjectDetection,
                AutoProcessor,
                BlipForQuestionAnswering,
            )
        except ImportError as error:
            raise TroveLiteError(
                f"--vision transformers:{names}: {error}; pip install -e '.[vision]'"
            ) from None
        answers, _, finds = names.partition(",")
        self._on = {
            "device": "cuda" if torch.cuda.is_available() else "cpu",
            "dtype": torch.float32,
        }
        try:
            kinds = {b"vqa": (answers or ANSWERS, BlipForQuestionAnswering)}
            kinds |= {b"loc": (finds or FINDS, AutoModelForZeroShotObjectDetection)}
            loaded = {
                k: (AutoProcessor.from_pretrained(n), kind.from_pretrained(n))
                for k, (n, kind) in kinds.items()
            }
        except (OSError, ValueError) as error:
            raise TroveLiteError(
                f"--vision transformers:{names}: cannot be loaded ({str(error)[:200]})"
            ) from None
        self._loaded = {
            kind: (processor, model.eval().to(**self._on))
            for kind, (processor, model) in loaded.items()
        }
        self._waiting: queue.SimpleQueue = queue.SimpleQueue()
        threading.Thread(target=self._work, daemon=True).start()

    def see(
        self, kind: bytes, digest: str, size: tuple[int, int], pixels: bytes, text: str
    ) -> object:
        image = Image.frombytes("RGB", size, pixels)
        answer = Future()
        self._waiting.put((kind, image, text, answer))
        return answer.result()

    def _work(self) -> None:
        while True:
            batch = [self._waiting.get()]
            while len(batch) < AT_ONCE and not self._waiting.empty():
                batch.append(self._waiting.get())
            for kind, look in ((b"vqa", self.answer), (b"loc", self.find)):
                some = [one[1:] for one in batch if one[0] == kind]
                if not some:
                    continue
                images, texts, answers = zip(*some, strict=True)
                try:
                    seen = look(images, texts)
                except Exception as error:
                    fault = TroveLiteError(
                        f"--vision transformers: {type(error).__name__} {error}"[:300]
                    )
                    for answer in answers:
                        answer.set_exception(fault)
                else:
                    for answer, one in zip(answers, seen, strict=True):
                        answer.set_result(one)

    def answer(self, images: list[Image.Image], questions: list[str]) -> list[str]:
        processor, inputs = self._read(b"vqa", images, list(questions))
        written = self._loaded[b"vqa"][1].generate(**inputs)
        return processor.batch_decode(written, skip_special_tokens=True)

    def find(self, images: list[Image.Image], names: list[str]) -> list[list[list[float]]]:
        """The boxes of each name with a score above 0.1, the surest first, none half covered by a
        surer one."""
        import torch

        processor, inputs = self._read(b"loc", images, [[f"a photo of {name}"] for name in names])
        with torch.no_grad():
            outputs = self._loaded[b"loc"][1](**inputs)
        sizes = [image.size[::-1] for image in images]
        found = processor.post_process_grounded_object_detection(
            outputs, threshold=LEAST_SCORE, target_sizes=sizes
        )
        pairs = zip(found, images, strict=True)
        return [
            surest(one["boxes"].tolist(), one["scores"].tolist(), image.size)
            for one, image in pairs
        ]

    def _read(self, kind: bytes, images: list[Image.Image], texts: list) -> tuple:
        processor = self._loaded[kind][0]
        large = [i.resize([max(s, SMALLEST) for s in i.size]) for i in images]
        how = {
            "padding": kind == b"vqa" or "max_length",
            "truncation": True,
            "return_tensors": "pt",
        }
        return processor, processor(images=large, text=texts, **how).to(self._on["device"])


def surest(
    boxes: list[list[float]], scores: list[float], size: tuple[int, int]
) -> list[list[float]]:
    """Boxes in whole pixels of the image, best first; one that a better one covers by half, of
    both, is left out."""
    kept: list[list[float]] = []
    for _, box in sorted(zip(scores, boxes, strict=True), key=lambda one: -one[0]):
        edges = [
            float(min(max(int(edge), 0), size[place % 2] - 1)) for place, edge in enumerate(box)
        ]
        if all(overlap(edges, other) < MOST_OVERLAP for other in kept):
            kept.append(edges)
    return kept


def overlap(a: list[float], b: list[float]) -> float:
    """What two boxes share, of what both cover; a box from 3 to 3 is one pixel wide."""
    across, down = (max(min(a[i + 2], b[i + 2]) - max(a[i], b[i]) + 1, 0) for i in (0, 1))
    areas = [(box[2] - box[0] + 1) * (box[3] - box[1] + 1) for box in (a, b)]
    return across * down / (sum(areas) - across * down)
