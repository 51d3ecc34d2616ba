"""The toolbox's rules: trimming and likeness. What grows and how it is ranked is held by the
official replay."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trove_lite.methods.toolbox import RANKINGS, THRESHOLDS, Toolbox, mentions
from trove_lite.programs import Tool

from ..cases import cases


def tool(name):
    return Tool(name, f"{name}(x)", "", f"def {name}(x): return x", "function")


names = st.sampled_from("abcdef")
events = st.lists(
    st.tuples(st.sampled_from(["add", "use", "use and add"]), st.lists(names, max_size=4)),
    max_size=30,
)


def played(history):
    toolbox = Toolbox()
    for problem, (kind, used) in enumerate(history):
        tools = [tool(name) for name in used]
        if kind == "add":
            toolbox.add(tools, problem)
        else:
            toolbox.use(tools, problem, add=kind == "use and add")
    return toolbox


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
    (
        "name",
        "n",
        "least",
    ),  # 1/2 log10 100 is 1, and a tool used once stays; so is log20 400 for one used twice
    cases(
        """
        "half_log10", 100, 1
        "half_log10", 200, 2
        "log20",      400, 2
        "log20",      401, 3
        "never",      881, 0
        """
    ),
)
def test_least_number_of_uses_that_survives(name, n, least):
    threshold = THRESHOLDS[name](n)
    assert least >= threshold
    assert least == 0 or least - 1 < threshold


def test_lexical_overlap_is_the_f1_of_words():
    toolbox = Toolbox()
    toolbox.add([Tool("choose", "choose(n, k)", "ways", "", "function")], 0)
    # tool: choose choose n k ways; question: ways to choose
    assert RANKINGS["lexical"](toolbox.entries["choose"], "Ways to choose?") == 2 * 2 / (5 + 3)
    assert RANKINGS["lexical"](toolbox.entries["choose"], "Area of a circle?") == 0


def test_a_models_order_is_by_first_mention():
    tools = [tool(name) for name in ("area", "total", "choose")]
    found = mentions("1. choose, 2. area_of (not area), then choose", tools)
    assert [t.name for t in found] == ["choose", "area"]
