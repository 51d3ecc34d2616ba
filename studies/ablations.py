"""TROVE with one choice changed at a time, each part against the study's default: tables, figures and a page."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from papers import trove
from studies.accounts import account
from studies.outcomes import markdown
from studies.plan import ABLATIONS, MAIN, Part, Study
from studies.readme import as_text, spent
from trove_lite.candidates import read_description
from trove_lite.errors import TroveLiteError

NOTEBOOKS = ("21_trove_ablations", "22_trove_growth")
PAGE = """\
# {title}

TROVE with one choice changed at a time: {count} runs of the study `{name}`, each held against `{default}`. Made by
`python -m studies ablations` from the run folders, tables and figures by the notebooks `21_trove_ablations` and
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
    failed = run_all(jobs, results / "notebooks", at_once=1, force=True)
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
