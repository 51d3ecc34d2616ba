"""Scores that are parts, samples that are all right, problems that flip, and what is equal where
tokens are."""

import json
from itertools import combinations, product

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import trove_lite as tl
from trove_lite.candidates import CALLS_SCHEMA, load_calls, read_description, write_description
from trove_lite.cli import main
from trove_lite_analysis.pairwise import affordable, pairs, scores_of
from trove_lite_analysis.systems import compare
from trove_lite_analysis.view.beside import compare_sources

from ..cases import cases
from ..scripted import run as live


def imported(tmp_path, rows):
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, rows)))
    words = ["import", "--independent", str(tmp_path / "t.jsonl"), "--out", str(tmp_path / "r")]
    assert main([*words, "--force"]) == 0
    return compare(tl.load_candidates(tmp_path / "r"))


def rows(values, name="correct", methods="ab", **more):
    """A row a sample: `values` by method, problem."""
    return [
        {"problem": f"q{n}", "method": method, "sample": s, name: value} | more
        for method in methods
        for n, own in enumerate(values[method])
        for s, value in enumerate(own)
    ]


def read(table, rule, a, b=""):
    return table[(table["rule"] == rule) & (table["a"] == a) & (table["b"] == b)].iloc[-1]


@pytest.mark.parametrize("name", ["score", "correct"])
def test_parts_of_a_point_are_compared_as_scores(tmp_path, name):
    values = {"a": [[0.25], [0.5], [1]] * 8, "b": [[0.75], [0.5], [0]] * 8}
    table = pairs(imported(tmp_path, rows(values, name)))
    assert table["rule"].iloc[0] == "score"
    assert read(table, "score", "a")["value"] == pytest.approx(1.75 / 3)
    assert read(table, "score", "a", "b")["value"] == pytest.approx(0.5 / 3)
    assert read(table, "single", "a")["value"] == pytest.approx(1 / 3)  # right is a whole point


def test_whole_points_are_no_scores(tmp_path):
    table = pairs(imported(tmp_path, rows({"a": [[1]] * 9, "b": [[0]] * 9})))
    assert set(table["rule"]) == {"single"}


@pytest.mark.parametrize("n", [2, 3, 5])
@pytest.mark.parametrize("right", [0, 1, 2, 3, 5])
def test_all_of_k_right_is_the_share_of_subsets_that_are_whole(tmp_path, n, right):
    own = [1] * min(right, n) + [0] * max(0, n - right)
    comparison = imported(tmp_path, rows({"a": [own] * 4, "b": [own] * 4}))
    for k in range(1, n + 1):
        found = scores_of(comparison, "every", k)["a"]["score"]
        subsets = list(combinations(own, k))
        assert found.tolist() == pytest.approx([sum(map(all, subsets)) / len(subsets)] * 4)


def test_problems_that_flip_are_listed_with_pass_hat_n(tmp_path):
    """60 problems, 2 methods, 4 runs, as one CSV."""
    lines = ["problem,method,run,sample,correct"]
    for n, method, run in product(range(60), "ab", range(4)):
        right = n % 3 == 0 or (n % 3 == 1 and run == 2 and method == "b")
        lines.append(f"q{n},{method},{run},0,{int(right)}")
    (tmp_path / "runs4.csv").write_text("\n".join(lines))
    table, said = compare_sources([tmp_path / "runs4.csv"], tmp_path / "c.html")
    assert any("a: 0 of 60 problems flip" in line for line in said)
    assert any("b: 20 of 60 problems flip" in line for line in said)
    page = (tmp_path / "c.html").read_text()
    assert page.count("1 of 4 right") == 20
    samples = [line.replace(",0,", f",{n % 4},", 1) for n, line in enumerate(lines[1:])]
    text = "\n".join(["problem,method,sample,correct", *(_without_run(one) for one in samples)])
    (tmp_path / "samples.csv").write_text(text)
    table, _ = compare_sources([tmp_path / "samples.csv"], tmp_path / "d.html")
    assert read(table, "every", "b")["value"] == pytest.approx(1 / 3)
    assert read(table, "oracle", "b")["value"] == pytest.approx(2 / 3)


