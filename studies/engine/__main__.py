"""A server with the OpenAI API for one Qwen2 model on one GPU, in PyTorch and Triton alone: many requests at once.
With --device cpu it needs no GPU and runs by PyTorch's operations; with TRITON_INTERPRET=1 by the kernels, for tests.

python -m studies.engine FOLDER --gguf FILE.gguf    # once, where gguf and transformers are: the folder from a file
python -m studies.engine FOLDER [--slots 448] [--length 8192] [--ports 8001 8002 …] [--device cuda]

FOLDER holds tokenizer.json, config.json, chat.json and the weights (weights.bin and weights.json: the tensors of a
GGUF file as they are there, quantised; they are made bfloat16 on loading).

How it works. Each request has a slot of a key-value cache. What a new prompt has in common with the prompt of any slot
is copied from there; the rest is read in one pass over all new prompts together; then all slots write a token a step,
by a CUDA graph. A sample is drawn from the likeliest tokens that together have top_p, by a uniform number that its seed
decides: logits → softmax at the temperature in float32 → the 1024 likeliest, sorted → nucleus → inverse of its sum.
"""

import argparse
import asyncio
import json
import sys
import time
from functools import lru_cache
from pathlib import Path

import torch

from .model import Model, unpack
from .steps import Engine, Request

MAKER = "studies/engine.py"  # as its first runs recorded it


