"""Every shape of a run by every command: it ends well or in one line, one quantity has one number,
and nothing is said that cannot be."""

import base64
import gzip
import json
import re
from pathlib import Path

import pandas as pd
import pytest

from trove_lite.cli import main

from .papers.essays import executed
from .shapes import SHAPES

WORDS = {"view": ["--out", "v.html"], "compare": ["--out", "c.html"]}
WORDS |= {"report": ["--out", "r"], "calls": ["--out", "calls"]}
COMMANDS = ("run", "summary", "view", "report", "compare", "judge", "calls")
#: Those of which a cell is in `make test`: the rest takes minutes.
QUICK = ("PRIMITIVE alone", "two models", "texts for answers", "half missing")
SLOW_COMMAND = "report"
RAN_HERE = ("TROVE and PRIMITIVE", "PRIMITIVE alone", "no tool made", "tools never called")
RAN_HERE += ("tools called", "one method", "levels", "half missing", "a grid of seeds")
EXECUTED = (*RAN_HERE, "TroVE's program")
#: Signs of programs that ran; of replies that others judged none of them can be.
OF_PROGRAMS = ("prints nothing", "one error", "refused by the sandbox", "short programs")
OF_PROGRAMS += ("unseen blocks", "nothing ran", "right without computing", "tools never called")
OF_PROGRAMS += ("answer from nothing",)
WITHOUT_AGREEMENT = ("verdicts alone", "evalplus", "scores")
NUMBER = re.compile(r"^ *(\S+): (\d+\.\d) % by one_stage agreement", re.MULTILINE)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Each shape, made once: name → `Shape`."""
    found = {}
    with pytest.MonkeyPatch.context() as patch:

        def shape(name):
            if name not in found:
                found[name] = SHAPES[name](tmp_path_factory.mktemp("shape"), patch)
            return found[name]

        yield shape


@pytest.fixture
def told(made, said_before, monkeypatch, capsys, told_to_run):
    """What a command says of a shape, in the folder that `made` keeps for it."""

    def say(shape, command):
        sources, said = made(shape)
        if command == "run":
            return said
        if (shape, command) not in said_before:
            monkeypatch.chdir(Path(sources[0]).parent)
            capsys.readouterr()
            each = [[one] for one in sources] if command == "judge" else [sources]
            said = "".join(ended([command, *one, *WORDS.get(command, [])], capsys) for one in each)
            for job in told_to_run:
                executed(job.notebook, **job.parameters | {"resamples": 10})
            said_before[shape, command] = said
        return said_before[shape, command]

    return say


@pytest.fixture(scope="module")
def said_before():
    return {}


def ended(words: list[str], capsys) -> str:
    """What a command prints that ends well, or in one line."""
    code = main(words)
    out, err = capsys.readouterr()
    lines = [line for line in err.splitlines() if line.startswith("error")]
    lines += [line for line in out.splitlines() if ": no accuracy, for" in line]
    assert (code == 0) == (not lines), err
    assert len(lines) == (1 if code else 0)
    assert "Traceback" not in err
    return out + "".join(lines)


def agreement(text: str) -> dict[str, float]:
    """Accuracy by agreement of each method that a text tells."""
    return {method: float(share) for method, share in NUMBER.findall(text)}


def data_of(page: Path, name: str) -> object:
    found = re.search(rf'<script type="text/plain" id="{name}">(.*?)</script>', page.read_text())
    return json.loads(gzip.decompress(base64.b64decode(found[1])))


def is_quick(shape: str, command: str) -> bool:
    return shape in QUICK and command != SLOW_COMMAND


CELLS = [
    pytest.param(shape, command, marks=[] if is_quick(shape, command) else pytest.mark.slow)
    for shape in SHAPES
    for command in COMMANDS
]


@pytest.mark.parametrize(("shape", "command"), CELLS)
def test_every_command_takes_every_shape_or_says_in_one_line_why_not(shape, command, told, made):
    said = told(shape, command)
    assert "nan" not in re.findall(r"[\w.]+", said)
    if shape not in EXECUTED:
        assert [name for name in OF_PROGRAMS if f"check: {name}:" in said] == []
        assert "execution" not in said
    if shape not in EXECUTED and command == "view":
        page = Path(made(shape).sources[0]).parent / "v.html"
        spent = [run["spent"] for one in data_of(page, "part0") for run in one["runs"]]
        assert [one for one in spent if one.get("executions")] == []


@pytest.mark.parametrize("command", ["summary", "view", "compare", "report"])
def test_where_too_much_is_missing_no_command_gives_a_number(command, made, capsys, tmp_path):
    (lost,) = made("half missing").sources
    others = made("PRIMITIVE alone").sources if command == "compare" else []
    words = {"summary": [], "report": ["--out", "r"]}.get(
        command, ["--out", str(tmp_path / "p.html")]
    )
    assert main([command, lost, *others, *words]) != 0
    said = "".join(capsys.readouterr())
    assert re.search(r"run_seed0: no accuracy, for \d+ of \d+ samples could not be had", said)
    assert not (tmp_path / "p.html").exists()


def by_view(page: Path) -> dict[str, float]:
    """Accuracy by agreement of each method on a page's problems: of each the mean over the runs
    that count."""
    index = data_of(page, "index")
    rule = index["rules"].index("one_stage")
    rows = [
        (index["runs"][run]["method"], problem, picked[rule][1])
        for problem, run, _, _, counts, picked, _ in index["rows"]
        if picked[rule] and counts
    ]
    table = pd.DataFrame(rows, columns=["method", "problem", "right"]).astype({"right": float})
    each = table.groupby(["method", "problem"])["right"].mean().groupby("method").mean()
    return (100 * each).round(1).to_dict()


def by_report(folder: Path) -> dict[str, float]:
    table = pd.read_csv(folder / "between_runs.csv")
    known = table[(table["rule"] == "one_stage") & table["value"].notna()]
    return (100 * known.set_index("system")["value"].astype(float)).round(1).to_dict()


def by_compare(file: Path) -> dict[str, float]:
    table = pd.read_csv(file, keep_default_na=False)
    whole = table[table["category"].isin(["all", *table["category"].tail(1)])]
    known = whole[(whole["rule"] == "one_stage") & (whole["b"] == "") & (whole["value"] != "")]
    return (100 * known.set_index("a")["value"].astype(float)).round(1).to_dict()


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_accuracy_by_agreement_is_one_number_wherever_it_stands(shape, told, made):
    folder = Path(made(shape).sources[0]).parent
    if shape == "half missing":
        pytest.skip("all refuse it, as another test says")
    said = {"run": agreement(told(shape, "run")), "summary": agreement(told(shape, "summary"))}
    told(shape, "view")
    said["view"] = by_view(folder / "v.html")
    if "holds one system" not in told(shape, "compare"):
        said["compare"] = by_compare(folder / "c.csv")
    told(shape, "report")
    said["report"] = by_report(folder / "results" / "r")
    found = [each for each in said.values() if each]
    assert all(each == found[0] for each in found), said
    assert found or shape in WITHOUT_AGREEMENT
