"""Runs programs that nobody has read: `Sandbox` confines them by the kernel, and says of each how it ended."""

from ..lazy import index_of

__getattr__, __dir__, __all__ = index_of(__name__, {"pool": "Sandbox", "worker": "Execution IsolationError"})
