"""Problems: what the data holds, and one clear line for each way in which it can be damaged."""

import hashlib
import http.server
import json
import threading

import pytest

from trove_lite import TroveLiteError
from trove_lite.datasets import files, load_dataset, load_problems
from trove_lite.datasets.base import after_labelled
from trove_lite.datasets.files import PublicFile, fetch
from trove_lite.datasets.math import read_problems

LINE = {"question": "How many?", "answer": 4.0, "level": "Level 2"}


def test_math_has_the_papers_numbers_of_problems(public_problems):
    sizes = {category: len(found) for category, found in public_problems.items()}
    assert sizes == {
        "algebra": 881,
        "counting": 291,
        "geometry": 237,
        "intermediate": 503,
        "number": 497,
        "prealgebra": 636,
        "precalculus": 156,
    }


def test_problems_carry_question_answer_level_and_position(public_problems):
    first = public_problems["counting"][0]
    assert first.question.text.startswith("January 1, 2007 was a Monday")
    assert (first.index, first.gold, first.level, first.category) == (0, 52.0, "2", "counting")


@pytest.mark.parametrize(("name", "title"), [("math", "MATH"), ("practice", "the practice problems")])
def test_data_sets_of_the_index_say_what_tables_need(name, title):
    found = load_dataset(name)
    assert (found.name, found.title, len(found.categories)) == (name, title, 7)
    assert found.levels == ("1", "2", "3", "4", "5")
    assert found.correct(found.read("it is 2.504, or 3"), 2.5)
    assert not found.correct(found.read("nothing"), 2.5)


def test_unknown_category_is_refused_with_the_known_ones():
    with pytest.raises(TroveLiteError, match=r"category 'numbers'.*number, prealgebra"):
        load_problems("math", "numbers")


def test_missing_file_names_file_and_remedy(tmp_path, monkeypatch):
    monkeypatch.setenv("TROVE_LITE_DATA", str(tmp_path))
    with pytest.raises(TroveLiteError, match=r"algebra\.jsonl: missing; run `trove-lite fetch math`"):
        load_problems("math", "algebra")


def test_altered_file_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("TROVE_LITE_DATA", str(tmp_path))
    path = tmp_path / "zorazrw/trove/data/math/algebra.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(LINE) + "\n")
    with pytest.raises(TroveLiteError, match=r"sha256 differs .* delete the file and run `trove-lite fetch math`"):
        load_problems("math", "algebra")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{not json", "line 2: not JSON"),
        ("[]", "line 2: field 'question' is missing"),
        (json.dumps(LINE | {"answer": "4"}), "line 2: field 'answer' is missing or of the wrong type"),
        (json.dumps({k: v for k, v in LINE.items() if k != "level"}), "line 2: field 'level' is missing"),
        (json.dumps(LINE | {"level": "Level ?"}), "line 2: level 'Level [?]' is not Level 1 to Level 5"),
    ],
)
def test_bad_line_names_file_line_and_remedy(tmp_path, line, reason):
    path = tmp_path / "p.jsonl"
    path.write_text(json.dumps(LINE) + "\n" + line + "\n")
    with pytest.raises(TroveLiteError, match=rf"p\.jsonl, {reason}.*fetch math"):
        read_problems(path, "algebra")


@pytest.fixture
def server(tmp_path, monkeypatch):
    """A local source of one public file, a data folder to fetch into, and a way to register it."""
    source = tmp_path / "source"
    source.mkdir()
    (source / "p.jsonl").write_text(json.dumps(LINE) + "\n")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args):
            super().__init__(*args, directory=str(source))

        def log_message(self, *args):
            pass

    service = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
    thread = threading.Thread(target=service.serve_forever)
    thread.start()
    monkeypatch.setenv("TROVE_LITE_DATA", str(tmp_path / "data"))
    url = f"http://127.0.0.1:{service.server_port}/p.jsonl"
    monkeypatch.setattr(PublicFile, "url", property(lambda file: url))

    def register(sha256):
        file = PublicFile("math", "owner/name", "c0ffee", "p.jsonl", 60, sha256, "MIT")
        monkeypatch.setattr(files, "public_files", lambda: (file,))
        return tmp_path / "data/owner/name/p.jsonl"

    yield register, source / "p.jsonl"
    service.shutdown()
    thread.join()
    service.server_close()


