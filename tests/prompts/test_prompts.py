"""prompts: our own pack is sound and gives nothing away; the official one renders as the official
program does."""

import hashlib
import json
import re
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from trove_lite.datasets import load_dataset
from trove_lite.datasets.base import Question
from trove_lite.datasets.files import data_folder
from trove_lite.datasets.math import CATEGORIES, MATH
from trove_lite.datasets.practice import PRACTICE
from trove_lite.errors import TroveLiteError
from trove_lite.methods.trove import PRESETS, attempts
from trove_lite.programs import Tool
from trove_lite.programs.parse import parse_tools
from trove_lite.prompts import load_pack, own
from trove_lite.prompts.base import PromptPack
from trove_lite.running.driver import prompt_of

MODES = ("primitive", "instance", "import", "create", "skip")
TEXT = "If $x\\\n## 5$ of ${people} are <% left %>, how many\n% went?"
TOOL = Tool(
    "half", "half(x)", "Halve.", 'def half(x):\n    """Halve."""\n    return x / 2', "function"
)
OFFICIAL = "zorazrw/trove/prompt/math"
fetched = pytest.mark.skipif(
    not (data_folder() / OFFICIAL).is_dir(), reason="no official prompts in the data folder"
)
TOOLS = [
    Tool("gcd", "gcd(a, b)", "Two lines,\nof words(x)", "def gcd(a, b):\n    return a", "function"),
    Tool("math", "import math", "import math", "import math", "import"),
    Tool("f", "f(n: int) -> int", "", "def f(n):\n    return n", "function"),
    *[Tool(f"g{i}", f"g{i}(x)", f"G {i}.", "…", "function") for i in range(25)],
]

#: Of each pack its `hash`, and of each mode a hash of its prompts in every category with 0, 1, 3
#: and 28 tools: runs are comparable only while these stay. `official` and `practice` are as release
#: 0.1.0 rendered them.
HASHES = json.loads(Path(__file__).with_name("hashes.json").read_text(encoding="utf-8"))


def asked(category: str, text: str = TEXT, context: str = "") -> Question:
    return Question("math", category, 3, text, context)


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    "name", ["one-factor", "own", pytest.param("official", marks=fetched), "practice"]
)
def test_prompts_are_the_known_ones_byte_by_byte(name):
    pack = load_pack(name, MATH)
    of_pack = HASHES["packs"][name]
    for mode in MODES:
        texts = [pack.render(asked(c), mode, TOOLS[:n]) for c in CATEGORIES for n in (0, 1, 3, 28)]
        assert sha("".join(map(sha, texts)))[:16] == of_pack[mode], mode
    assert pack.hash_of(MODES) == of_pack["hash"]


@pytest.mark.parametrize("name", HASHES["since"])
def test_so_are_those_of_other_methods(name):
    """Of methods like creator, latm and memory: all of them, or which are gone would not be
    seen."""
    pack = load_pack(name, MATH)
    known = HASHES["since"][name]
    assert {stage: pack.hash_of([stage]) for stage in known} == known


def test_a_hash_is_of_what_a_model_reads():
    pack = load_pack("own", MATH)

    def changed(category, stage):
        template = pack.template(category, stage)
        return (
            (lambda *given: template(*given) + " ")
            if (category, stage) == ("number", "skip")
            else template
        )

    assert PromptPack("own", CATEGORIES, dict.fromkeys(MODES, ()), changed).hash_of(
        MODES
    ) != pack.hash_of(MODES)


def test_a_task_s_programs_are_shown_to_primitive_alone_that_is_named_so():
    pack = load_pack("own", bbh := load_dataset("bbh"))
    for category in bbh.categories:
        question = Question("bbh", category, 0, "Why?")
        own_questions = {
            f"{e['question'].strip()}\n\n{e['form']}" for e in own.examples("bbh", category)
        }
        (form,) = {question.rpartition("\n\n")[2] for question in own_questions}
        shown = {}
        for stage in ("primitive_same_task", "standard", "primitive", "instance", "create"):
            parts = pack.render(question, stage).split("**Question**\n")
            assert parts[-1].startswith(f"Why?\n\n{form}\n\n")  # as each example does
            shown[stage] = {part.split("\n\n**")[0].strip() for part in parts[1:-1]}
        assert shown.pop("primitive_same_task") == shown.pop("standard") == own_questions
        assert all(len(others) == 2 and not others & own_questions for others in shown.values())
    with pytest.raises(TroveLiteError, match="primitive_same_task"):
        load_pack("own", MATH).render(asked("counting"), "primitive_same_task")


