"""CREATOR's and LATM's released files, and what made ones would turn."""

import contextlib

import pandas as pd
import pytest

from audit import FILES, creator, findings_of, latm
from audit.finding import CONSISTENT, INCONSISTENT, UNDECIDED, as_table
from audit.printed import as_printed
from practice.latm_tasks import make_remainder, make_schedule
from trove_lite.errors import TroveLiteError

from ..conftest import ROOT
from .planting import only

PROGRAM = "```python\nprint(4)\n```"


def test_what_print_and_files_show_is_what_is_committed():
    """With whatever files are here; print alone gives more than fifty findings."""
    evidence = {"look": as_printed()}
    for name, (_, read) in FILES.items():
        with contextlib.suppress(TroveLiteError):
            evidence[name] = read()
    found = as_table(findings_of(evidence)).astype({"weight": float})
    assert len(found) > 40  # some need the data folder
    committed = pd.read_csv(ROOT / "results" / "audit" / "findings.csv", keep_default_na=False)
    same = found[["section", "paper", "place", "check"]].merge(committed)
    pd.testing.assert_frame_equal(found, same[found.columns], check_dtype=False)


def test_a_file_of_other_content_is_not_read(tmp_path, monkeypatch):
    folder = tmp_path / "qiancheng0" / "CREATOR" / "MATH" / "dataset"
    folder.mkdir(parents=True)
    (folder / "algebra.jsonl").write_text('{"answer": "4"}\n')
    monkeypatch.setenv("TROVE_LITE_DATA", str(tmp_path))
    with pytest.raises(TroveLiteError, match="not here"):
        creator.whole_math()


@pytest.mark.parametrize(
    ("check", "answer", "solution", "verdict"),
    [
        ("finite_golds", 5.0, PROGRAM, CONSISTENT),
        ("finite_golds", float("inf"), PROGRAM, INCONSISTENT),
        ("one_program_a_record", 4.0, PROGRAM, CONSISTENT),
        ("one_program_a_record", 4.0, f"{PROGRAM}\n{PROGRAM}", CONSISTENT),  # two blocks of one program
        ("one_program_a_record", 4.0, f"{PROGRAM}\nOutput:\n```\n4\n```", INCONSISTENT),
        ("one_program_a_record", 4.0, f"{PROGRAM}\n```\n4", INCONSISTENT),  # not closed
    ],
)
def test_records_of_the_creation_challenge(check, answer, solution, verdict):
    records = [{"answer": 4.0, "solution": PROGRAM}, {"answer": answer, "solution": solution}]
    found = only(check, {"records": records})
    assert found.verdict == verdict
    assert found.stated.startswith("2 ")
    assert "item 1" in found.computed or verdict == CONSISTENT or check != "finite_golds"


@pytest.mark.parametrize(
    ("check", "golds", "verdict"),
    [
        ("numeric_answers", ["4", "-0.5"], CONSISTENT),
        ("numeric_answers", ["4", r"\frac12", "(1,2)", r"\text{odd}"], INCONSISTENT),
        ("golds_in_percent", ["4"], CONSISTENT),
        ("golds_in_percent", ["0\\%"], CONSISTENT),
        ("golds_in_percent", ["50\\%"], INCONSISTENT),
    ],
)
def test_gold_answers_of_math(check, golds, verdict):
    found = only(check, {"golds": golds})
    assert found.verdict == verdict
    if len(golds) == 4:
        assert "4 problems, 3 of them without a plain number as answer; in 2 " in found.computed
        assert "about 50 %" in found.note


