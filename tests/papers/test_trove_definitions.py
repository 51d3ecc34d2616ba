"""What hangs on definitions, and each difference with print, on made runs: what is planted turns the tables."""

import pandas as pd
import pytest

from papers import published_table, trove, why_empty
from trove_lite.candidates import outcomes, save_table
from trove_lite.programs import COUNTS

from ..simulated import MODEL, candidates

TOOL = "```python\ndef twice(x):\n    y = x + x\n    return y\n```"


@pytest.fixture(scope="module")
def runs():
    """TROVE's programs are short as they are reported, and long with the function that is written along."""
    frame = candidates(categories=("counting", "geometry"), problems=5)
    by_trove = frame["method"] == "trove"
    solution = by_trove.map({True: "```python\nprint(twice(1))\n```", False: "```python\nprint(1 + 1 + 1 + 1)\n```"})
    return frame.assign(solution=solution, tools=by_trove.map({True: TOOL, False: ""}), response="", error=None)


@pytest.fixture(scope="module")
def kept():
    rows = [
        (run, category, name, signature)
        for run in ("run0", "run1")
        for category in ("counting", "geometry")
        for name, signature in (("twice", "twice(x)"), ("math", "import math"))
    ]
    table = pd.DataFrame(rows, columns=["run", "category", "name", "signature"])
    return table.assign(method="trove", seed=0, rank=table.groupby(["run", "category"]).cumcount() + 1)


def test_simpler_turns_with_the_definition(runs):
    table = trove.simpler(runs).set_index(["counted", "answers"])
    assert set(table.index.get_level_values("counted")) == set(COUNTS)
    assert table.loc[("as reported", "all"), "difference"] < 0
    assert table.loc[("with tools written", "all"), "difference"] > 0
    assert table.loc[("function calls", "all"), ["value_a", "value_b"]].tolist() == [2, 1]
    words = trove.definitions_in_words(trove.simpler(runs), pd.DataFrame(columns=["b"]), pd.DataFrame())
    assert "simpler under" in words


def test_only_answers_that_are_right_can_be_compared(runs):
    table = trove.simpler(runs.assign(correct=runs["correct"] & (runs["problem"] < 2)))
    counts = table[table["counted"] == "as reported"].set_index("answers")["problems"]
    assert counts["that are right"] <= 4 < counts["all"]


def test_outcomes_give_the_same_and_old_ones_say_why_not(runs):
    pd.testing.assert_frame_equal(trove.simpler(outcomes(runs)), trove.simpler(runs))
    old = outcomes(runs).assign(operation_counts=None)
    assert trove.simpler(old).empty
    assert "before operations were counted" in trove.simpler(old).attrs["note"]


def test_smaller_counts_tools_in_every_way(runs, kept):
    other = kept[kept["signature"] == "import math"].assign(method="primitive")
    table = trove.smaller(runs, pd.concat([kept, other], ignore_index=True)).set_index("counted")
    assert table["difference"].to_dict() == {"used": 1, "kept": 1, "kept and used": 1, "kept functions": 1}
    assert table.loc["kept", "value_a"] == 2
    assert (table["categories"] == 2).all()


def test_each_selected_program_is_counted_otherwise(runs):
    table = trove.counted_otherwise(runs).set_index("counted")
    assert (table["programs"] == 40).all()  # 5 problems, 2 categories, 2 runs, 2 methods
    assert table.loc["with tools written", ["same", "more", "less"]].tolist() == [20, 20, 0]
    assert table.loc["as selected by", "same"] == 40


@pytest.mark.parametrize("cut", [False, True])
def test_a_result_file_that_holds_another_program_is_counted_with_its_cause(runs, cut):
    own = runs[runs["method"] == "trove"].astype({"phase": object, "provenance": object})
    ended = trove.ended_with(own).assign(phase="selected", provenance="recorded selection")
    ended.loc[ended.index[:3], "program"] = 1
    both = pd.concat([own.assign(shortened=cut), ended[own.columns]], ignore_index=True)
    table = trove.recorded_selection(both).set_index("selected")
    assert table.loc["the same program", "programs"] == len(ended) - 3
    other = table.loc["another program, the same answer"]
    assert other["programs"] == 3
    assert other["cause"].startswith("an output that the record cuts" if cut else "nothing")


