"""The official packs of CREATOR and LATM: each prompt is the released program's, or is refused by
name."""

import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from trove_lite import load_candidates
from trove_lite.datasets import load_dataset
from trove_lite.datasets.base import Question
from trove_lite.datasets.files import data_folder
from trove_lite.errors import TroveLiteError
from trove_lite.methods import METHODS, load_method
from trove_lite.methods.base import Attempt
from trove_lite.prompts import load_pack, own
from trove_lite.running.driver import prompt_of
from trove_lite.running.live import live_run, refuse_wordless
from trove_lite.running.settings import RunSettings
from trove_lite_papers.creator.transfer import TRANSFERRED
from trove_lite_papers.images.primitives import TOOLBOX

from ..papers.latm.playing import GOOD, MAKES, PAPER, WRAPPED, Played
from ..scripted import InlineSandbox, Says

CREATOR = data_folder() / "qiancheng0/CREATOR"
LATM = data_folder() / "ctlllll/LLM-ToolMaker"
pytestmark = pytest.mark.skipif(
    not (CREATOR / "MATH/prompt_lib").is_dir() or not (LATM / "toolmaker.ipynb").is_file(),
    reason="no released prompts in the data folder",
)
#: Of each prompt with the question and the values below: the first 16 digits of its sha256, by
#: stage.
HASHES = json.loads(Path(__file__).with_name("hashes.json").read_text(encoding="utf-8"))["official"]
TEXT = "What is $1+1$ of ===tool===?"
TABLE = "Name: None\nUnit: $\nContent:\n\n| a | b |\n|  --- | --- |\n| 1 | 2  |"
GIVEN = {
    "tool": "def f(): pass",
    "made": "So.\n```python\ndef f(): pass\n```",
    "program": "print(1",
    "error": "No",
}
GIVEN |= {"reply": "WOLFRAM: 1+1", "returned": "2"}
#: Which methods of the papers have official prompts on which data sets, at their papers' settings.
OF_TROVE = {"primitive", "instance", "trove"}
ASKED = {
    **dict.fromkeys(
        ("math", "tabmwp"),
        OF_TROVE | {"standard", "cot", "pot", "entangled", "creator", "tool_use"},
    ),
    **dict.fromkeys(("wtq", "hitab"), OF_TROVE),
    "creation_challenge": {"entangled", "creator"},
    "tool_transfer": {"transfer"},
    "bbh": {"cot"},
}
ALWAYS = {"latm", "dispatcher"}  # whose words name no task


def asked(dataset, category):
    context = {
        "tabmwp": TABLE,
        "tool_transfer": "A tool that helps with this question:\n\nIt adds.",
    }.get(dataset, "")
    return Question(dataset, category, 0, TEXT, context)


@pytest.mark.parametrize(("dataset", "category"), [name.split(", ") for name in HASHES])
def test_every_official_prompt_is_the_one_that_was_checked_against_the_released_program(
    dataset, category
):
    if dataset == "gqa" and not (data_folder() / "zorazrw/trove" / TOOLBOX).is_file():
        pytest.skip("no released toolbox in the data folder")
    pack = load_pack("official", load_dataset(dataset))
    found = {}
    for stage in (stage for stage in pack.stages if pack.has(category, stage)):
        prompt = pack.render(
            asked(dataset, category), stage, **{name: GIVEN[name] for name in pack.stages[stage]}
        )
        found[stage] = hashlib.sha256(json.dumps(prompt).encode()).hexdigest()[:16]
    found.pop("import_apart", None)  # IMPORT's own words, with what is given behind the tools
    assert found == HASHES[f"{dataset}, {category}"]


def test_tasks_made_anew_have_the_released_chains_of_thought():
    made = load_dataset("bbh_made")
    question = made.load("schedule_meeting")[0].question
    assert (
        load_pack("chain_of_thought", made)
        .render(question, "cot")
        .endswith(f"Q: {question.text}\nA:")
    )


