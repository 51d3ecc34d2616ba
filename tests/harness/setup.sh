#!/bin/sh
# Makes .venv-harness: inspect_ai, lm-eval and evalplus beside this checkout, to test their own files.
#
# lm-eval asks for no torch, but for many packages that only single tasks use: it is installed without them, and what
# its evaluator imports beside it. Does nothing where the venv is already what this script makes. PYTHON chooses the
# interpreter.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
venv=$root/.venv-harness
made_from=$(cat "$here/setup.sh" "$root/pyproject.toml" | sha256sum)
if [ -f "$venv/made-from" ] && [ "$(cat "$venv/made-from")" = "$made_from" ]; then exit 0; fi

"${PYTHON:-python3}" -m venv "$venv"
install() { "$venv/bin/python" -m pip install --disable-pip-version-check --quiet "$@"; }
install -e "$root[logs,notebooks]" pytest evalplus==0.3.1
install --no-deps lm_eval==0.4.13
install evaluate jinja2 more_itertools pytablewriter rouge-score sacrebleu scikit-learn sqlitedict word2number
echo "$made_from" > "$venv/made-from"
