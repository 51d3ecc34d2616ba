"""TroVE's Table 2: accuracy, #ops (how long the selected programs are) and #lib (how many tools), of any runs.

Three tables, one a measure, of the answers that runs ended with, by the rule that each run itself chose by (column
`rule`): those of problems solved again after trimming replace the first ones. #ops and #lib are counted as the program
reports them and in the other ways that the paper's words allow, each under a name of its own, so that it shows what
hangs on the definition.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from trove_lite.analysis.choose import PROBLEM, choose, in_order
from trove_lite.analysis.compare import corrected, differences, estimates
from trove_lite.analysis.independence import independent_runs
from trove_lite.analysis.sides import Comparison
from trove_lite.analysis.statistics import mean_interval
from trove_lite.analysis.variance import THESE_RUNS
from trove_lite.candidates import all_candidates, measured, selections
from trove_lite.datasets.base import Question
from trove_lite.methods.base import sample_seed
from trove_lite.selection import Vote, random_choice

from .. import Look, in_columns, is_in_print, named, nothing, printed
from ..reeval.two_sides import SKIP_POOL, sides
from .leaks import ITEM, NEAR

#: What the paper calls a data set with one category.
PRINTED = {"tabmwp": "TabMWP", "wtq": "WTQ", "hitab": "HiTab"}
SYSTEMS = ("PRIMITIVE", "INSTANCE", "TROVE")
STREAM = ["method", "run", "dataset", "category"]
RUN = ["method", "run", "category"]
DIFFERENCES = ["measure", "category", "rule", "a", "b", "difference", "low", "high", "covers", "p", "p_holm"]
DIFFERENCES += ["problems"]
OFFICIAL, RANDOM = "two_stage", "random"
#: What accuracy is also given without: problems that prompts show, and those that they nearly show too.
LEFT_OUT = {"worked examples": [ITEM], "worked examples and near copies": [ITEM, NEAR]}
LEAKS = ["category", "system", "left_out", "items", "which", "with_all", "value", "low", "high", "runs", "problems"]
#: From final answers to a number for each.
Measure = Callable[[pd.DataFrame], pd.Series]
ACCURACY = {"": lambda answers: answers["correct"].astype(float)}
REPORTED = ", as reported"
OPERATIONS = {
    REPORTED: lambda answers: answers["reported_operations"].astype("Float64").astype(float),
    ", as selected by": lambda answers: answers["operations"].astype("Float64").astype(float),
}


def ended_with(candidates: pd.DataFrame, rule: str = "") -> pd.DataFrame:
    """The answer that each run ended with: one row a problem and run, with what `candidates.measured` adds.

    Of recorded runs the answer that their result file holds, where there is one; else the one that `rule` selects from
    a problem's last attempt ("": the rule that the run itself chose by; as officially, in two stages, where the table
    does not say). `selection` says which rule it was.
    """
    recorded = selections(candidates)
    known = pd.MultiIndex.from_frame(recorded[["method", "run", "category"]].astype(str))
    whole = all_candidates(candidates)
    rest = whole[~pd.MultiIndex.from_frame(whole[["method", "run", "category"]].astype(str)).isin(known)]
    rest = rest.assign(selection=rule or rest["selection"].astype(object).fillna(OFFICIAL))
    again = rest[rest["phase"] == "retry"].assign(phase="stream")
    chosen = [_chosen(part, name) for frame in (rest, again) for name, part in frame.groupby("selection")]
    parts = [part for part in (*chosen, recorded.assign(selection=OFFICIAL)) if len(part)]
    answers = pd.concat(parts, ignore_index=True) if parts else candidates.head(0)
    return measured(answers.drop_duplicates(PROBLEM, keep="last"))


def _chosen(candidates: pd.DataFrame, rule: str) -> pd.DataFrame:
    """What `rule` selects; at random as the run itself did, by its seed."""
    if rule != RANDOM:
        return choose(candidates, rule)
    frame, places = in_order(candidates), []
    for (*_, dataset, category, problem, seed), part in frame.groupby([*PROBLEM, "seed"], observed=True):
        votes = [Vote("", status == "ok", (), 0) for status in part["status"]]
        drawn = sample_seed(int(seed), Question(dataset, category, int(problem), ""), "stream", "select", 0)
        places.append(part.index[random_choice(votes, drawn)])
    return frame.loc[places]


def table2_accuracy(candidates: pd.DataFrame) -> pd.DataFrame:
    """Accuracy of the answers that runs ended with; a row a category and system, beside the printed one."""
    return _table(candidates, "accuracy", ACCURACY, metric="acc")


def table2_leaks(candidates: pd.DataFrame, shown: pd.DataFrame) -> pd.DataFrame:
    """Accuracy without the problems that the prompts' worked examples give away: a footnote to `table2_accuracy`.

    shown: of `shown_problems`. A row a category, system and LEFT_OUT; `items` of its problems are left out, by their
    numbers `which`, as a prompt of one of the system's own modes shows them; `with_all` is the accuracy with them,
    `value` [`low`, `high`] without.
    """
    comparison, answers = _of(candidates)
    rows = []
    for system, methods in _systems(comparison).items():
        own = shown[shown["mode"].isin(set(comparison[system]["mode"].astype(str)))]
        scores = _scores(answers, methods, ACCURACY[""]).astype({"category": str})
        covered = list(dict.fromkeys(scores["category"]))
        whole = {cell["category"]: cell.get("value") for cell in estimates(comparison, system, scores, covered=covered)}
        for left_out, kinds in LEFT_OUT.items():
            keys = pd.MultiIndex.from_frame(own.loc[own["kind"].isin(kinds), ["category", "problem"]])
            gone = pd.MultiIndex.from_frame(scores[["category", "problem"]]).isin(keys)
            kept = {c["category"]: c for c in estimates(comparison, system, scores[~gone], covered=covered)}
            for category in covered:
                here = sorted(set(scores.loc[gone & (scores["category"] == category), "problem"]))
                about = {"category": category, "system": system, "left_out": left_out, "items": len(here)}
                about |= {"which": " ".join(map(str, here)), "with_all": whole[category]}
                rows.append(about | {name: kept[category].get(name) for name in LEAKS[-5:]})
    table = pd.DataFrame(rows, columns=LEAKS)
    title = "TroVE's Table 2, problems that prompts show"
    return named(table, "trove_table2_leaks", title, comparison.title, note=shown.attrs.get("note", ""))


def table2_operations(candidates: pd.DataFrame) -> pd.DataFrame:
    """#ops: the mean over problems of how complex the selected program is, in sums of AST depths.

    `as reported` (`utils/eval.py`): without any line that says "import", and without programs that do not parse.
    `as selected by` (`utils/select.py`): with imports, and of programs that answer alone, which is where it decides.
    """
    return _table(candidates, "operations", OPERATIONS, metric="n_ops")


def table2_differences(candidates: pd.DataFrame) -> pd.DataFrame:
    """TROVE minus each of the others in accuracy (a fraction of 1) and in #ops, problem by problem: the claims.

    Columns as of `analysis.compare.differences` with `measure` before them; one correction over all rows.
    """
    comparison, answers = _of(candidates)
    systems, parts = _systems(comparison), []
    pairs = [("TROVE", name) for name in systems if name != "TROVE"] if "TROVE" in systems else []
    for name, measure in {"accuracy": ACCURACY[""], **{f"#ops{k}": v for k, v in OPERATIONS.items()}}.items():
        scores = {system: _scores(answers, methods, measure) for system, methods in systems.items()}
        parts.append(differences(comparison, scores, pairs=pairs).assign(measure=name))
    table = corrected(pd.concat(parts, ignore_index=True))
    rules = {system: _rule(answers, methods) for system, methods in systems.items()}
    both = [dict.fromkeys(rules[side] for side in pair) for pair in zip(table["a"], table["b"], strict=True)]
    table = table.assign(rule=list(map(" against ".join, both))).reindex(columns=DIFFERENCES)
    note = "" if pairs else "these runs hold one system alone"
    return named(table, "trove_table2_differences", "TroVE's Table 2, differences", comparison.title, note=note)


def table2_library(candidates: pd.DataFrame, kept: pd.DataFrame) -> pd.DataFrame:
    """#lib: how many tools a run has, imports of modules among them; the mean over runs, with t's interval over runs.

    `used` as reported (`utils/eval.py`): tools that some final answer that ran lists and names. `kept`: what the
    toolbox holds when the run ends (`toolboxes`); `kept and used`: what it holds of those; `kept functions`: without
    imports.
    """
    comparison, answers = _of(candidates)
    counts, rows = library_sizes(answers, kept), []
    for system, methods in _systems(comparison).items():
        for name, sizes in counts.items():
            for category in comparison.categories:
                found = _size(sizes, methods, category)
                about = {"category": category, "rule": _rule(answers, methods), "system": f"{system}{name}"}
                rows.append(about | {"published": _look_up(comparison, system, "n_lib")(category)[0]} | found)
    return _named(in_columns(pd.DataFrame(rows)), "library", comparison)


def library_sizes(answers: pd.DataFrame, kept: pd.DataFrame) -> dict[str, pd.DataFrame | None]:
    """#lib of each run by each way to count it: columns method, run, category, `size`; None where it is not known."""
    used = answers[answers["status"] == "ok"].explode("used_tools").dropna(subset="used_tools")
    used = used.rename(columns={"used_tools": "name"})[[*RUN, "name"]].astype(str)
    streams = answers[STREAM].drop_duplicates()
    functions = kept[~kept["signature"].fillna("").str.match(r"(import|from) ")]
    known = _is_known(answers, "used_tools")
    both = kept.astype(dict.fromkeys([*RUN, "name"], str)).merge(used.drop_duplicates(), on=[*RUN, "name"])
    return {
        ", used": _by_run(used, streams, "name") if known else None,
        ", kept": _by_run(kept, streams, "name", said=kept),
        ", kept and used": _by_run(both, streams, "name", said=kept) if known else None,
        ", kept functions": _by_run(functions, streams, "name", said=kept),
    }


