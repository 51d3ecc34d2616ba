"""The command line: options are the settings classes' fields, help says so, and what is wrong is
one line."""

import asyncio
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import fields
from inspect import getdoc
from pathlib import Path

import pytest
import yaml

from trove_lite import load_candidates
from trove_lite.cli import kit_commands, main, parser_of
from trove_lite.cli.commands import settings_of
from trove_lite.errors import UsageError
from trove_lite.methods import METHODS
from trove_lite.models.base import SamplingSettings
from trove_lite.running.settings import RunSettings, choices_of

from .conftest import ROOT, left_with
from .models.misbehaving import Server
from .scripted import TIMES, Pack, ScriptedModel, of_problems


@pytest.mark.parametrize("name", kit_commands())
def test_every_commands_help_explains_each_option_and_its_examples_are_command_lines(
    name, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study.yaml").write_text("k: 15")
    parser = parser_of(name)
    assert all(action.help for action in parser._actions)
    examples = re.findall(
        rf"^  trove-lite {name} ?(.*)$", getdoc(kit_commands()[name]), re.MULTILINE
    )
    assert examples
    below = getdoc(kit_commands()[name]).partition("examples:\n")[2].rstrip().split("\n")
    assert len(below) == len(examples)  # each line is a command of its own
    for example in examples:
        parser_of(name).given(example.partition(" >")[0].split())


def test_every_field_of_the_settings_is_an_option_with_its_docstring_and_default():
    said = " ".join(parser_of("run").format_help().split())
    own = [
        f
        for kind in (RunSettings, SamplingSettings)
        for f in fields(kind)
        if f.name not in ("sampling", "choices")
    ]
    assert all(f"--{f.name} " in said for f in own)
    for name, method in METHODS.working().items():
        assert all(
            f"--{name}.{choice} " in said for choice in choices_of(type(method.presets["paper"]))
        )
    assert (
        "The budget: calls (requests to the model) for each problem, over all modes. (default: 15)"
        in said
    )
    assert "Problems between two trimmings. (default: 200)" in said


def test_words_become_settings():
    words = "--methods trove memory --preset official --trove.interval 100 --completion-tokens 900 --top-p 0.5 "
    found = settings_of(parser_of("run").given(f"{words} --memory 2048 --memory.similar 2".split()))
    trove = found.of("trove", 3)
    assert (trove.interval, trove.threshold, trove.seed, trove.budget.completion_tokens) == (
        100,
        "log20",
        3,
        900,
    )
    assert (found.methods, found.sampling.top_p) == (("trove", "memory"), 0.5)
    assert (found.memory, found.of("memory", 3).similar) == (
        2048,
        2,
    )  # a limit, and a method of that name


FILES = {
    "other": "ks: 15",
    "many": "k: many",
    "null": "k: null",
    "flat": "trove: 3",
    "list": "- k",
    "torn": "k: [",
}
FILES["study"] = (
    "{seeds: [3, 4], roles: {maker: vllm:x}, trove: {adds: [create], shown: null, retry: false}}"
)
#: What is typed: the values by option, or what the error says. With test_completion's, 60 lines on
#: which libraries were compared (docs/design.md).
LINES = yaml.safe_load(Path(__file__).with_name("command_lines.yaml").read_text(encoding="utf-8"))


def plain(value):
    """As YAML has it."""
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, tuple | list):
        return list(map(plain, value))
    return str(value) if isinstance(value, Path) else value


