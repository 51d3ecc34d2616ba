"""Simulated candidates and logs. They are drawn from a random number generator and say nothing
about any model."""

import numpy as np

from trove_lite.candidates import as_arrow, as_frame, fingerprint
from trove_lite.datasets.base import Problem, Question
from trove_lite.datasets.math import CATEGORIES
from trove_lite.judge.canonical import number_text

# by its name that of the papers, so that print stands beside it
MODEL = "simulated CodeLlama-7b-Instruct"


def candidates(*, problems=6, runs=2, k=15, seed=0, categories=CATEGORIES):
    """Candidates of TROVE (k/3 a mode) and PRIMITIVE (k) over a few problems a category, from a
    seeded generator."""
    rng = np.random.default_rng(seed)
    rows = []
    for category in categories:
        for index in range(problems):
            chance = rng.uniform(0.05, 0.7)
            for run in range(runs):
                for method, modes in (
                    ("trove", ("import", "create", "skip")),
                    ("primitive", ("primitive",)),
                ):
                    for mode in modes:
                        for sample in range(k // len(modes)):
                            rows.append(
                                _row(
                                    rng,
                                    category,
                                    index,
                                    f"run{run}",
                                    run,
                                    method,
                                    mode,
                                    sample,
                                    chance,
                                )
                            )
                            rows[-1]["place"] = modes.index(mode)
    return as_frame(as_arrow(rows))


def _row(rng, category, index, run, seed, method, mode, sample, chance):
    ok = rng.random() < 0.85
    first = 1.0 if rng.random() < chance else float(rng.integers(2, 6))
    values = (
        [first, *rng.integers(1, 6, size=rng.integers(0, 3)).astype(float)]
        if ok and rng.random() < 0.9
        else []
    )
    answers = [number_text(float(value)) for value in values]
    same = {
        "model": MODEL,
        "provenance": "simulated",
        "dataset": "math",
        "phase": "stream",
        "round": 0,
        "tools": "",
    }
    same |= {
        "run": run,
        "method": method,
        "seed": seed,
        "category": category,
        "problem": index,
        "mode": mode,
    }
    same |= {
        "sample": sample,
        "level": str(index % 5 + 1),
        "shares_state": method == "trove",
        "solution": f"```python\nprint(1)  # {rng.integers(2**62)}\n```",
        "shortened": False,
    }
    same |= {
        "program": fingerprint(same["solution"], ""),
        "status": "ok" if ok else "error",
        "output": " ".join(answers),
    }
    same |= {
        "answers": answers,
        "answer": answers[0] if answers else None,
        "correct": answers[:1] == ["1.0"],
    }
    return same | {"operations": int(rng.integers(1, 40)) if answers else None}


def problem(index=0, question=None, answer=4.0, category="counting", level=1):
    """A problem that is in no data set."""
    return Problem(
        Question("math", category, index, question or f"Simulated question {index}?"),
        answer,
        str(level),
    )


def sample(
    number, output="4", *, ok=True, gold=4.0, code=None, tools="", answers=None, correct=None
):
    """One sample of a log in the official format."""
    numbers = (
        [float(x) for x in output.split()] if ok and answers is None and output.strip() else []
    )
    answers = answers if answers is not None else str(numbers)
    verdict = (
        correct
        if correct is not None
        else bool(numbers) and abs(round(numbers[0], 2) - round(gold, 2)) < 1e-6
    )
    code = f"print({output!r})" if code is None else code
    return (
        f"**{number}-th Execution Result**\n- Is Execution Success: {ok}\n- Model Output:\n```\n{output}\n```\n"
        f"- Model Answer: {answers}\n- Annotated Answer(s): {gold}\n- Is Answer Correct: {verdict}\n\n"
        f"{number}-th **Solution**\n```python\n{code}\n```\n\n**{number}-th Tools**\n{tools}\n**{number}-th Actions**\n"
    )


def section(example, question, samples, *, toolbox=False):
    """One section of a log: a problem in one mode."""
    seen = "\n**Toolbox**\n\n" if toolbox else ""
    return f"## Example {example}\n**Question**\n{question}\n\n{seen}" + "\n".join(samples)


def end(tools=("math",)):
    """What a complete log ends with."""
    listing = "".join(f"=== {tool} ===\nimport {tool}\n\n\n" for tool in tools)
    return (
        "\n\n## Overall Response Accuracy (before re-running solutions using trimmed functions): 0.25\n"
        f"Toolbox Size: #{len(tools)}\n\n## Overall Response Accuracy (after re-running solutions using trimmed "
        f"functions): 0.25\nToolbox Size: #{len(tools)}{listing}\n"
    )


def original_end(tools=("math",), *, again=""):
    """What a log of the original TroVE program ends with: the same words twice, and between them
    what is solved again."""
    stated = f"\n## Overall Response Accuracy: 0.25\nToolbox Size: #{len(tools)}"
    listing = "".join(f"=== {tool} ===\nimport {tool}\n\n\n" for tool in tools)
    return f"\n{stated}{again}{stated}{listing}"


def log(problems, *, modes=("import", "create", "skip"), sizes=(2, 2, 2), retried=()):
    """A whole log; `retried` problems come again at the end, in their first and last mode."""
    parts = []
    for phase, chosen in (("stream", problems), ("retry", retried)):
        for p in chosen:
            again = [m for m in modes if phase == "stream" or m != "create" or len(modes) == 2]
            for mode in again:
                codes = [
                    f"print({i + 3})  # {mode} {phase}" for i in range(sizes[modes.index(mode)])
                ]
                samples = [
                    sample(i, str(i + 3), gold=p.gold, code=code) for i, code in enumerate(codes)
                ]
                parts.append(section(p.index, p.question.text, samples, toolbox=mode == "import"))
    return "\n".join(parts) + end()
