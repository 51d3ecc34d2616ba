"""The call as the unit, on the committed bench: the numbers of made tools, and what agreement sees
of them."""

import pandas as pd
import pytest

from trove_lite_analysis import calls

from ..conftest import ROOT

RUNS = ROOT / "results" / "bench" / "runs"
PARTS = [
    "own-trove",
    "own-trove-1",
    "own-craft",
    "own-trove-tabmwp",
    "official-trove-tabmwp",
    "official-creator",
]
BARE = [
    "own-primitive",
    "own-primitive-1",
    "own-primitive-tabmwp",
    "official-primitive",
    "official-primitive-1",
]
BARE += ["official-primitive-tabmwp", "own-no-toolbox", "own-no-toolbox-1"]


@pytest.fixture(scope="module")
def bench():
    """The committed table of programs, that of tools, and candidates by part."""
    runs = calls.read_runs([RUNS / name for name in (*PARTS, *BARE)])
    programs, tools = calls.read_tool_calls(ROOT / "results" / "bench")
    return calls.of_runs(programs, runs), tools, runs


def by_part(table: pd.DataFrame, *columns: str) -> dict[str, list]:
    return table.set_index("part")[list(columns)].round(3).T.to_dict("list")


def test_programs_that_call_a_made_tool_are_nearly_all_wrong_and_primitive_on_the_same_problems_is_not(
    bench,
):
    programs, _, runs = bench
    found = by_part(
        calls.rates(programs, runs, "primitive"),
        "programs that call",
        "calling, right",
        "calling",
        "primitive",
    )
    assert found["own-trove"] == [135, 3, 0.022, 0.277]
    assert found["own-trove-1"] == [179, 2, 0.011, 0.305]
    assert found["own-craft"] == [673, 7, 0.010, 0.260]
    assert found["own-trove-tabmwp"] == [175, 5, 0.029, 0.468]
    assert found["official-trove-tabmwp"] == [399, 35, 0.088, 0.566]


def test_agreement_does_not_see_the_calls(bench):
    programs, _, runs = bench
    found = by_part(calls.struck_out(programs, runs), "verdicts", "changed", "net right without")
    assert found["own-trove"] == [174, 5, 1]  # the reply to one of 175 is not to be had
    assert found["own-trove-1"] == [175, 0, 0]
    assert found["own-craft"] == [175, 2, 2]


def test_a_tool_for_rectangles_is_called_for_all_sorts_of_things(bench):
    programs, tools, _ = bench
    table = calls.tool_table(programs, tools).set_index(["part", "tool"]).sort_index()
    tool = table.loc[[("own-trove-1", "count_rectangles")]].iloc[0]
    assert [tool["called"], tool["right"], tool["listed"], tool["reason"]] == [
        72,
        1,
        19,
        "wrong tool",
    ]


def test_creator_by_the_papers_words_mostly_makes_no_function(bench):
    chain = calls.funnel(bench[0]).set_index(["system", "link"])["programs"][
        "creator on math, official prompts"
    ]
    assert [chain["made"], chain["called"]] == [
        208,
        79,
    ]  # of 1,050; 44 more define the function again and call theirs


def test_loading_is_not_the_fault_and_no_call_is_idle(bench):
    found = by_part(calls.versions(bench[0]), "with, right", "pasted, right", "cut, right")
    assert found["own-craft"] == [7, 7, 1]
    assert found["own-trove"] == [3, 3, 0]
    assert found["own-trove-tabmwp"] == [5, 12, 1]  # there a listed tool had to be imported


def test_each_reason_is_the_first_rule_that_holds(bench):
    found = calls.why_wrong(*bench[:2]).set_index("part")
    assert found.sum(axis=1)["own-trove"] == 135
    assert found.loc["own-trove-tabmwp", "not at hand"] == 94
    papers = found.loc["official-trove-tabmwp"]
    assert papers[["listed without a body", "never run by its maker"]].tolist() == [128, 108]


def test_a_share_has_an_interval_by_problem_and_ends_within_0_and_1():
    right = pd.Series([True] * 5 + [False] * 95)
    alone, together = (
        calls.share(right, pd.Series(labels))
        for labels in (range(100), [n // 5 for n in range(100)])
    )
    assert alone.value == together.value == pytest.approx(0.05)
    assert 0 < together.low < alone.low < 0.05 < alone.high < together.high < 1
    assert calls.share(right[5:], pd.Series(range(95)))[:2] == (0, 0)


def test_runs_without_tables_beside_them_have_no_programs(bench, tmp_path):
    """So it is outside a clone, for runs that have made no tables yet."""
    programs, tools = (calls.of_runs(table, bench[2]) for table in calls.read_tool_calls(tmp_path))
    assert (len(programs), len(tools)) == (0, 0)
    assert calls.sentence(programs, tools, bench[2], "primitive").startswith(
        "No program of these runs calls a tool"
    )
    assert calls.rates(programs, bench[2], "primitive").empty
    assert calls.struck_out(programs, bench[2]).empty
    for table in (calls.why_wrong, calls.tool_table):
        assert table(programs, tools).empty
    assert calls.versions(programs).empty
    assert calls.funnel(programs).empty


def test_the_chain_is_a_table_with_what_primitive_does_there(bench):
    programs, _, runs = bench
    links = calls.funnel(programs)
    table = calls.chain_in_words(
        links, calls.rates(programs, runs, "primitive", by="system"), "primitive"
    )
    row = table.set_index("system").loc["craft on math, own prompts"]
    assert row["programs"] == 2450
    assert [row[link] for link in calls.CHAIN] == [100.0, 67.4, 67.4, 27.5, 25.9, 0.2]
    assert row["right, of those that call"] == "1.0 [0.5, 2.3]"
    assert row["PRIMITIVE there"] == "26.0 [20.2, 32.8]"
