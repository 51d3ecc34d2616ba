"""The pack `one-factor`: its points differ in what their switches say; its examples run, and are no
near-duplicates."""

import json
import re
from dataclasses import replace
from itertools import combinations, product
from operator import gt, lt

import pytest

from trove_lite.candidates import load_candidates, read_description
from trove_lite.cli.commands import settings_of
from trove_lite.datasets import DATASETS, load_dataset
from trove_lite.datasets.base import Problem, Question
from trove_lite.errors import TroveLiteError
from trove_lite.models.base import Completion, LanguageModel
from trove_lite.programs import program_of
from trove_lite.programs.parse import isolated_tools, parse_completion
from trove_lite.prompts import load_pack
from trove_lite.prompts.one_factor import (
    Point,
    examples,
    examples_of_others,
    function_of,
    render,
    words,
)
from trove_lite.running.live import live_run
from trove_lite.running.settings import RunSettings

from ..cases import cases
from .near_duplicates import LIMIT, likeness, nearest, text_of

TOOLS = ("none", "program", "shared", "toolbox", "apart", "given")
SWITCHES = {
    "tool": TOOLS,
    "thought": ("none", "comments"),
    "examples": ("task", "others"),
    "form": ("completion", "chat"),
}
NAMES = [name for name in ("math", "tabmwp", "bbh") if name in DATASETS.working()]
CATEGORIES = [(name, category) for name in NAMES for category in load_dataset(name).categories]
SECTION = re.compile(r"^\*\*(\w+)\*\*\n", re.MULTILINE)


def joined(prompt):
    """A prompt as one text: turns as they would stand in it."""
    if isinstance(prompt, str):
        return prompt
    (_, instruction), *turns = prompt
    pairs = [
        f"{asked[1]}\n\n{said[1]}" for asked, said in zip(turns[::2], turns[1::2], strict=False)
    ]
    return "\n\n\n".join([instruction, *pairs, f"{turns[-1][1]}\n\n"])


def prompts(category="counting", tools=()):
    """Every point of the grid → its prompt for one question."""
    others = examples_of_others("math", category, load_dataset("math").categories)
    worked = {"task": examples("math", category), "others": others}
    question = Question("math", category, 0, "How many?")
    code = "def f():\n    return 1"
    return {
        point: render(
            "math", worked[point[2]], Point(*point[:2]), point[3], question, tools, tool=code
        )
        for point in product(*SWITCHES.values())
    }


def parts(text):
    """A prompt by what its switches may touch."""
    instruction, *shown = text.rstrip().split("\n\n\n")
    found = [
        dict(zip(*[iter(map(str.strip, SECTION.split(one)[1:]))] * 2, strict=True)) for one in shown
    ]
    tools = [one.get("Tools", "").splitlines() for one in found]
    return {
        "instruction": instruction.split("\n"),
        "questions": [one["Question"] for one in found],
        "comments": [[line for line in lines if line.startswith("# ")] for lines in tools],
        "imports": [[line for line in lines if re.match(r"import \w+$", line)] for lines in tools],
        "functions": [
            [line for line in lines if not re.match(r"# |import \w+$|```|$", line)]
            for lines in tools
        ],
        "toolbox": [one.get("Toolbox") for one in found],
        "program": [one.get("Solution") for one in found],
    }


#: What of a prompt a switch may change, besides lines of the instruction that name it.
TOUCHED = {"tool": {"functions", "toolbox", "program"}, "thought": {"comments"}, "form": set()}
TOUCHED["examples"] = {"questions", "comments", "imports", "functions", "toolbox", "program"}


def test_points_that_differ_in_one_switch_differ_in_nothing_else():
    said = {name: {line.strip() for line in words()[name].values()} for name in ("tool", "thought")}
    for (one, a), (other, b) in combinations(prompts().items(), 2):
        differ = [
            name for name, left, right in zip(SWITCHES, one, other, strict=True) if left != right
        ]
        if len(differ) > 1:
            continue
        (switch,), first, second = differ, parts(joined(a)), parts(joined(b))
        changed = {name for name in first if first[name] != second[name]}
        assert changed - {"instruction"} <= TOUCHED[switch], (one, other)
        lines = set(first["instruction"]) ^ set(second["instruction"])
        assert lines <= said.get(switch, set()), (one, other)
        assert bool(lines) == (switch in said)
        assert switch != "form" or joined(a) == joined(b)
        assert changed or switch == "form", (one, other)


