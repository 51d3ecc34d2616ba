"""What was planted in a published study breaks a rule: `studies check` compares each run with its
plan."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pytest

from studies import asked, bench, checking, rules, sealing
from studies.against import against_plan
from studies.plan import read_study
from trove_lite.candidates import save_run
from trove_lite.errors import DamagedFile, TroveLiteError

from ..cases import named
from ..conftest import ROOT, skip_without

PLACE = ROOT / "results/thought"
FILE = ROOT / "studies/thought.toml"
SYSTEMS = ("creator", "pot")
SOLVER = {"name": "qwen2.5-coder-0.5b-instruct"}


@dataclass(frozen=True)
class Case:
    """A study's file as text, and its runs."""

    text: str
    runs: dict
    read: pd.DataFrame | None = None


@pytest.fixture(scope="session")
def published(tmp_path_factory):
    """The two arms without comments as they are published, with no failed check of health."""
    skip_without("math")
    study = read_study(FILE)
    runs = {}
    for name in SYSTEMS:
        folder = PLACE / "runs" / name
        part = bench.part_of_run(folder, ())
        runs[name] = part
    return study, FILE.read_text(encoding="utf-8"), runs


@pytest.fixture
def check(published, tmp_path, monkeypatch):
    """What is said of CREATOR − PoT after a plant: the rules that do not hold, by name, and all
    notes."""

    def found(plant):
        _, text, runs = published
        case = plant(Case(text, runs))
        (tmp_path / "thought.toml").write_text(case.text, encoding="utf-8")
        study = read_study(tmp_path / "thought.toml")
        (name,) = [one for one in study.compared if one.startswith("arms-creator-pot")][:1]
        systems = [[case.runs[part] for part in system] for system in study.compared[name]]
        look = rules.looked_at(name, systems, study)
        return {rule: why for rule, why in look.why.items() if why}, look.notes

    return found


def settings_of(run, **changed):
    """A run whose run.json states other settings."""
    settings = run.about["settings"]
    sampling = settings["sampling"] | {
        k: v for k, v in changed.items() if k in settings["sampling"]
    }
    own = {name: value for name, value in changed.items() if name not in sampling}
    return run._replace(about=run.about | {"settings": settings | own | {"sampling": sampling}})


def stated(*names, **changed):
    """A plant in run.json: other settings of these runs."""
    return lambda case: replace(
        case, runs=case.runs | {name: settings_of(case.runs[name], **changed) for name in names}
    )


def written(old, new):
    """A plant in the study's file."""

    def plant(case):
        assert old in case.text
        return replace(case, text=case.text.replace(old, new))

    return plant


def ran(name, change):
    """A plant in a run."""
    return lambda case: replace(case, runs=case.runs | {name: change(case.runs[name])})


def rows_where(holds):
    return lambda run: run._replace(
        candidates=run.candidates[holds(run.candidates)], calls=run.calls[holds(run.calls)]
    )


def in_all_tables(run):
    about = run.about | {"model": "llama-7b", "models": {"solver": "llama-7b"}}
    system, calls = (table.assign(model="llama-7b") for table in (run.candidates, run.calls))
    return run._replace(about=about, candidates=system, calls=calls)


def other_pack(run):
    """As it would be had it been run by another pack, at another temperature."""
    about = settings_of(run, prompts="own", temperature=1.0).about
    return run._replace(about=about | {"prompts": {"name": "own", "hash": "396252f098f4d951"}})


def told_of(*names, **changed):
    """A plant in run.json beside its settings."""
    return lambda case: replace(
        case,
        runs=case.runs
        | {n: case.runs[n]._replace(about=case.runs[n].about | changed) for n in names},
    )


def tool_lost(run):
    return run._replace(
        home=run.home / "nowhere", candidates=run.candidates.assign(solution="print(1)")
    )


def twice(run):
    return run._replace(
        candidates=pd.concat([run.candidates, run.candidates]), calls=pd.concat([run.calls] * 2)
    )


