"""Triple terms and base directions as rdflib's users meet them: would catch two equal terms with two hashes, a pattern
that does not find one, or a serialiser that leaves one out without a word."""

from __future__ import annotations

import copy
import pickle

import pyoxigraph
import pytest
from rdflib import RDF, BNode, Dataset, Graph, Literal, Namespace, URIRef, Variable
from rdflib.term import Node

from kgreason import ReasoningStore
from kgreason.errors import KGReasonError, TermError, WriteError
from kgreason_rdflib import DirectedLiteral, TripleTerm

E = Namespace("http://e/")
REIFIES = URIRef(str(RDF) + "reifies")
TERM = TripleTerm(E.s, E.p, Literal('a"\\\n', lang="en"))
NESTED = TripleTerm(BNode("b"), E.p, TERM)
DIRECTED = DirectedLiteral("x", "ar", "rtl")
TERMS: dict[str, Node] = {"triple term": TERM, "nested": NESTED, "direction": DIRECTED}
LACKING = ("xml", "application/rdf+xml", "pretty-xml", "trix", "json-ld", "application/ld+json", "hext")
OWN = ("kg-nt", "kg-nquads", "kg-turtle", "kg-trig", "kg-xml")
WRITING = ("nt", "nt11", "nquads", "turtle", "longturtle", "trig", *OWN)


@pytest.fixture
def graph() -> Graph:
    return Graph(store=ReasoningStore(rules="none"))


def again(term: Node) -> Node:
    """Another object that is the same term."""
    return pickle.loads(pickle.dumps(term))


@pytest.mark.parametrize("name", TERMS)
def test_equal_terms_are_one_key_of_a_dictionary(name: str) -> None:
    term = TERMS[name]

    assert again(term) == term
    assert len({term, again(term), copy.copy(term), copy.deepcopy(term)}) == 1
    others = {E.s, Literal("x", lang="ar"), DirectedLiteral("x", "ar", "ltr"), TripleTerm(E.s, E.p, E.o), str(term)}
    assert term not in others
    assert Literal("x", lang="ar") != DIRECTED != DirectedLiteral("x", "AR", "ltr")
    assert DirectedLiteral("x", "AR", "rtl") == DIRECTED


def test_terms_have_an_order() -> None:
    terms = [TERM, NESTED, DIRECTED, E.s, BNode("b"), Literal("a"), TripleTerm(E.a, E.p, E.o)]
    others_first = [*reversed(terms)]

    assert sorted(terms) == sorted(others_first)
    assert sorted(terms)[2:5] == [NESTED, TripleTerm(E.a, E.p, E.o), TERM]


@pytest.mark.parametrize("name", TERMS)
def test_patterns_find_a_term_and_changes_take_it_away(name: str, graph: Graph) -> None:
    term = TERMS[name]
    graph.add((E.r, REIFIES, term))
    graph.add((E.other, REIFIES, TripleTerm(E.s, E.p, E.other)))

    assert (E.r, REIFIES, again(term)) in graph
    assert [*graph.subjects(REIFIES, again(term))] == [E.r]
    assert [*graph.objects(E.r)] == [term]
    assert [row.s for row in graph.query("SELECT ?s { ?s ?p ?o }", initBindings={"o": again(term)})] == [E.r]
    graph.remove((None, None, again(term)))
    assert len(graph) == 1


def test_triple_term_does_not_hold_and_is_no_subject(graph: Graph) -> None:
    graph.add((E.r, REIFIES, TERM))

    assert (E.s, E.p, TERM.object) not in graph
    with pytest.raises(TermError, match="cannot be a subject"):
        graph.add((TERM, E.p, E.o))
    assert not [*graph.triples((TERM, None, None))]
    assert not [*graph.triples((None, TERM, None))]
    assert not [*graph.triples((URIRef(TERM.n3()), None, None))]
    assert not [*graph.subjects(REIFIES, URIRef(TERM.n3()))]
    assert len(graph) == 1


@pytest.mark.parametrize(
    "parts", [(Literal("s"), E.p, E.o), (E.s, BNode(), E.o), (E.s, E.p, Variable("o")), (TERM, E.p, E.o)]
)
def test_triple_term_of_misplaced_parts_is_refused(parts: tuple[Node, Node, Node]) -> None:
    with pytest.raises(TermError, match="of a triple term"):
        TripleTerm(*parts)


@pytest.mark.parametrize("bad", [TripleTerm(E.s, E.p, URIRef("relative")), TripleTerm(BNode("a b"), E.p, E.o)])
def test_triple_term_of_an_invalid_part_is_refused_and_not_found(bad: TripleTerm, graph: Graph) -> None:
    with pytest.raises(KGReasonError, match="not a valid"):
        graph.add((E.s, E.p, bad))
    assert (E.s, E.p, bad) not in graph
    assert len(graph) == 0


def test_direction_is_one_of_two() -> None:
    with pytest.raises(TermError, match="not a base direction"):
        DirectedLiteral("x", "ar", "up")
    with pytest.raises(ValueError, match="not a valid language tag"):
        DirectedLiteral("x", "a b", "rtl")
    assert (DIRECTED.tag, DIRECTED.direction, DIRECTED.language) == ("ar", "rtl", "ar--rtl")
    assert DIRECTED.n3() == '"x"@ar--rtl'


