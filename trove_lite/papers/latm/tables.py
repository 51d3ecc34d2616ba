"""LATM's Tables 2 to 4: how often a made tool leads to the right answer, and how often a tool can be made at all.

Most printed values are of 232 of the 240 instances, as their decimals tell; ours are of all.
"""

import json
from collections.abc import Iterable
from pathlib import Path

import pandas as pd
from scipy.stats import binomtest

from ...analysis import comparison as analysis
from ...analysis.comparison import Comparison, estimates
from ...analysis.independence import independent_runs
from ...analysis.scores import score
from ...candidates import all_candidates
from .. import in_columns, named, published_table
from .released import TITLES

#: How the paper's tables call what it ran.
METHODS = {"latm": "LATM", "cot": "CoT", "standard": "direct"}
TOOL_MAKER = "latm"
NO_RUNS = "no runs of LATM or of a chain of thought"


def sides(candidates: pd.DataFrame, calls: pd.DataFrame) -> Comparison | None:
    """A side for each method of LATM's tables and the model that answers with it: `LATM, MODEL`; None without any.

    Runs that copy another are left out.
    """
    candidates = all_candidates(candidates)
    candidates = candidates[candidates["method"].isin(METHODS)]
    if candidates.empty:
        return None
    asked = calls[(calls["role"] != "maker") & calls["model"].notna()].drop_duplicates(["run", "method"])
    users = {(row.run, row.method): str(row.model) for row in asked.itertuples()}
    kept = independent_runs(candidates)
    rows = zip(kept["run"], kept["method"], kept["model"], strict=True)
    name = pd.Series([f"{METHODS.get(m, m)}, {users.get((run, m), model)}" for run, m, model in rows], kept.index)
    return Comparison.of({side: kept[name == side] for side in dict.fromkeys(name)}, calls=calls)


def table2(comparison: Comparison | None) -> pd.DataFrame:
    """Accuracy on each task, of tools made and used, and of the same models' chains of thought (Tables 2 and 4).

    A row a task and system; the paper's models have rows of their own, with their printed values alone.
    """
    if comparison is None:
        return named(in_columns(pd.DataFrame(columns=["runs", "problems"])), "", "LATM's Table 2", "", note=NO_RUNS)
    rows = []
    for name in comparison.sides:
        scores = score(comparison[name], "one_stage", comparison.samples(name))
        rows += [cell | {"system": name, "source": name} for cell in estimates(comparison, name, scores)]
    titles = {title: task for task, title in TITLES.items()}
    if comparison.dataset == "bbh":
        for row in published_table("latm_table2").itertuples():
            about = {"category": titles[row.task], "system": f"{row.method}, {row.tool_user_model}"}
            rows.append(about | {"published": row.accuracy_pct / 100, "runs": 0, "problems": 0, "note": "printed"})
    table = in_columns(pd.DataFrame(rows))
    return named(table, "latm_table2", "LATM's Table 2", comparison.title)


def table3(runs: Iterable[str | Path]) -> pd.DataFrame:
    """How many trials to make a tool succeed (Table 3), of run folders: a row a task and maker, printed ones last.

    A trial succeeds where the tool passes the maker's own tests. `proposals`, `verifications`: means of what was
    written until then. The interval is Wilson's, over trials.
    """
    trials = [trial for folder in map(Path, runs) for trial in _trials(folder)]
    rows = []
    if trials:
        frame = pd.DataFrame(trials)
        for (task, maker), part in frame.groupby(["category", "maker"], sort=False):
            low, high = binomtest(int(part["made"].sum()), len(part)).proportion_ci(method="wilson")
            about = {"category": task, "maker": maker, "successes": int(part["made"].sum()), "trials": len(part)}
            about |= {"value": part["made"].mean(), "low": float(low), "high": float(high), "source": "run"}
            rows.append(about | part[["proposals", "verifications"]].mean().to_dict())
    titles = {title: task for task, title in TITLES.items()}
    for row in published_table("latm_table3").itertuples():
        about = {"category": titles[row.task], "maker": row.tool_maker_model, "source": "printed"}
        rows.append(about | {"successes": row.successes, "trials": row.trials, "published": row.successes / row.trials})
    columns = ["category", "maker", "source", "successes", "trials", "published", "value", "low", "high"]
    table = pd.DataFrame(rows).reindex(columns=[*columns, "proposals", "verifications"])
    note = "" if trials else "no run folder of LATM: outcomes do not say how tools were made"
    return named(table, "latm_table3", "LATM's Table 3", ", ".join(map(str, runs)), note=note)


def _trials(folder: Path) -> list[dict]:
    file = folder / "run.json"
    about = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    maker = about.get("models", {}).get("maker", about.get("model", ""))
    tools = [tool for tool in about.get("toolboxes", ()) if tool.get("proposals")]
    return [tool | {"maker": maker} for tool in tools]


def differences(comparison: Comparison | None) -> pd.DataFrame:
    """LATM minus each other side, problem by problem, at the calls that each was run with."""
    if comparison is None:
        return named(pd.DataFrame(columns=analysis.DIFFERENCE_COLUMNS), "", "LATM minus others", "", note=NO_RUNS)
    scores = {name: score(side, "one_stage", comparison.samples(name)) for name, side in comparison.sides.items()}
    makers = [name for name in scores if name.startswith(METHODS[TOOL_MAKER])]
    pairs = [(maker, name) for maker in makers for name in scores if name not in makers]
    table = analysis.differences(comparison, scores, pairs=pairs)
    note = "" if pairs else "there is nothing beside LATM to compare with" if makers else "no LATM runs"
    return named(table, "latm_differences", "LATM minus others", comparison.title, note=note)


def latm_in_words(difference: pd.DataFrame, even: pd.DataFrame) -> str:
    """Does a model's own tool beat its chain of thought, and from how many instances on is it cheaper?"""
    if difference.empty:
        return f"Whether a tool of one's own pays cannot be said: {difference.attrs.get('note', 'no pairs')}."
    whole = difference[difference["category"].isin({"all", "covered"} & set(difference["category"]) or set(TITLES))]
    parts = []
    for row in whole.itertuples():
        shown = "more" if row.low > 0 else "less" if row.high < 0 else "not shown to be more or less"
        numbers = f"{100 * row.difference:+.1f} points [{100 * row.low:+.1f}, {100 * row.high:+.1f}]"
        parts.append(f"{row.a} is {shown} often right than {row.b}: {numbers}, {row.problems} instances.")
    for prices, part in even.groupby("prices", sort=False):
        pays = part["instances"].dropna()
        least = f", from {pays.min():.0f} to {pays.max():.0f} instances on" if len(pays) else ""
        parts.append(f"By {prices} the tool becomes cheaper in {len(pays)} of {len(part)} comparisons{least}.")
    return " ".join(parts)
