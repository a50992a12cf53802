"""Stores of version 0.1 kept "x" and "x"^^xsd:string as two terms: they open with one, and no triple is lost."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kgreason.disk.commit_records import Commit
from kgreason.disk.durable_knowledge import DurableKnowledge, OpenOptions
from kgreason.disk.read_transaction import Position
from kgreason.disk.store_directory import StoreDirectory
from kgreason.errors import LoadError
from kgreason.io.quads import DEFAULT_GRAPH, Quads
from kgreason.rdf.model import IRI, Literal, Term
from kgreason.rdf.vocabulary import XSD_STRING
from tests.disk import small
from tests.facade import triples
from tests.thresholds import Tuned

PLAIN, TYPED = '"x"', f'"x"^^{XSD_STRING}'
S, T, P, Q, X, Y = IRI("a:s"), IRI("a:t"), IRI("a:p"), IRI("a:q"), Literal("x"), Literal("y")


def commit(directory: StoreDirectory, at: Position, keys: list[str], rows: list[tuple[int, int, int]]) -> Position:
    columns = np.array(rows, dtype=np.uint32).reshape(-1, 3).T
    quads = Quads(np.full(len(rows), DEFAULT_GRAPH, dtype=np.uint32), *columns)
    return directory.append(directory.prepare(Commit(at.terms, keys, [(quads, Quads.empty())]), at))


def old_store(path: Path, first: str, second: str, *, together: bool) -> None:
    directory = StoreDirectory(path, create=True)
    try:
        keys, rows = ["a:s", "a:p", first], [(0, 1, 2)]
        more, others = [second, "a:t", f'"y"^^{XSD_STRING}'], [(0, 1, 3), (4, 1, 3), (4, 1, 5)]
        if together:
            commit(directory, Position(), keys + more, rows + others)
        else:
            commit(directory, commit(directory, Position(), keys, rows), more, others)
    finally:
        directory.close()


def held(path: Path) -> set[tuple[Term, ...]]:
    store = DurableKnowledge(path, OpenOptions("none"), read_only=True)
    try:
        return {*triples(store.knowledge, store.knowledge.all())}
    finally:
        store.close()


@pytest.mark.parametrize("is_small", [False, True])
@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize(("first", "second"), [(PLAIN, TYPED), (TYPED, PLAIN)])
def test_strings_of_an_old_store_are_one_term(
    tmp_path: Path, tuned: Tuned, first: str, second: str, together: bool, is_small: bool
) -> None:
    if is_small:
        small.shrink(tuned)
    old_store(tmp_path, first, second, together=together)
    expected = {(S, P, X), (T, P, X), (T, P, Y)}
    assert held(tmp_path) == expected

    store = DurableKnowledge(tmp_path, OpenOptions("none"))
    try:
        base = store.knowledge
        base.remove(DEFAULT_GRAPH, *map(base.dictionary.encode, (S, P, Literal("x", XSD_STRING))))
        base.add(DEFAULT_GRAPH, *map(base.dictionary.encode, (S, Q, X)))
        store.commit({})
        assert held(tmp_path) == expected - {(S, P, X)} | {(S, Q, X)}
        store.write_snapshot()
        base.add(DEFAULT_GRAPH, *map(base.dictionary.encode, (S, Q, Literal("new"))))
        store.commit({})
        base.dictionary._check()
    finally:
        store.close()
    assert held(tmp_path) == expected - {(S, P, X)} | {(S, Q, X), (S, Q, Literal("new"))}


@pytest.mark.parametrize("key", [PLAIN, TYPED])
def test_a_term_that_stands_twice_is_damage(tmp_path: Path, key: str) -> None:
    old_store(tmp_path, key, key, together=True)
    with pytest.raises(LoadError, match="a term stands twice"):
        held(tmp_path)
