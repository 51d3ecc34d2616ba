"""What a run is set to: what its rows depend on, and what may differ tomorrow.

The command line, YAML files and notebooks read these classes: a field is an option, and its
docstring is its help.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Literal

from ..datasets import GRADERS, load_dataset
from ..datasets.base import Dataset, Names, refuse_eyes
from ..errors import TroveLiteError, one_of
from ..methods import METHODS, load_method
from ..methods.base import Budget, Settings, as_begun, at_least, with_tuples
from ..models.base import CHAT, SamplingSettings
from ..programs.parse import PARSERS
from ..prompts import one_factor

PAPERS_MODEL = "vllm:codellama/CodeLlama-7b-Instruct-hf"
COMES_ALONG = (
    "practice"  # a data set, the tiny model that solves it, and its prompts: nothing to fetch
)
MOST = {
    "seed": 2**63 - 1,
    "k": 1 << 20,
    "memory": 1 << 30,
}  # what tables hold; calls and MiB: else a slip of the finger
OUR_WORDS = ("own", "one-factor")  # packs whose replies the strict parser reads
LEAST_MEMORY = 16  # MiB: with less, an interpreter cannot do what the simplest program asks


@dataclass(frozen=True)
class RunSettings:
    """What a run's rows depend on. The defaults are the papers'. A run with any other value is
    another run."""

    name: str = "run"
    """The run is NAME_seedN in tables. Folders of one study share a NAME. Default: the folder's
    name."""
    methods: Names = ("trove",)
    """The methods that answer: see `trove-lite list methods`."""
    dataset: str = COMES_ALONG
    """The problems: a data set's name, or your own FILE.jsonl with `question` and `answer` in each
    line."""
    categories: Names = ()
    """Categories of the data set. Default: all."""
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
    """One run for each seed. The seed of every sample is computed from it."""
    model: str | None = None
    """vllm:NAME, http://HOST:PORT/v1#NAME, canned:FILE (written replies), or practice, the tiny
    model in this package.
    Default: that of the data set (practice for the practice problems), else
    vllm:codellama/CodeLlama-7b-Instruct-hf, the papers' model."""
    roles: dict[str, str] = field(default_factory=dict)
    """Other models for single roles of a method, such as --role maker=SPEC."""
    chat: Literal["auto", "on", "off"] = "auto"
    """Whether to use the model's chat template. auto: for messages, not for texts. on: for both.
    off: for neither; methods that need messages are refused."""
    prompts: str | None = None
    """The prompts: one-factor (with options one-factor?thought=comments, see docs/methods.md), own,
    official or practice. Default: as the run was begun; practice for the practice model; one-factor
    where it has words for the data set and all methods; else own."""
    preset: str = "paper"
    """Settings of all methods: paper, as the papers describe them, or another preset, such as
    released."""
    choices: dict[str, dict[str, object]] = field(default_factory=dict)
    """By method, what differs from its preset: {"trove": {"interval": 500}} is --trove.interval
    500."""
    k: int = 15
    """The budget: calls (requests to the model) for each problem, over all modes."""
    completion_tokens: int | None = None
    """A budget in tokens instead: each problem is sampled until this number is written."""
    selection: str | None = None
    """The rule by which methods select their answer. Default: the preset's."""
    limit: int | None = None
    """The number of problems: the first of each category. Default: all."""
    parser: str | None = None
    """How code is read from a model's text: official, by lines as in the released program, or
    strict, by syntax tree.
    Default: strict for the prompts `own` and `one-factor`, else official."""
    grader: str | None = None
    """How answers to a FILE.jsonl are judged: strict, by value, or papers, by the first number to
    two decimals.
    Default: as the run was begun, else strict. Other data sets have their own rule."""
    vision: str | None = None
    """What looks at images for programs: http://HOST:PORT, a server like TroVE's; transformers: (or
    transformers:BLIP,OWL), models in this process; or canned:FILE, a file of answers."""
    sampling: SamplingSettings = field(default_factory=SamplingSettings)
    """How completions are drawn."""
    isolation: Literal["auto", "full", "seccomp", "none"] = "auto"
    """How programs are confined. auto: fully, or the run is refused. seccomp: programs can read all
    files that you can read. none: programs can do all that you can do."""
    time_limit: float = 30.0
    """CPU seconds for each program."""
    memory: int = 1024
    """Memory of a program in MiB."""

    def __post_init__(self):
        try:
            self._check()
        except (TypeError, AttributeError) as error:
            raise TroveLiteError(
                f"a setting is of a wrong type ({error}); RunSettings says of which"
            ) from error

    def _check(self) -> None:
        for name in ("methods", "categories", "seeds"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        dataset = load_dataset(self.dataset)
        refuse_eyes(self.dataset, dataset.looks, self.vision)
        self._default("model", dataset.model or PAPERS_MODEL)
        self._default("prompts", COMES_ALONG if self.model == COMES_ALONG else self._pack(dataset))
        self._default(
            "parser", "strict" if self.prompts.partition("?")[0] in OUR_WORDS else "official"
        )
        self._default("categories", dataset.categories)
        for name, values in (
            ("method", self.methods),
            ("category", self.categories),
            ("seed", self.seeds),
        ):
            if not values or len(set(values)) < len(values):
                raise TroveLiteError(
                    f"{name} {' '.join(map(str, values)) or 'none'}: give each once, and at least one"
                )
        known = METHODS.working(*METHODS.of_the_kit)
        known |= {method: load_method(method) for method in self.methods}
        one_of("category", self.categories, dataset.categories)
        one_of("parser", self.parser, tuple(PARSERS))
        one_of("chat", self.chat, CHAT)
        if self.grader:
            one_of("grader", self.grader, GRADERS)
            if not self.own_problems:
                raise TroveLiteError(
                    f"grader {self.grader}: {self.dataset} has a rule of its own; leave it out"
                )
        one_of(
            "preset",
            self.preset,
            sorted({preset for method in known.values() for preset in method.presets}),
        )
        at_least(0, seed=min(self.seeds))
        at_least(LEAST_MEMORY, memory=self.memory)
        for name, value in {"seed": max(self.seeds), "k": self.k, "memory": self.memory}.items():
            if value > MOST[name]:
                raise TroveLiteError(f"{name} {value}: must be at most {MOST[name]}")
        if "" in self.sampling.stop:
            raise TroveLiteError(
                "stop '': every completion would end before it begins; leave the empty text out"
            )
        sampling = self.sampling
        positive = {
            "limit": self.limit,
            "time limit": self.time_limit,
            "top_p": sampling.top_p,
            "max_tokens": sampling.max_tokens,
        }
        for name, value in positive.items():
            if value is not None and not 0 < value < math.inf:
                raise TroveLiteError(f"{name} {value}: must be more than 0, and a number")
        if not 0 <= sampling.temperature < math.inf or sampling.top_p > 1:
            raise TroveLiteError(
                f"temperature {sampling.temperature}, top_p {sampling.top_p}: need >= 0 and <= 1"
            )
        for method in set(self.choices) - set(self.methods):
            raise TroveLiteError(
                f"choices for {method}, which is none of the run's methods: add it, or leave them out"
            )
        for method in self.methods:
            self.of(method, self.seeds[0])  # refuses what does not fit together

    @property
    def own_problems(self) -> bool:
        return self.dataset.endswith(".jsonl")

    def _default(self, name: str, value: object) -> None:
        if getattr(self, name) in (None, ()):
            object.__setattr__(self, name, value)

    def _pack(self, dataset: Dataset) -> str:
        """The prompts, where none are said. A method that writes messages, as LATM, keeps its own
        words."""
        asked = set()
        methods = [load_method(name) for name in self.methods]
        for method in methods:
            own = method.presets.get(self.preset, method.presets["paper"])
            asked.update(method.asks(own) if method.asks else method.stages or method.modes)
        speaks = any(method.speaks for method in methods)
        return "own" if speaks or not one_factor.covers(dataset, asked) else one_factor.NAME

    def of(self, method: str, seed: int, begun: Mapping[str, object] | None = None) -> Settings:
        """The settings of one method in one of the run's seeds.

        begun: those that a run was begun with. Its preset is what it was then (`as_begun`).
        """
        presets = load_method(method).presets
        chosen = presets.get(self.preset, presets["paper"])
        names = choices_of(type(chosen))
        if begun:
            then = as_begun(type(chosen), begun)
            chosen = replace(
                chosen, **{name: value for name, value in then.items() if name in names}
            )
        common = {
            "budget": Budget(self.k, self.completion_tokens, self.sampling.max_tokens),
            "seed": seed,
        }
        if self.selection:
            common["selection"] = self.selection
        own = with_tuples(self.choices.get(method, {}))
        one_of(f"{method} has no choice", tuple(own), names)
        pack = self.prompts.partition("?")[0]
        own = getattr(chosen, "OF_PACKS", {}).get(pack, {}) | own
        given = load_dataset(self.dataset).shown(official=pack == "official")
        return replace(chosen, **common, **own).on(given)


def choices_of(settings: type[Settings]) -> Names:
    """The names of what can be chosen about a method alone: all but what every method has."""
    common = Settings.__dataclass_fields__
    return tuple(f.name for f in fields(settings) if f.name not in common)


def folder_of(settings: RunSettings, root: str | Path) -> Path:
    """A folder under `root` that these settings and no others have: a changed option makes another
    run beside it."""
    from .record import content_hash  # with the tables' libraries, which no option needs

    stated = asdict(settings)
    for later in ("grader", "vision"):  # of folders that were made before there was one
        if not stated[later]:
            del stated[later]
    return (
        Path(root)
        / f"{'-'.join([*settings.methods, *settings.categories])}-{content_hash(stated)[:8]}"
    )


def model_identity(spec: str) -> str:
    """A model's spec without address, options and credentials, which may differ tomorrow; of a
    folder its name."""
    if server := re.match(r"https?://[^#]*(#.*)?", spec):
        return f"server{server[1] or ''}"
    kind, _, rest = spec.partition(":")
    place, mark, options = rest.partition("?")
    return (
        f"{kind}:{Path(place).absolute().name}{mark}{options}"
        if rest and Path(place).exists()
        else spec
    )
