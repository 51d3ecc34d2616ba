"""Logs in the official program's Markdown format, of all its tasks → candidates. Nothing is
executed.

A log is a sequence of sections, one for each problem and mode, each with its samples; problems
solved again after trimming come back later. Answers and verdicts are computed from the recorded
output."""

import ast
import functools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pyarrow as pa

from trove_lite.bars import bar
from trove_lite.candidates import SCHEMA, as_arrow, as_frame, save_csv
from trove_lite.datasets import load_dataset
from trove_lite.datasets.base import Problem
from trove_lite.errors import DamagedFile
from trove_lite.journal import sha256_of, text_of
from trove_lite.judge.canonical import number_text

from . import official_files as official
from .official_files import NOTHING_WRITTEN, ImportReport

HEADER = re.compile(r"## Example (\d{1,9})\n")
# each part ends where its end is first found, for good: so reading a log takes time in its length
SAMPLE = re.compile(
    r"\*\*(?P<sample>\d{1,9})-th Execution Result\*\*\n"
    r"- Is Execution Success: (?P<success>True|False)\n"
    r"- Model Output:\n```\n(?>(?P<output>.*?)\n```\n- Model Answer: )"
    r"(?>(?P<answers>.*?)\n- Annotated Answer\(s\): )(?P<gold>[^\n]*)\n"
    r"- Is Answer Correct: (?P<correct>True|False)\n\n"
    r"(?P=sample)-th \*\*Solution\*\*\n(?>(?P<solution>.*?)\n\n\*\*(?P=sample)-th Tools\*\*\n)"
    r"(?>(?P<tools>.*?)\n?\*\*(?P=sample)-th Actions\*\*\n)"
    r"(?P<actions>(?:```\n.*?\n```\n)*)",
    re.DOTALL,
)
SHORTENED = re.compile(r"(?<!\s)\s*\[TRUNCATED TO \d+ CHARS FOR SPACE\]\s*")
QUESTION = "**Question**\n"
AFTER_QUESTION = re.compile(r"\n\n\*\*(?:Table|Image|Toolbox)\*\*\n")
TOOLBOX = "**Toolbox**"
QUOTED = re.compile(r"\[['\"]")  # begins a list of texts
RESULT = "-th Execution Result**"
ACCURACY = re.compile(r"^## Overall Response Accuracy", re.MULTILINE)
# the original program writes the same words twice, one after the other where nothing is solved
# again
FINAL = re.compile(
    ACCURACY.pattern
    + r"(?! \(before)(?![^\n]{0,99}\nToolbox Size: #\d{1,9}\n## Overall Response Accuracy)",
    re.MULTILINE,
)
SIZE = re.compile(r"^Toolbox Size: #(\d{1,9})\b", re.MULTILINE)
#: In which the official program samples a problem's modes.
ORDER = ("primitive", "import", "create", "skip")


class Section(NamedTuple):
    """The samples of one mode for one problem, and where they start in the log."""

    position: int
    example: int
    question: str
    has_toolbox: bool
    samples: list[re.Match]


def read_official(paths: Sequence[Path], folder: Path) -> tuple:
    """Logs and result files of the official program → candidates, facts for `run.json`, lines; and
    `recorded.csv`."""
    tasks = set()
    for path in paths:  # that a path is wrong is worth more than that data is missing
        text = text_of(path)
        if path.suffix != ".json":
            next(_sections(text, path))
        tasks.add(official.task_of(path, text))
    table, reports = import_logs(paths, known_problems(sorted(tasks)))
    folder.mkdir(parents=True, exist_ok=True)
    save_csv(official.as_table(reports), folder / "recorded.csv")
    logs = [
        vars(report) | {"sha256": sha256_of(path)}
        for report, path in zip(reports, paths, strict=True)
    ]
    about = {
        "model": sorted(table["model"].unique()),
        "logs": logs,
        "toolboxes": official.kept_tools(reports),
    }
    return table, about, ["\n  ".join([str(report), *report.disagreements]) for report in reports]


def import_logs(
    logs: Sequence[Path], problems: Iterable[Problem], *, progress: bool = True
) -> tuple[pd.DataFrame, list[ImportReport]]:
    """Read logs, each its own run, into one candidates table, with a report on each.

    A file `.json` is a result file (`official_files`), beside the run's log or in its place.
    `problems` are those that the logs' questions are matched with, by text. Raises DamagedFile,
    naming the log and the line, for a file that is not such a log, breaks off, or asks a question
    that is not among `problems`."""
    problems = list(problems)
    index = {}
    for problem in problems:
        index.setdefault(problem.question.text.strip(), []).append(problem)
    read = functools.partial(_read, index=index, problems=problems)
    parts = []
    with (
        ProcessPoolExecutor() as pool,
        bar(len(logs), "reading logs", enabled=progress) as read_so_far,
    ):
        for part in pool.map(read, logs) if len(logs) > 1 else map(read, logs):
            parts.append(part)
            read_so_far.update()
    tables, reports = zip(*parts, strict=True)
    place = SCHEMA.get_field_index("run")
    named = []
    for table, report, run in zip(tables, reports, official.tell_apart(reports), strict=True):
        report.run = run
        named.append(
            table.set_column(
                place,
                SCHEMA.field(place),
                pa.array([run] * len(table)),
            )
        )
    return as_frame(pa.concat_tables(named)), list(reports)


