"""How the analysis grows: the tables of accuracy and differences from 48,000 and from 480,000 candidates.

The rows are resampled from the bundled outcomes (CodeLlama, recorded): for each of the 3,201 problems of MATH, five
runs and two methods, the fifteen outcomes of a recorded problem. They measure time and memory, and mean nothing else.
Each size runs in a process of its own, with one BLAS thread, since CPU time is what is counted.

    python benchmarks/analysis.py
"""

import argparse
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

import trove_lite as tl
from trove_lite_papers import published_table, reeval

OUTCOMES = Path(__file__).parent.parent / "results/codellama-7b-instruct/outcomes.parquet"
TABLES = ["table1", "table5", "table7", "figure4_table", "differences", "paired_differences"]


def resampled(problems: int, *, runs: int = 5, seed: int = 0) -> pd.DataFrame:
    """Candidates of `problems` problems × 15 × `runs` × two methods, drawn from the recorded problems."""
    rng = np.random.default_rng(seed)
    recorded = tl.load_candidates(OUTCOMES).query("phase == 'stream' and method == 'trove'")
    recorded = recorded.sort_values(["run", "category", "problem", "mode", "sample"], ignore_index=True)
    size = recorded.groupby(["run", "category", "problem"], observed=True)["sample"].transform("size")
    blocks = recorded[size == 15].index.to_numpy().reshape(-1, 15)
    sizes = published_table("reeval_table8").query("level == 'all'").set_index("category")["count"]
    share = (sizes / sizes.sum() * problems).round().astype(int)
    category = np.repeat(share.index.to_numpy(), share)
    index = np.concatenate([np.arange(n) for n in share])
    parts = []
    for method in ("trove", "primitive"):
        for run in range(runs):
            rows = blocks[rng.integers(len(blocks), size=len(category))].ravel()
            part = recorded.iloc[rows].reset_index(drop=True)
            part = part.assign(
                run=f"resampled {run}",
                method=method,
                seed=run,
                category=np.repeat(category, 15),
                problem=np.repeat(index, 15),
                program=rng.integers(2**62, size=len(part)),
                level=np.repeat((index % 5 + 1).astype(str), 15),
            )
            parts.append(
                part.assign(mode="primitive", place=0, sample=np.tile(np.arange(15), len(index)))
                if method == "primitive"
                else part
            )
    return pd.concat(parts, ignore_index=True).astype({"problem": "Int32", "sample": "Int32"})


def measure(problems: int, resamples: int) -> None:
    """Make every table once; print what each took."""
    candidates = resampled(problems)
    start = time.process_time()
    sides = reeval.sides(candidates)
    print(f"{len(candidates):,} candidates\n  {'prepare':16}{time.process_time() - start:6.1f} s")
    for name in TABLES:
        began = time.process_time()
        getattr(reeval, name)(sides, **({} if name == "table7" else {"resamples": resamples}))
        print(f"  {name:16}{time.process_time() - began:6.1f} s")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"  {'in all':16}{time.process_time() - start:6.1f} s of CPU, {peak:.2f} GB at most", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", type=int, nargs="+", default=[320, 3201], help="problems, one process each")
    parser.add_argument("--resamples", type=int, default=50, help="subsets drawn a budget (default: %(default)s)")
    args = parser.parse_args()
    if len(args.problems) == 1:
        measure(args.problems[0], args.resamples)
    else:
        for problems in args.problems:
            command = [sys.executable, __file__, "--problems", str(problems), "--resamples", str(args.resamples)]
            subprocess.run(command, check=True, env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "MPLBACKEND": "agg"})


if __name__ == "__main__":
    main()
