"""The error rates of others' judges on the pairs of `benchmarks/pairs.csv`:
`.venv-harness/bin/python -m benchmarks.judges`, after `pip install math-verify==0.9.0
antlr4-python3-runtime==4.11` there.

Math-verify's `parse` and `verify`; lm-eval's minerva_math (its own reading of an output, or else
the last box, or else the last line, and its `is_equiv`) and GSM8K's exact match with the filter
flexible-extract; inspect's `math`, `match` (numeric) and `includes`."""

import asyncio
import logging
import re
from importlib.metadata import version

from .judge import print_rates

logging.disable(logging.CRITICAL)
PLAIN = (
    re.compile(r"[,$]"),
    re.compile(r"(?s).*#### "),
    re.compile(r"\.$"),
)  # what GSM8K's task leaves out


def math_verify(gold: str, output: str) -> bool:
    from math_verify import parse, verify

    marked = gold if "$" in gold or "\\" not in gold else f"${gold}$"
    return bool(verify(parse(marked), parse(output)))


def minerva(gold: str, output: str) -> bool:
    from lm_eval.tasks.minerva_math import utils

    box = utils.last_boxed_only_string(output)
    lines = output.strip().splitlines() or [""]
    text = utils.get_unnormalized_answer(output)
    if text == "[invalidanswer]":
        text = (
            utils.remove_boxed(box)
            if box and box.startswith("\\boxed{") and box.endswith("}")
            else lines[-1]
        )
    text, gold = (utils.normalize_final_answer(one).strip() for one in (text, gold))
    return text == gold or bool(utils.is_equiv(text, gold))


def flexible_extract(gold: str, output: str) -> bool:
    found = re.findall(r"(-?[$0-9.,]{2,})|(-?[0-9]+)", output)
    text = next(filter(None, found[-1])) if found else "[invalid]"
    for pattern in PLAIN:
        text = pattern.sub("", text)
        gold = pattern.sub("", gold)
    return text.lower() == gold.lower()


def inspect_scorer(name: str, **settings: object):
    from inspect_ai import scorer
    from inspect_ai.model import ModelOutput
    from inspect_ai.scorer import Target
    from inspect_ai.solver import TaskState

    score = getattr(scorer, name)(**settings)

    def judge(gold: str, output: str) -> bool | None:
        state = TaskState("m", 0, 1, "", [], output=ModelOutput.from_content("m", output))
        try:
            value = asyncio.run(score(state, Target([gold]))).value
        except Exception:  # of sympy's, that the scorer lets through
            return None
        return {"C": True, "I": False}.get(value) if isinstance(value, str) else None

    return judge


if __name__ == "__main__":
    print_rates(f"math-verify {version('math-verify')}", math_verify)
    print_rates(f"lm-eval {version('lm_eval')} minerva_math", minerva)
    print_rates(f"lm-eval {version('lm_eval')} gsm8k flexible-extract", flexible_extract)
    for name, settings in (("math", {}), ("match", {"numeric": True}), ("includes", {})):
        print_rates(f"inspect_ai {version('inspect_ai')} {name}", inspect_scorer(name, **settings))
