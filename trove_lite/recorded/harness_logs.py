"""Other harnesses' logs → candidates, and candidates → a table or inspect_ai's logs.

Inspect's `.eval` files (read and written by inspect_ai itself), lm-eval's `samples_*.jsonl`, evalplus' results, and a
plain table. Verdicts are the log's own; texts are kept and never executed. Where a log has verdicts and no answers,
`answers` is null: nobody can tell which samples agree. A wrong log is refused in one line that says where.
"""

import csv
import hashlib
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from ..candidates import UNAVAILABLE, as_arrow, as_frame, fingerprint, load_candidates, read_description, run_name
from ..datasets.answers import NUMBER, read_last_line, text_is_correct
from ..datasets.files import sha256_of
from ..datasets.judge import is_right
from ..datasets.own import WITHOUT
from ..datasets.text_answers import answer_key
from ..datasets.values import read_answer
from ..errors import DamagedFile, TroveLiteError, UsageError, encodable
from ..journal import on_disk, text_of, write_atomically
from ..programs import fenced
from ..shapes import misfit
from .official_files import NOTHING_WRITTEN

#: How harnesses write that a sample is right: as a truth value, a number, inspect's letters, evalplus' words.
RIGHT = ("true", "1", "1.0", "c", "pass", "yes")
WRONG = ("false", "0", "0.0", "i", "n", "fail", "timeout", "no")
NO_ANSWER = ("", "[invalid]")  # inspect's scorers, and lm-eval's filters, where they find none
#: Texts below so many characters are the same by chance, such as `ANSWER: B`: no sign that a run repeats another.
SHORT = 40
SAMPLES = re.compile(r"samples_(.+)_(\d{4}-\d\d-\d\dT[\d.-]+)\.jsonl")
#: What tells a sample from every other, and what a table has besides, as it is written; read are `NOT_WRITTEN`, too.
KEY = ["category", "problem", "method", "run", "sample"]
TABLE = [*KEY, "model", "correct", "answer", "error", "text"]
NOT_WRITTEN = ["gold", "question"]
#: Fields of lm-eval's lines and of evalplus' results, and their types.
LM_EVAL = {"doc_id": int, "resps": list[object], "filtered_resps": list[object], "metrics": list[str] | None}
EVALPLUS = {"solution": str, "base_status": str, "plus_status": str | None}
EVERY_ROW = {"provenance": "recorded", "shares_state": False, "phase": "stream", "place": 0, "round": 0}
EVERY_ROW |= {"level": "", "tools": ""}


def import_harness_logs(
    logs: Sequence[str], kind: str, *, verdict: str = "", partial: bool = False, grader: str = "strict"
) -> tuple[pd.DataFrame, dict]:
    """Logs of one format (`READERS`) → candidates, and what `run.json` is to say of them.

    A log is FILE or METHOD=FILE; logs of the same method and task are its runs. verdict: which of a log's verdicts
    counts. partial: unfinished logs too, and of methods that differ in problems those that all have. grader: how a
    table's answers are judged where it has no verdicts. Raises TroveLiteError, naming file and line, for what is no
    such log, and for a sample that is there twice.
    """
    samples, files = [], {}
    for log in logs:
        method, _, name = ("", "", log) if Path(log).exists() else log.rpartition("=")
        file = Path(name)
        if kind == "evalplus" and file.suffix == ".jsonl":  # its samples, without verdicts
            file = file.with_name(f"{file.stem}_eval_results.json")
        if not file.is_file():
            raise _wrong(file, f"no such file; check the path{', or run evalplus.evaluate' * (kind == 'evalplus')}")
        found = list(READERS[kind](file, grader if kind == "table" else verdict, partial))
        if not found:
            raise _wrong(file, f"no samples; is it a log of {kind}, and is it whole?")
        if file.resolve() in files:
            raise _wrong(file, "given twice; name each log once")
        usual, given = {"run": str(file), "model": "unknown", "category": WITHOUT}, {"method": method} if method else {}
        for sample in (usual | sample | given for sample in found):
            samples.append({name: encodable(one) if isinstance(one, str) else one for name, one in sample.items()})
        files[file.resolve()] = {"log": str(file), "sha256": sha256_of(file), "samples": len(found)}
    frame = pd.DataFrame(samples, columns=["where", *TABLE, *NOT_WRITTEN, "tokens", "judged"], dtype=object)
    frame = _of_the_same_problems(_once(frame.where(frame.notna(), None)), partial)
    names = {}
    for category, part in frame.groupby("category")["problem"]:
        own = sorted(part.unique())  # its number, where all have one, else its place by name
        whole = all(re.fullmatch(r"0|[1-9][0-9]{0,8}", name) for name in own)
        names[str(category)] = {name: int(name) if whole else place for place, name in enumerate(own)}
    asked = sorted({(s.category, s.problem, s.question or "") for s in frame.itertuples()})
    mark = hashlib.blake2b(json.dumps(asked).encode(), digest_size=3).hexdigest()
    dataset = " ".join([kind, *(names if len(names) == 1 else []), mark])  # other problems have another name
    rows = [_row(one, dataset, names[one["category"]][one["problem"]]) for one in frame.to_dict("records")]
    about = {"format": kind, "verdict": verdict, "logs": list(files.values())}
    about["problems"] = {c: {str(number): name for name, number in of.items()} for c, of in names.items()}
    golds = frame[frame["gold"].notna()]
    if len(golds):
        about["golds"] = {c: {} for c in names}
        for one in golds.itertuples():
            about["golds"][one.category][str(names[one.category][one.problem])] = one.gold
    if kind == "table" and frame["judged"].eq(True).any():
        about["grader"] = grader
    return as_frame(as_arrow(rows)), about


