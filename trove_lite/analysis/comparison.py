"""The names that papers and the audit import from here, until they import them from `sides`, `compare` and `costs`."""

from .compare import *  # noqa: F403
from .compare import difference_cells as tested  # noqa: F401
from .costs import *  # noqa: F403
from .sides import *  # noqa: F403
