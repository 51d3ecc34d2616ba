"""How a question is asked: a method is a file, and this is the index of the kit's own."""

from ..plugins import Plugins
from .base import Method

METHODS = Plugins(
    "methods",
    "method",
    Method,
    {
        "primitive": "trove_lite.methods.primitive:PRIMITIVE",
        "instance": "trove_lite.methods.primitive:INSTANCE",
        "trove": "trove_lite.methods.trove:TROVE",
        "primitive_same_task": "trove_lite.methods.primitive:PRIMITIVE_SAME_TASK",
    },
)


def load_method(name: str) -> Method:
    """The method of that name, or the one at `module:attribute`. Raises TroveLiteError for any
    other name."""
    return METHODS.load(name)
