"""prompts: our own pack is sound and gives nothing away; the official one renders as the official program does."""

import itertools
import re
from collections import Counter

import pytest

from trove_lite.datasets import load_problems
from trove_lite.datasets.answers import number_is_correct, read_numbers
from trove_lite.datasets.files import data_folder
from trove_lite.datasets.math import CATEGORIES
from trove_lite.errors import TroveLiteError
from trove_lite.parse import PARSERS, parse_completion, parse_tools
from trove_lite.programs import Tool, format_toolbox, program_of
from trove_lite.prompts import MODES, OFFICIAL, OFFICIAL_FILES, _own_examples, load_pack

QUESTION = "If $x\\\n## 5$ of ${people} are <% left %>, how many\n% went?"
TOOL = Tool("half", "half(x)", "Halve.", 'def half(x):\n    """Halve."""\n    return x / 2', "function")
EXAMPLES = [(category, example) for category in CATEGORIES for example in _own_examples(category)]
official = pytest.mark.skipif(not (data_folder() / OFFICIAL).is_dir(), reason="no official prompts in the data folder")


def sections(prompt: str) -> list[str]:
    return re.findall(r"^\*\*(\w+)\*\*$", prompt, re.MULTILINE)


def worked(prompt: str) -> list[tuple[str, str]]:
    """The worked examples of a prompt: what is asked, and what a model should have written."""
    parts = prompt.split("**Question**\n")[1:-1]
    return [tuple(part.split("**Solution**\n")) for part in parts]


def words(question: str) -> Counter:
    """Words and numbers, less case, markup and punctuation."""
    return Counter(re.findall(r"[a-z]+|\d+(?:\.\d+)?", re.sub(r"\\[a-z]+|asy.*?/asy", " ", question.lower())))


def alike(a: Counter, b: Counter) -> float:
    """The share of tokens that two questions have in common (Jaccard, with multiplicity)."""
    return (a & b).total() / max(1, (a | b).total())


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("category", CATEGORIES)
def test_sections_come_in_the_papers_order_and_end_where_the_model_goes_on(category, mode):
    prompt = load_pack().render(category, mode, QUESTION, [TOOL])
    asked = ["Question", "Toolbox", "Solution"] if mode == "import" else ["Question", "Solution"]
    assert sections(prompt) == [*asked, "Tools", *asked, "Tools", *asked]
    assert not prompt.startswith("**")
    tail = f"**Toolbox**\n{format_toolbox([TOOL])}\n\n" if mode == "import" else ""
    assert prompt.endswith(f"\n\n\n**Question**\n{QUESTION}\n\n{tail}**Solution**\n")
    assert "{" not in prompt.split("**Question**")[0]


def test_primitive_and_skip_are_one_prompt_and_no_other_two_are():
    for category in CATEGORIES:
        prompts = {mode: load_pack().render(category, mode, "Why?") for mode in MODES}
        assert prompts["primitive"] == prompts["skip"]
        assert len(set(prompts.values())) == len(MODES) - 1


def test_all_modes_show_the_same_examples():
    for category in CATEGORIES:
        shown = {
            tuple(question.split("\n\n")[0] for question, _ in worked(load_pack().render(category, mode, "Why?")))
            for mode in MODES
        }
        assert shown == {tuple(example["question"] for example in _own_examples(category))}


def test_worked_examples_print_their_answers():
    """In every mode, read by each parser of completions, after the toolbox that they are shown."""
    sandbox = pytest.importorskip("trove_lite.sandbox.pool")
    programs, answers = [], []
    for category in CATEGORIES:
        library = [tool for e in _own_examples(category) for tool in parse_tools(f"```python\n{e['tool']}\n```")]
        for mode, parser in itertools.product(MODES, PARSERS):
            texts = [text for _, text in worked(load_pack().render(category, mode, "Why?"))]
            for text, example in zip(texts, _own_examples(category), strict=True):
                solution, tools = parse_completion(text, parser)
                if mode in ("create", "instance"):
                    assert "function" in {tool.kind for tool in tools}
                if mode == "import":
                    assert any(tool.name == f"toolbox.{library[len(answers) % 2].name}" for tool in tools)
                programs.append(program_of(solution, tools, library if mode == "import" else ()))
                answers.append(example["answer"])
    with sandbox.Sandbox(time_limit=30) as box:
        results = box.run_many(programs, progress=False)
    for program, result, answer in zip(programs, results, answers, strict=True):
        assert result.status == "ok", (program, result)
        assert number_is_correct(read_numbers(result.output), answer), (program, result)
        assert len(read_numbers(result.output)) == 1


