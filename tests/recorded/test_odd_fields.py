"""What other harnesses' files may say that no harness says: a value of another type, a field twice.
One line each."""

import json

import pytest

import trove_lite as tl
from trove_lite.cli import main
from trove_lite.shapes import once

from ..cases import cases, named
from ..typed import typed
from .test_harness_logs import BESIDE, LM_EVAL, evalplus, lm_eval

(ODD,) = cases(
    r'7, -1, 1.5, HUGE, True, None, "x", [], [7], {}, {"x": 7}, {"x": {"x": 7}}, [[[]]], "\ud800"',
    HUGE=10**400,
)
DEEP = json.loads("[" * 900 + "]" * 900)


def imported(tmp_path, capsys, *words):
    """The status of an import, and what it said of an error: one line, or nothing."""
    status = typed("import", *words, "--out", tmp_path / "out", "--force")
    said = capsys.readouterr().err
    assert said.count("\n") == (status != 0), said
    return status, said


def lines(path, entries):
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
    return path


COUNTS = named(
    """
    "a number",               7
    "a number of the task",   {"sums": 7}
    "a list",                 {"sums": [2, 2]}
    "a text",                 {"sums": "2"}
    "a count that is a text", {"sums": {"effective": "2"}}
    "a count that is a list", {"sums": {"effective": [2]}}
    "a task that is null",    {"sums": None}
    """
)


@pytest.mark.parametrize("told", COUNTS.values(), ids=COUNTS)
def test_counts_of_another_type_beside_lm_evals_samples_are_refused_in_a_line(
    tmp_path, capsys, told
):
    log = lines(tmp_path / LM_EVAL, [lm_eval(0, 1.0), lm_eval(1, 0.0)])
    (tmp_path / BESIDE).write_text(json.dumps({"n-samples": told}))
    status, said = imported(tmp_path, capsys, log)
    assert (status, f"{BESIDE}: field 'n-samples': " in said) == (2, True)


@pytest.mark.parametrize(
    "told", [{}, {"n-samples": None}, {"n-samples": {"sums": {"original": 2}}}]
)
def test_counts_that_are_not_told_are_in_nobodys_way(tmp_path, capsys, told):
    log = lines(tmp_path / LM_EVAL, [lm_eval(0, 1.0), lm_eval(1, 0.0)])
    (tmp_path / BESIDE).write_text(json.dumps(told))
    assert imported(tmp_path, capsys, log) == (0, "")


FIELDS = [*lm_eval(0, 1.0), "doc", "target", "arguments", "idx", "prompt_hash"]


@pytest.mark.parametrize("field", FIELDS)
def test_a_field_of_lm_evals_lines_of_any_type_is_read_or_refused_in_a_line(
    tmp_path, capsys, field
):
    for odd in (*ODD, DEEP):
        entries = [lm_eval(0, 1.0) | {field: odd}, lm_eval(1, 0.0)]
        imported(tmp_path, capsys, lines(tmp_path / LM_EVAL, entries))


@pytest.mark.parametrize("field", ["model_name", "n-samples", "results", "config"])
def test_so_is_one_of_its_results(tmp_path, capsys, field):
    log = lines(tmp_path / LM_EVAL, [lm_eval(0, 1.0), lm_eval(1, 0.0)])
    for odd in (*ODD, DEEP):
        (tmp_path / BESIDE).write_text(json.dumps({field: odd}))
        imported(tmp_path, capsys, log)


@pytest.mark.parametrize("field", ["task_id", "solution", "base_status", "plus_status"])
def test_so_is_one_of_evalplus(tmp_path, capsys, field):
    whole = evalplus(("pass", "pass"))
    for odd in (*ODD, DEEP):
        changed = json.loads(json.dumps(whole))
        next(iter(changed["eval"].values()))[0][field] = odd
        file = tmp_path / "a_eval_results.json"
        file.write_text(json.dumps(changed))
        imported(tmp_path, capsys, file)


TWICE = named(
    r"""
    "lm-eval", LM_EVAL, '{"doc_id": 0, "doc_id": 1}\n'
    "lm-eval, deep", LM_EVAL, '{"doc_id": 0, "doc": {"a": 1, "a": 2}}\n'
    "a table", "t.jsonl", '{"problem": "a", "method": "m", "correct": true, "correct": false}\n'
    "a table of cells", "t.csv", "problem,method,correct,correct\na,m,1,0\n"
    "evalplus", "a_eval_results.json", '{"eval": {"T/0": [], "T/0": []}}'
    "an escape and none", "t.jsonl", '{"problem": "a", "\\u0070roblem": "b", "method": "m"}\n'
    """,
    LM_EVAL=LM_EVAL,
)


