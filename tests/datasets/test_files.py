"""Public files: fetched with the pinned content or not at all; one clear line for what is not as it should be."""

import hashlib
import http.server
import threading

import pytest

from trove_lite import TroveLiteError
from trove_lite.datasets import files, load_dataset, load_problems
from trove_lite.datasets.files import PublicFile, fetch, pinned_file

#: Data set, category and the path of its file: of each way in which files are read.
READ = [
    ("math", "algebra", "zorazrw/trove/data/math/algebra.jsonl"),
    ("tabmwp", "tabmwp", "zorazrw/trove/data/tableqa/tabmwp.jsonl"),
    ("wtq", "wtq", "ppasupat/WikiTableQuestions/tagged/data/pristine-unseen-tables.tagged"),
    ("hitab", "hitab", "zorazrw/trove/data/tableqa/hitab.jsonl"),
    ("bbh", "dyck_languages", "ctlllll/LLM-ToolMaker/bbh/dyck_languages.json"),
]


@pytest.mark.parametrize(("name", "category", "path"), READ)
def test_a_missing_file_names_the_command_and_an_altered_one_is_refused(name, category, path, tmp_path, monkeypatch):
    monkeypatch.setenv("TROVE_LITE_DATA", str(tmp_path))
    file, dataset = tmp_path / path, load_dataset(name)
    with pytest.raises(TroveLiteError, match=rf"{file.name}: missing; run `trove-lite fetch {name}`"):
        dataset.load(category)
    file.parent.mkdir(parents=True)
    file.write_text("{}")
    with pytest.raises(TroveLiteError, match=rf"sha256 differs .* delete the file and run `trove-lite fetch {name}`"):
        dataset.load(category)


def test_unknown_names_are_refused_with_the_known_ones():
    with pytest.raises(TroveLiteError, match=r"category 'numbers'.*number, prealgebra"):
        load_problems("math", "numbers")
    with pytest.raises(TroveLiteError, match=r"no file group named 'maths': choose from .*logs, math"):
        fetch("maths")
    with pytest.raises(TroveLiteError, match=r"secret\.json: no file of the group 'hitab'"):
        pinned_file("hitab", "../../secret.json")


@pytest.fixture
def server(tmp_path, monkeypatch):
    """A local source of one public file, a data folder to fetch into, and a way to register it."""
    source = tmp_path / "source"
    source.mkdir()
    (source / "p.jsonl").write_text("a file\n")

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
