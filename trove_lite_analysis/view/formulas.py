r"""Formulas in a text, between `$…$`, `$$…$$`, `\(…\)` or `\[…\]` → MathML, by latex2mathml, as
plain lists.

A page builds elements of them node by node, so that what somebody wrote is never markup. What the
library cannot read stays as it was written, and so does all where the library is not installed."""

import html
import re
from collections.abc import Iterator
from functools import lru_cache
from xml.etree.ElementTree import Element

MOST = 100  # formulas of a text
MOST_NODES = 400  # of a formula
DEEPEST = 40
#: A dollar begins a formula where no blank follows, and ends one where none is before it and no
#: digit follows: so prices are none (Pandoc's rule).
FORMULA = re.compile(
    r"\$\$(?P<shown>[^$]{1,500})\$\$|\$(?P<inline>(?=\S)[^$]{1,500}(?<=\S))\$(?!\d)"
    r"|\\\((?P<round>.{1,500}?)\\\)|\\\[(?P<square>.{1,500}?)\\\]",
    re.DOTALL,
)
#: Elements and attributes that do nothing but set type.
TAGS = re.compile(
    "math|mrow|mi|mn|mo|mtext|mspace|msup|msub|msubsup|mfrac|msqrt|mroot|mtable|mtr|mtd|mover|munder"
    "|munderover|mstyle|mpadded|mphantom|menclose|mfenced"
)
ATTRIBUTES = re.compile(
    "display|stretchy|fence|linethickness|column(align|spacing|lines)|rowspacing|mathvariant|width"
    "|accent|separators?|form|symmetric|largeop|movablelimits|displaystyle|scriptlevel|minsize"
    "|maxsize|[lr]space|notation|open|close"
)
VALUE = re.compile(r"[\w.%#(){}|\[\], -]{1,40}")
Tree = list  # [tag, {attribute: value}, [text or tree, …]]


def pieces(text: str) -> list[str | Tree]:
    """The text in pieces, each formula a tree of MathML; [text] where there is none."""
    found = []
    end = 0
    for number, match in enumerate(FORMULA.finditer(text)):
        tree = tree_of(
            match[match.lastgroup or 0],
            block=match.lastgroup in ("shown", "square"),
        )
        if number < MOST and tree:
            found += [
                text[end : match.start()],
                tree,
            ]
            end = match.end()
    return [piece for piece in (*found, text[end:]) if piece]


@lru_cache(4096)  # replies repeat what the question says
def tree_of(latex: str, *, block: bool = False) -> Tree | None:
    """A formula's MathML, of elements and attributes that do nothing but set type; None for what
    cannot be read."""
    try:
        from latex2mathml.converter import convert_to_element
    except ModuleNotFoundError:
        return None
    try:
        root = convert_to_element(latex, display="block" if block else "inline")
        nodes = list(root.iter())
        return _plain(root, DEEPEST) if len(nodes) <= MOST_NODES else None
    except Exception:  # the library's many, for a text that is no formula, or RecursionError
        return None


def _plain(element: Element, deep: int) -> Tree:
    if not TAGS.fullmatch(element.tag) or deep < 0:
        raise ValueError(f"no element of a formula: {element.tag}")
    kept = {
        name: value
        for name, value in element.attrib.items()
        if ATTRIBUTES.fullmatch(name) and VALUE.fullmatch(value)
    }
    return [element.tag, kept, list(_inside(element, deep))]


def _inside(element: Element, deep: int) -> Iterator[str | Tree]:
    if element.text:
        yield html.unescape(element.text)
    for child in element:
        yield _plain(child, deep - 1)
        if child.tail:
            yield html.unescape(child.tail)
