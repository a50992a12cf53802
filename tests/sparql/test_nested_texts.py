"""Random nested queries and updates as text have the results of Oxigraph, and with bindings those of its substitutions.

Would catch a filter that sees the wrong variables, a group or a slice taken at the wrong place, an error that counts as
a value, or a given term that does not reach a subquery or a path.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from random import Random
from typing import Final, TypeAlias

import pyoxigraph as ox
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from rdflib import Dataset, Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.plugins.sparql import prepareQuery
from rdflib.plugins.sparql.sparql import Query
from rdflib.query import Result
from rdflib.term import Identifier, Node

from kgreason import ReasoningStore
from kgreason.rdf.vocabulary import XSD
from tests.profiles import examples
from tests.sparql.nested_texts import NestedTexts

NUMBERS: Final = {XSD + name for name in ("integer", "decimal", "double")}
GIVEN: Final[list[tuple[Identifier, ox.NamedNode | ox.Literal]]] = [
    (URIRef("urn:a"), ox.NamedNode("urn:a")),
    (URIRef("urn:g"), ox.NamedNode("urn:g")),
    (Literal("x", lang="en"), ox.Literal("x", language="en")),
    (Literal(1), ox.Literal(1)),
]
Row: TypeAlias = frozenset[tuple[str, str]]


def stores(data: str) -> tuple[Dataset, ox.Store]:
    """The same quads here and in Oxigraph."""
    dataset, peer = Dataset(store=ReasoningStore(rules="none")), ox.Store()
    dataset.parse(data=data, format="kg-trig")
    peer.load(data.encode(), format=ox.RdfFormat.TRIG)
    return dataset, peer


def shown(term: Node | ox.NamedNode | ox.Literal | ox.BlankNode) -> str:
    """A term in N-Triples, numbers by what they are: engines write them in several ways."""
    line = term.n3() if isinstance(term, Node) else str(term)
    if not isinstance(term, Literal | ox.Literal):
        return line
    lexical, _, datatype = line.rpartition("^^")
    if datatype[1:-1] not in NUMBERS:
        return line.lower()  # tags of languages are the same in any case
    try:
        return f'"{float(lexical[1:-1]):.9g}"^^{datatype}'
    except ValueError:
        return line


def rows(result: Result) -> Counter[Row]:
    names = {str(name) for name in result.vars or ()}
    return Counter(
        frozenset((str(name), shown(term)) for name, term in row.items() if str(name) in names)
        for row in result.bindings
    )


def peer_rows(solutions: ox.QuerySolutions) -> Counter[Row]:
    names = [variable.value for variable in solutions.variables]
    return Counter(
        frozenset((name, shown(term)) for name in names if (term := row[name]) is not None) for row in solutions
    )


def line_of(terms: Iterable[Node | ox.NamedNode | ox.Literal | ox.BlankNode]) -> str:
    """A triple or a quad in N-Quads, which none of the default graph's names ends."""
    return " ".join(shown(term) for term in terms if term not in (None, DATASET_DEFAULT_GRAPH_ID, ox.DefaultGraph()))


def named(lines: set[str]) -> list[str]:
    """Triples or quads with blank nodes named by what is said of them."""
    dataset = ox.Dataset(ox.parse("".join(f"{line} .\n" for line in lines), format=ox.RdfFormat.N_QUADS))
    dataset.canonicalize(ox.CanonicalizationAlgorithm.RDFC_1_0)
    return sorted(map(str, dataset))


@settings(max_examples=examples(200))
@given(seed=st.integers(0, 1 << 32))
def test_a_nested_query_has_the_rows_of_oxigraph(seed: int) -> None:
    texts = NestedTexts(Random(seed))
    dataset, peer = stores(texts.data())
    query = texts.query()

    assert rows(dataset.query(query)) == peer_rows(peer.query(query)), query


@settings(max_examples=examples(100))
@given(seed=st.integers(0, 1 << 32))
def test_a_given_term_is_everywhere_in_a_nested_query(seed: int) -> None:
    chance = Random(seed)
    texts = NestedTexts(chance)
    dataset, peer = stores(texts.data())
    query, name, (term, substitute) = texts.query(), chance.choice("xyzv"), chance.choice(GIVEN)

    found = rows(dataset.query(query, initBindings={name: term}))
    if "!(^" not in query and "!^" not in query:  # of these rdflib forgets the IRI
        assert rows(dataset.query(algebra_of(query), initBindings={name: term})) == found, query
    # There, what is given is not bound, and not in a subquery that does not select it.
    assume(query.count("SELECT") == 1 and f"BOUND(?{name})" not in query and f"(?{name} AS" not in query)
    try:
        expected = peer_rows(peer.query(query, substitutions={ox.Variable(name): substitute}))
    except RuntimeError:  # it wants the variable to be selected
        return
    assert found == expected, query


def algebra_of(query: str) -> Query:
    """What rdflib prepares, without the text."""
    prepared = prepareQuery(query)
    del prepared._original_args
    return prepared


@settings(max_examples=examples(60))
@given(seed=st.integers(0, 1 << 32))
def test_a_template_is_filled_as_oxigraph_fills_it(seed: int) -> None:
    texts = NestedTexts(Random(seed))
    dataset, peer = stores(texts.data())
    query = texts.construction()

    found = {line_of(triple) for triple in dataset.query(query)}

    assert named(found) == named({line_of(triple) for triple in peer.query(query)}), query


@settings(max_examples=examples(100))
@given(seed=st.integers(0, 1 << 32))
def test_a_nested_update_changes_as_oxigraph_does(seed: int) -> None:
    texts = NestedTexts(Random(seed))
    dataset, peer = stores(texts.data())
    update = texts.update()

    dataset.update(update)
    peer.update(update)

    assert named({line_of(quad) for quad in dataset.quads()}) == named({line_of(quad) for quad in peer}), update
