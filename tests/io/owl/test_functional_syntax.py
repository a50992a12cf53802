"""The functional-style syntax against triples by hand: would catch an axiom that is mapped otherwise than the W3C says,
and malformed text that is not refused with its line."""

from __future__ import annotations

from pathlib import Path

import pytest
from rdflib import Graph
from rdflib.compare import isomorphic

from kgreason import LoadError, ReasoningStore
from tests.io.owl.examples import AXIOMS, NAMESPACES, PREFIXES, TURTLE_PREFIXES

# SWRL is read as data here.
pytestmark = pytest.mark.filterwarnings("ignore::kgreason.errors.RulesWarning")

HEADER = "<http://e/o> a owl:Ontology ."


def graph_of(content: bytes | str | Path, **options: object) -> Graph:
    """The triples of an ontology; nothing is inferred."""
    store = ReasoningStore(rules="none", imports=False)
    source = content.encode() if isinstance(content, str) else content
    store.bulk_load(source, **options)  # type: ignore[arg-type]  # options of any type
    return Graph(store=store)


def turtle(text: str) -> Graph:
    return Graph().parse(data=TURTLE_PREFIXES + text, format="turtle")


def assert_same(found: Graph, expected: Graph) -> None:
    if not isomorphic(found, expected):
        raise AssertionError(f"{found.serialize(format='nt')}\n-- expected --\n{expected.serialize(format='nt')}")


@pytest.mark.parametrize("axiom", AXIOMS, ids=lambda text: text[:60])
def test_an_axiom_has_the_triples_of_the_mapping(axiom: str) -> None:
    found = graph_of(f"{PREFIXES}Ontology(<http://e/o>\n{axiom}\n)")

    assert_same(found, turtle(f"{HEADER} {AXIOMS[axiom]}"))


def test_all_axioms_together_with_comments_and_no_blanks() -> None:
    axioms = " # (a comment\n".join(AXIOMS)
    found = graph_of(f"# first\n{PREFIXES}Ontology(<http://e/o>{axioms})\n# last")
    expected = turtle(HEADER)
    for triples in AXIOMS.values():
        expected += turtle(triples)

    assert len(found) == len(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ontology()", "[] a owl:Ontology ."),
        ("Ontology(<http://e/o>)", "<http://e/o> a owl:Ontology ."),
        (
            'Ontology(<http://e/o> :v1 Import(<http://e/i>) Annotation(Annotation(rdfs:label "n") rdfs:label "o"))',
            "<http://e/o> a owl:Ontology ; owl:versionIRI :v1 ; owl:imports :i ; rdfs:label 'o' . "
            "[] a owl:Annotation ; "
            "owl:annotatedSource <http://e/o> ; owl:annotatedProperty rdfs:label ; owl:annotatedTarget 'o' ; "
            "rdfs:label 'n' .",
        ),
    ],
)
def test_headers(text: str, expected: str) -> None:
    assert_same(graph_of(PREFIXES + text), turtle(expected))


def test_names_tell_the_format_and_so_does_content(tmp_path: Path) -> None:
    text = f"{PREFIXES}Ontology(<http://e/o> Declaration(Class(<#A>)))"
    for name in ("a.ofn", "a.owl", "a.txt", "a"):
        (tmp_path / name).write_text(text)
        assert f"<{(tmp_path / name).as_uri()}#A>" in graph_of(tmp_path / name).serialize(format="nt")
    assert len(graph_of(PREFIXES + "Ontology()", format="ofn")) == 1


def test_blank_nodes_of_two_documents_are_not_the_same() -> None:
    store = ReasoningStore(rules="none")
    text = f"{PREFIXES}Ontology(<http://e/o> ClassAssertion(:A _:x) SubClassOf(:A ObjectComplementOf(:B)))".encode()
    store.bulk_load(text, text)

    assert len(store) == 1 + 2 * 4


