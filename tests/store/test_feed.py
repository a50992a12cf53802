"""The change feed: what listeners are told, when, and in which order."""

from __future__ import annotations

import pytest

from kgreason.errors import StratificationError
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import RDF_TYPE, RDFS
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.triple_view import TripleView
from tests.facade import EX, Follower, add, ex, remove, triples

TYPE, SUBCLASS = IRI(RDF_TYPE), IRI(RDFS + "subClassOf")
DATUM, AXIOM = (ex("x"), TYPE, ex("A")), (ex("A"), SUBCLASS, ex("B"))
TRANSITIVE = f"@prefix e: <{EX}> . e:p(?x, ?z) :- e:p(?x, ?y), e:p(?y, ?z) ."


def test_a_batch_is_one_change() -> None:
    base = KnowledgeBase("rdfs")
    follower = Follower(base)
    add(base, DATUM, AXIOM)
    assert follower.changes == 0
    assert triples(base, base.all()) == follower.triples
    assert (ex("x"), TYPE, ex("B")) in follower.triples
    assert follower.changes == 1


def test_what_stays_is_not_told() -> None:
    """The triple is asserted and follows; it comes and goes in one batch; it moves from one graph to another."""
    base = KnowledgeBase("rdfs")
    inferred = (ex("x"), TYPE, ex("B"))
    add(base, DATUM, AXIOM, inferred)
    follower = Follower(base)
    remove(base, inferred)
    base.flush()
    add(base, inferred)
    base.flush()
    add(base, (ex("y"), TYPE, ex("A")))
    remove(base, (ex("y"), TYPE, ex("A")))
    base.flush()
    remove(base, DATUM)
    add(base, DATUM, graph=base.dictionary.encode(ex("g")))
    base.flush()
    assert follower.changes == 0


def test_rules_that_come_and_go_are_told() -> None:
    base = KnowledgeBase("none")
    add(base, *((ex(f"n{i}"), ex("p"), ex(f"n{i + 1}")) for i in range(4)))
    follower = Follower(base)
    base.add_rules(TRANSITIVE)
    assert len(follower.triples) == 10
    base.remove_rules(TRANSITIVE)
    assert len(follower.triples) == 4
    with pytest.raises(StratificationError):
        base.add_rules(f"@prefix e: <{EX}> . e:p(?x, ?y) :- e:p(?y, ?x), ~e:p(?x, ?y) .")
    assert follower.changes == 2


def test_a_closure_is_told_without_being_written_out() -> None:
    base = KnowledgeBase(TRANSITIVE)
    add(base, (ex("n0"), ex("q"), ex("n0")))
    told: list[tuple[int, int]] = []
    base.subscribe(lambda added, removed: told.append((len(added), len(removed))))
    count = 20_000
    nodes = [ex(f"n{i}") for i in range(count + 1)]
    add(base, *((nodes[i], ex("p"), nodes[i + 1]) for i in range(count)))
    base.flush()
    remove(base, (nodes[0], ex("p"), nodes[1]))
    base.flush()
    assert told == [(count * (count + 1) // 2, 0), (0, count)]


def test_listeners_stop_when_told() -> None:
    base = KnowledgeBase("none")
    first: list[TripleView] = []
    second: list[TripleView] = []
    cancel = base.subscribe(lambda added, removed: first.append(added))
    base.subscribe(lambda added, removed: second.append(added))
    add(base, DATUM)
    base.flush()
    cancel()
    cancel()
    remove(base, DATUM)
    base.flush()
    assert (len(first), len(second)) == (1, 2)


def test_a_listener_changes_the_store() -> None:
    """Its own change is told to everybody after the one that it was told of."""
    base = KnowledgeBase("rdfs")
    seen: list[tuple[str, int]] = []

    def first(added: TripleView, removed: TripleView) -> None:
        seen.append(("first", len(added)))
        if len(seen) == 1:
            add(base, (ex("y"), TYPE, ex("A")))
            assert (ex("y"), TYPE, ex("B")) in triples(base, base.all())

    base.subscribe(first)
    base.subscribe(lambda added, removed: seen.append(("second", len(added))))
    add(base, DATUM, AXIOM)
    base.flush()
    assert seen == [("first", 3), ("second", 3), ("first", 2), ("second", 2)]


def test_a_listener_that_fails_keeps_nothing_from_the_others() -> None:
    base = KnowledgeBase("none")
    follower = None

    def fail(added: TripleView, removed: TripleView) -> None:
        raise ValueError("no")

    cancel = base.subscribe(fail)
    follower = Follower(base)
    add(base, DATUM)
    with pytest.raises(ValueError, match="no"):
        base.flush()
    assert follower.triples == triples(base, base.all()) == {DATUM}
    base.subscribe(fail)
    remove(base, DATUM)
    with pytest.raises(ExceptionGroup):
        base.flush()
    cancel()
    base._check()
