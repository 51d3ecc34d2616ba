"""A made world to look at: scenes of coloured shapes, and questions of GQA's kinds whose answers follow from them.

`python -m practice.freeze` writes the two files of the data set `scenes`: the scenes, one a line, and the questions.
"""

import json
import random
from collections.abc import Iterator

SCENES, SEED = 24, 0
WIDTH, HEIGHT, CELL = 240, 180, 60  # pixels; an object a cell at most, so that none touches another
COLORS = ("red", "green", "blue", "yellow", "purple", "orange")
SHAPES = ("square", "circle", "triangle")
SIZES = ("small", "large")


def scene(draw: random.Random) -> list[dict]:
    """Four to eight objects: color, shape, size, and where their middle is."""
    cells = [(x, y) for x in range(WIDTH // CELL) for y in range(HEIGHT // CELL)]
    objects = []
    for x, y in draw.sample(cells, draw.randint(4, 8)):
        kind = {
            "color": draw.choice(COLORS),
            "shape": draw.choice(SHAPES),
            "size": draw.choice(SIZES),
        }
        place = [cell * CELL + CELL // 2 + draw.randint(-4, 4) for cell in (x, y)]
        objects.append(kind | dict(zip("xy", place, strict=True)))
    return objects


def having(objects: list[dict], **wanted: str) -> list[dict]:
    """The objects that are so."""
    return [one for one in objects if all(one[name] == value for name, value in wanted.items())]


def questions(objects: list[dict], draw: random.Random) -> Iterator[tuple[str, str, str]]:
    """(kind, question, answer) of each kind that the scene allows."""
    color, shape = draw.choice(COLORS), draw.choice(SHAPES)
    if draw.random() < 0.5:  # half of what is asked for is there
        one = draw.choice(objects)
        color, shape = one["color"], one["shape"]
    yield (
        "exist",
        f"Is there {article(color)} {color} {shape}?",
        yes(having(objects, color=color, shape=shape)),
    )
    name, value = draw.choice(
        [("color", draw.choice(objects)["color"]), ("shape", draw.choice(objects)["shape"])]
    )
    many = f"{value} objects" if name == "color" else f"{value}s"
    yield "count", f"How many {many} are there?", str(len(having(objects, **{name: value})))
    alone = [
        one for one in objects if len(having(objects, size=one["size"], shape=one["shape"])) == 1
    ]
    if alone:
        one = draw.choice(alone)
        yield "color", f"What color is the {one['size']} {one['shape']}?", one["color"]
    alone = [
        one for one in objects if len(having(objects, color=one["color"], shape=one["shape"])) == 1
    ]
    axis, words = draw.choice(
        [("x", ("to the left of", "to the right of")), ("y", ("above", "below"))]
    )
    pairs = [(a, b) for a in alone for b in alone if abs(a[axis] - b[axis]) > CELL // 2]
    if pairs:
        (a, b), side = draw.choice(pairs), draw.randrange(2)
        a_name, b_name = (f"{one['color']} {one['shape']}" for one in (a, b))
        is_so = (a[axis] < b[axis]) == (side == 0)
        yield "relation", f"Is the {a_name} {words[side]} the {b_name}?", yes(is_so)
    color, shape = draw.choice(objects)["color"], draw.choice(objects)["shape"]
    more = len(having(objects, color=color)) > len(having(objects, shape=shape))
    yield "compare", f"Are there more {color} objects than {shape}s?", yes(more)


def article(word: str) -> str:
    """The article before a word."""
    return "an" if word[0] in "aeiou" else "a"


def yes(so: object) -> str:
    """The answer to whether it is so."""
    return "yes" if so else "no"


def files(seed: int = SEED, scenes: int = SCENES) -> dict[str, str]:
    """The text of both files by name."""
    draw = random.Random(seed)
    seen, asked = [], []
    for number in range(scenes):
        objects = scene(draw)
        seen.append(json.dumps({"objects": objects}))
        for kind, question, answer in questions(objects, draw):
            entry = {"scene": number, "kind": kind, "question": question, "answer": answer}
            asked.append(json.dumps(entry))
    return {
        "scenes.jsonl": "\n".join(seen) + "\n",
        "scene_questions.jsonl": "\n".join(asked) + "\n",
    }
