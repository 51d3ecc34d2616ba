"""Wrong inputs, to commands and to public functions: each is one clear line, and none leaves anything behind."""

import shutil
from functools import partial

import pandas as pd
import pytest

import trove_lite as tl
from trove_lite import selection
from trove_lite.analysis.choose import expected_score
from trove_lite.candidates import outcomes, save_table
from trove_lite.cli import main
from trove_lite.models.base import SamplingSettings
from trove_lite.running.live import live_run
from trove_lite.running.settings import RunSettings
from trove_lite_papers import check, published_table, reeval, save

from .scripted import InlineSandbox, Pack, ScriptedModel
from .simulated import candidates, log, problem
from .test_report import notebook

FRAME = candidates(problems=3)


@pytest.fixture(scope="module")
def things(tmp_path_factory):
    """A folder of things that are not what a command wants."""
    folder = tmp_path_factory.mktemp("things")
    (folder / "empty").mkdir()
    (folder / "notes.txt").write_text("hello\n")
    (folder / "binary.md").write_bytes(b"\xff\xfe\x00")
    save_table(outcomes(FRAME), folder / "outcomes.parquet")
    pd.DataFrame({"a": [1]}).to_parquet(folder / "other.parquet")
    (folder / "torn").mkdir()
    (folder / "torn" / "run.json").write_text("{")
    (folder / "log.md").write_text(log([problem(0, answer=3.0)]))
    (folder / "latin.yaml").write_bytes(b"\xff")
    (folder / "long.jsonl").write_text('{"question": "What is it?", "answer": 1' + "0" * 400 + "}\n")
    (folder / "own.jsonl").write_text('{"question": "What is 1 + 1?"}\n')
    (folder / "mine.jsonl").write_text('{"question": "What is 1 + 1?", "answer": 2}\n')
    (folder / "deep.yaml").write_text("k: " + "[" * 2000)
    (folder / "notebooks").mkdir()
    notebook(folder / "notebooks" / "01_x.ipynb", parameters="k: int = 3\nruns: list = ['']")
    (folder / "notebooks" / "broken.ipynb").write_text("{")
    return folder


