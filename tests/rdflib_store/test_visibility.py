"""Where explicit and inferred triples show: every kind of graph over one store, and its counts and memberships."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from rdflib import RDF, RDFS, BNode, Dataset, Graph, Literal, Namespace, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, ConjunctiveGraph, ReadOnlyGraphAggregate

from kgreason import KGReasonError, ReadOnlyError, ReasoningStore
from kgreason_rdflib import EXPLICIT, INFERRED
from tests.thresholds import Tuned

EX = Namespace("http://example.org/")
SCHEMA = (EX.Cat, RDFS.subClassOf, EX.Animal)
FACT = (EX.tom, RDF.type, EX.Cat)
FOLLOWS = (EX.tom, RDF.type, EX.Animal)
PATTERNS = [(None, None, None), (EX.tom, None, None), (None, RDF.type, None), (None, None, EX.Animal), FOLLOWS]


def shown(graph: Graph) -> set[tuple[object, object, object]]:
    """The triples of a graph; iteration, len, ``in`` and all patterns must agree on them."""
    triples = list(graph.triples((None, None, None)))
    assert len(triples) == len(set(triples))
    if not isinstance(graph, ConjunctiveGraph):
        assert len(graph) == len(triples)
    for triple in (SCHEMA, FACT, FOLLOWS):
        assert (triple in graph) == (triple in triples)
    for pattern in PATTERNS:
        matching = [t for t in triples if all(p in (None, x) for p, x in zip(pattern, t, strict=True))]
        assert sorted(graph.triples(pattern)) == sorted(matching)
    return set(triples)


@pytest.fixture
def store() -> ReasoningStore:
    """The schema is in a Dataset's default graph, a fact in its graph ex:facts."""
    store = ReasoningStore()
    dataset = Dataset(store=store)
    dataset.add(SCHEMA)
    dataset.graph(EX.facts).add(FACT)
    return store


def test_union_shows_everything(store: ReasoningStore) -> None:
    dataset = Dataset(store=store, default_union=True)
    assert shown(dataset) == {SCHEMA, FACT, FOLLOWS}
    assert len(dataset) == 3
    assert len(Dataset(store=store)) == 3


def test_default_graph_of_a_dataset_shows_what_follows(store: ReasoningStore) -> None:
    dataset = Dataset(store=store)
    assert shown(dataset) == {SCHEMA, FOLLOWS}
    assert shown(dataset.default_graph) == {SCHEMA, FOLLOWS}


def test_named_graph_of_a_dataset_shows_its_explicit_triples(store: ReasoningStore) -> None:
    dataset = Dataset(store=store)
    assert shown(dataset.graph(EX.facts)) == {FACT}
    assert shown(dataset.get_context(EX.facts)) == {FACT}
    assert shown(Graph(store=store, identifier=EX.facts)) == {FACT}
    assert shown(dataset.get_context(EX.nobody)) == set()
    assert {g.identifier: shown(g) for g in dataset.graphs()} == {
        EX.facts: {FACT},
        DATASET_DEFAULT_GRAPH_ID: {SCHEMA, FOLLOWS},
    }


def test_quads_name_a_graph_without_registering_it() -> None:
    store = ReasoningStore()
    dataset = Dataset(store=store)
    dataset.add((*FACT, EX.facts))
    dataset.addN([(*SCHEMA, Graph(identifier=EX.schema))])
    assert shown(Graph(store=store, identifier=EX.facts)) == {FACT}
    assert shown(Graph(store=store, identifier=EX.schema)) == {SCHEMA}
    assert {g.identifier for g in store.contexts()} == {EX.facts, EX.schema}


def test_graph_without_a_name_is_the_default_graph(store: ReasoningStore) -> None:
    graph = Graph(store=store)
    assert shown(graph) == {SCHEMA, FOLLOWS}
    other = (EX.felix, RDF.type, EX.Cat)
    graph.add(other)
    assert other in Dataset(store=store)
    assert (EX.felix, RDF.type, EX.Animal) in Graph(store=store)
    graph.remove(SCHEMA)
    assert shown(Dataset(store=store)) == {other}


