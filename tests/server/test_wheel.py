"""A server that is installed from the wheel: would catch a file of the page, a rule set or a command that it lacks."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import ZipFile

import httpx2
import pytest

from kgreason_ontologies import rule_set_names
from kgreason_server.openapi import openapi_document
from tests.server.processes import free_port, wait_until_ready

pytestmark = pytest.mark.slow
pytest.importorskip("hatchling", reason="hatchling builds the wheel")

ROOT = Path(__file__).parents[2]
IN_WHEEL = {"adapters/": "", "ontologies/": "", "kgreason/": "kgreason/"}
"""Where folders of the sources are in the wheel."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of these sources."""
    folder = tmp_path_factory.mktemp("dist")
    line = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(line, cwd=ROOT, check=True, capture_output=True, timeout=120)
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment of its own with the wheel, which finds what that depends on in this one."""
    folder = tmp_path_factory.mktemp("installed") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True, timeout=120)
    python = folder / "bin" / "python"
    line = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*line, str(wheel)], check=True, capture_output=True, timeout=120)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder


def test_wheel_has_all_files_but_the_sources_of_the_page(wheel: Path) -> None:
    line = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "kgreason", "adapters", "ontologies"]
    listed = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("this is no clone")
    expected = {
        next(name.replace(folder, place, 1) for folder, place in IN_WHEEL.items() if name.startswith(folder)): name
        for name in listed.stdout.splitlines()
        if "/workbench/page/" not in name
    }

    with ZipFile(wheel) as archive:
        found = {name for name in archive.namelist() if ".dist-info/" not in name}
        assert found == expected.keys()
        for name, source in expected.items():
            assert archive.read(name) == (ROOT / source).read_bytes()
    assert "kgreason_server/workbench/built/workbench.js" in found
    assert "kgreason_ontologies/compiled/owl-rl.json" in found


@contextmanager
def serving(environment: Path, *arguments: str, folder: Path) -> Iterator[str]:
    """``kgreason serve`` of an environment, which sees nothing of the sources; its address."""
    port = free_port()
    line = [str(environment / "bin" / "kgreason"), "serve", *arguments, "--port", str(port)]
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    process = subprocess.Popen(line, cwd=folder, env=own, stderr=subprocess.PIPE, text=True)
    try:
        address = f"http://127.0.0.1:{port}"
        wait_until_ready(address, process)
        yield address
    finally:
        process.terminate()
        process.communicate(timeout=30)


@pytest.mark.parametrize("rules", rule_set_names())
def test_installed_rule_sets_are_compiled(environment: Path, rules: str, tmp_path: Path) -> None:
    program = (
        "import sys\nfrom kgreason.store.rule_sets import resolve_rules\n"
        f"print(len(resolve_rules({rules!r}).rules), 'lark' in sys.modules)"
    )
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    done = subprocess.run([environment / "bin" / "python", "-c", program], cwd=tmp_path, env=own, text=True,
                          capture_output=True, check=True, timeout=60)  # fmt: skip

    count, was_parsed = done.stdout.split()
    assert (int(count) > 0) == (rules != "none")
    assert was_parsed == "False"


def test_installed_server_has_the_page_and_reasons(environment: Path, tmp_path: Path) -> None:
    (tmp_path / "data.ttl").write_text(
        "@prefix e: <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
        "e:tom e:likes e:ann . e:likes a owl:SymmetricProperty ."
    )
    with serving(environment, "data.ttl", "--rules", "owl-rl", folder=tmp_path) as address:
        page = httpx2.get(address)
        assert page.status_code == 200
        for name in re.findall(r'(?:src|href)="([^"#]+)"', page.text):
            if not name.startswith("data:"):
                answer = httpx2.get(f"{address}/{name.removeprefix('/')}")
                assert (answer.status_code, bool(answer.content)) == (200, True), name
        assert httpx2.get(f"{address}/openapi.json").json() == openapi_document()
        query = "ASK { <http://example.org/ann> <http://example.org/likes> <http://example.org/tom> }"
        assert httpx2.get(f"{address}/sparql", params={"query": query}).json()["boolean"] is True
