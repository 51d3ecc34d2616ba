"""LATM's tables and its bill, on runs of a scripted maker, user and thinker."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from papers import latm
from papers.latm.cost import NO_TOOL
from papers.latm.dispatch import dispatched
from papers.latm.released import characters
from trove_lite.analysis.comparison import Comparison
from trove_lite.candidates import calls_of, load_calls, load_candidates
from trove_lite.datasets.bbh import FILES
from trove_lite.datasets.files import public_paths
from trove_lite.errors import TroveLiteError
from trove_lite.methods.latm import LatmSettings
from trove_lite.recorded.made_tools import carried, described, transcript

from ..running.test_labelled import REPLIES, ScriptedModel, run
from ..simulated import candidates as simulated

EACH = latm.PRICES["tokens"]


@pytest.fixture(scope="module")
def released():
    """Skips where the data folder does not hold the released transcripts."""
    if not all(path.is_file() for path in public_paths("latm", ".json")):
        pytest.skip("the data folder holds no LATM tools: run `trove-lite fetch latm` or set TROVE_LITE_DATA")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Folders of a run with a tool, of one whose user was given it, and of one that thinks step by step."""
    folder = tmp_path_factory.mktemp("runs")
    run(folder / "tool")
    run(folder / "words", methods=("cot",), roles=())
    run(folder / "given", choices={"latm": carried([folder / "tool"])}, roles=("user",))
    return [folder / "tool", folder / "words", folder / "given"]


@pytest.fixture(scope="module")
def calls(runs):
    return load_calls(*runs)


@pytest.fixture(scope="module")
def comparison(runs, calls):
    return latm.sides(load_candidates(*runs), calls)


def test_a_side_is_a_method_and_the_models_that_play_in_it(comparison):
    assert set(comparison.sides) == {"LATM of maker, user", "CoT, scripted"}
    table = latm.table2(comparison).set_index(["category", "system"])
    assert table.loc[("chinese_remainder", "LATM of maker, user"), "problems"] == 4
    assert not table["published"].notna().any()  # printed numbers are of the released instances, not of made ones


def test_every_instance_ends_in_one_way(runs, calls, comparison):
    table = latm.endings(comparison).set_index("system")
    assert (table[["right", "wrong", "failed", "no program", "no tool"]].sum(axis=1) == table["candidates"]).all()
    rows = load_candidates(runs[0])
    rows["status"] = ["ok", "no_code", "timeout", "error"]
    rows["error"] = [None, None, None, "LookupError: no tool was made for this task (line 1)"]
    (row,) = latm.endings(latm.sides(rows.assign(correct=[True, False, False, False]), calls)).to_dict("records")
    assert [row[name] for name in ("right", "wrong", "failed", "no program", "no tool")] == [1, 0, 1, 1, 1]
    assert "no runs of LATM" in latm.endings(None).attrs["note"]


def test_runs_of_two_users_are_no_copies_though_they_write_the_same(runs, calls):
    candidates = load_candidates(*runs[:1])
    other = candidates.assign(run="other_seed0")
    asked = load_calls(*runs[:1])
    theirs = asked.assign(run="other_seed0", model=asked["model"].astype(str).replace("user", "other"))
    found = latm.sides(pd.concat([candidates, other]), pd.concat([asked, theirs]))
    assert {name: len(side) for name, side in found.sides.items()} == {
        "LATM of maker, user": 4,
        "LATM of maker, other": 4,
    }


def test_table_4_is_of_those_that_use_a_tool(comparison):
    assert set(latm.table4(comparison)["system"]) == {"LATM of maker, user"}


@pytest.mark.parametrize("number", [2, 4, 5])
def test_what_is_printed_stands_beside_runs_on_the_released_instances(comparison, number):
    made = comparison["LATM of maker, user"]
    sides = {"LATM of maker, user": made, "made CoT of maker, user": made}
    released = replace(comparison, dataset="bbh", categories=tuple(FILES), sides=sides)
    table = getattr(latm, f"table{number}")(released)
    assert table["published"].dropna().between(0, 1).all()
    assert len(table["published"].dropna()) >= 4


