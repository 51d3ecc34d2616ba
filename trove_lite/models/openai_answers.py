"""What a server with the OpenAI API answers, read as a completion: texts, thinking, tokens, times.

It sends nothing. Whatever the answer is, it becomes a completion or an Odd that says what is wrong.
"""

import fnmatch
import io
import json
import math
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, pairwise
from typing import Any

from .base import Completion, plain


class Odd(Exception):
    """A server answered, but not with a completion: worth asking again, if not for ever."""


SHORTEST_SECRET = 12  # signs; keys of services have 20 and more
#: What may be between a secret's signs and is not seen: no printable ASCII, be it as Python's
#: repr has it.
UNSEEN = r"(?:[^!-~]|\\+(?:x(?![2-7])|u(?!00[2-7])[\da-f]{2})[\da-f]{2})*"
#: How servers say that a text ended by itself, or at its longest.
STOP = "stop eos eos_token end_turn stop_sequence stop_token complete finished"
LENGTH = "length max_tokens max_length model_length max_output_tokens"
#: How a stream of events begins, and which of its texts come in pieces.
STREAM = re.compile(rb"(\xef\xbb\xbf)?\s*(?=(data|event|id|retry)?:)")
GROWING = ("text", "content", "reasoning_content", "reasoning", "thinking", "refusal")
UNSAID = "unsaid"  # by a server that gives a text, and no reason why it ended
ENDS = dict.fromkeys(STOP.split(), "stop") | dict.fromkeys(LENGTH.split(), "length")
#: Where they tell the tokens read, written, and read from a cache.
READ = ("usage.prompt_tokens", "usage.input_tokens", "usage.prompt_eval_count")
WRITTEN = ("usage.completion_tokens", "usage.output_tokens", "usage.eval_count")
CACHED = (
    "usage.prompt_tokens_details.cached_tokens",
    "usage.cache_read_input_tokens",
    "usage.prompt_cache_hit_tokens",
    "timings.cache_n",
)


def without_secret(secret: str, text: str) -> str:
    """The text without the secret: as it is, escaped for a URL or by Python, or with signs between
    that nobody sees.

    One shorter than SHORTEST_SECRET is none, such as the "EMPTY" that is given to servers without a
    key: it may well be a word of a program.
    """
    if len(secret) < SHORTEST_SECRET:
        return text
    codes = ((re.escape(sign), f"{ord(sign):02x}") for sign in secret)
    signs = (
        rf"(?:{sign}|%(?:25)*{code}|\\+(?:x|u00){code}|&#(?:{int(code, 16)}|x{code});)"
        for sign, code in codes
    )
    return re.sub(UNSEEN.join(signs), "…", text, flags=re.IGNORECASE)


def reply_of(content: bytes, clean: Callable[[str], str]) -> object:
    """A reply as JSON, or as a text where it is none; each text in it is cleaned, however it was
    escaped."""
    try:
        stream = STREAM.match(content)
        found = of_stream(content[stream.end() :]) if stream else json.loads(content)
        return json.loads(clean(json.dumps(found, ensure_ascii=False)))
    except (ValueError, RecursionError):  # a UnicodeDecodeError too
        return clean(content.decode("utf-8", "replace"))


def of_stream(content: bytes) -> dict:
    """An answer that comes in pieces (server-sent events), put together. Raises ValueError for one
    that breaks off."""
    whole: dict = {}
    choices: dict[int, dict] = {}
    done = False
    for line in re.split(rb"\r\n|\r|\n", content):
        name, _, value = line.partition(b":")
        if done or name != b"data":
            continue
        if done := value.strip() == b"[DONE]":
            continue
        part = json.loads(value)
        if not isinstance(part, dict):
            raise ValueError("a piece of a stream that is no object")
        if at(part, "error"):
            return part
        for choice in objects(part.pop("choices", None)):
            add_piece(choices.setdefault(count(choice, "index") or 0, {}), choice)
        add_piece(whole, part)
    ended = all(choice.get("finish_reason") for choice in choices.values())
    if not choices or not (done or ended):
        raise ValueError("a stream that breaks off")
    return joined(whole | {"choices": [choices[index] for index in sorted(choices)]})


