"""What a run is set to: defaults, and what fits together (what is refused: test_wrong_inputs)."""

import pytest

from trove_lite.running.settings import PAPERS_MODEL, RunSettings


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
