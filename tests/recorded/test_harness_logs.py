"""Other harnesses' logs, in tiny files of each format: what becomes of them, and a clear line for
everything else.

Files that the programs made themselves are in tests/harness."""

import csv
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import trove_lite as tl
import trove_lite_analysis as ta
from trove_lite.candidates import read_description
from trove_lite.cli import main
from trove_lite_analysis.summary import summarise
from trove_lite_analysis.view.contents import Contents

from ..cases import named
from ..typed import typed

LM_EVAL = "samples_sums_2026-01-02T03-04-05.678.jsonl"
BESIDE = "results_2026-01-02T03-04-05.678.json"  # of the same program, in the same folder


def rows(method="plain", problems="ab", verdicts="10", **more):
    """Rows of a table: of each problem so many samples as there are verdicts."""
    each = [(problem, *sample) for problem in problems for sample in enumerate(verdicts)]
    return [
        {"problem": p, "method": method, "sample": n, "correct": verdict} | more
        for p, n, verdict in each
    ]


def table(path, entries):
    """Written as CSV or JSON lines, as the file's name says."""
    with path.open("w", encoding="utf-8", newline="") as file:
        if path.suffix == ".csv":
            writer = csv.DictWriter(
                file, dict.fromkeys(name for entry in entries for name in entry)
            )
            writer.writeheader()
            writer.writerows(entries)
        else:
            file.writelines(json.dumps(entry) + "\n" for entry in entries)
    return path


def lm_eval(number, right, answer="4", text="so ANSWER: 4", way="strict", **more):
    entry = {
        "doc_id": number,
        "resps": [[text]],
        "filtered_resps": [answer],
        "filter": way,
        "metrics": ["exact_match"],
    }
    return entry | {"exact_match": right, "doc_hash": f"h{number}"} | more


def evalplus(*statuses, task="HumanEval/0"):
    names = "solution", "base_status", "plus_status"
    return {
        "eval": {
            task: [
                dict(zip(names, (f"def f():\n    return {s[0]}", *s), strict=True))
                for s in statuses
            ]
        }
    }


def inspect_sample(
    name, epoch, value="C", answer="4", error=None, scores=("match",), question="2 + 2?"
):
    found = (
        None if error else {score: SimpleNamespace(value=value, answer=answer) for score in scores}
    )
    usage = {"lab/m": SimpleNamespace(input_tokens=7, output_tokens=3)}
    output = SimpleNamespace(completion=f"ANSWER: {answer}")
    error = error and SimpleNamespace(message=error)
    same = {
        "input": question,
        "target": "4",
        "output": output,
        "scores": found,
        "error": error,
        "model_usage": usage,
    }
    return SimpleNamespace(id=name, epoch=epoch, **same)


@pytest.fixture
def inspect_log(monkeypatch, tmp_path):
    """A reader in inspect_ai's place. Makes a log of these samples and this status: its file."""
    logs = {}

    def log(name, samples, *status):
        logs[name] = samples, *(status or ["success"])
        (tmp_path / name).touch()
        return tmp_path / name

    def read(path, **_):
        if (name := Path(path).name) not in logs:
            raise ValueError("not a zip file")
        samples, status, *total = logs[name]
        spec = SimpleNamespace(task="suite/sums", model="lab/m", solver=None)
        results = SimpleNamespace(total_samples=total[0]) if total else None
        return SimpleNamespace(status=status, eval=spec, samples=samples, results=results)

    monkeypatch.setattr(
        "trove_lite_analysis.recorded.harness_logs.inspect_ai",
        lambda: SimpleNamespace(read_eval_log=read),
    )
    return log


def imported(tmp_path, kind, *words):
    assert typed("import --format", kind, *words, "--out", tmp_path / "run", "--force") == 0
    return tl.load_candidates(tmp_path / "run")


