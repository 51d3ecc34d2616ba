"""Live runs with a scripted model: the driver, the budget, the table, the settings, and what must
stop a run."""

import asyncio
import re

import pandas as pd
import pytest

from trove_lite.candidates import read_description
from trove_lite.datasets.base import Question
from trove_lite.judge.canonical import number_text
from trove_lite.methods import trove
from trove_lite.methods.base import Answer, Method, Run, sample_seed
from trove_lite.methods.trove import LOAD
from trove_lite.models.base import ModelError
from trove_lite.running.driver import Gate
from trove_lite.running.settings import PAPERS_MODEL, RunSettings, folder_of

from ..cases import cases
from ..scripted import Says, ScriptedModel, function, problems, response, run, table
from .test_missing import Lacking


def test_a_row_says_what_was_written_run_and_judged(tmp_path):
    rows = table(run(tmp_path / "a", seeds=(0,)))
    assert set(rows["status"]) == {"ok", "error"}
    right = rows[rows["correct"].astype(bool)]
    gold = {p.index: number_text(p.gold) for p in problems("math", "counting")}
    assert len(right)
    assert (right["answer"] == right["problem"].map(gold)).all()
    failed = rows[rows["status"] == "error"]
    assert failed["error"].str.contains("ZeroDivisionError").any()
    assert (failed["answers"].map(len) == 0).all()
    assert not failed["correct"].any()
    assert rows["operations"].isna().equals(rows["answers"].map(len) == 0)


def test_programs_of_import_run_after_the_toolbox_and_others_do_not(tmp_path):
    class Model(ScriptedModel):
        def text(self, prompt, draw):
            tools = {"create:": function("helper"), "import:": "from toolbox import helper"}
            return response("print(helper(2))", tools.get(prompt.split()[1], ""))

    rows = table(run(tmp_path / "a", methods=("trove",), seeds=(0,), model=Model()))
    ok = (
        rows.assign(ok=rows["status"] == "ok")
        .groupby(["problem", "mode"], observed=True)["ok"]
        .mean()
        .unstack()
    )
    assert (ok["create"] == 1).all()
    assert (ok["skip"] == 0).all()
    assert ok["import"].iloc[0] == 0
    assert (ok["import"].iloc[1:] == 1).all()


def test_sampling_ahead_changes_nothing(tmp_path, monkeypatch):
    ahead = table(run(tmp_path / "a", methods=("trove",), seeds=(0,)))
    monkeypatch.setattr(trove, "TROVE", trove.TROVE._replace(ahead=None))
    pd.testing.assert_frame_equal(table(run(tmp_path / "b", methods=("trove",), seeds=(0,))), ahead)


@pytest.mark.parametrize("in_flight", [4, 200])
def test_guesses_change_nothing_but_what_is_asked(tmp_path, in_flight, capsys):
    """A guess that the toolbox overtook is asked again; one that the model has not begun is
    left."""
    how = {
        "methods": ("trove",),
        "seeds": (0,),
        "limit": 12,
        "in_flight": in_flight,
        "delay": 0.002,
    }
    plain = table(run(tmp_path / "a", **how))
    capsys.readouterr()
    pd.testing.assert_frame_equal(table(run(tmp_path / "b", guess=3, **how)), plain)
    wanted, asked = re.search(
        r"([\d,]+) of ([\d,]+) replies asked for early", capsys.readouterr().err + "0 of 0"
    ).groups()
    assert (0 < int(wanted) < int(asked)) == (in_flight == 200)


def test_streams_and_delays_do_not_disturb_one_another(tmp_path):
    together = table(run(tmp_path / "a", delay=0.001, in_flight=3))
    alone = pd.concat([table(run(tmp_path / f"b{s}", seeds=(s,))) for s in (0, 1)])
    order = ["run", "method", "problem", "phase", "mode", "sample"]
    as_text = [
        t.astype(dict.fromkeys(("run", "method", "phase", "mode"), str)) for t in (together, alone)
    ]
    left, right = (t.sort_values(order).reset_index(drop=True) for t in as_text)
    pd.testing.assert_frame_equal(left, right, check_categorical=False, check_dtype=False)


def test_each_sample_is_asked_for_once_with_its_own_seed(tmp_path):
    model = ScriptedModel()
    rows = table(run(tmp_path / "a", model=model))
    assert len(set(model.seeds)) == len(model.seeds) == len(rows)
    one = sample_seed(1, Question("math", "counting", 3, ""), "stream", "import", 1)
    assert one in model.seeds


