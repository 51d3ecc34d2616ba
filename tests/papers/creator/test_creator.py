"""CREATOR's tables on simulated runs over the practice problems: grading, repairs, costs, matched
budgets, transfer."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from trove_lite.candidates import CALLS_SCHEMA, as_arrow, as_frame, load_calls, load_candidates
from trove_lite.datasets import load_dataset
from trove_lite.errors import TroveLiteError
from trove_lite.running.live import live_run
from trove_lite.running.settings import RunSettings
from trove_lite.selection.tables import PROBLEM
from trove_lite_analysis.systems import Comparison
from trove_lite_papers import creator, why_empty
from trove_lite_papers.creator import creation_challenge, grading, spend, systems

from ...scripted import InlineSandbox, ScriptedModel, of_problems
from ..essays import definitions

CATEGORIES = ("counting", "algebra")
STAGES = {"creator": ["creation", "decide"]}
ESSAY = definitions("30")


def simulated(
    *,
    methods=("pot", "entangled", "creator", "primitive", "cot"),
    attempts=8,
    problems=5,
    chance=0.65,
):
    """Candidates and calls: programs fail with chance 0.3, are repaired up to 3 times, and are
    right by chance."""
    rng = np.random.default_rng(5)
    rows = []
    calls = []
    asked = [
        problem
        for category in CATEGORIES
        for problem in load_dataset("practice").load(category)[:problems]
    ]
    for method, problem, sample in (
        (m, p, s) for m in methods for p in asked for s in range(attempts)
    ):
        at = {
            "run": "run0",
            "method": method,
            "seed": 0,
            "dataset": "practice",
            "category": problem.category,
        }
        at |= {"problem": problem.index, "sample": sample, "model": "simulated"}
        stages = STAGES.get(method, [method])
        limit = 3 if method in ("pot", "entangled", "creator") else 0
        rounds = 0
        asks = at | {"phase": "stream", "role": "solver", "executions": 1}
        calls += [
            asks | {"round": 0, "completion_tokens": 40, "stage": stage} for stage in stages[:-1]
        ]
        while rounds < limit and rng.random() < 0.3:
            rounds += 1
        for number in range(rounds + 1):
            about = {"stage": "rectify" if number else stages[-1], "mode": method, "round": number}
            calls.append(asks | about | {"completion_tokens": 50})
            ok = number == rounds and (rounds < limit or limit == 0 or rng.random() < 0.5)
            value = problem.gold if rng.random() < chance else 7777.0
            text = f"It is 3. Final Answer: {value}" if method == "cot" else f"3 {value}"
            row = at | {
                "mode": method,
                "round": number,
                "place": 0,
                "level": problem.level,
                "program": 1,
            }
            row |= {
                "phase": "stream" if number == rounds else "draft",
                "provenance": "simulated",
                "response": text,
            }
            row |= {
                "solution": "s",
                "tools": "",
                "status": "ok" if ok else "error",
                "output": text if ok else "",
            }
            row |= {
                "shortened": False,
                "operations": 3 if ok else None,
                "answers": [str(value)] if ok else [],
            }
            row |= {"answer": str(value) if ok else None, "correct": False, "completion_tokens": 50}
            rows.append(row)
    return as_frame(as_arrow(rows)), as_frame(as_arrow(calls, CALLS_SCHEMA))


@pytest.fixture(scope="module")
def study():
    candidates, calls = simulated()
    return creator.study(candidates, calls=calls)


def costs_of(study):
    return creator.attempt_costs(
        study, {"calls": ESSAY.calls, "completion tokens": ESSAY.tokens_written}
    )


def test_verdicts_come_from_texts_by_a_known_grader_and_what_could_not_be_had_is_not_judged():
    candidates, _ = simulated(methods=("pot", "cot"), attempts=1, problems=1)
    three = pd.DataFrame({"category": CATEGORIES, "problem": 0, "gold": 3.0, "gold_in_input": True})
    found = grading.graded_anew(candidates, three, "released")
    ok, words = (
        (candidates[name] == value).to_numpy()
        for name, value in (("status", "ok"), ("method", "cot"))
    )
    assert found["correct"][
        ok & ~words
    ].all()  # any number that is printed; of words the answer alone
    assert not found["released"][words].any()
    assert not found["one-answer"].any()
    assert not found.loc[~ok, "answers"].map(len).any()  # no vote without an answer
    lost = candidates.assign(status="unavailable")
    assert grading.graded_anew(lost, three, "one-answer")["correct"].isna().all()
    assert grading.canonical("0.3333") == grading.canonical("0.33") != grading.canonical("no idea")
    with pytest.raises(TroveLiteError, match="grader 'kind'"):
        creator.study(candidates, grader="kind")


def test_leniency_is_released_less_one_answer(study):
    table = creator.leniency_table(study)
    assert study.note == ""
    assert set(table["category"]) == {*CATEGORIES, "all"}
    assert list(table["system"][:5]) == ["CoT", "PoT", "Entangled", "CREATOR", "PRIMITIVE"]
    assert np.allclose(table["leniency"], table["released"] - table["one-answer"])
    assert (table["leniency"] >= 0).all()
    assert table["gold_in_input"].between(0, 1).all()


@pytest.mark.parametrize(("text", "given"), [("Is it 12.004 or 5?", True), ("Is it 12.3?", False)])
def test_an_answer_is_given_away_where_its_number_is_in_the_question(text, given):
    problem = load_dataset("practice").load("counting")[0]
    asked = replace(problem, question=problem.question._replace(text=text), gold=12.0)
    assert grading.gold_in_input(asked) is given


def test_what_cannot_be_graded_says_why_and_not_where_data_would_be(tmp_path, monkeypatch):
    candidates, calls = simulated(methods=("primitive",))
    other = creator.study(candidates, calls=calls)
    assert "none of CREATOR's methods" in other.note
    assert creator.leniency_table(other).empty
    assert creator.table2(other, ESSAY.accuracy, ESSAY.within)["value"].isna().all()
    assert (creator.matched(other, costs_of(other))["note"] != "").all()
    monkeypatch.setenv("TROVE_LITE_DATA", str(tmp_path))
    creation_challenge.entries.cache_clear()  # what another test read
    asked = candidates.assign(method="pot", dataset="creation_challenge", category="no_hint")
    note = creator.study(asked, calls=calls).note
    assert note.startswith("verdicts are the runs' own: ")
    assert str(tmp_path) not in note


@pytest.mark.parametrize("method", ["pot", "entangled", "creator"])
def test_a_smaller_limit_read_off_one_run_is_a_run_with_that_limit(method, tmp_path):
    """Scripted model: rows and calls of a run with the limit are those read off R = 3."""

    def made(rectify):
        fakes = {"model": ScriptedModel(), "sandbox": InlineSandbox(), "dataset": of_problems()}
        about = {
            "dataset": "math",
            "methods": (method,),
            "categories": ("counting",),
            "seeds": (0,),
        }
        settings = RunSettings(
            name="r", choices={method: {"rectify": rectify, "attempts": 3}}, **about
        )
        folder = live_run(settings, tmp_path / f"{rectify}", progress=False, **fakes)
        return load_candidates(folder), load_calls(folder)

    whole, asked = made(3)
    columns = ["problem", "sample", "round", "response", "status", "answer", "correct"]
    for limit in (0, 2):
        own, calls = made(limit)
        assert (whole["round"] > limit).any()
        read, own = (
            frame[columns].sort_values(columns[:3], ignore_index=True).astype({"status": str})
            for frame in (ESSAY.within(whole, limit), own[own["phase"] == "stream"])
        )
        pd.testing.assert_frame_equal(read, own)
        wanted = asked[(asked["stage"].astype(str) != "rectify") | (asked["round"] <= limit)]
        sums = [
            c.astype({"stage": str}).groupby("stage")["completion_tokens"] for c in (wanted, calls)
        ]
        pd.testing.assert_frame_equal(*(each.agg(["size", "sum"]) for each in sums))


def test_figure_5_begins_without_repair_and_ends_with_the_run(study):
    table = creator.figure5_table(study, ESSAY.accuracy, ESSAY.within)
    whole = table[table["category"] == "covered, micro"].set_index(["system", "k"])["value"]
    first = study.graded[study.graded["round"] == 0].groupby("method", observed=True)["correct"]
    for method, name in (("pot", "PoT"), ("entangled", "Entangled"), ("creator", "CREATOR")):
        assert [k for s, k in whole.index if s == name] == [0, 1, 2, 3]
        none = first.mean()[method]
        every = study.systems[name]["correct"].mean()
        assert (whole[name, 0], whole[name, 3]) == (pytest.approx(none), pytest.approx(every))
        assert none < every


def test_table_2_has_a_row_for_every_printed_one_and_says_why_one_is_empty(study):
    table = creator.table2(study, ESSAY.accuracy, ESSAY.within)
    assert table["system"].nunique() == 14 + 1  # and the stand-in for WolframAlpha
    notes = set(table.loc[table["value"].isna(), "note"])
    assert "" not in notes
    assert {"no Tool Use (sympy) runs", "a paid service on the network: not run here"} <= notes
    (counted,) = table[(table["system"] == "PoT") & (table["category"] == "counting")]["value"]
    own = study.systems["PoT"]
    assert counted == pytest.approx(own[own["category"] == "counting"]["correct"].mean())
    other = creator.table4(study, {"accuracy": ESSAY.accuracy}, ESSAY.within)
    assert why_empty(other).startswith("these runs are on practice: run --dataset")


@pytest.mark.parametrize(
    ("model", "cells"), [("gpt-3.5-turbo-0301", 14), ("CodeLlama-7b-Instruct-hf", 0)]
)
def test_printed_values_stand_beside_the_paper_s_own_model_alone(model, cells):
    candidates, calls = simulated(methods=("pot",), attempts=2)
    study = creator.study(candidates.assign(dataset="math", model=model), calls=calls)
    table = creator.table2(study, ESSAY.accuracy, ESSAY.within)
    assert table.loc[table["category"] == "counting", "published"].notna().sum() == cells


@pytest.mark.parametrize(
    ("measure", "system", "changed", "share"),
    [  # the first ran, and printed nothing
        (ESSAY.successful_execution, "PoT", {"status": "ok", "answer": None}, 1),
        (ESSAY.successful_execution, "PoT", {"status": "error"}, 0),
        (ESSAY.answer_printed, "PoT", {"status": "ok", "answer": None}, 0),
        (ESSAY.successful_execution, "CoT", {}, 1),
        (ESSAY.successful_execution, "CoT", {"text": "It is 3."}, 0),
        (ESSAY.successful_execution, "CoT", {"text": "Final Answer: 3, or Final Answer: none"}, 0),
    ],
)
def test_successful_execution_counts_programs_that_ran_and_words_with_a_number(
    study, measure, system, changed, share
):
    assert measure(study.systems[system].assign(**changed)).mean() == share


def test_an_attempt_costs_all_its_calls(study):
    each = costs_of(study)
    costs = each.set_index("method")["calls"]
    drafts = study.graded.groupby(["method", "category", "problem", "sample"], observed=True).size()
    assert costs["creator"].sum() == drafts["creator"].sum() + len(
        drafts["creator"]
    )  # and a creation
    assert costs["pot"].sum() == drafts["pot"].sum()
    table = creator.curves(study, each).set_index(["system", "attempts"])
    mean = creator.mean_costs(study, each)
    assert table.loc[("CREATOR", 3), "calls"] == pytest.approx(3 * mean.loc["CREATOR", "calls"])
    assert table.loc[("PoT", 8), "value"] > table.loc[("PoT", 1), "value"]


def test_a_request_that_was_refused_is_a_call_without_tokens_and_one_uncounted_hides_its_attempt():
    candidates, calls = simulated(methods=("pot",), attempts=1, problems=1)
    calls["finish_reason"] = "stop"
    calls.loc[0, ["completion_tokens", "finish_reason"]] = [pd.NA, "refused"]

    def costs(calls):
        return costs_of(creator.study(candidates, calls=calls))

    found = costs(calls)
    assert found["calls"].sum() == len(calls)
    assert found["completion tokens"].sum() == 50 * (len(calls) - 1)
    uncounted = costs(calls.assign(finish_reason="stop"))
    assert uncounted["completion tokens"].isna().sum() == 1


def test_at_a_matched_budget_the_cheaper_method_repeats_its_attempts(study):
    each = costs_of(study)
    table = creator.matched(study, each, resamples=50)
    costs = creator.mean_costs(study, each)["calls"]
    scores = {
        m: pd.DataFrame(dict.fromkeys(PROBLEM, "one") | {"score": [float(m)]}) for m in (2, 3)
    }
    assert spend.between(scores.__getitem__, 2.25)["score"].item() == 2.25  # a mixture of 2 and 3
    row = table[
        (table["a"] == "CREATOR") & (table["b"] == "PoT") & (table["budget"] == "calls")
    ].iloc[0]
    assert (
        row["attempts_a"] == 1 < row["attempts_b"] == pytest.approx(costs["CREATOR"] / costs["PoT"])
    )
    known = table[table["difference"].notna() & (table["category"] == "covered")]
    assert np.allclose(known["difference"], known["value_a"] - known["value_b"])
    assert table.loc[table["difference"].isna(), "note"].str.contains("cost so much").all()


def test_better_creation_is_found_at_equal_calls_and_questions_with_hints_stay_out():
    """A method that is right far more often for the same calls comes out ahead."""
    worse, calls = simulated(methods=("entangled",), chance=0.2, problems=30)
    better, more = simulated(methods=("creator",), chance=0.9, problems=30)
    both = pd.concat([worse, better], ignore_index=True).astype({"category": str})
    found = creator.study(both, calls=pd.concat([calls, more]))
    first = (
        creator.matched(found, costs_of(found), resamples=20).query("category == 'covered'").iloc[0]
    )
    assert (first["a"], first["b"]) == ("CREATOR", "Entangled")
    assert first["low"] > 0
    assert first["p_holm"] < 0.05
    hinted = {
        n: s.replace({"category": {"algebra": "all_hint"}})
        for n, s in found.systems.systems.items()
    }
    comparison = replace(found.systems, categories=("counting", "all_hint"), systems=hinted)
    plain = systems.without_hints(found._replace(systems=comparison))
    assert {c for system in plain.systems.systems.values() for c in system["category"]} == {
        "counting"
    }


def transferred(right, answers=None, attempts=2):
    """A study of simulated sets: right[s][i][j] says whether the tool of place i answers question j
    of set s."""
    right = np.asarray(right)
    rows = []
    answers = np.where(right, "1.0", "2.0") if answers is None else np.asarray(answers)
    for (group, cells), to in ((each, to) for each in enumerate(right) for to in range(3)):
        at = {
            "run": "run0",
            "method": "transfer",
            "seed": 0,
            "dataset": "tool_transfer",
            "category": "no_hint",
        }
        at |= {
            "problem": 3 * group + to,
            "phase": "stream",
            "model": "gpt-3.5-turbo",
            "provenance": "simulated",
        }
        at |= {
            "level": str(to + 1),
            "program": 1,
            "response": "",
            "solution": "",
            "tools": "",
            "status": "ok",
        }
        at |= {"output": "", "shortened": False, "operations": 1, "round": 0}
        own = [("normal", sample, to) for sample in range(attempts)]
        given = [
            (f"from_{source + 1}", attempts + source, source) for source in range(3) if source != to
        ]
        for mode, sample, source in (*own, *given):
            answer = str(answers[group][source][to])
            place = 0 if mode == "normal" else int(mode[-1])
            row = {
                "mode": mode,
                "sample": sample,
                "place": place,
                "answer": answer,
                "answers": [answer],
            }
            rows.append(at | row | {"correct": bool(cells[source][to])})
    frame = as_frame(as_arrow(rows))
    return creator.Study(
        Comparison.of({"Tool transfer": frame}), frame, pd.DataFrame({"category": []}), "one-answer"
    )


FIRST_TOOL = [[1, 1, 1], [0, 0, 0], [0, 0, 0]]  # only the first question's tool is any good
NONE = [[0, 0, 0]] * 3
OWN = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]  # each tool answers its own question alone
GOLD = "with transfer, best tool by gold answers"


def values(table, category="accuracy"):
    return table[table["category"] == category].set_index("system")["value"].to_dict()


def test_table_5_tells_the_ways_to_choose_a_tool_apart(study):
    table = creator.table5(transferred([FIRST_TOOL, OWN]), ESSAY.ways)
    found = values(table)
    assert found["one attempt, no transfer"] == pytest.approx((1 / 3 + 1) / 2)
    assert found["with transfer, every tool alike"] == pytest.approx((1 / 3 + 1 / 3) / 2)
    assert found[GOLD] == pytest.approx((1 + 1 / 3) / 2)
    assert found["2 attempts, no transfer, best by gold answers"] == pytest.approx((1 / 3 + 1) / 2)
    assert list(values(table, "one transfer").values()) == [
        0.5,
        0.5,
        0,
        0,
        0,
        0,
    ]  # all six ordered pairs
    none = values(creator.table5(transferred([NONE, NONE]), ESSAY.ways))
    assert none["with transfer, counted as released"] == pytest.approx(
        1 / 3
    )  # a question for a set without any tool
    assert why_empty(creator.table5(study, ESSAY.ways)).startswith("no tool transfer in these runs")
    answers = [[["1", "5", "7"], ["3", "4", "6"], ["1", "5", "7"]]]
    agreed = creator.table5(transferred([[[1, 1, 1], [0, 0, 0], [1, 1, 1]]], answers), ESSAY.ways)
    assert values(agreed)["with transfer, tool by agreement"] == 1


def test_sets_better_and_worse_are_counted_against_one_attempt():
    table = creator.table5(transferred([FIRST_TOOL, OWN, NONE, NONE]), ESSAY.ways)
    assert (values(table, "sets better")[GOLD], values(table, "sets worse")[GOLD]) == (0.25, 0.25)
    printed = table[table["system"] == GOLD].set_index("category")["published"]
    assert printed.round(3).to_dict() == {
        "accuracy": 0.783,
        "gain": 0.153,
        "sets worse": 0.02,
        "sets better": 0.39,
    }
