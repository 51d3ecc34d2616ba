"""What papers print, and ours beside it. A paper is a file or folder here; it imports trove_lite, never the reverse.

`tables` has what is printed and the one maker of rows, `figures` how everything is drawn, `claims` what papers claim.
"""

from trove_lite.analysis.compare import percent, points

from .tables import check, expect, name_table, nothing, printed, published_table, save, show, side_by_side, why_empty
