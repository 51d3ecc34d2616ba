"""Choosing among a finished run's answers by asking: what is asked, in what order, who wins, and what it costs."""

import json

import pandas as pd
import pytest

from trove_lite.candidates import load_calls, load_candidates
from trove_lite.cli import commands
from trove_lite.errors import DamagedFile, UsageError
from trove_lite.methods import choosers
from trove_lite.methods.base import Attempt, Candidate, Question
from trove_lite.models.canned import CannedModel
from trove_lite.selection import Rival, Vote

from ..scripted import run, without_checksums

RIVALS = [
    Rival((f"{n}.0",), votes, f"print({n})", {})
    for n, votes in ((1, 4), (2, 3), (3, 3), (4, 2), (5, 1))
]
TESTS = "```python\nlow = 2\nassert answer >= low\nprint(3)\nassert answer % 2 == 1, 'odd'\n```"
WORDS = ["Better: A", "Better: B", "Better: C"]


def said(text="", status=None):
    return Candidate("", 0, text, (), Vote("", False, (), 0), None, status)


def played(ask, replies):
    """Whom a chooser chooses, and what it asks, round by round."""
    steps, asked, answer = ask(Question("practice", "counting", 0, "How many?"), RIVALS), [], None
    try:
        while True:
            asked.append(steps.send(answer))
            answer = list(map(replies, asked[-1]))
    except StopIteration as end:
        return end.value, asked


def test_a_knockout_asks_each_match_in_both_orders_and_draws_go_to_agreement():
    def meet(request):
        return tuple(int(text[6]) for text in dict(request.values).values())

    place, rounds = played(
        choosers.pairwise, lambda r: said(f"So.\n**Better: {'AB'[meet(r)[0] < meet(r)[1]]}**")
    )
    assert place == 4
    assert [(r.round, meet(r)) for r in rounds[0]] == [
        (0, (2, 5)),
        (0, (5, 2)),
        (0, (3, 4)),
        (0, (4, 3)),
    ]  # 1 waits
    assert [(r.round, meet(r)) for rs in rounds[1:] for r in rs] == [
        (1, (4, 5)),
        (1, (5, 4)),
        (2, (1, 5)),
        (2, (5, 1)),
    ]
    for reply in ("Better: A", "Better: C", "", "A program is better"):  # a place, or neither
        assert played(choosers.pairwise, lambda _, reply=reply: said(reply))[0] == 0
    assert (
        played(choosers.pairwise, lambda r: said("B" if meet(r)[1] == 5 else "?"))[0] == 4
    )  # one order decides


def test_dual_agreement_counts_programs_times_the_tests_that_they_pass():
    def by_hand(request):
        if isinstance(request, Attempt):
            return said(TESTS)
        value = float(request.program.split("'")[1])
        return said(
            status="ok" if (value % 2 == 1 if "% 2" in request.program else value >= 2) else "error"
        )

    place, (asked, ran) = played(choosers.by_tests, by_hand)
    assert (
        place == 2
    )  # 3 and 5 pass both with 4 programs: 8; 2 and 4 one with 5: 5; 1 the other with 4: 4
    assert ([one.stage for one in asked], [one.sample for one in ran]) == (
        ["tests"],
        list(range(10)),
    )
    assert ran[0].program == "answer = float('1.0')\nlow = 2\nprint(3)\nassert answer >= low"
    assert len(choosers.tests_of("```python\n" + "assert 1\n" * 9 + "```")) == 5
    assert (
        choosers.tests_of("no code: it is 4") == choosers.tests_of("```python\nprint(1)\n```") == []
    )
    for ask in (choosers.pairwise, choosers.by_tests):  # a reply that could not be had
        assert played(ask, lambda _: said(status="unavailable"))[0] is None


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    out = tmp_path_factory.mktemp("base") / "run"
    return run(out, problems=None, dataset="practice", methods=("primitive", "trove"), limit=4)


def choose(base, out, texts, by="pairwise", **given):
    (file := out.parent / "replies.jsonl").write_text(json.dumps({"prompt": "", "texts": texts}))
    commands.choose(
        base, by=by, out=out, among="primitive", model=f"canned:{file}", quiet=True, **given
    )
    return pd.read_csv(out / "choices.csv")


def test_choices_are_samples_of_the_run_and_what_was_asked_is_counted_and_resumed(
    base, tmp_path, monkeypatch
):
    table, rows = (
        choose(base, tmp_path / "out", WORDS),
        load_candidates(base).query("method == 'primitive'"),
    )
    answers = rows.dropna(subset="answer").groupby(["seed", "problem"])["answer"].nunique()
    assert (
        table.set_index(["seed", "problem"])["requests"].to_dict() == (2 * (answers - 1)).to_dict()
    )
    assert (
        len(table.merge(rows, on=["run", "seed", "category", "problem", "sample"]))
        == len(table)
        == 2 * 4
    )
    assert table["requests"].sum() == load_calls(tmp_path / "out")["model"].notna().sum() > 8
    with pytest.raises(DamagedFile, match="is no run"):
        load_candidates(tmp_path / "out")
    for journal in (tmp_path / "out" / "journal").iterdir():
        without_checksums(journal, lambda records: records.__delitem__(slice(3, None)))
    (tmp_path / "out" / "candidates.parquet").unlink()
    asked, sample = [], CannedModel.sample
    monkeypatch.setattr(CannedModel, "sample", lambda *given: asked.append(given) or sample(*given))
    assert choose(base, tmp_path / "out", WORDS).equals(table)
    assert len(asked) == table["requests"].sum() - 2 * 3
    with pytest.raises(UsageError, match="holds a run with other settings"):
        choose(base, tmp_path / "out", WORDS, max_tokens=9)


def test_a_hostile_test_reaches_nothing_and_fails(base, tmp_path):
    marker = f"assert __import__('pathlib').Path({str(tmp_path / 'marker')!r}).write_text('mine')"
    lines = [
        marker,
        "assert [1 for _ in iter(int, 1)]",
        "assert __import__('os').kill(__import__('os').getppid(), 9)",
    ]
    reply = "\n".join(["```python", *lines, "assert answer == 2 or exit('forged')", "```"])
    table = choose(base, tmp_path / "out", [reply], "tests", limit=2, time_limit=1)
    assert not (tmp_path / "marker").exists()
    rows = load_candidates(base).query("method == 'primitive' and problem < 2")
    picked = rows.merge(table, on=["run", "category", "problem", "sample"]).query("answer == '2.0'")
    assert (
        len(picked)
        == rows[rows["answer"] == "2.0"]["run"].groupby(rows["problem"]).nunique().sum()
        > 0
    )
