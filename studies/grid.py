"""What the plan of the whole grid says of one model: its comparisons with their verdicts, and the
table of models."""

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pandas as pd

from trove_lite.candidates import name_table, read_description
from trove_lite.programs.calling import TABLE as CALLS
from trove_lite.programs.calling import TOOLS
from trove_lite_analysis import statistics
from trove_lite_analysis.calls import read_tool_calls
from trove_lite_analysis.differences import difference, points
from trove_lite_analysis.pairwise import detectable

from . import rules
from .bench import ONE_VOTE, Part, Parts, Systems, complete, model_of, read_parts, scores_of
from .plan import NOTEBOOKS, Study, from_notebooks, is_complete

TABLE = "differences.csv"
ALL = "all"  # categories of a tier together
WITHOUT = ", without programs for which a tool printed"
NO_VOTE = "no_code"  # the status of a program that selection passes over
SURE = 0.05


def places(
    study: Study, only: Path | None = None, results: Path = Path("results/models")
) -> list[Path]:
    """The folders of results of those models that have a complete part, or the one that is
    named."""
    if only:
        return [only]
    names = {part.name for part in study.parts}
    runs = [run for run in results.glob("*/runs/*") if run.name in names and is_complete(run)]
    return sorted({run.parent.parent for run in runs})


def report(study: Study, place: Path) -> int:
    """A model's differences, and its tables and figures by the study's notebooks; returns how many
    of these failed.

    The notebooks read what is not the placebo, two of whose modes are TROVE's own replies: it would
    be told as copies.
    """
    from trove_lite_analysis.cli.notebooks import Job, notebook_parameters, run_all

    given: dict[str, object] = {
        "results": from_notebooks(place),
        "figures": from_notebooks(Path("figures/models") / place.name),
        "calls": from_notebooks(place),
        "runs": [*map(from_notebooks, shown_runs(study, place))],
    }
    jobs = {}
    for path in (NOTEBOOKS / f"{name}.ipynb" for name in study.notebooks):
        own = {key: given[key] for key in given.keys() & notebook_parameters(path)}
        jobs[path.stem] = Job(path, own, place / "notebooks" / path.name, page=True)
    with ProcessPoolExecutor(1) as beside:  # what takes longest, while the notebooks run
        told = beside.submit(write_differences, study, place)
        failed = run_all(
            jobs,
            place / "notebooks",
            at_once=2,
            force=True,
        )
        told.result()
    return len(failed)


def shown_runs(study: Study, place: Path) -> list[Path]:
    """The complete runs of a model that are no placebo."""
    found = []
    for part in study.parts:
        run = place / "runs" / part.name
        if part.withdrawn or not is_complete(run):
            continue
        about = read_description(run)
        if rules.makes_tools(about) or not is_trove(about):
            found.append(run)
    return found


def write_differences(study: Study, place: Path) -> None:
    table = differences(read_parts((place / "runs").iterdir(), study=study), study)
    save_table(table, place / TABLE)


def save_table(table: pd.DataFrame, path: Path) -> None:
    table.to_csv(path, index=False, float_format="%.6g", lineterminator="\n")


def is_trove(about: Mapping) -> bool:
    return about["settings"]["methods"] == ["trove"]


def differences(parts: Parts, study: Study) -> pd.DataFrame:
    """A row a planned comparison, measure and category (`all`: the tier's together): with tools
    minus without.

    A comparison counts by the study's first measure over all, if it meets the rules (`rules.met`);
    then it has `p_holm`, corrected for its tier's comparisons of which those that do not count have
    p = 1, and a `verdict`. Seeds that one part lacks are in neither system: `seeds` names those that
    are. Systems that share replies are subtracted seed by seed. Where a tool answers for the programs
    (`without_one_answer`), the first measure is told without these, too.
    """
    rows = []
    options = {part.name: part.options for part in study.parts}
    for name, systems in complete(parts, study.compared, by_seed=True).items():
        met = rules.met(name, systems, study)
        categories = options[systems[0][0].name]["categories"]
        about = {
            "id": name,
            "model": model_of(systems[0][0]),
            "seeds": " ".join(
                str(seed) for part in systems[0] for seed in part.about["settings"]["seeds"]
            ),
            "whole": len(systems[0]) == len(study.compared[name][0]),
        }
        for measure, asked, rule in told_by(systems, study):
            for cells, v in difference(*both_scores(asked, rule), categories=categories):
                cells["detectable"] = detectable(v)
                rows.append(about | {"measure": measure} | cells | met)
    table = judged(pd.DataFrame(rows), study) if rows else pd.DataFrame()
    return name_table(table, "differences", "Planned comparisons: with tools minus without")


