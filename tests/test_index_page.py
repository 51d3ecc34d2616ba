"""The page that a report opens with: signs first, then figures with captions, notebooks, tables; safe, offline."""

import re

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from papers import named, save
from papers.figures import titled
from trove_lite.index_page import Book, write_index_page

BOOKS = [Book("Does it <win>?", "notebooks/10.html"), Book("Second", "notebooks/11.html", failed=True)]


@pytest.fixture
def page(tmp_path):
    """The page of a folder with a table and two figures."""
    results, figures = tmp_path / "results", tmp_path / "figures"
    results.mkdir()
    pd.DataFrame({"a": [1]}).to_csv(results / "claims.csv", index=False)
    for name in ("figure10", "figure2"):
        figure, _ = plt.subplots(figsize=(1, 1))
        save(
            titled(figure, named(pd.DataFrame(), name, "", "runs"), "A title", caption=f"What {name} <shows>"), figures
        )
        plt.close(figure)
    return lambda **about: write_index_page(
        results, figures, title="A <title>", runs="r", books=BOOKS, **about
    ).read_text(encoding="utf-8")


def test_figures_then_notebooks_then_tables(page):
    places = [page().index(f"<h2>{heading}") for heading in ("Figures", "Notebooks", "Tables")]
    assert places == sorted(places)


def test_signs_of_health_stand_first_as_text(page):
    assert "<li>one &lt;answer&gt;</li>" in page(signs=["one <answer>"])
    assert "Signs that" not in page()


def test_figures_are_in_natural_order_with_their_captions(page):
    text = page()
    assert re.findall(r'<figure id="(\w+)"', text) == ["figure2", "figure10"]
    assert text.count("<img") == text.count('alt="What ') == 2
    assert "What figure2 &lt;shows&gt;</figcaption>" in text


def test_notebooks_are_named_by_their_titles_and_failures_told(page):
    assert '<a href="notebooks/10.html">Does it &lt;win&gt;?</a>' in page()
    assert "Second</a> (failed)" in page()


def test_the_page_loads_nothing_from_elsewhere_and_escapes_what_it_is_told(page):
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//|url\(|@import|<script""", page())
    assert "<title>A &lt;title&gt;</title>" in page()


def test_the_view_of_all_problems_is_linked_where_it_is_there(page, tmp_path):
    assert "view.html" not in page()
    (tmp_path / "results/view.html").write_text("x")
    assert 'href="view.html"' in page()