@pytest.mark.parametrize("model", [MODEL, "another"])
def test_recorded_accuracy_is_as_the_result_file_says(model, runs, tmp_path):
    save_table(runs.assign(model=model), tmp_path / "outcomes.parquet")
    table = pd.DataFrame({"run": ["a"], "category": ["counting"], "method": ["trove"], "kind": ["selected answers"]})
    table.assign(problems=100, recorded_correct=26, correct=25, disagreements=3).to_csv(tmp_path / "recorded.csv")
    row = trove.recorded_accuracy([tmp_path / "outcomes.parquet"]).iloc[0]
    assert (row["recorded"], row["own_gold"], row["regraded"], row["rounds_to_print"]) == (
        0.26,
        0.25,
        3,
        model == MODEL,
    )


def test_a_printed_cell_is_explained_by_another_run_or_count_or_is_open(runs, kept, monkeypatch):
    printed = {"acc": 0.5, "n_ops": 6, "n_lib": 7}

    def look(comparison, system, metric):
        return lambda category: (printed[metric], float("nan"))

    monkeypatch.setattr("papers.trove.definitions._look_up", look)
    table = trove.table2_explained(runs, kept).set_index(["measure", "category"])
    assert table.loc[("#ops, as reported", "counting"), "value"] == 5
    assert table.loc[("#ops, as reported", "counting"), "verdict"] == "open"
    assert table.loc[("#lib, used", "counting"), "verdict"] == "open"
    printed |= {"n_ops": 5, "n_lib": 2}
    table = trove.table2_explained(runs, kept).set_index(["measure", "category"])
    assert table.loc[("#ops, as reported", "counting"), "why"] == "one more run may print it"
    assert table.loc[("#lib, used", "counting"), "why"] == "by another count: kept"
    words = trove.definitions_in_words(pd.DataFrame(columns=["b"]), pd.DataFrame(columns=["b"]), table.reset_index())
    assert "printed cells of TROVE" in words


def test_a_library_holds_its_tools_with_their_first_and_last_problem(runs, kept):
    table = trove.libraries(runs, kept)
    own = table[(table["category"] == "counting")].set_index("tool")
    ended = trove.ended_with(runs)
    ended = ended[(ended["method"] == "trove") & (ended["run"] == "run0") & (ended["category"] == "counting")]
    used = sorted(ended.loc[ended["status"] == "ok", "problem"])
    assert own.loc["twice", "problems"] == used
    assert own.loc["twice", ["first", "last", "uses"]].tolist() == [used[0], used[-1], len(used)]
    assert str(own.loc["twice", "problems"]) == str(list(map(int, used)))  # as a file has it
    assert own.loc["math", "uses"] == 0
    examples = trove.table6(runs, table)
    assert set(examples["signature"]) == {"twice(x)"}
    assert set(examples["source"]) == {"def twice(x):\n    y = x + x\n    return y"}
    figure = trove.library_figure(table)
    assert [axes.get_title(loc="left").split(":")[0] for axes in figure.axes] == ["counting", "geometry"]
    assert trove.library_figure(table.head(0)) is None


def test_table_1_has_every_data_set_and_marks_a_size_that_differs(monkeypatch):
    sizes = dict(zip(published_table("trove_table1")["category"], published_table("trove_table1")["size"], strict=True))
    sizes |= {"tabmwp": sizes["TabMWP"], "wtq": sizes["WTQ"], "hitab": sizes["HiTab"] - 1}
    monkeypatch.setattr("papers.trove.subjects.load_problems", lambda _, category: range(sizes[category]))
    table = trove.table1().set_index("category")
    assert table["same"].drop("GQA").to_dict() == {c: c != "HiTab" for c in table.index if c != "GQA"}
    assert "parse_table" in table.loc["HiTab", "primitives"]
    assert table.loc["GQA", "note"] == "not among the data sets here"


@pytest.mark.parametrize("method", ["trove", "primitive"])
def test_one_system_alone_gives_tables_or_the_reason_for_none(runs, kept, method):
    alone, none = outcomes(runs[runs["method"] == method]), kept.head(0)
    simpler, smaller = trove.simpler(alone), trove.smaller(alone, none)
    explained, held = trove.table2_explained(alone, none), trove.libraries(alone, none)
    for table in (simpler, smaller, held, trove.table6(alone, held), trove.recorded_selection(alone)):
        assert table.empty
        assert why_empty(table) == table.attrs["note"]
    assert trove.library_figure(held) is None
    assert len(explained) == (6 if method == "trove" else 0)  # accuracy, #ops and what is used, of two categories
    words = trove.definitions_in_words(simpler, smaller, explained)
    assert bool(words) == (method == "trove")