def test_trials_that_made_a_tool_are_counted_beside_print(runs):
    table = latm.table3(runs).set_index(["category", "maker"])
    ours = table.loc[("chinese_remainder", "maker")]
    assert (ours["successes"], ours["trials"], ours["proposals"], ours["labels"]) == (1, 1, 1, 6)
    assert ours["low"] < 1 == ours["high"]
    assert table.loc[("logical_deduction", "GPT-4"), "published"] == 0.6
    assert "do not say" in latm.table3([]).attrs["note"]
    assert latm.trials_in_words(latm.table3([])) == ""


def test_trials_of_several_tasks_are_counted_together_too(runs, monkeypatch):
    trial = {"maker": "maker", "proposals": 1, "verifications": 1, "labels": 6, "note": "drawn twice"}
    made = [trial | {"category": task, "made": task == "b"} for task in "aabbb"]
    monkeypatch.setattr("papers.latm.tables._trials", lambda folder: made)
    table = latm.table3(runs[:1])
    ours = table[table["source"] == "run"]
    assert ours["category"].to_list() == ["a", "b", "all"]
    assert ours["trials"].to_list() == [2, 3, 5]
    assert "maker made a tool in 3 of 5 trials: 60.0 % [23.1, 88.2]" in latm.trials_in_words(table)
    assert latm.trials_in_words(table).endswith("(drawn twice)")
    assert set(ours["note"]) == {"drawn twice"}


def test_table_5_is_of_thoughts_that_a_model_wrote_beside_people_s_and_a_tool(runs, calls, comparison, tmp_path):
    assert "system" not in latm.table5(comparison) or latm.table5(comparison).empty
    run(tmp_path / "thoughts", methods=("made_cot",), roles=("maker",), solver=Thinker())
    given = carried([tmp_path / "thoughts"], "made_cot")
    assert given["maker"] == "maker"
    assert given["tools"]["chinese_remainder"].count("A: Let's think step by step. ") == 3
    more = [*runs, tmp_path / "thoughts"]
    table = latm.table5(latm.sides(load_candidates(*more), load_calls(*more)))
    systems = {"LATM of maker, user", "CoT, scripted", "made CoT of maker, thinker"}
    assert set(table.loc[table["problems"] > 0, "system"]) == systems
    with pytest.raises(TroveLiteError, match="thoughts were not released"):
        carried(["released"], "made_cot")


def test_thoughts_that_are_paid_for_once_are_no_rival_s_whole_bill():
    thoughts = [spent("made_cot", "m", [50], role="maker", stage="think", problem=0), spent("made_cot", "m", [1, 1])]
    calls = pd.concat([bills(100, [2, 2], [7, 7]), *thoughts], ignore_index=True)
    assert set(latm.break_even(calls)["b"]) == {"CoT, m"}
    assert latm.costs(calls).set_index(["system", "role"]).loc[("made CoT, m", "maker"), "fixed"]


# ---- the dispatcher, and unannounced tasks ----


class Thinker(ScriptedModel):
    """Thinks of 3; says of every question that it is of the first task; makes and uses the tool of the tests."""

    name = "thinker"

    async def complete(self, prompt, seeds, *, sampling=None):
        text = prompt if isinstance(prompt, str) else prompt[-1].content
        turns = 0 if isinstance(prompt, str) else sum(message.role == "assistant" for message in prompt)
        reply = REPLIES["maker"][turns] if turns or "Please write one general" in text else "So the answer is 3."
        reply = "Task: task 1" if "To which of these tasks" in text else reply
        reply = REPLIES["user"][0] if text.startswith("```python") else reply
        (made,) = await super().complete(str(prompt), seeds)
        return [made._replace(text=reply)]


def test_a_stream_of_unannounced_tasks_is_counted_by_who_answered(tmp_path):
    given = {"dataset": "bbh_stream", "categories": ("made_0",), "limit": 12}
    run(tmp_path / "mixed", methods=("latm_streaming",), roles=(), solver=Thinker(), **given)
    table = latm.streams([tmp_path / "mixed"]).set_index("what")
    assert table["of"].to_dict() == {
        "dispatched rightly": 12,
        "right by a tool": 6,
        "right by the maker": 6,
        "right": 12,
        "tools made": 1,
    }
    kinds = load_candidates(tmp_path / "mixed")["level"].astype(str)
    assert table.loc["dispatched rightly", "count"] == (kinds == kinds.iloc[0]).sum()
    assert latm.streams([]).empty


