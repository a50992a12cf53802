"""Would catch: a generalised triple that reaches rules, queries or files, one that owlrl adds for ever because the
graph never has it, or one that leaves with another graph's."""

from __future__ import annotations

from io import BytesIO

import pytest
from rdflib import OWL, RDF, RDFS, BNode, Dataset, Graph, Literal, Namespace

from kgreason import OptionError, ReasoningStore, TermError, TermWarning

EX = Namespace("http://example.org/")
REX = Literal("Rex")
FACT = (EX.rex, EX.name, REX)
GENERALISED = [(REX, RDF.type, RDFS.Literal), (EX.rex, BNode("p"), EX.o), (EX.rex, Literal("p"), EX.o)]


def graph_with(policy: str) -> Graph:
    return Graph(store=ReasoningStore(generalised=policy)).add(FACT)


@pytest.mark.parametrize("triple", GENERALISED)
def test_generalised_triple_is_refused_if_told_so(triple: tuple) -> None:
    graph = graph_with("refuse")

    with pytest.raises(TermError, match="cannot be a"):
        graph.add(triple)
    with pytest.raises(TermError, match="cannot be a"):
        graph.addN([(EX.a, EX.b, EX.c, graph), (*triple, graph)])

    assert set(graph) == {FACT}
    assert triple not in graph


@pytest.mark.parametrize("triple", GENERALISED)
def test_dropped_triple_is_only_found_whole(triple: tuple) -> None:
    graph = graph_with("drop")

    with pytest.warns(TermWarning, match="left out"):
        graph.add(triple)

    assert triple in graph
    assert set(graph) == {FACT}
    assert len(graph) == 1
    assert list(graph.triples((triple[0], None, None))) == list(graph.triples((triple[0], EX.name, None)))
    assert list(graph.query("SELECT * { ?s ?p ?o }")) == [FACT]
    assert graph.store.generalised_triples == 1


def test_store_warns_of_the_first_dropped_triple_alone() -> None:
    graph = graph_with("drop")
    more = (EX.a, EX.b, EX.c), (Literal(1), RDF.type, RDFS.Literal)

    with pytest.warns(TermWarning) as warned:
        graph.addN([(*triple, graph) for triple in (*GENERALISED, *more)])

    assert [warning.filename for warning in warned] == [__file__]
    assert graph.store.generalised_triples == 4
    assert set(graph) == {FACT, (EX.a, EX.b, EX.c)}


def test_kept_triple_is_shown_to_rdflib_and_not_to_rules_queries_and_files() -> None:
    graph = graph_with("keep")
    graph.add((EX.name, RDFS.domain, EX.Dog)).add((RDFS.Literal, RDFS.subClassOf, EX.Value))
    before = set(graph)

    for triple in GENERALISED:
        graph.add(triple)

    assert set(graph) - before == set(GENERALISED)
    assert len(graph) == len(before) + 3
    assert list(graph.triples((REX, None, None))) == GENERALISED[:1]
    assert set(graph.predicates(EX.rex, EX.o)) == {BNode("p"), Literal("p")}
    assert (REX, RDF.type, EX.Value) not in graph
    assert len(graph.query("SELECT * { ?s ?p ?o }")) == len(before)
    out = BytesIO()
    graph.serialize(out, format="kg-nt")
    assert len(out.getvalue().splitlines()) == len(before)


def test_kept_triple_belongs_to_its_graph() -> None:
    dataset = Dataset(store=ReasoningStore(rules="none", generalised="keep"))
    one, other = dataset.graph(EX.one), dataset.graph(EX.other)
    one.add(GENERALISED[0])
    one.add(GENERALISED[1])
    other.add(GENERALISED[0])

    assert set(one) == set(GENERALISED[:2])
    assert set(other) == set(GENERALISED[:1])
    assert set(dataset) == {(*triple, EX.one) for triple in GENERALISED[:2]} | {(*GENERALISED[0], EX.other)}
    assert len(dataset.store.explicit) == 2

    one.remove((None, None, None))

    assert len(one) == 0
    assert GENERALISED[0] in other
    assert GENERALISED[1] not in Graph(store=dataset.store, identifier=EX.other)


@pytest.mark.parametrize("policy", ["drop", "keep"])
@pytest.mark.filterwarnings("ignore::kgreason.TermWarning")
def test_removed_triple_is_gone(policy: str) -> None:
    graph = graph_with(policy)
    for triple in GENERALISED:
        graph.add(triple)

    graph.remove((REX, None, None))
    assert [triple in graph for triple in GENERALISED] == [False, True, True]
    graph.remove((None, None, None))
    assert not any(triple in graph for triple in GENERALISED)
    assert graph.store.generalised_triples == 0


def test_what_is_no_term_is_refused_under_each_policy() -> None:
    for policy in ("refuse", "drop", "keep"):
        graph = graph_with(policy)
        with pytest.raises(TermError):
            graph.add((REX, EX.p, Graph()))
        assert set(graph) == {FACT}


def test_policy_comes_from_a_configuration() -> None:
    graph = Graph("kgreason")
    graph.open("kgreason:?generalised=keep")
    graph.add(GENERALISED[0])
    assert set(graph) == set(GENERALISED[:1])

    with pytest.raises(OptionError, match="refuse, drop, keep"):
        ReasoningStore(generalised="ignore")
    with pytest.raises(OptionError):
        ReasoningStore("kgreason:?generalised=ignore")


def test_inferred_triples_stay_beside_kept_ones() -> None:
    graph = graph_with("keep")
    graph.add((EX.name, RDF.type, OWL.DatatypeProperty))
    graph.add(GENERALISED[0])
    assert GENERALISED[0] not in graph.store.inferred
