"""Two or more runs or logs beside each other: the page and the table of `trove-lite compare`."""

import html
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import quote, urlencode

import pandas as pd

from trove_lite.candidates import MEASURED, calls_of, save_csv
from trove_lite.datasets.base import Problem, Question
from trove_lite.datasets.own import WITHOUT
from trove_lite.errors import UsageError
from trove_lite.journal import on_disk, write_atomically
from trove_lite.selection.tables import without_agreement

from ..check import PROBLEM
from ..differences import percent, points
from ..pairwise import (
    CANNOT_TELL,
    RULES,
    beside_of,
    flips,
    pairs,
    read_first,
    scores_of,
    tokens_of,
)
from ..questions import problems_of
from ..scores import by_run
from ..summary import refuse_unanswered
from ..systems import Comparison, Frames, compare
from ..unlike import differing
from ..variance import SMALLEST_EFFECT
from . import write
from .contents import Contents
from .sources import Systems, load_systems

MOST_LINKS = (
    200  # problems on which two systems part, on the page; the table of problems below has all
)
MOST_WHOLE = (
    2_000  # problems, above which the page leaves out most of those on which no systems part
)
DRAWN = 200  # of those left out, shown all the same


def compare_sources(
    sources: Sequence[str | Path],
    out: Path,
    *,
    verdict: str = "",
    margin: float = SMALLEST_EFFECT,
    all_samples: bool = False,
    same_task: bool = False,
    every_problem: bool = False,
) -> tuple[pd.DataFrame, list[str]]:
    """Write the page about these runs or logs to `out`, and its table beside it; returns the table
    and what it says. Of many problems the page has those that `shown_problems` names, or, if so
    told, every one; the table is always over all."""
    if out.is_dir() or out.suffix not in (".html", ".htm"):
        raise UsageError(f"{out}: no place for a page; name a file that ends in .html")
    if not 0 < margin < 1:
        raise UsageError(f"a margin of {100 * margin:g} points: give one between 0 and 100")
    refuse_overwriting(sources, out)
    systems = load_systems(*sources, verdict=verdict, same_task=same_task)
    for system in systems.frames.values():
        refuse_unanswered(system)
    folders = {
        name: frame["folder"].dropna().unique()
        for name, frame in systems.frames.items()
        if "folder" in frame
    }
    comparison = compare(systems.frames, folders=folders)
    table = pairs(comparison, margin=margin, all_samples=all_samples)
    lines = said(table, comparison)
    frame = pd.concat(
        [own.drop(columns=MEASURED.names, errors="ignore") for own in systems.frames.values()],
        ignore_index=True,
    )
    notes = [
        *systems.notes,
        *_lost(comparison),
        *_copied(systems.frames, comparison.systems),
        *without_agreement(frame),
    ]
    turned = flips(comparison)
    scores = scores_of(
        comparison,
        *read_first(table)[["rule", "k"]].iloc[0],
    )
    shown = pd.Series(True, frame.index)
    if not every_problem:
        shown, told = shown_problems(frame, scores, turned)
        notes += told
    contents = Contents(
        frame,
        calls_of(frame[shown]),
        *_words(systems, frame),
        shown=shown,
    )
    spent = spent_in_words(comparison, table)
    flipping = flips_in_words(comparison, turned)
    below = [comparison.title, *notes]
    lead = _lead(table, lines, below, systems.frames, spent, flipping, scores, turned)
    title = (" against " if len(systems.frames) == 2 else "; ").join(systems.frames)

    def both(part: Path) -> None:
        write(part, contents, title, lead=lead)
        save_csv(table, out.with_suffix(".csv"), float_format="%.6g")

    with on_disk(out):
        out.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(out, both)
    return table, [*lines, *spent, *flipping, *notes]


def refuse_overwriting(sources: Sequence[str | Path], out: Path) -> None:
    """Raises UsageError where the page, or the table beside it, would take the place of a
    source."""
    made = {out.resolve(), out.with_suffix(".csv").resolve()}
    for source in map(str, sources):
        name = source if Path(source).exists() else source.rpartition("=")[2]
        if Path(name).resolve() in made:
            raise UsageError(f"--out {out}: {name}, which is compared, would be written over")


