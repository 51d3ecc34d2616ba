"""How programs fail and what tools are like: each kind on a case worked out by hand."""

import pandas as pd
import pytest

from trove_lite_analysis.failure_modes import (
    A_THREAD,
    kind_of,
    tool_kind,
    tool_kinds,
    tools_imported,
    tools_made,
)

from ..cases import cases


@pytest.mark.parametrize(
    ("status", "answer", "correct", "error", "kind"),
    cases(
        """
        "ok", "4.0", True, None, "right"
        "ok", "5.0", False, None, "wrong"
        "ok", None, False, None, "no answer"
        "error", None, False, "NameError: name 'f' is not defined (line 1)", "NameError"
        "error", None, False, "AttributeError: module 'numpy' has no attribute 'int' (line 2)", "a dropped name"
        "error", None, False, "AttributeError: 'DataFrame' object has no attribute 'append'", "a dropped name"
        "error", None, False, "AttributeError: module 'numpy' has no attribute 'integer_sum'", "AttributeError"
        "error", None, False, "RuntimeError: can't start new thread (line 3)", A_THREAD
        "error", None, False, "PermissionError: [Errno 1] Operation not permitted (line 3)", A_THREAD
        "error", None, False, "PermissionError: [Errno 13] Permission denied (line 3)", A_THREAD
        "error", None, False, "PermissionError: [Errno 13] Permission denied: 'out.txt' (line 3)", "PermissionError"
        "error", None, False, "SystemExit: 3", "SystemExit"
        "error", None, False, "exit code 3", "another error"
        "error", None, False, None, "another error"
        "timeout", None, False, "over 30 s of CPU time", "timeout"
        "refused", None, False, "too long", "refused"
        """,
        A_THREAD=A_THREAD,
    ),
)
def test_each_end_has_its_kind(status, answer, correct, error, kind):
    assert kind_of(status, answer, correct, error) == kind


TOOLS = {
    "general": [
        "def f(n, k):\n    return n * k",
        "from math import comb\n\ndef f(*values):\n    return sum(values)",
    ],
    "unused arguments": ["def f(n, k):\n    return n"],
    "constant": ["def f(n):\n    return 42"],
    "no arguments": ["def f():\n    return 42"],
    "broken": ["def f(:", "x = 1"],
}


@pytest.mark.parametrize(
    ("source", "kind"), [(source, kind) for kind in TOOLS for source in TOOLS[kind]]
)
def test_a_tool_is_judged_by_what_it_makes_of_its_arguments(source, kind):
    assert tool_kind(source) == kind


def block(code):
    return f"```python\n{code}\n```"


def rows(*given):
    same = {
        "run": "r",
        "method": "m",
        "category": "c",
        "seed": 0,
        "sample": 0,
        "phase": "stream",
        "status": "ok",
    }
    same |= {"answer": "1.0", "correct": True, "error": None}
    return pd.DataFrame([same | row for row in given])


def test_a_tool_is_counted_where_it_is_made_and_where_it_is_imported():
    made = block("def f(n):\n    return n")
    use = block("from toolbox import f")
    given = [(0, made), (1, made), (2, use), (2, use), (3, use), (4, block("import math"))]
    table = tools_made(
        rows(*({"mode": "a", "problem": problem, "tools": tools} for problem, tools in given))
    )
    (row,) = table.to_dict("records")
    assert row["function"] == "f"
    assert (row["first_problem"], row["made"], row["imported"], row["problems"]) == (0, 2, 3, 2)


def test_what_hard_codes_an_answer_is_counted_together():
    made = [("general", 3, 1), ("general", 0, 1), ("constant", 0, 0), ("no arguments", 1, 1)]
    tools = pd.DataFrame(made, columns=["kind", "imported", "right"]).assign(method="m")
    table = tool_kinds(tools).set_index("kind")
    counts = table.loc[
        "hard-coded, together", ["tools", "share", "imported", "right", "right_and_used"]
    ]
    assert counts.to_list() == [2, 0.5, 1, 1, 1]
    assert table.loc["general", ["tools", "right", "right_and_used"]].to_list() == [2, 2, 1]


def test_programs_that_import_from_the_toolbox_are_counted_apart_from_the_others():
    use = block("from toolbox import f")
    plain = block("from math import comb")
    given = [("a", use, True), ("a", use, False), ("a", plain, True), ("b", plain, True)]
    frame = rows(
        *(
            {"mode": mode, "problem": 0, "tools": tools, "correct": right}
            for mode, tools, right in given
        )
    )
    (row,) = tools_imported(pd.concat([frame, frame.assign(phase="retry")])).itertuples(index=False)
    assert tuple(row) == ("m", "a", 3, 2, 1, 1, 1)
