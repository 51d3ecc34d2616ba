"""What papers print, and ours beside it. A paper is a file or folder here; it imports trove_lite, never the reverse.

`tables` has what is printed and the one maker of rows, `figures` how everything is drawn, `claims` what papers claim.
"""

from trove_lite.analysis.compare import percent, points

from .tables import (
    COLUMNS,
    ROUNDING,
    Look,
    Whole,
    beside,
    check,
    in_columns,
    is_in_print,
    is_its_model,
    name_table,
    nothing,
    only_printed,
    printed,
    published_table,
    published_value,
    save,
    show,
    side_by_side,
    statuses,
    why_empty,
)
