"""A term that RDF does not allow is refused by every door with one error of kgreason, and leaves nothing behind: add
took lone surrogates that no file could have brought, and none could be written with. IRIs that rdflib takes with
a warning are taken by its own doors (`tests.rdflib_store.test_accepted_iris`), and refused by all others."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

import pytest
from rdflib import RDF, BNode, Dataset, Graph, Literal, URIRef
from rdflib.term import Node

from kgreason import ReasoningStore
from kgreason.errors import KGReasonError, RuleSyntaxError

S, P, T = URIRef("http://e/s"), URIRef("http://e/p"), URIRef("http://e/t")
DIRECTED = URIRef(str(RDF) + "dirLangString")

BAD: dict[str, Node] = {
    "a lone surrogate in an IRI": URIRef("http://e/\ud800"),
    "a lone surrogate in a text": Literal("a\ud800b"),
    "a lone surrogate in a datatype": Literal("a", datatype=URIRef("http://e/\udfff")),
    "a lone surrogate in a label": BNode("a\ud800"),
    "a relative IRI": URIRef("relative"),
    "a relative IRI with a host": URIRef("//e/o"),
    "a relative datatype": Literal("a", datatype=URIRef("relative")),
    "an empty IRI": URIRef(""),
    "a bracket": URIRef("http://e/[o]"),
    "half an escape": URIRef("http://e/%4"),
    "a space": URIRef("http://e/a b"),
    "a private character": URIRef("http://e/\ue000"),
    "a label with a space": BNode("a b"),
    "a subtag of nine letters": Literal("a", lang="abcdefghi"),
    "a tag of one letter": Literal("a", lang="e"),
    "a tag that is missing": Literal("a", datatype=RDF.langString),
    "a direction that is missing": Literal("a", datatype=DIRECTED),
}

TAKEN = {
    *("a relative IRI", "a relative IRI with a host", "an empty IRI", "a bracket", "half an escape", "a space"),
    "a private character",
}
"""What rdflib's own doors take with a warning."""
RDFLIB_DOORS = ("add", "addN", "+=")


@pytest.fixture(autouse=True)
def _no_warnings(caplog: pytest.LogCaptureFixture) -> None:
    """Rdflib warns of each bad IRI."""
    caplog.set_level(logging.CRITICAL)


@pytest.fixture
def graph() -> Graph:
    graph = Graph(store=ReasoningStore(rules="none"))
    graph.add((S, P, S))
    return graph


def update_with(text: str) -> Callable[[Graph, Node], object]:
    return lambda graph, bad: graph.update(text, initBindings={"s": S, "p": P, "o": bad})


DOORS: dict[str, Callable[[Graph, Node], object]] = {
    "add": lambda graph, bad: graph.add((S, P, bad)),
    "addN": lambda graph, bad: graph.addN([(S, P, T, graph), (S, P, bad, graph)]),
    "+=": lambda graph, bad: graph.__iadd__([(S, P, T), (S, P, bad)]),
    "INSERT": update_with("INSERT { ?s ?p ?o } WHERE {}"),
    "DELETE and INSERT": update_with("DELETE { ?s ?p ?s } INSERT { ?s ?p ?o } WHERE { ?s ?p ?s }"),
}


REFUSED = [(name, door) for name in BAD for door in DOORS if name not in TAKEN or door not in RDFLIB_DOORS]


@pytest.mark.parametrize(("name", "door"), REFUSED)
def test_a_bad_term_is_refused_and_leaves_nothing(graph: Graph, name: str, door: str) -> None:
    with pytest.raises(KGReasonError) as caught:
        DOORS[door](graph, BAD[name])
    assert "\n" not in str(caught.value)
    assert "valid" in str(caught.value) or "needs a language tag" in str(caught.value)
    assert {*graph} == {(S, P, S)}


@pytest.mark.parametrize("name", [each for each, term in BAD.items() if isinstance(term, URIRef) and each not in TAKEN])
def test_a_bad_iri_is_refused_wherever_it_stands(graph: Graph, name: str) -> None:
    bad = BAD[name]
    dataset = Dataset(store=graph.store)
    for triple in ((bad, P, T), (S, bad, T), (S, P, bad)):
        with pytest.raises(KGReasonError):
            graph.add(triple)
    with pytest.raises(KGReasonError):
        dataset.graph(bad).add((S, P, T))
    assert {*graph} == {(S, P, S)}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_term_can_be_asked_for(graph: Graph, name: str) -> None:
    bad = BAD[name]
    assert (S, P, bad) not in graph
    assert not [*graph.subjects(P, bad)]
    graph.remove((S, P, bad))
    assert len(graph.query("SELECT ?s { ?s ?p ?o }", initBindings={"o": bad})) == 0
    assert len(graph) == 1


