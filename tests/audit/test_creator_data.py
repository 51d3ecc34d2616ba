"""What CREATOR's data and grader show, on made records that turn each verdict."""

import pytest

from audit import creator, creator_data
from audit.creator_program import program_findings
from audit.finding import CONSISTENT, INCONSISTENT

from .planting import only

PROGRAM = "```python\nprint(4)\n```"


def records(answer=4.0, solution=PROGRAM):
    return [{"answer": 4.0, "solution": PROGRAM}, {"answer": answer, "solution": solution}]


@pytest.mark.parametrize(("answer", "verdict"), [(5.0, CONSISTENT), (float("inf"), INCONSISTENT)])
def test_an_infinite_gold_answer_is_found_and_named(answer, verdict):
    found = only(creator_data.creation_findings(records(answer=answer)), creator_data.ENDLESS)
    assert found.verdict == verdict
    assert ("item 1" in found.computed) == (verdict == INCONSISTENT)
    assert "2 records" in found.stated


@pytest.mark.parametrize(
    ("solution", "verdict"),
    [
        (PROGRAM, CONSISTENT),
        (PROGRAM + "\n" + PROGRAM, CONSISTENT),  # two blocks of one program
        (PROGRAM + "\nOutput:\n```\n4\n```", INCONSISTENT),
        (PROGRAM + "\n```\n4", INCONSISTENT),  # not closed
    ],
)
def test_a_fence_beside_the_python_blocks_is_counted(solution, verdict):
    found = only(creator_data.creation_findings(records(solution=solution)), creator_data.SECOND_BLOCK)
    assert found.verdict == verdict
    assert found.computed.startswith(f"{int(verdict == INCONSISTENT)} hold")


def test_golds_without_a_number_bound_what_words_can_reach():
    found = only(creator_data.whole_math_findings(["4", r"\frac12", "(1,2)", r"\text{odd}"]), creator_data.NOT_NUMBERS)
    assert found.verdict == INCONSISTENT
    assert "4 problems, 3 of them without a plain number as answer; in 2 " in found.computed
    assert "about 50 %" in found.note


def test_golds_that_are_all_numbers_are_what_the_paper_says():
    assert only(creator_data.whole_math_findings(["4", "-0.5"]), creator_data.NOT_NUMBERS).verdict == CONSISTENT


@pytest.mark.parametrize(
    ("gold", "value"),
    [
        (r"\frac12", 0.5),
        (r"-\dfrac{3}{4}", -0.75),
        (r"\frac{\sqrt{3}}{2}", 0.866),
        (r"\frac{15\sqrt7}{14}", 2.835),
        ("3x + 2", None),
        ("1,3", None),
        (r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}", None),
    ],
)
def test_a_latex_answer_has_the_value_that_it_stands_for_or_none(gold, value):
    assert creator_data.value_in_latex(gold) == (None if value is None else pytest.approx(value, abs=1e-3))


@pytest.mark.parametrize(("golds", "verdict"), [(["4"], CONSISTENT), (["0\\%"], CONSISTENT), (["50\\%"], INCONSISTENT)])
def test_a_gold_answer_in_percent_is_wrong_by_its_own_grader(golds, verdict):
    assert only(creator_data.whole_math_findings(golds), creator_data.PERCENT).verdict == verdict


def test_two_numbers_side_by_side_are_added_up():
    found = creator_data.side_by_side()
    assert found.verdict == INCONSISTENT
    assert found.computed == '"18 8" is read as 26'
    assert creator_data.side_by_side(lambda text: None).verdict == CONSISTENT


def test_without_files_their_findings_are_left_out_and_the_one_on_the_grader_stays(tmp_path, monkeypatch):
    monkeypatch.setenv("TROVE_LITE_DATA", str(tmp_path))
    missing = []
    assert [found.check for found in creator_data.data_findings(missing)] == [creator_data.side_by_side().check]
    assert [line.partition(":")[0] for line in missing] == [
        "problems of creation_challenge",
        "all 5,000 answers of CREATOR's MATH",
    ]


def test_a_file_of_other_content_is_not_read(tmp_path, monkeypatch):
    folder = tmp_path / "qiancheng0" / "CREATOR" / "MATH" / "dataset"
    folder.mkdir(parents=True)
    (folder / "algebra.jsonl").write_text('{"answer": "4"}\n')
    monkeypatch.setenv("TROVE_LITE_DATA", str(tmp_path))
    assert creator_data.whole_math() == []


def test_the_released_files_give_the_numbers_of_our_notes():
    if not creator_data.whole_math():
        pytest.skip("the data folder lacks CREATOR's MATH with all answers")
    found = only(creator_data.data_findings([]), creator_data.NOT_NUMBERS)
    assert "5000 problems, 1799 of them" in found.computed


def test_what_was_read_in_the_program_names_its_files_and_commit():
    for found in program_findings():
        assert found.computed.startswith("in the program ")
        assert "read in " in found.note
        assert "55b794a" in found.note or "8fd0d41" in found.note


def test_no_two_findings_on_the_program_have_one_name():
    names = [(found.place, found.check) for found in creator.creator_program_findings([])]
    assert len(names) == len(set(names))
