"""Comparisons that differ in more than one factor are refused, by what both systems' models read."""

import re
from functools import cache
from itertools import combinations

import pytest

from studies import asked, sealing
from studies import factors as factors_module
from studies.__main__ import main
from studies.bench import STUDY
from studies.factors import REPRODUCTION, differing, judge, system_of
from studies.plan import FACTORS, Part, Study, read_study
from studies.plan import PROMPTS as SEALED
from trove_lite.errors import TroveLiteError

from ..cases import cases, named
from ..conftest import ROOT, skip_without

BENCH = read_study(ROOT / "studies/bench.toml")
PARTS = {part.name: part for part in BENCH.parts}
COMMENTS = "one-factor?thought=comments"


@pytest.fixture
def papers_words():
    """The papers' prompts, and LATM's tasks and tools; skips where the data folder does not hold
    them."""
    for group in ("prompts", "bbh", "latm"):
        skip_without(group)


def part(method, prompts="own", **options):
    words = {"dataset": "math", "methods": [method], "prompts": prompts, "k": 15}
    return Part(method, "runs", words | options)


def factors(one, other):
    return set(differing(*(system_of(system, Study("s", "", {}, [])) for system in (one, other))))


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        (part("creator"), part("pot"), {"tool", "thought"}),  # today's, by our words
        (part("creator"), part("primitive"), {"tool", "examples", "layout", "repairs"}),
        (part("trove"), part("trove", **{"trove.toolbox": "none"}), {"tool"}),
        (
            part("trove"),
            part("trove", **{"trove.toolbox": "runs/before"}),
            {"tool"},
        ),  # of another category
        (part("trove"), part("primitive"), {"tool"}),
        (part("creator", COMMENTS), part("pot", COMMENTS), {"tool"}),
        (part("pot", COMMENTS), part("pot", "one-factor?thought=none"), {"thought"}),
        (part("trove", COMMENTS), part("primitive", COMMENTS), {"tool"}),
        (
            part("primitive", "one-factor"),
            part("primitive", "one-factor?examples=others"),
            {"examples"},
        ),
        (part("primitive", "one-factor"), part("primitive", "one-factor?form=chat"), {"form"}),
        (part("primitive", chat="on"), part("primitive"), {"form"}),
        (part("instance"), part("primitive", temperature=0.0), {"tool", "sampling"}),
        (part("instance"), part("primitive", k=30), {"tool", "budget"}),
        (*(part("pot", "one-factor", **{"pot.attempts": n}) for n in (10, 6)), {"budget"}),
        (part("trove"), part("trove"), set()),
    ],
)
def test_the_factors_of_a_pair_are_those_in_which_what_is_rendered_differs(one, other, found):
    assert factors(one, other) == found


#: Methods as points: what of tools, thought and examples their prompts have, and whether what fails
#: is repaired.
POINTS = named(
    """
    "primitive", "none", "none", "task", False
    "pot", "none", "comments", "task", True
    "instance", "program", "none", "task", False
    "entangled", "program", "none", "task", True
    "creator", "apart", "none", "task", True
    "memory", "none", "none", "task and past", False
    "trove", "own toolbox", "none", "task", False  # IMPORT, CREATE and SKIP
    "trove.toolbox=none", "empty toolbox", "none", "task", False
    "trove.toolbox=runs/before", "another's toolbox", "none", "task", False
    "trove.toolbox=hindsight:runs/before", "another's toolbox", "none", "task", False
    """
)


@cache
def point(name):
    method, _, value = name.partition(".toolbox=")
    toolbox = {"trove.toolbox": value} if value else {}
    return system_of(part(method, "one-factor", **toolbox), Study("s", "", {}, []))


@pytest.mark.parametrize(("one", "other"), list(combinations(POINTS, 2)))
def test_two_methods_of_the_pack_differ_in_the_switches_in_which_their_points_do(one, other):
    switches = zip(
        ("tool", "thought", "examples", "repairs"), POINTS[one], POINTS[other], strict=True
    )
    assert set(differing(point(one), point(other))) == {
        switch for switch, a, b in switches if a != b
    }


@pytest.mark.parametrize(
    ("prompts", "of_primitive", "found"),
    cases(
        """
        "one-factor", "one-factor", {"tool"}
        COMMENTS,     COMMENTS,     {"tool"}  # a chain of thought beside it
        "one-factor", COMMENTS,     {"tool", "thought"}
        """,
        COMMENTS=COMMENTS,
    ),
)
def test_latm_s_user_is_a_point_too(papers_words, prompts, of_primitive, found):
    user, primitive = (
        part(*system, dataset="bbh") for system in (("latm", prompts), ("primitive", of_primitive))
    )
    assert factors(user, primitive) == found


