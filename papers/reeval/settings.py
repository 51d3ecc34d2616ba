"""The re-evaluation's Table 4: its settings beside those of the kit's presets and of runs."""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from trove_lite.candidates import all_candidates, read_description
from trove_lite.methods import load_method
from trove_lite.models.base import SamplingSettings
from trove_lite.running.settings import RunSettings

from .. import named, published_table

#: `hyperparameter` is the paper's name, that of an option of the released program.
COLUMNS = ["hyperparameter", "method", "published", "paper_preset", "official_preset", "runs", "note"]
#: Stated elsewhere in the same paper.
NOTES = {
    "exec_timeout": "appendix A says that it was changed from 100 to 30 s",
    "trim_steps": "TroVE says 200 (section 5.1); PRIMITIVE has no toolbox",
    "suffix": "the released program's name for the prompt; a method's own here",
}


def table4(candidates: pd.DataFrame, runs: Iterable[str | Path] = ()) -> pd.DataFrame:
    """The re-evaluation's Table 4: every setting as printed, as the kit's two presets have it, and as runs had it.

    Of recorded runs only the samples a mode are known, counted in `candidates`; of live ones `runs` (folders) say the
    rest.
    """
    live = [about for about in map(read_description, runs) if about.get("kind") == "live"]
    stream = all_candidates(candidates).query("phase == 'stream'")
    samples = stream.groupby(["method", "run", "category", "problem", "mode"], observed=True).size()
    rows = []
    for row in published_table("reeval_table4").itertuples():
        name, key = row.hyperparameter, row.method.lower()
        method = load_method(key)
        presets = []
        for preset in ("paper", "official"):
            interval = getattr(method.presets.get(preset, method.presets["paper"]), "interval", "")
            stated = _stated(key, interval, RunSettings.time_limit, vars(SamplingSettings()))
            presets.append((stated | {"num_return_sequences": RunSettings.k // len(method.modes)})[name])
        had = sorted(samples[samples.index.get_level_values("method") == key].unique())
        if name != "num_return_sequences":
            own = [about for about in live if key in about["settings"]["methods"]]
            parts = [(about["methods"][key].get("interval"), about["settings"]) for about in own]
            had = [_stated(key, every, run["time_limit"], run["sampling"])[name] for every, run in parts]
        had = ", ".join(dict.fromkeys(str(value) for value in had if value is not None))
        rows.append([name, row.method, row.value, *presets, had, NOTES.get(name, "")])
    title = ", ".join(sorted(candidates["model"].astype(str).unique()))
    table = pd.DataFrame([[_text(cell) for cell in row] for row in rows], columns=COLUMNS)
    return named(table, "reeval_table4", "the re-evaluation's Table 4", title)


def _stated(method: str, interval: object, time_limit: float, sampling: dict) -> dict[str, object]:
    names = {"top_p": "top_p", "temperature": "temperature", "max_new_tokens": "max_tokens"}
    about = {"trim_steps": interval, "exec_timeout": time_limit, "suffix": method}
    return about | {name: sampling[own] for name, own in names.items()}


def _text(value: object) -> str:
    return "" if pd.isna(value) else f"{value:g}" if isinstance(value, float) else str(value)
