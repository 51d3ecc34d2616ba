"""Train the practice model from scratch: a Llama of a million parameters, in under an hour on two cores.

    python -m practice.train --out trove_lite/models/practice/weights    # needs the extra [train]

Two stages: `base` at a constant rate, `finish` with all levels alike at a rate that falls to nothing. Writes weights
(float16), configuration and tokenizer as Hugging Face reads them, and `training.json`, the log. It measures nothing:
see `measure.py`.
"""

import argparse
import json
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file
from torch import nn
from transformers import LlamaConfig

from .demonstrations import demonstrate
from .dice import Dice
from .families import FAMILIES
from .problems import CATEGORIES, LEVELS, draw_item
from .stages import STAGES as STAGES_OF_CREATOR
from .stages import demonstrate_stage
from .tables import demonstrate_table
from .tokenizer import BOS, EOS, tokenizer

WIDTH, LAYERS, HEADS, HIDDEN, CONTEXT, EPSILON = 128, 4, 4, 352, 1024, 1e-5
TOKENS_A_STEP = 4096
WARM_UP = 60
MODE_SHARES = {"skip": 0.3, "create": 0.3, "import": 0.4}
#: What demonstrations are of: TROVE's modes on the problems, CREATOR's stages on the problems, the modes on tables.
SHARES = {"modes": 0.66, "stages": 0.16, "tables": 0.18}
#: In IMPORT mode the first tokens decide whether a tool is used and which: the hard part, so they weigh more.
FIRST_TOKENS, FIRST_WEIGHT = 4, 5.0
STAGES = {
    "base": {"steps": 7000, "rate": 3e-3, "decays": False, "levels": (1.0, 0.9, 0.8, 0.7, 0.6)},
    "finish": {"steps": 1600, "rate": 3e-3, "decays": True, "levels": (1.0, 1.0, 1.0, 1.0, 1.0)},
}


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.input_layernorm = nn.Parameter(torch.ones(WIDTH))
        self.post_attention_layernorm = nn.Parameter(torch.ones(WIDTH))
        self.q_proj, self.k_proj, self.v_proj, self.o_proj = (
            nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(4)
        )
        self.gate_proj, self.up_proj = (nn.Linear(WIDTH, HIDDEN, bias=False) for _ in range(2))
        self.down_proj = nn.Linear(HIDDEN, WIDTH, bias=False)

    def forward(self, x, cosine, sine, mask):
        batch, length, _ = x.shape
        y = F.rms_norm(x, (WIDTH,), self.input_layernorm, EPSILON)
        q, k, v = (
            f(y).view(batch, length, HEADS, -1).transpose(1, 2)
            for f in (self.q_proj, self.k_proj, self.v_proj)
        )
        # Plain products: for sequences this short the fused kernel is slower on a CPU.
        scores = (
            rotate(q, cosine, sine)
            * q.shape[-1] ** -0.5
            @ rotate(k, cosine, sine).transpose(-1, -2)
        )
        y = torch.softmax(scores.float() + mask, -1).to(v.dtype) @ v
        x = x + self.o_proj(y.transpose(1, 2).reshape(batch, length, WIDTH))
        y = F.rms_norm(x, (WIDTH,), self.post_attention_layernorm, EPSILON)
        return x + self.down_proj(F.silu(self.gate_proj(y)) * self.up_proj(y))


def rotate(x, cosine, sine):
    a, b = x.float().chunk(2, -1)
    return torch.cat([a * cosine - b * sine, b * cosine + a * sine], -1).to(x.dtype)


