"""Bars: plain lines where no terminal is, few of them, and none that moves the cursor."""

from trove_lite import bars
from trove_lite.bars import Bar


def test_elsewhere_than_on_a_terminal_there_is_a_line_now_and_then_and_one_at_the_end(capsys, monkeypatch):
    clock = iter(range(0, 1000, 10))
    monkeypatch.setattr(bars.time, "monotonic", lambda: next(clock))
    with Bar(1200, "programs") as bar:
        for _ in range(12):
            bar.update(100)
    said = capsys.readouterr().err
    assert said.endswith("programs: 1,200 of 1,200\n")
    assert 2 <= said.count("\n") <= 5
    assert "\r" not in said
