"""Methods that see labelled problems, in live runs: who gets them, what is counted, and whose
program runs."""

import json
from dataclasses import replace

import pytest

from trove_lite import TroveLiteError
from trove_lite.candidates import load_calls, load_candidates, read_description
from trove_lite.datasets import load_dataset

from ...scripted import InlineSandbox
from .labelled import Role, run


def test_a_tool_is_made_once_and_used_by_another_model_on_every_problem(tmp_path):
    out, models = run(tmp_path / "a")
    rows = load_candidates(out)
    calls = load_calls(out)
    assert list(rows["answer"]) == ["14"] * 4
    assert set(rows["mode"]) == {"latm"}
    assert (
        list(zip(calls["role"], calls["stage"], calls["model"], strict=True)).count(
            ("user", "use", "user")
        )
        == 4
    )
    made = calls[calls["model"] == "maker"]
    roles = {"propose": "maker", "verify": "verifier", "wrap": "wrapper"}
    assert dict(zip(made["stage"], made["role"], strict=True)) == roles
    assert made["executions"].sum() == 2
    assert len(models["maker"].read) == 3


def test_the_maker_sees_the_labelled_problems_and_none_that_is_tested(tmp_path):
    out, models = run(tmp_path / "a")
    read = str(models["maker"].read)
    dataset = load_dataset("bbh_made")
    assert all(problem.question.text in read for problem in dataset.examples("chinese_remainder"))
    assert not any(problem.question.text in read for problem in dataset.load("chinese_remainder"))
    assert read_description(out)["labels"] == {"latm-chinese_remainder-0": 6}
    (trial,) = read_description(out)["toolboxes"]
    assert (trial["proposals"], trial["verifications"], trial["made"]) == (1, 1, True)
    assert "def f" in trial["tool"]


def test_a_run_of_before_goes_on_by_what_its_preset_was_then(tmp_path):
    then = {"reaches_end": False, "only_definitions": False, "fallback": "none"}
    out, _ = run(tmp_path / "a", choices={"latm": then | {"user_tokens": 256}})
    about = read_description(out)
    about["methods"]["latm"] = {
        name: value for name, value in about["methods"]["latm"].items() if name not in then
    }
    about["settings"]["choices"] = {}
    (out / "run.json").write_text(json.dumps(about))
    (out / "candidates.parquet").unlink()
    (journal,) = (out / "journal").iterdir()
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:-2]))
    out, models = run(tmp_path / "a")
    assert {how.max_tokens for how in models["user"].drawn} == {256}
    assert len(load_candidates(out)) == 4


def test_composed_programs_begin_with_what_the_data_set_gives(tmp_path):
    dataset = replace(load_dataset("bbh_made"), given=("import cmath",))
    box = InlineSandbox()
    out, _ = run(tmp_path / "a", dataset, sandbox=box)
    assert set(load_candidates(out)["status"]) == {"ok"}
    assert box.programs
    assert all(program.startswith("import cmath\n") for program in box.programs)


def test_without_a_model_of_its_own_a_role_is_the_solver_s_and_so_are_its_calls(tmp_path):
    out, _ = run(tmp_path / "a", roles=("maker",), solver=Role("user"))
    calls = load_calls(out)
    assert set(calls.loc[calls["model"].isna(), "stage"]) == {"prove"}  # nobody is asked there
    pairs = calls.dropna(subset="model")[["role", "model"]].itertuples(index=False, name=None)
    assert set(pairs) == {
        ("maker", "maker"),
        ("verifier", "maker"),
        ("wrapper", "maker"),
        ("user", "user"),
    }


def test_other_labelled_problems_make_another_run(tmp_path):
    run(tmp_path / "a")
    dataset = load_dataset("bbh_made")
    fewer = replace(dataset, examples=lambda category: dataset.examples(category)[:4])
    with pytest.raises(TroveLiteError, match=r"other settings \(.*labelled"):
        run(tmp_path / "a", dataset=fewer)


def test_a_data_set_without_labelled_problems_is_refused(tmp_path):
    dataset = replace(load_dataset("bbh_made"), examples=None)
    with pytest.raises(
        TroveLiteError, match="'latm' needs labelled problems, and data set 'bbh_made' has none"
    ):
        run(tmp_path / "a", dataset=dataset)
