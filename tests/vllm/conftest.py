"""A tiny random Llama."""

import json
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory) -> Path:
    """Two layers of width 128 and a byte-level BPE of 384 tokens, with random weights from a fixed
    seed."""
    import torch
    from tokenizers import ByteLevelBPETokenizer
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("tiny") / "llama"
    words = ByteLevelBPETokenizer()
    words.train_from_iterator(
        [
            "**Question** **Solution** **Tools** ```python print(1 + 2) import math def f(x): return x"
        ]
        * 9,
        vocab_size=384,
        special_tokens=["<s>", "</s>"],
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=words._tokenizer, bos_token="<s>", eos_token="</s>"
    )
    torch.manual_seed(0)
    size = {"vocab_size": 384, "hidden_size": 128, "intermediate_size": 256, "num_hidden_layers": 2}
    size |= {"num_attention_heads": 4, "num_key_value_heads": 4, "max_position_embeddings": 4096}
    LlamaForCausalLM(LlamaConfig(**size, bos_token_id=0, eos_token_id=1)).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    # What `vllm serve` would use where a request is silent. Ours are not: with this in force
    # nothing would be random.
    (folder / "generation_config.json").write_text(
        json.dumps({"bos_token_id": 0, "eos_token_id": 1, "top_k": 1})
    )
    return folder
