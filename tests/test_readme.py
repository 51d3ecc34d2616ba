"""The README says what is true: its commands are command lines, its links and folders are there,
its tree is whole."""

import json
import re
import shlex
import tomllib
from os.path import normpath
from pathlib import Path, PurePosixPath
from subprocess import run

import pandas as pd
import pytest
import yaml
from packaging.requirements import Requirement

from trove_lite.cli import kit_commands, parser_of
from trove_lite.datasets import DATASETS
from trove_lite.methods import METHODS

from .conftest import AWAY, ROOT
from .links import broken_links

OF_THE_WHOLE = pytest.mark.skipif(bool(AWAY), reason="it is about the whole checkout")
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
SHELL = "\n".join(re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL)).replace("\\\n", " ")
#: What a link leads to: [text](HERE "title"), [name]: HERE, href="HERE"; not on the web, nor within
#: its page.
LINK = r"(?m)(?:\]\(<?|^\[[^]]+\]: +|(?:href|src)=[\"'])(?![a-z]+:|#)([^)\s>\"']+)"
TREE = re.search(r"```\n(trove_lite/ .*?)```", TEXT, re.DOTALL)[1]


@pytest.mark.parametrize("line", re.findall(r"^trove-lite .*$", SHELL, re.MULTILINE))
def test_every_command_is_a_command_line(line):
    name, *words = shlex.split(line.replace("…", ""), comments=True)[1:]
    assert name in kit_commands()
    parser_of(name).given(words)


def test_every_make_target_is_there():
    text = TEXT + (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    targets = set(re.findall(r"(?:`|^)make ([a-z-]+)", text, re.MULTILINE))
    made = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert targets
    assert targets <= made


@OF_THE_WHOLE
def test_every_relative_link_of_a_page_leads_to_what_git_keeps():
    """In Markdown or HTML, of a text or an image, to a file or folder; what is made and ignored is
    not on the web."""
    kept = run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    there = {place for file in map(PurePosixPath, kept) for place in (file, *file.parents)}
    pages = [
        file
        for file in kept
        if re.fullmatch(r"[^/]+\.md|(docs|studies|results/[^/]+)/[^/]+\.md", file)
    ]
    texts = {
        page: re.sub(r"(?ms)^```.*?^```$|`[^`\n]+`", "", (ROOT / page).read_text("utf-8"))
        for page in pages
    }
    links = [
        (page, link.partition("#")[0])
        for page, text in texts.items()
        for link in re.findall(LINK, text)
    ]
    assert len(links) > 100
    broken = [
        f"{page}: {at}"
        for page, at in links
        if PurePosixPath(normpath(f"{page}/../{at}")) not in there
    ]
    assert broken == []


def test_links_of_built_pages_that_lead_nowhere_are_told(tmp_path):
    (tmp_path / "a.html").write_text(
        '<a id="x" href="b.html">b</a> <a href="b.html#z">z</a> <a href="http://c">c</a>'
    )
    (tmp_path / "b.html").write_text(
        '<img src="no.png"><a href="a.html#x">a</a><a href="#y">y</a><a href="../o">o</a>'
    )
    told = ["a.html: b.html#z", "b.html: #y", "b.html: ../o", "b.html: no.png"]
    assert broken_links(tmp_path) == told


@OF_THE_WHOLE
def test_the_tree_names_every_folder_in_ten_lines_with_a_clause_and_no_wildcard():
    top = dict(re.findall(r"^(\w+)/ +(.+)$", TREE, re.MULTILINE))
    folders = {
        path.name
        for path in ROOT.iterdir()
        if path.is_dir() and not path.name.startswith((".", "_"))
    }
    assert set(top) == folders - {"runs", "data", "dist", "shared", "book", "site"}
    assert len(TREE.strip().splitlines()) == 10
    assert all(top.values())
    assert "*" not in TREE


#: What paragraphs tell of a table.
COLUMNS = ["difference", "low", "high", "times"]


def paragraphs() -> list[tuple[str, list[Path]]]:
    """Paragraphs below a comment `numbers: FILE, …`, with these files; one without a folder is in
    the last one's."""
    found = []
    for names, paragraph in re.findall(r"<!-- numbers: (.*?) -->\n(.*?)\n\n", TEXT, re.DOTALL):
        files = []
        folder = ROOT
        for name in re.split(r",\s+", names):
            folder = (ROOT / name).parent if "/" in name else folder
            files.append(folder / name.rpartition("/")[2])
        found.append((paragraph, files))
    return found


@pytest.mark.parametrize(("paragraph", "files"), paragraphs())
def test_every_number_with_a_decimal_stands_in_the_files_named_above_it(paragraph, files):
    """As a percentage, in points or as it is: after results change, a paragraph that was not
    renewed is seen."""
    values = [
        value for file in files for value in pd.read_csv(file).filter(COLUMNS).to_numpy().ravel()
    ]
    known = {f"{abs(scale * value):.1f}" for value in values for scale in (1, 100)}
    said = re.findall(r"(?<![\w.+-])[+-]?(\d+\.\d)(?![\w.])", paragraph)
    assert set(said) <= known


#: Of how many problems, points, within what, and at what price: "On 480 … 2.2 points lower
#: [4.3 lower to 0.0 higher], at 1.7 times".
RANGE = re.compile(
    r"[Oo]n (?:these )?([\d,]+\d)\b[^[\n]*? (\d+\.\d) points (lower|higher)[^[]*"
    r"\[(\d+\.\d)( lower| higher)? to (\d+\.\d) (lower|higher)\](?:, at (\d+\.\d) times)?"
)


def signed(number: str, word: str) -> float:
    return float(number) * (-1 if word.strip() == "lower" else 1)


def test_each_line_of_the_answer_is_a_row_of_its_file_with_its_problems():
    told = 0
    for paragraph, files in paragraphs():
        rows = pd.concat([pd.read_csv(file) for file in files])
        for problems, value, word, low, own, high, last, times in RANGE.findall(paragraph):
            ends = (value, word), (low, own or last), (high, last)
            wanted = [signed(*end) for end in ends]
            here = rows[rows["problems"] == int(problems.replace(",", ""))]
            here = here[here["times"].round(1) == float(times)] if times else here
            found = 100 * here[["difference", "low", "high"]]
            assert (found.round(1).to_numpy() == wanted).all(axis=1).any(), (value, word, problems)
            told += 1
    assert told == 11


@OF_THE_WHOLE
def test_the_book_holds_every_essay_and_every_page_of_the_docs():
    toc = set(re.findall(r"(?:file|root): (\S+)", (ROOT / "docs" / "toc.yml").read_text()))
    pages = [
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / "notebooks").glob("*.ipynb"),
        ROOT / "README.md",
    ]
    assert {path.relative_to(ROOT).with_suffix("").as_posix() for path in pages} <= toc
    assert all(
        (ROOT / f"{page}.md").is_file() or (ROOT / f"{page}.ipynb").is_file()
        for page in toc - {"essays"}  # `make book` writes it
    )


