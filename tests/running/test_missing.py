"""Samples that could not be had: a run of too many is no run, says why, and the same command asks for them again."""

import pandas as pd
import pytest

from trove_lite import TroveLiteError, load_candidates
from trove_lite.candidates import read_description
from trove_lite.cli import main
from trove_lite.models.base import PromptRefused, SampleUnavailable
from trove_lite.running.account import came_of

from ..models.misbehaving import Server, changed, choice
from ..scripted import ScriptedModel, run, table

ALONE = {"methods": ("primitive",), "seeds": (0,)}
ODD = {"choices": [{"index": 0, "text": "print(1)", "finish_reason": "neither"}]}


class Lacking(ScriptedModel):
    """Has no answer to some requests."""

    def __init__(self, lacks, error=SampleUnavailable):
        super().__init__()
        self.lacks, self.error = lacks, error

    async def complete(self, prompt, seeds):
        if self.lacks(prompt, seeds[0]):
            self.calls += 1
            raise self.error("http://host: no answer")
        return await super().complete(prompt, seeds)


def test_a_run_without_a_sample_ends_with_an_error_and_the_same_command_completes_it(tmp_path, capsys):
    words = "run --quiet --dataset practice --prompts practice --limit 2 --seeds 0 --methods primitive --k 3"
    given = [*words.split(), "--categories", "counting", "--out", str(tmp_path / "run"), "--model"]
    with Server(always=changed(**ODD)) as server:
        assert main([*given, f"{server.url}#tiny"]) == 1
    said = capsys.readouterr()
    assert "no sample could be had" in said.err
    assert "complete" not in said.out
    assert read_description(tmp_path / "run")["settings"]["model"] == "server#tiny"  # and no address
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
    assert f"sign: {'one reply' if text else 'empty replies'}: 100 % (6 of 6" in capsys.readouterr().out


@pytest.mark.parametrize("method", ["primitive", "trove"])
def test_what_was_unavailable_is_asked_for_again_and_the_run_is_as_if_it_had_been_there(method, tmp_path):
    """Though asking again was stopped, too."""
    how, folder = {"methods": (method,), "seeds": (0,)}, tmp_path / "b"
    expected = table(run(tmp_path / "a", **how))
    with pytest.raises(TroveLiteError, match=r"of \d+ samples could not be had \(http://host: no answer\)"):
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
    assert told["accuracy"]["primitive-counting-0"] <= known.groupby("problem")["correct"].any().mean()
    assert "left out above" in came_of(folder, told)


def test_problems_that_lack_a_sample_are_in_no_accuracy_and_refused_ones_are(tmp_path):
    def share(error):
        lacking = Lacking(lambda prompt, _: " 3 of" in prompt or " 5 of" in prompt, error)
        folder = run(tmp_path / error.__name__, **ALONE, model=lacking, fail_on_missing=1)
        return read_description(folder)["accuracy"]["primitive-counting-0"]

    of_ten, of_twelve = share(SampleUnavailable), share(PromptRefused)
    assert of_ten > 0
    assert of_twelve == pytest.approx(of_ten * 10 / 12)
