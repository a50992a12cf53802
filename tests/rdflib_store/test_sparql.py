"""SPARQL over the store: rdflib's evaluator on inferred triples, updates, and FROM without copies."""

from __future__ import annotations

from collections import Counter

import pytest
from rdflib import RDF, RDFS, BNode, Dataset, Graph, Literal, Namespace, URIRef
from rdflib.plugins.sparql import prepareQuery

from kgreason import ReasoningStore
from kgreason.sparql import query_tuning
from kgreason.sparql.graph_pruning import Need
from kgreason.sparql.source import Source
from kgreason_rdflib import EXPLICIT, INFERRED

EX = Namespace("http://example.org/")
SCHEMA = (EX.Cat, RDFS.subClassOf, EX.Animal)
FACT = (EX.tom, RDF.type, EX.Cat)
FOLLOWS = (EX.tom, RDF.type, EX.Animal)
ALL = "SELECT ?s ?p ?o {clauses} WHERE {{ ?s ?p ?o }}"


@pytest.fixture
def store() -> ReasoningStore:
    """The schema is in the default graph, a fact in ex:facts, another one in ex:more."""
    store = ReasoningStore()
    dataset = Dataset(store=store)
    dataset.add(SCHEMA)
    dataset.add((*FACT, EX.facts))
    dataset.add((EX.tom, RDFS.label, Literal("Tom"), EX.more))
    dataset.add((*FACT, EX.more))
    return store


def answers(graph: Graph, query: str, **options: object) -> set[tuple[object, ...]]:
    rows = [tuple(row) for row in graph.query(query, **options)]
    assert len(rows) == len(set(rows))
    return set(rows)


def test_inferred_triples_answer_queries(store: ReasoningStore) -> None:
    query = f"SELECT ?x WHERE {{ ?x a <{EX.Animal}> }}"
    assert answers(Graph(store=store), query) == {(EX.tom,)}
    assert answers(Dataset(store=store), query) == {(EX.tom,)}
    assert answers(Dataset(store=store, default_union=True), query) == {(EX.tom,)}
    assert answers(store.explicit, query) == set()
    assert answers(store.inferred, query) == {(EX.tom,)}


def test_joins_paths_and_aggregates() -> None:
    graph = Graph(store=ReasoningStore())
    for i in range(5):
        graph.add((EX[f"C{i}"], RDFS.subClassOf, EX[f"C{i + 1}"]))
        graph.add((EX[f"x{i}"], RDF.type, EX[f"C{i}"]))
    graph.bind("ex", EX)
    assert answers(graph, "SELECT ?x { ?x a ex:C2 }") == {(EX.x0,), (EX.x1,), (EX.x2,)}
    assert answers(graph, "SELECT DISTINCT ?c { ex:x3 a/rdfs:subClassOf* ?c }") == {(EX.C3,), (EX.C4,), (EX.C5,)}
    [[count]] = graph.query("SELECT (COUNT(*) AS ?n) { ?x a ?c }")
    assert count.toPython() == 5 + 4 + 3 + 2 + 1 + 5
    assert graph.query("ASK { ex:x0 a ex:C5 }").askAnswer
    made = graph.query("CONSTRUCT { ?x ex:in ?c } WHERE { ?x a ?c . FILTER(?c = ex:C5) }").graph
    assert made is not None
    assert set(made) == {(EX[f"x{i}"], EX["in"], EX.C5) for i in range(5)}


def test_bindings_and_prepared_queries(store: ReasoningStore) -> None:
    graph = Graph(store=store)
    query = "SELECT ?c { ?x a ?c }"
    assert answers(graph, query, initBindings={"x": EX.tom}) == {(EX.Animal,)}
    assert answers(graph, query, initBindings={"x": EX.nobody}) == set()
    assert answers(graph, query, initBindings={"c": EX.Animal}) == {(EX.Animal,)}
    assert {tuple(row) for row in graph.query(prepareQuery(query))} == {(EX.Animal,)}


