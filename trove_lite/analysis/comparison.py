"""What `papers` and `audit` still import from here: see `compare` and `costs`."""

from .compare import *  # noqa: F403
