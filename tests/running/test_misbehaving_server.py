"""A run on a server that misbehaves, over real sockets: it completes, or ends in a line and goes on where it was."""

import pytest

from trove_lite.candidates import read_description
from trove_lite.errors import TroveLiteError
from trove_lite.models.openai import OpenAIServer

from ..models.misbehaving import FINAL, SILENT, Server
from ..scripted import problems, run, table


def made(server, folder, way="", in_flight=1, roles=()):
    """A run of six samples on that server, which may have other roles too."""
    model = OpenAIServer(server.url, "tiny", first_pause=0.001, timeout=1 if way in SILENT else 10, retries=1)
    small = {"methods": ("primitive",), "seeds": (0,), "k": 2, "problems": lambda *where: problems(*where, n=3)}
    return run(folder, model=model, roles=dict.fromkeys(roles, model), in_flight=in_flight, **small)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The table of a run on a server that behaves."""
    with Server() as server:
        return table(made(server, tmp_path_factory.mktemp("whole") / "run"))


@pytest.mark.parametrize("way", ["503", "connection reset", "silence", "401", "a quota"])
def test_where_no_answer_comes_any_more_the_run_ends_in_a_line_and_later_goes_on(way, whole, tmp_path):
    folder, good = tmp_path / "run", [] if way in FINAL else [200, 200]  # later these would be one sample's trouble
    with Server(*good, always=way) as server, pytest.raises(TroveLiteError) as ended:
        made(server, folder, way)
    assert str(ended.value).isprintable()
    assert (folder / "journal" / "primitive-counting-0.jsonl").read_text().count("\n") == len(good)
    assert read_description(folder)["retried"] == (way not in FINAL)
    with Server() as server:
        made(server, folder)
    assert table(folder).equals(whole)
    assert read_description(folder)["retried"] == (way not in FINAL)


def test_a_server_in_two_roles_is_looked_for_once(whole, tmp_path):
    with Server() as server:
        made(server, tmp_path / "run", roles=["maker"])
    assert table(tmp_path / "run").equals(whole)
