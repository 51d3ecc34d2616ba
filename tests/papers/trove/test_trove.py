"""TroVE's Table 2 on made runs: which answers count, what is counted of them, and what hangs on the
definition."""

import pandas as pd
import pytest

from trove_lite.candidates import outcomes, selections
from trove_lite.programs import COUNTS
from trove_lite_analysis.kept_tools import KEPT
from trove_lite_papers import trove, why_empty

from ...simulated import candidates
from ..essays import definitions

ESSAY = definitions("20")
WAYS = {"used": ESSAY.used, "kept": ESSAY.kept, "kept and used": ESSAY.kept_and_used}
WAYS["kept functions"] = ESSAY.kept_functions

SHORT = "print(1)"
LONG = "import math\nfrom toolbox import double\nprint(double(1) + 1)"
TOOLS = "```python\nfrom toolbox import double\n```\n```python\nimport math\n```"
TOOL = "```python\ndef twice(x):\n    y = x + x\n    return y\n```"
NONE_KEPT = pd.DataFrame(columns=KEPT)


def runs_of(trove_program, tools, other_program):
    frame = candidates(categories=("counting", "geometry"), problems=5)
    by_trove = frame["method"] == "trove"
    solution = by_trove.map(
        {True: f"```python\n{trove_program}\n```", False: f"```python\n{other_program}\n```"}
    )
    return frame.assign(
        solution=solution, tools=by_trove.map({True: tools, False: ""}), response="", error=None
    )


@pytest.fixture(scope="module")
def runs():
    """Two runs of TROVE, whose programs are long and use a tool, and of PRIMITIVE; counting and
    geometry."""
    return runs_of(LONG, TOOLS, SHORT)


@pytest.fixture(scope="module")
def written():
    """TROVE's programs are short as they are reported, and long with the function that is written
    along."""
    return runs_of("print(twice(1))", TOOL, "print(1 + 1 + 1 + 1)")


@pytest.fixture(scope="module")
def kept():
    tools = pd.DataFrame({"name": ["twice", "math"], "signature": ["twice(x)", "import math"]})
    streams = pd.MultiIndex.from_product(
        [("run0", "run1"), ("counting", "geometry")], names=["run", "category"]
    )
    table = streams.to_frame(index=False).merge(tools, how="cross")
    return table.assign(
        method="trove", seed=0, rank=table.groupby(["run", "category"]).cumcount() + 1
    )


def values(table):
    return table.set_index(["system", "category"])["value"].to_dict()


def operations(runs):
    ways = {"as reported": ESSAY.ops, "as selected by": ESSAY.ops_of_selection}
    return trove.table2(trove.study(runs), "operations", ways)


def simpler(runs):
    return trove.simpler(trove.study(runs), ESSAY.every, ESSAY.subsets)


def differences(runs):
    return trove.table2_differences(trove.study(runs), {"#ops, as reported": ESSAY.ops})


def test_what_a_run_ended_with_is_the_last_attempt_or_what_its_result_file_holds(runs):
    first = trove.ended_with(runs)
    key = ["run", "method", "category", "problem"]
    short = f"```python\n{SHORT}\n```"
    of_trove = runs[(runs["method"] == "trove") & (runs["run"] == "run0")]
    again = of_trove[of_trove["problem"] == 0].assign(phase="retry", solution=short)
    last = trove.ended_with(pd.concat([runs, again], ignore_index=True))
    before, after = (
        frame.set_index(key)["reported_operations"].sort_index() for frame in (first, last)
    )
    changed = before.compare(after)
    assert sorted(changed.index) == [
        ("run0", "trove", "counting", 0),
        ("run0", "trove", "geometry", 0),
    ]
    assert set(changed["other"]) == {4}
    held = of_trove[(of_trove["mode"] == "skip") & (of_trove["sample"] == 0)]
    held = held.assign(phase="selected", provenance="recorded selection", solution=short)
    both = pd.concat([runs, held], ignore_index=True)
    assert len(selections(both)) == len(held)
    ended = trove.ended_with(both).query("method == 'trove' and run == 'run0'")
    assert (len(ended), set(ended["reported_operations"])) == (len(held), {4})


