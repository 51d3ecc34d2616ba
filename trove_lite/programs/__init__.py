"""A program: the tools it is made of, how it is composed and shown, and how complex it is. It
executes nothing."""

import ast
import re
import warnings
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

UNPARSABLE = 100
IMPORTS = ast.Import | ast.ImportFrom
Body = list[ast.stmt]
NOT_PARSED = (SyntaxError, ValueError, RecursionError, MemoryError)
#: Characters of a reply without its thinking: eight times the longest that is published here.
#: A longer one is nobody's answer: it is kept, and neither read as a program nor run.
LONGEST_REPLY = 1 << 16
#: Characters of code whose syntax is looked at: Python's own parser takes five seconds for a MiB.
#: Longer code is taken as code that does not parse.
LONGEST_CODE = 20_000
#: Characters of a reply's tools together, each with what it needs. A reply of 64 KiB can ask for a
#: hundred MB: its first half before each of its thousands of functions. Then it has none.
LONGEST_TOOLS = 1 << 18

#: A fenced block as the official program sees it: one character after the fence is skipped,
#: whatever it is.
FENCED = re.compile(r"```python.?(.*?)(?:```|\Z)", re.DOTALL)

#: Makes the module `toolbox`: each tool is loaded when it is first asked for, in a module of its
#: own, and unheard. What does not load cannot be imported. Modules begin with the names that are
#: there before (`given`, of the data set), and what is asked for and no tool is the program's own.
#: Compiled under another name, no line of it is taken for a program's.
TOOLBOX = """\
import contextlib, io, sys, types
toolbox = sys.modules["toolbox"] = types.ModuleType("toolbox")
begun, given = set(), {name: value for name, value in program.items() if not name.startswith("__")}
tools = {name: source for name, source in tools.items() if not name.startswith("__")}
def load(name):
    if name == "__all__":
        return [tool for tool in tools if loads(tool)]
    if name not in tools:
        if name in program:
            return program[name]
        raise AttributeError(f"the toolbox has no tool {name!r}")
    if name in begun:
        raise ImportError(f"tool {name!r} does not load, or needs itself to load")
    begun.add(name)
    module = sys.modules[f"toolbox.{name}"] = types.ModuleType(f"toolbox.{name}")
    vars(module).update(given)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            exec(compile(tools[name], f"toolbox {name}", "exec"), vars(module))
            setattr(toolbox, name, vars(module)[name])
    except BaseException as error:
        raise ImportError(f"tool {name!r} does not load: {type(error).__name__}: {error}") from None
    return vars(module)[name]
def loads(name):
    try:
        return hasattr(toolbox, name)
    except ImportError:
        return False
toolbox.__getattr__ = load
program.update({name: getattr(toolbox, name) for name in called if loads(name)})
"""
#: Stands before the tools of a library that programs may also call without an import
#: (`ToolSettings.at_hand`).
AT_HAND = "# These tools are at hand."


class Tool(NamedTuple):
    """A function that a model wrote, or an import: `kind` is `function` or `import`."""

    name: str
    signature: str
    docstring: str
    source: str
    kind: str


Tools = tuple[Tool, ...]
#: Tools, or the code of some.
Sources = Iterable[Tool | str]


def program_of(solution: str, tools: Sources = (), library: Sources = ()) -> str:
    """The program that is executed, composed like the official one: library, then tools, then the
    solution's code.
    `library`: code that comes first, such as the sources of a toolbox, in its order. Lines that
    import from the toolbox are then dropped, for its functions are there already. Functions given
    as Tools are the module `toolbox` instead, each in a namespace of its own, and the program
    imports what it wants, or names it where it is AT_HAND."""
    library = list(library)
    modules = [tool for tool in library if isinstance(tool, Tool) and tool.kind == "function"]
    first = sources_of(tool for tool in library if tool not in modules)
    own = [*sources_of(tools), code_of(solution)]
    if modules:
        sources = ",\n".join(f"{tool.name!a}: {_literal(tool.source)}" for tool in modules)
        named = re.findall(r"\w+", "\n".join(own)) if AT_HAND in library else ()
        called = [tool.name for tool in modules if tool.name in named]
        names = f"{{'program': globals(), 'called': {called!a}, 'tools': {{\n{sources}\n}}}}"
        toolbox = f"exec(compile({TOOLBOX!a}, 'toolbox', 'exec'), {names})"
        program = _literal(
            "\n\n".join(own)
        )  # by itself, whatever is before it: its lines keep their numbers
        return "\n\n".join([*first, toolbox, f"exec(compile(\n{program}\n, 'program.py', 'exec'))"])
    lines = "\n\n".join([*first, *own]).split("\n")
    return "\n".join(line for line in lines if not ("import" in line and "toolbox" in line))


