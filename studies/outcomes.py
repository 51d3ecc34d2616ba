"""What came of a study, in Markdown: the tables of the notebooks that show it, and what they say in words."""

import sys
from pathlib import Path

import pandas as pd

from papers import creator, latm, reeval, save, show, side_by_side, trove, why_empty
from studies.plan import ABLATIONS, LENDER, LONGER, MAIN, Study
from trove_lite import load_calls, load_candidates, tools_imported, tools_made
from trove_lite.datasets import load_dataset

#: What a study calls its own prompts, beside those of another pack.
OWN_PROMPTS = "the study's prompts"
#: What is shown of CREATOR's matched budgets.
SPEND = ["budget", "spent", "category", "a", "b", "attempts_a", "attempts_b", "difference", "low", "high", "p_holm"]


def outcome(study: Study, results: Path) -> list[str]:
    """What came of it, for each data set: what the tables of the study's notebooks say."""
    tell, lines = next((OUTCOMES[name] for name in study.notebooks if name in OUTCOMES), two_sides_outcome), []
    for dataset, runs in study.published(results).items():
        lines += ["## What came of it" + f": {load_dataset(dataset).title}" * study.several, ""]
        lines += ["Value [95 % interval], and the paper's in parentheses where it prints one.", ""]
        lines += tell(study, results, runs)
    return lines or ["## What came of it", "", "Nothing yet: no part that tables may be made of is published.", ""]


def two_sides_outcome(study: Study, results: Path, runs: list[Path]) -> list[str]:
    """Every method's numbers by category, the paired differences, and the other prompts'."""
    models = reeval.models(runs, *([path] for path in study.rivals(results)))
    sides = next(iter(models.values()))
    have = {str(category) for side in sides.sides.values() for category in side["category"].unique()}
    methods = reeval.each_model(models, reeval.methods)
    differences = reeval.each_model(models, reeval.differences)
    kept = trove.final_toolboxes(runs, top=sys.maxsize)
    lines = []
    for category in [name for name in sides.categories if name in have]:
        lines += [
            f"### {category}",
            "",
            markdown(reeval.a_column_a_model(methods[methods["category"] == category]).drop(columns="category")),
            "",
        ]
        lines += [line for here in [kept[kept["category"] == category]] if len(here) for line in (toolbox(here), "")]
    shown = differences[differences["category"].isin([*have, "all", "covered"])]
    columns = ["model", "category", "rule", "a", "b", "difference", "low", "high", "p", "problems"]
    lines += ["### TROVE minus PRIMITIVE, problem by problem", "", markdown(shown[columns].round(4)), ""]
    return lines + other_prompts(study, results, runs)


def creator_outcome(_: Study, __: Path, runs: list[Path]) -> list[str]:
    """CREATOR's tables as far as these runs fill them, and what methods reach at the same spend."""
    asked = creator.study(load_candidates(*runs), calls=load_calls(*runs))
    tables = [make(asked) for make in (creator.table2, creator.table3, creator.table4)]
    filled = [(table.attrs["title"], side_by_side(table).T.reset_index(names="")) for table in tables if full(table)]
    if filled:
        matched = creator.matched(asked)
        known = matched.loc[matched["difference"].notna(), SPEND]
        filled += [("The same spend", show(known))] if len(known) else []
    if full(table5 := creator.table5(asked)):
        filled += [("Table 5", show(table5))]
    return [line for title, shown in filled for line in (f"### {title}", "", markdown(shown), "")]


def latm_outcome(_: Study, __: Path, runs: list[Path]) -> list[str]:
    """What came of tools made once: LATM's tables as far as these runs fill them."""
    candidates, calls = load_candidates(*runs), load_calls(*runs)
    sides = latm.sides(candidates, calls)
    tables = {
        "With a tool and without": latm.table2(sides),
        "A chain of thought as the tool": latm.table5(sides),
        "The dispatcher": latm.dispatcher(candidates, calls),
    }
    lines = []
    for title, table in tables.items():
        if full(table):
            shown = side_by_side(table).T.reset_index(names="") if "source" in table else show(table)
            lines += [f"### {title}", "", markdown(shown), ""]
    trials = latm.table3(runs)
    asked = trials["category"].isin(candidates["category"].astype(str).unique())
    trials = trials[asked | ((trials["category"] == "all") & (trials["source"] == "run"))]
    return [*lines, "### Trials to make a tool that passed the maker's own tests", "", markdown(show(trials)), ""]


