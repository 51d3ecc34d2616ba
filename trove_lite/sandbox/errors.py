"""What the sandbox says in one line when it cannot do what is asked.

It is the kit's own error. It is defined here, since the sandbox imports nothing else of the kit.
"""


class TroveLiteError(Exception):
    """Bad input or a missing part: the message is one line that says what, where and what to do."""


class IsolationError(TroveLiteError):
    """No program was run: the isolation that was asked for cannot be had, or the machine cannot run
    anything now."""


def shown(text: str, *, lines: bool = False) -> str:
    r"""The text as it can be printed: what a terminal would obey or hide is escaped, such as
    `\x1b`. That is every character that is not printable by Unicode: controls, direction marks,
    lone surrogates. With `lines` the ends of lines stay."""
    if text.isprintable():
        return text
    return text.translate(_OF_LINES if lines else _OF_TEXT)


class _Escapes(dict):
    """By code point what is shown of a character, worked out when it is first met."""

    def __missing__(self, point: int) -> str:
        sign = chr(point)
        seen = sign if sign.isprintable() else sign.encode("unicode_escape").decode("ascii")
        self[point] = seen
        return seen


_OF_TEXT = _Escapes()
_OF_LINES = _Escapes({ord("\n"): "\n"})
