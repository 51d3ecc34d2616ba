"""Each method's rules, played without model, driver or files: a function answers what the generator asks for."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trove_lite.candidates import as_frame
from trove_lite.datasets.base import Question
from trove_lite.errors import TroveLiteError
from trove_lite.methods import load_method
from trove_lite.methods.base import Budget, Candidate, Run, Settings, sample_seed
from trove_lite.methods.trove import LOADED, PRESETS, TroveSettings, ahead, trove
from trove_lite.programs import Tool, format_toolbox, plain_name
from trove_lite.recorded import official_logs as import_logs
from trove_lite.recorded.replay import played_back
from trove_lite.selection import Vote

from . import playing

few = settings(max_examples=60, deadline=None)


def questions(n):
    return [Question("math", "counting", i, f"question {i}") for i in range(n)]


def function(name):
    return Tool(name, f"{name}(x)", f"doc of {name}", f"def {name}(x): return x", "function")


def imported(name):
    line = f"from toolbox import {name}"
    return Tool(f"toolbox.{name}", line, line, line, "import")


def said(mode, sample=0, tools=(), *, answer=None, ok=True, tokens=10, text=""):
    answers = () if answer is None or not ok else (str(float(answer)),)
    return Candidate(mode, sample, text, tuple(tools), Vote(mode, ok, answers, 1), tokens)


def play(steps, reply):
    """Run a generator to its end: all attempts in the order asked for, and the answers given. Every tool loads."""

    def replied(request, sample):
        if isinstance(request, Run):
            return replace(said("", sample), output=f"{LOADED}\n")
        return reply(request, sample)

    asked, answers = playing.play(steps, replied)
    attempts = [r for r, sample in asked if not isinstance(r, Run) and sample == r.samples[0]]
    return attempts, answers


def winner(script):
    """A reply in which at each problem one mode's first sample, scripted, is the only one that prints a number."""

    def reply(attempt, sample):
        key = (attempt.phase, attempt.question.index)
        mode, tools, *failed = script.get(key, ("skip", ()))
        if attempt.mode == mode and sample == 0:
            return said(mode, 0, tools, answer=1, ok=not failed)
        return said(attempt.mode, sample, ok=not failed)

    return reply


def toolboxes(asked):
    """What IMPORT was shown, problem by problem."""
    return [
        (a.phase, a.question.index, " ".join(plain_name(t.name) for t in a.shown))
        for a in asked
        if a.mode == "import" and a.runs
    ]


# ---- budget ----


def spent(asked, phase="stream"):
    counts = {}
    for attempt in asked:
        if attempt.phase == phase and attempt.mode and not attempt.round:
            counts[attempt.question.index] = counts.get(attempt.question.index, 0) + len(attempt.samples)
    return counts


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("method", ["primitive", "instance", "trove", "standard", "cot"])
def test_every_method_spends_exactly_its_calls_on_every_problem(method, preset):
    chosen = replace(PRESETS[preset], interval=3) if method == "trove" else Settings()
    asked, answers = play(load_method(method).steps(questions(9), chosen), winner({}))
    assert spent(asked) == dict.fromkeys(range(9), 15)
    assert [a.question.index for a in answers[:9]] == list(range(9))