def differences(candidates, **how):
    """Of each rule, the difference of the two methods."""
    found = ta.accuracy_differences(ta.compare(candidates), **how)
    return dict(zip(found["rule"], found["difference"], strict=True)), found


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl"])
def test_a_table_becomes_a_run_that_everything_reads(tmp_path, capsys, name):
    answers = [{"answer": answer} for answer in ("4", "5", "4.0", "x, y")]
    entries = [entry | more for entry, more in zip(rows(verdicts="10"), answers, strict=True)]
    entries += [
        entry | more
        for entry, more in zip(rows("tools", verdicts="11"), answers[:1] * 4, strict=True)
    ]
    found = imported(tmp_path, "table", table(tmp_path / name, entries))
    assert found["correct"].tolist() == [True, False, True, False, True, True, True, True]
    assert found["answer"].tolist()[:4] == ["4.0", "5.0", "4.0", "x, y"]
    assert set(found["category"]) == {"problems"}
    values, _ = differences(found, k=1)
    assert values == {"one_stage": -0.5, "one_stage_described": -0.5, "oracle": -0.5}
    run = str(tmp_path / "run")
    assert (
        typed("summary", run)
        == typed("view", run, "--quiet")
        == typed("summary", run, "--json")
        == 0
    )
    (plain, tools) = summarise(found)["runs"]
    assert (plain["oracle_correct"], plain["one_stage_correct"], tools["candidates"]) == (2, 2, 4)
    assert read_description(run)["problems"] == {"problems": {"0": "a", "1": "b"}}


def test_answers_are_judged_by_gold_where_there_is_no_verdict(tmp_path):
    pairs = enumerate([("4", 4), (" Four.", "four"), ("5", 4), (4.0, "4")])
    entries = [
        {"problem": 3, "method": "m", "sample": n, "answer": answer, "gold": gold}
        for n, (answer, gold) in pairs
    ]
    found = imported(tmp_path, "table", table(tmp_path / "t.jsonl", entries))
    assert found["correct"].tolist() == [True, True, False, True]
    assert found["problem"].tolist() == [3] * 4  # its own number


def test_verdicts_alone_give_pass_at_k_and_no_agreement(tmp_path, capsys):
    entries = rows(verdicts="10", problems="abc") + rows("tools", verdicts="00", problems="abc")
    found = imported(tmp_path, "table", table(tmp_path / "t.csv", entries))
    said = [line.partition(",")[0] for line in capsys.readouterr().out.splitlines()]
    assert said[:2] == [
        f"{method}: its log has verdicts and no answers" for method in ("plain", "tools")
    ]
    assert found["answers"].isna().all()
    values, table_of = differences(found)
    assert values == {"oracle": 1.0}
    assert "no answers" in table_of.attrs["note"]
    alone = dict.fromkeys(
        ("one_stage", "one_stage_described", "oracle"), 0.5
    )  # one sample: what any rule chooses
    assert differences(found, k=1)[0] == alone
    assert "no answers" in ta.accuracy(ta.compare(found))["note"][0]
    assert summarise(found)["runs"][0]["one_stage_correct"] is None
    with pytest.raises(tl.TroveLiteError, match="cannot be computed"):
        tl.choose(found, "one_stage")
    page = Contents(found, tl.load_calls(tmp_path / "run"), {}, [])
    assert all(part[0]["runs"][0]["rules"] == {} for part in page.parts())
    assert page.index["rows"][0][5] == [None] * len(tl.RULES)
    assert typed("view", tmp_path / "run", "--quiet") == 0


def test_texts_tell_copies_and_short_ones_do_not(tmp_path):
    long = "a text that is long enough to be the same by copying alone"
    entries = []
    for run in ("first", "second"):
        entries += [
            row | {"run": run, "text": long + row["problem"]} for row in rows("m", "abcdefgh", "1")
        ]
        entries += [
            row | {"run": run, "text": "ANSWER: B"} for row in rows("short", "abcdefgh", "1")
        ]
    found = imported(tmp_path, "table", table(tmp_path / "t.jsonl", entries))
    verdicts = ta.shared_programs(found).set_index("method_a")["verdict"].to_dict()
    assert verdicts == {"m": "copy", "short": "independent"}
    assert sorted(found["run"].unique()) == ["m_seed0", "m_seed1", "short_seed0", "short_seed1"]


def test_lm_eval_filters_are_verdicts_of_the_same_sample(tmp_path):
    path = tmp_path / LM_EVAL
    strict = [lm_eval(0, 1.0), lm_eval(1, 0.0, "[invalid]")]
    loose = [lm_eval(n, n, way="loose") for n in (0, 1)]
    table(path, strict + loose)
    (tmp_path / BESIDE).write_text('{"model_name": "lab/small"}')
    found = imported(tmp_path, "lm-eval", path, "--verdict", "exact_match,strict")
    assert found["correct"].tolist() == [True, False]
    assert [list(answers) for answers in found["answers"]] == [["4.0"], []]
    assert found[["model", "method", "category"]].iloc[0].tolist() == ["lab/small", "small", "sums"]
    assert found["response"].tolist() == ["so ANSWER: 4"] * 2
    assert imported(tmp_path, "lm-eval", path, "--verdict", "exact_match,loose")[
        "correct"
    ].tolist() == [False, True]


