"""What one run takes from another: samples that would be the same, and toolboxes as a placebo."""

import json
import re
import shutil

import pytest

from trove_lite import TroveLiteError, load_candidates
from trove_lite.candidates import read_description
from trove_lite.journal import pack
from trove_lite.models.base import SamplingSettings
from trove_lite.running.given import load_given
from trove_lite.running.replay import played_back, stated_settings
from trove_lite.running.settings import RunSettings

from ..scripted import InlineSandbox, ScriptedModel, run, table

SHUFFLED = {"interval": 4, "shuffle": 1}


def again(out, **given):
    return run(out, methods=("trove",), seeds=(0,), categories=("counting", "geometry"), **given)


@pytest.fixture
def first(tmp_path):
    return again(tmp_path / "first")


def test_samples_used_again_are_those_that_would_be_drawn(first, tmp_path):
    model = ScriptedModel()
    sandbox = InlineSandbox()
    fresh = again(tmp_path / "fresh", trove=SHUFFLED)
    reused = again(tmp_path / "reused", trove=SHUFFLED, model=model, sandbox=sandbox, reuse=first)
    rows, same = (table(folder) for folder in (fresh, reused))
    assert rows.equals(same)
    taken = read_description(reused)["reused"]
    assert taken >= (rows["mode"] != "import").sum() / 2
    assert model.calls == len(rows) - taken


def test_a_run_of_more_attempts_and_problems_takes_those_that_are_there(tmp_path):
    def attempts(out, limit, reuse="", **numbers):
        choices = {method: {"attempts": number} for method, number in numbers.items()}
        model = ScriptedModel()
        how = {
            "methods": tuple(numbers),
            "choices": choices,
            "seeds": (0,),
            "limit": limit,
            "reuse": reuse,
        }
        return run(tmp_path / out, model=model, **how), model.calls

    few, _ = attempts("few", 2, pot=1, creator=2)
    grown, more = attempts("more", 3, few, pot=3, creator=4)
    anew, all_calls = attempts("anew", 3, pot=3, creator=4)
    assert table(grown).equals(table(anew))
    assert 0 < more < all_calls


def test_samples_drawn_otherwise_are_refused(first, tmp_path):
    with pytest.raises(TroveLiteError, match=r"temperature: was 0.6, now 0.9.*leave out --reuse"):
        again(tmp_path / "other", sampling=SamplingSettings(temperature=0.9), reuse=first)


@pytest.fixture
def published(first, tmp_path):
    """The run as a study publishes it: tables, description, and journals packed."""
    folder = tmp_path / "published"
    (folder / "journal").mkdir(parents=True)
    for name in ("candidates.parquet", "calls.parquet", "run.json"):
        shutil.copy(first / name, folder)
    for journal in (first / "journal").iterdir():
        pack(journal, folder / "journal")
    return folder


def test_a_published_run_gives_the_samples_that_the_run_itself_gives(first, published, tmp_path):
    def taken(lender):
        model = ScriptedModel()
        folder = again(tmp_path / f"by-{lender.name}", trove=SHUFFLED, model=model, reuse=lender)
        return model.calls, table(folder).to_csv()

    assert taken(first) == taken(published)


def test_a_packed_journal_is_the_same_bytes_for_the_same_journal_and_a_damaged_one_is_named(
    published, first, tmp_path
):
    packed = next((published / "journal").iterdir())
    before = packed.read_bytes()
    pack(first / "journal" / packed.stem, published / "journal")
    assert packed.read_bytes() == before
    packed.write_bytes(before[:-20])
    with pytest.raises(TroveLiteError, match=rf"{packed.name}: cannot be unpacked .*; restore it"):
        again(tmp_path / "other", reuse=published)


def wanting(toolbox, *, isolated=True, **given):
    chosen = {
        "methods": ("trove",),
        "dataset": "math",
        "categories": ("counting",),
        "seeds": (0,),
        "k": 6,
    }
    choices = {"trove": {"toolbox": toolbox, "isolated": isolated}}
    return RunSettings(**chosen | given, model="practice", choices=choices)


def test_a_given_toolbox_is_what_the_other_category_saw_at_the_same_place(first):
    given = load_given(wanting(str(first)))["trove", "counting", 0]
    stream = load_candidates(first).query("category == 'geometry'")
    played = played_back(stream, stated_settings([first])[stream["run"].iloc[0]])
    theirs = [a for a, _ in played if a.mode == "import" and a.phase == "stream"]
    assert given == tuple((a.shown, a.library) for a in theirs)
    assert any(library for _, library in given)


@pytest.mark.parametrize(("category", "seed"), [("#counting", 0), ("#algebra", 0), ("", 7)])
def test_a_run_lends_only_what_it_has_of_another_category(first, category, seed):
    with pytest.raises(TroveLiteError, match="has no toolbox of another category"):
        load_given(wanting(f"{first}{category}", seeds=(seed,)))


def test_where_a_lender_lies_is_not_what_a_run_is(first, tmp_path):
    placebo = again(tmp_path / "placebo", trove={"toolbox": str(first)})
    about = (placebo / "run.json").read_text()
    assert str(tmp_path) not in about
    assert json.loads(about)["settings"]["choices"]["trove"]["toolbox"] == "first"


def test_in_hindsight_import_is_shown_what_right_programs_used_and_the_table_says_so(
    first, tmp_path
):
    rows = table(again(tmp_path / "peeks", trove={"toolbox": f"hindsight:{first}"}))
    assert set(rows["method"]) == {"trove_hindsight_toolbox"}
    right = table(first)
    right = right[
        (right["mode"] == "import")
        & right["correct"].astype(bool)
        & (right["category"] == "counting")
    ]
    names = {
        name for text in right["solution"] + right["tools"] for name in re.findall(r"tool\d", text)
    }
    ((shown, library),) = load_given(wanting(f"hindsight:{first}"))["trove", "counting", 0]
    assert shown == library[1:]
    assert set() < {tool.name for tool in shown} <= names
