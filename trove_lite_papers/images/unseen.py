"""Do tools help most where no model has seen the primitives? Runs on made scenes, whose primitives
have three names.

What is right, a problem's lead and its interval the essay defines; here are the worlds, and how all
that is shown.
"""

from collections.abc import Callable, Mapping

import pandas as pd
from matplotlib.figure import Figure

from trove_lite import choose
from trove_lite.datasets import load_dataset
from trove_lite.datasets.base import Dataset
from trove_lite_analysis.sentence import Sentence

from ..figures import forest
from ..tables import published_table

#: By the name of its primitives, and whether docstrings are shown: problems × methods, how often
#: each is right.
Worlds = Mapping[tuple[str, str], pd.DataFrame]
NAMES = {
    "papers": "the paper's names",
    "library": "a library's names",
    "nonsense": "nonsense",
}
DOC = {"yes": "with docstrings", "no": "first lines alone"}
#: What the plan decides by.
PLANNED = {(names, doc) for names in ("papers", "nonsense") for doc in DOC}
NOT_YET = "Not run yet: of the four runs by which the plan decides not all are given."


def worlds(candidates: pd.DataFrame, right: Callable[[pd.DataFrame], pd.Series]) -> Worlds:
    """Each world's scores, problems × methods, of the answers that agreement chose; none before all
    planned ran."""
    pattern = r"^scenes\?names=(?P<names>\w+)&doc=(?P<doc>\w+)$"
    named = candidates["dataset"].astype(str).str.extract(pattern)
    rows = candidates.assign(**named).dropna(subset=["names", "doc"])
    stream = rows[rows["phase"] == "stream"]
    found = {}
    for place, own in stream.groupby(["names", "doc"]):
        parts = [choose(part, "one_stage") for _, part in own.groupby("method", observed=True)]
        chosen = pd.concat(parts)
        scored = chosen.assign(score=right(chosen))
        found[place] = scored.pivot_table("score", "problem", "method", observed=True)
    return found if set(found) >= PLANNED else {}


def over_docs(worlds: Worlds) -> dict[str, pd.DataFrame]:
    """The mean of a name's worlds with and without docstrings, problem by problem."""
    found = {}
    for names in dict.fromkeys(names for names, _ in worlds):
        parts = [own for (other, _), own in worlds.items() if other == names]
        found[names] = pd.concat(parts).groupby("problem").mean()
    return found


def table(worlds: Worlds, lead: Callable, interval: Callable) -> pd.DataFrame:
    """A row a world: what each method scores, and the lead with its interval."""
    rows = []
    for (names, doc), scores in worlds.items():
        about = {"names": names, "listed": DOC[doc]}
        both = {"PRIMITIVE": scores["primitive"].mean(), "TROVE": scores["trove"].mean()}
        rows.append(about | both | interval(lead(scores)))
    found = pd.DataFrame(rows)
    found.attrs |= {
        "name": "trove_unseen",
        "title": "trove_unseen",
        "runs": "Qwen2.5-Coder-1.5B-Instruct on made scenes",
        "note": NOT_YET,
    }
    return found


def sentence(effect: Mapping[str, float] | None) -> Sentence:
    """The effect of names, with its interval, and what it says."""
    if effect is None:
        return Sentence(f"These runs cannot tell. {NOT_YET}")
    value, low, high = (100 * effect[name] for name in ("value", "low", "high"))
    word = "larger" if low > 0 else "smaller" if high < 0 else "which is larger is open"
    what = "TROVE's lead over PRIMITIVE with nonsense names, less its lead with the paper's"
    ends = f"{value:+.1f} points [{low:+.1f}, {high:+.1f}]"
    return Sentence(f"{what}, {effect['problems']} questions: {ends} (95 %); {word}.")


def figure(table: pd.DataFrame) -> Figure | None:
    if table.empty:
        return None
    order = table["names"].map(list(NAMES).index)
    drawn = table.iloc[order.argsort(kind="stable")].replace({"names": NAMES})
    how = {"rows": "names", "series": "listed", "margin": 0.02, "name": "trove_unseen"}
    label = f"accuracy (points, n = {table['problems'].max()} questions)"
    return forest(drawn, title="TROVE minus PRIMITIVE by the primitives' names", label=label, **how)


def printed_leads() -> pd.DataFrame:
    """TROVE's lead over PRIMITIVE in the printed Table 2, largest first."""
    rows = published_table("trove_table2").query("metric == 'acc'")
    cells = rows.pivot_table("value", "category", "method")
    lead = (cells["TROVE"] - cells["PRIMITIVE"]).sort_values(ascending=False)
    found = lead.rename("lead").reset_index()
    unseen = found["category"] == "GQA"
    found["primitives"] = unseen.map({True: "unseen", False: "seen"})
    return found


def printed_figure(leads: pd.DataFrame) -> Figure | None:
    drawn = leads.assign(low=float("nan"), high=float("nan"))  # none is in print
    drawn.attrs |= {"title": "trove_unseen_print", "runs": "TroVE, Table 2"}
    how = {"series": "primitives", "value": "lead", "name": "trove_unseen_print"}
    title = "TROVE minus PRIMITIVE, as printed"
    return forest(drawn, title=title, label="accuracy (points)", **how)


def prompts() -> dict[tuple[str, str], Dataset]:
    """The data set of each world. Raises where they ask different questions: leads could not be
    compared."""
    found = {
        (names, doc): load_dataset(f"scenes?names={names}&doc={doc}")
        for names in NAMES
        for doc in DOC
    }
    asked = {tuple(one.question.text for one in each.load("scenes")) for each in found.values()}
    if len(asked) > 1:
        raise ValueError("the six worlds ask different questions: leads cannot be compared")
    return found
