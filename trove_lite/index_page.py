"""The page that a report opens with: signs that something is wrong, the figures, the notebooks, the tables.

It reads the folders that the notebooks wrote and makes one page of HTML that loads nothing from elsewhere.
"""

import html
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from PIL import Image

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


def write_index_page(
    results: Path,
    figures: Path,
    *,
    title: str,
    runs: str,
    books: Sequence[Book],
    signs: Sequence[str] = (),
) -> Path:
    """Write `results`/index.html, and return it; `runs` says what ran, `signs` what speaks against it."""
    parts = [f"<h1>{html.escape(title)}</h1>", f"<p>{html.escape(runs)}</p>"]
    if signs:
        items = "".join(f"<li>{html.escape(line)}</li>" for line in signs)
        parts.append(f"<p><b>Signs that these runs measure something else than their methods:</b></p><ul>{items}</ul>")
    if (results / "view.html").is_file():
        parts.append('<p><a href="view.html">Every problem with its candidates</a>, to look up and to filter</p>')
    parts += [_figures(figures, results), _books(books), _tables(results)]
    page = results / "index.html"
    page.write_text(_whole(title, parts), encoding="utf-8")
    return page


def _figures(figures: Path, results: Path) -> str:
    up = os.path.relpath(figures, results)
    paths = sorted(figures.glob("*.png"), key=natural)
    pictures = []
    for path in paths:
        caption = html.escape(_caption(path) or path.stem.replace("_", " "))
        pictures.append(
            f'<figure id="{path.stem}"><a href="{up}/{path.stem}.svg"><img src="{up}/{path.name}" alt="{caption}"></a>'
            f"<figcaption><b>{html.escape(_name(path))}.</b> {caption}</figcaption></figure>"
        )
    return f"<h2>Figures</h2>{''.join(pictures)}" if pictures else ""


def _caption(figure: Path) -> str:
    """The caption that a saved PNG carries; "" where it has none."""
    with Image.open(figure) as picture:
        return picture.info.get("Description", "")


def _name(path: Path) -> str:
    """`reeval_table1` as `Reeval table 1`."""
    stem = path.stem.replace("_", " ")
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
