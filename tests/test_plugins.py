"""A data set and a method of somebody else's, each defined here alone: nothing in the package knows
either.

The data set has text answers and a file for each question; the method has two roles and a repair
after an error.
"""

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

import trove_lite as tl
import trove_lite_analysis as ta
from trove_lite.datasets.base import Dataset, Problem, Question
from trove_lite.methods import METHODS
from trove_lite.methods.base import Answer, Attempt, Method, Run, chosen
from trove_lite.models.base import Completion
from trove_lite.plugins import Plugins
from trove_lite.running.live import live_run
from trove_lite.running.settings import RunSettings

from .cases import named
from .conftest import AWAY, ROOT
from .scripted import Pack, ScriptedModel, response

COLOURS = ("red", "green", "blue")
FOLDER = Path(__file__).parent / "hues"


def load(category: str) -> list[Problem]:
    """Six questions about a colour that is written in a file."""
    return [
        Problem(
            Question("hues", category, i, f"Which colour is number {i}?", context=f"| {i} |"),
            gold=COLOURS[i % 3],
            level="dark" if i % 2 else "light",
            files={"hue.txt": FOLDER / f"{COLOURS[i % 3]}.txt"},
        )
        for i in range(6)
    ]


HUES = Dataset(
    name="hues",
    title="hues",
    categories=("warm", "cold"),
    levels=("light", "dark"),
    load=load,
    read=lambda output: [output.strip()] if output.strip() else [],
    correct=lambda answers, gold: bool(answers) and answers[0] == gold,
)


def plan(questions, settings):
    """A planner says what to do, a solver writes programs, and those that fail are written anew."""
    for question in questions:
        (idea,) = yield [Attempt(question, "plan", range(1), runs=False, role="planner")]
        asked = Attempt(
            question, "write", range(settings.budget.calls), mode="plan", values={"plan": idea.text}
        )
        drafts = yield [asked]
        again = replace(asked, stage="repair", round=1)
        failed = [draft for draft in drafts if draft.status == "error"]
        anew = yield [
            replace(again, samples=d.samples, values={"plan": idea.text, "error": d.error})
            for d in failed
        ]
        (check,) = yield [Run(question, "check", "print('checked')")]
        assert check.output == "checked\n"
        last = {candidate.sample: candidate for candidate in (*drafts, *anew)}
        yield Answer(question, chosen(question, list(last.values()), settings))


PLAN = Method("plan", plan, modes=("plan",))


class Solver(ScriptedModel):
    """Fails one time in three, but not when it sees the error; as a planner it always has the same
    idea."""

    async def complete(self, prompt, seeds):
        return [
            Completion(self.reply(prompt, seed), 10, 5, "stop", 0.0, cached_tokens=4)
            for seed in seeds
        ]

    def reply(self, prompt: str, seed: int) -> str:
        if self.name == "planner":
            return "read the file"
        assert "read the file" in prompt
        assert "ZeroDivisionError" in prompt or "repair" not in prompt
        return response(
            "print(1 / 0)"
            if seed % 3 == 0 and "write" in prompt
            else "print(open('hue.txt').read())"
        )


class Planner(Solver):
    name = "planner"


class Words(Pack):
    """Prompts that show all that they are given."""

    def render(self, question, stage, toolbox=(), **values):
        return f"{stage}: {question.text} {question.context} {values}"


