"""LATM's released tools: that arguments are read without fault, and what is made of how the tools end."""

import itertools
import re

import pandas as pd
import pytest

from papers.latm import released as latm
from practice.latm_tasks import make_remainder, make_schedule
from trove_lite.datasets import bbh
from trove_lite.datasets.files import public_paths
from trove_lite.sandbox import Execution, Sandbox

BIRDS = (
    "The following paragraphs each describe a set of three objects arranged in a fixed order. The statements are "
    "logically consistent within each paragraph. On a branch, there are three birds: a quail, an owl, and a blue jay. "
    "The owl is to the right of the quail. The blue jay is the second from the right.\n"
    "Options:\n(A) The quail is the rightmost\n(B) The owl is the rightmost\n(C) The blue jay is the rightmost"
)


@pytest.fixture(scope="module")
def released():
    """Skips where the data folder does not hold the tools and tasks."""
    if not all(path.is_file() for path in (*public_paths("latm", ".json"), *public_paths("bbh"))):
        pytest.skip("the data folder holds no LATM tools: run `trove-lite fetch latm` or set TROVE_LITE_DATA")


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox(1, time_limit=60) as sandbox:
        yield sandbox


def block(category, question):
    """What a reader's block leaves behind, its tool being a stand-in that keeps the arguments."""
    names = re.findall(r"ret1? = (\w+)\(", latm.READERS[category](question))
    kept = {}
    tool = {names[0]: lambda *arguments: kept.update(arguments=arguments)}
    code = latm.READERS[category](question).split("\nans")[0].split("\noptions")[0]
    exec(code, tool | kept)
    return kept["arguments"]


def test_a_deduction_is_read_as_constraints_on_an_order():
    objects, constraints = block("logical_deduction", BIRDS)
    assert objects == ["quail", "owl", "blue jay"]
    fit = [order for order in itertools.permutations(objects) if all(holds(order) for holds in constraints)]
    assert fit == [("quail", "blue jay", "owl")]
    assert "v == ret[-1]" in latm.logical_deduction(BIRDS)


def test_a_place_is_an_index():
    places = {"the leftmost": 0, "the third from the left": 2, "the second from the right": -2, "the second-oldest": 1}
    places |= {"the third-newest": -3, "the cheapest": 0, "the most expensive": -1}
    places |= {"finished first": 0, "finished second-to-last": -2}
    assert {phrase: latm.place(phrase) for phrase in places} == places


def test_remainders_are_read_as_a_limit_divisors_and_remainders():
    question, answer = make_remainder(3)
    limit, divisors, remainders = block("chinese_remainder", question)
    assert [int(answer) % divisor for divisor in divisors] == remainders
    assert limit == divisors[0] * divisors[1] * divisors[2]


def test_a_meeting_is_read_as_free_times_and_minutes():
    question, _ = make_schedule(3)
    one, two, minutes = block("schedule_meeting", question)
    lines = question.split("\n")
    assert ", ".join(" - ".join(pair) for pair in one) == lines[1].partition(": ")[2]
    assert ", ".join(" - ".join(pair) for pair in two) == lines[2].partition(": ")[2]
    assert f"{minutes / 60:g}-hour" in question


@pytest.mark.parametrize("category", bbh.FILES)
def test_released_tools_are_right_on_what_is_quick(released, sandbox, category):
    """Ten instances a task: the whole of it is results/latm/ceiling.csv, and takes minutes."""
    (row,) = latm.ceiling(sandbox, [category], limit=10).to_dict("records")
    assert row["task"] == latm.TITLES[category]
    assert (row["instances"], row["right"]) == (10, 10)


def test_how_programs_end_is_told_apart():
    problems = bbh.problems("bbh", "word_sorting", [("q", "a b")] * 5)
    ends = [("ok", "a b"), ("ok", "b a"), ("error", ""), ("timeout", ""), ("memory", "")]
    runs = [Execution(status, output, False, "", 1.0, seconds) for seconds, (status, output) in enumerate(ends)]
    counts = {"instances": 5, "right": 1, "wrong": 1, "failed": 2, "timeout": 1}
    assert latm.tally(problems, runs) == counts | {"seconds": 10, "slowest": 4}


def test_printed_errors_are_split_into_the_tools_and_the_users():
    table = pd.DataFrame([{"task": "Dyck Language", "instances": 240, "right": 234}])
    split = latm.errors(table).set_index("tool_user_model").loc["GPT-3.5 Turbo"]
    assert split["tool"] == pytest.approx(2.5)
    assert split["printed"] == pytest.approx(7.8)
    assert split["user"] == pytest.approx(5.3)
