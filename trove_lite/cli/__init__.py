"""The command line: `trove-lite COMMAND`. It finds the command, and says what went wrong in one
line.

Nothing is imported before a command needs it, so that help and version come at once.
"""

import errno
import io
import os
import re
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from inspect import getdoc
from pathlib import Path

from .. import __version__
from ..errors import DamagedFile, TroveLiteError, UsageError
from ..plugins import Plugins
from . import about_commands, commands
from .commands import say
from .extension import extension
from .options import Parser

#: Commands of other packages, by the group `trove_lite.commands`: loaded when they are named.
FOREIGN: Plugins[Callable] = Plugins("commands", "command", Callable, {})
#: For pandas and Arrow, which read it when they are loaded: a table shares what it does not change,
#: as in pandas 3, and what Arrow frees goes back to the system. A million rows take half of the memory.
LEAN = {"PANDAS_COPY_ON_WRITE": "1", "ARROW_DEFAULT_MEMORY_POOL": "system"}
ENDING = {signal.SIGINT, signal.SIGTERM}  # Ctrl-C, and what schedulers send
HELP = """\
usage: trove-lite COMMAND …

Does making tools help a language model that answers by writing programs?

{}

  trove-lite COMMAND --help   its options, with examples
  trove-lite --version

first steps:
  trove-lite doctor
  trove-lite run --categories counting --seeds 0 --out runs/first"""


def main(words: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status: 1 for what cannot be done, 2 for a wrong command line
    or file.

    SIGTERM, which schedulers send, ends a command exactly as Ctrl-C does. Where no words are given
    this is the process' last act: its end can no more be interrupted, for all is written.
    """
    last = words is None
    caught: list[int] = [signal.SIGINT]

    def end(number: int, _: object) -> None:
        caught[0] = number
        signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGTERM, end)
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # as shells have it behind an &
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors in (
        "strict",
        "surrogateescape",
    ):
        sys.stdout.reconfigure(
            errors="replace"
        )  # a terminal in latin-1, say, has no sign for all that is printed
    words = list(sys.argv[1:] if last else words)
    os.environ.update(LEAN | os.environ)
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)  # what `__main__` held back
        status = _run(words)
        sys.stdout.flush()  # a disk may be full only now
        return status
    except TroveLiteError as error:
        say(f"error: {error}", file=sys.stderr)
        return 2 if isinstance(error, UsageError | DamagedFile) else 1
    except KeyboardInterrupt:
        print(f"interrupted{_what_is_kept(words)}", file=sys.stderr)
        return 128 + caught[0]
    except BrokenPipeError:  # the reader, `head` say, has seen enough
        _print_no_more()
        return 0
    except OSError as error:  # a path that no disk takes, or what is printed goes to a full disk
        if not error.strerror:
            raise
        what = error.filename
        if not what and error.errno == errno.ENOENT:
            what = "the folder that this runs in"
        elif not what:
            what = "what is printed"
            _print_no_more()
        say(f"error: {what}: {error.strerror}", file=sys.stderr)
        return 2
    except RuntimeError as error:
        if not str(error).startswith("Symlink loop"):
            raise
        say(f"error: {error}", file=sys.stderr)
        return 2
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN if last else before)
        if last:
            signal.signal(signal.SIGINT, signal.SIG_IGN)


def _print_no_more() -> None:
    with suppress(OSError):  # of what is no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _what_is_kept(words: Sequence[str]) -> str:
    more = extension()
    if {*words[:1]} & {"run", *(more.RESUMABLE if more else ())}:
        return "; what is done is kept: give the same command again to go on"
    return ""


@cache
def kit_commands() -> Mapping[str, Callable]:
    """Name → what it does, of the kit's own commands, in the order of help."""
    more = extension()
    read, last = (more.COMMANDS, more.LAST) if more else ({}, {})
    about = {
        "fetch": about_commands.fetch,
        "list": about_commands.list_,
        "doctor": about_commands.doctor,
    }
    return {"run": commands.run} | read | about | last


def command_of(name: str) -> Callable:
    """A command by its name. Raises UsageError for none, TroveLiteError for a foreign one that
    fails to load."""
    known = kit_commands()
    if name in known:
        return known[name]
    if name in FOREIGN.points:
        return FOREIGN.load(name)
    raise UsageError(f"no command '{name}': choose from {', '.join((*known, *FOREIGN.points))}")


def _run(words: list[str]) -> int:
    name = words[0] if words else "--help"
    if name in ("-h", "--help", "--version"):
        print(f"trove-lite {__version__}" if name == "--version" else overview())
        return 0
    work = command_of(name)
    given = parser_of(name, words[1:]).given(words[1:])
    if work.__module__ != about_commands.__name__:
        _load_tables()
    try:
        return work(**given) or 0
    except ModuleNotFoundError as error:
        if error.name not in ("nbformat", "papermill", "nbconvert", "itables"):
            raise
        raise TroveLiteError(
            f"no module {error.name}: this needs pip install -e '.[notebooks]'"
        ) from error


def _load_tables() -> None:
    """Load pandas whole: Ctrl-C waits for it. A library that is stopped while it loads fails in words
    of its own, or swallows the signal."""
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        import pandas  # noqa: F401
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)


def overview() -> str:
    lines = (
        f"  {name:<11} {getdoc(work).splitlines()[0].rstrip('.')}"
        for name, work in kit_commands().items()
    )
    return HELP.format("\n".join(lines))


def parser_of(name: str, words: Sequence[str] | None = None) -> Parser:
    """The parser of a command; for these words alone, where they are given, so that nobody else's
    code is loaded."""
    work = command_of(name)
    about, _, examples = getdoc(work).partition("examples:")
    parser = Parser(f"trove-lite {name}", about.splitlines()[0], f"examples:{examples}")
    parser.take(work)
    if name == "run":
        from ..methods import METHODS
        from ..methods.base import Settings
        from ..models.base import SamplingSettings
        from ..running.settings import RunSettings, choices_of

        parser.take(RunSettings, leave=("sampling", "choices"))
        parser.take(SamplingSettings)
        parser.usage = "trove-lite run --out RUN [OPTION …]"
        parser.add_argument(
            "--config",
            type=Path,
            metavar="FILE.yaml",
            help="options by name in a YAML file; the command line overrides",
        )
        wanted = METHODS if words is None else wanted_of(METHODS, words)
        for method, found in METHODS.working(*wanted).items():
            settings = type(found.presets["paper"])
            if choices_of(settings):
                parser.take(settings, method, leave=Settings.__dataclass_fields__)
    return parser


def wanted_of(kind: Plugins, words: Sequence[str]) -> list[str]:
    """The kit's own plug-ins of a kind, and others that these words, or a file that they name,
    speak of."""
    if {"-h", "--help"} & {*words}:
        return list(kind)
    said = "\n".join(words)
    for file in re.findall(r"^--config[=\n](.+)$", said, re.MULTILINE):
        with suppress(OSError, ValueError):
            said += Path(file).read_text(encoding="utf-8")
    others = [name for name in kind.points if re.search(rf"\b{re.escape(name)}\b", said)]
    return list(dict.fromkeys([*kind.of_the_kit, *others]))
