"""Runs that others made: reading logs, executing them again. This is the index of readers of logs.

A reader makes, of paths and the run folder to be, candidates, facts for `run.json`, and lines to
print. What is written beside the tables of `tool_calls` is a function of runs, programs, the
folder, `vision` and the sandbox's limits."""

from collections.abc import Callable

from trove_lite.plugins import Plugins

#: Formats of other harnesses, and tables, whose reader takes options of its own (`harness_logs`).
HARNESSES = ("inspect", "lm-eval", "evalplus", "table", "eee")
LOGS: Plugins[Callable] = Plugins(
    "logs",
    "format of logs",
    Callable,
    {"official": "trove_lite_analysis.recorded.official_logs:read_official"},
)
CALLS: Plugins[Callable] = Plugins("calls", "table of calls", Callable, {})
