"""The slow cases: what each needs, and what is done under the limit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from rdflib import OWL, RDF, Graph

from kgreason import Access
from kgreason.engine.budget import Budget
from tests.benchmarks.limits import files
from tests.benchmarks.limits.stores import (
    EX,
    Store,
    chain,
    dense,
    dripping,
    empty,
    same,
    skewed,
    small,
    transitive,
    wide,
)

SECONDS: Final = 1.0


@dataclass(frozen=True, slots=True)
class Case:
    """Slow work on a store; `run` does it under the limit. `is_reading` work leaves the store open to readers."""

    kind: str
    name: str
    store: Store
    run: Callable[[Graph, Path], Any]
    is_reading: bool = False


@contextmanager
def budget(graph: Graph) -> Iterator[None]:
    """Within which changes of a store have the limit."""
    store: Any = graph.store
    store.budget = Budget(seconds=SECONDS)
    try:
        yield
    finally:
        store.budget = None


def _queried(text: str, graph: Graph, _: Path) -> None:
    graph.query(text, timeout=SECONDS)


def _updated(text: str, graph: Graph, _: Path) -> None:
    with budget(graph):
        graph.update(text, timeout=SECONDS)


def _ruled(rules: str, graph: Graph, _: Path) -> None:
    store: Any = graph.store
    with budget(graph):
        store.add_rules(f"@prefix ex: <{EX}> . {rules}")


def _loaded(write: Callable[[Path], Path], graph: Graph, folder: Path) -> None:
    store: Any = graph.store
    with budget(graph):
        store.bulk_load(write(folder))
        (EX.x1, EX.p, EX.x2) in graph  # noqa: B015 - a read maintains


def _parsed(write: Callable[[Path], Path], format: str, graph: Graph, folder: Path) -> None:
    with budget(graph):
        graph.parse(write(folder), format=format)
        (EX.x1, EX.p, EX.x2) in graph  # noqa: B015 - a read maintains


def _served(text: str, graph: Graph, folder: Path) -> None:
    server = dripping()
    address = next(server)
    access = Access(hosts=(urlsplit(address).netloc,))
    run = graph.query if text.startswith("SELECT") else graph.update
    run(text.replace("SERVER", address), timeout=SECONDS, access=access)


PAIRS: Final = "?a ex:p ?x . ?b ex:p ?y"
CUBE: Final = f"{PAIRS} . ?c ex:p ?z"
DOUBLED: Final = " ".join(f"BIND(CONCAT(?t{i}, ?t{i}) AS ?t{i + 1})" for i in range(40))
REPLACED: Final = " ".join(f"BIND(REPLACE(?t{i}, '(.)', '$1$1$1$1') AS ?t{i + 1})" for i in range(20))
STAIRS: Final = " ".join(f"OPTIONAL {{ ?a{i} ex:near ?a{i + 1}" for i in range(12)) + "}" * 12

QUERIES: Final[dict[str, tuple[Store, str]]] = {
    "regular expression that backtracks": (small, r"SELECT * { ?a ex:text ?t FILTER REGEX(?t, '^(a|aa)+\\1?$') }"),
    "regular expression on ten million characters": (
        small, "SELECT * { ?a ex:long ?t . ?b ex:p ?y FILTER REGEX(CONCAT(?t, STR(?y)), '(a.*b.*)+c$') }"
    ),
    "back-reference on ten million characters": (
        small, r"SELECT * { ?a ex:long ?t FILTER REGEX(?t, '(a.*)(b.*)\\2\\1c$') }"
    ),
    "regular expression with 3,000 groups": (
        small, f"SELECT * {{ ?a ex:long ?t FILTER REGEX(SUBSTR(?t, 1, 4000), '{'(a?)' * 3000}c') }}"
    ),
    "IN with 3,000 computed choices": (
        small, f"SELECT * {{ ?a ex:p ?x FILTER(?x IN ({', '.join(f'?x + {n}' for n in range(1, 3001))})) }}"
    ),
    "20,000 FROM clauses": (small, f"SELECT * {''.join(f'FROM <urn:{n}> ' for n in range(20_000))} {{ ?s ?p ?o }}"),
    "CONSTRUCT of 500 triples for each of 3,000": (
        small, f"CONSTRUCT {{ {' '.join(f'?a ex:p{n} ?x .' for n in range(500))} }} {{ ?a ex:p ?x }}"
    ),
    "REPLACE that blows up": (small, f"SELECT * {{ ?a ex:text ?t0 {REPLACED} }}"),
    "REPLACE for each of nine million pairs": (
        small, f"SELECT (COUNT(?t) AS ?n) {{ {PAIRS} BIND(REPLACE(STR(?x * 3000 + ?y), '1', 'xx') AS ?t) }}"
    ),
    "CONCAT that doubles": (small, f"SELECT * {{ ?a ex:text ?t0 {DOUBLED} }}"),
    "CONCAT of a long text with each of 3,000": (
        small, "SELECT (SUM(STRLEN(?u)) AS ?n) { ?a ex:long ?t . ?b ex:p ?y BIND(CONCAT(?t, STR(?y)) AS ?u) }"
    ),
    "GROUP_CONCAT": (small, f"SELECT (GROUP_CONCAT(?x) AS ?n) {{ {CUBE} }}"),
    "GROUP_CONCAT of nine million": (small, f"SELECT (GROUP_CONCAT(?x) AS ?n) {{ {PAIRS} }}"),
    "digests": (small, f"SELECT (COUNT(?t) AS ?n) {{ {PAIRS} BIND(SHA512(STR(?x * 3000 + ?y)) AS ?t) }}"),
    "cross product": (small, f"SELECT * {{ {CUBE} }}"),
    "cross product, filtered": (small, f"SELECT * {{ {CUBE} FILTER(?x + ?y + ?z < 0) }}"),
    "cross product of subqueries": (
        small, f"SELECT * {{ {{ SELECT ?x ?y {{ {PAIRS} }} }} {{ SELECT ?z ?w {{ ?c ex:p ?z . ?d ex:p ?w }} }} }}"
    ),
    "skewed join, a million by a million": (skewed, "SELECT ?x ?z { ?x ex:into ?y . ?y ex:from ?z }"),
    "skewed join, seeded": (skewed, "SELECT ?a ?x ?z { VALUES ?a { 1 2 3 } ?x ex:into ?y . ?y ex:from ?z }"),
    "skewed join of subqueries": (
        skewed, "SELECT ?x ?z { { SELECT DISTINCT ?x ?y { ?x ex:into ?y } } "
        "{ SELECT DISTINCT ?y ?z { ?y ex:from ?z } } }"
    ),
    "skewed join from one row": (
        skewed, "SELECT ?x ?w { ex:x0 ex:from ?x . ?x ex:into ?y . ?y ex:from ?z . ?z ex:into ?w }"
    ),
    "ORDER BY four million": (wide, "SELECT ?x ?y { ?x ex:near ?y } ORDER BY ?y ?x"),
    "ORDER BY sixteen million, by text": (
        wide, "SELECT ?x ?z { ?x ex:near ?y . ?z ex:near ?y } ORDER BY STR(?z) ?x"
    ),
    "ORDER BY nine million, computed": (small, f"SELECT ?x ?y {{ {PAIRS} }} ORDER BY (?x * ?y) ?x"),
    "DISTINCT of a cross product": (small, f"SELECT DISTINCT ?x ?y ?z {{ {CUBE} }}"),
    "DISTINCT of a join": (dense, "SELECT DISTINCT ?x ?z { ?x ex:near ?y . ?y ex:near ?z }"),
    "path of * on a long chain": (chain, "SELECT * { ?a ex:next* ?b }"),
    "path of * on a long chain, from one node": (chain, "SELECT (COUNT(*) AS ?n) { ex:x0 ex:next* ?b }"),
    "path of * on a long chain, counted": (chain, "SELECT (COUNT(*) AS ?n) { ?a (ex:next/ex:next)* ?b }"),
    "path of + on a dense graph": (dense, "SELECT ?a ?b { ?a (ex:near|ex:far)+ ?b }"),
    "path of a sequence on a dense graph": (dense, f"SELECT ?a ?b {{ ?a {'/'.join(['ex:near'] * 6)} ?b }}"),
    "path of a repeated sequence on a dense graph": (dense, "SELECT ?a ?b { ?a (ex:near/ex:far/^ex:near)+ ?b }"),
    "negated set, repeated": (dense, "SELECT ?a ?b { ?a (!ex:p)+ ?b . ?b (!(ex:far|^ex:near))+ ?a }"),
    "OPTIONAL, twelve deep": (small, f"SELECT * {{ {STAIRS} }}"),
    "OPTIONAL with a cross product": (small, "SELECT * { ?a ex:p ?x OPTIONAL { ?b ex:p ?y OPTIONAL { ?c ex:p ?z } } }"),
    "MINUS of a cross product": (small, f"SELECT * {{ ?a ex:p ?x MINUS {{ {CUBE} FILTER(?x + ?y + ?z < 0) }} }}"),
    "EXISTS with a filter": (
        small, "SELECT * { ?a ex:p ?x FILTER NOT EXISTS { ?b ex:p ?y . ?c ex:p ?z FILTER(?x + ?y + ?z < 0) } }"
    ),
    "aggregates of a cross product": (small, f"SELECT ?x (SUM(?y * ?z) AS ?n) {{ {CUBE} }} GROUP BY ?x"),
    "COUNT DISTINCT of a join": (dense, "SELECT (COUNT(DISTINCT ?z) AS ?n) ?x { ?x ex:near/ex:near ?z } GROUP BY ?x"),
    "triangles": (dense, "SELECT (COUNT(*) AS ?n) { ?a ex:near ?b . ?b ex:near ?c . ?c ex:near ?a }"),
    "variable predicates": (dense, "SELECT * { ?a ?p ?b . ?b ?q ?c . ?c ?r ?a }"),
    "VALUES of 30,000": (
        small, "SELECT * { VALUES ?y { " + " ".join(map(str, range(30_000))) + " } ?a ex:p ?x . ?c ex:p ?z }"
    ),
    "CONSTRUCT of a cross product": (small, f"CONSTRUCT {{ ?a ex:q ?b }} {{ {PAIRS} }}"),
    "DESCRIBE of everything": (wide, "DESCRIBE ?x { ?x ex:near ?y }"),
}  # fmt: skip

UPDATES: Final[dict[str, tuple[Store, str]]] = {
    "INSERT WHERE of a cross product": (small, f"INSERT {{ ?a ex:q ?b }} WHERE {{ {PAIRS} . ?a ex:near ?c }}"),
    "INSERT WHERE of new terms": (
        small, f"INSERT {{ ?a ex:q ?t }} WHERE {{ {PAIRS} BIND(STR(?x * 3000 + ?y) AS ?t) }}"
    ),
    "INSERT WHERE of blank nodes": (small, f"INSERT {{ ?a ex:q [ ex:r ?b ] }} WHERE {{ {PAIRS} }}"),
    "DELETE WHERE of a join": (dense, "DELETE { ?a ex:near ?b } WHERE { ?a ex:near ?b . ?b ex:near ?c }"),
    "several operations": (
        small, ";".join(f"INSERT {{ ?a ex:q{i} ?b }} WHERE {{ {PAIRS} FILTER(?x < 500) }}" for i in range(20))
    ),
    "20,000 graphs made": (small, ";".join(f"CREATE GRAPH <urn:{n}>" for n in range(20_000))),
    "a graph copied a thousand times": (small, ";".join(f"COPY DEFAULT TO <urn:{n}>" for n in range(1000))),
    "INSERT DATA of 30,000": (
        small, "INSERT DATA { " + " ".join(f"ex:a{i} ex:p ex:b{i} ." for i in range(30_000)) + " }"
    ),
}  # fmt: skip

RULES: Final[dict[str, tuple[Store, str]]] = {
    "cross product": (small, "ex:r(?a, ?b, ?c) :- ex:p(?a, ?x), ex:p(?b, ?y), ex:p(?c, ?z) ."),
    "cross product, filtered": (
        small, "ex:r(?a, ?b) :- ex:p(?a, ?x), ex:p(?b, ?y), ex:p(?c, ?z), ?x + ?y + ?z < 0 ."
    ),
    "numbers for ever": (small, "ex:n(?a, ?x) :- ex:p(?a, ?x) . ex:n(?a, ?y) :- ex:n(?a, ?x), ?y = ?x + 1 ."),
    "digests for ever": (small, "ex:n(?a, ?x) :- ex:p(?a, ?x) . ex:n(?a, ?y) :- ex:n(?a, ?x), ?y = SHA512(STR(?x)) ."),
    "regular expression": (
        small, "ex:r(?a, ?b) :- ex:p(?a, ?x), ex:p(?b, ?y), REGEX(CONCAT(STR(?x), STR(?y)), \"^(1|11)+\\\\1?$\") ."
    ),
    "skewed join": (skewed, "ex:r(?x, ?z) :- ex:into(?x, ?y), ex:from(?y, ?z) ."),
    "skewed join, recursive": (
        skewed, "ex:r(?x, ?z) :- ex:into(?x, ?y), ex:from(?y, ?z) . ex:r(?x, ?z) :- ex:r(?x, ?y), ex:into(?z, ?y) ."
    ),
    "closure fed by itself": (
        dense, "ex:t(?x, ?y) :- ex:near(?x, ?y) . ex:t(?x, ?z) :- ex:t(?x, ?y), ex:t(?y, ?z) . "
        "ex:t(?x, ?y) :- ex:t(?y, ?z), ex:far(?x, ?z) ."
    ),
    "closure of a chain, non-linear": (
        chain, "ex:t(?x, ?y) :- ex:next(?x, ?y) . ex:t(?x, ?z) :- ex:t(?x, ?y), ex:t(?y, ?z), ex:next(?x, ?w) ."
    ),
    "same generation": (
        chain, "ex:s(?x, ?x) :- ex:next(?x, ?y) . ex:s(?x, ?y) :- ex:next(?x, ?a), ex:s(?a, ?b), ex:next(?b, ?y) ."
    ),
    "negation of a cross product": (
        small, "ex:r(?a, ?b) :- ex:p(?a, ?x), ex:p(?b, ?y), ex:p(?c, ?z), ~ex:near(?a, ?c), ~ex:near(?b, ?c) ."
    ),
}  # fmt: skip


def _with_rules(store: Store, rules: str) -> Graph:
    graph = store()
    held: Any = graph.store
    held.add_rules(f"@prefix ex: <{EX}> . {rules}")
    return graph


def _big_closure() -> Graph:
    return _with_rules(
        partial(dense, count=2000, edges=20_000),
        "ex:t(?x, ?y) :- ex:near(?x, ?y) . ex:t(?x, ?z) :- ex:t(?x, ?y), ex:near(?y, ?z), ex:near(?z, ?w) .",
    )


def _emptied(graph: Graph, _: Path) -> None:
    with budget(graph):
        graph.remove((None, EX.near, None))
        (EX.x1, EX.p, EX.x2) in graph  # noqa: B015 - a read maintains


def _joined(graph: Graph, _: Path) -> None:
    """Two halves of a big relation under transitivity, and the axiom."""
    with budget(graph):
        graph.add((EX.near, RDF.type, OWL.TransitiveProperty))
        graph.add((EX.near, RDF.type, OWL.SymmetricProperty))
        (EX.x1, EX.p, EX.x2) in graph  # noqa: B015 - a read maintains


def cases() -> Iterator[Case]:
    """All of them."""
    for name, (store, text) in QUERIES.items():
        yield Case("query", name, store, partial(_queried, text), is_reading=True)
    yield Case(
        "query", "SERVICE that drips", small, partial(_served, "SELECT * { SERVICE <SERVER> { ?a ?b ?c } }"), True
    )
    for name, (store, text) in UPDATES.items():
        yield Case("update", name, store, partial(_updated, text))
    yield Case("update", "LOAD that drips", small, partial(_served, "LOAD <SERVERdoc>"))
    for name, (store, text) in RULES.items():
        yield Case("rule", name, store, partial(_ruled, text))
    yield Case("change", "everything deleted below a closure", _big_closure, _emptied)
    yield Case("change", "everything deleted below a transitive property", transitive, partial(_removed, "below"))
    yield Case("change", "a dense property becomes transitive and symmetric", partial(dense, "owl-rl"), _joined)
    yield Case("change", "a long chain becomes transitive", partial(chain, "owl-rl"), partial(_made_transitive, "next"))
    clique = "<http://www.w3.org/2002/07/owl#sameAs>(?a, ?b) :- ex:same(?a, ?b) ."
    yield Case("change", "a clique of owl:sameAs", same, partial(_ruled, clique))
    for name, write, format in files.LOADS:
        run = partial(_loaded, write) if format is None else partial(_parsed, write, format)
        yield Case("load", name, empty, run)
    yield Case("load", "N-Triples under OWL 2 RL", partial(empty, "owl-rl"), partial(_loaded, files.university))


def _removed(predicate: str, graph: Graph, _: Path) -> None:
    with budget(graph):
        graph.remove((None, EX[predicate], None))
        (EX.x1, EX.p, EX.x2) in graph  # noqa: B015 - a read maintains


def _made_transitive(predicate: str, graph: Graph, _: Path) -> None:
    with budget(graph):
        graph.add((EX[predicate], RDF.type, OWL.TransitiveProperty))
        (EX.x1, EX.p, EX.x2) in graph  # noqa: B015 - a read maintains
