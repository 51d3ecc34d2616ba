"""PRIMITIVE's requests by inspect_ai, for `engine.py peer`: it runs in an environment that has inspect_ai and openai.

The same chat messages, seeds and sampling settings to the same server, as many at a time. Nothing is scored or run.
"""

import argparse
import asyncio
import json
import tempfile
import time
from pathlib import Path

from inspect_ai import Task, eval_async
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig, get_model
from inspect_ai.solver import Generate, TaskState, solver

CONNECTIONS = 64


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--way")
    parser.add_argument("--task")
    task = json.loads(Path(parser.parse_args().task).read_text())
    print("RESULT " + json.dumps(asyncio.run(measured(task))), flush=True)


async def measured(task: dict) -> dict:
    address, _, name = task["server"].partition("#")
    address, _, options = address.partition("?")
    connections = next((int(o.split("=")[1]) for o in options.split("&") if o.startswith("concurrency=")), CONNECTIONS)
    shared = {"temperature": 0.6, "top_p": 0.95, "max_tokens": task["max_tokens"], "max_connections": connections}
    shared |= {"stop_seqs": ["**Question", "## Example"]}
    model = get_model(f"openai-api/local/{name}", base_url=address, api_key="none", config=GenerateConfig(**shared))
    first, last = [], []

    @solver
    def one_request():
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            first.append(time.perf_counter())
            state = await generate(state, seed=state.metadata["seed"] % (1 << 32))
            last.append(time.perf_counter())
            return state

        return solve

    samples = [
        Sample(input=text_of(each["prompt"]), metadata={"seed": each["seed"]}, id=number)
        for number, each in enumerate(task["asked"])
    ]
    with tempfile.TemporaryDirectory() as folder:
        (log,) = await eval_async(
            Task(dataset=samples, solver=one_request()),
            model=model,
            log_dir=folder,
            max_samples=connections,
            log_realtime=False,
        )
    if log.status != "success":
        raise SystemExit(f"inspect_ai: {log.status} ({log.error})")
    tokens = sum(usage.output_tokens for usage in log.stats.model_usage.values())
    return {"seconds": max(last) - min(first), "tokens": tokens}


def text_of(prompt) -> str:
    return prompt if isinstance(prompt, str) else prompt[-1]["content"]


if __name__ == "__main__":
    main()
