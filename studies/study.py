"""A study with a real model: run part after part, publish what is complete, render it.

    python studies/study.py run studies/NAME.toml --model FOLDER_OR_HUB_NAME_OR_SPEC [--only PART …]
    python studies/study.py publish studies/NAME.toml [--folder PART=RUN …] [--reexecuted RUN]
    python studies/study.py report studies/NAME.toml
    python studies/study.py ablations studies/NAME.toml [--folder PART=RUN …]

A part is a run of `trove-lite run` with the study's settings and its own. An interrupted study goes on where it stopped
when the same command is given again, and so does a complete one whose `limit` or attempts were raised. Published are
complete parts alone, with their journals, packed; parts that are not are named in the README. A study may name the
notebooks that show it, and each of its data sets has a report of its own, unless it says `together = true`. Parts of
the group `ablations` are held against the study's `default`, whose samples they may share (`reuse = "part:NAME"`), from
its run or as published. All that is said is read from the run folders but for the origin of the weights and remarks,
which the study's file says.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from trove_lite import (
    RunSettings,
    creator,
    latm,
    load_calls,
    load_candidates,
    reeval,
    show,
    side_by_side,
    tools_imported,
    tools_made,
    trove,
)
from trove_lite.candidates import read_description, save_table
from trove_lite.cli import main as trove_lite
from trove_lite.datasets import load_dataset
from trove_lite.errors import TroveLiteError
from trove_lite.journal import pack, write_atomically
from trove_lite.papers import save, why_empty
from trove_lite.papers.answer import OWN_PROMPTS, PROMPTS

AGAIN, AGREEMENT = "reexecution", ("agreement.csv", "disagreements.csv")
MAIN, LONGER = "runs", "longer"  # groups: what tables are made from, and PRIMITIVE with more calls
ABLATIONS = "ablations"  # TROVE with one choice changed
LENDER = "lender"  # whose toolboxes an ablation is shown
#: What is shown of CREATOR's matched budgets.
SPEND = ["budget", "spent", "category", "a", "b", "attempts_a", "attempts_b", "difference", "low", "high", "p_holm"]
ATTEMPTS = ".attempts"  # how an option ends that says how many a method makes
TOKENS = ["prompt_tokens", "cached_tokens", "completion_tokens"]


class Part(NamedTuple):
    """One run of a study: the folder that it is published in (`group`), and its options."""

    name: str
    group: str
    options: Mapping[str, object]
    commit: str = ""  # of a part that a release made which recorded none

    def folder(self, runs: Path, given: Mapping[str, Path]) -> Path:
        return given.get(self.name, runs / self.name)

    def published(self, results: Path) -> Path:
        return results / self.group / self.name

    def complete(self, runs: Path, given: Mapping[str, Path], results: Path) -> Path | None:
        """Where it is complete: its run folder, or else what was published of it; None where neither is."""
        return next(filter(is_complete, (self.folder(runs, given), self.published(results))), None)


class Study(NamedTuple):
    """What a study's file says."""

    name: str
    title: str
    engine: str
    weights: Mapping[str, str]
    parts: tuple[Part, ...]
    notebooks: tuple[str, ...] = ()  # that show it; none named is all of them
    default: str = ""  # the part that those of the group `ablations` are held against
    beside: tuple[str, ...] = ()  # published studies, or parts of them, whose runs stand among its own
    other_models: tuple[str, ...] = ()  # published studies or outcomes of other models, with tables' rows of their own
    remarks: str = ""  # of how it was run, for its README
    together: bool = False  # whether one report shows all of its data sets

    @property
    def several(self) -> bool:
        """Whether it has a report for each of several data sets, by the plan."""
        if self.together:
            return False
        planned = {part.options.get("dataset", RunSettings.dataset) for part in self.parts if part.group == MAIN}
        return len({load_dataset(name).name for name in planned}) > 1

    def published(self, results: Path) -> dict[str, list[Path]]:
        """By data set the published parts that tables are made from: its own, then those that stand beside them.

        Those of a study whose report is one all stand under the first.
        """
        found: dict[str, list[Path]] = {}
        for part in parts_in(results):
            reported = next(iter(found), None) if self.together else None
            found.setdefault(reported or dataset_of(part), []).append(part)
        for part in (part for name in self.beside for part in parts_in(results.parent / name)):
            found.get(dataset_of(part), []).append(part)
        return found

    def rivals(self, results: Path) -> list[Path]:
        """What is there of other models."""
        return [path for path in (results.parent / name for name in self.other_models) if path.exists()]


def parts_in(folder: Path) -> list[Path]:
    """The parts of a published study that tables are made from; of a single part, that one."""
    return [folder] if is_complete(folder) else sorted((folder / MAIN).glob("*"))