def test_the_official_parser_runs_an_empty_program_and_the_strict_one_does_not(tmp_path):
    for parser, status in (("official", "ok"), ("strict", "no_code")):
        rows = table(run(tmp_path / parser, parser=parser, model=Says("```python\n```"), limit=2))
        assert set(rows["status"]) == {status}
        assert not rows["correct"].any()


def asking(questions, settings):
    for question in questions:
        yield Answer(question, (yield [Run(question, "own", "", mode="own")])[0])


OWN = Method("own", asking, ("own",))


def test_a_method_s_own_program_may_be_empty(tmp_path):
    rows = table(
        run(tmp_path / "a", methods=(f"{__name__}:OWN",), seeds=(0,), limit=1, parser="official")
    )
    assert list(rows["status"]) == ["no_code"]


def test_a_run_inside_a_running_event_loop_as_in_a_notebook(tmp_path):
    async def cell():
        return run(tmp_path / "a", limit=2)

    asyncio.run(cell())
    assert len(table(tmp_path / "a"))


def test_the_budget_adds_up_and_counts_solving_again_apart(tmp_path):
    folder = run(tmp_path / "a", seeds=(0,), trove={"threshold": "fixed_2", "interval": 4})
    rows = table(folder)
    budget = pd.DataFrame(read_description(folder)["budget"])
    key = ["method", "category", "stage", "phase", "seed"]
    counted = ["calls", "prompt_tokens", "completion_tokens"]
    rows = rows.rename(columns={"mode": "stage"}).assign(calls=1)
    spent = rows.groupby(key, observed=True)[counted].sum()
    loads = budget["stage"] == LOAD  # a new tool is loaded once, and nobody is asked for that
    assert (budget.loc[loads, counted] == 0).all(axis=None)
    assert (budget.loc[loads, "executions"] > 0).all()
    budget = budget[~loads]
    found = budget.set_index(key)[counted].sort_index()
    assert (found.to_numpy() == spent.sort_index().to_numpy()).all()
    assert (budget["executions"] == budget["calls"]).all()
    assert set(budget["phase"]) == {"stream", "retry"}
    stream = budget[budget["phase"] == "stream"]
    assert (stream.groupby(["method", "seed"])["calls"].sum() == 6 * 12).all()


def test_too_many_in_a_row_end_the_run_and_are_asked_for_again(tmp_path):
    expected = table(run(tmp_path / "a", methods=("trove",)))
    model = Lacking(lambda *_: model.calls > 60)
    with pytest.raises(ModelError, match=r"20 samples in a row could not be had, .* no answer"):
        run(tmp_path / "b", methods=("trove",), model=model)
    pd.testing.assert_frame_equal(table(run(tmp_path / "b", methods=("trove",))), expected)


def test_a_folder_in_which_nothing_was_generated_takes_other_settings(tmp_path):
    with pytest.raises(ModelError):
        run(tmp_path / "a", k=3, limit=2, model=Lacking(lambda *_: True, ModelError))
    assert len(table(run(tmp_path / "a", k=6, limit=2)))


def test_the_gate_lets_so_many_in_by_rank():
    async def main():
        gate = Gate(2)
        order = []
        inside = 0

        async def visit(rank, name):
            nonlocal inside
            async with gate(rank):
                inside += 1
                assert inside <= 2
                order.append(name)
                await asyncio.sleep(0.001)
                inside -= 1

        visits = [
            visit(2, "a"),
            visit(2, "b"),
            visit(2, "c"),
            visit(1, "d"),
            visit(0, "e"),
            visit(1, "f"),
        ]
        await asyncio.gather(*visits)
        return order

    assert asyncio.run(main()) == ["a", "b", "e", "d", "f", "c"]


def test_other_settings_have_another_folder():
    folders = {
        folder_of(RunSettings(k=k, seeds=(seed,)), "runs") for k in (3, 6) for seed in (0, 1)
    }
    assert len(folders) == 4
    assert folder_of(RunSettings(k=3), "runs") == folder_of(RunSettings(k=3), "runs")


@pytest.mark.parametrize(
    ("given", "found"),
    cases(
        """
        {},                                                            ("practice", "practice", "practice")
        {"dataset": "math"},                                           (PAPERS_MODEL, "math", "one-factor")
        {"model": "vllm:x", "dataset": "math"},                        ("vllm:x", "math", "one-factor")
        {"model": "vllm:x", "prompts": "official", "dataset": "math"}, ("vllm:x", "math", "official")
        """,
        PAPERS_MODEL=PAPERS_MODEL,
    ),
)
def test_model_data_and_prompts_suit_each_other(given, found):
    settings = RunSettings(**given)
    assert (settings.model, settings.dataset, settings.prompts) == found
