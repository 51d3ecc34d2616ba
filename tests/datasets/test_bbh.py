"""LATM's six tasks: what the files hold, how answers are read, and that tasks made anew obey the files' rules."""

import re
from collections import Counter
from itertools import pairwise

import pytest

from trove_lite import TroveLiteError
from trove_lite.datasets import bbh, load_dataset, load_problems
from trove_lite.datasets.files import public_paths

#: How many made problems are solved by solvers of their own.
MADE_SEEDS = range(10_000)
CLAUSE = re.compile(r"among (\d+) (\w+), we have (\d+) left")


@pytest.fixture(scope="session")
def released():
    """All 250 items of each task; skips where the data folder does not hold them."""
    if not all(path.is_file() for path in public_paths("bbh")):
        pytest.skip("the data folder holds no LATM tasks: run `trove-lite fetch bbh` or set TROVE_LITE_DATA")
    return {category: bbh.items(category) for category in bbh.FILES}


def minutes(time):
    return 60 * int(time[:2]) + int(time[3:])


def availability(line):
    """Ranges in minutes, as one person's line of a question says them."""
    return [tuple(map(minutes, found)) for found in re.findall(r"(\d\d:\d\d) - (\d\d:\d\d)", line)]


def solve_schedule(question):
    """By minutes, without knowing how questions are made: the earliest start at which both are free throughout."""
    meeting, one, two, _ = question.split("\n")
    length = round(60 * float(re.search(r"a ([\d.]+)-hour", meeting)[1]))
    one, two = availability(one), availability(two)
    for start in sorted(max(a, b) for a, _ in one for b, _ in two):
        if all(any(a <= start and start + length <= b for a, b in free) for free in (one, two)):
            return " - ".join(f"{t // 60:02}:{t % 60:02}" for t in (start, start + length))
    return "No time slot works."


def solve_remainder(question):
    """By Garner's construction from the text alone."""
    number, step = 0, 1
    for prime, _, left in CLAUSE.findall(question):
        number += step * ((int(left) - number) * pow(step, -1, int(prime)) % int(prime))
        step *= int(prime)
    return str(number)


def assert_schedule_rules(question):
    meeting, *people, _ = question.split("\n")
    assert re.search(r"a (0\.5|1|1\.5)-hour", meeting)
    for person in people:
        free = availability(person)
        assert 5 <= sum(end - start for start, end in free) / 30 <= 15
        assert all(end < later for (_, end), (later, _) in pairwise(free))
        assert all(480 <= time <= 1080 and time % 30 == 0 for slot in free for time in slot)


def assert_remainder_rules(question):
    primes = [int(prime) for prime, *_ in CLAUSE.findall(question)]
    assert len(primes) == 3
    assert primes == sorted(set(primes))
    assert all(prime < 300 and all(prime % d for d in range(2, 18) if d < prime) for prime in primes)
    limit, fruit = re.search(r"no more than (\d+) (\w+)\.", question).groups()
    assert int(limit) == primes[0] * primes[1] * primes[2]
    assert question.count(fruit) == 2


@pytest.mark.parametrize("category", bbh.FILES)
def test_six_are_labelled_and_240_tested(released, category):
    dataset = load_dataset("bbh")
    problems, examples = load_problems("bbh", category), dataset.examples(category)
    assert (len(problems), len(examples)) == (240, 6)
    assert [problem.index for problem in problems] == list(range(240))
    questions = [question for question, _ in released[category]]
    assert [p.question.text for p in problems] == questions[10:]
    assert [p.question.text for p in examples] == questions[:3] + questions[5:8]


@pytest.mark.parametrize("category", bbh.FILES)
def test_gold_answers_are_right_and_read_as_they_are(released, category):
    for problem in load_problems("bbh", category):
        assert bbh.correct(bbh.read(problem.gold), problem.gold)


def test_brackets_stand_without_blanks(released):
    for question, answer in released["dyck_languages"]:
        assert " " not in question.partition("Input: ")[2] + answer


