"""TroVE's released `main()` and our own stream on the same written replies, on all its tasks.

Needs the program (`trove-lite fetch trove-program`, or its folder in `TROVE_PROGRAM`), its prompts
and its data.
"""

import re

import pytest

from trove_lite import choose
from trove_lite.datasets.files import data_folder
from trove_lite.programs import plain_name
from trove_lite_analysis.recorded.official_files import read_library, stated
from trove_lite_analysis.recorded.official_logs import import_logs

from .released import (
    TASKS,
    Stream,
    problems_of,
    program_folder,
    replies,
    run_ours,
    run_program,
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        program_folder() is None,
        reason="no released program: `trove-lite fetch trove-program`, or set TROVE_PROGRAM",
    ),
]
SHAPES = {0: (24, 3, 7), 1: (22, 2, 500), 2: (12, 5, 4)}  # problems, samples of a mode, interval
STREAMS = [Stream(task, seed, *shape) for task in TASKS for seed, shape in SHAPES.items()]
#: Here the program forgets the last entry of its toolbox, and ends; another takes its place.
ENDS = Stream("hitab", 2, *SHAPES[2])
STREAMS[STREAMS.index(ENDS)] = ENDS._replace(seed=3)
TOOLBOX = data_folder() / "zorazrw/trove/toolbox/gqa.py"
KEY = ["problem", "phase", "mode", "sample"]


@pytest.fixture(scope="module", params=STREAMS, ids=lambda stream: f"{stream.task}-{stream.seed}")
def both(request, tmp_path_factory):
    """A stream, its problems, what the program left, and our run."""
    stream = request.param
    if stream.dataset == "gqa" and not TOOLBOX.is_file():
        pytest.skip("GQA's official prompts list TroVE's toolbox: `trove-lite fetch trove-program`")
    problems = problems_of(stream)
    assert len({problem.question.text for problem in problems}) == stream.problems
    said = replies(stream, problems)
    folder = tmp_path_factory.mktemp("released")
    theirs = run_program(stream, problems, said, folder / "theirs")
    with pytest.MonkeyPatch.context() as patch:
        ours = run_ours(stream, problems, said, folder, patch)
    return stream, problems, theirs, ours


def in_common(stream, phase):
    """Whether both systems do the same there. HiTab's votes are read by the type of gold, and of
    problems that are solved again the program takes the last problem's."""
    return stream.dataset != "hitab" or phase == "stream"


def without_preview(prompt):
    """Which rows of WTQ's tables are previewed hangs on an unstable sort: on the machine."""
    return re.sub(r"(?<=\nPreview: )(\|.*\n)+", "", prompt)


def test_the_model_is_asked_the_same(both):
    stream, _, theirs, ours = both
    seen = without_preview if stream.dataset == "wtq" else str
    for at, prompt in theirs.prompts.items():
        if in_common(stream, at[1]):
            assert seen(ours.prompts[at]) == seen(prompt), at
    assert stream.dataset == "hitab" or ours.prompts.keys() == theirs.prompts.keys()


def test_where_the_program_ends_without_any_tool_our_run_goes_on(tmp_path, monkeypatch):
    problems = problems_of(ENDS)
    said = replies(ENDS, problems)
    with pytest.raises(AssertionError, match="NameError: Undefined"):
        run_program(ENDS, problems, said, tmp_path / "theirs")
    ours = run_ours(ENDS, problems, said, tmp_path, monkeypatch)
    assert set(ours.table["problem"]) == {problem.index for problem in problems}


def test_the_toolbox_is_the_same_before_every_problem(both):
    stream, _, theirs, ours = both
    known = [toolbox for _, phase, toolbox in theirs.toolboxes if in_common(stream, phase)]
    assert ours.toolboxes[: len(known)] == known
    assert len(known) >= stream.problems


def test_the_log_is_read_as_our_run_has_it(both):
    """Each candidate: how it ended, what it printed, its answers, verdict and operations. Only
    verdicts by another problem's gold answer differ from what the log says."""
    stream, problems, theirs, ours = both
    read, (report,) = import_logs([theirs.log], problems, progress=False)
    tables = [read.sort_values(KEY), ours.table.sort_values(KEY)]
    log, run = (
        table[[in_common(stream, phase) for phase in table["phase"]]].reset_index(drop=True)
        for table in tables
    )
    for name in (*KEY, "status", "dataset", "category", "solution", "answer", "correct", "level"):
        assert values(log[name]) == values(run[name]), name
    assert [list(a) for a in log["answers"]] == [list(a) for a in run["answers"]]
    assert values(log["operations"]) == values(run["operations"])
    fine = run["status"] == "ok"  # of others the log has the error alone
    assert values(log["output"][fine]) == values(run["output"][fine].str.strip())
    told = ~fine & (log["error"] != "")  # of exit(3) the program has no word
    kinds = [table["error"][told].map(kind_of_error) for table in (log, run)]
    assert kinds[0].tolist() == kinds[1].tolist()
    assert values(log["tools"].str.strip()) == values(run["tools"].str.strip())
    assert all("gold answer of another problem" in one for one in report.disagreements)


def kind_of_error(text):
    return re.split(r":| \(line \d+\)$", text.strip().rpartition("\n")[2])[0]


def values(column):
    return column.astype(object).where(column.notna(), None).tolist()


def test_the_same_responses_are_chosen_with_the_same_verdicts(both):
    stream, problems, theirs, ours = both
    retried = set(ours.table.loc[ours.table["phase"] == "retry", "problem"])
    again = {index for index, phase, _ in theirs.prompts if phase == "retry"}
    phase = ours.table["problem"].isin(retried).map({True: "retry", False: "stream"})
    last = ours.table[ours.table["phase"] == phase].assign(phase="stream")
    chosen = choose(last, "two_stage").set_index("problem")
    compared = 0
    for problem, entry in zip(problems, theirs.chosen, strict=True):
        if not in_common(stream, "retry" if problem.index in retried | again else "stream"):
            continue
        mine = chosen.loc[problem.index]
        response = entry["response"]
        assert mine["solution"].strip() == response["solution"], problem.index
        if (
            problem.index not in again
        ):  # the program names the modes of these wrongly, and grades them by another
            assert mine["mode"] == entry["mode"]
            assert mine["correct"] == response["is_correct"]
            assert response["answer"] == stated(problem)
        compared += 1
    assert compared > stream.problems / 3


def test_the_result_file_and_the_library_are_read_as_the_log(both):
    stream, problems, theirs, _ = both
    log, _ = import_logs([theirs.log], problems, progress=False)
    results, (report,) = import_logs([theirs.results], problems, progress=False)
    assert report.problems == stream.problems == len(results)
    log = log.set_index(["problem", "solution"])
    for row in results.to_dict("records"):
        same = log.loc[[(row["problem"], row["solution"])]]
        assert row["correct"] in set(same["correct"])
        assert list(row["answers"]) in [list(answers) for answers in same["answers"]]
    listed = re.findall(r"=== (\S+) ===\n", theirs.log.read_text(encoding="utf-8"))
    library = [plain_name(tool.name) for tool in read_library(theirs.library)]
    assert [plain_name(name) for name in listed] == library
