"""Would catch a page of the documentation with a link that leads nowhere, or that needs another host, that does not fit
a telephone or cannot be read in the dark, and a search that finds nothing.

`make docs` builds the site and runs this; `KGREASON_SITE` names the folder.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.site.links import Page, is_outside, leads_nowhere, pages_of

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
LOOKS = {
    "light": {"color_scheme": "light", "viewport": {"width": 1200, "height": 800}},
    "dark": {"color_scheme": "dark", "viewport": {"width": 1200, "height": 800}},
    "narrow": {"color_scheme": "light", "viewport": {"width": 360, "height": 740}},
}
WIDER = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
CONTRAST = """() => {
  const light = text => {
    const [r, g, b] = text.match(/[\\d.]+/g).slice(0, 3).map(v => v / 255)
      .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const style = getComputedStyle(document.querySelector("article p") || document.querySelector("article"))
  const values = [light(style.color), light(getComputedStyle(document.body).backgroundColor)].sort((a, b) => b - a)
  return (values[0] + 0.05) / (values[1] + 0.05)
}"""


@pytest.fixture(scope="module")
def site() -> Path:
    if "KGREASON_SITE" not in os.environ:
        pytest.skip("no site: `make docs` builds one")
    return Path(os.environ["KGREASON_SITE"]).resolve()


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    found = pages_of(site)
    assert len(found) > 40
    return found


def test_links_lead_somewhere(pages: dict[Path, Page]) -> None:
    links = [(page, link) for page in pages.values() for link in (*page.links, *page.loaded) if not is_outside(link)]
    assert len(links) > 5000
    assert [(page.path.name, link) for page, link in links if leads_nowhere(page, link, pages)] == []


def test_pages_load_nothing_from_other_hosts(pages: dict[Path, Page]) -> None:
    assert [(page.path.name, each) for page in pages.values() for each in page.loaded if is_outside(each)] == []


def test_links_that_lead_nowhere_are_found(tmp_path: Path) -> None:
    (tmp_path / "b.html").write_text('<h1 id="there">B</h1>')
    links = ("b.html#there", "b.html#x", "c.html")
    (tmp_path / "a.html").write_text("".join(f'<a href="{each}">x</a>' for each in links))
    found = pages_of(tmp_path)

    page = found[tmp_path / "a.html"]

    assert [leads_nowhere(page, link, found) for link in page.links] == [False, True, True]


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("there is no Chromium")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.mark.parametrize("look", LOOKS)
def test_pages_can_be_read_by_themselves(
    look: str, browser: Any, address: str, site: Path, pages: dict[Path, Page]
) -> None:
    """No page reaches another host, has an error, is wider than the window, or has text that is hard to see."""
    found: list[tuple[str, str]] = []
    asked: list[str] = []
    context = browser.new_context(**LOOKS[look])
    page, name = context.new_page(), ""
    page.on("pageerror", lambda error: found.append((name, str(error))))
    page.on("request", lambda request: asked.append(request.url))
    for path in pages:
        name = path.relative_to(site).as_posix()
        page.goto(address + name)
        page.wait_for_load_state()
        if page.evaluate(WIDER):
            found.append((name, "wider than the window"))
        if page.evaluate(CONTRAST) < 4.5:
            found.append((name, "little contrast"))
    context.close()
    assert found == []
    assert [url for url in asked if not url.startswith((address, "data:"))] == []


@pytest.mark.parametrize(("words", "expected"), [("owl:sameAs", "how-to"), ("bulk_load", "reference/api.html")])
def test_search_finds_pages(words: str, expected: str, browser: Any, address: str) -> None:
    page = browser.new_page()
    page.goto(address)
    page.get_by_placeholder("Search").fill(words)
    result = page.locator(".md-search-result__link").first
    result.wait_for(timeout=20_000)

    links = [each.get_attribute("href") for each in page.locator(".md-search-result__link").all()]

    assert any(expected in (link or "") for link in links), links
    page.close()