@pytest.mark.parametrize(("line", "wanted"), LINES.items(), ids=LINES)
def test_a_command_line_is_values_by_option_or_one_line_that_says_what_is_wrong(
    line, wanted, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    command, *words = shlex.split(line)
    try:
        found = plain(parser_of(command).given(words))
    except UsageError as error:
        found = str(error)
    assert found == wanted if isinstance(wanted, dict) else wanted in found and "\n" not in found, (
        found
    )


def test_a_plan_counts_calls_and_touches_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(
        "trove_lite.running.live.load_dataset", lambda name, *_: of_problems(name=name)
    )
    monkeypatch.setattr("trove_lite.running.live.load_pack", lambda *_: Pack())
    monkeypatch.chdir(tmp_path)
    words = "--methods trove primitive creator --categories counting --seeds 0 1 --k 6 --out runs/x --dry_run"
    assert main(["run", *words.split()]) == 0
    said = capsys.readouterr().out
    assert re.search(r"^ *trove +counting +12 +144 ", said, re.MULTILINE)
    assert re.search(r"^ *primitive +counting +12 +144 ", said, re.MULTILINE)
    assert " calls in 2 runs, one a seed; " in said
    assert list(tmp_path.iterdir()) == []


WORDS = ["--categories", "counting", "--seeds", "0", "--k", "6", "--quiet"]


class Tired(ScriptedModel):
    """Says so after sixty calls, and answers no more."""

    async def complete(self, *asked):
        if self.calls >= 60:
            print("tired", flush=True)
            await asyncio.sleep(1000)
        return await super().complete(*asked)


def run_with(model, out) -> int:
    """The command, with this model and with the problems and prompts of tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("trove_lite.running.live.load_model", lambda *_, **__: model)
        patch.setattr(
            "trove_lite.running.live.load_dataset", lambda name, *_: of_problems(name=name)
        )
        patch.setattr("trove_lite.running.live.load_pack", lambda *_: Pack())
        return main(["run", "--out", str(out), *WORDS])


def complete(out):
    """The table of that run once it has come to its end."""
    assert run_with(ScriptedModel(), out) == 0
    return load_candidates(out).drop(columns=TIMES)


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    return complete(tmp_path_factory.mktemp("uninterrupted") / "run")


@pytest.mark.parametrize(
    ("number", "ignored"),
    [(signal.SIGINT, False), (signal.SIGTERM, False), (signal.SIGTERM, True)],
    ids=["SIGINT", "SIGTERM", "SIGTERM behind an &, where shells have SIGINT ignored"],
)
def test_an_ended_run_says_how_to_go_on_leaves_no_process_and_goes_on_to_the_same_table(
    tmp_path, number, ignored, uninterrupted
):
    out = tmp_path / "run"
    journal = tmp_path / "run" / "journal" / "trove-counting-0.jsonl"
    before = (lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)) if ignored else None
    code = f"import sys; from tests.test_cli import Tired, run_with; sys.exit(run_with(Tired(), {str(out)!r}))"
    how = {
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
        "text": True,
        "cwd": ROOT,
        "preexec_fn": before,
    }
    env = os.environ | {"TROVE_LITE_TEST": str(tmp_path)}
    process = subprocess.Popen([sys.executable, "-c", code], env=env, **how)
    assert process.stdout.readline() == "tired\n"
    while not journal.stat().st_size:
        time.sleep(0.01)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert said == "interrupted; what is done is kept: give the same command again to go on\n"
    assert not left_with(f"TROVE_LITE_TEST={tmp_path}")
    assert not (out / "candidates.parquet").exists()
    assert complete(out).equals(uninterrupted)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_after_a_commands_last_act_changes_nothing(number):
    code = f"import atexit, signal; atexit.register(signal.raise_signal, {number:d}); "
    code += "from trove_lite.cli import main; raise SystemExit(main())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_model_that_its_server_does_not_list_is_refused_before_a_folder_is_made(tmp_path, capsys):
    out = tmp_path / "run"
    words = (
        f"run --quiet --out {out} --categories counting --seeds 0 --limit 1 --k 3 --model".split()
    )
    with Server() as server:
        assert main([*words, f"{server.url}#typo"]) == 1
        assert re.fullmatch("error: .*tiny.*\n", capsys.readouterr().err)
        assert not out.exists()
        assert main([*words, f"{server.url}#tiny"]) == 0
    assert (out / "candidates.parquet").exists()
