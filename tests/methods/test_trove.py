"""TROVE's rules, played without model, driver or files: a function answers what the generator asks
for."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trove_lite.methods.base import Budget, Run
from trove_lite.methods.trove import LOADED, PRESETS, TroveSettings, ahead, trove
from trove_lite.programs import AT_HAND, Tool

from ..cases import cases
from . import playing
from .trove_playing import (
    calls_by_problem,
    candidate,
    few,
    function,
    imported,
    play,
    questions,
    toolboxes,
    winner,
)


def test_create_grows_the_toolbox_and_the_next_import_alone_sees_it():
    for isolated, library in ((True, (AT_HAND, function("f"))), (False, (function("f").source,))):
        chosen = TroveSettings(isolated=isolated)
        asked, _ = play(
            trove(questions(2), chosen), winner({("stream", 0): ("create", [function("f")])})
        )
        assert toolboxes(asked) == [("stream", 0, ""), ("stream", 1, "f")]
        last = next(a for a in asked if a.question.index == 1 and a.mode == "import")
        assert last.library == library
        assert all(a.shown == a.library == () for a in asked if a.mode != "import")


@pytest.mark.parametrize(
    ("mode", "failed", "choice", "shown"),
    cases(
        """
        "create", False, {},                                                 "f"
        "create", True,  {},                                                 ""
        "create", True,  {"adds_failing": ("create",)},                      "f"
        "create", False, {"adds": ()},                                       ""
        "import", False, {},                                                 ""
        "import", False, {"adds": ("import", "create")},                     "f"
        "import", True,  {"adds": ("import",)},                              ""
        "import", True,  {"adds": ("import",), "adds_failing": ("import",)}, "f"
        """
    ),
)
def test_who_may_add_tools(mode, failed, choice, shown):
    chosen = replace(
        TroveSettings(),
        modes=(mode, *(x for x in ("import", "create", "skip") if x != mode)),
        **choice,
    )
    script = {("stream", 0): (mode, [function("f")], *["failed"] * failed)}
    asked, _ = play(trove(questions(2), chosen), winner(script))
    assert toolboxes(asked)[-1] == ("stream", 1, shown)


def test_what_a_data_set_gives_is_in_a_toolbox_of_imports_unused_until_an_answer_lists_it():
    given = "import pandas as pd"
    line = Tool("pandas", given, given, given, "import")
    script = {("stream", 0): ("create", [line, function("f")]), ("stream", 1): ("import", [line])}
    asked, _ = play(trove(questions(3), PRESETS["official"].on((given,))), winner(script))
    assert [text for *_, text in toolboxes(asked)] == ["pandas", "f pandas", "pandas f"]
    trimmed = replace(PRESETS["official"].on((given,)), threshold="fixed_2", interval=1)
    asked, _ = play(trove(questions(2), trimmed), winner({}))
    assert [text for *_, text in toolboxes(asked)] == ["pandas", ""]
    asked, _ = play(trove(questions(1), PRESETS["paper"].on((given,))), winner({}))
    assert toolboxes(asked)[0][2] == ""


def test_a_tool_that_does_not_load_never_enters_and_one_that_is_there_is_not_loaded_again():
    script = {("stream", i): ("create", [function("f"), function("bad")]) for i in range(2)}

    def tool_of(run):
        return run.program.partition("from toolbox import ")[2].partition("\\n")[0]

    def reply(request, sample):
        if isinstance(request, Run):
            return replace(candidate(""), output=LOADED if tool_of(request) == "f" else "")
        return winner(script)(request, sample)

    def loads(settings):
        asked, _ = playing.play(trove(questions(2), settings), reply)
        return [
            (request.question.index, tool_of(request))
            for request, _ in asked
            if isinstance(request, Run)
        ]

    assert loads(TroveSettings()) == [(0, "f"), (0, "bad"), (1, "bad")]
    refused = tuple(f"counting/stream/{problem}/bad" for problem in range(2))
    assert loads(TroveSettings(refused=refused)) == [(0, "f")]


def test_the_model_ranks_where_there_is_a_choice_at_the_cost_of_a_call():
    script = winner({("stream", 0): ("create", [function("f"), function("g")])})

    def reply(attempt, sample):
        return (
            candidate("rank", text="g first")
            if attempt.stage == "rank"
            else script(attempt, sample)
        )

    asked, _ = play(trove(questions(3), replace(TroveSettings(), ranking="model")), reply)
    assert [text for *_, text in toolboxes(asked)] == ["", "g f", "g f"]
    ranks = [a for a in asked if a.stage == "rank"]
    assert [a.question.index for a in ranks] == [1, 2]
    assert all(not a.runs and not a.mode and len(a.shown) > 1 for a in ranks)


def test_trimming_happens_at_the_interval_and_its_problems_are_solved_again_by_import_and_skip():
    script = {
        ("stream", 0): ("create", [function("f")]),
        ("stream", 1): ("create", [function("g")]),
        ("stream", 2): ("import", [imported("g")]),
    }
    asked, answers = play(
        trove(questions(4), TroveSettings(threshold="fixed_2", interval=3)), winner(script)
    )
    assert toolboxes(asked) == cases(
        """
        "stream", 0, ""
        "stream", 1, "f"
        "stream", 2, "f g"
        "stream", 3, "g"  # f was used once
        "retry",  0, "g"
        """
    )
    assert [a.mode for a in asked if a.phase == "retry"] == ["import", "skip"]
    assert [a.question.index for a in answers] == [0, 1, 2, 3, 0]
    assert calls_by_problem(asked, "retry") == {0: 10}


@pytest.mark.parametrize(
    ("program", "choice", "kept"),
    cases(
        r"""
        "print(f(1))",                     {},                  "f"
        "print(f(1))",                     {"uses": "imports"}, ""
        "print(f(1))",                     {"at_hand": False},  ""
        "def f(x): return 2\nprint(f(1))", {},                  ""
        "print(f)",                        {},                  ""
        """
    ),
)
def test_a_tool_that_is_called_at_hand_without_an_import_is_used(program, choice, kept):
    script = winner({("stream", 0): ("create", [function("f")]), ("stream", 1): ("import", [])})

    def reply(request, sample):
        return replace(
            script(request, sample), solution=program if request.mode == "import" else ""
        )

    asked, _ = play(
        trove(questions(3), TroveSettings(threshold="fixed_2", interval=2, **choice)), reply
    )
    assert toolboxes(asked)[2] == ("stream", 2, kept)


def test_a_shuffled_order_is_python_s_own_shuffle_and_the_data_sets_is_the_default():
    for seed, order in ((None, [0, 1, 2, 3, 4, 5]), (7, [4, 0, 5, 3, 1, 2])):
        _, answers = play(trove(questions(6), replace(TroveSettings(), shuffle=seed)), winner({}))
        assert [a.question.index for a in answers] == order


@pytest.mark.parametrize("mode", ["create", "import"])
def test_rectified_responses_replace_their_drafts(mode):
    def reply(attempt, sample):
        if attempt.mode == mode:
            name = "rough" if attempt.round == 0 else "fine"
            return candidate(mode, sample, [function(name)], answer=1, text=f"{name} {sample}")
        return candidate(attempt.mode, sample)

    chosen = replace(TroveSettings(), rectify=mode, adds=("import", "create"))
    asked, answers = play(trove(questions(2), chosen), reply)
    rewrites = [a for a in asked if a.stage == "rewrite" and a.question.index == 0]
    assert [(a.mode, a.phase, a.samples) for a in rewrites] == [
        (mode, "stream", range(i, i + 1)) for i in range(5)
    ]
    assert all(a.values["response"] == f"rough {a.samples[0]}" for a in rewrites)
    assert answers[0].candidate.text.startswith("fine")
    assert calls_by_problem(asked) == {0: 15, 1: 15}
    assert {
        t.name for a in asked if a.question.index == 1 and a.mode == "import" for t in a.shown
    } == {"fine"}


@few
@given(
    st.sampled_from(list(PRESETS)),
    st.sampled_from([None, "create", "import"]),
    st.sampled_from([None, 40]),
    st.none() | st.integers(0, 3),
)
def test_what_is_sampled_ahead_is_what_would_be_asked_for(preset, rectify, tokens, shuffle):
    chosen = replace(
        PRESETS[preset], rectify=rectify, shuffle=shuffle, budget=Budget(15, tokens, 12)
    )
    asked, answers = play(
        trove(questions(4), chosen),
        lambda a, s: candidate(a.mode, s, [function(f"f{s}")], tokens=3),
    )
    wanted = {(replace(a, samples=range(0)), s) for a in asked for s in a.samples}
    early = [a for attempts in ahead(questions(4), chosen) for a in attempts]
    assert {(replace(a, samples=range(0)), s) for a in early for s in a.samples} <= wanted
    assert list(dict.fromkeys(a.question for a in early)) == [a.question for a in answers[:4]]


GIVEN = tuple(((function(f"at{place}"),), ("code",)) for place in range(3))


@pytest.mark.parametrize(
    ("toolbox", "given", "shown"),  # of a lent one what it was at the same place, and then the last
    [("none", (), [""] * 5), ("some/run", GIVEN, ["at0", "at1", "at2", "at2", "at2"])],
)
def test_a_placebo_makes_trove_s_calls_and_learns_nothing(toolbox, given, shown):
    chosen = TroveSettings(toolbox=toolbox, threshold="fixed_2", interval=2)
    creating = winner({("stream", i): ("create", [function(f"tool{i}")]) for i in range(5)})
    asked, answers = play(trove(questions(5), chosen, given), creating)
    own, _ = play(trove(questions(5), TroveSettings()), creating)
    assert [(a.mode, a.samples, a.question) for a in asked] == [
        (a.mode, a.samples, a.question) for a in own
    ]
    assert [names for _, _, names in toolboxes(asked)] == shown
    assert {a.library for a in asked if a.mode == "import"} == {("code",) if given else ()}
    assert len(answers) == 5
