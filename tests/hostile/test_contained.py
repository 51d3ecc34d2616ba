"""Each hostile program is contained at the level "full": as root, and as a user without rights.

An ordinary user's root is the root of a namespace of its own (`cell.py`).
"""

import json
import os
import subprocess

import pytest

from trove_lite.sandbox.pool import isolation_report

from . import cell
from .catalogue import Hostile, everything

BATTERY = everything()


class Station:
    """A runner in a cell, started when it is first asked, and again when a program took it along.

    Where no cell can be made (containers, some distributions), an ordinary user's programs run without: at the level
    "full" it is only a precaution.
    """

    def __init__(self, user: str):
        self.cells = [user, ""] if user == "user" and os.geteuid() else [user]
        self.process, self.reason = None, ""

    def attack(self, hostile: Hostile) -> dict:
        if self.process is None:
            self.process = self._start()
        if self.cells == [""] and hostile.reaches_everybody:
            pytest.skip(self.reason)
        self.process.stdin.write(hostile.name + "\n")
        self.process.stdin.flush()
        if not (line := self.process.stdout.readline()):
            reason, self.process = self.process.communicate()[1], None
            pytest.fail(f"{hostile.name} ended the supervisor: {reason[-2000:]}")
        return json.loads(line)

    def _start(self) -> subprocess.Popen:
        while self.cells:
            process = cell.start(self.cells[0], "full")
            if process.stdout.readline():
                return process
            self.reason = f"{process.communicate()[1].strip()} (user: {self.cells.pop(0)})"
            assert process.returncode == 125, self.reason
        pytest.skip(self.reason)

    def close(self) -> None:
        """End it, in which it looks at all its warm processes once more."""
        if self.process:
            with self.process:
                try:
                    told = self.process.communicate(timeout=120)[1]
                except subprocess.TimeoutExpired:
                    self.process.kill()
                    raise
            assert self.process.returncode == 0, told[-2000:]


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
    answer = station.attack(BATTERY[name])
    assert answer["problems"] == []
    assert answer["status"] in BATTERY[name].statuses(), answer


def test_battery_is_large_enough():
    assert len(BATTERY) >= 250