#: What tells of a study, by the notebook that shows it; of any other, its two sides.
OUTCOMES = {"30_creator": creator_outcome, "40_latm": latm_outcome}


def full(table: pd.DataFrame) -> bool:
    return not why_empty(table)


def toolbox(kept: pd.DataFrame) -> str:
    """How many tools TROVE's toolboxes of a category held at the end, by method and seed."""
    sizes = kept.groupby(["method", "seed"]).agg(
        tools=("tools", "first"), used=("answers", lambda n: int((n > 0).sum()))
    )
    told = [
        f"{row.tools} ({method}, seed {seed}; {row.used} of them imported by a selected answer)"
        for (method, seed), row in zip(sizes.index, sizes.itertuples(), strict=True)
    ]
    return f"Tools in the toolbox at the end: {'; '.join(told)}."


def other_prompts(study: Study, results: Path, own: list[Path]) -> list[str]:
    """The groups beside the main one that ask with other prompts: the same problems by both packs.

    Where both methods were asked, what they differ by with each is saved as prompts_differences.csv too.
    """
    groups = {part.group for part in study.parts} - {MAIN, LONGER, ABLATIONS, LENDER}
    lines, differing = [], []
    for group in sorted(group for group in groups if (results / group).is_dir()):
        other, ours = load_candidates(*sorted((results / group).glob("*"))), load_candidates(*own)
        key = ["method", "category", "problem", "seed"]
        plain = dict.fromkeys(("method", "category"), str)
        asked = other[key].astype(plain).drop_duplicates()
        same = ours.astype(plain).merge(asked, on=key)
        first = next(part.options for part in study.parts if part.group == group)
        prompts, k = first.get("prompts", group), first.get("k")
        packs = {OWN_PROMPTS: same, prompts: other}
        packs = {name: frame[frame["phase"] == "stream"] for name, frame in packs.items() if len(frame)}
        called = {OWN_PROMPTS: OWN_PROMPTS, prompts: f"`{prompts}`"}
        parts = [reeval.methods(reeval.sides(frame), k=k).assign(model=called[name]) for name, frame in packs.items()]
        table = pd.concat([part[part["value"].notna()].astype(object) for part in parts])
        table["published"] = None  # print is about the whole category
        lines += [f"### The same problems asked otherwise: {prompts} prompts", ""]
        for category, part in table[table["category"].isin(asked["category"])].groupby("category", sort=False):
            problems = asked.loc[asked["category"] == category, "problem"].nunique()
            lines += [f"{category}, {problems} problems", "", measures(part), ""]
        paired = [reeval.differences(reeval.sides(frame)).assign(prompts=name) for name, frame in packs.items()]
        known = pd.concat(paired).dropna(subset="difference")
        if len(set(known["prompts"])) > 1:
            columns = ["prompts", "category", "rule", "a", "b", "difference", "low", "high", "covers", "p", "problems"]
            known = known.loc[known["category"].isin(asked["category"]), columns]
            differing.append(known)
            shown = known.assign(prompts=known["prompts"].map(called))
            lines += ["TROVE minus PRIMITIVE, problem by problem:", "", markdown(shown.round(4)), ""]
        for name, frame in packs.items():
            made, using = len(tools_made(frame)), int(tools_imported(frame)["importing"].sum())
            lines += [
                f"- {called[name]}: {len(frame):,} programs define {made:,} functions as tools; {using:,} import one."
            ]
        lines += [""]
    if differing:
        save(pd.concat(differing), results, "prompts_differences")
    return lines


def measures(of_category: pd.DataFrame) -> str:
    """What methods did and spent in one category, a column a model."""
    return markdown(reeval.a_column_a_model(of_category).drop(columns="category"))


def markdown(table: pd.DataFrame) -> str:
    return table.to_markdown(index=False, disable_numparse=True)