def test_words_are_sorted_by_code_point(released):
    for question, answer in released["word_sorting"]:
        assert answer.split() == sorted(question.partition("List: ")[2].split())


def test_shipped_schedules_obey_the_rules(released):
    items = released["schedule_meeting"]
    for question, answer in items:
        assert_schedule_rules(question)
        assert solve_schedule(question) == answer
    lengths = Counter(re.search(r"a ([\d.]+)-hour", question)[1] for question, _ in items)
    assert lengths == {"0.5": 73, "1": 83, "1.5": 94}
    assert sum(answer == bbh.NO_SLOT for _, answer in items) == 107


def test_shipped_remainders_obey_the_rules(released):
    items = released["chinese_remainder"]
    for question, answer in items:
        assert_remainder_rules(question)
        assert solve_remainder(question) == answer
    clauses = [CLAUSE.findall(question) for question, _ in items]
    assert sum(len({animal for _, animal, _ in found}) < 3 for found in clauses) == 70
    assert sum(any(left == "0" for *_, left in found) for found in clauses) == 24
    assert {animal for found in clauses for _, animal, _ in found} == set(bbh.ANIMALS)


def test_made_schedules_obey_the_rules_and_are_solved():
    lengths, unsolvable = Counter(), 0
    for seed in MADE_SEEDS:
        question, answer = bbh.make_schedule(seed)
        assert_schedule_rules(question)
        assert solve_schedule(question) == answer
        lengths[re.search(r"a ([\d.]+)-hour", question)[1]] += 1
        unsolvable += answer == bbh.NO_SLOT
    far = 2 / len(MADE_SEEDS) ** 0.5  # four standard deviations of a share, and more
    assert all(abs(count / len(MADE_SEEDS) - 1 / 3) < far for count in lengths.values())
    assert abs(unsolvable / len(MADE_SEEDS) - 0.392) < far  # what the rules come to


def test_made_remainders_obey_the_rules_and_are_solved():
    for seed in MADE_SEEDS:
        question, answer = bbh.make_remainder(seed)
        assert_remainder_rules(question)
        assert solve_remainder(question) == answer


@pytest.mark.parametrize("category", bbh.MAKERS)
def test_made_problems_need_no_data_and_are_no_examples(category, tmp_path, monkeypatch):
    monkeypatch.setenv("TROVE_LITE_DATA", str(tmp_path))
    questions = [problem.question.text for problem in load_problems("bbh_made", category)]
    examples = [problem.question.text for problem in load_dataset("bbh_made").examples(category)]
    assert (len(questions), len(examples)) == (240, 6)
    assert len({*questions, *examples}) == 246


@pytest.mark.parametrize(
    ("output", "answer"),
    [
        ("(C)\n", "(C)"),
        ("C", "(C)"),
        (r"So the correct answer is \(\boxed{D}\).", "(D)"),
        (r"The answer is $\boxed{\text{(D)}}$", "(D)"),
        ("The answer is:\n\\[\n\\boxed{D}\n\\]", "(D)"),
        ("So the **answer is: (D)**.", "(D)"),
        ("the answer is **(D) the owl**.", "(D)"),
        ("Let's see. So the answer is (B).", "(B)"),
        ("The answer is A. No: the answer is (D) the owl", "(D)"),
        ("So the answer is (B).\n\nQ: And now?\nA: The answer is (C).", "(B)"),
        ("] ] >\nand nothing else", "]]>"),
        ("('10:30', '12:00')", "10:30 - 12:00"),
        ("9:30-10:00", "09:30 - 10:00"),
        ("None", "No time slot works."),
        ("no time slot works", "No time slot works."),
        ("14,687", "14687"),
        ("14687.0", "14687"),
        ("apple bee", "apple bee"),
        ('"14687.0"', "14687.0"),
        ('"No time slot works"', "No time slot works"),
    ],
)
def test_answers_are_read_in_the_form_of_their_kind(output, answer):
    assert bbh.read(output) == [answer]