def test_graph_of_its_own_shows_what_follows(store: ReasoningStore) -> None:
    graph = Graph(store=store, identifier=EX.mine)
    assert shown(graph) == {FOLLOWS}
    mine = (EX.felix, RDF.type, EX.Cat)
    graph.add(mine)
    assert shown(graph) == {mine, FOLLOWS, (EX.felix, RDF.type, EX.Animal)}
    graph.remove((None, None, None))
    assert shown(graph) == {FOLLOWS}
    assert len(store.explicit) == 2


def test_becoming_a_named_graph_hides_what_follows(store: ReasoningStore) -> None:
    graph = Graph(store=store, identifier=EX.mine)
    assert shown(graph) == {FOLLOWS}
    Dataset(store=store).graph(EX.mine)
    assert shown(graph) == set()


def test_blank_node_as_name_of_a_graph() -> None:
    store = ReasoningStore()
    dataset = Dataset(store=store)
    name = BNode()
    dataset.add(SCHEMA)
    dataset.add((*FACT, name))
    assert shown(dataset.get_context(name)) == {FACT}
    assert shown(dataset) == {SCHEMA, FOLLOWS}
    assert {g.identifier for g in dataset.graphs()} == {name, DATASET_DEFAULT_GRAPH_ID}


def test_explicit_and_inferred(store: ReasoningStore) -> None:
    assert shown(store.explicit) == {SCHEMA, FACT}
    assert shown(store.inferred) == {FOLLOWS}
    Dataset(store=store).add((*FOLLOWS, EX.other))
    assert shown(store.explicit) == {SCHEMA, FACT, FOLLOWS}
    assert shown(store.inferred) == set()
    assert shown(Dataset(store=store)) == {SCHEMA}


def test_explicit_and_inferred_stay_up_to_date(store: ReasoningStore) -> None:
    explicit, inferred = store.explicit, store.inferred
    Dataset(store=store).remove(FACT)
    assert shown(explicit) == {SCHEMA}
    assert shown(inferred) == set()


@pytest.mark.parametrize("name", [EXPLICIT, INFERRED])
def test_pseudo_graphs_are_read_only_and_not_listed(store: ReasoningStore, name: URIRef) -> None:
    dataset = Dataset(store=store)
    for graph in (
        dataset.get_context(name),
        dataset.graph(name),
        Graph(store=store, identifier=name),
        store.explicit if name == EXPLICIT else store.inferred,
    ):
        assert shown(graph) == ({SCHEMA, FACT} if name == EXPLICIT else {FOLLOWS})
        for change in (
            lambda graph: graph.add((EX.a, EX.b, EX.c)),
            lambda graph: graph.addN([(EX.a, EX.b, EX.c, graph)]),
            lambda graph: graph.remove((None, None, None)),
            lambda graph: graph.parse(data="<urn:a> <urn:b> <urn:c> .", format="kg-turtle"),
            lambda graph: graph.update("INSERT DATA { <urn:a> <urn:b> <urn:c> }"),
            store.remove_graph,
        ):
            with pytest.raises(KGReasonError, match="read-only"):
                change(graph)
    assert {g.identifier for g in dataset.graphs()} == {EX.facts, DATASET_DEFAULT_GRAPH_ID}
    assert len(store.explicit) == 2


@pytest.mark.parametrize(
    "view_of",
    [
        lambda store: store.explicit,
        lambda store: store.inferred,
        lambda store: Dataset(store=store).graph(EXPLICIT),
        lambda store: Dataset(store=store).get_context(INFERRED),
        lambda store: Graph(store=store, identifier=EXPLICIT),
    ],
    ids=["explicit", "inferred", "graph of a Dataset", "context of a Dataset", "Graph"],
)
def test_read_only_view_leaves_the_store_behind_it_open(
    view_of: Callable[[ReasoningStore], Graph], tmp_path: Path
) -> None:
    graph = Graph(store=ReasoningStore(rules="rdfs"))
    graph.open(str(tmp_path / "store"), create=True)
    graph.addN([(*SCHEMA, graph), (*FACT, graph)])
    graph.commit()
    graph.add((EX.a, EX.b, EX.c))
    view = view_of(graph.store)

    for change in (
        lambda: view.open(str(tmp_path / "other"), create=True),
        lambda: view.destroy(str(tmp_path / "store")),
        view.commit,
        view.rollback,
    ):
        with pytest.raises(ReadOnlyError, match="is read-only"):
            change()
    view.close()

    assert (EX.a, EX.b, EX.c) in graph
    assert set(view + Graph()) == set(view)
    graph.rollback()
    assert (EX.a, EX.b, EX.c) not in graph
    assert not (tmp_path / "other").exists()
    graph.close()