def test_lm_eval_choices_have_a_verdict_and_no_answer(tmp_path):
    scores = [["-1.0", "False"], ["-2.0", "False"]]
    entry = lm_eval(
        7,
        1.0,
        metrics=["acc", "acc_norm"],
        acc=1.0,
        acc_norm=0.0,
        resps=[scores],
        filtered_resps=scores,
    )
    logs = [f"{name}={table(tmp_path / f'{name}.jsonl', [entry])}" for name in ("a", "b")]
    found = imported(tmp_path, "lm-eval", *logs, "--verdict", "acc")
    assert found["answers"].isna().all()
    assert found["response"].isna().all()
    assert (found["problem"].tolist(), found["method"].tolist()) == ([7, 7], ["a", "b"])


@pytest.mark.parametrize(
    ("verdict", "right"), [("", [True, False, False]), ("base", [True, True, False])]
)
def test_evalplus_programs_pass_both_tests_or_the_base_alone(tmp_path, verdict, right):
    results = evalplus(("pass", "pass"), ("pass", "fail"), ("timeout", "timeout"))
    (tmp_path / "s_eval_results.json").write_text(json.dumps(results))
    found = imported(
        tmp_path,
        "evalplus",
        tmp_path / "s.jsonl",
        *(["--verdict", verdict] if bool(verdict) else []),
    )
    assert found["correct"].tolist() == right
    assert found[["category", "problem", "method"]].iloc[0].tolist() == ["HumanEval", 0, "s"]
    assert found["solution"][0] == "```python\ndef f():\n    return pass\n```"
    assert found["answers"].isna().all()


def test_inspect_epochs_are_samples_and_an_error_is_no_wrong_answer(tmp_path, inspect_log):
    first = [inspect_sample("q", 1), inspect_sample("q", 2, "I", ""), inspect_sample("r", 1)]
    found = imported(
        tmp_path,
        "inspect",
        inspect_log("a.eval", [*first, inspect_sample("r", 2, error="no connection")]),
    )
    assert found["status"].tolist() == ["ok", "ok", "ok", "unavailable"]
    assert found["correct"].tolist()[:3] == [True, False, True]
    assert found["correct"].isna().tolist()[3]
    assert [list(answers) for answers in found["answers"]] == [["4.0"], [], ["4.0"], []]
    assert found[["method", "model", "category", "prompt_tokens"]].iloc[0].tolist() == [
        "m",
        "lab/m",
        "sums",
        7,
    ]
    assert found["error"][3] == "no connection"


def test_any_text_is_kept(tmp_path):
    odd = "\ud800 \u2028 \x00 \x1b[2J"
    entry = rows("m\ud800", verdicts="1")[0] | {"text": odd, "answer": odd, "problem": odd}
    found = imported(tmp_path, "table", table(tmp_path / "t.jsonl", [entry]))
    assert found["response"][0] == odd.replace("\ud800", "?")
    assert found["method"][0] == "m?"


def test_problems_that_not_all_have_are_left_out_only_when_asked(tmp_path, capsys):
    path = table(tmp_path / "t.csv", rows(problems="abc") + rows("tools", problems="bcd"))
    words = ["import", "--format", "table", str(path), "--out", str(tmp_path / "run")]
    assert main(words) == 2
    assert (
        "2 problems, such as a of problems, are not in every log of plain, tools"
        in capsys.readouterr().err
    )
    assert not (tmp_path / "run").exists()
    assert main([*words, "--partial"]) == 0
    assert "8 candidates for 2 problems" in capsys.readouterr().out


TOLD = ["category", "problem", "method", "run", "sample", "correct", "answer", "response", "model"]


def told(candidates, *more):
    """What a log tells of its samples."""
    return candidates[[*TOLD, *more]].astype(object).fillna("")


