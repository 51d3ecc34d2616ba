"""A rater's page: blinded, harmless whatever a model wrote, and what it writes is what is read."""

import base64
import gzip
import json
import re

import pytest

from trove_lite import TroveLiteError
from trove_lite.candidates import outcomes, save_table
from trove_lite_papers.raters.__main__ import main
from trove_lite_papers.raters.answers import read_key, read_study
from trove_lite_papers.raters.export import PAGES, needed, write_study

from ...simulated import MODEL, candidates
from ...view.conftest import run_folder
from ...view.test_view import Tags


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A study of four raters and all problems of somebody's own, hostile throughout."""
    folder = tmp_path_factory.mktemp("study")
    write_study([run_folder(folder)], folder / "study", raters=4, problems=100)
    return folder / "study"


def page_of(study, rater=1):
    return (study / PAGES / f"rater{rater}.html").read_text()


def items_of(study, rater=1):
    (data,) = re.findall(
        r'<script type="text/plain" id="items">(.*?)</script>', page_of(study, rater)
    )
    return json.loads(gzip.decompress(base64.b64decode(data)))


def answered(study, rater):
    """A rater's answers as that rater's page writes them."""
    data = items_of(study, rater)
    places = range(1, len(data["items"]) + 1)
    own = [
        {"item": i, "said": i % 2 == 0, "seconds": 1.5 * i, "pauses": 0, "changes": 1}
        for i in places
    ]
    return {"study": data["study"], "rater": rater, "answers": own}


def test_nothing_on_a_page_tells_method_run_or_verdict(tmp_path):
    """The same programs by other methods, right instead of wrong, make the same pages, but for the
    study's name."""
    frame = candidates(problems=7, runs=2, categories=("problems",))
    assert frame["correct"].nunique() == 2
    texts = []
    for place in (tmp_path / "a", tmp_path / "b"):
        place.mkdir()
        write_study([run_folder(place, text="")], folder := place / "study", raters=2)
        about, key = read_key(folder)
        data = items_of(folder)
        assert set(data) == {"study", "rater", "items"}
        assert all(set(item) == {"question", "context", "program"} for item in data["items"])
        own = [item["program"] for item in data["items"]]
        assert own == [
            f"print({i})\n#" for i in key[key["rater"] == 1].sort_values("item")["problem"]
        ]
        texts.append(page_of(folder).replace(about["study"], ""))
    assert texts[0] == texts[1]


def test_a_page_has_no_element_that_a_model_wrote(study, tmp_path):
    write_study([run_folder(tmp_path, text="")], tmp_path / "s", raters=4)
    tags, bare = (
        [tag for tag, _ in Tags(page_of(folder)).found] for folder in (study, tmp_path / "s")
    )
    assert tags == bare
    assert "alert(1)" not in page_of(study)
    assert all(r"\x1b[2J\x00 \u202e" in item["program"] for item in items_of(study)["items"])


def test_a_program_is_shown_with_the_functions_that_it_needs_of_the_toolbox_and_no_more():
    codes = {"half": "x / 2", "idle": "math.pi", "quarter": "half(half(x))"}
    half, idle, quarter = (f"def {name}(x):\n    return {code}" for name, code in codes.items())
    assert needed("print(quarter(4))", ["import math", half, idle, quarter]) == [
        "import math",
        half,
        quarter,
    ]


def answer_files(study, folder, raters):
    """The files of answers of the first raters."""
    files = [folder / f"{rater}.json" for rater in range(1, raters + 1)]
    for rater, file in enumerate(files, start=1):
        file.write_text(json.dumps(answered(study, rater)))
    return files


def test_what_a_page_writes_is_read_back_with_the_key(study, tmp_path):
    table = read_study(study, answer_files(study, tmp_path, 2))
    assert len(table) == (read_key(study)[1]["rater"] <= 2).sum()
    assert (table["said"] == (table["item"] % 2 == 0)).all()
    assert (table["seconds"] == 1.5 * table["item"]).all()


def first(**changed):
    return lambda own: own | {"answers": [own["answers"][0] | changed]}


NO_PAGES = ["", b"\xff\xfe\x00", lambda own: own | {"study": "\x1b[2Jother"}]
NO_PAGES += [first(seconds="nan"), first(said="maybe"), first(item=-1)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        *((text, "not what a page") for text in NO_PAGES),
        (lambda own: own | {"rater": 9}, "no such item"),
        (lambda own: own | {"answers": own["answers"] * 2}, "answered twice"),
    ],
)
def test_answers_that_no_page_wrote_are_refused_in_one_line(study, tmp_path, text, words):
    file = tmp_path / "answers.json"
    content = json.dumps(text(answered(study, 1))) if callable(text) else text
    file.write_bytes(content) if isinstance(content, bytes) else file.write_text(content)
    with pytest.raises(TroveLiteError, match=words) as caught:
        read_study(study, [file])
    assert "\n" not in str(caught.value)


def test_a_study_is_never_replaced_and_needs_text(study, tmp_path):
    with pytest.raises(TroveLiteError, match="never replaced"):
        write_study([tmp_path], study)
    save_table(outcomes(candidates(problems=2)), tmp_path / "outcomes.parquet")
    with pytest.raises(TroveLiteError, match="hold no programs"):
        write_study([tmp_path / "outcomes.parquet"], tmp_path / "s")
    with pytest.raises(TroveLiteError, match="holds no study"):
        read_key(tmp_path)


@pytest.mark.parametrize("raters", [1, 2])
def test_the_commands_make_pages_and_read_answers_of_one_rater_or_more(raters, tmp_path, capsys):
    run = run_folder(tmp_path, text="")
    assert main(["export", str(run), "--out", str(tmp_path / "s"), "--raters", "2"]) == 0
    files = answer_files(tmp_path / "s", tmp_path, raters)
    assert main(["read", str(tmp_path / "s"), *map(str, files)]) == 0
    printed = capsys.readouterr().out
    assert f"programs of {MODEL}, simulated, mine.jsonl" in printed
    assert ("give the answers of more raters" in printed) == (raters == 1)
    names = {path.name for path in (tmp_path / "s" / "results").iterdir()}
    assert {"trove_table5.csv", "trove_figure10.png"} <= names