def shown_problems(
    frame: pd.DataFrame, scores: Frames, turned: pd.DataFrame
) -> tuple[pd.Series, list[str]]:
    """Which candidates the page shows, and a line where that is not all. Of many problems these
    are those on which systems part, those that flip and have a link, and a few of the rest, drawn."""
    keys = pd.MultiIndex.from_frame(frame[PROBLEM])
    known = keys.unique()
    if len(known) <= MOST_WHOLE:
        return pd.Series(True, frame.index), []
    means = pd.concat(
        [by_run(own).mean(axis=1) for own in scores.values()],
        axis=1,
    )
    parting = means.index[(means.max(axis=1) > means.min(axis=1)).to_numpy()]
    linked = turned.groupby("system", sort=False).head(MOST_LINKS)[PROBLEM]
    wanted = parting.union(pd.MultiIndex.from_frame(linked.astype({"category": object})))
    rest = known.difference(wanted).to_series()
    drawn = rest.sample(
        min(DRAWN, len(rest)),
        random_state=0,
    )
    shown = pd.Series(
        keys.isin(wanted.union(drawn.index)),
        frame.index,
    )
    count = len(keys[shown].unique())
    line = f"the page has {count:,} of {len(known):,} problems: those on which systems part"
    line += f", those linked above, {len(drawn):,} drawn of the rest; --all shows every one"
    return shown, [line] if count < len(known) else []


def said(table: pd.DataFrame, comparison: Comparison) -> list[str]:
    """A line for each pair, with what else its systems differ in, then one for each system, of what is
    read first."""
    read = read_first(table)
    how = RULES[read["rule"].iloc[0]].format(k=read["k"].iloc[0])
    found = []
    replies = {name: _replies(system) for name, system in comparison.systems.items()}
    for row in clearest_first(read).itertuples():
        where = f"{row.problems:,.0f} problems"
        where += f" of {row.category}" if row.category not in ("all", "covered", WITHOUT) else ""
        if row.verdict == CANNOT_TELL:
            line = f"{row.a} minus {row.b}, {where}: {row.verdict}."
        else:
            line = f"{row.a} minus {row.b}: {_points(row)} (95 %), {where}; {row.verdict}."
        if replies[row.a] == replies[row.b] != []:
            line += " All their replies are the same."
        besides = differing(comparison, row.a, row.b)
        found.append(line + (f" The systems also differ in {besides}." if besides else ""))
    for row in read[read["b"] == ""].itertuples():
        value = percent(row) if row.value == row.value else f"not known ({row.note})"
        runs = f"{row.runs} run{'s' * (int(row.runs) != 1)}"
        found.append(f"{row.a}: {value} right, by {how}; {row.problems:,.0f} problems, {runs}.")
    return found


def _replies(system: pd.DataFrame) -> list[tuple]:
    """A system's replies by problem; none where a text is lacking."""
    if "response" not in system or not system["response"].fillna("").all():
        return []
    return sorted(zip(*(system[name].astype(str) for name in (*PROBLEM, "response")), strict=True))


def spent_in_words(comparison: Comparison, table: pd.DataFrame) -> list[str]:
    """What each system spent, where it is told, and how they differ at equal tokens."""
    found = []
    for name, system in comparison.systems.items():
        if (each := tokens_of(system)) == each:
            k = comparison.samples(name)
            read = system["prompt_tokens"].astype(float).mean()
            written = system["completion_tokens"].astype(float).mean()
            what = f"{read:,.0f} read and {written:,.0f} written"
            if more := beside_of(system):
                what += f", and {more:,.0f} for tools, checks and second goes"
            many = f", {k} samples a problem: {k * each:,.0f} tokens" if k > 1 else ""
            found.append(f"{name} spent {each:,.0f} tokens a sample ({what}){many}.")
        else:
            found.append(f"{name}: its log does not tell what it spent.")
    if not any(" spent " in line for line in found):
        return ["What was spent is not known: no log here tells its tokens."]
    whole = table["category"].isin(read_first(table)["category"])
    equal = table[(table["rule"] == "equal_tokens") & whole]
    more = len(equal[equal["b"] != ""]) - 1
    for row in clearest_first(equal).head(1).itertuples():
        alone = [name for name in (row.a, row.b) if beside_of(comparison[name]) is None]
        which = f"; of {' and '.join(alone)} those of samples alone" if alone else ", all requests"
        where = f"At equal tokens (at most {row.k:,} a problem{which})"
        others = f" The table has {more} more such pairs." if more else ""
        found.append(
            f"{where}: {row.a} minus {row.b} {_points(row)} (95 %); {row.verdict}.{others}"
        )
    return found


