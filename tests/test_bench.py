"""The bench: its price is told before, stops and moves change nothing, and a check finds what was
forged."""

import re
import resource
import subprocess
import sys
import tomllib
from contextlib import redirect_stdout

import pandas as pd
import pytest

from trove_lite.cli import main
from trove_lite.errors import TroveLiteError
from trove_lite.models.base import ModelError, SamplingSettings
from trove_lite.models.practice.model import PracticeModel
from trove_lite_analysis.cli import grid, report

from .conftest import ROOT

POWER = ROOT / "studies/power.csv"
CORES = 2  # of which the time limit of the small tier is
NUMBER = re.compile(r"([\d,]+) (?:requests|tokens)")


def shrink(patch):
    """The tier `small`, smaller, and without its pages."""
    patch.setitem(
        grid.TIERS,
        "small",
        grid.TIERS["small"] | {"limit": 4, "categories": ("algebra", "counting")},
    )
    patch.setitem(grid.PLANNED, "k", 3)
    patch.setattr(grid, "FIRST", 4)
    patch.setattr(report, "report", lambda *_, **__: 0)


@pytest.fixture
def small(monkeypatch):
    shrink(monkeypatch)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A bench of that size, with what it said beside it."""
    out = tmp_path_factory.mktemp("bench") / "whole"
    with (
        pytest.MonkeyPatch.context() as patch,
        out.with_name("said").open("w") as said,
        redirect_stdout(said),
    ):
        shrink(patch)
        assert bench(out) == 0
    return out


def bench(out, *more: str) -> int:
    return main(["bench", "--model", "practice", "--quiet", "--out", str(out), *more])


def tables(out) -> list[str]:
    rows = [pd.read_parquet(path) for path in sorted(out.glob("runs/*/candidates.parquet"))]
    shown = [one.drop(columns=["generate_seconds", "execute_seconds"]).to_csv() for one in rows]
    assert len(shown) == 4
    return [*shown, (out / "row.csv").read_text()]


@pytest.mark.slow
def test_the_price_that_is_told_before_is_within_a_fifth_of_what_was_asked(whole):
    lines = [
        line for line in whole.with_name("said").read_text().splitlines() if " requests, " in line
    ]
    before, after = (
        [float(text.replace(",", "")) for text in NUMBER.findall(line)] for line in lines
    )
    assert len(before) == len(after) == 3
    assert all(abs(told - asked) <= 0.2 * asked for told, asked in zip(before, after, strict=True))


@pytest.mark.slow
def test_a_bench_stopped_three_times_and_moved_gives_the_same_tables_and_row(
    whole, small, tmp_path, monkeypatch
):
    left = [0]
    draws = PracticeModel.sample
    place = tmp_path / "0"

    async def stopping(self, *asked):
        left[0] -= 1
        if left[0] < 0:
            raise ModelError("stopped")
        return await draws(self, *asked)

    monkeypatch.setattr(PracticeModel, "sample", stopping)
    for sitting, samples in enumerate(
        (15, 60, 50), start=1
    ):  # of about 150: in the pilot, and in the runs
        left[0] = samples
        assert bench(place) == 1
        place = place.rename(tmp_path / str(sitting))
    left[0] = 10_000
    assert bench(place) == 0
    assert tables(place) == tables(whole)


def test_the_bench_is_the_plans_grid_and_shows_what_the_plan_says():
    planned = tomllib.loads((ROOT / "studies" / "whole.toml").read_text())["settings"]
    sampling = vars(SamplingSettings())
    for tier in ("counting", "math"):
        ours = vars(grid.grid(tier, "practice")["primitive"]) | sampling | {"name": planned["name"]}
        assert {name: ours[name] for name in planned} == planned
    rows = re.findall(
        r"^\|.*tier \(a\) \|.*$", (ROOT / "studies" / "WHOLE.md").read_text(), re.MULTILINE
    )
    shown = [
        [float(x) for x in re.findall(r"\d+\.\d+", "|".join(row.split("|")[3:5]))] for row in rows
    ]
    lines = grid.can_show(POWER, 684, 3)
    assert [[float(x) for x in re.findall(r"\d+\.\d+", line)] for line in lines] == shown


@pytest.mark.parametrize("text", [None, "a,b\ntrove,primitive\n", ""])
def test_a_table_of_standard_errors_that_is_none_is_refused_in_a_line(text, tmp_path):
    path = tmp_path / "power.csv"
    if text is not None:
        path.write_text(text)
    with pytest.raises(TroveLiteError, match="no table of standard errors with the columns a, b"):
        grid.can_show(path, 684, 3)


@pytest.mark.slow
def test_the_small_tier_takes_less_than_three_minutes_of_two_cores_with_all_of_its_pages(tmp_path):
    """Processor time: seconds on the clock are those of what else the machine does."""
    words = ["-m", "trove_lite", "bench", "--model", "practice", "--quiet", "--out", "x"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([sys.executable, *words], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    worked = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert 10 < worked < CORES * 180
    page = (tmp_path / "x" / "index.html").read_text()
    assert "(failed)" not in page
    assert all((tmp_path / "x" / f"reeval_table{n}.csv").is_file() for n in (1, 5, 7, 8, 9))
