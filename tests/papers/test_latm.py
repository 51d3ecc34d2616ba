"""LATM's released tools: that arguments are read without fault, and what is made of how the tools end."""

import itertools
import re

import pandas as pd
import pytest

from papers.latm import released as latm
from practice.latm_tasks import make_remainder, make_schedule
from trove_lite.datasets import bbh
from trove_lite.datasets.base import numbered
from trove_lite.datasets.files import public_paths
from trove_lite.sandbox import Execution

BIRDS = (
    "The following paragraphs each describe a set of three objects arranged in a fixed order. The statements are "
    "logically consistent within each paragraph. On a branch, there are three birds: a quail, an owl, and a blue jay. "
    "The owl is to the right of the quail. The blue jay is the second from the right.\n"
    "Options:\n(A) The quail is the rightmost\n(B) The owl is the rightmost\n(C) The blue jay is the rightmost"
)


def block(category, question):
    """What a reader's block leaves behind, its tool being a stand-in that keeps the arguments."""
    names = re.findall(r"ret1? = (\w+)\(", latm.READERS[category](question))
    kept = {}
    tool = {names[0]: lambda *arguments: kept.update(arguments=arguments)}
    code = latm.READERS[category](question).split("\nans")[0].split("\noptions")[0]
    exec(code, tool | kept)
    return kept["arguments"]


def test_arguments_are_read_without_fault():
    objects, constraints = block("logical_deduction", BIRDS)
    assert objects == ["quail", "owl", "blue jay"]
    fit = [order for order in itertools.permutations(objects) if all(holds(order) for holds in constraints)]
    assert fit == [("quail", "blue jay", "owl")]
    assert "v == ret[-1]" in latm.logical_deduction(BIRDS)
    question, answer = make_remainder(3)
    limit, divisors, remainders = block("chinese_remainder", question)
    assert [int(answer) % divisor for divisor in divisors] == remainders
    assert limit == divisors[0] * divisors[1] * divisors[2]
    question, _ = make_schedule(3)
    *free, minutes = block("schedule_meeting", question)
    for times, line in zip(free, question.split("\n")[1:], strict=False):
        assert ", ".join(" - ".join(pair) for pair in times) == line.partition(": ")[2]
    assert f"{minutes / 60:g}-hour" in question


def test_a_place_is_an_index():
    places = {"the leftmost": 0, "the third from the left": 2, "the second from the right": -2, "the second-oldest": 1}
    places |= {"the third-newest": -3, "the cheapest": 0, "the most expensive": -1}
    places |= {"finished first": 0, "finished second-to-last": -2}
    assert {phrase: latm.place(phrase) for phrase in places} == places


@pytest.mark.parametrize("category", bbh.FILES)
def test_released_tools_are_right_on_what_is_quick(category, box):
    """Ten instances a task, or two of what takes seconds each: results/latm/ceiling.csv is of all."""
    if not all(path.is_file() for path in (*public_paths("latm", ".json"), *public_paths("bbh"))):
        pytest.skip("the data folder holds no LATM tools: run `trove-lite fetch latm` or set TROVE_LITE_DATA")
    limit = 2 if category == "chinese_remainder" else 10
    (row,) = latm.ceiling(box, [category], limit=limit).to_dict("records")
    assert (row["task"], row["instances"], row["right"]) == (latm.TITLES[category], limit, limit)


def test_how_programs_end_is_told_apart():
    problems = numbered("bbh", "word_sorting", [("q", "a b")] * 5)
    ends = [("ok", "a b"), ("ok", "b a"), ("error", ""), ("timeout", ""), ("memory", "")]
    runs = [Execution(status, output, False, "", 1.0, seconds) for seconds, (status, output) in enumerate(ends)]
    counts = {"instances": 5, "right": 1, "wrong": 1, "failed": 2, "timeout": 1}
    assert latm.tally(problems, runs) == counts | {"seconds": 10, "slowest": 4}


def test_printed_errors_are_split_into_the_tools_and_the_users():
    table = pd.DataFrame([{"task": "Dyck Language", "instances": 240, "right": 234}])
    split = latm.errors(table).set_index("tool_user_model").loc["GPT-3.5 Turbo"]
    assert split[["tool", "printed", "user"]].tolist() == pytest.approx([2.5, 7.8, 5.3])