class Server:
    def __init__(self, engine: Engine, tokenizer, chat: dict):
        self.engine, self.tokenizer, self.chat = engine, tokenizer, chat

    @lru_cache(4096)  # noqa: B019
    def ids_of(self, asked: str, chat: bool) -> list[int]:
        if chat:
            turns = [(m["role"], m["content"]) for m in json.loads(asked)]
            if turns[0][0] != "system":
                turns.insert(0, ("system", self.chat["system"]))
            asked = "".join(f"<|im_start|>{role}\n{content}<|im_end|>\n" for role, content in turns)
            asked += "<|im_start|>assistant\n"
        return self.tokenizer.encode(asked, add_special_tokens=False).ids

    def request(self, body: dict) -> Request:
        """What a body asks for. Raises ValueError with a line that says why it cannot be had."""
        if not isinstance(body, dict) or not {"messages", "prompt"} & set(body):
            raise ValueError("a request is an object with `messages` or `prompt`")
        if body.get("n", 1) != 1 or body.get("stream"):
            raise ValueError("n must be 1, and nothing is streamed")
        chat, stop = "messages" in body, body.get("stop") or ()
        try:
            ids = self.ids_of(json.dumps(body["messages"]) if chat else body["prompt"], chat)
            ids = ids or self.tokenizer.encode("\n").ids
            limit = self.engine.model.length - self.engine.BURST - 2
            most = min(int(body.get("max_tokens") or 512), limit - len(ids), self.engine.longest)
            settings = {name: float(body.get(name, 1)) for name in ("temperature", "top_p")} | {
                "max_tokens": most
            }
            stops = [one.encode() for one in ([stop] if isinstance(stop, str) else stop)]
            seed = int(body.get("seed") or 0) & ((1 << 63) - 1)
        except (TypeError, ValueError, KeyError, IndexError, AttributeError) as error:
            raise ValueError(f"not as the API has it: {type(error).__name__}: {error}") from error
        if len(ids) + 1 > limit:
            raise ValueError(
                f"This model's maximum context length is {limit} tokens; the prompt has {len(ids)}"
            )
        if most < 1 or settings["temperature"] < 0 or not 0 < settings["top_p"] <= 1:
            raise ValueError(
                "max_tokens is 1 or more, temperature 0 or more, top_p more than 0 and at most 1"
            )
        return Request(ids, settings, seed, stops)

    def answer(self, place: int):
        from aiohttp import web

        async def handle(http):
            engine = self.engine
            try:
                body = json.loads(await http.read())
                request = self.request(body)
            except ValueError as error:
                return web.json_response(
                    {"error": {"message": str(error), "code": 400}}, status=400
                )
            with engine.lock:
                request.place = place
                engine.waiting.append(request)
            await request.future
            text = request.text.decode("utf-8", "replace")
            choice = {"index": 0, "finish_reason": request.end}
            choice |= (
                {"message": {"role": "assistant", "content": text}}
                if "messages" in body
                else {"text": text}
            )
            usage = {"prompt_tokens": len(request.prompt), "completion_tokens": request.written}
            usage["prompt_tokens_details"] = {"cached_tokens": request.reused}
            queued = {"queue_time_ms": 1000 * (request.begun - request.arrived)}
            return web.json_response(
                {"model": self.chat["name"], "choices": [choice], "usage": usage, "metrics": queued}
            )

        async def models(_):
            entry = {
                "id": self.chat["name"],
                "object": "model",
                "owned_by": MAKER,
                "max_model_len": self.engine.model.length,
            }
            entry |= {
                "root": self.chat["file"],
                "meta": {
                    "ftype": f"{self.chat['file'].split('-')[-1][:-5].upper()}, dequantised to bfloat16"
                },
            }
            return web.json_response({"object": "list", "data": [entry]})

        app = web.Application(client_max_size=1 << 24)
        for path in ("/v1/completions", "/v1/chat/completions"):
            app.router.add_post(path, handle)
        app.router.add_get("/v1/models", models)
        return app


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--slots", type=int, default=448)
    parser.add_argument("--length", type=int, default=8192)
    parser.add_argument(
        "--ports", type=int, nargs="+", default=(8001, 8002), help="the first is served first"
    )
    parser.add_argument(
        "--kept", type=int, default=0, help="slots that the first port's requests alone may take"
    )
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--gguf", type=Path, help="make FOLDER from this file, and end")
    args = parser.parse_args()
    if args.gguf:
        return unpack(args.gguf, args.folder)
    from aiohttp import web
    from tokenizers import Tokenizer

    sys.setswitchinterval(
        0.0002
    )  # the engine's thread must not wait 5 ms for each turn of the server's
    began = time.time()
    tokenizer = Tokenizer.from_file(str(args.folder / "tokenizer.json"))
    chat = json.loads((args.folder / "chat.json").read_text())
    with torch.inference_mode():
        model = Model(args.folder, args.slots, args.length, args.device)
        print(f"weights after {time.time() - began:.1f} s", flush=True)
        words = words_of(tokenizer, model.embed.shape[0])
        engine = Engine(
            model,
            words,
            set(chat["ends"]),
            [8, 16, 24, 32, 48, 64, 96, 128, 160, 192, 224, 256, 320, 384, 448],
        )
        engine.kept = args.kept
        engine.prepare()
    print(f"ready after {time.time() - began:.1f} s", flush=True)
    engine.start()
    server = Server(engine, tokenizer, chat)

    async def serve():
        for place, port in enumerate(args.ports):
            runner = web.AppRunner(server.answer(place), access_log=None)
            await runner.setup()
            await web.TCPSite(runner, "127.0.0.1", port, backlog=4096).start()
        print(f"serving on {args.ports}", flush=True)
        await asyncio.Event().wait()

    asyncio.run(serve())


def words_of(tokenizer, size: int) -> list[bytes]:
    """Each token's bytes, by the byte-level alphabet of its tokenizer; special tokens have none."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in shown]
    letters = {chr(byte): byte for byte in shown} | {
        chr(256 + i): byte for i, byte in enumerate(hidden)
    }
    special = {i for i, token in tokenizer.get_added_tokens_decoder().items() if token.special}
    found = []
    for i in range(size):
        token = None if i in special else tokenizer.id_to_token(i)
        if token is None:
            found.append(b"")
        elif all(sign in letters for sign in token):
            found.append(bytes(letters[sign] for sign in token))
        else:
            found.append(token.encode())
    return found


if __name__ == "__main__":
    main()