@pytest.mark.parametrize("output", ["", " \n", "The answer is"])
def test_nothing_is_no_answer(output):
    assert bbh.read(output) == []
    assert not bbh.correct([], "")


def test_a_missing_file_names_file_and_remedy(tmp_path, monkeypatch):
    monkeypatch.setenv("TROVE_LITE_DATA", str(tmp_path))
    with pytest.raises(TroveLiteError, match=r"dyck_languages\.json: missing; run `trove-lite fetch bbh`"):
        load_problems("bbh", "dyck_languages")


def test_an_altered_file_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("TROVE_LITE_DATA", str(tmp_path))
    path = tmp_path / "ctlllll/LLM-ToolMaker/bbh/dyck_languages.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"examples": []}')
    with pytest.raises(TroveLiteError, match=r"sha256 differs .* run `trove-lite fetch bbh`"):
        load_problems("bbh", "dyck_languages")


# ---- mixed ----


@pytest.mark.parametrize("number", bbh.DRAWS)
def test_an_unannounced_stream_has_as_many_of_each_task_in_an_order_of_its_own(number):
    found = load_problems("bbh_stream", f"made_{number}")
    assert Counter(problem.level for problem in found) == dict.fromkeys(bbh.MAKERS, bbh.EACH)
    assert len({problem.question.text for problem in found}) == 2 * bbh.EACH
    assert [problem.index for problem in found] == list(range(len(found)))
    golds = {p.question.text: p.gold for task in bbh.MAKERS for p in load_problems("bbh_made", task)}
    assert all(golds[problem.question.text] == problem.gold for problem in found)
    assert len({problem.level for problem in found[:10]}) == 2
    assert not any(problem.question.context for problem in found)


@pytest.mark.parametrize(("kind", "overlaps"), [("existing", {6}), ("new", {2}), ("new_released", {2, 3, 4})])
@pytest.mark.parametrize("number", bbh.DRAWS)
def test_a_draw_has_100_questions_and_golds_by_what_is_known(released, kind, overlaps, number):
    found = load_problems("bbh_mixed", f"{kind}_{number}")
    assert len({problem.question.text for problem in found}) == 100
    known, asked = set(found[0].question.context.splitlines()), Counter(problem.level for problem in found)
    assert len(known & set(asked)) in overlaps
    assert all(p.gold == (p.level if p.level in known else bbh.UNKNOWN) for p in found)
    if kind != "existing":
        assert (len(known), set(asked.values())) == (4, {25})


def test_draws_differ_and_stay_as_they_are(released):
    draws = [load_problems("bbh_mixed", f"new_{number}") for number in bbh.DRAWS]
    assert len(set(draws)) == len(draws)
    assert load_problems("bbh_mixed", "new_0") == draws[0]


@pytest.mark.parametrize(
    ("output", "task"),
    [
        ("Task: word_sorting", "word_sorting"),
        ("It is this one.\nTask: word_sorting. \nTask: dyck_languages", "word_sorting"),
        ("Task: unknown", "unknown"),
        ("Task: cooking", "unknown"),
        ("word_sorting", "unknown"),
        ("", "unknown"),
    ],
)
def test_a_named_task_is_read_and_all_else_is_unknown(output, task):
    assert bbh.read_task(output) == [task]


@pytest.mark.parametrize(
    ("answer", "label"),
    [("the owl", "(B)"), ("Owl", "(B)"), ("hen", "(A)"), ("the", ""), ("(B)", ""), ("", ""), ("a fox", "")],
)
def test_an_option_is_named_by_its_text_or_a_part_that_no_other_has(answer, label):
    assert bbh.option_of("Who?\nOptions:\n(A) the hen\n(B) the owl\n(C) the night owls", answer) == (
        "" if answer == "Owl" else label
    )
