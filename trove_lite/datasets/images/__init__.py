"""What programs about images use, by the names of TroVE's toolbox (`toolbox/gqa.py`).

`vision.py` is laid beside each program, and beside it as `eyes.py` what looks for it: `pipe.py`, which asks the run's
`--vision`, or `pixels.py`, which sees made scenes by itself. In a program they import nothing of the package.
"""

import ast
from collections.abc import Sequence
from pathlib import Path

FOLDER = Path(__file__).parent
IMPORT = "from PIL import Image"
GIVEN = (IMPORT, "from vision import crop_region, locate_objects, visual_qa")


def laid(eyes: str) -> dict[str, Path]:
    """The modules beside a program, whose eyes are `pipe` or `pixels`."""
    return {"vision.py": FOLDER / "vision.py", "eyes.py": FOLDER / f"{eyes}.py"}


def listed() -> tuple[str, ...]:
    """What prompts list as given, as code: the import of PIL, and each primitive's definition."""
    source = (FOLDER / "vision.py").read_text(encoding="utf-8")
    functions = (node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef))
    return (IMPORT, *(ast.get_source_segment(source, node) for node in functions if not node.name.startswith("_")))


def printed_exactly(answers: Sequence[str], gold: str) -> bool:
    """GQA's own rule (`eval.py`): the text that was printed is the gold answer, letter by letter."""
    return len(answers) > 0 and answers[-1] == gold
