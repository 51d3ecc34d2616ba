"""Copies a study's complete parts into results/, with an account of each and an index that links to
what shows them."""

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from hashlib import sha256
from pathlib import Path

import pandas as pd

from studies.plan import Part, Study, attempts_in, falls_short, is_complete
from trove_lite import load_calls, load_candidates
from trove_lite.candidates import read_description, save_run
from trove_lite.errors import TroveLiteError
from trove_lite.journal import pack
from trove_lite.programs.calling import TABLE
from trove_lite_analysis.health import failed_checks, golds_of, in_words, to_count
from trove_lite_analysis.recorded.tool_calls import tool_calls

#: Of a folder of results: the checks that its runs fail, which take seconds a run to read.
CHECKS = "checks.json"
TOKENS = ["prompt_tokens", "cached_tokens", "completion_tokens"]
#: A run's candidates and requests.
Tables = tuple[pd.DataFrame, pd.DataFrame]
#: The checks that a run fails, in words, each with why it is accepted ("": nobody says).
Failed = list[tuple[str, str]]
INDEX = """\
# {title}

{done} of {parts} parts of the study [`{name}`]({up}/studies/{name}.toml), which says where the weights come from.
Tables: {reports}; [figures]({up}/figures/) that are kept. What was run and what it took is in [parts.csv](parts.csv).
The folders hold every candidate with its text, every request, and where there is a `journal`, all that the model wrote.

"""


#: Above the parts of each check.
HEALTH = """\
Health

Checks that were made before any verdict. The [study]({up}/studies/{name}.toml) says why each part is kept."""


def publish(
    study: Study, runs: Path, results: Path, given: Mapping[str, Path] | None = None
) -> pd.DataFrame:
    """Copy every complete part into `results`/GROUP/PART, in today's schema, and write parts.csv
    and README.md.

    A part that was published before stays until its run folder is complete. Returns parts.csv: a
    row a part. given: folders of parts that lie elsewhere than in `runs`. Raises TroveLiteError
    where no part is complete in its run folder, parts have different models, or one fails a check of
    health that the study's file does not explain.
    """
    given = given or {}
    names = [part.name for part in study.parts]
    if unknown := sorted(set(given) - set(names)):
        raise TroveLiteError(f"no part named {unknown[0]}: there are {', '.join(names)}")
    if not any(is_complete(part.folder(runs, given)) for part in study.parts):
        raise TroveLiteError(f"{runs}: no part of {study.name} is complete; run them first")
    done = {
        part.name: found for part in study.parts if (found := part.complete(runs, given, results))
    }
    refuse_several_models(done, runs)
    study = study._replace(parts=begun(study, done))
    complete = [part for part in study.parts if part.name in done]
    health = {part.name: checks_of(part, done[part.name]) for part in complete}
    refuse_unexplained(health)
    taped = any(results.glob("tape-*"))
    for part in complete:
        _copy(
            done[part.name],
            part.published(results),
            taped=taped,
        )
    table = pd.DataFrame(
        account(part, done.get(part.name) or part.folder(runs, given)) for part in study.parts
    )
    if study.models:
        _find_calls([part.published(results) for part in complete], results)
    table.to_csv(
        results / "parts.csv",
        index=False,
        float_format="%.6g",
        lineterminator="\n",
    )
    (results / "README.md").write_text(index(study, table, results, health), encoding="utf-8")
    keep_checks(study, results, health)
    return table


def refuse_several_models(done: Mapping[str, Path], runs: Path) -> None:
    """Refuse parts of several models: each model has a study of its own."""
    models = {name: read_description(source)["model"] for name, source in done.items()}
    if len(set(models.values())) > 1:
        several = ", ".join(f"{model} ({part})" for part, model in models.items())
        raise TroveLiteError(
            f"{runs}: parts of several models: {several}; publish each model's by a study of its own"
        )


def refuse_unexplained(health: Mapping[str, Failed]) -> None:
    """Refuse parts of whose health a check fails that the study's file does not explain."""
    found = [(f"{name}: {line}", why) for name, lines in health.items() for line, why in lines]
    unexplained = [line for line, why in found if not why]
    if unexplained:
        raise TroveLiteError(
            f"{unexplained[0]} ({len(unexplained)} such in all): look at it, and say in the study's file why it stands "
            '(in its part: accepted = {"CHECK" = "why"}, or "CHECK: MODE" or "CHECK: CATEGORY", or withdrawn = "why")'
        )