@few
@given(
    st.integers(1, 400), st.lists(st.integers(0, 50), min_size=1, max_size=9), st.sampled_from(["trove", "primitive"])
)
def test_a_token_budget_takes_the_first_samples_that_reach_it_and_no_more(tokens, lengths, method):
    """The batches that the method asks for are those of asking one by one."""
    kind = TroveSettings if method == "trove" else Settings
    chosen = kind(budget=Budget(completion_tokens=tokens, most=50))
    modes = TroveSettings().modes if method == "trove" else ("primitive",)

    def length(mode, sample):
        return lengths[(modes.index(mode) + sample * len(modes)) % len(lengths)]

    drawn = []

    def reply(attempt, sample):
        drawn.append((attempt.mode, sample))
        return said(attempt.mode, sample, tokens=length(attempt.mode, sample))

    play(load_method(method).steps(questions(1), chosen), reply)
    expected, total = [], 0
    while total < tokens:
        turn = len(expected)
        expected.append((modes[turn % len(modes)], turn // len(modes)))
        total += length(*expected[-1]) or 50  # no token at all counts as the longest
    assert sorted(drawn) == sorted(expected)


def test_sample_seeds_of_ten_run_seeds_are_pairwise_disjoint():
    seeds = [
        sample_seed(run, Question("math", category, problem, ""), phase, stage, sample, round)
        for run in range(10)
        for category in ("counting", "algebra")
        for problem in range(120)
        for phase in ("stream", "retry")
        for stage, n in (("import", 5), ("create", 5), ("skip", 5))
        for sample in range(n)
        for round in (0, 1)
    ]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**53 for seed in seeds)


def test_a_seed_stays_what_it_is():
    """Recorded runs are found again by it."""
    assert sample_seed(0, Question("math", "counting", 3, "of any text"), "stream", "skip", 4) == 2415790241312979


# ---- growth ----


def test_create_grows_the_toolbox_and_the_next_import_sees_it():
    for isolated, library in ((True, function("f")), (False, function("f").source)):
        chosen = TroveSettings(isolated=isolated)
        asked, _ = play(trove(questions(2), chosen), winner({("stream", 0): ("create", [function("f")])}))
        assert toolboxes(asked) == [("stream", 0, ""), ("stream", 1, "f")]
        last = next(a for a in asked if a.question.index == 1 and a.mode == "import")
        assert last.library == (library,)


def test_create_and_skip_never_see_nor_run_with_the_toolbox():
    asked, _ = play(trove(questions(3), PRESETS["official"]), winner({("stream", 0): ("create", [function("f")])}))
    assert all(a.shown == a.library == () for a in asked if a.mode != "import")


@pytest.mark.parametrize(
    ("mode", "failed", "choice", "shown"),
    [
        ("create", False, {}, "f"),
        ("create", True, {}, ""),
        ("create", True, {"adds_failing": ("create",)}, "f"),
        ("create", False, {"adds": ()}, ""),
        ("import", False, {}, ""),
        ("import", False, {"adds": ("import", "create")}, "f"),
        ("import", True, {"adds": ("import",)}, ""),
        ("import", True, {"adds": ("import",), "adds_failing": ("import",)}, "f"),
    ],
)
def test_who_may_add_tools(mode, failed, choice, shown):
    chosen = replace(TroveSettings(), modes=(mode, *(x for x in ("import", "create", "skip") if x != mode)), **choice)
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

    def loads(settings):
        def reply(request, sample):
            if isinstance(request, Run):
                return replace(said(""), output=LOADED if loaded(request) == "f" else "")
            return winner(script)(request, sample)

        asked, _ = playing.play(trove(questions(2), settings), reply)
        return [(request.question.index, loaded(request)) for request, _ in asked if isinstance(request, Run)]

    def loaded(run):
        return run.program.partition("from toolbox import ")[2].partition("\\n")[0]

    assert loads(TroveSettings()) == [(0, "f"), (0, "bad"), (1, "bad")]
    refused = tuple(f"counting/stream/{problem}/bad" for problem in range(2))
    assert loads(TroveSettings(refused=refused)) == [(0, "f")]


# ---- what is shown ----


def test_the_most_used_tool_is_shown_first_and_at_most_so_many():
    script = {
        ("stream", 0): ("create", [function("f"), function("g"), function("h")]),
        ("stream", 1): ("import", [imported("g")]),
    }
    for shown, expected in ((None, "g f h"), (2, "g f"), (0, "")):
        asked, _ = play(trove(questions(3), replace(TroveSettings(), shown=shown)), winner(script))
        assert toolboxes(asked)[-1][2] == expected
        assert len(asked[-3].library) == 3  # the rest are hidden but still run


def test_the_model_ranks_where_there_is_a_choice_at_the_cost_of_a_call():
    script = winner({("stream", 0): ("create", [function("f"), function("g")])})

    def reply(attempt, sample):
        return said("rank", text="g, f") if attempt.stage == "rank" else script(attempt, sample)

    asked, _ = play(trove(questions(3), replace(TroveSettings(), ranking="model")), reply)
    assert [text for *_, text in toolboxes(asked)] == ["", "g f", "g f"]
    ranks = [a for a in asked if a.stage == "rank"]
    assert [a.question.index for a in ranks] == [1, 2]
    assert all(not a.runs and not a.mode and len(a.shown) > 1 for a in ranks)


# ---- trimming and solving again ----


def test_trimming_happens_at_the_interval_and_its_problems_are_solved_again_by_import_and_skip():
    chosen = replace(TroveSettings(), threshold="fixed_2", interval=3)
    script = {
        ("stream", 0): ("create", [function("f")]),
        ("stream", 1): ("create", [function("g")]),
        ("stream", 2): ("import", [imported("g")]),
    }
    asked, answers = play(trove(questions(4), chosen), winner(script))
    assert toolboxes(asked) == [
        ("stream", 0, ""),
        ("stream", 1, "f"),
        ("stream", 2, "f g"),
        ("stream", 3, "g"),  # f was used once
        ("retry", 0, "g"),
    ]
    assert [a.mode for a in asked if a.phase == "retry"] == ["import", "skip"]
    assert [a.question.index for a in answers] == [0, 1, 2, 3, 0]
    assert spent(asked, "retry") == {0: 10}


def test_nothing_is_solved_again_where_retry_is_off_or_nothing_is_trimmed():
    script = winner({("stream", 0): ("create", [function("f")])})
    for choice in ({"retry": False, "threshold": "fixed_2"}, {"threshold": "never"}):
        asked, _ = play(trove(questions(5), replace(TroveSettings(), interval=2, final_trim=True, **choice)), script)
        assert spent(asked, "retry") == {}


@pytest.mark.parametrize(("adds", "shown"), [(False, ""), (True, "late")])
def test_whether_problems_solved_again_may_teach(adds, shown):
    chosen = replace(TroveSettings(), threshold="fixed_2", interval=2, adds=("import", "create"), adds_retry=adds)
    script = {
        ("stream", 0): ("create", [function("f")]),
        ("stream", 1): ("create", [function("g")]),
        ("retry", 0): ("import", [function("late")]),
    }
    asked, _ = play(trove(questions(2), chosen), winner(script))
    assert toolboxes(asked)[-1] == ("retry", 1, shown)


def test_an_ablation_without_import_solves_again_with_the_modes_it_has():
    chosen = replace(TroveSettings(), modes=("create", "skip"), budget=Budget(6), threshold="fixed_2", interval=1)
    asked, _ = play(trove(questions(1), chosen), winner({("stream", 0): ("create", [function("f")])}))
    assert [(a.phase, a.mode, len(a.samples)) for a in asked[2:]] == [("retry", "create", 3), ("retry", "skip", 3)]


# ---- order, selection, rectification ----


def test_a_shuffled_order_is_python_s_own_shuffle_and_the_data_sets_is_the_default():
    for seed, order in ((None, [0, 1, 2, 3, 4, 5]), (7, [4, 0, 5, 3, 1, 2])):
        _, answers = play(trove(questions(6), replace(TroveSettings(), shuffle=seed)), winner({}))
        assert [a.question.index for a in answers] == order


@pytest.mark.parametrize(
    ("rule", "mode"), [("two_stage", "import"), ("one_stage", "skip"), ("one_stage_described", "skip")]
)
def test_the_selection_rule_decides_who_answers(rule, mode):
    """Modes disagree; SKIP's answer has most votes in all, but each mode has one vote in the second stage."""

    def reply(attempt, sample):
        return said(
            attempt.mode,
            sample,
            answer={"import": sample, "create": 9, "skip": 8}[attempt.mode],
            ok=attempt.mode != "create" or sample < 4,
        )

    _, (answer,) = play(trove(questions(1), replace(TroveSettings(), selection=rule)), reply)
    assert answer.candidate.mode == mode


@pytest.mark.parametrize("mode", ["create", "import"])
def test_rectified_responses_replace_their_drafts(mode):
    def reply(attempt, sample):
        if attempt.mode == mode:
            name = "rough" if attempt.round == 0 else "fine"
            return said(mode, sample, [function(name)], answer=1, text=f"{name} {sample}")
        return said(attempt.mode, sample)

    chosen = replace(TroveSettings(), rectify=mode, adds=("import", "create"))
    asked, answers = play(trove(questions(2), chosen), reply)
    drafts = [a for a in asked if a.mode == mode and not a.round and a.question.index == 0]
    rewrites = [a for a in asked if a.stage == "rewrite" and a.question.index == 0]
    assert [(a.mode, a.samples) for a in drafts] == [(mode, range(5))]
    assert [(a.mode, a.phase, a.samples) for a in rewrites] == [(mode, "stream", range(i, i + 1)) for i in range(5)]
    assert all(a.values["response"] == f"rough {a.samples[0]}" for a in rewrites)
    assert answers[0].candidate.text.startswith("fine")
    assert spent(asked) == {0: 15, 1: 15}
    assert {t.name for a in asked if a.question.index == 1 and a.mode == "import" for t in a.shown} == {"fine"}


# ---- sampling ahead ----


@few
@given(
    st.sampled_from(list(PRESETS)),
    st.sampled_from([None, "create", "import"]),
    st.sampled_from([None, 40]),
    st.none() | st.integers(0, 3),
)
def test_what_is_sampled_ahead_is_what_would_be_asked_for(preset, rectify, tokens, shuffle):
    chosen = replace(PRESETS[preset], rectify=rectify, shuffle=shuffle, budget=Budget(15, tokens, 12))
    asked, answers = play(trove(questions(4), chosen), lambda a, s: said(a.mode, s, [function(f"f{s}")], tokens=3))
    wanted = {(replace(a, samples=range(0)), s) for a in asked for s in a.samples}
    early = [a for attempts in ahead(questions(4), chosen) for a in attempts]
    assert early
    assert {(replace(a, samples=range(0)), s) for a in early for s in a.samples} <= wanted
    assert list(dict.fromkeys(a.question for a in early)) == [a.question for a in answers[:4]]


# ---- bad settings ----


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ({"budget": Budget(16)}, "multiple of 3"),
        ({"budget": Budget(0)}, "at least one"),
        ({"selection": "best"}, "choose from"),
        ({"modes": ("import", "think")}, "choose from"),
        ({"modes": ("skip", "skip")}, "once"),
        ({"threshold": "log2"}, "half_log10"),
        ({"ranking": "random"}, "lexical"),
        ({"interval": 0}, "at least 1"),
        ({"shown": -1}, "at least 0"),
        ({"rectify": "skip"}, "create"),
    ],
)
def test_settings_that_make_no_sense_are_refused(choice, words):
    with pytest.raises(TroveLiteError, match=words):
        replace(TroveSettings(), **choice)