def test_used_tools_are_those_that_answers_name_and_kept_ones_what_the_toolbox_holds(runs, kept):
    kept = kept[
        (kept["category"] == "counting") & ((kept["run"] == "run0") | (kept["name"] == "math"))
    ]
    found = values(trove.table2_library(trove.study(runs), kept, WAYS))
    assert found["TROVE, used", "counting"] == 1  # math is imported and not name_table
    assert (found["TROVE, kept", "counting"], found["TROVE, kept functions", "counting"]) == (
        1.5,
        0.5,
    )
    assert pd.isna(found["TROVE, kept", "geometry"])
    assert found["PRIMITIVE, used", "counting"] == 0


def test_operations_are_of_the_selected_programs_and_their_differences_paired(runs):
    found = values(operations(runs))
    assert found["PRIMITIVE, as reported", "counting"] == 4  # print(1): Expr, Call, Name, Load
    assert found["TROVE, as reported", "counting"] == 6
    found = differences(runs).set_index(["measure", "category"])["difference"]
    assert found["#ops, as reported", "covered"] == 2
    alone = differences(runs[runs["method"] == "trove"])
    assert why_empty(alone) == "these runs hold one system alone"


def test_outcomes_give_the_tables_of_the_text_and_old_ones_say_why_not(runs):
    runs = runs[runs["category"] == "counting"]
    for table in (operations, simpler):
        pd.testing.assert_frame_equal(table(outcomes(runs)), table(runs))
    old = outcomes(runs).assign(reported_operations=None, used_tools=None, operation_counts=None)
    cells = operations(old).set_index(["system", "category"])
    assert cells.loc[("TROVE, as reported", "counting"), "note"] == "no program's text is known"
    library = trove.table2_library(trove.study(old), NONE_KEPT, WAYS)
    assert library["value"].isna().all()
    assert set(library["note"]) == {"what the toolbox held is not known"}
    assert "before operations were counted" in why_empty(simpler(old))


def test_simpler_turns_with_the_definition(written):
    table = simpler(written).set_index(["counted", "answers"])
    assert set(table.index.get_level_values("counted")) == set(COUNTS)
    assert table.loc[("as reported", "all"), "difference"] < 0
    assert table.loc[("with tools written", "all"), "difference"] > 0
    assert table.loc[("function calls", "all"), ["value_a", "value_b"]].tolist() == [2, 1]


def test_smaller_counts_tools_in_every_way(written, kept):
    other = kept[kept["signature"] == "import math"].assign(method="primitive")
    table = trove.smaller(trove.study(written), pd.concat([kept, other]), WAYS).set_index("counted")
    assert table["difference"].to_dict() == {
        "used": 1,
        "kept": 1,
        "kept and used": 1,
        "kept functions": 1,
    }
    assert (table["categories"] == 2).all()


def test_each_selected_program_is_counted_otherwise(written):
    table = trove.counted_otherwise(trove.study(written), ESSAY.every).set_index("counted")
    assert (table["programs"] == 40).all()  # 5 problems, 2 categories, 2 runs, 2 methods
    assert table.loc["with tools written", ["same", "more", "less"]].tolist() == [20, 20, 0]
    assert table.loc["as selected by", "same"] == 40


@pytest.mark.parametrize(
    ("model", "printed"), [("CodeLlama-7b-Instruct-hf", 0.44), ("another", None)]
)
def test_gqa_stands_beside_print_where_its_model_ran(runs, model, printed):
    of_gqa = runs[runs["category"] == "counting"].assign(dataset="gqa", category="gqa", model=model)
    table = trove.table2(trove.study(of_gqa), "accuracy", {"": ESSAY.accuracy})
    table = table.query("category == 'gqa'")
    found = table[table["system"].str.startswith("TROVE")]["published"]
    assert list(found.dropna()) == ([printed] if printed is not None else [])
