"""Print, and released files, which are pinned: what is found in them is what is committed; and how golds are read."""

import contextlib

import pandas as pd
import pytest

from trove_lite.errors import TroveLiteError
from trove_lite_papers.audit import FILES, creator, findings_of
from trove_lite_papers.audit.finding import as_table

from ...conftest import ROOT


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
    golds = {r"\frac12": 0.5, r"-\dfrac{3}{4}": -0.75, r"\frac{\sqrt{3}}{2}": 0.866, r"\frac{15\sqrt7}{14}": 2.835}
    assert {gold: creator.value_in_latex(gold) for gold in golds} == pytest.approx(golds, abs=1e-3)
    assert not any(map(creator.value_in_latex, ("3x + 2", "1,3", r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}")))
