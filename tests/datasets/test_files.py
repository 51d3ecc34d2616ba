"""Public files: fetched with the pinned content or not at all; one clear line for what is not as it
should be."""

import hashlib
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from trove_lite import TroveLiteError
from trove_lite.datasets import files, load_dataset
from trove_lite.datasets.files import PublicFile, fetch, pinned_file

#: Data set, category and the path of its file: of each way in which files are read.
READ = [
    ("math", "algebra", "zorazrw/trove/data/math/algebra.jsonl"),
    ("wtq", "wtq", "ppasupat/WikiTableQuestions/tagged/data/pristine-unseen-tables.tagged"),
    ("bbh", "dyck_languages", "ctlllll/LLM-ToolMaker/bbh/dyck_languages.json"),
]


@pytest.mark.parametrize(("name", "category", "path"), READ)
def test_a_missing_file_names_the_command_and_an_altered_one_is_refused(
    name, category, path, tmp_path, monkeypatch
):
    monkeypatch.setenv("TROVE_LITE_DATA", str(tmp_path))
    file = tmp_path / path
    dataset = load_dataset(name)
    with pytest.raises(
        TroveLiteError, match=rf"{file.name}: missing; run `trove-lite fetch {name}`"
    ):
        dataset.load(category)
    file.parent.mkdir(parents=True)
    file.write_text("{}")
    with pytest.raises(
        TroveLiteError,
        match=rf"sha256 differs .* delete the file and run `trove-lite fetch {name}`",
    ):
        dataset.load(category)


def test_no_file_is_read_but_those_that_are_pinned():
    with pytest.raises(TroveLiteError, match=r"secret\.json: no file of the group 'hitab'"):
        pinned_file("hitab", "../../secret.json")


CONTENT = b"a file\n"
RIGHT = [
    {"sha256": hashlib.sha256(CONTENT).hexdigest()},
    {
        "git_blob": hashlib.sha1(b"blob %d\0" % len(CONTENT) + CONTENT).hexdigest()
    },  # one that is listed alone
]


@pytest.fixture
def offer(tmp_path, monkeypatch):
    """Offers one public file, pinned so, by a local server; returns the file and where it will be
    stored."""
    (tmp_path / "p.jsonl").write_bytes(CONTENT)
    monkeypatch.setenv("TROVE_LITE_DATA", str(tmp_path / "data"))
    service = ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    )

    def offered(sha256="", git_blob="", port=service.server_port):
        file = PublicFile("math", "owner/name", "c0ffee", "p.jsonl", 60, sha256, "MIT", git_blob)
        monkeypatch.setattr(
            PublicFile, "url", property(lambda _: f"http://127.0.0.1:{port}/p.jsonl")
        )
        monkeypatch.setattr(files, "files_of", lambda group: {file.path: file})
        return file, tmp_path / "data/owner/name/p.jsonl"

    thread = threading.Thread(target=service.serve_forever)
    thread.start()
    yield offered
    service.shutdown()
    thread.join()
    service.server_close()


@pytest.mark.parametrize("pin", RIGHT)
def test_fetch_stores_a_file_with_the_pinned_content(offer, pin):
    _, path = offer(**pin)
    assert fetch("math", progress=False) == [path]
    assert path.read_bytes() == CONTENT
    assert files.not_here("math") == []


@pytest.mark.parametrize("pin", [{"sha256": "0" * 64}, {"git_blob": "0" * 40}])
def test_fetch_keeps_nothing_with_another_content(offer, pin):
    _, path = offer(**pin)
    (kind,) = pin
    with pytest.raises(TroveLiteError, match=f"does not have the pinned {kind.replace('_', ' ')}"):
        fetch("math", progress=False)
    assert not any(p.is_file() for p in path.parents[2].rglob("*"))


def test_without_a_connection_a_listed_file_is_named_and_any_other_is_an_error_of_one_line(offer):
    file, _ = offer(**RIGHT[1], port=9)
    assert fetch("math", progress=False) == []
    assert files.not_here("math") == [file]
    assert files.public_paths("math") == []
    offer(**RIGHT[0], port=9)
    with pytest.raises(TroveLiteError, match=r"could not be stored .* TROVE_LITE_DATA") as caught:
        fetch("math", progress=False)
    assert "\n" not in str(caught.value)
