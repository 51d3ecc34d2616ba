"""What can be chosen about a method: its budget, its selection, and all that TROVE leaves open.

PRESETS holds the paper's choices and the official program's, which differ. It knows names and values, not what is done
with them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..errors import TroveLiteError
from ..selection import RULES
from .toolbox import RANKINGS, THRESHOLDS


def one_of(name: str, value: object, allowed: Sequence) -> None:
    """Refuse a value that is not among those allowed."""
    if value not in allowed:
        raise TroveLiteError(f"{name} '{value}': choose from {', '.join(map(str, allowed))}")


@dataclass(frozen=True)
class Budget:
    """What a problem may spend on candidates: `calls`, or instead `completion_tokens`, of at most `most` a call."""

    calls: int = 15
    completion_tokens: int | None = None
    most: int = 512

    def due(self, tokens: Sequence[int | None]) -> int:
        """How many more samples to ask for at once after some of so many `tokens` each; 0 when the budget is met.

        By tokens, these are as many as are needed even if each is as long as it can be. So the samples of a problem
        are the first ones whose tokens reach the budget, as if asked for one by one, and none is wasted.
        """
        if self.completion_tokens is None:
            return self.calls - len(tokens)
        spent = sum(self.most if n is None else max(1, n) for n in tokens)  # never 0, or it never ends
        return max(0, math.ceil((self.completion_tokens - spent) / self.most))


@dataclass(frozen=True)
class Settings:
    """What every method has: the budget of a problem, the rule that selects its answer, and the run's seed."""

    budget: Budget = field(default_factory=Budget)
    selection: str = "one_stage"
    seed: int = 0

    def __post_init__(self):
        one_of("selection", self.selection, (*RULES, "random"))
        spend = self.budget.calls if self.budget.completion_tokens is None else self.budget.completion_tokens
        if spend < 1:
            raise TroveLiteError(f"budget {spend}: a problem needs at least one call or token")


@dataclass(frozen=True)
class TroveSettings(Settings):
    """TROVE's choices, as the paper describes them; PRESETS has the official program's beside them.

    threshold, interval: trim every `interval` problems what was used less often than `threshold` (THRESHOLDS) says;
    final_trim: and once more at the end. retry: then solve again what had used a trimmed tool, by IMPORT and SKIP.
    shown: how many tools a prompt lists (None: all); ranking: in which order (`uses`, `lexical`, `model`).
    shuffle: the seed of a shuffled problem order (None: the data set's own).
    rectify: `create` or `import`, whose responses the model writes anew with the toolbox in view (None: neither).
    adds: modes whose selected response may add tools; adds_failing: those that may although their program failed;
    adds_retry: whether problems solved again may; kinds: what is a tool.
    """

    selection: str = "one_stage_described"
    modes: tuple[str, ...] = ("import", "create", "skip")
    threshold: str = "half_log10"
    interval: int = 200
    final_trim: bool = False
    retry: bool = True
    shown: int | None = None
    ranking: str = "uses"
    shuffle: int | None = None
    rectify: str | None = None
    adds: tuple[str, ...] = ("create",)
    adds_failing: tuple[str, ...] = ()
    adds_retry: bool = False
    kinds: tuple[str, ...] = ("function",)

    def __post_init__(self):
        super().__post_init__()
        for name, values, allowed in (
            ("modes", self.modes, ("import", "create", "skip")),
            ("adds", self.adds, ("import", "create")),
            ("adds_failing", self.adds_failing, ("import", "create")),
            ("kinds", self.kinds, ("function", "import")),
            ("threshold", (self.threshold,), tuple(THRESHOLDS)),
            ("ranking", (self.ranking,), (*RANKINGS, "model")),
            ("rectify", (self.rectify,), (None, "create", "import")),
        ):
            for value in values:
                one_of(name, value, allowed)
        if not self.modes or len(set(self.modes)) < len(self.modes):
            raise TroveLiteError(f"modes {', '.join(self.modes) or 'none'}: name each mode once, and at least one")
        for name, value, least in (("interval", self.interval, 1), ("shown", self.shown, 0)):
            if value is not None and value < least:
                raise TroveLiteError(f"{name} {value}: must be at least {least}")
        if self.budget.completion_tokens is None and self.budget.calls % len(self.modes):
            raise TroveLiteError(
                f"k {self.budget.calls} does not divide among {len(self.modes)} modes ({', '.join(self.modes)}): "
                f"choose a multiple of {len(self.modes)}"
            )


#: `official` is what the program in zorazrw/trove does where it departs from the paper.
PRESETS = {
    "paper": TroveSettings(),
    "official": TroveSettings(
        selection="two_stage",
        threshold="log20",
        interval=500,
        final_trim=True,
        shown=10,
        adds=("import", "create"),
        adds_failing=("import",),
        adds_retry=True,
        kinds=("function", "import"),
    ),
}
