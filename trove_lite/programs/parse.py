"""A model's text → what it thought, solution, tools, and the program that runs.

Works on text alone, in time linear in it: it never executes anything and never raises on what a
model wrote. Of a reply that is longer than LONGEST_REPLY nothing is read. `PARSERS` names two ways
to read a completion: `official`, by lines and substrings, quirk by quirk, and `strict`, by fences
that begin a line and by syntax trees. By both, functions may be read `isolated`: definitions with
what they need, and no other statement. A reply whose program is all its blocks is read by
`read_blocks`.
"""

import ast
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice
from typing import NamedTuple

from ..errors import encodable, one_of
from . import (
    IMPORTS,
    LONGEST_REPLY,
    LONGEST_TOOLS,
    NOT_PARSED,
    Tool,
    Tools,
    code_blocks,
    fenced,
    parsed,
    statements,
)
from .definitions import Definition, definitions

#: Where a completion goes on to a problem that nobody asked.
NEXT_PROBLEM = re.compile(r"\*\*Question|## Example")
HEADING = re.compile(r"^[ \t]*\*\*(Solution|Tools)\*\*:?[ \t]*$", re.MULTILINE)


class Parsed(NamedTuple):
    """A completion's Solution section (text, with its fences), and the tools of its Tools section.
    code: what of that section runs with the solution, in parts. left_out: how many of its
    statements do not."""

    solution: str
    tools: Tools
    code: tuple[str, ...] = ()
    left_out: int = 0


def parse_completion(text: str, parser: str = "official", *, isolated: bool = False) -> Parsed:
    """Read a completion by one of PARSERS. Raises TroveLiteError for an unknown parser, never for a
    text. isolated: functions and classes are tools by `definitions`; in blocks without any, imports
    as the parser has them."""
    one_of("no parser named", parser, PARSERS)
    found = PARSERS[parser](NEXT_PROBLEM.split(_said(text), maxsplit=1)[0].strip())
    if isolated:
        return isolated_tools(found.code)._replace(solution=found.solution)
    return found._replace(code=tuple(tool.source for tool in found.tools))


def _said(text: str) -> str:
    """A reply without its thinking; "" for one that is too long to be read."""
    said = without_thinking(text)[0]
    return said if len(said) <= LONGEST_REPLY else ""


def isolated_tools(blocks: Iterable[str]) -> Parsed:
    """The tools in blocks of code, each a definition with what it needs, and the code of all,
    without a solution."""
    tools = []
    code = []
    left_out = 0
    for block in blocks:
        found = definitions(block)
        imports = _bounded(_imports(block.split("\n")))
        if found and found.tools:
            tools += map(_tool, found.tools)
            tools += [tool for tool in imports if tool.name.startswith("toolbox.")]
            code.append(found.code)
            left_out += len(found.left_out)
        else:
            tools += imports
            code += [tool.source for tool in imports]
    return Parsed("", tuple(tools), tuple(code), left_out)


def _tool(found: Definition) -> Tool:
    """A definition as prompts show it: a function as ever, a class as it is called."""
    signature = found.call
    docstring = encodable(found.docstring).split("\n\n")[0]
    if function := re.search(r"^(?:async +)?def\b.*", found.text, re.DOTALL | re.MULTILINE):
        with suppress(ValueError):  # a docstring's sign that encloses none
            _, signature, docstring = _described(function[0])
    return Tool(found.name, signature, docstring, found.source, "function")


def parse_tools(section: str) -> Tools:
    """The tools of a Tools section by the official rules (`utils/code.py`). A block with a line
    that looks like a definition holds functions, each with all that is before the first one,
    such as its imports; in any other block each line with the word "import" is an import."""
    blocks = code_blocks(section.strip()) if len(section) <= 2 * LONGEST_TOOLS else ()
    return _bounded(tool for block in blocks for tool in _tools_in(block.split("\n")))


def _bounded(tools: Iterable[Tool]) -> Tools:
    """These tools; none where they are longer than LONGEST_TOOLS."""
    found = []
    left = LONGEST_TOOLS
    for tool in tools:
        left -= len(tool.source)
        if left < 0:
            return ()
        found.append(tool)
    return tuple(found)


