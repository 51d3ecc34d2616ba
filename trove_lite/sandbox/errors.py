"""What the sandbox says in one line when it cannot do what is asked.

It is the kit's own error. It is defined here, since the sandbox imports nothing else of the kit.
"""


class TroveLiteError(Exception):
    """Bad input or a missing part: the message is one line that says what, where and what to do."""


class IsolationError(TroveLiteError):
    """No program was run: the isolation that was asked for cannot be had, or the machine cannot run
    anything now."""


def shown(text: str, *, lines: bool = False) -> str:
    r"""The text as it can be printed: what a terminal would obey or hide stands escaped, such as
    `\x1b`. That is every character that is not printable by Unicode: controls, direction marks,
    lone surrogates. With `lines` the ends of lines stay."""
    kept = "\n" if lines else ""
    return "".join(
        c if c.isprintable() or c in kept else c.encode("unicode_escape").decode("ascii")
        for c in text
    )
