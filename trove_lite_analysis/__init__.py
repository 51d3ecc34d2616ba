"""Reads tables of candidates: scores, intervals, comparisons, calls of tools, checks, pages and
reports.

It imports trove_lite, never the reverse. Each public name is imported when it is first used.
"""

from trove_lite import index_of

__getattr__, __dir__, __all__ = index_of(
    __name__,
    {
        "differences": "accuracy accuracy_differences between_runs difference",
        "costs": "matched_budgets",
        "failure_modes": "failures tool_kinds tools_imported tools_made",
        "sentence": "Sentence headline",
        "independence": "independent_runs repetitions shared_programs",
        "pairwise": "pairs",
        "systems": "compare",
        "kept_tools": "final_toolboxes toolboxes",
        "cli.notebooks": "paths",
        "recorded.tool_calls": "tool_calls",
        "view.sources": "load_systems",
    },
)
