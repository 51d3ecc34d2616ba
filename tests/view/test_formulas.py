"""Questions show their formulas as formulas; what is none stays a text, and nothing that somebody
wrote is markup."""

import json
import time

import pytest

from trove_lite_analysis.view.formulas import ATTRIBUTES, TAGS, pieces, tree_of

from ..cases import cases


def text_in(piece) -> str:
    return piece if isinstance(piece, str) else "".join(map(text_in, piece[2]))


def tags_in(piece) -> set[str]:
    return (
        set() if isinstance(piece, str) else {piece[0], *(t for p in piece[2] for t in tags_in(p))}
    )


@pytest.mark.parametrize(
    ("text", "wanted"),
    cases(
        r"""
        r"What is $\frac{1}{2} + x^2$?",                     {"mfrac", "msup"}
        r"Solve \(x_1 < 3\) now.",                           {"msub", "mo"}
        r"\[\sqrt{2}\]",                                     {"msqrt"}
        r"$$\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}$$", {"mtable", "mtd"}
        r"How many of $n$ and $m$?",                         {"mi"}
        """
    ),
)
def test_a_formula_is_mathml(text, wanted):
    found = pieces(text)
    tags = {tag for piece in found for tag in tags_in(piece)}
    assert wanted <= tags
    assert all(map(TAGS.fullmatch, tags))
    assert len(found) > 1 or text.startswith(("$$", r"\["))


@pytest.mark.parametrize(
    "text",
    [
        "It costs $5 and then $6.",
        "From $5 to $10, or $7/$8.",
        "An odd $ sign",
        "$ x $ with blanks",
        r"$\frac{1}{$",
        r"\(\begin{matrix}\)",
        "plain",
        "",
    ],
)
def test_what_is_no_formula_stays_as_it_was_written(text):
    assert pieces(text) == ([text] if bool(text) else [])


HOSTILE = [
    r"\href{javascript:alert(1)}{x}",
    r"\style{background:url(http://x)}{x}",
    r"\class{a}{b}",
    r"\text{<script>alert(1)</script>}",
    r"\text{&lt;img src=x onerror=alert(1)&gt;}",
    r"\color{red;background:url(x)}{y}",
    r"<img src=x>",
    r"\cssId{q}{x}",
]


@pytest.mark.parametrize("latex", HOSTILE)
def test_a_formula_has_no_link_style_or_markup(latex):
    tree = tree_of(latex)

    def check(piece):
        if not isinstance(piece, str):
            tag, attributes, inside = piece
            assert TAGS.fullmatch(tag)
            assert all(map(ATTRIBUTES.fullmatch, attributes))
            assert not {"href", "style", "class", "id", "src"} & set(attributes)
            for one in inside:
                check(one)

    check(tree or "")


@pytest.mark.parametrize(
    "unit",
    ["$", "$x", r"\(", r"\[", r"$\frac", "{", r"\left(", "x^{", "$$", r"\)", "a$ b$", r"\\("],
)
def test_reading_formulas_is_bounded(unit):
    began = time.process_time()
    found = pieces(unit * 20_000)
    assert time.process_time() - began < 2
    assert "".join(map(text_in, found))
    assert len(json.dumps(found)) < 3_000_000
