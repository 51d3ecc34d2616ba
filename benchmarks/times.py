"""Where the time of the suite and of the reproduction goes, by part; and before a change, beside it.

`python -m benchmarks.times [FILE …] [--beside CHECKOUT]`: seconds of the files and folders of tests
that are named (none: of all), and of the kernels of the last `make reproduce`, each part by itself,
the longest first. Another checkout, with the same files, is a column of its own, run after this
one by the same interpreter. Seconds on the clock are also those of what else the machine does.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd

ROOT = Path(__file__).parent.parent
MOST = 40  # parts that are shown


def of_tests(paths: list[str], root: Path) -> pd.Series:
    """Seconds on the clock by file of tests of a checkout, in one process."""
    with tempfile.NamedTemporaryFile(suffix=".xml") as report:
        words = ["-m", "pytest", "-q", "-n", "0", f"--junit-xml={report.name}"]
        # `-m` puts the folder first: each checkout tests its own package
        subprocess.run([sys.executable, *words, *paths], cwd=root, check=False)
        cases = ElementTree.parse(report.name).iter("testcase")
        rows = [(case.get("classname"), float(case.get("time"))) for case in cases]
    return pd.DataFrame(rows, columns=["part", "seconds"]).groupby("part")["seconds"].sum()


def of_notebooks(root: Path) -> pd.Series:
    """Seconds on the clock by page, as the last reports and batches in `results/` wrote them."""
    found = {}
    for path in sorted(root.glob("results/**/manifest.csv")):
        for row in pd.read_csv(path).itertuples():
            found[f"{path.parent.relative_to(root / 'results')}: {row.cell}"] = row.seconds
    return pd.Series(found, name="seconds", dtype=float)


def told(title: str, columns: dict[str, pd.Series]) -> None:
    table = pd.DataFrame(columns).sort_values(next(iter(columns)), ascending=False)
    print(f"{title}: {', '.join(f'{table[name].sum():.0f} s {name}' for name in table)}")
    print(table.head(MOST).round(2).to_string(), end="\n\n")


if __name__ == "__main__":
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("paths", nargs="*", metavar="FILE")
    words.add_argument("--beside", type=Path, metavar="CHECKOUT")
    given = words.parse_args()
    roots = {"here": ROOT} | ({"beside": given.beside.resolve()} if given.beside else {})
    told("tests", {name: of_tests(given.paths, root) for name, root in roots.items()})
    told("reproduce", {name: of_notebooks(root) for name, root in roots.items()})
