"""Candidates → a table, or inspect_ai's logs, which `harness_logs` reads again."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from trove_lite.candidates import load_candidates, read_description
from trove_lite.errors import UsageError
from trove_lite.journal import on_disk, write_atomically

from .harness_logs import TABLE, inspect_ai


def export_runs(runs: Sequence[str | Path], kind: str, out: Path) -> list[Path]:
    """Runs as a table (`csv`, which `table` reads again), or as inspect_ai's logs in a folder, one a stream."""
    if kind == "csv" and out.suffix != ".csv":
        raise UsageError(f"{out}: a table is written as CSV; name a file that ends in .csv")
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
    frame["problem"] = [
        names.get(s.category, {}).get(str(s.problem), str(s.problem)) for s in frame.itertuples()
    ]
    table = frame.rename(columns={"response": "text"}).reindex(columns=TABLE).astype(object)
    inspect = inspect_ai() if kind == "inspect" else None
    with on_disk(out):
        (out if inspect else out.parent).mkdir(parents=True, exist_ok=True)
        if not inspect:
            table = table.dropna(axis="columns", how="all")
            write_atomically(out, lambda part: table.to_csv(part, index=False, lineterminator="\n"))
            return [out]
        written = []
        for key, part in table.groupby(["method", "run", "category"]):
            written.append(out / (re.sub(r"[^\w.-]+", "-", "_".join(key)) + ".eval"))
            inspect.write_eval_log(
                _as_inspect(inspect, part.where(part.notna(), None)), str(written[-1])
            )
        return written


def _as_inspect(inspect, rows: pd.DataFrame):
    """One run of a category as inspect's log. Questions and golds are not in candidates, and stand empty."""
    from inspect_ai.model import ModelOutput
    from inspect_ai.scorer import Score

    samples = []
    for row in rows.itertuples():
        if row.correct is None:
            why = {
                "message": row.error or "no answer could be had",
                "traceback": "",
                "traceback_ansi": "",
            }
            ended = {"error": inspect.EvalError(**why)}
        else:
            ended = {
                "scores": {"verdict": Score(value="C" if row.correct else "I", answer=row.answer)}
            }
        key = {"id": row.problem, "epoch": row.sample + 1, "input": "", "target": ""}
        output = ModelOutput.from_content(row.model, row.text or "")
        samples.append(inspect.EvalSample(**key, output=output, **ended))
    names = {"task": row.category, "solver": row.method, "model": row.model}
    names["created"] = datetime.now(UTC).isoformat(timespec="seconds")
    dataset = inspect.EvalDataset(name=row.category, samples=rows["problem"].nunique())
    spec = inspect.EvalSpec(
        **names, dataset=dataset, config=inspect.EvalConfig(epochs=int(rows["sample"].max()) + 1)
    )
    accuracy = inspect.EvalMetric(
        name="accuracy", value=float(rows["correct"].dropna().astype(float).mean())
    )
    scores = [inspect.EvalScore(name="verdict", scorer="verdict", metrics={"accuracy": accuracy})]
    results = inspect.EvalResults(
        total_samples=len(samples), completed_samples=len(samples), scores=scores
    )
    return inspect.EvalLog(status="success", eval=spec, samples=samples, results=results)