def test_named_graphs(store: ReasoningStore) -> None:
    dataset = Dataset(store=store)
    query = "SELECT ?g ?c { GRAPH ?g { ?x a ?c } }"
    assert answers(dataset, query) == {(EX.facts, EX.Cat), (EX.more, EX.Cat)}
    for name, classes in [(EX.facts, {EX.Cat}), (INFERRED, {EX.Animal}), (EXPLICIT, {EX.Cat}), (EX.none, set())]:
        query = f"SELECT ?c {{ GRAPH <{name}> {{ ?x a ?c }} }}"
        assert answers(dataset, query) == {(c,) for c in classes}


@pytest.mark.parametrize(
    ("clauses", "expected"),
    [
        (f"FROM <{INFERRED}>", {FOLLOWS}),
        (f"FROM <{EXPLICIT}>", {SCHEMA, FACT, (EX.tom, RDFS.label, Literal("Tom"))}),
        (f"FROM <{EXPLICIT}> FROM <{INFERRED}>", {SCHEMA, FACT, FOLLOWS, (EX.tom, RDFS.label, Literal("Tom"))}),
        (f"FROM <{EX.facts}>", {FACT}),
        (f"FROM <{EX.facts}> FROM <{EX.more}>", {FACT, (EX.tom, RDFS.label, Literal("Tom"))}),
        (f"FROM <{EX.facts}> FROM <{INFERRED}>", {FACT, FOLLOWS}),
        (f"from <{EX.nobody}>", set()),
        ("FROM <urn:x-rdflib:default>", {SCHEMA, FOLLOWS}),
        (f"FROM NAMED <{EX.facts}>", set()),
    ],
)
def test_from_chooses_the_graphs_that_are_read(
    store: ReasoningStore, clauses: str, expected: set[tuple[URIRef, URIRef, URIRef | Literal]]
) -> None:
    query = ALL.format(clauses=clauses)
    for graph in (Graph(store=store), Dataset(store=store), Dataset(store=store, default_union=True)):
        assert answers(graph, query) == expected
        assert {tuple(row) for row in graph.query(prepareQuery(query))} == expected
    assert len(store.explicit) == 3
    assert {g.identifier for g in store.contexts()} == {URIRef("urn:x-rdflib:default"), EX.facts, EX.more}


def test_from_named(store: ReasoningStore) -> None:
    query = f"""SELECT ?g ?s ?p ?o FROM NAMED <{EX.facts}> FROM NAMED <{INFERRED}> FROM NAMED <{EX.nobody}>
        WHERE {{ GRAPH ?g {{ ?s ?p ?o }} }}"""
    expected = {(EX.facts, *FACT), (INFERRED, *FOLLOWS)}
    assert answers(Dataset(store=store), query) == expected
    one = query.replace("GRAPH ?g", f"GRAPH <{EX.facts}>")
    assert answers(Dataset(store=store), one.replace("?g ", "")) == {FACT}
    other = query.replace("GRAPH ?g", f"GRAPH <{EX.more}>")
    assert answers(Dataset(store=store), other.replace("?g ", "")) == set()


def test_from_with_bindings_prefixes_and_construct(store: ReasoningStore) -> None:
    graph = Graph(store=store)
    graph.bind("k", "urn:x-kgreason:")
    query = "SELECT ?c FROM k:inferred { ?x a ?c }"
    assert answers(graph, query, initBindings={"x": EX.tom}) == {(EX.Animal,)}
    assert answers(graph, query, initBindings={"x": EX.nobody}) == set()
    made = graph.query("CONSTRUCT FROM k:inferred WHERE { ?x a ?c }").graph
    assert made is not None
    assert set(made) == {FOLLOWS}
    assert graph.query("ASK FROM k:inferred { ?x a ?c }").askAnswer is True


