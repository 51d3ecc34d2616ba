"""What each planned part asks its model, as hashes that stay when the method or the pack is gone.

`prompts.csv` has a row a part of every study's file. `rendered` is the hash of all prompts that the part's methods ask
in every category (`factors.play`); `pack` is the hash of the pack's stages, as run.json has it; `settings` are the
settings that the file means, as run.json has them, without the model's name and the seeds. A part that can no longer
be built keeps its row: what is compared with it is called *sealed*.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path

import pandas as pd

from trove_lite.datasets import load_dataset
from trove_lite.errors import TroveLiteError
from trove_lite.methods import load_method
from trove_lite.prompts import load_pack
from trove_lite.running.folder import placeless
from trove_lite.running.settings import RunSettings

from .factors import DIGITS, rendered, settings_of_part
from .plan import Part, Study, read_study
from .rules import HERE

PROMPTS = HERE / "prompts.csv"
COLUMNS = ["study", "part", "rendered", "pack", "settings"]
#: Settings that a study's file leaves to whoever runs it.
OPEN = {"model", "roles", "name", "seeds", "isolation", "vision"}
LONG = 120  # characters of a setting that is written out


def of_pack(settings: RunSettings) -> str:
    """The hash of the pack's stages that the run's methods ask for, as run.json has it."""
    methods = [load_method(method) for method in settings.methods]
    stages = {stage for method in methods for stage in method.stages or method.modes}
    return load_pack(settings.prompts, load_dataset(settings.dataset)).hash_of(stages)


def meant(settings: RunSettings) -> dict[str, object]:
    """The settings that a study's file decides, and its methods' own, as run.json has them."""
    told = {name: value for name, value in asdict(settings).items() if name not in OPEN}
    told["choices"] = {name: placeless(own) for name, own in settings.choices.items()}
    own = {
        load_method(method).name: asdict(settings.of(method, settings.seeds[0]))
        for method in settings.methods
    }
    told["own"] = {name: without_seed(placeless(each)) for name, each in own.items()}
    return shortened(json.loads(json.dumps(told, default=str)))


def shortened(value: object) -> object:
    """JSON whose long texts, such as tools, are their hash."""
    if isinstance(value, Mapping):
        return {name: shortened(each) for name, each in value.items()}
    if isinstance(value, list):
        return [shortened(each) for each in value]
    if isinstance(value, str) and len(value) > LONG:
        return f"sha256 {sha256(value.encode()).hexdigest()[:DIGITS]}"
    return value


def without_seed(own: Mapping) -> dict[str, object]:
    return {name: value for name, value in own.items() if name != "seed"}


def base_name(part: Part, study: Study) -> str:
    """The part's name in the file: where seeds are parts, their number is not in it."""
    return part.name.rpartition("-")[0] if study.by_seed else part.name


def seal(paths: Iterable[Path]) -> pd.DataFrame:
    """A row for each part of these studies. One that cannot be built keeps the row that it has.

    Raises TroveLiteError for a part that can neither be built nor has a row.
    """
    known = known_rows()
    rows = {}
    for study in map(read_study, paths):
        for part in study.parts:
            key = study.name, base_name(part, study)
            if key in rows:
                continue
            try:
                settings = settings_of_part(part, study)
                text = json.dumps(meant(settings), sort_keys=True)
                rows[key] = (rendered(settings), of_pack(settings), text)
            except TroveLiteError as error:
                if key not in known.index:
                    raise TroveLiteError(
                        f"{study.name}, part {part.name}: cannot be built, and was never sealed ({error})"
                    ) from error
                rows[key] = tuple(known.loc[key])
    table = pd.DataFrame([(*key, *row) for key, row in rows.items()], columns=COLUMNS)
    kept = known.reset_index()
    kept = kept[~kept["study"].isin(table["study"])]
    return pd.concat([kept, table]).sort_values(["study", "part"], kind="stable")


def known_rows() -> pd.DataFrame:
    """The rows of PROMPTS by study and part."""
    there = PROMPTS.is_file()
    table = pd.read_csv(PROMPTS, dtype=str) if there else pd.DataFrame(columns=COLUMNS)
    return table.set_index(["study", "part"])


def write(paths: Iterable[Path]) -> int:
    """Seal these studies: write PROMPTS."""
    table = seal(paths)
    table.to_csv(PROMPTS, index=False, lineterminator="\n")
    print(f"{PROMPTS.name}: the prompts of {len(table)} planned parts")
    return 0