def _table(candidates: pd.DataFrame, name: str, measures: Mapping[str, Measure], *, metric: str) -> pd.DataFrame:
    comparison, answers = _of(candidates)
    rows = []
    for system, methods in _systems(comparison).items():
        look_up = _look_up(comparison, system, metric)
        for variant, measure in measures.items():
            scores = _scores(answers, methods, measure)
            covered = list(dict.fromkeys(scores["category"]))
            for cell in estimates(comparison, system, scores, covered=covered):
                if cell["category"] in comparison.categories:
                    unknown = "no program's text is known" if scores.empty else cell["note"]
                    about = {"system": f"{system}{variant}", "rule": _rule(answers, methods)}
                    about |= {"published": look_up(cell["category"])[0]}
                    rows.append(cell | about | {"source": system, "note": unknown})
    return _named(in_columns(pd.DataFrame(rows)), name, comparison)


def _scores(answers: pd.DataFrame, methods: Sequence[str], measure: Measure) -> pd.DataFrame:
    part = answers[answers["method"].isin(methods)]
    return part[[*PROBLEM, "level"]].assign(score=measure(part).to_numpy()).dropna(subset="score")


def _of(candidates: pd.DataFrame) -> tuple[Comparison, pd.DataFrame]:
    return sides(candidates), ended_with(independent_runs(candidates))