def written(term: Node) -> str:
    """What a file has for a bad term."""
    text = f"<{term}>" if isinstance(term, URIRef) else term.n3()
    return text.replace("\ud800", "\\ud800").replace("\udfff", "\\udfff")


@pytest.mark.parametrize("name", sorted(TAKEN))
@pytest.mark.parametrize(
    "place", ["INSERT DATA {{ <{s}> <{p}> <{bad}> }}", "INSERT {{ ?s <{bad}> ?o }} WHERE {{ ?s ?p ?o }}"]
)
def test_an_update_in_text_is_refused_as_well(graph: Graph, name: str, place: str) -> None:
    with pytest.raises(KGReasonError):
        graph.update(place.format(s=S, p=P, bad=BAD[name]))
    assert {*graph} == {(S, P, S)}


@pytest.mark.parametrize("name", [name for name in BAD if "label" not in name])
def test_a_file_is_refused_as_well(graph: Graph, name: str, tmp_path: Path) -> None:
    for ending, before in (("nt", ""), ("nt", "# comment\n" * 10_000)):
        file = tmp_path / f"data.{ending}"
        file.write_text(f"{before}<{S}> <{P}> <{T}> .\n<{S}> <{P}> {written(BAD[name])} .\n")
        with pytest.raises(KGReasonError) as caught:
            graph.store.bulk_load(file)
        assert f"{file}:{before.count(chr(10)) + 2}:" in str(caught.value)
    assert {*graph} == {(S, P, S)}


@pytest.mark.parametrize("datatype", [RDF.langString, DIRECTED])
@pytest.mark.parametrize("ending", ["rdf", "jsonld", "n3", "ttl", "trig", "nq"])
def test_a_tag_that_is_missing_is_noticed_in_each_format(
    graph: Graph, ending: str, datatype: URIRef, tmp_path: Path
) -> None:
    file = tmp_path / f"data.{ending}"
    texts = {
        "rdf": f'<r:RDF xmlns:r="{RDF}" xmlns:e="http://e/"><r:Description r:about="{S}"><e:p r:datatype="{datatype}">x'
        "</e:p></r:Description></r:RDF>",
        "jsonld": f'{{"@id": "{S}", "{P}": {{"@value": "x", "@type": "{datatype}"}}}}',
    }
    file.write_text(texts.get(ending, f'<{S}> <{P}> "x"^^<{datatype}> .\n'))
    with pytest.raises(KGReasonError, match=r"tag|direction"):
        graph.store.bulk_load(file)
    parser = {"rdf": "kg-xml", "ttl": "kg-turtle", "nq": "kg-nquads"}.get(ending, f"kg-{ending}")
    with pytest.raises(KGReasonError, match=r"tag|direction"):
        graph.parse(str(file), format=parser)
    assert {*graph} == {(S, P, S)}


@pytest.mark.parametrize("made", ['STRLANG("x", "e")', f'STRDT("x", <{RDF.langString}>)', 'IRI("relative")'])
def test_a_function_that_makes_a_bad_term_is_in_error(made: str) -> None:
    graph = Graph(store=ReasoningStore(rules=f"<{P}2>(?x, ?y) :- <{P}>(?x, ?z), ?y = {made} ."))
    graph.add((S, P, T))
    assert {*graph} == {(S, P, T)}
    assert [row.x for row in graph.query(f"SELECT ({made} AS ?x) {{}}")] in ([None], [])


@pytest.mark.parametrize("term", ['"x"@e', f'"x"^^<{RDF.langString}>', "<http://e/[x]>"])
def test_a_bad_term_in_a_rule_is_named_with_its_place(term: str) -> None:
    with pytest.raises(RuleSyntaxError) as caught:
        ReasoningStore(rules=f"<{P}2>(?x, ?y) :- <{P}>(?x, ?y) .\n<{P}2>(?x, {term}) :- <{P}>(?x, ?y) .")
    assert caught.value.position is not None
    assert caught.value.position.line == 2