def known_problems(tasks: Iterable[str]) -> list[Problem]:
    """The problems of these data sets."""
    found = [load_dataset(task) for task in tasks]
    return [
        problem for one in found for category in one.categories for problem in one.load(category)
    ]


def _read(
    log: Path, index: dict[str, list[Problem]], problems: list[Problem]
) -> tuple[pa.Table, ImportReport]:
    if log.suffix == ".json":
        return official.read_results(log, problems)
    text = text_of(log)
    sections = list(_sections(text, log))
    by_question = _match(sections, index, text, log)
    modes = _modes(sections)
    complete = Counter()  # mode → samples of a whole section
    for section, (_, mode) in zip(sections, modes, strict=True):
        complete[mode] = max(complete[mode], len(section.samples))
    method = "trove" if "import" in complete else "trove_no_import"
    report = ImportReport(str(log), official.run_of(log), by_question[0].category, method)
    same = official.run_facts(log, report, "recorded")
    places = [mode for mode in ORDER if mode in complete]
    rows = []
    taken = Counter()
    for section, problem, (phase, mode) in zip(sections, by_question, modes, strict=True):
        if len(section.samples) < complete[mode]:
            reason = f"the section has {len(section.samples)} samples where others have {complete[mode]}: it breaks off"
            _fail(log, text, section.samples[-1].end(), reason)
        for match in section.samples:
            try:
                row = _row(match, problem, report, text)
            except (ValueError, OverflowError) as error:
                _fail(
                    log,
                    text,
                    match.start("answers"),
                    f"the recorded answers are no list of numbers or texts ({error})",
                )
            key = problem.index, phase, mode
            where = {
                "phase": phase,
                "mode": mode,
                "place": places.index(mode),
                "sample": taken[key],
            }
            rows.append(same | row | where)
            taken[key] += 1
    report.problems = len({row["problem"] for row in rows})
    report.candidates = len(rows)
    report.retried = sum(row["phase"] == "retry" for row in rows)
    return as_arrow(rows), report


def _sections(text: str, log: Path) -> Iterator[Section]:
    """Walk the log: a header, a question, then samples numbered from 0 until something else
    follows."""
    header = HEADER.search(text)
    if not header or not text[header.end() :].lstrip().startswith((QUESTION.strip(), TOOLBOX)):
        _fail(log, text, 0, "no '## Example N' section: this is not a log in the official format")
    while header:
        start = text.find(RESULT, header.end())
        opening = text.rfind("\n", 0, start) + 1
        head = text[header.end() : opening]
        if start < 0 or QUESTION not in head:
            _fail(
                log,
                text,
                header.start(),
                "the section has no question and samples: the log breaks off here",
            )
        asked = head.rsplit(QUESTION, 1)[1]
        question = AFTER_QUESTION.split(asked)[0].strip()
        position = opening
        samples = []
        while match := SAMPLE.match(text, position):
            if int(match["sample"]) != len(samples):
                _fail(
                    log,
                    text,
                    position,
                    f"sample {match['sample']} where {len(samples)} was expected",
                )
            samples.append(match)
            position = match.end() + (text[match.end() : match.end() + 1] == "\n")
        following = HEADER.search(text, position)
        between = text[position : following.start() if following else len(text)]
        if not samples or RESULT in between:
            _fail(
                log,
                text,
                position,
                f"sample {len(samples)} is not complete: the log is damaged or breaks off",
            )
        yield Section(header.start(), int(header[1]), question, TOOLBOX in asked, samples)
        if not following and not _is_whole(between, text):
            _fail(
                log,
                text,
                len(text),
                "the final '## Overall Response Accuracy' line is missing: the log breaks off",
            )
        header = following


def _is_whole(end: str, text: str) -> bool:
    """Whether a log's end states the final accuracy and lists as many tools as it counts, the last
    with its code. A log that gives no size at the end must give none before, and one that ends with
    no tool states its accuracy twice: otherwise it breaks off between the two lines."""
    final = FINAL.search(end)
    size = SIZE.search(end[final.end() :]) if final else None
    if not size:
        return final is not None and end.endswith("\n") and not SIZE.search(end)
    tools = end[final.end() + size.end() :]
    _, *codes = re.split(r"^=== .+? ===$", tools, flags=re.MULTILINE)
    if len(codes) != int(size[1]):
        return False
    if not codes:
        return len(ACCURACY.findall(text)) > 1
    return tools.endswith("\n") and codes[-1].strip() != ""


