"""GQA: what CRAFT's file holds, what lies beside programs, TroVE's rule and GQA's, and the official
prompts."""

import json
import re
from dataclasses import replace

import pytest

from trove_lite import TroveLiteError, load_candidates
from trove_lite.cli import main
from trove_lite.datasets import load_dataset
from trove_lite.datasets.files import data_folder
from trove_lite.methods.toolbox import Toolbox
from trove_lite.models.base import Completion
from trove_lite.programs.parse import parse_tools
from trove_lite.prompts import load_pack
from trove_lite.running.live import live_run
from trove_lite.running.settings import RunSettings
from trove_lite_papers.images import primitives
from trove_lite_papers.trove import gqa

from ...cases import cases
from ...sandbox import needs_full
from ...scripted import ScriptedModel, number, response

#: In the form of TroVE's toolbox, for where that is not at hand.
STANDS_IN = """\
# %% One
from PIL import Image


# %% Two
import numpy
def locate_objects(image: str | Image.Image, object_name: str) -> list:
    \"\"\"Where it is.
    Args:
        object_name: what
    \"\"\"
    return []


# %% Three
def visual_qa(image: str | Image.Image, question: str) -> str:
    \"\"\"What it is.\"\"\"
    return ""


# %% Four
import PIL
def crop_region(image: PIL.Image, boxes: list) -> PIL.Image:
    \"\"\"A part.\"\"\"
    return image
"""


@pytest.fixture(autouse=True)
def toolbox(monkeypatch):
    """TroVE's toolbox, or what stands in for it."""
    if not (data_folder() / "zorazrw/trove" / primitives.TOOLBOX).is_file():
        monkeypatch.setattr(primitives, "released", lambda: STANDS_IN)


@pytest.fixture
def problems(table_problems):
    return table_problems("gqa")


@pytest.mark.parametrize(
    ("output", "gold", "released", "exact"),
    cases(
        r"""
        "yes\n",    "yes",   True,  True
        "Yes\n",    "yes",   True,  False
        "True\n",   "yes",   False, False
        "left",     "right", False, False
        "2",        "2",     True,  True
        "2.0",      "2",     False, False
        "yes\nyes", "yes",   False, False
        "",         "yes",   False, False
        """
    ),
)
def test_by_the_released_rule_case_does_not_matter_and_by_gqas_it_does(
    output, gold, released, exact
):
    dataset = load_dataset("gqa")
    rules = dataset.correct, dataset.other_rules["exact match"]
    assert [rule(dataset.read(output), gold) for rule in rules] == [released, exact]


@pytest.mark.parametrize("stage", ["primitive", "instance", "import", "create", "skip"])
def test_official_prompts_name_the_question_its_image_and_what_is_given(problems, stage):
    question = problems[0].question
    prompt = load_pack("official", load_dataset("gqa")).render(question, stage)
    assert prompt.rstrip().endswith("**Solution**")
    assert f"**Question**\n{question.text}\n**Image**\n{question.context}\n" in prompt
    lists = "locate_objects(image: str | Image.Image, object_name: str) -> list\n" in prompt
    assert lists == (stage in ("primitive", "instance"))


def test_a_prompt_lists_the_released_docstrings_as_far_as_their_arguments(problems, monkeypatch):
    monkeypatch.setattr(primitives, "released", lambda: STANDS_IN)
    prompt = load_pack("official", load_dataset("gqa")).render(problems[0].question, "primitive")
    shown = prompt.partition("**Toolbox**")[2].partition("**Question**")[0].strip()
    assert shown == "\n".join(
        f"```python\n{text}\n```"
        for text in (
            "# from PIL import Image\nfrom PIL import Image",
            "# Where it is.\nlocate_objects(image: str | Image.Image, object_name: str) -> list",
            "# What it is.\nvisual_qa(image: str | Image.Image, question: str) -> str",
            "# A part.\ncrop_region(image: PIL.Image, boxes: list) -> PIL.Image",
        )
    )


