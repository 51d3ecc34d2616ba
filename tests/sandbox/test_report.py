"""What a program may report of its own end: anything at all, and it is read or it is none."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from trove_lite.sandbox.worker import read_report
from trove_lite.sandbox.zygote import REPORT

NONE = ("", False)
heads = st.builds(
    REPORT.pack, st.integers(-(2**31), 2**31 - 1), st.integers(0, 255), st.integers(0, 65535)
)
likely = st.builds(REPORT.pack, st.integers(0, 10**7), st.integers(0, 2), st.integers(0, 40))


@settings(deadline=None)
@given(st.binary(max_size=200) | st.builds(bytes.__add__, heads | likely, st.binary(max_size=60)))
@example(b'["x", "y", Infinity, false]')
@example(b'["ValueError", "\\ud800", 1, false]')
@example(REPORT.pack(1, 0, 3) + b"\xed\xa0\x80")
@example(REPORT.pack(1, 0, 65535) + b"\xff" * 65535)
@example(b"9" * 70_000)
def test_any_bytes_are_a_report_or_none(told):
    words, is_memory = read_report(told)
    assert type(is_memory) is bool
    assert len(words.encode("utf-8")) <= 4 * 2000 + 20


@settings(deadline=None)
@given(
    st.integers(1, 10**7 - 1),
    st.booleans(),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=50),
)
def test_a_report_says_what_was_written(line, is_memory, words):
    told = words.encode()
    expected = f"{words} (line {line})", is_memory
    assert read_report(REPORT.pack(line, is_memory, len(told)) + told) == expected
    assert (
        read_report(REPORT.pack(line, is_memory, len(told)) + told + b"written before") == expected
    )


NO_REPORT = [b"", b"x", REPORT.pack(1, 0, 0) + b"no length", REPORT.pack(1, 0, 5) + b"less"]
NO_REPORT += [REPORT.pack(*head) + b"x" for head in ((-1, 0, 1), (10**7, 0, 1), (1, 2, 1))]


@pytest.mark.parametrize("told", NO_REPORT)
def test_what_is_no_report_says_nothing(told):
    assert read_report(told) == NONE


def test_an_unknown_line_is_not_named():
    assert read_report(REPORT.pack(0, 0, 1) + b"x") == ("x", False)