#: Plants in the study's file: what stands there, what is written in its place, the rule that it
#: breaks, and what is said.
IN_THE_FILE = named(
    r"""
    "a comparison that was never planned", 'arms-creator-pot = [["creator"], ["pot"]]',
        'arms-creator-pot-mine = [["creator"], ["pot"]]', "one_factor", "never saw it"
    "a planned name for another pair", 'name = "pot"\nmethods = ["pot"]\nprompts = "one-factor?thought=none"',
        'name = "pot"\nmethods = ["pot"]\nprompts = "one-factor?thought=comments"', "one_factor", "ask other prompts"
    "temperature of the file changed", "k = 2\n", "k = 2\ntemperature = 1.0\n", "as_planned", "'temperature': 1.0"
    "seeds added", "seeds = [0]", "seeds = [0, 1, 2]", "as_planned", "planned [0, 1, 2]"
    "a category added", '["counting", ', '["algebra", "counting", ', "as_planned", "0 of 881 problems of algebra"
    "margin changed", "margin = 0.02", "margin = 0.1", "one_factor", "margin 0.1"
    "measure changed", 'measures = ["right programs"]', 'measures = ["oracle"]', "one_factor",
        "measure oracle, planned right programs"
    "no date of a plan", 'date = "2026', 'dated = "2026', "dated", "names no date"
    "a weaker word for use", 'uses = "used"', 'uses = "called"', "one_factor",
        "uses called, of those shown one, planned used"
    "another factor named after the run", "[factors]", '[factors]\narms-creator-pot = "thought"', "one_factor",
        "says that it is about thought, planned tool"
    "a name in place of a digest, by a plan of today", 'date = "2026-11-28', 'date = "2026-11-29', "as_planned",
        "weights unknown"
    "other weights added to the plan", 'weights = ["qwen', 'weights = ["other.gguf", "qwen', "one_factor",
        "weights other.gguf qwen2.5-coder-0.5b-instruct-q4_k_m.gguf, planned qwen2.5"
    "a plan that is dated earlier", 'date = "2026-11-28', 'date = "2026-11-01', "one_factor",
        "plan THOUGHT.md 0eb76ae9 2026-11-01T02:06:38Z, planned THOUGHT.md"
    "the other system named first", 'arms-creator-pot = [["creator"], ["pot"]]',
        'arms-creator-pot = [["pot"], ["creator"]]', "one_factor", "ask other prompts"
    "a model added to its plan", 'models = ["qwen2.5-coder-0.5b-instruct"]',
        'models = ["qwen2.5-coder-0.5b-instruct", "llama-7b"]', "one_factor",
        "models qwen2.5-coder-0.5b-instruct llama-7b, planned qwen2.5"
    """
)
OTHER_SYSTEM = written(*IN_THE_FILE["a planned name for another pair"][:2])
#: Plants in run.json: in its settings or beside them, of which runs, what stands there, the rule
#: that it breaks, and what is said.
IN_RUN_JSON = named(
    """
    "another seed", stated, ["creator"], {"seeds": [7]}, "as_planned", "seeds [7] in run.json, planned [0]"
    "a second for a program on both sides", stated, SYSTEMS, {"time_limit": 1.0}, "as_planned",
        "time_limit 1.0 in run.json, planned 10.0"
    "begun before its plan", told_of, ["pot"],
        {"sessions": [{"began": "2026-11-27T05:00:00Z", "ended": "2026-11-29T05:00:00Z"}]}, "dated",
        "before its plan of 2026-11-28"
    "ended before it was begun", told_of, ["pot"],
        {"sessions": [{"began": "2026-11-29T05:00:00Z", "ended": "2026-11-28T05:00:00Z"}]}, "dated",
        "pot has a session that ended before it was begun"
    "no time", told_of, ["pot"], {"sessions": [{"began": "2026-11-29T05:00:00Z", "ended": "noon"}]}, "dated",
        "does not say when it was begun and ended"
    "no session", told_of, ["pot"], {"sessions": []}, "dated", "does not say when it was begun"
    "a log of others", told_of, ["pot"], {"kind": "import"}, "as_planned", "kind import in run.json, planned live"
    "run without isolation on both sides", told_of, SYSTEMS, {"isolation": "none"}, "as_planned",
        "isolation none in run.json, planned full"
    "other weights on one side", told_of, ["pot"], {"identity": {"solver": SOLVER | {"file": "other.gguf"}}}, "alike",
        "other.gguf"
    "weights of another name on both sides", told_of, SYSTEMS, {"identity": {"solver": {"name": "llama-7b"}}},
        "as_planned", "model llama-7b, planned qwen2.5"
    "other weights under one name on both sides", told_of, SYSTEMS,
        {"identity": {"solver": SOLVER | {"file": "other.gguf"}}}, "as_planned",
        "weights other.gguf, planned qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"
    "weights without a file or a digest", told_of, SYSTEMS, {"identity": {"solver": SOLVER}}, "as_planned",
        "weights unknown"
    "weights that nobody knows", told_of, SYSTEMS, {"identity": {}}, "as_planned", "model unknown, planned qwen2.5"
    """,
    **globals(),
)
#: Plants in what a run holds: of which run, what becomes of it, the rule that it breaks, and what
#: is said.
IN_A_RUN = {
    "a run ended early": (
        "creator",
        rows_where(lambda table: table["problem"] < 60),
        "as_planned",
        "60 of 291 problems of counting",
    ),
    "a program a problem lost": (
        "pot",
        lambda run: run._replace(candidates=run.candidates[run.candidates["sample"] == 0]),
        "as_planned",
        "684 of 684 problems have not 2 programs",
    ),
    "requests lost": (
        "pot",
        lambda run: run._replace(calls=run.calls[run.calls["sample"] == 0]),
        "as_planned",
        "fewer requests than programs",
    ),
    "everything twice": ("pot", twice, "as_planned", "have not 2 programs"),
    "another pack, and warmer, beside the other side": (
        "creator",
        other_pack,
        "alike",
        "temperature: 1.0 and 0.6",
    ),
    "another model in all": ("creator", in_all_tables, "as_planned", "planned qwen2.5"),
    "a choice of the method": (
        "creator",
        lambda run: run._replace(
            about=run.about
            | {"methods": {"creator": run.about["methods"]["creator"] | {"rectify": 3}}}
        ),
        "as_planned",
        "creator.rectify 3 in run.json, planned 0",
    ),
    "other problems": (
        "pot",
        lambda run: run._replace(about=run.about | {"data": run.about["data"] | {"counting": "0"}}),
        "as_planned",
        "problems of counting 0 in run.json",
    ),
    "no tool is called": ("creator", tool_lost, "tools_used", "no call was counted"),
    "other candidates than were read": (
        "creator",
        lambda run: run._replace(hash="0123456789ab"),
        "read",
        "fewer than 30 programs read: 0 of creator",
    ),
    "programs of another method": (
        "pot",
        lambda run: run._replace(candidates=run.candidates.assign(method="cot")),
        "as_planned",
        "programs of cot, planned pot",
    ),
    "a reply that is longer than planned": (
        "pot",
        lambda run: run._replace(
            calls=run.calls.assign(completion_tokens=[514, *run.calls["completion_tokens"][1:]])
        ),
        "as_planned",
        "1 replies are longer than 512 tokens",
    ),
    "a sample in place of another": (
        "pot",
        lambda run: run._replace(candidates=run.candidates.assign(sample=0)),
        "as_planned",
        "684 samples are there twice",
    ),
    "programs of a second round": (
        "pot",
        lambda run: run._replace(candidates=run.candidates.assign(phase="retry")),
        "as_planned",
        "0 of 291 problems of counting",
    ),
    "a part that the file does not have": (
        "creator",
        lambda run: run._replace(name="creator-mine"),
        "as_planned",
        "thought plans no part creator-mine",
    ),
}
#: What is planted, the rule that it breaks, and what is said.
PLANTS = {
    "requests of the other system": (
        lambda case: ran("pot", lambda run: run._replace(calls=case.runs["creator"].calls))(case),
        "as_planned",
        "problems have requests of fewer tokens than their programs",
    ),
    "a side copied": (
        lambda case: ran(
            "creator", lambda run: run._replace(candidates=case.runs["pot"].candidates)
        )(case),
        "alike",
        "creator and pot hold the same programs",
    ),
}
PLANTS |= {name: (written(old, new), *said) for name, (old, new, *said) in IN_THE_FILE.items()}
PLANTS |= {
    name: (plant(*runs, **changed), *said)
    for name, (plant, runs, changed, *said) in IN_RUN_JSON.items()
}
PLANTS |= {name: (ran(run, change), *said) for name, (run, change, *said) in IN_A_RUN.items()}


