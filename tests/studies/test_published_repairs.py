"""The real model's published run with up to three repairs, read as a run with fewer, is the run with fewer.

The run is made from the published journals: a request that they do not hold is an error, and no program runs again. The
words of prompts have changed since, so a stub stands for them.
"""

import json
from pathlib import Path

import pandas as pd
import pytest

from papers import creator
from trove_lite import load_candidates
from trove_lite.candidates import read_description
from trove_lite.errors import TroveLiteError
from trove_lite.journal import finished_journal
from trove_lite.running.live import live_run
from trove_lite.running.record import content_hash
from trove_lite.running.settings import RunSettings

from ..scripted import Pack, ScriptedModel

COUNTING = Path(__file__).parents[2] / "results/creator-qwen2.5-coder-1.5b/runs/counting"
KEY = ["method", "problem", "sample", "round"]


class NotAsked(ScriptedModel):
    async def complete(self, prompt, seeds):
        raise TroveLiteError("asked for what the journals do not hold")


class Stub(Pack):
    """Asks for a stage by its name alone."""

    @staticmethod
    def words(stage):
        return f"**Question {stage}"

    def render(self, question, stage, *_, **__):
        return self.words(stage)


class NothingRuns:
    level, workers = "full", 1

    async def run(self, program):
        raise AssertionError("a program ran that the journals have run")


def run_again(out: Path, methods: tuple[str, ...], limit: int) -> pd.DataFrame:
    """The published run's candidates by these methods, made from its journals with this limit."""
    settings = read_description(COUNTING)["settings"]
    choices = {method: settings["choices"][method] | {"rectify": limit} for method in methods}
    same = {name: settings[name] for name in ("name", "dataset", "prompts", "preset", "k")}
    again = RunSettings(methods=methods, categories=("counting",), seeds=(0,), choices=choices, **same)
    how = {"model": NotAsked(), "sandbox": NothingRuns(), "progress": False, "pack": Stub()}
    with pytest.raises(TroveLiteError, match="journals do not hold"):
        live_run(again, out, **how)
    for method in methods:
        name = f"{method}-counting-0.jsonl"
        held = [r for r in finished_journal(COUNTING / "journal" / name) if not over(r, limit)]
        held = [record | {"prompt": content_hash(Stub.words(record["stage"]))} for record in held]
        (out / "journal" / name).write_text("".join(json.dumps(record) + "\n" for record in held))
    return load_candidates(live_run(again, out, **how))


def over(record: dict, limit: int) -> bool:
    return record["stage"] == "rectify" and record["round"] > limit


@pytest.mark.parametrize("limit", [0, 1, 2])
@pytest.mark.usefixtures("public_problems")
def test_fewer_repairs_read_off_the_real_models_run_are_a_run_with_fewer(tmp_path, limit):
    whole = load_candidates(COUNTING)
    made = run_again(tmp_path / "a", ("pot", "entangled", "creator"), limit)
    assert made["problem"].nunique() == 291
    read = creator.limited(whole, limit)
    columns = [*KEY, "phase", "mode", "response", "status", "answer", "correct"]  # replies are read otherwise since
    read, made = (
        frame[columns]
        .astype(dict.fromkeys(("method", "phase", "mode", "status"), str))
        .sort_values(KEY, ignore_index=True)
        for frame in (read, made)
    )
    assert (read["round"] == limit).sum() > 100
    pd.testing.assert_frame_equal(read, made, check_dtype=False)