# ---- the official program ----


def official(n, reply, k, interval):
    """The official `run_trove.py` in short, from its description: a second hand to hold `trove` to."""
    library, trimmed, shown = {}, set(), []

    def best(candidates):
        ok = [c for c in candidates if c.vote.ok]
        votes = {}
        for c in ok:
            for answer in c.vote.answers:
                votes.setdefault(answer, []).append(c)
        if not votes:
            return (ok or candidates)[0]
        return max(votes.values(), key=len)[0]  # equally complex here

    def solve(i, modes, phase):
        shown.append((phase, i, " ".join(sorted(library, key=lambda name: -library[name][0])[:10])))
        first = best([best([reply(i, mode, phase, s) for s in range(k)]) for mode in modes])
        for tool in first.tools:
            name = tool.name.removeprefix("toolbox.")
            if first.mode == "import" and name in library:
                library[name][0] += 1
                library[name][1].append(i)
            elif name not in library and (first.mode == "import" or (first.mode == "create" and first.vote.ok)):
                library[name] = [1, [i]]

    def trim(n):
        import math

        for name, (uses, used_by) in list(library.items()):
            if uses < math.log(n, 20):
                trimmed.update(used_by)
                del library[name]

    for i in range(n):
        solve(i, ("import", "create", "skip"), "stream")
        if (i + 1) % interval == 0:
            trim(i + 1)
    trim(n)
    for i in sorted(trimmed):
        solve(i, ("import", "skip"), "retry")
    return shown