def _literal(text: str) -> str:
    """A text as Python's literals, one a line, so that it can be read, and searched for what it
    imports."""
    return "\n".join(map(ascii, text.splitlines(keepends=True))) or "''"


def whole_program(solution: str, tools: Sources = (), library: Sources = ()) -> str:
    """As `program_of`, but of all the solution's Python blocks, one after another; "" where it has
    none. So CREATOR's program runs a reply: no line is dropped; text without a block is no program
    and calls for a repair."""
    blocks = "\n\n".join(code_blocks(solution))
    return "\n\n".join([*sources_of(library), *sources_of(tools), blocks]) if blocks else ""


def sources_of(tools: Sources) -> list[str]:
    return [tool if isinstance(tool, str) else tool.source for tool in tools]


def code_of(solution: str) -> str:
    """What runs of a Solution section: its first Python block, or the text itself; "" where there
    is nothing."""
    return next(code_blocks(solution), solution.strip())


def format_tools(tools: Sources) -> str:
    """Tools as the official log writes them: each one's code in a block of its own."""
    return "\n".join(map(_wrap, sources_of(tools)))


def recorded_sources(tools: str) -> list[str]:
    """The undoing of `format_tools`: each tool's code, blank lines and all, for `program_of`."""
    lines = tools.split("\n")
    found = []
    start = None
    for number, line in enumerate(lines):
        if start is None:
            start = number + 1 if line == "```python" else None
        elif line == "```" and number > start:
            found.append("\n".join(lines[start:number]))
            start = None
    return found


def format_toolbox(tools: Iterable[Tool]) -> str:
    """Tools as the official prompts show them: docstring and signature, in a block each."""
    return "\n".join(_wrap(f"# {tool.docstring}\n{tool.signature}") for tool in tools)


def fenced(code: str) -> str:
    """Code as one block, in a fence that is longer than any in it."""
    fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`{3,}", code))])
    return f"{fence}python\n{code}\n{fence}"


def code_blocks(text: str) -> Iterator[str]:
    """The Python blocks of a text as the official program sees them; of a longer fence around all
    of it, the inside."""
    fence = text[: len(text) - len(text.lstrip("`"))]
    if len(fence) > 3 and text.startswith(f"{fence}python\n") and text.endswith(f"\n{fence}"):
        return iter([text[len(fence) + len("python\n") : -len(fence)].strip()])
    return (match[1].strip() for match in FENCED.finditer(text))


def _wrap(code: str) -> str:
    return code if "``python" in code else f"```python\n{code}\n```"


@lru_cache(maxsize=65536)
def operations(code: str) -> int:
    """How complex a program is: the depths of its top-level statements' syntax trees, summed. The
    official count (`utils/select.py`; TroVE, appendix B): function definitions, assignments of a
    constant and assignments to `df` alone count nothing, imports do; a program that does not parse
    has 100."""
    try:
        return sum(_depth(statement) for statement in statements(code) if not _is_free(statement))
    except NOT_PARSED:
        return UNPARSABLE


#: The ways in which "operations" may be counted, by what each leaves out or adds: the released
#: program's two, and those that TroVE's words allow (section 5.2: function calls; appendix B: the
#: depths of expressions' trees, summed).
COUNTS = (
    # in TroVE's tables: no line that says "import", no definitions, no constants assigned
    "as reported",
    "as selected by",  # `operations`: the same with imports; 100 for what does not parse
    "imports by syntax",  # as reported, but only statements that do import are left out
    "every statement",  # appendix B word by word: nothing is left out
    # every statement but imports, and the functions that were written along with the solution
    "with tools written",
    # the same with statements in loops, conditions and functions counted by themselves
    "line by line",
    "function calls",  # section 5.2 word by word
    "function calls, tools too",
)


