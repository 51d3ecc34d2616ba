"""Checks of health: each planted on a small made table that has none, and those of three faults that
were published."""

import json

import pytest

from trove_lite.candidates import as_arrow, as_frame, calls_of, load_candidates, outcomes
from trove_lite.programs import format_tools
from trove_lite.programs.parse import parse_tools
from trove_lite_analysis.health import failed_checks, in_words

from ..cases import cases
from ..conftest import ROOT

PROBLEMS = 20
PROGRAM = "```python\na = 1\nb = {}2\nprint(a + b)\n```"
CALL = "```python\na = area(1)\nb = {}2\nprint(a + b)\n```"
TOOL = format_tools(parse_tools("```python\ndef area(a):\n    b = a * a\n    return b\n```"))
LOUD = format_tools(parse_tools("```python\ndef area(a):\n    return a\n\nprint(area(7))\n```"))
USE = "```python\nfrom toolbox import area\n```"


def row(problem, mode):
    same = {
        "model": "m",
        "provenance": "simulated",
        "run": "r_seed0",
        "method": "maker",
        "seed": 0,
        "dataset": "made",
    }
    same |= {"category": "c", "phase": "stream", "sample": 0, "round": 0}
    same |= {"solution": (CALL if mode == "make" else PROGRAM).format("a + " * problem)}
    same |= {"problem": problem, "mode": mode, "place": ("make", "use").index(mode), "status": "ok"}
    same |= {
        "tools": TOOL if mode == "make" else USE,
        "output": f"{problem}\n",
        "correct": problem % 2 == 0,
    }
    return same | {
        "response": f"text {problem}",
        "answers": [f"{problem}.0"],
        "answer": f"{problem}.0",
    }


def table(change=lambda problem: {}, problems=PROBLEMS, mode="use"):
    """A healthy method that makes tools and uses them, with these changes to the rows of one of its
    modes."""
    rows = [
        row(n, m) | (change(n) if m == mode else {})
        for n in range(problems)
        for m in ("make", "use")
    ]
    return as_frame(as_arrow(rows))


def calls(candidates, reason=lambda problem: "stop"):
    told = calls_of(candidates)
    return told.assign(
        finish_reason=told["finish_reason"].astype(object).fillna(told["problem"].map(reason))
    )


def names(found):
    return set(found["check"])


def failing(message, often):
    lost = {"status": "error", "answer": None, "answers": [], "correct": False, "output": ""}
    return lambda n: lost | {"error": f"{message} (line {n})"} if n < often else {}


def same_answer(often, right=0):
    return lambda n: (
        {"answer": "7.5", "answers": ["7.5"], "correct": n < right} if n < often else {}
    )


def test_a_healthy_run_has_no_check():
    found = failed_checks(table(), calls(table()))
    assert found.empty
    assert found.attrs["unread"] == []
    assert in_words(found) == []


@pytest.mark.parametrize(
    ("check", "change", "count", "of"),
    [
        ("one answer", same_answer(5), 5, 20),
        ("one error", failing("KeyError: 'a'", 5), 5, 20),
        ("nothing ran", failing("KeyError: 'a'", 20), 20, 20),
        ("one error", lambda n: failing("", 20)(n) | {"status": "no_code", "error": None}, 20, 20),
        ("refused by the sandbox", failing("RuntimeError: can't start new thread", 1), 1, 20),
        ("empty replies", lambda n: {"response": " \n"} if n < 3 else {}, 3, 20),
        (
            "unseen blocks",
            lambda n: failing("", 20)(n) | {"response": f"```py\n{n}\n```", "solution": ""},
            20,
            20,
        ),
        ("one reply", lambda n: {"response": "As an AI"}, 20, 20),
        (
            "short programs",
            lambda n: {"solution": "```python\n# it\nimport math\n\nprint(area(3))\n```"},
            20,
            20,
        ),
        (
            "unavailable",
            lambda n: {"status": "unavailable", "correct": None, "answer": None} if n < 1 else {},
            1,
            20,
        ),
        (
            "refused",
            lambda n: {"status": "refused", "correct": False, "answer": None} if n < 1 else {},
            1,
            20,
        ),
        ("prints while loading", lambda n: {"output": "7\n1\n"}, 19, 19),
    ],
)
def test_each_check_is_seen_where_it_is_planted(check, change, count, of):
    planted = table(change)
    if check == "prints while loading":
        planted["tools"] = planted["tools"].mask(
            (planted["problem"] == 0) & (planted["mode"] == "make"), LOUD
        )
    found = failed_checks(planted, calls(planted))
    told = found[found["check"] == check].iloc[0]
    assert told[["count", "of", "run", "method", "category"]].tolist() == [
        count,
        of,
        "r_seed0",
        "maker",
        "c",
    ]
    assert told["share"] == count / of
    assert told["mode"] == ("" if check == "prints while loading" else "use")
    assert told["share"] > told["limit"]


