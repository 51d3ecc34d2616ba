"""Table questions live: programs that open their own table."""

import re

import pytest

from trove_lite.candidates import load_candidates
from trove_lite.datasets import load_dataset
from trove_lite.running.live import live_run
from trove_lite.running.settings import RunSettings

from ..sandbox import needs_full
from ..scripted import ScriptedModel, response

pytestmark = needs_full


class TableReader(ScriptedModel):
    """Opens the table that the prompt names and prints one of two cells."""

    def text(self, prompt: str, draw: int) -> str:
        named = re.findall(r"^File: (\S+)$", prompt, re.MULTILINE)
        if not named:
            return response(f"print({draw % 2})")
        reader = "pd.read_table"
        tools = ""
        if named[-1].endswith(".json"):
            reader = "parse_table"
            tools = "from toolbox import parse_table"
        return response(f"df = {reader}({named[-1]!r})\nprint(df.iloc[{draw % 2}, 0])", tools)


@pytest.mark.parametrize("name", ["tabmwp", "wtq", "hitab", "practice_tables"])
def test_every_program_finds_its_table_and_is_judged_by_the_data_set(
    name, tmp_path, box, table_problems
):
    dataset = load_dataset(name)
    problems = table_problems(name)
    settings = {
        "methods": ("primitive", "trove"),
        "dataset": name,
        "categories": (name,),
        "seeds": (0,),
    }
    settings = RunSettings(**settings, model="scripted", prompts="own", k=3, limit=3)
    candidates = load_candidates(
        live_run(settings, tmp_path, model=TableReader(), sandbox=box, progress=False)
    )
    assert set(candidates["status"]) == {"ok"}
    assert set(candidates["level"]) <= set(dataset.levels)
    for row in candidates.itertuples():
        assert list(row.answers) == dataset.read(row.output)
        assert row.correct == dataset.correct(row.answers, problems[row.problem].gold)


def test_a_program_parses_a_hierarchical_table_and_answers(box, table_problems):
    dataset = load_dataset("hitab")
    problem = table_problems("hitab")[0]
    column = ("eastern ontario", "french-language workers")
    row = ("percent", "food service")
    name = next(iter(problem.files))
    program = (
        f"from utils import parse_table\nprint([parse_table({name!r}).loc[{row!r}, {column!r}]][0])"
    )
    (ran,) = box.run_many([program], progress=False, files=[problem.files])
    assert (ran.status, ran.output) == ("ok", "52.1\n")
    assert dataset.correct(dataset.read(ran.output), problem.gold)