def dataset_of(folder: Path) -> str:
    return str(pd.read_parquet(folder / "candidates.parquet", columns=["dataset"])["dataset"].iloc[0])


def read_study(path: Path) -> Study:
    """A study's file. Raises TroveLiteError for one that cannot be read or lacks something."""
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
        parts = [part_of(part, told.get("settings", {})) for part in told["part"]]
        lists = {name: tuple(told.get(name, ())) for name in ("notebooks", "beside", "other_models")}
        named = told["name"], told["title"], told.get("engine", ""), told["weights"]
        texts = {name: told.get(name, "") for name in ("default", "remarks")}
        study = Study(*named, tuple(parts), **texts, **lists, together=told.get("together", False))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise TroveLiteError(f"{path}: not a study that can be read ({error}); see studies/ for one") from error
    except KeyError as error:
        raise TroveLiteError(f"{path}: says no {error}; see studies/ for what a study says") from error
    names = [part.name for part in parts]
    if study.default not in ("", *names):
        raise TroveLiteError(f"{path}: its default, {study.default}, is none of its parts")
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise TroveLiteError(f"{path}: has two parts named {repeated[0]}; name each once")
    return study


def part_of(told: Mapping[str, object], settings: Mapping[str, object]) -> Part:
    own = {name: value for name, value in told.items() if name not in ("name", "group", "commit")}
    return Part(told["name"], told.get("group", MAIN), settings | own, told.get("commit", ""))


def spec_of(model: str, engine: str) -> str:
    """A model as `--model` takes it: a folder or hub name is one for vLLM with the study's engine arguments."""
    if model == "practice" or model.startswith(("vllm:", "http://", "https://")):
        return model
    return f"vllm:{model}?{engine}" if engine else f"vllm:{model}"


def words_of(part: Part, model: str, out: Path, folders: Mapping[str, Path] | None = None) -> list[str]:
    """The part as a command line of `trove-lite run`; `part:NAME` is the folder of another part."""
    words = ["run", "--model", model, "--out", str(out)]
    for name, value in part.options.items():
        texts = [word_of(each, folders or {}) for each in (value if isinstance(value, list) else [value])]
        words += [f"--{name}", *texts]
    return words


def word_of(value: object, folders: Mapping[str, Path]) -> str:
    kind, _, name = str(value).partition(":")
    if kind != "part":
        return str(value).lower() if isinstance(value, bool) else str(value)
    name, mark, category = name.partition("#")
    if name not in folders:
        raise TroveLiteError(f"{value}: no part of the study is named {name}")
    return f"{folders[name]}{mark}{category}"


def run(
    study: Study,
    model: str,
    runs: Path,
    results: Path,
    only: Iterable[str] = (),
    given: Mapping[str, Path] | None = None,
) -> int:
    """Run the parts in order, each in a process of its own; returns the status of the first that fails, or 0.

    What a part takes from another is the other's run here or, where there is none, what was published in `results`.
    Samples of a part that was published without its journals cannot be used again: they are drawn, and a line says so.
    """
    chosen, given = [part for part in study.parts if not only or {part.name, part.group} & set(only)], given or {}
    for number, part in enumerate(chosen, start=1):
        out = part.folder(runs, given)
        folders = {p.name: p.complete(runs, given, results) or p.folder(runs, given) for p in study.parts}
        if is_complete(out) and not falls_short(out, part):
            print(f"part {number} of {len(chosen)}, {part.name}: complete", flush=True)
            continue
        print(f"part {number} of {len(chosen)}, {part.name}", flush=True)
        if lender := without_journals(part, folders):
            print(f"{lender}: has no journals, so nothing of it is used again: every sample is drawn", flush=True)
            part = part._replace(options={name: value for name, value in part.options.items() if name != "reuse"})
        start = "import sys; from trove_lite.cli import main; sys.exit(main(sys.argv[1:]))"
        ended = subprocess.run(
            [sys.executable, "-c", start, *words_of(part, spec_of(model, study.engine), out, folders)]
        )
        if ended.returncode:
            print(f"stopped in part {part.name}; the same command goes on from there", file=sys.stderr)
            return ended.returncode
    return 0


def without_journals(part: Part, folders: Mapping[str, Path]) -> str:
    """The folder whose samples the part would use again, where it is complete and they are not there; else ""."""
    lender = word_of(part.options["reuse"], folders) if "reuse" in part.options else ""
    return lender if lender and is_complete(Path(lender)) and not (Path(lender) / "journal").is_dir() else ""