def _official(text: str) -> Parsed:
    """The last Solution and the last Tools heading count, in either order; without one all is
    solution."""
    if not text.startswith("**Solution**"):
        text = f"**Solution**\n{text}"
    lines = text.split("\n")
    solution = max(i for i, line in enumerate(lines) if line.startswith("**Solution**"))
    tools = max(
        (i for i, line in enumerate(lines) if line.startswith("**Tools**")), default=len(lines)
    )
    ends = {min(solution, tools): max(solution, tools)}
    section = {at: "\n".join(lines[at + 1 : ends.get(at)]).strip() for at in (solution, tools)}
    return Parsed(
        section[solution], parse_tools(section[tools]), tuple(code_blocks(section[tools]))
    )


def _tools_in(lines: list[str]) -> Iterator[Tool]:
    starts = [
        i for i, line in enumerate(lines) if all(sign in line for sign in ("def", "(", ")", ":"))
    ]
    if not starts:
        yield from _imports(lines)
        return
    before = "\n".join(lines[: starts[0]])
    for start, end in zip(starts, [*starts[1:], None], strict=True):
        code = "\n".join(lines[start:end])
        try:
            yield Tool(*_described(code), f"{before}\n{code}", "function")
        except ValueError:  # a sign that should be there is not: no tool
            continue


def _described(code: str) -> tuple[str, str, str]:
    """Name, signature and docstring of a function, by searching for the signs that usually enclose
    them."""
    start = code.index("def") + 3
    name = code[start : code.index("(", start)].strip()
    signature = code[start : code.index(":", code.index(")", start))].strip()
    if '"""' not in code:
        return name, signature, ""
    opening = code.index('"""') + 3
    closing = code.find("Args:", opening)
    return (
        name,
        signature,
        code[opening : closing if closing >= 0 else code.index('"""', opening)].strip(),
    )


def _imports(lines: Iterable[str]) -> Iterator[Tool]:
    """`from a import b, c` is two tools; of `import a, b` only a is registered, but the whole line
    is its code."""
    for line in (line.strip() for line in lines if "import" in line):
        if line.startswith("import"):
            names = (
                list(filter(None, map(str.strip, line[6:].split(","))))
                if "," in line
                else [line[6:]]
            )
            for name in names[:1]:
                yield Tool(name.split(" as")[0].strip(), line, line, line, "import")
        elif line.startswith("from"):
            at = line.index("import")
            library = line[5:at].strip()
            names = line[at + 6 :].strip()
            for name in filter(None, map(str.strip, names.split(","))) if "," in line else [names]:
                source = f"from {library} import {name}" if "," in line else line
                yield Tool(f"{library}.{name}", source, source, source, "import")


def _strict(text: str) -> Parsed:
    """All sections of a name together; tools are what a syntax tree says, and what does not parse
    is none. A reply without a Solution is one as a whole: models write all of it under Tools. Where
    there are no Tools, the text before a Solution holds them: models leave their heading out."""
    before, *parts = HEADING.split(
        text
    )  # text before the first heading, then name and text in turn
    sections = {"Solution": [], "Tools": []}
    for name, body in zip(parts[::2], parts[1::2], strict=True):
        sections[name].append(body)
    tools = "\n".join(sections["Tools"] or ([before] if sections["Solution"] else []))
    solution = "\n".join(
        sections["Solution"] or [before if "```" in before else before + tools]
    ).strip()
    if blocks := python_blocks(solution):
        solution = fenced("\n\n".join(blocks))
    made = tuple(python_blocks(tools))
    return Parsed(solution, _bounded(chain.from_iterable(map(_strict_tools, made))), made)


def _strict_tools(code: str) -> Sequence[Tool]:
    try:
        body = statements(code)
        shared = [node for node in body if isinstance(node, IMPORTS | ast.Assign)]
        before = "".join(f"{ast.unparse(node)}\n" for node in shared)
        tools = []
        if len(before) * len(body) > LONGEST_TOOLS:
            return tools
        for node in body:
            if isinstance(node, ast.FunctionDef):
                returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
                signature = f"{node.name}({ast.unparse(node.args)}){returns}"
                docstring = encodable(ast.get_docstring(node) or "").split("\n\n")[
                    0
                ]  # its "\\ud800" is a character
                tools.append(
                    Tool(node.name, signature, docstring, before + ast.unparse(node), "function")
                )
            elif isinstance(node, IMPORTS):
                tools += _strict_imports(node)
        return tools
    except NOT_PARSED:
        return []


