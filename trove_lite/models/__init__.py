"""Who answers: a back end is a file, and this is how a string names one."""

from collections.abc import Callable

from ..errors import TroveLiteError, one_of
from ..plugins import Plugins
from .base import CHAT, NO_MODEL, LanguageModel, SamplingSettings

#: A whole spec, or what it begins with up to its colon, and what makes a model of spec, settings
#: and chat.
MODELS: Plugins[Callable] = Plugins(
    "models",
    "model",
    Callable,
    {
        "practice": "trove_lite.models.practice.model:from_spec",
        "canned": "trove_lite.models.canned:from_spec",
        "vllm": "trove_lite.models.vllm:from_spec",
        "http": "trove_lite.models.openai:from_spec",
        "https": "trove_lite.models.openai:from_spec",
    },
)


def load_model(
    spec: str, settings: SamplingSettings | None = None, *, chat: str = "auto"
) -> LanguageModel:
    """The model that `spec` names, to be entered with `async with` (docs/models.md has each one's
    options).

    practice, which comes with the kit; canned:FILE, replies from a file;
    vllm:NAME?OPTION=…, a Hugging Face name or a folder, by vLLM in this process;
    http://HOST:PORT/v1?OPTION=…#NAME, a server with the OpenAI API

    chat: `auto` sends messages as chat and a text as a text to be continued, `on` makes a text one
    user message, `off` refuses messages.
    """
    one_of("chat", chat, CHAT)
    kind = spec if spec in MODELS else spec.partition(":")[0]
    if kind not in MODELS:
        raise TroveLiteError(NO_MODEL)
    return MODELS.load(kind)(spec, settings or SamplingSettings(), chat)
