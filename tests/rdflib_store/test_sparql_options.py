"""Options of queries: time, rows, explicit triples alone; plans; queries from several threads."""

from __future__ import annotations

import re
import threading

import pytest
from rdflib import RDF, RDFS, Dataset, Graph, Literal, Namespace
from rdflib.plugins.sparql import prepareQuery

from kgreason import ReasoningStore
from kgreason.errors import QueryLimitError
from kgreason.sparql.limits import Limits
from kgreason_rdflib import EXPLICIT, INFERRED

EX = Namespace("http://example.org/")
SIZE = 300
CROSS = "SELECT * { ?a ex:p ?x . ?b ex:p ?y . ?c ex:p ?z FILTER(STR(?a) < STR(?b) && STR(?b) < STR(?c)) }"


@pytest.fixture(scope="module")
def graph() -> Graph:
    graph = Graph(store=ReasoningStore())
    graph.bind("ex", EX)
    graph.add((EX.Cat, RDFS.subClassOf, EX.Animal))
    for i in range(SIZE):
        graph.add((EX[f"x{i}"], EX.p, Literal(i)))
        graph.add((EX[f"x{i}"], RDF.type, EX.Cat))
    return graph


def test_a_query_that_takes_too_long(graph: Graph) -> None:
    with pytest.raises(QueryLimitError, match=r"longer than 0\.05 s"):
        graph.query(CROSS, timeout=0.05)
    assert len(graph.query("SELECT ?x { ?x a ex:Animal }", timeout=60)) == SIZE


def test_a_query_that_makes_too_many_rows(graph: Graph) -> None:
    with pytest.raises(QueryLimitError, match="more than 1,000"):
        graph.query(CROSS, max_rows=1000)
    assert len(graph.query("SELECT ?x { ?x a ex:Animal }", max_rows=1000)) == SIZE


