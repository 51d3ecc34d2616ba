"""Other harnesses' logs → candidates. The way back is `recorded.export`.

Verdicts are the log's own; texts are kept and never executed. Where a log has verdicts and no
answers, `answers` is
null: nobody can tell which samples agree. A wrong log is refused in one line that says where."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pandas as pd

from trove_lite.candidates import UNAVAILABLE, as_arrow, as_frame, fingerprint, run_name
from trove_lite.datasets.files import sha256_of
from trove_lite.datasets.own import WITHOUT
from trove_lite.errors import TroveLiteError, UsageError, encodable
from trove_lite.journal import text_of
from trove_lite.judge.answers import answer_key
from trove_lite.judge.votes import rename
from trove_lite.programs import fenced

from . import every_eval, table_logs
from .lines import fields, objects, parsed, right, wrong
from .official_files import NOTHING_WRITTEN
from .table_logs import KEY, TABLE

NO_ANSWER = ("", "[invalid]")  # inspect's scorers, and lm-eval's filters, where they find none
#: Texts below so many characters are the same by chance, such as `ANSWER: B`: no proof that a run
#: repeats another.
SHORT = 40
SAMPLES = re.compile(r"samples_(.+)_(\d{4}-\d\d-\d\dT[\d.-]+)\.jsonl")
#: Fields of lm-eval's lines and of evalplus' results, and their types.
LM_EVAL = {"doc_id": int, "metrics": list[str] | None, "filter": str | None}
#: Fields of what lm-eval tells of a whole run, and their types.
Samples = dict[str, int | float | None]
LM_EVAL_TOLD = {
    "n-samples": dict[str, Samples] | None,
    "model_name": str | None,
}
#: Fields of its lines that are no metric; older releases do not list the others.
NO_METRIC = {
    *LM_EVAL,
    "doc",
    "target",
    "arguments",
    "resps",
    "filtered_resps",
    "idx",
    "doc_hash",
    "prompt_hash",
}
EVALPLUS = {"solution": str, "base_status": str, "plus_status": str | None}
#: Harnesses that ask each question by itself: the problems of a run share nothing.
ALONE = ("inspect", "lm-eval", "evalplus")


def import_harness_logs(
    logs: Sequence[str],
    kind: str,
    *,
    verdict: str = "",
    partial: bool = False,
    grader: str = "strict",
    independent: bool = False,
    words: dict | None = None,
) -> tuple[pd.DataFrame, dict]:
    """Logs of one format (`READERS`) → candidates, and what `run.json` is to say of them.

    A log is FILE or METHOD=FILE; logs of the same method and task are its runs. verdict: which of a
    log's verdicts is read. partial: unfinished logs too, and of methods that differ in problems
    those that all have. grader: how a table's answers are judged where it has no verdicts.
    independent: the problems of each run share nothing, no memory and no tool, where the logs do
    not say. words: gets by category and problem what tells its question from others, the question
    to show, and the right answer. Raises TroveLiteError, naming file and line, for what is no such
    log, and for a sample that is there twice."""
    samples = []
    files = {}
    for log in logs:
        method, _, name = ("", "", log) if Path(log).exists() else log.rpartition("=")
        file = Path(name)
        if kind == "evalplus" and file.suffix == ".jsonl":  # its samples, without verdicts
            file = file.with_name(f"{file.stem}_eval_results.json")
        if not file.is_file():
            raise wrong(
                file,
                f"no such file; check the path{', or run evalplus.evaluate' * (kind == 'evalplus')}",
            )
        found = list(READERS[kind](file, grader if kind == "table" else verdict, partial))
        if not found:
            raise wrong(file, f"no samples; is it a log of {kind}, and is it whole?")
        if file.resolve() in files:
            raise wrong(file, "given twice; name each log once")
        usual = {
            "run": str(file),
            "model": "unknown",
            "category": WITHOUT,
            "level": "",
            "shares_state": False if independent or kind in ALONE else None,
        }
        given = {"method": method} if method else {}
        samples += [
            {
                name: encodable(one) if isinstance(one, str) else one
                for name, one in (usual | sample | given).items()
            }
            for sample in found
        ]
        files[file.resolve()] = {"log": str(file), "sha256": sha256_of(file), "samples": len(found)}
    columns = ["where", *TABLE, "asked", "tokens", "judged", "unused"]
    frame = pd.DataFrame(samples, columns=columns, dtype=object)
    frame = _of_the_same_problems(_once(frame.where(frame.notna(), None)), partial)
    for s in frame.itertuples() if words is not None else ():
        words.setdefault(
            (s.category, s.problem),
            (s.question, s.asked or s.question, s.gold),
        )
    names = {
        str(category): numbered(part) for category, part in frame.groupby("category")["problem"]
    }
    if {"all", "covered"} & names.keys():
        raise UsageError(
            "no category may be named 'all' or 'covered': tables name several together so"
        )
    asked = sorted({(s.category, s.problem, s.question or "") for s in frame.itertuples()})
    mark = hashlib.blake2b(json.dumps(asked).encode(), digest_size=3).hexdigest()
    dataset = " ".join(
        [kind, *(names if len(names) == 1 else []), mark]
    )  # other problems have another name
    frame["mode"] = frame["mode"].where(frame["mode"].notna(), frame["method"])
    frame["place"] = frame.groupby("method")["mode"].transform(lambda m: pd.factorize(m)[0])
    rows = [
        _row(one, dataset, names[one["category"]][one["problem"]])
        for one in frame.to_dict("records")
    ]
    if grader == "strict":
        rename(rows)
    about = {
        "format": kind,
        "verdict": verdict,
        "logs": list(files.values()),
        "problems": {
            c: {str(number): name for name, number in of.items()} for c, of in names.items()
        },
        **_told(frame, names),
    }
    if unused := {name: None for own in frame["unused"].dropna() for name in own}:
        about["unused"] = list(unused)
    about |= {"grader": grader} if kind == "table" and frame["judged"].eq(True).any() else {}
    return as_frame(as_arrow(rows)), about


def _told(frame: pd.DataFrame, names: dict[str, dict[str, int]]) -> dict[str, dict]:
    """The right answers and the questions of problems, as far as the logs tell them, by category
    and number."""
    found = {"golds": {c: {} for c in names}, "questions": {c: {} for c in names}}
    for one in frame.drop_duplicates(["category", "problem"]).itertuples():
        number = str(names[one.category][one.problem])
        if one.gold is not None:
            found["golds"][one.category][number] = one.gold
        if isinstance(one.asked or one.question, str):
            found["questions"][one.category][number] = one.asked or one.question
    return {name: by for name, by in found.items() if any(by.values())}


def numbered(names: Iterable[str]) -> dict[str, int]:
    """Each name's number, where all are numbers, else its place among them."""
    own = sorted(set(names))
    whole = all(re.fullmatch(r"0|[1-9][0-9]{0,8}", name) for name in own)
    return {name: int(name) if whole else place for place, name in enumerate(own)}


