"""Other ways to run programs, each as a server: a program a line (JSON) in, its status a line out.

    python benchmarks/_execution_ways.py humaneval|evalplus|inprocess SECONDS FOLDER

Written anew after the published behaviour of human-eval (`execution.py`) and evalplus (`eval/`); what they do about the
text of a problem and its tests is left out: a program here is a script. Every server first confines itself with our own
Landlock rules and limits, so that it can harm nothing; what is measured is each way's own work.
"""

import contextlib
import faulthandler
import importlib
import io
import json
import multiprocessing
import os
import platform
import resource
import signal
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import trove_lite  # noqa: F401  this checkout's; its parts are then found in it

del sys.path[0]
from trove_lite.sandbox import isolation as _isolation  # noqa: E402

# What both guards replace by None, as published.
OS = (
    *("kill", "system", "putenv", "remove", "removedirs", "rmdir", "fchdir", "setuid", "fork", "forkpty", "killpg"),
    *("rename", "renames", "truncate", "replace", "unlink", "fchmod", "fchown", "chmod", "chown", "chroot"),
    *("lchflags", "lchmod", "lchown", "getcwd", "chdir"),
)


class OutOfTime(Exception):
    """The program ran into its time limit."""


@contextlib.contextmanager
def time_limit(seconds: float):
    def ring(number, frame):
        raise OutOfTime

    signal.setitimer(signal.ITIMER_REAL, seconds)
    signal.signal(signal.SIGALRM, ring)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def guard(memory: int | None) -> None:
    """Take the means of destruction away from Python code (neither project calls this a sandbox)."""
    import builtins
    import shutil

    if memory:
        for kind in (
            resource.RLIMIT_AS,
            resource.RLIMIT_DATA,
            *([resource.RLIMIT_STACK] if platform.system() == "Linux" else []),
        ):
            with contextlib.suppress(ValueError, OSError):
                resource.setrlimit(kind, (memory, memory))
    faulthandler.disable()
    builtins.exit = builtins.quit = None
    os.environ["OMP_NUM_THREADS"] = "1"
    for name in OS:
        setattr(os, name, None)
    shutil.rmtree = shutil.move = shutil.chown = None
    if memory is None:  # human-eval's as shipped goes further; numpy cannot be imported after it
        import subprocess

        subprocess.Popen = None
        for name in ("ipdb", "joblib", "resource", "psutil", "tkinter"):
            sys.modules[name] = None
        builtins.help = None


def execute(program: str, seconds: float) -> str:
    """`exec` with its output swallowed, under the timer."""
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()), time_limit(seconds):
            exec(compile(program, "program.py", "exec"), {"__name__": "__main__"})
    except OutOfTime:
        return "timeout"
    except SystemExit as leaving:
        return "ok" if leaving.code in (None, 0) else "error"
    except BaseException:
        return "error"
    return "ok"


def humaneval(program: str, seconds: float, results) -> None:
    """A folder of its own, the guard, exec with a timer, the verdict into a managed list."""
    with tempfile.TemporaryDirectory(dir=os.environ["TMPDIR"]) as folder:
        import shutil

        rmtree, rmdir, chdir, unlink = shutil.rmtree, os.rmdir, os.chdir, os.unlink
        os.chdir(folder)
        guard(None)
        results.append(execute(program, seconds))
        shutil.rmtree, os.rmdir, os.chdir, os.unlink = rmtree, rmdir, chdir, unlink
        os.chdir("/")


def evalplus(program: str, seconds: float, result) -> None:
    """The same with a memory limit, and the verdict in shared memory."""
    guard(4 << 30)
    result.value = ["timeout", "error", "ok"].index(execute(program, seconds))


def one(way: str, program: str, seconds: float, shared) -> str:
    if way == "inprocess":
        return execute(program, seconds)
    if way == "humaneval":
        results = shared.list()
    else:
        results = shared
        results.value = -1
    process = multiprocessing.Process(target=globals()[way], args=(program, seconds, results))
    process.start()
    process.join(seconds + 1)
    if process.is_alive():
        process.kill()
        process.join()
        return "timeout"
    if way == "humaneval":
        return results[0] if results else "error"
    return ["timeout", "error", "ok", "error"][results.value]


def main() -> None:
    way, seconds, scratch = sys.argv[1], float(sys.argv[2]), sys.argv[3]
    requests, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)  # a program that asks for input must not get the next program
    os.dup2(null, 1)
    os.environ["TMPDIR"] = scratch
    if way == "inprocess":
        for name in ("numpy", "scipy", "sympy", "pandas", "matplotlib.pyplot"):
            importlib.import_module(name)
    elif way == "evalplus":
        importlib.import_module("numpy")  # as its own parent process does
    multiprocessing.set_start_method("fork")
    shared = multiprocessing.Manager() if way == "humaneval" else multiprocessing.Value("i", -1, lock=False)
    _isolation.prctl(_isolation.PR_SET_NO_NEW_PRIVS, 1)
    _isolation._SCRATCH_RIGHTS |= 1 << 4 | 1 << 5 | 1 << 7  # folders, and deleting: these ways make one a program
    _isolation.landlock_enter(_isolation.landlock_ruleset(_isolation.library_paths(), scratch))
    print("ready", file=answers, flush=True)
    for line in requests:
        print(one(way, json.loads(line), seconds, shared), file=answers, flush=True)


if __name__ == "__main__":
    main()
