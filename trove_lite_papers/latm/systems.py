"""Who made a tool and who used it: what LATM's tables call a system."""

from typing import NamedTuple

import pandas as pd

from .made_tools import THOUGHT_MAKER, TOOL_MAKER
from .settings import CARRIED

#: How the paper's tables call what it ran, and PRIMITIVE beside it; in the last the worked examples
#: are programs for the very task.
METHODS = {
    "latm": "LATM",
    "cot": "CoT",
    "made_cot": "made CoT",
    "standard": "direct",
    "primitive": "PRIMITIVE",
}
METHODS |= {"primitive_same_task": "PRIMITIVE (same task)"}
#: Who is paid once a task, not at every instance.
MAKERS = ("maker", "verifier", "wrapper")


class System(NamedTuple):
    """A method with the models that play in it. `maker`: "" where nothing is made."""

    method: str
    user: str
    maker: str = ""

    @property
    def title(self) -> str:
        """As in `CoT, GPT-4`, `LATM, GPT-4`, and where another made the tool `LATM of GPT-4,
        GPT-3.5`."""
        of = f" of {self.maker}" if self.maker not in ("", self.user) else ""
        return f"{METHODS[self.method]}{of}, {self.user}"


def family(method: str) -> str:
    """A method's own name: `latm` for `latm_of_GPT-4`."""
    return method.partition(CARRIED)[0]


def systems(calls: pd.DataFrame) -> dict[tuple[str, str], System]:
    """The system of each run and method of these calls that LATM's tables know."""
    asked = calls[calls["model"].notna()].astype({"run": str, "method": str, "model": str})
    asked = asked[asked["method"].map(family).isin(METHODS)]
    of_user = ~asked["role"].isin(MAKERS)
    parts = asked[of_user], asked[asked["role"] == MAKERS[0]]
    users, makers = (rows.groupby(["run", "method"])["model"].first() for rows in parts)
    found = {}
    for key in dict.fromkeys([*users.index, *makers.index]):
        name, _, elsewhere = key[1].partition(CARRIED)
        user = users.get(key, makers.get(key))
        maker = elsewhere or (makers.get(key, user) if name in (TOOL_MAKER, THOUGHT_MAKER) else "")
        found[key] = System(name, user, maker)
    return found
