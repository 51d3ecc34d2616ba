"""People verify programs: blinded pages, and what their answers say. `python -m papers.raters export|read`."""

import argparse
import sys
from pathlib import Path

from trove_lite.errors import TroveLiteError

from .. import save, show
from ..trove.table5 import verification
from .answers import read_study
from .export import PAGES, write_study


def options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m papers.raters", description=__doc__.split(".")[0])
    parts = parser.add_subparsers(dest="part", required=True, metavar="export|read", help="what to do")
    export = parts.add_parser("export", help="write a page a rater, and the key to them")
    export.add_argument("runs", nargs="+", metavar="RUN", help="run folder with text; two methods or more in all")
    export.add_argument("--out", required=True, metavar="FOLDER", help="study to make: pages/ to send, the key to keep")
    export.add_argument("--raters", type=int, default=6, help="a multiple of the methods (default: %(default)s)")
    export.add_argument("--problems", type=int, default=100, help="at most, for each rater (default: %(default)s)")
    export.add_argument("--seed", type=int, default=0, help="of problems and orders (default: %(default)s)")
    export.add_argument("--output", action="store_true", help="show what each program printed, too")
    read = parts.add_parser("read", help="answers → agreement, accuracy, time, power")
    read.add_argument("folder", metavar="FOLDER", help="study, as export wrote it")
    read.add_argument("answers", nargs="+", metavar="ANSWERS", help="files that raters' pages wrote")
    read.add_argument("--out", metavar="FOLDER", help="for tables and figures (default: results in the study)")
    return parser


def export(runs, out, **how) -> None:
    made = write_study(runs, out, **how)
    print(
        f"{made.folder / PAGES}: a page for each of {made.raters} raters, {made.problems} problems each, programs of "
        f"{', '.join(made.methods)}; send these\n{made.folder}: the key; keep it from the raters"
    )
    if made.left_out:
        print(f"{made.left_out} answers could not be shown whole, or hold no program, and are in no page")


def read(folder, answers, out) -> None:
    place = Path(out) if out else Path(folder) / "results"
    found = verification(read_study(folder, answers))
    for table in found[:3]:
        print(f"{table.attrs['title']}\n{show(table).to_string(index=False)}\n")
    print(f"Ratings of {found[0].attrs['runs']}.")
    for thing in found:
        save(thing, place)
    print(f"tables and figures in {place}")


def main(words: list[str] | None = None) -> int:
    given = vars(options().parse_args(words))
    work = {"export": export, "read": read}[given.pop("part")]
    try:
        work(**given)
    except TroveLiteError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
