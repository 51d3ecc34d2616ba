"""The house keeps its order: arrows point down, no circle, plug-ins know nothing of one another.

A module imports from its own folder and from lower storeys, never up and never sideways; an import inside a function
counts like any other. Read from the source by `ast` alone.
"""

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from importlib.util import resolve_name
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "trove_lite"
STOREYS = tuple(
    rooms.split()
    for rooms in (
        "errors candidates programs selection journal plugins shapes bars limits",
        "datasets methods models sandbox",
        "prompts",
        "analysis running recorded",
        "view",
        "cli __main__",
    )
)
STOREY = {room: number for number, rooms in enumerate(STOREYS) for room in rooms} | {
    "": 0
}  # the index: its version
#: What all storeys share. A file beside them is for its neighbours: at most three storeys away.
WAIST = {"errors", "candidates", "programs", "selection", "journal", "plugins", ""}
#: What plug-ins of a folder share; every other file there, or folder, is a plug-in.
SHARED = {
    "datasets": (
        *("base", "answers", "arithmetic", "files", "judge", "values", "in_words", "expressions"),
    ),
    "methods": ("base", "toolbox"),
    "models": ("base", "openai_address", "openai_answers", "money"),
}
#: Sideways, from one room to another of its storey, and why.
DOORS = {
    ("__main__", "cli"): "it is the command",
    ("sandbox", "datasets.files"): "the data folder is out of programs' reach",
    ("recorded", "running.live"): "what a run's journals tell and its table does not",
    ("methods", "datasets.base"): "a Question is what a method sees of a Problem",
}


@cache
def modules() -> dict[str, ast.Module]:
    """Every module of the package by its name within it ("" is its index, "sandbox" that folder's), parsed."""
    paths = {
        path.relative_to(PACKAGE).with_suffix(""): path for path in sorted(PACKAGE.rglob("*.py"))
    }
    names = {
        ".".join(p.parts[:-1] if p.name == "__init__" else p.parts): path
        for p, path in paths.items()
    }
    return {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in names.items()}


def room(module: str) -> str:
    return module.split(".")[0]


def imports(module: str) -> Iterator[str]:
    """The modules of the package that a module imports, at any depth of its code."""
    whole = f"{PACKAGE.name}.{module}".rstrip(".")
    folder = whole if (PACKAGE / module.replace(".", "/")).is_dir() else whole.rpartition(".")[0]
    for node in ast.walk(modules()[module]):
        if not isinstance(node, ast.ImportFrom):
            continue
        top, _, home = resolve_name("." * node.level + (node.module or ""), folder).partition(".")
        if top == PACKAGE.name:
            for alias in node.names:
                part = f"{home}.{alias.name}".removeprefix(".")
                yield part if part in modules() else home


def imports_from_outside(module: str) -> Iterator[str]:
    """The absolute names that a module imports, at any depth of its code."""
    for node in ast.walk(modules()[module]):
        if isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module or ""
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


@cache
def arrows() -> frozenset[tuple[str, str]]:
    return frozenset(
        (module, other) for module in modules() for other in imports(module) if other != module
    )


def plug_in(module: str) -> str:
    """The plug-in that a module belongs to ("datasets.hitab" with all that is in it); "" where it is none."""
    folder, _, rest = module.partition(".")
    own = rest.split(".")[0]
    return f"{folder}.{own}" if own and folder in SHARED and own not in SHARED[folder] else ""


def test_every_module_has_a_storey():
    assert {room(module) for module in modules()} == set(STOREY)


def test_every_import_names_a_module():
    assert {(a, b) for a, b in arrows() if b not in modules()} == set()


def test_arrows_point_down():
    outside = {(a, b) for a, b in arrows() if room(a) != room(b) and (room(a), b) not in DOORS}
    # the ground floor is one room of files
    assert {(a, b) for a, b in outside if STOREY[room(a)] <= STOREY[room(b)] != 0} == set()


def test_only_the_waist_is_used_from_more_than_three_storeys_away():
    far = {
        (a, b)
        for a, b in arrows()
        if STOREY[room(a)] - STOREY[room(b)] > 3 and STOREY[room(b)] == 0
    }
    assert {room(b) for _, b in far} == WAIST  # who left the list, or is on it for nothing, is seen


def test_analysis_knows_no_method():
    assert {(a, b) for a, b in arrows() if room(a) == "analysis" and room(b) == "methods"} == set()


def test_the_package_knows_no_paper():
    beside = {(a, b.split(".")[0]) for a in modules() for b in imports_from_outside(a)}
    assert {(a, b) for a, b in beside if b in ("trove_lite_papers", "studies", "practice")} == set()


def test_a_papers_plug_ins_know_no_other_paper():
    papers = PACKAGE.parent / "trove_lite_papers"
    found = set()
    for folder in ("creator", "latm", "makers", "images"):
        for path in (papers / folder).glob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                up = (
                    isinstance(node, ast.ImportFrom)
                    and node.level == 2
                    and node.module not in ("figures", "tables")
                )
                if up or (
                    isinstance(node, ast.ImportFrom) and (node.module or "").startswith(papers.name)
                ):
                    found.add((folder, node.module))
    assert found == set()


def test_no_circle():
    TopologicalSorter(
        {a: {b for start, b in arrows() if start == a} for a in modules()}
    ).prepare()  # or CycleError


def test_plug_ins_know_nothing_of_one_another():
    strangers = {
        (a, b)
        for a, b in arrows()
        if plug_in(a) and room(a) == room(b) and plug_in(b) != plug_in(a)
    }
    folder = {
        (a, b) for a, b in strangers if b.partition(".")[2].split(".")[0] not in SHARED[room(a)]
    }
    assert folder == set()


#: Syntax nodes (`ast.walk`) that a folder may have, for air is free: what there is, on the way to the
#: aims in docs/design.md.
BUDGETS = {"trove_lite": 172_700, "trove_lite_papers": 99_400, "tests": 176_000, "studies": 28_200}
#: What a reader can keep in mind, in nodes of one file.
LONGEST = 4_500
TOO_LONG = {"trove_lite/recorded/harness_logs.py", "trove_lite_papers/figures.py"}


@cache
def nodes() -> dict[str, int]:
    """Syntax nodes of every file of Python, by its path in the repository."""
    root = PACKAGE.parent
    files = (path for folder in BUDGETS for path in sorted((root / folder).rglob("*.py")))
    texts = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in files}
    return {path: sum(1 for _ in ast.walk(ast.parse(text))) for path, text in texts.items()}


def test_no_folder_is_larger_than_its_budget():
    found = {
        folder: sum(n for path, n in nodes().items() if path.startswith(f"{folder}/"))
        for folder in BUDGETS
    }
    assert {name: f"{n} of {BUDGETS[name]}" for name, n in found.items() if n > BUDGETS[name]} == {}


def test_no_file_is_larger_than_a_reader_can_keep_in_mind():
    assert {path for path, n in nodes().items() if n > LONGEST} == TOO_LONG
