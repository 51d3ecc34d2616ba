"""How a run is doing: problems answered and the share answered right so far, stream by stream.

On a terminal these are bars: one for each stream where they fit, else one for all. Elsewhere (a log, a notebook) a line
is printed now and then. It draws, and knows nothing else.
"""

import shutil
import sys
import time
from collections.abc import Callable, Mapping

from tqdm import tqdm

from ..errors import shown

EVERY_SECONDS = 30.0


class Progress:
    """Bars for streams, named by label, each with as many problems as `totals` says. A context manager."""

    def __init__(self, totals: Mapping[str, int], *, enabled: bool = True):
        self.totals, self.enabled = dict(totals), enabled
        self.right = dict.fromkeys(totals, 0)
        self.answered = dict.fromkeys(totals, 0)
        self.bars: dict[str, tqdm] = {}
        self.last = time.monotonic()
        self.missing = 0  # samples that could not be had
        self.retried: Callable[[], int] = lambda: 0  # requests sent again

    def __enter__(self) -> "Progress":
        if self.enabled and sys.stderr.isatty():
            fits = len(self.totals) < shutil.get_terminal_size().lines - 2
            totals = self.totals if fits else {"all streams": sum(self.totals.values())}
            self.bars = {
                label: tqdm(total=n, desc=label, unit="problem", position=i)
                for i, (label, n) in enumerate(totals.items())
            }
        return self

    def __exit__(self, *_) -> None:
        for bar in self.bars.values():
            bar.close()

    def update(self, label: str, verdicts: Mapping[int, bool]) -> None:
        """A problem of this stream was answered; `verdicts` are all of its problems' so far."""
        before = self.answered[label]
        self.answered[label], self.right[label] = len(verdicts), sum(verdicts.values())
        if not self.enabled:
            return
        if self.bars:
            own = label in self.bars
            bar = self.bars[label] if own else next(iter(self.bars.values()))
            right, answered = (
                (self.right[label], len(verdicts)) if own else (sum(self.right.values()), sum(self.answered.values()))
            )
            bar.set_postfix_str(f"accuracy {right / answered:.3f}{self.troubles()}", refresh=False)
            bar.update(len(verdicts) - before)
        elif time.monotonic() - self.last > EVERY_SECONDS:
            self.last = time.monotonic()
            self.say(
                self.line(
                    "all streams", sum(self.right.values()), sum(self.answered.values()), sum(self.totals.values())
                )
            )

    def done(self, label: str) -> None:
        """A stream has come to its end."""
        if self.enabled and not self.bars:
            self.say(self.line(label, self.right[label], self.answered[label], self.totals[label]))

    def line(self, label: str, right: int, answered: int, total: int) -> str:
        """How a stream is doing, in words."""
        return f"{label}: {answered}/{total} problems, accuracy {right / max(1, answered):.3f}{self.troubles()}"

    def troubles(self) -> str:
        """What went wrong with requests so far; "" where nothing did."""
        counts = ((self.retried(), "requests sent again"), (self.missing, "samples not to be had"))
        return "".join(f", {count} {what}" for count, what in counts if count)

    def say(self, text: str) -> None:
        """Print a line without tearing the bars."""
        tqdm.write(shown(text, lines=True), file=sys.stderr)