@pytest.mark.parametrize("kept", ["answer", "text", None])
def test_what_is_written_as_a_table_is_read_again(tmp_path, kept):
    entries = [
        row | ({kept: f'{row["problem"]}, "1"\nand'} if kept else {})
        for row in rows() + rows("tools")
    ]
    before = imported(tmp_path, "table", table(tmp_path / "t.jsonl", entries))
    assert typed("export", tmp_path / "run", "--out", tmp_path / "out" / "t.csv") == 0
    after = imported(tmp_path, "table", tmp_path / "out" / "t.csv")
    assert told(after, "dataset").equals(told(before, "dataset"))


def older(*more, **fields):
    """Lines of an older lm-eval: two a problem, and nothing that names the filter."""
    entries = [
        lm_eval(n, right, answer, **fields)
        for n in (0, 1)
        for right, answer in ((n, "4"), (1, "5"))
    ]
    return [
        {k: v for k, v in entry.items() if k not in ("filter", "metrics", *more)}
        for entry in entries
    ]


OLDER = {
    "lm_eval_two_filters_unnamed": (older(), [False, True], [True, True]),
    "by filter, not by problem": (
        sorted(older(), key=lambda e: e["filtered_resps"]),
        [False, True],
        [True, True],
    ),
    "flat replies": (older(resps=["so ANSWER: 4"]), [False, True], [True, True]),
    "a text for a list": (
        [e | {"filtered_resps": e["filtered_resps"][0]} for e in older()],
        [False, True],
        [True] * 2,
    ),
    "no hash": (older("doc_hash"), [False, True], [True, True]),
    "no replies": (older("resps"), [False, True], [True, True]),
}


@pytest.mark.parametrize("shape", OLDER)
def test_older_samples_of_lm_eval_are_read_by_the_place_of_their_filter(tmp_path, capsys, shape):
    entries, first, second = OLDER[shape]
    path = table(tmp_path / LM_EVAL, entries)
    assert (
        imported(tmp_path, "lm-eval", path, "--verdict", "exact_match,1")["correct"].tolist()
        == first
    )
    assert imported(tmp_path, "auto", path, "--verdict", "2")["correct"].tolist() == second
    assert typed("import", path, "--out", tmp_path / "x") == 2
    said = capsys.readouterr().err
    assert "does not name its filters: they are counted from 1" in said
    assert "choose by --verdict among exact_match,1; exact_match,2" in said


def test_each_task_has_its_own_verdict(tmp_path):
    choice = lm_eval(0, 1) | {
        "filter": "none",
        "metrics": ["acc", "acc_norm"],
        "acc": 0,
        "acc_norm": 1,
    }
    paths = (
        table(tmp_path / LM_EVAL, [lm_eval(0, 1), lm_eval(0, 0, way="loose")]),
        table(tmp_path / LM_EVAL.replace("sums", "choices"), [choice]),
    )
    for wanted, right in (
        ("loose; acc_norm", [True, False]),
        ("acc,none;exact_match,strict", [False, True]),
    ):
        found = imported(tmp_path, "lm-eval", *map("m={}".format, paths), "--verdict", wanted)
        assert found["correct"].tolist() == right


def test_a_log_that_lacks_samples_is_refused_or_taken_in_part(tmp_path, capsys, inspect_log):
    path = table(tmp_path / LM_EVAL, [lm_eval(0, 1.0)])
    own = inspect_log("a.eval", [inspect_sample("q", 1)], "success", 3)
    (tmp_path / BESIDE).write_text('{"model_name": "m", "n-samples": {"sums": {"effective": 3}}}')
    for log, what in ((own, "samples"), (path, "problems")):
        assert typed("import", log, "--out", tmp_path / "x") == 2
        assert f"holds 1 of the 3 {what}" in capsys.readouterr().err
        assert len(imported(tmp_path, "auto", log, "--partial")) == 1


