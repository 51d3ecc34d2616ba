"""Commands on finished runs and on logs, and what `trove-lite run` says at its end."""

from collections.abc import Mapping
from pathlib import Path

from . import commands, log_commands
from .bench import bench
from .completion import completion

COMMANDS = {
    work.__name__.rstrip("_"): work
    for work in (
        bench,
        commands.report,
        commands.batch,
        commands.summary,
        commands.view,
        log_commands.compare,
        commands.outcomes,
        log_commands.import_,
        log_commands.judge,
        log_commands.export,
        log_commands.reexecute,
        log_commands.calls,
    )
}
#: Shown after all others.
LAST = {"completion": completion}
#: Those that go on where they were stopped.
RESUMABLE = ("bench", "batch", "reexecute", "calls")


def last_lines(out: Path) -> list[str]:
    """What a complete run came to: its accuracy, what could not be read, and what speaks against
    it."""
    from trove_lite.candidates import load_candidates

    from ..recorded.judging import unread_in_words
    from ..summary import answered, by_agreement

    rows = load_candidates(out)
    return [
        *by_agreement(rows),
        *answered(rows)[1],
        *unread_in_words(rows, out),
        *commands.checks_against(out),
        f"look closer: trove-lite view {out}, trove-lite summary {out}",
        f"all tables and figures: trove-lite report {out} --out NAME",
    ]


def formats() -> Mapping[str, str]:
    """Formats of logs by name, and where each is read."""
    from ..recorded import HARNESSES, LOGS

    known = {name: LOGS.source(name) for name in LOGS}
    return known | dict.fromkeys(HARNESSES, "trove_lite_analysis.recorded.harness_logs")
