"""What papers do and print, and ours beside it. A paper is a folder here: methods, words, data,
tables beside print.

It imports trove_lite, never the reverse: the kit finds what these folders have by entry points, as
it finds anybody's.
"""

from trove_lite import index_of

NAMES = "check expect name_table nothing percent points printed published_table show side_by_side why_empty"
__getattr__, __dir__, __all__ = index_of(__name__, {"pages": "Answer save", "tables": NAMES})
