"""What programs about images import: the primitives of TroVE's toolbox, by its names. `eyes` says what is seen."""
# The docstrings below are shown to models: a line break more is another prompt.

from eyes import look
from PIL import Image


def locate_objects(image: str | Image.Image, object_name: str) -> list:
    """The boxes [x1, y1, x2, y2], in pixels, of all objects of that name in the image; the surest one first."""
    return look("loc", _opened(image), object_name)


def visual_qa(image: str | Image.Image, question: str) -> str:
    """The answer of a vision model to a simple question about the image: a word or two."""
    return look("vqa", _opened(image), question)


def crop_region(image: Image.Image, boxes: list) -> Image.Image:
    """What is in and around the first of the boxes, half as wide and high again; without boxes, the whole image."""
    if not len(boxes):
        return image
    x1, y1, x2, y2 = boxes[0]
    across = int(1.5 * (x2 - x1) / 2)
    down = int(1.5 * (y2 - y1) / 2)
    x = int((x1 + x2) / 2)
    y = int((y1 + y2) / 2)
    return image.crop(
        (
            max(0, x - across),
            max(0, y - down),
            min(x + across, image.width),
            min(y + down, image.height),
        )
    )


def _opened(image: str | Image.Image) -> Image.Image:
    """The image in RGB. Raises ValueError for one without pixels."""
    image = (image if isinstance(image, Image.Image) else Image.open(image)).convert("RGB")
    if not image.width or not image.height:
        raise ValueError(f"an image of {image.width} × {image.height} pixels shows nothing")
    return image
