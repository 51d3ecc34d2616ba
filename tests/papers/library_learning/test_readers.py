"""Readers of others' logs: what ran is told by what it used, and what does not fit is refused in a
line."""

import json

import pandas as pd
import pytest

from trove_lite.errors import DamagedFile, TroveLiteError
from trove_lite_papers.library_learning import cheatsheet, proofs, proved, talks

from ...cases import cases

LINE = "-" * 80
DOUBLE = "=" * 50
MODEL = "gpt-4o-mini-2024-07-18"


def said(who, text):
    return f"{who} (to other):\n\n{text}\n\n{LINE}\n"


def call(name, arguments="{}"):
    return (
        f"***** Suggested tool call (call_1): {name} *****\nArguments: \n{arguments}\n{'*' * 50}\n"
    )


def talk(number, *turns, read=100, written=10):
    used = f"* Model '{MODEL}': cost: 0.1, prompt_tokens: {read}, completion_tokens: {written}, t"
    body = "".join(said(who, text) for who, text in turns)
    return f"BEGIN EVAL PROBLEM #{number}\n{DOUBLE}\nQ\n{body}\n{used}\n"


def parsed(*turns):
    (found,) = talks.read_talks(f"{talks.TESTED}\n{talk(0, *turns)}")
    return found


PROGRAM = "```python\nprint(1)\n```"
ME = "assistant"
PROXY = "mathproxyagent"
ENDS = cases(
    r"""
    "boxed", [(ME, r"so \boxed{\frac{1}{2}}.")], r"\frac{1}{2}", [r"\frac{1}{2}"]
    "two boxes", [(ME, r"\boxed{1} or \boxed{2}")], "2", ["2"]
    "beside a program", [(ME, "```python\nprint(1)\n``` \\boxed{1}"), (PROXY, "1"), (ME, r"\boxed{2}")], "2", ["1", "2"]
    "program last", [(ME, r"\boxed{}"), (ME, "```python\nprint(1)\n``` \\boxed{3}")], None, ["3"]
    "none", [(ME, "TERMINATE")], None, []
    """,
    ME=ME,
    PROXY=PROXY,
)


@pytest.mark.parametrize(("name", "turns", "final", "boxes"), ENDS, ids=[e[0] for e in ENDS])
def test_the_graded_answer_is_the_last_box_outside_a_program(name, turns, final, boxes):
    found = parsed((PROXY, "problem"), *turns)
    assert (found.final, found.boxes) == (final, boxes)


def test_a_program_beside_a_call_does_not_run():
    found = parsed((ME, PROGRAM + call("f", '{"a": 1}')), (PROXY, "1"), (ME, PROGRAM))
    assert (found.programs, found.calls) == (["print(1)"], [("f", '{"a": 1}')])


@pytest.fixture
def logs(tmp_path):
    """One run a system, whose transcripts lie in each other's folders; and a run that did not end."""

    def write(system, name, read, transcript_in, verdicts=80):
        folder = tmp_path / system / name
        folder.mkdir(parents=True, exist_ok=True)
        usage = {MODEL: {"prompt_tokens": 80 * read, "completion_tokens": 800}, "total_cost": 1}
        (folder / "test_time_total_usage.json").write_text(json.dumps(usage))
        (folder / "arguments.txt").write_text(json.dumps({"dataset": "geometry"}))
        rows = [json.dumps({"index": n, "is_correct": n % 2}) for n in range(verdicts)]
        (folder / "results.jsonl").write_text("\n".join(rows))
        told = "".join(talk(n, (ME, rf"\boxed{{{n}}}"), read=read) for n in range(80))
        place = tmp_path / transcript_in
        place.mkdir(parents=True, exist_ok=True)
        ending = "out" if system == "outputs_train" else "txt"
        (place / f"agent_opt_{read}.{ending}").write_text(f"{talks.TESTED}\n{told}")
        return folder

    write("outputs_direct", "geometry_0", 100, "outputs_train/geometry_0")
    write("outputs_train", "geometry_0", 200, "outputs_direct/geometry_0")
    dead = write("outputs_direct", "dead_1", 300, "outputs_direct/dead_1", verdicts=32)
    (dead / "test_time_total_usage.json").unlink()
    return tmp_path


