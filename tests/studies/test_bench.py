"""The bench's tables, on simulated parts: what a part comes to, and what is planned of two."""

import tomllib

import pandas as pd
import pytest

from studies import reading, rules
from studies.bench import (
    STUDY,
    agreement_of,
    differences,
    equal_tokens,
    frontier,
    methods,
    off_budget,
    read_parts,
)
from trove_lite.candidates import save_run
from trove_lite.errors import TroveLiteError

from ..conftest import ROOT
from ..simulated import candidates

PLANNED = {
    "x": [["official-trove"], ["official-primitive"]],
    "not complete": [["own-trove"], ["official-primitive"]],
}


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench")
    frame = candidates(problems=12, categories=("counting", "number"), runs=1)
    for method in ("trove", "primitive"):
        settings = {
            "dataset": "math",
            "seeds": [0],
            "name": "bench",
            "k": 15,
            "methods": [method],
            "choices": {},
        }
        about = {"settings": settings, "model": "simulated", "prompts": {"name": "official"}}
        own = frame[frame["method"] == method]
        (folder / f"official-{method}").mkdir()
        save_run(
            folder / f"official-{method}", own, about | {"toolboxes": [], "methods": {method: {}}}
        )
    return read_parts(folder.iterdir())


def test_a_part_has_a_row_with_each_measure_in_its_interval(parts):
    table = methods(parts).set_index("part")
    assert list(table.index) == ["official-primitive", "official-trove"]
    for measure in ("agreement", "agreement of a third", "right programs", "oracle"):
        assert table[measure].between(table[f"{measure}, low"], table[f"{measure}, high"]).all()
    right = parts["official-trove"].candidates["correct"].astype(float).mean()
    assert table.loc["official-trove", "right programs"] == pytest.approx(right)


def test_a_planned_comparison_is_the_difference_of_its_parts_and_waits_for_both(parts):
    table = differences(parts, PLANNED).set_index(["id", "measure"])
    assert set(table.index.get_level_values("id")) == {"x"}
    each = methods(parts).set_index("part")["right programs"]
    found = table.loc[("x", "right programs"), "difference"]
    assert found == pytest.approx(each["official-trove"] - each["official-primitive"])
    assert (table["detectable"] > 0).all()


def test_a_part_that_spent_more_than_planned_says_so(parts):
    trove = parts["official-trove"]
    assert not off_budget(trove.about, trove.candidates, trove.calls)
    twice = pd.concat([trove.calls] * 2)
    assert off_budget(trove.about, trove.candidates, twice) == (
        "30 requests a problem, where 15 were planned",
    )


def test_a_lacking_tool_is_no_call_an_empty_toolbox_no_tool_and_what_nobody_counted_no_use(parts):
    trove = parts["official-trove"]
    lacking = trove.candidates.assign(error="LookupError: no tool was made for …")
    assert rules.calls_of(trove._replace(candidates=lacking)).call == 0
    nowhere = trove._replace(home=trove.home / "nowhere")
    assert rules.tools_used([nowhere], {}) == (False, rules.NONE)
    settings = trove.about["settings"] | {"choices": {"trove": {"toolbox": "none"}}}
    empty = trove._replace(about=dict(trove.about) | {"settings": settings})
    assert rules.tools_used([empty], {})[0] is None


def writing(part, tokens):
    """A part of the bench's problems whose every request wrote so many tokens."""
    about = dict(part.about) | {"settings": part.about["settings"] | {"dataset": "math_bench"}}
    return part._replace(calls=part.calls.assign(completion_tokens=tokens), about=about)


def test_agreement_of_part_of_the_samples_ends_at_that_of_all_and_is_a_mean_between_two_numbers(
    parts,
):
    part = parts["official-trove"]
    five, six, between, whole = (agreement_of(part, k)["score"] for k in (5, 6, 5.25, 15))
    assert list(between) == pytest.approx(list(0.75 * five + 0.25 * six))
    assert whole.mean() == methods(parts).set_index("part").loc[part.name, "agreement"]


def test_at_equal_tokens_the_system_that_writes_more_keeps_fewer_samples(parts):
    trove = parts["official-trove"]
    primitive = parts["official-primitive"]
    dear, same = (
        {trove.name: writing(trove, n), primitive.name: writing(primitive, 100)} for n in (200, 100)
    )
    (row,), (alike,) = (equal_tokens(each, PLANNED).to_dict("records") for each in (dear, same))
    assert (row["kept, tools"], row["kept, without"], row["at tokens"]) == (0.5, 1, 1500)
    assert row["difference"] == pytest.approx(
        agreement_of(trove, 7.5)["score"].mean() - row["without"]
    )
    assert alike["difference"] == alike["as drawn"] == row["as drawn"] != row["difference"]
    curves = frontier(dear).set_index(["system", "samples"])
    assert list(curves.loc["trove", "tokens written"]) == [
        200 * k for k in (1, 2, 3, 5, 7, 10, 12, 15)
    ]
    assert curves.loc[("primitive", 15), "value"] == row["without"]


def test_the_problems_on_which_two_methods_part_are_those_that_one_alone_answers_right(parts):
    pair = parts["official-trove"], parts["official-primitive"]
    table = reading.parted([pair])
    each = [agreement_of(part, 15)["score"] for part in pair]
    assert list(table["right"]).count("official-trove") == (each[0] > each[1]).sum() > 0
    assert len(table) == (each[0] != each[1]).sum()
    assert reading.import_failures(parts)["official-trove"].sum() == pytest.approx(1)


def test_every_planned_comparison_names_parts_of_the_study_and_every_line_of_the_plan_is_there():
    plan = tomllib.loads(STUDY.read_text(encoding="utf-8"))
    names = {part["name"] for part in plan["part"]}
    assert {
        part for systems in plan["compared"].values() for system in systems for part in system
    } <= names
    lines = pd.read_csv(ROOT / "studies/plan.csv")
    assert sorted(plan["compared"]) == sorted(lines["id"])
    assert lines["family"].isin(["yes", "no"]).all()


def test_a_folder_without_parts_is_refused(tmp_path):
    with pytest.raises(TroveLiteError, match="no complete part"):
        read_parts([tmp_path])
