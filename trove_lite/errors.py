"""The exceptions that users are meant to read."""


class TroveLiteError(Exception):
    """Bad input or a missing part: the message is one line that says what, where and what to do."""


class UsageError(TroveLiteError):
    """A command line that cannot be meant: nothing was begun."""