def is_complete(folder: Path) -> bool:
    return (folder / "run.json").is_file() and (folder / "candidates.parquet").is_file()


def falls_short(folder: Path, part: Part) -> list[tuple[str, object, object]]:
    """Where a complete part has not as many problems, or attempts at each, as the study's file says now.

    A triple an option: its name, what the part was made with, and what the file says.
    """
    settings = read_description(folder)["settings"]
    limit = {} if settings.get("limit") is None else {"limit": settings["limit"]}
    made = limit | attempts_in(settings)
    wanted = {name: value for name, value in part.options.items() if name == "limit" or name.endswith(ATTEMPTS)}
    options = [(name, made.get(name, "none"), wanted.get(name, "none")) for name in made | wanted]
    return [(name, was, now) for name, was, now in options if was != now]


def attempts_in(settings: Mapping) -> dict[str, int]:
    """The options of a run by which methods make so many attempts a problem, whatever they cost."""
    choices = settings.get("choices", {})
    chosen = {method: choices[method].get("attempts") for method in settings["methods"] if method in choices}
    return {method + ATTEMPTS: number for method, number in chosen.items() if number is not None}


# ---- publishing ----


def publish(
    study: Study,
    runs: Path,
    results: Path,
    given: Mapping[str, Path] | None = None,
    *,
    reexecuted: Path | None = None,
) -> pd.DataFrame:
    """Copy every complete part into `results`/GROUP/PART, in today's schema, and write parts.csv and README.md.

    A part that was published before stays until its run folder is complete: whoever has only a clone publishes new
    parts beside the old. Returns parts.csv: a row a part, complete or not. given: folders of parts that lie elsewhere
    than in `runs`. reexecuted: what `trove-lite reexecute` made of published parts, whose agreement is published too.
    Raises TroveLiteError where no part is complete in its run folder, or parts are of different models.
    """
    given = given or {}
    if unknown := sorted(set(given) - {part.name for part in study.parts}):
        raise TroveLiteError(f"no part named {unknown[0]}: there are {', '.join(part.name for part in study.parts)}")
    if not any(is_complete(part.folder(runs, given)) for part in study.parts):
        raise TroveLiteError(f"{runs}: no part of {study.name} is complete; run them first")
    done = {part.name: found for part in study.parts if (found := part.complete(runs, given, results))}
    models = {name: read_description(source)["model"] for name, source in done.items()}
    if len(set(models.values())) > 1:
        told = ", ".join(f"{model} ({part})" for part, model in models.items())
        raise TroveLiteError(
            f"{runs}: parts of several models: {told}; publish each model's by a study of its own name"
        )
    for part in (part for part in study.parts if part.name in done):
        source, target = done[part.name], part.published(results)
        target.mkdir(parents=True, exist_ok=True)
        save_table(load_calls(source), target / "calls.parquet")
        save_table(load_candidates(source), target / "candidates.parquet")
        text = json.dumps(read_description(source), indent=2, ensure_ascii=False) + "\n"
        write_atomically(target / "run.json", lambda path, text=text: path.write_text(text, encoding="utf-8"))
        for journal in (source / "journal").glob("*.jsonl"):
            (target / "journal").mkdir(exist_ok=True)
            pack(journal, target / "journal")
    for name in AGREEMENT if reexecuted else ():
        (results / AGAIN).mkdir(exist_ok=True)
        shutil.copy(reexecuted / name, results / AGAIN)
    table = pd.DataFrame([account(part, done.get(part.name) or part.folder(runs, given)) for part in study.parts])
    table.to_csv(results / "parts.csv", index=False, float_format="%.6g", lineterminator="\n")
    (results / "README.md").write_text(readme(study, table, results), encoding="utf-8")
    return table


def account(part: Part, folder: Path) -> dict:
    """What a part is and what it took, from its run folder alone; of one that is not complete, how far it is."""
    row = {"part": part.name, "group": part.group, "complete": is_complete(folder), "samples": samples_of(folder)}
    if not row["complete"]:
        everything = {"methods": ["trove"], "categories": ["all"]} | part.options
        return row | {name: " ".join(everything[name]) for name in ("methods", "categories")}
    about, calls = read_description(folder), load_calls(folder)
    settings, identity = about["settings"], about.get("identity", {}).get("solver", {})
    sessions = about.get("sessions", [])
    stated = f"{part.commit} (typed)" if part.commit else ""
    hours = sum((ended - began).total_seconds() for began, ended in spans([about])) / 3600
    return row | {
        "methods": " ".join(settings["methods"]),
        "categories": " ".join(settings["categories"]),
        "problems": problems_of(folder),
        "seeds": " ".join(map(str, settings["seeds"])),
        "k": settings["k"],
        "attempts": " ".join(map(str, attempts_in(settings).values())),
        "prompts": f"{about['prompts']['name']} ({about['prompts']['hash']})",
        "temperature": settings["sampling"]["temperature"],
        "top_p": settings["sampling"]["top_p"],
        "max_tokens": settings["sampling"]["max_tokens"],
        "model": about["model"],
        "weights_sha256": identity.get("sha256", ""),
        "dtype": identity.get("dtype", ""),
        "engine": " ".join(identity[name] for name in ("engine", "version") if name in identity),
        "commits": " ".join(dict.fromkeys(s["commit"] for s in sessions if s.get("commit"))) or stated,
        "sessions": len(sessions) or None,
        "hours": hours if sessions else None,
        "requests": int(calls["model"].notna().sum()),
        **{name: calls[name].sum(min_count=1) for name in TOKENS},
    }


