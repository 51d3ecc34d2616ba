"""What is read back of any text, and from a folder that somebody edited: the same tables, or one
line with the file."""

import json
import random
import re
import shutil
import tempfile
from functools import reduce
from operator import getitem
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from trove_lite import load_candidates
from trove_lite.candidates import as_arrow, as_frame, save_table
from trove_lite.datasets.math import MATH
from trove_lite.errors import DamagedFile, UsageError
from trove_lite.methods.base import Attempt
from trove_lite.models.base import Completion
from trove_lite.running.finish import candidate_rows
from trove_lite.running.record import Key, Record
from trove_lite.sandbox.worker import Execution
from trove_lite.shapes import DEEPEST

from ..scripted import ScriptedModel, problems, run, table, without_checksums

SMALL = {"seeds": (0,), "limit": 4}
JUNK = (
    "x",
    5,
    -1,
    10**30,
    2.5,
    float("nan"),
    True,
    None,
    [],
    [1],
    {},
    {"a": 1},
    "\x1b[31m",
    "9" * 5000,
)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A complete run, and its table."""
    folder = run(tmp_path_factory.mktemp("finished") / "a", **SMALL)
    return folder, table(folder)


def kind(value):
    return (
        "number"
        if type(value) in (int, float)
        else "name"
        if isinstance(value, str)
        else type(value)
    )


def places(value, at=()):
    """Where something stands in JSON, as the names on the way to it."""
    parts = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for name, part in parts:
        yield (*at, name)
        yield from places(part, (*at, name))


def edit_value(text, rng):
    """One value replaced by one of another kind, or dropped."""
    found = json.loads(text)
    *way, last = rng.choice(list(places(found)))
    inner = reduce(getitem, way, found)
    if rng.random() < 0.3:
        del inner[last]
    else:
        inner[last] = rng.choice(
            [junk for junk in JUNK if kind(junk) != kind(inner[last]) and junk is not None]
        )
    return json.dumps(found)


#: Of a whole file's bytes: parts of it, other ones, other shapes and encodings.
WHOLE = {
    "cut": lambda data, rng: data[: rng.randrange(len(data))],
    "empty": lambda data, rng: b"",
    "garbage": lambda data, rng: rng.randbytes(200),
    "flipped": lambda data, rng: bytes(
        byte ^ (rng.random() < 0.01) << rng.randrange(8) for byte in data
    ),
    "deep": lambda data, rng: b"[" * 100_000,
    "too deep": lambda data, rng: b'{"a":' * (DEEPEST + 1) + b"1" + b"}" * (DEEPEST + 1),
    "a text": lambda data, rng: b"hello\n",
    "a list": lambda data, rng: b"[" + data + b"]",
    "utf-16": lambda data, rng: data.decode("utf-8", "replace").encode("utf-16"),
}


def harm(path, rng):
    """One value, or the file, is not what it was; rarely there is a folder of its name."""
    if path.suffix in (".json", ".jsonl") and rng.random() < 0.6:
        first, _, rest = (
            path.read_text().partition("\n")
            if path.suffix == ".jsonl"
            else (path.read_text(), "", "")
        )
        path.write_text(edit_value(first, rng) + "\n" + rest)
    elif rng.random() < 0.1:
        path.unlink()
        path.mkdir()
    else:
        path.write_bytes(WHOLE[rng.choice([*WHOLE])](path.read_bytes(), rng))


def resumed(folder, expected):
    """The line with which a stopped run's next start ends; "" where it completes, to the same
    table."""
    for name in ("candidates.parquet", "calls.parquet"):
        (folder / name).unlink()
    try:
        assert table(run(folder, **SMALL, model=ScriptedModel())).equals(expected)
    except (DamagedFile, UsageError) as error:
        assert not (folder / "candidates.parquet").exists()
        return str(error)
    return ""


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("name", ["run.json", "journal/trove-counting-0.jsonl"])
def test_an_edited_run_goes_on_to_the_same_table_or_says_which_file_is_wrong(
    finished, name, seed, tmp_path
):
    folder = shutil.copytree(finished[0], tmp_path / "a")
    expected = finished[1]
    harm(folder / name, random.Random(seed))
    line = resumed(folder, expected)
    assert not line or (line.isprintable() and str(folder / name) in line), line


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda lines: lines.append(lines[3]),
            r"line 25: the same primitive sample of problem \d as in line 4",
        ),
        (
            lambda lines: lines[2].update(sample=99),
            "line 3: primitive sample 99 of problem .*, for which nobody asks",
        ),
        (lambda lines: lines[2].update(evil=1), "line 3: Object contains unknown field `evil`"),
        (lambda lines: lines[2].pop("text"), "line 3: Object missing required field `text`"),
        (
            lambda lines: lines[2].update(status="fine"),
            'line 3: `status` is "fine": Invalid enum value',
        ),
        (lambda lines: lines[2].update(status=None), "was edited"),
        (lambda lines: lines[2].update(prompt_tokens=10**30), "line 3: `prompt_tokens` is 1000"),
    ],
)
def test_a_line_that_is_none_of_the_run_is_named_before_a_table_is_made(
    finished, change, words, tmp_path
):
    folder = shutil.copytree(finished[0], tmp_path / "a")
    without_checksums(folder / "journal" / "primitive-counting-0.jsonl", change)
    assert re.search(f"primitive-counting-0.jsonl.*{words}", resumed(folder, finished[1]))


@pytest.mark.parametrize("name", ["run.json", "journal/primitive-counting-0.jsonl"])
def test_a_journal_or_description_that_is_a_device_is_named(finished, name, tmp_path):
    folder = shutil.copytree(finished[0], tmp_path / "a")
    (folder / name).unlink()
    (folder / name).symlink_to("/dev/zero")
    assert str(folder / name) in resumed(folder, finished[1])


PROBLEM = problems("math", "counting")[0]
KEY = Key("stream", 0, "primitive", 0, 0)
SAME = {"model": "m", "provenance": "live", "run": "r", "method": "primitive", "seed": 0}
RAISES = "```python\nraise ValueError('\ud800')\n```"
DEFINES = '**Tools**\n```python\ndef f(x):\n    """\\ud800"""\n```'
#: Any characters at all, lone surrogates and controls among them, and pieces that parsers look for.
odd = st.sampled_from("\ud800\udfff\0\x1b\x9b\r\n\u202ea1.")
anything = st.text(st.characters(codec=None), max_size=60) | st.text(odd, max_size=40)
looked_for = [
    "```python\n",
    "```",
    "**Tools**\n",
    "**Solution**\n",
    "import a\n",
    "    return f'\\ud800{x}'\n",
]
looked_for += ["def f(x):\n", '    """\\ud800"""\n']
pieces = st.lists(st.sampled_from(looked_for) | anything, max_size=8).map("".join)
executions = st.builds(
    Execution,
    st.sampled_from(["ok", "error"]),
    anything,
    st.booleans(),
    anything,
    st.just(0.1),
    st.just(0.1),
)


@settings(deadline=None, max_examples=50)
@given(pieces, executions, st.sampled_from(["official", "strict"]))
@example(RAISES, Execution("error", "\ud800", False, "ValueError: \ud800", 0.1, 0.1), "strict")
@example(DEFINES, Execution("ok", "9" * 5000, False, "", 0.1, 0.1), "strict")
def test_every_row_can_be_saved_and_is_read_back(text, execution, parser):
    request = Attempt(PROBLEM.question, "primitive", range(1))
    record = Record.of(KEY, request, "hash", Completion(text, 1, 1, "stop", 0.1)).executed(
        execution
    )
    rows = candidate_rows([record], {0: PROBLEM}, MATH, ("primitive",), parser)
    frame = as_frame(as_arrow([SAME | row for row in rows]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "candidates.parquet"
        save_table(frame, path)
        (row,) = load_candidates(path).itertuples()
    assert row.response == text.encode("utf-8", "replace").decode()
    assert row.output == execution.output.encode("utf-8", "replace").decode()
    for tool in record.parsed(parser).tools:
        "".join(tool).encode()  # it is shown in prompts
