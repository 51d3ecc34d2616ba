"""The re-evaluation's Table 4: its settings beside those of the kit's presets and of runs."""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from trove_lite.candidates import all_candidates, read_description
from trove_lite.methods import load_method
from trove_lite.models.base import SamplingSettings
from trove_lite.running.settings import RunSettings

from .. import named, published_table

#: The paper's names (those of the released program's options) and where each stands here.
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
    rows = []
    for row in published_table("reeval_table4").itertuples():
        method = row.method.lower()
        presets = [_preset(row.hyperparameter, method, name) for name in ("paper", "official")]
        had = _of_runs(row.hyperparameter, method, candidates, live)
        values = (row.hyperparameter, row.method, row.value, *presets, had, NOTES.get(row.hyperparameter, ""))
        rows.append(dict(zip(COLUMNS, map(_text, values), strict=True)))
    title = ", ".join(sorted(candidates["model"].astype(str).unique()))
    return named(pd.DataFrame(rows, columns=COLUMNS), "reeval_table4", "the re-evaluation's Table 4", title)


def _preset(name: str, method: str, preset: str) -> object:
    presets, sampling = load_method(method).presets, SamplingSettings()
    settings = presets.get(preset, presets["paper"])
    known = {
        "trim_steps": getattr(settings, "interval", ""),
        "exec_timeout": RunSettings.time_limit,
        "top_p": sampling.top_p,
        "temperature": sampling.temperature,
        "max_new_tokens": sampling.max_tokens,
        "num_return_sequences": RunSettings.k // len(load_method(method).modes),
        "suffix": method,
    }
    return known[name]


def _of_runs(name: str, method: str, candidates: pd.DataFrame, live: list[dict]) -> object:
    if name == "num_return_sequences":
        own = all_candidates(candidates)
        own = own[(own["method"] == method) & (own["phase"] == "stream")]
        sizes = own.groupby(["run", "category", "problem", "mode"], observed=True).size()
        return ", ".join(f"{size}" for size in sorted(sizes.unique())) if len(sizes) else ""
    found = [_stated(name, method, about) for about in live if method in about["settings"]["methods"]]
    return ", ".join(dict.fromkeys(str(value) for value in found if value is not None))


def _stated(name: str, method: str, about: dict) -> object:
    settings = about["settings"]
    return {
        "trim_steps": about["methods"][method].get("interval"),
        "exec_timeout": settings["time_limit"],
        "top_p": settings["sampling"]["top_p"],
        "temperature": settings["sampling"]["temperature"],
        "max_new_tokens": settings["sampling"]["max_tokens"],
        "suffix": method,
    }[name]


def _text(value: object) -> str:
    return "" if pd.isna(value) else f"{value:g}" if isinstance(value, float) else str(value)