def test_a_transcript_is_of_the_run_that_used_as_many_tokens(logs):
    runs, left_out = talks.runs_of(logs)
    found = talks.talks_of(logs, runs)
    assert [(run.method, found[n][0].used.read) for n, run in enumerate(runs)] == [
        ("react", 100),
        ("agent_optimizer", 200),
    ]
    assert [(path.name, why) for path, why in left_out] == [("dead_1", "32 of 80 problems, no end")]


def lacks_a_transcript(logs):
    (logs / "outputs_train/geometry_0/agent_opt_100.txt").unlink()


def lacks_a_verdict(logs):
    file = logs / "outputs_train/geometry_0/results.jsonl"
    file.write_text("\n".join(file.read_text().splitlines()[:79]))


def lacks_a_system(logs):
    (logs / "outputs_train").rename(logs / "other")


REFUSED = [
    (lacks_a_transcript, "no transcript has used what it has"),
    (lacks_a_verdict, "79 verdicts of 80"),
    (lacks_a_system, "has no folder outputs_train"),
]


@pytest.mark.parametrize(("change", "said"), REFUSED, ids=lambda x: getattr(x, "__name__", ""))
def test_a_run_that_is_not_whole_is_refused_in_a_line(logs, change, said):
    change(logs)
    with pytest.raises(TroveLiteError, match=said) as refused:
        talks.talks_of(logs, talks.runs_of(logs)[0])
    assert "\n" not in str(refused.value)


BY_TEXT = cases(
    r"""
    "<answer>\n81\n</answer>", "81",                              True
    r"so \boxed{81}.",         "81",                              True
    "<answer>81</answer>",     "080 or 081 (both were accepted)", False
    "<answer>1,234</answer>",  "1234",                            True
    """
)


@pytest.mark.parametrize(("reply", "target", "right"), BY_TEXT)
def test_aime_s_own_verdict_compares_texts(reply, target, right):
    assert cheatsheet.text_verdict(reply, target) is right


RIGHT = cases(
    """
    "81",             "080 or 081 (both were accepted)", True
    "2 + 3 × 4 = 14", "2 + 3 * 4 = 14",                  True
    "1 + 1 + 6 = 8",  "1 * 1 * 8 = 8",                   False
    "2 - 2 = 4",      "2 * 2 = 4",                       False
    """
)


@pytest.mark.parametrize(("answer", "target", "right"), RIGHT)
def test_accepted_answers_and_other_signs_are_right_by_value(answer, target, right):
    assert cheatsheet.right(answer, target) is right


@pytest.mark.parametrize("name", ["aime1983_2", "aime_1983_p2", "aime_1983_2"])
def test_a_problem_that_is_written_in_two_ways_is_one(name):
    assert proofs.plain(name) == "aime1983_2"


def test_a_proof_of_no_listed_problem_is_refused(tmp_path):
    rows = "model,dataset,run,problem_attempt,successful_problem\nlp,test,1,1,nobody_asked_this\n"
    (tmp_path / "exp1.csv").write_text(rows)
    with pytest.raises(DamagedFile, match="'nobody_asked_this' is not in the list test"):
        proofs.proofs(tmp_path)


def test_at_equal_tokens_the_system_with_more_is_cut():
    rows = [("lego_prover", 10, 6.0, 9), ("dsp", 50, 1.0, 49)]
    here = pd.DataFrame(rows, columns=["method", "attempts", "tokens", "attempt"])
    here = here.assign(model="m", list="test", problems=1)
    at = {way: proved.allowed(here, way) for way in proved.WAYS}
    assert (at["attempts"].tolist(), at["tokens"].tolist()) == ([10, 10], [8, 50])
    found = proved.within(here, at["tokens"], lambda first, allowed: first <= allowed)
    assert found["ours"].tolist() == [False, True]
