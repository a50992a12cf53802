"""Net changes of relations that share one table. Would catch a change of many equal classes that is found once for each
of them, at the cost of all their sources each time, and one that is taken for another's.
"""

from __future__ import annotations

import numpy as np
import pytest

from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import OWL, RDF, RDFS
from kgreason.relations.catalogue import PLAIN
from kgreason.relations.net_changes import NetChanges
from kgreason.relations.plain import table_of
from kgreason.relations.table import Table
from kgreason.relations.unary import UnaryTable
from kgreason.relations.unions_of_sets import UnaryUnion
from kgreason.store.knowledge_base import KnowledgeBase
from tests.facade import Follower, Triple, add, ex, remove, triples

TYPE, EQUIVALENT, SUB_CLASS = IRI(RDF + "type"), IRI(OWL + "equivalentClass"), IRI(RDFS + "subClassOf")


def test_change_of_two_versions_is_found_once() -> None:
    before, after = (table_of((np.array(ids, dtype=np.uint32),)) for ids in ([1, 2, 3], [2, 3, 4]))
    changes = NetChanges()

    came, gone = changes.of(before, after)

    assert changes.of(before, after) == (came, gone)
    assert [_ids(came), _ids(gone)] == [[4], [1]]
    assert [_ids(table) for table in changes.of(after, before)] == [[1], [4]]
    assert changes.of(before, before) == (None, None)


def test_a_union_of_sets_is_written_out_once_for_all_that_it_replaces(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [table_of((np.array([number], dtype=np.uint32),)) for number in range(5)]
    union, written = UnaryUnion(parts), []
    materialised = UnaryUnion.materialised

    def counting(self: UnaryUnion) -> UnaryTable:
        written.append(self)
        return materialised(self)

    monkeypatch.setattr(UnaryUnion, "materialised", counting)
    changes = NetChanges()

    for number, part in enumerate(parts):
        others = [each for each in range(5) if each != number]
        came, gone = changes.of(part, union)
        assert (_ids(came), gone) == (others, None)
        came, gone = changes.of(union, part)
        assert (came, _ids(gone)) == (None, others)
    assert len(written) == 1


def _ids(table: Table | None) -> list[int]:
    assert table is not None
    ids: list[int] = table.columns()[0].tolist()
    return ids


def _counted(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """A list that differences of unions are added to from now on."""
    calls: list[object] = []
    original = UnaryUnion.difference

    def counting(self: UnaryUnion, other: UnaryUnion) -> object:
        calls.append(other)
        return original(self, other)

    monkeypatch.setattr(UnaryUnion, "difference", counting)
    return calls


def test_change_of_equal_classes_does_not_grow_with_each_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    links = {(ex(f"c{number}"), EQUIVALENT, ex(f"c{number + 1}")) for number in range(40)}
    explicit = links | {(ex(f"n{number}"), TYPE, ex(f"c{number}")) for number in range(40)}
    base = KnowledgeBase("owl-rl")
    add(base, *explicit)
    base.flush()
    follower = Follower(base)
    calls = _counted(monkeypatch)
    link = (ex("c20"), EQUIVALENT, ex("c21"))
    remove(base, link)
    base.flush()
    assert 0 < len(calls) < 40
    monkeypatch.undo()

    assert triples(base, base.all()) == _written_out(explicit - {link}) == follower.triples
    add(base, link)
    assert triples(base, base.all()) == _written_out(explicit) == follower.triples


def _written_out(explicit: set[Triple]) -> set[Triple]:
    base = KnowledgeBase("owl-rl", schemes=PLAIN)
    add(base, *explicit)
    return triples(base, base.all())


def test_change_of_a_circle_of_classes_is_found_once_for_each_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    links = {(ex(f"c{number}"), SUB_CLASS, ex(f"c{(number + 1) % 30}")) for number in range(30)}
    explicit = links | {(ex(f"n{number}"), TYPE, ex(f"c{number}")) for number in range(30)}
    base = KnowledgeBase("owl-rl")
    add(base, *explicit)
    base.flush()
    follower = Follower(base)
    calls = _counted(monkeypatch)
    link = (ex("c20"), SUB_CLASS, ex("c21"))
    remove(base, link)
    base.flush()
    assert 0 < len(calls) <= 2 * 30
    monkeypatch.undo()

    assert triples(base, base.all()) == _written_out(explicit - {link}) == follower.triples
