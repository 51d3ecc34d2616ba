"""trove_lite: does tool-making help a language model that answers by writing programs?

This is the index of public names. Each is imported when it is first used, so that reading a table needs neither an
engine nor a sandbox, and `import trove_lite` nothing at all.
"""

from .lazy import index_of

__getattr__, __dir__, __all__ = index_of(
    __name__,
    {
        "analysis.choose": "choose",
        "analysis.compare": "accuracy accuracy_differences between_runs",
        "analysis.costs": "matched_budgets",
        "analysis.failures": "failures tool_kinds tools_imported tools_made",
        "analysis.headline": "Sentence headline",
        "analysis.independence": "independent_runs repetitions shared_programs",
        "analysis.pairs": "pairs",
        "analysis.sides": "compare",
        "analysis.toolboxes": "final_toolboxes toolboxes",
        "candidates": "load_calls load_candidates",
        "datasets": "load_problems",
        "errors": "TroveLiteError",
        "cli.notebooks": "paths",
        "recorded.tool_calls": "tool_calls",
        "view.sources": "load_sides",
        "selection": "RULES",
    },
)
