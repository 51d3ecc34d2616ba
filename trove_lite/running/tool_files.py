"""Functions in a file, whoever wrote them → tools of a toolbox. Here they are read; they run in the
sandbox alone."""

import csv
import io
from pathlib import Path

from ..errors import DamagedFile
from ..journal import text_of
from ..programs import NOT_PARSED, Tool, Tools, plain_name, statements
from ..programs.parse import isolated_tools

#: The column of a CSV file that holds functions, as CRAFT's toolsets have it.
COLUMN = "tool"
KINDS = (".py", ".csv")


def tools_of_file(file: Path) -> Tools:
    """The functions of a Python file, or of a CSV file's column `tool`, with what each needs; of
    one name the first."""
    found: dict[str, Tool] = {}
    for line, code in _blocks(file):
        try:
            statements(code)
        except NOT_PARSED as error:
            line += (getattr(error, "lineno", None) or 1) - 1
            raise DamagedFile(
                f"{file}, line {line}: is no Python ({type(error).__name__}: {error})"
            ) from error
        tools = [tool for tool in isolated_tools([code]).tools if tool.kind == "function"]
        if not tools:
            raise DamagedFile(f"{file}, line {line}: defines no function; leave it out")
        for tool in tools:
            found.setdefault(plain_name(tool.name), tool)
    if not found:
        raise DamagedFile(f"{file}: holds no function")
    return tuple(found.values())


def _blocks(file: Path) -> list[tuple[int, str]]:
    """Pieces of code with the line at which each begins."""
    text = text_of(file)
    if file.suffix == ".py":
        return [(1, text)]
    csv.field_size_limit(10**9)
    reader = csv.DictReader(io.StringIO(text, newline=""))
    blocks = []
    line = 2
    if COLUMN not in (reader.fieldnames or ()):
        raise DamagedFile(f"{file}, line 1: has no column '{COLUMN}', which holds the functions")
    for row in reader:
        blocks.append((line, row[COLUMN] or ""))
        line = reader.line_num + 1
    return blocks