def test_worked_examples_are_no_test_problems_and_not_like_any():
    """Nor like the official prompts' examples, which are the papers' own."""
    try:
        questions = [problem.question.text for category in CATEGORIES for problem in load_problems("math", category)]
    except TroveLiteError as error:
        pytest.skip(str(error))
    assert len(questions) == 3201
    for path in sorted((data_folder() / OFFICIAL).rglob("*.md")):
        questions += re.findall(r"\*\*Question\*\*\n(.*?)\n\s*\*\*", path.read_text(encoding="utf-8"), re.DOTALL)
    exact, bags = {question.strip() for question in questions}, [words(question) for question in questions]
    normal = {tuple(sorted(bag.elements())) for bag in bags}
    for _, example in EXAMPLES:
        bag = words(example["question"])
        assert example["question"] not in exact
        assert tuple(sorted(bag.elements())) not in normal
        closest = max(zip(bags, questions, strict=True), key=lambda pair: alike(bag, pair[0]))
        assert alike(bag, closest[0]) < 0.5, (example["question"], closest[1])


def test_the_near_duplicate_measure_sees_changed_numbers_and_names():
    bag = words(EXAMPLES[0][1]["question"])
    other = EXAMPLES[0][1]["question"].replace("35", "40").replace("gym", "pool").replace("After", "In")
    assert 0.6 < alike(bag, words(other)) < 1


def test_a_hash_is_of_what_a_model_reads():
    pack = load_pack()
    assert re.fullmatch(r"[0-9a-f]{16}", pack.hash)
    assert pack.hash == load_pack("own").hash
    changed = dict(pack.templates)
    changed["number", "skip"] = lambda question, toolbox: pack.render("number", "skip", question) + " "
    assert type(pack)("own", changed).hash != pack.hash


def test_unknown_names_are_refused_with_the_known_ones():
    with pytest.raises(TroveLiteError, match="own, official"):
        load_pack("other")
    with pytest.raises(TroveLiteError, match="primitive, instance, import, create, skip"):
        load_pack().render("counting", "guess", "Why?")
    with pytest.raises(TroveLiteError, match="algebra, counting"):
        load_pack().render("chess", "skip", "Why?")


@official
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("category", CATEGORIES)
def test_official_prompts_are_what_mako_makes_of_the_files(category, mode):
    """The official program's own three lines."""
    from mako.template import Template

    template = Template(filename=str(data_folder() / OFFICIAL / category / OFFICIAL_FILES[mode]))
    expected = template.render(question=QUESTION, toolbox=format_toolbox([TOOL]))
    prompt = load_pack("official").render(category, mode, QUESTION, [TOOL])
    assert prompt == expected
    assert QUESTION in prompt
    assert "## Example" not in prompt
    assert prompt.rstrip().endswith("**Solution**")


@official
def test_official_headings_of_examples_never_reach_the_model():
    text = (data_folder() / OFFICIAL / "counting" / "online_skip.md").read_text(encoding="utf-8")
    without = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("##"))
    assert "## Example" in text
    assert load_pack("official").render("counting", "skip", "Why?") == without.replace("${question}", "Why?")


@official
def test_a_file_that_is_not_the_official_one_is_not_run(tmp_path, monkeypatch):
    for path in (data_folder() / OFFICIAL).rglob("*.md"):
        copy = tmp_path / path.relative_to(data_folder())
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    monkeypatch.setenv("TROVE_LITE_DATA", str(tmp_path))
    assert load_pack("official").render("counting", "skip", "Why?")
    with (tmp_path / OFFICIAL / "number" / "instance.md").open("a") as file:
        file.write("<% import os %>")
    with pytest.raises(TroveLiteError, match="not the official prompts"):
        load_pack("official")


def test_where_official_prompts_are_missing_the_command_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("TROVE_LITE_DATA", str(tmp_path))
    with pytest.raises(TroveLiteError, match="trove-lite fetch prompts"):
        load_pack("official")
