"""LATM's released tools: they are right, and what is made of how they end."""

import pandas as pd
import pytest

from papers.latm import released as latm
from trove_lite.datasets import bbh
from trove_lite.datasets.base import numbered
from trove_lite.datasets.files import public_paths
from trove_lite.sandbox import Execution


@pytest.mark.parametrize("category", bbh.FILES)
def test_released_tools_are_right_on_what_is_quick(category, box):
    """Five instances a task, or one of what takes seconds each: results/latm/ceiling.csv is of all."""
    if not all(path.is_file() for path in (*public_paths("latm", ".json"), *public_paths("bbh"))):
        pytest.skip("the data folder holds no LATM tools: run `trove-lite fetch latm` or set TROVE_LITE_DATA")
    limit = 1 if category == "chinese_remainder" else 5
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
