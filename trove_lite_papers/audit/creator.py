"""CREATOR's numbers, data and grader against its paper (section 2 of the audit); settings: docs/creator.md."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from trove_lite.datasets import load_dataset
from trove_lite.datasets.files import data_folder, json_lines, sha256_of
from trove_lite.datasets.math import CATEGORIES, MATH_FILES
from trove_lite.errors import TroveLiteError
from trove_lite_papers.creator import graders
from trove_lite_papers.creator.grading import gold_answers, gold_in_input
from trove_lite_papers.tables import published_table, published_value, rows_of

from .printed import Range, before_rounding, claim, claimed, counts_allowed
from .reeval import category_sizes

#: MATH's test set by category, all of it, of which the published subset is the problems with a numeric answer: how many
#: they are, and what is pinned of the file of all answers, as texts, at the program's last commit: `fetch` brings none.
WHOLE_MATH = pd.read_csv(Path(__file__).with_name("whole_math.csv"), index_col="category")
WHOLE_TABMWP = 7686  # test questions of TabMWP (Lu et al. 2023)
SET = 3  # questions of a set of tool transfer


def sizes_of_math() -> dict[str, pd.Series]:
    """Problems by category: of those with a numeric answer, and of all."""
    return {"numeric": category_sizes().astype(int), "whole": WHOLE_MATH["problems"]}


def cells_are_counts():
    cells = rows_of("creator_table2")
    computed = []
    found = {}
    cells = cells[cells["category"].isin(CATEGORIES)]
    for name, sizes in sizes_of_math().items():
        found[name] = cells[
            [not counts_allowed(r.value / 100, 3, sizes[r.category]) for r in cells.itertuples()]
        ]
        computed.append(f"{sizes.sum()} problems: {len(found[name])} impossible")
    numeric = sizes_of_math()["numeric"].sum()
    impossible = [
        f"{r.category} {r.method} {r.setting} {r.value}" for r in found["numeric"].itertuples()
    ]
    return not impossible, locals()


def solved(cells: pd.Series, sizes: pd.Series) -> Range:
    """How many problems a row's categories say were solved.

    A percentage of one decimal fixes the count of up to 1000 problems; one that no count rounds to is taken as it is.
    """
    may = []
    for n, share in zip(sizes, cells[sizes.index] / 100, strict=True):
        counts = counts_allowed(share, 3, n)
        may.append((counts[0], counts[-1]) if counts else np.multiply(n, before_rounding(share, 3)))
    return Range(*np.sum(may, axis=0))


def averages_are_weighted():
    rows = published_table("creator_table2")
    computed = []
    found = {}
    rows = rows.pivot_table(
        index=["method", "setting"], columns="category", values="value", sort=False
    )
    for name, sizes in sizes_of_math().items():
        n, found[name] = sizes.sum(), []
        for setting, row in rows.iterrows():
            low, high = solved(row, sizes)
            if not Range(low / n, high / n).meets(before_rounding(row["MATH"] / 100, 3)):
                made = f"{low:.0f} of {n}, {100 * low / n:.2f} %"
                found[name].append(
                    f"{' '.join(setting)}: the cells make {made}, and {row['MATH']} is printed"
                )
        computed.append(f"with {n} problems {len(rows) - len(found[name])} of {len(rows)} fit")
    off = found["numeric"]
    return not off, locals()


def share_tested():
    share = claimed("creator", "share of questions tested approximately")
    numeric, whole = (n.sum() for n in sizes_of_math().values())
    tabmwp = published_value("trove_table1", "size", category="TabMWP") / WHOLE_TABMWP
    found = numeric / whole
    return abs(100 * found - share) < 5, locals()


def best_of_the_baselines():
    stated = claim("creator", "accuracy against the best of the baselines")
    four = rows_of("creator_table4", metric="accuracy_pct").set_index(["method", "setting"])[
        "value"
    ]
    ours, entangled = (four[f"{name} (w/o CoT)"] for name in ("CREATOR", "CREATOR-Entangled"))
    others = four[~four.index.get_level_values(0).str.startswith("CREATOR")]
    best = max(others.max(), entangled["no hint"])
    lead = ours["no hint"] - best
    pairs = [
        ("Creation Challenge", setting, ours[setting], entangled[setting]) for setting in ours.index
    ]
    for number, task, column in ((2, "MATH", "category"), (3, "TabMWP", "dataset")):
        rows = rows_of(f"creator_table{number}", metric="accuracy_pct", **{column: task})
        wide = rows.pivot(index="setting", columns="method", values="value")[
            ["CREATOR", "CREATOR-Entangled"]
        ].dropna()
        pairs += [(task, *row) for row in wide.itertuples()]
    below = [f"{task} {setting} {a} and {b}" for task, setting, a, b in pairs if a <= b]
    above, but = len(pairs) - len(below), ("; not: " if bool(below) else "")
    return bool(lead > 0), locals()


def chain_of_thought():
    methods = ("PoT (w/o Rec.)", "PoT (w/ Rec.)", "CREATOR")
    for number, task, column, moves in (
        (2, "MATH", "category", "rises"),
        (3, "TabMWP", "dataset", "falls"),
    ):
        stated = claim("creator", f"{task} with CoT under PoT and CREATOR")
        rows = rows_of(f"creator_table{number}", metric="accuracy_pct")
        rows = rows[rows["method"].isin(methods) & (rows[column] != "MATH")]
        wide = rows.pivot(index=["method", column], columns="setting", values="value")
        gain = wide["w/ CoT"] - wide["w/o CoT"]
        against = wide[gain > 0] if moves == "rises" else wide[gain < 0]
        named = [
            f"{' '.join(cells)} {r['w/o CoT']} → {r['w/ CoT']}" for cells, r in against.iterrows()
        ]
        which = ": " if bool(named) else ""
        yield not named, locals()


def words_succeed():
    where = {"method": "Standard", "metric": "successful_execution_pct"}
    rows = pd.concat([rows_of(f"creator_table{number}", **where) for number in (3, 4)]).astype(
        {"value": float}
    )
    shares = [f"{r.dataset} {r.setting} {r.value:g} %" for r in rows.itertuples()]
    below = rows[rows["value"] < 100]
    return below.empty, locals()


def gain_from_rectification():
    stated = claimed("creator", "gain from rectification approximately")
    found = {}
    for number, name in ((2, "MATH"), (3, "TabMWP"), (4, "Creation Challenge")):
        rows = rows_of(f"creator_table{number}", metric="accuracy_pct")
        value = (
            rows[rows.iloc[:, 0] == name].set_index(["method", "setting"])["value"].astype(float)
        )
        for setting in ("w/o CoT", "w/ CoT"):
            gain = value["PoT (w/ Rec.)", setting] / value["PoT (w/o Rec.)", setting] - 1
            found[f"{name} {setting}"] = 100 * gain
    gains = [f"{name} {gain:+.1f} %" for name, gain in found.items()]
    each = pd.Series(found)
    least = each.min()
    mean = each.mean()
    most = each.max()
    return bool((abs(each - stated) < stated / 2).all()), locals()


def free_questions():
    """How many of the questions won by transfer the program may have added for sets without any right answer.

    It adds one to each set for the question whose tool is lent, also where no tool answered its own. Such a set gains
    exactly 1, every other at most SET - 1, and each set that is worse loses at least 1.
    """
    five = published_table("creator_table5").set_index("quantity")["value"].astype(float)
    sets = int(five["sets_of_queries"])
    pieces = five["data_pieces"]
    gain = five["increase_of_acc"]
    normal, lent = (
        round(five[f"acc_tool_create_{name}"] * pieces / 100)
        for name in ("normal", "with_transfer")
    )
    worse = int(five["sets_worse_with_transfer"])
    better = int(five["sets_better_with_transfer"])
    # sets with right answers; 1 of SET each
    hold = sets - -(-normal // SET)
    ones = (SET * sets - lent) // (SET - 1)
    most = max(min(hold, ones, (SET - 1) * better - (lent - normal) - worse, better), 0)
    share = most / pieces
    return None if most else True, locals()


def golds_in_inputs() -> dict[str, float]:
    """Data set → the share of its problems whose gold answer is a number of the input, and of the "bare" question."""
    shares = {}
    for name in ("math", "tabmwp", "creation_challenge"):
        dataset = load_dataset(name)
        golds = gold_answers(dataset, dataset.categories).set_index("category")["gold_in_input"]
        shares[dataset.title] = float(golds.groupby(level=0).mean().get("no_hint", golds.mean()))
    problems = dataset.load(dataset.categories[0])
    bare = [
        replace(problem, question=problem.question._replace(context="")) for problem in problems
    ]
    return shares | {"bare": float(np.mean([*map(gold_in_input, bare)]))}


def input_gives_the_gold(inputs: Mapping[str, float]):
    shares = [f"{title} {100 * share:.1f} %" for title, share in inputs.items() if title != "bare"]
    return False, locals()


def numbers_side_by_side():
    value = graders.value_of("18 8")
    read = "has no value" if value is None else f"is read as {value:g}"
    return value is None, locals()


def finite_golds(records: Sequence[dict]):
    golds = [float(record["answer"]) for record in records]
    endless = {index: gold for index, gold in enumerate(golds) if not math.isfinite(gold)}
    unmarked = sum(graders.released(str(gold), gold) for gold in endless.values())
    computed = (
        f"{len(endless)} is infinite: item {', '.join(map(str, endless))}" if endless else "all are"
    )
    return not endless, locals()


def one_program_a_record(records: Sequence[dict]):
    texts = [
        re.sub(r"```python\s*\n.*?```", "", record["solution"], flags=re.DOTALL)
        for record in records
    ]
    beside = sum("```" in text for text in texts)
    return not beside, locals()


def whole_math() -> list[str]:
    """The gold answers of all 5,000 problems, as texts. Raises where a file is missing or another."""
    golds = []
    for category, pin in WHOLE_MATH["sha256"].items():
        path = (
            data_folder()
            / "qiancheng0"
            / "CREATOR"
            / "MATH"
            / "dataset"
            / f"{MATH_FILES[category]}.jsonl"
        )
        if not path.is_file() or sha256_of(path) != pin:
            raise TroveLiteError("not here, and no data set of `trove-lite fetch`")
        golds += [record["answer"] for record in json_lines(path.read_text(encoding="utf-8"))]
    return golds


def numeric_answers(golds: Sequence[str]):
    others = [gold for gold in golds if not re.fullmatch(r"-?\d*\.?\d+", gold)]
    none = sum(value_in_latex(gold) is None for gold in others)
    share = 1 - none / len(golds)
    return not others, locals()


def golds_in_percent(golds: Sequence[str]):
    """Answers that the released grader, which divides the gold answer alone by 100, finds wrong themselves."""
    percents = [gold for gold in golds if "%" in gold]
    wrong = [
        gold
        for gold in percents
        if not graders.agrees(gold, float(re.sub(r"\\?%", "", gold)) / 100)
    ]
    return not wrong, locals()


def value_in_latex(gold: str) -> float | None:
    r"""The one number that a LaTeX answer is: as `graders.value_of`, and with \frac12 and roots within fractions."""
    value = graders.value_of(gold)
    before = ""
    gold = re.sub(r"\\[cdt]frac", r"\\frac", gold)
    while gold != before:
        before = gold
        gold = re.sub(
            r"\\sqrt\s*(?:\{([^{}]*)\}|(\d))", lambda root: f"sqrt({root[1] or root[2]})", gold
        )
        gold = re.sub(r"\\frac\s*(\{[^{}]*\}|\d)\s*(\{[^{}]*\}|\d)", r"(\1)/(\2)", gold)
        gold = re.sub(r"\(\{([^{}]*)\}\)", r"(\1)", gold)
    return graders.value_of(gold) if value is None else value
