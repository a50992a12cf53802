"""The progress bar of notebooks, before an IPython that records. A bar that stays, floods the browser, breaks the work
or swallows an interrupt would be caught."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from rdflib import OWL, RDF, Graph, Namespace

from kgreason import ReasoningStore, notebook_bar, progress
from kgreason.progress import Advance

EX = Namespace("http://example.org/")
LINES = b"".join(b"<http://e/%d> <http://e/next> <http://e/%d> .\n" % (n, n + 1) for n in range(5_000))


@dataclass
class Notebook:
    """What a front end was told."""

    pictures: list[Any] = field(default_factory=list)
    fail: Callable[[], None] = lambda: None

    def display(self, picture: Any, *, display_id: bool) -> Notebook:
        assert display_id
        self.update(picture)
        return self

    def update(self, picture: Any) -> None:
        self.pictures.append(picture)
        self.fail()

    @property
    def texts(self) -> list[str]:
        return [repr(picture) for picture in self.pictures]


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Notebook:
    notebook = Notebook()
    package, display = ModuleType("IPython"), ModuleType("IPython.display")
    package.get_ipython = lambda: SimpleNamespace(kernel=object())  # type: ignore[attr-defined]  # a made-up module
    display.display = notebook.display  # type: ignore[attr-defined]  # a made-up module
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr(notebook_bar, "PATIENCE", 0.0)
    monkeypatch.setattr(notebook_bar, "INTERVAL", 0.0)
    monkeypatch.delenv(notebook_bar.SWITCH, raising=False)
    return notebook


def work() -> int:
    """Load, reason, query."""
    store = ReasoningStore(rules="owl-rl")
    graph = Graph(store=store)
    store.bulk_load(LINES, format="nt")
    graph.add((EX.partOf, RDF.type, OWL.TransitiveProperty))
    return len(list(graph.query("SELECT * { ?x <http://e/next> ?y }")))


def test_loading_reasoning_and_querying_are_shown_and_the_bar_is_gone(notebook: Notebook) -> None:
    assert work() == 5_000

    for phase in ("reading", "deriving", "querying"):
        assert any(text.startswith(phase) for text in notebook.texts), phase
    assert any(" 100% " in text or "%" in text for text in notebook.texts)
    assert (notebook.pictures[-1]._repr_html_(), notebook.texts[-1]) == ("", "")
    html = notebook.pictures[0]._repr_html_()
    assert "<progress max=" in html
    assert "<script" not in html


def test_short_work_shows_nothing(notebook: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook_bar, "PATIENCE", 600.0)
    work()
    assert notebook.pictures == []


def test_a_browser_gets_few_pictures(notebook: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook_bar, "INTERVAL", 600.0)
    with notebook_bar.notebook_bar("reading"):
        for number in range(1000):
            progress.advance(number)
    assert notebook.texts == ["reading 0 s", ""]


@pytest.mark.parametrize("value", ["off", "0", "No", "FALSE"])
def test_it_can_be_switched_off(notebook: Notebook, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv(notebook_bar.SWITCH, value)
    work()
    assert notebook.pictures == []


def test_a_listener_takes_its_place(notebook: Notebook) -> None:
    heard: list[Advance] = []
    with progress.reporting(heard.append):
        work()
    assert {"reading", "deriving"} <= {found.phase for found in heard}
    assert notebook.pictures == []


@pytest.mark.parametrize("shell", [None, SimpleNamespace()])
def test_there_is_none_without_a_kernel(notebook: Notebook, monkeypatch: pytest.MonkeyPatch, shell: Any) -> None:
    monkeypatch.setattr(sys.modules["IPython"], "get_ipython", lambda: shell)
    work()
    assert notebook.pictures == []


def test_other_threads_have_none(notebook: Notebook) -> None:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert notebook.pictures == []


def test_a_display_that_fails_stops_no_work(notebook: Notebook) -> None:
    def fail() -> None:
        raise OSError("the browser is gone")

    notebook.fail = fail
    assert work() == 5_000


def test_an_interrupt_stops_the_work_and_takes_the_bar_away(notebook: Notebook) -> None:
    store = ReasoningStore(rules="owl-rl")

    def interrupt() -> None:
        notebook.fail = lambda: None
        raise KeyboardInterrupt

    notebook.fail = interrupt
    with pytest.raises(KeyboardInterrupt):
        store.bulk_load(LINES, format="nt")
    assert len(store.explicit) == 0
    assert not progress.is_reporting()
    assert store.bulk_load(LINES, format="nt").triples == 5_000
    assert notebook.texts[-1] == ""


def test_an_error_in_the_work_takes_the_bar_away(notebook: Notebook) -> None:
    with pytest.raises(ZeroDivisionError), notebook_bar.notebook_bar("reading <b>"):
        _ = 1 / 0
    assert "&lt;b&gt;" in notebook.pictures[0]._repr_html_()
    assert notebook.texts[-1] == ""