#: A choice that both have had since: its default does what the runs did.
LATER = [f"{name}: was no setting yet: {name}.fences" for name in ("creator", "pot")]


def test_the_pair_as_it_is_published_meets_every_rule(check):
    broken, notes = check(lambda case: case)
    assert broken == {}
    assert notes == ["684 of 684 problems are in both systems", *LATER]


@pytest.mark.parametrize("plant", PLANTS)
def test_a_plant_breaks_its_rule_and_is_said_in_words(plant, check):
    change, rule, said = PLANTS[plant]
    broken, _ = check(change)
    assert said in broken[rule]


def test_a_problem_whose_sample_could_not_be_had_leaves_both_systems_and_is_counted(check):
    def lose(run):
        keep = (run.candidates["category"] != "counting") | (run.candidates["problem"] != 5)
        return run._replace(candidates=run.candidates[keep], lost=frozenset({("counting", 5)}))

    broken, notes = check(ran("pot", lose))
    assert broken == {}
    assert notes == [
        "683 of 684 problems are in both systems",
        *LATER,
        "pot: a sample could not be had of counting 5",
    ]


def test_a_part_of_which_too_much_could_not_be_had_is_drawn_again(check):
    def lose(run):
        ended = run.calls["finish_reason"].astype(object)
        lost = np.arange(len(ended)) % 15 == 0
        return run._replace(calls=run.calls.assign(finish_reason=ended.mask(lost, "unavailable")))

    broken, _ = check(ran("pot", lose))
    assert "7% of its requests could not be had" in broken["as_planned"]


