"""Which scheme keeps which relation: chosen from the program, again when it changes, forced, or brought along."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from kgreason import KnowledgeBase, SchemeError
from kgreason.io.quads import DEFAULT_GRAPH, Quads
from kgreason.rdf.model import IRI, Literal
from kgreason.rdf.vocabulary import OWL, RDF, RDFS
from kgreason.relations.catalogue import PLAIN, TRANSITIVE, VIRTUAL, Catalogue, Input
from kgreason.relations.schemes import TransitiveScheme, standard_catalogue
from kgreason.relations.table import Table
from tests.facade import EX, add, ex, remove, triples

TYPE, SUBCLASS, SUBPROPERTY, INVERSE = (
    IRI(RDF + "type"),
    IRI(RDFS + "subClassOf"),
    IRI(RDFS + "subPropertyOf"),
    IRI(OWL + "inverseOf"),
)
TRANSITIVE_PROPERTY, SYMMETRIC_PROPERTY = IRI(OWL + "TransitiveProperty"), IRI(OWL + "SymmetricProperty")


def scheme_of(base: KnowledgeBase, name: str) -> str | None:
    """The scheme of a relation of the tests' namespace, None where it has no facts."""
    found = {relation.name: relation.scheme for relation in base.statistics().relations}
    return found.get(f"{EX}{name}", found.get(name))


def chain(base: KnowledgeBase, name: str, length: int = 5) -> None:
    add(base, *((ex(f"n{i}"), ex(name), ex(f"n{i + 1}")) for i in range(length)))


def test_data_moves_to_the_scheme_of_an_axiom_and_back() -> None:
    base = KnowledgeBase("owl-rl")
    chain(base, "part")
    assert scheme_of(base, "part") == "pairs"
    for axiom, scheme, count in (
        (TRANSITIVE_PROPERTY, "transitive", 15),
        (SYMMETRIC_PROPERTY, "equivalence", 36),
    ):
        add(base, (ex("part"), TYPE, axiom))
        assert scheme_of(base, "part") == scheme
        assert base.all().count(None, base.dictionary.encode(ex("part")), None) == count
    remove(base, (ex("part"), TYPE, TRANSITIVE_PROPERTY))
    assert scheme_of(base, "part") == "union"
    remove(base, (ex("part"), TYPE, SYMMETRIC_PROPERTY))
    assert scheme_of(base, "part") == "pairs"
    base._check()


def test_inverse_relations_share_one_closure() -> None:
    base = KnowledgeBase("owl-rl")
    chain(base, "part")
    add(base, (ex("part"), TYPE, TRANSITIVE_PROPERTY), (ex("part"), INVERSE, ex("whole")))
    assert {scheme_of(base, "part"), scheme_of(base, "whole")} == {"transitive", "inverse"}
    assert (ex("n4"), ex("whole"), ex("n0")) in triples(base, base.all())


def test_hierarchies_are_stored_nowhere_but_in_their_sources() -> None:
    base = KnowledgeBase("rdfs")
    add(base, (ex("A"), SUBCLASS, ex("B")), (ex("B"), SUBCLASS, ex("C")), (ex("p"), SUBPROPERTY, ex("q")))
    add(base, *((ex(f"n{i}"), TYPE, ex("A")) for i in range(1000)), (ex("n0"), ex("p"), ex("n1")))
    relations = {relation.name: relation for relation in base.statistics().relations}
    for name, facts in (("B", 1000), ("C", 1000), ("q", 1)):
        relation = relations[EX + name]
        assert (relation.scheme, relation.facts) == ("union", facts)
        assert relation.bytes <= 16, "bytes for facts that are elsewhere"
    assert relations[EX + "C"].bytes_per_fact < 0.1


def test_what_rules_join_is_written_out_unless_the_catalogue_says_otherwise() -> None:
    rules = f"@prefix e: <{EX}> . e:q(?x, ?y) :- e:p(?x, ?y) . e:r(?x, ?z) :- e:q(?x, ?y), e:q(?y, ?z) ."
    expected = None
    for catalogue, scheme in (
        (standard_catalogue(), "pairs"),
        (replace(standard_catalogue(), join_limit=2), "union"),
        (replace(standard_catalogue(), forced={f"{EX}q": VIRTUAL}), "union"),
        (replace(standard_catalogue(), join_limit=2, forced={f"{EX}q": PLAIN}), "pairs"),
        (standard_catalogue(PLAIN), "pairs"),
    ):
        base = KnowledgeBase(rules, catalogue)
        chain(base, "p")
        assert scheme_of(base, "q") == scheme
        found = triples(base, base.all())
        expected = expected or found
        assert found == expected


def test_a_recursion_that_no_scheme_stands_for_stays_plain() -> None:
    rules = f"""@prefix e: <{EX}> .
        e:q(?x, ?z) :- e:q(?x, ?y), e:q(?y, ?z), e:both(?y) .
        e:q(?y, ?x) :- e:q(?x, ?y), e:both(?x) ."""
    base = KnowledgeBase(rules)
    chain(base, "q")
    add(base, (ex("n4"), TYPE, ex("both")))
    assert scheme_of(base, "q") == "pairs"