@pytest.fixture
def place(things, tmp_path, monkeypatch):
    """A working directory with those things."""
    shutil.copytree(things, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("trove_lite.recorded.official_logs.known_problems", lambda: [problem(0, answer=3.0)])
    return tmp_path


RUN = "run --out runs/x --quiet "
COMMANDS = {
    RUN + "--methods math:pi": "method 'math:pi': is a float, not a Method",
    RUN + "--dataset math:pi": "data set 'math:pi': is a float, not a Dataset",
    RUN + "--config latin.yaml": "latin.yaml: cannot be read as YAML",
    RUN + "--dataset long.jsonl": "line 1: field 'answer' is missing, or no number or text",
    RUN + "--methods trove --trove.toolbox outcomes.parquet": "not a live run of TROVE",
    RUN + "--methods latm --dataset bbh_made --tool notes.txt": "--tool: there is none for",
    # what was typed: what the line must say
    "cook": "no command 'cook': choose from run, ",
    "run": "no --out: name the run folder",
    RUN + "--k 16": "choose a multiple of 3",
    RUN + "--k 15 --completion_tokens 900": "give one of them",
    RUN + "--seeds 9223372036854775808": "seed 9223372036854775808: must be at most 2^63 - 1",
    RUN + "--stop=": "stop '': every completion would end before it begins",
    RUN + "--grader papers": "practice has a rule of its own",
    RUN + "--dataset mine.jsonl --grader loose": "grader 'loose': choose from strict, papers",
    RUN + "--seeds -1": "seed -1: must be at least 0",
    RUN + "--seeds 0 0": "give each once",
    RUN + "--categories cooking": "category 'cooking': choose from algebra, ",
    RUN + "--methods nothing:here": "cannot be imported",
    RUN + "--dataset atlas": "no data set 'atlas': choose from math, ",
    RUN + "--dataset none.jsonl": "none.jsonl: cannot be read",
    RUN + "--dataset own.jsonl": "own.jsonl, line 1: ",
    RUN + "--model codellama": "no such model: write ",
    RUN + "--model http://me:sk-1@host/v1": "holds no key",
    RUN + "--preset mine": "official",
    RUN + "--selection best": "one_stage",
    RUN + "--top_p 2": "<= 1",
    RUN + "--k 0 --methods primitive": "at least one call",
    RUN + "--time_limit nan": "more than 0",
    RUN + "--prompts clever": "prompt pack 'clever': choose from one-factor, own, ",
    RUN + "--parser loose": "parser 'loose': choose from official, strict",
    RUN + "--memory 1": "memory 1 MiB: does not hold an interpreter",
    RUN + "--temperature -1": "temperature -1.0",
    RUN + "--limit 0": "limit 0: must be more than 0",
    RUN + "--k 999999999999": "k 999999999999: must be at most 1048576",
    RUN + "--temperature inf": "temperature inf",
    RUN + "--time_limit inf": "time limit inf: must be more than 0, and a number",
    RUN + "--fail_on_missing nan": "--fail_on_missing nan: give a share, from 0 to 1",
    RUN + "--config deep.yaml": "deep.yaml: cannot be read as YAML",
    RUN + "--in_flight 0": "--in_flight 0: give 1 or more",
    RUN + "--trove.interval 0": "interval 0: must be at least 1",
    RUN + "--trove.modes cook": "modes 'cook': choose from import, create, skip",
    RUN + "--creator.retries 1": "choices for creator, which is none of the run's methods",
    RUN + "--methods latm": "no practice prompt for stage",
    "run --quiet --out notes.txt": "notes.txt: is a file, and a run is a folder",
    "run --quiet --out notes.txt/x": "Not a directory",
    "run --quiet --out torn": "run.json: not JSON",
    "report none --out x": "none: ",
    "report empty --out x": "empty",
    "report other.parquet --out x": "other.parquet: ",
    "report outcomes.parquet --out ../x": "give a plain name",
    "report outcomes.parquet --out x -p sede 1": "no notebook has a parameter 'sede'",
    "report outcomes.parquet --out x -p k many": "parameter 'k' takes a int",
    "report outcomes.parquet --out x -p k __import__('os')": "parameter 'k' takes a int",
    "report outcomes.parquet --out x --notebooks empty": "holds no numbered notebooks",
    "report outcomes.parquet --out x -p runs y": "give them once",
    "batch none.ipynb --out x": "none.ipynb: not a notebook",
    "batch notebooks/broken.ipynb --out x": "broken.ipynb: not a notebook",
    "batch mine.jsonl --out x": "mine.jsonl: not a notebook",
    "batch notebooks/01_x.ipynb --out x --grid k=2..1": "write NAME=0..4",
    "batch notebooks/01_x.ipynb --out x --grid k=1..99999999999": "more than 10,000 values",
    "batch notebooks/01_x.ipynb --out x --grid k=1,,2": "write NAME=0..4",
    "batch notebooks/01_x.ipynb --out x --grid k=1,1": "gives something twice",
    "batch notebooks/01_x.ipynb --out x --grid k=0,1_0": "takes a int",
    "batch notebooks/01_x.ipynb --out x --grid k=0,12e4567": "takes a int",
    "batch notebooks/01_x.ipynb --out x --grid runs=a?b,a_b": "share a folder",
    "batch notebooks/01_x.ipynb --out x --grid k=1 -p k 2": "given by both",
    "batch notebooks/01_x.ipynb --out x --grid seed=1": "no parameter 'seed'",
    "batch notebooks/01_x.ipynb --out notes.txt": "notes.txt: ",
    "summary notes.txt": "notes.txt: ",
    "view empty": "empty",
    "view torn": "the run is not complete",
    "view outcomes.parquet --out empty": "empty: no place for a page; name a file that ends in .html",
    "view outcomes.parquet outcomes.parquet": "is there twice",
    "outcomes outcomes.parquet --out empty": "empty: is a folder; name a file",
    "outcomes outcomes.parquet --out notes.txt/x.parquet": "notes.txt",
    "import notes.txt --out x": "notes.txt, line 1: ",
    "import binary.md --out x": "binary.md: not UTF-8 text",
    "import log.md log.md --out x": "log.md: given twice",
    "import log.md --out torn": "torn: a run is there already",
    "reexecute outcomes.parquet --out x": "outcomes hold no programs",
    "fetch recipes": "no file group named 'recipes': choose from ",
}


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


MISTYPED = ({"k": "15"}, {"seeds": 3}, {"seeds": ("a",)}, {"sampling": 3}, {"sampling": SamplingSettings("x")})
FUNCTIONS = {
    "no such run": (lambda: tl.load_candidates("none"), "none"),
    "a frame for a path": (lambda: tl.load_candidates(FRAME), "path"),
    "a table of something else": (lambda: tl.load_candidates("other.parquet"), "other.parquet"),
    "no such rule": (lambda: tl.choose(FRAME, "best"), "one_stage"),
    "a table without answers": (lambda: tl.choose(pd.DataFrame({"a": [1]}), "one_stage"), "candidates"),
    "no calls a problem": (lambda: expected_score(FRAME, "one_stage", 0, seed=0), "k"),
    "no such published table": (lambda: published_table("reeval_table99"), "reeval_table1"),
    "no votes by one stage": (lambda: selection.one_stage([]), "no candidate"),
    "no votes as described, by one": (lambda: selection.one_stage_described([]), "no candidate"),
    "no votes by chance": (lambda: selection.random_choice([], 0), "no candidate"),
    "a seed that is none": (lambda: expected_score(FRAME, "one_stage", 3, seed=-1), "seed -1"),
    "a category that is none": (lambda: tl.compare(FRAME.assign(category="cooking")), "MATH has no category 'cooking'"),
    "a comparison of nothing": (lambda: tl.compare({}), "nothing to compare"),
    "a comparison of two models in a side": (
        lambda: tl.compare({"a": pd.concat([FRAME, FRAME.assign(model="b")])}),
        "2 different",
    ),
    "candidates for a comparison": (lambda: tl.accuracy(FRAME), "see compare"),
    "candidates for the sides of a table": (lambda: reeval.table1(FRAME), "see compare"),
    "more calls than there are": (lambda: tl.accuracy(tl.compare(FRAME), k=1000), "k = 1000"),
    "no such side": (lambda: tl.matched_budgets(tl.compare(FRAME), pairs=[("a", "b")]), "no side 'a'"),
    "toolboxes of no such run": (lambda: tl.final_toolboxes(["none"]), "none: missing"),
    "toolboxes of a text": (lambda: tl.final_toolboxes("runs/x"), "give a list of runs"),
    "a table saved into a file": (lambda: save(pd.DataFrame({"a": [1]}), "notes.txt", "a"), "notes.txt"),
    "nothing held against print": (lambda: check(None), "a NoneType holds no values beside print"),
    "a run of nothing": (lambda: live_run(None, "runs/x"), "a NoneType is no run's settings"),
    **{f"settings of a wrong type: {one}": (partial(RunSettings, **one), "of a wrong type") for one in MISTYPED},
    "no such choice": (lambda: RunSettings(choices={"trove": {"speed": 3}}), "interval"),
    "no such category": (lambda: tl.load_problems("math", "numbers"), "number, prealgebra"),
    "a choice of a wrong type": (lambda: RunSettings(choices={"trove": {"interval": "a"}}), "of a wrong type"),
    "a run into a file": (
        lambda: live_run(RunSettings(), "notes.txt", model=ScriptedModel(), sandbox=InlineSandbox(), pack=Pack()),
        "notes.txt",
    ),
}


@pytest.mark.parametrize("case", FUNCTIONS)
def test_a_wrong_argument_is_a_trove_lite_error_of_one_line(place, case):
    call, words = FUNCTIONS[case]
    with pytest.raises(tl.TroveLiteError) as caught:
        call()
    said = str(caught.value)
    assert "\n" not in said
    assert words in said
