"""The table of where papers, programs and kit part: each row is explained, and each switch works."""

from dataclasses import fields

import pandas as pd
import pytest

from benchmarks.departures import (
    NAME,
    RESULTS,
    default_of,
    departures,
    other_code,
    table,
    values_of,
)
from trove_lite.datasets import load_dataset
from trove_lite.errors import UsageError
from trove_lite.methods import METHODS, load_method

from .conftest import AWAY

if AWAY:
    pytest.skip("the table names what all folders hold", allow_module_level=True)

ROWS = list(departures())
SWITCHES = sorted({one.switch for one in ROWS if one.switch})
#: The presets that stand for a released program.
RELEASED = ("official", "released")


@pytest.mark.parametrize("one", ROWS, ids=lambda one: one.place)
def test_a_departure_has_a_switch_or_a_reason_and_an_agreement_has_neither(one):
    assert all((one.place, one.program, one.here))
    assert bool(one.switch) + bool(one.why) == (0 if one.agrees else 1)


def test_no_place_stands_twice():
    assert len({one.place for one in ROWS}) == len(ROWS)


@pytest.mark.parametrize("switch", SWITCHES)
def test_a_switch_is_an_option_of_a_run_that_changes_what_it_does(switch):
    for method, name, value in values_of(switch):
        assert default_of(method, name) != value
        assert name != "dataset" or load_dataset(value).name == value


def test_a_switch_that_is_gone_is_said():
    with pytest.raises(UsageError, match=r"no option --creator\.fence: is it --creator\.fences"):
        values_of("--creator.fence released")


@pytest.mark.parametrize("method", METHODS)
def test_all_that_a_released_preset_changes_has_its_row(method):
    presets = load_method(method).presets
    has = {found[:2] for switch in SWITCHES for found in values_of(switch)}
    has |= {(method, name) for of, name in has if not of}
    for preset in RELEASED:
        settings = presets.get(preset, presets["paper"])
        changed = {
            (method, field.name)
            for field in fields(settings)
            if getattr(settings, field.name) != getattr(presets["paper"], field.name)
        }
        assert changed <= has


def test_the_committed_table_is_what_the_command_makes():
    committed = pd.read_csv(RESULTS / "audit" / f"{NAME}.csv", keep_default_na=False, dtype=str)
    made = table()
    pd.testing.assert_frame_equal(committed, made.astype(str))


def test_a_reply_counts_where_the_released_reader_finds_another_program():
    replies = [
        "```python\nprint(1)\n```",
        "print(1)",
        "```python\nprint(1)",
        "```py\nprint(1)\n```",
    ]
    run = pd.DataFrame({"response": replies})
    assert list(other_code(run)) == [False, True, True, True]
