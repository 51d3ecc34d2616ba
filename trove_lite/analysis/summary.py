"""What a run holds, in one object for each run and category: counts, oracle, modes, and who copies whom."""

import pandas as pd

from ..candidates import FAIL_ON_MISSING, MISSING, STREAM, UNAVAILABLE, all_candidates, selections
from .choose import choose, in_order, modes_of, without_agreement, without_answers
from .independence import repetitions, shared_programs
from .scores import correct_counts, distinct_score, graded_answer, oracle_score


def summarise(candidates: pd.DataFrame) -> dict:
    """`runs`: one dict for each run and category; `independence`: one for each pair of runs of a category.

    Accuracies are exact counts, or shares of 1, over the problems of the stream. `selected_correct`: right ones among
    the answers that a recorded run ended with, all that is known of some. `pass_at_5`: null for a mode with fewer
    samples; `unique`: the share that a mode alone solves. `unanswered`: a line for each run left out, too many
    of its samples unavailable; `without_agreement`: one for each method whose answers nobody knows. Problems with a
    `refused` sample are in all counts, and wrong, `unavailable` in none.
    """
    known = all_candidates(candidates)
    lacking = (known["status"] == UNAVAILABLE).groupby(known["run"].astype(str)).agg(["sum", "mean"])
    lacking = lacking[lacking["mean"] > FAIL_ON_MISSING]
    candidates, lost = candidates[~candidates["run"].isin(lacking.index)], known[known["status"] == UNAVAILABLE]
    unanswered = []
    for run, count, share in lacking.itertuples():
        why = next(iter(lost.loc[lost["run"] == run, "error"].dropna()), "") if "error" in lost else ""
        few = "no sample could" if share == 1 else f"{count:,} of {(known['run'] == run).sum():,} samples could not"
        unanswered.append(f"{run}: no accuracy, for {few} be had" + f" ({why})" * bool(why))
    known, ended = all_candidates(candidates), selections(candidates)
    runs = _whole_runs(known, ended) if len(known) else []
    there = {tuple(row[name] for name in STREAM) for row in runs}
    for key, part in ended.groupby(STREAM, observed=True):
        if key not in there:
            counts = {"problems": len(part), "selected_correct": int(part["correct"].sum())}
            runs.append(dict(zip(STREAM, key, strict=True)) | counts)
    runs.sort(key=lambda row: tuple(row[name] for name in STREAM))
    pairs = [{k: _plain(v) for k, v in pair.items()} for pair in shared_programs(candidates).to_dict("records")]
    lines = {"unanswered": unanswered, "without_agreement": without_agreement(known)}
    return {"runs": runs, "independence": pairs} | lines


def _whole_runs(candidates: pd.DataFrame, ended: pd.DataFrame) -> list[dict]:
    """A dict for each run and category of which all candidates are known."""
    stream = in_order(candidates)
    answering = stream[~without_answers(stream)]
    rules = ("two_stage", "one_stage")
    right = {rule: choose(answering, rule).groupby(STREAM, observed=True)["correct"].sum() for rule in rules}
    selected = ended.groupby(["run", "category"], observed=True)["correct"].sum()
    runs = []
    for key, part in stream.groupby(STREAM, observed=True):
        run, method, category = key
        answered = key in right["one_stage"].index
        everything = candidates[(candidates["run"] == run) & (candidates["category"] == category)]
        modes = modes_of(part)
        counts, size = correct_counts(part), int(part.groupby("problem").size().min())
        distinct = _plain(distinct_score(part, size, graded_answer)["score"].mean())
        solved = counts[[f"c_{mode}" for mode in modes]].to_numpy().T > 0
        mine = everything[(everything["method"] == method) & (everything["phase"] == "stream")]
        runs.append(
            dict(zip(STREAM, key, strict=True))
            | {
                "problems": len(counts),
                "candidates": len(part),
                "two_stage_correct": int(right["two_stage"][key]) if answered else None,
                "selected_correct": int(selected[run, category]) if (run, category) in selected.index else None,
                "one_stage_correct": int(right["one_stage"][key]) if answered else None,
                "oracle_correct": int(solved.any(axis=0).sum()),
                "pass_at_5": {m: _plain(oracle_score(part[part["mode"] == m], 5)["score"].mean()) for m in modes},
                "unique": dict(zip(modes, (solved & (solved.sum(axis=0) == 1)).mean(axis=1).tolist(), strict=True)),
                "mean_distinct_answers": distinct if answered else None,
                "retried_problems": int(everything.query("phase == 'retry'")["problem"].nunique()),
                **{status: int(mine.loc[mine["status"] == status, "problem"].nunique()) for status in MISSING},
                "not_judged": int(everything["correct"].isna().sum()),
                "shortened_outputs": int(part["shortened"].fillna(False).sum()),
            }
        )
    return runs


def as_text(summary: dict) -> str:
    """The same as readable tables."""
    lines = [*summary["unanswered"], *summary["without_agreement"], *summary.get("signs", ())]
    lines += [f"{run}: cost {cost:,.6g} by its --prices" for run, cost in summary.get("cost", {}).items()]
    if not summary["runs"]:
        return "\n".join(lines)
    runs = pd.json_normalize(summary["runs"]).rename(columns=lambda name: name.replace("_correct", ""))
    for name, part in runs.groupby("category"):
        known = part.drop(columns="category").dropna(axis=1, how="all").convert_dtypes().set_index("run")
        lines += [f"== {name}", known.astype(object).where(known.notna(), "").T.to_string()]
    if summary.get("toolboxes"):
        lines += ["== toolboxes at the end, most used functions"]
        lines += [pd.DataFrame(summary["toolboxes"]).to_string(index=False)]
    if summary["independence"]:
        pairs, verbs = pd.DataFrame(summary["independence"]), {"copy": "copies", "overlap": "repeats"}
        lines += ["== runs that repeat an earlier one, and do not count there (mode, first to last problem)"]
        lines += [
            f"{row.category}: {row.run} {verbs[row.verdict]} {row.repeats} ({row.stretches})"
            for row in repetitions(pairs).itertuples()
        ] or ["none"]
        free = pairs[pairs["shared"] == 0]
        if len(free):
            lines += [
                f"{len(free)} pairs of runs, mode by mode, share nothing: {100 * free['identical'].mean():.1f} % of "
                f"their programs are the same, by chance {100 * free['by_chance'].mean():.1f} %"
            ]
    return "\n".join(lines)


def _plain(value: object) -> object:
    return None if isinstance(value, float) and value != value else value
