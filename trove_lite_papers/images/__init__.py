"""Questions about images: GQA, made scenes, and who looks at images for programs (TroVE, section 4;
docs/images.md)."""

from pathlib import Path

from trove_lite.models.base import LanguageModel, SamplingSettings

WORDS = Path(__file__).parent / "words"
FILES = Path(__file__).parent / "registry.csv"


def written_replies(spec: str, settings: SamplingSettings, chat: str) -> LanguageModel:
    """The model `canned:scenes`: right and wrong programs for the made scenes, as a file of replies
    has them."""
    from trove_lite.models.canned import CannedModel

    return CannedModel(Path(__file__).with_name("canned_scenes.jsonl"), settings)
