"""People verify programs: blinded pages, and what their answers say.

Its commands are `python -m trove_lite_papers.raters export` and `read`.
"""

import argparse
import sys
from pathlib import Path

from trove_lite.errors import TroveLiteError

from ..pages import save
from ..tables import show
from ..trove.table5 import verification
from .answers import read_study
from .export import PAGES, write_study


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m trove_lite_papers.raters", description=__doc__.split(".")[0]
    )
    parts = parser.add_subparsers(
        dest="part", required=True, metavar="export|read", help="what to do"
    )
    export = parts.add_parser("export", help="write a page a rater, and the key to them")
    export.add_argument(
        "runs", nargs="+", metavar="RUN", help="run folder with text; two methods or more in all"
    )
    export.add_argument(
        "--out",
        required=True,
        metavar="FOLDER",
        help="study to make: pages/ to send, the key to keep",
    )
    export.add_argument(
        "--raters", type=int, default=6, help="a multiple of the methods (default: %(default)s)"
    )
    export.add_argument(
        "--problems", type=int, default=100, help="at most, for each rater (default: %(default)s)"
    )
    export.add_argument(
        "--seed", type=int, default=0, help="of problems and orders (default: %(default)s)"
    )
    read = parts.add_parser("read", help="answers → accuracy and time by method")
    read.add_argument("folder", metavar="FOLDER", help="study, as export wrote it")
    read.add_argument(
        "answers", nargs="+", metavar="ANSWERS", help="files that raters' pages wrote"
    )
    read.add_argument(
        "--out", metavar="FOLDER", help="for tables and figures (default: results in the study)"
    )
    given = parser.parse_args(words)
    try:
        if given.part == "export":
            how = {"raters": given.raters, "problems": given.problems, "seed": given.seed}
            left_out = write_study(given.runs, given.out, **how)
            print(
                f"{Path(given.out) / PAGES}: send these; keep the rest of {given.out} from the raters"
            )
            print(f"{left_out} answers are in no page: not known whole, or no program")
        else:
            for thing in verification(read_study(given.folder, given.answers)):
                if hasattr(thing, "columns"):
                    print(
                        f"{thing.attrs['title']}, {thing.attrs['runs']}\n{show(thing).to_string(index=False)}\n"
                    )
                save(thing, given.out or Path(given.folder) / "results")
    except TroveLiteError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
