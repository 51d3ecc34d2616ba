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
    from .analysis.toolboxes import final_toolboxes, toolboxes
    from .candidates import load_calls, load_candidates, outcomes
    from .datasets import load_problems
    from .datasets.base import Problem
    from .datasets.files import fetch
    from .datasets.math import CATEGORIES
    from .errors import TroveLiteError
    from .notebooks import paths
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
    "choose",
    "compare",
    "expected_score",
    "failures",
    "fetch",
    "final_toolboxes",
    "independent_runs",
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
    "random_choice",
    "repetitions",
    "shared_programs",
    "summarise",
    "tool_kinds",
    "toolbox_experiment",
    "toolboxes",
    "tools_imported",
    "tools_kept",
    "tools_made",
    "two_stage",
    "two_stage_described",
]
