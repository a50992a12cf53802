"""SPARQL: what rdflib can parse has an answer in time, or one error of kgreason; the store is as it was."""

from __future__ import annotations

from functools import cache

from rdflib import Graph
from rdflib.plugins.sparql import prepareQuery

from kgreason import ReasoningStore
from kgreason.errors import KGReasonError
from tests.fuzz.target import Target, is_one_line

DATA = """
@prefix : <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Cat rdfs:subClassOf :Animal . :tom a :Cat ; :age 3 ; :name "Tom"@en ; :knows :kit . :kit a :Cat ; :age 1.5 ; :knows :tom .
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
    try:
        prepared = prepareQuery(text)
    except Exception:  # rdflib has no error of its own for what it refuses
        return
    before = len(graph())
    try:
        # With these options rdflib's evaluator is never asked instead.
        result = graph().query(prepared, timeout=2, max_rows=10_000)
        if result.type != "ASK":
            for _ in zip(result, range(1000), strict=False):
                pass
    except KGReasonError as error:
        assert is_one_line(error)
    assert len(graph()) == before


TARGET = Target(
    "sparql",
    [
        b"PREFIX : <http://e/> SELECT ?s (COUNT(*) AS ?n) WHERE { ?s a :Animal ; :age ?a . FILTER(?a > 1) } GROUP BY ?s ORDER BY ?n",
        b"PREFIX : <http://e/> SELECT DISTINCT ?x { { :tom :knows+ ?x } UNION { ?x :age|:name ?y } OPTIONAL { ?x :knows ?z } } LIMIT 5",
        b"PREFIX : <http://e/> ASK { :tom (:knows/^:knows)* ?x MINUS { ?x a :Dog } FILTER NOT EXISTS { ?x :age 7 } }",
        b"PREFIX : <http://e/> CONSTRUCT { ?s :is ?c } WHERE { ?s a ?c . BIND(CONCAT(STR(?s), 'x') AS ?t) VALUES ?c { :Cat UNDEF } }",
        b"PREFIX : <http://e/> SELECT * { GRAPH ?g { ?s ?p ?o } { SELECT ?s (MAX(?a) AS ?m) { ?s :age ?a } GROUP BY ?s HAVING(?m > 2) } }",
        b"PREFIX : <http://e/> DESCRIBE :tom ?x WHERE { :tom :name ?x FILTER(REGEX(?x, '^T', 'i') && LANG(?x) IN ('en', 'de')) }",
    ],
    [*(b"?x", b"{", b"}", b"(", b")", b" . ", b"*", b"+", b"/", b"^", b"!", b"|", b":knows", b"FILTER(", b"OPTIONAL {", b"UNION"),
     *(b"MINUS {", b"BIND(", b" AS ?x)", b"SELECT", b"GROUP BY", b"ORDER BY DESC(", b"LIMIT 1", b"OFFSET -1", b"IF(", b"COALESCE("),
     *(b"1e999", b"'a'@en", b"''''''", b"\\u0000", b"\xed\xa0\x80", b"((((((((", b"SUBSTR(?x, -1, 1e9)", b"REPLACE(", b"'(a*)*b'")],
    check,
)