@pytest.mark.parametrize(
    ("dataset", "methods", "more", "found"),
    cases(
        """
        "math", ("trove", "pot", "creator", "memory"), {}, "one-factor"
        "tabmwp", ("instance",), {}, "one-factor"
        "math", ("trove", "tool_use"), {}, "own"  # for which it has no words
        "bbh", ("latm",), {}, "own"  # which writes messages of its own
        "wtq", ("primitive",), {}, "own"  # of which it has no examples
        "math", ("trove",), {"model": "practice"}, "practice"
        "math", ("trove",), {"prompts": "own"}, "own"
        """
    ),
)
def test_it_is_the_default_where_it_has_words_for_data_and_methods(dataset, methods, more, found):
    assert RunSettings(dataset=dataset, methods=methods, **more).prompts == found


def test_a_run_that_was_begun_with_other_prompts_goes_on_with_them(tmp_path):
    settings = {"name": "before", "seeds": [0], "dataset": "math", "prompts": "own", "chat": "auto"}
    (tmp_path / "run.json").write_text(json.dumps({"settings": settings}))
    given = {"dataset": "math", "methods": ("trove",)}
    assert settings_of(given, tmp_path).prompts == "own"
    assert settings_of(given | {"prompts": "official"}, tmp_path).prompts == "official"
    assert settings_of(given, tmp_path / "new").prompts == "one-factor"


def test_toolboxes_differ_in_their_list_alone():
    helping = [function_of(example) for example in examples("math", "geometry")]
    point = ("toolbox", "none", "task", "completion")
    filled, empty = (parts(prompts(tools=tools)[point]) for tools in (helping, ()))
    assert {name for name in filled if filled[name] != empty[name]} == {"toolbox"}
    assert filled["toolbox"][:3] == empty["toolbox"][:3]
    assert [text.count("```python") for text in empty["toolbox"]] == [3, 2, 0, 0]
    assert ["from toolbox import" in " ".join(lines) for lines in empty["functions"]] == [
        True,
        False,
        False,
        False,
    ]


@pytest.mark.parametrize(("name", "category"), CATEGORIES)
def test_worked_examples_print_their_answers_at_every_point_and_import_what_they_use(
    name, category, box
):
    dataset = load_dataset(name)
    programs = []
    known = {e["question"].strip(): e for c in dataset.categories for e in examples(name, c)}
    library = isolated_tools(f"{e['imports']}\n{e['function']}" for e in known.values()).tools
    stages = {"primitive", "instance", "create", "import", "decide"} & {*words()["stages"]}
    for stage, thought in product(stages, ("none", "comments")):
        pack = load_pack(f"one-factor?thought={thought}", dataset)
        prompt = pack.render(
            Question(name, category, 0, "How many?"),
            stage,
            **dict.fromkeys(pack.stages[stage], "?"),
        )
        texts = prompt.split("\n\n\n")[1:-1]
        assert len(texts) == 3
        for text in texts:
            (example,) = (e for question, e in known.items() if question in text)
            solution, tools, *_ = parse_completion(text[text.index("**Tools**\n") :], "strict")
            given = {"import": library, "decide": (function_of(example).source,)}.get(stage, ())
            assert any(example["imports"] in tool.source for tool in tools)
            assert solution.strip().splitlines()[-2].startswith("print(")
            programs.append((program_of(solution, tools, given), example["answer"]))
            module = example["imports"].removeprefix(
                "import "
            )  # needed by each version: imports are no second factor
            assert all(f"{module}." in example[version] for version in ("plain", "call"))
    for (program, answer), ran in zip(
        programs, box.run_many([p for p, _ in programs], False), strict=True
    ):
        gold = answer if isinstance(answer, str) else float(answer)
        assert (ran.status, dataset.correct(dataset.read(ran.output), gold)) == ("ok", True), (
            program,
            ran,
        )


SQUARES = "How many positive divisors of $720$ are perfect squares?"


