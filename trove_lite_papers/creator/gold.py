"""CREATOR's gold programs, run: `python -m trove_lite_papers.creator.gold` makes
results/creator/gold*.csv."""

import re
from importlib import import_module
from pathlib import Path

import pandas as pd

from trove_lite.judge.answers import NUMBER
from trove_lite.sandbox.pool import Sandbox
from trove_lite.sandbox.worker import Execution

DATASETS = ("creation_challenge", "tool_transfer")
#: What a program says or prints that draws lots, or looks at the clock.
CHANCE = re.compile(
    r"\brandom\b|\bsecrets\b|\bshuffle\(|np\.random|\bnow\(\)|\btoday\(\)|\.timestamp\(|time\.(?:time|mktime)\("
    r"|\bhash\(|\bset\(|\.union\("
)
#: Three programs write tables, to read them again. None may write a file: for these, pandas keeps
#: them in memory.
KEPT = """import io, pandas
kept, read, write = {}, pandas.read_csv, pandas.DataFrame.to_csv
pandas.read_csv = lambda name: read(io.StringIO(kept[name]))
pandas.DataFrame.to_csv = lambda table, name, **how: kept.update({name: write(table, **how)})
"""


def reproduce(sandbox: Sandbox, dataset: str) -> pd.DataFrame:
    """A row for each gold program: how it ended, and `cause`, "" where it prints its answer."""
    programs = import_module(f".{dataset}", __package__).gold_programs()
    runs = sandbox.run_many(
        [KEPT * (".to_csv(" in program) + program for program, _ in programs], progress=False
    )
    ended = enumerate(zip(programs, runs, strict=True))
    rows = [
        (dataset, n, gold, run.status, *cause_of(program, gold, run))
        for n, ((program, gold), run) in ended
    ]
    return pd.DataFrame(rows, columns=["dataset", "problem", "gold", "status", "cause", "detail"])


def cause_of(program: str, gold: float, run: Execution) -> tuple[str, str]:
    """Why a program does not print its gold answer to two decimals, and what it did instead; ""
    where it does."""
    printed = [float(number) for number in NUMBER.findall(run.output)]
    last_few = " ".join(f"{number:g}" for number in printed[-5:])
    if run.status == "ok" and any(round(number, 2) == round(gold, 2) for number in printed):
        return "", ""
    if absent := re.search(r"No module named '(\w+)", run.error):
        return "a library that is not installed", absent[1]
    if any(name in run.error for name in ("PermissionError", "FileNotFoundError")):
        return "it reads or writes a file", run.error
    if run.status != "ok":
        return ("it runs too long" if run.status == "timeout" else "it fails"), run.error[:120]
    if CHANCE.search(program):
        return (
            "it draws lots, looks at the clock or at the order of a set",
            "",
        )  # other numbers each time
    if not printed:
        return "it prints no number", run.output.strip()[:80]
    near = min(abs(number - gold) for number in printed) < 0.01 * max(1, abs(gold))
    return "it prints the answer to other digits" if near else "it prints another number", last_few


def main() -> None:
    """Write results/creator: by data set and cause how many programs, those that print their answer
    as `reproduced`."""
    folder = Path("results") / "creator"
    folder.mkdir(parents=True, exist_ok=True)
    with Sandbox(time_limit=30.0) as sandbox:
        table = pd.concat([reproduce(sandbox, dataset) for dataset in DATASETS], ignore_index=True)
    table[table["cause"] != ""].to_csv(folder / "gold.csv", index=False, lineterminator="\n")
    counts = table.replace({"cause": {"": "reproduced"}}).groupby("dataset")["cause"].value_counts()
    counts = counts.rename("programs").reset_index()
    counts["of"] = counts.groupby("dataset")["programs"].transform("sum")
    counts.to_csv(folder / "gold_counts.csv", index=False, lineterminator="\n")
    print(counts.to_string(index=False))


if __name__ == "__main__":
    main()
