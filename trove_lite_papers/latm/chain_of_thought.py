"""The worked examples that LATM compares itself with, from the data folder: those of BIG-Bench Hard
for four tasks, and for the two that LATM made its own, which answer without a thought (LATM,
section 4.1).

A file is a line that it must not be trained on, a rule, a sentence on the task, and three examples
of question and answer. How LATM asks after them is not released; here it is as the examples do.
"""

from functools import cache

from trove_lite.datasets.base import Dataset
from trove_lite.datasets.files import pinned_file
from trove_lite.errors import TroveLiteError
from trove_lite.prompts.base import PromptPack, Template

from .bbh import FILES, apart

THOUGHT = " Let's think step by step."


def pack(dataset: Dataset) -> PromptPack:
    """The pack `chain_of_thought`, whose files are read when asked for. Refuses a data set of other
    tasks."""
    if not set(dataset.categories) <= set(FILES):
        raise TroveLiteError(
            f"no released chains of thought for data set '{dataset.name}': choose another --prompts"
        )
    return PromptPack("chain_of_thought", dataset.categories, {"cot": ()}, cache(template))


def template(category: str, stage: str) -> Template:
    """The task's examples, and the question as they put theirs: with blanks between brackets."""
    text = pinned_file("latm", f"cot-prompts/{FILES[category]}.txt").read_text(encoding="utf-8")
    shown = text.partition("-----\n")[2].strip()
    stated = apart if category == "dyck_languages" else str
    begun = f"A:{THOUGHT}" if THOUGHT in shown else "A:"
    return lambda question, tools: f"{shown}\n\nQ: {stated(question.text)}\n{begun}"
