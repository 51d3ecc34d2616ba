"""The whole grid's plan as code, on simulated runs: seeds that stand alone, verdicts, and the table
of models."""

import pandas as pd
import pytest

from studies import bench, grid, rules
from studies.bench import MEASURES, ONE_VOTE, read_parts
from studies.plan import read_study
from studies.publish import begun
from trove_lite.candidates import save_run
from trove_lite.errors import TroveLiteError
from trove_lite_analysis.scores import score

from ..cases import cases
from ..conftest import ROOT
from ..simulated import candidates

STUDY = read_study(ROOT / "studies/whole.toml")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A model's folder: TROVE and PRIMITIVE by seeds 0 and 1, the placebo by seed 0 alone."""
    folder = tmp_path_factory.mktemp("models") / "simulated-7b"
    frame = candidates(problems=12, categories=("counting", "geometry", "precalculus"), runs=1)
    there = [("trove", 0), ("trove", 1), ("primitive", 0), ("primitive", 1), ("empty", 0)]
    for name, seed in there:
        method = "primitive" if name == "primitive" else "trove"
        choices = {"trove": {"toolbox": "none"}} if name == "empty" else {}
        settings = {
            "dataset": "math",
            "seeds": [seed],
            "name": "whole",
            "k": 15,
            "methods": [method],
        }
        own = frame[frame["method"] == method].assign(
            seed=seed, run=f"whole_seed{seed}", model="simulated-7b"
        )
        about = {
            "settings": settings | {"choices": choices},
            "model": "simulated-7b",
            "prompts": {"name": "official"},
        }
        target = folder / "runs" / f"a-{name}-{seed}"
        target.mkdir(parents=True)
        save_run(target, own, about | {"toolboxes": [], "methods": {method: {}}})
    return folder


@pytest.fixture(autouse=True)
def _well(monkeypatch):
    """No check of health, which takes most of the time, fails in a part."""
    monkeypatch.setattr(bench, "explained", lambda *_: [])


@pytest.fixture
def met(monkeypatch):
    """All rules but completeness hold."""
    monkeypatch.setattr(
        rules, "met", lambda *_, **__: dict.fromkeys(rules.RULES, True) | {"reason": ""}
    )


def test_a_part_of_several_seeds_is_a_run_folder_a_seed_and_comparisons_know_them():
    names = [part.name for part in STUDY.parts]
    assert names[:4] == ["a-primitive-0", "a-primitive-1", "a-primitive-2", "a-instance-0"]
    assert STUDY.compared["a-trove-empty"][1] == ["a-empty-0", "a-empty-1", "a-empty-2"]
    assert {part.name for part in begun(STUDY, ["a-trove-0"])} == {
        name for name in names if name.startswith("a-")
    }


def test_seeds_complete_in_both_systems_stand_alone_and_are_named(place, met):
    table = grid.differences(read_parts((place / "runs").iterdir(), study=STUDY), STUDY)
    seeds = table.drop_duplicates("id").set_index("id")[["seeds", "whole"]]
    assert seeds.loc["a-trove-primitive"].to_list() == ["0 1", False]
    assert seeds.loc["a-trove-empty"].to_list() == ["0", False]
    assert "a-instance-primitive" not in seeds.index


def test_programs_for_which_a_tool_printed_are_left_out_of_a_measure_that_does_not_count(
    place, met
):
    query = {"one answer": {'mode == "import"': 1}}
    counted = [
        part._replace(counted=query if part.name == "a-trove-0" else {}) for part in STUDY.parts
    ]
    parts = read_parts((place / "runs").iterdir(), study=(study := STUDY._replace(parts=counted)))
    left = grid.without_one_answer(parts["a-trove-0"], study).candidates
    ran = left[left["status"] == "ok"]
    assert set(ran["mode"]) == set(parts["a-trove-0"].candidates["mode"]) - {"import"}
    table = grid.differences(parts, study)
    measures = [*study.measures, study.measures[0] + grid.WITHOUT]
    assert table["measure"].unique().tolist() == measures
    assert not table.loc[table["measure"] == measures[-1], "counts"].any()


@pytest.mark.parametrize("query", ['mode == "import"', "sample == 0", "problem < 4"])
def test_a_number_without_some_programs_keeps_its_problems_and_scores_them_by_what_is_left(
    place, query
):
    """A problem that loses them all is wrong, and stays."""
    counted = [part._replace(counted={"one answer": {query: 1}}) for part in STUDY.parts]
    study = STUDY._replace(parts=counted)
    part = read_parts((place / "runs").iterdir(), study=study)["a-trove-0"]
    scores = MEASURES[ONE_VOTE](grid.without_one_answer(part, study))
    key = ["category", "problem"]
    scores = scores.astype({"category": str}).set_index(key)["score"]
    rows = part.candidates.astype({"mode": str, "category": str})
    rows = rows.drop(rows.query(query, engine="python").index)
    own_n = [score(own, "one_stage_described", len(own)) for _, own in rows.groupby(key)]
    by_hand = pd.concat(own_n).set_index(key)["score"]
    assert scores.notna().all()
    assert len(scores) == part.candidates.groupby(key, observed=True).ngroups
    assert scores.to_dict() == by_hand.reindex(scores.index).fillna(0.0).to_dict()


