"""A model's text → solution, tools, and the program that runs.

Works on text alone: it never executes anything and never raises on what a model wrote. `PARSERS` names two ways to
read a completion: `official`, by lines and substrings, quirk by quirk, and `strict`, by syntax trees.
"""

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .errors import TroveLiteError, encodable
from .programs import Tool, code_blocks

BLOCK = re.compile(r"```python[ \t]*\n(.*?)(?:```|\Z)", re.DOTALL)
#: Where a completion goes on to a problem that nobody asked.
NEXT_PROBLEM = re.compile(r"\*\*Question|## Example")
HEADING = re.compile(r"^[ \t]*\*\*(Solution|Tools)\*\*:?[ \t]*$", re.MULTILINE)
ANY_FENCED = re.compile(r"^```(?:python3?|py)?[ \t]*\n(.*?)(?:^```|\Z)", re.DOTALL | re.MULTILINE)


class Parsed(NamedTuple):
    """A completion's Solution section (text, with its fences) and the tools of its Tools section."""

    solution: str
    tools: tuple[Tool, ...]


def parse_completion(text: str, parser: str = "official") -> Parsed:
    """Read a completion by one of PARSERS. Raises TroveLiteError for an unknown parser, never for a text."""
    if parser not in PARSERS:
        raise TroveLiteError(f"no parser named '{parser}': choose from {', '.join(PARSERS)}")
    return PARSERS[parser](NEXT_PROBLEM.split(text, maxsplit=1)[0].strip())


def parse_tools(section: str) -> tuple[Tool, ...]:
    """The tools of a Tools section by the official rules (`utils/code.py`).

    A block with a line that looks like a definition holds functions, each with all that stands before the first one,
    its imports say; in any other block each line with the word "import" is an import.
    """
    return tuple(tool for block in code_blocks(section.strip()) for tool in _tools_in(block.split("\n")))


def _official(text: str) -> Parsed:
    """The last Solution and the last Tools heading count, in either order; without one all is solution."""
    if not text.startswith("**Solution**"):
        text = f"**Solution**\n{text}"
    lines = text.split("\n")
    solution = max(i for i, line in enumerate(lines) if line.startswith("**Solution**"))
    tools = max((i for i, line in enumerate(lines) if line.startswith("**Tools**")), default=len(lines))
    ends = {min(solution, tools): max(solution, tools)}
    section = {at: "\n".join(lines[at + 1 : ends.get(at)]).strip() for at in (solution, tools)}
    return Parsed(section[solution], parse_tools(section[tools]))


def _tools_in(lines: list[str]) -> Iterator[Tool]:
    starts = [i for i, line in enumerate(lines) if all(sign in line for sign in ("def", "(", ")", ":"))]
    if not starts:
        for line in lines:
            if "import" in line:
                yield from _imports(line.strip())
        return
    before = "\n".join(lines[: starts[0]])
    for start, end in zip(starts, [*starts[1:], None], strict=True):
        code = "\n".join(lines[start:end])
        try:
            yield Tool(*_described(code), f"{before}\n{code}", "function")
        except ValueError:  # a sign that should be there is not: no tool
            continue


def _described(code: str) -> tuple[str, str, str]:
    """Name, signature and docstring of a function, by searching for the signs that usually enclose them."""
    start = code.index("def") + 3
    name = code[start : code.index("(", start)].strip()
    signature = code[start : code.index(":", code.index(")", start))].strip()
    if '"""' not in code:
        return name, signature, ""
    opening = code.index('"""') + 3
    closing = code.find("Args:", opening)
    return name, signature, code[opening : closing if closing >= 0 else code.index('"""', opening)].strip()


def _imports(line: str) -> Iterator[Tool]:
    """`from a import b, c` is two tools; of `import a, b` only a is registered, but the whole line is its code."""
    if line.startswith("import"):
        names = [name.strip() for name in line[6:].split(",") if name.strip()] if "," in line else [line[6:]]
        for name in names[:1]:
            yield Tool(name.split(" as")[0].strip(), line, line, line, "import")
    elif line.startswith("from"):
        at = line.index("import")
        library, names = line[5:at].strip(), line[at + 6 :].strip()
        if "," not in line:
            yield Tool(f"{library}.{names}", line, line, line, "import")
            return
        for name in filter(None, map(str.strip, names.split(","))):
            source = f"from {library} import {name}"
            yield Tool(f"{library}.{name}", source, source, source, "import")


def _strict(text: str) -> Parsed:
    """All sections of a name together; tools are what a syntax tree says, and what does not parse is none.

    A reply without a Solution is one as a whole: models write all of it under Tools.
    """
    before, *parts = HEADING.split(text)  # text before the first heading, then name and text in turn
    sections = {"Solution": [], "Tools": []}
    for name, body in zip(parts[::2], parts[1::2], strict=True):
        sections[name].append(body)
    tools = "\n".join(sections["Tools"])
    solution = "\n".join(sections["Solution"] or [before if ANY_FENCED.search(before) else before + tools]).strip()
    blocks = [match[1].strip() for match in ANY_FENCED.finditer(solution)]
    if blocks:
        solution = "```python\n" + "\n\n".join(blocks) + "\n```"
    return Parsed(solution, tuple(tool for match in ANY_FENCED.finditer(tools) for tool in _strict_tools(match[1])))


def _strict_tools(code: str) -> Sequence[Tool]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            body = ast.parse(code).body
        shared = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom | ast.Assign)]
        before = "".join(f"{ast.unparse(node)}\n" for node in shared)
        tools = []
        for node in body:
            if isinstance(node, ast.FunctionDef):
                returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
                signature = f"{node.name}({ast.unparse(node.args)}){returns}"
                docstring = encodable(ast.get_docstring(node) or "").split("\n\n")[0]  # its "\\ud800" is a character
                tools.append(Tool(node.name, signature, docstring, before + ast.unparse(node), "function"))
            elif isinstance(node, ast.Import | ast.ImportFrom):
                tools += _strict_imports(node)
        return tools
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _strict_imports(node: ast.Import | ast.ImportFrom) -> Iterator[Tool]:
    module = f"{'.' * node.level}{node.module or ''}." if isinstance(node, ast.ImportFrom) else ""
    for alias in node.names:
        one = ast.Import([alias]) if isinstance(node, ast.Import) else ast.ImportFrom(node.module, [alias], node.level)
        source = ast.unparse(one)
        yield Tool(f"{module}{alias.name}", source, source, source, "import")


#: Ways to read a completion.
PARSERS = {"official": _official, "strict": _strict}
