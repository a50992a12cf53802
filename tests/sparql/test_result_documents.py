"""Result documents of SELECT and triples as lines: would catch a term that another reader of W3C's formats reads as
another one, and a row that is lost or torn between pieces. The reader is Oxigraph's."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from xml.etree import ElementTree

import pyoxigraph
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import QueryResultsFormat, RdfFormat

from kgreason.algebra.local_terms import UNBOUND, LocalTerms
from kgreason.dictionary.dictionary import Dictionary
from kgreason.rdf.model import IRI, BlankNode, Literal, Term, TripleTerm
from kgreason.sparql import algebra, query_tuning
from kgreason.sparql.put_query import Answer
from kgreason.sparql.result_documents import ROW_FORMATS, rows_document, triple_lines, truth_document
from kgreason.sparql.solutions import Solutions
from tests.profiles import examples

import numpy as np  # isort: skip

Row = Sequence[Term | None]
READERS = {"json": QueryResultsFormat.JSON, "xml": QueryResultsFormat.XML, "tsv": QueryResultsFormat.TSV}
NAMES = ("a", "été", "c")
# No control characters, of which XML has but three, and which TSV writes as they are.
TEXTS = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Cn", "Co")) | st.sampled_from("\t\n\"'\\&<>{}?,;")
)
LITERALS = st.one_of(
    st.builds(Literal, TEXTS),
    st.builds(Literal, TEXTS, st.sampled_from(["http://www.w3.org/2001/XMLSchema#integer", "http://e/t&y?a=1#é"])),
    st.builds(Literal, TEXTS, st.none(), st.sampled_from(["en", "gsw-ch"])),
    st.builds(Literal, TEXTS, st.none(), st.just("ar"), st.sampled_from(["ltr", "rtl"])),
)
IRIS = st.sampled_from([IRI("http://e/a"), IRI("http://e/b?x=1&y=2'"), IRI("http://e/é"), IRI("urn:x:" + "long" * 50)])
PLAIN = LITERALS | IRIS | st.sampled_from([BlankNode("b0"), BlankNode("n1")])
TERMS = PLAIN | st.builds(TripleTerm, IRIS, IRIS, LITERALS | IRIS)
TABLES = st.lists(st.tuples(*[TERMS | st.none()] * 3), max_size=8)


def answer_of(rows: Sequence[Row], names: Sequence[str] = NAMES) -> Answer:
    """The answer that has these rows; some terms are of the dictionary, others of the query."""
    terms = LocalTerms(Dictionary())
    for number, term in enumerate({term: None for row in rows for term in row if term is not None}):
        if number % 2:
            terms.dictionary.encode(term)
    ids = [[UNBOUND if term is None else terms.encode(term) for term in row] for row in rows]
    columns = {name: np.array([row[at] for row in ids], dtype=np.uint32) for at, name in enumerate(names)}
    return Answer(algebra.Basic(()), tuple(names), iter([Solutions(columns, len(rows))]), terms, None)


def model(term: object) -> Term | None:
    """A term of Oxigraph's as one of ours."""
    if term is None:
        return None
    if isinstance(term, pyoxigraph.NamedNode):
        return IRI(term.value)
    if isinstance(term, pyoxigraph.BlankNode):
        return BlankNode(term.value)
    if isinstance(term, pyoxigraph.Triple):
        return TripleTerm(model(term.subject), model(term.predicate), model(term.object))
    assert isinstance(term, pyoxigraph.Literal)
    direction = None if term.direction is None else term.direction.value
    return Literal(term.value, None if term.language else term.datatype.value, term.language, direction)


def xml_rows(text: bytes) -> list[list[Term | None]]:
    """The rows of a document in XML, by Python's reader: Oxigraph's leaves out the white space at the ends of texts."""
    space = "{http://www.w3.org/2005/sparql-results#}"

    def term(node: ElementTree.Element) -> Term:
        value = node.text or ""
        match node.tag.removeprefix(space):
            case "uri":
                return IRI(value)
            case "bnode":
                return BlankNode(value)
            case "triple":
                return TripleTerm(*(term(part[0]) for part in node))
        get = node.attrib.get
        language = get("{http://www.w3.org/XML/1998/namespace}lang")
        return Literal(value, get("datatype"), language, get("{http://www.w3.org/2005/11/its}dir"))

    root = ElementTree.fromstring(text)
    assert [each.attrib["name"] for each in root.iter(f"{space}variable")] == [*NAMES]
    found = [{b.attrib["name"]: term(b[0]) for b in row} for row in root.iter(f"{space}result")]
    return [[row.get(name) for name in NAMES] for row in found]


