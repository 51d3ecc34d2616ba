"""LATM's released tools; its tables and its bill, on runs of a scripted maker, user and thinker."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from trove_lite.candidates import calls_of, load_calls, load_candidates
from trove_lite.datasets.base import numbered
from trove_lite.errors import TroveLiteError
from trove_lite.sandbox.worker import Execution
from trove_lite_papers import latm
from trove_lite_papers.latm import released
from trove_lite_papers.latm.bbh import FILES
from trove_lite_papers.latm.cost import NO_TOOL
from trove_lite_papers.latm.made_tools import complete_description, tool_settings, transcript

from ...conftest import skip_without
from ...simulated import candidates as simulated
from ..essays import definitions
from .labelled import run

ESSAY = definitions("40")
TOKENS = {"tokens": ESSAY.PRICES["tokens"]}


@pytest.fixture
def latm_files():
    """Skips where the data folder does not hold LATM's tools and tasks."""
    skip_without("latm", ".json")
    skip_without("bbh")


@pytest.mark.parametrize("category", FILES)
def test_released_tools_are_right_on_what_is_quick(category, box, latm_files):
    """Five instances a task, or one of what takes seconds each: results/latm/ceiling.csv is of
    all."""
    limit = 1 if category == "chinese_remainder" else 5
    (row,) = released.ceiling(box, [category], limit=limit).to_dict("records")
    assert (row["task"], row["instances"], row["right"]) == (
        released.TITLES[category],
        limit,
        limit,
    )


def test_how_programs_end_is_told_apart():
    problems = numbered("bbh", "word_sorting", [("q", "a b")] * 5)
    ends = [("ok", "a b"), ("ok", "b a"), ("error", ""), ("timeout", ""), ("memory", "")]
    runs = [
        Execution(status, output, False, "", 1.0, seconds)
        for seconds, (status, output) in enumerate(ends)
    ]
    counts = {"instances": 5, "right": 1, "wrong": 1, "failed": 2, "timeout": 1}
    assert released.tally(problems, runs) == counts | {"seconds": 10, "slowest": 4}


