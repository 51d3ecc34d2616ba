"""What a study costs: calls, tokens and GPU-hours, from the tokens of runs that were made.

    python -m benchmarks.cost runs/NAME … --prefill TOKENS/S --decode TOKENS/S [--tokenizer COMMAND]

Live runs say how many tokens every sample read and wrote. Recorded runs hold text alone: their prompts are rendered
again, toolbox and all, by playing the record back to TROVE's generator, and counted with a tokenizer that you name. The
speed of a GPU is yours to state: nothing here guesses it.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from itertools import chain, product

import pandas as pd

from trove_lite.candidates import load_candidates
from trove_lite.datasets import load_dataset, load_problems
from trove_lite.datasets.math import CATEGORIES
from trove_lite.errors import TroveLiteError
from trove_lite.prompts import load_pack
from trove_lite.prompts.base import PromptPack
from trove_lite.recorded.replay import played_back

#: The re-evaluation: five runs of each method, fifteen calls a problem (k, and its modes).
PLAN = {"trove": ("import", "create", "skip"), "primitive": ("primitive",)}
SEEDS, K = 5, 15
COUNTED = ["prompt_tokens", "completion_tokens", "basis"]
COST = ["method", "category", "problems", "calls", "prompt_mtokens", "completion_mtokens", "gpu_hours", "basis"]
Count = Callable[[Sequence[str]], list[int]]


def tokens_measured(candidates: pd.DataFrame) -> pd.DataFrame:
    """Mean tokens a sample by category and mode, as the model counted them: live runs."""
    known = candidates.dropna(subset=["prompt_tokens", "completion_tokens"])
    return means(known[["category", "mode", "prompt_tokens", "completion_tokens"]], "measured")


def tokens_recounted(candidates: pd.DataFrame, pack: PromptPack, count: Count) -> pd.DataFrame:
    """Mean tokens a sample by category and mode, counted in the text of recorded TROVE runs.

    A completion is its Solution and Tools sections: what the model wrote after them was cut off, as our stop texts do.
    """
    prompts, completions, where = [], [], []
    full = candidates[candidates["method"] == "trove"]
    for (_, category), rows in full.groupby(["run", "category"], observed=True):
        problems = load_problems("math", category)
        for attempt, recorded in played_back(rows):
            prompt = pack.render(problems[attempt.question.index].question, attempt.mode, attempt.shown)
            for row in recorded:
                prompts.append(prompt)
                completions.append(f"{row['solution']}\n**Tools**\n{row['tools']}\n")
                where.append((category, attempt.mode))
    found = pd.DataFrame(where, columns=["category", "mode"])
    distinct = list(dict.fromkeys(prompts))
    length = dict(zip(distinct, count(distinct), strict=True))
    found["prompt_tokens"] = [length[prompt] for prompt in prompts]
    found["completion_tokens"] = [min(n, 512) for n in count(completions)]
    return means(found, "recounted")


def tokens_of_prompts(pack: PromptPack, count: Count, mode: str) -> pd.Series:
    """Mean tokens by category of a mode's prompts without a toolbox, over all problems."""
    found = {}
    for category in CATEGORIES:
        counts = count([pack.render(p.question, mode) for p in load_problems("math", category)])
        found[category] = sum(counts) / len(counts)
    return pd.Series(found)


def means(samples: pd.DataFrame, basis: str) -> pd.DataFrame:
    table = samples.astype({"category": str, "mode": str}).groupby(["category", "mode"]).mean(numeric_only=True)
    return table.astype(float).assign(basis=basis)


def filled(tokens: pd.DataFrame, prompts: dict[str, pd.Series]) -> pd.DataFrame:
    """A row for every category and mode of PLAN, in which what no run shows is estimated and says so.

    PRIMITIVE writes like SKIP; a category without runs writes like the others on average; its prompts are rendered
    (`prompts`, by mode), and IMPORT's, whose toolbox is unknown, take as much more than CREATE's as elsewhere.
    """
    rows = []
    for category, mode in product(CATEGORIES, chain(*PLAN.values())):
        if (category, mode) in tokens.index:
            rows.append((category, mode, *tokens.loc[(category, mode), COUNTED]))
            continue
        like = "skip" if mode == "primitive" else mode
        same = tokens[tokens.index.get_level_values("mode") == like]
        if (category, like) in tokens.index:
            same = tokens.loc[[(category, like)]]
        prompt = prompts["create" if mode == "import" else mode][category]
        if mode == "import":
            wide = tokens["prompt_tokens"].unstack("mode")
            prompt += (wide["import"] - wide["create"]).mean()
        rows.append((category, mode, prompt, same["completion_tokens"].mean(), "estimated"))
    return pd.DataFrame(rows, columns=["category", "mode", *COUNTED])


