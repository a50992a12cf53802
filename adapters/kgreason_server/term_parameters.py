"""Terms and triples in parameters and in JSON: as in N-Triples, and IRIs also with the prefixes of the store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from http import HTTPStatus
from itertools import islice
from typing import Any

from rdflib.term import URIRef

from kgreason.dictionary.dictionary import Dictionary
from kgreason.errors import KGReasonError, TermError
from kgreason.rdf.keys import iri_key, key_of
from kgreason.rdf.model import TERMS, BlankNode, Term
from kgreason.relations.table import Ids
from kgreason.sparql.result_documents import LINES
from kgreason.sparql.syntax.queries import parse_query
from kgreason_rdflib.sparql.query_extensions import RdflibExtensions
from kgreason_server.problems import RequestError
from kgreason_server.request_reading import Parameters

POSITIONS = ("subject", "predicate", "object")


def triple_of(asked: Parameters, prefixes: Mapping[str, str]) -> tuple[Term, Term, Term]:
    """The triple of three parameters.

    Raises:
        RequestError: 400, one is missing or no term.
    """
    subject, predicate, object = pattern_of(asked, prefixes)
    if subject is None or predicate is None or object is None:
        raise RequestError(HTTPStatus.BAD_REQUEST, f"which triple? (expected {', '.join(POSITIONS)})")
    return subject, predicate, object


def pattern_of(asked: Parameters, prefixes: Mapping[str, str]) -> tuple[Term | None, Term | None, Term | None]:
    """The triple of three parameters, of which any may be missing, for any term."""
    subject, predicate, object = (
        None if (text := asked.one(name)) is None else term_of_text(text, name, prefixes) for name in POSITIONS
    )
    return subject, predicate, object


def iri_of(text: str) -> URIRef:
    """The name of a graph or a namespace.

    Raises:
        RequestError: 400, the text is not an absolute IRI.
    """
    try:
        return URIRef(iri_key(text))
    except TermError as error:
        raise RequestError(HTTPStatus.BAD_REQUEST, error.reason) from None


def term_of_text(text: str, name: str, prefixes: Mapping[str, str]) -> Term:
    """A term as N-Triples, Turtle and SPARQL write it; the label of a blank node is that of the store.

    Raises:
        RequestError: 400, the text is not a term.
    """
    text = text.strip()
    try:
        if text.startswith("_:"):
            found: Term = BlankNode(text[2:])
        else:
            query = f"CONSTRUCT {{ <a:> <a:> {text}\n}} {{}}"  # the line ends a comment
            ((_, _, place),) = parse_query(query, None, prefixes, RdflibExtensions()).template
            if not isinstance(place, TERMS) or isinstance(place, BlankNode):
                raise ValueError
            found = place
        key_of(found)
    except (KGReasonError, ValueError):
        expected = '<IRI>, prefix:name, "text", "text"@en, "text"^^<IRI> or _:label'
        raise RequestError(HTTPStatus.BAD_REQUEST, f"{name} is not a term (expected {expected})") from None
    return found


def texts(triple: Iterable[Term]) -> list[str]:
    """A triple for JSON."""
    return [*map(str, triple)]


def listed(chunks: Iterable[tuple[Ids, Ids, Ids]], dictionary: Dictionary, most: int) -> list[list[str]]:
    """The first triples of columns, for JSON."""
    return [*islice(_rows(chunks, dictionary, most), most)]


def counted(view: Any, dictionary: Dictionary, most: int) -> dict[str, Any]:
    """How many triples a view has, and the first of them."""
    found = listed(view.match(None, None, None), dictionary, most)
    count = view.count()
    return {"count": count, "triples": found, "truncated": count > len(found)}


def _rows(chunks: Iterable[tuple[Ids, Ids, Ids]], dictionary: Dictionary, most: int) -> Iterator[list[str]]:
    for chunk in chunks:
        for ids in zip(*(column[:most].tolist() for column in chunk), strict=True):
            yield [LINES.text(dictionary.key(each)) for each in ids]
