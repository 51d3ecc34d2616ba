"""Printed numbers, and what is read, checked and saved of a table."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import trove_lite as tl
import trove_lite_analysis as ta
from trove_lite_papers import check, name_table, save, show, side_by_side
from trove_lite_papers.figures import forest
from trove_lite_papers.tables import COLUMNS, statuses

from ..cases import cases


def table(**columns):
    """Two cells, of which the first has a printed value."""
    rows = {
        "category": ["counting", "geometry"],
        "system": "TROVE",
        "published": [0.27, np.nan],
        "value": [0.25, 0.1],
    }
    rows |= {
        "low": [0.2, 0.05],
        "high": [0.3, 0.15],
        "prediction_low": [0.23, 0.08],
        "prediction_high": [0.275, 0.12],
    }
    rows |= {"p_print": [0.2, np.nan], "source": "TROVE", "note": ""}
    frame = pd.DataFrame(rows | columns).reindex(columns=COLUMNS)
    return name_table(frame, "paper_table1", "Table 1", "some runs")


def test_check_says_in_one_line_how_many_printed_values_agree(capsys, tmp_path):
    found = check(table(), tmp_path)
    said = "1 agree with what five more runs of ours would print, 0 differ, 0 are open\n"
    assert capsys.readouterr().out == f"of 1 printed values of Table 1, {said}"
    assert found["difference"].tolist() == pytest.approx([-0.02])
    assert pd.read_csv(tmp_path / "paper_table1_check.csv")["verdict"].tolist() == ["agrees"]


@pytest.mark.parametrize(
    ("columns", "expected"),
    cases(
        """
        {"p_print": [0.001, NAN]}, ("differs", "")
        {"p_print": [0.03, 0.5]}, ("open", "outside, but so may one cell of many be by chance")
        {"p_print": [0.02, 0.5]}, ("differs", "")
        {"prediction_high": [0.29, 0.12]}, ("open", "inside, but wider than 3 points to a side")
        {"p_print": NAN}, ("open", "a single run cannot say how far a rerun moves")
        """,
        NAN=np.nan,
    ),
)
def test_a_printed_value_differs_where_no_rerun_would_print_it_and_is_open_where_that_cannot_be_told(
    columns, expected
):
    both = (
        {"published": [0.27, 0.1]}
        if np.ndim(columns.get("p_print")) and columns["p_print"][1] == 0.5
        else {}
    )
    found = check(table(**columns, **both)).set_index("category").loc["counting"]
    assert (found["verdict"], found["why"]) == expected


def test_a_table_without_a_value_is_one_line_that_says_why():
    rows = table(value=np.nan, note=["no TROVE runs", "no TROVE runs; no data"])
    for shown in (side_by_side(rows), show(rows)):
        assert shown.to_numpy().tolist() == [["no TROVE runs; no data"]]
        assert shown.index.tolist() == ["Table 1"]
    assert show(name_table(rows.head(0), "a", "A", "", note="no runs")).to_numpy().tolist() == [
        ["no runs"]
    ]


def test_a_shown_estimate_is_in_points_with_its_interval_or_says_that_it_cannot_be_told():
    rows = pd.DataFrame(
        {"a": ["trove_no_import", "pot", "c"], "difference": [-0.015, 0.01, 0.08], "p_holm": 0.5}
    )
    rows = rows.assign(low=[-0.032, -1, np.nan], high=[0.002, 1, np.nan], hit_rate=0.25)
    shown = show(rows, estimate="difference", percent=["hit_rate"])
    assert shown["difference (points)"].tolist() == ["-1.5 [-3.2, +0.2]", "cannot be told", "+8.0"]
    assert (shown["a"][0], shown["hit rate (%)"][0], shown["p, corrected"][0]) == (
        "TROVE without IMPORT",
        25.0,
        0.5,
    )
    assert "<th>0</th>" not in shown._repr_html_()


def test_a_table_and_a_figure_are_saved_under_their_names_and_nothing_without_a_folder(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    for thing, folder in ((table(), ""), (table().head(0), "results"), (Figure(), "")):
        save(thing, folder)
    assert list(tmp_path.iterdir()) == []
    figure = Figure()
    figure.set_label("paper_figure1")
    assert save(table(), tmp_path) is not None
    assert save(figure, tmp_path) is None
    assert {path.name for path in tmp_path.iterdir()} == {"paper_table1.csv", "paper_figure1.png"}
    with pytest.raises(tl.TroveLiteError, match="has no name of its own"):
        save(pd.DataFrame({"a": [1]}), tmp_path)
    save(pd.DataFrame({"a": [1]}), tmp_path, "mine")
    assert (tmp_path / "mine.csv").read_text() == "a\n1\n"


def test_the_same_figure_gives_the_same_bytes(tmp_path, simulated):
    table = ta.accuracy(ta.compare(simulated), rules=("oracle",))
    for folder in (tmp_path / "a", tmp_path / "b"):
        save(forest(table, title="Accuracy"), folder)
    assert (tmp_path / "a/accuracy.png").read_bytes() == (tmp_path / "b/accuracy.png").read_bytes()


def test_a_row_is_measured_a_stand_in_partial_or_absent():
    own = table(value=[0.2, np.nan], note=["", "no runs"])
    rows = pd.concat([own, table(source="SKIP pool", note=["", "1 of 2 runs"])])
    rows.iloc[3, rows.columns.get_loc("source")] = "TROVE"
    assert statuses(rows).tolist() == [
        "measured",
        "absent: no runs",
        "stand-in: SKIP pool",
        "partial: 1 of 2 runs",
    ]
