"""What a maker's code is held to: its tests test the function, and what passes came to its end."""

import ast
import hashlib

from trove_lite.programs import NOT_PARSED, statements
from trove_lite.programs.definitions import DEFINITIONS

#: A program's last statement, which shows that it was reached: an exit before it ends the process
#: as well as the end does. It prints whatever a program put in the place of `print` or the output,
#: and holds its token in other letters than it prints: a program that prints its own source does
#: not print the token.
LAST = (
    '[__import__("builtins").print("{}".lower(), file=file, flush=True) '
    'for file in (__import__("sys").stdout, __import__("sys").__stdout__)]'
)


def to_its_end(program: str) -> str:
    """The program with a last statement by whose output `reached_its_end` knows that it was
    reached; "" stays."""
    return f"{program}\n\n{LAST.format(token(program).upper())}\n" if program else ""


def reached_its_end(program: str, output: str) -> bool:
    """Whether what `to_its_end` made of this program printed this to the end."""
    return token(program) in output


def token(program: str) -> str:
    """What no program prints unknowingly: a hash of all its text, which that text cannot hold."""
    return f"end-{hashlib.blake2b(program.encode('utf-8', 'surrogatepass'), digest_size=16).hexdigest()}"


#: Runs what holds tests and was perhaps not called, each of `names`, and fails where one fails.
CALL_TESTS = """
for _each in map(globals().get, {names!r}):
    for _test in [name for name in dir(_each) if name.startswith("test")] if isinstance(_each, type) else []:
        _each(_test).debug() if hasattr(_each, "debug") else getattr(_each(), _test)()
    _code = getattr(_each, "__code__", None)
    if _code and _code.co_name.startswith("test") and not _code.co_argcount:
        _each()
"""


def only_tests(tool: str, code: str) -> str:
    """Tests without what they define again of the tool, for the function stays (LATM, section 3.1),
    which fail where no assertion is reached: an error that they swallow before one tests nothing.

    Test functions and classes are run, and a call of unittest's or pytest's `main`, which ends the
    program, is not.
    """
    names = names_defined(tool)
    try:
        tests = ast.Module(
            [node for node in statements(code) if getattr(node, "name", None) not in names], []
        )
        held = [
            node.name for node in tests.body if isinstance(node, ast.FunctionDef | ast.ClassDef)
        ]
        counted = ast.unparse(ast.fix_missing_locations(_Counted().visit(tests)))
    except NOT_PARSED:
        return code
    called = CALL_TESTS.format(names=held) if held else ""
    return f"_reached = []\n{counted}\n{called}assert _reached, 'no assertion was reached'"


class _Counted(ast.NodeTransformer):
    def visit_Assert(self, node: ast.Assert) -> list[ast.stmt]:
        return [*ast.parse("_reached.append(1)").body, node]

    def visit_Expr(self, node: ast.Expr) -> ast.stmt | list[ast.stmt]:
        called = ast.unparse(node.value.func) if isinstance(node.value, ast.Call) else ""
        if called in ("unittest.main", "pytest.main"):
            return ast.Pass()
        return self.visit_Assert(node) if called.rpartition(".")[2].startswith("assert") else node


def without_sense(tool: str) -> str:
    """The tool's functions, with answers that equal nothing."""
    return "\n".join(
        f"def {name}(*_, **__):\n    return object()" for name in sorted(names_defined(tool))
    )


def names_defined(code: str) -> set[str]:
    """Functions and classes that a program defines for itself."""
    try:
        return {node.name for node in statements(code) if isinstance(node, DEFINITIONS)}
    except NOT_PARSED:
        return set()