def test_a_transitive_relation_that_feeds_itself_is_kept_in_a_scheme() -> None:
    rules = f"""@prefix e: <{EX}> .
        e:q(?x, ?z) :- e:q(?x, ?y), e:q(?y, ?z) .
        e:q(?y, ?x) :- e:q(?x, ?y), e:both(?x) ."""
    base = KnowledgeBase(rules)
    chain(base, "q")
    add(base, (ex("n4"), TYPE, ex("both")))
    assert scheme_of(base, "q") == "transitive"


def test_copies_that_lead_back_through_other_rules_are_not_equal() -> None:
    """r is part of p and of q, which r follows from together: no circle of copies, so p has more than r."""
    rules = f"""@prefix e: <{EX}> .
        e:p(?x, ?y) :- e:r(?x, ?y) . e:q(?x, ?y) :- e:r(?x, ?y) .
        e:q(?x, ?z) :- e:q(?x, ?y), e:q(?y, ?z) .
        e:r(?x, ?z) :- e:p(?x, ?y), e:q(?y, ?z) ."""
    base = KnowledgeBase(rules)
    add(base, (ex("n0"), ex("p"), ex("n1")), (ex("n1"), ex("p"), ex("n2")))
    assert len(base.all()) == 2


def test_a_literal_keeps_an_inverse_from_sharing_a_closure() -> None:
    """`whole` has no triple with a literal as subject, so it is not the inverse of all that `part` has."""
    base = KnowledgeBase("owl-rl")
    chain(base, "part")
    add(base, (ex("part"), TYPE, TRANSITIVE_PROPERTY), (ex("part"), INVERSE, ex("whole")))
    assert scheme_of(base, "part") == "transitive"
    add(base, (ex("n5"), ex("part"), Literal("dust")))
    found = triples(base, base.all())
    assert (ex("n0"), ex("part"), Literal("dust")) in found
    assert not any(isinstance(subject, Literal) for subject, _, _ in found)
    assert scheme_of(base, "part") == "pairs"
    base._check()


class Counting:
    """A third party's scheme: the transitive one, with a count of how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def derive(self, before: Table | None, inputs: Sequence[Input]) -> Table:
        self.asked += 1
        return TransitiveScheme().derive(before, inputs)


def test_a_scheme_can_be_brought_along() -> None:
    counting = Counting()
    known = standard_catalogue()
    base = KnowledgeBase("owl-rl", Catalogue({**known.schemes, TRANSITIVE: counting}))
    chain(base, "part")
    add(base, (ex("part"), TYPE, TRANSITIVE_PROPERTY))
    assert len(triples(base, base.all())) == 16
    remove(base, (ex("n0"), ex("part"), ex("n1")))
    assert len(triples(base, base.all())) == 11
    assert counting.asked == 2


def test_a_closure_without_a_scheme_is_written_out() -> None:
    base = KnowledgeBase("owl-rl", Catalogue({}))
    chain(base, "part")
    add(base, (ex("part"), TYPE, TRANSITIVE_PROPERTY))
    assert scheme_of(base, "part") == "pairs"
    assert len(base.all()) == 16


@pytest.mark.parametrize("scheme", ["virtual", "", "Plain"])
def test_unknown_schemes_are_refused(scheme: str) -> None:
    with pytest.raises(SchemeError, match="schemes must be 'auto', 'plain'"):
        KnowledgeBase("rdfs", schemes=scheme)
    with pytest.raises(SchemeError, match="the default is 'auto' or 'plain'"):
        Catalogue({}, default=scheme)
    with pytest.raises(SchemeError, match="can be forced to be 'plain' or 'virtual'"):
        Catalogue({}, forced={f"{EX}p": scheme + "?"})


def test_a_reader_keeps_its_version_of_a_closure() -> None:
    base = KnowledgeBase("owl-rl")
    chain(base, "part")
    add(base, (ex("part"), TYPE, TRANSITIVE_PROPERTY))
    view = base.all()
    before = triples(base, view)
    remove(base, (ex("n2"), ex("part"), ex("n3")))
    add(base, (ex("n5"), ex("part"), ex("n0")))
    assert triples(base, base.all()) != before
    assert triples(base, view) == before


@pytest.mark.slow
def test_a_huge_closure_is_counted_and_searched_but_never_made() -> None:
    """A hundred thousand nodes in a row: five billion pairs."""
    size = 100_000
    base = KnowledgeBase(f"@prefix e: <{EX}> . e:p(?x, ?z) :- e:p(?x, ?y), e:p(?y, ?z) .")
    nodes = np.array([base.dictionary.encode(ex(f"n{i}")) for i in range(size)], dtype=np.uint32)
    predicate = base.dictionary.encode(ex("p"))
    same = np.full(size - 1, predicate, dtype=np.uint32)
    base.add_quads(Quads(np.full(size - 1, DEFAULT_GRAPH, dtype=np.uint32), nodes[:-1], same, nodes[1:]))
    view = base.all()
    assert len(view) == size * (size - 1) // 2
    assert view.contains(int(nodes[0]), predicate, int(nodes[-1]))
    assert not view.contains(int(nodes[-1]), predicate, int(nodes[0]))
    assert view.count(int(nodes[-3]), None, None) == 2
    assert view.count(None, None, int(nodes[2])) == 2
    remove(base, (ex(f"n{size // 2}"), ex("p"), ex(f"n{size // 2 + 1}")))
    parts = (size // 2 + 1, size // 2 - 1)
    assert len(base.all()) == sum(part * (part - 1) // 2 for part in parts)
