"""A study's file, its parts run in order, and what is published of it."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from studies import plan
from studies.notebooks import ablate, report
from studies.publish import publish
from studies.run import run, spec_of, words_of
from trove_lite import load_calls, load_candidates
from trove_lite.candidates import save_run, save_table
from trove_lite.errors import TroveLiteError
from trove_lite.journal import finished_journal

from ..conftest import ROOT
from ..simulated import candidates

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


def read(tmp_path, text=FILE):
    (tmp_path / "small.toml").write_text(text)
    return plan.read_study(tmp_path / "small.toml")


def run_folder(folder: Path, model="simulated", **about) -> Path:
    """A complete run folder, as a release that recorded neither calls, identity nor sessions left it."""
    rows = candidates(problems=3, runs=1, k=6, categories=("counting",))
    sampling = {"temperature": 0.6, "top_p": 0.95, "max_tokens": 512}
    settings = {"name": "run", "methods": ["primitive"], "categories": ["counting"], "seeds": [0], "k": 6}
    settings |= {"sampling": sampling}
    description = {"kind": "live", "model": model, "settings": settings, "prompts": {"name": "own", "hash": "0a"}}
    save_run(folder, rows.assign(model=model), description | about)
    return folder


def test_a_part_has_the_study_s_settings_and_its_own(tmp_path):
    words = [" ".join(words_of(part, "practice", Path("out"), {})) for part in read(tmp_path).parts]
    assert words[0].startswith("run --model practice --out out --dataset math --k 6 --methods primitive")
    assert "--k 9 --methods trove --categories counting --seeds 0 1" in words[1]


@pytest.mark.parametrize(
    ("model", "spec"),
    [
        ("weights/qwen", "vllm:weights/qwen?dtype=bfloat16"),
        ("Qwen/Qwen2.5-Coder-1.5B-Instruct", "vllm:Qwen/Qwen2.5-Coder-1.5B-Instruct?dtype=bfloat16"),
        ("practice", "practice"),
        ("http://localhost:8000/v1#qwen", "http://localhost:8000/v1#qwen"),
    ],
)
def test_a_folder_or_hub_name_is_a_model_for_vllm(model, spec):
    assert spec_of(model, "dtype=bfloat16") == spec


def test_running_a_study_needs_no_jupyter():
    """A venv with vLLM, which `make real` runs in, has none."""
    code = "import sys; sys.modules |= dict.fromkeys(('nbformat', 'papermill', 'jupyter')); import studies.__main__"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


@pytest.fixture
def started(monkeypatch):
    """Command lines of the processes that a study starts, none of which runs."""
    words = []
    monkeypatch.setattr(subprocess, "run", lambda line: words.append(line) or subprocess.CompletedProcess([], 0))
    return words


@pytest.mark.parametrize(("attempts", "starts"), [(3, 0), (1, 1)])
def test_a_part_is_run_again_only_where_its_study_wants_more_attempts(tmp_path, started, attempts, starts):
    study = read(tmp_path, FILE.replace('methods = ["primitive"]', 'methods = ["pot"]\n"pot.attempts" = 3'))
    folder = run_folder(tmp_path / "runs" / "first")
    about = json.loads((folder / "run.json").read_text())
    about["settings"] |= {"methods": ["pot"], "choices": {"pot": {"attempts": attempts, "rectify": 1}}}
    (folder / "run.json").write_text(json.dumps(about))
    assert run(study, "practice", tmp_path / "runs", tmp_path / "results", ["first"], {}) == 0
    assert len(started) == starts


def test_what_a_part_takes_from_another_is_its_run_or_else_what_was_published(tmp_path, started, capsys):
    study = read(tmp_path, FILE + 'reuse = "part:first"\n')
    results, runs = tmp_path / "results", tmp_path / "runs"
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


def with_journal(folder: Path) -> Path:
    (folder / "journal").mkdir()
    (folder / "journal/primitive-counting-0.jsonl").write_text('{"text":"print(1)"}\n')
    return folder


def test_parts_that_are_complete_are_published_whole_and_the_others_named(tmp_path):
    source = run_folder(tmp_path / "runs" / "first")
    (tmp_path / "runs/second/journal").mkdir(parents=True)
    (tmp_path / "runs/second/journal/trove-counting-0.jsonl").write_text("{}\n{}\n")
    table = publish(read(tmp_path), tmp_path / "runs", tmp_path / "results")
    published = tmp_path / "results/runs/first"
    pd.testing.assert_frame_equal(load_candidates(published), load_candidates(source))
    pd.testing.assert_frame_equal(load_calls(published), load_calls(source))
    assert json.loads((published / "run.json").read_text()) == json.loads((source / "run.json").read_text())
    assert table.set_index("part")["complete"].to_dict() == {"first": True, "second": False}
    text = (tmp_path / "results/README.md").read_text()
    assert "It rained." in text
    assert "second (trove; counting): stopped after 2 samples" in text
    assert "(../small/notebooks)" in text


def test_what_was_published_stays_until_its_run_is_complete_again(tmp_path):
    study, results = read(tmp_path), tmp_path / "results"
    first = run_folder(tmp_path / "runs" / "first", commit="old")
    publish(study, tmp_path / "runs", results)
    before = (results / "runs/first/candidates.parquet").read_bytes()
    run_folder(tmp_path / "clone" / "second")  # by somebody who has no more than what was published
    table = publish(study, tmp_path / "clone", results).set_index("part")
    assert table["complete"].all()
    assert "## Not run" not in (results / "README.md").read_text()
    assert (results / "runs/first/candidates.parquet").read_bytes() == before
    (first / "candidates.parquet").unlink()  # as a run does whose attempts were raised
    assert publish(study, tmp_path / "runs", results, {"second": tmp_path / "clone/second"})["complete"].all()
    run_folder(tmp_path / "runs" / "first", commit="new")
    publish(study, tmp_path / "runs", results)
    assert json.loads((results / "runs/first/run.json").read_text())["commit"] == "new"


def test_what_was_published_of_a_part_whose_plan_grew_is_named_with_what_it_lacks(tmp_path):
    results = tmp_path / "results"
    run_folder(tmp_path / "runs" / "first")
    publish(read(tmp_path), tmp_path / "runs", results)
    grown = read(tmp_path, FILE.replace('name = "first"', 'name = "first"\nlimit = 240\n"pot.attempts" = 3'))
    table = publish(grown, tmp_path / "runs", results).set_index("part")
    assert table.loc["first", "complete"]
    assert table.loc["first", "problems"] == load_candidates(results / "runs/first")["problem"].nunique()
    text = (results / "README.md").read_text()
    for option, planned in (("limit", 240), ("pot.attempts", 3)):
        assert f"- first: made at {option} none, planned is {planned}\n" in text


def test_hours_are_those_of_the_sessions(tmp_path):
    sessions = [
        {"began": "2026-01-01T00:00:00Z", "ended": "2026-01-01T01:30:00Z", "commit": "abc"},
        {"began": "2026-01-02T00:00:00Z", "ended": "2026-01-02T00:30:00Z", "commit": "abc"},
    ]
    beside = [{"began": "2026-01-01T01:00:00Z", "ended": "2026-01-01T02:00:00Z", "commit": "abc"}]
    run_folder(tmp_path / "runs" / "first", sessions=sessions)
    run_folder(tmp_path / "runs" / "second", sessions=beside)
    table = publish(read(tmp_path), tmp_path / "runs", tmp_path / "results")
    assert table["hours"].tolist() == [2.0, 1.0]
    assert table.loc[0, "commits"] == "abc"


def test_a_study_of_which_nothing_is_complete_or_of_two_models_is_refused(tmp_path):
    with pytest.raises(TroveLiteError, match="no part of small is complete"):
        publish(read(tmp_path), tmp_path / "runs", tmp_path / "results")
    run_folder(tmp_path / "runs" / "first")
    elsewhere = run_folder(tmp_path / "elsewhere", model="another")
    with pytest.raises(TroveLiteError, match=r"several models: simulated \(first\), another \(second\)"):
        publish(read(tmp_path), tmp_path / "runs", tmp_path / "results", {"second": elsewhere})
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name = ", "not a study that can be read"),
        (FILE.replace('title = "A small study"', ""), "says no 'title'"),
        (FILE.replace('"second"', '"first"'), "two parts named first"),
        (FILE.replace("remarks =", "default ="), "its default, It rained., is none of its parts"),
    ],
)
def test_a_study_that_cannot_be_is_refused_in_a_line(tmp_path, text, message):
    with pytest.raises(TroveLiteError, match=message):
        read(tmp_path, text)


# ---- reports ----


def reported(study, results, monkeypatch) -> dict[str, list[str]]:
    """The reports that a study asks for, as command lines, by name."""
    asked: dict[str, list[str]] = {}
    monkeypatch.setattr(
        "trove_lite.cli.main", lambda words: asked.update({words[words.index("--out") + 1]: words}) or 0
    )
    assert report(study, results) == 0
    return asked


@pytest.mark.parametrize("together", [False, True])
def test_each_data_set_of_a_study_has_a_report_of_its_own_unless_it_says_otherwise(tmp_path, monkeypatch, together):
    text = FILE.replace('group = "longer"', 'dataset = "tabmwp"')
    study = read(tmp_path, text.replace("[weights]", "together = true\n[weights]") if together else text)
    results = tmp_path / "results/small"
    first, second = (run_folder(results / "runs" / part) for part in ("first", "second"))
    rows = load_candidates(second).assign(dataset="tabmwp", category="tabmwp")
    save_table(rows, second / "candidates.parquet")
    found = {name: words[1 : words.index("--out")] for name, words in reported(study, results, monkeypatch).items()}
    whole = {"small": [str(first), str(second)]}
    assert found == (whole if together else {"small-math": [str(first)], "small-tabmwp": [str(second)]})


def test_a_study_may_have_one_part_of_another_beside_it_and_nothing_to_show(tmp_path, monkeypatch, capsys):
    study = read(tmp_path, FILE.replace("[weights]", 'beside = ["other/runs/first", "missing"]\n[weights]'))
    assert report(study, tmp_path / "results/small") == 0
    assert "left out" in capsys.readouterr().out
    runs = [str(run_folder(tmp_path / "results" / name)) for name in ("small/runs/own", "other/runs/first")]
    run_folder(tmp_path / "results/other/runs/second")
    (words,) = reported(study, tmp_path / "results/small", monkeypatch).values()
    assert words[1 : words.index("--out")] == runs


@pytest.mark.parametrize("path", sorted((ROOT / "studies").glob("*.toml")), ids=lambda path: path.stem)
def test_every_part_of_a_committed_study_is_a_run_that_can_be_made(path):
    from trove_lite.cli import parser_of
    from trove_lite.commands import settings_of

    study = plan.read_study(path)
    folders = {part.name: Path(part.name) for part in study.parts}
    assert bool(study.default) == any(part.group == plan.ABLATIONS for part in study.parts)
    for part in study.parts:
        given = parser_of("run").given(words_of(part, "practice", Path("out"), folders)[1:])
        given.pop("reuse", None)
        tool = given.pop("tool", ())  # of data or of a run that is not here
        settings = settings_of(given, given.pop("out"))
        assert settings.k == part.options.get("k", 15)
        assert not tool or set(settings.methods) < {"latm", "made_cot", "dispatcher"}
    assert all((ROOT / "notebooks" / f"{name}.ipynb").is_file() for name in study.notebooks)


# ---- ablations ----

ABLATIONS = FILE.replace('name = "small"', 'name = "small"\ndefault = "first"', 1).replace(
    'group = "longer"',
    'group = "ablations"\n"trove.toolbox" = "part:first#geometry"\nreuse = "part:first"\nretry = false',
)


def test_an_ablation_is_handed_to_the_notebooks_by_what_its_part_changes(tmp_path, monkeypatch):
    asked, study = {}, read(tmp_path, ABLATIONS)
    monkeypatch.setattr("trove_lite.notebooks.run_all", lambda jobs, home, **how: asked.update(jobs) or {})
    where = tmp_path / "runs", tmp_path / "results", {}
    run_folder(tmp_path / "runs" / "second")
    with pytest.raises(TroveLiteError, match="the default and at least one ablation have to be complete"):
        ablate(study, *where)
    run_folder(tmp_path / "runs" / "first")
    assert ablate(study, *where) == 0
    (default, none), (variant, changes) = asked["21_trove_ablations"].parameters["variants"].items()
    assert (Path(default).name, none, Path(variant).name) == ("first", {}, "second")
    assert changes == {"k": 9, "trove.toolbox": "part:first#geometry", "retry": False}
    words = " ".join(words_of(study.parts[1], "practice", Path("out"), {"first": Path("runs/first")}))
    assert "--trove.toolbox runs/first#geometry --reuse runs/first --retry false" in words
    with pytest.raises(TroveLiteError, match="no part of the study is named first"):
        words_of(study.parts[1], "practice", Path("out"), {})


# ---- health ----


def ailing(folder: Path, problems=12) -> Path:
    """A complete run folder in which every answer is 11218, and wrong."""
    rows = candidates(problems=problems, runs=1, k=6, categories=("counting",))
    same = {"status": "ok", "answer": "11218.0", "correct": False, "model": "simulated"}
    run_folder(folder)
    rows["answers"] = [["11218.0"]] * len(rows)
    save_table(rows.assign(**same), folder / "candidates.parquet")
    return folder


def explaining(lines: str) -> str:
    return FILE.replace("seeds = [0]\n[[part]]", f"seeds = [0]\n{lines}\n[[part]]")


def test_a_part_with_a_sign_that_nobody_explains_is_refused_and_nothing_is_published(tmp_path):
    ailing(tmp_path / "runs" / "first")
    for lines in ("", '[part.accepted]\n"one error" = "why"', '[part.accepted]\n"one answer: another" = "why"'):
        with pytest.raises(
            TroveLiteError, match=r"^first: sign: one answer: 100 % .* 11218.0 \(\d such in all\): look"
        ):
            publish(read(tmp_path, explaining(lines)), tmp_path / "runs", tmp_path / "results")
        assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    "lines",
    [
        'withdrawn = "It hailed."',
        '[part.accepted]\n"one answer" = "It hailed."\n"short programs" = "x"',
        '[part.accepted]\n"one answer: counting" = "It hailed."\n"short programs" = "x"',
    ],
)
def test_a_part_whose_signs_are_explained_is_published_with_them_on_its_page(lines, tmp_path):
    ailing(tmp_path / "runs" / "first")
    publish(read(tmp_path, explaining(lines)), tmp_path / "runs", tmp_path / "results")
    text = (tmp_path / "results/README.md").read_text()
    assert "- first, one answer: 100 %" in text[text.index("## Health") :]
    assert "It hailed." in text
    assert ("## Withdrawn\n\n- first: It hailed." in text) == lines.startswith("withdrawn")
    part = read(tmp_path, explaining(lines)).parts[0]  # why signs stand is no option of a run
    assert "hailed" not in " ".join(words_of(part, "practice", Path("out"), {}))
