"""Your own problems: what a file may hold, one clear line for what it may not, and how their
answers are judged."""

import json

import pytest

from trove_lite import TroveLiteError
from trove_lite.cli import main
from trove_lite.datasets import load_dataset, load_problems

from ..cases import cases
from ..newcomer import inputs

LINE = {"question": "Which city?", "answer": "Paris"}
NINES = "9" * 400
NO_ANSWER = "field 'answer' is missing, or no number or text"


def dataset(folder, *entries, grader=None):
    path = folder / "mine.jsonl"
    path.write_text(
        "".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in entries)
    )
    return load_dataset(str(path), grader)


def test_problems_keep_their_order_and_fields(tmp_path):
    sums = [
        {"question": "a", "answer": 1, "level": 3},
        {"question": "b", "answer": 2.5, "level": "hard"},
    ]
    first, last = (line | {"category": "sums"} for line in sums)
    found = dataset(tmp_path, first, LINE | {"extra": [1]}, "\n", last)
    assert (found.name, found.title, found.categories) == (
        "mine.jsonl",
        "mine",
        ("sums", "problems"),
    )
    a, b = found.load("sums")
    assert a.question == ("mine.jsonl", "sums", 0, "a", "")
    assert (a.gold, a.level, b.index, b.gold) == (1.0, "3", 1, 2.5)
    assert found.levels == ("3", "hard")
    assert load_problems(str(tmp_path / "mine.jsonl"), "problems")[0].gold == "Paris"
    levels = [LINE | {"level": level} for level in (10, "easy", 9, "2")]
    assert dataset(tmp_path, *levels).levels == ("2", "9", "10", "easy")


@pytest.mark.parametrize(
    ("line", "reason"),
    cases(
        r"""
        "{not json\n", "not JSON"
        [LINE], "not an object"
        {"problem": "?", "answer": 1},
            r"field 'question' is missing or no text \(its fields: problem, answer\)"
        LINE | {"question": " "}, "field 'question' is missing or no text"
        {"question": "?"}, NO_ANSWER
        LINE | {"answer": None}, NO_ANSWER
        LINE | {"answer": []}, NO_ANSWER
        LINE | {"answer": [1, {}]}, NO_ANSWER
        LINE | {"answer": ' "." '}, NO_ANSWER
        LINE | {"answer": NINES}, NO_ANSWER
        '{"question": "?", "answer": NaN}\n', NO_ANSWER
        '{"question": "?", "answer": 1e999}\n', NO_ANSWER
        LINE | {"level": 1.5}, "field 'level' is 1.5; give a text or a whole number"
        LINE | {"category": "../x"}, r"category \"../x\"; use letters"
        LINE | {"id": 7}, "id '7' is that of line 1; give it once"
        LINE | {"question": "b", "id": "7"}, "id '7' is that of line 1; give it once"
        LINE | {"answer": "Rome"}, "asks what line 1 asks, with another answer; keep the right one"
        LINE | {"answer": ["Paris", "Rome"]}, "asks what line 1 asks, with another answer; keep the right one"
        '{"question": "a", "answer": 1, "answer": 2}\n', "field 'answer' is there twice; give it once"
        '{"question": "a", "question": "b", "answer": 2}\n', "field 'question' is there twice; give it once"
        """,
        **globals(),
    ),
)
def test_a_bad_line_is_named_with_its_file(tmp_path, line, reason):
    with pytest.raises(TroveLiteError, match=rf"mine\.jsonl, line 3: {reason}"):
        dataset(tmp_path, LINE | {"id": 7}, "\n", line)


@pytest.mark.parametrize("told", inputs("data").values(), ids=inputs("data"))
def test_data_that_contradicts_itself_is_refused_by_its_last_line(tmp_path, told):
    with pytest.raises(TroveLiteError, match=rf"mine\.jsonl, line {len(told['lines'])}: "):
        dataset(tmp_path, *told["lines"])


def test_the_same_question_with_the_same_answer_or_of_another_category_stays(tmp_path):
    found = dataset(tmp_path, LINE, LINE, LINE | {"answer": 2, "category": "other"})
    assert found.categories == ("problems", "other")


