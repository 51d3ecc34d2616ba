"""Wrong inputs, to commands and to public functions: each is one clear line, and none leaves
anything behind."""

import errno
import json
import shutil
import subprocess
import sys
from pathlib import Path
from pkgutil import resolve_name

import pandas as pd
import pytest

import trove_lite as tl
import trove_lite_analysis as ta
from trove_lite.candidates import outcomes, save_table
from trove_lite.cli import main
from trove_lite.models.base import SamplingSettings
from trove_lite.running.settings import RunSettings
from trove_lite_papers import reeval  # noqa: F401  without this folder these tests are left out

from .cases import cases, named
from .recorded.test_harness_logs import rows, table
from .scripted import InlineSandbox, Pack, ScriptedModel
from .simulated import candidates, log, problem
from .test_report import notebook

FRAME = candidates(problems=3)


@pytest.fixture(scope="module")
def things(tmp_path_factory):
    """A folder of things that are not what a command wants."""
    folder = tmp_path_factory.mktemp("things")
    (folder / "empty").mkdir()
    (folder / "loop").symlink_to("loop")
    (folder / "notes.txt").write_text("hello\n")
    (folder / "binary.md").write_bytes(b"\xff\xfe\x00")
    save_table(outcomes(FRAME), folder / "outcomes.parquet")
    (folder / "nameless").mkdir()
    save_table(FRAME, folder / "nameless" / "candidates.parquet")
    pd.DataFrame({"a": [1]}).to_parquet(folder / "other.parquet")
    (folder / "torn").mkdir()
    (folder / "torn" / "run.json").write_text("{")
    (folder / "log.md").write_text(log([problem(0, answer=3.0)]))
    (folder / "latin.yaml").write_bytes(b"\xff")
    (folder / "long.jsonl").write_text(
        '{"question": "What is it?", "answer": 1' + "0" * 400 + "}\n"
    )
    (folder / "own.jsonl").write_text('{"question": "What is 1 + 1?"}\n')
    (folder / "mine.jsonl").write_text('{"question": "What is 1 + 1?", "answer": 2}\n')
    (folder / "deep.yaml").write_text("k: " + "[" * 2000)
    (folder / "n.json").write_text('{"a": 1}')
    table(folder / "t.csv", rows())
    table(folder / "u.csv", rows("other", "xyz"))
    (folder / "notebooks").mkdir()
    notebook(folder / "notebooks" / "01_x.ipynb", parameters="k: int = 3\nruns: list = ['']")
    (folder / "notebooks" / "broken.ipynb").write_text("{")
    return folder


@pytest.fixture
def place(things, tmp_path, monkeypatch):
    """A working directory with those things."""
    shutil.copytree(things, tmp_path, dirs_exist_ok=True, symlinks=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        "trove_lite_analysis.recorded.official_logs.known_problems",
        lambda *_: [problem(0, answer=3.0)],
    )
    return tmp_path


LINES = Path(__file__).with_name("wrong_commands.txt").read_text(encoding="utf-8").splitlines()[1:]
COMMANDS = dict(line.replace("RUN ", "run --out runs/x --quiet ").split(" → ") for line in LINES)


@pytest.mark.parametrize("typed", COMMANDS)
def test_a_wrong_command_is_one_clear_line_and_leaves_nothing(place, capsys, typed):
    before = sorted(path.name for path in place.iterdir())
    status = main(typed.split())
    said = capsys.readouterr()
    assert status in (1, 2)
    assert said.err.startswith("error: ")
    assert said.err.count("\n") == 1
    assert COMMANDS[typed] in said.err
    assert said.out == ""
    assert sorted(path.name for path in place.iterdir()) == before


ODD = {"a NUL": "a\0b", "a byte": "a\udcff", "half a sign": "a\ud800.csv"}
WITH_PATHS = ("X", "view X", "view t.csv --out=X", "compare t.csv m=X", "import X --out x")
WITH_PATHS += ("export X --out e.csv", "report X --out x", "batch a.ipynb --out x --grid a=X")
WITH_PATHS += ("bench --model practice --out X", "run --out x --tape X", "run --config odd.yaml")


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("typed", WITH_PATHS)
def test_a_path_that_no_disk_can_hold_is_one_clear_line(place, capsys, typed, odd):
    (place / "odd.yaml").write_text(json.dumps({"out": ODD[odd]}))
    before = sorted(path.name for path in place.iterdir())
    assert main([word.replace("X", ODD[odd]) for word in typed.split()]) == 2
    said = "".join(capsys.readouterr())
    assert said.startswith("error: ")
    assert said.count("\n") == 1
    assert sorted(path.name for path in place.iterdir()) == before