def _rule(answers: pd.DataFrame, methods: Sequence[str]) -> str:
    """By which rule the answers of these methods were selected; by several, where their runs differ in that."""
    return " and ".join(sorted(answers.loc[answers["method"].isin(methods), "selection"].unique()))


def _systems(comparison: Comparison) -> dict[str, list[str]]:
    """The methods behind each system that was run; what stands in for PRIMITIVE is left out."""
    found = {}
    for name in comparison.sides:
        both = [comparison[name], comparison.ran(name)]
        methods = set().union(*(set(frame["method"].astype(str)) for frame in both)) - {SKIP_POOL}
        if methods:
            found[name] = sorted(methods)
    return found


def _look_up(comparison: Comparison, system: str, metric: str) -> Look:
    if system not in SYSTEMS or not is_in_print(comparison, "trove_table2", "math", *PRINTED):
        return nothing
    look_up = printed("trove_table2", column="value", method=system, metric=metric)
    return lambda category: look_up(PRINTED.get(category, category))


def _is_known(answers: pd.DataFrame, column: str) -> bool:
    return column in answers and answers[column].notna().any()


def _by_run(tools: pd.DataFrame, streams: pd.DataFrame, name: str, said: pd.DataFrame | None = None) -> pd.DataFrame:
    """How many different tools each stream has: columns method, run, category, `size`; of those that `said` knows."""
    tools, streams = (frame.astype(dict.fromkeys(RUN, str)) for frame in (tools, streams))
    sizes = tools.groupby(RUN)[name].nunique().rename("size").reset_index()
    if said is not None:
        streams = streams.merge(said[RUN].astype(str).drop_duplicates(), on=RUN)
    return streams[RUN].merge(sizes, on=RUN, how="left").fillna({"size": 0})