def settings_of(method, dataset, **given):
    usual = {
        "name": "test",
        "methods": (method,),
        "dataset": dataset,
        "seeds": (0,),
        "model": "scripted",
        "k": 15,
    }
    return RunSettings(**usual | {"prompts": "official"} | given)


@pytest.mark.parametrize("dataset", ASKED)
@pytest.mark.parametrize("method", METHODS)
def test_a_method_asks_in_the_papers_words_or_is_refused_by_name(method, dataset):
    pack = load_pack("official", load_dataset(dataset))
    settings = settings_of(method, dataset)
    usable = ASKED[dataset] | ALWAYS | ({"transfer"} if "creator" in ASKED[dataset] else set())
    if method in usable:
        refuse_wordless(settings, pack)
    else:
        with pytest.raises(
            TroveLiteError, match=f"no official prompt for stage '.*' of {method} on {dataset}.*own"
        ):
            refuse_wordless(settings, pack)


def file(path):
    return (CREATOR / path).read_text(encoding="utf-8").strip()


def helpful(about):
    return "system", f"You are a helpful assistant in answering {about}."


def test_a_tool_of_another_question_is_lent_by_a_prompt_of_its_own_and_in_a_fence():
    pack = load_pack("official", load_dataset("tool_transfer"))
    question = asked("tool_transfer", "utility_hint")
    first = Attempt(question, "decide", range(1), values={"tool": "def f(): pass"})
    other = replace(first, wording=TRANSFERRED)
    for request, name, tool in (
        (first, "CREATOR_decision", "def f(): pass"),
        (other, "tool_transfer", "```python\ndef f(): pass\n```"),
    ):
        text = file(f"ToolTransfer/prompt_lib/prompt_{name}.md").replace("===tool===", tool)
        text = text.replace("===problem===", TEXT)
        assert prompt_of(request, pack) == (helpful("questions with tools"), ("user", text))
    ours = load_pack("own", load_dataset("tool_transfer"))
    assert prompt_of(other, ours) == prompt_of(replace(other, wording=""), ours)


def test_replies_in_the_released_form_are_read_and_a_repair_sees_them_as_the_program_shows_it(
    tmp_path,
):
    tool = "I make a tool.\n\n```python\ndef half(x):\n    return x / nothing\n```"
    use = '```python\nprint("Final Answer:", half(14))\n```'
    mended = "nothing is unknown.\n```python\ndef half(x):\n    return x / 2\n```\n" + use
    model = Says(tool, use, mended)
    settings = settings_of("creator", "math", categories=("counting",), limit=1, k=1)
    out = live_run(settings, tmp_path / "a", model=model, sandbox=InlineSandbox(), progress=False)
    assert list(load_candidates(out)["answer"].dropna()) == ["7.0"]
    question = load_dataset("math").load("counting")[0].question.text
    text = file("MATH/prompt_lib/prompt_rectification.md").replace("===qst===", question)
    text = text.replace("===ori===", f"```python\n{tool}\n{use}")
    text = text.replace("===err===", "NameError: name 'nothing' is not defined")
    assert [message.content for message in model.asked[2]] == [
        helpful("math competition problems")[1],
        text,
    ]
    assert [how.stop for how in model.drawn] == [
        (),
        (),
        (),
    ]  # as released: the model ends its replies


