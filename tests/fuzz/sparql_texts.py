"""SPARQL: what can be parsed has an answer in time, or one error of kgreason; the store is as it was."""

from __future__ import annotations

from functools import cache

from rdflib import Graph

from kgreason import ReasoningStore
from kgreason.errors import KGReasonError
from tests.fuzz.target import Target, expect_one_line

DATA = """
@prefix : <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Cat rdfs:subClassOf :Animal . :tom a :Cat ; :age 3 ; :name "Tom"@en ; :knows :kit .
:kit a :Cat ; :age 1.5 ; :knows :tom .
"""


@cache
def graph() -> Graph:
    """The graph that is asked."""
    found = Graph(store=ReasoningStore(rules="rdfs"))
    found.parse(data=DATA, format="turtle")
    return found


def check(data: bytes) -> None:
    """A query text; bytes that are no text are replaced."""
    text = data.decode("utf-8", "replace")
    if b"SERVICE" in data.upper():  # which would go out into the net
        return
    before = len(graph())
    try:
        # With these options rdflib's evaluator is never asked instead.
        result = graph().query(text, initNs={}, timeout=2, max_rows=10_000)
        if result.type != "ASK":
            for _ in zip(result, range(1000), strict=False):
                pass
    except KGReasonError as error:
        expect_one_line(error)
    assert len(graph()) == before


QUERIES = """
SELECT ?s (COUNT(*) AS ?n) WHERE { ?s a :Animal ; :age ?a . FILTER(?a > 1) } GROUP BY ?s ORDER BY ?n
SELECT DISTINCT ?x { { :tom :knows+ ?x } UNION { ?x :age|:name ?y } OPTIONAL { ?x :knows ?z } } LIMIT 5
ASK { :tom (:knows/^:knows)* ?x MINUS { ?x a :Dog } FILTER NOT EXISTS { ?x :age 7 } }
CONSTRUCT { ?s :is ?c } WHERE { ?s a ?c . BIND(CONCAT(STR(?s), 'x') AS ?t) VALUES ?c { :Cat UNDEF } }
SELECT * { GRAPH ?g { ?s ?p ?o } { SELECT ?s (MAX(?a) AS ?m) { ?s :age ?a } GROUP BY ?s HAVING(?m > 2) } }
DESCRIBE :tom ?x WHERE { :tom :name ?x FILTER(REGEX(?x, '^T', 'i') && LANG(?x) IN ('en', 'de')) }
"""

TARGET = Target(
    "sparql",
    [b"PREFIX : <http://e/> " + query.encode() for query in QUERIES.strip().split("\n")],
    [
        *b"?x { } ( ) * + / ^ ! | :knows FILTER( OPTIONAL UNION MINUS BIND( SELECT GROUP ORDER BY DESC( IF(".split(),
        *b"COALESCE( 1e999 'a'@en \'\'\'\'\'\' \\u0000 \xed\xa0\x80 (((((((( REPLACE( '(a*)*b'".split(),
        *(b" . ", b" AS ?x)", b"LIMIT 1", b"OFFSET -1", b"SUBSTR(?x, -1, 1e9)"),
    ],
    check,
)
