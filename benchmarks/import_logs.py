"""How fast official logs are imported: megabytes a second of wall time, and the ratio to just reading the files.

TROVE_LITE_DATA=… python benchmarks/import_logs.py
"""

import time

from trove_lite.datasets import load_problems
from trove_lite.datasets.files import public_paths
from trove_lite.datasets.math import CATEGORIES
from trove_lite.recorded.official_logs import import_logs


def main() -> None:
    logs = public_paths("logs", ".md")
    problems = [problem for category in CATEGORIES for problem in load_problems("math", category)]
    for name, group in (("all logs", logs), ("one log", logs[:1])):
        size = sum(log.stat().st_size for log in group) / 1e6
        times = {"import": [], "read": []}
        for _ in range(5):
            began = time.perf_counter()
            table, _ = import_logs(group, problems, progress=False)
            times["import"].append(time.perf_counter() - began)
            began = time.perf_counter()
            for log in group:
                log.read_text(encoding="utf-8").splitlines()
            times["read"].append(time.perf_counter() - began)
        best = {what: min(found) for what, found in times.items()}
        print(
            f"{name}: {size:.1f} MB, {len(table):,} candidates, {size / best['import']:.1f} MB/s, "
            f"{best['import'] / best['read']:.0f} × reading the lines"
        )


if __name__ == "__main__":
    main()
