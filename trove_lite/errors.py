"""The exceptions that users are meant to read, and how a text that somebody else wrote is kept and
shown."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from .sandbox.errors import TroveLiteError as TroveLiteError
from .sandbox.errors import shown as shown


class UsageError(TroveLiteError):
    """A command line that cannot be meant: nothing was begun."""


class DamagedFile(TroveLiteError):
    """A file that is not what it should be: the message names file and line, and says what to
    do."""


@contextmanager
def blamed_on(file: object) -> Iterator[None]:
    """Around what is made of a file's content: what is wrong with it is the file's fault."""
    try:
        yield
    except TroveLiteError as error:
        raise DamagedFile(f"{file}: {shown(str(error))}; restore it, or choose another") from error


def one_of(name: str, value: object, allowed: Iterable) -> None:
    """Refuse a value that is not among those allowed; of a tuple, each."""
    for one in value if isinstance(value, tuple) else (value,):
        if one not in allowed:
            raise TroveLiteError(f"{name} '{one}': choose from {', '.join(map(str, allowed))}")


def encodable(text: str) -> str:
    """The text with `?` for each lone surrogate: a model or a program may write one, and no UTF-8
    file can hold it."""
    return text.encode("utf-8", "replace").decode("utf-8")