def _once(frame: pd.DataFrame) -> pd.DataFrame:
    """Runs by number, as they come. Refuses a sample that is there twice, and a problem that asks
    different things."""
    asked = frame["question"].fillna("")
    other = asked != asked.groupby([frame["category"], frame["problem"]]).transform("first")
    again = frame.duplicated(KEY), KEY, "is there already; give each sample once"
    asks = other, KEY[:2], "asks something else there; compare the same problems"
    for strange, key, what in (again, asks):
        if strange.any():
            first = frame.groupby(key)["where"].transform("first")
            row = frame.assign(first=first)[strange].iloc[0]
            where = f"problem {row['problem']}, sample {row['sample']}: {row['first']}"
            raise wrong(row["where"], f"{where} {what}")
    number = frame.groupby(["method", "category"])["run"].transform(
        lambda run: pd.factorize(run)[0]
    )
    return frame.assign(run=number.astype(int))


def _of_the_same_problems(frame: pd.DataFrame, partial: bool) -> pd.DataFrame:
    """The same where each run has every problem of its task and each method every task; those of
    all, if `partial`."""
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
    """A candidate. Of a text that is short, or not known, no copy can be told: its fingerprint is
    its own."""
    text = sample["text"]
    answer = sample["answer"]
    lost = sample["correct"] is None and not sample["judged"]
    answers = (
        [] if lost or answer in NO_ANSWER else None if answer is None else [answer_key(answer)]
    )
    alone = "\0".join(str(sample[name]) for name in KEY)
    prompt, completion = sample["tokens"] or (None, None)
    told = ("model", "method", "mode", "category", "sample", "correct", "score", "error", "place")
    return {name: sample[name] for name in (*told, "shares_state")} | {
        "provenance": "recorded",
        "phase": "stream",
        "round": 0,
        "tools": "",
        "level": sample["level"] or "",
        "seed": sample["run"],
        "run": run_name(sample["method"], sample["run"]),
        "dataset": dataset,
        "problem": problem,
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "program": fingerprint(text if text and len(text) >= SHORT else alone, ""),
        "response": text,
        "solution": text if text and "```python" in text else "",
        "status": UNAVAILABLE if lost else "ok",
        "answers": answers,
        "answer": answers[0] if answers else None,
    }


