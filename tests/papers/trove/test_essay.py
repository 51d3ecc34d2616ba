"""Essays 20 to 23 compute TroVE's tables: a changed definition gives them the value that it has on
the same runs."""

import sys

import numpy as np
import pandas as pd
import pytest

import trove_lite as tl
import trove_lite_analysis as ta
from trove_lite.candidates import outcomes, save_table
from trove_lite.programs import COUNTS
from trove_lite_papers import trove

from ...conftest import ROOT
from ..essays import made_by
from .test_ablations import CATEGORIES, folder, rows
from .test_trove import LONG, SHORT, TOOLS, runs_of

#: In essays 21 and 22.
RIGHT = 'return answers["correct"].fillna(False).astype(bool)'


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Simulated runs of TROVE and PRIMITIVE: the answers that they ended with, and their outcomes
    file."""
    frame = runs_of(LONG, TOOLS, SHORT)
    file = tmp_path_factory.mktemp("recorded") / "outcomes.parquet"
    save_table(outcomes(frame), file)
    return trove.ended_with(frame).astype({"method": str, "category": str, "run": str}), file


def value(table, system, category="counting"):
    rows = table[(table["system"] == system) & (table["category"] == category)]
    return rows["value"].item()


def of(answers, method, category="counting"):
    return answers[(answers["method"] == method) & (answers["category"] == category)]


def test_an_accuracy_of_what_ran_is_so_in_table_2(recorded):
    answers, file = recorded
    right = 'answers["correct"].fillna(False).astype(float)'
    change = right, '(answers["status"] == "ok").astype(float)'
    found = made_by("20", [file], change, until="trove_table2_accuracy")
    for system, method in (("TROVE", "trove"), ("PRIMITIVE", "primitive")):
        share = (of(answers, method)["status"] == "ok").mean()
        assert value(found["trove_table2_accuracy"], system) == pytest.approx(share)
    differences = found["trove_table2_differences"].set_index(["measure", "category"])["difference"]
    shares = [(of(answers, method)["status"] == "ok").mean() for method in ("trove", "primitive")]
    assert differences["accuracy", "counting"] == pytest.approx(shares[0] - shares[1])


@pytest.mark.parametrize("name", ["function calls", "every statement"])
def test_another_count_of_operations_is_so_in_table_2_and_in_its_figure(recorded, name):
    answers, file = recorded
    change = 'return trove.count(answers, "as reported")', f'return trove.count(answers, "{name}")'
    found = made_by("20", [file], change, until="trove_table2_operations.png")
    place = COUNTS.index(name)
    for system, method in (("TROVE", "trove"), ("PRIMITIVE", "primitive")):
        mean = np.mean([counts[place] for counts in of(answers, method)["operation_counts"]])
        table = found["trove_table2_operations"]
        assert value(table, f"{system}, as reported") == pytest.approx(mean)
        assert np.isclose(found["trove_table2_operations.png"], mean).any()


def test_tools_of_programs_that_failed_as_used_ones_are_so_in_the_library(recorded):
    answers, file = recorded
    change = 'ran = answers[answers["status"] == "ok"]', 'ran = answers[answers["status"] != "ok"]'
    found = made_by(
        "20", [file], ('expect("used"', '("used"'), change, until="trove_table2_library"
    )
    failed = of(answers, "trove")
    failed = failed.assign(tools=failed["used_tools"].where(failed["status"] != "ok"))
    by_run = [
        len({t for tools in own["tools"].dropna() for t in tools})
        for _, own in failed.groupby("run")
    ]
    assert value(found["trove_table2_library"], "TROVE, used") == np.mean(by_run)


@pytest.fixture(scope="module")
def variants(tmp_path_factory):
    """Runs of TROVE as the parameter `variants` has them: the default, one with right answers more,
    another order."""
    place = tmp_path_factory.mktemp("variants")
    made = rows(runs=2)
    better = made.assign(correct=made["correct"] | (made["problem"] == 0))
    parts = {"default": (made, {}), "better": (better, {"trove.ranking": "lexical"})}
    parts |= {"order": (better, {"trove.shuffle": 1}), "few": (rows(k=3), {"k": 3})}
    given = {str(folder(place, name, own)): changes for name, (own, changes) in parts.items()}
    return made, given


def made21(variants, recorded, *changes, until=""):
    return made_by("21", [], *changes, until=until, variants=variants, recorded=[str(recorded)])


def test_an_accuracy_of_what_ran_is_so_in_the_ablations_in_table_7_and_in_their_figure(
    variants, recorded
):
    made, given = variants
    change = (RIGHT, 'return answers["status"] == "ok"')
    found = made21(given, recorded[1], change, until="trove_table7")
    effects = found["trove_ablations"].set_index(["variant", "budget"])["difference"]
    assert effects["ranking lexical", "the same calls"] == 0  # it differs in verdicts alone
    ran = made.assign(ran=made["status"] == "ok")
    key = ["category", "seed", "problem"]
    any_ran = ran.groupby(key, observed=True)["ran"]
    random = any_ran.any().mean()  # of the programs that ran all did
    default = trove.ended_with(made.assign(selection="one_stage"))
    share = (default["status"] == "ok").groupby(default["category"].astype(str)).mean()
    table = found["trove_table7"].query("measure == 'accuracy'").set_index("category")["value"]
    assert table[list(CATEGORIES)].to_dict() == pytest.approx(share[list(CATEGORIES)].to_dict())
    difference = effects["answer by random", "scored again"]
    assert difference == pytest.approx(random - share.mean())
    assert np.isclose(found["trove_ablations.png"], 100 * difference).any()


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("threshold", "never"),  # Table 8
        ("ranking", "model"),  # Table 10
        ("rectify", "create"),  # Table 12
        ("threshold", "fixed_2"),  # Table 13
    ],
)
def test_an_accuracy_of_what_ran_is_so_in_tables_8_10_12_and_13(
    option, value, variants, recorded, tmp_path
):
    """`trove_ablations` holds all four, and "trove_table12" those of other problems."""
    made, _ = variants
    failing = made.assign(status=made["status"].where(made["problem"] > 0, "error"))
    given = {str(folder(tmp_path, "default", made)): {}}
    given[str(folder(tmp_path, "changed", failing))] = {f"trove.{option}": value}
    change = (RIGHT, 'return answers["status"] == "ok"')
    use = "trove.kept(others)", "variants"
    found = made21(given, recorded[1], change, use, until="trove_table12")
    answers = trove.ended_with(made.assign(selection="one_stage"))
    lost = ((answers["status"] == "ok") & (answers["problem"] == 0)).mean()
    assert lost > 0
    for name in ("trove_ablations", "trove_table12"):
        effects = found[name].set_index(["variant", "budget"])["difference"]
        assert effects[f"{option} {value}", "the same calls"] == pytest.approx(-lost)
    assert np.isclose(found["trove_ablations.png"], -100 * lost).any()


def test_an_accuracy_of_what_ran_is_so_in_the_placebo_and_in_its_figure():
    """Of a real model's runs, one seed."""
    place = ROOT / "results/models/qwen2.5-coder-0.5b-instruct/runs"
    runs = [place / "a-trove-0", place / "a-empty-0"]
    given = dict(zip(map(str, runs), ({}, {"trove.toolbox": "none"}), strict=True))
    change = (RIGHT, 'return answers["status"] == "ok"')
    until = "trove_placebo_differences.png"
    found = made_by("22", [], change, until=until, variants=given)
    chosen = [tl.choose(tl.load_candidates(run), "one_stage_described") for run in runs]
    ran = [(answers["status"] == "ok").mean() for answers in chosen]
    table = found["trove_placebo_differences"].set_index("measure")["difference"]
    assert table["accuracy of the answer"] == pytest.approx(ran[0] - ran[1])
    assert np.isclose(found[until], 100 * (ran[0] - ran[1])).any()


