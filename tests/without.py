"""The suite without a folder of a paper's plug-ins: `python -m tests.without [FOLDER …] [-- what pytest is given]`.

In a copy of the checkout that lacks the folder, or several at once (`creator+latm`). Tests that import it, or name a
plug-in of it, are left out (`conftest`); all others have to pass. Ends with the number of folders that something else
needs.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from .conftest import FOLDERS, ROOT


def git(*words: str) -> str:
    return subprocess.run(
        ["git", *words], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()


def is_green(folders: str, words: list[str]) -> bool:
    gone = tuple(f"trove_lite_papers/{folder}/" for folder in folders.split("+"))
    with tempfile.TemporaryDirectory() as copy:
        Path(copy).chmod(
            0o755
        )  # hostile programs run as a user without rights, who has to reach it
        for name in git("ls-files").splitlines():
            if not name.startswith(gone):
                (place := Path(copy, name)).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, place)
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
