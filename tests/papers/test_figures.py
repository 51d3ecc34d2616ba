"""Figures can be read: series keep apart without colour, print is never ours, absences are named, captions tell."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from PIL import Image

from papers import name_table, save
from papers.figures import LOOKS, curve, forest, heat, look, looks

#: What stands in one figure, and has to be told apart there without colour as well.
DRAWN_TOGETHER = (
    ("TROVE", "TROVE, two-stage", "PRIMITIVE", "SKIP pool"),
    ("TROVE", "PRIMITIVE", "INSTANCE", "TROVE without IMPORT"),
    ("CREATOR", "PoT", "Entangled", "PRIMITIVE"),
    ("TROVE", "CREATOR", "LATM"),
    ("LATM", "CoT", "PRIMITIVE"),
    ("IMPORT", "CREATE", "SKIP"),
    ("one-stage", "oracle"),
    ("oracle", "two-stage", "pass@1", "finished"),
)
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
def test_series_drawn_together_keep_apart_in_marks_in_grey_and_without_green_cones(pair):
    colours = [linear(LOOKS[name].colour) for name in pair]
    assert abs(np.subtract(*(lab(colour)[0] for colour in colours))) >= 6
    assert np.linalg.norm(np.subtract(*(lab(DEUTERANOPIA @ colour) for colour in colours))) >= 15
    assert LOOKS[pair[0]].marker != LOOKS[pair[1]].marker
    assert all(1.05 / (TO_XYZ[1] @ colour + 0.05) >= 3 for colour in colours)  # from white, as marks have to


def test_a_method_looks_alike_whatever_its_variant_and_two_in_one_figure_are_told_apart():
    assert look("PRIMITIVE, K=15") == look("primitive") == LOOKS["PRIMITIVE"]
    found = looks(["CREATOR", "CREATOR, thoughts", "a", "b", "c", "d", "e", "f"])
    assert found["CREATOR, thoughts"] == found["CREATOR"]._replace(hollow=True)
    assert len(set(found.values())) == len(found)


def rows(**columns):
    """Two systems in three categories, of which the last was not measured."""
    frame = pd.DataFrame({"category": ["counting", "number", "algebra"] * 2})
    frame["value"] = [0.4, 0.5, np.nan, 0.3, 0.6, np.nan]
    frame["system"], frame["source"] = ["TROVE"] * 3 + ["PRIMITIVE"] * 3, ["TROVE"] * 3 + ["SKIP pool"] * 3
    frame["note"], frame["k"] = ["", "", "no TROVE runs"] * 2, [1, 3, 5] * 2
    frame = frame.assign(low=frame["value"] - 0.1, high=frame["value"] + 0.1, runs=2, problems=12).assign(**columns)
    return name_table(frame, "a_table", "A table", "some model, some runs")


@pytest.mark.parametrize(
    ("draw", "given"), [(forest, {}), (curve, {}), (heat, {"rows": "system", "columns": "category", "label": "%"})]
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
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["counting", "number"]
    assert "Not measured: algebra (no TROVE runs)." in figure.caption
