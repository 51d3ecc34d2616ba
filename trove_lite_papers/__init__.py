"""What papers do and print, and ours beside it. A paper is a folder here: methods, words, data, tables beside print.

It imports trove_lite, never the reverse: the kit finds the methods, data sets, prompts and logs of these folders by
entry points, as it finds anybody's. `tables` has what is printed and the one maker of rows, `figures` how everything is
drawn, `claims` what papers claim.
"""

from trove_lite.lazy import index_of

__getattr__, __dir__, __all__ = index_of(
    __name__,
    {
        "tables": "check expect name_table nothing percent points printed published_table save show side_by_side "
        "why_empty",
    },
)
