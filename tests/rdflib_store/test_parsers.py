"""The kg-* parsers and bulk loading: the same triples as rdflib's parsers, into graphs, datasets, other stores."""

from __future__ import annotations

import io
import tomllib
from pathlib import Path

import pytest
from rdflib import RDF, RDFS, BNode, Dataset, Graph, Literal, Namespace, URIRef
from rdflib.compare import isomorphic
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.parser import create_input_source

from kgreason import ReasoningStore
from kgreason_rdflib.parsers import BulkParseError
from tests.rdflib_store.conftest import PARSERS, MakeStore

EX = Namespace("http://example.org/")

NTRIPLES = """<http://example.org/s> <http://example.org/p> <http://example.org/o> .
<http://example.org/s> <http://example.org/p> "plain" .
<http://example.org/s> <http://example.org/p> "tagged"@en-gb .
<http://example.org/s> <http://example.org/p> "7"^^<http://www.w3.org/2001/XMLSchema#integer> .
_:a <http://example.org/p> _:b .
_:b <http://example.org/p> _:a .
"""
TURTLE = """@prefix ex: <http://example.org/> .
ex:s ex:p ex:o, "plain", "tagged"@en-gb, 7 .
_:a ex:p _:b . _:b ex:p _:a .
"""
XML = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:ex="http://example.org/">
<rdf:Description rdf:about="http://example.org/s">
  <ex:p rdf:resource="http://example.org/o"/><ex:p>plain</ex:p><ex:p xml:lang="en-gb">tagged</ex:p>
  <ex:p rdf:datatype="http://www.w3.org/2001/XMLSchema#integer">7</ex:p>
</rdf:Description>
<rdf:Description rdf:nodeID="a"><ex:p rdf:nodeID="b"/></rdf:Description>
<rdf:Description rdf:nodeID="b"><ex:p rdf:nodeID="a"/></rdf:Description>
</rdf:RDF>"""
JSON = """{"@context": {"ex": "http://example.org/"}, "@graph": [
  {"@id": "ex:s", "ex:p": [{"@id": "ex:o"}, "plain", {"@value": "tagged", "@language": "en-gb"}, 7]},
  {"@id": "_:a", "ex:p": {"@id": "_:b", "ex:p": {"@id": "_:a"}}}]}"""

TRIPLE_SOURCES = {"nt": NTRIPLES, "ttl": TURTLE, "n3": TURTLE, "xml": XML, "jsonld": JSON, "trig": TURTLE}
TRIPLE_FORMATS = [
    (name, TRIPLE_SOURCES[key])
    for name, key in [
        ("kg-nt", "nt"),
        ("kg-ntriples", "nt"),
        ("kg-nquads", "nt"),
        ("kg-turtle", "ttl"),
        ("kg-ttl", "ttl"),
        ("kg-trig", "ttl"),
        ("kg-n3", "n3"),
        ("kg-xml", "xml"),
        ("kg-jsonld", "jsonld"),
        ("kg-json-ld", "jsonld"),
    ]
]

NQUADS = """<http://example.org/a> <http://example.org/p> "in the default graph" .
<http://example.org/b> <http://example.org/p> "in one" <http://example.org/one> .
_:x <http://example.org/p> "in a graph with a label" _:x .
"""
TRIG = """@prefix ex: <http://example.org/> .
ex:a ex:p "in the default graph" .
ex:one { ex:b ex:p "in one" }
_:x { _:x ex:p "in a graph with a label" }
"""
QUAD_FORMATS = [("kg-nquads", NQUADS), ("kg-nq", NQUADS), ("kg-trig", TRIG)]


def test_the_package_names_these_plugins() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    parsers = {name: f"kgreason_rdflib.parsers:{parser}" for name, parser in PARSERS.items()}
    assert project["entry-points"]["rdf.plugins.parser"] == parsers
    assert project["entry-points"]["rdf.plugins.store"] == {"kgreason": "kgreason_rdflib.store:ReasoningStore"}


def test_every_plugin_has_a_test() -> None:
    assert {name for name, _ in TRIPLE_FORMATS} | {name for name, _ in QUAD_FORMATS} == set(PARSERS)


@pytest.mark.parametrize(("format", "text"), TRIPLE_FORMATS)
def test_triples_into_a_graph(make_store: MakeStore, format: str, text: str) -> None:
    expected = Graph().parse(data=NTRIPLES, format="nt")
    for graph in (Graph(store=make_store()), Graph(store=make_store(), identifier=EX.mine), Graph()):
        graph.parse(data=text, format=format)
        assert len(graph) == 6
        assert isomorphic(Graph() + graph, expected)


@pytest.mark.parametrize(("format", "text"), TRIPLE_FORMATS)
def test_triples_into_a_dataset(make_store: MakeStore, format: str, text: str) -> None:
    dataset = Dataset(store=make_store())
    dataset.parse(data=text, format=format)
    assert len(dataset.default_graph) == 6
    dataset.graph(EX.named).parse(data=text, format=format)
    assert len(dataset.graph(EX.named)) == 6
    assert {g.identifier for g in dataset.graphs()} == {DATASET_DEFAULT_GRAPH_ID, EX.named}


@pytest.mark.parametrize(("format", "text"), QUAD_FORMATS)
@pytest.mark.parametrize("kind", ["kgreason", "memory"])
def test_quads_into_a_dataset(make_store: MakeStore, format: str, text: str, kind: str) -> None:
    dataset = Dataset(store=make_store()) if kind == "kgreason" else Dataset()
    dataset.parse(data=text, format=format)
    found = {str(o): (s, g) for s, _, o, g in dataset.quads()}
    assert found.keys() == {"in the default graph", "in one", "in a graph with a label"}
    assert found["in the default graph"] == (EX.a, DATASET_DEFAULT_GRAPH_ID)
    assert found["in one"] == (EX.b, EX.one)
    subject, graph = found["in a graph with a label"]
    assert subject == graph
    assert isinstance(graph, BNode)
    assert graph != BNode("x")
    assert len(dataset.get_context(EX.one)) == len(dataset.get_context(graph)) == 1


@pytest.mark.parametrize(("format", "text"), QUAD_FORMATS)
def test_quads_into_a_graph(make_store: MakeStore, format: str, text: str) -> None:
    store = make_store()
    graph = Graph(store=store)
    graph.parse(data=text, format=format)
    assert set(graph) == {(EX.a, EX.p, Literal("in the default graph"))}
    assert set(Dataset(store=store).get_context(EX.one)) == {(EX.b, EX.p, Literal("in one"))}
    assert len(store) == 3


def test_inferences_follow_a_load() -> None:
    store = ReasoningStore()
    graph = Graph(store=store).parse(
        data=f"<{EX.C}> <{RDFS.subClassOf}> <{EX.D}> . <{EX.x}> a <{EX.C}> .", format="kg-turtle"
    )
    assert (EX.x, RDF.type, EX.D) in graph
    assert len(store.explicit) == 2


def test_base_and_public_id(make_store: MakeStore, tmp_path: Path) -> None:
    graph = Graph(store=make_store())
    graph.parse(data="<s> <#p> <../o> .", format="kg-turtle", publicID="http://example.org/a/b")
    graph.parse(data="@base <http://example.org/c/> . <s> <#p> <../o> .", format="kg-turtle")
    file = tmp_path / "data.ttl"
    file.write_text("<s> <#p> <o> .")
    graph.parse(file, format="kg-turtle")
    assert set(graph) == {
        (EX["a/s"], EX["a/b#p"], EX.o),
        (EX["c/s"], EX["c/#p"], EX.o),
        tuple(URIRef(f"{base}") for base in (tmp_path.as_uri() + "/s", file.as_uri() + "#p", tmp_path.as_uri() + "/o")),
    }


def test_every_kind_of_source(make_store: MakeStore, tmp_path: Path) -> None:
    file = tmp_path / "data.nt"
    file.write_text('<http://example.org/s> <http://example.org/p> "ä" .\n', encoding="utf-8")
    expected = {(EX.s, EX.p, Literal("ä"))}
    with file.open("rb") as stream:
        for source in (str(file), file, file.as_uri(), stream, io.BytesIO(file.read_bytes())):
            assert set(Graph(store=make_store()).parse(source, format="kg-nt")) == expected
    text = file.read_text(encoding="utf-8")
    assert set(Graph(store=make_store()).parse(data=text, format="kg-nt")) == expected
    assert set(Graph(store=make_store()).parse(data=text.encode(), format="kg-nt")) == expected
    assert set(Graph(store=make_store()).parse(io.StringIO(text), format="kg-nt")) == expected


def test_prefixes_of_files_are_bound_where_they_are_free(make_store: MakeStore, tmp_path: Path) -> None:
    (tmp_path / "data.ttl").write_text("@prefix ex: <http://a/> . @prefix mine: <http://b/> . ex:s mine:p ex:o .")
    store = make_store()
    graph = Graph(store=store)
    graph.bind("mine", "http://c/")

    store.bulk_load(tmp_path / "data.ttl")

    assert dict(graph.namespaces())["ex"] == URIRef("http://a/")
    assert dict(graph.namespaces())["mine"] == URIRef("http://c/")
    assert bool(graph.query("ASK { ex:s ?p ex:o }"))


def test_prefixes_are_bound(make_store: MakeStore) -> None:
    graph = Graph(store=make_store())
    graph.parse(data="@prefix own: <http://example.org/own#> . own:s own:p own:o .", format="kg-turtle")
    assert graph.store.namespace("own") == URIRef("http://example.org/own#")
    assert len(list(graph.query("SELECT ?o { own:s own:p ?o }"))) == 1


def test_prefixes_of_rdf_xml_are_bound(make_store: MakeStore) -> None:
    graph = Graph(store=make_store())
    graph.parse(
        data="""<?xml version="1.0"?><!DOCTYPE rdf:RDF [ <!ENTITY base "http://example.org/"> ]>
        <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="&base;own#" xmlns:two="http://two/">
        <Thing rdf:about="http://example.org/a" xmlns:three="http://three/"><two:p>x</two:p></Thing></rdf:RDF>""",
        format="kg-xml",
    )
    bound = {prefix: str(namespace) for prefix, namespace in graph.namespaces()}
    assert (bound[""], bound["two"]) == ("http://example.org/own#", "http://two/")
    assert "http://three/" not in bound.values()


def test_blank_nodes_of_two_loads_stay_apart(make_store: MakeStore) -> None:
    graph = Graph(store=make_store())
    for _ in range(2):
        graph.parse(data="_:a <urn:p> _:a .", format="kg-nt")
    assert len(graph) == 2
    graph.add((BNode("a"), URIRef("urn:p"), BNode("a")))
    assert len(graph) == 3


@pytest.mark.parametrize("format", ["nquads", "hext", "trig", "json-ld", "turtle"])
def test_parsers_of_rdflib_keep_what_was_there(make_store: MakeStore, format: str) -> None:
    source = Dataset()
    source.add((EX.s, EX.p, EX.o, EX.g))
    source.add((EX.a, EX.p, EX.o))
    text = source.serialize(format=format)
    before = (EX.before, EX.p, EX.o)
    store = make_store()
    graph = Graph(store=store)
    graph.add(before)
    graph.parse(data=text, format=format)
    assert set(graph) == {before, (EX.a, EX.p, EX.o)}
    dataset = Dataset(store=make_store())
    dataset.add(before)
    dataset.parse(data=text, format=format)
    assert set(dataset.triples((None, None, None))) == {before, (EX.a, EX.p, EX.o)}
    expected = {(EX.s, EX.p, EX.o)} if format != "turtle" else set()
    for loaded in (dataset, Dataset(store=store)):
        assert set(loaded.get_context(EX.g)) == expected


@pytest.mark.parametrize("name", ["turtle", "nt", "xml", "nquads", "trig"])
def test_serialised_closure_parses_back(name: str) -> None:
    graph = Graph(store=ReasoningStore())
    graph.parse(data=TURTLE, format="kg-turtle")
    graph.add((EX.p, RDFS.subPropertyOf, EX.q))
    kind: type[Graph] = Dataset if name in ("nquads", "trig") else Graph
    view = kind(store=graph.store)
    again = kind(store=ReasoningStore(rules="none")).parse(data=view.serialize(format=name), format=name)
    assert len(again) == len(graph) == 13
    assert isomorphic(Graph() + Graph(store=again.store), Graph() + graph)


@pytest.mark.parametrize("format", ["kg-nt", "kg-nquads", "kg-turtle", "kg-trig", "kg-n3"])
def test_a_lone_surrogate_is_refused_with_its_place_and_changes_nothing(make_store: MakeStore, format: str) -> None:
    graph = Graph(store=make_store())
    text = '<http://e/s> <http://e/p> "a" .\n<http://e/s> <http://e/p> "b\ud800" .'

    with pytest.raises(BulkParseError, match=r"data:2:29: Invalid UTF-8"):
        graph.parse(data=text, format=format)
    assert len(graph) == 0


def test_text_beyond_ascii_is_read_from_strings_and_text_streams(make_store: MakeStore) -> None:
    text = "".join(f'<http://e/s> <http://e/p> "größe 日本 \U0001f600 {number}" .\n' for number in range(20_000))
    one, other = Graph(store=make_store()), Graph(store=make_store())

    one.parse(data=text, format="kg-turtle")
    source = create_input_source(data="")
    source.setByteStream(io.StringIO(text))  # rdflib has text in the place of bytes for some sources
    source.setCharacterStream(None)
    other.parse(source, format="kg-turtle")

    assert len(one) == len(other) == 20_000
    assert (URIRef("http://e/s"), URIRef("http://e/p"), Literal("größe 日本 \U0001f600 19999")) in other
