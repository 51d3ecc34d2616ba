"""TroVE's released program and our own stream, both run on the same written replies.

The program is somebody else's code: it runs in a child (`released_child.py`), from the pinned files
of the group `trove-program`, in a folder made for it.
"""

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from trove_lite import load_candidates
from trove_lite.datasets import load_dataset
from trove_lite.datasets.base import Problem
from trove_lite.datasets.files import data_folder, files_of
from trove_lite.methods.base import sample_seed
from trove_lite.methods.toolbox import Toolbox
from trove_lite.models.base import Completion
from trove_lite.running.live import live_run
from trove_lite.running.settings import RunSettings

from ...cases import named
from ...scripted import ScriptedModel

GROUP = "trove-program"
#: The released name of a task → our data set and category, and where the program looks for its
#: problems.
TASKS = named(
    """
    "math/algebra",      "math",   "algebra",      "data/math/algebra.jsonl"
    "math/counting",     "math",   "counting",     "data/math/counting_and_probability.jsonl"
    "math/geometry",     "math",   "geometry",     "data/math/geometry.jsonl"
    "math/intermediate", "math",   "intermediate", "data/math/intermediate_algebra.jsonl"
    "math/number",       "math",   "number",       "data/math/number_theory.jsonl"
    "math/prealgebra",   "math",   "prealgebra",   "data/math/prealgebra.jsonl"
    "math/precalculus",  "math",   "precalculus",  "data/math/precalculus.jsonl"
    "tabmwp",            "tabmwp", "tabmwp",       "data/tableqa/tabmwp.jsonl"
    "wtq",               "wtq",    "wtq",          "data/tableqa/wtq.json"
    "hitab",             "hitab",  "hitab",        "data/tableqa/hitab.jsonl"
    "gqa",               "gqa",    "gqa",          "data/gqa/testdev_balanced_questions.json"
    """
)
#: What makes votes those of the released program, where they are else of values.
VOTES = dict.fromkeys(("wtq", "hitab", "gqa"), "?votes=released")
MODES = {"stream": ("import", "create", "skip"), "retry": ("import", "skip")}
TIME_LIMIT = 60  # seconds; no reply comes near it, however busy the machine is


class Stream(NamedTuple):
    """What is run in both systems: the first `problems` of a task, `samples` of each mode, trimmed
    every `interval`; replies by `seed`."""

    task: str
    seed: int
    problems: int
    samples: int
    interval: int

    dataset = property(lambda self: TASKS[self.task][0])
    category = property(lambda self: TASKS[self.task][1])


def program_folder() -> Path | None:
    """Where the released program lies: `$TROVE_PROGRAM`, else the data folder; None for nowhere."""
    given = os.environ.get("TROVE_PROGRAM")
    folder = Path(given) if given else data_folder() / "zorazrw/trove"
    return folder if all((folder / path).is_file() for path in files_of(GROUP)) else None


# --- replies


def replies(stream: Stream, problems: list[Problem]) -> dict[str, list[str]]:
    """By "PROBLEM PHASE MODE" what the model says."""
    rng = random.Random(f"{stream.task} {stream.seed}")
    return {
        f"{problem.index} {phase} {mode}": [
            reply(rng, problem, mode) for _ in range(stream.samples)
        ]
        for problem in problems
        for phase, modes in MODES.items()
        for mode in modes
    }


