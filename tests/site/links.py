"""The links of pages that were built."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LOADING = {"script", "img", "iframe", "source", "audio", "video"}
_OUTSIDE = {"http", "https", "mailto"}


@dataclass(eq=False)
class Page(HTMLParser):
    """What one page links to, what a browser loads for it, and the places in it that have a name."""

    path: Path
    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    names: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value for name, value in attrs if value}
        self.names.update(found[name] for name in ("id", "name") if name in found)
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        if tag in _LOADING and "src" in found:
            self.loaded.append(found["src"])
        if tag == "link" and "href" in found and found.get("rel") != "canonical":
            self.loaded.append(found["href"])


def pages_of(site: Path) -> dict[Path, Page]:
    """All pages of a site but that of missing addresses, which may be shown at any depth."""
    return {path: Page(path) for path in sorted(site.rglob("*.html")) if path.name != "404.html"}


def is_outside(link: str) -> bool:
    """Whether a link leads to another host."""
    return urlsplit(link).scheme in _OUTSIDE or link.startswith("//")


def leads_nowhere(page: Page, link: str, pages: dict[Path, Page]) -> bool:
    """Whether a file that a link within the site names is missing, or the place in it."""
    parts = urlsplit(link)
    target = (page.path.parent / unquote(parts.path)).resolve() if parts.path else page.path
    if target.is_dir():
        target /= "index.html"
    if not target.is_file():
        return True
    return bool(parts.fragment) and target in pages and unquote(parts.fragment) not in pages[target].names
