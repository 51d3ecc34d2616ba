"""Samples that could not be had: why is said, and the same command goes on, by a server that
misbehaves as well."""

import pandas as pd
import pytest

from trove_lite import TroveLiteError, load_candidates
from trove_lite.candidates import read_description
from trove_lite.cli import main
from trove_lite.models.base import PromptRefused, SampleUnavailable
from trove_lite.models.openai import OpenAIServer
from trove_lite.running.account import came_of

from ..models.misbehaving import FINAL, SILENT, Server, changed, choice
from ..scripted import ScriptedModel, problems, run, table

ALONE = {"methods": ("primitive",), "seeds": (0,)}
ODD = {"choices": [{"index": 0, "text": "print(1)", "finish_reason": "neither"}]}


class Lacking(ScriptedModel):
    """Has no answer to some requests."""

    def __init__(self, lacks, error=SampleUnavailable):
        super().__init__()
        self.lacks = lacks
        self.error = error

    async def complete(self, prompt, seeds):
        if self.lacks(prompt, seeds[0]):
            self.calls += 1
            raise self.error("http://host: no answer")
        return await super().complete(prompt, seeds)


def test_a_run_without_a_sample_ends_with_an_error_and_the_same_command_completes_it(
    tmp_path, capsys
):
    words = "run --quiet --dataset practice --prompts practice --limit 2 --seeds 0 --methods primitive --k 3"
    given = [*words.split(), "--categories", "counting", "--out", str(tmp_path / "run"), "--model"]
    with Server(always=changed(**ODD)) as server:
        assert main([*given, f"{server.url}#tiny"]) == 1
    said = capsys.readouterr()
    assert "no sample could be had" in said.err
    assert "complete" not in said.out
    assert (
        read_description(tmp_path / "run")["settings"]["model"] == "server#tiny"
    )  # and no address
    with Server() as server:
        assert main([*given, f"{server.url}#tiny"]) == 0
        assert len(server.bodies) == 6
    assert not load_candidates(tmp_path / "run")["status"].isin(["unavailable"]).any()


@pytest.mark.parametrize("text", ["", "I cannot"])
def test_a_run_of_one_reply_says_that_it_measures_nothing(text, tmp_path, capsys):
    given = "run --quiet --limit 2 --seeds 0 --methods primitive trove --k 3 --prompts practice --dataset practice"
    with Server(always=choice(text=text)) as server:
        given += f" --categories counting --out {tmp_path / 'run'} --model {server.url}#tiny"
        assert main(given.split()) == 0
    assert (
        f"check: {'one reply' if text else 'empty replies'}: 100 % (6 of 6"
        in capsys.readouterr().out
    )


@pytest.mark.parametrize("method", ["primitive", "trove"])
def test_what_was_unavailable_is_asked_for_again_and_the_run_is_as_if_it_had_been_there(
    method, tmp_path
):
    """Though asking again was stopped, too."""
    how = {"methods": (method,), "seeds": (0,)}
    folder = tmp_path / "b"
    expected = table(run(tmp_path / "a", **how))
    with pytest.raises(
        TroveLiteError, match=r"of \d+ samples could not be had \(http://host: no answer\)"
    ):
        run(folder, **how, model=Lacking(lambda _, seed: seed % 9 == 0))
    assert (table(folder)["status"] == "unavailable").any()
    with pytest.raises(ZeroDivisionError):
        run(folder, **how, model=Lacking(lambda *_: True, ZeroDivisionError))
    assert not (folder / "candidates.parquet").exists()
    with pytest.raises(TroveLiteError, match="with other settings"):
        run(folder, **how, k=9)
    model = ScriptedModel()
    pd.testing.assert_frame_equal(table(run(folder, **how, model=model)), expected)
    assert 0 < model.calls < len(expected) / 2
    about = read_description(folder)
    assert (about["missing"]["unavailable"], about["unavailable_because"]) == (0, "")
    assert [path.name for path in folder.iterdir() if path.is_dir()] == ["journal"]