def samples_of(folder: Path) -> int:
    """Samples that a part has, in its tables or, while it is not complete, in its journals."""
    if is_complete(folder):
        return len(load_candidates(folder))
    return sum(path.read_bytes().count(b"\n") for path in (folder / "journal").glob("*.jsonl"))


def problems_of(folder: Path) -> int:
    """How many problems a complete part was asked, over all of its categories."""
    return len(pd.read_parquet(folder / "candidates.parquet", columns=["category", "problem"]).drop_duplicates())


def spans(runs: Iterable[Mapping]) -> list[tuple[datetime, datetime]]:
    """When the runs that these describe were worked on: from when, until when; in order."""
    sessions = (session for about in runs for session in about.get("sessions", []))
    return sorted((datetime.fromisoformat(s["began"]), datetime.fromisoformat(s["ended"])) for s in sessions)


def hours_of_any(spans: Iterable[tuple[datetime, datetime]]) -> float:
    """Hours in which at least one of these spans, in order, was open."""
    total, until = 0.0, datetime.min.replace(tzinfo=UTC)
    for began, ended in spans:
        total += max(0.0, (ended - max(began, until)).total_seconds())
        until = max(until, ended)
    return total / 3600


# ---- its README ----


README = """\
# {title}

Programs that a real model wrote, by `trove-lite run` (provenance: live): {done} of {parts} parts of the study `{name}`.
This file is made by `studies/study.py publish` from the run folders; the origin of the weights, and a commit where it
says so, were typed into the study's file. The folders below `runs` hold every candidate with its text and every
request: `trove_lite.load_candidates` reads them, `trove-lite reexecute` runs programs again that they hold whole. Where
they have a `journal`, it holds all that the model wrote, and `trove-lite run --reuse FOLDER` asks for none of it again.

## The model

{model}

## What was run

{what}

In all {requests:,.0f} requests, {prompt_tokens:,.0f} tokens read (each request's prompt counted) and
{completion_tokens:,.0f} written. Hours are those of the sessions that a run records, with the engine's start; a dash:
the release that made the part recorded none.{together}
{remarks}
## What was not run

{missing}

{outcome}
"""
#: Of parts that recorded when they ran.
TOGETHER = """\
 Parts that ran at the same time shared the machine: at least one of them
was running for {:.2f} hours."""


def readme(study: Study, table: pd.DataFrame, results: Path) -> str:
    """What was run, what came of it and what is missing, in Markdown, from the tables and the study's file."""
    done, rest = table[table["complete"]], table[~table["complete"]]
    took, problems = spent(done), as_text(done["problems"], "{:,.0f}")
    runs = [read_description(results / part.group / part.part) for part in done.itertuples()]
    model = [f"- **{name}**: {value}" for name, value in study.weights.items()]
    model += [f"- **{words}**: {told(done[name])}" for name, words in RECORDED.items()]
    missing = [
        f"- {row.part} ({row.methods}; {row.categories}): "
        + (f"stopped after {row.samples:,} samples, left out whole" if row.samples else "not begun")
        for row in rest.itertuples()
    ]
    missing += [
        f"- {part.name}: made {', '.join(f'at {name} {was}, planned is {now}' for name, was, now in short)}"
        for part in study.parts
        if part.name in set(done["part"]) and (short := falls_short(part.published(results), part))
    ]
    return README.format(
        title=study.title,
        name=study.name,
        done=len(done),
        parts=len(table),
        model="\n".join(model),
        what=markdown(done.assign(K=budgets(done), problems=problems, **took)[[*SHOWN, *took]].rename(columns=SHOWN)),
        missing="\n".join(missing) or "Nothing of the study's plan.",
        outcome="\n".join([*outcome(study, results), *run_again(results)]),
        remarks=f"\nThe study's file says: {study.remarks.strip()}\n" if study.remarks else "",
        together=TOGETHER.format(hours_of_any(known)) if (known := spans(runs)) else "",
        **done[["requests", "prompt_tokens", "completion_tokens"]].sum(),
    )


