"""A sandbox for methods' programs."""

import pytest

from trove_lite.sandbox import Sandbox


@pytest.fixture(scope="session")
def sandbox():
    """Runs a program, and says how it ended."""
    with Sandbox(1, time_limit=60) as box:
        yield lambda program: box.run_many([program], progress=False)[0]
