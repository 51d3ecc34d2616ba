"""The essays on made runs: every one runs on two systems and on one; its tables have the right cells,
or say why not."""

import shutil
from functools import cache
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.figure import Figure

from trove_lite.candidates import outcomes, save_table
from trove_lite_analysis.cli.notebooks import notebook_parameters
from trove_lite_analysis.cli.report import _is_about
from trove_lite_papers import check, reeval
from trove_lite_papers.reeval import OTHER_SKIP, SKIP_POOL, figure4_table
from trove_lite_papers.reeval import tables as of_reeval

from ...conftest import ROOT
from ...simulated import candidates
from ..essays import NOTEBOOKS, executed, names_of
from .test_reeval import cell

ESSAYS = [path for path in NOTEBOOKS if "runs" in notebook_parameters(path)]
TABLES = {
    "11": ["figure1", "table2"],
    "12": ["figure3", "table3", "table6"],
    "14": ["table8", "table9"],
}
#: What else they save of both systems: figures, and tables after `reeval_`.
FIGURES = {"02": ["accuracy"], "11": ["reeval_figure1"], "12": ["reeval_figure3"]}
FIGURES |= {"13": ["reeval_figure2", "reeval_figure4"], "14": ["reeval_table9"]}
SAVED = TABLES | {"10": ["differences", "table1", "table5"], "11": ["table2"], "13": ["table7"]}
WHOLE = candidates(problems=5, categories=("counting", "number"))
OWN = WHOLE[WHOLE["method"] == "primitive"].assign(
    dataset="own"
)  # of two categories, not of seven: quicker
SMALL = candidates(problems=5, runs=1, categories=("counting",))


