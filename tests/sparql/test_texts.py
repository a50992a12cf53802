"""A text, read by our parser, has the answers of what rdflib's parser makes of it: catches a wrong translation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import Graph, Namespace
from rdflib.plugins.sparql import prepareQuery
from rdflib.plugins.sparql.sparql import Query
from rdflib.term import Identifier

from kgreason import ReasoningStore
from kgreason.errors import QueryError
from tests.profiles import examples
from tests.sparql.query_texts import TextMaker

EX = Namespace("urn:")
DATA = """
@prefix : <urn:> .
:a :p :b, :c ; :q 1, "x"@en ; :step :b ; a :b .
:b :p :b ; :q 2.5, "1" ; :step :c .
:c :p :d, 3 ; :step :a, :d ; a :b, :c .
:d :q :a, [ :p :a ] .
"""


@pytest.fixture(scope="module")
def graph() -> Graph:
    return Graph(store=ReasoningStore(rules="none")).parse(data=DATA, format="kg-turtle")


@settings(max_examples=examples(60))
@given(seed=st.integers(0, 1 << 32))
def test_text_and_prepared_query_have_the_same_answers(graph: Graph, seed: int) -> None:
    text = TextMaker(Random(seed)).query()
    names = {str(name) for name in graph.query(text).vars or ()}
    prepared = prepareQuery(text)
    expected = answers(graph, text, names)

    assert answers(graph, prepared, names) == expected, text
    assert answers(graph, without_text(prepared), names) == expected, text


@settings(max_examples=examples(30))
@given(seed=st.integers(0, 1 << 32), name=st.sampled_from(["x", "y"]))
def test_bindings_mean_the_same_for_text_and_prepared_query(graph: Graph, seed: int, name: str) -> None:
    text = TextMaker(Random(seed)).query()
    names = {str(name) for name in graph.query(text).vars or ()}
    prepared = without_text(prepareQuery(text))

    assert answers(graph, prepared, names, {name: EX.a}) == answers(graph, text, names, {name: EX.a}), text


def without_text(prepared: Query) -> Query:
    """What rdflib parsed, so that its algebra is all that there is."""
    del prepared._original_args
    return prepared


def answers(
    graph: Graph, query: str | Query, names: set[str], given: Mapping[str, Identifier] | None = None
) -> Counter[frozenset[tuple[str, str]]] | str:
    """Solutions, without what is not selected: to rdflib, a ``*`` is also what only MINUS has."""
    try:
        rows = graph.query(query, initBindings=given).bindings
    except QueryError as error:
        return error.reason
    shown = ({str(name): str(term) for name, term in row.items()} for row in rows)
    return Counter(frozenset(row.items() - {item for item in row.items() if item[0] not in names}) for row in shown)
