"""A server with the OpenAI API over real sockets, which behaves, or misbehaves in whatever way it
is told to."""

import asyncio
import json
import socket
import struct
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from trove_lite.errors import TroveLiteError
from trove_lite.models.base import Message
from trove_lite.models.openai import OpenAIServer

from ..cases import cases

KEY = "sk-not-for-anybodys-eyes"
TEXT = "**Question**\nWhat is $1+1$?\n\n**Solution**\n"
CHAT = [Message("user", "What is $1+1$?")]


class Server(ThreadingHTTPServer):
    """Answers requests for completions by `script`, one entry each, and properly where it has run
    out.

    An entry is a status, seconds to wait, the name of a way to misbehave (WAYS), or a way. `always`
    is an entry for every request, also for what is not of the API. `models`: their names, or the
    page that is there instead of a list;
    `entry`: what the list says of each besides.
    """

    daemon_threads = True
    request_queue_size = 256
    block_on_close = False

    def __init__(self, *script, owner="somebody", models=("tiny",), always=200, entry=None):
        super().__init__(("127.0.0.1", 0), Handler)
        self.script = list(script)
        self.models = models
        self.always = always
        self.entry = {"owned_by": owner, "max_model_len": 4096} | (entry or {})
        self.bodies = []
        self.headers = []
        self.paths = []
        self.lock = threading.Lock()
        self.busy = 0
        self.busiest = 0
        self.closing = threading.Event()
        self.url = f"http://127.0.0.1:{self.server_port}/v1"

    def __enter__(self):
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.closing.set()
        self.shutdown()
        self.server_close()

    def handle_error(self, *_):
        """A client that has gone is no matter."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        models = self.server.models
        if not self.path.startswith("/v1"):
            self.perform(self.server.always, {})
        elif self.path != "/v1/models" or not models:
            self.reply(404, {})
        elif isinstance(models, bytes):
            self.send(200, models)
        else:
            self.reply(200, {"data": [{"id": name} | self.server.entry for name in models]})

    def do_POST(self):
        server = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with server.lock:
            server.bodies.append(body)
            server.headers.append(dict(self.headers))
            server.paths.append(self.path)
            what = server.script.pop(0) if server.script else server.always
            server.busy += 1
            server.busiest = max(server.busiest, server.busy)
        try:
            self.perform(what, body)
        finally:
            with server.lock:
                server.busy -= 1

    def perform(self, what, body):
        if isinstance(what, float):
            self.server.closing.wait(what)
            what = 200
        if isinstance(what, int):
            what = changed() if what == 200 else error(what, "no")
        elif isinstance(what, str):
            what = WAYS[what]
        what(self, body)

    def reply(self, status, answer, headers=None):
        self.send(status, json.dumps(answer).encode(), headers)

    def send(self, status, data, headers=None):
        self.send_response(status)
        for name, value in ({"Content-Length": str(len(data))} | (headers or {})).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def proper(body) -> dict:
    """What a server is to answer: its text shows the seed, so that samples can be told apart."""
    chat = "messages" in body
    text = f"print({body.get('seed')})"
    words = " ".join(message["content"] for message in body["messages"]) if chat else body["prompt"]
    choice = {"message": {"role": "assistant", "content": text}} if chat else {"text": text}
    usage = {"prompt_tokens": len(words.split()), "completion_tokens": 7}
    return {"choices": [choice | {"finish_reason": "stop"}], "usage": usage}


def ask(server, prompt=TEXT, seeds=1, *, model="tiny", **options):
    """What came of a request (a completion, one for each of several seeds, or what was raised), and
    who was asked."""
    given = {"first_pause": 0.01, "timeout": 10, "retries": 2} | options
    asked = OpenAIServer(server.url, model, **given) if isinstance(model, str) else model
    asked.notices = []
    asked.on_notice = asked.notices.append

    async def complete():
        async with asked:
            return await asked.complete(prompt, [seeds] if isinstance(seeds, int) else seeds)

    try:
        found = asyncio.run(complete())
    except TroveLiteError as problem:
        return problem, asked
    return found[0] if isinstance(seeds, int) else found, asked


def content(data: bytes, kind: str = "application/json") -> Callable:
    """A whole answer, with success, of these bytes."""
    return lambda handler, body: handler.send(200, data, {"Content-Type": kind})


def changed(**parts) -> Callable:
    """A proper answer, in which some parts are others."""
    return lambda handler, body: handler.reply(200, proper(body) | parts)


def choice(**parts) -> Callable:
    """A proper answer, in which some parts of the choice are others."""
    return lambda handler, body: changed(choices=[proper(body)["choices"][0] | parts])(
        handler, body
    )


def error(status: int, said: str, **headers) -> Callable:
    """An error as the API has it."""
    return lambda handler, body: handler.reply(status, {"error": {"message": said}}, headers)


def reset(handler, body):
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.close_connection = True
    handler.connection.close()


def drip(handler, body):
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
    while not handler.server.closing.wait(0.05):
        handler.wfile.write(b" ")


CHATS = "This is a chat model and not supported in the v1/completions endpoint."
#: Answers with success that are no completion.
ODD = {
    "broken JSON": content(b'{"choices": [{"text": "print('),
    "invalid UTF-8": content(b'{"choices": [{"text": "\xff\xfe", "finish_reason": "stop"}]}'),
    "an empty body": content(b""),
    "JSON too deep to be read": content(b"[" * 100_000),
    "null": content(b"null"),
    "an error in place of a completion": content(b'{"error": {"message": "upstream is down"}}'),
    "no choices": changed(choices=[]),
    "two choices": changed(choices=[{"text": "a", "finish_reason": "stop"}] * 2),
    "a choice that is null": changed(choices=[None]),
    "no text": choice(text=None, message={"role": "assistant", "content": None}),
    "no finish reason, and no text": choice(text="", finish_reason=None),
    "another finish reason": choice(text="", finish_reason="tool_calls"),
    "content_filter": choice(finish_reason="content_filter"),
    "a prompt refused by a policy": error(400, "your prompt was flagged by our content policy"),
    "a stream that breaks off": content(
        b'data: {"choices": [{"text": "print("}]}\n\n', "text/event-stream"
    ),
    "a stream that breaks off in a piece": content(b'data: {"choices": [{"te', "text/event-stream"),
    **{
        f"a stream of {odd}": content(
            f"data: {odd}\n\ndata: [DONE]\n".encode(), "text/event-stream"
        )
        for odd in ("1", "[]", "null", "true", '"x"')
    },
    "a stream of nothing": content(b": ping\n\ndata: {}\n\ndata: [DONE]\n", "text/event-stream"),
    "a stream with an error": content(
        b'data: {"choices": [{"text": "pri"}]}\n\ndata: {"error": {"message": "no card"}}\n\n'
    ),
    "choices that are no list": changed(choices={"text": "print(1)"}),
    "compressed twice": lambda handler, body: handler.send(
        200, b"", {"Content-Encoding": "gzip, gzip"}
    ),
    "an error that is a text": lambda handler, body: handler.reply(400, {"error": "bad prompt"}),
}
#: What passes, one hopes.
FAILING = {
    "429": error(429, "slow down"),
    "500": error(500, "oh no"),
    "503": error(503, "loading model"),
    "529": lambda handler, body: handler.send(529, b"Overloaded"),
    "Retry-After that is nonsense": error(429, "slow down", **{"Retry-After": "soon, I hope"}),
    "connection reset": reset,
    "broken gzip": lambda handler, body: handler.send(
        200, b"no gzip", {"Content-Encoding": "gzip"}
    ),
}
#: What ends in no answer.
SILENT = {
    "silence": lambda handler, body: handler.server.closing.wait(30),
    "a byte at a time": drip,
}
#: What no second request changes, with the words that must be said.
FINAL = {
    name: (error(status, said), words)
    for name, status, said, words in cases(
        """
        "401", 401, "bad key", "the key is missing or refused"
        "403", 403, "not you", "the key is missing or refused"
        "a model that only chats", 404, CHATS, "for a server that only chats: --chat on"
        "501", 501, "Unsupported method ('POST')", "no such endpoint or model there"
        "a quota", 429, "You exceeded your current quota", "nothing is left to pay with"
        "a balance", 402, "Insufficient Balance", "nothing is left to pay with"
        "two settings", 400, "`temperature` and `top_p` cannot both be specified.", "?top_p=off before the #"
        "a cap", 400, "max_tokens: this model supports at most 256 completion tokens", "give --max_tokens"
        "log-probabilities", 400, "logprobs is not supported with this model", "?logprobs=off before the #"
        "a setting", 400, "Unsupported parameter: stop", "?stop=off before the #"
        """,
        CHATS=CHATS,
    )
}
FINAL |= {
    "elsewhere": (
        error(307, "moved", Location="http://127.0.0.1:1/v1"),
        "write the address where the API is",
    ),
    "a login": (
        lambda h, _: h.send(302, b"", {"Location": "/login"}),
        "write the address where the API is",
    ),
}
WAYS = ODD | FAILING | SILENT | {name: way for name, (way, _) in FINAL.items()}
