"""What a test needs to know of a built page."""

from collections import Counter
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

SOURCES = {"script": "src", "link": "href", "img": "src", "iframe": "src"}


@dataclass
class Page:
    """Identifiers, links, loaded files and the presence of mathematics of one page."""

    path: Path
    anchors: Counter[str] = field(default_factory=Counter)
    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    images: list[dict[str, str]] = field(default_factory=list)
    formulas: int = 0


class Reader(HTMLParser):
    """Fills a `Page`."""

    def __init__(self, page: Page) -> None:
        super().__init__()
        self.page = page

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what the tag says."""
        names = {key: value or "" for key, value in attrs}
        if "id" in names:
            self.page.anchors[names["id"]] += 1
        if tag == "a" and "href" in names:
            self.page.links.append(names["href"])
        if tag in SOURCES and names.get(SOURCES[tag]):
            self.page.loaded.append(names[SOURCES[tag]])
        if tag == "img":
            self.page.images.append(names)
        if "math" in names.get("class", "").split():
            self.page.formulas += 1


def read(path: Path) -> Page:
    """Return the `Page` of an HTML file."""
    page = Page(path)
    Reader(page).feed(path.read_text("utf-8"))
    return page
