"""A program's own files: at the paths it asks for, for it alone, and as they were when it has
ended.

That none can change them, nor read others, is held by `tests/hostile/programs/tables.txt`.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from trove_lite.errors import TroveLiteError
from trove_lite.sandbox.pool import Sandbox

from . import needs_full, run

pytestmark = needs_full
NAME = "data/wtq/csv/204-csv/590.tsv"


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("tables") / "590.tsv"
    path.write_text("a\tb\n1\t2\n")
    return path


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox(1, time_limit=20) as sandbox:
        yield sandbox


def test_files_are_where_the_program_looks(sandbox, table):
    program = f"import os\nprint(len(open('{NAME}').read()), os.listdir())"
    assert run(sandbox, program, {NAME: table})[:2] == ("ok", "8 ['data']\n")


def test_each_program_has_its_own(sandbox, table, tmp_path):
    (tmp_path / "other").write_text("other")
    read = "import os\nfor name in sorted(os.listdir()): print(name, open(name).read())"
    assert run(sandbox, read, {"a": table}).output == "a a\tb\n1\t2\n\n"
    assert (
        run(sandbox, read, {"b": tmp_path / "other", "c": str(table)}).output
        == "b other\nc a\tb\n1\t2\n\n"
    )


def test_a_program_imports_what_lies_beside_it(sandbox, tmp_path):
    (tmp_path / "tools.py").write_text("def double(x): return 2 * x\n")
    execution = run(
        sandbox, "from tools import double\nprint(double(21))", {"tools.py": tmp_path / "tools.py"}
    )
    assert execution.output == "42\n"
    assert run(sandbox, "from tools import double").error.startswith("ModuleNotFoundError")


def test_errors_do_not_say_where_the_folder_is(sandbox, table):
    execution = run(sandbox, "import os\nraise ValueError(os.path.abspath('data'))", {NAME: table})
    assert execution.error == "ValueError: data (line 2)"


def test_the_same_program_on_another_file_is_another_execution(table, tmp_path):
    (tmp_path / "other").write_text("other")
    with Sandbox(1, reuse=9) as sandbox:
        outputs = [
            run(sandbox, "print(open('t').read())", {"t": path}).output
            for path in (table, tmp_path / "other")
        ]
        assert len(set(outputs)) == 2
        assert len(sandbox._known) == 2


@pytest.mark.parametrize("name", ["/etc/x", "../x", "a/../../x", "", ".", "a/.."])
def test_paths_out_of_the_folder_are_refused(sandbox, table, name):
    with pytest.raises(TroveLiteError, match="relative to its working folder"):
        run(sandbox, "1", {"first": table, name: table})
    assert run(sandbox, "import os; print(os.listdir())", {"a": table}).output == "['a']\n"


def test_what_is_no_file_is_refused(sandbox, table, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for source in (tmp_path, tmp_path / "missing", tmp_path / "pipe", "/dev/zero"):
        with pytest.raises(TroveLiteError, match="not a file"):
            run(sandbox, "1", {"x": source})


def test_more_than_the_memory_limit_is_refused(tmp_path):
    with open(tmp_path / "sparse", "wb") as file:
        file.truncate(2 << 30)
    with Sandbox(1) as sandbox, pytest.raises(TroveLiteError, match="more than the memory"):
        run(sandbox, "1", {"x": tmp_path / "sparse"})


def test_an_odd_umask_changes_nothing(sandbox, table):
    before = os.umask(0o777)
    try:
        with Sandbox(1) as fresh:
            assert run(fresh, f"print(open('{NAME}').read())", {NAME: table}).status == "ok"
    finally:
        os.umask(before)


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("how", ["__exit__", "kill -9", "worker dies"])
def test_no_folder_and_no_process_is_left(how, table, tmp_path):
    script = f"""
import os, time
from trove_lite.sandbox.pool import Sandbox
sandbox = Sandbox(1, time_limit=60).__enter__()
sandbox.run_many(["1"], progress=False, files=[{{"t": {str(table)!r}}}])
running = sandbox._submit(sandbox._run, "while True: pass", {{"data/t": {str(table)!r}}})
while not os.listdir(sandbox._all[0].zygotes["lean", True].folder): time.sleep(0.01)
print(sandbox._all[0].zygotes["lean", True].process.pid, flush=True)
input()
sandbox.__exit__()
"""
    how = {
        "stdin": subprocess.PIPE,
        "stdout": subprocess.PIPE,
        "env": os.environ | {"TMPDIR": str(tmp_path)},
    }
    with subprocess.Popen([sys.executable, "-c", script], text=True, **how) as process:
        worker = int(process.stdout.readline())
        assert list(tmp_path.iterdir())
        if how == "kill -9":
            process.kill()
        elif how == "worker dies":
            os.kill(worker, signal.SIGKILL)
        process.communicate("\n")
    deadline = time.monotonic() + 40
    while list(tmp_path.iterdir()) or _runs(worker):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert Path(table).read_text() == "a\tb\n1\t2\n"