@pytest.mark.parametrize(
    "listed",
    [
        "from toolbox import crop_region",
        "from toolbox import visual_qa, crop_region",
        "import toolbox.crop_region",
    ],
)
def test_a_use_of_a_primitive_counts_for_the_one_that_was_given(listed):
    given = {"methods": ("trove",), "dataset": "gqa", "prompts": "official", "preset": "official"}
    settings = RunSettings(**given, model="scripted", vision="http://127.0.0.1:8000").of("trove", 0)
    box = Toolbox()
    box.give(tool for code in settings.given for tool in parse_tools(f"```python\n{code}\n```"))
    begun = ["PIL.Image", "locate_objects", "visual_qa", "crop_region"]
    assert list(box.entries) == begun
    box.use(parse_tools(f"```python\n{listed}\n```"), 0, add=True)
    assert list(box.entries) == begun
    assert box.entries["crop_region"].uses == 1


def test_guesses_that_never_look_are_worth_what_is_published(problems):
    assert [gqa.guesses(words).sum() for words in (0, 1, 2)] == [179, 237, 265]
    assert gqa.peeked().sum() == 244


def test_a_guess_learns_nothing_from_questions_about_the_same_image(monkeypatch):
    asked = cases(
        """
        "a", "Is it so?",  "yes"
        "a", "Is it far?", "yes"
        "b", "Who is it?", "man"
        "b", "Who?",       "man"
        """
    )
    rows = [
        {"image_id": image, "question": question, "answers": [answer]}
        for image, question, answer in asked
    ]
    monkeypatch.setattr(gqa, "records", lambda: rows)
    assert not gqa.guesses(1).any()


class Looker(ScriptedModel):
    """Asks about the whole image that the prompt names last, by a function of its own or by a
    primitive alone."""

    async def complete(self, prompt, seeds):
        path = re.findall(r"data/gqa/testdev_images/n\d+\.jpg", prompt)[-1]
        opened = f"image = Image.open({path!r}).convert('RGB')\n"
        given = "from PIL import Image\nfrom toolbox import visual_qa"
        whole = response(f"{opened}print(visual_qa(image, 'Is it so?'))", given)
        tool = "def ask(image):\n    return visual_qa(crop_region(image, locate_objects(image, 'it')), 'Is it so?')"
        made = response(f"{opened}print(ask(image))", f"{given}\n\n{tool}")
        return [Completion([whole, made][number(seed) % 2], 9, 9, "stop", 0.0) for seed in seeds]


@pytest.mark.slow
@needs_full
@pytest.mark.parametrize("preset", ["paper", "official"])
def test_a_run_asks_its_vision_counts_is_executed_again_and_goes_on_with_the_same_alone(
    problems, tmp_path, capsys, preset
):
    (tmp_path / "answers.jsonl").write_text('{"text": "Is it so?", "answer": "Yes"}')
    (tmp_path / "others.jsonl").write_text('{"answer": "no"}')
    given = {"methods": ("primitive", "trove"), "dataset": "gqa", "seeds": (0,), "k": 3, "limit": 7}
    given["preset"] = preset
    settings = RunSettings(
        **given, model="scripted", prompts="official", vision=f"canned:{tmp_path / 'answers.jsonl'}"
    )
    out = live_run(settings, tmp_path / "run", model=Looker(), workers=1, progress=False)
    candidates = load_candidates(out)
    assert set(candidates["status"]) == {"ok"}, list(candidates["error"])
    golds = [problems[problem].gold for problem in candidates["problem"]]
    assert list(candidates["correct"]) == [gold == "yes" for gold in golds]
    described = json.loads((out / "run.json").read_text())
    assert described["looked"] > described["looked_before"] >= 5
    again = ["reexecute", str(out), "--out", str(tmp_path / "again")]
    assert main(again) == 1
    assert "data set gqa has images: give --vision" in capsys.readouterr().err
    assert main([*again, "--vision", settings.vision]) == 0
    assert len((tmp_path / "again" / "disagreements.csv").read_text().splitlines()) == 1, "none"
    assert described["settings"]["vision"].startswith("canned:answers.jsonl ")
    with pytest.raises(
        TroveLiteError, match=r"vision: was canned:answers\.jsonl \w+, now canned:others"
    ):
        live_run(
            replace(settings, vision=f"canned:{tmp_path / 'others.jsonl'}"),
            out,
            model=Looker(),
            progress=False,
        )


@pytest.mark.parametrize(
    ("dataset", "vision"), [("gqa", None), ("scenes", "http://127.0.0.1:8000")]
)
def test_vision_is_given_where_there_are_images_and_nowhere_else(dataset, vision):
    with pytest.raises(TroveLiteError, match="--vision"):
        RunSettings(dataset=dataset, vision=vision)
