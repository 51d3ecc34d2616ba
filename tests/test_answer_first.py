"""The answer first: what each committed essay, and the page of the recorded runs, says before
anything else."""

import html
import re
from functools import cache

import nbformat
import pandas as pd
import pytest
from PIL import Image

from trove_lite_analysis.cli.report import answer
from trove_lite_papers.figures import ALIASES

from .conftest import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
#: The first is a run of one's own: what it says is of nothing that is kept.
ESSAYS = NOTEBOOKS[1:]
NUMBER = r"[+-]?\d+(?:\.\d+)?"
ESTIMATE = re.compile(rf"({NUMBER})(?: %| points)? \[({NUMBER}), ({NUMBER})\]")
#: A difference by its systems, as a sentence, a caption or a title has it.
SYSTEM = r"([\w-]+(?: without IMPORT| with an empty toolbox| pool)?)"
CONTRAST = re.compile(f"{SYSTEM} minus {SYSTEM}")
PAGE = "codellama-7b-instruct"
SYSTEMS = {"tools": "a", "without": "b"}  # what the answer's table calls them


def text_of(output) -> str:
    data = output.get("data", {})
    words = output.get("text") or data.get("text/html") or data.get("text/plain", "")
    return html.unescape(re.sub("<[^>]+>", " ", words)).strip()


@cache
def outputs(path) -> list:
    """What an essay shows, in order: texts, and None for a figure."""
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    shown = [output for cell in cells for output in cell.outputs]
    return [None if "image/png" in output.get("data", {}) else text_of(output) for output in shown]


def first_sentences() -> dict[str, str]:
    known = {path.stem: outputs(path)[0].split("\n")[0] for path in ESSAYS}
    return known | {PAGE: answer(ROOT / "results" / PAGE)[0]}


FIRST = first_sentences()
#: Essays whose answer a table says better than a figure.
TABLE_FIRST = {"04_calls"}


@pytest.mark.parametrize("path", ESSAYS, ids=lambda p: p.stem)
def test_an_essay_begins_with_a_sentence_and_a_figure_before_its_method(path):
    cells = nbformat.read(path, as_version=4).cells
    kinds = [cell.cell_type for cell in cells]
    assert kinds[:3] == ["markdown", "code", "code"]
    assert cells[0].source.startswith("# ")
    assert "parameters" in cells[1].metadata["tags"]
    method = kinds.index("markdown", 1)
    wanted = "text/html" if path.stem in TABLE_FIRST else "image/png"
    shown = [output.get("data", {}) for cell in cells[1:method] for output in cell.outputs]
    assert any(wanted in data for data in shown)
    if path.stem not in TABLE_FIRST:
        assert outputs(path).index(None) <= 2  # after the sentence and the caption alone


# lines, blank ones and comments too, at most
LOAD = 8
CELL = 40


def code_cells(path) -> list:
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_notebook_loads_in_a_few_lines_and_none_of_its_cells_is_long(path):
    lines = [len(cell.source.splitlines()) for cell in code_cells(path)]
    assert lines[1] <= LOAD
    assert max(lines) <= CELL


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_notebook_shows_its_code(path):
    """A report's pages leave it out; GitHub and JupyterLab show it."""
    for cell in code_cells(path):
        assert "hide-input" not in cell.metadata.get("tags", ())
        assert not cell.metadata.get("jupyter", {}).get("source_hidden")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_kernel_without_the_package_is_told_in_one_line_what_to_do(path, monkeypatch):
    """In the first cell that does anything; nothing is imported before."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    code = code_cells(path)[1].source
    with pytest.raises(SystemExit, match=r"^this kernel lacks trove_lite: [^\n]*`make lab`[^\n]*$"):
        exec(compile(code, path.name, "exec"), {})


def test_all_notebooks_name_one_kernel():
    kernels = [nbformat.read(path, as_version=4).metadata["kernelspec"] for path in NOTEBOOKS]
    assert {(kernel["name"], kernel["language"]) for kernel in kernels} == {("python3", "python")}


def test_one_command_opens_the_notebooks_in_jupyterlab_and_says_with_which_to_begin():
    recipe = (ROOT / "Makefile").read_text().split("\nlab:")[1].split("\n\n")[0]
    assert "jupyterlab --notebook-dir notebooks" in recipe
    begun = set(re.findall(r"\w+\.ipynb", recipe))
    assert begun
    assert begun <= {path.name for path in NOTEBOOKS}
    assert "make lab" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_figure_of_a_notebook_has_words_for_those_who_do_not_see_it(path):
    shown = [output for cell in code_cells(path) for output in cell.outputs]
    pictures = [output for output in shown if "image/png" in output.get("data", {})]
    words = [output.metadata.get("image/png", {}).get("alt", "") for output in pictures]
    assert len(words) > 0 or path.stem in TABLE_FIRST
    assert min(map(len, words), default=99) > 40


@pytest.mark.parametrize("sentence", FIRST.values(), ids=FIRST)
def test_a_first_sentence_has_a_number_whose_interval_does_not_cover_everything_or_says_that_it_cannot_tell(
    sentence,
):
    found = ESTIMATE.findall(sentence)
    assert found or "cannot" in sentence
    for value, low, high in ((float(number) for number in each) for each in found):
        assert low <= value <= high
        assert high - low < 100


def named(contrast: re.Match) -> tuple[str, str]:
    return tuple(ALIASES.get(name, name) for name in contrast.groups())


def contrasts(text: str) -> set[tuple[str, str]]:
    return {named(found) for found in CONTRAST.finditer(text)}


@pytest.mark.parametrize("path", ESSAYS, ids=lambda p: p.stem)
def test_a_difference_is_taken_the_same_way_round_in_sentence_figure_and_table(path):
    shown = contrasts(
        " ".join(
            [*filter(None, outputs(path)), *(cell.source for cell in nbformat.read(path, 4).cells)]
        )
    )
    assert shown & {(b, a) for a, b in shown} == set()
    for contrast, estimate in zip(
        CONTRAST.finditer(FIRST[path.stem]), ESTIMATE.findall(FIRST[path.stem]), strict=False
    ):
        assert estimate in in_tables(*named(contrast))


def test_the_first_figure_of_a_page_is_of_the_table_of_its_sentence():
    sentence, table = answer(ROOT / "results" / PAGE)
    (contrast,) = contrasts(sentence)
    with Image.open(ROOT / "figures" / PAGE / f"{table}.png") as picture:
        assert contrasts(picture.info["Title"]) == {contrast}


@cache
def in_tables(a: str, b: str) -> set[tuple[str, ...]]:
    """A minus B in all committed tables, as a sentence has it."""
    tables = [pd.read_csv(path) for path in (ROOT / "results").glob("*/*.csv")]
    tables = [table if "a" in table else table.rename(columns=SYSTEMS) for table in tables]
    tables = [table for table in tables if {"a", "b"} <= set(table)]
    rows = [t[(t["a"].replace(ALIASES) == a) & (t["b"].replace(ALIASES) == b)] for t in tables]
    rows = [
        r[["difference", "low", "high"]].dropna()
        for r in rows
        if {"difference", "low", "high"} <= set(r)
    ]
    return {
        tuple(f"{100 * number:+.1f}" for number in row) for own in rows for row in own.to_numpy()
    }