def run_again(results: Path) -> list[str]:
    """What `trove-lite reexecute` found when the published programs ran again; nothing where that was not published."""
    found, others = (results / AGAIN / name for name in AGREEMENT)
    if not found.exists():
        return []
    whole = pd.read_csv(found).iloc[-1]
    pairs = pd.read_csv(others).groupby(["status_recorded", "status"]).size()
    said = "; ".join(f"{count} {old}, now {new}" for (old, new), count in pairs.items())
    return [
        "## Run again",
        "",
        f"Of {whole['candidates']:,} programs that `trove-lite reexecute` ran again, {whole['verdict']:,} of "
        f"{whole['compared']:,} have the same verdict, and {whole['status']:,} end alike. Others: {said or 'none'}.",
        "",
    ]


#: What is recorded of the model, and how it is called.
RECORDED = {
    "weights_sha256": "sha256 of the weights that were run",
    "dtype": "type",
    "engine": "engine",
    "commits": "commit",
}
SHOWN = {
    "part": "part",
    "methods": "methods",
    "categories": "categories",
    "problems": "problems",
    "seeds": "seeds",
    "K": "K",
    "prompts": "prompts",
}


def budgets(done: pd.DataFrame) -> list[str]:
    """What each part spent a problem: so many calls, or so many attempts."""
    both = zip(as_text(done["k"], "{:.0f}"), done["attempts"], strict=True)
    return [f"{attempts} attempt{'s' * (attempts != '1')}" if attempts else calls for calls, attempts in both]


def spent(done: pd.DataFrame) -> dict[str, list[str]]:
    """The columns of what a part took, as text."""
    names = {"requests": "requests", "prompt_tokens": "tokens read", "completion_tokens": "tokens written"}
    counts = {words: as_text(done[name], "{:,.0f}") for name, words in names.items()}
    return counts | {"hours": as_text(done["hours"], "{:.2f}")}


def as_text(column: pd.Series, form: str) -> list[str]:
    return ["–" if pd.isna(value) else form.format(value) for value in column]


def told(column: pd.Series) -> str:
    """The values of a column that parts recorded; that some recorded none."""
    known = [str(value) for value in dict.fromkeys(column.dropna()) if value != ""]
    silent = int((column.isna() | (column == "")).sum())
    text = ", ".join(known) or "not recorded"
    return f"{text} (not recorded by {silent} of {len(column)} parts)" if known and silent else text


def outcome(study: Study, results: Path) -> list[str]:
    """What came of it, for each data set: what the tables of the study's notebooks say."""
    tell, lines = next((OUTCOMES[name] for name in study.notebooks if name in OUTCOMES), two_sides_outcome), []
    for dataset, runs in study.published(results).items():
        lines += ["## What came of it" + f": {load_dataset(dataset).title}" * study.several, ""]
        lines += ["Value [95 % interval], and the paper's in parentheses where it prints one.", ""]
        lines += tell(study, results, runs)
    return lines or ["## What came of it", "", "No part that tables are made from is complete."]


def two_sides_outcome(study: Study, results: Path, runs: list[Path]) -> list[str]:
    """Every method's numbers by category, the paired differences, and the other prompts'."""
    models = reeval.models(runs, *([path] for path in study.rivals(results)))
    sides = next(iter(models.values()))
    have = {str(category) for side in sides.sides.values() for category in side["category"].unique()}
    methods = reeval.each_model(models, reeval.methods)
    differences = reeval.each_model(models, reeval.differences)
    kept = trove.final_toolboxes(runs, top=sys.maxsize)
    lines = []
    for category in [name for name in sides.categories if name in have]:
        lines += [
            f"### {category}",
            "",
            markdown(reeval.a_column_a_model(methods[methods["category"] == category]).drop(columns="category")),
            "",
        ]
        lines += [line for here in [kept[kept["category"] == category]] if len(here) for line in (toolbox(here), "")]
    shown = differences[differences["category"].isin([*have, "all", "covered"])]
    columns = ["model", "category", "rule", "a", "b", "difference", "low", "high", "p", "problems"]
    lines += ["### TROVE minus PRIMITIVE, problem by problem", "", markdown(shown[columns].round(4)), ""]
    return lines + other_prompts(study, results, runs)