def _without_run(line):
    problem, method, _, sample, right = line.split(",")
    return ",".join([problem, method, sample, right])


def spending(tmp_path, samples, tokens):
    """Systems by method: samples a problem, and tokens of each."""
    found = []
    for method, n in samples.items():
        spent = {"prompt_tokens": tokens[method] - 10, "completion_tokens": 10}
        own = [[(p + s) % 2 for s in range(n)] for p in range(12)]
        each = rows({method: own}, methods=[method])
        found += [row | spent | {"answer": str(row["correct"])} for row in each]
    return imported(tmp_path, found)


@pytest.mark.parametrize(
    ("samples", "tokens", "paid", "k"),
    cases(
        """
        {"a": 6, "b": 2}, {"a": 100, "b": 300},  {"a": 6, "b": 2}, 600  # as they are recorded
        {"a": 4, "b": 4}, {"a": 100, "b": 200},  {"a": 4, "b": 2}, 400
        {"a": 8, "b": 3}, {"a": 50, "b": 100},   {"a": 6, "b": 3}, 300
        {"a": 1, "b": 1}, {"a": 150, "b": 1300}, None,             None
        {"a": 5, "b": 5}, {"a": 100, "b": 100},  None,             None
        """
    ),
)
def test_at_equal_tokens_each_system_has_what_they_pay_for(tmp_path, samples, tokens, paid, k):
    comparison = spending(tmp_path, samples, tokens)
    assert affordable(comparison) == paid
    equal = pairs(comparison).query("rule == 'equal_tokens' and b == 'b'")
    assert set(equal["k"]) == {k} - {None}
    assert all(equal["verdict"])


def test_tokens_of_tools_and_second_goes_are_what_a_system_spent(tmp_path):
    live(tmp_path / "a", methods=("instance", "primitive"), seeds=(0,), k=3, limit=4)
    before = compare_sources([tmp_path / "a"], tmp_path / "c.html")[1]
    assert not any("tools, checks" in line for line in before)
    calls = load_calls(tmp_path / "a")
    made = calls[(calls["mode"] == "instance") & (calls["sample"] == 0)].assign(
        stage="rank", mode=None, prompt_tokens=60
    )
    both = pd.concat([calls, made], ignore_index=True)
    pq.write_table(pa.Table.from_pandas(both, CALLS_SCHEMA), tmp_path / "a" / "calls.parquet")
    about = read_description(tmp_path / "a")
    del about["tables"]
    write_description(tmp_path / "a", about)
    said = compare_sources([tmp_path / "a"], tmp_path / "c.html")[1]
    (instance,) = (line for line in said if line.startswith("instance spent"))
    more = (60 + made["completion_tokens"].mean()) / 3
    assert f", and {more:,.0f} for tools, checks and second goes)" in instance
    assert [line for line in said if line.startswith("primitive spent")] == [
        line for line in before if line.startswith("primitive spent")
    ]
    (equal,) = (line for line in said if line.startswith("At equal tokens"))
    assert " a problem, all requests): " in equal


@pytest.mark.parametrize(
    ("tokens", "others", "told"),
    cases(
        """
        "100,50", "900,400", "A spent 150 tokens a sample (100 read and 50 written)."
        "100,50", "900,400", "B spent 1,300 tokens a sample (900 read and 400 written)."
        "100,50", ",",       "B: its log does not tell what it spent."
        ",",      ",",       "What was spent is not known: no log here tells its tokens."
        """
    ),
)
def test_what_each_system_spent_is_said_where_its_log_tells(tokens, others, told, tmp_path):
    lines = ["problem,method,sample,correct,prompt_tokens,completion_tokens"]
    for n in range(8):
        lines += [f"q{n},A,0,1,{tokens}", f"q{n},B,0,{n % 2},{others}"]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    _, said = compare_sources([tmp_path / "t.csv"], tmp_path / "c.html")
    assert told in said
    assert told in (tmp_path / "c.html").read_text()
