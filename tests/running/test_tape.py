"""A tape: replies are drawn once, and a run from them is the same however it is scheduled, stopped
and moved."""

import shutil
from dataclasses import replace

import pandas as pd
import pytest

from trove_lite.candidates import KEY, read_description
from trove_lite.errors import UsageError
from trove_lite.models.base import (
    Completion,
    LanguageModel,
    ModelError,
    PromptRefused,
    SamplingSettings,
)
from trove_lite.models.practice.model import PracticeModel
from trove_lite.models.tape import Tape, Taped, request_hash
from trove_lite.running.generate_only import draw_ahead
from trove_lite.running.live import in_own_loop, live_run
from trove_lite.running.settings import RunSettings

from ..conftest import ROOT
from ..scripted import table

#: Few problems, but the toolbox is trimmed and problems are solved again.
CHOICES = {"trove": {"interval": 4, "threshold": "fixed_2"}}
RUN = RunSettings(
    methods=("trove", "primitive"), categories=("counting",), seeds=(0, 1), limit=5, choices=CHOICES
)


class Stopping(PracticeModel):
    """The practice model, which fails for good after so many samples."""

    def __init__(self, samples: int):
        super().__init__(SamplingSettings())
        self.left = samples

    async def sample(self, *asked):
        self.left -= 1
        if self.left < 0:
            raise ModelError("stopped")
        return await super().sample(*asked)


class Away(PracticeModel):
    """The practice model, whose server cannot be reached."""

    async def __aenter__(self):
        raise ModelError("away")


def told(out):
    """All that a run tells but times: its table, and what came of it."""
    about = read_description(out)
    return table(out).to_csv(), about["accuracy"], about["toolboxes"]


@pytest.mark.slow
def test_a_sitting_stopped_three_times_and_moved_is_as_one_that_was_not_and_ran_otherwise(tmp_path):
    one = replace(RUN, seeds=(0,))
    how = {
        "in_flight": 50,
        "workers": 3,
        "model": PracticeModel(SamplingSettings(), requests_at_once=40),
    }
    whole = told(live_run(one, tmp_path / "whole", progress=False, **how))
    assert "retry" in whole[0]
    place = tmp_path / "0"
    sizes = []
    for sitting, (samples, how) in enumerate([(35, draw_ahead), (85, live_run), (10, live_run)]):
        out = {"out": tmp_path / f"out{sitting}", "progress": False} if how is live_run else {}
        with pytest.raises(ModelError, match="stopped"):
            how(one, tape=place, model=Stopping(samples), **out)
        place = place.rename(tmp_path / f"{sitting + 1}")
        sizes.append(len(Tape(place).replies))
    assert sizes == sorted(set(sizes))  # each adds to what was there
    assert told(live_run(one, tmp_path / "last", tape=place, progress=False)) == whole
    shutil.copytree(place, tmp_path / "elsewhere")
    away = Away(SamplingSettings())  # all is on the tape, so nobody asks for it
    assert (
        told(
            live_run(
                one, tmp_path / "home", tape=tmp_path / "elsewhere", model=away, progress=False
            )
        )
        == whole
    )


def test_all_but_import_is_drawn_ahead_and_once(tmp_path):
    assert draw_ahead(RUN, tmp_path / "tape") == (2 * 5 * (15 + 10), 0, 0)
    placebo = RunSettings(
        **vars(RUN) | {"methods": ("trove",), "choices": {"trove": {"toolbox": "none"}}}
    )
    assert draw_ahead(placebo, tmp_path / "tape") == (2 * 5 * 5, 2 * 5 * 10, 0)
    before = len(Tape(tmp_path / "tape").replies)
    calls = pd.read_parquet(
        live_run(RUN, tmp_path / "out", tape=tmp_path / "tape", progress=False) / "calls.parquet"
    )
    known = calls["mode"].isin(["primitive", "create"]) | (
        calls["mode"].eq("skip") & calls["phase"].eq("stream")
    )
    assert len(Tape(tmp_path / "tape").replies) - before <= int(
        (~known).sum()
    )  # IMPORT with no tools is the placebo's


