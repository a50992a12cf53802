"""Turtle in blocks: would catch a term that is read back as another one, a triple that is lost between two blocks, and
a prefix that is used before it is declared. pyoxigraph's parsers judge."""

from __future__ import annotations

import numpy as np
import pyoxigraph
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.checkpoints import heeding
from kgreason.dictionary.dictionary import Dictionary
from kgreason.errors import WriteError
from kgreason.rdf.model import IRI, BlankNode, Literal, Term, TripleTerm
from kgreason.rdf.vocabulary import RDF_TYPE, XSD
from kgreason.store import document_blocks
from tests.profiles import examples
from tests.thresholds import Tuned, replaced_constants

PREFIXES = {"e": "http://e/", "n": "http://e/n/", "xsd": XSD, "": "http://empty/", "-no": "http://no/", "a.b": "urn:x:"}
IRIS = st.sampled_from(
    [RDF_TYPE, XSD + "integer", "urn:x:y", "urn:x:", "http://empty/z", "http://no/x", "http://e", "mailto:a@b?c=d"]
    + [f"http://e/{end}" for end in ("", "x", "n/x", "n/x/", "1", "-", "_", "a.", "a.b", "é", "a(b)", "a%20b", "'")]
)  # fmt: skip
NUMBERS = ("integer", "decimal", "double", "boolean", "dateTime", "int")
KINDS = [*(XSD + name for name in NUMBERS), "http://e/t", "http://e/1"]
TEXTS = st.sampled_from(
    ["", "1", "-01", "+1", "1.", ".5", "1.5", "1e5", "1.e5", ".5E-3", "INF", "true", "True", " 1", "a\nb", '"', "\\",
     "\r\t", "é", "\U0001f600", '"^^<http://e/t>', "@en", "x\u0000y", "1 ."]
)  # fmt: skip
LITERALS = (
    st.builds(Literal, TEXTS)
    | st.builds(Literal, TEXTS, st.sampled_from(KINDS))
    | st.builds(Literal, TEXTS, st.none(), st.sampled_from(["en", "en-GB"]))
)
NODES = st.builds(IRI, IRIS) | st.builds(BlankNode, st.sampled_from(["b0", "b1"]))
SIMPLE = NODES | LITERALS
OBJECTS = SIMPLE | st.builds(TripleTerm, NODES, st.builds(IRI, IRIS), SIMPLE)
TRIPLES = st.lists(st.tuples(NODES, st.builds(IRI, IRIS), OBJECTS), min_size=1, max_size=12, unique=True)
FORMATS = {
    "turtle": pyoxigraph.RdfFormat.TURTLE, "trig": pyoxigraph.RdfFormat.TRIG, "n3": pyoxigraph.RdfFormat.N3,
}  # fmt: skip


MANY: list[tuple[Term, Term, Term]] = [
    (IRI(f"http://e/{subject}"), IRI(RDF_TYPE if predicate == 2 else f"http://e/p{predicate}"), IRI(f"http://e/{object}"))
    for subject in (3, 1, 2, 9, 5) for predicate in (4, 2, 1) for object in (2, 1)
]  # fmt: skip


def written(triples: list[tuple[Term, Term, Term]], format: str) -> bytes:
    dictionary = Dictionary()
    rows = [[dictionary.encode(term) for term in triple] for triple in triples]
    columns = tuple(np.array(column, dtype=np.uint32) for column in zip(*rows, strict=True))
    return b"".join(document_blocks.document_blocks(columns, dictionary, format, PREFIXES))


def read(text: bytes, format: pyoxigraph.RdfFormat) -> set[str]:
    return {str(quad.triple) for quad in pyoxigraph.parse(text, format=format)}


@settings(max_examples=examples(300), deadline=None)
@given(triples=TRIPLES, size=st.integers(1, 4), format=st.sampled_from(["turtle", "trig"]))
def test_what_is_written_is_read_back(triples: list[tuple[Term, Term, Term]], size: int, format: str) -> None:
    expected = read("".join(f"{s} {p} {o} .\n" for s, p, o in triples).encode(), pyoxigraph.RdfFormat.N_TRIPLES)

    with replaced_constants(TURTLE_BLOCK=size, SORTED_TOGETHER=size):
        text = written(triples, format)

    assert read(text, FORMATS[format]) == expected


@pytest.mark.parametrize("together", [1, 2, 7, 1000])
def test_order_is_that_of_all_triples_together_and_has_checkpoints(together: int, tuned: Tuned) -> None:
    whole = written(MANY, "ttl")
    tuned(SORTED_TOGETHER=together)
    looks: list[int] = []

    with heeding(looks.append):
        text = written(MANY, "ttl")

    assert text == whole
    assert len(looks) > min(5, 30 // together)


def test_terms_are_short_where_they_can_be() -> None:
    x, p = IRI("http://e/x"), IRI("http://e/n/p")
    triples = [
        (x, IRI(RDF_TYPE), IRI("http://e/C")),
        (x, p, Literal("1", XSD + "integer")),
        (x, p, Literal("2026-01-01", XSD + "date")),
        (BlankNode("b"), p, x),
    ]

    lines = written(triples, "turtle").decode().splitlines()

    assert lines == [
        "@prefix e: <http://e/> .", "@prefix n: <http://e/n/> .", f"@prefix xsd: <{XSD}> .",
        "e:x a e:C ;", '\tn:p 1 , "2026-01-01"^^xsd:date .', "_:b n:p e:x .",
    ]  # fmt: skip


@pytest.mark.parametrize("iri", ["x", "http://e/a b", "http://e/<x", "http://e/x>", "http://e/{x}", 'a:"', "a:\\"])
def test_iri_that_turtle_cannot_say_is_refused(iri: str) -> None:
    dictionary = Dictionary()
    ids = [np.array([dictionary.encode_key(key)], dtype=np.uint32) for key in ("http://e/a", "http://e/p", iri)]

    with pytest.raises(WriteError, match="not a valid IRI"):
        list(document_blocks.document_blocks((ids[0], ids[1], ids[2]), dictionary, "turtle"))
