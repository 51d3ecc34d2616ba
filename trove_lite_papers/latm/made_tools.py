"""Tools that were made elsewhere, for a run that uses them: GPT-4's six of LATM, another run's, or
files."""

import json
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

from trove_lite.datasets.files import pinned_file
from trove_lite.errors import TroveLiteError, UsageError
from trove_lite.methods.base import Method

from . import bbh

RELEASED_MAKER = "GPT-4"
#: The methods that make a tool of code, and one of thoughts.
TOOL_MAKER = "latm"
THOUGHT_MAKER = "made_cot"
#: Method → what an entry of `run.json` says of what it made.
MADE = {TOOL_MAKER: "proposals", THOUGHT_MAKER: "thoughts"}


def transcript(category: str) -> list[dict]:
    """The released chat in which GPT-4 made the tool of a task: turns of `role` and `content`."""
    return json.loads(
        pinned_file("latm", f"tools/{bbh.FILES[category]}.json").read_text(encoding="utf-8")
    )


def released_tool(category: str) -> str:
    """The wrapped tool that GPT-4 made for a task: the function and its use cases, as a user reads
    them."""
    return transcript(category)[-1]["content"]


def made_tools(folder: str | Path, method: str = TOOL_MAKER) -> dict[str, str]:
    """The wrapped tools that a live run made, or its thoughts, by category: the setting `tools` of
    another user's run.

    Of several trials it is the first tool made; "" for a task whose maker always failed. A run of
    several seeds made a tool in each, CATEGORY#SEED, for a user of the same seed. Raises
    TroveLiteError where a folder holds none.
    """
    tools = {}
    of_seeds = {}
    counted = MADE.get(method, MADE[TOOL_MAKER])
    for trial in complete_description(folder)["toolboxes"]:
        if trial.get(counted):
            category = trial["category"]
            seed = trial["seed"]
            for found, key in ((tools, category), (of_seeds, f"{category}#{seed}")):
                found[key] = found.get(key) or trial["tool"]
    if not tools:
        raise TroveLiteError(
            f"{folder}: its run made no tools; name one of method '{method}' whose maker was asked"
        )
    return tools | (of_seeds if len({key.rpartition("#")[2] for key in of_seeds}) > 1 else {})


def complete_description(folder: str | Path) -> dict:
    from trove_lite.candidates import (
        read_description,
    )  # with the tables' libraries, which no option needs

    about = read_description(folder)
    if "toolboxes" not in about:
        raise TroveLiteError(
            f"{folder}: no complete run; run the same command again to complete it"
        )
    return {"models": {"solver": about.get("model", "unknown")}} | about  # older runs knew no roles


def tool_settings(sources: Sequence[str | Path], method: str = TOOL_MAKER) -> dict[str, object]:
    """The settings `tools` and `maker` of LATM, or of another `method` that takes any, for tools
    made elsewhere.

    sources: `released` for GPT-4's six, a run folder, or files, each the wrapped tool of the task
    that it is named after (word_sorting.md). Raises TroveLiteError for what is none of these.
    """
    first = Path(sources[0])
    if list(map(str, sources)) == ["released"]:
        if method == THOUGHT_MAKER:
            raise TroveLiteError(
                "tool released: GPT-4's thoughts were not released; give a run folder, or files"
            )
        return {
            "tools": {category: released_tool(category) for category in bbh.FILES},
            "maker": RELEASED_MAKER,
        }
    if len(sources) == 1 and first.is_dir():
        models = complete_description(first)["models"]
        return {
            "tools": made_tools(first, method),
            "maker": str(models.get("maker", models["solver"])),
        }
    try:
        tools = {Path(source).stem: Path(source).read_text(encoding="utf-8") for source in sources}
    except (OSError, UnicodeDecodeError) as error:
        remedy = "give `released`, a run folder, or a file named after its task"
        raise TroveLiteError(f"tool {first}: cannot be read ({error}); {remedy}") from error
    return {"tools": tools, "maker": first.resolve().parent.name}


def for_run(sources: Sequence[str], method: Method, categories: Sequence[str]) -> dict[str, object]:
    """What `--tool` of a run sets of a method: those of `tool_settings` that it has. Refuses tools
    that a category of a maker's run lacks."""
    found = tool_settings(sources, method.name)
    lacking = [category for category in categories if category not in found["tools"]]
    if lacking and method.examples:
        tasks = dict.fromkeys(task.partition("#")[0] for task in found["tools"])
        raise UsageError(f"--tool: there is none for {lacking[0]}, but for {', '.join(tasks)}")
    known = {field.name for field in fields(method.presets["paper"])}
    return {name: value for name, value in found.items() if name in known}
