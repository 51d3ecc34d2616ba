"""Where the time of the suite and of the reproduction goes, by part.

`python -m benchmarks.times FILE…`: seconds of the files and folders of tests that are named (none:
of all), and of the kernels of the last `make reproduce`, each part by itself, the longest first.
Seconds of processor are this machine's; on the clock they are also those of what else it does.
"""

import subprocess
import sys
import tempfile
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from xml.etree import ElementTree

import pandas as pd

ROOT = Path(__file__).parent.parent


def of_tests(paths: list[str]) -> pd.Series:
    """Seconds on the clock by file of tests, in one process."""
    with tempfile.NamedTemporaryFile(suffix=".xml") as report:
        words = ["-m", "pytest", "-q", "-n", "0", f"--junit-xml={report.name}"]
        subprocess.run([sys.executable, *words, *paths], cwd=ROOT, check=False)
        cases = ElementTree.parse(report.name).iter("testcase")
        rows = [(case.get("classname"), float(case.get("time"))) for case in cases]
    return pd.DataFrame(rows, columns=["part", "seconds"]).groupby("part")["seconds"].sum()


def of_notebooks() -> pd.Series:
    """Seconds on the clock by page, as the last reports and batches in `results/` wrote them."""
    found = {}
    for path in sorted(ROOT.glob("results/**/manifest.csv")):
        for row in pd.read_csv(path).itertuples():
            found[f"{path.parent.relative_to(ROOT / 'results')}: {row.cell}"] = row.seconds
    return pd.Series(found, name="seconds", dtype=float)


if __name__ == "__main__":
    tests = of_tests(sys.argv[1:])
    used = getrusage(RUSAGE_CHILDREN)
    for title, part in (("tests", tests), ("reproduce", of_notebooks())):
        print(f"{title}: {part.sum():.0f} s on the clock")
        print(part.sort_values(ascending=False).head(40).to_string(header=False), end="\n\n")
    print(f"tests: {used.ru_utime + used.ru_stime:.0f} s of processor")
