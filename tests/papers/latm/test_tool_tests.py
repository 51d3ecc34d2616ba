"""A task's tool on its maker's tests and its use cases: written beside the calls, no model
asked."""

from trove_lite.candidates import load_candidates
from trove_lite.cli import main
from trove_lite.datasets import load_dataset
from trove_lite_analysis import calls as calling
from trove_lite_papers.latm.tool_tests import apart

from ...recorded.test_reexecute import CONFINED
from .labelled import REPLIES, TOOL, run

CLAIMS = "```python\nassert f('a') == 'a'\nassert f('b') != 'c'\n```"


@CONFINED
def test_a_tasks_tool_is_run_on_its_makers_tests_and_on_its_use_cases(tmp_path, monkeypatch):
    first, *_ = load_dataset("bbh_made").examples("chinese_remainder")
    case = "Question: {}\nSolution:\n```python\nans = f('{}')\n```\n"
    wrapped = (
        TOOL
        + case.format(first.question.text, first.gold)
        + case.format(first.question.text, "no number")
    )
    monkeypatch.setitem(REPLIES, "maker", [TOOL, CLAIMS, wrapped])
    folder = run(tmp_path / "run")[0]
    out = tmp_path / "out"
    assert main(["calls", str(folder), "--out", str(out)]) == 0
    (found,) = calling.read_tool_tests(out, out).to_dict("records")
    assert [found[name] for name in ("tool", "tests", "tests passed", "cases", "cases right")] == [
        "f",
        2,
        2,
        2,
        1,
    ]
    assert (found["uses"], found["uses right"]) == (
        4,
        int(load_candidates(folder)["correct"].sum()),
    )


def test_each_assertion_is_a_test_of_its_own():
    program = "def f():\n    assert 0\n_reached = []\nassert 1\nassert 0\nx = 2\nassert _reached"
    head = "def f():\n    assert 0\n_reached = []\n"
    assert list(apart(program)) == [f"{head}assert 1", f"{head}assert 0"]
    assert list(apart("def f():\n    assert 0\nassert _reached")) == [
        "def f():\n    assert 0\nassert _reached"
    ]
