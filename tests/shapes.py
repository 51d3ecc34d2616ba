"""Runs and logs of every shape that people have, small: what a table may hold, and what it may
lack."""

import json
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

from trove_lite.candidates import save_run
from trove_lite.cli import main
from trove_lite_analysis.recorded.official_logs import import_logs

from .models.misbehaving import Server, changed, choice
from .simulated import log, problem

__all__ = ["SHAPES", "Shape"]
PROBLEMS = 12
PROGRAM = "```python\nx = {0} + 1\nprint(x)\n```"
WRONG = "```python\nx = {0} + 2\ny = x\nprint(y)\n```"
DEFINED = "\n**Tools**\n```python\ndef plus(a):\n    return a + 1\n```"
MADE = "**Solution**\n```python\nprint({0} + 1)\n```" + DEFINED
CALLED = "**Solution**\n```python\nprint(plus({0}))\n```" + DEFINED


class Shape(NamedTuple):
    """What was made: `sources` that commands take, and what the command that made them `said`."""

    sources: list[str]
    said: str


def made(words: list[str]) -> str:
    out = StringIO()
    with redirect_stdout(out):
        assert main(words) == 0, out.getvalue()
    return out.getvalue()


def own_problems(folder: Path, level: str = "") -> Path:
    more = {"level": level} if level else {}
    lines = [
        {"question": f"What is {i} + 1?", "answer": [i + 1, -1]} | more for i in range(PROBLEMS)
    ]
    (path := folder / "own.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return path


def replies(folder: Path, *texts: str) -> str:
    """A model whose replies are these, `{0}` the question's number."""
    each = [text.replace("{0}", "\\1") for text in texts]
    line = {"prompt": r"What is (\d+) \+ 1\?", "texts": each}
    (path := folder / "replies.jsonl").write_text(json.dumps(line))
    return f"canned:{path}"


def live(
    folder: Path, methods: str, *texts: str, seeds: str = "0", level: str = "", out: str = "run"
) -> Shape:
    """A run on problems of one's own by written replies."""
    words = ["run", "--quiet", "--dataset", str(own_problems(folder, level)), "--k", "3"]
    words += ["--methods", *methods.split(), "--seeds", *seeds.split()]
    words += ["--model", replies(folder, *texts), "--out", str(folder / out)]
    return Shape([str(folder / out)], made(words))


def practice(folder: Path) -> Shape:
    words = "run --quiet --methods trove primitive --categories counting algebra --seeds 0"
    out = ["--limit", "3", "--k", "6", "--out", str(folder / "run")]
    return Shape([str(folder / "run")], made([*words.split(), *out]))


def half_missing(folder: Path) -> Shape:
    def odd(handler, body):
        known = choice(text=PROGRAM.format(3)) if body["seed"] % 2 else changed(choices=[BROKEN])
        known(handler, body)

    with Server(always=odd) as server:
        words = ["run", "--quiet", "--dataset", str(own_problems(folder)), "--k", "2"]
        words += ["--methods", "primitive", "--seeds", "0", "--fail_on_missing", "1"]
        words += ["--model", f"{server.url}#tiny", "--out", str(folder / "run")]
        return Shape([str(folder / "run")], made(words))


BROKEN = {"index": 0, "text": "print(1)", "finish_reason": "neither"}


def seeds_apart(folder: Path) -> Shape:
    """A grid: a run a seed."""
    each = [
        live(folder, "primitive instance", PROGRAM, WRONG, seeds=n, out=f"seed{n}") for n in "01"
    ]
    return Shape([source for shape in each for source in shape.sources], "")


def imported(folder: Path, *logs: Path, words: str = "") -> Shape:
    out = ["--out", str(folder / "run")]
    return Shape([str(folder / "run")], made(["import", *words.split(), *map(str, logs), *out]))


def table(folder: Path, row: Callable[[int, str, int], dict], samples: int = 3) -> Path:
    """A table in which methods a and b answer problems; `row`: a problem's, method's, sample's."""
    lines = [
        {"problem": str(n), "method": method, "sample": s} | row(n, method, s)
        for n in range(PROBLEMS)
        for method in "ab"
        for s in range(samples)
    ]
    (path := folder / "t.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return path


def is_right(n: int, method: str, s: int) -> bool:
    return (n + s + (method == "b") * n) % 3 != 0


def of_verdicts(n: int, method: str, s: int) -> dict:
    return {"correct": is_right(n, method, s)}


def of_answers(n: int, method: str, s: int) -> dict:
    right = is_right(n, method, s) and (n != 4 or method == "a")
    answer = ["blue", "red", "green"][(n + (not right)) % 3]
    return {"answer": answer, "gold": ["blue", "red", "green"][n % 3]}


def of_texts(n: int, method: str, s: int) -> dict:
    right = is_right(n, method, s)
    return {"correct": right, "answer": str(n + 1 + (not right)), "text": f"It is {n + 1}, I say."}


def of_scores(n: int, method: str, s: int) -> dict:
    return {"score": (n + s + (method == "b")) % 5 / 4}


def lm_eval(folder: Path) -> list[Path]:
    """Samples of two models on one task, each beside its results."""
    found = []
    for model in ("small", "big"):
        (home := folder / model).mkdir()
        lines = []
        for n in range(PROBLEMS):
            right = is_right(n, model[0], 0)
            said = str(n + 1 + (not right))
            line = {"doc_id": n, "doc": {"question": f"What is {n} + 1?"}, "target": str(n + 1)}
            line |= {
                "resps": [[f"So ANSWER: {said}"]],
                "filtered_resps": [said],
                "filter": "strict",
            }
            lines.append(
                line
                | {"metrics": ["exact_match"], "exact_match": float(right), "doc_hash": f"h{n}"}
            )
        found.append(home / "samples_sums_2026-01-02T03-04-05.678.jsonl")
        found[-1].write_text("\n".join(map(json.dumps, lines)))
        told = home / "results_2026-01-02T03-04-05.678.json"
        told.write_text(json.dumps({"model_name": f"lab/{model}"}))
    return found


def evalplus(folder: Path, samples: int = 3) -> list[Path]:
    found = []
    for name in "ab":
        tasks = {}
        for n in range(PROBLEMS):
            states = ["pass" if is_right(n, name, s) else "fail" for s in range(samples)]
            tasks[f"HumanEval/{n}"] = [
                {"solution": f"def f():\n    return {n}", "base_status": s, "plus_status": s}
                for s in states
            ]
        found.append(folder / f"{name}_eval_results.json")
        found[-1].write_text(json.dumps({"eval": tasks}))
    return found


def inspect(folder: Path, patch) -> list[Path]:
    """Two logs of inspect, by a reader in inspect_ai's place: it is in no environment of the
    tests."""
    logs = {}
    for name in "ab":
        samples = []
        for n in range(PROBLEMS):
            for epoch in (1, 2):
                right = is_right(n, name, epoch)
                answer = str(n + 1 + (not right))
                same = {"id": str(n), "epoch": epoch, "input": f"What is {n} + 1?", "error": None}
                score = SimpleNamespace(value="C" if right else "I", answer=answer)
                usage = {"lab/m": SimpleNamespace(input_tokens=7, output_tokens=3)}
                output = SimpleNamespace(completion=f"ANSWER: {answer}")
                same |= {"target": str(n + 1), "scores": {"match": score}, "output": output}
                samples.append(SimpleNamespace(**same, model_usage=usage))
        spec = SimpleNamespace(task="suite/sums", model="lab/m", solver=name)
        logs[f"{name}.eval"] = SimpleNamespace(
            status="success", eval=spec, samples=samples, results=None
        )
        (folder / f"{name}.eval").touch()
    reader = SimpleNamespace(read_eval_log=lambda path, **_: logs[Path(path).name])
    patch.setattr("trove_lite_analysis.recorded.harness_logs.inspect_ai", lambda: reader)
    return [folder / "a.eval", folder / "b.eval"]


def official(folder: Path) -> Shape:
    """A log of TroVE's program, with problems solved again at its end."""
    problems = [problem(i, answer=3.0 + i % 2) for i in range(PROBLEMS)]
    (path := folder / "run0.md").write_text(log(problems, retried=problems[:2]))
    found, _ = import_logs([path], problems, progress=False)
    save_run(folder / "run", found, {"kind": "import", "provenance": "recorded"})
    return Shape([str(folder / "run")], "")


def every_eval(folder: Path) -> Path:
    """Two models in one file of Every Eval Ever, with the tokens that they spent."""
    lines = []
    for n in range(PROBLEMS):
        for model in "ab":
            right = is_right(n, model, 0)
            said = str(n + 1 + (not right))
            line = {"schema_version": "0.3.0", "model_id": f"lab/{model}", "sample_id": str(n)}
            line |= {"evaluation_name": "sums", "interaction_type": "single_turn"}
            line |= {"input": {"raw": f"What is {n} + 1?", "reference": [str(n + 1)]}}
            line |= {"output": {"raw": [f"It is {said}."]}, "answer_attribution": []}
            line |= {"evaluation": {"score": float(right), "is_correct": right}}
            spent = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
            lines.append(line | {"token_usage": spent})
    (path := folder / "e.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return path


def own_export(folder: Path) -> Shape:
    """A run of one's own, exported and imported again."""
    run = live(folder, "trove primitive", MADE, WRONG).sources[0]
    made(["export", run, "--out", str(folder / "t.csv")])
    return Shape(imported(folder, folder / "t.csv", words="--force").sources, "")


#: Name → how such a thing is made in a folder; `patch`: pytest's monkeypatch.
SHAPES: dict[str, Callable[..., Shape]] = {
    "TROVE and PRIMITIVE": lambda at, _: practice(at),
    "PRIMITIVE alone": lambda at, _: live(at, "primitive", PROGRAM, WRONG),
    "no tool made": lambda at, _: live(at, "trove primitive", PROGRAM, WRONG),
    "tools never called": lambda at, _: live(at, "trove primitive", MADE, WRONG),
    "tools called": lambda at, _: live(at, "trove primitive", CALLED, WRONG),
    "one method": lambda at, _: live(at, "trove", MADE, WRONG),
    "levels": lambda at, _: live(at, "trove primitive", PROGRAM, WRONG, level="2"),
    "two models": lambda at, _: imported(at, *lm_eval(at), words="--format lm-eval"),
    "verdicts alone": lambda at, _: imported(at, table(at, of_verdicts)),
    "one sample": lambda at, _: imported(at, table(at, of_texts, samples=1)),
    "texts for answers": lambda at, _: imported(at, table(at, of_answers)),
    "half missing": lambda at, _: half_missing(at),
    "a table": lambda at, _: imported(at, table(at, of_texts)),
    "evalplus": lambda at, _: imported(at, *evalplus(at)),
    "Every Eval Ever": lambda at, _: imported(at, every_eval(at)),
    "scores": lambda at, _: imported(at, table(at, of_scores)),
    "an export": lambda at, _: own_export(at),
    "TroVE's program": lambda at, _: official(at),
    "inspect": lambda at, patch: imported(at, *inspect(at, patch)),
    "a grid of seeds": lambda at, _: seeds_apart(at),
}
