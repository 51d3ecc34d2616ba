"""Print, and released files, which are pinned: what is found in them is what is committed, and how it is reckoned."""

import contextlib

import numpy as np
import pandas as pd
import pytest

from trove_lite import TroveLiteError
from trove_lite_papers import published_table
from trove_lite_papers.audit import CHECKS, FILES, creator, findings_of, printed, reeval, trove
from trove_lite_papers.audit import finding as words
from trove_lite_papers.audit.finding import CONSISTENT, UNDECIDED, as_table

from ...conftest import ROOT


@pytest.mark.parametrize(
    ("better", "with_transfer", "most"),
    [
        (39, 78.3, 30),  # as printed: 30 that gain 1 and 9 that gain 2 make up 46 and 2 lost
        (46, 78.3, 32),  # each free question leaves two of its set wrong: 65 of 300 are
        (24, 78.3, 0),  # all better sets must gain 2
    ],
)
def test_free_questions_are_bounded_by_what_is_printed_of_sets(
    better, with_transfer, most, monkeypatch
):
    table = published_table("creator_table5").set_index("quantity")
    table.loc[["sets_better_with_transfer", "acc_tool_create_with_transfer"], "value"] = (
        better,
        with_transfer,
    )
    monkeypatch.setattr(creator, "published_table", lambda _: table.reset_index())
    (found,) = findings_of({}, "free_questions")
    assert f"of the 235 up to {most}," in found.computed
    assert found.verdict == (UNDECIDED if most else CONSISTENT)


def test_a_count_is_always_allowed_by_its_own_rounding():
    for n in (7, 156, 503, 785):
        for count in range(n + 1):
            assert count in printed.counts_allowed(round(count / n, 2), 2, n)
            assert count in printed.counts_allowed(round(100 * count / n, 1) / 100, 3, n)
    assert not printed.counts_allowed(0.218, 3, 503)


@pytest.mark.parametrize(
    ("cells", "mean", "fits"),
    [
        ([0.1, 0.5], 0.2, "micro"),
        ([0.1, 0.5], 0.3, "macro"),
        ([0.1, 0.5], 0.4, "neither"),
        ([0.2, 0.2], 0.2, "either"),
    ],
)
def test_a_mean_fits_what_it_is(cells, mean, fits):
    assert printed.mean_fit(cells, mean, [300, 100], 2).fits == fits


def test_standard_deviations_of_whole_numbers_are_enumerated():
    assert np.isclose(trove.standard_deviations(8, 10, 5), 0.8367, atol=1e-4).any()
    assert not np.isclose(trove.standard_deviations(6, 8, 5), 0.957, atol=5e-4).any()
    assert np.isclose(trove.standard_deviations(6, 8, 4), 0.957, atol=5e-4).any()


@pytest.mark.parametrize("runs", [1, 2, 5])
def test_the_best_of_several_is_as_far_above_the_mean_as_simulation_says(runs):
    drawn = np.random.default_rng(0).normal(size=(200_000, runs)).max(axis=1)
    assert reeval.expected_best(runs) == pytest.approx(
        drawn.mean(), abs=4 * drawn.std() / 200_000**0.5
    )


def test_every_row_has_a_check_or_a_verdict_and_never_both():
    rules = words.WORDS.index.str.startswith("rule: ")
    named = words.WORDS.index[~rules & (words.WORDS["verdict"] == "")]
    assert set(named) == set(CHECKS) - {"switched_rules"}


def test_what_print_and_files_show_is_what_is_committed():
    """With whatever files are here; print alone gives more than fifty findings."""
    evidence = {}
    for name, (_, read) in FILES.items():
        with contextlib.suppress(TroveLiteError):
            evidence[name] = read()
    found = as_table(findings_of(evidence)).astype({"weight": float})
    assert len(found) > 40  # some need the data folder
    committed = pd.read_csv(ROOT / "results" / "audit" / "findings.csv", keep_default_na=False)
    same = found[["section", "paper", "place", "check"]].merge(committed)
    pd.testing.assert_frame_equal(found, same[found.columns], check_dtype=False)


def test_a_file_of_other_content_is_not_read(tmp_path, monkeypatch):
    folder = tmp_path / "qiancheng0" / "CREATOR" / "MATH" / "dataset"
    folder.mkdir(parents=True)
    (folder / "algebra.jsonl").write_text('{"answer": "4"}\n')
    monkeypatch.setenv("TROVE_LITE_DATA", str(tmp_path))
    with pytest.raises(TroveLiteError, match="not here"):
        creator.whole_math()


def test_a_latex_answer_has_the_value_that_it_stands_for_or_none():
    golds = {
        r"\frac12": 0.5,
        r"-\dfrac{3}{4}": -0.75,
        r"\frac{\sqrt{3}}{2}": 0.866,
        r"\frac{15\sqrt7}{14}": 2.835,
    }
    assert {gold: creator.value_in_latex(gold) for gold in golds} == pytest.approx(golds, abs=1e-3)
    assert not any(
        map(creator.value_in_latex, ("3x + 2", "1,3", r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}"))
    )
