"""Would catch: owlrl's expansion that never ends or stops at literals as subjects, or that gives other triples."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy

import pytest
from rdflib import Dataset, Graph, Literal, Namespace, URIRef

from kgreason import ReasoningStore
from tests.software.conftest import PETS, MakeGraph

owlrl = pytest.importorskip("owlrl", reason="owlrl is not installed")
XsdDatatypes = pytest.importorskip("owlrl.XsdDatatypes")
pytestmark = [pytest.mark.filterwarnings("ignore::kgreason.TermWarning")]
EX = Namespace("http://e/")
SEMANTICS = ["RDFS_Semantics", "OWLRL_Semantics", "RDFS_OWLRL_Semantics", "OWLRL_Extension"]


@pytest.fixture(autouse=True)
def _owlrl_as_imported() -> Iterator[None]:
    """Each use of owlrl's extension adds owl:rational to the datatypes of all other tests in the process."""
    datatypes, subsumptions = XsdDatatypes.OWL_RL_Datatypes, XsdDatatypes.OWL_Datatype_Subsumptions
    known, above = [*datatypes], deepcopy(subsumptions)
    yield
    datatypes[:] = known
    subsumptions.clear()
    subsumptions.update(above)


def expanded(graph: Graph, semantics: str) -> Graph:
    owlrl.DeductiveClosure(getattr(owlrl, semantics), datatype_axioms=True).expand(graph)
    return graph


def of_rdf(graph: Graph) -> set:
    return {t for t in graph if not isinstance(t[0], Literal) and isinstance(t[1], URIRef)}


@pytest.mark.parametrize("semantics", SEMANTICS)
def test_expansion_is_that_of_the_memory_store_but_for_generalised_triples(pets: MakeGraph, semantics: str) -> None:
    expected = expanded(pets(None), semantics)

    graph = expanded(pets("none"), semantics)

    assert set(graph) == of_rdf(expected)
    assert 0 < graph.store.generalised_triples <= len(expected) - len(graph)  # none follows from a dropped one


@pytest.mark.parametrize("semantics", SEMANTICS)
def test_expansion_is_that_of_the_memory_store_where_generalised_triples_are_kept(semantics: str) -> None:
    expected = expanded(Graph().parse(data=PETS, format="turtle"), semantics)
    store = ReasoningStore(rules="none", generalised="keep")

    graph = expanded(Graph(store=store).parse(data=PETS, format="turtle"), semantics)

    assert set(graph) == set(expected)


@pytest.mark.parametrize("rules", ["rdfs", "owl-rl"])
def test_expansion_adds_to_what_follows_already(pets: MakeGraph, rules: str) -> None:
    expected = of_rdf(expanded(pets(None), "OWLRL_Semantics"))

    graph = expanded(pets(rules), "OWLRL_Semantics")

    assert expected <= set(graph)
    graph.store.knowledge_base._check()


def test_expansion_goes_to_another_graph_of_a_dataset() -> None:
    dataset = Dataset(store=ReasoningStore(rules="none"), default_union=True)
    dataset.graph(EX.data).parse(data=PETS, format="turtle")

    owlrl.DeductiveClosure(owlrl.OWLRL_Semantics).expand(dataset, destination=str(EX.closure))

    expected = of_rdf(owlrl_closure(PETS))
    assert {triple[:3] for triple in dataset.quads((None, None, None, None))} == expected
    assert len(dataset.graph(EX.data)) == len(Graph().parse(data=PETS, format="turtle"))


def owlrl_closure(data: str) -> Graph:
    graph = Graph().parse(data=data, format="turtle")
    owlrl.DeductiveClosure(owlrl.OWLRL_Semantics).expand(graph)
    return graph