def _find_calls(runs: Iterable[Path], results: Path) -> None:
    """What programs of a toolbox call, unless `trove-lite calls` was run, which tells more: how
    each version ends."""
    runs = [run for run in runs if read_description(run).get("toolboxes")]
    known = set()
    if (results / TABLE).is_file():
        known |= set(pd.read_parquet(results / TABLE, columns=["part"])["part"])
    if {run.name for run in runs} - known:
        tool_calls(runs, results, execute=False)


def begun(study: Study, done: Iterable[str]) -> list[Part]:
    """The parts that a study's page is about: of many models those of the tiers, named before the
    hyphen, with one."""
    if not study.models:
        return [*study.parts]
    tiers = {name.partition("-")[0] for name in done}
    return [part for part in study.parts if part.name.partition("-")[0] in tiers]


def _copy(source: Path, target: Path, *, taped: bool) -> None:
    """A run folder; with its journals, but for those that a tape beside it holds and no toolbox is
    played back from."""
    about = read_description(source)
    candidates, calls = tables_of(source)
    save_run(target, candidates, about, calls)
    if taped and not about.get("toolboxes"):
        return
    for journal in (source / "journal").glob("*.jsonl"):
        (target / "journal").mkdir(exist_ok=True)
        pack(journal, target / "journal")


def tables_of(folder: Path) -> Tables:
    """A run's candidates and requests."""
    return load_candidates(folder), load_calls(folder)


def explained(part: Part, folder: Path, tables: Tables | None = None) -> Failed:
    """What `checks_of` finds, as it was kept of the same run and reasons where it was."""
    kept = kept_checks(part, folder)
    return checks_of(part, folder, tables) if kept is None else kept


def kept_checks(part: Part, folder: Path) -> Failed | None:
    """What `keep_checks` kept of a published run; None of one that has changed since."""
    path = folder.parent.parent / CHECKS
    if not path.is_file():
        return None
    return json.loads(path.read_text(encoding="utf-8")).get(run_and_reasons(part, folder))


def keep_checks(study: Study, results: Path, known: Mapping[str, Failed] | None = None) -> None:
    """Keep the checks of all published runs beside these. known: those that were just read, by part;
    the others are read anew."""
    kept = {}
    for part in study.parts:
        folder = part.published(results)
        if is_complete(folder):
            lines = (known or {}).get(part.name)
            lines = checks_of(part, folder) if lines is None else lines
            kept[run_and_reasons(part, folder)] = lines
    told = json.dumps(kept, indent=1, ensure_ascii=False)
    (results / CHECKS).write_text(told + "\n", encoding="utf-8")


def run_and_reasons(part: Part, folder: Path) -> str:
    """A run's name, with the hash of its settings, its tables, and what its study says of checks."""
    names = ("run.json", "candidates.parquet", "calls.parquet")
    held = [(folder / name).read_bytes() for name in names]
    reasons = repr((part.accepted, part.counted, part.withdrawn))
    return f"{part.name} {sha256(b''.join([*held, reasons.encode()])).hexdigest()[:16]}"


def checks_of(part: Part, folder: Path, tables: Tables | None = None) -> Failed:
    """The checks of a part's health in words, each with why it is accepted, by the study's file.
    tables: `tables_of` its folder, where they were read.

    "" where that is silent, or says a number (`counted`) that its query does not give: then the
    words say so.
    """
    candidates, calls = tables or tables_of(folder)
    golds = golds_of(candidates, [folder])
    found = failed_checks(candidates, calls, [folder], golds=golds)
    lines = []
    found.attrs = {}  # what could not be read is nobody's to explain
    wrong = {} if part.withdrawn else miscounted(part, candidates, folder)
    for (check, mode, category), rows in found.groupby(["check", "mode", "category"], sort=False):
        names = (check, f"{check}: {mode}", f"{check}: {category}")
        name = next((name for name in names if name in part.accepted), "")
        more = wrong.get(name, "")
        why = "" if more else part.accepted.get(name, "")
        for line in in_words(rows):
            lines.append((line + more, part.withdrawn or why))
    return lines


def miscounted(part: Part, candidates: pd.DataFrame, folder: Path) -> dict[str, str]:
    """Check → what is false in the reason given against it: a query of the study's file
    (`to_count`), what it finds."""
    wrong = {}
    found = to_count(candidates, [folder]) if part.counted else None
    for check, queries in part.counted.items():
        for query, number in queries.items():
            if (count := len(found(query))) != number:
                wrong[check] = f"; its reason says {number}, and {count} rows are: {query}"
    return wrong


