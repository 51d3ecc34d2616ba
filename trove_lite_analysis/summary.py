"""What a run holds, in one object for each run and category: counts, oracle, modes, and who copies whom."""

import pandas as pd

from trove_lite.candidates import (
    FAIL_ON_MISSING,
    MISSING,
    STREAM,
    UNAVAILABLE,
    all_candidates,
    selections,
)
from trove_lite.selection.tables import (
    choose,
    in_order,
    modes_of,
    without_agreement,
    without_answers,
)

from .independence import repetitions, shared_programs
from .scores import correct_counts, distinct_score, graded_answer, oracle_score


def summarise(candidates: pd.DataFrame) -> dict:
    """`runs`: one dict for each run and category; `independence`: one for each pair of runs of a category.

    Accuracies are exact counts, or shares of 1, over the problems of the stream. `selected_correct`: right ones among
    the answers that a recorded run ended with. `pass_at_5`: null for a mode that has fewer samples of any problem;
    `unique`: the share that a mode alone solves. `unanswered`: a line for each run left out, too many of its samples
    unavailable; `without_agreement`: one for each method whose answers nobody knows. Problems with a `refused` sample
    are in all counts, and wrong, `unavailable` in none."""
    known = all_candidates(candidates)
    lost, run, unanswered = known["status"] == UNAVAILABLE, known["run"].astype(str), []
    shares = lost.groupby(run).mean()
    for name, share in (shares := shares[shares > FAIL_ON_MISSING]).items():
        here = known[lost & (run == name)]
        why = next(iter(here["error"].dropna()), "") if "error" in here else ""
        few = (
            "no sample could"
            if share == 1
            else f"{len(here):,} of {(run == name).sum():,} samples could not"
        )
        unanswered.append(f"{name}: no accuracy, for {few} be had" + f" ({why})" * bool(why))
    candidates = candidates[~candidates["run"].isin(shares.index)]
    known, ended = all_candidates(candidates), selections(candidates)
    runs = _whole_runs(known, ended) if len(known) else {}
    for key, part in ended.groupby(STREAM, observed=True):
        counts = {"problems": len(part), "selected_correct": int(part["correct"].sum())}
        runs.setdefault(key, dict(zip(STREAM, key, strict=True)) | counts)
    pairs = [
        {k: _null_for_nan(v) for k, v in pair.items()}
        for pair in shared_programs(candidates).to_dict("records")
    ]
    lines = {"unanswered": unanswered, "without_agreement": without_agreement(known)}
    return {"runs": [runs[key] for key in sorted(runs)], "independence": pairs} | lines


def _whole_runs(candidates: pd.DataFrame, ended: pd.DataFrame) -> dict[tuple, dict]:
    """A dict for each run and category of which all candidates are known."""
    stream, runs = in_order(candidates), {}
    answering, rules = stream[~without_answers(stream)], ("two_stage", "one_stage")
    right = {
        rule: choose(answering, rule).groupby(STREAM, observed=True)["correct"].sum()
        for rule in rules
    }
    selected = ended.groupby(["run", "category"], observed=True)["correct"].sum()
    for key, part in stream.groupby(STREAM, observed=True):
        run, method, category = key
        everything = candidates[(candidates["run"] == run) & (candidates["category"] == category)]
        mine = everything[(everything["method"] == method) & (everything["phase"] == "stream")]
        modes, counts, size = (
            modes_of(part),
            correct_counts(part),
            int(part.groupby("problem").size().min()),
        )
        distinct = _null_for_nan(distinct_score(part, size, graded_answer)["score"].mean())
        fives = {
            m: oracle_score(part[part["mode"] == m], 5)["score"].astype(float).mean(skipna=False)
            for m in modes
        }
        solved = counts[[f"c_{mode}" for mode in modes]].to_numpy().T > 0
        chosen = {
            rule: int(right[rule][key]) if key in right[rule].index else None for rule in rules
        }
        runs[key] = dict(zip(STREAM, key, strict=True)) | {
            "problems": len(counts),
            "candidates": len(part),
            "two_stage_correct": chosen["two_stage"],
            "selected_correct": int(selected[run, category])
            if (run, category) in selected.index
            else None,
            "one_stage_correct": chosen["one_stage"],
            "oracle_correct": int(solved.any(axis=0).sum()),
            "pass_at_5": {mode: _null_for_nan(float(fives[mode])) for mode in modes},
            "unique": dict(
                zip(modes, (solved & (solved.sum(axis=0) == 1)).mean(axis=1).tolist(), strict=True)
            ),
            "mean_distinct_answers": None if chosen["one_stage"] is None else distinct,
            "retried_problems": int(everything.query("phase == 'retry'")["problem"].nunique()),
            **{
                status: int(mine.loc[mine["status"] == status, "problem"].nunique())
                for status in MISSING
            },
            "not_judged": int(everything["correct"].isna().sum()),
            "shortened_outputs": int(part["shortened"].fillna(False).sum()),
        }
    return runs


def by_agreement(candidates: pd.DataFrame) -> list[str]:
    """A line for each method: its accuracy over all streams as `summary`, `view` and `report` have it first."""
    stream = candidates[(candidates["phase"] == "stream").to_numpy()]
    stream = stream[~without_answers(stream)]
    chosen = choose(stream, "one_stage") if len(stream) else stream
    right = chosen.groupby(chosen["method"].astype(str))["correct"].agg(["mean", "size"])
    how = "by one_stage agreement, as summary, view and report have it"
    return [
        f"  {method}: {100 * mean:.1f} % {how}"
        for method, mean, _ in right.itertuples()
        if mean == mean
    ]


def as_text(summary: dict) -> str:
    lines = [*summary["unanswered"], *summary["without_agreement"], *summary.get("signs", ())]
    lines += [
        f"{run}: cost {cost:,.6g} by its --prices" for run, cost in summary.get("cost", {}).items()
    ]
    runs = pd.json_normalize(summary["runs"]).rename(
        columns=lambda name: name.replace("_correct", "")
    )
    for name, part in runs.groupby("category") if len(runs) else ():
        known = (
            part.drop(columns="category")
            .dropna(axis=1, how="all")
            .convert_dtypes()
            .set_index("run")
        )
        lines += [f"== {name}", known.astype(object).where(known.notna(), "").T.to_string()]
    if summary.get("toolboxes"):
        toolboxes = pd.DataFrame(summary["toolboxes"], dtype=object).to_string(index=False)
        lines += ["== toolboxes at the end, most used functions", toolboxes]
    if len(runs) and summary["independence"]:
        again = repetitions(pd.DataFrame(summary["independence"])).drop(columns="problems")
        lines.append(
            "== runs that repeat an earlier one, and do not count there (mode, first to last problem)"
        )
        lines.append(again.to_string(index=False) if len(again) else "none")
    return "\n".join(lines)


def _null_for_nan(value: object) -> object:
    return None if isinstance(value, float) and value != value else value