def test_a_latex_answer_has_the_value_that_it_stands_for_or_none():
    golds = {r"\frac12": 0.5, r"-\dfrac{3}{4}": -0.75, r"\frac{\sqrt{3}}{2}": 0.866, r"\frac{15\sqrt7}{14}": 2.835}
    assert {gold: creator.value_in_latex(gold) for gold in golds} == pytest.approx(golds, abs=1e-3)
    assert not any(map(creator.value_in_latex, ("3x + 2", "1,3", r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}")))


FUNCTION = "def f(n):\n    return 2 * n"
ASKED = "\n\n".join(f"Question: What is twice {n}?\nAnswer: {2 * n}" for n in (1, 2, 3))
TESTS = "\n".join(f"ans = f({n})\nassert ans == '{2 * n}'" for n in (1, 2, 3))
TRIED = f"{FUNCTION}\n" + "\n".join(f"assert f({n}) == {2 * n}" for n in (1, 2, 3))
TOOL = "\n\n".join(f"Question: What is twice {n}?\nSolution:\n```python\nans = f({n})\n```" for n in (1, 2, 3))


def fenced(code):
    return f"```python\n{code}\n```"


def chat(*, proposal=TRIED, tests=TESTS, cases=TOOL, between=()):
    """The evidence of one task's chat, as it would be if its maker did as the paper says."""
    turns = [("user", "propose"), ("assistant", fenced(proposal)), *between, ("user", ASKED)]
    turns += [("assistant", fenced(tests)), ("user", "wrap")]
    turns += [("assistant", f"{fenced(FUNCTION)}\n\nUse cases:\n{cases}")]
    return {"chats": {"word_sorting": latm.Chat.of([{"role": role, "content": text} for role, text in turns])}}


def told(error):
    """A failure is told, and the proposal made again."""
    text = f"Failed to execute the function due to the error: {error}. Please fix it and try again."
    return [("user", text), ("assistant", fenced(FUNCTION))]


@pytest.mark.parametrize(
    ("check", "made", "verdict", "words"),
    [
        *(
            (check, {}, CONSISTENT, "")
            for check in ("answers_asserted", "proposals_tried", "replies_once", "use_cases")
        ),
        ("answers_asserted", {"tests": TESTS.replace("'4'", "'four'")}, INCONSISTENT, "1 of 3, such as 'four' for 4"),
        ("proposals_tried", {"proposal": FUNCTION}, UNDECIDED, "0 of 1 proposals call"),
        ("replies_once", {"between": [("assistant", fenced(TRIED))]}, INCONSISTENT, "in 1 of 1"),
        ("errors_by_type", {"between": told("KeyError '{'")}, CONSISTENT, "0 of 1"),
        ("errors_by_type", {"between": told("'{'")}, INCONSISTENT, "1 of 1"),
        ("errors_by_type", {}, UNDECIDED, "0 of 0"),
        ("use_cases", {"cases": TOOL.replace("Solution:", "Answer: 2\nSolution:")}, INCONSISTENT, "1 of 1 wrapped"),
        ("use_cases", {"cases": TOOL.replace("twice 3", "three times 3")}, INCONSISTENT, "2 of 3 questions"),
    ],
)
def test_what_is_planted_in_a_chat_is_found(check, made, verdict, words):
    found = only(check, chat(**made))
    assert found.verdict == verdict
    assert words in found.computed


def tasks(*schedules):
    """One question a task, 250 times, but for the first meetings to schedule."""
    options = ("Which?\nOptions:\n(A) this\n(B) that", "(A)")
    questions = dict.fromkeys(latm.TITLES, options) | {"word_sorting": ("Sort: b a", "a b")}
    questions |= {"chinese_remainder": make_remainder(1), "schedule_meeting": make_schedule(1)}
    items = {task: [pair] * 250 for task, pair in questions.items()}
    return {"items": items | {"schedule_meeting": [*schedules, *items["schedule_meeting"]][:250]}}


def test_one_answer_for_all_beats_print_where_it_is_always_right():
    found = only("one_answer_for_all", tasks())
    assert "Word Sorting GPT-3.5 Turbo 59.2" in found.computed
    assert "Word Sorting 240 of 240, 100.0 %" in found.note
    several = {t: [(q, f"{gold} {i}") for i, (q, gold) in enumerate(pairs)] for t, pairs in tasks()["items"].items()}
    assert only("one_answer_for_all", {"items": several}).verdict == CONSISTENT
