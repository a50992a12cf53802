"""Clients in JavaScript, unmodified: would catch an answer or a header that browsers and Comunica do not take.

They are run where they are installed, with Node 20 or later:

    npm install --prefix FOLDER @comunica/query-sparql@4 @zazuko/yasgui@4
    KGREASON_NODE_MODULES=FOLDER/node_modules pytest tests/server/test_javascript_clients.py
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from kgreason_rdflib import ReasoningStore
from tests.server.conftest import READER, READS, store_of
from tests.server.processes import served

MODULES = Path(os.environ.get("KGREASON_NODE_MODULES", "nowhere"))
COMUNICA = MODULES / "@comunica" / "query-sparql" / "bin" / "query.js"
YASGUI = MODULES / "@zazuko" / "yasgui" / "build"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DATA = b"""@prefix e: <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
e:Cat rdfs:subClassOf e:Animal . e:tom a e:Cat ; rdfs:label "Tom & <Jerry>" ."""
ANIMAL = "<http://example.org/Animal>"
PAGE = """<!doctype html><meta charset="utf-8"><title>YASGUI</title>
<link rel="stylesheet" href="yasgui.min.css"><div id="yasgui"></div>
<script src="yasgui.min.js"></script>
<script>
const yasgui = new Yasgui(document.getElementById("yasgui"), {
  requestConfig: { endpoint: ENDPOINT, headers: { Authorization: AUTHORIZATION } }, copyEndpointOnNewTab: false,
  persistenceId: null,
});
const tab = yasgui.getTab();
tab.setQuery("SELECT ?x ?label { ?x a <http://example.org/Animal> ; rdfs:label ?label }");
tab.yasqe.query();
</script>"""


def filled() -> ReasoningStore:
    return store_of(DATA)


@pytest.mark.skipif(not (COMUNICA.is_file() and shutil.which("node")), reason="there is no Comunica")
@pytest.mark.parametrize(
    ("place", "query", "expected"),
    [
        ("sparql@{}/sparql", f"SELECT ?x {{ ?x a {ANIMAL} }}", [{"x": "http://example.org/tom"}]),
        ("{}/sparql", f"SELECT ?x ?l {{ ?x a {ANIMAL} ; <http://www.w3.org/2000/01/rdf-schema#label> ?l }}",
         [{"x": "http://example.org/tom", "l": '"Tom & <Jerry>"'}]),
        ("{}/sparql", f"ASK {{ <http://example.org/tom> a {ANIMAL} }}", True),
        ("{}/data?default", "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }",
         [{"n": '"3"^^http://www.w3.org/2001/XMLSchema#integer'}]),
    ],
    ids=["select", "found by itself", "ask", "documents"],
)  # fmt: skip
def test_comunica_queries(place: str, query: str, expected: object) -> None:
    with served(filled()) as address:
        line = ["node", str(COMUNICA), place.format(address), query]
        done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=60)

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == expected


class _Pages(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Nothing is logged."""


@pytest.fixture
def pages(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """A site of another origin, and its folder."""
    for name in ("yasgui.min.js", "yasgui.min.css"):
        shutil.copy(YASGUI / name, tmp_path / name)
    site = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Pages, directory=str(tmp_path)))
    thread = Thread(target=site.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{site.server_port}", tmp_path
    site.shutdown()
    thread.join()
    site.server_close()


@pytest.mark.skipif(not (YASGUI.is_dir() and CHROMIUM), reason="there is no YASGUI, or no Chromium")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("is_listed", [True, False])
def test_yasgui_of_another_origin_asks_if_it_is_listed(pages: tuple[str, Path], is_listed: bool) -> None:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    origin, folder = pages
    origins = (origin,) if is_listed else ()
    with served(filled(), origins=origins, read_tokens=(READER,)) as address, playwright.sync_playwright() as started:
        text = PAGE.replace("ENDPOINT", json.dumps(f"{address}/sparql"))
        (folder / "index.html").write_text(text.replace("AUTHORIZATION", json.dumps(READS["Authorization"])))
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(origin)
        if is_listed:
            page.get_by_text("Tom & <Jerry>").wait_for(timeout=20_000)
            found = "tom"
        else:
            page.locator(".errorResult").wait_for(timeout=20_000)
            found = page.locator(".yasr").inner_text()
        browser.close()

    assert ("tom" in found.lower()) == is_listed
