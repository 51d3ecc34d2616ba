"""The same program without its call of a made tool: with the tool's body pasted in, or with the
call cut out."""

import ast
from collections.abc import Callable, Iterable, Mapping

from trove_lite.programs import parsed
from trove_lite.programs.calling import defined, is_toolbox, meant, tool_of, walk

#: Before the name of a tool whose body is in the program itself.
PASTED = "pasted_"


def pasted(code: str, tools: Mapping[str, str], called: Iterable[str], own: str = "") -> str:
    """The program with the bodies of the tools `called` before it, under other names, and no
    toolbox."""

    def renamed(call: ast.Call, tool: str) -> ast.Call:
        return ast.Call(
            ast.Name(PASTED + tool, ast.Load()),
            call.args,
            call.keywords,
        )

    body = parsed(code)
    bodies = []
    names = meant(body, {tool: tools[tool] for tool in called}, defined(own))
    for tool in dict.fromkeys(called):
        source = _Edited({tool: tool}, renamed).visit(ast.Module(parsed(tools[tool]), []))
        for node in ast.walk(source):
            if isinstance(node, ast.Name) and node.id == tool:
                node.id = PASTED + tool
            elif isinstance(node, ast.FunctionDef) and node.name == tool:
                node.name = PASTED + tool
        bodies.append(ast.unparse(source))
    return "\n\n".join(
        [
            *bodies,
            ast.unparse(_Edited(names, renamed).visit(ast.Module(body, []))),
        ]
    )


def cut_out(code: str, called: Iterable[str], own: str = "") -> str:
    """The program without its calls of these tools and their import: a statement that is a call is
    gone, any other call is None. What needed the value then fails, or prints None."""
    body = parsed(code)
    names = meant(body, dict.fromkeys(called, ""), defined(own))
    return ast.unparse(
        ast.fix_missing_locations(
            _Cut(names, lambda *_: ast.Constant(None)).visit(ast.Module(body, []))
        )
    )


def without_toolbox(code: str) -> str:
    """Code without its imports from the toolbox; what does not parse is as it was."""
    body = parsed(code)
    if not any(is_toolbox(one) for one in walk(body)):
        return code
    return ast.unparse(ast.fix_missing_locations(_Cut({}, None).visit(ast.Module(body, []))))


class _Edited(ast.NodeTransformer):
    """Calls of tools are as `edit` has them, of a call and its tool; imports from the toolbox are
    gone."""

    def __init__(self, names: Mapping[str, str], edit: Callable[[ast.Call, str], ast.expr]):
        self.names = names
        self.edit = edit

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        tool = tool_of(node, self.names)
        return ast.copy_location(self.edit(node, tool), node) if tool else node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        return ast.copy_location(ast.Pass(), node) if is_toolbox(node) else node


class _Cut(_Edited):
    """Calls of tools are None, or gone where they are a statement."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        return (
            ast.copy_location(ast.Pass(), node)
            if tool_of(node.value, self.names)
            else self.generic_visit(node)
        )
