"""Would catch a page in the package that is not what its sources say, and one that reaches for another host."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

import kgreason_server.workbench

FOLDER = Path(kgreason_server.workbench.__file__).parent
BUILT, SOURCES = FOLDER / "built", FOLDER / "page"
pytestmark = pytest.mark.skipif(not SOURCES.is_dir(), reason="the sources of the page are not in a wheel")


def test_built_page_is_of_the_sources_that_are_here() -> None:
    names = [path for path in SOURCES.iterdir() if path.suffix in (".js", ".mjs", ".css", ".html", ".json")]
    found = {path.name: sha256(path.read_bytes()).hexdigest() for path in names}
    assert json.loads((BUILT / "sources.json").read_text()) == found, "run `npm ci && npm run build` in the folder"


@pytest.mark.slow
def test_sources_give_the_built_files(tmp_path: Path) -> None:
    if shutil.which("node") is None or not (SOURCES / "node_modules" / "esbuild").is_dir():
        pytest.skip("there is no node, or `npm ci` was not run in the folder of the page")
    subprocess.run(["node", "build.mjs", str(tmp_path)], cwd=SOURCES, check=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(path.name for path in BUILT.iterdir())
    for path in tmp_path.iterdir():
        assert path.read_bytes() == (BUILT / path.name).read_bytes(), path.name


def test_page_names_no_file_of_another_host() -> None:
    for name in ("index.html", "workbench.css"):
        for address in re.findall(r"(?:src|href|url)\s*[=(]\s*[\"']?([^\"')\s>]+)", (BUILT / name).read_text()):
            assert not re.match(r"(?:https?:)?//", address), address
    script = (BUILT / "workbench.js").read_text()
    assert not re.search(r"(?:import|fetch|EventSource|WebSocket)\(\s*[\"'`](?:https?:)?//", script)


def test_licences_are_those_of_what_the_page_is_made_with() -> None:
    text = (BUILT / "licences.txt").read_text()
    for name in ("@codemirror/view", "@codemirror/autocomplete", "@codemirror/legacy-modes", "@lezer/highlight"):
        assert re.search(rf"^{re.escape(name)} \d", text, re.MULTILINE)
    assert text.count("Permission is hereby granted") >= 8