def words(text: str) -> int:
    """Words of a page, without code, comments and addresses."""
    for left_out in (r"(?ms)^```.*?^```$|<!--.*?-->", r"(?m)^    .*$", r"\]\([^)]*\)"):
        text = re.sub(left_out, " ", text)
    return len(re.findall(r"\S*\w\S*", text))


def sentences(text: str) -> list[str]:
    """What a page says, without code, tables, comments, addresses and headings."""
    for left_out in (r"(?ms)^```.*?^```$|<!--.*?-->", r"(?m)^(\||#|!).*$", r"\]\([^)]*\)"):
        text = re.sub(left_out, "\n\n", text) if "#" in left_out else re.sub(left_out, " ", text)
    parts = re.split(r"\n\s*\n|\n(?=[-\d])", text)
    return [one for part in parts for one in re.split(r"(?<=[.?!])[*)]*\s+", part) if words(one)]


def test_the_first_page_is_short_and_its_sentences_too():
    assert words(TEXT) <= 1_300
    assert TEXT[: TEXT.index(TREE)].count("\n") <= 100
    assert [one for one in sentences(TEXT) if words(one) > 25] == []


def test_the_answer_needs_no_word_of_the_list_of_words():
    """But *tool*, which it explains."""
    design = (ROOT / "docs/design.md").read_text(encoding="utf-8")
    table = design[design.index("## Words") : design.index("## By hand")]
    known = re.findall(r"(?m)^\| ([\w ,]+) \| ", table.split("---|", 1)[1])
    known = {word for entry in known for word in entry.split(", ")} - {"tool"}
    assert len(known) == 5
    answer = TEXT[: TEXT.index("## Two commands")]
    assert [word for word in sorted(known) if re.search(rf"(?i)\b{word}s?\b", answer)] == []