def flips_in_words(comparison: Comparison, table: pd.DataFrame) -> list[str]:
    """How many problems flip (`flips`), by system; nothing where each has one sample a problem."""
    lines = []
    for name, system in comparison.systems.items():
        asked = system[["category", "problem"]].drop_duplicates()
        if len(system) > len(asked):
            number = int((table["system"] == name).sum())
            lines.append(
                f"{name}: {number:,} of {len(asked):,} problems flip: right in some samples."
            )
    return lines


def clearest_first(read: pd.DataFrame) -> pd.DataFrame:
    """The pairs of a table that is read, that which decides most before all others."""
    two = read[read["b"] != ""]
    order = pd.DataFrame({"dumb": two["verdict"] == CANNOT_TELL, "p": two["p"].astype(float)})
    return two.loc[order.sort_values(["dumb", "p"], kind="stable").index]


def _points(row: object) -> str:
    return points(
        SimpleNamespace(
            difference=row.value,
            low=row.low,
            high=row.high,
            covers=row.covers,
        )
    )


def _copied(given: Mapping, kept: Mapping) -> Iterator[str]:
    """Runs that are left out, since each is another one's copy."""
    for name, frame in given.items():
        for run in sorted({*frame["run"]} - {*kept[name]["run"]}):
            yield f"check: copied runs: {name}: {run} repeats another run, and is left out"


def _lost(comparison: Comparison) -> list[str]:
    """Of how many problems a sample could not be had."""
    whats = {
        "refused": "was refused, and counts as wrong",
        "unavailable": "could not be had: left out",
    }
    return [
        f"{name}: of {count} problem{'s' * (count > 1)} a sample {whats[status]}"
        for name in comparison.systems
        for status, count in comparison.lacking(comparison.categories, name).items()
        if count
    ]


def _words(systems: Systems, frame: pd.DataFrame) -> tuple[dict, list[str]]:
    """Problems with their words, of the logs or of the runs' own data sets."""
    known = {
        key: Problem(
            Question(*key, text=text or ""),
            gold,
        )
        for key, (text, gold) in systems.words.items()
        if text
    }
    if known or not systems.runs:
        return known, []
    return problems_of(
        frame,
        [run if run.is_dir() else run.parent for run in systems.runs],
    )


def _lead(
    table: pd.DataFrame,
    lines: Sequence[str],
    notes: Sequence[str],
    frames: Mapping,
    spent: Sequence[str],
    flipping: Sequence[str],
    scores: Frames,
    turned: pd.DataFrame,
) -> str:
    read = read_first(table)
    rule = read["rule"].iloc[0]
    runs = {name: _first_runs(frame) for name, frame in frames.items()}
    two = read[read["b"] != ""]
    parts = [f'<p class="said">{html.escape(line)}</p>' for line in lines[:1]]
    others = "".join(f"<p>{html.escape(line)}</p>" for line in lines[1 : len(two)])
    many = f"{len(two) - 1} other pairs"
    parts += [f"<details><summary>{many}</summary>{others}</details>"] if len(two) > 1 else []
    parts += [f"<p>{html.escape(line)}</p>" for line in spent]
    whole = table["category"].isin(read["category"])
    first = whole & (table["rule"] == rule)
    parts += _tables(table[first])
    if len(others := table[whole & ~first]):
        parts += ["<details><summary>By other rules</summary>", *_tables(others), "</details>"]
    if not whole.all():
        parts += ["<details><summary>Task by task</summary>", *_tables(table[~whole]), "</details>"]
    each = dict.fromkeys(zip(two["a"], two["b"], strict=True))
    lists = [_parted(a, b, scores, runs) for a, b in each]
    for line, (name, own) in zip(flipping, turned.groupby("system", sort=False), strict=False):
        lists.append(_flipped(line, own, runs[name]))
    if len(each) > 1:
        words = "Problems on which they part, and those that flip"
        lists = [f"<details><summary>{words}</summary>", *lists, "</details>"]
    parts += lists
    what = "p is of no difference, before correction; the table beside this page has Holm's. “Could be seen” is the"
    what += " difference that such problems and runs show with a chance of 80 %. Nothing was asked of a model."
    parts += [f'<p class="faint">{html.escape(note)}</p>' for note in [*notes, what]]
    return f'<section id="lead" aria-label="Comparison">{"".join(parts)}</section>\n'