def test_unknown_names_are_refused_with_the_known_ones():
    with pytest.raises(TroveLiteError, match="own, official"):
        load_pack("other", MATH)
    with pytest.raises(
        TroveLiteError, match="'official' has nothing for category 'counting', mode 'skip'"
    ):
        load_pack("official", PRACTICE).render(asked("counting"), "skip")
    with pytest.raises(TroveLiteError, match="import, create, skip"):
        load_pack("own", MATH).render(asked("counting"), "guess")
    with pytest.raises(TroveLiteError, match="algebra, counting"):
        load_pack("own", MATH).render(asked("chess"), "skip")


@fetched
def test_a_file_that_is_not_the_official_one_is_not_run(tmp_path, monkeypatch):
    for path in (data_folder() / OFFICIAL).rglob("*.md"):
        copy = tmp_path / path.relative_to(data_folder())
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    monkeypatch.setenv("TROVE_LITE_DATA", str(tmp_path))
    assert load_pack("official", MATH).render(asked("counting", "Why?"), "skip")
    with (tmp_path / OFFICIAL / "number" / "instance.md").open("a") as file:
        file.write("<% import os %>")
    with pytest.raises(TroveLiteError, match=r"instance\.md: sha256 differs"):
        load_pack("official", MATH)


@pytest.mark.parametrize("mode", MODES)
def test_a_category_without_worked_examples_gets_the_instructions_alone(mode):
    pack = load_pack("own", replace(PRACTICE, name="elsewhere", categories=("rivers",)))
    prompt = pack.render(Question("elsewhere", "rivers", 0, "Which is longer?"), mode, [TOOL])
    sections = re.findall(r"^\*\*(\w+)\*\*$", prompt, re.MULTILINE)
    assert sections == ["Question", *(["Toolbox"] if mode == "import" else []), "Solution"]
    assert prompt.startswith("Answer each question with a short Python program")
    assert "math question" not in prompt


def test_no_two_methods_call_a_stage_alike():
    names = [
        n
        for home in own.homes()
        for f in home.glob("instructions/*")
        for n in tomllib.loads(f.read_text())
    ]
    assert len(set(names)) == len(names) == len(own.texts("instructions"))
    assert not set(names) & set(own.texts("messages"))


@fetched
@pytest.mark.parametrize("tools", [[], TOOLS[:1]], ids=["empty", "one"])
@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("tabmwp", "import pandas as pd"),
        ("wtq", "import pandas as pd"),
        ("hitab", "import pandas as pd"),
        ("math", None),
    ],
)
def test_official_import_shows_what_is_given_where_it_is_no_entry_of_the_toolbox(name, line, tools):
    dataset = load_dataset(name)
    pack = load_pack("official", dataset)
    question = Question(name, dataset.categories[0], 0, "How many?", "A table.")

    def toolbox(preset: str) -> str:
        settings = PRESETS[preset].on(dataset.given)
        asked = attempts(question, ["import"], (tuple(tools), ()), settings)["import"]
        return prompt_of(asked, pack).rpartition("**Toolbox**")[2]

    assert not line or line in toolbox("paper")
    assert toolbox("paper").count("gcd(a, b)") == len(tools)
    begins = [tool for one in dataset.given for tool in parse_tools(f"```python\n{one}\n```")]
    shown = pack.render(question, "import", (*tools, *begins)).rpartition("**Toolbox**")[2]
    assert toolbox("paper") == shown
    # of the official preset it is an entry, or was trimmed
    assert not line or line not in toolbox("official")
    assert line or toolbox("paper") == toolbox("official")
