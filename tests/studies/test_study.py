"""A study's file, its parts run in order, and what is published of it."""

import json
import shutil
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pandas as pd
import pytest

from studies import plan
from studies.publish import publish
from studies.run import run, spec_of, words_of
from trove_lite import TroveLiteError, load_calls, load_candidates
from trove_lite.candidates import save_run
from trove_lite.journal import finished_journal
from trove_lite.methods import METHODS

from ..conftest import ROOT
from ..simulated import candidates

PLAN = "[plan]\n"
FILE = """
name = "small"
remarks = "It rained."
title = "A small study"
[weights]
made = "by a random number generator"
[settings]
dataset = "math"
k = 6
[[part]]
name = "first"
methods = ["primitive"]
categories = ["counting"]
seeds = [0]
[[part]]
name = "second"
group = "longer"
methods = ["trove"]
categories = ["counting"]
seeds = [0, 1]
k = 9
"""


STUDIES = sorted((ROOT / "studies").glob("*.toml"))


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_a_plan_is_of_the_commit_and_the_time_that_its_study_says(path):
    told = plan.read_study(path).plan
    if not told:
        assert not plan.read_study(path).compared
        return
    assert (path.parent / told["text"]).is_file()
    words = ["git", "-C", str(ROOT), "show", "-s", "--format=%cI", told["commit"]]
    found = subprocess.run(words, capture_output=True, text=True)
    if found.returncode:
        pytest.skip("no history is here")
    assert datetime.fromisoformat(found.stdout.strip()) == datetime.fromisoformat(told["date"])


@pytest.fixture
def read(tmp_path):
    """Reads a study's file of this text."""

    def of(text=FILE):
        (tmp_path / "small.toml").write_text(text)
        return plan.read_study(tmp_path / "small.toml")

    return of


@pytest.fixture
def where(tmp_path):
    """The folders of runs and of results."""
    return tmp_path / "runs", tmp_path / "results"


@pytest.fixture(autouse=True)
def no_golds(monkeypatch):
    """The verdicts of simulated rows are made up: no gold of the real data gives them."""
    monkeypatch.setattr("studies.publish.golds_of", lambda *_: {})


def run_folder(folder: Path, model="simulated", answers=None, **about) -> Path:
    """A complete run folder, as a release that recorded neither calls, identity nor sessions left
    it."""
    rows = candidates(problems=12 if answers else 3, runs=1, k=6, categories=("counting",))
    if answers:
        rows = rows.assign(
            status="ok", answer=answers, answers=[[answers]] * len(rows), output=answers
        )
        rows["correct"] = rows["problem"] == 0
    settings = {
        "name": "run",
        "methods": ["primitive"],
        "categories": ["counting"],
        "seeds": [0],
        "k": 6,
    }
    settings |= {"sampling": {"temperature": 0.6, "top_p": 0.95, "max_tokens": 512}}
    description = {
        "kind": "live",
        "model": model,
        "settings": settings,
        "prompts": {"name": "own", "hash": "0a"},
    }
    save_run(folder, rows.assign(model=model), description | about)
    return folder


def with_journal(folder: Path, name="primitive-counting-0", line='{"text":"print(1)"}\n') -> Path:
    (folder / "journal").mkdir(parents=True)
    (folder / f"journal/{name}.jsonl").write_text(line)
    return folder


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name = ", "not a study that can be read"),
        (FILE.replace('title = "A small study"', ""), "says no 'title'"),
        (FILE.replace('"second"', '"first"'), "two parts named first"),
        (FILE + PLAN + 'date = "yesterday"\n', "plan, date = 'yesterday': write a time"),
        (FILE + PLAN + 'date = "2026-11-28T02:06:38"\n', "write a time with its zone"),
        (FILE + PLAN + "date = 2026-11-28\n", "write a time with its zone"),
        (FILE + PLAN + 'later = {x = "soon"}\n', "plan, x = 'soon': write a time"),
        (FILE + PLAN + 'uses = "seen"\n', "plan, uses = 'seen': it is one of used, called"),
        (FILE.replace("remarks =", "default ="), "its default, It rained., is none of its parts"),
    ],
)
def test_a_study_that_cannot_be_is_refused_in_a_line(read, text, message):
    with pytest.raises(TroveLiteError, match=message):
        read(text)


