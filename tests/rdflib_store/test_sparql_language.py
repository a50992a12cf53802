"""The language in its breadth: queries through the store beside Oxigraph, whose parser and engine are its own."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pyoxigraph as oxigraph
import pytest
from rdflib import BNode, Graph, Literal, URIRef

from kgreason import ReasoningStore

PREFIX = "PREFIX : <http://example.org/> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> "
STRING = "http://www.w3.org/2001/XMLSchema#string"

QUERIES = """\
SELECT ?x (COUNT(?y) AS ?c) { ?x :p ?y } GROUP BY ?x HAVING (?x != :x3)
SELECT ?x { ?x :n ?n } GROUP BY ?x ?n HAVING (?n > 3)
SELECT (SUM(?n) AS ?s) (?n2 AS ?k) { ?x :n ?n BIND(?n*2 AS ?n2) } GROUP BY ?n2 ORDER BY DESC(SUM(?n))
SELECT (SUM(?n)+COUNT(*) AS ?s) ((?k+1) AS ?l) { ?x :n ?n } GROUP BY (?n-1 AS ?k)
SELECT (COUNT(*) AS ?c) (MIN(?n) AS ?m) { ?x :n ?n } GROUP BY (?n > 2) (?n = 4) ?n
SELECT (STR(?n) AS ?z) (COUNT(*) AS ?c) { ?x :n ?n } GROUP BY ?n
SELECT (AVG(?n) AS ?a) { { SELECT ?x (MAX(?m) AS ?n) { ?x :p/:n ?m } GROUP BY ?x } }
SELECT (COUNT(DISTINCT ?n) AS ?a) (MIN(?n) AS ?b) (MAX(?n) AS ?d) { ?x :n ?n }
SELECT ?x ?m { ?x :p ?y { SELECT ?y (COUNT(*) AS ?m) { ?y :q ?z } GROUP BY ?y } }
SELECT ?x ?y ?z { ?x :p ?y OPTIONAL { ?y :q ?z FILTER(?z = ?x || ISNUMERIC(?z)) } }
SELECT ?x ?y ?z { ?x :p ?y OPTIONAL { ?y :q ?z OPTIONAL { ?z :n ?x2 FILTER(?x2 > 2 && ?x != :x1) } } }
SELECT ?x { ?x :p ?y FILTER NOT EXISTS { ?y :q ?z FILTER(ISIRI(?z) && ?x != ?z) } }
SELECT ?x { ?x :n ?n MINUS { ?x :q ?z MINUS { ?x a :C0 } } }
SELECT ?x ?n { VALUES (?x ?n) { (:x1 UNDEF) (UNDEF 3) (:x2 2) } ?x :n ?n }
SELECT ?x ?a ?b { ?x :n ?n BIND(?n + 1 AS ?a) BIND(?a * 2 AS ?b) FILTER(?b > 6) }
SELECT ?x ?b { ?x :n ?n BIND(IF(?n > 3, "hi", 1/0) AS ?b) }
SELECT (EXISTS { ?x :q ?y } AS ?e) ?x { ?x :n ?n }
SELECT ?x { ?x :n ?n } ORDER BY (EXISTS { ?x :q ?y }) ?n ?x
SELECT ?x (COUNT(*) AS ?c) { ?x :p|:q ?y } GROUP BY ?x HAVING (EXISTS { ?x :name ?w })
SELECT ?x ?y { ?x :p+ ?y FILTER(?x = :x1) }
SELECT ?x ?y { ?x !(:p|:n|^:q) ?y }
SELECT ?x ?y { ?x !(^:p|^:n) ?y }
SELECT ?x ?y { ?x !^:p ?y }
SELECT * { :x1 :p* ?y . OPTIONAL { ?y :name ?n } }
SELECT DISTINCT ?n { ?x :n ?n } ORDER BY DESC(?n) LIMIT 3 OFFSET 1
SELECT * { { ?x :q ?y } UNION { ?y :q ?x FILTER(ISIRI(?y)) } MINUS { ?x :name ?y } }
SELECT ?x { { SELECT ?x { ?x :n ?n } ORDER BY ?n ?x LIMIT 7 } ?x :p ?y }
SELECT (COUNT(*) AS ?c) { ?x ?p ?y . ?y ?q ?z FILTER(?p != ?q) }
SELECT ?p (COUNT(*) AS ?c) { ?x ?p ?y } GROUP BY ?p
SELECT (SAMPLE(?u) AS ?s) (COUNT(?u) AS ?c) { ?x :n ?n OPTIONAL { ?x :none ?u } }
SELECT (COALESCE(?name, "none") AS ?v) { ?x :n 3 OPTIONAL { ?x :name ?name } }
SELECT ?x { ?x :n ?n FILTER(false) }
SELECT ?x { ?x :n ?n FILTER(0) }
SELECT ?x { ?x :n ?n FILTER("") FILTER(true) }
SELECT ?x { ?x :n ?n OPTIONAL { ?x :p ?y FILTER("false"^^xsd:boolean) } FILTER(!BOUND(?y)) }
SELECT ?x { ?x :n ?n FILTER(?n IN (1, 2, 1/0)) }
SELECT ?x { ?x :n ?n FILTER(?n NOT IN (1, 2)) }
SELECT ?x ?y { ?x :n ?n . ?y :n ?n FILTER(STR(?x) < STR(?y)) }
SELECT ?x { ?x :n ?n . FILTER(!BOUND(?q)) OPTIONAL { ?x :q ?q } }
SELECT ?a ?b { { ?a :q ?b } { ?b :p ?a } UNION { ?a :p ?b } }
SELECT ?g { GRAPH ?g { ?x ?p ?y } }
SELECT ?x { ?x :n ?n { BIND(3 AS ?n) } }
SELECT (1 AS ?one) { ?x :nothing ?y }
SELECT (COUNT(*) AS ?c) (SUM(?y) AS ?s) (MIN(?y) AS ?m) { ?x :nothing ?y }
SELECT ?x (COUNT(*) AS ?c) { ?x :nothing ?y } GROUP BY ?x
SELECT ?x { ?x :q ?y . FILTER(?y > 2) }
SELECT ?x { ?x :q ?y . FILTER(-?y < -2 || +?y = 0.5) }
SELECT (MAX(?n) - MIN(?n) AS ?d) (COUNT(?x) / 2 AS ?h) { ?x :n ?n } HAVING (COUNT(*) > 2)
SELECT ?x WHERE { ?x :n 1 } VALUES ?x { :x1 :x2 :x3 :x4 :x5 :x6 :x7 :x8 }
SELECT ?n (COUNT(DISTINCT *) AS ?c) { ?x :n ?n ; :p ?y } GROUP BY ?n
SELECT (COUNT(?x) AS ?c) { ?x :n ?n } GROUP BY ?none
SELECT ?x ?c { ?x a ?c . FILTER EXISTS { SELECT ?x { ?x :n ?k } } }
SELECT ?x ?k { ?x a :C0 OPTIONAL { SELECT ?x (COUNT(*) AS ?k) { ?x :q ?y } GROUP BY ?x } }
SELECT (STR(xsd:time("2020-02-29T12:30:05.5Z"^^xsd:dateTime)) AS ?t) {}
SELECT (STRBEFORE("abc"@en, "b"@EN) AS ?t) {}
ASK { ?x :n 3 FILTER EXISTS { ?x :name ?y } }
"""


def document() -> str:
    """Forty things with numbers; some have names, types, and a second property with IRIs and decimals."""
    chosen = random.Random(5)
    lines = ["@prefix : <http://example.org/> ."]
    for i in range(40):
        lines.append(f":x{i} :p :x{chosen.randrange(40)} ; :n {chosen.randrange(6)} .")
        if i % 3 == 0:
            lines.append(f':x{i} :name "n{i % 5}" .')
        if i % 4 == 0:
            lines.append(f":x{i} :q :x{chosen.randrange(40)}, {i % 7}.5 .")
        if i % 5 == 0:
            lines.append(f":x{i} a :C{i % 2} .")
    return "\n".join(lines)


@pytest.fixture(scope="module")
def stores() -> tuple[Graph, oxigraph.Store]:
    graph = Graph(store=ReasoningStore(rules="none")).parse(data=document(), format="kg-turtle")
    peer = oxigraph.Store()
    peer.load(document().encode(), format=oxigraph.RdfFormat.TURTLE)
    return graph, peer


@pytest.mark.parametrize("query", QUERIES.splitlines())
def test_answers_are_those_of_oxigraph(stores: tuple[Graph, oxigraph.Store], query: str) -> None:
    graph, peer = stores
    found = graph.query(PREFIX + query)
    expected = oxigraph_answer(peer, PREFIX + query)
    if isinstance(expected, bool):
        assert found.askAnswer == expected
        return
    names, rows = expected
    assert {str(name) for name in found.vars or ()} == {*names}
    wanted = [{name: term_of(term) for name, term in zip(names, row, strict=True) if term} for row in rows]
    assert counted(found.bindings) == counted(wanted)


def oxigraph_answer(peer: oxigraph.Store, query: str) -> bool | tuple[list[str], list[tuple[Any, ...]]]:
    """Read to the end, since its solutions must not outlive this call.

    rdflib's parser leaves exceptions behind that hold the frames of its callers, until some thread collects them; and
    Oxigraph's solutions may go only in the thread that made them."""
    solutions = peer.query(query)
    if not isinstance(solutions, oxigraph.QuerySolutions):
        return bool(solutions)
    return [variable.value for variable in solutions.variables], [tuple(row) for row in solutions]


def counted(rows: Any) -> Counter:
    return Counter(frozenset((str(name), value_of(term)) for name, term in row.items()) for row in rows)


def value_of(term: Any) -> object:
    """A number by its value: 2 and 2.0 are written as one engine or the other likes it."""
    if isinstance(term, Literal) and term.datatype is not None and not isinstance(term.value, (str, type(None))):
        return float(term.value)
    return "blank" if isinstance(term, BNode) else term


def term_of(term: Any) -> URIRef | BNode | Literal:
    if isinstance(term, oxigraph.NamedNode):
        return URIRef(term.value)
    if isinstance(term, oxigraph.BlankNode):
        return BNode(term.value)
    datatype = None if term.language or term.datatype.value == STRING else URIRef(term.datatype.value)
    return Literal(term.value, lang=term.language, datatype=datatype)
