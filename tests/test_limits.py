"""What a model or a program wrote is read within a limit: one text that takes too long costs itself
alone."""

import re
import time
from dataclasses import replace

import pytest

from trove_lite.judge.answers import number_is_correct, read_numbers
from trove_lite.limits import SHORT, TookTooLong, within_limit
from trove_lite.programs import LONGEST_REPLY
from trove_lite.running import live

from .scripted import Says, of_problems, problems, response, run, table

ENDLESS = "a" * SHORT + "c"
BACKTRACKS = re.compile("(?:a+)+b")


def backtracks(text: str) -> list[str]:
    """A reader that ends in no time for most texts, and never for `ENDLESS`."""
    BACKTRACKS.fullmatch(text.strip())
    return read_numbers(text) or [text.strip()]


def last_line(text: str) -> list[str]:
    return text.split()[-1:]


def judges_slowly(answers, gold) -> bool:
    BACKTRACKS.fullmatch(answers[0])
    return answers[0].isdigit() and number_is_correct(answers, gold)


def fails(text: str):
    raise ZeroDivisionError(text[:3])


def test_what_takes_too_long_is_ended_and_the_next_is_read():
    began = time.monotonic()
    with pytest.raises(TookTooLong, match="processor"):
        within_limit(backtracks, ENDLESS, of=(ENDLESS,))
    assert time.monotonic() - began < 30
    assert within_limit(backtracks, "7" * SHORT + "x 8", of=("7" * SHORT,))[1:] == ["8.0"]


@pytest.mark.parametrize("text", ["abc", ENDLESS])
def test_a_readers_own_error_is_the_same_beside_this_process(text):
    with pytest.raises(ZeroDivisionError, match=text[:3]):
        within_limit(fails, text, of=(text,))


def test_a_reader_that_cannot_be_sent_reads_here():
    assert within_limit(lambda text: len(text), ENDLESS, of=(ENDLESS,)) == len(ENDLESS)


@pytest.mark.parametrize("parser", ["official", "strict"])
def test_a_reply_longer_than_any_answer_is_refused_and_the_run_goes_on(tmp_path, parser):
    long = response("print(2)" + "\n#" * (LONGEST_REPLY // 2))
    how = {"methods": ("primitive",), "seeds": (0,), "k": 2, "in_flight": 1, "limit": 1}
    model = Says(response("print(2)"), long)
    rows = table(run(tmp_path / "a", model=model, parser=parser, **how))
    first, second = rows.sort_values("status", ascending=False).to_dict("records")
    assert (first["status"], first["answers"].tolist()) == ("ok", ["2.0"])
    assert (second["status"], second["solution"]) == ("no_code", "")
    assert "more than 65,536 are not read" in second["error"]
    assert second["response"] == long


@pytest.mark.parametrize(
    ("rule", "answers"),
    [
        ({"read": backtracks, "correct": number_is_correct}, 0),
        ({"read": last_line, "correct": judges_slowly}, 1),
    ],
    ids=["read", "judged"],
)
def test_an_output_without_end_costs_its_candidate_alone(tmp_path, monkeypatch, rule, answers):
    """Also when the run was stopped after its programs had run, and is begun again."""
    dataset = replace(of_problems(lambda name, category: problems(name, category, 2)), **rule)
    monkeypatch.setattr("tests.scripted.of_problems", lambda *_: dataset)
    how = {"methods": ("primitive",), "seeds": (0,), "k": 2, "in_flight": 1}
    how["model"] = Says(*[response("print(0)")] * 3, response(f"print({'a'!r} * {SHORT} + 'c')"))
    finish = live.finish
    monkeypatch.setattr(live, "finish", None)
    with pytest.raises(TypeError):
        run(tmp_path / "a", **how)
    monkeypatch.setattr(live, "finish", finish)
    rows = table(run(tmp_path / "a", **how)).set_index(["problem", "sample"])
    assert rows["answers"].map(len).tolist() == [1, 1, 1, answers]
    assert rows["correct"].isna().tolist() == [False, False, False, True]
    assert rows["correct"].iloc[:3].tolist() == [True, True, False]
