"""Two systems in one table: who is ahead, whether they are equal, and what such runs could have
shown."""

import numpy as np
import pandas as pd
import pytest

import trove_lite_analysis as ta
from trove_lite.candidates import as_arrow, as_frame, fingerprint
from trove_lite_analysis.pairwise import CANNOT_TELL, chance_to_see, detectable, read_first
from trove_lite_analysis.systems import short_names
from trove_lite_analysis.variance import decompose


def system(method, right, *, model="m", samples=1):
    """Candidates of a method, recorded, that are right as `right` says, problem by problem and
    sample by sample."""
    rows = []
    for number, one in enumerate(np.repeat(np.asarray(right), samples)):
        problem, sample = divmod(number, samples)
        about = {
            "model": model,
            "provenance": "recorded",
            "run": f"{method}_{model}",
            "method": method,
            "seed": 0,
        }
        about |= {
            "dataset": "d",
            "category": "c",
            "problem": problem,
            "phase": "stream",
            "mode": method,
            "place": 0,
        }
        about |= {
            "sample": sample,
            "round": 0,
            "level": "",
            "program": fingerprint(f"{method}{model}{number}", ""),
        }
        rows.append(
            about
            | {"status": "ok", "shares_state": False, "correct": bool(one), "answers": [str(one)]}
        )
    return as_frame(as_arrow(rows))


def read(*frames, **how):
    table = ta.pairs(ta.compare(pd.concat(frames, ignore_index=True)), **how)
    return read_first(table).set_index("b", drop=False)


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [
        ([1] * 60 + [0] * 40, [0] * 60 + [0] * 40, "a is ahead"),
        ([0] * 60 + [0] * 40, [1] * 60 + [0] * 40, "b is ahead"),
        ([1, 0] * 500, [1, 0] * 500, "they are equal within 2 points"),
        ([1, 0] * 20, [0, 1] * 20, "which is ahead is open"),
        ([1, 0], [0, 1], CANNOT_TELL),
    ],
)
def test_a_pair_has_a_verdict(first, second, verdict):
    found = read(system("a", first), system("b", second)).loc["b"]
    assert found["verdict"].startswith(verdict)
    assert found["value"] == pytest.approx(np.mean(first) - np.mean(second))
    assert (found["a_better"], found["b_better"]) == (
        sum(np.array(first) > second),
        sum(np.array(first) < second),
    )


def test_the_margin_is_what_is_asked_for():
    rng = np.random.default_rng(0)
    first = rng.random(800) < 0.5
    second = first ^ (rng.random(800) < 0.1)
    verdicts = [
        read(system("a", first), system("b", second), margin=m).loc["b"]["verdict"]
        for m in (0.01, 0.08)
    ]
    assert [verdict.startswith("they are equal") for verdict in verdicts] == [False, True]
    assert "8 points" in verdicts[1]


def test_models_of_one_method_are_systems_and_named_by_what_tells_them_apart():
    found = read(system("m", [1, 0] * 9, model="lab/x"), system("m", [1, 1] * 9, model="lab/y"))
    assert found.loc["y"]["a"] == "x"
    assert short_names([("a", "m", "live"), ("b", "m", "live")]) == ["a", "b"]
    assert short_names([("a", "m", "live"), ("a", "m", "recorded")]) == ["a, live", "a, recorded"]
    both = [("a", "l/m", "live"), ("b", "l/m", "live"), ("a", "l/n", "live")]
    assert short_names(both) == ["a, m", "b, m", "a, n"]
    assert short_names([("a", "l/m", ""), ("a", "k/m", "")]) == ["l/m", "k/m"]
    assert short_names([("a", "m", "", "x"), ("a", "m", "", "y")]) == ["x", "y"]
    assert len(set(short_names([("a", "m"), ("a", "m")]))) == 2


def test_samples_without_answers_are_judged_one_by_one():
    frame = system("a", [1, 0, 1], samples=2)
    frame["answers"] = None
    table = ta.pairs(ta.compare(pd.concat([frame, system("b", [1, 1, 1], samples=2)])))
    assert table["rule"].unique().tolist() == ["single", "oracle", "every"]
    assert "no answers" in table.attrs["note"]


def test_what_could_be_seen_is_seen_four_times_of_five():
    rng = np.random.default_rng(1)
    seen = []
    unit = rng.normal(0, 1, 200)
    gap = detectable(decompose(((unit - unit.mean()) / unit.std(ddof=1))[:, None]))
    for _ in range(400):
        v = decompose(rng.normal(gap, 1, (200, 1)))
        seen.append(abs(v.value) > 1.972 * v.se)
    assert np.mean(seen) == pytest.approx(0.8, abs=0.06)
    assert chance_to_see(v, detectable(v)) == pytest.approx(0.8, abs=0.01)
