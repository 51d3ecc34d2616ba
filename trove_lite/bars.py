"""How far a long piece of work is: a bar on a terminal, a plain line now and then elsewhere."""

import sys
import time

EVERY_SECONDS = 30.0


class Bar:
    """`done` of `total` pieces of work, a `unit` each. A context manager; draws nothing where it is not `enabled`."""

    def __init__(self, total: int, what: str, *, unit: str = "", enabled: bool = True):
        self.total, self.what, self.unit, self.done, self.enabled = total, what, unit, 0, enabled
        self.last, self.drawn = time.monotonic(), None

    def __enter__(self) -> "Bar":
        if self.enabled and sys.stderr.isatty():
            from tqdm import tqdm

            size = {"unit": self.unit, "unit_scale": self.unit == "B"}
            self.drawn = tqdm(total=self.total, desc=self.what, **size)
        return self

    def __exit__(self, failure: type | None, *_) -> None:
        if self.drawn:
            self.drawn.close()
        elif self.total and not failure:
            self.update(0, every=0)

    def update(self, more: int = 1, every: float = EVERY_SECONDS) -> None:
        """So many more are done."""
        self.done += more
        if self.drawn:
            self.drawn.update(more)
        elif self.enabled and (now := time.monotonic()) - self.last > every:
            self.last = now
            print(f"{self.what}: {self.done:,} of {self.total:,} {self.unit}".rstrip(), file=sys.stderr)