def _chosen(verdicts: Sequence[str], wanted: str, where: object) -> str:
    """The verdict to be read: one that is wanted, by its name or the part before or after a comma,
    or the only one."""
    names = [name.strip() for name in wanted.split(";")]
    found = [one for one in verdicts if not wanted or {*names} & {one, *one.split(",")}]
    if len(found) != 1:
        choice = "; ".join(verdicts) or "those of its lines"
        raise wrong(
            where,
            f"not one verdict; choose by --verdict among {choice} (of several tasks: 'ONE;ANOTHER')",
        )
    return found[0]


# ---- the formats: each reader yields what `import_harness_logs` needs of a sample, with `where` it
# is ----


def _inspect(file: Path, verdict: str, partial: bool) -> Iterator[dict]:
    read = inspect_ai().read_eval_log
    try:
        log = read(str(file), exclude_fields={"attachments", "events", "messages", "store"})
    except Exception as error:  # a foreign reader's, of any kind
        raise wrong(
            file, f"inspect_ai cannot read it ({' '.join(str(error).split())[:200]}); name a log"
        ) from error
    if log.status != "success" and not partial:
        raise wrong(
            file,
            f"the evaluation ended as '{log.status}'; give a whole log, or --partial for what is there",
        )
    model = log.eval.model
    samples = log.samples or ()
    total = getattr(log.results, "total_samples", 0) or 0
    if len(samples) < total and not partial:
        raise wrong(
            file,
            f"holds {len(samples)} of the {total} samples that it counts; give a whole log, or --partial",
        )
    same = {
        "method": (log.eval.solver or model).rpartition("/")[2],
        "model": model,
        "category": log.eval.task.rpartition("/")[2],
    }
    for sample in samples:
        if not (sample.error or sample.scores) and partial:  # its turn had not come
            continue
        where = f"{file}, sample {sample.id}, epoch {sample.epoch}"
        usage = (sample.model_usage or {}).get(model)
        asked = (
            sample.input
            if isinstance(sample.input, str)
            else "\n".join(message.text for message in sample.input)
        )
        target = getattr(sample, "target", None)
        found = {
            "where": where,
            "problem": str(sample.id),
            "sample": sample.epoch - 1,
            "question": asked,
            "text": sample.output.completion,
            "tokens": usage and (usage.input_tokens, usage.output_tokens),
            "gold": target if isinstance(target, str) and target else None,
        }
        if sample.error:
            yield same | found | {"error": sample.error.message}
            continue
        name = _chosen([*(sample.scores or ())], verdict, where)
        score = sample.scores[name]
        yield (
            same
            | found
            | _judged(right(score.value, where, f"score '{name}'"))
            | {"answer": score.answer}
        )


def _judged(found: tuple[bool, float | None]) -> dict:
    return dict(zip(("correct", "score"), found, strict=True))


def inspect_ai():
    try:
        import inspect_ai.log
    except ModuleNotFoundError as error:
        raise TroveLiteError(
            f"no module {error.name}: inspect's logs need pip install -e '.[logs]'"
        ) from error
    return inspect_ai.log


