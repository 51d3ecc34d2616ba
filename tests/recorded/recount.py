"""Counts from the raw files of recorded runs, by nothing of the package: `python -m tests.recorded.recount FILE…`.

It reads line by line what the importer reads by one pattern, and takes the record's verdicts as they stand.
"""

import json
import re
import sys
from collections import Counter, defaultdict
from math import comb
from pathlib import Path


def sections_of(log: Path) -> list[tuple[int, bool, list[tuple[bool, bool]]]]:
    """For each section of a log: its example, whether it shows a toolbox, and (right, shortened) of its samples."""
    sections, sample = [], None
    for line in log.read_text(encoding="utf-8").split("\n"):
        if header := re.search(r"## Example (\d+)$", line):
            sections.append([int(header[1]), False, []])
        elif line == "**Toolbox**" and sections and not sections[-1][2]:
            sections[-1][1] = True
        elif re.fullmatch(r"\*\*\d+-th Execution Result\*\*", line):
            sample = [False, False]
            sections[-1][2].append(sample)
        elif re.fullmatch(r"\d+-th \*\*Solution\*\*", line):
            sample = None
        elif sample is not None and line.startswith("- Is Answer Correct: "):
            sample[0] = line.endswith("True")
        elif sample is not None and "[TRUNCATED TO " in line:
            sample[1] = True
    return [(example, toolbox, [tuple(each) for each in samples]) for example, toolbox, samples in sections]


def recount_log(log: Path) -> dict:
    """What `trove-lite summary` says of a log: counts of the stream, and of problems solved again."""
    sections = sections_of(log)
    with_import = any(toolbox for _, toolbox, _ in sections)
    right, size, again, shortened, turns = defaultdict(Counter), Counter(), set(), 0, Counter()
    for example, toolbox, samples in sections:
        first = turns[example] < (3 if with_import else 2)
        mode = (
            "import" if toolbox else ("skip", "create")[turns[example] % 2 if with_import else turns[example] % 2 == 0]
        )
        turns[example] += 1
        if not first:
            again.add(example)
            continue
        size[mode] += len(samples)
        right[mode][example] += sum(correct for correct, _ in samples)
        shortened += sum(cut for _, cut in samples)
    problems = len(turns)
    solved = {mode: {example for example, n in counts.items() if n} for mode, counts in right.items()}
    each = {mode: size[mode] // problems for mode in size}
    return {
        "problems": problems,
        "candidates": sum(size.values()),
        "oracle_correct": len(set().union(*solved.values())),
        "retried_problems": len(again),
        "shortened_outputs": shortened,
        "pass_at_5": {
            mode: sum(1 - comb(each[mode] - n, 5) / comb(each[mode], 5) for n in counts.values()) / problems
            for mode, counts in right.items()
        },
        "unique": {
            mode: len(mine.difference(*(other for name, other in solved.items() if name != mode))) / problems
            for mode, mine in solved.items()
        },
    }


def recount_results(results: Path) -> dict:
    """Selected answers of a result file, how many are right as it says, and what the toolbox held in the end."""
    answers = [entry["response"] for entry in json.loads(results.read_text(encoding="utf-8"))]
    toolbox = Path(str(results).replace("/results/", "/library/"))
    return {
        "problems": len(answers),
        "recorded_correct": sum(answer["is_correct"] for answer in answers),
        "shortened": sum(answer["exec_output"] is None for answer in answers),
        "tools": sum(line.startswith("# %%") and line.endswith(")") for line in toolbox.read_text().split("\n")),
    }


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(json.dumps({"file": name} | (recount_log if name.endswith(".md") else recount_results)(Path(name))))
