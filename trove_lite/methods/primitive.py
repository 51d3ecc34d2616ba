"""PRIMITIVE and INSTANCE: K programs a problem from one prompt, each problem by itself (TroVE, 2.2)."""

from functools import partial

from .base import Method, ToolSettings, one_prompt

PRESETS = {"paper": ToolSettings(), "official": ToolSettings(isolated=False)}
#: Plain programs, with no tool but the libraries.
#: `same_task`: where prompts show worked examples of other tasks, here those of the task itself, which hold its tool.
#: INSTANCE's prompt asks for functions made for this problem alone.
SAME_TASK = "primitive_same_task"
PRIMITIVE, PRIMITIVE_SAME_TASK, INSTANCE = (
    Method(name, partial(one_prompt, mode=name), modes=(name,), stages=(name,), presets=PRESETS)
    for name in ("primitive", SAME_TASK, "instance")
)
