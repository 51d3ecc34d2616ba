"""How a question is asked: a method is a file, and this is the index of their names."""

from ..plugins import load_plugin
from .base import Method

METHODS = {
    "primitive": "trove_lite.methods.primitive:PRIMITIVE",
    "instance": "trove_lite.methods.primitive:INSTANCE",
    "trove": "trove_lite.methods.trove:TROVE",
    "standard": "trove_lite.methods.cot:STANDARD",
    "cot": "trove_lite.methods.cot:COT",
    "pot": "trove_lite.methods.pot:POT",
    "entangled": "trove_lite.methods.pot:ENTANGLED",
    "creator": "trove_lite.methods.creator:CREATOR",
    "tool_use": "trove_lite.methods.tool_use:TOOL_USE",
    "transfer": "trove_lite.methods.transfer:TRANSFER",
    "primitive_same_task": "trove_lite.methods.primitive:PRIMITIVE_SAME_TASK",
    "memory": "trove_lite.methods.memory:MEMORY",
    "tte": "trove_lite.methods.tte:TTE",
    "craft": "trove_lite.methods.craft:CRAFT",
    "regal": "trove_lite.methods.regal:REGAL",
    "latm": "trove_lite.methods.latm:LATM",
    "made_cot": "trove_lite.methods.latm.thoughts:MADE_COT",
    "dispatcher": "trove_lite.methods.latm.dispatcher:DISPATCHER",
}


def load_method(name: str) -> Method:
    """The method of that name, or the one at `module:attribute`. Raises TroveLiteError for any other name."""
    return load_plugin("method", name, METHODS, Method)
