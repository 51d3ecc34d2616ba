"""The commands on what is there: list, fetch, doctor. A signature is a command's options."""

from inspect import getdoc
from typing import Literal

from ..errors import TroveLiteError
from ..plugins import Plugins
from .commands import say
from .extension import extension


def list_(what: Literal["methods", "datasets", "models", "prompts", "logs"] | None = None) -> None:
    """List the names that an option may have, and where each comes from: the kit, or a plug-in.

    what: the kind of names: methods, datasets, models, prompts or logs

    examples:
      trove-lite list methods
    """
    from ..datasets import DATASETS
    from ..methods import METHODS
    from ..models import MODELS, load_model
    from ..prompts import PACKS

    kinds = {"methods": METHODS, "datasets": DATASETS, "models": MODELS, "prompts": PACKS}
    more = extension()
    if not what:
        print(*kinds, *(["logs"] if more else []), sep="\n")
        return
    if what == "logs":
        formats = more.formats() if more else {}
        say(*(f"{name:<20} {source}" for name, source in formats.items()))
        return
    names = kinds[what]
    if what == "models":
        print(*getdoc(load_model).split("\n\n")[1:2], sep="\n")
        names = names.points
    for name in names:
        say(f"{name:<20} {kinds[what].source(name):<40} {about_plugin(kinds[what], name)}")


def about_plugin(kind: Plugins, name: str) -> str:
    """What a plug-in is in one line, or why it cannot be had."""
    from importlib import import_module

    from ..datasets.base import Dataset

    try:
        found = kind.load(name)
    except TroveLiteError as error:
        return f"error: {error}"
    if isinstance(found, Dataset):
        return f"{found.title}, {len(found.categories)} categor{'y' if len(found.categories) == 1 else 'ies'}"
    return (getdoc(import_module(kind[name].partition(":")[0])) or "").partition("\n")[0]


def fetch(groups: tuple[str, ...]) -> None:
    """Download public files and check their content.

    groups: math, tabmwp, wtq, hitab (problems), prompts (official ones), logs (runs), and those of
        plug-ins, such as bbh and latm

    examples:
      trove-lite fetch math prompts
    """
    from ..datasets.files import data_folder, fetch, files_of, not_here

    for group in groups:
        if files := files_of(group).values():
            print(
                f"{group}: {len(files)} files, {sum(file.bytes for file in files) / 1e6:,.1f} MB in all",
                flush=True,
            )
        paths = fetch(group)
        print(f"{group}: {len(paths)} files in {data_folder()}, checksums right")
        for file in not_here(group):
            print(f"{group}: listed by its repository, but could not be had: {file.url}")


def doctor(*, model: str = "") -> int:
    """Say what works on this machine: isolation, data, engine, GPU, server.

    model: a model to ask, named as for `trove-lite run`

    examples:
      trove-lite doctor
      trove-lite doctor --model http://localhost:8000/v1#NAME
    """
    from .doctor import examine

    lines = examine(model)
    say(*(f"{'ok ' if line.usable else '-- '} {line.name:10} {line.text}" for line in lines))
    return int(bool(model) and not lines[-1].usable)
