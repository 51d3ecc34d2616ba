"""What programs about tables find beside them, in the sandbox: their own table, readable, and nothing to spoil."""

import pytest

from trove_lite.datasets import files, load_dataset
from trove_lite.sandbox.pool import Sandbox, isolation_report

pytestmark = pytest.mark.skipif(
    isolation_report()["level"] != "full", reason="this machine does not offer the level full"
)
#: What models wrote, and worse; {name} is the table's.
SPOILERS = (
    "import pandas as pd\npd.read_table({name!r}).to_csv({name!r})",
    "import pandas as pd\npd.DataFrame([[1]]).to_csv({name!r}.replace('.tsv', '_answer.tsv'))",
    "import os\nos.rename({name!r}, 'mine')",
    "import os\nos.truncate({name!r}, 0)",
    "import os\nos.remove({name!r})",
    "import os\nos.link({name!r}, 'mine')\nopen('mine', 'w').write('x')",
    "import os\nos.symlink({name!r}, 'mine')\nopen('mine', 'w').write('x')",
    "import os\nos.chmod({name!r}, 0o666)\nopen({name!r}, 'a').write('x')",
    "import shutil\nshutil.rmtree('data')",
    "open({name!r}, 'r+').write('x')",
)


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox(1, time_limit=30) as sandbox:
        yield sandbox


def run(sandbox, program, problem):
    return sandbox.run_many([program], progress=False, files=[problem.files])[0]


def test_a_program_opens_its_table_where_the_papers_programs_do(sandbox, table_problems):
    for problem in table_problems("wtq")[:5]:
        (name,) = problem.files
        ran = run(sandbox, f"import pandas as pd\nprint(list(pd.read_table({name!r}).columns)[0])", problem)
        assert (ran.status, ran.error) == ("ok", "")
        assert f"Preview: | {ran.output.strip()} |" in problem.question.context


def test_a_program_parses_a_hierarchical_table_and_answers(sandbox, table_problems):
    dataset, problem = load_dataset("hitab"), table_problems("hitab")[0]
    column, row = ("eastern ontario", "french-language workers"), ("percent", "food service")
    name = next(iter(problem.files))
    program = f"from utils import parse_table\nprint([parse_table({name!r}).loc[{row!r}, {column!r}]][0])"
    ran = run(sandbox, program, problem)
    assert (ran.status, ran.output) == ("ok", "52.1\n")
    assert dataset.correct(dataset.read(ran.output), problem.gold)


def test_a_program_finds_no_table_of_another_question(sandbox, table_problems):
    first, other = table_problems("wtq")[0], table_problems("wtq")[1]
    for path in (*other.files, *map(str, other.files.values())):
        assert run(sandbox, f"open({path!r})", first).status == "error"


def test_no_program_changes_a_table(sandbox, table_problems):
    problems = table_problems("wtq")[: len(SPOILERS)]
    pinned = {file.name: file.sha256 for file in files.public_files() if file.group == "wtq"}
    for spoiler in SPOILERS:
        for problem in problems:
            (name,) = problem.files
            assert run(sandbox, spoiler.format(name=name), problem).status == "error"
    for problem in problems:
        ((name, path),) = problem.files.items()
        assert files.sha256_of(path) == pinned[str(path.relative_to(files.data_folder()))]
        read = f"import hashlib\nprint(hashlib.sha256(open({name!r}, 'rb').read()).hexdigest())"
        assert run(sandbox, read, problem).output.strip() == files.sha256_of(path)