@OF_THE_WHOLE
def test_all_pages_together_are_at_most_34_000_words():
    """Plans, logs and history among them."""
    listed = run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True)
    texts = [(ROOT / name).read_text(encoding="utf-8") for name in listed.stdout.splitlines()]
    assert len(texts) > 20
    assert sum(len(text.split()) for text in texts) <= 34_000


def test_what_a_user_reads_is_at_most_9_000_words():
    """README and docs. The history is a log, and has a line a finding."""
    pages = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md")}
    assert (
        sum(words(text) for name, text in pages.items() if name != "history") + words(TEXT) <= 9_000
    )
    lines = [line for line in pages["history"].splitlines() if line.startswith("-")]
    assert all(re.match(r"- `[0-9a-f]{7,8}` ", line) for line in lines)


NAMED_FOR = "jupyterlab papermill vllm pandas seaborn sympy scipy matplotlib"


def test_conda_has_the_packages_that_the_kit_is_named_for_within_pyproject_s_bounds():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    stated = map(
        Requirement,
        sum((extras[each] for each in ("notebooks", "lab", "vllm")), project["dependencies"]),
    )
    bounds = {one.name: one.specifier for one in stated}
    *conda, by_pip = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    *packages, editable = by_pip["pip"]
    assert editable == "--editable .[dev]"
    own = {one.name.removesuffix("-base"): one.specifier for one in map(Requirement, conda)}
    python, _ = own.pop("python"), own.pop("pip")
    assert set(project["requires-python"].split(",")) <= set(map(str, python))
    own |= {one.name: one.specifier for one in map(Requirement, packages)}
    assert own == {name: bounds[name] for name in NAMED_FOR.split()}


def test_the_images_install_what_pyproject_says_and_nothing_of_their_own():
    docker = (ROOT / "Dockerfile").read_text()
    conda = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    (version,) = re.findall(r"^FROM python:([\d.]+)-slim$", docker, re.MULTILINE)
    assert Requirement(conda[0]).specifier.contains(version)
    made = re.findall(r"^RUN (?!apt-get)(.*)$", docker, re.MULTILINE)
    assert made == ["make .venv/ready"]
    here = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text())
    assert here["build"] == {"dockerfile": "../Dockerfile", "context": ".."}
    assert here["postCreateCommand"] == "make .venv/ready-to-test"
    rules = (ROOT / "Makefile").read_text()
    assert re.findall(r"pip install .*'(\.\[\w+\])'", rules) == [".[notebooks]", ".[lab]", ".[dev]"]


@pytest.mark.parametrize(("page", "known"), [("methods", METHODS), ("datasets", DATASETS)])
def test_a_page_lists_what_the_kit_has_and_nothing_that_is_gone(page, known):
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    table = text[text.index("\n| `--") :].split("\n\n")[0]
    names = re.findall(r"(?m)^\| (`[a-z_]+`[^|]*) \|", table)
    assert set(re.findall(r"`([a-z_]+)`", " ".join(names))) == set(known)


def published_differences() -> list[Path]:
    """Tables of differences with intervals; a check against print goes by its table's own
    problems."""
    needed = {"difference", "low", "high"}
    tables = sorted((ROOT / "results").rglob("*.csv"))
    found = [path for path in tables if needed <= {*pd.read_csv(path, nrows=0)}]
    return [path for path in found if not path.stem.endswith("_check")]


def test_every_published_difference_says_over_how_many_problems_or_categories_it_is():
    found = {path: {*pd.read_csv(path, nrows=0)} for path in published_differences()}
    assert len(found) > 20
    assert [path for path, names in found.items() if not names & {"problems", "categories"}] == []
    for path in (path for path, names in found.items() if "problems" in names):
        known = pd.read_csv(path).dropna(subset=["difference", "low"])
        assert known["problems"].gt(0).all(), path


def test_what_breaks_a_rule_of_its_plan_is_told_so():
    """Qwen's comparison: the table says why it does not count, and the page that it does not."""
    place = ROOT / "results" / "models" / "qwen2.5-coder-0.5b-instruct" / "differences.csv"
    row = pd.read_csv(place).query("id == 'a-trove-empty'").iloc[0]
    assert (bool(row["counts"]), "Qwen breaks a rule of its plan" in TEXT) == (False, True)
