"""The toolbox's rules: growth, ranking, use and trimming."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trove_lite.methods.toolbox import THRESHOLDS, Toolbox, lexical_overlap, mentions
from trove_lite.programs import Tool


def tool(name, docstring="", kind="function"):
    return Tool(name, f"{name}(x)", docstring, f"def {name}(x): return x", kind)


names = st.sampled_from("abcdef")
events = st.lists(st.tuples(st.sampled_from(["add", "use", "use and add"]), st.lists(names, max_size=4)), max_size=30)


def played(history):
    toolbox = Toolbox()
    for problem, (kind, used) in enumerate(history):
        tools = [tool(name) for name in used]
        if kind == "add":
            toolbox.add(tools, problem)
        else:
            toolbox.use(tools, problem, add=kind == "use and add")
    return toolbox


def test_a_name_that_is_taken_keeps_its_older_body_and_count():
    toolbox = Toolbox()
    toolbox.add([tool("f", "old")], 0)
    toolbox.add([tool("f", "new")], 1)
    assert (toolbox.entries["f"].tool.docstring, toolbox.entries["f"].uses) == ("old", 1)


def test_an_import_from_the_toolbox_uses_the_tool_of_that_name():
    toolbox = Toolbox()
    toolbox.add([tool("f")], 0)
    toolbox.use([tool("toolbox.f", kind="import")], 3, add=False)
    assert (toolbox.entries["f"].uses, toolbox.entries["f"].problems) == (2, [0, 3])


@settings(deadline=None)
@given(events)
def test_ranking_by_use_is_stable_and_complete(history):
    toolbox = played(history)
    age = {name: i for i, name in enumerate(toolbox.entries)}
    ranked = [t.name for t in toolbox.ranked()]
    assert ranked == sorted(age, key=lambda name: (-toolbox.entries[name].uses, age[name]))


@settings(deadline=None)
@given(events, st.floats(0, 4))
def test_trimming_removes_exactly_what_is_used_less_than_the_threshold(history, threshold):
    toolbox = played(history)
    before = dict(toolbox.entries)
    problems = toolbox.trim(threshold)
    rare = {name for name, entry in before.items() if entry.uses < threshold}
    assert set(toolbox.entries) == set(before) - rare
    assert problems == {p for name in rare for p in before[name].problems}
    assert toolbox.trim(threshold) == set()


@pytest.mark.parametrize(
    ("name", "n", "least"),
    [
        ("half_log10", 1, 0),
        ("half_log10", 100, 1),  # 1.0: a tool used once stays
        ("half_log10", 200, 2),  # 1.15
        ("log20", 400, 2),  # log20 400 is 2, and a tool used twice stays
        ("log20", 401, 3),
        ("fixed_2", 881, 2),
        ("never", 881, 0),
    ],
)
def test_least_number_of_uses_that_survives(name, n, least):
    threshold = THRESHOLDS[name](n)
    assert least >= threshold
    assert least == 0 or least - 1 < threshold


def test_lexical_overlap_is_the_f1_of_words():
    toolbox = Toolbox()
    toolbox.add([Tool("choose", "choose(n, k)", "ways", "", "function")], 0)
    # tool: choose choose n k ways; question: ways to choose
    assert lexical_overlap(toolbox.entries["choose"], "Ways to choose?") == 2 * 2 / (5 + 3)
    assert lexical_overlap(toolbox.entries["choose"], "Area of a circle?") == 0


def test_a_models_order_is_by_first_mention():
    tools = [tool(name) for name in ("area", "total", "choose")]
    found = mentions("1. choose, 2. area_of (not area), then choose", tools)
    assert [t.name for t in found] == ["choose", "area"]