def test_words_that_a_stage_has_had_since_break_a_rule_where_it_was_asked_alone():
    skip_without("tabmwp")
    study = read_study(ROOT / "studies/bench.toml")
    run = bench.part_of_run(ROOT / "results/bench/runs/official-trove-tabmwp", ())
    (part,) = [part for part in study.parts if part.name == run.name]
    found = against_plan(run, part, study)
    assert found.broken == ()
    assert "never asked rewrite" in found.notes[0]
    asked = run._replace(calls=run.calls.assign(stage="rewrite"))
    (line,) = against_plan(asked, part, study).broken
    assert "prompts e4b87192628a2c0e in run.json" in line


def gone(*_):
    raise TroveLiteError("method gone: not installed")


@pytest.mark.parametrize(
    ("plant", "rule"),
    [
        (lambda case: case, None),
        (stated("creator", time_limit=1.0), "as_planned"),
        (OTHER_SYSTEM, "as_planned"),
        (ran("creator", other_pack), "as_planned"),
    ],
)
def test_a_pair_whose_method_is_gone_is_sealed_and_held_to_its_seal(
    plant, rule, check, monkeypatch
):
    monkeypatch.setattr(asked, "settings_of", gone)
    broken, notes = check(plant)
    assert list(broken)[:1] == ([rule] if rule else [])
    assert any(note.startswith("sealed: method gone") for note in notes)


def test_what_can_neither_be_built_nor_has_a_seal_is_unknown_and_no_pass(
    check, monkeypatch, tmp_path
):
    monkeypatch.setattr(asked, "settings_of", gone)
    monkeypatch.setattr(sealing, "PROMPTS", tmp_path / "none.csv")
    broken, _ = check(lambda case: case)
    assert "cannot be built, and was never sealed" in broken["as_planned"]


def test_a_verdict_that_was_changed_by_hand_is_refused_before_any_rule(published, tmp_path):
    _, _, runs = published
    pot = runs["pot"]
    save_run(tmp_path / "pot", pot.candidates, dict(pot.about))
    rows = pd.read_parquet(tmp_path / "pot/candidates.parquet")
    rows.assign(correct=True).to_parquet(tmp_path / "pot/candidates.parquet")
    with pytest.raises(DamagedFile):
        bench.part_of_run(tmp_path / "pot", ())


def test_check_says_of_each_comparison_what_it_compared(published):
    study, _, runs = published
    lines = list(checking.checked(runs, study))
    assert [line.split()[0] for line in lines if not line.startswith(" ")][1:] == [*study.compared]
    told = "\n".join(lines)
    for words in (
        "creator - pot, by qwen2.5-coder-0.5b-instruct",
        "planned 2026-11-28T02:06:38Z (THOUGHT.md), runs from 2026-11-28T05:37:37Z on",
        "about tool; the systems differ in tool; prompts 6c595a1ad81cf2ad - 46a07700effa0638",
        "684 of 684 problems are in both systems",
        checking.LACKING,
    ):
        assert words in told
