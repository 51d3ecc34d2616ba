"""Measure the practice model: every number of its card, over several seeds, with intervals over problems.

    python -m practice.measure --split test --json trove_lite/models/practice/weights/metrics.json \\
        --card trove_lite/models/practice/weights/README.md

Needs no torch. Programs run in the kit's sandbox. The test split was measured once, for the card; whoever changes
problems, training or model tunes with `--split dev`, which shares no question and no unseen wording with it.
"""

import argparse
import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from tqdm.asyncio import tqdm

from trove_lite.analysis.statistics import pass_at_k, run_sd
from trove_lite.analysis.variance import Runs, decompose, interval
from trove_lite.candidates import load_candidates
from trove_lite.datasets.answers import number_is_correct, read_numbers
from trove_lite.datasets.base import Question
from trove_lite.methods.base import sample_seed
from trove_lite.models.base import SamplingSettings
from trove_lite.models.practice.model import WEIGHTS, PracticeModel
from trove_lite.programs import operations, program_of
from trove_lite.programs.parse import parse_completion
from trove_lite.prompts.practice import practice_prompt
from trove_lite.running.live import live_run
from trove_lite.running.settings import RunSettings
from trove_lite.sandbox.pool import Sandbox
from trove_lite.selection import Vote, one_stage, round_answer

from .demonstrations import signatures, toolbox_for
from .dice import Dice
from .problems import CATEGORIES, LEVELS, SHARES, Item, items
from .programs import PROGRAMS, TOOLS

#: What is sampled: condition → (mode, samples a problem).
CONDITIONS = {
    "primitive": ("primitive", 15),
    "create": ("create", 5),
    "listed": ("import", 5),
    "unlisted": ("import", 5),
}
DISTRACTORS = 7
#: What the kit's own methods make of the model: name → (data set, method, calls a problem, its choices).
METHODS = {
    "PoT, one attempt": ("practice", "pot", 4, {"attempts": 1}),
    "Entangled, one attempt": ("practice", "entangled", 4, {"attempts": 1}),
    "CREATOR, one attempt": ("practice", "creator", 5, {"attempts": 1}),
    "tables, PRIMITIVE": ("practice_tables", "primitive", 15, {}),
    "tables, TROVE": ("practice_tables", "trove", 15, {}),
}
MARK = "<!-- metrics -->"


@dataclass
class Sample:
    """One program and how it fared: does it define functions, which names does it import, does it call its tool.

    `right`: it imports and calls the right tool; `stray`: it imports a name that was not listed.
    """

    ok: bool
    answers: list[str]
    correct: bool
    operations: int
    defines: bool
    imported: frozenset[str]
    calls: bool
    right: bool = False
    stray: bool = False


def shown_toolbox(item: Item, condition: str) -> tuple[dict[str, str], str]:
    """A toolbox like a stream's after a while, and the name in it of the right tool, "" where there is none."""
    if condition not in ("listed", "unlisted"):
        return {}, ""
    dice = Dice(f"{item.question}/{condition}")
    program = PROGRAMS[item.category].get(item.family.name)
    toolbox = toolbox_for(
        dice, item, program.tool if program else "", condition == "listed", DISTRACTORS
    )
    return toolbox, toolbox.get(program.tool, "") if program else ""


async def measure(
    split: str,
    seeds: Sequence[int],
    settings: SamplingSettings,
    folder: Path | None,
    workers: int | None,
):
    """All samples: (items, {condition: {(item number, seed): samples}})."""
    model = PracticeModel(settings, folder or WEIGHTS)
    found = [
        (index, item)
        for category in CATEGORIES
        for index, item in enumerate(items(split, category))
    ]
    results = {condition: {} for condition in CONDITIONS}
    executions: dict[str, asyncio.Future] = {}
    gate = asyncio.Semaphore(32)
    with Sandbox(workers, time_limit=10) as sandbox:

        def executed(program):  # alike programs do alike: run each once
            if program not in executions:
                executions[program] = asyncio.ensure_future(sandbox.run(program))
            return executions[program]

        async def one(number, index, item, condition, seed):
            mode, count = CONDITIONS[condition]
            toolbox, right = shown_toolbox(item, condition)
            prompt = practice_prompt(mode, item.question, signatures(toolbox))
            library = library_of(toolbox)
            async with gate:
                asked = Question(f"practice-{split}", item.category, index, item.question)
                numbers = [
                    sample_seed(seed, asked, "stream", condition, sample) for sample in range(count)
                ]
                completions = await model.complete(prompt, numbers)
                results[condition][number, seed] = [
                    await sample_of(completion.text, item, right, library, executed)
                    for completion in completions
                ]

        jobs = [
            one(number, index, item, condition, seed)
            for seed in seeds
            for condition in CONDITIONS
            for number, (index, item) in enumerate(found)
        ]
        await tqdm.gather(*jobs, desc=f"{split} split")
    return [item for _, item in found], results


