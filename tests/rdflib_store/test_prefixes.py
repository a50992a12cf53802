"""The prefixes of a store. Would catch a change that is stopped half way, or one that another thread spoils."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable
from threading import Thread
from types import FrameType
from typing import Any

import pytest
from rdflib import BNode, Literal, URIRef

from kgreason import ReasoningStore, TermError
from kgreason_rdflib import prefixes as module
from kgreason_rdflib.prefixes import Prefixes

ONE, TWO, THREE = (URIRef(f"http://example.org/{name}/") for name in ("one", "two", "three"))


def bound() -> Prefixes:
    found = Prefixes()
    found.bind("a", ONE)
    found.bind("b", TWO)
    return found


def stopped_at(line: int, change: Callable[[], object]) -> bool:
    """Whether a change was stopped before so many of its lines."""
    seen = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal seen
        if frame.f_code.co_filename != module.__file__:
            return None
        # A real Ctrl-C never comes between the body of `with` and its end, where a lock would stay taken.
        if event == "line" and not linecache.getline(module.__file__, frame.f_lineno).lstrip().startswith("with "):
            seen += 1
            if seen == line:
                raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        change()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


@pytest.mark.parametrize(
    "change",
    [
        lambda known: known.bind("a", TWO),
        lambda known: known.bind("c", THREE),
        lambda known: known.bind("c", ONE),
        lambda known: known.bind("a", THREE),
        lambda known: known.unbind("a"),
        lambda known: known.replace([("a", TWO), ("c", THREE)]),
    ],
)
def test_a_change_that_is_stopped_has_happened_or_not(change: Callable[[Prefixes], object]) -> None:
    whole = bound()
    change(whole)
    for line in range(1, 100):
        known = bound()
        was_stopped = stopped_at(line, lambda: change(known))  # noqa: B023 - called at once
        known._check()
        assert dict(known) in ({"a": ONE, "b": TWO}, dict(whole))
        for prefix, namespace in (("a", TWO), ("b", ONE), ("c", THREE)):
            known.bind(prefix, namespace)
        assert dict(known) == {"a": TWO, "b": ONE, "c": THREE}
        if not was_stopped:
            break
    else:
        pytest.fail("it never ended")


def test_threads_that_bind(monkeypatch: pytest.MonkeyPatch) -> None:
    known, failures = Prefixes(), list[BaseException]()
    interval = sys.getswitchinterval()

    def bind(seed: int) -> None:
        try:
            for number in range(3000):
                known.bind("abc"[(number * seed) % 3], (ONE, TWO, THREE)[number % 3])
        except BaseException as error:
            failures.append(error)

    sys.setswitchinterval(1e-5)
    try:
        threads = [Thread(target=bind, args=(seed,)) for seed in (1, 2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not failures
    known._check()


@pytest.mark.parametrize(
    ("prefix", "namespace"), [("a", 3), ("a", None), (3, ONE), ("a", Literal("x")), ("a", BNode("b"))]
)
def test_prefix_of_other_than_an_iri_is_refused(prefix: Any, namespace: Any) -> None:
    store = ReasoningStore(rules="none")

    with pytest.raises(TermError, match=r"cannot stand for .*expected a text and an IRI"):
        store.bind(prefix, namespace)

    assert not [*store.namespaces()]
