"""Would catch: a page of pyLODE or an import of ontoenv that the store breaks, or that lacks what it has in memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from rdflib import RDF, Graph, Namespace, URIRef

from kgreason import ReasoningStore
from tests.software.conftest import PETS, MakeGraph

pytestmark = [pytest.mark.filterwarnings("ignore")]
EX = Namespace("http://e/")
OTHER = """<http://other/> a <http://www.w3.org/2002/07/owl#Ontology> .
<http://e/Animal> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://other/Thing> ."""


def lode(graph: Graph) -> str:
    try:
        from pylode import OntPub
    except FileNotFoundError:  # 3.4.1 looks for its own pyproject.toml
        pytest.skip("this pyLODE cannot be imported")
    except ModuleNotFoundError:
        pytest.skip("pyLODE is not installed")
    return str(OntPub(graph).make_html())


def test_page_of_pylode_is_that_over_memory(pets: MakeGraph) -> None:
    assert lode(pets("none")) == lode(pets(None))


def test_page_of_pylode_has_what_follows(pets: MakeGraph) -> None:
    page = lode(pets("owl-rl"))
    assert all(name in page for name in ("Pets", "Dog", "Animal", "has pet"))


@pytest.fixture
def environment(tmp_path: Path) -> object:
    ontoenv = pytest.importorskip("ontoenv", reason="ontoenv is not installed")
    (tmp_path / "pets.ttl").write_text(PETS)
    (tmp_path / "other.ttl").write_text(OTHER)
    environment = ontoenv.OntoEnv(temporary=True, offline=True, search_directories=[str(tmp_path)])
    environment.update()
    return environment


def test_ontoenv_imports_into_the_store(environment: object) -> None:
    graph = Graph(store=ReasoningStore())
    environment.import_graph(graph, "http://e/")
    assert (EX.rex, RDF.type, URIRef("http://other/Thing")) in graph


def test_ontoenv_imports_what_the_store_asks_for(environment: object) -> None:
    graph = Graph(store=ReasoningStore()).parse(data=PETS, format="turtle")
    environment.import_dependencies(graph)
    assert (EX.rex, RDF.type, URIRef("http://other/Thing")) in graph
