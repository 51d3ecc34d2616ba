"""Runs programs that nobody has read: `Sandbox` confines them by the kernel, and says of each how it ended."""

from ..lazy import index_of

TYPE_CHECKING = False  # as `typing` has it, without importing that
if TYPE_CHECKING:
    from .pool import Sandbox
    from .worker import Execution, IsolationError

__getattr__, __dir__ = index_of(__name__, __file__)
__all__ = ["Execution", "IsolationError", "Sandbox"]
