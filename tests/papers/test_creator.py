"""CREATOR's tables on simulated runs over the practice problems: grading, repairs, costs and matched budgets."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from papers import creator, why_empty
from papers.creator.grading import canonical, graded_by, texts_of
from papers.style import over
from trove_lite.analysis.comparison import Comparison
from trove_lite.candidates import CALLS_SCHEMA, SELECTED, SELECTION, as_arrow, as_frame, load_calls, load_candidates
from trove_lite.datasets import load_dataset
from trove_lite.errors import TroveLiteError
from trove_lite.methods.repair import RepairSettings
from trove_lite.running.live import live_run
from trove_lite.running.settings import RunSettings

from ..scripted import InlineSandbox, ScriptedModel, of_problems

CATEGORIES = ("counting", "algebra")
STAGES = {"pot": ["pot"], "entangled": ["entangled"], "creator": ["creation", "decide"], "primitive": ["primitive"]}


def simulated(*, methods=("pot", "entangled", "creator", "primitive", "cot"), attempts=8, problems=5, chance=0.65):
    """Candidates and calls: programs fail with chance 0.3, are repaired up to 3 times, and are right by chance."""
    rng, rows, calls = np.random.default_rng(5), [], []
    practice = load_dataset("practice")
    for method in methods:
        for category in CATEGORIES:
            for problem in practice.load(category)[:problems]:
                for sample in range(attempts):
                    at = {"run": "run0", "method": method, "seed": 0, "dataset": "practice", "category": category}
                    at |= {"problem": problem.index, "phase": "stream", "sample": sample, "model": "simulated"}
                    stages = STAGES.get(method, [method])
                    for stage in stages[:-1]:
                        calls.append(at | {"stage": stage, "round": 0, "completion_tokens": 40, "role": "solver"})
                    limit = 3 if method in ("pot", "entangled", "creator") else 0
                    rounds = 0
                    while rounds < limit and rng.random() < 0.3:
                        rounds += 1
                    for round in range(rounds + 1):
                        stage = "rectify" if round else stages[-1]
                        calls.append(
                            at | {"stage": stage, "mode": method, "round": round, "completion_tokens": 50, "role": "s"}
                        )
                        ok = round == rounds and (rounds < limit or limit == 0 or rng.random() < 0.5)
                        value = problem.gold if rng.random() < chance else 7777.0
                        said = f"It is 3. Final Answer: {value}" if method == "cot" else f"3 {value}"
                        answers = said.replace("It is 3. Final Answer: ", "").split()
                        rows.append(
                            at
                            | {"mode": method, "round": round, "place": 0, "level": problem.level, "program": 1}
                            | {"phase": "stream" if round == rounds else "draft", "provenance": "simulated"}
                            | {"response": said, "solution": "s", "tools": "", "status": "ok" if ok else "error"}
                            | {"output": said if ok else "", "shortened": False, "operations": 3 if ok else None}
                            | {"answers": answers if ok else [], "answer": answers[0] if ok else None}
                            | {"correct": False, "completion_tokens": 50}
                        )
    return as_frame(as_arrow(rows)), as_frame(as_arrow(calls, CALLS_SCHEMA))


@pytest.fixture(scope="module")
def study():
    candidates, calls = simulated()
    return creator.study(candidates, calls=calls)


def test_verdicts_come_from_texts_and_not_from_the_run(study):
    assert not simulated(methods=("pot",))[0]["correct"].any()
    assert study.graded["strict"].any()
    assert study.note == ""


def test_any_number_is_released_and_words_are_graded_by_their_reply():
    candidates, _ = simulated(methods=("pot", "cot"), attempts=1, problems=1)
    golds = pd.DataFrame([{"category": c, "problem": 0, "gold": 3.0, "gold_in_input": True} for c in CATEGORIES])
    found = creator.verdicts(candidates, golds)
    ok = (candidates["status"] == "ok").to_numpy()
    words = (candidates["method"] == "cot").to_numpy()
    assert found["released"][ok & ~words].all()
    assert not found["released"][words].any()
    assert not found["strict"].any()


def test_without_texts_the_numbers_stand_in():
    candidates, _ = simulated(methods=("pot",), attempts=2)
    bare = candidates.drop(columns=["output", "response"])
    ok = (candidates["status"] == "ok").to_numpy()
    assert [text.split() for text in texts_of(bare)[ok]] == [text.split() for text in texts_of(candidates)[ok]]


def test_a_sample_that_was_not_to_be_had_is_not_judged():
    candidates, _ = simulated(methods=("pot",), attempts=1, problems=1)
    candidates["status"] = "unavailable"
    golds = pd.DataFrame([{"category": c, "problem": 0, "gold": 3.0, "gold_in_input": True} for c in CATEGORIES])
    assert creator.verdicts(candidates, golds)["strict"].isna().all()


def test_answers_that_recorded_runs_ended_with_are_no_attempts(study):
    candidates, calls = simulated()
    ended = candidates[candidates["sample"] == 0].assign(phase=SELECTED, provenance=SELECTION)
    found = creator.study(pd.concat([candidates, ended], ignore_index=True), calls=calls)
    assert {name: len(side) for name, side in found.sides.sides.items()} == {
        name: len(side) for name, side in study.sides.sides.items()
    }


def test_a_grader_is_named():
    with pytest.raises(TroveLiteError, match="grader 'kind'"):
        graded_by(pd.DataFrame(), "kind", pd.DataFrame())


def test_numbers_vote_as_they_are_graded():
    assert canonical("0.3333") == canonical("0.33")
    assert canonical("no idea") == "no idea"


def test_leniency_is_released_less_strict(study):
    table = creator.leniency_table(study)
    assert set(table["category"]) == {*CATEGORIES, "all"}
    assert np.allclose(table["leniency"], table["released"] - table["strict"])
    assert (table["leniency"] >= 0).all()
    assert table["gold_in_input"].between(0, 1).all()
    assert "in points over the strict one: CoT" in creator.leniency_in_words(table)


def test_an_answer_is_given_away_where_its_number_is_in_the_question():
    (problem,) = load_dataset("practice").load("counting")[:1]
    given = problem.__class__(problem.question._replace(text="Is it 12.004 or 5?"), 12.0)
    kept = problem.__class__(problem.question._replace(text="Is it 12.3?"), 12.0)
    assert creator.gold_in_input(given)
    assert not creator.gold_in_input(kept)
    shares = creator.input_leaks(load_dataset("practice")).set_index("category")
    assert shares.loc["all", "problems"] == shares["problems"].drop("all").sum()


# ---- repairs ----


@pytest.mark.parametrize("method", ["pot", "entangled", "creator"])
@pytest.mark.parametrize("limit", [0, 1, 2])
def test_a_smaller_limit_read_off_one_run_is_a_run_with_that_limit(method, limit, tmp_path):
    """Scripted model, one attempt and eight: rows and calls of a run with the limit are those read off R = 3."""

    def made(rectify, attempts):
        fakes = {"model": ScriptedModel(), "sandbox": InlineSandbox(), "dataset": of_problems()}
        choices = {method: {"rectify": rectify, "attempts": attempts}}
        settings = RunSettings(
            name="r", dataset="math", methods=(method,), categories=("counting",), seeds=(0,), choices=choices
        )
        folder = live_run(settings, tmp_path / f"{rectify}-{attempts}", progress=False, **fakes)
        return load_candidates(folder), load_calls(folder)

    for attempts in (1, 8):
        (whole, asked), (own, calls) = made(3, attempts), made(limit, attempts)
        assert (whole["round"] > limit).any() or attempts == 1
        columns = ["problem", "sample", "round", "phase", "response", "status", "answer", "correct"]
        key = ["problem", "sample", "round"]
        read = creator.limited(whole, limit)[columns].sort_values(key, ignore_index=True)
        pd.testing.assert_frame_equal(
            read.astype({"phase": str, "status": str}),
            own[columns].sort_values(key, ignore_index=True).astype({"phase": str, "status": str}),
        )
        asked = asked[(asked["stage"].astype(str) != "rectify") | (asked["round"] <= limit)]
        read, made_so = (c.astype({"stage": str}) for c in (asked, calls))
        spent = [c.groupby("stage")["completion_tokens"].agg(["size", "sum"]) for c in (read, made_so)]
        pd.testing.assert_frame_equal(*spent)


def test_figure_5_begins_without_repair_and_ends_with_the_run(study):
    table = creator.figure5_table(study)
    whole = table[table["category"] == "covered, micro"].set_index(["system", "k"])["value"]
    for name in ("PoT", "Entangled", "CREATOR"):
        assert [k for s, k in whole.index if s == name] == [0, 1, 2, 3]
        none = study.sides[f"{name}, no rectification"]
        assert whole[name, 0] == pytest.approx(none["correct"].astype(float).mean())
        assert whole[name, 3] == pytest.approx(study.sides[name]["correct"].astype(float).mean())
        assert whole[name, 0] < whole[name, 3]
    assert "CREATOR: up to 3 repairs add +" in creator.repair_in_words(study)


def test_repairs_default_to_the_released_programs():
    assert RepairSettings().rectify == 3


# ---- tables ----


def test_table_2_has_a_row_for_every_printed_one_and_says_why_one_is_empty(study):
    table = creator.table2(study)
    assert table["system"].nunique() == 14 + 1  # and the stand-in for WolframAlpha
    empty = table[table["value"].isna()]
    assert (empty["note"] != "").all()
    assert {"no Tool Use (sympy) runs", "a paid service on the network: not run here"} <= set(empty["note"])
    assert table["published"].isna().all()  # the practice problems are not MATH
    counted = table[(table["system"] == "PoT") & (table["category"] == "counting")].iloc[0]
    own = study.sides["PoT"]
    assert counted["value"] == pytest.approx(own[own["category"] == "counting"]["correct"].astype(float).mean())


@pytest.mark.parametrize("table", [creator.table3, creator.table4])
def test_tables_of_other_data_sets_are_empty_and_say_why(study, table):
    assert table(study).empty
    assert why_empty(table(study)).startswith("these runs are on practice: run --dataset")


@pytest.mark.parametrize(("model", "cells"), [("gpt-3.5-turbo-0301", 14), ("CodeLlama-7b-Instruct-hf", 0)])
def test_printed_values_stand_beside_the_paper_s_own_model_alone(model, cells):
    candidates, calls = simulated(methods=("pot",))
    math = creator.study(candidates.assign(dataset="math", model=model), calls=calls)
    table = creator.table2(math)
    assert table.loc[table["category"] == "counting", "published"].notna().sum() == cells


def test_successful_execution_counts_programs_that_ran_and_words_with_a_number(study):
    from papers.creator.tables import successful_execution

    pot = study.sides["PoT"]
    assert successful_execution(pot)["score"].mean() == pytest.approx((pot["status"] == "ok").mean())
    words = study.sides["CoT"].copy()
    assert successful_execution(words)["score"].eq(1).all()
    words["response"] = "It is 3."
    assert successful_execution(words)["score"].eq(0).all()


def test_difficulty_is_over_all_categories(study):
    table = creator.figure4_table(study)
    assert set(table["level"]) <= set(study.sides.levels)
    assert table.groupby("system")["problems"].sum().eq(10).all()
    assert over(table).startswith("10 problems of all categories; ")


def test_without_data_a_title_says_so_and_not_where_they_would_be(tmp_path, monkeypatch):
    candidates, calls = simulated(methods=("pot",))
    monkeypatch.setenv("TROVE_LITE_DATA", str(tmp_path))
    note = creator.study(candidates.assign(dataset="creation_challenge", category="no_hint"), calls=calls).note
    assert note.startswith("verdicts are the runs' own: ")
    assert "trove-lite fetch creation_challenge" in note
    assert str(tmp_path) not in note


def test_runs_of_other_papers_leave_nothing_to_grade():
    candidates, calls = simulated(methods=("primitive",))
    study = creator.study(candidates, calls=calls)
    assert "none of CREATOR's methods" in study.note
    assert creator.leniency_table(study).empty
    assert creator.table2(study)["value"].isna().all()
    assert (creator.matched(study)["note"] != "").all()


# ---- what attempts cost ----


def test_an_attempt_costs_all_its_calls(study):
    costs = study.costs.set_index("method")["calls"]
    drafts = study.graded.groupby(["method", "category", "problem", "sample"], observed=True).size()
    assert costs["creator"].sum() == drafts["creator"].sum() + len(drafts["creator"])  # and a creation
    assert costs["pot"].sum() == drafts["pot"].sum()
    assert set(costs["cot"]) == {1.0}
    shares = creator.histogram(study).groupby("system")["share"].sum()
    assert np.allclose(shares, 1)
    assert set(creator.histogram(study).set_index("system").loc["CREATOR", "calls"]) <= {2, 3, 4, 5}


def test_a_curve_is_at_so_many_attempts_what_they_cost(study):
    table = creator.curves(study).set_index(["system", "attempts"])
    costs = creator.mean_costs(study)
    assert table.loc[("CREATOR", 3), "calls"] == pytest.approx(3 * costs["CREATOR"]["calls"])
    assert table.loc[("PoT", 1), "value"] == pytest.approx(study.sides["PoT"]["correct"].astype(float).mean(), abs=0.05)
    assert table.loc[("PoT", 8), "value"] > table.loc[("PoT", 1), "value"]


def test_at_a_matched_budget_the_cheaper_method_repeats_its_attempts(study):
    table = creator.matched(study, resamples=50)
    costs = creator.mean_costs(study)
    row = table[(table["a"] == "CREATOR") & (table["b"] == "PoT") & (table["budget"] == "calls")].iloc[0]
    assert row["attempts_a"] == 1
    assert row["attempts_b"] == pytest.approx(costs["CREATOR"]["calls"] / costs["PoT"]["calls"])
    assert row["attempts_b"] > 1
    known = table[table["difference"].notna() & (table["category"] == "covered")]
    assert np.allclose(known["difference"], known["value_a"] - known["value_b"])
    beyond = table[table["difference"].isna()]
    assert beyond["note"].str.contains("cost so much").all()


def test_a_budget_between_whole_numbers_is_a_mixture(study):
    from papers.creator.spend import _Scores

    scores = _Scores(study.sides, "PoT", 0, 50)
    between = scores.at(2.25)["score"].mean()
    assert between == pytest.approx(0.75 * scores.at(2)["score"].mean() + 0.25 * scores.at(3)["score"].mean())


def test_tokens_that_nobody_counted_are_said_to_be_missing():
    candidates, calls = simulated(methods=("creator", "pot"))
    calls["completion_tokens"] = pd.NA
    table = creator.matched(creator.study(candidates, calls=calls))
    tokens = table[table["budget"] == "completion tokens"]
    assert tokens["difference"].isna().all()
    assert tokens["note"].str.contains("no completion tokens counted|no Entangled runs|no PRIMITIVE runs").all()


def test_a_request_that_was_refused_is_a_call_without_tokens():
    candidates, calls = simulated(methods=("pot",), attempts=1, problems=1)
    calls["finish_reason"] = "stop"
    calls.loc[0, ["completion_tokens", "finish_reason"]] = [pd.NA, "refused"]
    costs = creator.attempt_costs(candidates, calls)
    assert costs["calls"].sum() == len(calls)
    assert costs["completion"].sum() == 50 * (len(calls) - 1)


def test_an_answer_printed_is_less_than_a_program_that_ran(study):
    from papers.creator.tables import answer_printed, successful_execution

    pot = study.sides["PoT"].assign(status="ok")
    assert answer_printed(pot.assign(answer="7"))["score"].eq(1).all()
    silent = pot.assign(answer=None)
    assert successful_execution(silent)["score"].eq(1).all()
    assert answer_printed(silent)["score"].eq(0).all()


def test_methods_are_compared_where_one_attempt_of_the_dearest_is_paid_for():
    from papers.creator.spend import budgets

    costs = {
        "CREATOR": {"calls": 2.0, "completion tokens": 100.0},
        "Entangled": {"calls": 1.5, "completion tokens": 130.0},
        "PoT": {"calls": 1.0, "completion tokens": float("nan")},
    }
    assert budgets(costs, "completion tokens") == [100, 130, 250, 500, 750]
    assert budgets(costs, "calls") == [2, 5, 10, 15]
    assert np.isnan(budgets({"PoT": costs["PoT"]}, "calls")).all()


def test_questions_with_hints_stay_out_of_matched_budgets():
    candidates, calls = simulated(problems=3)
    study = creator.study(candidates, calls=calls)
    hinted = study._replace(
        sides=replace(
            study.sides,
            categories=("counting", "utility_hint"),
            sides={
                name: side.assign(category=side["category"].astype(str).replace("algebra", "utility_hint"))
                for name, side in study.sides.sides.items()
            },
        )
    )
    plain = creator.sides.without_hints(hinted)
    assert plain.sides.categories == ("counting",)
    assert set(plain.graded["category"].astype(str)) == {"counting"}
    assert creator.sides.without_hints(study) is study


def test_better_creation_is_found_at_equal_calls():
    """A method that is right twice as often for the same calls comes out ahead, and the words say so."""
    worse, calls = simulated(methods=("entangled",), chance=0.2, problems=30)
    better, more = simulated(methods=("creator",), chance=0.9, problems=30)
    found = creator.study(pd.concat([worse, better], ignore_index=True), calls=pd.concat([calls, more]))
    words = creator.disentangling_in_words(creator.matched(found, resamples=20))
    assert "it helps" in words.splitlines()[0]


@pytest.mark.parametrize(
    ("table", "figure"),
    [
        (creator.figure4_table, creator.figure4),
        (creator.figure5_table, creator.figure5),
        (creator.curves, creator.spend_figure),
        (creator.histogram, creator.histogram_figure),
    ],
)
def test_each_figure_draws_its_table_and_nothing_of_an_empty_one(study, table, figure):
    found = table(study)
    assert figure(found).get_label() == found.attrs["name"]
    assert figure(found.iloc[:0]) is None


# ---- tool transfer ----


def transferred(right, answers=None, attempts=2):
    """A study of simulated sets: right[s][i][j] says whether the tool of place i answers question j of set s."""
    right, rows, calls = np.asarray(right), [], []
    answers = np.where(right, "1.0", "2.0") if answers is None else np.asarray(answers)
    for group, cells in enumerate(right):
        for to in range(3):
            at = {"run": "run0", "method": "transfer", "seed": 0, "dataset": "tool_transfer", "category": "no_hint"}
            at |= {"problem": 3 * group + to, "phase": "stream", "model": "gpt-3.5-turbo", "provenance": "simulated"}
            own = [("normal", sample, to) for sample in range(attempts)]
            lent = [(f"from_{source + 1}", attempts + source, source) for source in range(3) if source != to]
            for mode, sample, source in (*own, *lent):
                rows.append(
                    at
                    | {"mode": mode, "sample": sample, "place": int(mode[-1]) if mode != "normal" else 0, "round": 0}
                    | {"level": str(to + 1), "program": 1, "response": "", "solution": "", "tools": "", "status": "ok"}
                    | {"output": "", "shortened": False, "operations": 1, "answer": str(answers[group][source][to])}
                    | {"answers": [str(answers[group][source][to])], "correct": bool(cells[source][to])}
                )
                calls.append(at | {"stage": "decide", "mode": mode, "sample": sample, "round": 0, "role": "solver"})
    candidates, calls = as_frame(as_arrow(rows)), as_frame(as_arrow(calls, CALLS_SCHEMA))
    from papers.creator.sides import Study

    sides = Comparison.of({"Tool transfer": candidates}, calls=calls)
    return Study(sides, candidates, pd.DataFrame({"category": []}), "strict")


FIRST_TOOL = [[1, 1, 1], [0, 0, 0], [0, 0, 0]]  # only the first question's tool is any good
NONE = [[0, 0, 0]] * 3
OWN = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]  # each tool answers its own question alone


def values(table, category="accuracy"):
    return table[table["category"] == category].set_index("system")["value"].to_dict()


def test_table_5_tells_the_ways_to_choose_a_tool_apart():
    found = values(creator.table5(transferred([FIRST_TOOL, OWN])))
    assert found["one attempt, no transfer"] == pytest.approx((1 / 3 + 1) / 2)
    assert found["with transfer, every tool alike"] == pytest.approx((1 / 3 + 1 / 3) / 2)
    assert found["with transfer, best tool by gold answers"] == pytest.approx((1 + 1 / 3) / 2)
    assert found["2 attempts, no transfer, best by gold answers"] == pytest.approx((1 / 3 + 1) / 2)


def test_the_released_count_gives_a_set_without_any_tool_a_question():
    found = values(creator.table5(transferred([NONE, NONE])))
    assert found["with transfer, best tool by gold answers"] == 0
    assert found["with transfer, counted as released"] == pytest.approx(1 / 3)


def test_agreement_picks_the_tool_whose_answers_others_share():
    answers = [[["1", "5", "7"], ["3", "4", "6"], ["1", "5", "7"]]]
    right = [[[1, 1, 1], [0, 0, 0], [1, 1, 1]]]
    found = values(creator.table5(transferred(right, answers)))
    assert found["with transfer, tool by agreement"] == 1


def test_all_six_ordered_pairs_are_there():
    found = values(creator.table5(transferred([FIRST_TOOL, NONE])), "one transfer")
    assert found == {
        "from 1 to 2": 0.5,
        "from 1 to 3": 0.5,
        "from 2 to 1": 0,
        "from 2 to 3": 0,
        "from 3 to 1": 0,
        "from 3 to 2": 0,
    }


def test_sets_better_and_worse_are_counted_against_one_attempt():
    table = creator.table5(transferred([FIRST_TOOL, OWN, NONE, NONE]))
    gold = "with transfer, best tool by gold answers"
    assert values(table, "sets better")[gold] == 0.25
    assert values(table, "sets worse")[gold] == 0.25
    printed = table[table["system"] == gold].set_index("category")["published"]
    assert printed.round(3).to_dict() == {"accuracy": 0.783, "gain": 0.153, "sets worse": 0.02, "sets better": 0.39}


def test_rows_that_gold_answers_decide_say_so_and_one_that_cannot_be_says_why():
    table = creator.table5(transferred([FIRST_TOOL, OWN], attempts=1))
    by_gold = table["system"].str.contains("gold|released")
    assert (table.loc[by_gold, "supervision"] == "gold answers choose").all()
    assert (table.loc[~by_gold, "supervision"] == "").all()
    more = table[table["system"].str.startswith("2 attempts") & (table["category"] == "accuracy")]
    assert more["value"].isna().all()
    assert more["note"].str.contains("run a larger k").all()


def test_runs_without_transfer_say_so(study):
    assert why_empty(creator.table5(study)).startswith("no tool transfer in these runs")


def test_what_transfer_adds_is_said_by_who_chooses(study):
    words = creator.transfer_in_words(creator.table5(transferred([FIRST_TOOL, OWN])))
    assert words.startswith("Over one attempt at each question: with transfer, every tool alike ")
    assert "best tool by gold answers" in words
    assert creator.transfer_in_words(creator.table5(study)) == "Nothing was transferred."
