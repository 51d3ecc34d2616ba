"""The practice model's tokenizer and forward pass, in NumPy alone: what transformers and vLLM
compute, on any laptop.

Reads a folder in Hugging Face format (Llama, byte-level BPE with the practice tokenizer's pattern).
It works in double
precision: then the order in which a library adds up does not show in any token, so a sample is the
same in whatever batch, on any number of threads, with any BLAS. It samples nothing: see `model`.
"""

import itertools
import json
import re
from pathlib import Path

import numpy as np

from ...errors import TroveLiteError

#: As in `practice/tokenizer.py` of the repository, after the two special tokens.
PIECES = re.compile(
    r"<s>|</s>|[0-9]|\*\*(?:Question|Toolbox|Solution|Tools)\*\*\n|```(?:python)?\n|\n *|[ _]?[A-Za-z]+(?:_[A-Za-z]+)*"
    r"| ?(?:\*\*|//|[=+\-<>!]=|\.\.\.|[^ \t\n\r\f\vA-Za-z0-9_])|[ \t\r\f\v_]"
)
SPECIAL = ("<s>", "</s>")
NEVER = 1 << 30


class Tokenizer:
    """Text → tokens and tokens → bytes, from a `tokenizer.json`."""

    def __init__(self, path: Path):
        model = json.loads(path.read_text(encoding="utf-8"))["model"]
        self.vocabulary: dict[str, int] = model["vocab"]
        self.ranks = {tuple(pair): rank for rank, pair in enumerate(model["merges"])}
        printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
        hidden = [byte for byte in range(256) if byte not in printable]
        self.sign = {byte: chr(byte) for byte in printable} | {
            byte: chr(256 + i) for i, byte in enumerate(hidden)
        }
        byte_of = {sign: byte for byte, sign in self.sign.items()}
        words = sorted(self.vocabulary, key=self.vocabulary.get)
        #: What each token stands for; nothing for the special ones.
        self.bytes = [b"" if word in SPECIAL else bytes(map(byte_of.get, word)) for word in words]
        self.known = {word: [self.vocabulary[word]] for word in SPECIAL}

    def encode(self, text: str) -> list[int]:
        text = text.encode("utf-8", "replace").decode()  # half a surrogate pair has no bytes
        return self.known["<s>"] + [
            token for piece in PIECES.findall(text) for token in self._piece(piece)
        ]

    def _piece(self, piece: str) -> list[int]:
        if piece not in self.known:
            parts = [self.sign[byte] for byte in piece.encode()]
            while len(parts) > 1:
                ranks = [self.ranks.get(pair, NEVER) for pair in itertools.pairwise(parts)]
                best = min(ranks)
                if best == NEVER:
                    break
                at = ranks.index(best)
                parts[at : at + 2] = [parts[at] + parts[at + 1]]
            self.known[piece] = [self.vocabulary[part] for part in parts]
        return self.known[piece]


def read_safetensors(path: Path) -> dict[str, np.ndarray]:
    """The float16 and float32 arrays of a safetensors file: eight bytes of length, a JSON header,
    the numbers."""
    data = path.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    arrays = {}
    for name, entry in json.loads(data[8:start]).items():
        if name != "__metadata__":
            begin, end = (start + offset for offset in entry["data_offsets"])
            kind = {"F16": "<f2", "F32": "<f4"}[entry["dtype"]]
            arrays[name] = np.frombuffer(data[begin:end], kind).reshape(entry["shape"])
    return arrays


class Network:
    """A Llama's forward pass over a cache of keys and values: `cache[layer, key or value, row,
    head, position]`."""

    def __init__(self, folder: Path):
        try:
            config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
            weights = {
                k: w.astype(np.float64)
                for k, w in read_safetensors(folder / "model.safetensors").items()
            }
        except (OSError, ValueError, KeyError) as error:
            raise TroveLiteError(
                f"{folder}: no model in Hugging Face format ({error}); check out the folder again"
            ) from error
        self.layers = config["num_hidden_layers"]
        self.heads = config["num_attention_heads"]
        self.width = config["hidden_size"]
        self.context = config["max_position_embeddings"]
        self.size = self.width // self.heads
        self.epsilon = config["rms_norm_eps"]
        self.end = config["eos_token_id"]
        self.embedding = weights["model.embed_tokens.weight"]
        self.last_norm = weights["model.norm.weight"]

        def joined(layer, *names):
            arrays = [weights[f"model.layers.{layer}.{name}.weight"] for name in names]
            return np.ascontiguousarray(np.concatenate(arrays).T)

        self.blocks = [
            (
                joined(layer, "input_layernorm"),
                joined(layer, "self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"),
                joined(layer, "self_attn.o_proj"),
                joined(layer, "post_attention_layernorm"),
                joined(layer, "mlp.gate_proj", "mlp.up_proj"),
                joined(layer, "mlp.down_proj"),
            )
            for layer in range(self.layers)
        ]
        base = config.get("rope_theta") or config["rope_parameters"]["rope_theta"]
        angles = np.outer(
            np.arange(self.context), float(base) ** (-np.arange(0, self.size, 2) / self.size)
        )
        self.cosine = np.cos(angles)
        self.sine = np.sin(angles)

    def cache(self, rows: int, length: int) -> np.ndarray:
        return np.zeros((self.layers, 2, rows, self.heads, length, self.size))

    def read(self, tokens: list[int]) -> tuple[np.ndarray, np.ndarray]:
        """A whole prompt: the next token's logits, (1, vocabulary), and the cache of one row that
        it leaves."""
        cache = self.cache(1, len(tokens))
        return self.step(np.array([tokens]), np.arange(len(tokens))[None], cache), cache[:, :, 0]

    def step(self, tokens: np.ndarray, positions: np.ndarray, cache: np.ndarray) -> np.ndarray:
        """Tokens at positions, both (rows, n): the logits after each row's last. Their keys and
        values are cached."""
        rows, n = tokens.shape
        length = int(positions.max()) + 1
        hidden = np.where(np.arange(length) > positions[:, None, :, None], -np.inf, 0.0)
        cosine = self.cosine[positions][:, None]
        sine = self.sine[positions][:, None]
        row = np.arange(rows)[:, None]
        half = self.size // 2

        def turned(t):
            a = t[..., :half]
            b = t[..., half:]
            return np.concatenate([a * cosine - b * sine, b * cosine + a * sine], -1)

        x = self.embedding[tokens]
        for block, (keys, values) in zip(self.blocks, cache[:, :, :rows, :, :length], strict=True):
            norm1, qkv, out, norm2, gate_up, down = block
            mixed = (self._normed(x, norm1) @ qkv).reshape(rows, n, 3, self.heads, self.size)
            q, k, v = mixed.transpose(2, 0, 3, 1, 4)
            keys[row, :, positions], values[row, :, positions] = (
                turned(k).swapaxes(1, 2),
                v.swapaxes(1, 2),
            )
            scores = (turned(q) * self.size**-0.5) @ keys.swapaxes(-1, -2) + hidden
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            scores /= scores.sum(-1, keepdims=True)
            x = x + (scores @ values).transpose(0, 2, 1, 3).reshape(rows, n, self.width) @ out
            gate, up = np.split(self._normed(x, norm2) @ gate_up, 2, -1)
            x = x + (gate / (1 + np.exp(-gate.clip(-60))) * up) @ down
        return self._normed(x[:, -1], self.last_norm) @ self.embedding.T

    def _normed(self, x, weight):
        return x * weight / np.sqrt((x * x).mean(-1, keepdims=True) + self.epsilon)
