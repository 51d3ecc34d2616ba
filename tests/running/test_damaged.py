"""What is read back from a run folder that somebody edited: the same tables, or one line that names the file."""

import json
import random
import re
import shutil

import pytest

from trove_lite.errors import DamagedFile, UsageError
from trove_lite.shapes import DEEPEST

from ..scripted import ScriptedModel, run, table, without_checksums

SEEDS = range(20)
SMALL = {"seeds": (0,), "limit": 4}
JUNK = ("x", 5, -1, 10**30, 2.5, float("nan"), True, None, [], [1], {}, {"a": 1}, "\x1b[31m", "9" * 5000)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A complete run, and its table."""
    folder = run(tmp_path_factory.mktemp("finished") / "a", **SMALL)
    return folder, table(folder)


def kind(value):
    return "number" if type(value) in (int, float) else "name" if isinstance(value, str) else type(value)


def wrong_values(value, rng):
    """What no field can be that is this."""
    return rng.choice([junk for junk in JUNK if kind(junk) != kind(value) and junk is not None])


def places(value, at=()):
    """Where something stands in JSON, as the names on the way to it."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in parts:
        yield (*at, name)
        yield from places(part, (*at, name))


def edit_value(text, rng):
    """One value replaced, or dropped."""
    found = json.loads(text)
    *way, last = rng.choice(list(places(found)))
    inner = found
    for name in way:
        inner = inner[name]
    if rng.random() < 0.3:
        del inner[last]
    else:
        inner[last] = wrong_values(inner[last], rng)
    return json.dumps(found)


#: Of a whole file's text: other shapes, other encodings, parts of it.
WHOLE = [
    lambda text, rng: json.dumps(rng.choice(JUNK)),
    lambda text, rng: "",
    lambda text, rng: text[: rng.randrange(1, len(text) - 1)].rstrip(),
    lambda text, rng: '{"a":' * (depth := rng.choice([DEEPEST + 1, 100_000])) + "1" + "}" * depth,
    lambda text, rng: text.encode("utf-16"),
    lambda text, rng: text[:30].encode() + b"\xff" + text[30:].encode(),
    lambda text, rng: f"[{text}]",
]


def edit_description(folder, rng):
    path = folder / "run.json"
    edit = rng.choice([edit_value] * 3 * len(WHOLE) + WHOLE)
    text = edit(path.read_text(), rng)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


def edit_journal(folder, rng):
    """Lines edited, be it by one sign, repeated, of another journal, out of order, gone; zeros, deep nesting."""
    path, *others = rng.sample(sorted((folder / "journal").iterdir()), 2)
    lines = path.read_text().splitlines(keepends=True)
    place = rng.randrange(len(lines) - 1)  # the last line may be torn
    other = others[0].read_text().splitlines(keepends=True)[place // 4]
    new = {"again": lines[place], "another": other, "zeros": "\0" * 50 + "\n", "deep": '{"a":' * 100_000 + "\n"}
    new |= {"foreign": '{"hello": 1}\n', "no text": "hello\n"}
    way = rng.choice(["value"] * 6 + ["sign"] * 6 + ["shuffled", "gone", *new])
    if way == "value":
        lines[place] = edit_value(lines[place], rng) + "\n"
    elif way == "sign":
        sign = rng.randrange(len(lines[place]) - 1)
        lines[place] = lines[place][:sign] + rng.choice('0123456789abcdef"{}:, ') + lines[place][sign + 1 :]
    elif way == "shuffled":
        rng.shuffle(lines)
    elif way == "gone":
        del lines[place]
    else:
        lines.insert(place, new[way])
    path.write_text("".join(lines))


def resumed(folder, expected):
    """The line with which a stopped run's next start ends; "" where it completes, to the same table."""
    for name in ("candidates.parquet", "calls.parquet"):
        (folder / name).unlink()
    try:
        assert table(run(folder, **SMALL, model=ScriptedModel())).equals(expected)
    except (DamagedFile, UsageError) as error:
        assert not (folder / "candidates.parquet").exists()
        return str(error)
    return ""


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("edit", [edit_description, edit_journal])
def test_an_edited_run_goes_on_to_the_same_table_or_says_which_file_is_wrong(finished, edit, seed, tmp_path):
    folder, expected = shutil.copytree(finished[0], tmp_path / "a"), finished[1]
    edit(folder, random.Random(seed))
    line = resumed(folder, expected)
    wrong = folder / ("run.json" if edit is edit_description else "journal")
    assert not line or (line.isprintable() and str(wrong) in line), line


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda lines: lines.append(lines[3]), r"line 25: the same primitive sample of problem \d as in line 4"),
        (lambda lines: lines[2].update(sample=99), "line 3: primitive sample 99 of problem .*, for which nobody asks"),
        (lambda lines: lines[2].update(evil=1), "line 3: Object contains unknown field `evil`"),
        (lambda lines: lines[2].pop("text"), "line 3: Object missing required field `text`"),
        (lambda lines: lines[2].update(status="fine"), "line 3: `status`: Invalid enum value"),
        (lambda lines: lines[2].update(status=None), "was edited"),
        (lambda lines: lines[2].update(prompt_tokens=10**30), "line 3: `prompt_tokens`: "),
    ],
)
def test_a_line_that_is_none_of_the_run_is_named_before_a_table_is_made(finished, change, words, tmp_path):
    folder = shutil.copytree(finished[0], tmp_path / "a")
    without_checksums(folder / "journal" / "primitive-counting-0.jsonl", change)
    assert re.search(f"primitive-counting-0.jsonl.*{words}", resumed(folder, finished[1]))


@pytest.mark.parametrize("stranger", ["folder", "device"])
def test_a_journal_or_description_that_is_no_file_is_named(finished, stranger, tmp_path):
    for name in ("run.json", "journal/primitive-counting-0.jsonl"):
        folder = shutil.copytree(finished[0], tmp_path / name.replace("/", "-"))
        (folder / name).unlink()
        (folder / name).mkdir() if stranger == "folder" else (folder / name).symlink_to("/dev/zero")
        assert str(folder / name) in resumed(folder, finished[1])
