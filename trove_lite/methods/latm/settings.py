"""What can be chosen about a tool, or chains of thought, that one model makes for another to use."""

from dataclasses import dataclass, field

from ..base import Settings, at_least, one_of

#: What answers a question without a tool: a program by PRIMITIVE's prompt, or nothing.
PRIMITIVE, NONE = "primitive", "none"
#: Between the method's name and the maker's, where tools were made elsewhere.
CARRIED = "_of_"
#: How a maker's reply is drawn: the run's sampling does not hold for it.
OF_MAKER = {"temperature": 0.3, "max_tokens": 2048, "stop": ()}


@dataclass(frozen=True)
class MakerSettings(Settings):
    """What goes for whatever one model makes for another to use."""

    tools: dict[str, str] = field(default_factory=dict)
    """What was made elsewhere, by category ("": nothing could be), or CATEGORY#SEED: for these no maker is asked."""
    maker: str = ""
    """Who made `tools`, as tables call it."""

    def table_name(self, method: str) -> str:
        """What was made elsewhere makes another system: `latm_of_GPT-4`."""
        return f"{method}{CARRIED}{self.maker or 'elsewhere'}" if self.tools else method

    def of_user(self, **how: object) -> dict[str, object]:
        """How a user's reply is drawn: where each instance is asked once at temperature 0, as in LATM."""
        return how | {"temperature": 0.0} if self.budget.calls == 1 else how


@dataclass(frozen=True)
class LatmSettings(MakerSettings):
    """LATM's choices, as the paper describes them; `ours` reads answers better."""

    proposals: int = 3
    """How often the function may be written, until it runs."""
    verifications: int = 3
    """How often the tests may be written, until the function passes them."""
    trials: int = 1
    """How often a tool is made from the start, until one passes, which is used."""
    all_trials: bool = False
    """Whether all trials are made although one passed, to count how many do (LATM, Table 3). The first is used."""
    user_tokens: int = 1024
    """Tokens that a user's reply may have."""
    reading: str = "released"
    """How the answer is found: `released`, the program's pattern and conversions, or `ours`, by syntax tree."""
    use_cases: bool = False
    """Whether a wrapped tool needs a function and a use case: one without says nobody how it is called (`ours`)."""
    reaches_end: bool = True
    """Whether code passes only where its last statement was reached: an exit before it ends well too."""
    only_definitions: bool = True
    """Whether a tool is its functions with their imports and constants, and nothing else of its code."""
    fallback: str = PRIMITIVE
    """What answers where no tool was made: `primitive`, a program by PRIMITIVE's prompt, or `none`."""

    def __post_init__(self):
        super().__post_init__()
        one_of("reading", self.reading, ("released", "ours"))
        one_of("fallback", self.fallback, (PRIMITIVE, NONE))
        at_least(1, proposals=self.proposals, verifications=self.verifications, trials=self.trials)


def tool_of(settings: Settings, task: str) -> str | None:
    """The tool made elsewhere for a task, of TASK#SEED the run's own where several seeds made one; None for none."""
    return settings.tools.get(f"{task}#{settings.seed}", settings.tools.get(task))
