"""A toolbox from a file: what is read as a tool, what is refused by line, and what IMPORT is
shown."""

import re

import pytest

from trove_lite import TroveLiteError, load_problems
from trove_lite.running.given import SHOWN, load_given
from trove_lite.running.settings import RunSettings
from trove_lite.running.tool_files import tools_of_file

from ..cases import cases
from ..scripted import ScriptedModel, response, run, table

TWO = """import math
LIMIT = 3
print("not run here")

def area(r):
    return math.pi * r

def small(n):
    return n < LIMIT
"""


@pytest.fixture
def a_file(tmp_path):
    def write(text, name="tools.py"):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


def test_each_function_comes_with_what_it_needs_and_nothing_else(a_file, capsys):
    area, small = tools_of_file(a_file(TWO))
    assert "import math" in area.source
    assert "LIMIT" not in area.source
    assert "LIMIT = 3" in small.source
    assert "print" not in area.source + small.source
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("name", "text", "said"),
    cases(
        r"""
        "t.py",  "x = 1\n\ndef f(:\n",                           "t.py, line 3: is no Python"
        "t.py",  "print(1)\n",                                   "t.py, line 1: defines no function"
        "t.py",  LONG,                                           "more than 20,000 are not read"
        "t.py",  DEEP,                                           "line 1: is no Python"
        "t.csv", "code\n1\n",                                    "line 1: has no column 'tool'"
        "t.csv", 'tool\n"def f(x):\n    return x"\nx = 1\n',     "line 4: defines no function"
        "t.csv", 'tool\n"def f(x):\n    return x"\n"def g(x):\n  return x\n )"\n', "line 6: is no Python"
        "t.csv", "tool\n",                                       "holds no function"
        """,
        LONG="def f():\n    return 1\n" + "#" * 30_000,
        DEEP="(" * 100_000,
    ),
)
def test_what_is_no_toolbox_is_refused_by_line(a_file, name, text, said):
    with pytest.raises(TroveLiteError, match=said):
        tools_of_file(a_file(text, name))


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(TroveLiteError, match=r"none\.py"):
        tools_of_file(tmp_path / "none.py")


def views(file, **choices):
    choices = {"trove": {"toolbox": str(file)} | choices}
    settings = RunSettings(
        methods=("trove",), categories=("counting",), seeds=(0,), limit=4, choices=choices
    )
    return load_given(settings)["trove", "counting", 0]


def test_all_are_shown_where_they_are_few_and_the_likest_where_they_are_many(a_file):
    assert [sorted(tool.name for tool in shown) for shown, _ in views(a_file(TWO))] == [
        ["area", "small"]
    ] * 4
    question = load_problems("practice", "counting")[0].question.text
    name = "_".join(re.findall("[a-z]+", question.lower()))
    many = a_file(
        "\n".join(f"def {n}(x):\n    return x\n" for n in (*(f"word{i}" for i in range(40)), name))
    )
    shown = [tool.name for tool in views(many)[0][0]]
    assert len(shown) == SHOWN
    assert shown[0] == name
    assert {len(shown) for shown, _ in views(many, shown=3)} == {3}


class UsesIt(ScriptedModel):
    def text(self, prompt, draw):
        return response("print(seven())", "from toolbox import seven")


def test_programs_of_import_run_with_the_functions_of_the_file(a_file, tmp_path, public_problems):
    file = a_file("def seven():\n    return 7\n")
    rows = table(
        run(
            tmp_path / "run",
            methods=("trove",),
            seeds=(0,),
            trove={"toolbox": str(file)},
            model=UsesIt(),
        )
    )
    assert set(rows["method"]) == {"trove_lent_toolbox"}
    assert set(rows[rows["mode"] == "import"]["output"]) == {"7\n"}
    assert set(rows[rows["mode"] != "import"]["status"]) == {"error"}


def test_the_toolsets_that_gpt_4_made_are_read_whole(craft):
    tools = {path.parent.name: len(tools_of_file(path)) for path in craft if path.suffix == ".csv"}
    assert tools == {"algebra": 285, "tabmwp": 179, "craft_tools": 473}
