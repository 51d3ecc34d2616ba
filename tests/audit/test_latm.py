"""The audit's rows on LATM: computed from its files, and turned by made chats, made tasks and other print."""

import re

import pytest

from audit import latm
from audit.finding import CONSISTENT, INCONSISTENT, UNDECIDED, as_printed
from practice.latm_tasks import make_remainder, make_schedule
from trove_lite.cli import parser_of
from trove_lite.datasets.files import public_paths

from ..conftest import ROOT
from .planting import only, planted

LOOK = as_printed()
FUNCTION = "def f(n):\n    return 2 * n"
ASKED = "\n\n".join(f"Question: What is twice {n}?\nAnswer: {2 * n}" for n in (1, 2, 3))
TESTS = "\n".join(f"ans = f({n})\nassert ans == '{2 * n}'" for n in (1, 2, 3))
TRIED = "\n".join(f"assert f({n}) == {2 * n}" for n in (1, 2, 3))
TOOL = "\n\n".join(f"Question: What is twice {n}?\nSolution:\n```python\nans = f({n})\n```" for n in (1, 2, 3))


def fenced(code):
    return f"```python\n{code}\n```"


def made(*, proposal=f"{FUNCTION}\n{TRIED}", tests=TESTS, wrapped=FUNCTION, cases=TOOL, between=()):
    """The chats of one task, as they would be if its maker did as the paper says."""
    said = [
        ("user", "propose"),
        ("assistant", fenced(proposal)),
        *between,
        ("user", ASKED),
        ("assistant", fenced(tests)),
        ("user", "wrap"),
        ("assistant", f"{fenced(wrapped)}\n\nUse cases:\n{cases}"),
    ]
    return {"word_sorting": latm.Chat.of([{"role": role, "content": text} for role, text in said])}


def of_chat(check, **given):
    return only(latm.chats_findings(made(**given), LOOK), check)


def tasks(**first):
    """One question a task, 250 times, but for the first, where these are given."""
    questions = {
        "logical_deduction": ("Which?\nOptions:\n(A) this\n(B) that", "(A)"),
        "tracking_shuffled_objects": ("Which?\nOptions:\n(A) this\n(B) that", "(A)"),
        "dyck_languages": ("Close: ([", "])"),
        "word_sorting": ("Sort: b a", "a b"),
        "chinese_remainder": make_remainder(1),
        "schedule_meeting": make_schedule(1),
    }
    return {task: [*first.get(task, ()), *[pair] * 250][:250] for task, pair in questions.items()}


def of_tasks(check, **first):
    return only(latm.tasks_findings(tasks(**first), LOOK), check)


# ---- on the public files ----


@pytest.fixture(scope="module")
def computed():
    if not all(path.is_file() for group in ("bbh", "latm") for path in public_paths(group)):
        pytest.skip("the data folder lacks LATM's files: run `trove-lite fetch bbh latm` or set TROVE_LITE_DATA")
    missing = []
    found = latm.latm_program_findings(missing)
    assert missing == []
    return {row.check: row for row in found}


@pytest.mark.parametrize(
    ("check", "verdict", "words"),
    [
        (latm.CONSTANT, UNDECIDED, "below the most frequent answer: Schedule Meeting GPT-3.5 Turbo 18.9"),
        (latm.CLOSED, INCONSISTENT, "250 of 250 questions lack"),
        (latm.GOLDS, INCONSISTENT, "8 of 18 asserted answers have another form"),
        (latm.TRIED, UNDECIDED, "6 of 6 proposals call their function (at most 1x), and 0 assert"),
        (latm.TWICE, INCONSISTENT, "in 6 of 6 chats"),
        (latm.ERRORS, INCONSISTENT, "2 of 2 errors are told by their text alone: Dyck Language '{'"),
        (latm.SHOWN, INCONSISTENT, "4 of 6 wrapped tools show the gold answers as well"),
        (latm.SEVEN, INCONSISTENT, "2 of them are, byte for byte"),
        (latm.LENGTHS, UNDECIDED, "0.6 to 3.1 times"),
    ],
)
def test_what_the_files_show(computed, check, verdict, words):
    assert computed[check].verdict == verdict
    assert words in computed[check].computed


def test_what_the_files_show_in_detail(computed):
    assert "102 of 240, 42.5 % (42.8 % of all 250)" in computed[latm.CONSTANT].note
    assert "Schedule Meeting 2 of 3, such as ('12:00', '13:00')" in computed[latm.GOLDS].computed
    assert "15 of 18 questions stand as they were asked (not Schedule Meeting's)" in computed[latm.SHOWN].computed
    assert "Schedule Meeting 3,204 and 1,030" in computed[latm.LENGTHS].note


def test_without_the_files_rows_are_left_out_and_said_to_be(tmp_path, monkeypatch):
    monkeypatch.setenv("TROVE_LITE_DATA", str(tmp_path))
    missing = []
    found = latm.latm_program_findings(missing)
    assert [line.partition(":")[0] for line in missing] == ["LATM's tasks", "LATM's released chats"]
    assert len(found) == 3


# ---- on print ----