replies = st.tuples(
    st.booleans(),
    st.none() | st.integers(0, 2),
    st.lists(st.sampled_from("abcd").map(function) | st.sampled_from("abcd").map(imported), max_size=3),
)


@few
@given(st.integers(1, 45), st.integers(1, 30), st.lists(replies, min_size=3, max_size=17), st.integers(0, 99))
def test_the_official_preset_does_what_the_official_program_does(n, interval, script, salt):
    def scripted(i, mode, phase, sample):
        draw = sample_seed(salt, Question("", "", i, ""), phase, mode, sample)
        ok, answer, tools = script[draw % len(script)]
        return said(mode, sample, tools, answer=answer, ok=ok)

    chosen = replace(PRESETS["official"], interval=interval, budget=Budget(6))
    asked, _ = play(trove(questions(n), chosen), lambda a, s: scripted(a.question.index, a.mode, a.phase, s))
    assert toolboxes(asked) == official(n, scripted, 2, interval)


# ---- traces worked out by hand ----

STORY = {
    ("stream", 0): ("create", [function("f")]),
    ("stream", 1): ("import", [imported("f"), function("g")]),
    ("stream", 2): ("import", [imported("math"), imported("g")]),
    ("stream", 3): ("create", [function("h")], "failed"),
    ("stream", 4): ("create", [function("i")]),
}


