"""The README says what is true: its commands are command lines, its links and folders are there, its tree is whole."""

import re
import shlex
from pathlib import Path

import pandas as pd
import pytest

from trove_lite.cli import COMMANDS, parser_of

from .conftest import ROOT

TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
SHELL = "\n".join(re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL)).replace("\\\n", " ")
TREE = re.search(r"```\n(trove_lite/ .*?)```", TEXT, re.DOTALL)[1]


@pytest.mark.parametrize("line", re.findall(r"^trove-lite .*$", SHELL, re.MULTILINE))
def test_every_command_is_a_command_line(line):
    name, *words = shlex.split(line.replace("…", ""), comments=True)[1:]
    assert name in COMMANDS
    parser_of(name).given(words)


def test_every_make_target_is_there():
    text = TEXT + (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    targets = set(re.findall(r"(?:`|^)make ([a-z-]+)", text, re.MULTILINE))
    made = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert targets
    assert targets <= made


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\((?!http)([^)#]+)", TEXT))))
def test_every_link_leads_somewhere(link):
    assert (ROOT / link).exists()


def test_the_tree_names_every_folder_with_a_clause_and_no_wildcard():
    told = {}
    for package, inside in re.findall(r"^(trove_lite\w*)/.*\n((?:  .*\n)+)", TREE, re.MULTILINE):
        told |= (found := dict(re.findall(r"^  (\w+)/ +(.+)$", inside, re.MULTILINE)))
        folders = {path.name for path in (ROOT / package).iterdir() if path.is_dir() and path.name[0] != "_"}
        assert set(found) == folders
    top = dict(re.findall(r"^(\w+)/ +(.+)$", TREE, re.MULTILINE))
    folders = {path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith((".", "_"))}
    assert set(top) == folders - {"runs", "data", "dist", "shared", "book"}
    assert all(told.values())
    assert "*" not in TREE


#: What paragraphs tell of a table.
COLUMNS = ["value", "low", "high", "difference", "majority", "majority_low", "majority_high", "published", "calls"]


def paragraphs() -> list[tuple[str, list[Path]]]:
    """Paragraphs below a comment `numbers: FILE, …`, with these files; one without a folder is in the last one's."""
    found = []
    for names, paragraph in re.findall(r"<!-- numbers: (.*?) -->\n(.*?)\n\n", TEXT, re.DOTALL):
        files, folder = [], ROOT
        for name in re.split(r",\s+", names):
            folder = (ROOT / name).parent if "/" in name else folder
            files.append(folder / name.rpartition("/")[2])
        found.append((paragraph, files))
    return found


@pytest.mark.parametrize(("paragraph", "files"), paragraphs())
def test_every_number_with_a_decimal_stands_in_the_files_named_above_it(paragraph, files):
    """As a percentage, in points or as it is: after results change, a paragraph that was not renewed is seen."""
    values = [value for file in files for value in pd.read_csv(file).filter(COLUMNS).to_numpy().ravel()]
    known = {f"{abs(scale * value):.1f}" for value in values for scale in (1, 100)}
    said = re.findall(r"(?<![\w.+-])[+-]?(\d+\.\d)(?![\w.])", paragraph)
    assert set(said) <= known


def test_the_book_holds_every_essay_and_every_page_of_the_docs():
    toc = set(re.findall(r"(?:file|root): (\S+)", (ROOT / "docs" / "toc.yml").read_text()))
    pages = [*(ROOT / "docs").glob("*.md"), *(ROOT / "notebooks").glob("*.ipynb"), ROOT / "README.md"]
    assert {path.relative_to(ROOT).with_suffix("").as_posix() for path in pages} <= toc
    assert all((ROOT / f"{page}.md").is_file() or (ROOT / f"{page}.ipynb").is_file() for page in toc)


def test_the_environment_has_all_that_the_kit_is_named_for():
    named = set(re.findall(r"^ +- ([a-z]+)", (ROOT / "environment.yml").read_text(), re.MULTILINE))
    assert {"jupyterlab", "papermill", "vllm", "pandas", "seaborn", "sympy", "scipy", "matplotlib"} <= named