def study_cost(tokens: pd.DataFrame, *, k: int = K, seeds: int = SEEDS, prefill: float, decode: float) -> pd.DataFrame:
    """Calls, millions of tokens and GPU-hours of the whole study: a row a method and category, then the sums.

    `tokens` has mean prompt and completion tokens by category and mode (`filled`); prefill and decode are tokens a
    second on one GPU. Problems solved again after trimming are not in it.
    """
    sizes = {category: len(load_problems("math", category)) for category in CATEGORIES}
    rows = []
    for method, modes in PLAN.items():
        for category, n in sizes.items():
            part = tokens[(tokens["category"] == category) & tokens["mode"].isin(modes)]
            calls = n * k * seeds
            read, written = (part[name].mean() * calls for name in ("prompt_tokens", "completion_tokens"))
            hours, basis = (read / prefill + written / decode) / 3600, ", ".join(sorted(set(part["basis"])))
            rows.append((method, category, n, calls, read / 1e6, written / 1e6, hours, basis))
    table = pd.DataFrame(rows, columns=COST)
    sums = table.groupby("method", sort=False).sum(numeric_only=True).reset_index().assign(category="all", basis="")
    total = sums.sum(numeric_only=True).to_frame().T.assign(method="both", category="all", basis="")
    total["problems"] = sum(sizes.values())
    table = pd.concat([table, sums, total], ignore_index=True)[table.columns]
    return table.astype({"problems": int, "calls": int})


def cost_of_runs(candidates: pd.DataFrame, pack: PromptPack, count: Count | None, **speed: float) -> pd.DataFrame:
    """`study_cost` from whatever runs there are, measured where they say, else recounted. Raises without a way."""
    tokens = tokens_measured(candidates)
    if tokens.empty or count:
        if count is None or "solution" not in candidates:
            raise TroveLiteError("these runs hold no token counts: name imported run folders, and a --tokenizer")
        tokens = tokens_recounted(candidates, pack, count)
    missing = {mode for modes in PLAN.values() for mode in modes for c in CATEGORIES if (c, mode) not in tokens.index}
    if missing and count is None:
        raise TroveLiteError(
            f"no run of every category has {', '.join(sorted(missing))}: give a --tokenizer to estimate"
        )
    prompts = {mode: tokens_of_prompts(pack, count, mode) for mode in ("create", "skip", "primitive") if missing}
    return study_cost(filled(tokens, prompts), **speed)


def as_markdown(table: pd.DataFrame) -> str:
    lines = ["| " + " | ".join(table.columns) + " |", "|" + " --- |" * len(table.columns)]
    for row in table.itertuples(index=False):
        cells = (
            f"{cell:,.1f}" if isinstance(cell, float) else f"{cell:,}" if isinstance(cell, int) else cell
            for cell in row
        )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def counter(command: str) -> Count:
    """A tokenizer as a command that reads one JSON string a line and prints one number a line."""

    def count(texts: Sequence[str]) -> list[int]:
        given = "".join(json.dumps(text) + "\n" for text in texts)
        done = subprocess.run(command, shell=True, input=given, capture_output=True, text=True)
        numbers = done.stdout.split()
        if done.returncode or len(numbers) != len(texts) or not all(map(str.isdecimal, numbers)):
            raise TroveLiteError(
                f"--tokenizer {command}: {len(numbers)} numbers for {len(texts)} texts ({done.stderr.strip()[-200:]})"
            )
        return [int(number) for number in numbers]

    return count


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cost", description=__doc__.split("\n")[0])
    parser.add_argument("runs", nargs="+", metavar="RUN", help="run folders: live ones, or imported ones with text")
    parser.add_argument("--prefill", type=float, required=True, help="prompt tokens a second on one GPU")
    parser.add_argument("--decode", type=float, required=True, help="completion tokens a second on one GPU, batch full")
    parser.add_argument("--tokenizer", metavar="COMMAND", help="reads JSON strings, a line each; prints token counts")
    parser.add_argument("--prompts", default="official", help="the pack that is rendered (default: %(default)s)")
    args = parser.parse_args(words)
    try:
        count = counter(args.tokenizer) if args.tokenizer else None
        speed = {"prefill": args.prefill, "decode": args.decode}
        pack = load_pack(args.prompts, load_dataset("math"))
        print(as_markdown(cost_of_runs(load_candidates(*args.runs), pack, count, **speed)))
    except TroveLiteError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