def parsed_triples(text: bytes) -> list[tuple[Term | None, ...]]:
    found = pyoxigraph.parse(text, RdfFormat.N_TRIPLES)
    return [(model(each.subject), model(each.predicate), model(each.object)) for each in found]


def renamed(rows: Sequence[Row]) -> list[list[Term | None]]:
    """Rows with their blank nodes numbered as they come, since a reader gives them labels of its own."""
    labels: dict[str, str] = {}
    return [
        [BlankNode(labels.setdefault(t.label, f"b{len(labels)}")) if isinstance(t, BlankNode) else t for t in row]
        for row in rows
    ]


@pytest.mark.parametrize("format", READERS)
@settings(max_examples=examples(60), deadline=None)
@given(table=TABLES, copies=st.sampled_from([1, 40]))
def test_rows_are_read_as_they_were(format: str, table: list[Row], copies: int) -> None:
    rows = [*table] * copies

    text = b"".join(rows_document(answer_of(rows), format))

    if format == "xml":
        assert xml_rows(text) == [[*row] for row in rows]
        return
    solutions = pyoxigraph.parse_query_results(text, READERS[format])
    assert [variable.value for variable in solutions.variables] == [*NAMES]
    assert renamed([[model(term) for term in solution] for solution in solutions]) == renamed(rows)


@settings(max_examples=examples(60), deadline=None)
@given(table=TABLES, copies=st.sampled_from([1, 40]))
def test_csv_has_the_texts_of_terms(table: list[Row], copies: int) -> None:
    rows = [*table] * copies

    text = b"".join(rows_document(answer_of(rows), "csv")).decode()

    def shown(term: Term | None) -> str:
        match term:
            case None:
                return ""
            case IRI(value):
                return value
            case Literal(lexical):
                return lexical
        return str(term)

    expected = [[*NAMES], *([shown(term) for term in row] for row in rows)]
    assert [*csv.reader(io.StringIO(text, newline=""))] == expected


@settings(max_examples=examples(40), deadline=None)
@given(rows=st.lists(st.tuples(IRIS, IRIS, TERMS), max_size=8), copies=st.sampled_from([1, 40]))
def test_triples_are_read_as_they_were(rows: list[tuple[Term, Term, Term]], copies: int) -> None:
    terms = LocalTerms(Dictionary())
    ids = np.array([[terms.encode(term) for term in row] for row in [*rows] * copies], dtype=np.uint32).reshape(-1, 3)

    text = b"".join(triple_lines([(ids[:, 0], ids[:, 1], ids[:, 2])], terms))

    assert renamed(parsed_triples(text)) == renamed([*rows] * copies)


@pytest.mark.parametrize("format", ROW_FORMATS)
def test_long_answers_come_in_pieces(format: str) -> None:
    rows = [[IRI(f"http://e/{number}"), None, Literal(str(number))] for number in range(3 * query_tuning.DOCUMENT_ROWS)]

    pieces = [*rows_document(answer_of(rows), format)]

    assert len(pieces) >= 4
    assert b"".join(pieces).count(b"http://e/") == 3 * query_tuning.DOCUMENT_ROWS
    assert max(map(len, pieces)) < 3 * len(pieces[1])


@pytest.mark.parametrize("format", ROW_FORMATS)
def test_nothing_is_worked_out_before_it_is_asked_for(format: str) -> None:
    def batches():
        yield Solutions({"a": np.array([UNBOUND], dtype=np.uint32)}, 1)
        raise AssertionError("too early")

    answer = answer_of([], ["a"])

    next(rows_document(Answer(answer.node, ("a",), batches(), answer.terms, None), format))


@pytest.mark.parametrize("format", ["json", "xml"])
@pytest.mark.parametrize("truth", [True, False])
def test_truth_is_read_as_it_was(format: str, truth: bool) -> None:
    assert bool(pyoxigraph.parse_query_results(truth_document(truth, format), READERS[format])) is truth


@pytest.mark.parametrize("format", READERS)
def test_rows_without_variables_are_counted(format: str) -> None:
    text = b"".join(rows_document(answer_of([[], []], []), format))

    assert text.count({"json": b"{}", "xml": b"<result>", "tsv": b"\n"}[format]) == {"tsv": 3}.get(format, 2)


def test_control_characters_do_not_break_a_document() -> None:
    rows = [[Literal("".join(map(chr, range(32))) + "\x7f\ufffe"), None, None]]

    json_rows = [*pyoxigraph.parse_query_results(b"".join(rows_document(answer_of(rows), "json")), READERS["json"])]
    xml_rows = [*pyoxigraph.parse_query_results(b"".join(rows_document(answer_of(rows), "xml")), READERS["xml"])]

    assert model(json_rows[0]["a"]) == rows[0][0]
    assert model(xml_rows[0]["a"]).lexical.count("\ufffd") == 30
