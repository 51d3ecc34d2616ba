"""How the analysis grows: the tables of accuracy and differences from 48,000 and from 480,000
candidates.

The rows are resampled from the bundled outcomes (CodeLlama, recorded): for each of the 3,201
problems of MATH, five runs and two methods, the fifteen outcomes of a recorded problem. They
measure time and memory, and mean nothing else. Each size runs in a process of its own, with one
BLAS thread, since CPU time is what is counted.

    python benchmarks/analysis.py
    python benchmarks/analysis.py --journal 50000    # how long a journal of so many lines takes to be read
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path

import numpy as np
import pandas as pd

import trove_lite as tl
import trove_lite_analysis as ta
from trove_lite.journal import CHECKSUM, checksum, finished_journal
from trove_lite.running.record import keyed
from trove_lite.selection import one_stage
from trove_lite_papers import published_table, reeval

RESULTS = Path(__file__).parent.parent / "results"
OUTCOMES = RESULTS / "codellama-7b-instruct/outcomes.parquet"
JOURNALS = RESULTS / "bench/runs/own-trove/journal"
TABLES = {
    "accuracy": lambda systems, vote, n: ta.accuracy(systems, resamples=n),
    "differences": lambda systems, vote, n: ta.accuracy_differences(systems, resamples=n),
    "table5": lambda systems, vote, n: reeval.growing(systems, "table5", vote),
    "figure4": lambda systems, vote, n: reeval.figure4_table(systems, {"one-stage": vote}),
}


def resampled(problems: int, *, runs: int = 5, seed: int = 0) -> pd.DataFrame:
    """Candidates of `problems` problems × 15 × `runs` × two methods, drawn from the recorded
    problems."""
    rng = np.random.default_rng(seed)
    recorded = tl.load_candidates(OUTCOMES).query("phase == 'stream' and method == 'trove'")
    recorded = recorded.sort_values(
        ["run", "category", "problem", "mode", "sample"], ignore_index=True
    )
    size = recorded.groupby(["run", "category", "problem"], observed=True)["sample"].transform(
        "size"
    )
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
    systems = reeval.systems(candidates)
    print(f"{len(candidates):,} candidates\n  {'prepare':16}{time.process_time() - start:6.1f} s")

    def vote(system: object, k: int) -> pd.DataFrame:
        return reeval.resampled(system, lambda own: own[one_stage(own)], k, resamples=resamples)

    for name, make in TABLES.items():
        began = time.process_time()
        make(systems, vote, resamples)
        print(f"  {name:16}{time.process_time() - began:6.1f} s")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"  {'in all':16}{time.process_time() - start:6.1f} s of CPU, {peak:.2f} GB at most",
        flush=True,
    )


def read_journals(lines: int) -> None:
    """Read the packed journals of a run, and one of so many lines made of theirs; each beside
    `json.loads` alone."""
    packed = [path.with_suffix("") for path in sorted(JOURNALS.glob("*.xz"))]
    known = [finished_journal(path) for path in packed]
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "made.jsonl"
        records = [
            r | {"problem": n}
            for n, r in enumerate(islice(cycle(r for part in known for r in part), lines))
        ]
        made.write_text(
            "".join(json.dumps(r | {CHECKSUM: checksum(r, made.name)}) + "\n" for r in records)
        )
        for name, paths, parts in (("packed", packed, known), ("made", [made], [records])):
            texts = [json.dumps(record) for part in parts for record in part]
            alone = seconds_of(lambda texts=texts: list(map(json.loads, texts)))
            checks = seconds_of(lambda paths=paths, parts=parts: list(map(keyed, parts, paths)))
            whole = seconds_of(
                lambda paths=paths: [keyed(finished_journal(path), path) for path in paths]
            )
            print(
                f"{name}: {len(texts):,} lines in {whole:.2f} s of CPU, {whole / alone:.1f} × json.loads alone",
                end="",
            )
            print(f"; types and records {checks:.2f} s, {checks / alone:.2f} ×")


def seconds_of(work: Callable[[], object]) -> float:
    """CPU seconds, the least of three turns."""
    turns = []
    for _ in range(3):
        began = time.process_time()
        work()
        turns.append(time.process_time() - began)
    return min(turns)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--problems", type=int, nargs="+", default=[320, 3201], help="problems, one process each"
    )
    parser.add_argument(
        "--resamples", type=int, default=50, help="subsets drawn a budget (default: %(default)s)"
    )
    parser.add_argument(
        "--journal", type=int, metavar="LINES", help="read a journal of so many lines instead"
    )
    args = parser.parse_args()
    if args.journal:
        read_journals(args.journal)
    elif len(args.problems) == 1:
        measure(args.problems[0], args.resamples)
    else:
        for problems in args.problems:
            command = [
                sys.executable,
                __file__,
                "--problems",
                str(problems),
                "--resamples",
                str(args.resamples),
            ]
            subprocess.run(
                command,
                check=True,
                env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "MPLBACKEND": "agg"},
            )


if __name__ == "__main__":
    main()