@pytest.mark.parametrize("name", TERMS)
@pytest.mark.parametrize("format", LACKING)
def test_serialiser_of_a_format_without_such_terms_says_so(format: str, name: str) -> None:
    for graph in (Dataset(), Dataset(store=ReasoningStore(rules="none"))):
        graph.add((E.s, E.p, TERMS[name]))
        graph.graph(E.g).add((E.s, E.p, TERMS[name]))
        with pytest.raises(WriteError, match=r"a term of RDF 1\.2"):
            graph.serialize(format=format)


def test_json_ld_of_ours_has_directions_and_no_triple_terms(graph: Graph) -> None:
    graph.add((E.s, E.p, DIRECTED))
    assert '"@direction": "rtl"' in graph.serialize(format="kg-json-ld").replace('":"', '": "')
    graph.add((E.s, E.p, TERM))
    with pytest.raises(WriteError, match="no triple terms"):
        graph.serialize(format="kg-json-ld")


@pytest.mark.parametrize("format", WRITING)
def test_what_is_written_is_read_again(format: str) -> None:
    dataset = Dataset(store=ReasoningStore(rules="none"))
    for term in TERMS.values():
        dataset.add((E.s, E.p, term))
    names = {"nt11": "nt", "longturtle": "turtle"}
    ours = format if format.startswith("kg-") else f"kg-{names.get(format, format)}"
    source = dataset if format in ("nquads", "trig") else dataset.default_graph

    read = Graph(store=ReasoningStore(rules="none")).parse(data=source.serialize(format=format), format=ours)

    found = {*read.objects(E.s, E.p)}
    assert {TERM, DIRECTED} <= found
    (nested,) = (term for term in found - {TERM, DIRECTED})
    assert isinstance(nested, TripleTerm)
    assert nested.object == TERM


def test_template_with_a_triple_term_as_subject_makes_no_triple(graph: Graph) -> None:
    graph.add((E.claim, REIFIES, TripleTerm(E.s, E.p, E.o)))

    graph.update("INSERT { ?term ?verb ?claim } WHERE { ?claim ?verb ?term }")
    graph.update("INSERT DATA { <<( <urn:s> <urn:p> <urn:o> )>> <urn:p> <urn:o> }")

    assert list(graph) == [(E.claim, REIFIES, TripleTerm(E.s, E.p, E.o))]


RULES = """@prefix : <urn:> . [?x, a, ?y] :- [?x, :r, ?y] . [?y, :of, ?x] :- [?x, a, ?y] .
[?x, :r, ?y] :- [?x, :s, ?y] ."""


def test_a_triple_term_is_no_class_that_a_rule_names() -> None:
    """Asserted and inferred, it was in the store twice; and it became a subject."""
    store = ReasoningStore(rules=RULES.replace(" a,", " <http://www.w3.org/1999/02/22-rdf-syntax-ns#type>,"))
    graph = Graph(store=store).parse(
        data="PREFIX : <urn:> :a :s <<( :b :p :c )>>, 1, :k ; a <<( :b :p :c )>>, 1 .", format="kg-turtle"
    )

    inferred = {tuple(term.n3().strip("<>") for term in triple) for triple in store.inferred}

    assert len(graph) == len([*graph]) == 5 + len(inferred)
    assert {triple for triple in inferred if triple[1] != "urn:r"} == {
        ("urn:a", "http://www.w3.org/1999/02/22-rdf-syntax-ns#type", "urn:k"), ("urn:k", "urn:of", "urn:a"),
    }  # fmt: skip


WITH_NODES = """PREFIX : <urn:>
_:x :p <<( _:x :q _:y )>> , <<( :a :b <<( _:only :q _:x )>> )>> ; :s _:y . _:y :r <<( :a :b <<( _:y :q _:x )>> )>> .
_:z :p <<( _:y :q _:x )>> , <<( _:y :q _:z )>> . :c :r <<( _:other :q _:only )>> , <<( _:other :q :c )>> ."""


@pytest.mark.parametrize("format", ["kg-turtle", "kg-trig", "kg-xml", "kg-nt", "kg-nquads"])
def test_blank_nodes_in_triple_terms_are_those_outside(format: str) -> None:
    """Sorted formats named the nodes outside anew, and left those in triple terms as they were."""
    graph = Graph(store=ReasoningStore(rules="none")).parse(data=WITH_NODES, format="kg-turtle")

    text = graph.serialize(format=format)

    again = Graph(store=ReasoningStore(rules="none")).parse(data=text, format=format)
    assert canonical(again) == canonical(graph)
    if format in ("kg-turtle", "kg-trig", "kg-xml"):
        assert again.serialize(format=format) == text


def canonical(graph: Graph) -> set[pyoxigraph.Quad]:
    quads = pyoxigraph.parse(graph.serialize(format="kg-nt"), format=pyoxigraph.RdfFormat.N_TRIPLES)
    dataset = pyoxigraph.Dataset(quads)
    dataset.canonicalize(pyoxigraph.CanonicalizationAlgorithm.UNSTABLE)
    return {*dataset}