def test_the_first_program_as_a_random_one_is_so_in_the_ablations_and_in_their_figure(
    variants, recorded
):
    made, given = variants
    first = "return programs.drop_duplicates(trove.PROBLEM)"
    found = made21(
        given, recorded[1], ("return programs[ran | ~some]", first), until="trove_table11"
    )
    stream = tl.load_candidates(recorded[1]).query("method == 'trove' and phase == 'stream'")
    firsts = trove.in_order(stream).drop_duplicates(["run", "category", "problem"])
    shares = firsts["correct"].astype(float).groupby(firsts["category"].astype(str)).mean()
    table11 = found["trove_table11"].set_index("category")["random"]
    assert table11.to_dict() == pytest.approx(shares.to_dict())
    effects = found["trove_ablations"].set_index("variant")["difference"]
    key = ["category", "seed", "problem"]
    order = made.sort_values([*key, "place", "sample"], kind="stable").drop_duplicates(key)
    usual = trove.ended_with(made.assign(selection="one_stage"))["correct"].astype(float).mean()
    by_hand = order["correct"].astype(float).mean() - usual
    assert effects["answer by random"] == pytest.approx(by_hand)
    assert np.isclose(found["trove_ablations.png"], 100 * by_hand).any()


def test_toolboxes_of_functions_alone_are_so_in_figure_8(variants, recorded, monkeypatch):
    _, given = variants
    names = ["comb", "math", "area"]
    signatures = ["comb(n, k)", "import math", "area(r)"]
    box = pd.DataFrame({"category": "algebra", "seed": 0, "name": names, "signature": signatures})
    module = sys.modules[trove.ablations.__module__]
    monkeypatch.setattr(module, "toolboxes", lambda folders: box)
    imports = 'toolbox["signature"].str.startswith("import")'
    change = 'return set(toolbox["name"])', f'return set(toolbox.loc[~{imports}, "name"])'
    found = made21(given, recorded[1], change, until="trove_figure8.png")
    assert value(found["trove_figure8"], "default", "algebra") == (2 + 0) / 2  # one of two seeds
    assert np.isclose(found["trove_figure8.png"], 1).any()


def test_a_tool_of_a_program_that_failed_as_a_use_is_so_among_the_libraries(recorded, monkeypatch):
    answers, file = recorded
    kept = pd.DataFrame(
        {"name": ["double"], "signature": ["double(x)"], "method": "trove", "seed": 0, "rank": 1}
    )
    kept = kept.assign(run="run0", category="counting")
    monkeypatch.setattr(ta, "toolboxes", lambda runs: kept)
    change = 'ran = answers[answers["status"] == "ok"]', "ran = answers"
    found = made_by("23", [file], change, until="trove_figure6.png")["trove_libraries"]
    own = of(answers, "trove").query("run == 'run0'")
    by_hand = sorted(own[own["used_tools"].map(lambda used: "double" in used)]["problem"])
    assert found["problems"].tolist() == [by_hand]