@pytest.fixture(scope="module", autouse=True)
def _few_points():
    """Of what takes longest two points show as much as six."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(of_reeval, "BUDGETS", (3, 15))
        patch.setitem(figure4_table.__kwdefaults__, "points", 2)
        yield


FRAMES = {"both": WHOLE, "primitive": OWN}
#: The essays that run on a frame of `FRAMES` or on TROVE alone.
RUN = {
    "both": [path.stem for path in ESSAYS if _is_about(path, methods={"trove", "primitive"})],
    "trove": [path.stem for path in ESSAYS if "10" <= path.stem < "15"],
    "primitive": [path.stem for path in ESSAYS if not "11" <= path.stem < "15"],
}


@pytest.fixture(scope="module")
def essay(skip_only, tmp_path_factory):
    """Folder, text and names of a notebook, by its number: of all on both systems, of the
    re-evaluation's on TROVE alone, of the others, with the first of these, on PRIMITIVE alone.

    One system alone has no data folder either, and its figures are empty files. Two have, and leave
    the papers' worked examples unexecuted. Essays about other methods, which reports leave out, run
    on PRIMITIVE alone.
    """

    @cache
    def saved(which):
        folder = tmp_path_factory.mktemp(which)
        save_table(outcomes(FRAMES.get(which, skip_only)), folder / "outcomes.parquet")
        return folder

    @cache
    def run(which, number):
        (path,) = (path for path in ESSAYS if path.stem.startswith(number))
        folder = saved(which)
        made = folder / number
        if number == "17":  # it reads the tables of the others
            shutil.copytree(ROOT / "results" / "codellama-7b-instruct", made / "results")
        given = {name: str(made / name) for name in ("results", "figures")} | {
            "beside": [],
            "resamples": 10,
        }
        given |= {"runs": [str(folder / "outcomes.parquet")], "execute": which != "both"}
        with pytest.MonkeyPatch.context() as patch:
            if which != "both":
                patch.setenv("TROVE_LITE_DATA", str(folder / "nothing"))
                patch.setattr(Figure, "savefig", lambda _, path, **how: Path(path).touch())
            return made, *executed(path, **given)

    return run


@pytest.fixture(scope="module")
def essays(essay):
    """Every table of the essays, by name, of runs with both systems and of TROVE alone."""
    return {
        (table, of): essay(which, number)[2][table]
        for of, which in (("whole", "both"), ("partial", "trove"))
        for number, tables in TABLES.items()
        for table in tables
    }


def test_reports_leave_out_the_essays_about_other_methods():
    assert {path.stem for path in ESSAYS} - set(RUN["both"]) == {"30_creator", "40_latm"}


@pytest.mark.parametrize(
    ("which", "stem"), [(which, stem) for which, stems in RUN.items() for stem in stems]
)
def test_a_notebook_runs_on_two_systems_and_on_one(which, stem, essay):
    """What cannot be had is one line that says why; no table is of NaN, and no picture is of
    nothing."""
    made, text, _ = essay(which, stem[:2])
    assert text.strip()
    # so begins what says that a definition parts from the kit's
    assert "Your " not in text
    assert not stem.startswith("1") or "nan" not in text.lower().replace("primitive", "")
    drawn = {path.stem for path in (made / "figures").glob("*.png")}
    assert ("reeval_figure1" in drawn) == (stem[:2] == "11")
    assert ("reeval_matched_budgets" in drawn) == ((which, stem[:2]) == ("both", "10"))
    if which == "both":
        assert drawn >= set(FIGURES.get(stem[:2], ()))
        saved = {path.stem: len(pd.read_csv(path)) for path in (made / "results").glob("*.csv")}
        # rules, and two categories with all
        assert stem != "02_methods" or saved["accuracy_differences"] == 3 * 3
        assert all(saved[f"reeval_{name}"] for name in SAVED.get(stem[:2], ()))


def test_every_cell_is_filled_or_says_why_not_and_a_stand_in_is_named(essays):
    for (name, of), table in essays.items():
        assert (table.loc[table["value"].isna(), "note"] != "").all(), name
        assert table.attrs["name"] == f"reeval_{name}"
        filled = table[table["low"].notna()]
        assert filled["value"].between(filled["low"] - 1e-9, filled["high"] + 1e-9).all(), name
        primitive = table[table["system"].str.startswith("PRIMITIVE") & table["value"].notna()]
        if of == "partial" and name in ("table3", "table9"):
            assert set(primitive["source"]) == {SKIP_POOL}, name
        if name == "figure3":
            assert set(primitive["source"]) == {"PRIMITIVE" if of == "whole" else OTHER_SKIP}


def test_unique_problems_are_those_of_one_mode_alone(essays):
    trove = WHOLE[(WHOLE["method"] == "trove") & (WHOLE["category"] == "number")]
    solved = (
        trove.groupby(["run", "problem", "mode"], observed=True)["correct"].any().unstack("mode")
    )
    expected = (solved["create"] & ~solved["import"] & ~solved["skip"]).mean()
    assert cell(essays["table2", "whole"], category="number", system="CREATE")[
        "value"
    ] == pytest.approx(expected)


def test_overlap_never_compares_a_run_with_itself(essays):
    found = cell(essays["figure3", "partial"], category="counting", system="PRIMITIVE ~ SKIP")
    assert found["runs"] == 6  # three runs, each with the two others
    assert found["value"] < 1


@pytest.fixture(scope="module")
def overlap(essay):
    """From candidates to Figure 3 and to Table 6, by the definitions of the essay that shows
    them."""
    of = essay("both", "12")[2]
    gains = [of["consistent"], of["potential"]]
    return (
        lambda frame: reeval.overlap_table(
            reeval.systems(frame), of["solved"], of["jaccard"], k=of["k_mode"]
        ),
        lambda frame: reeval.gains_table(reeval.systems(frame), gains, k=of["k"]),
    )


def test_what_skip_stands_in_for_is_held_against_runs_of_trove_alone(skip_only, overlap):
    """Not against SKIP of TROVE without IMPORT, which is another method."""
    other = candidates(runs=2, seed=1, categories=("counting", "geometry"))
    other = other[(other["method"] == "trove") & (other["mode"] != "import")]
    other = other.assign(method="trove_no_import", run=other["run"].astype(str) + "_without")
    found, alone = (
        overlap[0](frame) for frame in (pd.concat([skip_only, other], ignore_index=True), skip_only)
    )
    pd.testing.assert_series_equal(found["value"], alone["value"])


@pytest.mark.parametrize(("runs", "scored"), [(2, False), (5, True)])
def test_gains_are_held_against_print_at_its_number_of_runs_alone(runs, scored, overlap):
    table = overlap[1](candidates(problems=3, runs=runs, categories=("counting", "geometry")))
    note = cell(table, category="counting", system="TROVE, consistent")["note"]
    assert note == f"{runs} run(s) against {runs} of PRIMITIVE"
    found = check(table)
    assert set(found["verdict"]) == {"open"}
    assert ("five of each" in found["why"].iloc[0]) != scored


def test_sets_of_whole_runs_leave_out_runs_that_stay_in_part(overlap):
    frame = candidates(problems=30, runs=2, categories=("counting",)).reset_index(drop=True)
    trove = frame[frame["method"] == "trove"]
    first, second = (
        trove[trove["run"] == run].sort_values(["problem", "mode", "sample"])
        for run in ("run0", "run1")
    )
    again = (first["problem"] < 20).to_numpy()
    frame.loc[second.index[again], "program"] = first["program"].to_numpy()[again]
    figure3, table6 = (table(frame) for table in overlap)
    assert (
        cell(table6, category="counting", system="TROVE, consistent")["note"]
        == "1 run(s) against 2 of PRIMITIVE"
    )
    assert (figure3.query("category == 'counting'")["note"] == "needs two runs").sum() == 3


def test_print_stands_beside_the_tables_of_fifteen_calls(essays):
    """Beside no others, and of its model on its data alone: test_reeval, of the maker that all of
    these tables have."""
    for table in ("table2", "table3", "table6", "table8", "table9"):
        assert essays[table, "whole"]["published"].notna().any(), table


def test_a_data_set_without_levels_says_so(tmp_path):
    names = names_of("14", SMALL.assign(dataset="tables", level=""), tmp_path)
    assert names["table9"].empty
    assert names["table9"].attrs["note"] == "the problems of tables have no levels"
    assert set(names["table8"]["level"]) == {"all"}
    assert names["table8"]["published"].isna().all()


@pytest.mark.parametrize("parts", [6, 4, 3])
def test_the_essay_on_unseen_primitives_subtracts_leads_of_the_four_planned_runs(parts, tmp_path):
    made = []
    for place in [
        (names, doc) for names in ("papers", "nonsense", "library") for doc in ("yes", "no")
    ][:parts]:
        frame = candidates(categories=("counting",), problems=8, runs=1)
        right = (frame["method"] == "trove") & (
            place[0] == "nonsense"
        )  # TROVE is right by these names alone
        name = "scenes?names={}&doc={}".format(*place)
        made.append(frame.assign(dataset=name, category="scenes", correct=right))
    found = names_of("25", pd.concat(made, ignore_index=True), tmp_path)
    assert (bool(found["worlds"]), len(found["table"])) == (parts >= 4, parts if parts >= 4 else 0)
    if parts >= 4:
        assert found["effect"] == {"value": 1.0, "low": 1.0, "high": 1.0, "problems": 8}
        assert "; larger." in found["printed"]