def source(notebook):
    cells = json.loads((LATM / notebook).read_text(encoding="utf-8"))["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells)


def test_maker_and_user_read_the_notebooks_texts():
    code = source("toolmaker.ipynb")
    say = load_pack("official", load_dataset("bbh")).say
    names = ("tool_maker_prompt", "tool_verification_prompt", "tool_wrapper_prompt")
    texts = [re.search(rf'{name} = """(.*?)"""', code, re.DOTALL)[1] for name in names]
    replies = MAKES | {"propose": ["```python\n1 / 0\n```", GOOD]}
    found = Played(PAPER, replies, words=say)
    examples = [f"Question: What is {n}?\nAnswer: {n}" for n in range(6)]
    said = [text for role, text in found.chat if role == "user"]
    error = re.search(r'f"(Failed to execute[^{]*)', code)[1]
    assert said[0] == "\n\n".join([*examples[:3], texts[0]])
    assert said[1].startswith(f"{error}ZeroDivisionError: division by zero. Please")
    assert said[2:] == ["\n\n".join([*examples[3:], texts[1]]), texts[2]]
    assert found.requests[-1].prompt == (("user", f"{WRAPPED}\n\nQuestion: What is 1?"),)


def test_the_dispatcher_reads_the_notebook_s_text():
    code = source("tooluser.ipynb")
    literals = (
        re.search(rf'{name} = (".*")', code)[1] for name in ("router", "router_usage_template")
    )
    head, tail = map(json.loads, literals)
    say = load_pack("official", load_dataset("bbh_mixed")).say
    known = [f"Task: {task}\n\nQuestion: {task}?\n\n===\n\n" for task in ("one", "two")]
    shown = say("between_known").join(
        say("known", task=task, question=f"{task}?") for task in ("one", "two")
    )
    assert say("dispatch", known=shown, question="Sort {x}") == head + "".join(known) + tail.format(
        question="Sort {x}"
    )


def test_a_hash_covers_what_a_method_says_itself():
    stages = load_method("latm").stages
    bbh = load_dataset("bbh")
    nothing = load_pack("own", bbh).hash_of(())
    hashes = {load_pack(name, bbh).hash_of(stages) for name in ("own", "official")} | {nothing}
    assert len(hashes) == 3
    changed = replace(
        load_pack("own", bbh),
        text=lambda name: own.texts("messages")[name] + ("!" if name == "wrap" else ""),
    )
    assert changed.hash_of(stages) not in hashes


def test_where_the_released_files_are_missing_the_command_is_named(tmp_path, monkeypatch):
    from trove_lite_papers.latm import official as official_latm

    creation, bbh = (
        load_pack("official", load_dataset(name)) for name in ("creation_challenge", "bbh")
    )
    thoughts = load_pack("chain_of_thought", load_dataset("bbh"))
    official_latm.literals.cache_clear()
    monkeypatch.setenv("TROVE_LITE_DATA", str(tmp_path))
    for group, ask in (
        ("prompts", lambda: creation.render(asked("creation_challenge", "no_hint"), "creation")),
        ("prompts", lambda: bbh.say("wrap")),
        ("latm", lambda: thoughts.render(asked("bbh", "word_sorting"), "cot")),
    ):
        with pytest.raises(TroveLiteError, match=f"missing; run `trove-lite fetch {group}`"):
            ask()


def test_a_latm_run_whose_words_were_not_hashed_yet_is_resumed(tmp_path):
    out = tmp_path / "a"
    choices = {"dispatcher": {"tools": dict.fromkeys(load_dataset("bbh").categories, WRAPPED)}}
    how = {"categories": ("existing_0",), "limit": 2, "k": 1, "prompts": "own", "choices": choices}
    settings = settings_of("dispatcher", "bbh_mixed", **how)
    fakes = {"sandbox": InlineSandbox(), "progress": False}
    live_run(settings, out, model=Says("Task: one", "Task: two"), **fakes)
    described = json.loads((out / "run.json").read_text())
    assert described["prompts"]["hash"] != "e3b0c44298fc1c14"
    (out / "candidates.parquet").unlink()
    (out / "run.json").write_text(
        json.dumps(described | {"prompts": {"name": "own", "hash": "e3b0c44298fc1c14"}})
    )
    live_run(settings, out, model=(unasked := Says()), **fakes)
    assert unasked.asked == []
    assert len(load_candidates(out)) == 2
