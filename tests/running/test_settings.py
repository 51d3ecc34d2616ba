"""What a run is set to: defaults, what fits together, and what is refused in one line."""

import pytest

from trove_lite.errors import TroveLiteError
from trove_lite.models.base import SamplingSettings
from trove_lite.running.settings import PAPERS_MODEL, RunSettings


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"k": 0, "methods": ("primitive",)}, "at least one call"),
        ({"preset": "mine"}, "official"),
        ({"time_limit": float("nan")}, "more than 0"),
        ({"selection": "best"}, "one_stage"),
        ({"sampling": SamplingSettings(top_p=2.0)}, "<= 1"),
        ({"choices": {"trove": {"speed": 3}}}, "interval"),
    ],
)
def test_settings_that_make_no_sense_are_refused(given, words):
    """More of them, as a command gives them, are in test_wrong_inputs."""
    with pytest.raises(TroveLiteError, match=words) as caught:
        RunSettings(**given)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "given",
    [
        *({"k": "15"}, {"seeds": 3}, {"seeds": ("a",)}, {"sampling": 3}, {"sampling": SamplingSettings("hot")}),
        {"choices": {"trove": {"interval": "a"}}},
    ],
    ids=str,
)
def test_a_value_of_a_wrong_type_is_refused_in_a_line(given):
    with pytest.raises(TroveLiteError, match="of a wrong type"):
        RunSettings(**given)


def test_a_choice_replaces_the_presets_and_no_other():
    trove = RunSettings(preset="official", choices={"trove": {"interval": 100}}).of("trove", 3)
    assert (trove.interval, trove.threshold, trove.seed) == (100, "log20", 3)


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({}, ("practice", "practice", "practice")),
        ({"dataset": "math"}, (PAPERS_MODEL, "math", "own")),
        ({"model": "vllm:x", "dataset": "math"}, ("vllm:x", "math", "own")),
        ({"model": "vllm:x", "prompts": "official", "dataset": "math"}, ("vllm:x", "math", "official")),
    ],
)
def test_model_data_and_prompts_suit_each_other(given, found):
    settings = RunSettings(**given)
    assert (settings.model, settings.dataset, settings.prompts) == found
