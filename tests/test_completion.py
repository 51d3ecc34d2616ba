"""Completion in real shells: commands, options, values and files, as they stand after Tab."""

import os
import re
import shutil

import pytest

from trove_lite.cli import main

#: What is typed before Tab, and the last word afterwards.
COMPLETED = {
    "trove-lite vi": "view",
    "trove-lite run --trove.int": "--trove.interval",
    "trove-lite run --quiet --isolation fu": "full",
    "trove-lite run --methods trove --dataset h": "hitab",
    "trove-lite run --seeds 0 1 --data": "--dataset",
    "trove-lite fetch math lo": "logs",
    "trove-lite view one.parquet tw": "two.parquet",
    "trove-lite run --out tw": "two.parquet",
}


#: How a shell is started bare, and what it reads to know the script in the file `_trove-lite`.
SHELLS = {
    "bash": (["--norc", "--noprofile", "-i"], "source _trove-lite"),
    "zsh": (["-f", "-i"], "fpath=($PWD $fpath); autoload -U compinit; compinit -u -d dump"),
}


@pytest.mark.parametrize("name", SHELLS)
def test_a_shell_completes_commands_options_values_and_files(name, tmp_path, capsys):
    pexpect = pytest.importorskip("pexpect")
    if shutil.which(name) is None:
        pytest.skip(f"no {name} is installed")
    for file in ("one.parquet", "two.parquet"):
        (tmp_path / file).touch()
    assert main(["completion", name]) == 0
    (tmp_path / "_trove-lite").write_text(capsys.readouterr().out)
    words, setup = SHELLS[name]
    quiet = {"TERM": "dumb", "PATH": os.environ["PATH"], "INPUTRC": "/dev/null", "PS1": "> "}
    shell = pexpect.spawn(
        name, words, cwd=str(tmp_path), env=quiet, dimensions=(50, 200), timeout=120, encoding="utf-8"
    )
    shell.sendline(f"{setup}; echo rea''dy")
    shell.expect("ready")
    for typed, word in COMPLETED.items():
        shell.send(f"{typed}\t")
        shell.expect(re.escape(f"{typed.rpartition(' ')[0]} {word} "))
        shell.send("\x15")
    shell.close()