def _once(frame: pd.DataFrame) -> pd.DataFrame:
    """Runs by number, as they come. Refuses a sample that is there twice, and a problem that asks different things."""
    asked = frame["question"].fillna("")
    other = asked != asked.groupby([frame["category"], frame["problem"]]).transform("first")
    again = frame.duplicated(KEY), KEY, "is there already; give each sample once"
    for wrong, key, what in (again, (other, KEY[:2], "asks something else there; compare the same problems")):
        if wrong.any():
            row, first = frame[wrong].iloc[0], frame.groupby(key)["where"].transform("first")[wrong].iloc[0]
            raise _wrong(row["where"], f"problem {row['problem']}, sample {row['sample']}: {first} {what}")
    number = frame.groupby(["method", "category"])["run"].transform(lambda run: pd.factorize(run)[0])
    return frame.assign(run=number.astype(int))


def _of_the_same_problems(frame: pd.DataFrame, partial: bool) -> pd.DataFrame:
    """The same where each run has every problem of its task and each method every task; those of all, if `partial`."""
    tasks = frame.drop_duplicates(["method", "run", "category"]).groupby("category")["method"]
    wanted = tasks.size() + frame["method"].nunique() - tasks.nunique()
    had = frame.drop_duplicates(KEY[:4]).groupby(KEY[:2]).size()
    lacking = had[had < wanted.reindex(had.index.get_level_values("category")).to_numpy()]
    kept = frame[~pd.MultiIndex.from_frame(frame[KEY[:2]]).isin(lacking.index)]
    if len(lacking) and (not partial or kept.empty):
        who, (category, problem) = ", ".join(sorted(set(frame["method"]))), lacking.index[0]
        there = frame.loc[(frame["category"] == category) & (frame["problem"] == problem), "where"]
        what = f"{len(lacking)} problems, such as {problem} of {category}, are not in every log of {who}"
        remedy = f"give whole logs, or --partial for the {len(had) - len(lacking)} problems that all have"
        raise UsageError(f"{there.iloc[0]}: {what}; {remedy}{NOTHING_WRITTEN}")
    return kept


