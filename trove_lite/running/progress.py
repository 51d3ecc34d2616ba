"""How a run is doing: a bar for all streams, with accuracy and what went wrong so far."""

import sys
from collections.abc import Callable, Mapping

from tqdm import tqdm

from ..bars import bar
from ..errors import shown


class Progress:
    """The progress of streams, by label, of `total` problems together."""

    def __init__(self, total: int, *, enabled: bool = True):
        self.bar = bar(total, unit="problem", enabled=enabled)
        self.verdicts: dict[str, Mapping[int, bool]] = {}
        self.missing = 0  # samples that could not be had
        self.retried: Callable[[], int] = lambda: 0  # requests sent again

    def update(self, label: str, verdicts: Mapping[int, bool]) -> None:
        """A problem of this stream was answered; `verdicts` are all of its problems' so far."""
        self.verdicts[label] = verdicts
        known = [verdict for own in self.verdicts.values() for verdict in own.values()]
        counts = ((self.retried(), "requests sent again"), (self.missing, "samples not to be had"))
        troubles = "".join(f", {count} {what}" for count, what in counts if count)
        self.bar.set_postfix_str(
            f"accuracy {known.count(True) / len(known):.3f}{troubles}", refresh=False
        )
        self.bar.update(len(known) - self.bar.n)

    def say(self, text: str) -> None:
        """Print a line without tearing the bar."""
        tqdm.write(shown(text, lines=True), file=sys.stderr)