class PracticeModel(nn.Module):
    def __init__(self, vocabulary: int):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm = nn.Parameter(torch.ones(WIDTH))
        size = WIDTH // HEADS
        angles = torch.outer(torch.arange(512.0), 10_000.0 ** (-torch.arange(0, size, 2) / size))
        self.register_buffer("cosine", angles.cos(), False)
        self.register_buffer("sine", angles.sin(), False)
        self.register_buffer("mask", torch.full((512, 512), float("-inf")).triu(1), False)
        for name, weight in self.named_parameters():
            if weight.dim() == 2:
                gain = 0.4 if "o_proj" in name or "down_proj" in name else 0.7
                nn.init.normal_(
                    weight, std=0.02 if "embed" in name else gain * weight.shape[1] ** -0.5
                )

    def forward(self, tokens, chosen, targets, weights):
        """The weighted sum of losses at the `chosen` positions of the flattened batch."""
        x, length = self.embed(tokens), tokens.shape[1]
        for block in self.blocks:
            x = block(x, self.cosine[:length], self.sine[:length], self.mask[:length, :length])
        x = F.rms_norm(x.reshape(-1, WIDTH)[chosen], (WIDTH,), self.norm, EPSILON)
        losses = F.cross_entropy(F.linear(x, self.embed.weight).float(), targets, reduction="none")
        return (losses * weights).sum()

    def hugging_face(self) -> dict[str, torch.Tensor]:
        """The parameters under the names that LlamaForCausalLM gives them."""
        state = {"model.embed_tokens.weight": self.embed.weight, "model.norm.weight": self.norm}
        for i, block in enumerate(self.blocks):
            for name, weight in block.named_parameters():
                part = name.removesuffix(".weight")
                room = (
                    "self_attn." if part[0] in "qkvo" else "mlp." if part.endswith("_proj") else ""
                )
                state[f"model.layers.{i}.{room}{part}.weight"] = weight
        return state


def examples(dice: Dice, tokens, levels: tuple[float, ...], split: str, count: int) -> list[tuple]:
    """`count` demonstrations or one more as (prompt tokens, completion tokens, mode)."""
    start, end = tokens.token_to_id(BOS), tokens.token_to_id(EOS)
    drawn = []
    while len(drawn) < count:
        drawn += draw(dice, levels, split)
    prompts = tokens.encode_batch([p for p, _, _ in drawn], add_special_tokens=False)
    completions = tokens.encode_batch([c for _, c, _ in drawn], add_special_tokens=False)
    return [
        ([start, *p.ids], [*c.ids, end], m)
        for p, c, (_, _, m) in zip(prompts, completions, drawn, strict=True)
    ]


def draw(dice: Dice, levels: tuple[float, ...], split: str) -> list[tuple[str, str, str]]:
    """One demonstration, or the two of a pair, as (prompt, completion, mode)."""
    slips, what = split == "train", dice.weighted(list(SHARES), list(SHARES.values()))
    mode = dice.weighted(list(MODE_SHARES), list(MODE_SHARES.values()))
    # IMPORT comes in pairs, the right tool listed and not, so that the toolbox has to be read.
    pair = (True, False) if mode == "import" else (None,)
    if what == "tables":
        return [
            (*demonstrate_table(dice, mode, slips=slips, listed=listed), mode) for listed in pair
        ]
    sizes = [
        len(FAMILIES[category]) for category in CATEGORIES
    ]  # no family is rarer for the size of its category
    item = draw_item(dice, split, dice.weighted(CATEGORIES, sizes), dice.weighted(LEVELS, levels))
    if what == "stages":
        stage = dice.pick(STAGES_OF_CREATOR)
        return [(*demonstrate_stage(dice, item, stage, slips=slips), stage)]
    return [(*demonstrate(dice, item, mode, slips=slips, listed=listed), mode) for listed in pair]


def batches(dice: Dice, tokens, levels, split="train", pool=4096):
    """Batches of about TOKENS_A_STEP tokens, examples of like length together, in random order, without end."""
    while True:
        found = sorted(
            examples(dice, tokens, levels, split, pool), key=lambda e: len(e[0]) + len(e[1])
        )
        groups, group = [], []
        for example in found:
            if (
                group
                and padded(len(example[0]) + len(example[1])) * (len(group) + 1) > TOKENS_A_STEP
            ):
                groups.append(group)
                group = []
            group.append(example)
        for batch in dice.shuffled([*groups, group]):
            yield collate(batch, tokens.token_to_id(EOS))


def padded(length: int) -> int:
    return (length + 7) // 8 * 8


def collate(group, end):
    length = padded(max(len(p) + len(c) for p, c, _ in group) - 1)
    ids = torch.full((len(group), length), end)
    chosen, targets, weights = [], [], []
    for row, (prompt, completion, mode) in enumerate(group):
        text = (prompt + completion)[:-1]
        ids[row, : len(text)] = torch.tensor(text)
        first = row * length + len(prompt) - 1
        chosen += range(first, first + len(completion))
        targets += completion
        weights += [
            FIRST_WEIGHT if mode == "import" and i < FIRST_TOKENS else 1.0
            for i in range(len(completion))
        ]
    return ids, torch.tensor(chosen), torch.tensor(targets), torch.tensor(weights)