def test_files_without_problems_are_told_apart(tmp_path):
    with pytest.raises(TroveLiteError, match=r"mine\.jsonl: no problems; give a line of JSON"):
        dataset(tmp_path)
    (tmp_path / "latin.jsonl").write_bytes(b'{"question": "\xe9"}')
    with pytest.raises(TroveLiteError, match=r"latin\.jsonl: not UTF-8 text \(byte 14\)"):
        load_dataset(str(tmp_path / "latin.jsonl"))


def right(found, output, number=0):
    problem = found.load("problems")[number]
    return found.correct(found.read(output), problem.gold)


def test_one_text_among_numbers_changes_nothing_for_the_others(tmp_path):
    number = {"question": "a", "answer": 42}
    outputs = ("Step 1\n42", "42", "42\nStep 1", "Answer: 42\nDone.")
    alone = [right(dataset(tmp_path, number), output) for output in outputs]
    assert alone == [True, True, False, True]
    assert alone == [right(dataset(tmp_path, number, LINE), output) for output in outputs]
    assert "1 of 2 answers are texts" in dataset(tmp_path, number, LINE).judged
    assert "texts" not in dataset(tmp_path, number).judged


@pytest.mark.parametrize("grader", ["strict", "papers"])
def test_any_answer_of_a_list_is_right(tmp_path, grader):
    found = dataset(tmp_path, {"question": "a", "answer": ["Rome", 7, "8"]}, grader=grader)
    assert [right(found, output) for output in ("rome", "7", "8", "9", "")] == [
        True,
        True,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("She has 70 + 2 = 72.\n#### 72", 72.0),
        ("#### 1,234", "1,234"),
        (True, "true"),
        (2**70, str(2**70)),
        ("7", 7.0),
    ],
)
def test_golds_are_read_as_they_are_written(tmp_path, answer, gold):
    (problem,) = dataset(tmp_path, {"question": "a", "answer": answer}).load("problems")
    assert problem.gold == gold


def test_a_run_goes_on_by_the_rule_that_it_was_begun_with(tmp_path, monkeypatch, capsys):
    """A run of a version without graders has none in run.json, and is the papers'."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.jsonl").write_text('{"question": "What is 2 + 2?", "answer": 4}\n')
    words = "run --dataset mine.jsonl --model practice --methods primitive --seeds 0 --k 1 --quiet --out"

    def begun(out, *more):
        return main([*words.split(), out, *more])

    assert begun("new") == begun("old", "--grader", "papers") == 0
    told = {name: json.loads((tmp_path / name / "run.json").read_text()) for name in ("new", "old")}
    assert [about["settings"]["grader"] for about in told.values()] == ["strict", "papers"]
    del told["old"]["settings"]["grader"]
    (tmp_path / "old" / "run.json").write_text(json.dumps(told["old"]))
    (tmp_path / "old" / "candidates.parquet").unlink()
    capsys.readouterr()
    assert begun("old") == 0
    assert capsys.readouterr().out.startswith(
        "answers are judged by the papers' rule: the first number"
    )
    assert begun("old", "--grader", "strict") == begun("new", "--grader", "papers") == 2
    assert "grader: was papers, now strict" in capsys.readouterr().err
    assert begun("new") == 0
    assert capsys.readouterr().out.startswith("answers are judged strictly")


RIGHT = cases(
    r"""
    "Paris\n",               "Paris"
    "thinking\n paris.\n\n", "Paris"
    "'New  York'",           "new york"
    "YES",                   "yes"
    """
)
RIGHT += [("3/4", "3/4"), ("3.004", 3.0), ("12 apples", 12.0)]
WRONG = cases(
    r"""
    "Paris\nRome", "Paris"
    "It is Paris", "Paris"
    "",            "Paris"
    "none",        12.0
    "",            12.0
    "1\n2",        1.0
    """
)


@pytest.mark.parametrize(
    ("output", "gold", "right"),
    [*((*pair, True) for pair in RIGHT), *((*pair, False) for pair in WRONG)],
)
def test_texts_are_compared_normalised_and_whole(tmp_path, output, gold, right):
    found = dataset(tmp_path, LINE, {"question": "How many?", "answer": 12}, grader="papers")
    assert found.correct(found.read(output), gold) is right


def test_equal_texts_and_equal_numbers_vote_alike(tmp_path):
    found = dataset(tmp_path, LINE, grader="papers")
    assert found.read("Paris.") == found.read("a\n'PARIS'") == ["paris"]
    assert found.read("3") == found.read("3.0") == ["3.0"]
    assert found.read("\n \n") == []