@pytest.mark.parametrize(
    ("other", "text", "is_so"),
    [
        (SQUARES, "How many positive factors of 4000 are multiples of 100?", gt),
        (SQUARES, "How many ways are there to seat five people in a row?", lt),
        (
            "If $f(x) = 3x - 4$ and $g(x) = x^2 + 1$, what is $f(g(2))$?",
            "Let $f(x)=2x-4$ and $g(x)=x^2+3$. What is $f(g(2))$?",
            gt,
        ),
    ],
)
def test_a_near_twin_is_found_by_its_words_without_numbers(other, text, is_so):
    assert is_so(likeness(text_of(other), text_of(text)), LIMIT)


def test_no_worked_example_is_a_near_twin_of_a_test_problem(public_problems, table_problems):
    problems = [problem.question.text for found in public_problems.values() for problem in found]
    assert len(problems) == 3201
    known = [
        (text, text_of(text))
        for text in [*problems, *(p.question.text for p in table_problems("tabmwp"))]
    ]
    found = {
        e["question"]: nearest(e["question"], known)
        for name, c in CATEGORIES
        if name != "bbh"
        for e in examples(name, c)
    }
    assert {question: twin for question, twin in found.items() if twin[0] >= LIMIT} == {}


def test_a_run_says_which_point_of_the_grid_it_asked_and_refuses_what_is_none():
    settings = RunSettings(
        dataset="math", methods=("primitive",), prompts="one-factor?thought=comments&form=chat"
    )
    assert settings.parser == "strict"
    found = {
        options: load_pack(f"one-factor{options}", load_dataset("math"))
        for options in ("", "?thought=comments")
    }
    assert [pack.name for pack in found.values()] == ["one-factor", "one-factor?thought=comments"]
    assert len({pack.hash_of(["primitive"]) for pack in found.values()}) == 2
    question = Question("math", "number", 0, "How many?")  # a point is one, whoever asks for it
    assert found["?thought=comments"].render(question, "primitive") == found[""].render(
        question, "pot"
    )
    for name, dataset, fault in cases(
        """
        "one-factor?thought=words",   "math",   "thought 'words'"
        "one-factor?mood=good",       "math",   "no option 'mood'"
        "one-factor?examples=others", "tabmwp", "no 3 worked examples of other categories"
        "one-factor?examples=task",   "bbh",    "no 3 worked examples of a category"
        "one-factor",                 "wtq",    "no worked examples"
        "own?thought=none",           "math",   "takes no options"
        """
    ):
        with pytest.raises(TroveLiteError, match=re.escape(fault)):
            load_pack(name, load_dataset(dataset))


class Copies(LanguageModel):
    """Answers as the first worked example of its prompt does, up to where replies of that prompt
    end."""

    name = "copies"

    async def complete(self, prompt, seeds, *, sampling=None):
        text = prompt if isinstance(prompt, str) else joined([(m[0], m[1]) for m in prompt])
        said = text.split("\n\n\n")[1].partition("**Tools**")
        return [Completion("".join(said[1:]), 1, 1, "stop", 0.0) for _ in seeds]


@pytest.mark.parametrize("options", ["", "?thought=comments&form=chat"])
def test_replies_in_the_form_of_the_examples_run_in_every_method_of_the_grid(
    options, tmp_path, box
):
    dataset = replace(
        load_dataset("math"), load=lambda c: [Problem(Question("math", c, 0, "How many?"), 3.0)]
    )
    methods = ("primitive", "instance", "trove", "pot", "entangled", "creator", "memory")
    settings = RunSettings(
        dataset="math",
        categories=("geometry",),
        methods=methods,
        seeds=(0,),
        k=3,
        prompts=f"one-factor{options}",
    )
    out = live_run(
        settings, tmp_path / "run", model=Copies(), dataset=dataset, sandbox=box, progress=False
    )
    rows = load_candidates(out)
    about = read_description(out)
    assert set(rows["status"].astype(str)) == {
        "ok",
        "error",
    }  # an import from a toolbox that is still empty
    assert set(rows[rows["status"] == "error"]["mode"].astype(str)) == {"import"}
    assert rows[rows["status"] == "ok"]["correct"].all()
    assert set(rows["method"].astype(str)) == set(methods)
    assert (about["prompts"]["name"], about["settings"]["prompts"]) == (f"one-factor{options}",) * 2
    assert [tool["name"] for tool in about["toolboxes"] if tool["name"]] == ["cone_volume"]