def told_by(systems: Systems, study: Study) -> Iterator[tuple]:
    """The measures that a comparison is told by: each with its name, the systems, and the rule."""
    for measure in study.measures:
        yield measure, systems, measure
    if any(answered(part, study) for system in systems for part in system):
        cut = [[without_one_answer(part, study) for part in system] for system in systems]
        yield study.measures[0] + WITHOUT, cut, study.measures[0]


def both_scores(systems: Systems, rule: str) -> list[pd.DataFrame]:
    """The scores of two systems. What of TROVE does not hang on the toolbox, both systems share."""
    a, b = scores_of(systems, rule)
    if all(is_trove(part.about) for system in systems for part in system):
        b = b.assign(method=a["method"].iloc[0])
    return [a, b]


def answered(part: Part, study: Study) -> list[str]:
    """The queries by which the study's reason for the sign "one answer" counts a part's programs: a
    tool printed."""
    return [
        query
        for one in study.parts
        if one.name == part.name
        for query in one.counted.get("one answer", ())
    ]


def printed_for(rows: pd.DataFrame, queries: Iterable[str]) -> pd.Series:
    """Of each program whether a tool printed for it, by such queries. rows: numbered from 0."""
    words = rows.astype(dict.fromkeys(("mode", "category", "status"), str))
    found = pd.Series(False, rows.index)
    for query in queries:
        found[words.query(query, engine="python").index] = True
    return found


def without_one_answer(part: Part, study: Study) -> Part:
    """A part in which the programs for which a tool printed have no vote: they are as if no code
    had been written.

    They stay as rows, so each problem is scored by the programs that it has left, and none leaves
    the comparison.
    """
    rows = part.candidates.reset_index(drop=True)
    return part._replace(candidates=voteless(rows, printed_for(rows, answered(part, study))))


def voteless(rows: pd.DataFrame, struck: pd.Series) -> pd.DataFrame:
    """Programs of which these (`struck`) have no vote and are not right, as if they were no
    code."""
    status = rows["status"].astype(str).mask(struck, NO_VOTE)
    return rows.assign(status=status, correct=rows["correct"].mask(struck, False))


def judged(table: pd.DataFrame, study: Study) -> pd.DataFrame:
    """The table with `p_holm` and `verdict` in the rows that count."""
    first = (table["measure"] == study.measures[0]) & (table["category"] == ALL)
    counted = first & (table["reason"] == "")
    p_holm = pd.Series(float("nan"), table.index)
    tiers: dict[str, list[str]] = {}
    for name in study.compared:
        tiers.setdefault(name.partition("-")[0], []).append(name)
    for ids in tiers.values():
        p = table[counted].set_index("id")["p"].reindex(ids).fillna(1.0)
        own = table[counted & table["id"].isin(ids)]
        corrected = pd.Series(statistics.holm(p), ids)
        p_holm[own.index] = corrected[own["id"]].to_numpy()
    within = f"p_within_{100 * study.margin:g}"
    verdict = pd.Series("open", table.index)
    verdict = verdict.mask(table[within] <= SURE, "equal")
    apart = table["difference"].gt(0).map({True: "ahead", False: "behind"})
    verdict = verdict.mask((p_holm <= SURE) & table["difference"].ne(0), apart)
    return table.assign(
        p_holm=p_holm,
        counts=counted,
        verdict=verdict.where(counted, ""),
    )


