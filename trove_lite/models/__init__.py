"""Who answers: a back end is a file, and this is how a string names one."""

import json
from contextlib import suppress
from urllib.parse import parse_qsl

from ..errors import TroveLiteError
from .base import LanguageModel, SamplingSettings
from .vllm import VLLM


def load_model(spec: str, settings: SamplingSettings | None = None) -> LanguageModel:
    """The model that `spec` names, to be entered with `async with`.

    `practice`: the tiny model that comes with the kit. `vllm:NAME` (a Hugging Face name or a folder) with engine
    arguments after `?`, as in `vllm:codellama/CodeLlama-7b-Instruct-hf?max_model_len=4096&dtype=float16`.
    `http://localhost:8000/v1#NAME`: a server, with `concurrency`, `timeout` and `retries` after `?`, before the `#`.
    """
    settings = settings or SamplingSettings()
    if spec == "practice":
        from .practice.model import load_practice_model

        return load_practice_model(settings)
    if spec.startswith(("http://", "https://")):
        address, _, model = spec.partition("#")
        address, _, options = address.partition("?")
        from .openai import OpenAIServer

        if "?" in model:  # not quoted: it may be a key
            raise TroveLiteError("a server's options come before the #, and a key belongs into $TROVE_LITE_API_KEY")
        return OpenAIServer(address, model, settings, **_server_options(options))
    name, _, options = spec.removeprefix("vllm:").partition("?")
    if not spec.startswith("vllm:") or not name:
        raise TroveLiteError("no such model: write vllm:NAME, http://HOST:PORT/v1#NAME or practice")
    engine_args = _engine_options(options)
    if "hf_token" in engine_args:  # the model's name, options and all, is written into run.json
        raise TroveLiteError("a model's options hold no key: put hf_token into $HF_TOKEN")
    return VLLM(name, settings, **engine_args)


def _engine_options(query: str) -> dict:
    """`a=1&b=x` as keyword arguments, each value read as JSON where it is."""
    options = dict(parse_qsl(query, keep_blank_values=True))
    for name, text in options.items():
        with suppress(json.JSONDecodeError):
            options[name] = json.loads(text)
    return options


def _server_options(query: str) -> dict:
    kinds = {"concurrency": int, "timeout": float, "retries": int}
    try:
        return {name: kinds[name](text) for name, text in parse_qsl(query, keep_blank_values=True)}
    except (KeyError, ValueError):  # not quoted: it may be a key
        raise TroveLiteError(
            f"a server's address has something after ? that is not {', '.join(kinds)}; a key belongs into "
            "$TROVE_LITE_API_KEY"
        ) from None
