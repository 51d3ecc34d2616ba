"""PRIMITIVE and INSTANCE: K programs a problem from one prompt, each problem by itself (TroVE,
2.2)."""

from functools import partial

from .base import Method, ToolSettings, one_prompt

PRESETS = {"paper": ToolSettings(), "official": ToolSettings(isolated=False)}
#: Plain programs; the same where prompts show examples of the task itself, which hold its tool, and
#: not other tasks'; programs with functions made for this problem alone.
PRIMITIVE, PRIMITIVE_SAME_TASK, INSTANCE = (
    Method(name, partial(one_prompt, mode=name), modes=(name,), stages=(name,), presets=PRESETS)
    for name in ("primitive", "primitive_same_task", "instance")
)