def test_a_comparison_passes_by_the_one_factor_that_it_names():
    instance = part("instance")
    primitive = part("primitive")
    assert judge("x", [instance, primitive], BENCH).passes
    assert not judge("x", [instance, primitive], BENCH, "thought").passes
    assert not judge("x", [primitive, primitive], BENCH).passes
    assert str(judge("x", [part("creator"), part("pot")], BENCH)).startswith("x: REFUSED; ")


def test_tools_of_others_and_chains_of_thought_differ_in_more_than_the_tool(papers_words):
    verdict = judge("latm-gpt4-cot", [PARTS["own-latm-gpt4"], PARTS["cot-bbh"]], BENCH)
    assert not verdict.passes
    assert {"form", "tool", "thought", "examples", "sampling"} <= set(verdict.found)


def test_the_papers_own_pair_is_a_reproduction_and_its_factors_are_told(papers_words):
    verdict = judge("creator-official", [PARTS["official-creator"], PARTS["official-pot"]], BENCH)
    assert (verdict.named, verdict.passes) == (REPRODUCTION, True)
    assert {"tool", "budget"} <= set(verdict.found)


def test_the_plan_prints_a_line_a_comparison_and_fails_where_one_is_refused(papers_words, capsys):
    assert main(["plan"]) == 1
    lines = dict(line.partition(": ")[::2] for line in capsys.readouterr().out.splitlines())
    assert lines["creator-own"].startswith("REFUSED; 6 and 10 votes a problem; differ in tool")
    assert lines["toolbox-own"].startswith("one factor; ")
    assert lines["trove-official"].startswith(f"{REPRODUCTION}; ")


STUDIES = [STUDY, *map(STUDY.with_name, ("whole.toml", "thought.toml"))]


@pytest.fixture
def copies(tmp_path, monkeypatch):
    """The tables of `plan` and `seal`, to be written anew."""
    for module, name in ((factors_module, "FACTORS"), (sealing, "PROMPTS")):
        copy = tmp_path / getattr(module, name).name
        copy.write_bytes(getattr(module, name).read_bytes())
        monkeypatch.setattr(module, name, copy)
    return tmp_path


def only(table, shelved):
    """Leave the rows of what rests on the shelf, which nothing can render again, and no others."""
    header, *rows = table.read_text(encoding="utf-8").splitlines(keepends=True)
    table.write_text("".join([header, *(row for row in rows if re.search(shelved, row))]))


@pytest.mark.parametrize("kept", [True, False])
def test_what_the_rules_of_the_plan_read_is_what_is_rendered_today(papers_words, copies, kept):
    if not kept:
        only(copies / "factors.csv", r"^(craft|tte)-")
    assert [factors_module.plan(path) for path in STUDIES] == [1, 0, 0]
    assert (copies / "factors.csv").read_bytes() == FACTORS.read_bytes()


def test_the_prompts_of_all_planned_parts_are_sealed_as_they_are_rendered_today(
    papers_words, copies
):
    skip_without("math_train")
    only(copies / "prompts.csv", r",own-(craft|tte),")
    assert main(["seal"]) == 0
    assert (copies / "prompts.csv").read_bytes() == SEALED.read_bytes()


def gone(*_):
    raise TroveLiteError("unknown method")


def test_a_part_whose_method_is_gone_keeps_its_rows_and_is_called_sealed(
    copies, monkeypatch, capsys
):
    monkeypatch.setattr(asked, "settings_of", gone)
    assert [factors_module.plan(path) for path in STUDIES] == [1, 0, 0]
    assert "craft-own: sealed; differed in tool, thought" in capsys.readouterr().out
    assert main(["seal"]) == 0
    for mine in (FACTORS, SEALED):
        assert (copies / mine.name).read_bytes() == mine.read_bytes()


def test_a_part_that_cannot_be_built_and_has_no_row_is_refused(copies, monkeypatch, capsys):
    monkeypatch.setattr(asked, "settings_of", gone)
    (copies / "prompts.csv").unlink()
    assert main(["seal"]) == 1
    assert "cannot be built, and was never sealed (unknown method)" in capsys.readouterr().err
