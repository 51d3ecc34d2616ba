"""The page that a report opens with: what the claims came to, the figures in order, the notebooks, the tables.

It reads the folders that the notebooks wrote and makes one page of HTML that loads nothing from elsewhere. Which claims
there are, and in which order figures argue, is a paper's to say.
"""

import html
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from . import caption_of, reeval, save
from .claims import DOES_NOT, HOLDS, OPEN, SHOWN

MARKS = {HOLDS: "✓", DOES_NOT: "✗", OPEN: "?", SHOWN[HOLDS]: "✓", SHOWN[DOES_NOT]: "✗"}
HEADINGS = {
    "claim": "claim",
    "printed": "in print",
    "ours": "ours",
    "interval": "95 % interval",
    "prediction": "a rerun of the paper's kind",
    "verdict": "verdict",
    "why": "why, and what it hangs on",
}
NOT_JUDGING = (
    "The papers' numbers are of CodeLlama-7B-Instruct on MATH with 15 calls a problem. These runs are not, so nothing "
    "here judges a paper: the last columns say whether the same is seen here."
)
STYLE = """
body{font:16px/1.5 sans-serif;max-width:84rem;margin:2rem auto;padding:0 1rem;overflow-wrap:break-word}
p,li,figcaption{max-width:50rem} img{max-width:100%;height:auto} figure{margin:2rem 0}
figcaption{font-size:.9rem} .small{font-size:.85rem;color:#444} .tables{columns:18rem}
table{border-collapse:collapse;font-size:.9rem;width:100%} th{text-align:left;font-weight:600}
th,td{padding:.45rem .6rem;vertical-align:top;border-bottom:1px solid #ccc} q{font-style:italic}
.claims td:first-child{width:19%} .claims td:last-child{width:34%}
td.number{white-space:nowrap} td.number.long{white-space:normal}
.verdict{white-space:nowrap;font-weight:600} .holds{color:#14396f} .does-not{color:#a1230f} .open{color:#444}
@media(max-width:60rem){thead{display:none} tr{display:block;border:1px solid #bbb;margin:0 0 1rem;padding:.3rem .2rem}
td{display:grid;grid-template-columns:6.5rem 1fr;gap:.5rem;border:0;padding:.2rem .4rem} td:empty{display:none}
td::before{content:attr(data-name);color:#444;font-size:.8rem;white-space:normal;font-weight:400}
td.number{white-space:normal} .claims td:first-child,.claims td:last-child{width:auto}}
"""


class Book(NamedTuple):
    """A notebook on the page: its title, its address from there, and whether it failed."""

    title: str
    address: str
    failed: bool = False


def write_first_page(
    results: Path,
    figures: Path,
    *,
    title: str,
    model: str,
    dataset: str,
    runs: str,
    books: Sequence[Book],
    signs: Sequence[str] = (),
) -> Path:
    """Write `results`/index.html, and the claims beside it as claims.csv; returns the page.

    `runs` says in words what ran, and `signs` what speaks against it (`analysis.health`). Claims are told where the
    tables that decide them are there.
    """
    parts = [f"<h1>{html.escape(title)}</h1>", f"<p>{html.escape(runs)}</p>"]
    if signs:
        items = "".join(f"<li>{html.escape(line)}</li>" for line in signs)
        parts.append(f"<p><b>Signs that these runs measure something else than their methods:</b></p><ul>{items}</ul>")
    if (results / "view.html").is_file():
        parts.append('<p><a href="view.html">Every problem with its candidates</a>, to look up and to filter</p>')
    if any(results.glob("reeval_*.csv")):
        table = reeval.claims(results, model=model, dataset=dataset)
        save(table, results)
        parts.append(claims_html(table))
    parts += [_figures(figures, results), _books(books), _tables(results)]
    page = results / "index.html"
    page.write_text(_whole(title, parts), encoding="utf-8")
    return page