def test_prefixes_are_bound() -> None:
    bound = dict(graph_of(f"{PREFIXES}Prefix(mine:=<http://mine/>)Ontology()").namespaces())

    assert str(bound["mine"]) == "http://mine/"
    assert str(bound["owl"]) == NAMESPACES["owl"]


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("Ontology(<http://e/o>\nSubClassOf(:A :B)", 2, "breaks off"),
        ("Ontology(<http://e/o>\nSubClassOf(:A\n)\n)", 2, r"SubClassOf with 1 arguments \(expected 2\)"),
        ("Ontology(<http://e/o>\nSubClassOf(:A nope:B)\n)", 2, "the prefix 'nope:' is not declared"),
        ("Ontology(<http://e/o>\n\nNoAxiom(:A :B)\n)", 3, "NoAxiom is not an axiom of OWL 2"),
        ("Ontology(<http://e/o>\nSubClassOf(:A NoClass(:B))\n)", 2, "NoClass is not an expression of OWL 2"),
        ("Ontology(<http://e/o>\nSubClassOf(:A \"open)\n)", 2, "is not of the syntax"),
        ("Ontology(<http://e/o>\nSubClassOf(:A <http://e/{}>)\n)", 2, "not a valid IRI"),
        ("Ontology(<http://e/o>\nSubClassOf(:A :B))\n)", 3, "not expected|closes nothing"),
        ("Ontology(<http://e/o>)\nOntology()", 2, "Ontology is not expected here"),
        ("SubClassOf(:A :B)", 1, "SubClassOf is not expected here"),
        ("Ontology(<http://e/o>\nSubClassOf(\"x\" :B)\n)", 2, "a literal in the place of a subject"),
        ("Ontology(<http://e/o>\nSubClassOf(:A ObjectMinCardinality(:p 2))\n)", 2, "without a number"),
        ("Ontology(<http://e/o>\nDataPropertyAssertion(:d :i @en)\n)", 2, "a tag or datatype without a text"),
        ("Ontology(<http://e/o>\nDataPropertyAssertion(:d :i \"x\"^^ )\n)", 2, "no datatype after"),
        ("Ontology(<http://e/o>\nDeclaration(:A)\n)", 2, "a declaration of no entity"),
        ("Ontology(<http://e/o>\nHasKey(:A (:p))\n)", 2, "HasKey with 2 arguments"),
        ("Ontology(<http://e/o>\nObjectPropertyAssertion(\"p\" :i :j)\n)", 2, "in the place of an IRI"),
        ("Ontology(<http://e/o> <http://e/1> <http://e/2>)", 1, "a name and a version"),
        ("Ontology(<http://e/o>\nSubClassOf(:A :B)\n:A)", 3, "not expected here"),
        ("Prefix(:=<http://x/>\nOntology()", 2, "a malformed prefix"),
        ("Ontology(<http://e/o>\nSubClassOf(:A " + "ObjectComplementOf(" * 100_000, 2, "nested more than 150 deep"),
        ("Ontology(<http://e/o>\nHasKey(:A " + "(" * 100_000, 2, "nested more than 150 deep"),
    ],
)
def test_malformed_text_is_refused_with_its_line(text: str, line: int, reason: str) -> None:
    store = ReasoningStore(rules="none")
    with pytest.raises(LoadError, match=reason) as caught:
        store.bulk_load(b"<http://e/s> <http://e/p> <http://e/o> .", (PREFIXES + text).encode(), format=None)

    assert caught.value.line == line + PREFIXES.count("\n")
    assert caught.value.path == "argument 2 (bytes)"
    assert len(store) == 0


def test_what_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.ofn").write_bytes(b"Ontology(\n# \xff\n)")
    with pytest.raises(LoadError, match=r"a\.ofn:2: not valid UTF-8"):
        graph_of(tmp_path / "a.ofn")


def test_lenient_loads_leave_an_ontology_out(tmp_path: Path) -> None:
    (tmp_path / "a.ofn").write_text("Ontology(")
    store = ReasoningStore(rules="none")
    report = store.bulk_load(tmp_path / "a.ofn", lenient=True)

    assert "breaks off" in report.files[0].fault