UNION = " UNION ".join(f"{{ VALUES ?x {{ {2 * i} {2 * i + 1} }} }}" for i in range(3))
ANSWERS = {
    "VALUES": ("SELECT * { VALUES ?x { 1 2 3 4 5 6 } }", 6),
    "product of VALUES": ("SELECT * { VALUES ?x { 1 2 } VALUES ?y { 1 2 3 } }", 6),
    "equal rows": ("SELECT ?x { VALUES ?x { 1 2 } VALUES ?y { 1 2 3 } }", 6),
    "rows that bind nothing": ("SELECT ?z { VALUES ?x { 1 2 3 4 5 6 } }", 6),
    "UNION": (f"SELECT * {{ {UNION} }}", 6),
    "UNION of patterns": ("SELECT * { { ?s ex:p 1 } UNION { ?s ex:p 2 } UNION { ?s ex:p 3 } UNION { ?s ex:p 4 } }", 4),
    "LIMIT": (f"SELECT * {{ {UNION} }} LIMIT 4", 4),
    "ASK": (f"ASK {{ {UNION} }}", 1),
    "COUNT": ("SELECT (COUNT(*) AS ?n) { ?s ex:p 1 }", 1),
    "CONSTRUCT": ("CONSTRUCT { ?s ex:q ?o ; ex:r ?o } { ?s ex:p ?o VALUES ?o { 1 2 3 } }", 6),
    "CONSTRUCT of equal triples": ("CONSTRUCT { ex:s ex:q ?o } { VALUES ?o { 1 2 3 3 3 3 } }", 3),
    "DESCRIBE": ("DESCRIBE ex:x1 ex:x2", 6),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_answer_has_no_more_than_it_may(graph: Graph, name: str) -> None:
    query, size = ANSWERS[name]
    solutions = 6 if name == "CONSTRUCT of equal triples" else size
    result = graph.query(query, max_rows=solutions)

    assert (1 if name == "ASK" else len(result)) == size
    with pytest.raises(QueryLimitError, match=rf"more than {size - 1} (rows|triples)|more than {size - 1}$"):
        graph.query(query, max_rows=size - 1)


@pytest.mark.parametrize("name", ["CONSTRUCT", "DESCRIBE"])
def test_triples_by_ids_are_no_more_than_they_may(graph: Graph, name: str) -> None:
    query, size = ANSWERS[name]
    chunks, _ = graph.store.ask(query, limits=Limits(rows=size)).triples()
    assert sum(len(chunk[0]) for chunk in chunks) == size
    chunks, _ = graph.store.ask(query, limits=Limits(rows=size - 1)).triples()
    with pytest.raises(QueryLimitError, match="more than 5 triples"):
        list(chunks)


def test_unknown_options_are_errors(graph: Graph) -> None:
    with pytest.raises(TypeError, match="time_out"):
        graph.query("SELECT ?x { ?x a ex:Animal }", time_out=1)
    with pytest.raises(TypeError, match=r"a query has no option 'max_row' \(expected max_rows\)"):
        graph.query("SELECT ?x { ?x a ex:Animal }", max_row=1)
    with pytest.raises(TypeError, match=r"expected timeout, max_rows, include_inferred, access"):
        graph.update("INSERT DATA { ex:a ex:p 1 }", unheard=1)


def test_explicit_triples_alone(graph: Graph) -> None:
    query = "SELECT ?x { ?x a ex:Animal }"
    assert len(graph.query(query)) == SIZE
    assert len(graph.query(query, include_inferred=False)) == 0
    assert len(graph.query("SELECT ?x { ?x a ex:Cat }", include_inferred=False)) == SIZE
    assert graph.query("ASK { ?x a ex:Animal }", include_inferred=False).askAnswer is False
    made = graph.query("CONSTRUCT WHERE { ?x a ?c }", include_inferred=False).graph
    assert made is not None
    assert set(made.objects()) == {EX.Cat}


def test_explicit_triples_of_a_graph_alone() -> None:
    dataset = Dataset(store=ReasoningStore())
    dataset.add((EX.Cat, RDFS.subClassOf, EX.Animal, EX.schema))
    dataset.add((EX.tom, RDF.type, EX.Cat))
    dataset.add((EX.felix, RDF.type, EX.Cat, EX.facts))
    query = f"SELECT ?x ?c {{ ?x <{RDF.type}> ?c }}"

    def answers(graph: Graph, text: str = query, **options: object) -> set[tuple[object, ...]]:
        return {tuple(row) for row in graph.query(text, **options)}

    everything = {(x, c) for x in (EX.tom, EX.felix) for c in (EX.Cat, EX.Animal)}
    assert answers(dataset) == everything - {(EX.felix, EX.Cat)}
    assert answers(dataset, include_inferred=False) == {(EX.tom, EX.Cat)}
    union = Dataset(store=dataset.store, default_union=True)
    assert answers(union) == everything
    assert answers(union, include_inferred=False) == {(EX.tom, EX.Cat), (EX.felix, EX.Cat)}
    assert answers(dataset.graph(EX.facts)) == {(EX.felix, EX.Cat)}
    assert answers(dataset.get_context(EX.facts)) == {(EX.felix, EX.Cat)}
    alone = Graph(store=dataset.store, identifier=EX.alone)
    assert answers(alone) == everything - {(EX.tom, EX.Cat), (EX.felix, EX.Cat)}
    assert answers(alone, include_inferred=False) == set()
    pseudo = f"SELECT ?x ?c {{ GRAPH <{INFERRED}> {{ ?x <{RDF.type}> ?c }} }}"
    assert answers(dataset, pseudo) == {(EX.tom, EX.Animal), (EX.felix, EX.Animal)}
    assert answers(dataset, pseudo, include_inferred=False) == set()
    both = query.replace("{ ?x", f"FROM <{EXPLICIT}> FROM <{INFERRED}> {{ ?x", 1)
    assert answers(dataset, both) == everything
    assert answers(dataset, both, include_inferred=False) == {(EX.tom, EX.Cat), (EX.felix, EX.Cat)}


def test_every_graph_shows_what_its_triples_show() -> None:
    dataset = Dataset(store=ReasoningStore())
    dataset.add((EX.Cat, RDFS.subClassOf, EX.Animal, EX.schema))
    dataset.add((EX.a, RDF.type, EX.Cat))
    dataset.add((EX.a, RDF.type, EX.Cat, EX.g))
    dataset.add((EX.b, RDF.type, EX.Cat, EX.g))
    dataset.add((EX.b, RDF.type, EX.Animal, EX.h))
    dataset.add((EX.b, EX.p, EX.a, EX.h))
    store = dataset.store
    graphs = [
        Graph(store=store), Graph(store=store, identifier=EX.g), Graph(store=store, identifier=EX.new),
        dataset, dataset.default_graph, dataset.graph(EX.g), dataset.get_context(EX.h), dataset.graph(EX.none),
        Dataset(store=store, default_union=True), store.explicit, store.inferred,
    ]  # fmt: skip
    for graph in graphs:
        shown = {tuple(triple[:3]) for triple in graph.triples((None, None, None))}
        assert {tuple(row) for row in graph.query("SELECT ?s ?p ?o { ?s ?p ?o }")} == shown, graph
        for predicate in (RDF.type, EX.p):
            found = {tuple(row) for row in graph.query(f"SELECT ?s ?o {{ ?s <{predicate}> ?o }}")}
            assert found == {(s, o) for s, p, o in shown if p == predicate}, graph
        assert len(graph.query("SELECT ?s ?p ?o { ?s ?p ?o }")) == len(shown)


def test_graphs_that_a_variable_goes_over() -> None:
    dataset = Dataset(store=ReasoningStore(rules="none"))
    for i in range(20):
        dataset.add((EX.x, EX.p, Literal(i), EX[f"g{i}"]))
    dataset.add((EX.x, EX.p, Literal(99)))
    dataset.graph(EX.empty)
    rows = {tuple(row) for row in dataset.query("SELECT ?g ?v { GRAPH ?g { ?x ?p ?v } }")}
    assert rows == {(EX[f"g{i}"], Literal(i)) for i in range(20)}
    names = {row[0] for row in dataset.query("SELECT ?g { GRAPH ?g { } }")}
    assert names == {EX.empty, *(EX[f"g{i}"] for i in range(20))}
    query = f"SELECT ?g {{ GRAPH ?g {{ ?x <{EX.p}> ?v }} FILTER(?v > 17) }}"
    assert {row[0] for row in dataset.query(query)} == {EX.g18, EX.g19}
    query = f"SELECT ?v {{ VALUES ?g {{ <{EX.g3}> <{EX.g4}> <{EX.none}> }} GRAPH ?g {{ ?x ?p ?v }} }}"
    assert {row[0] for row in dataset.query(query)} == {Literal(3), Literal(4)}


def test_a_plan(graph: Graph) -> None:
    store: ReasoningStore = graph.store
    plan = store.explain_query("SELECT ?x ?v { ?x a ex:Animal ; ex:p ?v FILTER(?v < 5) }", initNs={"ex": EX})
    first, *rest = plan.splitlines()
    assert first == "select: 5 solutions"
    assert any(f"?x <{EX.p}> ?v" in line and "expected" in line and "found 5" in line for line in rest)
    other = store.explain_query("ASK { ?x a ?c }", graph=store.inferred, initBindings={"c": EX.Cat})
    assert other.startswith("ask: 0 solutions")
    with pytest.raises(QueryLimitError):
        store.explain_query(CROSS, initNs={"ex": EX}, timeout=0.05)


@pytest.mark.slow
def test_queries_from_several_threads(graph: Graph) -> None:
    prepared = prepareQuery("SELECT ?v { ?x ex:p ?v }", initNs={"ex": EX})
    failures: list[BaseException] = []

    def ask(number: int) -> None:
        try:
            for i in range(number, SIZE, 7):
                [row] = graph.query(prepared, initBindings={"x": EX[f"x{i}"]})
                assert row.v == Literal(i)
                [row] = graph.query(f"SELECT (COUNT(?x) AS ?n) {{ ?x a ex:Animal ; ex:p ?v FILTER(?v < {i % 50}) }}")
                assert row.n == Literal(i % 50)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for i in range(20):
        graph.add((EX[f"other{i}"], EX.q, Literal(i)))
    for thread in threads:
        thread.join()
    assert not failures


def test_a_step_that_multiplies_its_rows_is_put_off_where_a_sample_shows_it() -> None:
    """Three hubs have nearly all pairs of ex:near, which counts of pairs and of their ends do not show."""
    store = ReasoningStore(rules="none")
    graph = Graph(store=store)
    parts = [(EX[f"part{n}"], EX.partOf, EX[f"hub{n % 3}"]) for n in range(600)]
    near = [(EX[f"hub{n % 3}"], EX.near, EX[f"thing{n}"]) for n in range(1500)]
    near += [(part, EX.near, EX[f"thing{n}"]) for n, (part, _, _) in enumerate(parts)]
    graph.addN((*triple, graph) for triple in parts + near)
    query = "SELECT ?a ?c { ?a ex:partOf ?b . ?b ex:near ?c . ?a ex:near ?c }"

    plan = store.explain_query(query, initNs={"ex": EX})

    made = [int(found.replace(",", "")) for found in re.findall(r"\(expected .*, found ([0-9,]+)\)", plan)]
    assert len(list(graph.query(query, initNs={"ex": EX}))) == 600
    assert max(made) < 5_000, plan


def test_a_plan_shows_steps_whose_filters_are_placed_anew_for_some_rows() -> None:
    """The last parts have hubs, so that the batch of their rows is joined in another order than the one before."""
    store, count = ReasoningStore(rules="none"), 6000
    graph = Graph(store=store)
    hubs = {*range(count - 250, count)}
    things = [EX[f"thing{n}"] for n in range(count)]
    wholes = [EX[f"hub{n % 3}"] if n in hubs else EX[f"whole{n}"] for n in range(count)]
    parts = [(EX[f"part{n}"], EX.partOf, whole) for n, whole in enumerate(wholes)]
    near = [(EX[f"hub{n % 3}"], EX.near, thing) for n, thing in enumerate(things[:3000])]
    near += [(whole, EX.near, thing) for whole, thing in zip(wholes, things, strict=True)]
    near += [(EX[f"part{n}"], EX.near, thing) for n, thing in enumerate(things)]
    graph.addN((*triple, graph) for triple in parts + near)
    query = "SELECT ?a { ?a ex:partOf ?b . ?b ex:near ?c . ?a ex:near ?c FILTER(STR(?c) != 'none') } LIMIT 9999"

    plan = store.explain_query(query, initNs={"ex": EX})

    assert len(graph.query(query, initNs={"ex": EX})) == count
    assert f"found {count:,})" in plan.splitlines()[1]
    orders = ("?b <http://example.org/near> ?c  with 1 filter", "?a <http://example.org/near> ?c  with 1 filter")
    assert all(order in plan for order in orders), plan