@pytest.mark.parametrize(
    ("by_maker", "names", "right"),
    [
        ([[0, 2], [1]], ["task 1", "task 2"], [True, True, True]),
        ([[0, 1], [2]], ["task 1", "task 2"], [True, False, False]),
        ([[0, 2], [1]], ["a", "b"], [True, True, True]),
        ([[], [0], [1], [2]], ["a", "t", "u", "v"], [False, True, False]),
    ],
)
def test_a_question_is_dispatched_rightly_to_its_kind_s_task_or_to_a_new_one_where_there_is_none(
    by_maker, names, right
):
    tasks = pd.DataFrame({"name": names, "by_maker": by_maker, "by_tool": [[]] * len(names)})
    assert list(dispatched(tasks, {0: "a", 1: "b", 2: "a"}).values()) == right


def test_the_dispatcher_s_two_numbers_are_over_draws_and_stand_beside_print():
    frame = simulated(problems=20, runs=1, k=3, categories=("counting", "algebra"))
    frame = frame[(frame["method"] == "primitive") & (frame["sample"] == 0)]
    frame = frame.astype({"category": str, "method": str, "dataset": str}).assign(
        method="dispatcher", dataset="bbh_mixed", model="gpt-3.5-turbo"
    )
    draws = frame["category"].map({"counting": "existing_0", "algebra": "existing_1"})
    right = (frame["problem"] < 18) | (draws == "existing_1")
    frame = frame.assign(category=draws, correct=right, answer=right.map({True: "word_sorting", False: "unknown"}))
    (row,) = latm.dispatcher(frame, calls_of(frame)).to_dict("records")
    assert (row["kind"], row["value"], row["draws"], row["questions"]) == ("existing", 0.95, 2, 40)
    assert row["low"] < 0.95 < row["high"]
    assert row["new"] == 0.05
    assert row["sd"] == pytest.approx(0.1 / 2**0.5)
    assert (row["published"], row["published_sd"]) == (0.94, 0.02)
    (row,) = latm.dispatcher(frame.assign(model="gpt-4"), calls_of(frame.assign(model="gpt-4"))).to_dict("records")
    assert np.isnan(row["published"])
    assert "no runs" in latm.dispatcher(frame.assign(method="latm"), calls_of(frame)).attrs["note"]


# ---- beside other makers of tools ----


def test_other_makers_of_tools_are_set_beside_latm_on_its_problems():
    frame = simulated(problems=12, runs=1, k=6, categories=("algebra", "counting")).assign(model="simulated")
    own = frame[(frame["method"] == "primitive") & (frame["problem"] >= 10) & (frame["category"] == "algebra")]
    frame = frame.astype({"method": str, "run": str, "mode": str})
    own = own.astype({"method": str, "run": str, "mode": str}).assign(method="latm", mode="latm", run="latm")
    both = pd.concat([frame, own], ignore_index=True)
    calls = calls_of(both).assign(prompt_tokens=10, completion_tokens=1)
    maker = calls[calls["method"] == "latm"].head(1).assign(role="maker", stage="propose", prompt_tokens=99)
    table = latm.tool_makers(both, pd.concat([calls, maker], ignore_index=True))
    here = table[table["category"] == "algebra"].set_index("system")
    assert set(here["problems"].dropna()) == {2}
    assert here.loc["LATM, simulated", ["k", "tokens", "making", "labels"]].tolist() == [6, 66, 50, 6]
    assert here.loc["TROVE, simulated", "tokens"] == 66
    assert here.loc["LATM, printed by TroVE after CRAFT", "published"] == 0.30
    pairs = latm.tool_maker_differences(both, calls).query("category == 'algebra'")
    assert set(pairs["b"]) == {"TROVE, simulated", "PRIMITIVE, simulated"}
    assert set(pairs["problems"]) == {2}
    assert latm.tool_makers(frame, calls_of(frame)).attrs["note"] == "no LATM runs"


