"""What `summary`, `compare` and `view` cost on a made table: processor seconds, and memory at most.

A process each. The candidates are made by chance and measure no model: two methods, ten samples a
problem, answers that agree or not. Give another checkout to have both side by side in one run.

    python benchmarks/million.py --candidates 100000
    python benchmarks/million.py --candidates 100000 1000000 --beside ../main
    python benchmarks/million.py --commands summary --text      # programs and replies, not outcomes
"""

import argparse
import os
import subprocess
import sys
import tempfile
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pandas as pd

from trove_lite.candidates import OUTCOMES_SCHEMA, SCHEMA, fingerprint, save_table

SAMPLES = 10  # of a problem
HERE = Path(__file__).resolve().parent.parent
GIVEN = {"summary": ["a"], "compare": ["a", "b"], "view": ["a"]}


def made(count: int, method: str, *, text: bool, seed: int) -> pd.DataFrame:
    """So many candidates of one run of a method; right with a chance that is each problem's own."""
    rng = np.random.default_rng(seed)
    problem = np.arange(count) // SAMPLES
    ease = rng.beta(1, 1, size=problem[-1] + 1)[problem]
    right = rng.random(count) < ease
    answer = np.where(right, problem, rng.integers(1000, size=count)).astype(float).astype(str)
    ran = rng.random(count) < 0.9
    said = np.where(ran, answer, None)
    facts = {"model": "made", "provenance": "simulated", "run": "made", "dataset": "made"}
    facts |= {"category": "made", "phase": "stream", "mode": "primitive", "level": ""}
    facts |= {"seed": 0, "place": 0, "round": 0, "shares_state": False}
    table = pd.DataFrame(facts | {"problem": problem, "sample": np.arange(count) % SAMPLES})
    table = table.assign(
        method=method,
        program=rng.integers(2**62, size=count),
        status=np.where(ran, "ok", "error"),
        shortened=False,
        answers=[[one] if one is not None else [] for one in said],
        answer=said,
        correct=right & ran,
        operations=rng.integers(3, 40, size=count),
        prompt_tokens=300,
        completion_tokens=rng.integers(20, 200, size=count),
    )
    if text:
        lines = rng.integers(10**9, size=count)
        programs = [
            f"```python\nstep = {n}\nprint({a})\n```" for n, a in zip(lines, answer, strict=True)
        ]
        table = table.assign(solution=programs, response=programs, tools="", output=said)
        table["program"] = [fingerprint(one, "") for one in programs]
    names = (SCHEMA if text else OUTCOMES_SCHEMA).names
    return table.assign(**dict.fromkeys({*names} - {*table.columns}))[names]


def write(count: int, name: str, folder: Path, text: bool, seed: int) -> None:
    save_table(made(count, name, text=text, seed=seed), folder / f"{name}.parquet")


def measured(arguments: list[str], checkout: Path) -> tuple[float, float]:
    """Processor seconds and most memory, in GB, of a command in a process of its own."""
    known = os.environ | {"PYTHONPATH": str(checkout), "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "trove_lite", *arguments]
    child = subprocess.Popen(command, env=known, cwd=checkout, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"{' '.join(arguments)}: did not end well")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 2**20


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--candidates", type=int, nargs="+", default=[100_000], help="of a run")
    parser.add_argument("--commands", nargs="+", default=[*GIVEN], choices=[*GIVEN])
    parser.add_argument("--text", action="store_true", help="keep made programs and replies")
    parser.add_argument("--beside", type=Path, nargs="*", default=[], help="another checkout")
    args = parser.parse_args()
    for count in args.candidates:
        with tempfile.TemporaryDirectory() as folder:
            for seed, name in enumerate("ab"):
                # In a process of its own: a child's most memory counts its parent's at the start.
                with get_context("spawn").Pool(1) as apart:
                    apart.apply(write, (count, name, Path(folder), args.text, seed))
            for command in args.commands:
                runs = [f"{folder}/{name}.parquet" for name in GIVEN[command]]
                place = [] if command == "summary" else ["--out", f"{folder}/page.html"]
                for checkout in [HERE, *args.beside]:
                    seconds, most = measured([command, *runs, *place], checkout.resolve())
                    line = f"{count:>9,} {command:8} {checkout.resolve().name:12}"
                    print(f"{line} {seconds:7.1f} s of CPU {most:6.2f} GB", flush=True)


if __name__ == "__main__":
    main()
