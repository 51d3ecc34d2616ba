"""Below the level "full" nothing runs unless that level is named: an old container's seccomp
profile, an old kernel."""

import errno
import json
import struct
import subprocess
import sys

import pytest

from trove_lite.sandbox import isolation, seccomp

from . import needs_full

pytestmark = needs_full

RUN = (
    "run --dataset practice --categories algebra --methods primitive --limit 1 --k 1 --quiet --out"
)


def without_landlock(answer: int):
    """For a child before it starts: Landlock's three system calls answer so from here on."""
    code = (
        (0x20, 0, 0, 0),
        (0x35, 0, 2, 444),
        (0x35, 1, 0, 447),
        (6, 0, 0, 0x50000 | answer),
        (6, 0, 0, 0x7FFF0000),
    )
    prepared = seccomp.prepare(b"".join(struct.pack("HBBI", *step) for step in code))

    def forbid():
        isolation.prctl(isolation.PR_SET_NO_NEW_PRIVS, 1)
        seccomp.install(prepared)

    return forbid


def python(*words, answer: int = errno.ENOSYS) -> subprocess.CompletedProcess:
    line = [sys.executable, *words]
    return subprocess.run(line, preexec_fn=without_landlock(answer), capture_output=True, text=True)


def command(arguments: str, *more) -> subprocess.CompletedProcess:
    return python("-m", "trove_lite", *arguments.split(), *more)


@pytest.mark.parametrize("answer", [errno.ENOSYS, errno.EPERM, errno.EOPNOTSUPP])
def test_without_landlock_there_is_no_level_unasked(answer):
    code = (
        "from trove_lite.sandbox.pool import isolation_report; print(isolation_report()['level'])"
    )
    assert python("-c", code, answer=answer).stdout == "None\n"


def test_a_run_without_landlock_is_refused_in_a_line_with_the_remedy(tmp_path):
    done = command(RUN, tmp_path / "a")
    assert done.returncode != 0
    (line,) = done.stderr.splitlines()
    assert "isolation 'full' needs landlock" in line
    assert "--security-opt seccomp=unconfined" in line
    assert "--isolation seccomp" in line
    assert not list(tmp_path.rglob("*.parquet"))


def test_a_run_without_landlock_runs_where_the_level_is_named_and_one_that_took_it_unasked_goes_on(
    tmp_path,
):
    out = tmp_path / "a"
    assert command(RUN, out, "--isolation", "seccomp").returncode == 0
    assert (out / "candidates.parquet").exists()
    about = json.loads((out / "run.json").read_text())
    about["settings"]["isolation"] = "auto"
    (out / "run.json").write_text(json.dumps(about))
    (out / "candidates.parquet").unlink()
    done = command(RUN, out, "--isolation", "seccomp")
    assert done.returncode == 0, done.stderr
