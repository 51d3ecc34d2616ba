"""What `check` and `read` print: the rules that each planned comparison meets; programs to read, without verdicts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import pandas as pd

from trove_lite_analysis.unlike import in_words, unlike

from . import bench, rules
from .plan import Study

WIDTH = 24  # of a comparison's name


def checked(parts: Mapping[str, bench.Part], study: Study) -> Iterator[str]:
    """A line a comparison of a study's plan: yes or no for each rule, whether it counts, and why not."""
    family = pd.read_csv(bench.STUDY.with_name("plan.csv")).set_index("id")["family"]
    there = bench.complete(parts, study.compared, by_seed=study.by_seed)
    yield "  ".join(["comparison".ljust(WIDTH), *rules.RULES, "counts"])
    for name, planned in study.compared.items():
        if name in there:
            met = rules.met(
                name, there[name], shown=study.by_seed, factor=study.factors.get(name, "tool")
            )
        else:
            met = dict.fromkeys(rules.RULES, False) | {
                "reason": "a part is not run, not complete or withdrawn"
            }
        counts = family.get(name, "yes") == "yes" and not met["reason"]
        words = [
            ("-" if met[rule] is None else "yes" if met[rule] else "no").ljust(len(rule))
            for rule in rules.RULES
        ]
        reason = met["reason"] or ("" if counts else "outside the family")
        yield "  ".join([name.ljust(WIDTH), *words, "yes" if counts else f"no: {reason}"])
        if name in there:
            if len(there[name][0]) < len(planned[0]):
                yield f"  seeds that stand alone: {', '.join(part.name for part in there[name][0])}"
            if (factors := rules.factors_of(name)).get("named") == "reproduction":
                yield f"  a reproduction; the sides differ in {factors['differ']}"
            yield from (f"  {line}" for line in apart(there[name]))


def apart(sides: Sequence[Sequence[bench.Part]]) -> list[str]:
    """In what the two sides of a comparison differ besides their methods, a line each."""
    rows = [pd.concat([part.side for part in side]) for side in sides]
    calls = [pd.concat([part.calls for part in side]) for side in sides]
    lines = in_words(unlike(*rows, calls, [[part.about for part in side] for side in sides]))
    return [f"sides differ: {line}" for line in lines]


def pages(parts: Iterable[bench.Part]) -> Iterator[str]:
    """The programs of `rules.to_read` of each part and mode as Markdown: what ran and what came of it, no verdict."""
    for part in parts:
        for mode in dict.fromkeys(part.side["mode"].astype(str)):
            row = f"{part.name},{part.hash},{mode},{rules.ENOUGH},drawn,DATE,WHAT WAS SEEN"
            yield f"# {part.name}, {mode}: log as {row}\n"
            for row in rules.to_read(part.side, mode, part.hash).itertuples():
                yield f"## {row.category} {row.problem}, sample {row.sample}\n"
                yield from filter(None, (str(row.tools), str(row.solution)))
                yield f"\n{row.status}: {str(row.output)[:300] if row.status == 'ok' else row.error}\n"