def test_printed_errors_are_split_into_the_tools_and_the_users():
    table = pd.DataFrame([{"task": "Dyck Language", "instances": 240, "right": 234}])
    split = released.errors(table).set_index("tool_user_model").loc["GPT-3.5 Turbo"]
    assert split[["tool", "printed", "user"]].tolist() == pytest.approx([2.5, 7.8, 5.3])


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Folders of a run with a tool, of one whose user was given it, and of one that thinks step by
    step."""
    folder = tmp_path_factory.mktemp("runs")
    run(folder / "tool")
    run(folder / "words", methods=("cot",), roles=())
    run(folder / "given", choices={"latm": tool_settings([folder / "tool"])}, roles=("user",))
    return [folder / "tool", folder / "words", folder / "given"]


@pytest.fixture(scope="module")
def comparison(runs):
    return latm.compared(load_candidates(*runs), load_calls(*runs))


def test_a_system_is_a_method_and_the_models_that_play_in_it(comparison):
    assert set(comparison.systems) == {"LATM of maker, user", "CoT, scripted"}
    table = latm.table2(comparison, ESSAY.accuracy).set_index(["category", "system"])
    assert table.loc[("chinese_remainder", "LATM of maker, user"), "problems"] == 4
    assert (
        not table["published"].notna().any()
    )  # printed numbers are of the released instances, not of made ones
    assert set(latm.table4(comparison, ESSAY.accuracy)["system"]) == {"LATM of maker, user"}
    assert latm.table5(comparison, ESSAY.accuracy).empty  # no model wrote thoughts
    made = comparison["LATM of maker, user"]
    both = {"LATM of maker, user": made, "made CoT of maker, user": made}
    released = replace(comparison, dataset="bbh", categories=tuple(FILES), systems=both)
    for table in (
        latm.table2(released, ESSAY.accuracy),
        latm.table4(released, ESSAY.accuracy),
        latm.table5(released, ESSAY.accuracy),
    ):
        assert table["published"].dropna().between(0, 1).sum() >= 4


def test_runs_of_two_users_are_no_copies_though_they_write_the_same(runs):
    candidates = load_candidates(*runs[:1])
    asked = load_calls(*runs[:1])
    other = candidates.assign(run="other_seed0")
    theirs = asked.assign(
        run="other_seed0", model=asked["model"].astype(object).replace("user", "other")
    )
    found = latm.compared(pd.concat([candidates, other]), pd.concat([asked, theirs]))
    sizes = {name: len(system) for name, system in found.systems.items()}
    assert sizes == {"LATM of maker, user": 4, "LATM of maker, other": 4}


@pytest.mark.parametrize("mode", ["latm", "fallback"])
def test_without_a_tool_there_is_nothing_to_compare(mode):
    frame = simulated(problems=12, runs=1, k=6, categories=("algebra",)).assign(model="simulated")
    frame = frame[frame["method"] == "primitive"].astype({"method": str, "run": str, "mode": str})
    own = frame.assign(method="latm", mode=mode, run="latm", correct=False)
    own = own.assign(status="error", error=NO_TOOL) if mode == "latm" else own
    both = pd.concat([frame, own], ignore_index=True)
    systems = latm.compared(both, calls_of(both))
    table = latm.table2(systems, ESSAY.accuracy).set_index("system")
    assert table.loc["LATM, simulated", "value"].isna().all()
    assert table.loc["LATM, simulated", "note"].iloc[0].startswith("no tool made")
    assert table.loc["PRIMITIVE, simulated", "value"].max() > 0
    pairs = latm.differences(systems, ESSAY.accuracy)
    assert pairs[["difference", "p_holm"]].isna().all(axis=None)
    assert (set(pairs["tools"]), set(pairs["tasks"]), set(pairs["note"])) == (
        {0},
        {1},
        {"no tool made"},
    )


def test_trials_that_made_a_tool_are_counted_beside_print_and_over_several_tasks(runs, tmp_path):
    table = latm.table3(latm.trials(runs), ESSAY.succeeded).set_index(["category", "maker"])
    ours = table.loc[("chinese_remainder", "maker")]
    assert (ours["successes"], ours["trials"], ours["proposals"], ours["labels"]) == (1, 1, 1, 6)
    assert ours["low"] < 1 == ours["high"]
    assert table.loc[("logical_deduction", "GPT-4"), "published"] == 0.6
    assert "do not say" in latm.table3(latm.trials([]), ESSAY.succeeded).attrs["note"]
    trial = {
        "run": "r",
        "method": "latm",
        "seed": 0,
        "proposals": 1,
        "verifications": 1,
        "labels": 6,
    }
    made = [trial | {"category": task, "made": task == "b"} for task in "aabbb"]
    about = {"models": {"maker": "maker"}, "toolboxes": made}
    (tmp_path / "run.json").write_text(json.dumps(about))
    ours = latm.table3(latm.trials([tmp_path]), ESSAY.succeeded).query("source == 'run'")
    assert ours[["category", "trials"]].to_numpy().tolist() == [["a", 2], ["b", 3], ["all", 5]]
    assert ours[["low", "high"]].round(3).to_numpy()[-1].tolist() == [
        0.231,
        0.882,
    ]  # Wilson, of 3 of 5


def test_the_dispatcher_s_two_numbers_are_over_draws_and_stand_beside_print():
    frame = simulated(problems=20, runs=1, k=3, categories=("counting", "algebra"))
    frame = frame[(frame["method"] == "primitive") & (frame["sample"] == 0)]
    frame = frame.astype({"category": str, "method": str, "dataset": str})
    frame = frame.assign(method="dispatcher", dataset="bbh_mixed", model="gpt-3.5-turbo")
    draws = frame["category"].map({"counting": "existing_0", "algebra": "existing_1"})
    right = (frame["problem"] < 18) | (draws == "existing_1")
    frame = frame.assign(
        category=draws, correct=right, answer=right.map({True: "word_sorting", False: "unknown"})
    )
    (row,) = latm.dispatcher(frame, calls_of(frame), ESSAY.accuracy).to_dict("records")
    assert (row["kind"], row["value"], row["draws"], row["questions"]) == ("existing", 0.95, 2, 40)
    assert row["low"] < 0.95 < row["high"]
    assert row["new"] == 0.05
    assert row["sd"] == pytest.approx(0.1 / 2**0.5)
    assert (row["published"], row["published_sd"]) == (0.94, 0.02)
    other = frame.assign(model="gpt-4")
    (row,) = latm.dispatcher(other, calls_of(other), ESSAY.accuracy).to_dict("records")
    assert np.isnan(row["published"])
    assert (
        "no runs"
        in latm.dispatcher(frame.assign(method="latm"), calls_of(frame), None).attrs["note"]
    )


def test_each_seed_s_first_tool_is_carried_to_its_user_and_a_task_without_one_is_known(tmp_path):
    trials = [("sort", 0, ""), ("sort", 1, "first"), ("sort", 2, "second"), ("dyck", 0, "")]
    same = {"run": "r", "method": "latm", "proposals": 1}
    made = [
        same | {"category": c, "seed": s, "tool": tool, "made": bool(tool)} for c, s, tool in trials
    ]
    about = {
        "toolboxes": made,
        "model": "small",
    }  # a run that tells its model alone is of one solver
    (tmp_path / "run.json").write_text(json.dumps(about))
    assert complete_description(tmp_path)["models"] == {"solver": "small"}
    tools = {
        "sort": "first",
        "dyck": "",
        "sort#0": "",
        "sort#1": "first",
        "sort#2": "second",
        "dyck#0": "",
    }
    assert tool_settings([tmp_path]) == {"tools": tools, "maker": "small"}
    (tmp_path / "run.json").write_text(json.dumps(about | {"toolboxes": []}))
    with pytest.raises(TroveLiteError, match="made no tools"):
        tool_settings([tmp_path])


def spent(method, model, tokens, *, role="solver", stage="use", sample=0, problem=None, cached=0):
    """Calls of one method on as many instances as there are numbers of tokens, or all on one."""
    problems = range(len(tokens)) if problem is None else [problem] * len(tokens)
    about = {
        "run": f"{method}_{model}",
        "method": method,
        "category": "word_sorting",
        "stage": stage,
        "role": role,
    }
    about |= {
        "model": model,
        "sample": sample,
        "cached_tokens": cached,
        "completion_tokens": 0,
        "executions": 0,
    }
    return pd.DataFrame(
        [about | {"problem": n, "prompt_tokens": t} for n, t in zip(problems, tokens, strict=True)]
    )


def bills(made, used, rival, trials=()):
    maker = [spent("latm", "m", [made], role="maker", stage="propose", problem=0)]
    maker += [spent("latm", "m", [0], role="wrapper", stage="wrap", problem=0), *trials]
    return pd.concat(
        [*maker, spent("latm", "m", used, role="user"), spent("cot", "m", rival)], ignore_index=True
    )


def even(*calls, prices=TOKENS, **given):
    """The rows of `break_even_table` on all these calls, by the essay's definitions."""
    together = pd.concat(calls, ignore_index=True)
    return latm.break_even_table(together, ESSAY.bill, ESSAY.break_even, prices, **given)


