"""Made scenes: programs that look well answer all questions, those that look badly fewer; a part
hides the rest."""

import json
from functools import partial

import pytest

from trove_lite import TroveLiteError, load_candidates, load_problems
from trove_lite.datasets import load_dataset
from trove_lite.prompts import load_pack
from trove_lite.running.live import live_run
from trove_lite.running.settings import RunSettings
from trove_lite_papers.images.primitives import GIVEN, named

#: How a question of each kind is answered, from its words.
PROGRAMS = {
    "exist": "print('yes' if locate_objects(image, words[3:]) else 'no')",
    "count": "print(len(locate_objects(image, words[2:-2])))",
    "color": "print(visual_qa(crop_region(image, locate_objects(image, words[4:])), 'What color is it?'))",
    "relation": """\
first, second = (locate_objects(image, name)[0] for name in (words[2:4], words[-2:]))
axis = 'above' in words or 'below' in words
before = first[axis] + first[axis + 2] < second[axis] + second[axis + 2]
print('yes' if before == ('left' in words or 'above' in words) else 'no')""",
    "compare": "more, less = (len(locate_objects(image, n)) for n in (words[3:5], words[-1:]))\n"
    "print('yes' if more > less else 'no')",
}


def program(problem):
    start = f"image = Image.open({problem.question.context!r})\nwords = {problem.question.text.rstrip('?').split()}"
    look = "locate_objects = lambda image, words, look=locate_objects: look(image, ' '.join(words))"
    return "\n".join([*GIVEN, start, look, PROGRAMS[problem.level]])


@pytest.fixture
def run(box):
    return partial(box.run_many, progress=False)


def right(run, name):
    problems = load_problems(name, "scenes")[::7]
    dataset = load_dataset(name)
    assert {problem.level for problem in problems} == set(PROGRAMS)
    done = run([program(p) for p in problems], files=[p.files for p in problems])
    return [
        dataset.correct(dataset.read(one.output), p.gold)
        for one, p in zip(done, problems, strict=True)
    ]


def test_who_looks_well_is_always_right_and_who_looks_badly_is_not(run):
    assert all(right(run, "scenes"))
    noisy = right(run, "scenes_noisy")
    assert 0.5 < sum(noisy) / len(noisy) < 0.95


def test_a_part_of_an_image_shows_what_is_in_it_and_answers_are_simple(run):
    problem = load_problems("scenes", "scenes")[0]
    lines = [
        f"image = Image.open({problem.question.context!r})",
        "print(image.size, len(locate_objects(image, 'objects')), locate_objects(image, 'zebra'))",
        "part = crop_region(image, locate_objects(image, 'large red circle'))",
        "print(part.size, visual_qa(part, 'What color is the circle?'), visual_qa(part, 'How many things are there?'))",
        "print(visual_qa(part, 'Is there a green square?'), visual_qa(image, 'What shape is the yellow object?'))",
    ]
    (done,) = run(["\n".join([*GIVEN, *lines])], files=[problem.files])
    assert (done.error, done.output) == ("", "(240, 180) 7 []\n(62, 62) red 1\nno circle\n")


@pytest.mark.parametrize("names", ["papers", "library", "nonsense"])
def test_primitives_by_other_names_see_the_same_and_prompts_say_no_others(names, run):
    dataset = load_dataset(f"scenes?names={names}&doc=yes")
    find, (problem, *_) = named(names)["locate_objects"], dataset.load("scenes")
    program = f"print(len({find}({problem.question.context!r}, 'objects')))"
    (done,) = run(["\n".join([*dataset.given, program])], files=[problem.files])
    assert (done.error, done.output) == ("", "7\n")
    prompt = load_pack("own", dataset).render(problem.question, "create")
    assert f"def {find}(image: str | Image.Image, object_name: str) -> list:" in prompt
    assert ("locate_objects" in prompt) == (names == "papers")


def test_without_docstrings_prompts_list_first_lines_alone_and_other_options_are_refused():
    bare = load_dataset("scenes?names=nonsense&doc=no")
    assert '"""' not in bare.plain
    for name in ("scenes?names=other", "scenes?colour=red", "practice?names=papers"):
        with pytest.raises(TroveLiteError):
            load_dataset(name)


@pytest.mark.parametrize(
    ("option", "stage", "asked"), [("ranking=model", "rank", 3), ("rectify=create", "rewrite", 8)]
)
def test_ranking_and_rectification_run_on_made_scenes(option, stage, asked, tmp_path):
    """TroVE's Tables 10 and 12, by replies that come along."""
    name, value = option.split("=")
    settings = RunSettings(
        "r", ("trove",), "scenes", k=3, seeds=(0,), limit=8, choices={"trove": {name: value}}
    )
    live_run(settings, tmp_path, progress=False)
    replies = [
        json.loads(line) for line in next(tmp_path.glob("journal/*")).read_text().splitlines()
    ]
    own = [reply["text"] for reply in replies if reply["stage"] == stage]
    assert len(own) == asked
    assert stage != "rank" or set(own) <= {"is_before, number_of", "number_of, is_before"}
    assert 0.5 < load_candidates(tmp_path)["correct"].mean() < 1
