"""Small logs made by the programs themselves, without a network or a model: `python makers.py
PROGRAM FOLDER`.

Each makes two logs, of methods that answer the same problems: `plain` and `better`."""

import json
import os
import sys
from pathlib import Path

QUESTIONS = ["What is 1 + 1?", "What is 1 + 2?", "What is 1 + 3?"]
GOLD = ["2", "3", "4"]
#: What each method says, a list a sample; right are 2 of 6 and 4 of 6, or 1 and 2 of 3 first
#: samples.
SAID = {
    "plain": [["2", "5", "none"], ["6", "3", "7"]],
    "better": [["2", "3", "none"], ["2", "6", "4"]],
}


def inspect(folder: Path) -> None:
    """One log a method, with an epoch a sample."""
    from inspect_ai import Task, eval
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ChatMessageUser, ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import match
    from inspect_ai.solver import generate

    asked = zip(QUESTIONS, GOLD, "abc", strict=True)
    data = [
        Sample(input=[ChatMessageUser(content=text)], target=gold, id=name)
        for text, gold, name in asked
    ]
    for method, epochs in SAID.items():
        outputs = []
        for text in (text for said in epochs for text in said):
            output = ModelOutput.from_content("mockllm/model", f"ANSWER: {text}")
            output.usage = ModelUsage(input_tokens=9, output_tokens=3, total_tokens=12)
            outputs.append(output)
        task = Task(
            name="sums", dataset=MemoryDataset(data), solver=generate(), scorer=match(numeric=True)
        )
        model = get_model("mockllm/model", custom_outputs=outputs, memoize=False)
        one = {"max_samples": 1, "max_connections": 1, "display": "none"}
        (log,) = eval(task, model=model, epochs=len(epochs), log_dir=str(folder / "logs"), **one)
        assert log.status == "success", log.error
        os.rename(log.location, folder / f"{method}.eval")


def lm_eval(folder: Path) -> None:
    """One log a method, of its first sample, by two filters; and one of choices by their
    likelihood."""
    from lm_eval import simple_evaluate
    from lm_eval.api.model import LM
    from lm_eval.loggers import EvaluationTracker

    docs = [
        {"question": question, "answer": gold}
        for question, gold in zip(QUESTIONS, GOLD, strict=True)
    ]
    (folder / "docs.jsonl").write_text("".join(json.dumps(doc) + "\n" for doc in docs))
    first = {"function": "take_first"}
    strict = [{"function": "regex", "regex_pattern": r"ANSWER: (\d+)"}, first]
    loose = [{"function": "regex", "regex_pattern": r"(\d+)"}, first]
    task = {"dataset_path": "json", "test_split": "test", "doc_to_text": "{{question}}"}
    task |= {"dataset_kwargs": {"data_files": {"test": str(folder / "docs.jsonl")}}}
    score = {"aggregation": "mean", "higher_is_better": True}
    words = task | {
        "task": "sums",
        "output_type": "generate_until",
        "generation_kwargs": {"until": ["\n\n"]},
    }
    words |= {"doc_to_target": "{{answer}}", "metric_list": [{"metric": "exact_match"} | score]}
    words |= {
        "filter_list": [{"name": "strict", "filter": strict}, {"name": "loose", "filter": loose}]
    }
    choices = task | {"task": "choices", "output_type": "multiple_choice", "doc_to_choice": GOLD}
    choices |= {"doc_to_target": "{{['2', '3', '4'].index(answer)}}"}
    choices |= {"metric_list": [{"metric": "acc"} | score, {"metric": "acc_norm"} | score]}

    class Fixed(LM):
        def __init__(self, said):
            super().__init__()
            self.said = said

        def generate_until(self, requests, **_):
            return [f"ANSWER: {self.said[request.doc_id]}" for request in requests]

        def loglikelihood(self, requests, **_):
            return [(float(r.args[1].strip() == self.said[r.doc_id]) - 2, False) for r in requests]

        def loglikelihood_rolling(self, requests, **_):
            raise NotImplementedError

    for method, epochs in SAID.items():
        found = simple_evaluate(
            model=Fixed(epochs[0]), tasks=[words, choices], log_samples=True, bootstrap_iters=0
        )
        samples = found.pop("samples")
        tracker = EvaluationTracker(output_path=str(folder / "out"))
        tracker.general_config_tracker.model_name = (
            tracker.general_config_tracker.model_name_sanitized
        ) = method
        tracker.save_results_aggregated(results=found, samples=samples)
        for name in samples:
            tracker.save_results_samples(task_name=name, samples=samples[name])


def evalplus(folder: Path) -> None:
    """One file of programs a method, with evalplus' verdicts beside it, on problems in HumanEval's
    form."""
    same = {"entry_point": "f", "contract": "", "test": "", "atol": 0, "prompt": "def f(x):\n"}
    same |= {"base_input": [[1], [2]], "plus_input": [[-3]]}
    bodies = enumerate(["    return 2 * x\n", "    return abs(x)\n"])
    tasks = [same | {"task_id": f"HumanEval/{i}", "canonical_solution": body} for i, body in bodies]
    (folder / "tasks.jsonl").write_text("".join(json.dumps(task) + "\n" for task in tasks))
    (folder / "cache" / "evalplus").mkdir(parents=True)
    os.environ |= {
        "HUMANEVAL_OVERRIDE_PATH": str(folder / "tasks.jsonl"),
        "XDG_CACHE_HOME": str(folder / "cache"),
    }
    import evalplus.data.humaneval
    from evalplus.data import write_jsonl
    from evalplus.evaluate import evaluate

    evalplus.data.humaneval.completeness_check = lambda *_: None  # which wants all of HumanEval
    wrote = {"plain": [["x", "2 * x"], ["x", "x"]], "better": [["2 * x", "x * 2"], ["x", "abs(x)"]]}
    for method, programs in wrote.items():
        samples = [
            {"task_id": f"HumanEval/{task}", "solution": f"def f(x):\n    return {body}\n"}
            for task, bodies in enumerate(programs)
            for body in bodies
        ]
        write_jsonl(str(folder / f"{method}.jsonl"), samples)
        evaluate("humaneval", samples=str(folder / f"{method}.jsonl"), parallel=1)


if __name__ == "__main__":
    {"inspect": inspect, "lm-eval": lm_eval, "evalplus": evalplus}[sys.argv[1]](Path(sys.argv[2]))
