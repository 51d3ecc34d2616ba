"""How a program asks the run's `--vision`: by a line to whoever runs it, in pixels and words
(`broker.py`)."""

import json
import os
import struct

LINE = 7
HEAD = struct.Struct("<3sHHI")
LENGTH = struct.Struct("<I")
MOST_PIXELS, MOST_TEXT = 1 << 22, 1000  # what is looked at; bytes


def look(kind: str, image, text: str):
    """What is seen in an RGB image: boxes for `loc`, words for `vqa`. Raises ValueError for what
    nobody looks at."""
    words = text.encode()
    if image.width * image.height > MOST_PIXELS or max(image.size) > 65535:
        raise ValueError(
            f"an image of {image.width} × {image.height} pixels is too large to look at"
        )
    if len(words) > MOST_TEXT:
        raise ValueError(f"{len(words)} bytes are too much to ask about an image")
    try:
        data = memoryview(
            HEAD.pack(kind.encode(), *image.size, len(words)) + words + image.tobytes()
        )
        while data:
            data = data[os.write(LINE, data) :]
        return json.loads(_take(LENGTH.unpack(_take(LENGTH.size))[0]))
    except OSError:
        raise OSError("no program looks at images now") from None


def _take(size: int) -> bytes:
    data = b""
    while len(data) < size:
        part = os.read(LINE, size - len(data))
        if not part:
            raise OSError
        data += part
    return data