def _match(
    sections: list[Section], index: dict[str, list[Problem]], text: str, log: Path
) -> list[Problem]:
    """The problem behind each section; where two categories ask the same, that of most of the log's
    questions."""
    for section in sections:
        if section.question not in index:
            _fail(
                log,
                text,
                section.position,
                f"the question '{section.question[:50]}…' is not in the data set",
            )
    found = [index[section.question] for section in sections]
    category = Counter(option.category for options in found for option in options).most_common(1)[
        0
    ][0]
    chosen = []
    for section, options in zip(sections, found, strict=True):
        gold = section.samples[0]["gold"]
        best = max(
            options,
            key=lambda p: (
                p.category == category,
                str(official.stated(p)) == gold,
                p.index == section.example,
            ),
        )
        if best.category != category:
            _fail(log, text, section.position, f"a {best.category} question in a log of {category}")
        chosen.append(best)
    return chosen


def _modes(sections: list[Section]) -> list[tuple[str, str]]:
    """Phase and mode of each section. Only IMPORT asks with a toolbox. Without one, CREATE
    comes before SKIP; a problem solved again after trimming has IMPORT and SKIP, or, in the runs
    without IMPORT, CREATE and SKIP; a lone one is PRIMITIVE's."""
    groups = []
    seen = set()
    labels = []
    for section in sections:
        if not groups or groups[-1][0].example != section.example or section.has_toolbox:
            groups.append([])
        groups[-1].append(section)
    for group in groups:
        phase = "retry" if group[0].example in seen else "stream"
        seen.add(group[0].example)
        plain = sum(not section.has_toolbox for section in group)
        one = ["skip" if len(group) > 1 else "primitive"]
        names = iter(
            one if plain == 1 else ["create", "skip"] * (plain // 2)
        )  # solved again at once: pairs
        labels += [(phase, "import" if section.has_toolbox else next(names)) for section in group]
    return labels


def _row(match: re.Match, problem: Problem, report: ImportReport, text: str) -> dict:
    """One candidate from one recorded sample; answers and verdict by what its program printed,
    where that is whole."""
    ok, recorded = (match[name] == "True" for name in ("success", "correct"))
    output, cut_output = SHORTENED.subn("\n…\n", match["output"])
    shortened = cut_output > 0 or bool(SHORTENED.search(match["answers"]))
    report.shortened += shortened
    stated = _recorded_answers(match["answers"])
    own_gold = match["gold"] == str(
        official.stated(problem)
    )  # the official program grades problems solved again by another's
    answers, correct = official.judged(problem, output if ok else None)
    if shortened:
        answers = stated
        correct = (
            recorded if own_gold else official.dataset_of(problem).correct(stated, problem.gold)
        )
    doubts = (
        [] if answers == stated else [f"answers recorded as {stated[:3]}, we read {answers[:3]}"]
    )
    verdict = [] if correct == recorded else [f"recorded as {recorded}, we find {correct}"]
    if doubts or verdict:
        if not own_gold:
            doubts += [
                f"graded against {match['gold']}, the gold answer of another problem; "
                f"ours is {official.stated(problem)}"
            ]
        report.disagreements.append(
            f"{_place(report.log, text, match.start())}: {'; '.join(doubts + verdict)}"
        )
    facts = official.program_facts(problem, match["solution"], match["tools"], ok, output, answers)
    return facts | {"correct": correct, "shortened": shortened}


def _recorded_answers(text: str) -> list[str]:
    """The answers of a recorded list; of one of numbers that was cut, those that are whole on
    either side."""
    head, *tail = SHORTENED.split(text)
    if not tail and QUOTED.match(text):
        return [one if isinstance(one, str) else number_text(one) for one in literal(text)]
    numbers = head.removeprefix("[").removesuffix("]").split(", ")
    if tail:
        numbers = numbers[:-1] + tail[0].removesuffix("]").split(", ")[1:]
    return [number_text(float(number)) for number in numbers if number and number != "None"]


def literal(text: str) -> list:
    """A list as Python writes it. Raises ValueError for anything else."""
    try:
        return list(ast.literal_eval(text))
    except (SyntaxError, MemoryError, RecursionError, TypeError) as error:
        raise ValueError(error) from error


def _place(log: Path | str, text: str, position: int) -> str:
    return f"{log}, line {text.count(chr(10), 0, position) + 1}"


def _fail(log: Path, text: str, position: int, reason: str) -> None:
    raise DamagedFile(f"{_place(log, text, position)}: {reason}{NOTHING_WRITTEN}")