def test_a_share_that_is_allowed_leaves_the_run_as_it_is(tmp_path):
    lacking = Lacking(lambda prompt, _: " 3 of" in prompt)
    folder = run(tmp_path / "a", **ALONE, model=lacking, fail_on_missing=0.1)
    asked = lacking.calls
    run(tmp_path / "a", **ALONE, model=lacking, fail_on_missing=0.1)
    assert lacking.calls == asked
    told = read_description(folder)
    known = load_candidates(folder).query("problem != 3")
    assert (
        told["accuracy"]["primitive-counting-0"] <= known.groupby("problem")["correct"].any().mean()
    )
    assert "left out above" in came_of(folder, told)
    assert "primitive: no sample" in came_of(folder, told | {"accuracy": {"primitive": None}})


def test_problems_that_lack_a_sample_are_in_no_accuracy_and_refused_ones_are(tmp_path):
    def share(error):
        lacking = Lacking(lambda prompt, _: " 3 of" in prompt or " 5 of" in prompt, error)
        folder = run(tmp_path / error.__name__, **ALONE, model=lacking, fail_on_missing=1)
        return read_description(folder)["accuracy"]["primitive-counting-0"]

    of_ten = share(SampleUnavailable)
    of_twelve = share(PromptRefused)
    assert of_ten > 0
    assert of_twelve == pytest.approx(of_ten * 10 / 12)


def made(server, folder, way="", in_flight=1, roles=()):
    """A run of six samples on that server, which may have other roles too."""
    model = OpenAIServer(
        server.url, "tiny", first_pause=0.001, timeout=1 if way in SILENT else 10, retries=1
    )
    small = {
        "methods": ("primitive",),
        "seeds": (0,),
        "k": 2,
        "problems": lambda *where: problems(*where, n=3),
    }
    return run(folder, model=model, roles=dict.fromkeys(roles, model), in_flight=in_flight, **small)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The table of a run on a server that behaves."""
    with Server() as server:
        return table(made(server, tmp_path_factory.mktemp("whole") / "run"))


@pytest.mark.parametrize("way", ["503", "connection reset", "silence", "401", "a quota"])
def test_where_no_answer_comes_any_more_the_run_ends_in_a_line_and_later_goes_on(
    way, whole, tmp_path
):
    # later these would be one sample's trouble
    folder = tmp_path / "run"
    good = [] if way in FINAL else [200, 200]
    with Server(*good, always=way) as server, pytest.raises(TroveLiteError) as ended:
        made(server, folder, way)
    assert str(ended.value).isprintable()
    assert (folder / "journal" / "primitive-counting-0.jsonl").read_text().count("\n") == len(good)
    assert read_description(folder)["retried"] == (way not in FINAL)
    with Server() as server:
        made(server, folder)
    assert table(folder).equals(whole)
    assert read_description(folder)["retried"] == (way not in FINAL)


def test_replies_on_their_way_when_a_server_refuses_for_good_are_kept(whole, tmp_path):
    with (
        Server("a balance", 0.5, 0.5, 0.5) as server,
        pytest.raises(TroveLiteError, match="left to pay with"),
    ):
        made(server, tmp_path / "run", in_flight=4)
    assert len(server.bodies) == 4  # and nothing else was asked
    with Server() as server:
        made(server, tmp_path / "run")
    assert len(server.bodies) == 6 - 3
    assert table(tmp_path / "run").equals(whole)


def test_replies_that_do_not_come_are_not_waited_for(monkeypatch, tmp_path):
    monkeypatch.setattr("trove_lite.running.driver.LAST_SECONDS", 0.5)
    with (
        Server("silence", "a balance") as server,
        pytest.raises(TroveLiteError, match="left to pay with"),
    ):
        made(server, tmp_path / "run", in_flight=2)
    assert not (tmp_path / "run" / "journal" / "primitive-counting-0.jsonl").read_text()


def test_a_server_in_two_roles_is_looked_for_once(whole, tmp_path):
    with Server() as server:
        made(server, tmp_path / "run", roles=["maker"])
    assert table(tmp_path / "run").equals(whole)
