"""Answers without a program: STANDARD says the answer, CoT thinks before it (CREATOR, 4.1:
Vanilla)."""

from functools import partial

from trove_lite.methods.base import Method, one_prompt

STANDARD, COT = (
    Method(
        name,
        partial(one_prompt, mode=name, runs=False),
        modes=(name,),
        stages=(name,),
        program=None,
    )
    for name in ("standard", "cot")
)
