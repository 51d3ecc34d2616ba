"""MEMORY, TTE, CRAFT and REGAL: what is asked in which order, what is kept, what is counted."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from trove_lite.datasets import load_dataset
from trove_lite.datasets.answers import read_numbers
from trove_lite.datasets.base import Problem, Question
from trove_lite.errors import TroveLiteError
from trove_lite.methods import load_method
from trove_lite.methods.base import Budget, Run
from trove_lite.programs import AT_HAND, Tool, code_of
from trove_lite.prompts import load_pack
from trove_lite.prompts.own import shown_tool, texts
from trove_lite_papers.makers.craft import NAMES as WISHED
from trove_lite_papers.makers.craft import CraftSettings
from trove_lite_papers.makers.lookup import embedded
from trove_lite_papers.makers.memory import MemorySettings
from trove_lite_papers.makers.regal import Helper, RegalSettings, rewritings
from trove_lite_papers.makers.tte import EXAMPLE, STEP, TRIED, TteSettings

from ...methods.playing import came_of, play
from ...prompts.test_examples import parts

TEXTS = (
    "How many ways to choose a committee?",
    "What is the area of a circle?",
    "How many ways to choose a team?",
)
QUESTIONS = [Question("practice", "counting", index, text) for index, text in enumerate(TEXTS)]


def function(name, words="", body="return x"):
    source = f'def {name}(x):\n    """{words}"""\n    {body}'
    return Tool(name, f"{name}(x)", words, source, "function")


def reply(request, sample, text="", *, output="", answers=("1.0",), **more):
    return came_of(request, sample, text, "ok", output, answers=answers, **more)


def play_memory(settings, answers=lambda request, sample: ("1.0",)):
    def program(request, sample):
        code = f"print({request.question.index})"
        return reply(
            request,
            sample,
            code,
            solution=f"```python\n{code}\n```",
            answers=answers(request, sample),
        )

    asked, _ = play(load_method("memory").steps(QUESTIONS, settings), program)
    return asked


def test_memory_shows_programs_that_agreed_whole_and_the_likest_last():
    asked = play_memory(MemorySettings(budget=Budget(2)))
    assert [request.stage for request, _ in asked] == [
        "memory"
    ] * 6  # k requests a problem, and nothing besides
    shown = [request.values["memory"] for request, sample in asked if sample == 0]
    assert shown[0] == ""
    pack, first = load_pack("own", load_dataset("practice")), QUESTIONS[0]
    assert pack.render(first, "memory", memory="") == pack.render(first, "primitive")
    worked = f"**Question**\n{TEXTS[0]}\n\n**Tools**\n```python\n\n```\n\n**Solution**\n```python\nprint(0)\n```"
    prompt = pack.render(QUESTIONS[1], "memory", memory=shown[1])
    assert prompt.endswith(f"\n\n\n{worked}\n\n\n**Question**\n{TEXTS[1]}\n\n")  # it is asked last
    assert shown[2].index("print(1)") < shown[2].index(
        "print(0)"
    )  # a committee is more like a team
    assert all(request.shown == request.library == () for request, _ in asked)  # never a function


@pytest.mark.parametrize(
    ("choices", "answers"),  # no two agree, there is no answer, none may be shown
    [
        ({}, lambda request, sample: (str(sample),)),
        ({}, lambda *_: ()),
        ({"similar": 0}, lambda *_: ("1.0",)),
    ],
)
def test_memory_shows_nothing_where_nothing_agreed(choices, answers):
    asked = play_memory(MemorySettings(budget=Budget(2), **choices), answers)
    assert {request.values["memory"] for request, _ in asked} == {""}


CHOOSE = function("choose", "Ways to choose a committee. >>> choose(2)")


def play_tte(settings, made=None, runs=lambda tool: True):
    """Each question is one step; its program makes the tools that `made` has for its number."""

    def answer(request, sample):
        if isinstance(request, Run):
            return reply(request, sample, output=TRIED if runs(request.program) else "")
        if request.stage == "tte_plan":
            return reply(
                request,
                sample,
                f"Steps:\n1. {request.question.text}\n2) Print it. Now to the first.",
            )
        if request.stage == "tte_pick":
            return reply(request, sample, f"I take {request.shown[0].name}.")
        tools = (made or {}).get(request.question.index, ())
        return reply(request, sample, tools=tools, solution="print(choose(3))")

    asked, _ = play(load_method("tte").steps(QUESTIONS, settings), answer)
    return asked


def test_tte_plans_looks_up_answers_and_keeps_what_runs():
    asked = play_tte(TteSettings(budget=Budget(4)), {0: (CHOOSE,)})
    first, _, last = ([r for r, _ in asked if r.question.index == index] for index in range(3))
    assert [request.stage for request in first] == ["tte_plan", "tte", "tte", "tte", "try"]
    assert "choose(2)" in first[-1].program  # the example of its docstring
    assert [request.stage for request in last] == [
        "tte_plan",
        "tte_pick",
        "tte",
        "tte",
    ]  # 4 calls, all told
    assert last[1].sampling == {"temperature": 0}
    assert last[2].library == (AT_HAND, *last[2].shown) == (AT_HAND, CHOOSE)
    assert last[2].values["steps"] == f"1. {TEXTS[2]}\n2. Print it."


@pytest.mark.parametrize(
    ("second", "kept"),
    [
        (
            function("choose", "Ways to choose a team.", "return 7 * x ** 2 + other"),
            False,
        ),  # a name that is there
        (
            function("pick", "Ways to choose a committee. >>> choose(2)"),
            False,
        ),  # code that is there
        (function("area", "Area of a circle.", "return 3.14 * radius ** 2 / height"), True),
    ],
)
def test_tte_drops_what_its_library_has(second, kept):
    asked = play_tte(TteSettings(budget=Budget(3)), {0: (CHOOSE,), 1: (second,)})
    tried = [r.question.index for r, _ in asked if isinstance(r, Run)]
    assert tried == ([0, 1] if kept else [0])


def test_tte_keeps_nothing_whose_example_fails_and_no_more_than_it_may():
    asked = play_tte(TteSettings(budget=Budget(3)), {0: (CHOOSE,)}, runs=lambda program: False)
    assert {r.shown for r, _ in asked if r.stage == "tte"} == {()}
    area = function(
        "area", "Area of a circle, and ways to choose.", "return 3.14 * radius ** 2 / height"
    )
    asked = play_tte(TteSettings(budget=Budget(9), kept=1), {0: (CHOOSE,), 1: (area,)})
    offered = [
        tool.name
        for r, _ in asked
        if r.stage == "tte_pick" and r.question.index == 2
        for tool in r.shown
    ]
    assert set(offered) == {"choose"}  # it was used, and the newer one was not


ASKED = [
    Question("practice_train", "counting", 7 + n, f"Ways to choose {n} of a committee?")
    for n in range(3)
]
LABELLED = [Problem(question, float(n)) for n, question in enumerate(ASKED)]


def play_craft(settings, wrong=()):
    def answer(request, sample):
        if request.phase == "make":
            made = function(f"choose_{sample}", "Ways to choose a committee.")
            code, apart = f"```python\n{made.source}\n```", ()
            if request.stage == "craft_general":  # a reply under the headings Solution and Tools
                code, apart = f"```python\n{made.name}(7)\n```", (made,)
            answers = ("9.0" if (request.stage, sample) in wrong else f"{sample}.0",)
            return reply(request, sample, code, solution=code, tools=apart, answers=answers)
        if request.stage == "craft_wish":
            return reply(request, sample, "choose_some, count_ways: ways to choose a committee")
        return reply(request, sample)

    return play(load_method("craft").steps(QUESTIONS, settings, LABELLED), answer)[0]


def test_craft_makes_its_tools_from_labelled_problems_before_the_first_question():
    asked = play_craft(CraftSettings(budget=Budget(4)), wrong=[("decide", 0), ("craft_general", 1)])
    made = [(r.stage, s) for r, s in asked if r.phase == "make"]
    assert made[:6] == [*(("creation", n) for n in range(3)), *(("decide", n) for n in range(3))]
    assert made[6:] == [("craft_general", 1), ("craft_general", 2)]  # the first was wrong already
    assert {r.question[:3] for r, _ in asked[: len(made)]} == {
        QUESTIONS[0][:3]
    }  # where its calls are put down
    assert all(r.role == "maker" and r.mode == "" for r, _ in asked[: len(made)])
    used = [r for r, _ in asked if r.stage == "craft"]
    assert {tool.name for r in used for tool in r.shown} == {"choose_2"}
    assert [r.stage for r, _ in asked if r.question.index == 1] == [
        "craft_wish",
        "craft",
        "craft",
        "craft",
    ]


def test_craft_shows_only_tools_with_votes_enough():
    asked = play_craft(CraftSettings(budget=Budget(4), votes=9))
    assert {r.shown for r, _ in asked if r.stage == "craft"} == {()}


@pytest.mark.parametrize("name", ["craft", "regal"])
def test_what_is_made_of_labelled_problems_is_made_once_and_needs_some(name):
    method = load_method(name)
    assert method.stream  # else each question would have its own, made anew
    with pytest.raises(TroveLiteError, match="no labelled problems"):
        play(method.steps(QUESTIONS, method.presets["paper"], []), reply)


HELPERS = '```python\ndef choose(n):\n    """Ways to choose a committee."""\n    return n\n```\n'


def program(number):
    return f"```python\nprint(choose({number}))\n```\n"


def play_regal(settings, wrong=()):
    """All that is asked: of three labelled problems, whose programs print their own number unless `wrong` says not.

    `wrong`: (stage, labelled problem, round). The first try rewrites all of a batch, the second one program.
    """

    def answer(request, sample):
        if isinstance(request, Run) or request.stage == "primitive":
            right = (request.stage, sample, request.round) not in wrong
            code = (
                {} if isinstance(request, Run) else {"solution": f"```python\nprint({sample})\n```"}
            )
            return reply(
                request, sample, output="9", answers=(f"{sample}.0" if right else "9.0",), **code
            )
        if request.stage == "regal_refactor":
            return reply(request, sample, HELPERS + "".join(map(program, range(settings.batch))))
        return reply(request, sample, HELPERS + program(sample))

    return play(load_method("regal").steps(QUESTIONS, settings, LABELLED), answer)[0]


def test_regal_rewrites_right_programs_in_batches_and_once_more_where_they_fail():
    wrong = [("primitive", 1, 0), ("regal_check", 2, 0)]
    asked = play_regal(RegalSettings(budget=Budget(2), batch=2), wrong)
    made = [(r.stage, sample) for r, sample in asked if r.phase == "make"]
    assert made[:3] == [("primitive", 0), ("primitive", 1), ("primitive", 2)]
    checked, checked_again = [("regal_check", 0), ("regal_check", 2)], [("regal_check", 2)]
    assert made[3:] == [("regal_refactor", 1), *checked, ("regal_retry", 2), *checked_again]
    assert {r.question.index for r, _ in asked[: len(made)]} == {
        QUESTIONS[0].index
    }  # where its calls are put down
    assert {r.mode for r, _ in asked[: len(made)]} == {""}  # none is a candidate
    refactor, again = (
        next(r for r, _ in asked if r.stage == stage) for stage in ("regal_refactor", "regal_retry")
    )
    assert {refactor.role, again.role} == {"maker"}
    assert "print(0)" in refactor.values["programs"]
    assert "print(2)" in refactor.values["programs"]
    assert "print(1)" not in refactor.values["programs"]  # it was wrong
    assert again.values["error"] == "It prints another answer: 9"
    used = [r for r, _ in asked if r.stage == "regal"]
    assert len(used) == 2 * len(QUESTIONS)
    assert {tool.name for r in used for tool in r.shown} == {"choose"}
    assert {r.library for r in used} == {(AT_HAND, *r.shown) for r in used}
    past = "**Tools**\n```python\nfrom toolbox import choose\n```\n\n**Solution**\n```python\nprint(choose(2))\n```"
    assert past in used[0].values["memory"]


def test_regal_keeps_no_helper_of_a_program_that_stays_wrong():
    wrong = [("regal_check", n, round) for n in range(3) for round in (0, 1)]
    asked = play_regal(RegalSettings(budget=Budget(1)), wrong)
    used = [r for r, _ in asked if r.stage == "regal"]
    assert {r.shown for r in used} == {()}
    assert "toolbox" not in used[0].values["memory"]
    assert "print(1)" in used[0].values["memory"]  # as it was


def test_regal_shows_later_batches_the_helpers_of_earlier_ones():
    asked = play_regal(RegalSettings(budget=Budget(1), batch=1))
    assert [[t.name for t in r.shown] for r, _ in asked if r.stage == "regal_refactor"] == [
        [],
        ["choose"],
        ["choose"],
    ]


STAYS, GOES = (
    [([True] * 3 + [False], 9), ([True], 41)],
    [([True, False] * 2, 9), ([True], 42), ([], 1)],
)


@pytest.mark.parametrize(
    ("right", "batch", "stays"),
    [*((*one, True) for one in STAYS), *((*one, False) for one in GOES)],
)
def test_regal_prunes_helpers_that_fail_or_are_rarely_called(right, batch, stays):
    assert Helper(CHOOSE, 1, right).stays(batch, RegalSettings()) is stays


def test_regal_reads_programs_apart_from_their_helpers():
    own = "```python\nfrom toolbox import choose\ndef twice(x):\n    return 2 * x\n\nprint(twice(choose(3)))\n```\n"
    found = rewritings(f"{HELPERS}{own}```python\nprint(\n```", {"choose": Helper(CHOOSE, 1)})
    (code, tools), (broken, _) = found
    assert code == "from toolbox import twice\nfrom toolbox import choose\nprint(twice(choose(3)))"
    assert [tool.name for tool in tools] == ["twice", "choose"]
    assert tools[1] is CHOOSE  # of one name the older stays
    assert broken == "print("


@pytest.mark.parametrize("likeness", ["embeddings", "embedding:", "embedding", ""])
def test_a_likeness_that_is_none_is_refused(likeness):
    with pytest.raises(TroveLiteError, match="write words or embedding:NAME"):
        MemorySettings(likeness=likeness)


@pytest.mark.parametrize("settings", [MemorySettings, TteSettings, CraftSettings, RegalSettings])
def test_embeddings_look_up_by_the_cosine_of_what_the_model_says(settings, monkeypatch):
    vectors = {"choose": [1, 0], "area": [0.6, 0.8]}

    class SentenceTransformer:
        def __init__(self, name, device):
            assert (name, device) == ("some/model", "cpu")

        def encode(self, text, normalize_embeddings):
            return np.array(next((vectors[word] for word in vectors if word in text), [-1, 0]))

    monkeypatch.setitem(
        sys.modules,
        "sentence_transformers",
        SimpleNamespace(SentenceTransformer=SentenceTransformer),
    )
    embedded.cache_clear()
    tools = [function("volume"), function("area"), CHOOSE]
    found = settings(likeness="embedding:some/model").nearest("Ways to choose?", tools, 5)
    assert [tool.name for tool in found] == [
        "choose",
        "area",
    ]  # the third is no more like it than not


def test_embeddings_without_their_package_name_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    embedded.cache_clear()
    with pytest.raises(TroveLiteError, match=r"pip install 'trove-lite\[embeddings\]'"):
        MemorySettings(likeness="embedding:some/model").nearest("Ways?", [CHOOSE], 1)


def test_worked_examples_of_a_stage_s_own_answer_in_the_form_that_its_method_reads(box):
    said = {
        name: stage["worked"] for name, stage in texts("instructions").items() if "worked" in stage
    }
    programs = [
        code for e in said["craft_general"] for code in (e["program"], code_of(e["said"].strip()))
    ]
    assert [read_numbers(ran.output) for ran in box.run_many(programs, False)] == [["22.0"]] * 2 + [
        ["6.0"]
    ] * 2
    assert all(
        len(WISHED.findall(e["said"])) == 2 and e["said"].endswith(".") for e in said["craft_wish"]
    )
    assert all(
        len(STEP.findall(e["said"])) == len(e["said"].strip().split("\n")) > 1
        for e in said["tte_plan"]
    )
    taken, _, written, _ = parts("math", "counting", "tte", steps="?")
    assert ("import chance_of_exactly\n" in taken, EXAMPLE.search(written)[1]) == (
        True,
        "divisors_of(12)",
    )
    assert {e["said"] for e in said["tte_pick"]} <= {
        "none",
        *(shown_tool(e).name for e in said["tte_pick"]),
    }
    pack, toolbox = (
        load_pack("own", load_dataset("math")),
        [shown_tool(e) for e in said["tte_pick"]],
    )
    for stage, heading in (
        ("tte_plan", "Steps"),
        ("tte_pick", "Function"),
        ("craft_wish", "Functions"),
    ):
        prompt = pack.render(
            Question("math", "counting", 0, "Why?"), stage, toolbox, step="How many?"
        )
        replies = [part.partition("\n\n\n")[0] for part in prompt.split(f"**{heading}**\n")[1:]]
        wanted = [*(e["said"].strip() for e in said[stage]), ""]
        assert (pack.stops[stage][:2], replies) == (("\n\n", f"**{heading}"), wanted)
