"""Ten kills of each of four methods at random instants, journals torn and edited in between:
nothing is lost."""

import random
import signal
import time

import pandas as pd
import pytest

from ..papers.latm.labelled import Role
from ..scripted import ScriptedModel, table
from .test_resume import end, start, wait_for

KILLS = 10


class User(ScriptedModel):
    """Uses LATM's tool, now so, now so."""

    def text(self, prompt, draw: int) -> str:
        return f"Solution:\n```python\nret = f('{draw % 5}')\nans = ret{'x' * (draw % 7 == 0)}\n```"


def given(method):
    """The run of a method, as `scripted.run` takes it."""
    if method != "latm":
        return {"methods": (method,), "k": 3}
    tasks = {
        "dataset": "bbh_made",
        "categories": ("chinese_remainder", "schedule_meeting"),
        "problems": None,
    }
    return {
        "methods": (method,),
        "k": 1,
        "roles": {"maker": Role("maker", 0.01), "user": User(0.01)},
    } | tasks


def harm(folder, rng):
    """Tear one journal at a random byte, edit another by one sign, or both."""
    paths = [path for path in sorted((folder / "journal").iterdir()) if path.stat().st_size > 1]
    for way in rng.choice([("torn",), ("edited",), ("torn", "edited")]):
        path = rng.choice(paths)
        data = path.read_bytes()
        place = rng.randrange(1, len(data))
        new = bytes([rng.choice([*b'0123456789abcxyz{}", :\\', data[place] ^ 1])])
        path.write_bytes(data[:place] if way == "torn" else data[:place] + new + data[place + 1 :])


@pytest.mark.slow
@pytest.mark.parametrize("method", ["primitive", "trove", "creator", "latm"])
def test_killed_torn_and_edited_runs_end_in_the_same_table_or_in_a_line(tmp_path, method):
    how = given(method)
    rng = random.Random(method)
    killed = 0
    began = time.monotonic()
    assert end(start(tmp_path / "whole", **how)) == 0
    seconds = time.monotonic() - began
    expected = table(tmp_path / "whole")
    for number in range(10 * KILLS):
        if killed == KILLS:
            break
        folder = tmp_path / str(number)
        process = start(folder, **how)
        wait_for(
            lambda at=folder / "journal": (
                at.exists() and any(one.stat().st_size for one in at.iterdir())
            ),
            process,
        )
        time.sleep(rng.uniform(0, seconds / 3))
        process.kill()
        if end(process) != -signal.SIGKILL or (folder / "candidates.parquet").exists():
            continue
        killed += 1
        before = {path: path.read_bytes() for path in (folder / "journal").iterdir()}
        harm(folder, rng)
        if end(start(folder, **how)):
            line = (tmp_path / "told").read_text()
            assert line.isprintable()
            assert any(f"{path}, line " in line for path in before), line
            assert not (folder / "candidates.parquet").exists()
            for path, data in before.items():
                path.write_bytes(data)
            assert end(start(folder, **how)) == 0
        pd.testing.assert_frame_equal(table(folder), expected)
    assert killed == KILLS
