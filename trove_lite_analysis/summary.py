"""What a run holds, in one object for each run and category: counts, oracle, modes, and who copies
whom."""

import pandas as pd

from trove_lite.candidates import (
    FAIL_ON_MISSING,
    MISSING,
    STREAM,
    TEXT,
    UNAVAILABLE,
    all_candidates,
    selections,
)
from trove_lite.errors import TroveLiteError
from trove_lite.selection.tables import (
    choose,
    in_order,
    modes_of,
    without_agreement,
    without_answers,
)

from .check import UNREAD
from .independence import independent_runs, repetitions, shared_programs
from .scores import correct_counts, distinct_score, graded_answer, oracle_score
from .systems import systems_of


def summarise(candidates: pd.DataFrame) -> dict:
    """`runs`: one dict for each run and category; `independence`: one for each pair of runs of a
    category.

    Accuracies are exact counts, or shares of 1, over the problems of the stream.
    `selected_correct`: right ones among the answers that a recorded run ended with. `pass_at_5`:
    null for a mode that has fewer samples of any problem;
    `unique`: the share that a mode alone solves. `unanswered`: a line for each run left out, too
    many of its samples unavailable; `without_agreement`: one for each method whose answers nobody
    knows. Problems with a `refused` sample are in all counts, and wrong, `unavailable` in none."""
    candidates, unanswered = answered(candidates)
    known = all_candidates(candidates)
    ended = selections(candidates)
    runs = _whole_runs(known, ended) if len(known) else {}
    for key, part in ended.groupby(STREAM, observed=True):
        counts = {"problems": len(part), "selected_correct": int(part["correct"].sum())}
        runs.setdefault(
            key,
            dict(zip(STREAM, key, strict=True)) | counts,
        )
    pairs = [
        {k: _null_for_nan(v) for k, v in pair.items()}
        for pair in shared_programs(candidates).to_dict("records")
    ]
    lines = {"unanswered": unanswered, "without_agreement": without_agreement(known)}
    return {"runs": [runs[key] for key in sorted(runs)], "independence": pairs} | lines


def answered(candidates: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """The candidates of runs that say something, without their texts, and a line for each run of
    which too many samples could not be had."""
    texts = [name for name in TEXT if name != "error"]
    candidates = candidates.drop(columns=[*UNREAD, *texts], errors="ignore")
    known = all_candidates(candidates)
    lost = known["status"] == UNAVAILABLE
    run = known["run"].astype(str)
    lines = []
    shares = lost.groupby(run).mean()
    shares = shares[shares > FAIL_ON_MISSING]
    for name, share in shares.items():
        here = known[lost & (run == name)]
        why = next(iter(here["error"].dropna()), "") if "error" in here else ""
        few = f"{len(here):,} of {(run == name).sum():,} samples could not"
        few = "no sample could" if share == 1 else few
        lines.append(f"{name}: no accuracy, for {few} be had" + (f" ({why})" if why else ""))
    return candidates[~candidates["run"].isin(shares.index)], lines


def refuse_unanswered(candidates: pd.DataFrame) -> None:
    """Raise TroveLiteError, in the words of `answered`, where too many samples of a run could not
    be had: no command gives a number of it."""
    if lines := answered(candidates)[1]:
        more = f"; so it is with {len(lines) - 1} more" if len(lines) > 1 else ""
        raise TroveLiteError(f"{lines[0]}{more}; its own command asks for them again")


def _whole_runs(candidates: pd.DataFrame, ended: pd.DataFrame) -> dict[tuple, dict]:
    """A dict for each run and category of which all candidates are known."""
    stream = in_order(candidates)
    runs = {}
    answering = stream[~without_answers(stream)]
    rules = ("two_stage", "one_stage")
    right = {
        rule: choose(answering, rule).groupby(STREAM, observed=True)["correct"].sum()
        for rule in rules
    }
    selected = ended.groupby(["run", "category"], observed=True)["correct"].sum()
    for key, part in stream.groupby(STREAM, observed=True):
        run, method, category = key
        everything = candidates[(candidates["run"] == run) & (candidates["category"] == category)]
        mine = everything[(everything["method"] == method) & (everything["phase"] == "stream")]
        modes = modes_of(part)
        counts = correct_counts(part)
        size = int(part.groupby("problem").size().min())
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
                zip(
                    modes,
                    (solved & (solved.sum(axis=0) == 1)).mean(axis=1).tolist(),
                    strict=True,
                )
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
    """A line for each system: its accuracy by the rule that `summary`, `view` and `report` say first,
    the mean over problems, each over its runs, without copies of runs."""
    known, _ = answered(candidates)
    stream = known[(known["phase"] == "stream").to_numpy()]
    stream = stream[~without_answers(stream)]
    how = "by one_stage agreement, one rule for all methods: so summary, view and report have it"
    lines = []
    for name, system in systems_of(stream).items():
        chosen = choose(independent_runs(system, across=True), "one_stage")
        each = chosen.groupby(["category", "problem"], observed=True)["correct"].mean()
        lines += [f"  {name}: {100 * each.mean():.1f} % {how}"] if len(each) else []
    return lines


def as_text(summary: dict) -> str:
    lines = [*summary["unanswered"], *summary["without_agreement"], *summary.get("checks", ())]
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
        lines += [
            f"== {name}",
            known.astype(object).where(known.notna(), "").T.to_string(),
        ]
    if summary.get("toolboxes"):
        toolboxes = pd.DataFrame(summary["toolboxes"], dtype=object).to_string(index=False)
        lines += ["== toolboxes at the end, most used functions", toolboxes]
    if len(runs) and summary["independence"]:
        again = repetitions(pd.DataFrame(summary["independence"])).drop(columns="problems")
        lines += [
            "== runs that repeat an earlier one, and do not count there (mode, first to last problem)",
            again.to_string(index=False) if len(again) else "none",
        ]
    return "\n".join(lines)


def _null_for_nan(value: object) -> object:
    return None if isinstance(value, float) and value != value else value
