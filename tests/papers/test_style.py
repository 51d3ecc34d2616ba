"""Figures can be read: series keep apart without colour, print is never ours, absences are named, captions tell."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from PIL import Image

from papers import caption_of, named, reeval, save
from papers.style import DRAWN_TOGETHER, SERIES, drawn_rows
from trove_lite.datasets.base import DIFFICULTY

from ..simulated import candidates
from .test_reeval import FIGURES

PAIRS = [pair for group in DRAWN_TOGETHER for pair in combinations(group, 2)]
#: Linear RGB → what a reader without green cones sees (Machado, Oliveira and Fernandes 2009, severity 1).
DEUTERANOPIA = np.array(
    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
)
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def linear(colour):
    rgb = np.array(to_rgb(colour))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    """CIE L*a*b* of a linear RGB colour."""
    share = TO_XYZ @ np.clip(rgb, 0, 1) / np.array([0.95047, 1, 1.08883])
    f = np.where(share > 0.008856, np.cbrt(share), 7.787 * share + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("pair", PAIRS, ids=" and ".join)
def test_series_drawn_together_keep_apart_in_grey(pair):
    a, b = (lab(linear(SERIES[name].colour))[0] for name in pair)
    assert abs(a - b) >= 6


@pytest.mark.parametrize("pair", PAIRS, ids=" and ".join)
def test_series_drawn_together_keep_apart_without_green_cones(pair):
    a, b = (lab(DEUTERANOPIA @ linear(SERIES[name].colour)) for name in pair)
    assert np.linalg.norm(a - b) >= 15


@pytest.mark.parametrize("name", SERIES)
def test_every_series_stands_out_from_white_as_marks_have_to(name):
    luminance = TO_XYZ[1] @ linear(SERIES[name].colour)
    assert 1.05 / (luminance + 0.05) >= 3


@pytest.mark.parametrize("group", DRAWN_TOGETHER, ids=", ".join)
def test_series_drawn_together_have_marks_of_their_own(group):
    assert len({SERIES[name].marker for name in group}) == len(group)


def test_the_mark_and_colour_of_a_series_are_no_other_ones_where_both_have_a_name_of_their_own():
    """`oracle` is a rule, wherever it is drawn; no two sides or modes share a look."""
    names = ["TROVE", "TROVE, two-stage", "PRIMITIVE", "SKIP pool", "IMPORT", "CREATE", "SKIP"]
    assert len({SERIES[name][:2] for name in names}) == len(names)


@pytest.fixture(scope="module")
def partial():
    """Two categories of seven, TROVE alone: what recorded runs look like."""
    frame = candidates(problems=12)
    return reeval.sides(frame[(frame["method"] == "trove") & frame["category"].isin(["counting", "geometry"])])


@pytest.fixture(scope="module")
def table1(partial):
    return reeval.table1(partial, resamples=10)


def texts(figure):
    return [text.get_text() for axes in figure.axes for text in axes.texts]


def test_absent_categories_have_a_row_and_the_reason_in_it(table1):
    assert drawn_rows(table1)[:2] == ["algebra", "counting"]
    figure = reeval.table1_figure(table1)
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert {"algebra", "precalculus"} <= set(labels)
    assert sum("no TROVE runs" in text for text in texts(figure)) == 5


def test_runs_of_one_category_are_drawn_alone(simulated):
    sides = reeval.sides(simulated[simulated["category"] == "counting"])
    table, gain = reeval.table1(sides, resamples=10), reeval.differences(sides, resamples=10)
    drawn = [reeval.table1_figure(table), reeval.differences_figure(gain)]
    assert [[t.get_text() for t in f.axes[0].get_yticklabels()] for f in drawn] == [["counting"], ["counting"]]


def test_the_reason_is_the_tables_own(table1):
    other = table1.assign(note=table1["note"].str.replace("no TROVE runs of this category", "lost in the post"))
    other.attrs = table1.attrs
    assert any("lost in the post" in text for text in texts(reeval.table1_figure(other)))


def test_a_level_panel_of_an_absent_category_says_why(partial):
    figure = reeval.table9_figure(reeval.table9(partial))
    panel = next(axes for axes in figure.axes if axes.get_title() == "algebra")
    assert [text.get_text() for text in panel.texts] == ["no TROVE runs", "no PRIMITIVE runs"]


@pytest.mark.parametrize(
    ("by", "title", "axis"),
    [(DIFFICULTY, "by difficulty", "level (1 easiest)"), ("school grade", "by school grade", "school grade")],
)
def test_levels_are_called_what_they_are(partial, by, title, axis):
    table9 = reeval.table9(partial)
    table9.attrs["by"] = by
    figure = reeval.table9_figure(table9)
    assert figure.get_suptitle().startswith(f"Problems solved {title}\n")
    assert {axes.get_xlabel() for axes in figure.axes if axes.axison} == {axis}


def points(axes):
    """Where the print stands and where ours does, as (x, y)."""
    ours = {(line.get_xdata()[0], line.get_ydata()[0]) for line in axes.lines if len(line.get_xdata()) == 1}
    return {tuple(offset) for c in axes.collections for offset in np.asarray(c.get_offsets())}, ours


def test_print_has_a_place_of_its_own_above_everything_and_no_colour(table1):
    figure = reeval.table1_figure(table1.assign(published=table1["value"]).pipe(with_attrs, table1))
    printed, ours = points(figure.axes[0])
    assert printed
    assert not printed & ours
    marks = [c for c in figure.axes[0].collections if len(c.get_offsets())]
    highest = max(line.get_zorder() for line in figure.axes[0].lines)
    assert all(c.get_zorder() > highest and to_rgb(c.get_edgecolor()[0]) == (0, 0, 0) for c in marks)


def with_attrs(table, other):
    table.attrs = other.attrs
    return table


def test_the_pool_never_looks_like_primitive(table1):
    figure = reeval.table1_figure(table1)
    drawn = {line.get_color() for line in figure.axes[0].lines}
    assert SERIES["SKIP pool"].colour in drawn
    assert SERIES["PRIMITIVE"].colour not in drawn


@pytest.fixture(scope="module")
def pooled_samples():
    """The table of pooled samples where PRIMITIVE has two runs of nine, and TROVE of fifteen."""
    frame = candidates(problems=4, categories=("counting",))
    fewer = frame[(frame["method"] == "trove") | (frame["sample"] < 9)]
    return reeval.figure4_table(reeval.sides(fewer), resamples=5)


def test_both_sides_of_the_pooled_figure_have_the_same_budgets(pooled_samples):
    budgets = {system: sorted(part["k"].unique()) for system, part in pooled_samples.groupby("system")}
    assert budgets["TROVE, oracle"] == budgets["PRIMITIVE, oracle"] == budgets["TROVE minus PRIMITIVE, oracle"]
    assert max(budgets["TROVE, oracle"]) == 18  # what PRIMITIVE's two runs of nine hold


def test_the_difference_of_pooled_samples_is_that_of_the_two_curves(pooled_samples):
    table = pooled_samples
    row = table[(table["category"] == "counting") & (table["k"] == table["k"].max())].set_index("system")["value"]
    assert row["TROVE minus PRIMITIVE, oracle"] == pytest.approx(row["TROVE, oracle"] - row["PRIMITIVE, oracle"])


def test_a_caption_says_over_what_and_which_interval_and_travels_with_the_file(table1, tmp_path, capsys):
    save(reeval.table1_figure(table1), tmp_path)
    caption = caption_of(tmp_path / "reeval_table1.png")
    assert caption == capsys.readouterr().out.strip()
    for words in ("percent", "24 problems of 2 categories", "2 runs of TROVE", "95 % intervals", "SKIP pool stands in"):
        assert words in caption
    with Image.open(tmp_path / "reeval_table1.png") as picture:
        assert picture.info["Description"] == caption


@pytest.mark.parametrize("name", [name for name in FIGURES if name != "matched_budgets_figure"])
def test_every_figure_has_a_caption_and_nothing_of_its_title_is_clipped(partial, name):
    few = {"table1", "differences", "table5", "figure4_table", "paired_differences", "figure3_table"}
    made = [getattr(reeval, table)(partial, **({"resamples": 5} if table in few else {})) for table in FIGURES[name]]
    figure = getattr(reeval, name)(*made)
    assert "95 % intervals" in figure.caption
    assert "24 problems" in figure.caption
    figure.draw_without_rendering()
    box, page = figure._suptitle.get_window_extent(), figure.bbox
    assert page.x0 <= box.x0
    assert box.x1 <= page.x1
    assert box.y1 <= page.y1


def test_the_margin_is_drawn_where_no_difference_is_at_stake(partial):
    figure = reeval.differences_figure(reeval.differences(partial, resamples=5))
    (band,) = figure.axes[0].patches
    assert sorted({x for x, _ in band.get_corners()}) == [-2, 2]
    assert "within 2 points" in figure.caption


def test_a_budget_that_cannot_be_matched_is_named_with_its_reason():
    row = {"category": "all", "a": "TROVE", "b": "PRIMITIVE", "calls_a": 15.0, "calls_b": 15.0, "problems": 5}
    known = {"budget": "calls", "difference": 0.1, "low": 0.0, "high": 0.2, "note": ""}
    lacking = {"budget": "total tokens", "difference": np.nan, "low": np.nan, "high": np.nan, "note": "no tokens"}
    table = named(pd.DataFrame([row | known, row | lacking]), "reeval_matched_budgets", "", "some runs")
    labels = [text.get_text() for text in reeval.matched_budgets_figure(table).legends[0].get_texts()]
    assert "same total tokens: absent; no tokens" in labels