def test_what_another_session_draws_is_taken_while_both_go_on(tmp_path, monkeypatch):
    async def both():
        first = Refusing()
        second = Refusing()
        async with (
            Taped(first, tmp_path / "tape") as one,
            Taped(second, tmp_path / "tape") as other,
        ):
            drawn = await one.complete("a", [1, 2])
            assert await other.complete("a", [2, 3, 1]) == [drawn[1], drawn[0], drawn[0]]
        return first.asked, second.asked

    monkeypatch.setattr("trove_lite.models.tape.LOOK_SECONDS", 0)
    assert in_own_loop(both()) == (2, 1)


class Refusing(LanguageModel):
    name = "refusing"
    asked = 0

    async def sample(self, prompt, seed, settings):
        self.asked += 1
        if prompt == "long":
            raise PromptRefused("too long")
        return Completion("\ud800 é", 3, 1, "stop", 0.5, queue_seconds=0.25)


def test_a_reply_and_a_refusal_come_back_as_they_were_and_another_model_is_refused(tmp_path):
    async def ask(model):
        async with Taped(model, tmp_path / "tape") as taped:
            with pytest.raises(PromptRefused, match="too long"):
                await taped.complete("long", [1])
            return await taped.complete("a", [1, 2])

    first = Refusing()
    again = Refusing()
    assert in_own_loop(ask(first)) == in_own_loop(ask(again))
    assert (first.asked, again.asked) == (3, 0)
    other = Refusing()
    other.identity = lambda: {"name": "refusing", "sha256": "another"}

    async def ask_more():
        async with Taped(other, tmp_path / "tape") as taped:
            await taped.complete("new", [1])

    with pytest.raises(UsageError, match="choose another --tape"):
        in_own_loop(ask_more())


class Again(LanguageModel):
    """A real model, of whose replies a published tape has these: it fails for good after so many
    samples."""

    def __init__(self, tape: Tape, samples: int):
        (self.name,), self.tape, self.left = tape.models, tape, samples

    def identity(self):
        return self.tape.models[self.name]

    async def sample(self, prompt, seed, settings):
        self.left -= 1
        if self.left < 0:
            raise ModelError("stopped")
        return Completion(
            **self.tape.replies[self.name, request_hash(prompt, settings), seed]["reply"]
        )


@pytest.mark.slow
@pytest.mark.parametrize("system", ["primitive", "empty"])
def test_so_are_forty_problems_by_a_real_model_and_as_they_were_published(tmp_path, system):
    folder = ROOT / "results" / "models" / "qwen2.5-coder-0.5b-instruct"
    published = Tape(folder)
    place = tmp_path / "0"
    how = {
        "dataset": "math",
        "categories": ("counting",),
        "prompts": "official",
        "preset": "official",
        "limit": 40,
    }
    own = (
        {"methods": ("trove",), "choices": {"trove": {"toolbox": "none"}}}
        if system == "empty"
        else {"methods": (system,)}
    )
    settings = RunSettings(name="whole", seeds=(0,), time_limit=10, **how, **own)
    for sitting, samples in enumerate((150, 200, 60), start=1):
        with pytest.raises(ModelError, match="stopped"):
            live_run(
                settings,
                tmp_path / f"out{sitting}",
                tape=place,
                model=Again(published, samples),
                progress=False,
            )
        place = place.rename(tmp_path / str(sitting))
    live_run(settings, tmp_path / "last", tape=place, model=Again(published, 1000), progress=False)
    columns = [*KEY, "response", "solution", "status", "answer", "correct"]
    theirs = pd.read_parquet(
        folder / "runs" / f"a-{system}-0" / "candidates.parquet", columns=columns
    )
    theirs = theirs.query("phase == 'stream' and category == 'counting' and problem < 40")
    ours = pd.read_parquet(tmp_path / "last" / "candidates.parquet", columns=columns).query(
        "phase == 'stream'"
    )
    assert ours.to_csv(index=False) == theirs.to_csv(index=False)
