"""Kills at random instants of a run of four methods, with journals torn and edited: what becomes of its tables.

python -m tests.running.kills [KILLS]   prints how many runs ended in the same table, and which said what is wrong
"""

import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import pandas as pd

from trove_lite.errors import DamagedFile

from ..scripted import ScriptedModel, run, table
from .test_damaged import edit_journal
from .test_resume import PROCESSES

RUN = {"dataset": "bbh_made", "categories": ("chinese_remainder",), "seeds": (0,), "k": 6, "choices": {}}
RUN |= {"methods": ("primitive", "trove", "creator", "latm")}


class Speaker(ScriptedModel):
    """Answers messages too."""

    async def complete(self, prompt, seeds, *, sampling=None):
        return await super().complete(str(prompt), seeds)


def begin(folder: Path) -> None:
    run(folder, model=Speaker(0.01), **RUN)


def harm(folder: Path, rng: random.Random) -> str:
    """What is done to the journals of a killed run."""
    journals = [path for path in (folder / "journal").glob("*.jsonl") if path.stat().st_size]
    if len(journals) > 1 and all(len(p.read_text().splitlines()) > 4 for p in journals) and rng.random() < 0.7:
        edit_journal(folder, rng)
        return "edited"
    for path in journals:
        path.write_bytes(path.read_bytes()[: rng.randrange(path.stat().st_size + 1)])
    return "torn"


def killed(folder: Path, rng: random.Random, seconds: float) -> str:
    process = PROCESSES.Process(target=begin, args=(folder,))
    process.start()
    time.sleep(rng.uniform(0.2, 1) * seconds)
    process.kill()
    process.join()
    return harm(folder, rng) if (folder / "run.json").exists() and process.exitcode else "nothing"


def main(kills: int = 40) -> None:
    with tempfile.TemporaryDirectory() as place:
        expected = table(run(Path(place) / "whole", model=Speaker(), **RUN))
        process, began = PROCESSES.Process(target=begin, args=(Path(place) / "timed",)), time.monotonic()
        process.start()
        process.join()
        seconds, ends = time.monotonic() - began, Counter()
        for seed in range(kills):
            folder, rng = Path(place) / str(seed), random.Random(seed)
            harmed = killed(folder, rng, seconds)
            try:
                pd.testing.assert_frame_equal(table(run(folder, model=Speaker(), **RUN)), expected)
                ends[harmed, "the same table"] += 1
            except DamagedFile as error:
                ends[harmed, "one line"] += 1
                if not (f"{folder}/journal/" in str(error) and ", line " in str(error)):
                    raise
        print(*(f"{count:3} {harmed:8} {end}" for (harmed, end), count in sorted(ends.items())), sep="\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
