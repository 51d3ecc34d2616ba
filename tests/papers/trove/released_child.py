"""Runs TroVE's released program on written replies, in a process of its own.

    python -I released_child.py FOLDER JOB

FOLDER holds a copy of the program with its prompts and data; JOB says which arguments it gets, and
what the model replies. Only the model is a stand-in. A program that it writes to a file runs in a
fork, which has pandas already: an interpreter for each would take minutes.
"""

import json
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import types
from collections import Counter
from pathlib import Path

FOLDER, JOB = map(Path, sys.argv[1:])


class Stub(types.ModuleType):
    """A module in which every name stands for something that does nothing."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()


class Anything:
    def __getattr__(self, name):
        return Anything()

    def __call__(self, *args, **kwargs):
        return Anything()


class Model:
    """Replies as JOB says, by question, mode and how often it was asked. Tells what it was asked,
    with the toolbox behind it: each tool's name and uses."""

    def __init__(self, job: dict):
        self.job = job
        self.rendered = None
        self.times = Counter()
        self.toolbox = []
        self.told = []
        self.model = Anything()
        self.tokenizer = Anything()

    def __call__(self, prompt, **_):
        mode, question = self.rendered
        index = self.job["questions"].index(question)
        phase = ("stream", "retry")[self.times[index, mode]]
        self.times[index, mode] += 1
        self.told.append([index, phase, mode, prompt, self.toolbox])
        self.toolbox = []
        replies = self.job["replies"][f"{index} {phase} {mode}"]
        return [{"generated_text": prompt + reply} for reply in replies]


class Tokenizer:
    eos_token_id = 0

    def __call__(self, text):
        return {"input_ids": text.split()}


def run_in_a_fork(command, *, timeout, **_):
    """`subprocess.run(["python", FILE], capture_output=True, text=True)`."""
    script = Path(command[1]).absolute()
    sys.stdout.flush()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if child == 0:
            run_script(script, out, err)
        ends = time.monotonic() + timeout
        while not (found := os.waitpid(child, os.WNOHANG))[0]:
            if time.monotonic() > ends:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                raise subprocess.TimeoutExpired(command, timeout)
            time.sleep(0.001)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode("utf-8").replace("\r\n", "\n").replace("\r", "\n"))
    return subprocess.CompletedProcess(command, os.waitstatus_to_exitcode(found[1]), *texts)


def run_script(script: Path, out, err) -> None:
    os.dup2(out.fileno(), 1)
    os.dup2(err.fileno(), 2)
    code = 0
    try:
        exec(compile(script.read_bytes(), str(script), "exec"), {"__name__": "__main__"})
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else end.code is not None
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def main():
    job = json.loads(JOB.read_text(encoding="utf-8"))
    os.chdir(FOLDER)
    sys.path.insert(0, str(FOLDER))
    import mako.template
    import pandas  # noqa: F401  so that forks have it

    model = Model(job)
    for name in ("torch", "utils.api", "transformers"):
        sys.modules[name] = Stub(name)
    sys.modules["utils.api"].__all__ = []
    sys.modules["transformers"].pipeline = lambda *_, **__: model
    sys.modules["transformers"].AutoTokenizer = types.SimpleNamespace(
        from_pretrained=lambda name: Tokenizer()
    )

    class Template(mako.template.Template):
        def render(self, **given):
            model.rendered = Path(self.filename).stem.removeprefix("online_"), given["question"]
            return super().render(**given)

    mako.template.Template = Template
    import utils

    shown = utils.format_toolbox

    def format_toolbox(toolbox):
        model.toolbox = [[name, tool["frequency"]] for name, tool in toolbox.items()]
        return shown(toolbox)

    utils.format_toolbox = format_toolbox
    subprocess.run = run_in_a_fork
    sys.argv = ["run_trove.py", *job["arguments"]]
    runpy.run_path("run_trove.py", run_name="__main__")
    Path("told.json").write_text(json.dumps(model.told), encoding="utf-8")


main()