def _lm_eval(file: Path, verdict: str, partial: bool) -> Iterator[dict]:
    entries = _filters_named(list(objects(file, LM_EVAL)))
    named = SAMPLES.fullmatch(file.name)
    beside = file.with_name(f"results_{named[2]}.json" if named else "results.json")
    told = parsed(text_of(beside), beside, LM_EVAL_TOLD) if beside.is_file() else {}
    model = str(told.get("model_name") or "unknown")
    same = {
        "method": file.stem if model == "unknown" else Path(model).name,
        "model": model,
        "sample": 0,
    }
    same |= {"category": named[1]} if named else {}
    counted = (told.get("n-samples") or {}).get(same.get("category")) or {}
    there = len({entry["doc_id"] for _, entry in entries})
    total = counted.get("effective") or 0
    if there < total and not partial:
        raise wrong(
            file,
            f"holds {there} of the {total} problems that {beside.name} counts; give all, or --partial",
        )
    ways = {f"{m},{e['filter']}": 0 for _, e in entries for m in _metrics_of(e) or [verdict] if m}
    unnamed = (
        " (it does not name its filters: they are counted from 1)"
        if "1" in {e["filter"] for _, e in entries}
        else ""
    )
    metric, _, way = (_chosen([*ways], verdict, f"{file}{unnamed}") if entries else "").partition(
        ","
    )
    for where, entry in entries:
        if entry["filter"] != way:
            continue
        if metric not in entry:
            raise wrong(where, f"field '{metric}' is missing; is the line whole?")
        texts, answers = ([*_flat(entry.get(name))] for name in ("resps", "filtered_resps"))
        answer, text = (
            one[0] if len(one) == 1 and isinstance(one[0], str) else None
            for one in (answers, texts)
        )
        doc = entry.get("doc")
        target = entry.get("target")
        question = doc.get("question") if isinstance(doc, dict) else None
        asked = (
            question if isinstance(question, str) else next(_prompts(entry.get("arguments")), None)
        )
        found = {
            "where": where,
            "problem": str(entry["doc_id"]),
            "question": str(entry.get("doc_hash", "")),
            "asked": asked,
            "text": text,
            "answer": answer,
            "gold": str(target) if isinstance(target, str | int | float) else None,
        }
        yield same | found | _judged(right(entry[metric], where, metric))


def _filters_named(entries: list[tuple[str, dict]]) -> list[tuple[str, dict]]:
    """lm-eval's lines with a `filter` each: as older releases do not name it, by the place among a
    problem's lines. Lines of a problem are filters where all have the same replies, and not all say
    the same of them."""
    groups: dict[int, list[dict]] = {}
    for _, entry in entries:
        if entry.get("filter") is None:
            groups.setdefault(entry["doc_id"], []).append(entry)
    same = all(
        entry.get("resps") == own[0].get("resps") for own in groups.values() for entry in own
    )
    differ = any(entry != own[0] for own in groups.values() for entry in own)
    places = same and differ and len({len(own) for own in groups.values()}) == 1
    for own in groups.values():
        for number, entry in enumerate(own, start=1):
            entry["filter"] = str(number) if places else "none"
    return entries


def _metrics_of(entry: dict) -> list[str]:
    """The names of a line's verdicts: those that it lists, or the fields of an older one that hold
    a number."""
    found = (
        name
        for name, value in entry.items()
        if name not in NO_METRIC and isinstance(value, bool | int | float)
    )
    return entry.get("metrics") or [*found]


def _flat(replies: object) -> Iterator[object]:
    """Replies, which releases give as lists of lists, as a list, or as one text."""
    for reply in replies if isinstance(replies, list) else [replies]:
        yield from reply if isinstance(reply, list) else [reply]


def _prompts(arguments: object) -> Iterator[str]:
    """The texts that a model was sent, in any of the forms that releases keep them in."""
    inner = (
        arguments.values()
        if isinstance(arguments, dict)
        else arguments
        if isinstance(arguments, list)
        else ()
    )
    for one in inner:
        yield from [one] if isinstance(one, str) else _prompts(one)


def _evalplus(file: Path, verdict: str, partial: bool) -> Iterator[dict]:
    for task, results in parsed(text_of(file), file, {"eval": dict[str, list[dict]]})[
        "eval"
    ].items():
        category, _, problem = task.rpartition("/")
        for number, result in enumerate(results):
            where = f"{file}, {task}, sample {number}"
            plus = fields(result, where, EVALPLUS).get("plus_status") is not None
            which = _chosen(
                ["base", "plus"] if plus else ["base"],
                verdict or ("plus" if plus else "base"),
                where,
            )
            tests = [right(result[f"{one}_status"], where, one)[0] for one in {"base", which}]
            yield {
                "category": category or "evalplus",
                "problem": problem,
                "sample": number,
                "where": where,
                "correct": all(tests),
                "text": fenced(result["solution"].strip("\n")),
                "method": file.stem.removesuffix("_eval_results"),
            }


READERS = {
    "inspect": _inspect,
    "lm-eval": _lm_eval,
    "evalplus": _evalplus,
    "table": table_logs.read,
    "eee": every_eval.read,
}
