"""BLIP, OWL-ViT and OWLv2 by the interface of today's transformers: tiny ones with random weights
look at images."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
import transformers as tf

from trove_lite.errors import TroveLiteError
from trove_lite_papers.images import models as vision_models
from trove_lite_papers.images.broker import Vision

LAYERS = {
    "hidden_size": 32,
    "intermediate_size": 32,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
}
EYES = LAYERS | {"image_size": 64, "patch_size": 16}


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """BLIP, which reads and writes in 40 words."""
    folder = tmp_path_factory.mktemp("models") / "blip"
    words = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        "[DEC]",
        "[ENC]",
        "?",
        *(f"w{n}" for n in range(32)),
    ]
    (folder.parent / "vocab.txt").write_text("\n".join(words))
    text = LAYERS | {
        "vocab_size": len(words),
        "encoder_hidden_size": 32,
        "max_position_embeddings": 32,
    }
    text |= {
        "pad_token_id": 0,
        "bos_token_id": 5,
        "eos_token_id": 3,
        "sep_token_id": 3,
        "projection_dim": 32,
    }
    torch.manual_seed(0)
    config = tf.BlipConfig(text_config=text, vision_config=EYES | {"projection_dim": 32})
    tf.BlipForQuestionAnswering(config).save_pretrained(folder)
    tokenizer = tf.BertTokenizerFast(vocab=str(folder.parent / "vocab.txt"), model_max_length=32)
    tf.BlipProcessor(
        tf.BlipImageProcessor(size={"height": 64, "width": 64}), tokenizer
    ).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module", params=["OwlViT", "Owlv2"])
def finds(request, tmp_path_factory):
    """An OWL whose boxes are random, of which every one scores above the least."""
    folder = tmp_path_factory.mktemp("models") / request.param
    letters = [chr(n) for n in range(97, 123)]
    words = [
        "!",
        "<|startoftext|>",
        "<|endoftext|>",
        *letters,
        *(f"{letter}</w>" for letter in letters),
    ]
    (folder.parent / "vocab.json").write_text(json.dumps({word: n for n, word in enumerate(words)}))
    (folder.parent / "merges.txt").write_text("#version: 0.2\n")
    text = LAYERS | {
        "vocab_size": len(words),
        "max_position_embeddings": 16,
        "bos_token_id": 1,
        "eos_token_id": 2,
    }
    torch.manual_seed(0)
    config = getattr(tf, f"{request.param}Config")(
        text_config=text, vision_config=EYES, projection_dim=32
    )
    model = getattr(tf, f"{request.param}ForObjectDetection")(config)
    model.class_head.logit_shift.bias.data.fill_(3.0)
    model.save_pretrained(folder)
    files = {
        "vocab": str(folder.parent / "vocab.json"),
        "merges": str(folder.parent / "merges.txt"),
    }
    tokenizer = tf.CLIPTokenizerFast(**files, model_max_length=16, pad_token="<|endoftext|>")
    eyes = getattr(tf, f"{request.param}ImageProcessor")(size={"height": 64, "width": 64})
    getattr(tf, f"{request.param}Processor")(eyes, tokenizer).save_pretrained(folder)
    return folder


def asked(vision, kind, text, size=(40, 30), shade=90):
    return json.loads(vision.answer(kind, size, bytes([shade]) * (3 * size[0] * size[1]), text))


def test_both_models_look_and_what_is_asked_at_once_is_looked_at_together(answers, finds):
    vision = Vision(f"transformers:{answers},{finds}")
    assert isinstance(asked(vision, b"vqa", "w1 w2 w3?"), str)
    boxes = asked(vision, b"loc", "cat")
    assert boxes
    assert all(0 <= x1 <= x2 <= 39 and 0 <= y1 <= y2 <= 29 for x1, y1, x2, y2 in boxes)
    alone = [asked(vision, b"vqa", f"w{n}?", shade=n) for n in range(6)]
    models = vision_models.Models(f"{answers},{finds}")
    seen = []
    look, models.answer = (
        models.answer,
        lambda images, texts: seen.append(len(texts)) or look(images, texts),
    )
    with ThreadPoolExecutor(6) as pool:
        pixels = [bytes([n]) * 3600 for n in range(6)]
        together = list(
            pool.map(lambda n: models.see(b"vqa", "", (40, 30), pixels[n], f"w{n}?"), range(6))
        )
    assert together == alone
    assert max(seen) > 1
    assert vision.asked == 8


@pytest.mark.parametrize("size", [(1, 1), (3, 1), (1, 3), (3, 3), (2000, 1)])
@pytest.mark.parametrize("text", ["w1?", "", "w2 " * 300, "\0 ☃"])
def test_images_and_words_of_any_size(size, text, answers, finds):
    vision = Vision(f"transformers:{answers},{finds}")
    assert isinstance(asked(vision, b"vqa", text, size), str)
    assert isinstance(asked(vision, b"loc", text, size), list)


def test_a_run_knows_its_models_by_their_weights(answers, finds):
    assert Vision.identity("transformers:") == "transformers:"
    assert Vision.identity(f"transformers:{answers},a/b").startswith("transformers:blip ")
    assert Vision.identity(f"transformers:{answers}") != Vision.identity(f"transformers:{finds}")


def test_of_boxes_that_cover_one_another_the_surest_stays():
    boxes = [[0, 0, 9, 9], [1, 1, 9.7, 9], [30, 0, 90, 9], [0, 0, 9, 19]]
    assert vision_models.surest(boxes, [0.2, 0.9, 0.3, 0.15], (40, 30)) == [
        [1, 1, 9, 9],
        [30, 0, 39, 9],
        [0, 0, 9, 19],
    ]


def test_no_such_model_is_one_clear_line(tmp_path):
    with pytest.raises(TroveLiteError, match=r"--vision transformers:.*cannot be loaded"):
        Vision(f"transformers:{tmp_path},{tmp_path}")
