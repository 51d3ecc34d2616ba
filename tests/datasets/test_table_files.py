"""What programs about tables find beside them, in the sandbox: their own table, and no other."""

from trove_lite.datasets import load_dataset

from ..sandbox import needs_full

pytestmark = needs_full


def run(box, program, problem):
    return box.run_many([program], progress=False, files=[problem.files])[0]


def test_a_program_parses_a_hierarchical_table_and_answers(box, table_problems):
    dataset, problem = load_dataset("hitab"), table_problems("hitab")[0]
    column, row = ("eastern ontario", "french-language workers"), ("percent", "food service")
    name = next(iter(problem.files))
    program = f"from utils import parse_table\nprint([parse_table({name!r}).loc[{row!r}, {column!r}]][0])"
    ran = run(box, program, problem)
    assert (ran.status, ran.output) == ("ok", "52.1\n")
    assert dataset.correct(dataset.read(ran.output), problem.gold)


def test_a_program_finds_no_table_of_another_question(box, table_problems):
    first, other = table_problems("wtq")[0], table_problems("wtq")[1]
    for path in (*other.files, *map(str, other.files.values())):
        assert run(box, f"open({path!r})", first).status == "error"