@pytest.mark.parametrize("format", ["trig", "nquads", "turtle"])
def test_read_only_view_parses_no_quads_into_other_graphs(store: ReasoningStore, format: str) -> None:
    before = set(Dataset(store=store).quads())

    with pytest.raises(ReadOnlyError, match="is read-only"):
        store.explicit.parse(data="<http://a/s> <http://a/p> <http://a/o> .", format=format)

    assert set(Dataset(store=store).quads()) == before


def test_quads_put_inferred_triples_into_the_default_graph(store: ReasoningStore) -> None:
    dataset = Dataset(store=store)
    assert set(dataset.quads()) == {
        (*SCHEMA, DATASET_DEFAULT_GRAPH_ID),
        (*FACT, EX.facts),
        (*FOLLOWS, DATASET_DEFAULT_GRAPH_ID),
    }
    assert set(dataset) == set(dataset.quads())
    assert set(dataset.quads((None, None, None, EX.facts))) == {(*FACT, EX.facts)}
    names = {triple: {g.identifier for g in store.contexts(triple)} for triple in (SCHEMA, FACT, FOLLOWS)}
    assert names == {
        SCHEMA: {DATASET_DEFAULT_GRAPH_ID},
        FACT: {EX.facts},
        FOLLOWS: {DATASET_DEFAULT_GRAPH_ID},
    }
    assert {g.identifier for g in store.contexts((EX.tom, None, None))} == {EX.facts, DATASET_DEFAULT_GRAPH_ID}
    assert list(store.contexts((EX.tom, EX.nothing, None))) == []
    assert list(store.contexts((EX.nobody, RDF.type, EX.Cat))) == []


def test_triple_in_two_graphs_comes_once_with_both(store: ReasoningStore) -> None:
    Dataset(store=store).add((*FACT, EX.others))
    [(triple, contexts)] = store.triples((EX.tom, RDF.type, EX.Cat), None)
    assert triple == FACT
    assert sorted(g.identifier for g in contexts) == [EX.facts, EX.others]


def test_removal_touches_one_graph_or_all(store: ReasoningStore) -> None:
    dataset = Dataset(store=store)
    dataset.add((*FACT, EX.others))
    dataset.get_context(EX.others).remove((EX.tom, None, None))
    assert shown(store.explicit) == {SCHEMA, FACT}
    dataset.add((*FACT, EX.others))
    dataset.remove(FACT)
    assert shown(store.explicit) == {SCHEMA}
    assert shown(dataset) == {SCHEMA}


def test_removing_what_only_follows_changes_nothing(store: ReasoningStore) -> None:
    for graph in (Graph(store=store), Dataset(store=store)):
        graph.remove(FOLLOWS)
        graph.remove((EX.tom, RDF.type, EX.Animal))
        assert FOLLOWS in graph


def test_explicit_triple_that_also_follows_survives_its_removal(store: ReasoningStore) -> None:
    graph = Graph(store=store)
    graph.add(FOLLOWS)
    assert FOLLOWS not in store.inferred
    graph.remove(FOLLOWS)
    assert FOLLOWS in store.inferred
    assert FOLLOWS in graph


def test_conjunctive_graph_shows_the_union() -> None:
    store = ReasoningStore()
    with pytest.warns(DeprecationWarning, match="ConjunctiveGraph"):
        graph = ConjunctiveGraph(store=store)
    graph.add(SCHEMA)
    graph.get_context(EX.facts).add(FACT)
    assert shown(graph) == {SCHEMA, FACT, FOLLOWS}
    assert shown(graph.get_context(EX.facts)) == {FACT}