async def sample_of(text: str, item: Item, right: str, library: Sequence[str], executed) -> Sample:
    parsed = parse_completion(text)
    program = program_of(parsed.solution, parsed.tools, library)
    execution = await executed(program)
    answers = read_numbers(execution.output)
    ok = execution.status == "ok"
    defined = [tool.name for tool in parsed.tools if tool.kind == "function"]
    imported = frozenset(
        t.name.removeprefix("toolbox.") for t in parsed.tools if t.name.startswith("toolbox.")
    )
    return Sample(
        ok,
        answers,
        ok and number_is_correct(answers, item.answer),
        operations(program_of(parsed.solution, parsed.tools)),
        bool(defined),
        imported,
        any(f"{name}(" in parsed.solution for name in defined + ([right] if right else [])),
    )


def library_of(toolbox: dict[str, str]) -> list[str]:
    """The code of the tools shown, as their authors meant it."""
    return ["\n".join(["import math", *TOOLS[key].lines(name)]) for key, name in toolbox.items()]


def majority_is_right(samples: Sequence[Sample]) -> bool:
    """Whether the kit's one-stage agreement answers right."""
    return samples[one_stage([Vote("", s.ok, s.answers, s.operations) for s in samples])].correct


def summary(found: Sequence[Item], results: dict, seeds: Sequence[int]) -> dict[str, dict]:
    """Every metric: value, low, high (95 %, over problems, for runs averaged) and the SD between seeds, in percent."""
    report = {}

    def add(name, condition, score, chosen=lambda item: True):
        numbers = [n for n, item in enumerate(found) if chosen(item)]
        scores = np.array(
            [[score(results[condition][n, seed]) for seed in seeds] for n in numbers], dtype=float
        )
        report[name] = estimate(scores)

    def right(k):
        return lambda samples: pass_at_k(len(samples), sum(s.correct for s in samples), k)

    def share(test):
        return lambda samples: np.mean([test(sample) for sample in samples])

    for k in (1, 5, 15):
        add(f"PRIMITIVE pass@{k}", "primitive", right(k))
    add("PRIMITIVE maj@15", "primitive", majority_is_right)
    add("PRIMITIVE failing", "primitive", share(lambda s: not s.ok))

    def distinct(samples):
        return len({round_answer(s.answers[0]) for s in samples if s.ok and s.answers})

    add("PRIMITIVE distinct answers", "primitive", distinct)
    for level in LEVELS:
        add(
            f"level {level} pass@1",
            "primitive",
            right(1),
            lambda item, level=level: item.level == level,
        )
    for kind in SHARES:
        for k in (1, 15):
            add(
                f"{kind} pass@{k}", "primitive", right(k), lambda item, kind=kind: item.kind == kind
            )
    for category in CATEGORIES:
        add(
            f"{category} pass@1", "primitive", right(1), lambda item, c=category: item.category == c
        )
    modes = {"SKIP": "primitive", "CREATE": "create", "IMPORT": "listed"}
    for name, condition in (modes | {"IMPORT unlisted": "unlisted"}).items():
        add(f"{name} pass@1", condition, lambda samples: right(1)(samples[:5]))
        add(f"{name} pass@5", condition, lambda samples: right(5)(samples[:5]))
        add(f"{name} maj@5", condition, lambda samples: majority_is_right(samples[:5]))
        add(f"{name} failing", condition, lambda samples: share(lambda s: not s.ok)(samples[:5]))
    for mode, condition in modes.items():
        others = [c for c in modes.values() if c != condition]
        for number, _ in enumerate(found):
            for seed in seeds:
                solved = {
                    c: any(s.correct for s in results[c][number, seed][:5])
                    for c in (condition, *others)
                }
                alone = solved[condition] and not any(solved[c] for c in others)
                results.setdefault(f"{mode} alone", {})[number, seed] = alone
        add(f"solved in 5 samples of {mode} and of no other mode", f"{mode} alone", float)
    seen = lambda item: item.kind == "seen"  # noqa: E731
    add("CREATE defines a function (seen)", "create", share(lambda s: s.defines), seen)
    add(
        "CREATE defines and calls it (seen)", "create", share(lambda s: s.defines and s.calls), seen
    )
    for condition in ("listed", "unlisted"):
        for number, item in enumerate(found):
            toolbox, name = shown_toolbox(item, condition)
            for sample in (s for seed in seeds for s in results[condition][number, seed]):
                sample.right = bool(name) and name in sample.imported and sample.calls
                sample.stray = not sample.imported <= set(toolbox.values())
    add("IMPORT uses the right tool (seen, listed)", "listed", share(lambda s: s.right), seen)
    add("IMPORT imports unlisted names (seen, listed)", "listed", share(lambda s: s.stray), seen)
    add(
        "IMPORT imports unlisted names (seen, not listed)",
        "unlisted",
        share(lambda s: s.stray),
        seen,
    )
    return report


