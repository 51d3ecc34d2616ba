"""A sandbox for what makers write."""

import pytest


@pytest.fixture(scope="session")
def sandbox(box):
    """Runs a program, and says how it ended."""
    return lambda program: box.run_many([program], progress=False)[0]
