"""What programs about images use, by the names of TroVE's toolbox (`toolbox/gqa.py`).

`vision.py` is laid beside each program, and beside it as `eyes.py` what looks for it: `pipe.py`,
which asks the run's `--vision`, or `pixels.py`, which sees made scenes by itself. In a program they
import nothing of the package.
"""

import ast
from collections.abc import Sequence
from pathlib import Path

from trove_lite.datasets.files import pinned_file
from trove_lite.judge.answers import is_one_of
from trove_lite.programs.parse import parse_tools

FOLDER = Path(__file__).parent
IMPORT = "from PIL import Image"
PAPERS = "papers"
NAMES = (PAPERS, "library", "nonsense")  # how the primitives may be called
GIVEN = (IMPORT, "from vision import crop_region, locate_objects, visual_qa")
#: TroVE's toolbox: its parts begin with this sign, and hold an import or a function each.
TOOLBOX = "toolbox/gqa.py"
PART = "# %%"
#: A primitive as TroVE names and describes it, which looks by `vision.py`.
PRIMITIVE = '''\
import PIL
import vision
from PIL import Image

def {0.signature}:
    """{0.docstring}"""
    return vision.{0.name}(*locals().values())
'''


def laid(eyes: str, names: str = PAPERS) -> dict[str, Path]:
    """The modules beside a program, whose eyes are `pipe` or `pixels`; names: how the primitives
    are called."""
    primitives = {"vision.py": FOLDER / "vision.py"}
    if names != PAPERS:
        primitives = {
            "vision.py": FOLDER / f"names_{names}.py",
            "primitives.py": FOLDER / "vision.py",
        }
    return primitives | {"eyes.py": FOLDER / f"{eyes}.py"}


def source_and_primitives() -> tuple[str, list[ast.FunctionDef]]:
    source = (FOLDER / "vision.py").read_text(encoding="utf-8")
    functions = (node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef))
    return source, [node for node in functions if not node.name.startswith("_")]


def released() -> str:
    """TroVE's toolbox as released. Raises TroveLiteError where it is missing or another one."""
    return pinned_file("prompts", TOOLBOX).read_text(encoding="utf-8")


def listed() -> tuple[str, ...]:
    """What official prompts list as given, and an official toolbox begins with, as code: names,
    signatures and docstrings of TroVE's toolbox."""
    parts = (part.partition("\n")[2] for part in released().split(PART)[1:])
    tools = [tool for part in parts for tool in parse_tools(f"```python\n{part}\n```")]
    return tuple(
        PRIMITIVE.format(tool) if tool.kind == "function" else tool.source for tool in tools
    )


def named(names: str) -> dict[str, str]:
    """The names of the primitives in TroVE → those of `names`."""
    if names == PAPERS:
        return {node.name: node.name for node in source_and_primitives()[1]}
    imports = ast.walk(ast.parse((FOLDER / f"names_{names}.py").read_text(encoding="utf-8")))
    return {node.name: node.asname for node in imports if isinstance(node, ast.alias)}


def signatures(names: str, doc: str) -> str:
    """The primitives by those names as code, as far as their first line; with `doc` "yes" their
    docstrings too."""
    own = named(names)
    shown = []
    for node in source_and_primitives()[1]:
        head = f"def {own[node.name]}({ast.unparse(node.args)}) -> {ast.unparse(node.returns)}:"
        shown.append(
            f'{head}\n    """{ast.get_docstring(node)}"""' if doc == "yes" else f"{head} ..."
        )
    return "\n\n".join(shown)


def printed_in_any_case(answers: Sequence[str], gold: str) -> bool:
    """TroVE's rule `mixed`, whose gold is text here: what was printed is the answer, in any case;
    True is no yes."""
    return is_one_of(answers, [gold])


def printed_exactly(answers: Sequence[str], gold: str) -> bool:
    """GQA's own rule (`eval.py`): the text that was printed is the gold answer, letter by
    letter."""
    return len(answers) > 0 and answers[-1] == gold