def _strict_imports(node: IMPORTS) -> Iterator[Tool]:
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            module = f"{'.' * node.level}{node.module or ''}."
            source = ast.unparse(ast.ImportFrom(node.module, [alias], node.level))
        else:
            module = ""
            source = ast.unparse(ast.Import([alias]))
        yield Tool(f"{module}{alias.name}", source, source, source, "import")


#: Ways to read a completion.
PARSERS = {"official": _official, "strict": _strict}


# ---- replies whose program is all their blocks, as CREATOR's are ----

#: A line that begins with a fence: its indent, the fence, and its label's first word.
FENCE = re.compile(r"([ \t]*+)(`{3,}+|~{3,}+)[ \t]*+([^\s`]*+)[^`]*+$")
#: A fence behind other text, at the line's end.
LATE_FENCE = re.compile(r"(?<!`)(`{3}+)(?!`)[ \t]*+([\w.+]*+)[ \t]*+$")
PYTHON = re.compile(r"\W*(?:i?python|py)[\d.]*\W*", re.IGNORECASE)


class Fence(NamedTuple):
    """A fence on line `line`: the text before it there, its characters and its label ("" where
    it is bare)."""

    line: int
    before: str
    sign: str
    label: str


def read_blocks(text: str, *, headings: bool = False, chat: bool = False) -> Parsed:
    """Read a reply whose program is its Python blocks, in one block; "" where it has none.
    headings: it was asked for under TROVE's headings: blocks under **Tools** are its tools,
    wherever they are. chat: it is a turn of a chat, which goes on to no next question."""
    said = _said(text)
    said = said if chat else NEXT_PROBLEM.split(said, maxsplit=1)[0]
    tools = []
    lines = said.split("\n")
    if headings and (starts := [i for i, line in enumerate(lines) if line.startswith("**Tools**")]):
        start = starts[-1]
        ends = (i for i in range(start, len(lines)) if lines[i].startswith("**Solution**"))
        end = next(ends, len(lines))
        tools = lines[start + 1 : end]
        lines = [*lines[:start], *lines[end:]]
    code = "\n\n".join(blocks_in("\n".join(lines).strip()))
    found = _bounded(
        tool for block in blocks_in("\n".join(tools)) for tool in _tools_in(block.split("\n"))
    )
    return Parsed(fenced(code) if code.strip() else "", found, tuple(tool.source for tool in found))


def python_blocks(text: str) -> list[str]:
    """The code of a text's Python blocks, as chat models write them; where none says so, of those
    without a label. A fence begins a line, or ends one; a block that is not closed goes to the
    text's end. Where a bare fence is the first and the text before it is a program, that is the
    first block: its opening stood in the prompt."""
    lines = text.split("\n") if len(text) <= LONGEST_REPLY else []
    labelled = []
    bare = []
    opened = None
    tried = False

    def between(start: Fence | None, end: Fence | None) -> str:
        """The code after one fence, less its indent, and before another."""
        code = "\n".join(
            lines[start.line + 1 if start else 0 : end.line if end else None]
            + ([end.before] if end else [])
        )
        return (textwrap.dedent(code) if code.lstrip("\n")[:1] in (" ", "\t") else code).strip()

    def keep(end: Fence | None) -> None:
        if not opened.label or PYTHON.fullmatch(opened.label):
            (labelled if opened.label else bare).append(between(opened, end))

    events = [fence for number, line in enumerate(lines) if (fence := _fence(number, line))]
    bares = next((i for i, fence in enumerate(events) if fence.label), len(events))
    if bares % 2 and parsed(code := between(None, events[0])):
        labelled.append(code)
        events = events[1:]
    for fence in events:
        if opened is None:
            opened = fence
            tried = False
            continue
        late = bool(fence.before.strip())
        indents = [len(f.before) * (not f.before.strip()) for f in (fence, opened)]
        fits = indents[0] < indents[1] + 4 and fence.sign.startswith(opened.sign)
        if (
            late and not tried and fits and not fence.label
        ):  # as in print(1)```, if it is no part of a text
            tried = True
            fits = bool(parsed(between(opened, fence)))
        elif late or (fence.label and not PYTHON.fullmatch(fence.label)):
            fits = False
        if fits:
            keep(fence)
            opened, tried = (fence, False) if fence.label else (None, False)
    if opened is not None:
        keep(None)
    return labelled or bare


