"""Branches of stores: what is changed in one does not show in another, and what is adopted shows everywhere.

Would catch terms, graphs, prefixes or rules that leak between a store and its branches, and an adoption that is lost on
disk or told to subscribers as something else.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from rdflib import OWL, RDF, RDFS, Dataset, Graph, Literal, Namespace, URIRef

from kgreason import BranchError, KGReasonError, ReasoningStore

EX = Namespace("http://example.org/")
RULE = "@prefix e: <http://example.org/> . e:gp(?x, ?z) :- e:parent(?x, ?y), e:parent(?y, ?z) ."
DATA = ((EX.Cat, RDFS.subClassOf, EX.Pet), (EX.tom, RDF.type, EX.Cat), (EX.tom, EX.parent, EX.kit))


@pytest.fixture
def graph() -> Graph:
    graph = Graph(store=ReasoningStore())
    for triple in DATA:
        graph.add(triple)
    return graph


def branch_of(graph: Graph) -> tuple[ReasoningStore, Graph]:
    branch = graph.store.branch()
    return branch, Graph(store=branch)


def test_branch_changes_origin_stays(graph: Graph) -> None:
    before = set(graph)

    branch, other = branch_of(graph)
    other.add((EX.Pet, RDFS.subClassOf, EX.Animal))
    other.remove((EX.tom, EX.parent, EX.kit))
    branch.add_rules(RULE)

    assert (EX.tom, RDF.type, EX.Animal) in other
    assert set(graph) == before
    assert EX.Animal not in {*graph.all_nodes()}
    known = graph.store.knowledge_base.dictionary
    assert known.lookup_key("<http://example.org/Animal") is None
    proof = str(branch.explain((EX.tom, RDF.type, EX.Animal)))
    assert "cax-sco" in proof
    assert len(other.query("SELECT ?c { <http://example.org/tom> a ?c }")) == 3
    assert len(graph.query("SELECT ?c { <http://example.org/tom> a ?c }")) == 2


def test_origin_changes_branch_stays(graph: Graph) -> None:
    _, other = branch_of(graph)
    before = set(other)

    graph.add((EX.Pet, RDFS.subClassOf, EX.Animal))
    graph.remove((EX.tom, RDF.type, EX.Cat))

    assert set(other) == before


def test_both_learn_terms_of_their_own(graph: Graph) -> None:
    _, other = branch_of(graph)
    graph.add((EX.a, EX.says, Literal("here")))
    other.add((EX.b, EX.says, Literal("there")))

    assert set(graph.objects(None, EX.says)) == {Literal("here")}
    assert set(other.objects(None, EX.says)) == {Literal("there")}


def test_difference_has_explicit_and_inferred_triples_and_those_of_graphs(graph: Graph) -> None:
    branch, other = branch_of(graph)
    other.add((EX.Pet, RDFS.subClassOf, EX.Animal))
    Dataset(store=branch).graph(EX.graph).add((EX.tom, EX.likes, EX.milk))
    other.remove((EX.tom, EX.parent, EX.kit))
    branch.add_rules(RULE)

    found = branch.difference()

    assert set(found.added) == {
        (EX.Pet, RDFS.subClassOf, EX.Animal),
        (EX.Cat, RDFS.subClassOf, EX.Animal),
        (EX.tom, RDF.type, EX.Animal),
        (EX.tom, EX.likes, EX.milk),
    }
    assert set(found.removed) == {(EX.tom, EX.parent, EX.kit)}
    assert set(found.explicit.added) == {(EX.Pet, RDFS.subClassOf, EX.Animal), (EX.tom, EX.likes, EX.milk)}
    assert set(found.graphs[EX.graph].added) == {(EX.tom, EX.likes, EX.milk)}
    assert len(found.graphs) == 2
    assert len(found.added_rules) == 1
    assert not found.removed_rules
    assert found
    other.add((EX.x, EX.y, EX.z))
    assert len(found.added) == 4
    with pytest.raises(KGReasonError):
        found.added.add((EX.x, EX.y, EX.z))


def test_difference_of_a_branch_without_changes_is_false(graph: Graph) -> None:
    branch, other = branch_of(graph)
    other.add((EX.x, EX.y, EX.z))
    other.remove((EX.x, EX.y, EX.z))

    assert not branch.difference()
    with pytest.raises(BranchError, match="not a branch"):
        graph.store.difference()


def test_adopted_branch_is_told_as_one_net_change(graph: Graph) -> None:
    heard: list[tuple[set, set]] = []
    graph.store.subscribe(lambda added, removed: heard.append((set(added), set(removed))))
    branch, other = branch_of(graph)
    other.add((EX.Pet, RDFS.subClassOf, EX.Animal))
    len(other)
    other.add((EX.x, EX.y, EX.z))
    len(other)
    other.remove((EX.x, EX.y, EX.z))
    other.remove((EX.tom, EX.parent, EX.kit))
    found = branch.difference()
    expected = set(found.added), set(found.removed)

    graph.store.adopt(branch)

    assert heard == [expected]
    assert set(graph) == set(other)
    graph.store.knowledge_base._check()
    branch.knowledge_base._check()
    assert not branch.difference()


def test_adopted_branch_brings_graphs_prefixes_and_rules(graph: Graph) -> None:
    graph.bind("old", URIRef("urn:old:"))
    branch, other = branch_of(graph)
    graph.bind("mine", URIRef("urn:mine:"))
    Dataset(store=branch).graph(EX.graph).add((EX.kit, EX.parent, EX.bo))
    Dataset(store=branch).add_graph(EX.empty)
    other.bind("fresh", URIRef("urn:fresh:"))
    branch.add_rules(RULE)

    graph.store.adopt(branch)

    assert (EX.tom, EX.gp, EX.bo) in graph
    assert set(Dataset(store=graph.store).graph(EX.graph)) == {(EX.kit, EX.parent, EX.bo)}
    assert {EX.graph, EX.empty} <= {each.identifier for each in graph.store.contexts()}
    assert [graph.store.namespace(prefix) for prefix in ("old", "mine", "fresh")] == [
        URIRef("urn:old:"), URIRef("urn:mine:"), URIRef("urn:fresh:")
    ]


def test_branch_goes_on_after_it_was_adopted(graph: Graph) -> None:
    branch, other = branch_of(graph)
    for number in range(12):
        other.add((EX[f"x{number}"], EX.y, Literal(f"{number}!")))
        graph.store.adopt(branch)
        graph.store.adopt(branch)
    assert set(graph) == set(other)
    assert len(graph) == 12 + 4
    graph.store.knowledge_base._check()
    branch.knowledge_base._check()


def test_origin_that_has_changed_refuses_its_branch(graph: Graph) -> None:
    branch, other = branch_of(graph)
    other.add((EX.x, EX.y, EX.z))
    graph.add((EX.a, EX.b, EX.c))
    before = set(graph)

    with pytest.raises(BranchError, match="the store has changed"):
        graph.store.adopt(branch)

    assert set(graph) == before
    graph.remove((EX.a, EX.b, EX.c))
    graph.store.adopt(branch)  # it is as it was, although it knows more terms
    assert set(graph) == set(other)
    assert (EX.x, EX.y, EX.z) in graph
    graph.store.knowledge_base._check()
    graph.store.add_rules(RULE)
    with pytest.raises(BranchError, match="the store has changed"):
        graph.store.adopt(branch)


def test_branch_of_a_branch_is_adopted_by_that_branch_alone(graph: Graph) -> None:
    branch, other = branch_of(graph)
    other.add((EX.Pet, RDFS.subClassOf, EX.Animal))
    twig, third = branch_of(other)
    third.add((EX.Animal, RDFS.subClassOf, EX.Thing))

    with pytest.raises(BranchError, match="of another store"):
        graph.store.adopt(twig)

    assert (EX.tom, RDF.type, EX.Thing) not in other
    branch.adopt(twig)
    graph.store.adopt(branch)
    assert (EX.tom, RDF.type, EX.Thing) in graph


def test_origin_whose_change_failed_adopts_a_branch(graph: Graph) -> None:
    branch, other = branch_of(graph)
    other.add((EX.x, EX.y, Literal("branch")))
    with pytest.raises(KGReasonError):
        graph.addN([(EX.new1, EX.y, Literal("lost"), graph), (URIRef("no\niri"), EX.y, EX.z, graph)])

    graph.store.adopt(branch)

    assert set(graph.objects(EX.x, EX.y)) == {Literal("branch")}
    assert set(graph) == set(other)
    graph.store.knowledge_base._check()


def test_what_is_queued_on_either_side_counts(graph: Graph) -> None:
    branch, other = branch_of(graph)
    other.add((EX.x, EX.y, EX.z))
    graph.store.adopt(branch)
    assert (EX.x, EX.y, EX.z) in graph
    graph.add((EX.a, EX.b, EX.c))
    with pytest.raises(BranchError):
        graph.store.adopt(branch)
    assert (EX.a, EX.b, EX.c) in graph


def test_adopted_branch_is_committed(tmp_path: Path) -> None:
    graph = Graph(store=ReasoningStore())
    graph.open(str(tmp_path), create=True)
    for triple in DATA:
        graph.add(triple)
    graph.commit()
    branch, other = branch_of(graph)
    other.add((EX.Pet, RDFS.subClassOf, EX.Animal))
    other.remove((EX.tom, EX.parent, EX.kit))
    Dataset(store=branch).graph(EX.graph).add((EX.kit, EX.parent, Literal("new")))
    branch.add_rules(RULE)

    graph.store.adopt(branch)
    graph.rollback()
    assert set(graph.store.explicit) == set(DATA)
    branch, other = branch_of(graph)
    other.add((EX.Pet, RDFS.subClassOf, EX.Animal))
    branch.add_rules(RULE)
    graph.store.adopt(branch)
    graph.commit()
    expected, rules = set(graph), graph.store.knowledge_base.rules
    graph.close()

    again = Graph(store=ReasoningStore())
    again.open(str(tmp_path))
    assert set(again) == expected
    assert again.store.knowledge_base.rules == rules
    again.store.knowledge_base._check()
    again.close()


def test_branch_outlives_an_origin_that_was_closed(tmp_path: Path) -> None:
    graph = Graph(store=ReasoningStore())
    graph.open(str(tmp_path), create=True)
    for triple in DATA:
        graph.add(triple)
    graph.commit()
    graph.store.write_snapshot()
    graph.close()
    graph.open(str(tmp_path))
    branch, other = branch_of(graph)
    graph.close()

    other.add((EX.Pet, RDFS.subClassOf, EX.Animal))

    assert (EX.tom, RDF.type, EX.Animal) in other
    assert (EX.tom, RDF.type, EX.Animal) in branch.difference().added


def test_branches_in_threads_do_not_see_each_other(graph: Graph) -> None:
    graph.add((EX.next, RDF.type, OWL.TransitiveProperty))
    for number in range(20):
        graph.add((EX[f"n{number}"], EX.next, EX[f"n{number + 1}"]))
    size = len(graph)

    def work(number: int) -> int:
        _, other = branch_of(graph)
        other.add((EX.n20, EX.next, EX[f"end{number}"]))
        for step in range(5):
            graph.add((EX[f"shared{number}"], EX.seen, Literal(step)))
            assert set(other.objects(EX.n0, EX.next)) == {EX[f"n{n}"] for n in range(1, 21)} | {EX[f"end{number}"]}
        return len(set(other.objects(EX.n20, EX.next)))

    with ThreadPoolExecutor(4) as pool:
        assert [*pool.map(work, range(8))] == [1] * 8
    assert len(graph) == size + 8 * 5
    graph.store.knowledge_base._check()


def test_prefix_that_a_branch_drops_is_dropped(graph: Graph) -> None:
    graph.bind("one", URIRef("urn:one:"))
    branch, other = branch_of(graph)
    other.bind("two", URIRef("urn:one:"), override=True, replace=True)

    graph.store.adopt(branch)

    assert graph.store.prefix(URIRef("urn:one:")) == "two"


def test_graph_over_a_branch_is_not_adopted(graph: Graph) -> None:
    _, other = branch_of(graph)
    other.add((EX.Pet, RDFS.subClassOf, EX.Animal))

    with pytest.raises(TypeError, match="the branch is of type Graph"):
        graph.store.adopt(other)

    assert (EX.tom, RDF.type, EX.Animal) not in graph