def add_piece(whole: dict, piece: dict) -> None:
    """Put a piece of an answer to those before: texts grow, lists too, all else is what was said
    last."""
    for told, value in piece.items():
        name = "message" if told == "delta" else told
        before = None if told == "message" else whole.get(name)  # it has all that came before
        match before, value:
            case _, None:
                pass
            case io.StringIO(), str():
                before.write(value)
            case list(), list():
                before += value
            case dict(), dict():
                add_piece(before, value)
            case _, dict():
                whole[name] = {}
                add_piece(whole[name], value)
            case _, str() if name in GROWING:
                whole[name] = io.StringIO()
                whole[name].write(value)
            case _:
                whole[name] = value


def joined(value: object) -> Any:
    """The same with its growing texts as texts."""
    if isinstance(value, dict):
        return {name: joined(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [joined(inner) for inner in value]
    return value.getvalue() if isinstance(value, io.StringIO) else value


def error_of(reply: object) -> int:
    """The status of an error that came as a success (some gateways' way), 0 where there is none."""
    codes = (count(reply, f"error.{name}") for name in ("code", "status"))
    return next((code for code in codes if code and 400 <= code < 600), 0)


def shown_error(reply: object) -> str:
    """What a reply says is wrong, as one short line, with the name that the API gives it."""
    error = at(reply, "error") or reply
    code = at(error, "code")
    words = f"{at(error, 'message') or error}" + (f" ({code})" if isinstance(code, str) else "")
    return plain(words)[:300]


def read_completions(answer: object, seconds: float, *, chat: bool, n: int = 1) -> list[Completion]:
    """A server's answer as up to n completions. Raises Odd, which says what is wrong, for anything
    else.

    Tokens are told of all together: each has its share, by the length of its text where they were
    written.
    """
    if isinstance(answer, str):
        stream = STREAM.match(answer.encode())
        raise Odd("a stream that breaks off" if stream else "an answer that is not JSON")
    if at(answer, "error"):
        raise Odd(f"an error in place of a completion ({shown_error(answer)})")
    choices = objects(at(answer, "choices"))
    if not 1 <= len(choices) <= n:
        asked = "one sample" if n == 1 else f"{n} samples"
        raise Odd(
            "an answer without a choice" if not choices else f"{len(choices)} choices for {asked}"
        )
    found = [read_choice(choice, answer, seconds, chat) for choice in choices]
    written = [max(1, len(one.text) + len(one.thinking)) for one in found]
    even = [1] * len(found)
    weights = {
        "prompt_tokens": even,
        "cached_tokens": even,
        "completion_tokens": written,
        "thinking_tokens": written,
    }
    shares = {name: shared_out(getattr(found[0], name), by) for name, by in weights.items()}
    return [
        one._replace(**{name: parts[i] for name, parts in shares.items()})
        for i, one in enumerate(found)
    ]


def shared_out(total: int | None, weights: Sequence[int]) -> list[int | None]:
    """A count in whole parts by weight, whose sum it is; None all over where it is unknown."""
    if total is None:
        return [None] * len(weights)
    least = int(total >= len(weights))  # 0 tokens would be unknown
    ends = [(total - least * len(weights)) * upto // sum(weights) for upto in accumulate(weights)]
    return [least + end - before for before, end in pairwise([0, *ends])]


def read_choice(choice: dict, answer: object, seconds: float, chat: bool) -> Completion:
    """One choice of an answer as a completion, with the tokens of all. Raises Odd for anything
    else."""
    message = at(choice, "message") if chat or "text" not in choice else choice
    text, thinking = parts_of(at(message, "text" if message is choice else "content"))
    apart = (at(message, name) for name in ("reasoning_content", "reasoning", "thinking"))
    thinking += next((part for part in apart if isinstance(part, str) and part), "")
    reason = at(choice, "finish_reason")
    if reason == "content_filter" or at(message, "refusal"):
        raise Odd("withheld by the server (content_filter or a refusal)")
    end = ENDS.get(str(reason).lower())
    if text is None and (
        thinking or end == "length"
    ):  # all of it was reasoning, be it kept back by the server
        text = ""
    if not isinstance(text, str):
        raise Odd("a choice without a text")
    if end is None and reason in (None, "") and text:
        end = UNSAID
    if end is None:
        raise Odd(
            f"a completion ended by {plain(repr(reason))[:40]}, which is neither stop nor length"
        )
    written = count(answer, *WRITTEN)
    waited = waiting_time(answer, seconds)
    return Completion(
        text,
        prompt_tokens=count(answer, *READ) or None,
        completion_tokens=None
        if text and not written
        else written,  # 0 for a text that is not empty says nothing
        finish_reason=end,
        seconds=seconds - (waited or 0.0),
        cached_tokens=count(answer, *CACHED),
        queue_seconds=waited,
        thinking=thinking,
        thinking_tokens=count(answer, "usage.completion_tokens_details.reasoning_tokens"),
        log_probability=mean_log_probability(choice),
    )


def oddity_of(found: Completion) -> str:
    """What a user has to know of how a completion ended, said once: it gave no reason, or all its
    tokens are unseen."""
    if found.finish_reason == UNSAID:
        return "does not say why its texts end (finish_reason): they are taken for whole"
    if found.finish_reason == "length" and not (found.text.strip() or found.thinking.strip()):
        return "replies are cut off before their text begins, with their reasoning left out: give more --max_tokens"
    return ""


def taken_for_whole(found: Completion, most: int | None) -> Completion:
    """A completion; one that ended for no told reason is cut off where it has as many tokens as it
    may, else whole."""
    if found.finish_reason != UNSAID:
        return found
    full = most is not None and (found.completion_tokens or 0) >= most
    return found._replace(finish_reason="length" if full else "stop")


def is_listed(model: str, names: Iterable[str]) -> bool:
    """Whether a server's list has a model: by name, by pattern, as NAME:latest, or NAME:free where
    NAME is listed."""
    known = {*names} | {name.partition(":")[0] for name in names}
    plain_name = model.partition(":")[0] in names
    return model in known or plain_name or any(fnmatch.fnmatchcase(model, name) for name in names)


def mean_log_probability(choice: dict) -> float | None:
    """The mean over a choice's tokens, in either form that servers tell them in; None where one of
    them is unknown."""
    told = at(choice, "logprobs.token_logprobs") or at(choice, "logprobs.content")
    each = (
        [at(one, "logprob") if isinstance(one, dict) else one for one in told]
        if isinstance(told, list)
        else []
    )
    known = each and all(type(one) in (int, float) and -math.inf < one < math.inf for one in each)
    return min(0.0, sum(each) / len(each)) if known else None


def waiting_time(answer: object, seconds: float) -> float | None:
    """Seconds in the server's queue: vLLM's metrics say them, llama.cpp's timings what was no
    waiting."""
    places = ("metrics.queue_time_ms", "timings.prompt_ms", "timings.predicted_ms")
    waited, reading, writing = (
        value / 1000 if type(value) in (int, float) and 0 <= value < math.inf else None
        for value in (at(answer, place) for place in places)
    )
    if waited is None and reading is not None and writing is not None:
        waited = max(0.0, seconds - reading - writing)
    return None if waited is None else min(waited, seconds)


def parts_of(content: object) -> tuple[object, str]:
    """The text and the thinking of a message's content, which may come in parts; None where there
    is no text."""
    if not isinstance(content, list):
        return content, ""
    words = []
    thinking = []
    for part in content:
        if re.search("think|reason", str(at(part, "type"))):
            thinking += strings(part)
        elif isinstance(text := part if isinstance(part, str) else at(part, "text"), str):
            words.append(text)
    return "".join(words) if words else None, "".join(thinking)


def strings(value: object) -> list[str]:
    """All texts in a JSON value, however deep, but what only names it."""
    stack = [value]
    found = []
    while stack:
        inner = stack.pop()
        if isinstance(inner, str):
            found.append(inner)
        elif isinstance(inner, dict):
            stack += reversed(
                [part for name, part in inner.items() if name not in ("type", "signature", "id")]
            )
        elif isinstance(inner, list):
            stack += reversed(inner)
    return found


def at(value: object, path: str) -> Any:
    """What `name.name…` leads to in a JSON object, object in object; None where that is not
    there."""
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def count(answer: object, *paths: str) -> int | None:
    """The first of these that is a count, as JSON may give it and tables can hold it."""
    for value in (at(answer, path) for path in paths):
        if type(value) in (int, float) and 0 <= value < 1 << 31 and value == int(value):
            return int(value)
    return None


def objects(value: object) -> list[dict]:
    """The JSON objects of a JSON array."""
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []
