"""Would catch a tree with a node too many or too few, or inferred triples that are said to be asserted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from kgreason.lookup.best_labels import BestLabels
from kgreason.rdf.model import IRI, BlankNode
from kgreason.rdf.vocabulary import OWL as OWL_NAMESPACE
from kgreason.rdf.vocabulary import RDF, RDFS
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason_server import ServerOptions, application
from kgreason_server.workbench.hierarchy import Hierarchy
from tests.facade import EX, Triple, add, ex
from tests.profiles import examples
from tests.workbench.trees import tree_store

BELOW, TYPE, CLASS = IRI(RDFS + "subClassOf"), IRI(RDF + "type"), IRI(OWL_NAMESPACE + "Class")
NODES = [*(ex(f"C{number}") for number in range(5)), BlankNode("b")]


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(application(tree_store(), ServerOptions()), base_url="http://testserver") as client:
        while client.get("/readyz").status_code != 200:
            pass
        yield client


def asked(client: TestClient, path: str, **parameters: Any) -> Any:
    response = client.get(f"/workbench/{path}", params=parameters)
    assert response.status_code == 200, response.text
    return response.json()


@given(
    st.lists(
        st.one_of(
            st.tuples(st.sampled_from(NODES), st.just(BELOW), st.sampled_from(NODES)),
            st.tuples(st.sampled_from(NODES), st.just(TYPE), st.just(CLASS)),
        ),
        max_size=10,
    )
)
@settings(max_examples=examples(100))
def test_tree_of_random_edges_has_all_named_nodes_and_their_children(triples: list[Triple]) -> None:
    base = KnowledgeBase("none")
    add(base, *triples)
    tree = Hierarchy.of("classes", base.explicit(), base.dictionary)
    labels = BestLabels.of(base.explicit(), base.dictionary, "en")

    edges = {(s, o) for s, p, o in triples if p == BELOW and s != o and isinstance(s, IRI) and isinstance(o, IRI)}
    nodes = {s for s, p, _ in triples if p == TYPE and isinstance(s, IRI)} | {node for edge in edges for node in edge}
    reached: set[str] = set()
    waiting = [node.key for node in tree.page(None, labels, 0, 100)[0]]
    for root in waiting:
        assert IRI(root) in nodes
    while waiting:
        key = waiting.pop()
        if key in reached:
            continue
        reached.add(key)
        found, count = tree.page(key, labels, 0, 100)
        assert {node.key for node in found} == {child.value for child, parent in edges if parent.value == key}
        assert count == len(found)
        for node in found:
            assert node.children == sum(parent.value == node.key for _, parent in edges)
        waiting += [node.key for node in found]
    assert reached == {node.value for node in nodes}
    without_parents = {node.value for node in nodes} - {child.value for child, _ in edges}
    assert without_parents <= {node.key for node in tree.page(None, labels, 0, 100)[0]}


def test_children_come_by_label_and_in_pages(client: TestClient) -> None:
    roots = asked(client, "hierarchy", kind="concepts", language="de-AT")
    assert [node["label"] for node in roots["nodes"]] == ["Begriff 000000", "Begriff 000001", "Begriff 000002"]
    assert roots["nodes"][0]["children"] == 199
    first = asked(client, "hierarchy", kind="concepts", parent=EX + "c0", language="en")
    assert [node["label"] for node in first["nodes"]][:2] == ["concept 000003", "concept 000006"]
    assert (len(first["nodes"]), first["count"]) == (199, 199)
    rest = asked(client, "hierarchy", kind="concepts", parent=EX + "c0", language="en", offset=190)
    assert rest["nodes"] == first["nodes"][190:]


def test_unknown_kind_and_unknown_node_are_told_apart(client: TestClient) -> None:
    assert client.get("/workbench/hierarchy?kind=dogs").status_code == 400
    assert asked(client, "hierarchy", kind="classes", parent=EX + "nothing")["nodes"] == []


def test_resource_tells_asserted_from_inferred(client: TestClient) -> None:
    found = asked(client, "resource", subject="ex:felix", language="de")
    groups = {group["property"]: group for group in found["outgoing"]}
    assert found["label"] == "Felix"
    types = {value["term"]: value for value in groups[f"<{RDF}type>"]["values"]}
    assert types[f"<{EX}Cat>"] == {"term": f"<{EX}Cat>", "label": "Katze", "asserted": True}
    assert types[f"<{EX}Animal>"] == {"term": f"<{EX}Animal>", "label": "Tier", "asserted": False}
    above = {value["term"]: value["asserted"] for value in groups[f"<{EX}above>"]["values"]}
    assert above == {f"<{EX}tom>": True, f"<{EX}kit>": False}
    incoming = asked(client, "resource", subject=f"<{EX}kit>")["incoming"]
    assert [(group["property"], group["count"], group["asserted"]) for group in incoming] == [(f"<{EX}above>", 2, 1)]


def test_resource_that_nothing_is_known_of_is_empty(client: TestClient) -> None:
    found = asked(client, "resource", subject="ex:unheard-of")
    assert (found["outgoing"], found["incoming"], found["label"]) == ([], [], None)
    assert client.get("/workbench/resource?subject=what%20is").status_code == 400
    assert client.get("/workbench/resource").status_code == 400


def test_names_are_those_of_the_store(client: TestClient) -> None:
    found = asked(client, "names")
    assert {"iri": EX + "Cat", "label": "cat", "count": 4} in found["classes"]
    assert EX + "above" in {each["iri"] for each in found["properties"]}
    assert found["prefixes"]["ex"] == EX


def test_terms_are_found_by_label(client: TestClient) -> None:
    assert asked(client, "find", text="KAT")["matches"] == [{"term": f"<{EX}Cat>", "label": "Katze"}]
    assert asked(client, "find", text="")["matches"] == []


@pytest.mark.parametrize("path", ["", "workbench/workbench.js", "workbench/workbench.css", "workbench/licences.txt"])
def test_files_of_the_page_forbid_other_hosts_and_are_cached_by_tag(client: TestClient, path: str) -> None:
    response = client.get(f"/{path}")
    assert response.status_code == 200
    policy = response.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "http" not in policy
    again = client.get(f"/{path}", headers={"If-None-Match": response.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize("name", ["sources.json", "..%2Fpage%2Fmain.js", "nothing.js", "%2e%2e/__init__.py"])
def test_other_files_are_not_served(client: TestClient, name: str) -> None:
    assert client.get(f"/workbench/{name}").status_code == 404


def test_readers_need_their_token_for_data_and_not_for_the_page() -> None:
    app = application(tree_store(3), ServerOptions(read_tokens=("a-token-of-a-reader-0",)))
    with TestClient(app, base_url="http://testserver") as client:
        while client.get("/readyz").status_code != 200:
            pass
        assert client.get("/").status_code == 200
        for path in ("names", "hierarchy?kind=classes", "resource?subject=ex:a", "find?text=a"):
            assert client.get(f"/workbench/{path}").status_code == 401


def test_trees_and_labels_follow_changes() -> None:
    app = application(tree_store(9), ServerOptions(write_tokens=("a-token-of-a-writer-0",)))
    writes = {"Authorization": "Bearer a-token-of-a-writer-0", "Content-Type": "application/sparql-update"}
    with TestClient(app, base_url="http://testserver") as client:
        while client.get("/readyz").status_code != 200:
            pass

        def below() -> list[tuple[str, str]]:
            found = asked(client, "hierarchy", kind="concepts", parent=EX + "c0", language="en")["nodes"]
            return [(node["iri"].removeprefix(EX), node["label"]) for node in found]

        def change(update: str) -> None:
            text = f"PREFIX ex: <{EX}> PREFIX skos: <http://www.w3.org/2004/02/skos/core#> {update}"
            assert client.post("/update", content=text, headers=writes).status_code in (200, 204)

        assert below() == [("c3", "concept 000003"), ("c6", "concept 000006")]
        change('INSERT DATA { ex:new skos:broader ex:c0 . ex:other ex:p "of no concern"@en }')
        assert below() == [("c3", "concept 000003"), ("c6", "concept 000006"), ("new", "new")]
        change('INSERT DATA { ex:new skos:prefLabel "a concept"@en }')
        assert below()[0] == ("new", "a concept")
        assert asked(client, "find", text="a concept")["matches"][0]["term"] == f"<{EX}new>"
        change("DELETE WHERE { ex:new ?p ?o }")
        assert below() == [("c3", "concept 000003"), ("c6", "concept 000006")]
        assert f"<{EX}new>" not in str(asked(client, "find", text="a concept"))
