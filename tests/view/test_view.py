"""A page about runs: what it holds is the table's, and no text on it is anything but text."""

import base64
import gzip
import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pandas as pd
import pytest
from PIL import Image

import trove_lite as tl
from trove_lite import load_problems
from trove_lite.candidates import CALLS_SCHEMA, as_arrow, as_frame, outcomes, save_run, save_table
from trove_lite.datasets.base import Problem, Question
from trove_lite_analysis import view
from trove_lite_analysis.view import contents
from trove_lite_analysis.view.contents import Contents, clean

from ..conftest import ROOT
from ..scripted import run
from ..simulated import candidates
from .conftest import run_folder


def opened(page) -> tuple[dict, list[dict]]:
    """The index of a page, and its problems in the index's order."""
    held = dict(
        re.findall(
            r'<script type="text/plain" id="(index|part\d+)">(.*?)</script>', page.read_text()
        )
    )
    read = {
        name: json.loads(gzip.decompress(base64.b64decode(text))) for name, text in held.items()
    }
    index = read.pop("index")
    return index, [read[f"part{part}"][place] for *_, part, place in index["problems"]]


def shown(frame, problems=None):
    """The same of a table, without a page."""
    found = Contents(frame, as_frame(as_arrow([], CALLS_SCHEMA)), problems or {}, ())
    parts = list(found.parts())
    return found.index, [parts[part][place] for *_, part, place in found.index["problems"]]


@pytest.fixture(scope="module")
def table():
    return candidates(problems=5, categories=("counting", "algebra"))


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def test_a_page_has_no_element_that_the_run_wrote(hostile, tmp_path, table):
    save_table(outcomes(table), tmp_path / "outcomes.parquet")
    harmless = view.write_page([tmp_path])
    found = (Tags(page.read_text()).found for page in (hostile, harmless))
    one, other = (
        [tag for tag, given in tags if "part" not in given.get("id", "")] for tags in found
    )
    assert one == other
    assert "alert(1)" not in hostile.read_text()


def test_controls_and_direction_marks_are_shown_escaped(hostile):
    index, problems = opened(hostile)
    solutions = [c["solution"] for p in problems for r in p["runs"] for c in r["candidates"]]
    assert all(r"\x1b[2J\x00 \u202e" in text and "tab\there" in text for text in solutions)
    answers = [pick[0] for *_, picks, _ in index["rows"] for pick in picks if pick and pick[0]]
    assert all(c.isprintable() or c in "\n\t" for text in (*solutions, *answers) for c in text)
    assert clean("a\ud800b") == r"a\ud800b"


