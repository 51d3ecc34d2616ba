"""What a server with the OpenAI API answers, read as a completion: texts, thinking, tokens, times.

It sends nothing. Whatever the answer is, it becomes a completion or an Odd that says what is wrong.
"""

import json
import math
import re

from .base import Completion, plain


class Odd(Exception):
    """A server answered, but not with a completion: worth asking again, if not for ever."""


def json_of(content: bytes) -> object:
    """The JSON of an answer. Raises Odd where it is none."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError):  # a UnicodeDecodeError too
        raise Odd("an answer that is not JSON") from None


def read_completion(answer: object, seconds: float, *, chat: bool) -> Completion:
    """A server's answer as a completion. Raises Odd, which says what is wrong, for anything else."""
    if error := at(answer, "error"):
        raise Odd(f"an error in place of a completion ({plain(message_of(error))[:300]})")
    choices = list(objects(at(answer, "choices")))
    if len(choices) != 1:
        raise Odd("an answer without a choice" if not choices else f"{len(choices)} choices for one sample")
    (choice,) = choices
    message = at(choice, "message") if chat else choice
    text, thinking = parts_of(at(message, "content" if chat else "text"))
    apart = (at(message, name) for name in ("reasoning_content", "reasoning", "thinking"))
    thinking += next((part for part in apart if isinstance(part, str) and part), "")
    reason = at(choice, "finish_reason")
    if reason == "content_filter" or at(message, "refusal"):
        raise Odd("withheld by the server (content_filter or a refusal)")
    if text is None and (thinking or reason == "length"):  # all of it was reasoning, be it kept back by the server
        text = ""
    if not isinstance(text, str):
        raise Odd("a choice without a text")
    if reason not in ("stop", "length"):
        raise Odd(f"a completion ended by {plain(repr(reason))[:40]}, which is neither stop nor length")
    written = whole(at(answer, "usage", "completion_tokens"))
    cached = whole(at(answer, "usage", "prompt_tokens_details", "cached_tokens"))
    waited = waiting_time(answer, seconds)
    return Completion(
        text,
        whole(at(answer, "usage", "prompt_tokens")) or None,
        None if text and not written else written,  # 0 for a text that is not empty says nothing
        reason,
        seconds - (waited or 0.0),
        whole(at(answer, "timings", "cache_n")) if cached is None else cached,
        waited,
        thinking,
        whole(at(answer, "usage", "completion_tokens_details", "reasoning_tokens")),
    )


def waiting_time(answer: object, seconds: float) -> float | None:
    """Seconds in the server's queue: vLLM's metrics say them, llama.cpp's timings what was no waiting."""
    waited = milliseconds(at(answer, "metrics", "queue_time_ms"))
    reading, writing = (milliseconds(at(answer, "timings", name)) for name in ("prompt_ms", "predicted_ms"))
    if waited is None and reading is not None and writing is not None:
        waited = max(0.0, seconds - reading - writing)
    return None if waited is None else min(waited, seconds)


def parts_of(content: object) -> tuple[object, str]:
    """The text and the thinking of a message's content, which may come in parts; None where there is no text."""
    if not isinstance(content, list):
        return content, ""
    words, thinking = [], []
    for part in content:
        if re.search("think|reason", str(at(part, "type"))):
            thinking += strings(part)
        elif isinstance(text := part if isinstance(part, str) else at(part, "text"), str):
            words.append(text)
    return "".join(words) if words else None, "".join(thinking)


def strings(value: object) -> list[str]:
    """All texts in a JSON value, however deep, but what only names it."""
    stack, found = [value], []
    while stack:
        inner = stack.pop()
        if isinstance(inner, str):
            found.append(inner)
        elif isinstance(inner, dict):
            stack += reversed([part for name, part in inner.items() if name not in ("type", "signature", "id")])
        elif isinstance(inner, list):
            stack += reversed(inner)
    return found


def at(value: object, *names: str) -> object:
    """What these names lead to in a JSON object, object in object; None where that is not there."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def message_of(error: object) -> str:
    """The words of an error, which stand alone or in an object."""
    return str(at(error, "message") or error)


def objects(value: object) -> list[dict]:
    """The JSON objects of a JSON array."""
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def whole(value: object) -> int | None:
    """A count as JSON may give it, if it is one."""
    return int(value) if type(value) in (int, float) and 0 <= value < 1 << 40 and value == int(value) else None


def milliseconds(value: object) -> float | None:
    """Milliseconds as seconds, if they are any."""
    return value / 1000 if type(value) in (int, float) and 0 <= value < math.inf else None