def test_fetch_stores_a_file_with_the_right_checksum(server):
    register, source = server
    path = register(hashlib.sha256(source.read_bytes()).hexdigest())
    assert fetch("math", progress=False) == [path]
    assert path.read_bytes() == source.read_bytes()


def test_fetch_keeps_nothing_with_a_wrong_checksum(server):
    register, _ = server
    path = register("0" * 64)
    with pytest.raises(TroveLiteError, match="does not have the pinned sha256"):
        fetch("math", progress=False)
    assert not path.exists()
    assert not any(p.is_file() for p in path.parent.parent.rglob("*"))


def listed(content):
    """A file that is known by its name in git's object store alone."""
    blob = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
    return PublicFile("math", "owner/name", "c0ffee", "p.jsonl", 0, "", "MIT", blob)


def test_fetch_checks_a_listed_file_as_git_does(server, monkeypatch):
    register, source = server
    path = register("")
    monkeypatch.setattr(files, "public_files", lambda: (listed(source.read_bytes()),))
    assert fetch("math", progress=False) == [path]
    assert files.not_here("math") == []
    path.unlink()
    monkeypatch.setattr(files, "public_files", lambda: (listed(b"another"),))
    with pytest.raises(TroveLiteError, match="does not have the pinned git blob"):
        fetch("math", progress=False)
    assert not path.exists()


def test_a_listed_file_that_does_not_come_is_named_and_nothing_else_fails(server, monkeypatch):
    register, source = server
    register("")
    file = listed(source.read_bytes())
    monkeypatch.setattr(files, "public_files", lambda: (file,))
    monkeypatch.setattr(PublicFile, "url", property(lambda file: "http://127.0.0.1:9/p.jsonl"))
    assert fetch("math", progress=False) == []
    assert files.not_here("math") == [file]
    assert files.public_paths("math") == []


def test_fetch_without_a_connection_is_one_line(server, monkeypatch):
    register, _ = server
    register("0" * 64)
    monkeypatch.setattr(PublicFile, "url", property(lambda file: "http://127.0.0.1:9/p.jsonl"))
    with pytest.raises(TroveLiteError, match=r"could not be stored .* TROVE_LITE_DATA") as caught:
        fetch("math", progress=False)
    assert "\n" not in str(caught.value)


def test_fetch_of_an_unknown_group_names_the_known_ones():
    with pytest.raises(TroveLiteError, match=r"no file group named 'maths': choose from .*logs, math"):
        fetch("maths")


def test_where_problems_are_labelled_the_first_ten_are_not_tested_and_all_keep_their_numbers():
    whole = load_dataset("practice")
    found = after_labelled(whole)
    for category in whole.categories:
        problems = list(whole.load(category))
        assert list(found.load(category)) == problems[10:]
        assert [problem.index for problem in found.examples(category)] == [0, 1, 2, 5, 6, 7]


@pytest.mark.parametrize(("name", "like"), [("math_labelled", "math"), ("tabmwp_labelled", "tabmwp")])
def test_runs_of_a_data_set_with_labelled_problems_are_runs_of_that_data_set(name, like):
    assert load_dataset(name).name == like
    assert load_dataset(name).examples is not None
    assert load_dataset(like).examples is None


def test_no_problem_of_the_train_split_is_tested(public_problems):
    tested = {problem.question.text for found in public_problems.values() for problem in found}
    train = {problem.question.text for category in public_problems for problem in load_problems("math_train", category)}
    assert len(train) > 4000
    assert not tested & train


def test_the_bench_is_the_same_draw_of_every_category_under_its_own_numbers(public_problems):
    for category, found in public_problems.items():
        drawn = load_problems("math_bench", category)
        assert len(drawn) == 60
        assert list(drawn) == [found[problem.index] for problem in drawn]
        assert [problem.index for problem in drawn] == sorted({problem.index for problem in drawn})
    assert [problem.index for problem in load_problems("math_bench", "counting")][:5] == [2, 6, 17, 29, 37]


def test_what_is_labelled_for_the_bench_is_not_tested(public_problems):
    tested = {problem.question.text for found in public_problems.values() for problem in found}
    for category in public_problems:
        labelled = load_dataset("math_bench").examples(category)
        assert len(labelled) == 6
        assert not {problem.question.text for problem in labelled} & tested