def reply(rng: random.Random, problem: Problem, mode: str) -> str:
    """A reply of one of the shapes that models write: most are a program that prints one of few
    answers, by a tool or without."""
    said = rng.choice(printed(rng, problem))
    name = f"tool_{rng.randrange(6)}"
    body = f"    return {said}" if rng.random() < 0.8 else f"    value = {said}\n\n    return value"
    made = f'def {name}(*args):\n    """Gives {rng.choice("abc")}."""\n{body}'
    other = f"def other_{rng.randrange(3)}(n: int = 1) -> int:\n    return n"
    plain = rng.choice(
        (
            f"print({said})",
            f"answer = {said}\nprint(answer)",
            f"for one in [{said}]:\n    print(one)",
            f"print({said}, abs(-2))",
        )
    )
    if rng.random() < 0.15:
        plain = rng.choice(
            (
                "x = 1",
                "print()",
                "print('  ')",
                "1 / 0",
                "print(nowhere)",
                f"print({said})\nraise ValueError('a\\nb')",
                "print('no number')",
                "import sys\nsys.exit(0)",
                "import sys\nsys.exit(3)",
                "import sys\nprint('seen', file=sys.stderr)",
                "if True print(1)",
                "from math import sqrt\nprint(sqrt(16))",
            )
        )
    block = f"```python\n{plain}\n```"
    used = f"```python\nprint({name}())\n```"
    brought = f"```python\nfrom toolbox import {name}\n```"
    tools = f"**Tools**\n```python\n{made}\n```"
    shapes = {
        "plain": (5, f"{block}\n**Tools**\n```python\n```"),
        "alone": (2, block),
        "made": (6 if mode == "create" else 2, f"{used}\n{tools}"),
        "brought": (6 if mode == "import" else 1, f"{used}\n**Tools**\n{brought}"),
        "made and not used": (1, f"{block}\n{tools}"),
        "two made": (1, f"{used}\n**Tools**\n```python\n{made}\n\n\n{other}\n```"),
        "two blocks": (1, f"{used}\n{tools}\n```python\n{other}\n```"),
        "imports": (
            1,
            f"{block}\n**Tools**\n```python\nimport math\nfrom math import sqrt, pi\n```",
        ),
        "import as": (1, f"{block}\n**Tools**\n```python\nimport numpy as np, random\n```"),
        "import and definition": (1, f"{used}\n**Tools**\n```python\nimport math\n\n{made}\n```"),
        "known and new": (
            1,
            f"{used}\n**Tools**\n```python\nfrom toolbox import {name}, tool_0\n```",
        ),
        "star": (0.3, f"{used}\n**Tools**\n```python\nfrom toolbox import *\n```"),
        "tools first": (0.5, f"{tools}\n\n**Solution**\n{used}"),
        "prose": (0.7, f"I add them.\n\n{block}\nSo it is.\n**Tools**\nNone needed."),
        "fences": (0.7, f"{block}\nOr so:\n```python\nprint(99)\n```\n{tools}"),
        "open": (0.5, f"```python\n{plain}"),
        "label": (0.5, f"```py\n{plain}\n```"),
        "bare": (0.5, f"```\n{plain}\n```"),
        "no fence": (0.4, plain),
        "nothing": (0.3, rng.choice(("", "\n\n", "I do not know."))),
        "goes on": (0.7, f"{block}\n{tools}\n\n\n## Example\n**Question**\nWhat is 1?"),
        "asks": (0.4, f"{block}\n**Question**\nWhat is 1?\n{used}"),
        "edited": (0.4, f"{used}\n**Tools**\n```python\n{made.replace('args', 'more')}\n```"),
        "nested": (0.4, f"{used}\n**Tools**\n```python\n{made}\n\n    def inner(): pass\n```"),
        "class": (
            0.3,
            f"{block}\n**Tools**\n```python\nclass Sum:\n    def of(self): return 1\n```",
        ),
    }
    weights, texts = zip(*shapes.values(), strict=True)
    return rng.choices(texts, weights)[0]


def printed(rng: random.Random, problem: Problem) -> list[str]:
    """Expressions of what programs print: the right answer, wrong ones, and other forms of them."""
    gold = problem.gold
    if isinstance(gold, float):
        near = [repr(gold), repr(gold), repr(gold + 1), repr(int(gold)), f"'{gold:.1f}'"]
        return [*near, repr(f"x = {gold}"), repr(f"{gold + 0.004}"), "7", "'３ of 4'", "'1,234'"]
    values = gold["values"] if isinstance(gold, dict) else [gold] if isinstance(gold, str) else gold
    value = values[0]
    text = str(value)
    forms = [repr(value), repr(value), repr(text.upper()), repr(f" {text}\n"), repr(values)]
    forms += [
        repr(f"{text}."),
        "''",
        "5",
        "'5.0'",
        "5.0",
        "'1–2'",
        "'1-2'",
        "True",
        "'yes'",
        "'No'",
    ]
    return [*forms, "'x\\ny'", "None", "12", "12.004"]


# --- the program


