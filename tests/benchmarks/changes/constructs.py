"""Ontologies of n axioms of one construct of OWL each, in Turtle, with data that they say something about.

Each has a shape in which the construct could become costly: long chains, one large list, many restrictions of one
property, everything equal in the end. What takes more than twice as long for twice as many axioms, beside its facts, is
a cliff. The same size gives the same text.
"""

from __future__ import annotations

import io
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from itertools import count
from typing import TypeAlias

import pyoxigraph

from kgreason import ReasoningStore
from kgreason.store.knowledge_base import KnowledgeBase

Lines: TypeAlias = Iterable[str]

PREFIXES = """@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""


def restriction(role: str, value: str, kind: str = "someValuesFrom") -> str:
    """A restriction, as a blank node."""
    return f"[ owl:onProperty :{role} ; owl:{kind} {value} ]"


def names(letter: str, numbers: Iterable[int]) -> str:
    """An RDF list."""
    return f"( {' '.join(f':{letter}{number}' for number in numbers)} )"


def some_tree(n: int) -> Lines:
    """A tree of classes, each below an existential restriction, as in EL ontologies."""
    for k in range(n):
        yield f":C{k} rdfs:subClassOf :C{k // 3} , {restriction(f'p{k % 7}', f':C{k // 2}')} ."


def some_random(n: int) -> Lines:
    """The same, in no order: large cycles."""
    chance = random.Random(n)
    for k in range(n):
        filler = restriction(f"p{chance.randrange(7)}", f":C{chance.randrange(n)}")
        yield f":C{k} rdfs:subClassOf :C{chance.randrange(n)} , {filler} ."


def some_equal(n: int) -> Lines:
    """Definitions by one property that make all classes equal, and things of them."""
    chance = random.Random(n)
    for k in range(n):
        yield f":C{k} owl:equivalentClass {restriction('p', f':C{k // 2}')} ; rdfs:subClassOf :C{k // 3} ."
        yield f":x{k} :p :x{chance.randrange(n)} ; a :C{chance.randrange(n)} ."


def some_shared(n: int) -> Lines:
    """Definitions by restrictions with one filler, as ontologies of one species have for each class of another one."""
    yield ":p a owl:ObjectProperty . :Species a owl:Class ."
    for k in range(n):
        yield f":C{k} owl:equivalentClass [ owl:intersectionOf ( :D{k} {restriction('p', ':Species')} ) ] ."


def some_above(n: int) -> Lines:
    """The same by two fillers, one above the other."""
    yield ":p a owl:ObjectProperty . :Genus a owl:Class . :Species a owl:Class ; rdfs:subClassOf :Genus ."
    for k in range(n):
        filler = restriction("p", ":Species" if k % 2 else ":Genus")
        yield f":C{k} owl:equivalentClass [ owl:intersectionOf ( :D{k} {filler} ) ] ."


def some_chain(n: int) -> Lines:
    """Things that get a class each by way of the one before."""
    yield ":x0 a :C0 ."
    for k in range(n):
        yield f"{restriction('p', f':C{k}')} rdfs:subClassOf :C{k + 1} . :x{k + 1} :p :x{k} ."


def all_chain(n: int) -> Lines:
    """The same by universal restrictions."""
    yield ":x0 a :C0 ."
    for k in range(n):
        yield f":C{k} rdfs:subClassOf {restriction('p', f':C{k + 1}', 'allValuesFrom')} . :x{k} :p :x{k + 1} ."


def has_value(n: int) -> Lines:
    """As many values of one property as there are things."""
    for k in range(n):
        yield f":C{k} owl:equivalentClass {restriction('p', f':v{k}', 'hasValue')} . :x{k} :p :v{k} . :y{k} a :C{k} ."


def at_most_one(n: int) -> Lines:
    """Restrictions of cardinality that make things equal."""
    one = '"1"^^<http://www.w3.org/2001/XMLSchema#nonNegativeInteger>'
    for k in range(n // 10):
        yield f":A{k} rdfs:subClassOf {restriction(f'p{k % 5}', one, 'maxCardinality')} ."
    for k in range(n):
        yield f":x{k // 2} :p{k % 5} :y{k} . :x{k} a :A{k % max(1, n // 10)} ."


def one_of(n: int) -> Lines:
    """A class of listed things."""
    yield f":C owl:oneOf {names('x', range(n))} ."


def all_different(n: int) -> Lines:
    """Listed things that differ, and two that are equal."""
    yield f"[] a owl:AllDifferent ; owl:distinctMembers {names('x', range(n))} . :x0 owl:sameAs :x1 ."


def large_intersection(n: int) -> Lines:
    """A class of which things must have all listed ones."""
    yield f":C owl:intersectionOf {names('D', range(n))} . :y a :C ."
    yield from (f":x a :D{k} ." for k in range(n))


def intersections(n: int) -> Lines:
    """Intersections of three classes each, below each other in cycles."""
    chance, classes = random.Random(n), max(1, n // 4)
    for k in range(classes):
        listed = names("D", [chance.randrange(classes) for _ in range(3)])
        yield f":C{k} owl:intersectionOf {listed} . :D{k} rdfs:subClassOf :C{chance.randrange(classes)} ."
    yield from (f":x{k} a :D{chance.randrange(classes)} ." for k in range(n))


def large_union(n: int) -> Lines:
    """A class of which things need one of the listed ones."""
    yield f":C owl:unionOf {names('D', range(n))} ."
    yield from (f":x{k} a :D{k} ." for k in range(n))


def disjoint(n: int) -> Lines:
    """Listed classes that share no thing."""
    yield f"[] a owl:AllDisjointClasses ; owl:members {names('D', range(n))} ."
    yield from (f":x{k} a :D{k} ." for k in range(n))


def transitive_some(n: int) -> Lines:
    """A path of a transitive property, and a restriction of it that the end decides."""
    yield f":p a owl:TransitiveProperty . {restriction('p', ':B')} rdfs:subClassOf :C . :x{n} a :B ."
    yield from (f":x{k} :p :x{k + 1} ." for k in range(n))


def transitive_all(n: int) -> Lines:
    """The same with a universal restriction, which the beginning decides."""
    yield f":p a owl:TransitiveProperty . :A rdfs:subClassOf {restriction('p', ':B', 'allValuesFrom')} . :x0 a :A ."
    yield from (f":x{k} :p :x{k + 1} ." for k in range(n))


def transitive_equal(n: int) -> Lines:
    """Two transitive properties, each below the other."""
    chance = random.Random(n)
    yield ":p a owl:TransitiveProperty ; rdfs:subPropertyOf :q . :q a owl:TransitiveProperty ; rdfs:subPropertyOf :p ."
    yield from (f":x{k} :{'pq'[k % 2]} :x{chance.randrange(n)} ." for k in range(n))


def chains(n: int) -> Lines:
    """Parts, and what regulates them, by property chains as in the Gene Ontology."""
    chance = random.Random(n)
    yield ":part a owl:TransitiveProperty . :reg owl:propertyChainAxiom ( :reg :part ) , ( :part :reg ) ."
    for k in range(1, n):
        yield f":x{k} :part :x{chance.randrange(k)} ."
        if k % 3 == 0:
            yield f":x{k} :reg :x{chance.randrange(n)} ."


def functional(n: int) -> Lines:
    """A functional property that makes all things equal, one by way of the other."""
    yield ":p a owl:FunctionalProperty ."
    yield from (f":x{k // 2} :p :x{k} ." for k in range(n))


def keys(n: int) -> Lines:
    """Keys of two properties, of which one has few values."""
    chance = random.Random(n)
    yield ":A owl:hasKey ( :p :q ) ."
    for k in range(n):
        values = " ; ".join(f":p :v{chance.randrange(100)} ; :q :w{chance.randrange(10 * n)}" for _ in range(3))
        yield f":x{k} a :A ; {values} ."


def equal_classes(n: int) -> Lines:
    """A chain of equivalent classes, each with a thing."""
    yield from (f":C{k} owl:equivalentClass :C{k + 1} . :x{k} a :C{k} ." for k in range(n))


def equal_properties(n: int) -> Lines:
    """The same of properties."""
    yield from (f":p{k} owl:equivalentProperty :p{k + 1} . :x{k} :p{k} :y{k} ." for k in range(n))


def inverse_properties(n: int) -> Lines:
    """As many inverse properties as pairs."""
    yield from (f":p{k} owl:inverseOf :q{k} . :x{k} :p{k} :x{k + 1} ." for k in range(n))


def equal_things(n: int) -> Lines:
    """A path of a transitive property whose things have two names each."""
    yield ":p a owl:TransitiveProperty ."
    yield from (f":x{k} :p :x{k + 1} ; owl:sameAs :y{k} ." for k in range(n))


ONTOLOGIES: Mapping[str, Callable[[int], Lines]] = {
    each.__name__.replace("_", " "): each
    for each in (
        some_tree, some_random, some_equal, some_shared, some_above, some_chain, all_chain, has_value, at_most_one,
        one_of, all_different, large_intersection, intersections, large_union, disjoint, transitive_some,
        transitive_all, transitive_equal, chains, functional, keys, equal_classes, equal_properties,
        inverse_properties, equal_things,
    )
}  # fmt: skip


def ontology(name: str, size: int) -> KnowledgeBase:
    """One of them under OWL 2 RL, with nothing derived yet."""
    store = ReasoningStore(rules="owl-rl")
    store.bulk_load(io.BytesIO(named(PREFIXES + "\n".join(ONTOLOGIES[name](size))).encode()), format="nt")
    return store.knowledge_base


def named(turtle: str) -> str:
    """A document as N-Triples, with the same names for its blank nodes whenever it is read, so that another knowledge
    base is found to have a triple of this one."""
    triples = pyoxigraph.parse(turtle, format=pyoxigraph.RdfFormat.TURTLE)
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    lines = pyoxigraph.serialize((each.triple for each in triples), format=pyoxigraph.RdfFormat.N_TRIPLES).decode()
    return re.sub(r"_:\w+", lambda found: f"<http://example.org/_{numbers[found[0]]}>", lines)