def _row(sample: dict, dataset: str, problem: int) -> dict:
    """A candidate. Of a text that is short, or not known, no copy can be told: its fingerprint is its own."""
    text, answer = sample["text"], sample["answer"]
    lost = sample["correct"] is None and not sample["judged"]
    answers = [] if lost or answer in NO_ANSWER else None if answer is None else [answer_key(answer)]
    alone = "\0".join(str(sample[name]) for name in KEY)
    prompt, completion = sample["tokens"] or (None, None)
    same = {name: sample[name] for name in ("model", "method", "category", "sample", "correct", "error")}
    same |= {"mode": sample["method"], "seed": sample["run"], "run": run_name(sample["method"], sample["run"])}
    same |= {"dataset": dataset, "problem": problem, "prompt_tokens": prompt, "completion_tokens": completion}
    same |= {"program": fingerprint(text if text and len(text) >= SHORT else alone, ""), "response": text}
    same |= {"solution": text if text and "```python" in text else "", "status": UNAVAILABLE if lost else "ok"}
    return EVERY_ROW | same | {"answers": answers, "answer": answers[0] if answers else None}


def _wrong(where: object, reason: str) -> DamagedFile:
    return DamagedFile(f"{where}: {reason}{NOTHING_WRITTEN}")


def _right(value: object, where: str, name: str) -> bool:
    text = str(value).strip().lower()
    if text not in RIGHT + WRONG:
        raise _wrong(where, f"{name} is {str(value)[:40]!r}, neither right nor wrong; choose another by --verdict")
    return text in RIGHT


def _chosen(verdicts: Sequence[str], wanted: str, where: object) -> str:
    """The verdict that counts: the wanted one, by its name or the part before a comma, or the only one."""
    found = [one for one in verdicts if not wanted or wanted in (one, one.partition(",")[0])]
    if len(found) != 1:
        raise _wrong(where, f"not one verdict; choose by --verdict among {'; '.join(verdicts) or 'those of its lines'}")
    return found[0]


def _object(text: str, where: object, kinds: Mapping[str, object]) -> dict:
    """The JSON object of a text, with fields of these types."""
    try:
        return _fields(json.loads(text), where, kinds)
    except (ValueError, RecursionError) as error:
        raise _wrong(where, f"not JSON ({error}); it is damaged, or no such log") from error


def _fields(entry: object, where: object, kinds: Mapping[str, object]) -> dict:
    fault = misfit(entry, dict)
    for name, kind in {} if fault else kinds.items():
        fault = fault or ((wrong := misfit(entry.get(name), kind)) and f"field '{name}': {wrong}")
    if fault:
        raise _wrong(where, f"{fault}; is it such a log?")
    return entry


def _objects(file: Path, kinds: Mapping[str, object]) -> Iterator[tuple[str, dict]]:
    for number, line in enumerate(text_of(file).split("\n"), start=1):
        if line.strip():
            yield (where := f"{file}, line {number}"), _object(line, where, kinds)


# ---- the formats: each reader yields what `import_harness_logs` needs of a sample, with `where` it stands ----


def _inspect(file: Path, verdict: str, partial: bool) -> Iterator[dict]:
    read = _inspect_ai().read_eval_log
    try:
        log = read(str(file), exclude_fields={"attachments", "events", "messages", "store"})
    except Exception as error:  # a foreign reader's, of any kind
        raise _wrong(file, f"inspect_ai cannot read it ({' '.join(str(error).split())[:200]}); name a log") from error
    if log.status != "success" and not partial:
        raise _wrong(file, f"the evaluation ended as '{log.status}'; give a whole log, or --partial for what is there")
    model = log.eval.model
    same = {"method": (log.eval.solver or model).rpartition("/")[2], "model": model}
    same["category"] = log.eval.task.rpartition("/")[2]
    for sample in log.samples or ():
        where, usage = f"{file}, sample {sample.id}, epoch {sample.epoch}", (sample.model_usage or {}).get(model)
        if not (sample.error or sample.scores) and partial:  # its turn had not come
            continue
        asked = sample.input if isinstance(sample.input, str) else "\n".join(message.text for message in sample.input)
        target = getattr(sample, "target", None)
        found = {"text": sample.output.completion, "question": asked}
        found |= {"gold": target} if isinstance(target, str) and target else {}
        if sample.error:
            found["error"] = sample.error.message
        else:
            name = _chosen([*(sample.scores or ())], verdict, where)
            score = sample.scores[name]
            found |= {"correct": _right(score.value, where, f"score '{name}'"), "answer": score.answer}
        tokens = usage and (usage.input_tokens, usage.output_tokens)
        key = {"where": where, "problem": str(sample.id), "sample": sample.epoch - 1}
        yield same | key | found | {"tokens": tokens}


