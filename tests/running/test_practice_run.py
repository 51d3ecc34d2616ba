"""A live run of the practice model: the same, to the byte, however it is scheduled; and what it leaves behind."""

import pytest

import trove_lite as tl
from trove_lite.candidates import read_description, save_table
from trove_lite.models.base import SamplingSettings
from trove_lite.models.practice.model import PracticeModel
from trove_lite.running.live import live_run
from trove_lite.running.settings import RunSettings, folder_of

from ..scripted import TIMES

#: Few problems, but the toolbox is trimmed and problems are solved again.
CHOICES = {"trove": {"interval": 4, "threshold": "fixed_2"}}
SETTINGS = RunSettings(name="small", categories=("counting",), seeds=(0,), k=6, limit=8, choices=CHOICES)


def without_times(folder, target):
    """The candidates as bytes, with all times set to nothing."""
    save_table(tl.load_candidates(folder).assign(**dict.fromkeys(TIMES, 0.0)), target)
    return target.read_bytes()


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    folder = live_run(SETTINGS, tmp_path_factory.mktemp("practice") / "first", progress=False)
    assert set(tl.load_candidates(folder)["phase"]) == {"stream", "retry"}  # it trims, and solves again
    return folder


def test_same_seed_same_bytes_however_it_is_scheduled(first, tmp_path):
    how = {"in_flight": 7, "workers": 3, "model": PracticeModel(SamplingSettings(), requests_at_once=3)}
    again = live_run(SETTINGS, tmp_path / "again", progress=False, **how)
    assert without_times(again, tmp_path / "a") == without_times(first, tmp_path / "b")
    for name in ("accuracy", "toolboxes"):
        assert read_description(again)[name] == read_description(first)[name]


def test_other_settings_have_another_folder():
    folders = {folder_of(RunSettings(k=k, seeds=(seed,)), "runs") for k in (3, 6) for seed in (0, 1)}
    assert len(folders) == 4
    assert folder_of(RunSettings(k=3), "runs") == folder_of(RunSettings(k=3), "runs")