def test_the_page_allows_its_own_program_alone_and_loads_nothing(hostile):
    tags = Tags(hostile.read_text()).found
    (policy,) = (
        given["content"]
        for tag, given in tags
        if given.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy.startswith("default-src 'none'")
    assert "script-src 'sha256-" in policy
    assert not [given for _, given in tags if {"src", "href"} & set(given)]


def test_no_pages_program_makes_markup_of_text_or_fetches():
    folders = ROOT.glob("trove_lite*")
    programs = {path.name: path.read_text() for folder in folders for path in folder.rglob("*.js")}
    assert programs.keys() >= {"read.js", "page.js"}
    ways = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|DOMParser|Fragment|fetch\("
    assert {
        name: found for name, text in programs.items() if (found := re.findall(ways, text))
    } == {}


def test_every_candidate_is_shown_once_with_its_texts_and_verdict(table):
    texts = ["mode", "sample", "status", "solution"]
    names = ["category", "problem", "method", "run", *texts, "correct"]
    index, problems = shown(table)
    cells = [
        (
            *listed[1:3],
            *map(index["runs"][r["run"]].get, names[2:4]),
            *map(c.get, texts),
            c["right"],
        )
        for listed, problem in zip(index["problems"], problems, strict=True)
        for r in problem["runs"]
        for c in r["candidates"]
    ]
    assert sorted(cells) == sorted(table[names].astype(object).itertuples(index=False, name=None))


def test_formulas_of_questions_golds_answers_and_outputs_are_given_and_what_is_none_is_not(table):
    half, broken = r"It is $\frac{1}{2}$.", r"$\frac{1}{$ and $5 or $6"
    frame = table.assign(output=half + " Or $x$.", answer=half, error=broken)
    frame["answers"] = pd.Series([[half]] * len(frame))
    key = (*frame[["dataset", "category"]].iloc[0], 0)
    asked = {key: Problem(Question(*key, r"What is $x^2$?"), r"$x = 5$")}
    index, problems = shown(frame, asked)
    texts = {text for problem in problems for text, _ in problem["formulas"]}
    assert texts == {half, half + " Or $x$.", r"What is $x^2$?", r"$x = 5$"}
    assert {text for text, _ in index["formulas"]} == {half, r"What is $x^2$?"}
    (tree,) = (piece for piece in index["formulas"][1][1] if isinstance(piece, list))
    assert tree[0] == "math"


def test_a_page_draws_so_many_formulas_of_replies_and_no_more(table, monkeypatch):
    monkeypatch.setattr(contents, "MOST_FORMULAS", 3)
    outputs = [f"$x_{{{number}}}$" for number in range(len(table))]
    _, problems = shown(table.assign(output=outputs, answer="1"))
    assert sum(len(problem.get("formulas", ())) for problem in problems) == 3


@pytest.mark.parametrize("rule", tl.RULES)
def test_a_rule_picks_what_it_chooses_on_whole_tables(table, rule):
    index, problems = shown(table)
    place = index["rules"].index(rule)
    picked = {}
    for problem, number, *_, picks, _ in index["rows"]:
        _, category, at, *_ = index["problems"][problem]
        (own,) = (r for r in problems[problem]["runs"] if r["run"] == number)
        winner = own["candidates"][own["rules"][rule][-1]["chosen"]]
        assert tuple(picks[place]) == (winner.get("answer"), winner["right"])
        run = index["runs"][number]
        picked[category, at, run["method"], run["run"]] = (winner["mode"], winner["sample"])
    chosen = tl.choose(table, rule).set_index(["category", "problem", "method", "run"])
    assert picked == {key: (row["mode"], row["sample"]) for key, row in chosen.iterrows()}


def test_drafts_retries_and_what_could_not_be_judged_have_no_vote(table):
    one = table[
        (table["problem"] == 0) & (table["run"] == "run0") & (table["method"] == "primitive")
    ].copy()
    one = one[one["category"] == "counting"].astype({"phase": object})
    one.iloc[0, one.columns.get_loc("phase")] = "draft"
    one.iloc[1, one.columns.get_loc("phase")] = "retry"
    one.iloc[2, one.columns.get_loc("correct")] = pd.NA
    index, problems = shown(one)
    own = problems[0]["runs"][0]
    assert len(own["candidates"]) == 15
    (voted,) = own["rules"]["one_stage"]
    silent = {i for i, c in enumerate(own["candidates"]) if i not in voted["among"]}
    assert [own["candidates"][i].get("phase", "not judged") for i in sorted(silent)] == [
        "not judged",
        "retry",
        "draft",
    ]
    assert index["rows"][0][2] == 12


def test_what_a_recorded_run_selected_is_a_pick_of_its_own_and_has_no_vote(table):
    first = table.drop_duplicates(["run", "method", "category", "problem"])
    selected = first.assign(provenance="recorded selection", phase="selected")
    index, problems = shown(selected)
    assert index["rules"][0] == "recorded selection"
    assert {tuple(pick is not None for pick in picks) for *_, picks, _ in index["rows"]} == {
        (True, *[False] * 4)
    }
    assert sum(picks[0][1] for *_, picks, _ in index["rows"]) == first["correct"].sum()
    assert all(own["rules"] == {} for problem in problems for own in problem["runs"])
    alone, (both, _) = (
        shown(table)[0],
        shown(pd.concat([table.astype({"phase": object}), selected])),
    )
    assert [run["candidates"] for run in both["runs"]] == [
        run["candidates"] for run in alone["runs"]
    ]
    right, without = (
        [[pick[1] for pick in picks] for *_, picks, _ in each["rows"]] for each in (both, alone)
    )
    assert [own[1:] for own in right] == without


def test_what_a_problem_took_is_shown_with_it(tmp_path):
    folder = run(tmp_path / "a", methods=("trove",), trove={"ranking": "model", "interval": 4})
    _, problems = opened(view.write_page([folder]))
    spent = [r["spent"] for problem in problems for r in problem["runs"]]
    calls = tl.load_calls(folder)
    assert sum(each["calls"] for each in spent) == len(calls)
    assert sum(each["completion_tokens"] for each in spent) == calls["completion_tokens"].sum()


def test_a_problem_has_its_question_and_right_answer_while_they_are_those_of_the_run(tmp_path):
    folder = run_folder(tmp_path, text="", problems=3)
    file = tmp_path / "mine.jsonl"
    index, problems = opened(view.write_page([folder]))
    assert [listed[4] for listed in index["problems"]] == [f"What is {i} + 1?" for i in range(3)]
    assert [problem["gold"] for problem in problems] == ["1", "2", "3"]
    assert index["notes"] == []
    file.write_text(file.read_text().replace("What", "How much"))
    index, _ = opened(view.write_page([folder]))
    assert [listed[4] for listed in index["problems"]] == [None] * 3
    assert "they have changed since the run was made" in index["notes"][0]


@pytest.mark.parametrize("image", [True, False])
def test_what_a_question_is_about_is_shown(table, image):
    (problem, *_) = load_problems("scenes", "scenes")
    if not image:
        problem = replace(problem, picture=None)
    rows = table[table["problem"] == 0].assign(dataset="scenes", category="scenes")
    _, (held, *_) = shown(rows, {("scenes", "scenes", 0): problem})
    assert ("image" in held) == image
    if image:
        picture = Image.open(
            io.BytesIO(base64.b64decode(held["image"].removeprefix("data:image/png;base64,")))
        )
        assert picture.size == (240, 180)


def test_a_page_that_fails_halfway_leaves_the_one_before(table, tmp_path, monkeypatch):
    save_run(tmp_path, table, {})
    page = view.write_page([tmp_path])
    assert page == tmp_path / "view.html"
    page.write_text("before")
    monkeypatch.setattr(contents, "_candidate", lambda rows, i: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        view.write_page([tmp_path])
    assert page.read_text() == "before"
    names = ["candidates.parquet", "run.json", "view.html"]
    assert sorted(path.name for path in tmp_path.iterdir()) == names
