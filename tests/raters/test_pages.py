"""A rater's page: blinded, harmless whatever a model wrote, and what it writes is what is read."""

import base64
import gzip
import json
import re
from types import SimpleNamespace

import pytest

from papers.raters.__main__ import main
from papers.raters.answers import read_key, read_study
from papers.raters.export import PAGES, _lean, write_study
from trove_lite import TroveLiteError
from trove_lite.candidates import outcomes, save_table
from trove_lite.programs import Tool, program_of

from ..simulated import MODEL, candidates
from ..view.test_view import Tags
from .conftest import run_folder


def page_of(study, rater=1):
    return (study / PAGES / f"rater{rater}.html").read_text()


def items_of(study, rater=1):
    (data,) = re.findall(r'<script type="text/plain" id="items">(.*?)</script>', page_of(study, rater))
    return json.loads(gzip.decompress(base64.b64decode(data)))


def answered(study, rater, **changed):
    """A rater's answers as that rater's page writes them."""
    data = items_of(study, rater)
    own = [
        {"item": place, "said": place % 2 == 0, "seconds": 1.5 * place, "pauses": 0, "changes": 1} | changed
        for place in range(1, len(data["items"]) + 1)
    ]
    return {"study": data["study"], "rater": rater, "answers": own}


def test_a_page_holds_words_and_programs_alone(study):
    data = items_of(study)
    assert set(data) == {"study", "rater", "items"}
    assert {name for item in data["items"] for name in item} == {"question", "context", "program", "output"}


def test_nothing_on_a_page_tells_method_run_or_verdict(tmp_path):
    """The same programs by other methods, right instead of wrong, make the same pages, but for the study's name."""
    one, other = (run_folder(folder, text="") for folder in (tmp_path / "a", tmp_path / "b") if not folder.mkdir())
    frame = candidates(problems=7, runs=2, categories=("problems",))
    assert frame["correct"].nunique() == 2
    texts = []
    for run in (one, other):
        folder = write_study([run], run.parent / "study", raters=2).folder
        key = read_key(folder)[1]
        own = [item["program"] for item in items_of(folder)["items"]]
        assert own == [f"print({i})\n#" for i in key[key["rater"] == 1].sort_values("item")["problem"]]
        texts.append(page_of(folder).replace(read_key(folder)[0]["study"], ""))
    assert not re.search(r"primitive|trove|seed|run0", " ".join(item["program"] for item in items_of(folder)["items"]))
    assert texts[0] == texts[1]


def test_a_page_has_no_element_that_a_model_wrote(study, tmp_path):
    harmless = write_study([run_folder(tmp_path, text="")], tmp_path / "s", raters=4, output=True).folder
    bare = [[tag for tag, _ in Tags(page_of(folder)).found] for folder in (study, harmless)]
    assert bare[0] == bare[1]
    assert "alert(1)" not in page_of(study)
    assert all(r"\x1b[2J\x00 \u202e" in item["program"] for item in items_of(study)["items"])


def test_a_page_allows_its_own_program_alone(study):
    tags = Tags(page_of(study)).found
    (policy,) = (given["content"] for _, given in tags if given.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'; script-src 'sha256-")


def test_a_program_is_shown_with_what_it_needs_of_the_toolbox_and_no_more():
    toolbox = (
        "import math",
        "def half(x):\n    return x / 2  # kept as written",
        "from sympy import solve",
        "def idle(x):\n    return math.pi",
        "def quarter(x):\n    return half(half(x))",
    )
    solution = "```python\nfrom toolbox import quarter\nprint(quarter(4))\n```"
    row = SimpleNamespace(method="trove", solution=solution, tools="", whole=program_of(solution, (), toolbox))
    assert _lean(row) == f"{toolbox[1]}\n\n{toolbox[4]}\n\nprint(quarter(4))"
    broken = SimpleNamespace(method="trove", solution="1 +", tools="", whole="import math\n\n1 +")
    assert _lean(broken) == broken.whole


def test_a_program_that_imports_tools_from_modules_is_shown_with_those_and_what_is_given():
    a, b, c = (Tool(n, "", "", f"def {n}(x):\n    return x", "function") for n in ("halve", "double", "square"))
    b = b._replace(source="from toolbox import halve\n" + b.source)
    solution = "from toolbox import double\nprint(double(2))"
    row = SimpleNamespace(
        method="trove", solution=solution, tools="", whole=program_of(solution, (), ["N = 1", a, b, c])
    )
    assert _lean(row) == f"N = 1\n\n{b.source}\n\n{a.source}\n\n{solution}"


def test_what_a_page_writes_is_read_back_with_the_key(study, tmp_path):
    files = []
    for rater in (1, 2):
        files.append(tmp_path / f"{rater}.json")
        files[-1].write_text(json.dumps(answered(study, rater)))
    table = read_study(study, files)
    key = read_key(study)[1]
    assert len(table) == (key["rater"] <= 2).sum()
    assert (table["said"] == (table["item"] % 2 == 0)).all()
    assert (table["seconds"] == 1.5 * table["item"]).all()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not what a page writes"),
        (lambda own: own | {"answers": []}, "holds no answers"),
        ("{", "not what a page writes"),
        ('{"study": 1, "rater": 1, "answers": [1]}', "not what a page writes"),
        (b"\xff\xfe\x00", "cannot be read"),
        (lambda own: own | {"study": "\x1b[2Jother"}, r"of study \\x1b\[2Jother"),
        (lambda own: own | {"rater": 9}, "has none such"),
        (lambda own: own | {"answers": own["answers"] * 2}, "answered twice"),
        (lambda own: own | {"answers": [own["answers"][0] | {"seconds": "nan"}]}, "no page writes"),
        (lambda own: own | {"answers": [own["answers"][0] | {"seconds": "fast"}]}, "a number is none"),
        (lambda own: own | {"answers": [own["answers"][0] | {"said": "maybe"}]}, "no page writes"),
        (lambda own: own | {"answers": [own["answers"][0] | {"item": -1}]}, "no page writes"),
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


def test_the_commands_make_pages_and_read_answers(tmp_path, capsys):
    run = run_folder(tmp_path, text="")
    assert main(["export", str(run), "--out", str(tmp_path / "s"), "--raters", "2"]) == 0
    files = [tmp_path / f"{rater}.json" for rater in (1, 2)]
    for rater, file in enumerate(files, start=1):
        file.write_text(json.dumps(answered(tmp_path / "s", rater)))
    assert main(["read", str(tmp_path / "s"), *map(str, files)]) == 0
    assert f"Ratings of programs of {MODEL}, simulated, on mine.jsonl." in capsys.readouterr().out
    made = {path.name for path in (tmp_path / "s" / "results").iterdir()}
    assert {"trove_table5.csv", "trove_figure10.png", "trove_table5_agreement.csv"} <= made


def test_one_rater_alone_gives_means_and_a_reason_for_no_difference(study, tmp_path, capsys):
    (tmp_path / "1.json").write_text(json.dumps(answered(study, 1)))
    assert main(["read", str(study), str(tmp_path / "1.json"), "--out", str(tmp_path / "results")]) == 0
    assert "give the answers of more raters" in capsys.readouterr().out