def operation_counts(solution: str, tools: Iterable[Tool]) -> list[int | None]:
    """How complex a program is by each of `COUNTS`; None where what is counted does not parse.
    `tools`: those that come with the solution; the bodies of tools that it imports from a toolbox
    are in no count."""
    code = code_of(solution)
    functions = "\n\n".join(tool.source for tool in tools if tool.kind == "function")
    reported, own, written = map(_measures, (code_of(without_imports(solution)), code, functions))
    proper = None if own is None else [one for one in own if not one.is_import]
    whole = None if proper is None or written is None else [*proper, *written]

    def total(name: str, statements: list[_Statement] | None, free: bool = True) -> int | None:
        return (
            None
            if statements is None
            else sum(getattr(one, name) for one in statements if free or not one.is_free)
        )

    return [
        total("depth", reported, free=False),
        UNPARSABLE if own is None else total("depth", own, free=False),
        total("depth", proper, free=False),
        total("depth", own),
        total("depth", whole),
        total("by_line", whole),
        total("calls", proper),
        total("calls", whole),
    ]


class _Statement(NamedTuple):
    """What is counted of a top-level statement."""

    is_import: bool
    is_free: bool
    depth: int
    # the depths of the statements in it, each by itself: of a loop, the part before its colon
    by_line: int
    calls: int


def _measures(code: str) -> list[_Statement] | None:
    """Each top-level statement of a program; None where it does not parse."""
    try:
        return [
            _Statement(
                is_import=isinstance(one, IMPORTS),
                is_free=_is_free(one),
                depth=_depth(one),
                by_line=sum(
                    _depth_by_line(node) for node in ast.walk(one) if isinstance(node, ast.stmt)
                ),
                calls=sum(isinstance(node, ast.Call) for node in ast.walk(one)),
            )
            for one in (statements(code) if code else ())
        ]
    except NOT_PARSED:
        return None


def _depth_by_line(node: ast.AST) -> int:
    """The depth of a tree without the statements in it."""
    deepest = 0
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.stmt):
            deepest = max(deepest, _depth_by_line(child))
    return deepest + 1


def without_imports(text: str) -> str:
    """Text without the lines that hold the word "import", as the official program takes imports
    away."""
    return "\n".join(line for line in text.split("\n") if "import" not in line)


def used_tools(solution: str, tools: Iterable[Tool]) -> list[str]:
    """The tools that a solution lists and names, as #lib counts them (`utils/eval.py`); plain
    names, imports included. A name is listed where its last part occurs in the solution, apart from
    its imports, be it within another word."""
    text = without_imports(solution)
    names = [plain_name(tool.name).strip() for tool in tools]
    return [name for name in dict.fromkeys(names) if name.rpartition(".")[2] in text]


def statements(code: str) -> Body:
    """A program's top-level statements. Raises one of NOT_PARSED, also for code that is too
    long."""
    if len(code) > LONGEST_CODE:
        raise ValueError(f"{len(code):,} characters, and more than {LONGEST_CODE:,} are not read")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `2x` and the like are what models write
        return ast.parse(code).body


def parsed(code: str) -> Body:
    """A program's statements; none where it does not parse."""
    try:
        return statements(code)
    except NOT_PARSED:
        return []


def _is_free(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Assign):
        first, *others = statement.targets
        is_df = not others and isinstance(first, ast.Name) and first.id == "df"
        return is_df or isinstance(statement.value, ast.Constant)
    return isinstance(statement, ast.FunctionDef)


def _depth(node: ast.AST) -> int:
    # Written out by hand: importing a log spends most of its time here, and ast.iter_child_nodes is
    # 3 × slower.
    deepest = 0
    for name in node._fields:
        value = getattr(node, name, None)
        if type(value) is list:
            for child in value:
                if isinstance(child, ast.AST) and (depth := _depth(child)) > deepest:
                    deepest = depth
        elif isinstance(value, ast.AST) and (depth := _depth(value)) > deepest:
            deepest = depth
    return deepest + 1


def plain_name(name: str) -> str:
    """The name a tool is kept under: `from toolbox import f` and `f` are the same tool."""
    return name.removeprefix("toolbox.")