def test_failed_checks_of_outcomes_are_read_without_the_texts():
    whole = table(lambda n: {"status": "error"} if n == 3 else {})
    found = failed_checks(outcomes(whole), calls(whole))
    assert names(found) == {"answer from nothing"}
    assert "not read: one error" in found.attrs["unread"][0]


def test_replies_cut_off_are_counted_by_what_was_asked():
    found = failed_checks(table(), calls(table(), lambda n: "length" if n < 3 else "stop"))
    told = found[["mode", "check", "count", "of"]].to_numpy().tolist()
    assert told == [[mode, "cut off", 3, 20] for mode in ("make", "use")]
    assert failed_checks(table(), calls(table(), lambda n: "length" if n < 2 else "stop")).empty


@pytest.mark.parametrize(
    ("golds", "said", "check"),
    [
        (lambda n: "yes" if n % 2 else "no", lambda n, gold: gold, False),  # all right
        (lambda n: "yes" if n % 2 else "no", lambda n, gold: gold if n % 5 else "yes", False),
        (lambda n: "yes" if n % 2 else "no", lambda n, gold: "yes", True),  # whatever is asked
        (
            lambda n: f"({'ABCDE'[n % 5]})",
            lambda n, gold: f"({'ABCDE'[n // 5 % 5]})",
            False,
        ),  # guesses
        (lambda n: f"({'ABCDE'[n % 5]})", lambda n, gold: "(B)", True),
        (lambda n: "0" if n % 4 == 0 else str(n), lambda n, gold: gold, False),  # a common gold
        (lambda n: str(n), lambda n, gold: "0" if n % 3 == 0 else str(n), True),
    ],
)
def test_an_answer_that_golds_explain_is_no_check(golds, said, check):
    def change(n):
        answer = said(n, golds(n))
        return {"answer": answer, "answers": [answer], "correct": answer == golds(n)}

    assert ("one answer" in names(failed_checks(table(change), calls(table(change))))) is check


def test_a_method_whose_modes_define_tools_and_import_none_uses_none():
    assert names(failed_checks(table(lambda n: {"tools": ""}), calls(table()))) == {"no tool used"}


TOLD = {"method": "maker", "category": "c", "seed": 0, "name": "f"}


@pytest.mark.parametrize(
    ("told", "expected"),
    cases(
        """
        {"keep_tools": ["maker"]}, {"no tool made"}
        {"keep_tools": ["maker"], "toolboxes": [TOLD | {"imports": 0}]}, {"no tool used"}
        {"keep_tools": ["maker"], "toolboxes": [TOLD | {"imports": 2}]}, NONE
        {"toolboxes": [TOLD | {"made": False}, TOLD | {"made": False}, TOLD | {"made": False}]}, {"no tool made"}
        {"toolboxes": [TOLD | {"made": False}, TOLD | {"made": True}]}, NONE
        {"toolboxes": []}, NONE
        """,
        TOLD=TOLD,
        NONE=set(),
    ),
)
def test_what_a_run_says_of_its_tools_decides_whether_there_are_any(told, expected, tmp_path):
    about = {"settings": {"name": "r", "seeds": [0], "categories": ["c"]}} | told
    (tmp_path / "run.json").write_text(json.dumps(about))
    assert names(failed_checks(table(), calls(table()), [tmp_path])) == expected


def test_a_tool_that_prints_while_it_loads_is_found_in_the_run_that_was_published():
    folder = ROOT / "tests/recorded/printing_tool"
    rows = load_candidates(folder)
    rows = rows[rows["problem"] >= 150]
    found = failed_checks(rows, calls_of(rows), [folder]).set_index("check")
    assert found.loc["one answer", ["mode", "example"]].tolist() == ["import", "11218.0"]
    assert found.loc["prints while loading", "example"] == "round_to_nearest: 11218"
    assert found.loc["prints while loading", "share"] == 1
    assert "short programs" in found.index
