"""Links of built pages that lead nowhere: `python -m tests.links FOLDER`, as `make site` does."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Links(HTMLParser):
    """What a page's elements lead to, and the names of its places."""

    def __init__(self, text: str):
        super().__init__()
        self.links = []
        self.places = set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name in ("id", "name"):
                self.places.add(value)


def broken_links(folder: Path) -> list[str]:
    """`page: link` for each relative link of the pages in a folder whose file, or place in it, is
    not in there."""
    paths = (
        path for path in folder.rglob("*.html") if "_static" not in path.parts
    )  # there a theme has its patterns
    pages = {path.resolve(): Links(path.read_text(encoding="utf-8")) for path in paths}
    found = []
    for page, own in pages.items():
        for link in own.links:
            parts = urlsplit(link)
            if (
                parts.scheme or parts.netloc or link.startswith("#/")
            ):  # the web's, or a viewer's own
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            target = target / "index.html" if target.is_dir() else target
            there = target.is_file() and target.is_relative_to(folder.resolve())
            place = unquote(parts.fragment)
            if not there or (
                place and target in pages and place[0] != "/" and place not in pages[target].places
            ):
                found.append(f"{page.relative_to(folder.resolve())}: {link}")
    return sorted(set(found))


if __name__ == "__main__":
    sys.exit("\n".join(broken_links(Path(sys.argv[1]))) or 0)