def of_methods(
    seeds: Sequence[int], settings: SamplingSettings, folder: Path | None
) -> dict[str, dict]:
    """For each of METHODS the share of last programs that are right and that fail, and the answers agreed on."""
    report = {}
    for name, (dataset, method, k, choices) in METHODS.items():
        with TemporaryDirectory() as place:
            what = {
                "methods": (method,),
                "dataset": dataset,
                "seeds": tuple(seeds),
                "choices": {method: choices},
            }
            run = RunSettings(**what, k=k, sampling=settings)
            model = PracticeModel(settings, folder or WEIGHTS)
            rows = load_candidates(live_run(run, Path(place) / "run", model=model))
        rows = rows[rows["phase"] == "stream"]
        failing = rows["status"] != "ok"
        for what, score in (
            ("pass@1", rows["correct"].astype(float)),
            ("failing", failing.astype(float)),
        ):
            scores = (
                score.groupby([rows["category"], rows["problem"], rows["seed"]], observed=True)
                .mean()
                .unstack()
            )
            report[f"{name}: {what}"] = estimate(scores.to_numpy())
    return report


def estimate(scores: np.ndarray) -> dict[str, float]:
    """The mean of (problems × seeds) with its interval over problems, and the SD between seeds."""
    mean = interval(decompose(Runs(scores, run_sd=0)))  # each problem by itself: runs share nothing
    most = 1.0 if scores.max() <= 1 else np.inf  # a share, or a count
    row = mean._asdict() | {"low": max(mean.low, 0.0), "high": min(mean.high, most)}
    row |= {"run_sd": run_sd(scores.mean(axis=0))}
    return {"problems": len(scores)} | {key: round(float(value), 4) for key, value in row.items()}


def as_markdown(report: dict[str, dict]) -> str:
    """The report as a table; percent, but for counts."""
    lines = [
        "| metric | value | 95 % interval | SD between seeds | problems |",
        "|---|---|---|---|---|",
    ]
    for name, row in report.items():
        unit = 1 if "distinct" in name else 100
        value, low, high, sd = (unit * row[key] for key in ("value", "low", "high", "run_sd"))
        digits = 2 if unit == 1 else 1
        lines.append(
            f"| {name} | {value:.{digits}f} | {low:.{digits}f} to {high:.{digits}f} | {sd:.{digits}f} "
            f"| {row['problems']} |"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--split", choices=("dev", "test"), default="dev")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--temperature", type=float, default=0.6)
    parser.add_argument(
        "--model", type=Path, help="folder with a model; the kit's own where none is named"
    )
    parser.add_argument("--workers", type=int, help="programs run at a time")
    parser.add_argument("--json", type=Path, help="file to keep the numbers in")
    parser.add_argument(
        "--card", type=Path, help=f"file whose table between two lines '{MARK}' to renew"
    )
    options = parser.parse_args()
    settings = SamplingSettings(temperature=options.temperature)
    found, results = asyncio.run(
        measure(options.split, options.seeds, settings, options.model, options.workers)
    )
    report = summary(found, results, options.seeds)
    if options.split == "test":  # data sets are the test split
        report |= of_methods(options.seeds, settings, options.model)
    if options.json:
        header = {
            "split": options.split,
            "seeds": options.seeds,
            "temperature": options.temperature,
        }
        text = json.dumps(header | {"metrics": report}, indent=1)
        options.json.write_text(text + "\n", encoding="utf-8")
    if options.card:
        before, _, after = options.card.read_text(encoding="utf-8").split(MARK)
        options.card.write_text(
            f"{before}{MARK}\n{as_markdown(report)}\n{MARK}{after}", encoding="utf-8"
        )
    print(as_markdown(report))


if __name__ == "__main__":
    main()