def creator_outcome(_: Study, __: Path, runs: list[Path]) -> list[str]:
    """CREATOR's tables as far as these runs fill them, what methods reach at the same spend, and both in words."""
    asked = creator.study(load_candidates(*runs), calls=load_calls(*runs))
    tables = [make(asked) for make in (creator.table2, creator.table3, creator.table4)]
    filled = [(table.attrs["title"], side_by_side(table).T.reset_index(names="")) for table in tables if full(table)]
    words = [creator.leniency_in_words(creator.leniency_table(asked))]
    if filled:
        matched = creator.matched(asked)
        known = matched.loc[matched["difference"].notna(), SPEND]
        filled += [("The same spend", show(known))] if len(known) else []
        words += [creator.repair_in_words(asked), creator.disentangling_in_words(matched)]
    if full(table5 := creator.table5(asked)):
        filled += [("Table 5", show(table5))]
        words += [creator.transfer_in_words(table5)]
    lines = [line for title, shown in filled for line in (f"### {title}", "", markdown(shown), "")]
    return [*lines, *in_words(words)]


def latm_outcome(_: Study, __: Path, runs: list[Path]) -> list[str]:
    """What came of tools made once: LATM's tables as far as these runs fill them, and what they say in words."""
    candidates, calls = load_candidates(*runs), load_calls(*runs)
    sides = latm.sides(candidates, calls)
    tables = {
        "With a tool and without": latm.table2(sides),
        "What became of the instances": latm.endings(sides),
        "A chain of thought as the tool": latm.table5(sides),
        "On the same problems, with tokens a problem": latm.tool_makers(candidates, calls, runs=runs),
        "The dispatcher": latm.dispatcher(candidates, calls),
        "Unannounced tasks": latm.streams(runs),
    }
    lines = []
    for title, table in tables.items():
        if full(table):
            shown = side_by_side(table).T.reset_index(names="") if "source" in table else show(table)
            lines += [f"### {title}", "", markdown(shown), ""]
    trials = latm.table3(runs)
    trials = trials[trials["category"].isin(candidates["category"].astype(str).unique())]
    lines += ["### Trials to make a tool that passed the maker's own tests", "", markdown(show(trials)), ""]
    even = latm.break_even(calls, prices={"tokens": latm.PRICES["tokens"]}, runs=runs)
    return [*lines, *in_words([latm.latm_in_words(latm.differences(sides), even)])]


def in_words(texts: Sequence[str]) -> list[str]:
    """The section of a page that says what its tables do, a point a line."""
    return ["### In words", "", *(f"- {line}" for text in texts for line in text.split("\n")), ""]


#: What tells of a study, by the notebook that shows it; of any other, its two sides.
OUTCOMES = {"30_creator": creator_outcome, "40_latm": latm_outcome}


def full(table: pd.DataFrame) -> bool:
    return not why_empty(table)


def toolbox(kept: pd.DataFrame) -> str:
    """How many tools TROVE's toolboxes of a category held at the end, by method and seed."""
    sizes = kept.groupby(["method", "seed"]).agg(
        tools=("tools", "first"), used=("answers", lambda n: int((n > 0).sum()))
    )
    told = [
        f"{row.tools} ({method}, seed {seed}; {row.used} of them imported by a selected answer)"
        for (method, seed), row in zip(sizes.index, sizes.itertuples(), strict=True)
    ]
    return f"Tools in the toolbox at the end: {'; '.join(told)}."


