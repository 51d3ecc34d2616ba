"""The made questions about tables: what they are, and that a program that reads its table can answer them."""

import pytest

from trove_lite.datasets import load_dataset, load_problems
from trove_lite.datasets.practice_tables import KINDS, NAME, QUESTIONS, TABLES, made_table
from trove_lite.sandbox.pool import Sandbox, isolation_report

#: What a person would write for a question of each kind, in the order of `QUESTIONS`.
PROGRAMS = (
    "n = text.split()[-1].rstrip('?')\nprint((df[group] == n).sum())",
    "col = df[amount]\nprint(df.loc[col.idxmin() if 'lowest' in text else col.idxmax(), df.columns[0]])",
    "n = text.split()[-1].rstrip('?')\nprint(df.loc[df[group] == n, amount].sum())",
    "print(df[group].mode()[0])",
    "a, b = [df.loc[df.iloc[:, 0] == n, amount].item() for n in df.iloc[:, 0] if f' {n} ' in text]\nprint(abs(a - b))",
)


@pytest.fixture(scope="module")
def problems():
    return load_problems(NAME, NAME)


def test_each_table_has_a_question_of_each_kind(problems):
    assert [problem.index for problem in problems] == list(range(60))
    assert [problem.level for problem in problems] == [KINDS[i % len(QUESTIONS) in (1, 3)] for i in range(60)]
    assert len({(problem.question.text, *problem.files) for problem in problems}) == 60


def test_they_are_the_same_wherever_they_are_made(problems):
    made_table.cache_clear()
    again = load_problems(NAME, NAME)
    assert [(p.question, p.gold, list(p.files)) for p in again] == [
        (p.question, p.gold, list(p.files)) for p in problems
    ]
    assert (problems[2].question.text, problems[2].gold) == (
        "What is the sum of Catch in kg over the rows whose Harbour is Sandwick?",
        2313,
    )


@pytest.mark.parametrize("number", range(TABLES))
def test_no_answer_is_a_draw(number):
    table = made_table(number)
    amounts, groups = [row[2] for row in table.rows], [row[1] for row in table.rows]
    assert len(set(amounts)) == len(amounts)
    assert sorted(map(groups.count, set(groups)))[-2:] != 2 * [max(map(groups.count, groups))]
    assert set(groups) == set(table.theme.groups)


@pytest.mark.skipif(isolation_report()["level"] != "full", reason="this machine does not offer the level full")
def test_programs_that_read_the_table_answer_all(problems):
    programs = []
    for problem in problems:
        (name,) = problem.files
        start = f"import pandas as pd\ntext = {problem.question.text!r}\ndf = pd.read_table({name!r})"
        start += "\n_, group, amount = df.columns\n"
        programs.append(start + PROGRAMS[problem.index % len(PROGRAMS)])
    with Sandbox(1) as sandbox:
        ran = sandbox.run_many(programs, progress=False, files=[problem.files for problem in problems])
    dataset = load_dataset(NAME)
    wrong = [p.index for p, e in zip(problems, ran, strict=True) if not dataset.correct(dataset.read(e.output), p.gold)]
    assert wrong == []