@pytest.mark.parametrize(("made", "instances"), [(100, 20), (101, 21)])
def test_a_tool_pays_where_its_line_crosses(made, instances):
    table = even(bills(made, [1, 3], [7, 7]))
    assert table["instances"].tolist() == [instances]
    assert (table["fixed"].item(), table["each"].item(), table["each_rival"].item()) == (made, 2, 7)
    right = pd.DataFrame(
        {"category": "word_sorting", "system": [table["a"].item(), table["b"].item()], "value": 0.5}
    )
    right = right.assign(low=0.25, high=1.0, problems=2)
    (axes,) = latm.costs_figure(table, right, ESSAY.amortised).axes
    assert axes.lines[0].get_ydata()[0] == (made + 2) / 0.5  # the first instance bears it all
    assert [*axes.collections[0].get_segments()[0][:, 1]] == [made + 2, (made + 2) / 0.25]


def test_a_tool_that_saves_nothing_or_that_nobody_has_never_pays():
    table = even(bills(100, [7, 7], [7, 6]))
    assert np.isnan(table["instances"].item())
    assert table["high"].item() == np.inf
    made = bills(100, [0, 0], [7, 7])
    made["model"] = (
        made["model"].astype(object).where(made["role"] != "user")
    )  # its questions are put to nobody
    table = even(made)
    assert (table["note"].item(), np.isnan(table["instances"].item())) == ("no tool was made", True)