def _tables(table: pd.DataFrame) -> Iterator[str]:
    systems = table[(table["b"] == "") & table["value"].notna()]
    two = table[table["b"] != ""]
    rows = [
        [
            row.a,
            percent(row),
            f"{row.problems:,.0f}",
            str(row.runs),
        ]
        for row in systems.itertuples()
    ]
    yield _table("Accuracy", ["system", "right [95 %]", "problems", "runs"], rows, systems)
    rows = []
    margin = f"{100 * table['margin'].iloc[0]:g} points"
    for row in two.itertuples():
        seen = "none" if row.detectable > 1 else f"{100 * row.detectable:.1f}"
        chance = f"{100 * row.power:.0f} %" if row.power == row.power else "–"
        rows.append(
            [
                f"{row.a} minus {row.b}",
                _points(row),
                f"{row.p:.3g}",
                f"{row.p_equal:.3g}",
                seen,
                chance,
                str(row.a_better),
                str(row.b_better),
            ]
        )
    heads = [
        "",
        "difference [95 %]",
        "p",
        f"p, equal within {margin}",
        "could be seen (points)",
        f"chance to see {margin}",
        "first better",
        "second better",
    ]
    yield _table("Differences, problem by problem", heads, rows, two)


def _table(
    caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]], of: pd.DataFrame
) -> str:
    """A table of HTML. Its rows name the task and the rule that they are `of`; a single one is
    named above."""
    how = [RULES[row.rule].format(k=row.k) for row in of.itertuples()]
    about = {"task": of["category"].tolist(), "judged by": how}
    caption += "".join(f"; {name} {own[0]}" for name, own in about.items() if len(set(own)) == 1)
    several = {name: own for name, own in about.items() if len(set(own)) > 1}
    rows = [
        [
            row[0],
            *more,
            *row[1:],
        ]
        for row, *more in zip(rows, *several.values(), strict=True)
    ]
    heads = [heads[0], *several, *heads[1:]]
    head = "".join(f'<th scope="col">{html.escape(cell)}</th>' for cell in heads)
    body = "".join(
        f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    table = f"<caption>{html.escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
    return f'<div class="scroll" tabindex="0"><table class="plain">{table}</table></div>'


def _parted(a: str, b: str, scores: Frames, first: Mapping[str, Mapping]) -> str:
    """The problems where one of two systems does better, those that part most first, as links to both
    replies."""
    means = [by_run(scores[name]).mean(axis=1) for name in (a, b)]
    apart = (
        (means[0] - means[1])
        .dropna()
        .sort_values(
            key=lambda gap: -gap.abs(),
            kind="stable",
        )
    )
    found = []
    for better, worse, own in ((a, b, apart[apart > 0]), (b, a, apart[apart < 0])):
        links = [_link(key, first[better], first[worse]) for key in own.index[:MOST_LINKS]]
        words = f"{better} does better than {worse} on {len(own):,} of {len(apart):,} problems"
        found.append(_listed(words, links, len(own)) if links else "")
    return "".join(found)


def _flipped(line: str, own: pd.DataFrame, first: Mapping) -> str:
    """The problems that flip, as links to the system's replies."""
    links = []
    for row in own.head(MOST_LINKS).itertuples():
        link = _link((row.category, row.problem), first, first)
        links.append(f"{link}: {row.right} of {row.samples} right")
    return _listed(line, links, len(own))


def _listed(words: str, links: Sequence[str], of: int) -> str:
    """Links, folded behind their words; how many there are, where not all are here."""
    more = f"<p>… and {of - len(links):,} more</p>" if of > len(links) else ""
    items = "".join(f"<li>{link}</li>" for link in links)
    return f"<details><summary>{html.escape(words)}</summary><ol>{items}</ol>{more}</details>"


def _first_runs(frame: pd.DataFrame) -> dict[tuple, tuple[str, str]]:
    """By problem of a system (category, number) its data set, and its first run as the page names
    it."""
    first = frame.drop_duplicates(PROBLEM)
    return {
        (str(row.category), row.problem): (str(row.dataset), f"{row.method} · {row.run}")
        for row in first.itertuples()
    }


def _link(key: tuple, first: Mapping, second: Mapping) -> str:
    """A problem as a link to its first runs of two systems."""
    category, problem = key
    (dataset, run), (_, beside) = first[key], second[key]
    place = "/".join(quote(str(part), safe="!'()*~") for part in (dataset, category, problem))
    words = urlencode({"run": run, "beside": beside})
    return f'<a href="#/{place}?{html.escape(words)}">{html.escape(f"{category} {problem}")}</a>'