#: Both systems of the comparisons by which a model is told; the bench has one by the papers' words.
SYSTEMS = {
    "a-trove-primitive": ("TROVE", "PRIMITIVE"),
    "a-trove-empty": ("TROVE", "TROVE with an empty toolbox"),
    "a-instance-primitive": ("INSTANCE", "PRIMITIVE"),
    "trove-official": ("TROVE", "PRIMITIVE"),
}


def models(results: Path, bench: Path) -> pd.DataFrame:
    """The table of models: a row a model, comparison and category, by one vote a program, the
    smaller model first.

    Beside the difference are the tools that its TROVE kept (`tools made`), the programs that were
    shown one, and of these the shares that call one, and that print what it returns. The bench's
    model has a row where the papers' words were asked: 25 problems of each of seven categories.
    results: folders by model, bench: the bench's.
    """
    folders = [*sorted(results.glob("*")), bench]
    rows = [folder_of(folder) for folder in folders if (folder / TABLE).is_file()]
    nobody = pd.DataFrame(columns=["model", "size", "category"])
    found = pd.concat(rows or [nobody]).sort_values("size", kind="stable", ignore_index=True)
    return name_table(found, "models", "The same comparisons by several models")


def folder_of(folder: Path) -> pd.DataFrame:
    """A folder's rows of `models`."""
    table = pd.read_csv(folder / TABLE).fillna({"reason": "", "verdict": ""})
    if "category" not in table:
        table = table.assign(category=ALL, counts=table["reason"].eq(""))
    table = table[(table["measure"] == ONE_VOTE) & table["id"].isin(SYSTEMS)].copy()
    table[["a", "b"]] = pd.DataFrame([*table["id"].map(SYSTEMS)], table.index, ["a", "b"])
    short = table["reason"].ne("").map({True: "; not counted", False: ""})
    problems = table["problems"].astype(str)
    table = table.assign(
        comparison=table["a"] + " minus " + table["b"],
        size=size_of(table["model"]),
        source=folder.name,
        row=table["model"] + ", " + problems + " problems" + short,
    )
    if (folder / CALLS).is_file():
        calls = read_tool_calls(folder)[0].query("shown and part.str.contains('trove')")
        calls = calls[~calls["part"].str.contains("own|tabmwp")]
        tools = pd.read_csv(folder / TOOLS).query("part in @calls.part").dropna(subset="tool")
        table = table.assign(**{"tools made": len(tools), "shown a tool": len(calls)})
        table["call one"] = calls["called"].mean() if len(calls) else None
        table["use one"] = calls["used"].mean() if len(calls) else None
    return table


def size_of(models: pd.Series) -> pd.Series:
    """Billions of parameters, by the models' names."""
    return models.str.extract(r"([\d.]+)b\b", expand=False).astype(float)


def sentence(table: pd.DataFrame) -> str:
    """What the comparisons of a table of models show, the models after one another; why none
    does, if so."""
    if table.empty:
        return "No model is published yet: that cannot be told."
    whole = table[
        (table["category"] == ALL) & table["seeds"].notna()
    ]  # the bench's has a page of its own
    counted = whole[whole["counts"].eq(True)]
    said = [
        said_of(rows)
        for _, rows in (counted if len(counted) else whole).groupby("model", sort=False)
    ]
    none = "" if len(counted) else "No comparison meets all rules of its plan. "
    return none + ". ".join(said) + "."


def said_of(rows: pd.DataFrame) -> str:
    """A model's comparisons with their verdicts, or with the reason for none."""
    found = ", ".join(
        f"{row.comparison} {points(row)} ({row.verdict or row.reason})" for row in rows.itertuples()
    )
    seeds = ", ".join(str(rows["seeds"].iloc[0]).split())
    problems = f"{rows['problems'].iloc[0]:.0f} problems"
    return f"By {rows['model'].iloc[0]}, {problems}, seeds {seeds}: {found}"
