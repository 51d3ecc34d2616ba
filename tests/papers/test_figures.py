"""Figures can be read: series keep apart without colour, print is never ours, absences are named,
captions tell."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import PathCollection
from matplotlib.colors import to_rgb
from PIL import Image

from trove_lite_papers import name_table, save
from trove_lite_papers.captions import STANDINGS
from trove_lite_papers.figures import STYLES, curve, forest, heat, style_of, styles_of

from ..cases import cases

#: What stands in one figure, and has to be told apart there without colour.
DRAWN_TOGETHER = cases(
    """
    "TROVE",     "TROVE, two-stage", "PRIMITIVE", "SKIP pool"
    "TROVE",     "PRIMITIVE",        "INSTANCE",  "TROVE without IMPORT"
    "CREATOR",   "PoT",              "Entangled", "PRIMITIVE"
    "TROVE",     "PRIMITIVE",        "CREATOR",   "PoT"
    "TROVE",     "PRIMITIVE",        "INSTANCE",  "PoT"
    "TROVE",     "CREATOR",          "LATM"
    "LATM",      "CoT",              "PRIMITIVE"
    "IMPORT",    "CREATE",           "SKIP"
    "one-stage", "oracle"
    "oracle",    "two-stage",        "pass@1",    "finished"
    """
)
PAIRS = [pair for group in DRAWN_TOGETHER for pair in combinations(group, 2)]


def luminance(colour):
    """Of a colour in sRGB, from 0 to 1."""
    rgb = np.array(to_rgb(colour))
    return np.array([0.2126, 0.7152, 0.0722]) @ np.where(
        rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4
    )


@pytest.mark.parametrize("pair", PAIRS, ids=" and ".join)
def test_series_drawn_together_keep_apart_in_marks_and_in_grey(pair):
    light, other = (luminance(STYLES[name].colour) for name in pair)
    assert (
        abs(116 * (np.cbrt(light) - np.cbrt(other))) >= 6
    )  # in L*, of which 100 are from black to white
    assert STYLES[pair[0]].marker != STYLES[pair[1]].marker
    assert all(1.05 / (each + 0.05) >= 3 for each in (light, other))  # from white, as marks have to


def test_a_method_styles_of_alike_whatever_its_variant_and_two_in_one_figure_are_told_apart():
    assert style_of("PRIMITIVE, K=15") == style_of("primitive") == STYLES["PRIMITIVE"]
    found = styles_of(["CREATOR, thoughts", "CREATOR", "a", "b", "c", "d", "e", "f"])
    assert found["CREATOR, thoughts"].colour == found["CREATOR"].colour
    assert len({each.marker for each in found.values()}) == len(found)
    assert not any(each.hollow for each in found.values())  # hollow says that a difference is open


def rows(**columns):
    """Two systems in three categories, of which the last was not measured."""
    frame = pd.DataFrame({"category": ["counting", "number", "algebra"] * 2})
    frame["value"] = [0.4, 0.5, np.nan, 0.3, 0.6, np.nan]
    frame["system"], frame["source"] = (
        ["TROVE"] * 3 + ["PRIMITIVE"] * 3,
        ["TROVE"] * 3 + ["SKIP pool"] * 3,
    )
    frame["note"], frame["k"] = ["", "", "no TROVE runs"] * 2, [1, 3, 5] * 2
    frame = frame.assign(
        low=frame["value"] - 0.1, high=frame["value"] + 0.1, runs=2, problems=12
    ).assign(**columns)
    return name_table(frame, "a_table", "A table", "some model, some runs")


@pytest.mark.parametrize(
    ("draw", "given"),
    [(forest, {}), (curve, {}), (heat, {"rows": "system", "columns": "category", "label": "%"})],
)
def test_a_figure_has_a_title_a_file_and_a_caption_or_is_none(draw, given, tmp_path, capsys):
    figure = draw(rows(), title="T", **given)
    assert figure.get_suptitle() == "T: some model, some runs"
    assert "95 % intervals" in figure.caption
    assert "24 problems of 2 categories; 2 runs of TROVE" in figure.caption
    assert "SKIP pool stands in" in figure.caption
    save(figure, tmp_path)
    assert capsys.readouterr().out.strip() == figure.caption
    with Image.open(tmp_path / "a_table.png") as picture:
        assert picture.info["Description"] == figure.caption
    assert draw(rows(value=np.nan), title="T", **given) is None


def test_what_was_not_measured_has_no_row_and_its_reason_stands_in_the_caption():
    figure = forest(rows(), title="T")
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == [
        "counting",
        "number",
    ]
    assert "Not measured: algebra (no TROVE runs)." in figure.caption


def test_a_heat_maps_panel_may_lack_a_column():
    cells = pd.DataFrame(
        {"panel": list("aab"), "row": list("xxx"), "column": list("uvu"), "value": [0.1, 0.2, 0.3]}
    )
    figure = heat(
        name_table(cells, "heat", "heat"),
        title="t",
        rows="row",
        columns="column",
        panel="panel",
        label="%",
    )
    assert [len(axes.get_xticklabels()) for axes in figure.axes[:2]] == [2, 2]


def test_a_series_has_its_height_in_every_row_and_says_where_it_was_not_measured():
    (axes,) = forest(rows(value=[0.4, 0.5, np.nan, 0.3, np.nan, np.nan]), title="T").axes
    (note,) = (text for text in axes.texts if text.get_text() == "not measured")
    heights = [
        float(y)
        for dots in axes.collections
        if len(dots.get_offsets())
        for _, y in dots.get_offsets()
    ]
    assert round(note.get_position()[1] - 1, 6) in {
        round(y, 6) for y in heights
    }  # that of the row above


def test_where_a_rerun_falls_is_drawn_beside_print_alone_and_the_stand_ins_print_has_the_mark_of_primitive():
    ends = {"prediction_low": 0.1, "prediction_high": 0.7}
    bare, beside = (forest(rows(**more), title="T") for more in (ends, ends | {"published": 0.4}))
    shown = [
        [text.get_text() for text in figure.legends[0].get_texts()] for figure in (bare, beside)
    ]
    assert "where five new runs would fall" not in shown[0]
    assert {"where five new runs would fall", "the paper's value", "the paper's PRIMITIVE"} <= set(
        shown[1]
    )


def test_panels_with_one_label_have_one_scale_from_zero():
    table = pd.concat([rows(part="a"), rows(part="b", value=0.05, low=0.04, high=0.06)])
    labels = ("k", {"a": "accuracy", "b": "accuracy"})
    drawn = {
        "x": forest(table, panel="part", title="T"),
        "y": curve(table, panel="part", labels=labels, title="T"),
    }
    for axis, figure in drawn.items():
        first, second = (getattr(axes, f"get_{axis}lim")() for axes in figure.axes)
        assert first == second
        assert first[0] == 0


def test_a_figure_says_of_how_many_problems_its_rows_steps_or_panels_are_and_once():
    table = pd.DataFrame(
        {"category": ["a", "b\nn = 7"], "level": ["1", "2"], "system": "TROVE", "value": [0.2, 0.3]}
    )
    for problems, names, at in (
        ([1500, 7], ["a\nn = 1,500", "b\nn = 7"], ""),
        (9, ["a", "b\nn = 7"], ", n = 9"),
    ):
        here = table.assign(problems=problems)
        (rows_of,), (steps,), panels = (
            figure.axes
            for figure in (
                forest(here, title="T", label="share"),
                curve(here, x="level", title="T", labels=("level", "share")),
                curve(here, x="level", panel="category", title="T", labels=("level", "share")),
            )
        )
        assert [label.get_text() for label in rows_of.get_yticklabels()] == names
        assert rows_of.get_xlabel() == f"share{at}"
        assert steps.get_xlabel() == panels[0].get_xlabel() == f"level{at}"
        assert panels[0].get_title() == names[0].replace("\n", ", ")
        ticks = ["1", "2"] if at else ["1\nn = 1,500", "2\nn = 7"]
        assert [label.get_text() for label in steps.get_xticklabels()] == ticks


def differing(**columns):
    """Five differences of which the last does not count."""
    frame = pd.DataFrame({"category": list("abcde"), "difference": [0.1, 0.1, 0.01, -0.1, 0.1]})
    frame["low"], frame["high"] = frame["difference"] - 0.05, frame["difference"] + 0.05
    frame["p"], frame["p_holm"] = [0.01, 0.03, 0.7, 0.03, 0.01], [0.01, 0.12, 1, 0.12, np.nan]
    frame["counts"], frame["reason"] = [True] * 4 + [False], [""] * 4 + ["too few tools"]
    return name_table(frame.assign(system="TROVE").assign(**columns), "d", "D")


def drawn_marks(axes):
    """Of each dot, from the top, whether it is filled."""
    (dots,) = (one for one in axes.collections if isinstance(one, PathCollection))
    heights = dots.get_offsets()[:, 1]
    faces = np.broadcast_to(dots.get_facecolors(), (len(heights), 4))
    return [bool((faces[i, :3] < 1).any()) for i in np.argsort(heights)]


def test_a_difference_is_filled_where_it_counts_and_is_shown_and_an_open_one_says_why():
    figure = forest(differing(), title="T", value="difference", label="points", margin=0.02)
    (axes,) = figure.axes
    assert drawn_marks(axes) == [True, False, False, False, False]
    assert [text.get_text() for text in axes.texts] == ["open: p = 0.12 by Holm"] * 2
    told = [text.get_text() for text in figure.legends[0].get_texts()]
    assert told == ["TROVE", *STANDINGS]
    assert "Not counted: too few tools." in figure.caption
    dotted = [str(line) for bars in axes.collections for line in bars.get_linestyles()]
    assert len(set(dotted)) == 2


@pytest.mark.parametrize(
    ("columns", "margin", "filled"),
    [
        ({"p_holm": None}, 0, [True, True, False, True, False]),  # an interval that leaves 0 out
        ({"sure": [False] * 5, "counts": True}, 0, [False] * 5),
        (
            {"p": None, "p_holm": None, "counts": True},
            0,
            [True] * 5,
        ),  # accuracies are no differences
        ({"p": None, "p_holm": None, "counts": True}, 0.02, [True, True, False, True, True]),
    ],
)
def test_what_is_shown_is_told_by_correction_else_by_the_interval(columns, margin, filled):
    figure = forest(
        differing(**columns), title="T", value="difference", label="points", margin=margin
    )
    assert drawn_marks(figure.axes[0]) == filled