def account(part: Part, folder: Path) -> dict:
    """What a part is and what it took, from its run folder alone; of one that is not complete, how
    far it is."""
    row = {
        "part": part.name,
        "group": part.group,
        "complete": is_complete(folder),
        "samples": samples_of(folder),
    }
    if not row["complete"]:
        everything = {
            "methods": ["trove"],
            "categories": ["all"],
        } | part.options
        return row | {name: " ".join(everything[name]) for name in ("methods", "categories")}
    about = read_description(folder)
    rows, calls = tables_of(folder)
    settings = about["settings"]
    identity = about.get("identity", {}).get("solver", {})
    sessions = about.get("sessions", [])
    ran = [
        datetime.fromisoformat(s["ended"]) - datetime.fromisoformat(s["began"]) for s in sessions
    ]
    return row | {
        "methods": " ".join(settings["methods"]),
        "categories": " ".join(settings["categories"]),
        "problems": len(rows[["category", "problem"]].drop_duplicates()),
        "seeds": " ".join(map(str, settings["seeds"])),
        "k": settings["k"],
        "attempts": " ".join(map(str, attempts_in(settings).values())),
        "prompts": f"{about['prompts']['name']} ({about['prompts']['hash']})",
        **{name: settings["sampling"][name] for name in ("temperature", "top_p", "max_tokens")},
        "model": about["model"],
        "weights_sha256": identity.get("sha256", ""),
        "dtype": identity.get("dtype", ""),
        "engine": " ".join(identity[name] for name in ("engine", "version") if name in identity),
        "commits": " ".join(dict.fromkeys(s["commit"] for s in sessions if s.get("commit"))),
        "sessions": len(sessions) or None,
        "hours": sum(time.total_seconds() for time in ran) / 3600 if sessions else None,
        "requests": int(calls["model"].notna().sum()),
        **{name: calls[name].sum(min_count=1) for name in TOKENS},
    }


def samples_of(folder: Path) -> int:
    """Samples that a part has, in its tables or, while it is not complete, in its journals."""
    if is_complete(folder):
        return len(load_candidates(folder))
    return sum(path.read_bytes().count(b"\n") for path in (folder / "journal").glob("*.jsonl"))


def index(study: Study, table: pd.DataFrame, results: Path, health: Mapping[str, Failed]) -> str:
    """The study's page, in Markdown: what was run and not, the checks of its health, and links to
    what shows it."""
    names = [study.report_name(dataset) for dataset in study.published(results)]
    reports = (
        ", ".join(f"[{name}](../{name}/)" for name in names)
        or "none, for no part of it is of tables"
    )
    about = {
        "title": study.title,
        "name": study.name,
        "done": table["complete"].sum(),
        "parts": len(table),
        "up": "../../.." if study.models else "../..",
        "reports": "beside this page" if study.models else reports,
    }
    withdrawn = {part.name: part.withdrawn for part in study.parts if part.withdrawn}
    of_health = sorted(
        {
            (name, line.removeprefix("check: ").partition(":")[0])
            for name, found in health.items()
            for line, _ in found
        }
    )
    lacking = [
        (
            f"{row.part} ({row.methods}; {row.categories})",
            f"stopped after {row.samples:,} samples" if row.samples else "",
        )
        for row in table[~table["complete"]].itertuples()
    ]
    for part in (part for part in study.parts if part.name in health):
        short = falls_short(part.published(results), part)
        lacking += [
            (part.name, f"made at {name} {was}, planned is {now}") for name, was, now in short
        ]
    sections = {
        HEALTH.format(**about): of_health,
        "Withdrawn": withdrawn.items(),
        "Not run": lacking,
        "Remarks": [("the study's file says", study.remarks)] if study.remarks else [],
    }
    return INDEX.format(**about) + "\n".join(
        _section(title, pairs) for title, pairs in sections.items() if pairs
    )


def _section(title: str, pairs: Iterable[tuple[str, str]]) -> str:
    by_reason: dict[str, list[str]] = {}
    for name, reason in pairs:
        by_reason.setdefault(" ".join(reason.split()), []).append(name)
    lines = [
        f"- {'; '.join(names)}{f': {reason}' if reason else ''}\n"
        for reason, names in by_reason.items()
    ]
    return f"## {title}\n\n{''.join(lines)}"
