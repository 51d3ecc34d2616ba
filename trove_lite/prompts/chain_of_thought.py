"""The worked examples that LATM compares itself with, from the data folder: those of BIG-Bench Hard for four tasks, and
for the two that LATM made its own, which answer without a thought (LATM, section 4.1).

A file is a line that it must not be trained on, a rule, a sentence on the task, and three examples of question and
answer. How LATM asks after them is not released; here it is as the examples do.
"""

from functools import cache

from ..datasets.base import Dataset, Question
from ..datasets.bbh import FILES, apart
from ..datasets.files import pinned_file, public_files
from ..errors import TroveLiteError
from .base import PromptPack, Template

STAGE = "cot"
THOUGHT = " Let's think step by step."


def pack(dataset: Dataset) -> PromptPack:
    """The pack `chain_of_thought`. Raises TroveLiteError for a data set of other tasks, or without the files."""
    if not set(dataset.categories) <= set(FILES):
        raise TroveLiteError(f"no released chains of thought for data set '{dataset.name}': choose another --prompts")
    worked = {category: examples(category) for category in dataset.categories}

    @cache
    def template(category: str, stage: str) -> Template:
        shown = worked[category]
        begun = f"A:{THOUGHT}" if THOUGHT in shown else "A:"
        return lambda question, tools: f"{shown}\n\nQ: {stated(question)}\n{begun}"

    return PromptPack("chain_of_thought", dataset.categories, {STAGE: ()}, template)


def examples(category: str) -> str:
    """The sentence on the task and its three worked examples, as released."""
    (file,) = (f for f in public_files() if f.path == f"cot-prompts/{FILES[category]}.txt")
    path = pinned_file(file.group, file.path)
    return path.read_text(encoding="utf-8").partition("-----\n")[2].strip()


def stated(question: Question) -> str:
    """The question as the examples put theirs: with blanks between brackets."""
    return apart(question.text) if question.category == "dyck_languages" else question.text
