"""Completion in a real bash: commands, options, values and files, as they stand after Tab."""

import os
import re

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


def test_bash_completes_commands_options_values_and_files(tmp_path, capsys):
    pexpect = pytest.importorskip("pexpect")
    for file in ("one.parquet", "two.parquet"):
        (tmp_path / file).touch()
    assert main(["completion", "bash"]) == 0
    (tmp_path / "_trove-lite").write_text(capsys.readouterr().out)
    quiet = {"TERM": "dumb", "PATH": os.environ["PATH"], "INPUTRC": "/dev/null", "PS1": "> "}
    how = {
        "cwd": str(tmp_path),
        "env": quiet,
        "dimensions": (50, 200),
        "timeout": 120,
        "encoding": "utf-8",
    }
    shell = pexpect.spawn("bash", ["--norc", "--noprofile", "-i"], **how)
    shell.sendline("source _trove-lite; echo rea''dy")
    shell.expect("ready")
    for typed, word in COMPLETED.items():
        shell.send(f"{typed}\t")
        shell.expect(re.escape(f"{typed.rpartition(' ')[0]} {word} "))
        shell.send("\x15")
    shell.close()
