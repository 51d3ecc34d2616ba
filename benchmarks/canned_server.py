"""A server with the OpenAI API that answers at once: what is measured against it is the client
alone.

    python benchmarks/canned_server.py      # prints its port, and ends with its standard input

It speaks just enough HTTP/1.1 for that (keep-alive, bodies with a length). Each reply has a text of
its own, by the request's seed; its program is one of a few, which a run runs once.
"""

import asyncio
import json
import re
import sys

SEED = re.compile(rb'"seed": ?(\d+)')
MODELS = json.dumps({"data": [{"id": "canned", "owned_by": "nobody"}]}).encode()
PROGRAMS = [
    f"```python\nprint({answer})\n```\n**Tools**\n```python\ndef tool{answer}(x):\n    return x\n```"
    for answer in range(6)
]
USED = {"prompt_tokens": 300, "completion_tokens": 40}


def answered(seed: int) -> bytes:
    text = f"This is how I solve number {seed}.\n{PROGRAMS[seed % len(PROGRAMS)]}"
    choice = {"text": text, "finish_reason": "stop"}
    return packed(json.dumps({"choices": [choice], "usage": USED}).encode())


def packed(body: bytes) -> bytes:
    head = (
        f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


LIST = packed(MODELS)


class Connection(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport = transport
        self.received = b""

    def data_received(self, data):
        self.received += data
        while (end := self.received.find(b"\r\n\r\n")) >= 0:
            length = re.search(rb"content-length: (\d+)", self.received[:end].lower())
            whole = end + 4 + (int(length[1]) if length else 0)
            if len(self.received) < whole:
                return
            request = self.received[:whole]
            self.received = self.received[whole:]
            seed = SEED.search(request)
            self.transport.write(answered(int(seed[1])) if seed else LIST)


async def serve() -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Connection, "127.0.0.1", 0, backlog=2048)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(serve())
