"""Tools as definitions, in live runs: what is left out, refused and counted, and runs that began
without that."""

import json

import pandas as pd
import pytest

from trove_lite import TroveLiteError, load_calls, load_candidates
from trove_lite.candidates import read_description
from trove_lite.methods.trove import LOAD
from trove_lite.programs import Tool
from trove_lite.running.given import load_given
from trove_lite.running.replay import stated_settings

from ..scripted import ScriptedModel, function, response, run, table
from .test_given import wanting

PLAIN = {"methods": ("trove",), "seeds": (0,), "parser": "official"}
OFFICIAL = {"interval": 4, "isolated": False}


class Noisy(ScriptedModel):
    """Answers by tools that print when they are loaded, or that load in no module, and by what a
    toolbox holds."""

    def text(self, prompt, draw):
        name = f"tool{draw % 7}"
        answer = draw // 100 % 2
        if " import: " in prompt:
            return response(f"print({name}({answer}))", f"from toolbox import {name}")
        if " skip: " in prompt:
            return response("print(1 / 0)")
        refusing = f"def {name}(x, y=1 / (__name__ != 'toolbox.{name}')):\n    return x"
        tools = refusing if draw // 16 % 2 else f"{function(name)}\nprint(11218)"
        return response(f"print({name}({answer}))", tools)


@pytest.fixture(scope="module")
def noisy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("noisy") / "run"
    return run(folder, model=Noisy(), categories=("counting", "geometry"), **PLAIN)


def test_what_tools_print_while_they_load_is_no_answer_and_is_counted(noisy, tmp_path):
    assert set(load_candidates(noisy)["answer"].dropna()) == {"0.0", "1.0"}
    assert all(
        told["statements left out"] > 0 for told in read_description(noisy)["loading"].values()
    )
    official = run(tmp_path / "official", model=Noisy(), trove=OFFICIAL, **PLAIN)
    assert "11218.0" in set(load_candidates(official)["answer"])
    assert read_description(official)["loading"] == {}


def test_what_does_not_load_is_refused_and_a_load_is_an_execution_and_no_call(noisy):
    about = read_description(noisy)
    calls = load_calls(noisy)
    for told in about["loading"].values():
        assert told["tools refused"] == len(told["refused"]) > 0
    spent = pd.DataFrame(about["budget"])
    loads = calls[calls["stage"] == LOAD]
    assert len(loads)
    assert loads["model"].isna().all()
    assert (loads["executions"] == 1).all()
    assert spent.loc[spent["stage"] == LOAD, "calls"].sum() == 0
    assert spent["calls"].sum() == (load_candidates(noisy)["round"] == 0).sum()


@pytest.mark.parametrize("method", ["trove", "instance", "creator", "transfer"])
def test_a_run_of_before_goes_on_as_it_began(tmp_path, method):
    """With what its release did not know yet as it was then, or else at its default."""
    how = {"methods": (method,), "seeds": (0,), "model": Noisy(), "limit": 6}
    folder = run(tmp_path / "run", **how, choices={method: {"isolated": False}})
    whole = table(folder)
    description = read_description(folder)
    for name in ("isolated", "given", "refused", "toolbox"):
        description["methods"][method].pop(name, None)
    del description["settings"]["roles"]
    description["settings"]["choices"] = {}
    (folder / "run.json").write_text(json.dumps(description))
    run(folder, **how, choices={})
    (folder / "candidates.parquet").unlink()
    for journal in (folder / "journal").iterdir():
        journal.write_bytes(journal.read_bytes()[: journal.stat().st_size // 2])
    with pytest.raises(TroveLiteError, match="isolated: was False, now True"):
        run(folder, **how, choices={method: {"isolated": True}})
    run(folder, **how, choices={})
    pd.testing.assert_frame_equal(table(folder), whole)
    if method == "trove":
        assert not any(settings.isolated for settings in stated_settings([folder]).values())


def test_a_lender_of_before_lends_its_tools_isolated(tmp_path):
    lender = run(
        tmp_path / "lender",
        model=Noisy(),
        trove=OFFICIAL,
        categories=("counting", "geometry"),
        **PLAIN,
    )
    views = {}
    for isolated in (True, False):
        settings = wanting(str(lender), isolated=isolated)
        views[isolated] = load_given(settings)["trove", "counting", 0]
    tools = [tool for _, library in views[True] for tool in library[1:]]  # after AT_HAND
    assert tools
    assert all(isinstance(tool, Tool) and "print" not in tool.source for tool in tools)
    assert any("print(11218)" in source for _, library in views[False] for source in library)