def other_prompts(study: Study, results: Path, own: list[Path]) -> list[str]:
    """The groups beside the main one that ask with other prompts: the same problems by both packs.

    Where both methods were asked, what they differ by with each is saved as prompts_differences.csv too.
    """
    groups = {part.group for part in study.parts} - {MAIN, LONGER, ABLATIONS, LENDER}
    lines, differing = [], []
    for group in sorted(group for group in groups if (results / group).is_dir()):
        other, ours = load_candidates(*sorted((results / group).glob("*"))), load_candidates(*own)
        key = ["method", "category", "problem", "seed"]
        plain = dict.fromkeys(("method", "category"), str)
        asked = other[key].astype(plain).drop_duplicates()
        same = ours.astype(plain).merge(asked, on=key)
        first = next(part.options for part in study.parts if part.group == group)
        prompts, k = first.get("prompts", group), first.get("k")
        packs = {OWN_PROMPTS: same, prompts: other}
        packs = {name: frame[frame["phase"] == "stream"] for name, frame in packs.items() if len(frame)}
        called = {OWN_PROMPTS: OWN_PROMPTS, prompts: f"`{prompts}`"}
        parts = [reeval.methods(reeval.sides(frame), k=k).assign(model=called[name]) for name, frame in packs.items()]
        table = pd.concat([part[part["value"].notna()].astype(object) for part in parts])
        table["published"] = None  # print is about the whole category
        lines += [f"### The same problems asked otherwise: {prompts} prompts", ""]
        for category, part in table[table["category"].isin(asked["category"])].groupby("category", sort=False):
            problems = asked.loc[asked["category"] == category, "problem"].nunique()
            lines += [f"{category}, {problems} problems", "", measures(part), ""]
        paired = [reeval.differences(reeval.sides(frame)).assign(prompts=name) for name, frame in packs.items()]
        known = pd.concat(paired).dropna(subset="difference")
        if len(set(known["prompts"])) > 1:
            columns = ["prompts", "category", "rule", "a", "b", "difference", "low", "high", "covers", "p", "problems"]
            known = known.loc[known["category"].isin(asked["category"]), columns]
            differing.append(known)
            shown = known.drop(columns="covers").assign(prompts=known["prompts"].map(called))
            lines += ["TROVE minus PRIMITIVE, problem by problem:", "", markdown(shown.round(4)), ""]
        for name, frame in packs.items():
            made, using = len(tools_made(frame)), int(tools_imported(frame)["importing"].sum())
            lines += [
                f"- {called[name]}: {len(frame):,} programs define {made:,} functions as tools; {using:,} import one."
            ]
        lines += [""]
    if differing:
        save(pd.concat(differing), results, PROMPTS.removesuffix(".csv"))
    return lines


def measures(of_category: pd.DataFrame) -> str:
    """What methods did and spent in one category, a column a model."""
    return markdown(reeval.a_column_a_model(of_category).drop(columns="category"))


def markdown(table: pd.DataFrame) -> str:
    return table.to_markdown(index=False, disable_numparse=True)


def report(study: Study, results: Path) -> int:
    """Render the published study's tables, figures and pages, a report a data set; one line where there is none.

    One of several data sets has its report beside the study's folder, in `results`-DATASET.
    """
    published, ended = study.published(results), 0
    if not published:
        print(f"{results}: no published study there; left out")
    for dataset, runs in published.items():
        out = study.name + f"-{dataset}" * study.several
        title = study.title + f"; {load_dataset(dataset).title}" * study.several
        words = ["report", *map(str, runs), "--out", out, "--title", title, "--force"]
        if study.notebooks:
            words += ["--only", *study.notebooks]
        others = {"beside": study.rivals(results), "longer": sorted((results / LONGER).glob("*"))}
        for name, paths in others.items():
            words += ["-p", name, json.dumps([f"../{path}" for path in paths])] if paths else []
        ended = max(ended, trove_lite(words))
    return ended


# ---- ablations ----

NOTEBOOKS = ("21_trove_ablations", "22_trove_growth")
PAGE = """\
# {title}

TROVE with one choice changed at a time: {count} runs of the study `{name}`, each held against `{default}`. Made by
`studies/study.py ablations` from the run folders, tables and figures by the notebooks `21_trove_ablations` and
`22_trove_growth`.

## Which choices matter?

{effects}

{effects_table}

*: shown after Holm's correction over these rows. Intervals are 95 %, in points of accuracy. The paper's differences are
CodeLlama-7B's on MATH. Calls and tokens are a problem's.

{sizes}

## Is it the tools?

{placebo}

{placebo_table}

## Does a longer stream help?

{growth}

## What was run

{what}

{lacking}

The last column counts samples that are the default's own, prompt and seed being the same; at 0 all were drawn.
"""


def ablate(study: Study, runs: Path, results: Path, given: Mapping[str, Path]) -> int:
    """Tables, figures and the page of the study's complete ablations; returns how many notebooks failed."""
    from trove_lite.notebooks import Job, run_all  # the extra [notebooks], which a venv with vLLM may lack

    parts = [p for p in study.parts if p.name == study.default] + [p for p in study.parts if p.group == ABLATIONS]
    done = [(part, found) for part in parts if (found := part.complete(runs, given, results))]
    complete = [part.name for part, _ in done]
    if len(done) < 2 or complete[0] != study.default:
        raise TroveLiteError(f"{runs}: the default and at least one ablation have to be complete; run them first")
    if lacking := [part.name for part in parts if part.name not in complete]:
        print(f"left out, for they are not complete: {', '.join(lacking)}")
    home = Path("notebooks")
    parameters = {
        "variants": [os.path.relpath(folder, home) for _, folder in done],
        "results": os.path.relpath(results, home),
        "figures": os.path.relpath(Path("figures") / study.name, home),
    }
    jobs = {
        name: Job(home / f"{name}.ipynb", parameters, results / "notebooks" / f"{name}.ipynb", page=True)
        for name in NOTEBOOKS
    }
    ended = run_all(jobs, at_once=1, force=True)
    failed = {name: outcome.error for name, outcome in ended.items() if outcome.error}
    for name, error in failed.items():
        print(f"error: {name}: {error}", file=sys.stderr)
    if not failed:
        page = "ablations.md" if (results / MAIN).is_dir() else "README.md"
        (results / page).write_text(ablations_page(study, results, done, lacking), encoding="utf-8")
    return len(failed)


