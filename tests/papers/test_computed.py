"""Every table and figure of the papers is computed by a function that its essay defines: which, and
which test changes it."""

import ast
from functools import cache

import pytest

from trove_lite_papers.tables import PUBLISHED

from ..cases import cases
from ..conftest import ROOT
from .essays import definitions

REEVAL = "reeval/test_definitions.py"
TROVE = "trove/test_essay.py"
CREATOR = "creator/test_essay.py"
LATM = "latm/test_essay.py"
EFFECTS = "so_in_tables_8_10_12_and_13"
#: What is printed, where its numbers are saved, the essay, its definition, and the test that
#: changes it.
ROWS = cases(
    """
    "reeval_table1", "reeval_table1", "10", "one_stage", REEVAL, "so_in_tables_1_and_5"
    "reeval_table1", "reeval_table1", "10", "two_stage", REEVAL, "one_stage_as_two_stage"
    "reeval_table2", "reeval_table2", "11", "alone", REEVAL, "so_in_table_2"
    "reeval_table3", "reeval_table3", "12", "distinct", REEVAL, "so_in_table_3"
    "reeval_table5", "reeval_table5", "10", "one_stage", REEVAL, "so_in_tables_1_and_5"
    "reeval_table6", "reeval_table6", "12", "consistent", REEVAL, "so_in_table_6"
    "reeval_table7", "reeval_table7", "13", "oracle", REEVAL, "so_in_table_7"
    "reeval_table8", "reeval_table8", "14", "level", REEVAL, "so_in_tables_8_and_9"
    "reeval_table9", "reeval_table9", "14", "level", REEVAL, "so_in_tables_8_and_9"
    "reeval_figure1", "reeval_figure1.png", "11", "solves", REEVAL, "so_in_figure_1"
    "reeval_figure2", "reeval_figure2.png", "13", "oracle", REEVAL, "so_in_table_7_and_figures"
    "reeval_figure3", "reeval_figure3.png", "12", "jaccard", REEVAL, "jaccard_as_dice"
    "reeval_figure4", "reeval_figure4.png", "13", "one_stage", REEVAL, "so_in_tables_1_and_5"
    "trove_table2", "trove_table2_accuracy", "20", "accuracy", TROVE, "ran_is_so_in_table_2"
    "trove_table2", "trove_table2_operations", "20", "ops", TROVE, "count_of_operations"
    "trove_table2", "trove_table2_library", "20", "used", TROVE, "tools_of_programs_that_failed"
    "trove_table7", "trove_table7", "21", "right", TROVE, "in_table_7"
    "trove_table8", "trove_ablations", "21", "right", TROVE, EFFECTS
    "trove_table10", "trove_ablations", "21", "right", TROVE, EFFECTS
    "trove_table11", "trove_ablations", "21", "any_that_ran", TROVE, "the_first_program"
    "trove_table11", "trove_table11", "21", "any_that_ran", TROVE, "the_first_program"
    "trove_table12", "trove_table12", "21", "right", TROVE, EFFECTS
    "trove_table13", "trove_ablations", "21", "right", TROVE, EFFECTS
    "trove_figure8", "trove_figure8", "21", "held", TROVE, "so_in_figure_8"
    "creator_table2", "creator_table2", "30", "accuracy", CREATOR, "in_table_2_and_in_figures"
    "creator_table3", "creator_table3", "30", "successful_execution", CREATOR, "so_in_tables_3_and_4"
    "creator_table4", "creator_table4", "30", "successful_execution", CREATOR, "so_in_tables_3_and_4"
    "creator_table5", "creator_table5", "30", "best_by_gold", CREATOR, "so_in_table_5"
    "latm_table2", "latm_table2", "40", "accuracy", LATM, "so_in_tables_2_4"
    "latm_table3", "latm_table3", "40", "succeeded", LATM, "so_in_table_3"
    "latm_table4", "latm_table4", "40", "accuracy", LATM, "so_in_tables_2_4"
    "latm_table5", "latm_table5", "40", "accuracy", LATM, "so_in_table_5"
    """,
    CREATOR=CREATOR,
    EFFECTS=EFFECTS,
    LATM=LATM,
    REEVAL=REEVAL,
    TROVE=TROVE,
)
#: Printed tables without a number that a run has: settings; and of other models, images and people.
OTHERS = {"reeval_table4"}
OTHERS |= {f"trove_table{number}" for number in (1, 3, 4, 5)}


@cache
def sources_of(file) -> dict[str, str]:
    """The source of a file's tests, by name."""
    text = (ROOT / "tests" / "papers" / file).read_text(encoding="utf-8")
    functions = (node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef))
    return {one.name: ast.get_source_segment(text, one) for one in functions}


@pytest.mark.parametrize(
    ("printed", "saved", "essay", "definition", "file", "test"),
    ROWS,
    ids=[f"{row[1]}-{row[2]}-{row[3]}-{row[0]}" for row in ROWS],
)
def test_a_table_has_a_definition_and_a_test_that_changes_it(
    printed, saved, essay, definition, file, test
):
    assert callable(getattr(definitions(essay), definition))
    (source,) = (source for name, source in sources_of(file).items() if test in name)
    assert f'"{saved}"' in source


def test_every_printed_table_of_numbers_has_a_row():
    papers = ("reeval", "trove", "creator", "latm")
    printed = {path.stem for path in PUBLISHED.glob("*.csv")}
    tables = {name for name in printed if name.startswith(tuple(f"{p}_table" for p in papers))}
    assert tables - OTHERS == {row[0] for row in ROWS if "_table" in row[0]}
