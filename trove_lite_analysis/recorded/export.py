"""Candidates → a table, inspect_ai's logs, or Every Eval Ever's records, which `harness_logs` reads
again."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from trove_lite.candidates import load_candidates, read_description, save_csv
from trove_lite.errors import UsageError
from trove_lite.journal import on_disk, write_atomically

from ..questions import gold_text, problems_of
from .every_eval import record
from .harness_logs import inspect_ai
from .table_logs import TABLE


def export_runs(runs: Sequence[str | Path], kind: str, out: Path) -> list[Path]:
    """Runs as a table (`csv`, which `table` reads again), as Every Eval Ever's instances (`eee`),
    or as inspect_ai's logs in a folder, one a stream. Questions and right answers go with them,
    where they are at hand."""
    for name, suffix in (("csv", ".csv"), ("eee", ".jsonl")):
        if kind == name and out.suffix != suffix:
            raise UsageError(f"{out}: {name} is one file; name one that ends in {suffix}")
    frame = load_candidates(*runs)
    frame = frame[frame["phase"] == "stream"]
    if len(frame["dataset"].unique()) != 1:
        raise UsageError(
            f"{runs[0]}: not the candidates of one data set, which this needs; export each on its own"
        )
    names = {c: of for run in runs for c, of in read_description(run).get("problems", {}).items()}
    stream = ["method", "run", "category", "problem"]
    frame = frame.sort_values(
        [*stream, "place", "mode", "sample"], kind="stable", ignore_index=True
    )
    frame["sample"] = frame.groupby(stream, observed=True).cumcount()
    frame[["question", "gold"]] = pd.DataFrame(_words(runs, frame), index=frame.index)
    frame["problem"] = [
        names.get(s.category, {}).get(
            str(s.problem),
            str(s.problem),
        )
        for s in frame.itertuples()
    ]
    table = frame.rename(columns={"response": "text"}).reindex(columns=TABLE).astype(object)
    inspect = inspect_ai() if kind == "inspect" else None
    with on_disk(out):
        (out if inspect else out.parent).mkdir(parents=True, exist_ok=True)
        if not inspect:
            table = table.dropna(axis="columns", how="all")
            if kind == "eee":
                dataset = str(frame["dataset"].iloc[0])
                lines = [f"{record(row, dataset)}\n" for row in table.itertuples(index=False)]
                write_atomically(out, lambda part: part.write_text("".join(lines), "utf-8"))
            else:
                save_csv(table, out)
            return [out]
        written = []
        for key, part in table.groupby(["method", "run", "category"]):
            written.append(out / (re.sub(r"[^\w.-]+", "-", "_".join(key)) + ".eval"))
            inspect.write_eval_log(
                _as_inspect(inspect, part.where(part.notna(), None)), str(written[-1])
            )
        return written


def _words(runs: Sequence[str | Path], frame: pd.DataFrame) -> list[tuple[str | None, str | None]]:
    """The question and right answer of each candidate, of the runs' data set, or as the import of a
    log kept them."""
    folders = [path if path.is_dir() else path.parent for path in map(Path, runs)]
    known, _ = problems_of(frame, folders)
    golds = {
        (category, number): gold
        for folder in folders
        for category, of in (read_description(folder).get("golds") or {}).items()
        for number, gold in of.items()
    }
    found = []
    for key in frame[["dataset", "category", "problem"]].itertuples(index=False, name=None):
        gold = golds.get((str(key[1]), str(key[2])))
        text = None
        if problem := known.get(key):
            text = problem.question.text
            gold = gold_text(problem.gold)
        found.append((text, gold or None))
    return found


def _as_inspect(inspect, rows: pd.DataFrame):
    """One run of a category as inspect's log."""
    from inspect_ai.model import ModelOutput, ModelUsage
    from inspect_ai.scorer import Score

    samples = []
    for row in rows.itertuples():
        if row.correct is None:
            why = row.error or "no answer could be had"
            ended = {"error": inspect.EvalError(message=why, traceback="", traceback_ansi="")}
        else:
            ended = {
                "scores": {"verdict": Score(value="C" if row.correct else "I", answer=row.answer)}
            }
        output = ModelOutput.from_content(row.model, row.text or "")
        if row.prompt_tokens is not None and row.completion_tokens is not None:
            spent = int(row.prompt_tokens), int(row.completion_tokens)
            usage = ModelUsage(
                input_tokens=spent[0], output_tokens=spent[1], total_tokens=sum(spent)
            )
            ended |= {"model_usage": {row.model: usage}}
        samples.append(
            inspect.EvalSample(
                id=row.problem,
                epoch=row.sample + 1,
                input=row.question or "",
                target=row.gold or "",
                output=output,
                **ended,
            )
        )
    dataset = inspect.EvalDataset(name=row.category, samples=rows["problem"].nunique())
    spec = inspect.EvalSpec(
        task=row.category,
        solver=row.method,
        model=row.model,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        dataset=dataset,
        config=inspect.EvalConfig(epochs=int(rows["sample"].max()) + 1),
    )
    accuracy = inspect.EvalMetric(
        name="accuracy", value=float(rows["correct"].dropna().astype(float).mean())
    )
    scores = [inspect.EvalScore(name="verdict", scorer="verdict", metrics={"accuracy": accuracy})]
    results = inspect.EvalResults(
        total_samples=len(samples), completed_samples=len(samples), scores=scores
    )
    return inspect.EvalLog(status="success", eval=spec, samples=samples, results=results)
