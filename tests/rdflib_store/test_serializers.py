"""The ``kg-*`` serialisers: a graph is read back isomorphic, and what is written twice is the same byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest
from rdflib import RDF, RDFS, BNode, Dataset, Graph, Literal, Namespace, URIRef, plugin
from rdflib.collection import Collection
from rdflib.compare import isomorphic
from rdflib.serializer import Serializer

from kgreason import ReasoningStore, WriteError
from kgreason_rdflib import serializers

EX = Namespace("http://example.org/")
FORMATS = {
    **{"kg-nt": "NTriplesSerializer", "kg-nquads": "NQuadsSerializer", "kg-turtle": "TurtleSerializer"},
    **{"kg-trig": "TriGSerializer", "kg-xml": "RDFXMLSerializer", "kg-n3": "N3Serializer"},
    **{"kg-jsonld": "JSONLDSerializer"},
}
RDFLIB = {name: {"kg-jsonld": "json-ld"}.get(name, name.removeprefix("kg-")) for name in FORMATS}
SORTED = sorted(FORMATS.keys() - {"kg-nt", "kg-nquads"})

for name, serializer in FORMATS.items():  # where the package is not installed, its entry points are not known
    plugin.register(name, Serializer, serializers.__name__, serializer)


def filled(graph: Graph) -> Graph:
    """A graph with blank nodes of several kinds: a list, one below another one, a circle, and twins."""
    graph.bind("ex", EX)
    Collection(graph, head := BNode(), [EX.a, Literal(1), BNode()])
    outer, inner, first, second = BNode(), BNode(), BNode(), BNode()
    for triple in [
        (EX.Violin, RDFS.subClassOf, EX.Instrument),
        (EX.stradivari, RDF.type, EX.Violin),
        (EX.stradivari, RDFS.label, Literal('a "name"\n', "it")),
        (EX.x, EX.list, head),
        (EX.x, EX.outer, outer),
        (outer, EX.inner, inner),
        (inner, EX.value, Literal("2024-01-01", datatype=URIRef("http://www.w3.org/2001/XMLSchema#date"))),
        (first, EX.next, second),
        (second, EX.next, first),
        (BNode(), EX.value, Literal("twin")),
        (BNode(), EX.value, Literal("twin")),
    ]:
        graph.add(triple)
    return graph


@pytest.mark.parametrize("count", [1, 4000])
@pytest.mark.parametrize("format", FORMATS)
def test_language_tags_keep_their_spelling(format: str, count: int) -> None:
    graph = Graph(store=ReasoningStore(rules="none"))
    for number in range(count):
        for tag in ("en-GB", "en-gb", "zh-Hant-TW", "de"):
            graph.add((EX[f"s{number}"], EX.p, Literal(f"x {number} xx-{tag}", tag)))

    read = Graph().parse(data=graph.serialize(format=format), format=RDFLIB[format])

    assert {(s, str(o), str(o.language)) for s, _, o in read} == {(s, str(o), str(o.language)) for s, _, o in graph}


@pytest.mark.parametrize("make", [Graph, lambda: Graph(store=ReasoningStore(rules="rdfs"))])
@pytest.mark.parametrize("format", FORMATS)
def test_round_trip(format: str, make: type[Graph]) -> None:
    graph = filled(make())

    text = graph.serialize(format=format)

    read = Graph().parse(data=text, format=RDFLIB[format])
    assert isomorphic(read, graph)
    assert ((EX.stradivari, RDF.type, EX.Instrument) in read) == isinstance(graph.store, ReasoningStore)


@pytest.mark.parametrize("format", SORTED)
def test_what_is_written_again_after_reading_is_the_same(format: str) -> None:
    graph = filled(Graph(store=ReasoningStore(rules="none")))
    text = graph.serialize(format=format)

    for _ in range(3):
        graph = Graph(store=ReasoningStore(rules="none"))
        graph.parse(data=text, format="kg-xml" if format == "kg-xml" else format)
        if format in ("kg-jsonld", "kg-xml"):  # whose readers tell no prefixes
            graph.bind("ex", EX)
        assert graph.serialize(format=format) == text


@pytest.mark.parametrize("make", [Dataset, lambda: Dataset(store=ReasoningStore(rules="rdfs"))])
@pytest.mark.parametrize("format", ["kg-nquads", "kg-trig", "kg-jsonld"])
def test_named_graphs_are_kept(format: str, make: type[Dataset]) -> None:
    dataset = make()
    filled(dataset.graph(EX.g))
    shared = BNode()
    dataset.graph(shared).add((shared, EX.p, EX.o))
    dataset.default_graph.add((EX.s, EX.p, EX.o))

    read = Dataset().parse(
        data=dataset.serialize(format=format), format=format.replace("kg-jsonld", "json-ld").removeprefix("kg-")
    )

    assert isomorphic(read.graph(EX.g), filled(Graph()))
    assert (EX.s, EX.p, EX.o) in read.default_graph
    assert [(g, s) for s, _, o, g in _quads(read) if o == EX.o and isinstance(s, BNode)] != []
    assert all(g == s for s, _, o, g in _quads(read) if o == EX.o and isinstance(s, BNode))


def _quads(dataset: Dataset) -> list[tuple]:
    return [(s, p, o, getattr(g, "identifier", g)) for s, p, o, g in dataset.quads()]


def test_turtle_has_each_subject_once_and_the_prefixes_in_use(tmp_path: Path) -> None:
    graph = Graph(store=ReasoningStore(rules="none"))
    graph.bind("ex", EX)
    graph.bind("unused", "http://example.com/")
    for name in ("b", "a"):
        graph.add((EX[name], EX.p, EX.o))
        graph.add((EX[name], RDF.type, EX.C))

    assert graph.serialize(format="kg-turtle").splitlines() == [
        "@prefix ex: <http://example.org/> .",
        "ex:a a ex:C ;",
        "\tex:p ex:o .",
        "ex:b a ex:C ;",
        "\tex:p ex:o .",
    ]


def test_what_cannot_be_written_is_refused() -> None:
    graph = filled(Graph(store=ReasoningStore(rules="none")))
    with pytest.raises(WriteError, match="the encoding latin-1"):
        graph.serialize(format="kg-turtle", encoding="latin-1")
    with pytest.raises(WriteError, match="no option base"):
        graph.serialize(format="kg-turtle", base="http://example.org/")
    graph.add((EX.s, EX["1"], EX.o))
    with pytest.raises(WriteError, match="RDF/XML"):
        graph.serialize(format="kg-xml")


@pytest.mark.parametrize("format", ["kg-turtle", "kg-trig", "kg-n3", "kg-xml"])
def test_prefix_that_the_format_cannot_declare_is_left_out(format: str) -> None:
    graph = Graph(store=ReasoningStore(rules="none")).add((EX.s, EX.p, EX.o))
    for prefix in ("_", "3", "a.", ".a", "-a", "a:b", "x y"):
        graph.store.bind(prefix, URIRef(EX), override=True)
        assert set(Graph().parse(data=graph.serialize(format=format), format=format)) == {(EX.s, EX.p, EX.o)}


@pytest.mark.parametrize("format", ["kg-turtle", "kg-trig", "kg-n3", "kg-xml", "kg-jsonld"])
@pytest.mark.parametrize("namespace", ["", "h", "http", EX.partition(":")[0], f"{EX}> . <a:> <a:> <a:> . #"])
def test_namespace_that_is_no_absolute_iri_is_left_out(format: str, namespace: str) -> None:
    graph = Graph(store=ReasoningStore(rules="none")).add((EX.s, EX.p, EX.o))
    graph.store.bind("x", URIRef(namespace), override=True)
    assert set(Graph().parse(data=graph.serialize(format=format), format=format)) == {(EX.s, EX.p, EX.o)}


@pytest.mark.parametrize("format", ["kg-xml", "kg-jsonld", "kg-turtle", "kg-nt", "kg-trig"])
def test_documents_end_with_a_line_break(format: str) -> None:
    graph = Graph(store=ReasoningStore(rules="none")).add((EX.s, EX.p, EX.o))
    assert graph.serialize(format=format).endswith("\n")


def test_control_characters_are_not_written_into_xml() -> None:
    graph = Graph(store=ReasoningStore(rules="none")).add((EX.s, EX.p, Literal("a\x08b")))
    with pytest.raises(WriteError, match=r"\\x08"):
        graph.serialize(format="kg-xml")
    graph.set((EX.s, EX.p, Literal("a\tb\n\r\nc\rd\U0001f600")))
    assert set(Graph().parse(data=graph.serialize(format="kg-xml"), format="xml")) == set(graph)


@pytest.mark.parametrize("name", ["resume\u0301", "x·y", "a.b", "b-", "1a", "\u65e5\u672c"])
def test_property_with_a_name_of_xml_is_written_as_xml(name: str) -> None:
    triple = URIRef("http://example.org/s"), URIRef(f"http://example.org/{name}"), Literal("x")
    graph = Graph(ReasoningStore(rules="none")).add(triple)

    written = graph.serialize(format="kg-xml")

    assert set(Graph().parse(data=written, format="xml")) == {triple}


@pytest.mark.parametrize("name", ["", "1", "x²", "a!", "ª"])
def test_property_without_a_name_of_xml_is_refused(name: str) -> None:
    triple = URIRef("http://example.org/s"), URIRef(f"http://example.org/{name}"), Literal("x")
    graph = Graph(ReasoningStore(rules="none")).add(triple)

    with pytest.raises(WriteError, match="expected a property whose end is an XML name"):
        graph.serialize(format="kg-xml")


QUADS = ["kg-nquads", "kg-trig", "kg-jsonld"]


@pytest.mark.parametrize("format", QUADS)
def test_asserted_quads_keep_their_graphs(format: str) -> None:
    dataset = Dataset(store=ReasoningStore(rules="rdfs"))
    dataset.add((EX.Violin, RDFS.subClassOf, EX.Instrument))
    dataset.graph(EX.own).add((EX.stradivari, RDF.type, EX.Violin))

    text = dataset.store.explicit.serialize(format=format)

    read = Dataset()
    read.parse(data=text, format=RDFLIB[format])
    assert set(read.default_graph) == {(EX.Violin, RDFS.subClassOf, EX.Instrument)}
    assert set(read.graph(EX.own)) == {(EX.stradivari, RDF.type, EX.Violin)}
    assert len(list(read.quads())) == 2


@pytest.mark.parametrize("default_union", [False, True])
@pytest.mark.parametrize("format", FORMATS)
def test_dataset_over_another_store_is_written_as_over_this_one(format: str, default_union: bool) -> None:
    texts = []
    for store in ("default", ReasoningStore(rules="none")):
        dataset = Dataset(store, default_union=default_union)
        dataset.add((EX.a, EX.p, EX.plain))
        dataset.graph(EX.own).add((EX.a, EX.p, EX.named))
        texts.append(dataset.serialize(format=format))

    assert sorted(texts[0].splitlines()) == sorted(texts[1].splitlines())
    assert ("named" in texts[0]) == (default_union or format in QUADS)
