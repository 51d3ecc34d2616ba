"""trove_lite: does tool-making help a language model that answers by writing programs?

This is the index of public names. Each is imported when it is first used, so that reading a table needs neither an
engine nor a sandbox, and `import trove_lite` nothing at all.
"""

from .lazy import index_of

TYPE_CHECKING = False  # as `typing` has it, without importing that
if TYPE_CHECKING:
    from .analysis.choose import choose, expected_score
    from .analysis.failures import failures, tools_made
    from .analysis.independence import independent_runs, shared_programs
    from .analysis.matched import matched_budgets
    from .analysis.study import Study
    from .analysis.summary import final_toolboxes, summarise
    from .candidates import load_calls, load_candidates, outcomes
    from .datasets import load_problems
    from .datasets.base import Problem
    from .datasets.files import fetch
    from .datasets.math import CATEGORIES
    from .errors import TroveLiteError
    from .notebooks import save_figure, save_table
    from .papers.cells import check, side_by_side
    from .papers.figures import compute_matched, difficulty, figure1, figure2, figure3, figure4, same_cost
    from .papers.published_values import published_table
    from .papers.reeval import (
        differences,
        overlap,
        pass_by_mode,
        pooled_curve,
        table1,
        table2,
        table3,
        table5,
        table6,
        table7,
        table8,
        table9,
    )
    from .selection import RULES, one_stage, one_stage_described, oracle, random_choice, two_stage, two_stage_described

__getattr__, __dir__ = index_of(__name__, __file__)
__all__ = [
    "CATEGORIES",
    "RULES",
    "Problem",
    "Study",
    "TroveLiteError",
    "check",
    "choose",
    "compute_matched",
    "differences",
    "difficulty",
    "expected_score",
    "failures",
    "fetch",
    "figure1",
    "figure2",
    "figure3",
    "figure4",
    "final_toolboxes",
    "independent_runs",
    "load_calls",
    "load_candidates",
    "load_problems",
    "matched_budgets",
    "one_stage",
    "one_stage_described",
    "oracle",
    "outcomes",
    "overlap",
    "pass_by_mode",
    "pooled_curve",
    "published_table",
    "random_choice",
    "same_cost",
    "save_figure",
    "save_table",
    "shared_programs",
    "side_by_side",
    "summarise",
    "table1",
    "table2",
    "table3",
    "table5",
    "table6",
    "table7",
    "table8",
    "table9",
    "tools_made",
    "two_stage",
    "two_stage_described",
]
