"""What can be chosen about a tool, or chains of thought, that one model makes for another to
use."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from trove_lite.methods.base import Settings

#: What answers a question without a tool: a program by PRIMITIVE's prompt, or nothing.
PRIMITIVE = "primitive"
NONE = "none"
#: The reading where a user is asked, and its reply read, as for every program of the pack.
PROGRAM = "program"
#: Two ways to accept a maker's replies; the second is a way to read answers too.
TESTED = "tested"
RELEASED = "released"
#: Between the method's name and the maker's, where tools were made elsewhere.
CARRIED = "_of_"
#: How a maker's reply is drawn: the run's sampling does not hold for it.
OF_MAKER = {"temperature": 0.3, "max_tokens": 2048, "stop": ()}


@dataclass(frozen=True)
class MakerSettings(Settings):
    """Settings of tools or thoughts that one model makes and another uses."""

    tools: dict[str, str] = field(default_factory=dict)
    """Tools made elsewhere, by CATEGORY or CATEGORY#SEED ("": none could be made). No maker is
    asked for these."""
    maker: str = ""
    """The maker of `tools`: a name for tables."""

    def table_name(self, method: str) -> str:
        """What was made elsewhere makes another system: `latm_of_GPT-4`."""
        return f"{method}{CARRIED}{self.maker or 'elsewhere'}" if self.tools else method

    def of_user(self, **how: object) -> dict[str, object]:
        """How a user's reply is drawn: where each instance is asked once at temperature 0, as in
        LATM."""
        return how | {"temperature": 0.0} if self.budget.calls == 1 else how


@dataclass(frozen=True)
class LatmSettings(MakerSettings):
    """LATM's settings, as in the paper. The preset `ours` reads answers better."""

    proposals: int = 3
    """How often the maker may write the function until it runs."""
    verifications: int = 3
    """How often the maker may write tests until the function passes them."""
    trials: int = 1
    """How often a tool may be made from the start. The first that passes is used."""
    all_trials: bool = False
    """Make all trials even if one passed, to count how many pass (LATM, Table 3)."""
    user_tokens: int = 1024
    """The most tokens of a user's reply."""
    reading: str = RELEASED
    """How the answer is read: `released`, as the released program does; `ours`, by syntax tree; or
    `program`, as every program of the pack, whose words then ask the user too (`one-factor`: its
    tool is at hand, without use cases)."""
    use_cases: bool = False
    """Demand a function and a use case of a wrapped tool. The preset `ours` does."""
    rewrap: bool = False
    """Where a wrapped reply lacks that, take the tested function and its tests as they are; by our
    own words alone."""
    reaches_end: bool = True
    """Code passes only if its last statement was reached. False: an earlier exit passes too."""
    only_definitions: bool = True
    """Keep only functions, imports and constants of a tool's code."""
    accepts: str = TESTED
    """What makes a tool of the maker's replies. `tested`: code that runs, tests that test it, and a
    block of Python at last. `released`: as in the released program a reply that says nothing will
    do, tests that test nothing too, and without a block no question is asked."""
    stops: bool = True
    """A trial ends where no proposal runs. False: tests of the last are asked for all the same, as
    in the released program."""
    repeats: bool = False
    """The last proposal is in the chat twice, as in the released program."""
    fallback: str = PRIMITIVE
    """What answers if no tool was made: `primitive`, a program by PRIMITIVE's prompt, or `none`."""

    #: What differs by the pack of prompts: the official words know of no fallback.
    OF_PACKS: ClassVar[Mapping] = {
        "official": {"fallback": NONE},
        "one-factor": {"reading": PROGRAM},
    }
    LIMITS = ("reading", (RELEASED, "ours", PROGRAM)), ("fallback", (PRIMITIVE, NONE))
    LIMITS += ("proposals", 1), ("verifications", 1), ("trials", 1)
    LIMITS += (("accepts", (TESTED, RELEASED)),)
    FORMERLY = (
        ("use_cases", False),
        ("reaches_end", False),
        ("only_definitions", False),
        ("fallback", NONE),
        ("accepts", TESTED),
        ("stops", True),
        ("repeats", False),
    )


def tool_of(settings: Settings, task: str) -> str | None:
    """The tool made elsewhere for a task, of TASK#SEED the run's own where several seeds made one;
    None for none."""
    return settings.tools.get(f"{task}#{settings.seed}", settings.tools.get(task))


def gold_text(gold: object) -> str:
    """A gold answer as it is written: 3, not 3.0."""
    return str(int(gold)) if isinstance(gold, float) and gold.is_integer() else str(gold)
