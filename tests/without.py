"""The suite without a folder of a paper's plug-ins: `python -m tests.without [FOLDER …] [-- what
pytest is given]`.

In a copy of the checkout that lacks the folder, or several at once (`creator+latm`; the packages
above the first: `trove_lite_analysis+trove_lite_papers+studies`). Tests that import it, or name a
plug-in of it, are left out (`conftest`); all others have to pass. Ends with the number of folders
that something else needs.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from .conftest import ABOVE, FOLDERS, ROOT


def git(*words: str) -> str:
    return subprocess.run(
        ["git", *words], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()


def is_green(folders: str, words: list[str]) -> bool:
    parts = folders.split("+")
    gone = tuple(f"{one}/" if one in ABOVE else f"trove_lite_papers/{one}/" for one in parts)
    with tempfile.TemporaryDirectory() as copy:
        Path(copy).chmod(
            0o755
        )  # hostile programs run as a user without rights, who has to reach it
        for name in git("ls-files").splitlines():
            if not name.startswith(gone):
                (place := Path(copy, name)).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, place)
        hidden = [
            one for one in parts if one in ABOVE
        ]  # those of this checkout, which is installed
        hides = f"import sys\nsys.modules.update(dict.fromkeys({hidden!r}))\n"
        Path(copy, "sitecustomize.py").write_text(hides)
        Path(copy, ".git").write_text(f"gitdir: {git('rev-parse', '--absolute-git-dir')}\n")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words]
        return (
            subprocess.run(command, cwd=copy, env=os.environ | {"PYTHONPATH": copy}).returncode == 0
        )


if __name__ == "__main__":
    given = sys.argv[1:]
    at = given.index("--") if "--" in given else len(given)
    red = [folder for folder in given[:at] or FOLDERS if not is_green(folder, given[at + 1 :])]
    print("needed by something else:", ", ".join(red) or "none")
    raise SystemExit(len(red))
