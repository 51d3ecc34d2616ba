"""How far a long piece of work is: a bar on a terminal, a plain line now and then elsewhere. It draws, and no more."""

import sys
import time

EVERY_SECONDS = 30.0


class Bar:
    """`done` of `total` pieces of work, a `unit` each. A context manager; draws nothing where it is not `enabled`."""

    def __init__(self, total: int, what: str, *, unit: str = "", done: int = 0, enabled: bool = True):
        self.total, self.what, self.unit, self.done, self.enabled = total, what, unit, done, enabled
        self.said, self.told = time.monotonic(), -1
        self.drawn = None

    def __enter__(self) -> "Bar":
        if self.enabled and sys.stderr.isatty():
            from tqdm import tqdm

            size = {"unit": self.unit, "unit_scale": self.unit == "B"}
            self.drawn = tqdm(total=self.total, initial=self.done, desc=self.what, **size)
        return self

    def __exit__(self, failure: type | None, *_) -> None:
        if self.drawn:
            self.drawn.close()
        elif self.enabled and self.total and not failure and self.told != self.done:
            self._say()

    def update(self, more: int = 1) -> None:
        """So many more are done."""
        self.done += more
        if self.drawn:
            self.drawn.update(more)
        elif self.enabled and time.monotonic() - self.said > EVERY_SECONDS:
            self._say()

    def _say(self) -> None:
        self.said, self.told = time.monotonic(), self.done
        print(f"{self.what}: {self.done:,} of {self.total:,} {self.unit}".rstrip(), file=sys.stderr)