def test_the_papers_preset_on_the_same_story():
    """IMPORT only counts uses, so g and math never come in. Trimming waits for problem 200, where ½·log10 200 = 1.15:
    f, used twice, stays; i, used once, goes, and problem 4 is solved again."""
    asked, _ = play(trove(questions(201), PRESETS["paper"]), winner(STORY))
    lines = toolboxes(asked)
    assert lines[:6] == [
        ("stream", 0, ""),
        ("stream", 1, "f"),
        ("stream", 2, "f"),
        ("stream", 3, "f"),
        ("stream", 4, "f"),
        ("stream", 5, "f i"),
    ]
    assert lines[199:] == [("stream", 199, "f i"), ("stream", 200, "f"), ("retry", 4, "f")]


# ---- the recorded runs ----


def test_the_official_preset_shows_the_toolbox_of_every_recorded_prompt(public_logs, public_problems):
    """Fed with what CodeLlama wrote, `trove` has the same tools in the same order in all recorded IMPORT prompts, and
    solves the same problems again, but where a vote hangs on an output that the record has shortened. In one run two
    tools change places before problem 132, though no vote says so: what follows is left out."""
    index = {}
    for problem in (p for problems in public_problems.values() for p in problems):
        index.setdefault(problem.question.text.strip(), []).append(problem)
    logs = shown = 0
    for log in public_logs:
        text = log.read_bytes().decode()
        sections = list(import_logs._sections(text, log))
        matched = import_logs._match(sections, index, text, log)
        recorded = {}
        for section, problem, (phase, mode) in zip(sections, matched, import_logs._modes(sections), strict=True):
            if mode == "import":
                body = text[section.position : section.samples[0].start()].split("**Toolbox**")[1]
                recorded[phase, problem.index] = body.split("**Question**")[0].strip()
        if not recorded:
            continue
        rows = as_frame(import_logs._read_log(log, "run", index=index, partial=False)[0])
        ours = {
            (a.phase, a.question.index): format_toolbox(a.shown).strip()
            for a, _ in played_back(rows)
            if a.mode == "import"
        }
        logs += 1
        shown += len(ours)
        if "base_count_ablat1_run4" in log.parts:
            before = {("stream", number) for number in range(132)}
            ours, recorded = ({key: each[key] for key in before} for each in (ours, recorded))
        assert {key: recorded[key] for key in ours} == ours
        assert ours.keys() == recorded.keys() or rows["shortened"].any()
    assert logs == 11
    assert shown > 2600


# ---- placebo ----


def creating(n):
    """A reply in which CREATE wins every problem with a tool of its own."""
    return winner({("stream", i): ("create", [function(f"tool{i}")]) for i in range(n)})


@pytest.mark.parametrize(("toolbox", "lent"), [("none", ()), ("some/run", (((function("theirs"),), ("code",)),))])
def test_a_placebo_makes_trove_s_calls_and_learns_nothing(toolbox, lent):
    chosen = TroveSettings(toolbox=toolbox, threshold="fixed_2", interval=2)
    asked, answers = play(trove(questions(6), chosen, lent), creating(6))
    own, _ = play(trove(questions(6), TroveSettings()), creating(6))
    assert [(a.mode, a.samples, a.question) for a in asked] == [(a.mode, a.samples, a.question) for a in own]
    assert {names for _, _, names in toolboxes(asked)} == {"theirs" if lent else ""}
    assert {a.library for a in asked if a.mode == "import"} == {("code",) if lent else ()}
    assert len(answers) == 6


def test_a_lent_toolbox_is_the_one_of_the_same_place_and_then_the_last():
    lent = tuple(((function(f"at{place}"),), ()) for place in range(3))
    asked, _ = play(trove(questions(5), TroveSettings(toolbox="some/run"), lent), creating(5))
    assert [names for _, _, names in toolboxes(asked)] == ["at0", "at1", "at2", "at2", "at2"]


@pytest.mark.parametrize(("toolbox", "count"), [("none", 0), ("some/run", 3)])
def test_all_of_a_placebo_can_be_sampled_ahead(toolbox, count):
    chosen = TroveSettings(toolbox=toolbox, shuffle=1)
    lent = tuple(((function(f"at{place}"),), (f"code{place}",)) for place in range(count))
    asked, _ = play(trove(questions(5), chosen, lent), creating(5))
    assert [attempt for attempts in ahead(questions(5), chosen, lent) for attempt in attempts] == asked
