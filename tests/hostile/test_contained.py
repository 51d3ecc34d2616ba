"""Each hostile program is contained at the level "full": as root, and as a user without rights.

An ordinary user's root is the root of a namespace of its own (`cell.py`).
"""

import pytest

from trove_lite.sandbox.pool import isolation_report

from .catalogue import everything
from .cell import Nowhere, Station

BATTERY = everything()


@pytest.fixture(scope="session", params=["root", "user"])
def station(request):
    if isolation_report()["level"] != "full":
        pytest.skip("this machine does not offer the level full")
    station = Station(request.param)
    yield station
    station.close()


@pytest.mark.parametrize("name", BATTERY)
def test_contained(station, name):
    """Nothing happened, nothing is left, the next program is well, and the status is right."""
    try:
        answer = station.attack(BATTERY[name])
    except Nowhere as nowhere:
        pytest.skip(str(nowhere))
    assert answer["problems"] == []
    assert answer["status"] in BATTERY[name].status.split(), answer


def test_battery_is_large_enough():
    assert len(BATTERY) >= 250
