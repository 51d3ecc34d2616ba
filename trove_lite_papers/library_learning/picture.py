"""The figure of strong models: points gained against how many times the tokens, a mark for each
method and model."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..captions import NOT_COUNTED, SHOWN, standings
from ..figures import legend, titled
from ..styles import Style
from .tables import EQUATIONS

#: What a method is called, and its look.
STYLES = {
    "agent_optimizer": ("AgentOptimizer − ReAct, MATH", Style("#A62A1A", "o")),
    "lego_prover": ("LEGO-Prover − DSP, miniF2F", Style("#14396F", "s")),
    "cumulative": ("memory, cumulative − empty", Style("#007A53", "^")),
    "retrieval_synthesis": ("memory, curated − empty", Style("#0086B3", "D")),
    "retrieval": ("memory, retrieved − empty", Style("#8A68AE", "v")),
    "empty": ("placebo: empty − other prompt", Style("#444444", "X")),
}
MODELS = {
    "gpt-4o-mini-2024-07-18": "4o-mini",
    "gpt-4o-mini": "4o-mini",
    "gpt-4o-2024-08-06": "4o",
    "gpt-4o": "4o",
    "claude-3-5-sonnet": "Claude 3.5",
    "llama-3.1-8b": "Llama 3.1 8B",
    "qwen3-14b": "Qwen3 14B",
}
TITLE = "What tools gain, and how many times the tokens they take: strong models, runs of others"
CAPTION = (
    "A mark a method and model, on the problems that it was run on most. "
    "Bars: 95 % over problems and, where a system has several runs, runs. "
    "Small marks, thin: the same method at equal tokens. Making functions is not counted. "
    "Shown: the interval leaves 0 out; nothing is corrected. Not counted: placebos, where neither system has tools. "
    "Memories: on AIME, or on equations where it says so; characters written stand for tokens. "
    "MATH and miniF2F were run by the authors of LLM Library Learning Fails, memories by those of "
    "Dynamic Cheatsheet."
)
TICKS = (0.5, 1, 2, 4, 8, 16)
#: Where the words of a mark are, in points from it; right of it, else left.
WORDS = {
    ("retrieval_synthesis", "claude-3-5-sonnet"): (-7, -2),
    ("retrieval_synthesis", "gpt-4o"): (4, 46),
    ("cumulative", "claude-3-5-sonnet"): (7, 24),
    ("cumulative", "gpt-4o"): (-7, -8),
    ("lego_prover", "o3-mini"): (-7, 3),
    ("retrieval", "gpt-4o"): (-7, -10),
    ("agent_optimizer", "gpt-4o-mini-2024-07-18"): (7, -11),
}


def figure(marks: pd.DataFrame) -> Figure:
    """`proved.marks` drawn: x how many times the tokens of the system without, logarithmic; y the
    difference in points, with its interval. What was matched in tokens is small and linked to what
    ran."""
    drawn, axes = plt.subplots(figsize=(8.6, 5.6), layout="constrained")
    axes.axhline(0, color="black", linewidth=1)
    marks = marks.assign(counts=~marks["placebo"])
    marks["standing"] = standings(marks, every=True)
    for _, here in marks.groupby(["study", "model", "a", "category"], sort=False):
        rows = here.sort_values("matched")
        axes.plot(rows["times"], 100 * rows["difference"], color="0.6", linewidth=0.7, zorder=1)
        for row in rows.itertuples():
            draw(axes, row)
    axes.set_xscale("log", base=2)
    axes.set_xticks(TICKS, [f"{tick:g}" for tick in TICKS])
    axes.set_xlim(0.5, 28)  # room for words
    axes.set_xlabel("times the tokens of the system without tools (memories: characters written)")
    axes.set_ylabel("right problems with tools − without (points)")
    legend(drawn, dict(STYLES.values()), marks)
    return titled(drawn, marks, TITLE, CAPTION, name="strong")


def draw(axes: Axes, row: tuple) -> None:
    """One mark with its interval, and the model's name and number of problems beside it."""
    _, style = STYLES[row.a]
    value, low, high = (100 * number for number in (row.difference, row.low, row.high))
    width = 0.9 if row.matched else 1.8
    dashes = ":" if row.standing == NOT_COUNTED else "-"
    axes.vlines(row.times, low, high, color=style.colour, linewidth=width, linestyle=dashes)
    axes.plot(
        row.times,
        value,
        marker=style.marker,
        color=style.colour,
        markerfacecolor=style.colour if row.standing == SHOWN else "white",
        markersize=4 if row.matched else 8,
        zorder=3,
    )
    if not row.matched:
        task = f", {row.category}" if row.category == EQUATIONS else ""
        words = f"{MODELS.get(row.model, row.model)}{task}, n = {row.problems}"
        off = WORDS.get((row.a, row.model + task), (7, 3))
        place = {"xytext": off, "textcoords": "offset points", "fontsize": 7.5}
        place["bbox"] = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.5}
        place["ha"] = "left" if off[0] > 0 else "right"
        place["zorder"] = 1.5  # below the intervals
        axes.annotate(words, (row.times, value), color=style.colour, **place)
