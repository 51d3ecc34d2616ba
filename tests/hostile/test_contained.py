"""Each hostile program is contained at the level "full": as root, and as a user without rights."""

import contextlib
import json
import os
import subprocess

import pytest

from trove_lite.sandbox.pool import isolation_report

from . import cell
from .catalogue import everything

BATTERY = everything()


class Station:
    """A runner in a cell, started when it is first asked."""

    def __init__(self, user: str):
        self.user, self.process, self.reason = user, None, ""

    def attack(self, name: str) -> dict:
        if self.reason:
            pytest.skip(self.reason)
        if self.process is None:
            self.process = cell.start(self.user, "full")
            self._read()
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        return self._read()

    def _read(self) -> dict:
        line = self.process.stdout.readline()
        if not line:
            code, reason = self.process.wait(), self.process.stderr.read()
            if code == 125:
                self.reason = f"{reason.strip()} (user: {self.user})"
                pytest.skip(self.reason)
            pytest.fail(f"the runner ended with code {code}: {reason[-2000:]}")
        return json.loads(line)

    def close(self) -> None:
        if self.process:
            with self.process, contextlib.suppress(BrokenPipeError):
                self.process.stdin.close()
                try:
                    self.process.wait(20)
                except subprocess.TimeoutExpired:
                    self.process.kill()


@pytest.fixture(scope="session", params=["root", "user"])
def station(request):
    if isolation_report()["level"] != "full":
        pytest.skip("this machine does not offer the level full")
    if request.param == "root" and os.geteuid() != 0:
        pytest.skip("the tests do not run as root")
    station = Station(request.param)
    yield station
    station.close()


@pytest.mark.parametrize("name", BATTERY)
def test_contained(station, name):
    """Nothing happened, nothing is left, the next program is well, and the status is right."""
    answer = station.attack(name)
    assert answer["problems"] == []
    assert answer["status"] in BATTERY[name].statuses(), answer


def test_battery_is_large_enough():
    assert len(BATTERY) >= 60
