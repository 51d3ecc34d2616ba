"""How a question is asked: a method is a file, and this is the index of their names."""

from .base import Method, Settings
from .primitive import instance, primitive
from .trove import TroveSettings, ahead, trove

METHODS = {
    "primitive": Method(primitive, Settings, None),
    "instance": Method(instance, Settings, None),
    "trove": Method(trove, TroveSettings, ahead),
}