def _inspect_ai():
    try:
        import inspect_ai.log
    except ModuleNotFoundError as error:
        raise TroveLiteError(f"no module {error.name}: inspect's logs need pip install -e '.[logs]'") from error
    return inspect_ai.log


def _lm_eval(file: Path, verdict: str, partial: bool) -> Iterator[dict]:
    entries, named = list(_objects(file, LM_EVAL)), SAMPLES.fullmatch(file.name)
    beside = file.with_name(f"results_{named[2]}.json" if named else "results.json")
    model = str(_object(text_of(beside), beside, {}).get("model_name") or "unknown") if beside.is_file() else "unknown"
    same = {"method": file.stem if model == "unknown" else Path(model).name, "model": model, "sample": 0}
    same |= {"category": named[1]} if named else {}
    ways = {f"{m},{e.get('filter', 'none')}": 0 for _, e in entries for m in e.get("metrics") or [verdict] if m}
    metric, _, way = (_chosen([*ways], verdict, file) if entries else "").partition(",")
    for where, entry in entries:
        if entry.get("filter", "none") != way:
            continue
        if metric not in entry:
            raise _wrong(where, f"field '{metric}' is missing; is the line whole?")
        texts = [one for replies in entry["resps"] if isinstance(replies, list) for one in replies]
        pair = entry["filtered_resps"], texts
        answer, text = (one[0] if len(one) == 1 and isinstance(one[0], str) else None for one in pair)
        found = {"problem": str(entry["doc_id"]), "question": str(entry.get("doc_hash", ""))}
        found |= {"gold": str(entry["target"])} if isinstance(entry.get("target"), str | int | float) else {}
        judged = {"correct": _right(entry[metric], where, metric), "answer": answer}
        yield same | found | judged | {"where": where, "text": text}


def _evalplus(file: Path, verdict: str, partial: bool) -> Iterator[dict]:
    for task, results in _object(text_of(file), file, {"eval": dict[str, list[dict]]})["eval"].items():
        category, _, problem = task.rpartition("/")
        for number, result in enumerate(results):
            where = f"{file}, {task}, sample {number}"
            plus = _fields(result, where, EVALPLUS).get("plus_status") is not None
            which = _chosen(["base", "plus"] if plus else ["base"], verdict or ("plus" if plus else "base"), where)
            tests = [_right(result[f"{one}_status"], where, one) for one in {"base", which}]
            key = {"category": category or "evalplus", "problem": problem, "sample": number, "where": where}
            found = {"correct": all(tests), "text": fenced(result["solution"].strip("\n"))}
            yield key | found | {"method": file.stem.removesuffix("_eval_results")}


def _table(file: Path, grader: str, partial: bool) -> Iterator[dict]:
    for where, entry in _objects(file, {}) if file.suffix in (".jsonl", ".json") else _csv(file):
        known = {name: entry[name] for name in (*TABLE, *NOT_WRITTEN) if entry.get(name) not in (None, "")}
        if wrong := [name for name, value in known.items() if isinstance(value, dict | list)]:
            raise _wrong(where, f"field '{wrong[0]}' is of a wrong type; give a text or a number")
        cells = {name: str(value) if name == "text" else str(value).strip() for name, value in known.items()}
        if absent := [name for name in ("problem", "method", "sample") if not cells.get(name)]:
            raise _wrong(where, f"'{absent[0]}' is missing; give problem, method, sample, correct (or answer and gold)")
        if not re.fullmatch(r"[0-9]{1,9}", cells["sample"]):
            raise _wrong(where, f"sample is {cells['sample']!r}; give a whole number from 0")
        right, judged, gold = None, False, cells.get("gold")
        if "correct" in cells:
            right = _right(cells["correct"], where, "correct")
        elif judged := gold is not None and "answer" in cells:
            if grader == "strict":
                right = is_right(read_answer(cells["answer"]), gold)
            else:
                right = text_is_correct(
                    read_last_line(cells["answer"]), float(gold) if NUMBER.fullmatch(gold) else gold
                )
        elif "error" not in cells:
            raise _wrong(where, "no verdict; give `correct` (true or false), or `answer` and `gold`")
        yield {"run": ""} | cells | {"where": where, "sample": int(cells["sample"]), "correct": right, "judged": judged}