def train(
    model, tokens, stage: str, seed: int, out: Path, log: list, limit: int | None = None
) -> None:
    """One stage: Muon for the matrices inside the blocks, AdamW for the rest; the rate is constant, or falls to 0."""
    steps, peak = limit or STAGES[stage]["steps"], STAGES[stage]["rate"]
    inner = [w for n, w in model.named_parameters() if w.dim() == 2 and "embed" not in n]
    outer = [w for n, w in model.named_parameters() if w.dim() != 2 or "embed" in n]
    optimizers = [
        torch.optim.Muon(
            inner, lr=peak, weight_decay=0.01, momentum=0.95, adjust_lr_fn="match_rms_adamw"
        ),
        torch.optim.AdamW(outer, lr=peak, betas=(0.9, 0.98), weight_decay=0.0),
    ]
    compiled = torch.compile(model, dynamic=True)
    data = batches(Dice(f"{stage}/{seed}"), tokens, STAGES[stage]["levels"])
    began, seen, total, count = time.time(), 0, 0.0, 0.0
    for step in range(1, steps + 1):
        rate = (
            peak
            * min(1, step / WARM_UP)
            * (1 - step / (steps + 1) if STAGES[stage]["decays"] else 1)
        )
        for optimizer in optimizers:
            for group in optimizer.param_groups:
                group["lr"] = rate
        batch = next(data)
        with torch.autocast("cpu", torch.bfloat16):
            loss = compiled(*batch)
        (loss / batch[3].sum()).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        seen, total, count = (
            seen + batch[0].numel(),
            total + loss.item(),
            count + float(batch[3].sum()),
        )
        if step % 50 == 0 or step == steps:
            log.append(
                {"stage": stage, "step": step, "loss": round(total / count, 4), "tokens": seen}
            )
            log[-1]["seconds"] = round(time.time() - began)
            print(log[-1], flush=True)
            total = count = 0.0
        if step % 200 == 0 or step == steps:
            save(model, tokens, out, log)


def save(model, tokens, out: Path, log: list) -> None:
    """Write everything that a loader needs, and the log."""
    start, end = tokens.token_to_id(BOS), tokens.token_to_id(EOS)
    sizes = {
        "vocab_size": tokens.get_vocab_size(),
        "hidden_size": WIDTH,
        "intermediate_size": HIDDEN,
    }
    sizes |= {
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "num_key_value_heads": HEADS,
    }
    how = {"max_position_embeddings": CONTEXT, "rms_norm_eps": EPSILON, "tie_word_embeddings": True}
    how |= {"bos_token_id": start, "eos_token_id": end, "pad_token_id": end, "rope_theta": 10_000.0}
    LlamaConfig(
        **sizes, **how, architectures=["LlamaForCausalLM"], dtype="float16"
    ).save_pretrained(out)
    # By hand: what transformers 5 writes, transformers 4 cannot read.
    special = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": BOS,
        "eos_token": EOS,
        "pad_token": EOS,
    }
    write_json(
        out / "tokenizer_config.json",
        special | {"model_max_length": CONTEXT, "clean_up_tokenization_spaces": False},
    )
    tokens.save(str(out / "tokenizer.json"))
    weights = {
        name: w.detach().half().contiguous().clone() for name, w in model.hugging_face().items()
    }
    save_file(weights, out / "model.safetensors", metadata={"format": "pt"})
    write_json(out / "training.json", log)


def write_json(path: Path, content) -> None:
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, required=True, help="folder for weights and tokenizer")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--threads",
        type=int,
        default=1,
        help="1: two are hardly faster, and sums come out otherwise",
    )
    parser.add_argument(
        "--start", type=Path, help="folder with weights to start from, for --stages finish alone"
    )
    parser.add_argument("--stages", nargs="+", default=list(STAGES), choices=STAGES)
    parser.add_argument("--steps", type=int, help="fewer steps a stage, to try things out")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    tokens = tokenizer(options.start or options.out)
    options.out.mkdir(parents=True, exist_ok=True)
    model, log = PracticeModel(tokens.get_vocab_size()), []
    if options.start:
        log = json.loads((options.start / "training.json").read_text(encoding="utf-8"))
        old = load_file(options.start / "model.safetensors")
        with torch.no_grad():
            for name, weight in model.hugging_face().items():
                weight.copy_(old[name])
    print(f"{sum(w.numel() for w in model.parameters()):,} parameters", flush=True)
    for stage in options.stages:
        train(model, tokens, stage, options.seed, options.out, log, options.steps)


if __name__ == "__main__":
    main()
