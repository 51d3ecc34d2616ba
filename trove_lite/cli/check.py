"""Somebody else's bench, verified: are its tables as its runs wrote them, and are verdicts the same here?"""

import random
from dataclasses import asdict
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory

from ..candidates import all_candidates, load_candidates, read_description, refuse_edited
from ..errors import DamagedFile, TroveLiteError
from ..models.base import SamplingSettings
from ..prompts import load_pack
from ..recorded.reexecute import recorded_programs, reexecute
from ..recorded.replay import stated_settings
from ..running.folder import as_written_now, describe, differing
from ..running.live import programs_of, recorded_streams
from ..sandbox.pool import Sandbox
from .grid import PLANNED, TIERS

TENTH = 0.1  # of candidates: what a check runs again


def unlike(folder: Path, *, seed: int, workers: int | None = None, isolation: str = "auto") -> list[str]:
    """What does not hold in somebody's bench, a line each: tables' hashes, plan and prompts and data, and the verdicts
    of a tenth of each run's candidates, drawn by `seed` and executed again here.

    Raises TroveLiteError where there is no run with its text. It cannot tell who wrote the replies.
    """
    runs = sorted(path.parent for path in (folder / "runs").glob("*/candidates.parquet"))
    if not runs:
        raise TroveLiteError(f"{folder}: no complete run in its folder `runs`; name what `trove-lite bench --out` made")
    lines = []
    for run in runs:
        try:
            refuse_edited(run)
            lines += _check(run, random.Random(f"{seed} {run.name}"), workers, isolation)
        except DamagedFile as error:
            lines.append(str(error))
    return lines


def _check(run: Path, rng: random.Random, workers: int | None, isolation: str) -> list[str]:
    about, known = read_description(run), list(recorded_streams([run]))
    if about.get("kind") != "live":
        return [f"{run}: is no live run of the kit, so nothing of it can be checked"]
    now, stated = dict(about), about["settings"]
    if known:
        streams, (dataset, *_), (settings, *_) = zip(*known, strict=True)
        now = describe(settings, streams, load_pack(settings.prompts, dataset), about["isolation"])
    else:
        print(f"{run}: without journals; prompts and data are not compared")
    was = as_written_now(about, now)
    tier = next((one for one in TIERS.values() if one["dataset"] == stated["dataset"]), {"dataset": "of a tier"})
    planned = PLANNED | {name: tier.get(name) for name in ("dataset", "prompts", "limit")} | {"name": stated["name"]}
    settings = was["settings"] | planned | {"sampling": asdict(SamplingSettings())}
    now |= {"settings": settings, "versions": was["versions"]}
    lines = [f"{run}: not as planned, {one}" for one in differing(was, now)]
    rows = all_candidates(load_candidates(run))
    programs = recorded_programs(rows, stated_settings([run]), programs_of(rows, [run]))
    drawn = sorted(rng.sample(range(len(rows)), ceil(TENTH * len(rows))))
    limits = {"time_limit": stated["time_limit"], "memory": stated["memory"] << 20, "isolation": isolation}
    with TemporaryDirectory() as place, Sandbox(workers, **limits) as sandbox:
        again = rows.iloc[drawn].reset_index(drop=True), [programs[i] for i in drawn]
        journal = Path(place) / "executions.jsonl"
        _, found = reexecute(*again, sandbox, sandbox, journal=journal, grader=stated.get("grader"), runs=[run])
    print(f"{run}: {found}", flush=True)
    wrong = found.disagreements[~found.disagreements["same_verdict"].astype(bool)]
    return lines + [
        f"{run}: another verdict here: {one.run}, {one.category}, problem {one.problem}, {one.mode} {one.sample} "
        f"({one.status_recorded}, here {one.status}; {one.cause}; was {one.recorded!r}, is {one.here!r})"
        for one in wrong.itertuples()
    ]
