"""Two sources that ask something else are never compared by the numbers of their problems."""

import json

import pytest

from tests.shapes import evalplus
from trove_lite.cli import main
from trove_lite.errors import UsageError
from trove_lite_analysis.view.beside import compare_sources
from trove_lite_analysis.view.same import _same
from trove_lite_analysis.view.sources import load_systems

N = 9


def own_run(folder, question="What is {} + 1?", add=1, method="primitive"):
    """A run on problems of one's own, which ask this, with two right answers each."""
    folder.mkdir()
    lines = [{"question": question.format(i), "answer": [i + add, -add]} for i in range(N)]
    (folder / "own.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (folder / "said.jsonl").write_text(
        json.dumps({"prompt": "", "text": "```python\nprint(1)\n```"})
    )
    words = ["run", "--quiet", "--dataset", str(folder / "own.jsonl"), "--methods", method]
    words += ["--model", f"canned:{folder / 'said.jsonl'}", "--k", "2", "--seeds", "0"]
    assert main([*words, "--out", str(folder / "run")]) == 0
    return folder / "run"


def csv_of(path, question="", gold="", numbers=True, method="theirs"):
    names = [n for n, given in (("question", question), ("gold", gold)) if given]
    rows = [",".join(["problem", "method", "sample", "correct", *names])]
    for i in range(N):
        words = ([question.format(i)] if bool(question) else []) + (
            [str(i + int(gold or 0))] if bool(gold) else []
        )
        rows.append(",".join([str(i) if numbers else f"q{i}", method, "0", str(i % 2), *words]))
    path.write_text("\n".join(rows))
    return path


@pytest.mark.parametrize(
    "theirs",
    [
        {"question": "How many sides has a polygon of {} corners?"},
        {"gold": "2"},
        {"question": "What is {} + 2?", "gold": "2"},
        {"question": "What is {} - 1?"},
        {"gold": "7"},
    ],
)
def test_a_table_of_other_problems_is_refused_beside_own_sums(tmp_path, theirs):
    run = own_run(tmp_path / "a")
    other = csv_of(tmp_path / "t.csv", **theirs)
    for same_task in (False, True):
        with pytest.raises(UsageError, match=r"problems with the same name are not the same"):
            load_systems(run, other, same_task=same_task)


@pytest.mark.parametrize(
    "theirs",
    [
        {"question": "What is {} + 1?"},
        {"gold": "1"},
        {"question": "Q: What is {}  + 1? A:", "gold": "1"},
    ],
)
def test_the_same_problems_are_known_by_question_or_right_answer(tmp_path, theirs):
    run = own_run(tmp_path / "a")
    other = csv_of(tmp_path / "t.csv", **theirs)
    systems = load_systems(run, other)
    assert [frame["problem"].nunique() for frame in systems.frames.values()] == [N, N]


@pytest.mark.parametrize("gold", ["*", "x = ", ["*", 5]])
def test_a_right_answer_that_no_answer_gives_is_still_itself(gold):
    assert _same(("What?", gold), ("What?", gold), alike=True)


def test_where_nothing_tells_one_is_asked_to_say_so(tmp_path):
    run = own_run(tmp_path / "a")
    other = csv_of(tmp_path / "t.csv")
    with pytest.raises(UsageError, match="if they do, give --same_task"):
        load_systems(run, other)
    assert len(load_systems(run, other, same_task=True).frames) == 2
    with pytest.raises(UsageError, match="--same_task"):
        load_systems(other, csv_of(tmp_path / "u.csv", method="ours"))
    named = [csv_of(tmp_path / f"{m}.csv", numbers=False, method=m) for m in "xy"]
    assert len(load_systems(*named).frames) == 2


def test_programs_of_humaneval_are_not_compared_with_own_sums(tmp_path):
    with pytest.raises(UsageError, match="--same_task"):
        load_systems(evalplus(tmp_path)[0], own_run(tmp_path / "a"))


@pytest.mark.parametrize("how", [{"question": "What is {} + 3?"}, {"add": 5}])
def test_two_own_files_of_one_name_are_told_apart(tmp_path, how):
    one = own_run(tmp_path / "a")
    other = own_run(tmp_path / "b", method="instance", **how)
    with pytest.raises(UsageError, match="are not the same"):
        load_systems(one, other)
    same = own_run(tmp_path / "c", method="instance")
    assert len(load_systems(one, same).frames) == 2
    (tmp_path / "a" / "own.jsonl").unlink()
    (tmp_path / "b" / "own.jsonl").unlink()
    with pytest.raises(UsageError, match="digests"):
        load_systems(one, other)
    assert len(load_systems(one, same).frames) == 2


def test_the_pair_that_decides_most_comes_first(tmp_path):
    """Of three systems of which two are as good as each other."""
    rows = ["problem,method,sample,correct"]
    for i in range(40):
        right = {"a": i % 2, "b": (i + i // 20) % 2, "worst": 0}
        rows += [f"q{i},{method},0,{verdict}" for method, verdict in right.items()]
    (tmp_path / "t.csv").write_text("\n".join(rows))
    _, lines = compare_sources([tmp_path / "t.csv"], tmp_path / "c.html")
    assert "worst" in lines[0]
    assert lines[2].startswith("a minus b")
    page = (tmp_path / "c.html").read_text()
    assert page.count('class="said"') == 1


@pytest.mark.parametrize("form", ["{0}", "mine={0}"])
def test_a_source_is_never_written_over(tmp_path, form):
    (tmp_path / "t.csv").write_text("problem,method,sample,correct\nq,a,0,1\nq,b,0,0\n")
    before = (tmp_path / "t.csv").read_bytes()
    with pytest.raises(UsageError, match="would be written over"):
        compare_sources([form.format(tmp_path / "t.csv")], tmp_path / "t.html")
    assert (tmp_path / "t.csv").read_bytes() == before
    assert not (tmp_path / "t.html").exists()
