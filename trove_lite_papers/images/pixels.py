"""Eyes for made scenes: they draw a scene, and see its objects again in the pixels of any image or
part of one.

`Image.open("data/scenes/7.scene")` draws the line of that number, from 0, of the file. Of an object
cut off by an edge what is left of it is seen. `dials.json`, where it lies there, says how often an
object is missed (`miss`) and an answer is another one (`error`); the same image and text always see
the same.
"""

import hashlib
import json
import os

import numpy as np
from PIL import Image, ImageDraw
from scipy import ndimage

SIZE = (240, 180)
PAPER = (235, 235, 235)
RADII = {"small": 11, "large": 21}
COLORS = {"red": (214, 39, 40), "green": (44, 160, 44), "blue": (31, 119, 180)}
COLORS |= {"yellow": (230, 220, 60), "purple": (148, 103, 189), "orange": (255, 127, 14)}
FULL = {"square": 1.0, "circle": 0.785, "triangle": 0.5}  # of the box around it
KNOWN = {"color": COLORS, "shape": FULL, "size": RADII}
ANYTHING = ("object", "thing", "shape", "it")
LEAST = 20  # pixels of an object


def draw(objects):
    image = Image.new("RGB", SIZE, PAPER)
    pen = ImageDraw.Draw(image)
    for one in objects:
        x = one["x"]
        y = one["y"]
        r = RADII[one["size"]]
        box = (x - r, y - r, x + r, y + r)
        color = COLORS[one["color"]]
        if one["shape"] == "square":
            pen.rectangle(box, fill=color)
        elif one["shape"] == "circle":
            pen.ellipse(box, fill=color)
        else:
            pen.polygon([(x, y - r), (x - r, y + r), (x + r, y + r)], fill=color)
    return image


def open_scene(file, name):
    """The scene of a file, of the line that its name says."""
    number = int(os.path.splitext(os.path.basename(name))[0])
    return draw(json.loads(file.read().splitlines()[number])["objects"])


Image.register_open("SCENE", open_scene, lambda start: start.startswith(b'{"objects"'))


def objects_in(image):
    """The objects that are seen: color, shape, size and box of each, the largest first."""
    pixels = np.asarray(image)
    found = []
    for color, value in COLORS.items():
        parts, _ = ndimage.label((pixels == value).all(axis=2))
        for number, (rows, columns) in enumerate(ndimage.find_objects(parts), start=1):
            area = int((parts[rows, columns] == number).sum())
            down = rows.stop - rows.start
            across = columns.stop - columns.start
            if area >= LEAST:
                shape = nearest(FULL, area / (down * across))
                size = nearest(RADII, max(down, across) / 2)
                box = [columns.start, rows.start, columns.stop - 1, rows.stop - 1]
                found.append(
                    {
                        "color": color,
                        "shape": shape,
                        "size": size,
                        "box": list(map(float, box)),
                        "area": area,
                    }
                )
    return sorted(found, key=lambda one: (-one["area"], one["box"]))


def nearest(named, value):
    return min(named, key=lambda name: abs(named[name] - value))


def chance(*told):
    """A number from 0 to 1 that hangs on what is told alone."""
    return int.from_bytes(hashlib.sha256(repr(told).encode()).digest()[:7], "big") / (1 << 56)


def dial(name):
    if not os.path.exists("dials.json"):
        return 0.0
    with open("dials.json") as file:
        return json.load(file)[name]


def look(kind, image, text):
    """What is seen in an RGB image: boxes for `loc`, a word for `vqa`."""
    words = [
        word.removesuffix("s")
        for word in text.lower().replace("?", " ").replace("colour", "color").split()
    ]
    wanted = {name: known.keys() & words for name, known in KNOWN.items()}
    known = any(wanted.values()) or any(word in ANYTHING for word in words)
    told = hashlib.sha256(image.tobytes()).hexdigest()
    miss = dial("miss")
    meant = [
        one
        for one in objects_in(image)
        if all(one[name] in these for name, these in wanted.items() if these)
    ]
    seen = [one for one in meant if known and chance(told, text, one["box"]) >= miss]
    if kind == "loc":
        return [one["box"] for one in seen]
    answers, right = answer(words, seen)
    return answers[(answers.index(right) + (chance(told, text) < dial("error"))) % len(answers)]


def answer(words, seen):
    """What may be answered to a question, and what is: how many, what color, shape or size, or
    whether there is one."""
    asked = next((name for name in KNOWN if words[:2] == ["what", name]), "")
    if words[:2] == ["how", "many"]:
        return [str(n) for n in range(100)], str(len(seen))
    if asked:
        known = list(KNOWN[asked])
        return known, seen[0][asked] if seen else known[0]
    return ["yes", "no"], "yes" if seen else "no"
