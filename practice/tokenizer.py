"""Train the tokenizer: byte-level BPE of 1,536 tokens over a sample of the demonstrations.

Digits stand alone, so that numbers are copied digit by digit; headings, code fences and whole identifiers are cut out
before merging, so that a function's name is one token wherever it is frequent enough. The pattern names its characters
one by one (no \\s, no \\d): the practice backend cuts with Python's `re`, and both must cut any text alike.
"""

from pathlib import Path

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, processors, trainers

from .demonstrations import MODES, demonstrate
from .dice import Dice
from .problems import CATEGORIES, LEVELS, draw_item
from .stages import STAGES, demonstrate_stage
from .tables import demonstrate_table

BOS, EOS = "<s>", "</s>"
PATTERN = (
    r"[0-9]"
    r"|\*\*(?:Question|Toolbox|Solution|Tools|Tool|Program|Error)\*\*\n"
    r"|```(?:python)?\n"
    r"|\n *"
    r"|[ _]?[A-Za-z]+(?:_[A-Za-z]+)*"
    r"| ?(?:\*\*|//|[=+\-<>!]=|\.\.\.|[^ \t\n\r\f\vA-Za-z0-9_])"
    r"|[ \t\r\f\v_]"
)


def train_tokenizer(vocabulary: int, examples: int) -> Tokenizer:
    """Train on `examples` demonstrations without slips; deterministic."""
    dice = Dice("tokenizer")
    texts = []
    for _ in range(examples):
        item = draw_item(dice, "train", dice.pick(CATEGORIES), dice.pick(LEVELS))
        texts += [
            "".join(demonstrate(dice, item, dice.pick(MODES))),
            "".join(demonstrate_stage(dice, item, dice.pick(STAGES))),
            "".join(demonstrate_table(dice, dice.pick(MODES))),
        ][: dice.pick((1, 2, 3))]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(PATTERN), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=[BOS, EOS],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    # Text prompts get <s> in transformers and vLLM too, as in training.
    start = [(BOS, tokenizer.token_to_id(BOS))]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{BOS} $A", special_tokens=start
    )
    return tokenizer


def tokenizer(folder: Path, vocabulary: int = 1536, examples: int = 20_000) -> Tokenizer:
    """The tokenizer stored in `folder`, trained first where there is none."""
    path = folder / "tokenizer.json"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        train_tokenizer(vocabulary, examples).save(str(path))
    return Tokenizer.from_file(str(path))