def _size(sizes: pd.DataFrame | None, methods: list[str], category: str) -> dict:
    nothing_known = {"runs": 0, "problems": 0, "note": "what the toolbox held is not known"}
    if sizes is None:
        return nothing_known
    here = sizes[sizes["method"].isin(methods) & (sizes["category"] == category)]["size"].to_numpy(dtype=float)
    if not len(here):
        return nothing_known
    found = {"value": here.mean(), "runs": len(here), "problems": 0, "note": "" if len(here) > 1 else "one run"}
    if len(here) > 1:
        interval = mean_interval(here)
        found |= {"low": interval.low, "high": interval.high, "run_sd": float(np.std(here, ddof=1))}
    return found


def _named(table: pd.DataFrame, name: str, comparison: Comparison) -> pd.DataFrame:
    rules = " and ".join(dict.fromkeys(table["rule"]))
    return named(table, f"trove_table2_{name}", f"TroVE's Table 2, {name}, by {rules}", comparison.title)


# ---- in words ----


def leaks_in_words(table: pd.DataFrame) -> str:
    """The footnote to Table 2's accuracy: how many problems the prompts give away, and accuracy without them."""
    lines = [f"Which problems the prompts show is not known: {note}."] if (note := table.attrs.get("note")) else []
    for (category, system), rows in () if note else table.groupby(["category", "system"], sort=False):
        items, both = rows.to_dict("records")
        if both["items"]:
            lines.append(f"{category}, {system}: {_given_away(items, both)}.")
    if not lines:
        lines = ["None of these problems is a worked example in the prompts that were used, or nearly one."]
    return "\n".join(lines)


def _given_away(items: dict, both: dict) -> str:
    exact = items["which"].split()
    near = [number for number in both["which"].split() if number not in exact]
    parts = []
    if exact:
        are = "problem is a worked example" if len(exact) == 1 else "problems are worked examples"
        parts.append(f"{len(exact)} {are} in the prompts ({items['which']})")
    if near:
        parts.append(f"{len(near)} {'is' if len(near) == 1 else 'are'} nearly so ({' '.join(near)})")
    left_out = [items] * bool(exact) + [both] * bool(near)
    without = " and ".join(f"{_accuracy(row)} without the {row['left_out']}" for row in left_out)
    return f"{' and '.join(parts)}; accuracy is {items['with_all']:.3f} with them, {without}"


def _accuracy(row: dict) -> str:
    interval = "" if pd.isna(row["low"]) else f" [{row['low']:.3f}, {row['high']:.3f}]"
    return "not known" if pd.isna(row["value"]) else f"{row['value']:.3f}{interval}"


def table2_in_words(operations: pd.DataFrame, library: pd.DataFrame, differences: pd.DataFrame) -> str:
    """Are TROVE's programs simpler, and what is in its toolboxes? From the tables."""
    parts = [_of_print(operations, f"TROVE{REPORTED}", "#ops"), _of_print(library, "TROVE, used", "#lib")]
    parts += [_kept(library)]
    categories = set(differences["category"])
    whole = differences[differences["category"].isin(categories & {"all", "covered"} or categories)]
    for row in whole[whole["measure"] == f"#ops{REPORTED}"].itertuples():
        shown = "longer" if row.low > 0 else "simpler" if row.high < 0 else "not shown to be longer or simpler"
        interval = f"{row.difference:+.1f} operations [{row.low:+.1f}, {row.high:+.1f}]"
        interval += f" in {THESE_RUNS}" * (row.covers == THESE_RUNS)
        parts.append(f"Against {row.b}, problem by problem, TROVE's programs are {shown}: {interval}.")
    if whole.empty:
        parts.append("Whether they are simpler than another method's cannot be said: these runs hold one system alone.")
    return " ".join(filter(None, parts))


def _of_print(table: pd.DataFrame, system: str, name: str) -> str:
    both = table[(table["system"] == system) & table["value"].notna() & table["published"].notna()]
    if both.empty:
        return ""
    above = int((both["value"] > both["published"]).sum())
    return f"{name} of TROVE lies above the printed value in {above} of {len(both)} categories."


def _kept(library: pd.DataFrame) -> str:
    sizes = library.dropna(subset="value").set_index(["category", "system"])["value"].unstack()
    if not {"TROVE, kept", "TROVE, kept functions"} <= set(sizes):
        return ""
    without = int((sizes["TROVE, kept functions"] == 0).sum())
    total, functions = sizes["TROVE, kept"].sum(), sizes["TROVE, kept functions"].sum()
    return (
        f"Of {total:.0f} tools that toolboxes end with (means over runs, summed over {len(sizes)} categories), "
        f"{functions:.0f} are functions and the others imports of modules; {without} of {len(sizes)} end without one."
    )
