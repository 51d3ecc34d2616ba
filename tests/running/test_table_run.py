"""Table questions live: programs that open their own table, through candidates, killed and gone on with."""

import re

import pytest

from trove_lite.candidates import load_candidates
from trove_lite.datasets import load_dataset
from trove_lite.models.base import Completion
from trove_lite.running.live import live_run
from trove_lite.running.settings import RunSettings

from ..sandbox import needs_full
from ..scripted import ScriptedModel, number, response

pytestmark = needs_full
NAMES = ("tabmwp", "wtq", "hitab", "practice_tables")


class TableReader(ScriptedModel):
    """Opens the table that the prompt names and prints one of two cells."""

    async def complete(self, prompt, seeds):
        self.calls += len(seeds)
        return [Completion(self.program(prompt, number(prompt, seed) % 2), 9, 9, "stop", 0.0) for seed in seeds]

    def program(self, prompt: str, draw: int) -> str:
        named = re.findall(r"^File: (\S+)$", prompt, re.MULTILINE)
        if not named:
            return response(f"print({draw})")
        reader, tools = "pd.read_table", ""
        if named[-1].endswith(".json"):
            reader, tools = "parse_table", "from toolbox import parse_table"
        return response(f"df = {reader}({named[-1]!r})\nprint(df.iloc[{draw}, 0])", tools)


def run(out, name, box, **given):
    settings = {"methods": ("primitive", "trove"), "dataset": name, "categories": (name,), "seeds": (0,)}
    settings |= {"model": "scripted", "prompts": "own", "k": 3, "limit": 3}
    return live_run(RunSettings(**settings), out, sandbox=box, progress=False, **{"model": TableReader()} | given)


@pytest.fixture(scope="module", params=NAMES)
def finished(request, tmp_path_factory, box, table_problems):
    """A data set's name, and a run on its first problems."""
    table_problems(request.param)
    return request.param, run(tmp_path_factory.mktemp("run") / "run", request.param, box)


def test_every_program_finds_its_table_and_is_judged_by_the_data_set(finished, table_problems):
    name, out = finished
    dataset, problems, candidates = load_dataset(name), table_problems(name), load_candidates(out)
    assert set(candidates["status"]) == {"ok"}
    assert set(candidates["level"]) <= set(dataset.levels)
    for row in candidates.itertuples():
        assert list(row.answers) == dataset.read(row.output)
        assert row.correct == dataset.correct(row.answers, problems[row.problem].gold)


def ran_beside(box, program, problem):
    return box.run_many([program], progress=False, files=[problem.files])[0]


def test_a_program_parses_a_hierarchical_table_and_answers(box, table_problems):
    dataset, problem = load_dataset("hitab"), table_problems("hitab")[0]
    column, row = ("eastern ontario", "french-language workers"), ("percent", "food service")
    name = next(iter(problem.files))
    program = f"from utils import parse_table\nprint([parse_table({name!r}).loc[{row!r}, {column!r}]][0])"
    ran = ran_beside(box, program, problem)
    assert (ran.status, ran.output) == ("ok", "52.1\n")
    assert dataset.correct(dataset.read(ran.output), problem.gold)


def test_a_program_finds_no_table_of_another_question(box, table_problems):
    first, other = table_problems("wtq")[0], table_problems("wtq")[1]
    for path in (*other.files, *map(str, other.files.values())):
        assert ran_beside(box, f"open({path!r})", first).status == "error"
