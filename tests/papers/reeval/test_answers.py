"""What an essay of the re-evaluation says first."""

import pandas as pd
import pytest

from trove_lite_papers.reeval.answers import about_difference, about_overlap
from trove_lite_papers.two_systems import SKIP_POOL


@pytest.mark.parametrize(
    ("rival", "words"),
    [("PRIMITIVE", "TROVE is ahead"), (SKIP_POOL, "so this cannot be told")],
)
def test_a_stand_in_for_primitive_gets_a_number_and_no_verdict(rival, words):
    row = {"category": "all", "rule": "one_stage", "a": "TROVE", "b": rival, "problems": 528}
    row |= {"difference": 0.038, "low": 0.012, "high": 0.065, "p": 0.004, "p_holm": 0.004}
    found = pd.DataFrame([row | {"category": "counting", "difference": 0.9}, row])
    found.attrs["k"] = 15
    said = about_difference(found)
    assert "+3.8 points [+1.2, +6.5]" in said
    assert words in said
    assert ("ahead" in said) == (rival == "PRIMITIVE")


def test_an_overlap_is_held_against_two_runs_of_its_mode_in_its_category_alone():
    rows = [
        ("algebra", "PRIMITIVE ~ IMPORT", 0.1, 0.2),
        ("counting", "PRIMITIVE ~ IMPORT", 0.3, 0.4),
        ("counting", "two runs of IMPORT", 0.8, 0.9),
    ]
    names = ["category", "system", "value", "high"]
    table = pd.DataFrame(rows, columns=names).assign(source="PRIMITIVE", low=lambda t: t["value"])
    said = about_overlap(table)
    assert "solves in counting" in said
    assert "1 of 1 overlaps" in said
    assert "cannot be told" in about_overlap(table[:2])
