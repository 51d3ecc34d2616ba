"""Commands under odd environments: each does its work, or says in one line what is in its way."""

import os
import subprocess
import sys

import pytest

from .conftest import ROOT


def told(words: str, cwd, *prefix: str, **env: str | None) -> tuple[int, str, str]:
    """A command's status, output and errors, with variables set, or unset by None."""
    whole = os.environ | {"PYTHONPATH": str(ROOT)} | env
    whole = {name: value for name, value in whole.items() if value is not None}
    command = [*prefix, sys.executable, "-m", "trove_lite", *words.split()]
    done = subprocess.run(command, cwd=cwd, env=whole, capture_output=True, timeout=300)
    return done.returncode, done.stdout.decode("latin-1"), done.stderr.decode("latin-1")


WORDS = {"run --help": "Calls a problem, over all modes", "--help": "  doctor ", "list models": "vllm:NAME"}
ENCODINGS = (
    {"PYTHONIOENCODING": "latin-1"},
    {"PYTHONIOENCODING": "ascii"},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": None},
    {"PYTHONOPTIMIZE": "2"},
)


@pytest.mark.parametrize("env", ENCODINGS, ids=str)
@pytest.mark.parametrize("words", WORDS)
def test_help_is_shown_with_any_encoding_and_without_docstrings(tmp_path, words, env):
    status, said, errors = told(words, tmp_path, **env)
    assert (status, errors) == (0, "")
    assert WORDS[words] in said


def test_a_wrong_log_is_named_before_data_that_is_missing(tmp_path):
    (tmp_path / "notes.md").write_text("hello\n")
    for name, words in (("none.md", "none.md: cannot be read"), ("notes.md", "notes.md, line 1: ")):
        assert words in told(f"import {name} --out x", tmp_path, TROVE_LITE_DATA=str(tmp_path))[2]
