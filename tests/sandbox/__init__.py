"""What the tests of the sandbox share."""

import pytest

from trove_lite.sandbox.pool import isolation_report

needs_full = pytest.mark.skipif(
    isolation_report()["level"] != "full", reason="this machine does not offer the level full"
)


def run(sandbox, program: str = "print(1)", files=None):
    """How one program ends."""
    return sandbox.run_many([program], progress=False, files=[files])[0]