def ablations_page(study: Study, results: Path, done: Sequence[tuple[Part, Path]], lacking: Sequence[str]) -> str:
    """What came of the ablations, in Markdown, from their tables."""
    names = ("ablations", "placebo", "placebo_differences", "growth", "growth_later", "table7", "figure8")
    tables = {name: pd.read_csv(results / f"trove_{name}.csv") for name in names}
    effects, placebo = tables["ablations"], tables["placebo"]
    shown = pd.DataFrame(
        {
            "TROVE with": [f"{row.variant}{' *' if row.p_holm < 0.05 else ''}" for row in effects.itertuples()],
            "budget": effects["budget"],
            "minus the default": [trove.points(row) for row in effects.itertuples()],
            "p within 2 points": as_text(effects["p_within_2"], "{:.2g}"),
            "the paper's": as_text(100 * effects["published"], "{:+.1f}"),
            "calls": as_text(effects["calls"], "{:.1f}"),
            "tokens written": as_text(effects["completion_tokens"], "{:,.0f}"),
            "tokens in all": as_text(effects["total_tokens"], "{:,.0f}"),
        }
    )
    whole = placebo.assign(cell=[f"{r.value:.3g} [{r.low:.3g}, {r.high:.3g}]" for r in placebo.itertuples()])
    whole = whole.pivot_table(index="measure", columns="toolbox", values="cell", aggfunc="first", sort=False)
    table = pd.DataFrame([account(part, folder) for part, folder in done])
    reused = [read_description(folder).get("reused", 0) for _, folder in done]
    took = spent(table) | {"samples of the default": [f"{number:,}" for number in reused]}
    return PAGE.format(
        title=study.title,
        name=study.name,
        count=len(done),
        lacking=f"Not complete, and left out: {', '.join(lacking) or 'nothing of the plan'}.",
        default=study.default,
        effects=trove.effects_in_words(effects),
        effects_table=markdown(shown),
        sizes=" ".join(
            filter(None, [trove.orders_in_words(tables["table7"]), trove.sizes_in_words(tables["figure8"])])
        ),
        placebo=trove.placebo_in_words(placebo, tables["placebo_differences"]),
        placebo_table=markdown(whole.reset_index()),
        growth=trove.growth_in_words(tables["growth"], tables["growth_later"]),
        what=markdown(table.assign(**took)[["part", "categories", "seeds", *took]]),
    )


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("run", "publish", "report", "ablations", "parts"))
    parser.add_argument("study", type=Path, metavar="STUDY.toml")
    parser.add_argument("--model", help="run: a folder, a hub name, or what `trove-lite run --model` takes")
    parser.add_argument("--runs", type=Path, help="the parts' run folders (default: runs/NAME)")
    parser.add_argument("--only", nargs="+", default=[], metavar="PART", help="run: these parts or groups alone")
    parser.add_argument("--folder", action="append", default=[], metavar="PART=RUN", help="a part elsewhere")
    parser.add_argument(
        "--reexecuted", type=Path, metavar="RUN", help="publish: what `trove-lite reexecute` made of it"
    )
    given = parser.parse_args(words)
    try:
        study = read_study(given.study)
        runs, results = given.runs or Path("runs") / study.name, Path("results") / study.name
        folders = {part: Path(folder) for part, _, folder in (text.partition("=") for text in given.folder)}
        if given.action == "run":
            if not given.model:
                raise TroveLiteError("no model: give --model (in make: MODEL=) a folder with weights or a hub name")
            return run(study, given.model, runs, results, given.only, folders)
        if given.action == "publish":
            table = publish(study, runs, results, folders, reexecuted=given.reexecuted)
            print(f"{results}: {int(table['complete'].sum())} of {len(table)} parts published, with README.md")
        if given.action == "parts":
            for part in study.parts:
                print(f"{part.name}: {'complete' if is_complete(runs / part.name) else samples_of(runs / part.name)}")
        if given.action == "ablations":
            return ablate(study, runs, results, folders)
        return report(study, results) if given.action == "report" else 0
    except TroveLiteError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:  # the part that ran has said so
        return 130


if __name__ == "__main__":
    sys.exit(main())