def _csv(file: Path) -> Iterator[tuple[str, dict]]:
    csv.field_size_limit(1 << 30)  # texts of models are long
    reader = csv.DictReader(io.StringIO(text_of(file), newline=""), strict=True)
    try:
        for entry in reader:
            where = f"{file}, line {reader.line_num}"
            if None in entry or None in entry.values():
                raise _wrong(where, f"not {len(reader.fieldnames)} cells, as the first line has; it is damaged")
            yield where, entry
    except csv.Error as error:  # `line_num` is that of the last row that was whole
        raise _wrong(f"{file}, line {reader.line_num + 1}", f"{error}; it is damaged, or this is no CSV") from error


READERS = {"inspect": _inspect, "lm-eval": _lm_eval, "evalplus": _evalplus, "table": _table}


# ---- out ----


def export_runs(runs: Sequence[str | Path], kind: str, out: Path) -> list[Path]:
    """Runs as a table (`csv`, which `table` reads again), or as inspect_ai's logs in a folder, one a stream."""
    frame = load_candidates(*runs)
    frame = frame[frame["phase"] == "stream"]
    if len(frame["dataset"].unique()) != 1:
        raise UsageError(f"{runs[0]}: not the candidates of one data set, which this needs; export each on its own")
    names = {c: of for run in runs for c, of in read_description(run).get("problems", {}).items()}
    stream = ["method", "run", "category", "problem"]
    frame = frame.sort_values([*stream, "place", "mode", "sample"], kind="stable", ignore_index=True)
    frame["sample"] = frame.groupby(stream, observed=True).cumcount()
    frame["problem"] = [names.get(s.category, {}).get(str(s.problem), str(s.problem)) for s in frame.itertuples()]
    table = frame.rename(columns={"response": "text"}).reindex(columns=TABLE).astype(object)
    inspect = _inspect_ai() if kind == "inspect" else None
    with on_disk(out):
        (out if inspect else out.parent).mkdir(parents=True, exist_ok=True)
        if not inspect:
            table = table.dropna(axis="columns", how="all")
            write_atomically(out, lambda part: table.to_csv(part, index=False, lineterminator="\n"))
            return [out]
        written = []
        for key, part in table.groupby(["method", "run", "category"]):
            written.append(out / (re.sub(r"[^\w.-]+", "-", "_".join(key)) + ".eval"))
            inspect.write_eval_log(_as_inspect(inspect, part.where(part.notna(), None)), str(written[-1]))
        return written


def _as_inspect(inspect, rows: pd.DataFrame):
    """One run of a category as inspect's log. Questions and golds are not in candidates, and stand empty."""
    from inspect_ai.model import ModelOutput
    from inspect_ai.scorer import Score

    samples = []
    for row in rows.itertuples():
        if row.correct is None:
            error = inspect.EvalError(message=row.error or "no answer could be had", traceback="", traceback_ansi="")
            ended = {"error": error}
        else:
            ended = {"scores": {"verdict": Score(value="C" if row.correct else "I", answer=row.answer)}}
        output = ModelOutput.from_content(row.model, row.text or "")
        key = {"id": row.problem, "epoch": row.sample + 1, "input": "", "target": ""}
        samples.append(inspect.EvalSample(**key, output=output, **ended))
    names = {"task": row.category, "solver": row.method, "model": row.model}
    dataset = inspect.EvalDataset(name=row.category, samples=rows["problem"].nunique())
    config = inspect.EvalConfig(epochs=int(rows["sample"].max()) + 1)
    created = datetime.now(UTC).isoformat(timespec="seconds")
    spec = inspect.EvalSpec(created=created, **names, dataset=dataset, config=config)
    accuracy = inspect.EvalMetric(name="accuracy", value=float(rows["correct"].dropna().astype(float).mean()))
    scores = [inspect.EvalScore(name="verdict", scorer="verdict", metrics={"accuracy": accuracy})]
    results = inspect.EvalResults(total_samples=len(samples), completed_samples=len(samples), scores=scores)
    return inspect.EvalLog(status="success", eval=spec, samples=samples, results=results)
