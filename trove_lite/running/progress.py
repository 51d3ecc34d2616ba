"""How a run is doing: a bar for all streams on a terminal, elsewhere a line now and then and one at a stream's end."""

import sys
import time
from collections.abc import Callable, Mapping

from tqdm import tqdm

from ..bars import EVERY_SECONDS
from ..errors import shown


class Progress:
    """The progress of streams, named by label, each with as many problems as `totals` says. A context manager."""

    def __init__(self, totals: Mapping[str, int], *, enabled: bool = True):
        self.totals, self.enabled = dict(totals), enabled
        self.verdicts: dict[str, Mapping[int, bool]] = {label: {} for label in totals}
        self.bar: tqdm | None = None
        self.last = time.monotonic()
        self.missing = 0  # samples that could not be had
        self.retried: Callable[[], int] = lambda: 0  # requests sent again

    def __enter__(self) -> "Progress":
        if self.enabled and sys.stderr.isatty():
            self.bar = tqdm(total=sum(self.totals.values()), unit="problem")
        return self

    def __exit__(self, *_) -> None:
        if self.bar:
            self.bar.close()

    def update(self, label: str, verdicts: Mapping[int, bool]) -> None:
        """A problem of this stream was answered; `verdicts` are all of its problems' so far."""
        self.verdicts[label] = verdicts
        if self.bar:
            self.bar.set_postfix_str(self.state(*self.totals), refresh=False)
            self.bar.update(sum(map(len, self.verdicts.values())) - self.bar.n)
        elif self.enabled and time.monotonic() - self.last > EVERY_SECONDS:
            self.last = time.monotonic()
            self.say(f"all streams: {self.state(*self.totals)}")

    def done(self, label: str) -> None:
        if self.enabled and not self.bar:
            self.say(f"{label}: {self.state(label)}")

    def state(self, *labels: str) -> str:
        right = [verdict for label in labels for verdict in self.verdicts[label].values()]
        counts = ((self.retried(), "requests sent again"), (self.missing, "samples not to be had"))
        troubles = "".join(f", {count} {what}" for count, what in counts if count)
        total = sum(self.totals[label] for label in labels)
        return f"{len(right)}/{total} problems, accuracy {right.count(True) / max(1, len(right)):.3f}{troubles}"

    def say(self, text: str) -> None:
        """Print a line without tearing the bar."""
        tqdm.write(shown(text, lines=True), file=sys.stderr)