def test_aggregate_of_graphs(store: ReasoningStore) -> None:
    dataset = Dataset(store=store)
    aggregate = ReadOnlyGraphAggregate([dataset.graph(EX.facts), store.inferred])
    assert set(aggregate.triples((EX.tom, None, None))) == {FACT, FOLLOWS}


def test_literals_come_back_as_they_went_in() -> None:
    graph = Graph(store=ReasoningStore())
    literals = [
        Literal("a"),
        Literal("a", lang="en-GB"),
        Literal("01", datatype="http://www.w3.org/2001/XMLSchema#integer", normalize=False),
        Literal(1),
        Literal(1.5),
        Literal("x", datatype=EX.dt),
        Literal('say "hi"@en\n\t\\'),
        Literal(""),
    ]
    for number, literal in enumerate(literals):
        graph.add((EX[str(number)], EX.p, literal))
    for number, literal in enumerate(literals):
        [found] = graph.objects(EX[str(number)], EX.p)
        assert (str(found), found.datatype, found.language) == (str(literal), literal.datatype, literal.language)
        assert type(found) is Literal
        assert list(graph.subjects(EX.p, literal)) == [EX[str(number)]]


def test_triples_choices(store: ReasoningStore) -> None:
    graph = Graph(store=store)
    graph.add((EX.felix, RDF.type, EX.Dog))
    both = {(EX.tom, RDF.type, EX.Animal), (EX.felix, RDF.type, EX.Dog)}
    assert set(graph.triples_choices((None, RDF.type, [EX.Animal, EX.Dog]))) == both
    assert set(graph.triples_choices(([EX.tom, EX.felix], RDF.type, None))) == both
    assert set(graph.triples_choices((EX.felix, [RDF.type, EX.p], None))) == {(EX.felix, RDF.type, EX.Dog)}
    assert set(graph.triples_choices((EX.felix, {RDF.type, EX.p}, None))) == {(EX.felix, RDF.type, EX.Dog)}
    assert set(graph.triples_choices((EX.felix, {"#", "/"}, None))) == set()  # as rdflib's infixowl asks
    assert list(graph.triples_choices((EX.felix, [RDF.type, RDF.type], None))) == [(EX.felix, RDF.type, EX.Dog)]
    assert set(graph.triples_choices((None, RDF.type, []))) == both
    dataset = Dataset(store=store)
    assert set(dataset.triples_choices(([EX.tom], RDF.type, None))) == {(EX.tom, RDF.type, EX.Animal)}


def test_store_over_a_knowledge_base(store: ReasoningStore) -> None:
    other = ReasoningStore.over(store.knowledge_base)
    assert set(Dataset(store=other)) == set(Dataset(store=store))
    assert shown(Graph(store=other)) == {SCHEMA, FOLLOWS}
    assert shown(Graph(store=other, identifier=EX.facts)) == {FACT}
    Dataset(store=other).remove(FACT)
    assert shown(Dataset(store=store, default_union=True)) == {SCHEMA}


def test_patterns_asked_again_see_what_has_changed(tuned: Tuned) -> None:
    """Also where more patterns were asked than are remembered."""
    tuned(KEPT_ANSWERS=2, KEPT_FOR_A_TERM=0)
    graph, expected = Graph(store=ReasoningStore(rules="none")), Graph()
    patterns = [(EX.a, EX.p, None), (EX.b, EX.p, None), (None, EX.p, Literal(1)), (EX.a, EX.q, None)]

    for change, number in ((Graph.add, 0), (Graph.add, 1), (Graph.remove, 0), (Graph.remove, 1), (Graph.add, 2)):
        for each in (graph, expected):
            change(each, (EX.a, EX.p, Literal(number)))
        for pattern in patterns * 2:
            assert sorted(graph.triples(pattern)) == sorted(expected.triples(pattern))
    assert graph.value(EX.a, EX.p) == Literal(2)