@pytest.mark.parametrize("mode", ["latm", "fallback"])
def test_without_a_tool_there_is_nothing_to_compare(mode):
    frame = simulated(problems=12, runs=1, k=6, categories=("algebra",)).astype(
        {"method": str, "run": str, "mode": str}
    )
    frame = frame.assign(model="simulated")
    own = frame[(frame["method"] == "primitive") & ((frame["sample"] == 0) | (mode == "fallback"))]
    own = own.assign(method="latm", mode=mode, run="latm", correct=False)
    own = own.assign(status="error", error=NO_TOOL) if mode == "latm" else own
    both = pd.concat([frame, own], ignore_index=True)
    table = latm.tool_makers(both, calls_of(both)).query("published.isna()").set_index("system")
    assert set(table["k"]) == {6}
    assert np.isnan(table.loc["LATM, simulated", "value"])
    assert table.loc["LATM, simulated", "note"] == "no tool made"
    assert table.loc["TROVE, simulated", "value"] > 0
    pairs = latm.tool_maker_differences(both, calls_of(both))
    assert {"PRIMITIVE, simulated", "TROVE, simulated"} <= set(pairs["b"])
    assert pairs["difference"].isna().all()
    assert pairs["p_holm"].isna().all()
    assert (set(pairs["tools"]), set(pairs["tasks"]), set(pairs["note"])) == ({0}, {1}, {"no tool made"})
    table = latm.differences(latm.sides(both, calls_of(both)))
    assert "no tool made" in latm.in_pairs(table).to_string()
    words = latm.latm_in_words(table, latm.break_even(calls_of(both)))
    assert words == "LATM, simulated cannot be compared with PRIMITIVE, simulated: no tool made."


def test_differences_are_read_a_row_a_pair_and_stay_within_shares(comparison):
    table = latm.differences(comparison)
    assert table[["low", "high"]].abs().max().max() <= 1
    wide = latm.in_pairs(table)
    assert set(wide.columns) == set(table["category"])
    assert len(wide) == len(table[["a", "b"]].drop_duplicates())
    assert latm.in_pairs(latm.differences(None)).size == 1


# ---- tools made elsewhere ----


def test_a_run_that_tells_its_model_alone_is_a_run_of_one_solver(tmp_path):
    (tmp_path / "run.json").write_text(json.dumps({"toolboxes": [], "model": "small"}))
    assert described(tmp_path)["models"] == {"solver": "small"}


def test_each_seed_s_first_tool_is_carried_to_its_user_and_a_task_without_one_is_known(tmp_path):
    trials = [("sort", 0, ""), ("sort", 1, "first"), ("sort", 2, "second"), ("dyck", 0, "")]
    made = [{"category": c, "seed": s, "tool": tool, "proposals": 1, "made": bool(tool)} for c, s, tool in trials]
    about = {"toolboxes": made, "models": {"solver": "small"}}
    (tmp_path / "run.json").write_text(json.dumps(about))
    tools = {"sort": "first", "dyck": "", "sort#0": "", "sort#1": "first", "sort#2": "second", "dyck#0": ""}
    assert carried([tmp_path]) == {"tools": tools, "maker": "small"}
    (tmp_path / "run.json").write_text(json.dumps(about | {"toolboxes": []}))
    with pytest.raises(TroveLiteError, match="made no tools"):
        carried([tmp_path])


def test_a_file_is_the_tool_of_the_task_that_it_is_named_after(tmp_path):
    (tmp_path / "word_sorting.md").write_text("a tool")
    assert carried([tmp_path / "word_sorting.md"]) == {"tools": {"word_sorting": "a tool"}, "maker": tmp_path.name}
    with pytest.raises(TroveLiteError, match="cannot be read"):
        carried([tmp_path / "nothing.md"])


def test_a_user_has_the_tool_of_its_own_seed_and_of_another_the_first():
    tools = {"sort": "first", "sort#1": "second", "sort#2": ""}
    settings = {seed: LatmSettings(seed=seed, tools=tools) for seed in range(4)}
    assert [settings[seed].given("sort") for seed in settings] == ["first", "second", "", "first"]
    assert settings[0].given("dyck") is None


# ---- what it costs ----


def test_what_gpt_4_spent_is_what_its_chats_hold(released):
    for category in FILES:
        read, written = characters(transcript(category))
        assert latm.released_tokens(category) == (read / 4, written / 4)
    assert latm.released_tokens("counting") is None


def test_one_model_that_makes_and_uses_has_one_price():
    price = {"15": latm.PRICES["15 to 1 (May 2023)"]}
    assert latm.break_even(bills(100, [1], [2]), prices=price)["fixed"].item() == 100
    other = bills(100, [1], [2])
    other.loc[other["role"].isin(["maker", "wrapper"]), "model"] = "large"
    (row,) = latm.break_even(other, prices=price).to_dict("records")
    assert row["fixed"] == 1500


