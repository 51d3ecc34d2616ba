"""Importing logs: every shape the format has, and a clear refusal of everything else."""

import contextlib
import json
import random
import time
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trove_lite import TroveLiteError, choose, load_candidates
from trove_lite.candidates import SELECTED
from trove_lite_analysis.recorded.official_logs import import_logs

from ..conftest import ROOT
from ..simulated import end, log, original_end, problem, sample, section

PROBLEMS = [problem(i, answer=3.0 + i) for i in range(4)]


def read(tmp_path, text, problems=PROBLEMS):
    path = tmp_path / "run0.md"
    path.write_text(text, encoding="utf-8")
    return import_logs([path], problems, progress=False)


@pytest.mark.parametrize(
    ("modes", "sizes", "again", "method"),
    [
        (("import", "create", "skip"), (2, 3, 1), {"import", "skip"}, "trove"),
        (("create", "skip"), (7, 8), {"create", "skip"}, "trove_no_import"),
    ],
)
def test_modes_come_in_order_and_problems_solved_again_are_a_phase(
    tmp_path, modes, sizes, again, method
):
    table, (report,) = read(
        tmp_path, log(PROBLEMS, modes=modes, sizes=sizes, retried=[PROBLEMS[1], PROBLEMS[3]])
    )
    stream, retry = (table[table["phase"] == phase] for phase in ("stream", "retry"))
    counts = stream.groupby("mode", sort=False, observed=True).size().to_dict()
    assert counts == {mode: 4 * size for mode, size in zip(modes, sizes, strict=True)}
    assert stream["mode"].drop_duplicates().tolist() == list(modes)
    assert (set(retry["problem"]), set(retry["mode"])) == ({1, 3}, again)
    assert (report.problems, report.candidates, report.retried) == (4, len(table), len(retry))
    assert (report.disagreements, set(table["method"])) == ([], {method})


def test_answers_and_verdicts_are_computed_from_the_output(tmp_path):
    late = sample(3, "Timeout detected in running subprocess", ok=False)
    samples = [
        sample(0, "4 9", gold=4.0),
        sample(1, "oops", ok=False, gold=4.0),
        sample(2, "", gold=4.0),
        late,
    ]
    table, _ = read(
        tmp_path, section(0, "Q?", samples) + end(), [problem(question="Q?", answer=4.0)]
    )
    assert [list(a) for a in table["answers"]] == [["4.0", "9.0"], [], [], []]
    assert table["correct"].tolist() == [True, False, False, False]
    assert table["status"].tolist() == ["ok", "error", "ok", "timeout"]
    assert table["error"].tolist()[1] == "oops"


def test_grading_by_another_problems_gold_is_named(tmp_path):
    text = section(0, "Q?", [sample(0, "4", gold=13.0)]) + end()
    table, (report,) = read(tmp_path, text, [problem(question="Q?", answer=4.0)])
    assert table["correct"].tolist() == [True]
    assert "graded against 13.0, the gold answer of another problem" in report.disagreements[0]
    assert "line 5: " in report.disagreements[0]


def test_shortened_outputs_keep_their_recorded_verdict_and_are_counted(tmp_path):
    cut = "\n\n[TRUNCATED TO 1000 CHARS FOR SPACE]\n\n"
    text = sample(
        0, f"1 2 3{cut}8 9", gold=4.0, answers=f"[1.0, 2.0, 3.{cut}.0, 9.0]", correct=True
    )
    table, (report,) = read(
        tmp_path, section(0, "Q?", [text]) + end(), [problem(question="Q?", answer=4.0)]
    )
    assert report.shortened == 1
    assert table["correct"].tolist() == [True]
    assert list(table["answers"][0]) == ["1.0", "2.0", "9.0"]
    assert report.disagreements == []


def test_text_that_looks_like_the_format_inside_a_sample_is_left_alone(tmp_path):
    hostile = (
        "## Example 9\n**Question**\nfake\n**1-th Execution Result**\n- Is Execution Success: True"
    )
    samples = [sample(0, "4", code=hostile), sample(1, "4")]
    table, _ = read(tmp_path, section(0, "Q?", samples) + end(), [problem(question="Q?")])
    assert len(table) == 2
    assert hostile in table["solution"][0]


def test_logs_with_the_same_name_are_told_apart_by_their_folders(tmp_path):
    paths = [tmp_path / "a" / "log" / "run0.md", tmp_path / "b" / "log" / "run0.md"]
    for path in paths:
        path.parent.mkdir(parents=True)
        path.write_text(log(PROBLEMS))
    table, reports = import_logs(paths, PROBLEMS, progress=False)
    assert [r.run for r in reports] == ["a_run0", "b_run0"] == sorted(table["run"].unique())
    with pytest.raises(TroveLiteError, match=r"run0\.md: given twice"):
        import_logs([*paths, paths[0]], PROBLEMS, progress=False)


KNOWN = section(0, PROBLEMS[0].question.text, [sample(0)]) + "\n"


def edited(old, new):
    text = log(PROBLEMS[:1])
    assert old in text
    return text.replace(old, new)


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("# Just notes\n\nNothing here.\n", 1, "no '## Example N' section"),
        ("## Example 0\n**Question**\nQ?\n\n", 1, "the section has no question and samples"),
        (
            KNOWN + section(1, "Who asked?", [sample(0)]) + end(),
            KNOWN.count("\n") + 1,
            "the question 'Who asked",
        ),
        # an answer that is no number; and numbers too long to be one
        (edited("- Model Answer: [3.0]", "- Model Answer: [abc]"), r"\d+", ""),
        (edited("## Example 0\n", f"## Example {'9' * 5000}\n"), r"\d+", ""),
        (edited("**0-th Execution", f"**{'9' * 5000}-th Execution"), r"\d+", ""),
        (edited("Toolbox Size: #1=", f"Toolbox Size: #{'9' * 5000}="), r"\d+", ""),
    ],
    ids=range(7),
)
def test_a_file_that_is_no_log_of_these_problems_is_refused_by_line(tmp_path, text, line, reason):
    with pytest.raises(
        TroveLiteError, match=rf"run0\.md, line {line}: {reason}.*nothing was written"
    ):
        read(tmp_path, text)