def test_one_row_a_comparison_counts_and_has_a_verdict(place, met):
    table = grid.differences(read_parts((place / "runs").iterdir(), study=STUDY), STUDY)
    counts = table[table["counts"]]
    assert (counts["measure"] == STUDY.measures[0]).all()
    assert (counts["category"] == grid.ALL).all()
    assert not counts.duplicated("id").any()
    assert table.loc[~table["counts"], "verdict"].eq("").all()


@pytest.mark.parametrize(
    ("difference", "p", "p_within_2", "said"),
    cases(
        """
        0.05,  0.001, 1,    "ahead"
        -0.05, 0.001, 1,    "behind"
        0.05,  0.02,  1,    "open"
        0.001, 0.9,   0.01, "equal"
        """
    ),
)
def test_a_verdict_is_said_after_correction_for_the_tier_s_three(difference, p, p_within_2, said):
    """p = 0.02 is not shown where three are compared, of which those that do not count have p =
    1."""
    row = {
        "id": "a-trove-primitive",
        "measure": STUDY.measures[0],
        "category": grid.ALL,
        "reason": "",
    }
    table = pd.DataFrame([row | {"difference": difference, "p": p, "p_within_2": p_within_2}])
    assert grid.judged(table, STUDY)["verdict"].to_list() == [said]


def test_a_comparison_that_breaks_a_rule_has_no_verdict(place):
    table = grid.differences(read_parts((place / "runs").iterdir(), study=STUDY), STUDY)
    assert not table["counts"].any()
    assert table["reason"].ne("").all()


def test_the_table_of_models_has_a_row_for_whoever_has_differences(place, met, tmp_path):
    table = grid.differences(read_parts((place / "runs").iterdir(), study=STUDY), STUDY)
    table.to_csv(place / grid.TABLE, index=False)
    models = grid.models(place.parent, ROOT / "results/bench")
    assert models["model"].unique().tolist() == ["qwen2.5-coder-1.5b-instruct", "simulated-7b"]
    assert set(models["measure"]) == {"agreement, one vote a program"}


def test_models_are_told_by_what_counts_or_by_the_reasons_for_nothing():
    row = {
        "model": "tiny",
        "comparison": "A minus B",
        "problems": 9.0,
        "seeds": "0 1",
        "category": "all",
    }
    row |= {"difference": -0.1, "low": -0.2, "high": 0.0}
    broken = row | {"counts": False, "verdict": "", "reason": "no tool was used"}
    counted = row | {"counts": True, "verdict": "behind", "reason": "", "comparison": "C minus D"}
    said = "By tiny, 9 problems, seeds 0, 1: {} -10.0 points [-20.0, +0.0] ({})."
    none = "No comparison meets all rules of its plan. "
    found = grid.sentence(pd.DataFrame([broken]))
    assert found == none + said.format("A minus B", "no tool was used")
    found = grid.sentence(pd.DataFrame([broken, counted]))
    assert found == said.format("C minus D", "behind")


def test_a_comparison_of_what_is_no_part_is_refused(tmp_path):
    text = (ROOT / "studies/whole.toml").read_text(encoding="utf-8")
    (tmp_path / "bad.toml").write_text(
        text.replace('[["a-trove"], ["a-empty"]]', '[["a-trove"], ["placebo"]]')
    )
    with pytest.raises(TroveLiteError, match="compares placebo, which is none of its parts"):
        read_study(tmp_path / "bad.toml")


PUBLISHED = sorted((ROOT / "results/models").glob("*/reeval_[tf]*.csv"))  # of the paper
TIER = "counting|geometry|precalculus|covered.*"


@pytest.mark.parametrize("path", PUBLISHED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_published_tier_has_no_empty_cell_and_print_of_another_model_is_apart(path):
    table = pd.read_csv(path)
    own = table[table["category"].str.fullmatch(TIER)]
    assert len(own)
    assert own["value"].notna().all()
    assert (
        path.stem == "reeval_table8" or table.get("published", pd.Series(dtype=float)).isna().all()
    )
    if path.stem in ("reeval_table1", "reeval_table3", "reeval_table6", "reeval_table7"):
        assert own["printed for CodeLlama-7B"].notna().all()