def test_the_word_from_elsewhere_is_no_clause() -> None:
    graph = Graph(store=ReasoningStore())
    graph.add((EX.a, EX["from"], Literal("from here")))
    graph.bind("ex", EX)
    assert answers(graph, 'SELECT ?x { ?x ex:from "from here" }') == {(EX.a,)}


def test_update_through_the_graph(store: ReasoningStore) -> None:
    graph = Graph(store=store)
    graph.bind("ex", EX)
    graph.update("INSERT DATA { ex:felix a ex:Cat }")
    assert (EX.felix, RDF.type, EX.Animal) in graph
    graph.update("DELETE DATA { ex:felix a ex:Animal }")
    assert (EX.felix, RDF.type, EX.Animal) in graph
    graph.update("DELETE { ?x a ex:Cat } INSERT { ?x a ex:Dog } WHERE { ?x a ex:Cat }")
    assert set(graph.subjects(RDF.type)) == {EX.felix, EX.tom}
    assert (EX.felix, RDF.type, EX.Animal) not in graph
    assert (EX.felix, RDF.type, EX.Dog) in graph


def test_update_of_named_graphs(store: ReasoningStore) -> None:
    dataset = Dataset(store=store)
    dataset.bind("ex", EX)
    dataset.update("INSERT DATA { GRAPH ex:new { ex:felix a ex:Cat } }")
    assert set(dataset.graph(EX.new)) == {(EX.felix, RDF.type, EX.Cat)}
    assert (EX.felix, RDF.type, EX.Animal) in dataset
    dataset.update("DELETE { GRAPH ?g { ?x a ex:Cat } } WHERE { GRAPH ?g { ?x a ex:Cat } }")
    assert list(dataset.triples((None, RDF.type, None))) == []
    dataset.update("CLEAR GRAPH ex:more")
    assert set(store.explicit) == {SCHEMA}
    dataset.update("DROP ALL")
    assert len(dataset) == 0


def test_blank_nodes_in_updates() -> None:
    graph = Graph(store=ReasoningStore())
    graph.bind("ex", EX)
    graph.update("INSERT DATA { _:x ex:p _:y . _:y ex:p _:x }")
    [(x, y), (y2, x2)] = graph.subject_objects(EX.p)
    assert (x, y) == (x2, y2)
    assert isinstance(x, BNode)


