"""The first page: claims first, then figures with their captions, then notebooks; safe, and without a network."""

import re

import matplotlib.pyplot as plt
import pandas as pd
import pytest

import trove_lite as tl
from trove_lite.papers import named
from trove_lite.papers.first_page import Book, write_first_page
from trove_lite.papers.style import titled

from .test_claims import MODEL, difference, effect


@pytest.fixture
def page(tmp_path):
    """The page of a folder with two tables and two figures."""

    def of(model=MODEL, *, dataset="math", **rows):
        results, figures = tmp_path / "results", tmp_path / "figures"
        results.mkdir(exist_ok=True)
        tables = {
            "reeval_differences": [difference(0.03, 0.01, 0.05)],
            "reeval_paired": [effect("selection", 0, -1, 1)],
        }
        for name, made in (tables | rows).items():
            pd.DataFrame(made).to_csv(results / f"{name}.csv", index=False)
        for name in ("reeval_figure2", "reeval_table1", "another"):
            figure, _ = plt.subplots(figsize=(1, 1))
            table = named(pd.DataFrame(), name, "", "runs")
            tl.save(titled(figure, table, "A title", caption=f"What {name} <shows>: 95 % intervals"), figures)
            plt.close(figure)
        books = [Book("Does it <win>?", "notebooks/10.html"), Book("Second", "notebooks/11.html", failed=True)]
        path = write_first_page(
            results, figures, title="A <title>", model=model, dataset=dataset, runs="r", books=books
        )
        return path.read_text(encoding="utf-8")

    return of


def test_claims_come_first_then_figures_then_notebooks_then_tables(page):
    text = page()
    places = [text.index(f"<h2>{heading}") for heading in ("What the papers claim", "Figures", "Notebooks", "Tables")]
    assert places == sorted(places)


def test_signs_of_health_stand_before_the_claims_as_text(tmp_path):
    about = {"title": "t", "model": "m", "dataset": "d", "runs": "r", "books": []}
    text = write_first_page(tmp_path, tmp_path, **about, signs=["one <answer>"]).read_text(encoding="utf-8")
    assert "<li>one &lt;answer&gt;</li>" in text
    assert "Signs that" not in write_first_page(tmp_path, tmp_path, **about).read_text(encoding="utf-8")


def test_the_claims_are_a_table_beside_the_page_as_well(page, tmp_path):
    page()
    saved = pd.read_csv(tmp_path / "results/claims.csv")
    assert list(saved)[:4] == ["claim", "paper", "place", "printed"]
    assert 'href="claims.csv"' in page()


def test_runs_of_another_model_never_judge_a_paper(page):
    text = page("practice", dataset="practice")
    assert "nothing here judges a paper" in text
    assert ">✓ so here<" in text
    assert ">✓ holds<" not in text
    assert "a rerun of the paper" not in text


def test_verdicts_are_counted_in_a_sentence(page):
    assert "Of 14 claims: 1 holds, 2 do not, 11 are open." in page(
        reeval_differences=[difference(0.03, 0.01, 0.05), difference(0.03, 0.01, 0.05, rule="oracle")]
    )


def test_figures_stand_in_the_order_of_the_argument_with_their_captions(page):
    text = page()
    assert re.findall(r'<figure id="(\w+)"', text) == ["reeval_table1", "reeval_figure2", "another"]
    assert "What reeval_table1 &lt;shows&gt;: 95 % intervals</figcaption>" in text
    assert text.count("<img") == text.count('alt="What ') == 3


def test_notebooks_are_named_by_their_titles_and_failures_told(page):
    assert '<a href="notebooks/10.html">Does it &lt;win&gt;?</a>' in page()
    assert "Second</a> (failed)" in page()


def test_the_page_loads_nothing_from_elsewhere_and_escapes_what_it_is_told(page):
    text = page()
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//|url\(|@import|<script""", text)
    assert "<title>A &lt;title&gt;</title>" in text


def test_every_cell_of_the_claims_names_its_column_for_narrow_screens(page):
    text = page()
    body = text[text.index("<tbody>") : text.index("</tbody>")]
    names = [re.findall(r'data-name="([^"]+)"', row) for row in body.split("<tr>")[1:]]
    heads = re.findall(r'<th scope="col">([^<]+)</th>', text)
    assert all(row == heads for row in names)


def test_the_view_of_all_problems_is_linked_where_it_is_there(page, tmp_path):
    assert "view.html" not in page()
    (tmp_path / "results/view.html").write_text("x")
    assert 'href="view.html"' in page()


def test_a_report_without_the_papers_tables_has_no_claims(tmp_path):
    (tmp_path / "results").mkdir()
    path = write_first_page(
        tmp_path / "results", tmp_path / "figures", title="t", model=MODEL, dataset="math", runs="", books=[]
    )
    assert "<table" not in path.read_text(encoding="utf-8")
