"""What a study's file means by each of its parts, and its seal: hashes that stay when a method or a
pack is gone.

`prompts.csv` has a row a part. `rendered` is the hash of all that the part's methods ask
(`asked.rendered`). `pack` is that of the pack's stages, as run.json has it. `programs` are those of
a problem; `problems` are, by category, how many there are and their hash. `settings` are those that
the file decides, as run.json has them. A part that can no longer be built keeps its row, and what
is checked by it is called *sealed*.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from trove_lite.datasets import load_dataset
from trove_lite.errors import TroveLiteError
from trove_lite.methods import load_method
from trove_lite.prompts import load_pack
from trove_lite.running.folder import hash_of, placeless
from trove_lite.running.settings import RunSettings

from . import asked
from .plan import PROMPTS, Part, Study, read_study

KEY = ["study", "part"]
COLUMNS = [*KEY, "rendered", "pack", "programs", "problems", "settings"]
#: Settings that a study's file leaves to whoever runs it, or that are elsewhere in a plan.
OPEN = {"model", "roles", "name", "seeds", "isolation", "vision"}
LONG = 120  # characters of a setting that is written out


class Planned(NamedTuple):
    """A part as its study's file means it. `sealed`: why it cannot be built here any more; "" where
    it was built."""

    rendered: str
    pack: str
    programs: int
    problems: Mapping[str, tuple[int, str]]  # category → how many, and their hash
    settings: Mapping[str, object]
    sealed: str = ""

    def row(self) -> tuple[object, ...]:
        kept = [json.dumps(each, sort_keys=True) for each in (self.problems, self.settings)]
        return (self.rendered, self.pack, self.programs, *kept)


def built(part: Part, study: Study) -> Planned:
    """A part by what is installed today. Raises TroveLiteError where it cannot be built."""
    settings = asked.settings_of_part(part, study)
    dataset = load_dataset(settings.dataset)
    methods = [load_method(name) for name in settings.methods]
    stages = {stage for method in methods for stage in method.stages or method.modes}
    loaded = {name: dataset.load(name)[: settings.limit] for name in settings.categories}
    return Planned(
        asked.rendered(settings),
        load_pack(settings.prompts, dataset).hash_of(stages),
        asked.programs(settings),
        {name: (len(problems), hash_of(problems)) for name, problems in loaded.items()},
        meant(settings),
    )


def planned(part: Part, study: Study) -> Planned:
    """A part by what is installed today or, where that is impossible, by its seal and what its file
    says now.

    Raises TroveLiteError for one that can neither be built nor has a seal.
    """
    try:
        return built(part, study)
    except TroveLiteError as error:
        known = seal_of(part, study)
        if known is None:
            raise TroveLiteError(
                f"{study.name}, part {part.name}: cannot be built, and was never sealed ({error})"
            ) from error
        return known._replace(settings=overlaid(known.settings, part.options), sealed=str(error))


def seal_of(part: Part, study: Study) -> Planned | None:
    """What `prompts.csv` has of a part; None where it has nothing."""
    rows = known_rows()
    key = (study.name, base_name(part, study))
    if key not in rows.index:
        return None
    row = rows.loc[key]
    problems = {name: tuple(found) for name, found in json.loads(row["problems"]).items()}
    settings = json.loads(row["settings"])
    return Planned(row["rendered"], row["pack"], int(row["programs"]), problems, settings)


def meant(settings: RunSettings) -> dict[str, object]:
    """The settings that a study's file decides, and in `own` its methods', as run.json has them."""
    told = {name: value for name, value in asdict(settings).items() if name not in OPEN}
    told["choices"] = {name: placeless(own) for name, own in settings.choices.items()}
    told["own"] = {
        load_method(name).name: without_seed(
            placeless(asdict(settings.of(name, settings.seeds[0])))
        )
        for name in settings.methods
    }
    return shortened(json.loads(json.dumps(told, default=str)))


def shortened(value: object) -> object:
    """JSON whose long texts, such as tools, are their hash."""
    if isinstance(value, Mapping):
        return {name: shortened(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [shortened(each) for each in value]
    if isinstance(value, str) and len(value) > LONG:
        return f"sha256 {sha256(value.encode()).hexdigest()[: asked.DIGITS]}"
    return value


def without_seed(own: Mapping) -> dict[str, object]:
    return {name: value for name, value in own.items() if name != "seed"}


def overlaid(settings: Mapping, options: Mapping) -> dict[str, object]:
    """Sealed settings with what the study's file says of them now."""
    found = json.loads(json.dumps(settings))
    for name, value in options.items():
        method, _, choice = name.partition(".")
        if choice:
            found["choices"].setdefault(method, {})[choice] = value
            found["own"].setdefault(method, {})[choice] = value
        elif name in found["sampling"]:
            found["sampling"][name] = value
        elif name in found:
            found[name] = value
    return found


def base_name(part: Part, study: Study) -> str:
    """The part's name in the file: where seeds are parts, their number is not in it."""
    return part.name.rpartition("-")[0] if study.by_seed else part.name


def known_rows() -> pd.DataFrame:
    """The rows of `prompts.csv` by study and part."""
    there = PROMPTS.is_file()
    table = pd.read_csv(PROMPTS, dtype=str) if there else pd.DataFrame(columns=COLUMNS)
    return table.set_index(KEY)


def seal(paths: Iterable[Path]) -> pd.DataFrame:
    """A row for each part of these studies. One that cannot be built keeps the row that it has, and
    so does one of a study that is not among them. Raises TroveLiteError for one that can neither be
    built nor has a row."""
    known = known_rows()
    rows = {key: tuple(row) for key, row in zip(known.index, known.to_numpy(), strict=True)}
    done = set()
    for study in map(read_study, paths):
        for part in study.parts:
            key = (study.name, base_name(part, study))
            if key in done:
                continue
            done.add(key)
            found = planned(part, study)
            if not found.sealed:
                rows[key] = found.row()
    table = pd.DataFrame([(*key, *row) for key, row in rows.items()], columns=COLUMNS)
    return table.sort_values(KEY, kind="stable")


def write(paths: Iterable[Path]) -> int:
    """Seal these studies: write `prompts.csv`."""
    table = seal(paths)
    table.to_csv(PROMPTS, index=False, lineterminator="\n")
    print(f"{PROMPTS.name}: the prompts of {len(table)} planned parts")
    return 0