def claims_html(table: pd.DataFrame) -> str:
    """The claims table as HTML, under a sentence that counts it and says whether these runs judge the paper."""
    judges = table.attrs["judges"]
    counts = table["verdict"].value_counts()
    told = ", ".join(
        f"{counts[v]} {_verb(v, counts[v])}" for v in dict.fromkeys([*SHOWN, *SHOWN.values()]) if v in counts
    )
    heading = "What the papers claim, and what these runs say" if judges else "What these runs show"
    about = f"Of {len(table)} claims: {told}.{'' if judges else f' <b>{NOT_JUDGING}</b>'}"
    names = {**HEADINGS} if judges else {k: v for k, v in HEADINGS.items() if k != "prediction"} | {"verdict": "here"}
    head = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in names.values())
    body = "".join(f"<tr>{''.join(_cell(row, column, names[column]) for column in names)}</tr>" for row in _rows(table))
    claims = f"<table class=claims><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f"<h2>{heading}</h2><p>{about}</p>{claims}"


def _verb(verdict: str, number: int) -> str:
    """`holds` and the like after a number."""
    several = {HOLDS: "hold", DOES_NOT: "do not"}.get(verdict, f"are {verdict}")
    return several if number != 1 else verdict if verdict in (HOLDS, DOES_NOT) else f"is {verdict}"


def _rows(table: pd.DataFrame) -> list[dict[str, str]]:
    return table.fillna("").astype(str).to_dict("records")


def _cell(row: dict[str, str], column: str, name: str) -> str:
    text, style = html.escape(row[column]), ""
    if column == "claim":
        text = f"<q>{text}</q><br><span class=small>{html.escape(row['paper'])}, {html.escape(row['place'])}</span>"
        text = f"<span>{text}</span>"
    elif column == "verdict":
        kind = {"✓": "holds", "✗": "does-not", "?": "open"}[MARKS[row[column]]]
        text, style = f"{MARKS[row[column]]} {text}", f"verdict {kind}"
    elif column == "why":
        hangs = f"<br><span class=small>Hangs on: {html.escape(row['hangs_on'])}.</span>" if row["hangs_on"] else ""
        text = f"<span>{text}{hangs}</span>"
    else:
        style = "number long" if len(row[column]) > 24 else "number"
    return f'<td data-name="{html.escape(name)}" class="{style}">{text}</td>'


def _figures(figures: Path, results: Path) -> str:
    up, known = os.path.relpath(figures, results), list(reeval.ORDER)
    paths = sorted(figures.glob("*.png"), key=lambda f: (known.index(f.stem) if f.stem in known else 99, natural(f)))
    pictures = []
    for path in paths:
        caption = html.escape(caption_of(path) or path.stem.replace("_", " "))
        pictures.append(
            f'<figure id="{path.stem}"><a href="{up}/{path.stem}.svg"><img src="{up}/{path.name}" alt="{caption}"></a>'
            f"<figcaption><b>{html.escape(_name(path))}.</b> {caption}</figcaption></figure>"
        )
    return f"<h2>Figures, in the order of the argument</h2>{''.join(pictures)}" if pictures else ""


def _name(path: Path) -> str:
    """`reeval_table1` as `Table 1`, after the paper's own; any other as it is."""
    stem = path.stem.removeprefix("reeval_").replace("_", " ")
    return re.sub(r"(?<=[a-z])(?=\d)", " ", stem).capitalize()


def _books(books: Sequence[Book]) -> str:
    items = [
        f'<li><a href="{book.address}">{html.escape(book.title)}</a>{" (failed)" if book.failed else ""}</li>'
        for book in books
    ]
    return f"<h2>Notebooks</h2><ul>{''.join(items)}</ul>"


def _tables(results: Path) -> str:
    items = [
        f'<li><a href="{path.name}">{path.stem.replace("_", " ")}</a></li>'
        for path in sorted(results.glob("*.csv"), key=natural)
    ]
    return f"<h2>Tables</h2><ul class=tables>{''.join(items)}</ul>" if items else ""


def _whole(title: str, parts: Sequence[str]) -> str:
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{html.escape(title)}</title><style>{STYLE}</style>{''.join(parts)}</html>\n"
    )


def natural(path: Path) -> list:
    """A sort key by which figure 10 comes after figure 9."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", path.stem)]
