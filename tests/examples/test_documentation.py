"""What the README and the pages of `docs` show works: code, commands, targets and paths."""

from __future__ import annotations

import pydoc
import re
import shlex
from pathlib import Path
from time import sleep

import pytest
from rdflib import Graph
from typer.main import get_command

from kgreason import ReasoningStore
from kgreason.cli.app import app
from tests.examples import pages

EX = "http://example.org/"
ROOT = Path(__file__).parents[2]
PATHS = (ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md")))
PATH = re.compile(r"`((?:adapters|docs|examples|kgreason|ontologies|tests)/[\w./]*|\w+\.md|LICENSE)`")
PAGES = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in PATHS}
RUNNING = [
    page
    for page, text in PAGES.items()
    if ("```python" in text or "```console" in text) and pages.SPARK not in text  # that runs in tests/spark
]


@pytest.mark.parametrize("page", RUNNING)
def test_code_runs_as_a_reader_runs_it(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert pages.run(ROOT / page)


def test_a_page_that_says_something_else_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    page.write_text('```text title="x.txt"\n7\n```\n```console\n$ cat x.txt\n8\n```\n')
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AssertionError, match=r"page\.md:4: the page says\n8\n\nand it prints\n7"):
        pages.run(page)


def test_what_a_page_leaves_in_the_background_ends_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    script = "trap 'touch ended; exit' TERM; touch begun; while :; do sleep 0.05; done"
    page.write_text(
        f'```text title="run.sh"\n{script}\n```\n'
        "```console\n$ sh run.sh >log 2>&1 &\n$ until [ -e begun ]; do sleep 0.05; done\n$ echo 7\n8\n```\n"
    )
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AssertionError, match="the page says\n8"):
        pages.run(page)
    for _ in range(600):
        if (tmp_path / "ended").exists():
            return
        sleep(0.05)
    pytest.fail("the process runs after its page has ended")


def test_ports_of_a_page_become_free_ones_in_all_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```console\n$ echo --port 8098 >asked; cat asked | cut -d' ' -f2 >port\n```\n"
        "```python\nfrom pathlib import Path\nport = Path('port').read_text().strip()\n"
        "print(port != '80' + '98', 'http://localhost:8098/' == f'http://localhost:{port}/', 80980)\n```\n"
        "```output\nTrue True 80980\n```\n"
    )
    monkeypatch.chdir(tmp_path)
    assert pages.run(page) == 3


def test_python_on_pages_can_be_pasted_at_a_prompt() -> None:
    """Before Python 3.13, a prompt ends a loop or a function at the first empty line, and nowhere else."""
    refused = [f"{page}: {fault}" for page, text in PAGES.items() for fault in pages.faults_at_a_prompt(text)]
    assert not refused


def test_a_loop_without_an_empty_line_after_it_is_found() -> None:
    page = "text\n```python\nfor x in range(3):\n    print(x)\n{}print(7)\n```\n"
    assert pages.faults_at_a_prompt(page.format("")) == ["line 5: print(7)"]
    assert pages.faults_at_a_prompt(page.format("\n")) == []


def test_the_readme_has_code_and_fits_on_a_screen() -> None:
    assert "```python" in PAGES["README.md"]
    assert len(PAGES["README.md"].splitlines()) <= 60


def test_targets_exist() -> None:
    lines = re.findall(r"^([\w -]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    targets = {name for line in lines for name in line.split()}
    named = {
        name
        for text in PAGES.values()
        for name in re.findall(r"(?:`|^    )make ([a-z]+(?:-[a-z]+)*)", text, re.MULTILINE)
    }
    assert named
    assert named <= targets


def test_commands_exist() -> None:
    text = "\n".join(PAGES.values())
    lines = re.findall(r"^(?:    |\$ )kgreason (.*)$", text, flags=re.MULTILINE)
    commands = get_command(app).commands
    assert {line.split()[0] for line in lines} == commands.keys() - {"oxigraph"}
    for line in lines:
        name, *arguments = shlex.split(line.partition(" 2> ")[0], comments=True)
        commands[name].make_context(name, arguments)


def test_paths_exist() -> None:
    paths = [path for text in PAGES.values() for path in PATH.findall(text)]
    assert len(paths) > 4
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_schemes_are_those_that_statistics_show() -> None:
    """Would catch a scheme that is new, or has another name, and is not on the page."""
    program = f"""@prefix : <{EX}> .
        :below(?x, ?z) :- :below(?x, ?y), :below(?y, ?z) .
        :beside(?y, ?x) :- :beside(?x, ?y) .
        :beside(?x, ?z) :- :beside(?x, ?y), :beside(?y, ?z) .
        :about(?x, ?z) :- :about(?x, ?y), :below(?y, ?z) .
        :over(?y, ?x) :- :below(?x, ?y) .
        between(?x, ?y, ?z) :- :below(?x, ?y), :below(?y, ?z) ."""
    data = f"""@prefix : <{EX}> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
        :a :below :b . :b :below :c . :a :beside :b . :d :about :a . :a a :A .
        :a owl:sameAs :b . :a :likes :c . :A owl:equivalentClass :B ."""

    shown = set()
    for rules in (program, "owl-rl"):
        graph = Graph(store=ReasoningStore(rules=rules)).parse(data=data, format="turtle")
        shown |= {relation.scheme for relation in graph.store.statistics().relations}

    assert {*re.findall(r"^\| `(\w+)` \|", PAGES["docs/background/schemes.md"], re.MULTILINE)} == shown


@pytest.mark.parametrize("page", sorted(PAGES))
def test_names_of_code_exist(page: str) -> None:
    for name in set(re.findall(r"`(kgreason(?:\.\w+)+)`", PAGES[page])):
        found = pydoc.locate(name)
        assert found is not None, name
