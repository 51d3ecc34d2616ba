"""Reasons given against checks of health count what is so, and systems that differ are told."""

import pytest

from studies.plan import is_complete, read_study
from studies.publish import explained, miscounted
from trove_lite.candidates import load_calls, load_candidates, read_description
from trove_lite_analysis.unlike import in_words, unlike

from ..conftest import ROOT

COUNTED = [
    (part, folder)
    for path in sorted((ROOT / "studies").glob("*.toml"))
    for part in read_study(path).parts
    if part.counted and is_complete(folder := part.published(ROOT / "results" / path.stem))
]


def test_at_least_five_parts_have_reasons_that_are_counted():
    assert len(COUNTED) >= 5


@pytest.mark.parametrize(("part", "folder"), COUNTED, ids=lambda each: getattr(each, "name", ""))
def test_what_a_reason_counts_is_so(part, folder):
    assert miscounted(part, load_candidates(folder), folder) == {}


def test_a_reason_with_a_wrong_number_explains_nothing():
    part, folder = next(each for each in COUNTED if each[0].name == "own-primitive-bbh")
    right = explained(part, folder)
    wrong = explained(part._replace(counted={"one answer": {"status == 'error'": 0}}), folder)
    assert [line for line, why in right if not why] == []
    ((line, _),) = [each for each in wrong if not each[1]]
    assert line.startswith("check: one answer: ")
    assert "its reason says 0, and " in line


def systems(*names: str) -> list[str]:
    folders = [ROOT / "results/bench/runs" / name for name in names]
    rows, calls = ([load(folder) for folder in folders] for load in (load_candidates, load_calls))
    return in_words(unlike(*rows, calls, [[read_description(folder)] for folder in folders]))


@pytest.mark.parametrize(
    ("a", "b", "facts"),
    [
        ("own-trove", "own-primitive", []),
        ("own-instance", "own-primitive", []),
        ("own-creator", "own-pot", ["programs that think in comments"]),
        (
            "official-trove-tabmwp",
            "official-primitive-tabmwp",
            ["programs that print more than three"],
        ),
        ("own-latm-gpt4", "cot-bbh", ["chat", "prompts", "parser", "stop"]),
        ("own-latm", "own-primitive-bbh", ["requests a problem"]),
    ],
)
def test_in_what_systems_differ_besides_their_methods_is_read_off_their_tables(a, b, facts):
    assert [line.split(": ")[0] for line in systems(a, b)] == facts