def _fence(number: int, line: str) -> Fence | None:
    if found := FENCE.match(line):
        return Fence(number, *found.groups())
    found = LATE_FENCE.search(line)
    if found is None or (found[2] and not PYTHON.fullmatch(found[2])):
        return None
    return Fence(number, line[: found.start()], found[1], found[2])


def blocks_in(text: str) -> list[str]:
    """A text's Python blocks as chat models write them; where it has none, as the official program
    sees them."""
    return python_blocks(text) or list(code_blocks(text))


# ---- thinking ----

#: What opens and closes a model's thinking, but in quotes; and fences.
TOKEN = re.compile(
    r"""(?<!['"`])(?P<tag><(?=[\w\s/|])(?:\s?+(?:/\s?+)?+(?:\w{1,9}:)?(?:think(?:ing)?|thoughts?|reasoning)\s?>"""
    r"""|\|channel\|>(?:analysis|commentary|final)<\|message\|>)|(?-i:\[/?THINK\])|◁/?think▷)"""
    r"""|^[ \t]*+(?P<fence>`{3,}+|~{3,}+)[ \t]*+(?P<label>[^\s`]*+)[^`\n]*+$""",
    re.IGNORECASE | re.MULTILINE,
)


#: So many tags and fences of a reply are looked at. A model's has a few.
MOST_TOKENS = 5000


def without_thinking(text: str) -> tuple[str, str]:
    """A completion without what the model thought before, and that; the same text and "" where it
    thought nothing. Thinking is between tags, at the beginning of a line and outside of code;
    what is never closed is thinking to the end. A close without its opening, which then stood in
    the prompt, ends thinking that began with the text. Tags in a program, in quotes, and in the
    middle of what is said are text."""
    tokens = list(islice(TOKEN.finditer(text), MOST_TOKENS))
    steps = [_step(token["tag"]) for token in tokens]
    if not any(steps):
        return text, ""
    last = max((place for place, step in enumerate(steps) if step < 0), default=-1)
    first = _first_of_line(text, tokens)
    shut = _shut_next(tokens)
    end = len(text.rstrip())
    spans = []
    inside = False
    place = 0
    while place < len(tokens):
        token = tokens[place]
        if token["fence"]:
            inside = not inside or bool(token["label"])
        elif steps[place] > 0 and not inside and (spans or first[place]):
            if place >= last:  # never closed
                spans.append((token.start(), len(text)))
                break
            depth = 1
            place = place + 1
            while place < last and (depth := depth + steps[place]):
                place += 1  # to its own close, or, where tags are only named, to the last
            spans.append((token.start(), tokens[place].end()))
        elif (
            steps[place] < 0
            and not (spans and token.end() == end)
            and (not inside or (first[place] and not shut[place]))
        ):
            # but of one too many, after all is said
            spans = [(0, token.end())]
            inside = False
        place += 1
    if not spans:
        return text, ""
    edges = [0, *(edge for span in spans for edge in span), len(text)]
    said = "".join(text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True))
    return said.strip(), "".join(text[a:b] for a, b in spans)


def _step(tag: str | None) -> int:
    """1 for what opens thinking, -1 for what closes it."""
    closes = tag and ("/" in tag or "|>final<|" in tag.lower())
    return -1 if closes else int(bool(tag))


def _first_of_line(text: str, tokens: Sequence[re.Match]) -> list[bool]:
    """For each token whether only other tokens are before it on its line."""
    found = []
    end = 0
    first = True
    for token in tokens:
        _, line, before = text[end : token.start()].rpartition("\n")
        first = (first or bool(line)) and not before.strip()
        found.append(first)
        end = token.end()
    return found


def _shut_next(tokens: Sequence[re.Match]) -> list[bool]:
    """For each token whether the next fence after it is a bare one, as closes a block."""
    found = []
    bare = False
    for token in reversed(tokens):
        found.append(bare)
        bare = not token["label"] if token["fence"] else bare
    return found[::-1]