TWO_MODELS = pd.concat([FRAME, FRAME.assign(model="b")])
FAKES = {"model": ScriptedModel(), "sandbox": InlineSandbox(), "pack": Pack()}
SIDES = ta.compare(FRAME)
COOKING = FRAME.assign(category="cooking")
OTHER = pd.DataFrame({"a": [1]})
LETTER = SamplingSettings("x")
SETTINGS = RunSettings()
#: What is called, with what, and what the line must say.
FUNCTIONS = named(
    """
    "no such run", "trove_lite:load_candidates", ["none"], {}, "none"
    "a frame for a path", "trove_lite:load_candidates", [FRAME], {}, "path"
    "a table of something else", "trove_lite:load_candidates", ["other.parquet"], {}, "other.parquet"
    "no such rule", "trove_lite:choose", [FRAME, "best"], {}, "one_stage"
    "a table without answers", "trove_lite:choose", [OTHER, "one_stage"], {}, "candidates"
    "no calls a problem", "trove_lite.selection.tables:expected_score", [FRAME, "one_stage", 0], {"seed": 0}, "k"
    "no such published table", "trove_lite_papers:published_table", ["reeval_table99"], {}, "reeval_table1"
    "no votes by one stage", "trove_lite.selection:one_stage", [[]], {}, "no candidate"
    "no votes as described, by one", "trove_lite.selection:one_stage_described", [[]], {}, "no candidate"
    "no votes by chance", "trove_lite.selection:random_choice", [[], 0], {}, "no candidate"
    "a seed that is none", "trove_lite.selection.tables:expected_score", [FRAME, "one_stage", 3], {"seed": -1},
        "seed -1"
    "a category that is none", "trove_lite_analysis:compare", [COOKING], {}, "MATH has no category 'cooking'"
    "a comparison of nothing", "trove_lite_analysis:compare", [{}], {}, "nothing to compare"
    "a comparison of two models in a side", "trove_lite_analysis:compare", [{"a": TWO_MODELS}], {}, "2 different"
    "candidates for a comparison", "trove_lite_analysis:accuracy", [FRAME], {}, "see compare"
    "candidates for the sides of a table", "trove_lite_papers.reeval:budget", [FRAME, None], {}, "see compare"
    "more calls than there are", "trove_lite_analysis:accuracy", [SIDES], {"k": 1000}, "k = 1000"
    "no such system", "trove_lite_analysis:matched_budgets", [SIDES], {"pairs": [("a", "b")]}, "no system 'a'"
    "toolboxes of no such run", "trove_lite_analysis:final_toolboxes", [["none"]], {}, "none: missing"
    "toolboxes of a text", "trove_lite_analysis:final_toolboxes", ["runs/x"], {}, "give a list of runs"
    "a table saved into a file", "trove_lite_papers:save", [OTHER, "notes.txt", "a"], {}, "notes.txt"
    "nothing held against print", "trove_lite_papers:check", [None], {}, "a NoneType holds no values beside print"
    "a run of nothing", "trove_lite.running.live:live_run", [None, "runs/x"], {}, "a NoneType is no run's settings"
    "settings of a wrong type: {'k': '15'}", "trove_lite.running.settings:RunSettings", [], {"k": "15"},
        "of a wrong type"
    "settings of a wrong type: {'seeds': 3}", "trove_lite.running.settings:RunSettings", [], {"seeds": 3},
        "of a wrong type"
    "settings of a wrong type: {'seeds': ('a',)}", "trove_lite.running.settings:RunSettings", [], {"seeds": ("a",)},
        "of a wrong type"
    "settings of a wrong type: {'sampling': 3}", "trove_lite.running.settings:RunSettings", [], {"sampling": 3},
        "of a wrong type"
    "settings of a wrong type: sampling", "trove_lite.running.settings:RunSettings", [], {"sampling": LETTER},
        "of a wrong type"
    "no such choice", "trove_lite.running.settings:RunSettings", [], {"choices": {"trove": {"speed": 3}}}, "interval"
    "no such category", "trove_lite:load_problems", ["math", "numbers"], {}, "number, prealgebra"
    "a choice of a wrong type", "trove_lite.running.settings:RunSettings", [],
        {"choices": {"trove": {"interval": "a"}}}, "of a wrong type"
    "a run into a file", "trove_lite.running.live:live_run", [SETTINGS, "notes.txt"], FAKES, "notes.txt"
    """,
    **globals(),
)


@pytest.mark.parametrize("case", FUNCTIONS)
def test_a_wrong_argument_is_a_trove_lite_error_of_one_line(place, case):
    name, given, more, words = FUNCTIONS[case]
    with pytest.raises(tl.TroveLiteError) as caught:
        resolve_name(name)(*given, **more)
    said = str(caught.value)
    assert "\n" not in said
    assert words in said


def full(*_, **__):
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize(
    ("write", "words", "made"),
    cases(
        """
        "pathlib.Path.write_bytes", "import t.csv --format table --out new", "new/run.json"
        "pathlib.Path.write_bytes", "outcomes outcomes.parquet --out new",   "new/outcomes.parquet"
        "pandas.DataFrame.to_csv",  "compare outcomes.parquet --out p.html", "p.html"
        "pandas.DataFrame.to_csv",  "export outcomes.parquet --out e.csv",   "e.csv"
        """
    ),
)
def test_a_full_disk_is_one_line_and_leaves_nothing_half(
    place, write, words, made, monkeypatch, capsys
):
    monkeypatch.setattr(write, full)
    assert main(words.split()) in (1, 2)
    assert capsys.readouterr().err.count("the disk is full") == 1
    assert not (place / made).exists()


def test_a_full_standard_output_is_one_line(place):
    command = [sys.executable, "-m", "trove_lite", "summary", "outcomes.parquet"]
    with open("/dev/full", "w") as disk:
        done = subprocess.run(command, stdout=disk, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "what is printed: No space left on device" in done.stderr