def test_the_bill_holds_the_labels_and_the_dispatcher_and_what_nobody_was_asked():
    dispatched = spent("dispatcher", "m", [9, 9], role="dispatcher", stage="dispatch").assign(category="existing_0")
    proof = spent("latm", "m", [0], role="", stage="prove", problem=0).assign(model=None, executions=1)
    costs = latm.costs(pd.concat([bills(100, [1], [2]), proof, dispatched], ignore_index=True))
    costs = costs.set_index(["system", "role"])
    assert costs["labels"].to_dict()["LATM, m", "maker"] == 6
    assert costs["labels"].sum() == 6
    assert costs.loc[("dispatcher, m", "dispatcher"), "calls"] == 2
    assert costs.loc[("LATM, m", ""), "fixed"]


def test_the_maker_is_paid_once_and_the_user_at_every_instance(calls):
    costs = latm.costs(calls).set_index(["system", "role"])
    title = "LATM of maker, user"
    assert costs.loc[(title, "maker"), "calls"] == costs.loc[(title, "verifier"), "calls"] == 1
    assert costs.loc[(title, "user"), "calls"] == 4
    fixed = costs["fixed"].to_dict()
    assert (fixed[title, "maker"], fixed[title, "wrapper"]) == (True, True)
    assert (fixed[title, "user"], fixed["CoT, scripted", "solver"]) == (False, False)
    maker = costs.loc[(title, "maker")]
    assert maker["15 to 1 (May 2023)"] == 15 * (maker["prompt_tokens"] + maker["completion_tokens"])


def spent(method, model, tokens, *, role="solver", stage="use", sample=0, problem=None, cached=0):
    """Calls of one method on as many instances as there are numbers of tokens, or all on one."""
    problems = range(len(tokens)) if problem is None else [problem] * len(tokens)
    about = {"run": f"{method}_{model}", "method": method, "category": "word_sorting", "stage": stage, "role": role}
    about |= {"model": model, "sample": sample, "cached_tokens": cached, "completion_tokens": 0, "executions": 0}
    return pd.DataFrame([about | {"problem": n, "prompt_tokens": t} for n, t in zip(problems, tokens, strict=True)])


def bills(made, used, rival, trials=()):
    maker = [spent("latm", "m", [made], role="maker", stage="propose", problem=0)]
    maker += [spent("latm", "m", [0], role="wrapper", stage="wrap", problem=0), *trials]
    return pd.concat([*maker, spent("latm", "m", used, role="user"), spent("cot", "m", rival)], ignore_index=True)


@pytest.mark.parametrize(("made", "instances"), [(100, 20), (101, 21)])
def test_a_tool_pays_where_its_line_crosses(made, instances):
    even = latm.break_even(bills(made, [1, 3], [7, 7]), prices={"tokens": EACH})
    assert even["instances"].tolist() == [instances]
    assert (even["fixed"].item(), even["each"].item(), even["each_rival"].item()) == (made, 2, 7)


def test_a_tool_that_costs_more_at_every_instance_never_pays():
    even = latm.break_even(bills(100, [7, 7], [7, 6]), prices={"tokens": EACH})
    assert np.isnan(even["instances"].item())
    assert even["high"].item() == np.inf


def test_a_task_without_a_tool_saves_nothing():
    made = bills(100, [0, 0], [7, 7])
    made["model"] = made["model"].astype(object).where(made["role"] != "user")  # its questions are put to nobody
    even = latm.break_even(made, prices={"tokens": EACH})
    assert (even["note"].item(), np.isnan(even["instances"].item())) == ("no tool was made", True)
    assert latm.amortised(even)["cost"].isna().all()
    assert latm.costs_figure(even, prices="tokens")
    difference = pd.DataFrame([{"category": "word_sorting", "a": "LATM, m", "b": "CoT, m", "problems": 2}])
    words = latm.latm_in_words(difference.assign(difference=0.0, low=-0.1, high=0.1), even)
    assert words.endswith("cheaper in 0 of 1 tasks (in 1 no tool was made).")


def test_the_interval_of_the_crossing_is_that_of_what_an_instance_saves():
    rng = np.random.default_rng(0)
    used, rival = rng.normal(50, 5, 200), rng.normal(60, 5, 200)
    (row,) = latm.break_even(bills(1000, used, rival), prices={"tokens": EACH}).to_dict("records")
    assert row["low"] < 100 < row["high"] < 130
    saved = rival - used
    assert row["high"] == pytest.approx(1000 / (saved.mean() - 1.96 * saved.std() / 200**0.5), rel=0.02)