def run_program(stream: Stream, problems: list[Problem], said: dict, folder: Path) -> "Released":
    """The released `main()` on these replies."""
    program = program_folder()
    for path in files_of(GROUP):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(program / path, folder / path)
    (folder / "toolbox/math.py").touch()  # an empty file, which is no file of a group
    (folder / "prompt").symlink_to(data_folder() / "zorazrw/trove/prompt")
    (folder / TASKS[stream.task][2]).parent.mkdir(parents=True)
    write_problems(stream, problems, folder)
    arguments = {
        "task_name": stream.task,
        "max_num_examples": stream.problems,
        "trim_steps": stream.interval,
        "num_return_sequences": stream.samples,
        "model_name": "CodeLlama",
        "exec_timeout": TIME_LIMIT,
    }
    job = {"arguments": [str(x) for key, value in arguments.items() for x in (f"--{key}", value)]}
    job |= {"questions": [problem.question.text for problem in problems], "replies": said}
    (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
    child = Path(__file__).with_name("released_child.py")
    command = [sys.executable, "-I", child, folder, folder / "job.json"]
    environment = {"PATH": os.defpath, "HOME": str(folder), "LANG": "C.UTF-8"}
    ended = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    return Released(folder, stream)


def write_problems(stream: Stream, problems: list[Problem], folder: Path) -> None:
    """The problems in the form that the program reads."""
    path = TASKS[stream.task][2]
    target = folder / path
    source = data_folder() / "zorazrw/trove" / path
    if stream.dataset in ("math", "tabmwp", "hitab"):
        with source.open(encoding="utf-8") as lines:
            target.write_text("".join(next(lines) for _ in problems), encoding="utf-8")
    if stream.dataset == "hitab":
        tables = folder / "data/hitab/tables"
        tables.mkdir(parents=True)
        (tables / "hmt").symlink_to(data_folder() / "zorazrw/trove/data/hitab/tables/hmt")
    if stream.dataset == "wtq":
        target.write_text(json.dumps([as_released_wtq(problem) for problem in problems]))
    if stream.dataset == "gqa":
        images = {one.index: Path(one.question.context).stem for one in problems}
        entries = {
            str(one.index): {
                "question": one.question.text,
                "answer": one.gold,
                "imageId": images[one.index],
            }
            for one in problems
        }
        target.write_text(json.dumps(entries))


def as_released_wtq(problem: Problem) -> dict:
    (name, file), *_ = problem.files.items()
    lines = file.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    header, *rows = ([cell.strip() for cell in line.split("\t")] for line in lines)
    table = {"name": name.removeprefix("data/wtq/"), "header": header, "rows": rows}
    return {
        "question": problem.question.text,
        "answers": problem.gold["values"],
        "table": table,
    }


class Released:
    """What the program left: its log, its results, its library, and what it was asked."""

    def __init__(self, folder: Path, stream: Stream):
        out = folder / "output_CodeLlama" / stream.task
        self.log, self.results, self.library = (
            next(out.rglob(f"{kind}/*/trove/run0.*")) for kind in ("log", "results", "library")
        )
        told = json.loads((folder / "told.json").read_text(encoding="utf-8"))
        self.prompts = {(index, phase, mode): prompt for index, phase, mode, prompt, _ in told}
        self.toolboxes = [
            (index, phase, [tuple(tool) for tool in toolbox])
            for index, phase, mode, _, toolbox in told
            if mode == "import"
        ]
        self.chosen = json.loads(self.results.read_text(encoding="utf-8"))


# --- our stream


class Written(ScriptedModel):
    """Gives the written replies by a sample's seed; keeps the prompts."""

    def __init__(self, stream: Stream, problems: list[Problem], said: dict):
        super().__init__()
        self.by_seed = {}
        self.prompts = {}
        for problem in problems:
            for phase, modes in MODES.items():
                for mode in modes:
                    for n, text in enumerate(said[f"{problem.index} {phase} {mode}"]):
                        seed = sample_seed(0, problem.question, phase, mode, n)
                        self.by_seed[seed] = (problem.index, phase, mode), text

    async def complete(self, prompt, seeds, *, sampling=None):
        (seed,) = seeds
        key, text = self.by_seed[seed]
        self.prompts[key] = prompt
        return [Completion(text, 9, 5, "stop", 0.0)]


class Ours(NamedTuple):
    """Our run on the replies: its candidates, what was asked, and the toolbox before each IMPORT."""

    table: pd.DataFrame
    prompts: dict
    toolboxes: list


def run_ours(
    stream: Stream, problems: list[Problem], said: dict, folder: Path, monkeypatch
) -> Ours:
    """The same by `live_run`, with the presets of the released program."""
    model = Written(stream, problems, said)
    seen = []
    ranked = Toolbox.ranked

    def watched(toolbox, *how):
        seen.append([(name, entry.uses) for name, entry in toolbox.entries.items()])
        return ranked(toolbox, *how)

    monkeypatch.setattr(Toolbox, "ranked", watched)
    canned = folder / "canned.json"
    canned.write_text("")
    choices = {"trove": {"interval": stream.interval}}
    settings = RunSettings(
        name="ours",
        methods=("trove",),
        dataset=stream.dataset + VOTES.get(stream.dataset, ""),
        categories=(stream.category,),
        seeds=(0,),
        prompts="official",
        preset="official",
        choices=choices,
        k=3 * stream.samples,
        limit=stream.problems,
        model="scripted",
        vision=f"canned:{canned}" if stream.dataset == "gqa" else None,
        time_limit=TIME_LIMIT,
    )
    out = live_run(settings, folder / "ours", model=model, progress=False)
    return Ours(load_candidates(out), model.prompts, seen)


def problems_of(stream: Stream) -> list[Problem]:
    return list(load_dataset(stream.dataset).load(stream.category)[: stream.problems])
