"""The plan's rules are code: what counts follows from files, and a close reading's numbers from the
published runs."""

from types import SimpleNamespace

import pandas as pd
import pytest

from studies import against, bench, rules
from studies.checking import checked, pages
from studies.plan import read_study
from trove_lite.candidates import load_calls, load_candidates, read_description

from ..conftest import ROOT

RUNS = ROOT / "results/bench/runs"
NAMES = [
    "own-trove",
    "own-trove-1",
    "own-primitive",
    "own-primitive-1",
    "own-no-toolbox",
    "own-no-toolbox-1",
]


BENCH = read_study(bench.STUDY)
CALLED = BENCH.plan


READ = [*NAMES, "official-trove", "official-primitive", "own-creator"]


@pytest.fixture(scope="module")
def parts():
    """Without their health, which takes nine tenths of the time and is read below."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bench, "explained", lambda *_: [])
        return bench.read_parts(RUNS.iterdir(), READ)


@pytest.mark.slow
def test_no_check_of_these_parts_is_without_a_reason():
    found = bench.read_parts(RUNS.iterdir(), READ)
    assert {name: part.checks for name, part in found.items() if part.checks} == {}


def system(part, **changed):
    return [part._replace(**changed)]


def test_thirty_programs_of_each_mode_are_read_of_these_very_candidates_and_named(parts):
    part = parts["own-primitive"]
    row = {
        "part": part.name,
        "hash": part.hash,
        "mode": "primitive",
        "read": "30",
        "which": "drawn",
    }
    assert rules.unread([part], pd.DataFrame([row])) == ""
    for changed in (
        {"hash": "another"},
        {"read": "29"},
        {"which": "told"},
        {"mode": "import"},
        {"part": "another"},
    ):
        assert "fewer than 30 programs read" in rules.unread([part], pd.DataFrame([row | changed]))


def test_the_programs_that_are_read_are_the_same_for_everybody_and_shown_without_verdicts(parts):
    part = parts["own-primitive"]
    drawn = rules.to_read(part.candidates, "primitive", part.hash)
    assert len(drawn) == 30
    assert drawn.equals(rules.to_read(part.candidates.copy(), "primitive", part.hash))
    page = "\n".join(pages([part]))
    assert page.count("\n## ") == 30
    flipped = part._replace(
        candidates=part.candidates.assign(correct=~part.candidates["correct"].astype(bool))
    )
    assert page == "\n".join(pages([flipped]))


def test_an_import_is_no_tool_and_none_is_no_pass(parts):
    """Papers' prompts: the toolbox holds imports, and one function that three programs call before
    it is trimmed."""
    assert rules.tools_used([parts["official-trove"]], CALLED) == (False, (875, 3, 2))
    assert rules.tools_used([parts["own-creator"]], CALLED) == (True, (1050, 943, 935))
    assert rules.tools_used([parts["own-no-toolbox"]], CALLED)[0] is None
    systems = [parts["own-no-toolbox"]], [parts["own-primitive"]]
    look = rules.looked_at("placebo-own", systems, BENCH)
    assert look.why["tools_used"] == rules.BY_DESIGN
    of_thought = BENCH._replace(factors={"placebo-own": "thought"})
    assert rules.looked_at("placebo-own", systems, of_thought).why["tools_used"] == ""
    used, calls = rules.tools_used([parts["own-trove"], parts["own-trove-1"]], CALLED)
    assert (used, calls.could_call, calls.call) == (True, 1750, 135 + 179)


@pytest.mark.parametrize(("uses", "is_used"), [("used", False), ("called", True), ("", False)])
def test_used_is_what_reaches_a_print_and_the_plan_s_own_word_holds(uses, is_used):
    """By the 0.5B TROVE's programs copy the toolbox's list: 2,176 of 4,145 call a tool, 113 use
    what it returns."""
    runs = [
        bench.part_of_run(ROOT / f"results/models/qwen2.5-coder-0.5b-instruct/runs/a-trove-{n}", ())
        for n in range(3)
    ]
    found, calls = rules.tools_used(runs, {"uses": uses, "shown": True})
    assert (found, calls) == (is_used, (4145, 2176, 113))


def test_a_fault_of_a_part_or_of_a_comparison_stands_against_it():
    assert "PoT" in rules.faults(["creator-own"])
    assert "NameError" in rules.faults(["a part", "own-trove-tabmwp"])
    assert rules.faults(["trove-own"]) == ""


def test_a_problem_that_one_run_lacks_is_in_neither_system(parts):
    """Number theory 491 lacks one reply of TROVE's first run: -2.0 on 174 problems, and not -2.6 on
    175."""
    pairs = {"trove-own": bench.planned()["trove-own"]}
    row = bench.differences(parts, pairs).query("measure == 'agreement'").iloc[0]
    assert row["problems"] == 174
    assert round(100 * row["difference"], 1) == -2.0


def test_check_has_a_line_for_each_comparison_and_counts_what_meets_all(parts):
    lines = [line for line in checked(parts, BENCH) if not line.startswith("  ")][1:]
    assert len(lines) == len(bench.planned())
    for line in lines:
        name, *words = line.split()
        met = words[: len(rules.RULES)]
        assert (words[len(rules.RULES)] == "yes") == (set(met) == {"yes"}), name


def test_the_fault_that_is_named_is_there_to_be_counted():
    tabmwp = load_candidates(RUNS / "own-trove-tabmwp").query(
        "phase == 'stream' and mode == 'import'"
    )
    listed = set().union(
        *rules.functions_kept(
            bench.read_description(RUNS / "own-trove-tabmwp")["toolboxes"]
        ).values()
    )
    missing = tabmwp["error"].astype(str).str.extract(r"NameError: name '(\w+)'")[0]
    assert missing.isin(listed).sum() == 95


def test_a_pack_whose_files_are_not_here_is_believed_to_have_had_other_words(monkeypatch, tmp_path):
    monkeypatch.setenv("TROVE_LITE_DATA", str(tmp_path))
    folder = RUNS / "official-trove-tabmwp"
    run = SimpleNamespace(about=read_description(folder), calls=load_calls(folder))
    assert [line[:19] for line in against.reworded(run)] == ["never asked rewrite"]