def test_the_interval_of_the_crossing_is_that_of_what_an_instance_saves():
    rng = np.random.default_rng(0)
    used = rng.normal(50, 5, 200)
    rival = rng.normal(60, 5, 200)
    (row,) = even(bills(1000, used, rival)).to_dict("records")
    assert row["low"] < 100 < row["high"] < 130
    saved = rival - used
    assert row["high"] == pytest.approx(
        1000 / (saved.mean() - 1.96 * saved.std() / 200**0.5), rel=0.02
    )


def test_the_bill_ends_with_the_trial_whose_tool_is_used(tmp_path):
    more = spent("latm", "m", [999], role="maker", stage="propose", sample=1, problem=0)
    assert even(bills(100, [1], [2], [more]))["fixed"].item() == 100
    failed = bills(100, [1], [2], [more])
    failed.loc[failed["stage"] == "wrap", "sample"] = 1  # the first trial never came to the wrapper
    assert even(failed)["fixed"].item() == 1099
    made = [
        {"seed": 0, "method": "latm", "category": "word_sorting", "proposals": 1, "made": n == 1}
        for n in range(3)
    ]
    (tmp_path / "run.json").write_text(
        json.dumps({"toolboxes": made, "settings": {"name": "own", "seeds": [0]}})
    )
    later = [
        spent("latm", "m", [t], role="maker", stage="wrap", sample=n, problem=0)
        for n, t in ((1, 30), (2, 500))
    ]
    calls = bills(100, [1], [2], later).replace({"run": {"latm_m": "own_seed0"}})
    assert (even(calls)["fixed"].item(), even(calls, runs=[tmp_path])["fixed"].item()) == (100, 130)


def test_prices_are_the_maker_s_and_the_user_s_and_the_cache_s():
    dear = {"p": ESSAY.PRICES["15 to 1 (May 2023)"]}
    assert (
        even(bills(100, [1], [2]), prices=dear)["fixed"].item() == 100
    )  # one model that makes and uses
    other = bills(100, [1], [2])
    other.loc[other["role"].isin(["maker", "wrapper"]), "model"] = "large"
    assert even(other, prices=dear)["fixed"].item() == 1500
    thoughts = even(
        spent("latm_of_m", "n", [1, 1], role="user"), spent("cot", "m", [2, 2]), prices=dear
    )
    assert (thoughts["each"].item(), thoughts["each_rival"].item()) == (
        1,
        30,
    )  # the larger model's own
    dollars = {"p": ESSAY.PRICES["GPT-4.1, 4.1 mini (April 2026)"]}
    cached = even(
        bills(0, [1, 1], [1, 1]).assign(prompt_tokens=100, cached_tokens=90), prices=dollars
    )
    assert cached["each"].item() == pytest.approx(10 * 0.4 + 90 * 0.1)


def test_the_bill_of_a_maker_elsewhere_is_in_its_own_run_or_unknown():
    given = spent("latm_of_m", "n", [1, 1], role="user")
    rival = spent("cot", "n", [7, 7])
    thoughts = spent(
        "made_cot", "n", [50], role="maker", stage="think", problem=0
    )  # paid for once: no rival
    whole = even(bills(100, [1], [2]), given, rival, thoughts, spent("made_cot", "n", [1, 1]))
    assert whole.set_index(["a", "b"])["fixed"].to_dict()["LATM of m, n", "CoT, n"] == 100
    assert not whole["b"].str.startswith("made CoT").any()
    alone = even(given, rival)
    assert np.isnan(alone["fixed"].item())
    assert "not among these" in alone["note"].item()


def test_what_gpt_4_spent_is_what_its_chats_hold(latm_files):
    for category in FILES:
        read = written = so_far = 0
        turns = transcript(category)
        for before, turn in zip([None, *turns], turns, strict=False):
            if turn["role"] == "assistant" and turn != before:  # a turn that stands twice is one
                read = read + so_far
                written = written + len(turn["content"])
            so_far += len(turn["content"])
        assert released.released_tokens(category) == (read / 4, written / 4)
    assert released.released_tokens("counting") is None