def test_graphs_are_gone_through_for_many_solutions_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each graph had a batch of solutions, and all graphs were gone through for each batch: 600 took a minute."""
    asked: list[Need] = []
    is_met = Need.is_met

    def counted(need: Need, source: Source) -> bool:
        asked.append(need)
        return is_met(need, source)

    monkeypatch.setattr(Need, "is_met", counted)
    monkeypatch.setattr(query_tuning, "ASKED_GRAPHS", 1000)
    dataset = Dataset(store=ReasoningStore(rules="none"))
    names = [EX[f"g{number}"] for number in range(50)]
    for name in names:
        dataset.add((EX.a, EX.p, name, name))
        dataset.add((name, EX.q, EX.b, name))

    for query in (
        "SELECT ?g ?h { GRAPH ?g { ?x ex:p ?y } GRAPH ?h { ?y ex:q ?z } }",
        "SELECT ?g ?h { GRAPH ?g { ?x ex:p ?y } OPTIONAL { GRAPH ?h { ?y ex:q ?z } } }",
    ):
        asked.clear()
        found = dataset.query(query, initNs={"ex": EX})
        assert sorted(found) == sorted((name, name) for name in names)
        assert len(asked) < 10 * len(names)


@pytest.mark.parametrize("default_union", [False, True])
def test_many_graphs_are_asked_together(monkeypatch: pytest.MonkeyPatch, default_union: bool) -> None:
    """40,000 graphs of four triples took five seconds, one after the other."""

    def refused(need: Need, source: Source) -> bool:
        raise AssertionError("a graph is asked by itself")

    monkeypatch.setattr(Need, "is_met", refused)
    own, peer = (Dataset(store=store, default_union=default_union) for store in (ReasoningStore(), "default"))
    for dataset in (own, peer):
        dataset.bind("ex", EX)
        for number in range(40):
            graph = dataset.graph(EX[f"g{number}"])
            graph.add((EX[f"s{number % 7}"], RDF.type, EX[f"C{number % 3}"]))
            graph.add((EX[f"s{number % 7}"], EX.p, EX[f"g{number}"]))
            graph.add((EX[f"g{number}"], EX.q, Literal(number)))
        dataset.add((EX.s1, EX.p, EX.g1))
    queries = [
        "SELECT ?g ?s ?p ?o { GRAPH ?g { ?s ?p ?o } }",
        "SELECT ?g ?s { GRAPH ?g { ?s a ex:C1 ; ex:p ?g . ?g ex:q ?n FILTER(?n > 9) } }",
        "SELECT ?g ?s ?n { GRAPH ?g { ?s ex:p ?g OPTIONAL { ?g ex:q ?n FILTER(?n < 9) } } }",
        "SELECT ?g ?s { VALUES ?g { ex:g1 ex:g2 ex:g3 ex:g4 ex:g5 ex:nothing } GRAPH ?g { ?s ex:p ?o } }",
        "SELECT ?g ?s { GRAPH ?g { ?s ex:p ?o FILTER NOT EXISTS { ?s a ex:C2 } } }",
        "SELECT ?g ?s { GRAPH ?g { ?s ex:p ?o MINUS { ?s a ex:C2 } } }",
        "SELECT ?g ?s ?m { GRAPH ?g { { SELECT ?s (COUNT(*) AS ?m) { ?s ?p ?o } GROUP BY ?s } } }",
        "SELECT ?g (COUNT(*) AS ?m) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g",
        "SELECT ?g ?h ?s { GRAPH ?g { ?s ex:p ?g } GRAPH ?h { ?s ex:p ?g } }",
    ]

    for change in range(3):
        for query in queries:
            assert Counter(own.query(query)) == Counter(peer.query(query)), query
        for dataset in (own, peer):
            dataset.remove_graph(EX[f"g{change}"])
            dataset.add((EX.s3, EX.p, EX.g9, EX[f"g{change + 9}"]))
            dataset.remove((EX[f"g{change + 20}"], EX.q, None, EX[f"g{change + 20}"]))

    named = " ".join(f"FROM NAMED ex:g{number}" for number in range(5, 12))
    found = answers(own, f"SELECT DISTINCT ?g ?o {named} {{ GRAPH ?g {{ ?s ex:p ?o }} }}")
    assert found == {(EX[f"g{n}"], EX[f"g{n}"]) for n in range(5, 12)} | {(EX[f"g{n}"], EX.g9) for n in range(9, 12)}


def test_graphs_that_show_more_are_asked_beside_many_others(store: ReasoningStore) -> None:
    dataset = Dataset(store=store)
    for number in range(20):
        dataset.add((EX.tom, EX.p, EX.tom, EX[f"g{number}"]))
    names = [EX[f"g{number}"] for number in range(10)] + [EXPLICIT, INFERRED, EX.facts]
    named = " ".join(f"FROM NAMED <{name}>" for name in names)

    found = answers(dataset, f"SELECT DISTINCT ?g ?x {named} WHERE {{ GRAPH ?g {{ <{EX.tom}> ?p ?x }} }}")

    shown = {(name, EX.tom) for name in names[:10]} | {(EXPLICIT, EX.tom), (EXPLICIT, EX.Cat), (EX.facts, EX.Cat)}
    assert shown | {(EXPLICIT, Literal("Tom")), (INFERRED, EX.Animal)} <= found
    assert {graph for graph, _ in found} == set(names)
    asked = f"SELECT ?x {{ GRAPH ?g {{ <{EX.tom}> a ?x }} }}"
    assert answers(dataset, f"SELECT DISTINCT {asked[7:]}") == {(EX.Cat,)}
