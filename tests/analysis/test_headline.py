"""What a page says first: which system is ahead by the comparison that decides most, and never what
tells nothing."""

import pandas as pd
import pytest

from trove_lite_analysis.differences import points
from trove_lite_analysis.sentence import NOTHING, Sentence, headline

from ..cases import cases

ROW = {
    "rule": "one_stage",
    "k": 15,
    "a": "trove",
    "b": "primitive",
    "difference": 0.0,
    "covers": "",
    "p": 0.1,
}


@pytest.mark.parametrize(
    ("low", "high", "within", "p_holm", "verdict"),
    cases(
        """
        0.01,  0.2,   0.9,   0.01, "trove is ahead"
        -0.2,  -0.01, 0.9,   0.01, "primitive is ahead"
        0.01,  0.2,   0.9,   0.2,  "trove is ahead, but not after correction"
        -0.01, 0.01,  0.001, 1,    "they differ by less than 2 points"
        -0.1,  0.1,   0.9,   1,    "which is ahead is open"
        """
    ),
)
def test_of_several_pairs_the_clearest_over_all_categories_is_said(
    low, high, within, p_holm, verdict
):
    row = ROW | {"low": low, "high": high, "p_within_2": within, "p_holm": p_holm}
    rows = [row | {"problems": problems} for problems in (9, 1200)]
    found = headline(pd.DataFrame(rows))
    assert found.startswith(
        "trove minus primitive, 15 programs a problem each, 1,200 problems: +0.0 points"
    )
    assert found.endswith(f" by one-stage agreement (95 %); {verdict}.")
    shown = f"A difference is shown in {int(p_holm < 0.05)} of 2 pairs; the clearest is "
    assert (
        headline(pd.DataFrame([*rows, rows[0] | {"b": "pot", "p": 0.5, "p_holm": 1}]))
        == shown + found
    )


def test_an_interval_that_covers_everything_is_never_said():
    wide = pd.DataFrame([ROW | {"low": -1, "high": 1, "problems": 9}])
    assert points(next(wide.itertuples())) == "an unknown number of points"
    assert (
        headline(wide)
        == "These runs cannot tell which of trove and primitive is ahead: there are too few."
    )
    row = ROW | {
        "difference": -0.015,
        "low": -0.032,
        "high": 0.002,
        "problems": 1528,
        "rule": "two_stage",
    }
    said = "trove minus primitive, 1,528 problems: -1.5 points [-3.2, +0.2] by two-stage agreement (95 %)"
    assert (
        headline(wide, pd.DataFrame([row]).drop(columns="k")) == f"{said}; which is ahead is open."
    )


def test_runs_of_one_system_are_said_by_mean_spread_and_interval():
    row = {
        "system": "trove",
        "rule": "one_stage",
        "k": 15,
        "value": 0.6,
        "low": 0.5,
        "high": 0.7,
        "problems": 48,
    }
    several = pd.DataFrame([row | {"runs": 5, "run_sd": 0.012}])
    assert headline(pd.DataFrame(), several) == (
        "trove: 60.0 % [50.0, 70.0] (95 %) of 48 problems are right by one-stage agreement: "
        "the mean of 5 runs, whose means spread by 1.2 points (SD)."
    )
    lone = pd.DataFrame([row | {"runs": 1, "run_sd": float("nan"), "k": 1, "low": 0, "high": 1}])
    assert headline(lone) == "trove: 48 problems are too few to tell an accuracy."
    assert headline() == NOTHING


def test_a_name_is_text_where_a_notebook_shows_it():
    assert Sentence("<img src=x>")._repr_html_() == "<p><b>&lt;img src=x&gt;</b></p>"
