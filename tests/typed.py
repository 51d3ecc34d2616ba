"""A command as one types it."""

from trove_lite.cli import main


def typed(words: str, *more: object) -> int:
    """The status of a command: its words, and others after them, such as paths."""
    return main([*words.split(), *map(str, more)])
