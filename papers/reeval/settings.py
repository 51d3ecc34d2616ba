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
        name, method = row.hyperparameter, row.method.lower()
        presets = [_preset(method, preset)[name] for preset in ("paper", "official")]
        if name == "num_return_sequences":
            had = _samples(candidates, method)
        else:
            had = [_stated(method, about)[name] for about in live if method in about["settings"]["methods"]]
        had = ", ".join(dict.fromkeys(str(value) for value in had if value is not None))
        rows.append((name, row.method, row.value, *presets, had, NOTES.get(name, "")))
    title = ", ".join(sorted(candidates["model"].astype(str).unique()))
    table = pd.DataFrame([[*map(_text, row)] for row in rows], columns=COLUMNS)
    return named(table, "reeval_table4", "the re-evaluation's Table 4", title)


def _preset(method: str, name: str) -> dict[str, object]:
    presets, sampling = load_method(method).presets, SamplingSettings()
    return {
        "trim_steps": getattr(presets.get(name, presets["paper"]), "interval", ""),
        "exec_timeout": RunSettings.time_limit,
        "top_p": sampling.top_p,
        "temperature": sampling.temperature,
        "max_new_tokens": sampling.max_tokens,
        "num_return_sequences": RunSettings.k // len(load_method(method).modes),
        "suffix": method,
    }


def _samples(candidates: pd.DataFrame, method: str) -> list[int]:
    """The numbers of samples of a mode that problems have."""
    own = all_candidates(candidates)
    own = own[(own["method"] == method) & (own["phase"] == "stream")]
    return sorted(own.groupby(["run", "category", "problem", "mode"], observed=True).size().unique())


def _stated(method: str, about: dict) -> dict[str, object]:
    settings = about["settings"]
    return {
        "trim_steps": about["methods"][method].get("interval"),
        "exec_timeout": settings["time_limit"],
        "top_p": settings["sampling"]["top_p"],
        "temperature": settings["sampling"]["temperature"],
        "max_new_tokens": settings["sampling"]["max_tokens"],
        "suffix": method,
    }


def _text(value: object) -> str:
    return "" if pd.isna(value) else f"{value:g}" if isinstance(value, float) else str(value)
