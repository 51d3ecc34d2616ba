"""trove_lite: does tool-making help a language model that answers by writing programs?

This is the index of public names. Each is imported when it is first used, so that reading a table needs neither an
engine nor a sandbox, and `import trove_lite` nothing at all.
"""

from .lazy import index_of

TYPE_CHECKING = False  # as `typing` has it, without importing that
if TYPE_CHECKING:
    from .analysis.choose import choose, expected_score
    from .analysis.compare import accuracy, accuracy_differences
    from .analysis.costs import matched_budgets
    from .analysis.failures import failures, tool_kinds, tools_imported, tools_kept, tools_made
    from .analysis.independence import independent_runs, repetitions, shared_programs, toolbox_experiment
    from .analysis.sides import Comparison, compare
    from .analysis.summary import summarise
    from .analysis.worked import worked_problem
    from .candidates import load_calls, load_candidates, outcomes
    from .datasets import load_problems
    from .datasets.base import Problem
    from .datasets.files import fetch
    from .datasets.math import CATEGORIES
    from .errors import TroveLiteError
    from .notebooks import paths
    from .papers import check, creator, latm, published_table, reeval, reexecution, save, show, side_by_side, trove
    from .papers.answer import answer, answer_figure, answer_in_words
    from .papers.style import accuracy_figure, failures_figure
    from .running.live import live_run
    from .running.settings import RunSettings
    from .selection import RULES, one_stage, one_stage_described, oracle, random_choice, two_stage, two_stage_described

__getattr__, __dir__ = index_of(__name__, __file__)
__all__ = [
    "CATEGORIES",
    "RULES",
    "Comparison",
    "Problem",
    "RunSettings",
    "TroveLiteError",
    "accuracy",
    "accuracy_differences",
    "accuracy_figure",
    "answer",
    "answer_figure",
    "answer_in_words",
    "check",
    "choose",
    "compare",
    "creator",
    "expected_score",
    "failures",
    "failures_figure",
    "fetch",
    "independent_runs",
    "latm",
    "live_run",
    "load_calls",
    "load_candidates",
    "load_problems",
    "matched_budgets",
    "one_stage",
    "one_stage_described",
    "oracle",
    "outcomes",
    "paths",
    "published_table",
    "random_choice",
    "reeval",
    "reexecution",
    "repetitions",
    "save",
    "shared_programs",
    "show",
    "side_by_side",
    "summarise",
    "tool_kinds",
    "toolbox_experiment",
    "tools_imported",
    "tools_kept",
    "tools_made",
    "trove",
    "two_stage",
    "two_stage_described",
    "worked_problem",
]