def run(out: Path) -> Path:
    settings = RunSettings(
        **{"name": "hues", "dataset": f"{__name__}:HUES", "methods": (f"{__name__}:PLAN",), "k": 4}
        | {"categories": ("warm", "cold"), "seeds": (0, 1)}
    )
    return live_run(
        settings, out, model=Solver(), roles={"planner": Planner()}, pack=Words(), progress=False
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return run(tmp_path_factory.mktemp("plugins") / "run")


def test_answers_are_read_from_a_problems_own_file_and_every_request_is_a_call_with_its_stage_and_role(
    folder,
):
    candidates = tl.load_candidates(folder)
    calls = tl.load_calls(folder)
    drafts = candidates[candidates["phase"] == "draft"]
    last = candidates[candidates["phase"] == "stream"]
    assert len(last) == 2 * 2 * 6 * 4
    assert last["correct"].all()
    assert set(last["answer"]) == set(COLOURS)
    assert set(last["level"]) == {"light", "dark"}
    assert set(drafts["status"]) == {"error"}
    stages = dict(iter(calls.groupby("stage", observed=True)))
    assert len(stages["plan"]) == 2 * 2 * 6
    assert (stages["plan"][["role", "model"]] == "planner").all(axis=None)
    assert len(stages["repair"]) == len(drafts) == (last["round"] == 1).sum() > 0
    assert stages["check"]["model"].isna().all()
    assert stages["check"]["executions"].eq(1).all()
    assert stages["write"]["cached_tokens"].eq(4).all()
    assert ta.accuracy(ta.compare(candidates, calls=calls))["value"].notna().all()


def test_a_killed_run_goes_on_to_the_same_tables(folder):
    times = ["generate_seconds", "execute_seconds"]
    before = [
        load(folder).drop(columns=times, errors="ignore")
        for load in (tl.load_candidates, tl.load_calls)
    ]
    for name in ("candidates.parquet", "calls.parquet"):
        (folder / name).unlink()
    for journal in (folder / "journal").iterdir():
        lines = journal.read_bytes().splitlines(keepends=True)
        journal.write_bytes(b"".join(lines[: len(lines) // 2]) + b'{"torn')
    run(folder)
    for one, load in zip(before, (tl.load_candidates, tl.load_calls), strict=True):
        pd.testing.assert_frame_equal(
            one, load(folder).drop(columns=times, errors="ignore"), check_dtype=False
        )


def test_the_documented_method_runs_as_documented(tmp_path, monkeypatch):
    """Found in the folder that one works in by the installed command, which Python does not have
    look there."""
    text = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")
    method, comparison = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (command,) = re.findall(
        r"^trove-lite (run .*) --seeds 0 1 2 --out runs/both$", text, re.MULTILINE
    )
    (tmp_path / "mine.py").write_text(method, encoding="utf-8")
    words = [
        Path(sys.executable).with_name("trove-lite"),
        *command.split(),
        "--out",
        "runs/both",
        "--seeds",
        "0",
        "1",
    ]
    words += ["--categories", "counting", "--limit", "5", "--k", "4", "--quiet"]
    subprocess.run(words, cwd=tmp_path, check=True)
    candidates = tl.load_candidates(tmp_path / "runs" / "both")
    assert candidates.groupby(["method", "mode"], observed=True).size().to_dict() == {
        ("both", "instance"): 20,
        ("both", "primitive"): 20,
        ("primitive", "primitive"): 40,
    }
    monkeypatch.chdir(tmp_path)
    exec(comparison.replace("ta.matched_budgets", "found = ta.matched_budgets"), names := {})
    assert (
        names["found"]["note"] == ""
    ).sum() == 3  # budgets at which the two are compared, in one category


def commands(*lines: str, before: str = "", **how) -> subprocess.CompletedProcess:
    """Commands of the kit, in a process of their own that first does what `before` says; ends as
    the last one does."""
    code = f"import sys\n{before}\nfrom trove_lite.cli import main\n"
    code += f"sys.exit([main(line.split()) for line in {lines}][-1])"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, **how)


def test_the_template_is_installed_and_used_by_its_names(tmp_path):
    text = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
    for name, content in re.findall(
        r"```(?:toml|python)\n# (\S+)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE
    ):
        (tmp_path / "plugin" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "plugin" / name).write_text(content, encoding="utf-8")
    options = "--quiet --no-deps --no-build-isolation --no-index --disable-pip-version-check"
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        *options.split(),
        "--target",
        tmp_path / "site",
        ".",
    ]
    subprocess.run(command, cwd=tmp_path / "plugin", check=True)
    reply = {
        "prompt": "has one line(?s:.)*half of (\\d+)\\?",
        "text": "```python\nprint(\\1 / 2)\n```",
    }
    (tmp_path / "replies.jsonl").write_text(json.dumps(reply), encoding="utf-8")
    words = "run --dataset halves --methods short --seeds 0 --k 2 --quiet"
    words = [
        f"{words} --model {model} --out {out}"
        for model, out in (("canned:replies.jsonl", "out"), ("halver", "own"))
    ]
    before = f"sys.path.insert(0, {str(tmp_path / 'site')!r})"
    ran = commands("list methods", *words, before=before, cwd=tmp_path, check=True)
    assert ran.stderr == ""
    assert re.search(r"^short +short \(trove-lite-short 0\.1\) +SHORT: ", ran.stdout, re.MULTILINE)
    for out in ("out", "own"):
        assert tl.load_candidates(tmp_path / out)["correct"].eq(True).sum() == 20


HIDE = """
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name == {0!r} or name.startswith({0!r} + "."):
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Hidden())"""


PARTS = {"creator": "tool_transfer", "latm": "bbh_made", "images": "scenes"}


@pytest.mark.parametrize(("folder", "dataset"), PARTS.items())
def test_without_a_folder_of_plug_ins_its_names_are_not_installed_and_others_work(folder, dataset):
    package = f"trove_lite_papers.{folder}"
    gone = {folder, *AWAY}
    ran = commands(
        "list datasets",
        f"run --dataset {dataset} --out x",
        "run --dry_run",
        before=HIDE.format(package),
    )
    lines = [line for line in ran.stdout.splitlines() if " trove_lite" in line]
    away = {
        line.split()[0]: line
        for line in lines
        if any(f"trove_lite_papers.{one}." in line for one in gone)
    }
    assert dataset in away
    assert {line for line in lines if "not installed: pip install " in line} == set(away.values())
    assert ran.stderr.startswith(f"error: data set '{dataset}': not installed: pip install ")
    assert (ran.returncode, ran.stderr.count("\n")) == (0, 1)


def package(folder: Path, name: str, code: str, **points: str) -> str:
    """What a process does first to have a package of this name, with entry points by the group."""
    about = folder / f"{name}-1.0.dist-info"
    about.mkdir()
    (folder / f"{name}.py").write_text(code, encoding="utf-8")
    (about / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8"
    )
    lines = (f"[trove_lite.{group}]\n{name} = {name}:{value}\n" for group, value in points.items())
    (about / "entry_points.txt").write_text("".join(lines), encoding="utf-8")
    return f"sys.path.insert(0, {str(folder)!r})"


THEIRS = """
from pathlib import Path
from trove_lite.methods.base import Method
FILES = WORDS = Path(__file__).parent
FILES /= "files.csv"
THEIRS = Method("theirs", None, modes=("apart",))
"""


def test_a_plug_in_lists_public_files_and_has_points_of_the_grid(
    tmp_path,
):
    columns = "group,repo,commit,path,bytes,sha256,licence,git_blob"
    row = "theirs,me/mine,c0ffee,data.csv,1,00,MIT,"
    (tmp_path / "files.csv").write_text(f"{columns}\n{row}\n", encoding="utf-8")
    points = "[stages]\napart = { tool = 'program' }\nskip = { tool = 'given' }\n"
    (tmp_path / "one_factor.toml").write_text(points, encoding="utf-8")
    groups = {"methods": "THEIRS", "files": "FILES", "prompts.own": "WORDS"}
    before = package(tmp_path, "theirs", THEIRS, **groups)
    before += "\nfrom trove_lite.prompts.one_factor import words"
    before += "\nprint(words()['stages']['apart'], words()['stages']['skip'])"
    ran = commands("fetch none", before=before)
    assert ran.stdout == "{'tool': 'program'} {}\n"  # and nothing of the kit's is replaced
    assert " tabmwp, theirs, tool_transfer" in ran.stderr
    (tmp_path / "files.csv").write_text("group,path\ntheirs,data.csv\n", encoding="utf-8")
    damaged = commands("fetch none", before=before)
    assert damaged.stderr.startswith(f"error: {tmp_path / 'files.csv'}: no list of public files (")


@pytest.mark.parametrize(
    ("code", "said", "then", "status"),
    [
        ("raise RuntimeError('no\\nluck')", "RuntimeError: no luck", ["run --dry_run"], 0),
        ("import sys; sys.exit(0)", "SystemExit: 0", [], 1),
    ],
)
def test_a_plug_in_that_fails_is_one_line_where_it_is_asked_for_and_stops_nothing_else(
    tmp_path, code, said, then, status
):
    before = package(tmp_path, "broken", code, methods="METHOD")
    lines = ["list methods", "run --methods broken --out x", *then]
    ran = commands(*lines, before=before, cwd=tmp_path)
    (line,) = (line for line in ran.stdout.splitlines() if line.startswith("broken "))
    fault = f"method 'broken': its package broken fails to load ({said})"
    assert fault in line
    assert ran.stderr.startswith(f"error: {fault}")
    assert (ran.returncode, ran.stderr.count("\n")) == (status, 1)


#: What somebody's module may do while it is imported, and what is said of it.
ON_IMPORT = named(
    r"""
    "ends with success", "import sys; sys.exit(0)", "SystemExit: 0"
    "ends with words", "import sys; sys.exit('bye\\nbye')", "SystemExit: bye bye"
    "quits", "quit()", "SystemExit: None"
    "ends in what it imports", "raise SystemExit", "SystemExit"
    "an exception of its own kind", "class Own(BaseException): pass\nraise Own('x')", "Own: x"
    "a generator's end", "raise GeneratorExit", "GeneratorExit"
    "one that cannot be shown", "class Bad(Exception):\n    def __str__(self): raise ValueError\nraise Bad", "Bad"
    "a group", "raise BaseExceptionGroup('both', [SystemExit()])", "BaseExceptionGroup: both"
    "no Python", "def (:", "SyntaxError: invalid syntax"
    "too deep", "def f(): f()\nf()", "RecursionError: maximum recursion depth exceeded"
    "an interrupt of its own", "raise KeyboardInterrupt", "KeyboardInterrupt"
    "another name", "OTHER = 1", "AttributeError: module 'broken' has no attribute 'METHOD'"
    """
)


@pytest.fixture
def methods_of(tmp_path, monkeypatch):
    """The methods that are there when a folder has been put before all others."""

    def found() -> Plugins:
        monkeypatch.syspath_prepend(tmp_path)
        return Plugins("methods", "method", Method, METHODS.own)

    yield found
    for name in ("broken", "half", "mine"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(("code", "said"), ON_IMPORT.values(), ids=ON_IMPORT)
def test_what_a_plug_in_raises_on_import_is_one_line_where_it_is_asked_for(
    tmp_path, methods_of, code, said
):
    package(tmp_path, "broken", code, methods="METHOD")
    with pytest.raises(tl.TroveLiteError) as error:
        methods_of().load("broken")
    assert f"its package broken fails to load ({said}" in str(error.value)
    assert str(error.value).isprintable()
    assert {"trove", "creator"} <= methods_of().working().keys()
    assert "broken" not in methods_of().working()


@pytest.mark.parametrize("code", [code for code, _ in ON_IMPORT.values() if "OTHER" not in code])
def test_a_file_of_ones_own_that_fails_on_import_is_one_line_too(tmp_path, methods_of, code):
    (tmp_path / "mine.py").write_text(code, encoding="utf-8")
    with pytest.raises(tl.TroveLiteError, match=r"^method 'mine:METHOD': mine fails to load"):
        methods_of().load("mine:METHOD")


#: Commands that need nobody else's code.
OWN_WORK = (
    "run --methods trove primitive --limit 1 --categories counting --seeds 0 --k 3 --quiet --out x",
    "run --methods primitive --dry_run",
    "summary x",
)


@pytest.mark.parametrize("code", ["print('LOADED')", "import time; time.sleep(1000)"])
def test_the_kits_own_methods_need_nobody_elses_code(tmp_path, code):
    before = package(tmp_path, "theirs", code, methods="METHOD", datasets="DATA", models="MODEL")
    ran = commands(*OWN_WORK, before=before, cwd=tmp_path, timeout=100)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "LOADED" not in ran.stdout


#: Modules that never end while they are imported.
HANGING = {
    "sleeps": "import time\ntime.sleep(1000)",
    "turns": "while True: pass",
    "waits for a lock": "import threading\none = threading.Lock()\none.acquire()\none.acquire()",
    "swallows all": "while True:\n    try:\n        while True: pass\n    except Exception: pass",
    "waits for words": "import sys\nsys.stdin.read(1) or __import__('time').sleep(1000)",
    "waits for a process": "import subprocess\nsubprocess.run(['sleep', '1000'])",
}
GROUPS = {"methods": "M", "prompts.own": "W", "files": "F"}


@pytest.mark.parametrize("code", HANGING.values(), ids=HANGING)
def test_a_package_that_never_ends_on_import_costs_seconds_once(tmp_path, code):
    before = package(tmp_path, "theirs", code, **GROUPS)
    before += "\nfrom trove_lite import plugins; plugins.SECONDS = 0.5"
    whole = code is HANGING["turns"]  # a run costs seconds: one of them makes it
    work = OWN_WORK if whole else OWN_WORK[1:2]
    ran = commands("list methods", *work, before=before, cwd=tmp_path, timeout=100)
    said = "package theirs: Endless: it is not loaded after 0.5 seconds; it is left out\n"
    assert (ran.returncode, ran.stderr) == (0, said)
    assert re.search(r"^theirs .*fails to load \(Endless", ran.stdout, re.MULTILINE)
    assert (tmp_path / "x" / "candidates.parquet").exists() == whole


def test_what_a_package_prints_on_import_is_no_output_of_a_command(tmp_path):
    code = "import sys\nprint('LOADED')\nsys.stdout.write('LOADED')"
    before = package(tmp_path, "theirs", code, **GROUPS)
    ran = commands("list methods", "fetch none", before=before, cwd=tmp_path)
    assert "LOADED" in ran.stderr
    assert "LOADED" not in ran.stdout


@pytest.mark.parametrize("said", ["--theirs.calls 7", "--config own.yaml"])
def test_the_options_of_a_plug_in_are_known_where_it_is_named(tmp_path, said):
    code = THEIRS.replace("from trove", "from dataclasses import dataclass\nfrom trove", 1)
    code = code.replace("import Method", "import Method, Settings") + (
        '@dataclass(frozen=True)\nclass Own(Settings):\n    more: int = 1\n    """More."""\n'
        "THEIRS = THEIRS._replace(presets={'paper': Own()})\n"
    )
    before = package(tmp_path, "theirs", code, methods="THEIRS")
    (tmp_path / "own.yaml").write_text("methods: [theirs]\ntheirs: {more: 0.5}\n")
    ran = commands(
        f"run {said.replace('calls 7', 'more half')} --out x", before=before, cwd=tmp_path
    )
    assert "theirs.more: give a whole number" in ran.stderr
    assert "--theirs.more" in commands("run --help", before=before, cwd=tmp_path).stdout


#: What an interrupted installation leaves of a package, by the files of its `.dist-info`.
HALVES = named(
    r"""
    "no METADATA", {"entry_points.txt": "[trove_lite.methods]\nhalf = half:METHOD\n"}
    "an empty METADATA", {"entry_points.txt": "[trove_lite.methods]\nhalf = half:M", "METADATA": ""}
    "no name", {"entry_points.txt": "[trove_lite.methods]\nhalf = half:METHOD\n", "METADATA": "Metadata-Version: 2.1\n"}
    "entry points that are none", {"entry_points.txt": "[trove_lite.methods]\nhalf\n"}
    "entry points that are no text", {"entry_points.txt": b"\xff\xfe\x00[trove"}
    "nothing at all", {}
    "METADATA that is no text",
        {"entry_points.txt": "[trove_lite.methods]\nhalf = half:METHOD\n", "METADATA": b"Name: \xff\xfe\n"}
    """
)


@pytest.mark.parametrize("files", HALVES.values(), ids=HALVES)
def test_a_half_installed_package_stops_nothing(tmp_path, methods_of, files):
    about = tmp_path / "half-1.0.dist-info"
    about.mkdir()
    for name, content in files.items():
        data = content if isinstance(content, bytes) else content.encode()
        (about / name).write_bytes(data)
    known = methods_of()
    assert {"trove", "creator"} <= known.working().keys()
    assert {"trove", "creator"} <= {*known.of_the_kit}
    assert all(known.source(name) for name in known)
    if "half" in known:
        with pytest.raises(tl.TroveLiteError, match="there is no half"):
            known.load("half")


def test_commands_work_beside_a_half_installed_package(tmp_path):
    (tmp_path / "half-1.0.dist-info").mkdir()
    points = tmp_path / "half-1.0.dist-info" / "entry_points.txt"
    points.write_text("[trove_lite.methods]\nhalf = half:METHOD\n")
    before = f"sys.path.insert(0, {str(tmp_path)!r})"
    ran = commands("list methods", "run --dry_run", before=before, cwd=tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert re.search(r"^half .*not installed", ran.stdout, re.MULTILINE)


HELLO = """
def hello(name: str, *, loud: bool = False) -> None:
    \"\"\"Greet.

    name: whom
    loud: in capitals

    examples:
      trove-lite hello you
    \"\"\"
    print(name.upper() if loud else name)
"""


@pytest.mark.parametrize("code", [HELLO, "raise SystemExit(0)", "raise RuntimeError('no')"])
def test_a_command_of_another_package_is_loaded_when_it_is_named(tmp_path, code):
    before = package(tmp_path, "hello", code, commands="hello")
    before += "\nimport sys; sys.argv = ['trove-lite']"
    helped = commands("--help", before=before)
    assert (helped.returncode, "hello" in helped.stdout) == (0, False)  # not loaded, not in the way
    ran = commands("hello you --loud", before=before)
    if code == HELLO:
        assert (ran.returncode, ran.stdout.strip()) == (0, "YOU")
    else:
        assert ran.returncode == 1
        assert ran.stderr.startswith("error: command 'hello': its package hello fails to load")
        assert ran.stderr.count("\n") == 1