def test_trials_after_the_first_that_made_a_tool_are_not_on_its_bill():
    more = spent("latm", "m", [999], role="maker", stage="propose", sample=1, problem=0)
    assert latm.break_even(bills(100, [1], [2], [more]), prices={"tokens": EACH})["fixed"].item() == 100
    failed = bills(100, [1], [2], [more])
    failed.loc[failed["stage"] == "wrap", "sample"] = 1
    assert latm.break_even(failed, prices={"tokens": EACH})["fixed"].item() == 1099


def test_the_bill_goes_as_far_as_the_trial_whose_tool_is_used(tmp_path):
    made = [{"seed": 0, "method": "latm", "category": "word_sorting", "proposals": 1, "made": n == 1} for n in range(3)]
    (tmp_path / "run.json").write_text(json.dumps({"toolboxes": made, "settings": {"name": "own"}}))
    later = [spent("latm", "m", [t], role="maker", stage="wrap", sample=n, problem=0) for n, t in ((1, 30), (2, 500))]
    calls = bills(100, [1], [2], later).replace({"run": {"latm_m": "own_seed0"}})
    assert latm.break_even(calls, prices={"tokens": EACH})["fixed"].item() == 100
    assert latm.break_even(calls, prices={"tokens": EACH}, runs=[tmp_path])["fixed"].item() == 130


def test_tokens_from_the_cache_have_a_price_of_their_own():
    calls = spent("latm", "m", [100, 100], role="user", cached=90)
    price = latm.PRICES["GPT-4.1, 4.1 mini (April 2026)"]
    assert latm.costs(calls, prices={"p": price})["p"].item() == pytest.approx(2 * (10 * 0.4 + 90 * 0.1))


def test_the_bill_of_a_maker_elsewhere_is_in_its_own_run_or_unknown():
    given = spent("latm_of_m", "n", [1, 1], role="user")
    rival = spent("cot", "n", [7, 7])
    whole = latm.break_even(pd.concat([bills(100, [1], [2]), given, rival]), prices={"tokens": EACH})
    assert whole.set_index(["a", "b"]).loc[("LATM of m, n", "CoT, n"), "fixed"] == 100
    alone = latm.break_even(pd.concat([given, rival]), prices={"tokens": EACH})
    assert np.isnan(alone["fixed"].item())
    assert "not among these" in alone["note"].item()


def test_the_larger_model_s_thoughts_are_priced_as_its_own():
    calls = pd.concat([spent("latm_of_m", "n", [1, 1], role="user"), spent("cot", "m", [2, 2])])
    even = latm.break_even(calls, prices={"dear": latm.PRICES["15 to 1 (May 2023)"]})
    assert (even["each"].item(), even["each_rival"].item()) == (1, 30)


def test_an_instance_costs_its_share_of_the_making():
    even = latm.break_even(bills(100, [2, 2], [7, 7]), prices={"tokens": EACH})
    table = latm.amortised(even, instances=(1, 20)).set_index("n")
    assert table["cost"].to_dict() == {1: 102, 20: 7}


def test_costs_are_drawn_with_their_crossing():
    figure = latm.costs_figure(latm.break_even(bills(100, [2, 2], [7, 7])))
    (axis,) = figure.axes
    assert [line.get_label() for line in axis.lines[:2]] == ["LATM, m", "CoT, m"]
    assert axis.lines[2].get_xdata() == [20]
    assert axis.get_xlabel() == "instances"
    assert latm.costs_figure(latm.break_even(spent("cot", "m", [1]))) is None


def test_the_answer_is_said_in_words(comparison):
    even = latm.break_even(bills(100, [2, 2], [7, 7]), prices={"tokens": EACH})
    words = latm.latm_in_words(latm.differences(comparison), even.assign(a="LATM of maker, user", b="CoT, scripted"))
    assert words.startswith("LATM of maker, user is ")
    assert "4 instances" in words
    assert "word sorting 20 [20, 20]" in words
    alone = latm.differences(Comparison.of({"LATM, user": comparison["LATM of maker, user"]}))
    assert "nothing beside LATM" in latm.latm_in_words(alone, even)