def test_thoughts_in_a_tools_place_are_counted_over_neither_size():
    found = latm._thoughts(LOOK)
    assert found.verdict == INCONSISTENT
    assert {"228", "239", "250"} <= set(re.findall(r"\d+", found.computed))
    assert "not over 232 either" in found.note
    for task, value in (("Logical Deduction (5)", 36.7), ("Tracking Shuffled Objects (5)", 63.3)):
        look = as_printed(latm_table5=planted("latm_table5", value, "accuracy_pct", task=task, method="GPT-4 CoT"))
        assert latm._thoughts(look).verdict == INCONSISTENT  # one cell alone is not enough
    whole = planted("latm_table5", 36.7, "accuracy_pct", task="Logical Deduction (5)", method="GPT-4 CoT")
    whole.loc[(whole["method"] == "GPT-4 CoT") & (whole["accuracy_pct"] > 50), "accuracy_pct"] = 63.3
    assert latm._thoughts(as_printed(latm_table5=whole)).verdict == CONSISTENT


def test_two_sets_that_are_drawn_apart_share_two_to_four_tasks():
    found = latm._dispatched()
    assert found.verdict == INCONSISTENT
    assert "2 have one 40 % of the time, 3 have one 53 % of the time, 4 have one 7 %" in found.computed
    assert latm._dispatched(known=6).verdict == CONSISTENT


# ---- on made chats ----


@pytest.mark.parametrize("check", [latm.GOLDS, latm.TRIED, latm.TWICE, latm.SHOWN])
def test_a_chat_as_the_paper_has_it_is_consistent(check):
    assert of_chat(check).verdict == CONSISTENT


def test_an_answer_that_the_maker_writes_otherwise_is_found_out():
    found = of_chat(latm.GOLDS, tests=TESTS.replace("'4'", "'four'"))
    assert found.verdict == INCONSISTENT
    assert "1 of 3 asserted answers have another form: Word Sorting 1 of 3, such as 'four' for 4" in found.computed


def test_what_tests_assert_is_read_where_it_is_kept_under_a_name():
    assert latm.asserted("e = 'a'\nassert ans == e\ne = 'b'\nassert ans == e") == ["a", "b"]
    assert latm.asserted("def test():\n    assert ans == (1, 2)") == [(1, 2)]
    assert latm.asserted("assert ans == f(1)") == ["f(1)"]
    assert latm.asserted("not Python") == []


def test_a_proposal_that_calls_nothing_is_tried_on_nothing():
    found = of_chat(latm.TRIED, proposal=FUNCTION)
    assert found.verdict == UNDECIDED
    assert "0 of 1 proposals call" in found.computed


def test_a_turn_that_stands_twice_is_found_out():
    assert of_chat(latm.TWICE, between=[("assistant", fenced(f"{FUNCTION}\n{TRIED}"))]).verdict == INCONSISTENT


@pytest.mark.parametrize(("words", "verdict"), [("KeyError '{'", CONSISTENT), ("'{'", INCONSISTENT)])
def test_errors_are_told_by_their_type(words, verdict):
    told = f"Failed to execute the function due to the error: {words}. Please fix it and try again."
    between = [("user", told), ("assistant", fenced(f"{FUNCTION}\n{TRIED}"))]
    assert of_chat(latm.ERRORS, between=between).verdict == verdict
    assert of_chat(latm.ERRORS).verdict == UNDECIDED


def test_a_use_case_with_its_answer_or_another_question_is_found_out():
    shown = of_chat(latm.SHOWN, cases=TOOL.replace("Solution:", "Answer: 2\nSolution:"))
    assert shown.verdict == INCONSISTENT
    assert "1 of 1 wrapped tools show" in shown.computed
    assert "2 of 3 questions" in of_chat(latm.SHOWN, cases=TOOL.replace("twice 3", "three times 3")).computed


def test_lengths_are_set_beside_each_other():
    assert "0.5 to 3.0 times" in latm.lengths_finding({"word_sorting": (10, 20), "dyck_languages": (30, 10)}).computed


# ---- on made tasks ----


def test_one_answer_for_all_beats_print_where_it_is_always_right():
    found = of_tasks(latm.CONSTANT)
    assert "Word Sorting GPT-3.5 Turbo 59.2" in found.computed
    assert "Word Sorting 240 of 240, 100.0 %" in found.note
    several = {task: [(q, f"{gold} {i}") for i, (q, gold) in enumerate(found)] for task, found in tasks().items()}
    assert latm._constant(several, LOOK).verdict == CONSISTENT


def test_questions_that_are_closed_are_as_the_template_has_them():
    assert of_tasks(latm.CLOSED).verdict == CONSISTENT
    question, gold = make_schedule(1)
    found = of_tasks(latm.CLOSED, schedule_meeting=[(question[:-1], gold)])
    assert found.computed.startswith("1 of 250 questions")


# ---- the page ----


def test_every_setting_that_the_page_names_is_one():
    page = (ROOT / "docs" / "latm.md").read_text(encoding="utf-8")
    known = set(re.findall(r"--[a-z_.]+", parser_of("run").format_help()))
    named = set(re.findall(r"`(--[a-z_]+(?:\.[a-z_]+)?)", page)) | set(re.findall(r" (--[a-z_]+(?:\.[a-z_]+)?)", page))
    assert named
    assert named <= known