@pytest.mark.parametrize(
    "path", sorted((ROOT / "studies").glob("*.toml")), ids=lambda path: path.stem
)
def test_every_part_of_a_committed_study_is_a_run_that_can_be_made(path):
    from trove_lite.cli import parser_of
    from trove_lite.cli.commands import settings_of

    study = plan.read_study(path)
    folders = {part.name: Path(part.name) for part in study.parts}
    assert bool(study.default) == any(part.group == plan.ABLATIONS for part in study.parts)
    shelf = (ROOT / "docs" / "shelf.md").read_text(encoding="utf-8").casefold()
    for part in study.parts:
        if gone := {*part.options.get("methods", ())} - {*METHODS}:
            assert all(name in shelf for name in gone)
            continue  # sealed: its prompts are known by their hash
        given = parser_of("run").given(words_of(part, "practice", Path("out"), folders)[1:])
        given.pop("reuse", None)
        tool = given.pop("tool", ())  # of data or of a run that is not here
        settings = settings_of(given, given.pop("out"))
        assert settings.k == part.options.get("k", 15)
        assert not tool or set(settings.methods) < {"latm", "made_cot", "dispatcher"}
    assert all((ROOT / "notebooks" / f"{name}.ipynb").is_file() for name in study.notebooks)


def test_a_part_has_the_study_s_settings_and_its_own_and_a_folder_is_a_model_for_vllm(read):
    words = [" ".join(words_of(part, "practice", Path("out"), {})) for part in read().parts]
    assert words[0].startswith(
        "run --model practice --out out --dataset math --k 6 --methods primitive"
    )
    assert "--k 9 --methods trove --categories counting --seeds 0 1" in words[1]
    assert spec_of("weights/qwen", "dtype=bfloat16") == "vllm:weights/qwen?dtype=bfloat16"
    for model in ("practice", "http://localhost:8000/v1#qwen"):
        assert spec_of(model, "dtype=bfloat16") == model


def test_running_a_study_needs_no_jupyter():
    """A venv with vLLM, which `make real` runs in, has none."""
    code = "import sys; sys.modules |= dict.fromkeys(('nbformat', 'papermill', 'jupyter')); import studies.__main__"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


@pytest.fixture
def started(monkeypatch):
    """Command lines of the processes that a study starts, none of which runs."""
    words = []
    monkeypatch.setattr(
        subprocess, "run", lambda line: words.append(line) or subprocess.CompletedProcess([], 0)
    )
    return words


@pytest.mark.parametrize(("attempts", "starts"), [(3, 0), (1, 1)])
def test_a_part_is_run_again_only_where_its_study_wants_more_attempts(
    read, where, started, attempts, starts
):
    study = read(FILE.replace('methods = ["primitive"]', 'methods = ["pot"]\n"pot.attempts" = 3'))
    folder = run_folder(where[0] / "first")
    about = json.loads((folder / "run.json").read_text())
    about["settings"] |= {
        "methods": ["pot"],
        "choices": {"pot": {"attempts": attempts, "rectify": 1}},
    }
    (folder / "run.json").write_text(json.dumps(about))
    assert run(study, "practice", *where, ["first"], {}) == 0
    assert len(started) == starts


def test_what_a_part_takes_from_another_is_its_run_or_else_what_was_published(
    read, tmp_path, where, started, capsys
):
    study, (runs, results) = read(FILE + 'reuse = "part:first"\n'), where
    own = with_journal(run_folder(runs / "first"))
    with_journal(run_folder(tmp_path / "before/first"))
    publish(study, tmp_path / "before", results)
    (packed,) = (results / "runs/first/journal").iterdir()
    assert [record["text"] for record in finished_journal(packed.with_suffix(""))] == ["print(1)"]
    for folder, lender in ((runs, own), (tmp_path / "none", results / "runs/first")):
        assert run(study, "practice", folder, results, ["second"], {}) == 0
        assert started[-1][started[-1].index("--reuse") + 1] == str(lender)
    shutil.rmtree(packed.parent)  # samples of a part without journals are drawn, and a line says so
    assert run(study, "practice", tmp_path / "none", results, ["second"], {}) == 0
    assert "--reuse" not in started[-1]
    assert "runs/first: has no journals" in capsys.readouterr().out