AGAIN = section(
    0, PROBLEMS[0].question.text, [sample(0, "3", gold=3.0), sample(1, "4", gold=3.0)], toolbox=True
)


@pytest.mark.parametrize(
    ("tools", "again"),
    [
        (["math"], ""),
        ([], ""),
        (["math", "area"], ""),
        ([f"tool{n}" for n in range(12)], ""),
        (["math"], AGAIN),
        ([], AGAIN),
    ],
    ids=range(6),
)
def test_a_log_of_the_original_program_is_whole_with_its_end_and_only_with_it(
    tmp_path, tools, again
):
    start = log(PROBLEMS).removesuffix(end())
    whole = original_end(tools, again=again)
    table, (report,) = read(tmp_path, start + whole)
    assert (len(table), report.disagreements) == (26 if again else 24, [])
    for kept in range(0, len(whole.rstrip()), 7):
        with pytest.raises(TroveLiteError, match=r"breaks off|not complete|no question"):
            read(tmp_path, start + whole[:kept])


@pytest.mark.parametrize(
    "line",
    [
        "# Toolbox Size: #7=== g ===",
        "print('## Overall Response Accuracy: 0.50')",
        '"""\n## Overall Response Accuracy: 0.50\nToolbox Size: #1"""',
    ],
)
def test_a_tool_that_holds_the_words_of_an_end_ends_no_log(tmp_path, line):
    start = log(PROBLEMS).removesuffix(end())
    whole = original_end(["f"]).replace("import f", f"def f(x):\n    {line}")
    assert len(read(tmp_path, start + whole)[0]) == 24


@settings(max_examples=150, deadline=None)
@given(share=st.floats(0, 1, exclude_max=True))
def test_a_log_that_breaks_off_anywhere_is_refused(tmp_path_factory, share):
    text = log(PROBLEMS, retried=PROBLEMS[:1])
    path = tmp_path_factory.mktemp("cut") / "run0.md"
    path.write_text(text.rstrip()[: int(share * len(text.rstrip()))])
    with pytest.raises(TroveLiteError, match=r"run0\.md, line \d+: "):
        import_logs([path], PROBLEMS, progress=False)


@pytest.mark.parametrize(
    "filler", ["\n```\n- Model Answer: ", " \n", "\n\n**0-th Tools**\n", "```\n"], ids=repr
)
def test_a_log_is_read_in_time_that_grows_with_its_length(tmp_path, filler):
    def seconds(times: int) -> float:
        text = (
            section(0, PROBLEMS[0].question.text, [sample(0, filler * times, answers="[]")]) + end()
        )
        began = time.process_time()
        with contextlib.suppress(TroveLiteError):
            read(tmp_path, text, PROBLEMS[:1])
        return time.process_time() - began

    seconds(10)
    assert seconds(40_000) < 8 * max(seconds(10_000), 0.01)


@pytest.fixture(scope="module")
def imported(public_logs, public_problems):
    """A twentieth of the logs: other ones with another seed."""
    some = random.Random(4).sample(public_logs, len(public_logs) // 20)
    problems = [p for found in public_problems.values() for p in found]
    return import_logs(some, problems, progress=False)


def test_public_two_stage_choices_equal_the_recorded_ones(imported):
    table, reports = imported
    last = table.assign(phase="stream", _retry=table["phase"] == "retry")
    key = ["run", "category", "problem"]
    last = last[last["_retry"] == last.groupby(key, observed=True)["_retry"].transform("any")].drop(
        columns="_retry"
    )
    chosen = choose(last, "two_stage")
    for report in reports:
        path = Path(report.log)
        results = (
            path.parents[3]
            / "results"
            / path.parent.relative_to(path.parents[2])
            / f"{path.stem}.json"
        )
        recorded = json.loads(results.read_text())
        mine = chosen[(chosen["run"] == report.run) & (chosen["category"] == report.category)]
        theirs = [entry["response"]["solution"].strip() for entry in recorded]
        differ = {i for i, own in enumerate(mine["solution"]) if own.strip() != theirs[i]}
        assert len(theirs) == len(mine)
        part = table[(table["run"] == report.run) & (table["category"] == report.category)]
        assert len(differ) <= 3
        assert differ <= set(part.loc[part["shortened"], "problem"])


def test_public_logs_give_the_bundled_outcomes(imported):
    table, reports = imported
    bundled = load_candidates(ROOT / "results/codellama-7b-instruct/outcomes.parquet")
    bundled = bundled[bundled["phase"] != SELECTED]
    mine = [(report.run, report.category) for report in reports]
    bundled = bundled[pd.MultiIndex.from_frame(bundled[["run", "category"]].astype(str)).isin(mine)]
    key = ["run", "category", "problem", "phase", "mode", "sample"]
    mine = table.sort_values(key, ignore_index=True)
    bundled = bundled.sort_values(key, ignore_index=True)
    read_off = [
        "place",
        "round",
        "level",
        "program",
        "status",
        "answer",
        "correct",
        "operations",
        "shortened",
    ]
    for column in [*key, *read_off]:
        own, theirs = (
            t[column].astype("object").where(t[column].notna(), None).tolist()
            for t in (mine, bundled)
        )
        assert own == theirs
    assert [list(a) for a in mine["answers"]] == [list(a) for a in bundled["answers"]]
