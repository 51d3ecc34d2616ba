"""Reasons given against checks of health count what is so, and systems that differ are told."""

import shutil

import pytest

from studies import grid
from studies.plan import is_complete, read_study
from studies.publish import CHECKS, checks_of, explained, kept_checks, miscounted
from trove_lite.candidates import load_calls, load_candidates, read_description
from trove_lite_analysis.unlike import in_words, unlike

from ..cases import cases
from ..conftest import ROOT

#: Published runs whose checks are read in every `make test`; the others are slow.
SOON = ("own-latm", "cot-bbh", "official-pot")
#: Every published run of a study.
PUBLISHED = [
    pytest.param(part, folder, marks=[] if part.name in SOON else pytest.mark.slow, id=part.name)
    for study in map(read_study, sorted((ROOT / "studies").glob("*.toml")))
    for place in (
        grid.places(study, results=ROOT / "results/models")
        if study.models
        else [ROOT / "results" / study.name]
    )
    for part in study.parts
    if is_complete(folder := part.published(place))
]
COUNTED = [each.values for each in PUBLISHED if each.values[0].counted]


@pytest.mark.parametrize(("part", "folder"), PUBLISHED)
def test_kept_checks_are_those_that_a_published_run_fails(part, folder):
    assert [*map(tuple, kept_checks(part, folder))] == checks_of(part, folder)


def test_no_checks_are_kept_of_a_run_whose_table_is_another(tmp_path):
    part, folder = PUBLISHED[0].values
    home = shutil.copytree(folder, tmp_path / "runs" / folder.name).parent.parent
    shutil.copy(folder.parent.parent / CHECKS, home)
    changed = part.published(home)
    assert kept_checks(part, changed) == kept_checks(part, folder)
    (changed / "run.json").write_text("{}")
    assert kept_checks(part, changed) is None


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
    cases(
        """
        "own-trove",             "own-primitive",             []
        "own-instance",          "own-primitive",             []
        "own-creator",           "own-pot",                   ["programs that think in comments"]
        "official-trove-tabmwp", "official-primitive-tabmwp", ["programs that print more than three"]
        "own-latm-gpt4",         "cot-bbh",                   ["chat", "prompts", "parser", "stop"]
        "own-latm",              "own-primitive-bbh",         ["requests a problem"]
        """
    ),
)
def test_in_what_systems_differ_besides_their_methods_is_read_off_their_tables(a, b, facts):
    assert [line.split(": ")[0] for line in systems(a, b)] == facts
