"""What a run is set to: what its rows depend on, and what may differ tomorrow."""

import re
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from ..datasets import load_dataset
from ..errors import TroveLiteError
from ..methods import load_method
from ..methods.base import Budget, Settings, one_of
from ..methods.trove import PRESETS
from ..models.base import SamplingSettings
from ..parse import PARSERS
from .record import content_hash

PAPERS_MODEL = "vllm:codellama/CodeLlama-7b-Instruct-hf"


@dataclass(frozen=True)
class RunSettings:
    """What a run's rows depend on, defaulted as in the papers. Any of it changed makes it another run.

    name: rows are of run NAME_seedN, so shards of one study in several folders share it. model: see `load_model`.
    k: calls a problem; completion_tokens: instead of k, sample until so many are spent. preset, trove: TROVE's choices
    (PRESETS), and those that differ from them. categories: None for all. limit: only the first problems of each
    category. model, dataset, prompts: the practice ones, which need nothing else; for any other data set the papers'
    model and the pack `own`.
    """

    name: str = "run"
    model: str | None = None
    methods: tuple[str, ...] = ("trove",)
    dataset: str | None = None
    categories: tuple[str, ...] | None = None
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
    k: int = 15
    completion_tokens: int | None = None
    selection: str | None = None
    preset: str = "paper"
    choices: dict[str, dict[str, object]] = field(default_factory=dict)
    roles: dict[str, str] = field(default_factory=dict)
    prompts: str | None = None
    parser: str = "official"
    limit: int | None = None
    sampling: SamplingSettings = field(default_factory=SamplingSettings)
    isolation: str = "auto"
    time_limit: float = 30.0
    memory: int = 1 << 30

    def __post_init__(self):
        practice = (
            self.model == "practice" if self.dataset is None and self.model else self.dataset in (None, "practice")
        )
        for name, kind in (("model", PAPERS_MODEL), ("dataset", "math"), ("prompts", "own")):
            if getattr(self, name) is None:
                object.__setattr__(self, name, "practice" if practice else kind)
        categories = load_dataset(self.dataset).categories
        if self.categories is None:
            object.__setattr__(self, "categories", categories)
        one_of("preset", self.preset, tuple(PRESETS))
        one_of("isolation", self.isolation, ("auto", "full", "seccomp", "none"))
        one_of("parser", self.parser, tuple(PARSERS))
        for name, values, allowed in (
            ("method", self.methods, None),
            ("category", self.categories, categories),
            ("seed", self.seeds, None),
        ):
            if not values or len(set(values)) < len(values):
                raise TroveLiteError(f"{name} {' '.join(map(str, values)) or 'none'}: give each once, and at least one")
            for value in values if allowed else ():
                one_of(name, value, allowed)
        sampling = self.sampling
        for name, value in (
            ("limit", self.limit),
            ("time limit", self.time_limit),
            ("memory", self.memory),
            ("top-p", sampling.top_p),
            ("max-tokens", sampling.max_tokens),
        ):
            if value is not None and not value > 0:
                raise TroveLiteError(f"{name} {value}: must be more than 0")
        if not sampling.temperature >= 0 or sampling.top_p > 1:
            raise TroveLiteError(f"temperature {sampling.temperature}, top-p {sampling.top_p}: need >= 0 and <= 1")
        for method in self.methods:
            self.of(method, self.seeds[0])  # refuses what does not fit together

    def of(self, method: str, seed: int) -> Settings:
        """The settings of one method in one of the run's seeds."""
        presets = load_method(method).presets
        chosen = presets.get(self.preset, presets["paper"])
        common = {"budget": Budget(self.k, self.completion_tokens, self.sampling.max_tokens), "seed": seed}
        if self.selection:
            common["selection"] = self.selection
        return replace(chosen, **common, **self.choices.get(method, {}))


def folder_of(settings: RunSettings, root: str | Path) -> Path:
    """A folder under `root` that these settings and no others have: a changed option makes another run beside it."""
    names = "-".join([*settings.methods, *settings.categories])
    return Path(root) / f"{names}-{content_hash(asdict(settings))[:8]}"


def model_identity(spec: str) -> str:
    """A model's spec without what may differ tomorrow or must not be written down: address, options, credentials."""
    server = re.match(r"https?://[^#]*(#.*)?", spec)
    return f"server{server[1] or ''}" if server else spec
