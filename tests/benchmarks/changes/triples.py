"""Triples in shapes that are hard to maintain: equal things, circles, restrictions, lists."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from random import Random
from typing import TypeAlias

from kgreason.io.quads import DEFAULT_GRAPH, Quads
from kgreason.rdf.model import IRI, Literal, Term
from kgreason.rdf.vocabulary import OWL, RDF, RDFS, XSD
from kgreason.store.knowledge_base import KnowledgeBase

Triple: TypeAlias = tuple[Term, Term, Term]
Quad: TypeAlias = tuple[int, int, int, int]

TYPE, FIRST, REST, NIL = (IRI(RDF + name) for name in ("type", "first", "rest", "nil"))
SUBCLASS, SUBPROPERTY = IRI(RDFS + "subClassOf"), IRI(RDFS + "subPropertyOf")
SAME, EQUIVALENT, INVERSE = (IRI(OWL + name) for name in ("sameAs", "equivalentClass", "inverseOf"))


def ex(name: str) -> IRI:
    """An IRI of an example."""
    return IRI("http://example.org/" + name)


def base_of(rules: str, triples: Iterable[Triple]) -> KnowledgeBase:
    """A knowledge base with triples, of which nothing is derived yet."""
    base = KnowledgeBase(rules)
    encode = base.dictionary.encode
    base.add_quads(Quads.of_rows([(DEFAULT_GRAPH, *map(encode, triple)) for triple in triples]))
    return base


def list_of(name: str, members: Iterable[Term]) -> Iterator[Triple]:
    """The cells of a list, the first of which is `name`0."""
    cells = [(ex(f"{name}{place}"), member) for place, member in enumerate(members)]
    for (cell, member), (rest, _) in zip(cells, [*cells[1:], (NIL, NIL)], strict=True):
        yield cell, FIRST, member
        yield cell, REST, rest


def in_a_row(predicate: IRI, count: int, name: str = "c") -> Iterator[Triple]:
    """Each of so many things with the next one."""
    for one, other in pairwise(ex(f"{name}{number}") for number in range(count)):
        yield one, predicate, other


def around(predicate: IRI, count: int, name: str = "c") -> Iterator[Triple]:
    """The same, and the last one with the first."""
    yield from in_a_row(predicate, count, name)
    yield ex(f"{name}{count - 1}"), predicate, ex(f"{name}0")


def said_of(predicates: int, each: int) -> Iterator[Triple]:
    """So many facts of each property p0, p1, ..."""
    for number in range(predicates):
        for place in range(each):
            yield ex(f"x{number}_{place}"), ex(f"p{number}"), ex(f"y{number}_{place}")


def functional_chain(count: int) -> Iterator[Triple]:
    """Things that a functional property makes equal one after the other, in a chain."""
    yield ex("p"), TYPE, IRI(OWL + "FunctionalProperty")
    for number in range(count - 1):
        yield ex(f"s{number}"), ex("p"), ex(f"v{number}")
        yield ex(f"s{number}"), ex("p"), ex(f"v{number + 1}")


def classes_of_restrictions(count: int, kind: str) -> Iterator[Triple]:
    """A tree of classes that are equal to restrictions of few properties, with instances."""
    chance = Random(2)
    for number in range(count):
        restriction = ex(f"r{number}")
        yield ex(f"c{number}"), EQUIVALENT, restriction
        yield restriction, IRI(OWL + "onProperty"), ex(f"p{chance.randrange(5)}")
        yield (
            restriction,
            IRI(OWL + kind),
            ex(f"c{int(number * chance.random())}" if kind != "hasValue" else f"y{number % 50}"),
        )
        if number:
            yield ex(f"c{number}"), SUBCLASS, ex(f"c{int(number * chance.random())}")
        yield ex(f"y{number}"), TYPE, ex(f"c{number}")
        yield ex(f"y{number}"), ex(f"p{chance.randrange(5)}"), ex(f"y{chance.randrange(count)}")


def classes_of_lists(count: int, kind: str, members: int) -> Iterator[Triple]:
    """Classes that are an intersection or union of others, with instances of the others."""
    chance = Random(3)
    for number in range(count):
        yield ex(f"c{number}"), IRI(OWL + kind), ex(f"l{number}_0")
        yield from list_of(f"l{number}_", [ex(f"d{chance.randrange(count)}") for _ in range(members)])
    for number in range(20 * count):
        yield ex(f"x{number}"), TYPE, ex(f"d{chance.randrange(count)}")
        yield ex(f"x{number}"), TYPE, ex(f"d{chance.randrange(count)}")


def chains_of_properties(axioms: int, nodes: int, edges: int) -> Iterator[Triple]:
    """Property chains of two and three properties over random edges; some lead to their own first property."""
    chance = Random(4)
    for number in range(axioms):
        head = number % 10
        yield ex(f"p{head}"), IRI(OWL + "propertyChainAxiom"), ex(f"l{number}_0")
        links = [
            head if number % 3 == 0 else chance.randrange(10, 20),
            *(chance.randrange(10, 20) for _ in range(1 + number % 2)),
        ]
        yield from list_of(f"l{number}_", [ex(f"p{each}") for each in links])
    for _ in range(edges):
        one = chance.randrange(nodes - 1)
        yield ex(f"x{one}"), ex(f"p{chance.randrange(20)}"), ex(f"x{min(nodes - 1, one + chance.randrange(1, 50))}")


def keyed(things: int) -> Iterator[Triple]:
    """A key of two properties, by which pairs of things are equal."""
    yield ex("C"), IRI(OWL + "hasKey"), ex("l0")
    yield from list_of("l", [ex("p"), ex("q")])
    for number in range(things):
        yield ex(f"x{number}"), TYPE, ex("C")
        yield ex(f"x{number}"), ex("p"), ex(f"v{number // 40}")
        yield ex(f"x{number}"), ex("q"), ex(f"w{number // 2 % 1000}")


def properties_and_inverses(count: int, each: int) -> Iterator[Triple]:
    """A tree of properties with inverses, every tenth symmetric, with facts of each."""
    chance = Random(5)
    for number in range(count):
        yield ex(f"p{number}"), INVERSE, ex(f"i{number}")
        if number:
            yield ex(f"p{number}"), SUBPROPERTY, ex(f"p{int(number * chance.random())}")
        if number % 10 == 9:
            yield ex(f"p{number}"), TYPE, IRI(OWL + "SymmetricProperty")
    yield from said_of(count, each)


def mapped_concepts(groups: int, size: int) -> Iterator[Triple]:
    """Concepts that match exactly, in chains with some links more, and broader ones."""
    chance = Random(6)
    skos = "http://www.w3.org/2004/02/skos/core#"
    for group in range(groups):
        yield from in_a_row(IRI(skos + "exactMatch"), size, f"g{group}_")
        for _ in range(size // 10):
            one, other = chance.sample(range(size), 2)
            yield ex(f"g{group}_{one}"), IRI(skos + "exactMatch"), ex(f"g{group}_{other}")
        if group:
            yield ex(f"g{group}_0"), IRI(skos + "broader"), ex(f"g{int(group * chance.random())}_0")


def measured(groups: int, each: int) -> Iterator[Triple]:
    """Values of things that belong to groups, below each other."""
    chance = Random(7)
    for group in range(groups):
        for number in range(each):
            thing = ex(f"x{group}_{number}")
            yield thing, ex("in"), ex(f"g{group}")
            yield thing, ex("value"), Literal(str(chance.randrange(1000)), XSD + "integer")
        if group:
            yield ex(f"g{group}"), ex("part"), ex(f"g{int(group * chance.random())}")


def nothing_twice(triples: Callable[[], Iterator[Triple]]) -> Callable[[], list[Triple]]:
    """The triples, each once, in their order."""
    return lambda: list(dict.fromkeys(triples()))