@pytest.mark.parametrize(("name", "text"), TWICE.values(), ids=TWICE)
def test_a_field_that_is_there_twice_is_refused_in_a_line(tmp_path, capsys, name, text):
    (tmp_path / name).write_text(text, encoding="utf-8")
    status, said = imported(tmp_path, capsys, tmp_path / name)
    assert status == 2
    assert "is there twice" in said


OPTIONS = {
    "a server's": "run --model http://localhost:1/v1?concurrency=1&concurrency=9#m --out x",
    "an engine's": "run --model vllm:m?seed=1&seed=2 --out x",
    "the prompts'": "run --prompts one-factor?form=chat&form=chat --out x",
    "a file's": "run --config twice.yaml --out x",
    "a file's, within a method": "run --config deep.yaml --out x",
    "written replies'": "run --model canned:twice.jsonl --out x",
    "prices'": "run --model http://localhost:1/v1#m --max_cost 1 --prices twice.json --out x",
}


@pytest.mark.parametrize("words", OPTIONS.values(), ids=OPTIONS)
def test_so_is_one_of_ours(tmp_path, monkeypatch, capsys, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "twice.yaml").write_text("k: 3\nk: 15\n")
    (tmp_path / "deep.yaml").write_text("trove: {interval: 3, interval: 4}\n")
    (tmp_path / "twice.jsonl").write_text('{"prompt": "a", "prompt": "b", "text": "c"}\n')
    (tmp_path / "twice.json").write_text('{"m": {"input": 1, "output": 1}, "m": {"input": 2}}')
    assert main(words.split()) in (1, 2)
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert not (tmp_path / "x").exists()


def test_an_object_with_many_fields_is_read_in_linear_time():
    many = [(str(number), number) for number in range(300_000)]
    assert len(once(many)) == 300_000
    with pytest.raises(ValueError, match="field '7' is there twice"):
        once([*many, ("7", 0)])


GOLDS = [10**400, -(10**400), [10**400, 3], 10**5000, 9 * 10**308]


@pytest.mark.parametrize("gold", GOLDS, ids=range(len(GOLDS)))
def test_a_whole_gold_that_is_no_float_is_judged_all_the_same(gold):
    from trove_lite.judge.strict import is_right, unread

    one = gold[0] if isinstance(gold, list) else gold
    for answer in ("1", "inf", "1e399", "x", "[1, 2]"):
        assert not is_right([answer], gold)
        assert unread([answer], gold) in (True, False)
    if abs(one) < 10**4000:
        assert is_right([str(one)], gold)


def complete(folder):
    folder.mkdir(parents=True, exist_ok=True)
    words = "run --methods primitive --categories counting --limit 1 --k 2 --seeds 0 --quiet --out"
    assert typed(words, folder / "run") == 0
    return folder / "run"


INSIDE = named(
    """
    "judge, its journal",          "judge RUN --out RUN/journal"
    "judge, a new folder",         "judge RUN --out RUN/again"
    "judge, itself",               "judge RUN --out RUN"
    "calls, itself",               "calls RUN --out RUN"
    "calls, a new folder",         "calls RUN --out RUN/calls"
    "reexecute, a new folder",     "reexecute RUN --out RUN/a/b"
    "export, over its table",      "export RUN --out RUN/candidates.parquet"
    "outcomes, over its table",    "outcomes RUN --out RUN/candidates.parquet"
    "outcomes, over what is read", "outcomes RUN/candidates.parquet --out RUN/candidates.parquet"
    "by another way",              "judge RUN --out RUN/../run/again"
    "a run in a run",              "run --out RUN/journal --limit 1"
    """
)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return complete(tmp_path_factory.mktemp("inside"))


@pytest.mark.parametrize("words", INSIDE.values(), ids=INSIDE)
def test_nothing_is_written_into_a_run_that_is_read(run, capsys, words):
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    capsys.readouterr()
    assert main(words.replace("RUN", str(run)).split()) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "is inside the run" in said or "is what is read" in said
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before
    assert tl.load_candidates(run) is not None