def test_parts_that_are_complete_are_published_whole_and_the_others_named(read, where):
    times = [("01T00:00", "01T01:30"), ("02T00:00", "02T00:30")]
    sessions = [
        {"began": f"2026-01-{a}:00Z", "ended": f"2026-01-{b}:00Z", "commit": "abc"}
        for a, b in times
    ]
    source = run_folder(where[0] / "first", sessions=sessions)
    with_journal(where[0] / "second", "trove-counting-0", "{}\n{}\n")
    table = publish(read(), *where).set_index("part")
    published = where[1] / "runs/first"
    pd.testing.assert_frame_equal(load_candidates(published), load_candidates(source))
    pd.testing.assert_frame_equal(load_calls(published), load_calls(source))
    told, was = (json.loads((folder / "run.json").read_text()) for folder in (published, source))
    assert told | {"tables": was["tables"]} == was  # with calls, which that release had not
    assert table["complete"].to_dict() == {"first": True, "second": False}
    assert table.loc["first", ["hours", "commits"]].tolist() == [2, "abc"]
    text = (where[1] / "README.md").read_text()
    for line in ("It rained.", "second (trove; counting): stopped after 2 samples", "(../small/)"):
        assert line in text


def test_what_was_published_stays_until_its_run_is_complete_again(read, tmp_path, where):
    study, (runs, results) = read(), where
    first = run_folder(runs / "first", commit="old")
    publish(study, runs, results)
    before = (results / "runs/first/candidates.parquet").read_bytes()
    run_folder(tmp_path / "clone" / "second")  # by somebody who has no more than what was published
    assert publish(study, tmp_path / "clone", results)["complete"].all()
    assert (results / "runs/first/candidates.parquet").read_bytes() == before
    (first / "candidates.parquet").unlink()  # as a run does whose attempts were raised
    assert publish(study, runs, results, {"second": tmp_path / "clone/second"})["complete"].all()
    run_folder(runs / "first", commit="new")
    publish(study, runs, results)
    assert json.loads((results / "runs/first/run.json").read_text())["commit"] == "new"


def test_what_was_published_of_a_part_whose_plan_grew_is_named_with_what_it_lacks(read, where):
    run_folder(where[0] / "first")
    publish(read(), *where)
    grown = read(FILE.replace('name = "first"', 'name = "first"\nlimit = 240\n"pot.attempts" = 3'))
    assert publish(grown, *where).set_index("part").loc["first", "complete"]
    text = (where[1] / "README.md").read_text()
    for option, planned in (("limit", 240), ("pot.attempts", 3)):
        assert f"- first: made at {option} none, planned is {planned}\n" in text


def test_a_study_of_which_nothing_is_complete_or_of_two_models_is_refused(read, tmp_path, where):
    with pytest.raises(TroveLiteError, match="no part of small is complete"):
        publish(read(), *where)
    run_folder(where[0] / "first")
    elsewhere = run_folder(tmp_path / "elsewhere", model="another")
    with pytest.raises(
        TroveLiteError, match=r"several models: simulated \(first\), another \(second\)"
    ):
        publish(read(), *where, {"second": elsewhere})
    assert not where[1].exists()


@pytest.mark.parametrize(
    ("lines", "stands"),
    [
        ("", False),
        ('[part.accepted]\n"one answer: another" = "It hailed."', False),
        ('withdrawn = "It hailed."', True),
        ('[part.accepted]\n"one answer: counting" = "It hailed."\n"short programs" = "x"', True),
    ],
)
def test_a_part_with_a_check_of_health_is_published_where_the_study_says_why_it_stands(
    lines, stands, read, where
):
    run_folder(where[0] / "first", answers="11218.0")
    study = read(FILE.replace("seeds = [0]\n[[part]]", f"seeds = [0]\n{lines}\n[[part]]"))
    if not stands:
        said = r"^first: check: one answer: 100 % .* 11218.0 \(\d such in all\): look"
        with pytest.raises(TroveLiteError, match=said):
            publish(study, *where)
        return
    publish(study, *where)
    text = (where[1] / "README.md").read_text()
    assert "- first: one answer" in text[text.index("## Health") :]
    assert ("## Withdrawn\n\n- first: It hailed." in text) == lines.startswith("withdrawn")
    assert "hailed" not in " ".join(
        words_of(study.parts[0], "practice", Path("out"), {})
    )  # no option of a run
