"""A bar beside other lines: on a terminal it is one line that ends before the next, in a log a line
at a time."""

import os
import pty
import subprocess
import sys

import pytest

from .conftest import ROOT

ENDINGS = {
    "an error": "raise TroveLiteError('no card')",
    "a notice and an error": "progress.say('asking again'); raise TroveLiteError('no card')",
    "two notices and an error": "progress.say('a'); progress.say('b'); raise TroveLiteError('no card')",
    "a state and an error": "progress.bar.update(); progress.bar.refresh(); raise TroveLiteError('no card')",
    "a state, a notice, an error": (
        "progress.bar.refresh(); progress.say('asking again'); raise TroveLiteError('no card')"
    ),
    "Ctrl-C": "progress.say('asking again'); raise KeyboardInterrupt",
}
PROGRAM = """
import sys
from contextlib import ExitStack
sys.path.insert(0, {root!r})
from trove_lite import cli
from trove_lite.errors import TroveLiteError
from trove_lite.running.progress import Progress

def work():
    with ExitStack() as stack:
        progress = Progress(20)
        stack.callback(progress.bar.close)
        {ending}

cli._run = lambda words: work()
cli.main(["run"])
"""


@pytest.mark.parametrize("terminal", [False, True], ids=["log", "terminal"])
@pytest.mark.parametrize("ending", ENDINGS)
def test_what_is_said_after_a_bar_is_a_line_of_its_own(ending, terminal):
    code = PROGRAM.format(root=str(ROOT), ending=ENDINGS[ending])
    ours, theirs = pty.openpty() if terminal else os.pipe()
    subprocess.run([sys.executable, "-c", code], stderr=theirs, timeout=60)
    os.close(theirs)
    shown = b""
    try:
        while part := os.read(ours, 1 << 16):
            shown += part
    except OSError:  # a terminal that nobody writes to any more
        pass
    os.close(ours)
    # What is seen of a line that is written over is what was written last.
    lines = [line.split("\r")[-1] for line in shown.decode().replace("\r\n", "\n").split("\n")]
    last = [line for line in lines if line.strip()][-1]
    assert last == "error: no card" or last.startswith("interrupted")
    assert not any("problem/s" in line and ("error" in line or "asking" in line) for line in lines)
    assert terminal or "\r" not in shown.decode()
