"""How programs end, and problems that one system gets right and the other wrong, drawn and shown in
full."""

from collections.abc import Callable

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from trove_lite import TroveLiteError, choose, load_problems
from trove_lite.programs import code_of, recorded_sources
from trove_lite_analysis.calls import share
from trove_lite_analysis.differences import percent
from trove_lite_analysis.sentence import Sentence
from trove_lite_analysis.systems import Comparison

from ..figures import ALIASES, heat
from ..tables import name_table
from ..two_systems import PRIMITIVE, SKIP_POOL, SYSTEMS, TROVE

Kind = Callable[[pd.DataFrame], pd.Series]
UNIT = ["category", "problem", "seed"]


def differ(comparison: Comparison, *, number: int = 10, seed: int = 0) -> tuple[pd.DataFrame, str]:
    """The problems on which TROVE and PRIMITIVE differ in being right by one-stage agreement, in
    runs of one seed.

    By category and seed, how many problems; and `number` of those on which they differ, drawn by
    `seed`, in full.
    """
    chosen = {}
    for system in SYSTEMS:
        own = comparison[system][comparison[system]["method"] != SKIP_POOL]
        own = choose(own, "one_stage") if len(own) else own
        chosen[system] = own.astype({"category": str}).drop_duplicates(UNIT).set_index(UNIT)
    right = pd.DataFrame(
        {system: part["correct"].fillna(False).astype(bool) for system, part in chosen.items()}
    )
    right = right.dropna().astype(bool)
    both = right.all(axis=1)
    neither = ~right.any(axis=1)
    kinds = {
        "both": both,
        f"{TROVE} alone": right[TROVE] & ~both,
        f"{PRIMITIVE} alone": right[PRIMITIVE] & ~both,
    }
    counts = pd.DataFrame({**kinds, "neither": neither}).groupby(["category", "seed"]).sum()
    counts = counts.assign(problems=counts.sum(axis=1)).reset_index()
    apart = right.index[(~both & ~neither).to_numpy()]
    places = np.random.default_rng(seed).choice(
        len(apart), size=min(number, len(apart)), replace=False
    )
    drawn = [apart[place] for place in sorted(places)]
    texts = [
        in_full(
            comparison.dataset,
            unit,
            {system: chosen[system].loc[unit] for system in SYSTEMS},
        )
        for unit in drawn
    ]
    note = (
        "no problem on which the two systems differ"
        if len(right)
        else "no category and seed that both systems have"
    )
    table = name_table(counts, "differ", "Where the two differ", comparison.title, note=note)
    return table, "\n\n".join(texts) or note


def in_full(dataset: str, unit: tuple, chosen: dict[str, pd.Series]) -> str:
    category, problem, seed = unit
    try:
        (asked,) = [one for one in load_problems(dataset, category) if one.index == problem]
        question = asked.question.text
        gold = asked.gold
    except (TroveLiteError, ValueError):
        question = "(the data set is not at hand)"
        gold = "(not at hand)"
    level = next(iter(chosen.values()))["level"]
    parts = [
        f"== {category} {problem}{level and f', level {level}'}, seed {seed}; right answer {gold}\n{question}"
    ]
    for system, row in chosen.items():
        program = "(these runs keep no text)"
        if "solution" in row:
            program = "\n".join(
                [
                    *recorded_sources(row["tools"]),
                    code_of(row["solution"]),
                ]
            )
        verdict = "wrong" if pd.isna(row["correct"]) or not row["correct"] else "right"
        answer = "no answer" if pd.isna(row["answer"]) else row["answer"]
        parts.append(f"-- {system} ({row['mode']}), {verdict}: {answer}\n{program}")
    return "\n\n".join(parts)


def about_failures(candidates: pd.DataFrame, wrong: Kind, none: Kind) -> Sentence:
    """Of each method, which shares of its programs are `wrong` and have no answer."""
    stream = candidates[candidates["phase"] == "stream"]
    stream = stream.astype({"method": str, "category": str, "status": str})
    said = []
    for method, own in stream.groupby("method"):
        problem = own["category"] + own["problem"].astype(str)
        shares = [percent(share(kind(own), problem)) for kind in (wrong, none)]
        whose = f"{ALIASES.get(method, method)}'s {len(own):,} programs"
        said.append(f"{shares[0]} of {whose} print a wrong answer, and {shares[1]} none")
    if not said:
        return Sentence("What goes wrong cannot be told: there is no program.")
    return Sentence(f"{'; '.join(said)} (95 %).")


def failures_figure(failed: pd.DataFrame, runs: str) -> Figure | None:
    """How programs end: a row a mode, a column an ending, the commonest eight and all others."""
    method, mode = (failed[column].astype(str).replace(ALIASES) for column in ("method", "mode"))
    names = (method + ", " + mode).where(
        method != mode,
        method,
    )
    rows = [f"{name}\nn = {n:,}" for name, n in zip(names, failed["of"], strict=True)]
    common = failed.groupby("kind")["programs"].sum().nlargest(8).index
    kind = failed["kind"].where(failed["kind"].isin(common), "other")
    if not kind.str.endswith("Error").any():  # these runs do not keep which
        kind = kind.replace("another error", "an error")
    drawn = failed.assign(row=rows, kind=kind)
    drawn = drawn.groupby(["row", "kind"], sort=False, as_index=False)["share"].sum()
    order = {"right": 0, "wrong": 1, "other": 3}
    drawn = drawn.sort_values("kind", key=lambda kinds: kinds.map(order).fillna(2), kind="stable")
    drawn["kind"] = drawn["kind"].str.replace(" ", "\n").str.replace("Error", "\nError")
    drawn.attrs = failed.attrs | {"runs": runs}
    look = {"rows": "row", "columns": "kind", "value": "share"}
    return heat(drawn, title="How programs end", label="share of programs (%)", **look)
