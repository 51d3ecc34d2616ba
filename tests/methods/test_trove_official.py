"""TROVE beside the official program: a second hand, a story worked out by hand, and the recorded runs."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from trove_lite.candidates import as_frame
from trove_lite.datasets.base import Question
from trove_lite.methods.base import Budget, sample_seed
from trove_lite.methods.trove import PRESETS, trove
from trove_lite.programs import format_toolbox
from trove_lite.recorded import official_logs as import_logs
from trove_lite.recorded.replay import played_back

from .trove_playing import few, function, imported, play, questions, said, toolboxes


def official(n, reply, k, interval):
    """The official `run_trove.py` in short, from its description: a second hand to hold `trove` to."""
    library, trimmed, shown = {}, set(), []

    def best(candidates):
        ok = [c for c in candidates if c.vote.ok]
        votes = {}
        for c in ok:
            for answer in c.vote.answers:
                votes.setdefault(answer, []).append(c)
        if not votes:
            return (ok or candidates)[0]
        return max(votes.values(), key=len)[0]  # equally complex here

    def solve(i, modes, phase):
        shown.append((phase, i, " ".join(sorted(library, key=lambda name: -library[name][0])[:10])))
        first = best([best([reply(i, mode, phase, s) for s in range(k)]) for mode in modes])
        for tool in first.tools:
            name = tool.name.removeprefix("toolbox.")
            if first.mode == "import" and name in library:
                library[name][0] += 1
                library[name][1].append(i)
            elif name not in library and (first.mode == "import" or (first.mode == "create" and first.vote.ok)):
                library[name] = [1, [i]]

    def trim(n):
        import math

        for name, (uses, used_by) in list(library.items()):
            if uses < math.log(n, 20):
                trimmed.update(used_by)
                del library[name]

    for i in range(n):
        solve(i, ("import", "create", "skip"), "stream")
        if (i + 1) % interval == 0:
            trim(i + 1)
    trim(n)
    for i in sorted(trimmed):
        solve(i, ("import", "skip"), "retry")
    return shown


replies = st.tuples(
    st.booleans(),
    st.none() | st.integers(0, 2),
    st.lists(st.sampled_from("abcd").map(function) | st.sampled_from("abcd").map(imported), max_size=3),
)


@few
@given(st.integers(1, 45), st.integers(1, 30), st.lists(replies, min_size=3, max_size=17), st.integers(0, 99))
def test_the_official_preset_does_what_the_official_program_does(n, interval, script, salt):
    def scripted(i, mode, phase, sample):
        draw = sample_seed(salt, Question("", "", i, ""), phase, mode, sample)
        ok, answer, tools = script[draw % len(script)]
        return said(mode, sample, tools, answer=answer, ok=ok)

    chosen = replace(PRESETS["official"], interval=interval, budget=Budget(6))
    asked, _ = play(trove(questions(n), chosen), lambda a, s: scripted(a.question.index, a.mode, a.phase, s))
    assert toolboxes(asked) == official(n, scripted, 2, interval)


def test_the_official_preset_shows_the_toolbox_of_every_recorded_prompt(public_logs, public_problems):
    """Fed with what CodeLlama wrote, `trove` has the same tools in the same order in all recorded IMPORT prompts, and
    solves the same problems again, but where a vote hangs on an output that the record has shortened. In one run two
    tools change places before problem 132, though no vote says so: what follows is left out."""
    index = {}
    for problem in (p for problems in public_problems.values() for p in problems):
        index.setdefault(problem.question.text.strip(), []).append(problem)
    logs = shown = 0
    for log in public_logs:
        text = log.read_bytes().decode()
        sections = list(import_logs._sections(text, log))
        matched = import_logs._match(sections, index, text, log)
        recorded = {}
        for section, problem, (phase, mode) in zip(sections, matched, import_logs._modes(sections), strict=True):
            if mode == "import":
                body = text[section.position : section.samples[0].start()].split("**Toolbox**")[1]
                recorded[phase, problem.index] = body.split("**Question**")[0].strip()
        if not recorded:
            continue
        rows = as_frame(import_logs._read_log(log, "run", index=index, partial=False)[0])
        ours = {
            (a.phase, a.question.index): format_toolbox(a.shown).strip()
            for a, _ in played_back(rows)
            if a.mode == "import"
        }
        logs += 1
        shown += len(ours)
        if "base_count_ablat1_run4" in log.parts:
            before = {("stream", number) for number in range(132)}
            ours, recorded = ({key: each[key] for key in before} for each in (ours, recorded))
        assert {key: recorded[key] for key in ours} == ours
        assert ours.keys() == recorded.keys() or rows["shortened"].any()
    assert logs == 11
    assert shown > 2600