GOOD = json.dumps(rows()[0])
STRICT = json.dumps(lm_eval(0, 1))
TWICE = GOOD + "\n\n" + GOOD
NO_METRIC = STRICT.replace('"exact_match":', '"other":')
BOTH_WAYS = STRICT + "\n" + json.dumps(lm_eval(0, 1, way="loose"))
#: What is wrong: the format, the file's name, what is in it, and what the line must say.
WRONG = named(
    r"""
    "an empty table", "table", "t.csv", "", "t.csv: no samples"
    "no columns", "table", "t.csv", "a,b\n1,2\n", "line 2: 'problem' is missing"
    "a cell too few", "table", "t.csv", "problem,method,sample,correct\na,m,0\n", "line 2: not 4 cells"
    "a quote without end", "table", "t.csv", 'problem,method\n"a,m\n', "line 2: unexpected end of data"
    "a damaged line", "table", "t.jsonl",
        '{"problem": "a", "method": "plain", "sample": 0, "correct": "1"}\n{"problem": 1', "line 2: not JSON"
    "a list", "table", "t.jsonl", "[1]", "line 1: Expected `object`, got `array`"
    "no verdict", "table", "t.jsonl", '{"problem": 1, "method": "m", "sample": 0, "answer": 3}', "line 1: no verdict"
    "half right", "table", "t.jsonl", '{"problem": "a", "method": "plain", "sample": 0, "correct": 1.5}',
        "line 1: correct is '1.5', neither right nor wrong"
    "half a sample", "table", "t.jsonl", '{"problem": "a", "method": "plain", "sample": 0.5, "correct": "1"}',
        "line 1: sample is '0.5'"
    "a list for a name", "table", "t.jsonl", '{"problem": [], "method": "plain", "sample": 0, "correct": "1"}',
        "line 1: field 'problem' is of a wrong type"
    "a sample twice", "table", "t.jsonl", TWICE, "line 3: problem a, sample 0: "
    "not text", "table", "t.csv", b"\xff\xfe", "t.csv: not UTF-8 text"
    "another format", "lm-eval", LM_EVAL, GOOD, "line 1: field 'doc_id': Expected `int"
    "several filters", "lm-eval", LM_EVAL, BOTH_WAYS, "choose by --verdict among exact_match,strict; exact_match,l"
    "no metric", "lm-eval", LM_EVAL, NO_METRIC, "field 'exact_match' is missing"
    "samples alone", "evalplus", "s.jsonl", '{"task_id": "HumanEval/0"}', "s_eval_results.json: no such file"
    "another release", "evalplus", "s.json", '{"eval": {"a/0": {"nfiles": 1}}}', "Expected `array`"
    "no results", "evalplus", "s.json", '{"eval": {}}', "s.json: no samples"
    "no status", "evalplus", "s.json", '{"eval": {"a/0": [{}]}}', "a/0, sample 0: field 'solution'"
    "not inspect's", "inspect", "a.eval", "PK", "a.eval: inspect_ai cannot read it (not a zip file)"
    """,
    **globals(),
)


@pytest.mark.parametrize("what", WRONG)
@pytest.mark.usefixtures("inspect_log")
def test_a_wrong_log_is_one_clear_line_and_leaves_nothing(tmp_path, capsys, what):
    kind, name, text, reason = WRONG[what]
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert typed("import --format", kind, path, "--out", tmp_path / "run") == 2
    said = capsys.readouterr().err
    assert said.startswith("error: ")
    assert (said.count("\n"), reason in said) == (1, True), said
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("samples", "status", "reason"),
    [
        (
            [inspect_sample("q", 1, scores=("match", "judge"))],
            "success",
            "choose by --verdict among match; judge",
        ),
        (
            [inspect_sample("q", 1, {"a": 1})],
            "success",
            "score 'match' is \"{'a': 1}\", neither right nor wrong",
        ),
        ([inspect_sample("q", 1)], "cancelled", "ended as 'cancelled'"),
        ([inspect_sample("q", 1), inspect_sample("q", 1)], "success", "is there already"),
        (
            [inspect_sample("q", 1), inspect_sample("q", 2, question="3 + 3?")],
            "success",
            "asks something else",
        ),
        (None, "success", "no samples"),
    ],
)
def test_a_wrong_inspect_log_is_refused(tmp_path, capsys, inspect_log, samples, status, reason):
    log = inspect_log("a.eval", samples, status)
    assert typed("import --format inspect", f"m={log}", "--out", tmp_path / "run") == 2
    assert reason in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_without_inspect_ai_it_says_what_to_install(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "inspect_ai", None)
    (tmp_path / "a.eval").touch()
    assert typed("import --format inspect", tmp_path / "a.eval", "--out", tmp_path / "run") == 1
    assert "pip install -e '.[logs]'" in capsys.readouterr().err
