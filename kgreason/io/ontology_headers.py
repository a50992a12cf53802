"""What documents say of ontologies: which they are, and which they import. Found in parts that were read, or in a file
of which as little is read as possible.

Source: OWL 2 Structural Specification, sections 3.1 to 3.4.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import BinaryIO, Final, cast

import numpy as np
from pyoxigraph import NamedNode, RdfFormat, parse

from kgreason.checkpoints import passes
from kgreason.dictionary.key_columns import KeyColumn
from kgreason.dictionary.ordered_keys import OrderedPieces
from kgreason.io import file_tuning
from kgreason.io.documents import Document
from kgreason.io.format_sniffing import SNIFFED, format_of_content, written_as
from kgreason.io.formats import OwlFormat, format_of_path
from kgreason.io.language_tags import Tags, Watched
from kgreason.io.parts import Part
from kgreason.io.quads import Ids
from kgreason.io.streams import Readable, Rejoined, first_bytes, without_mark
from kgreason.io.xml_encodings import as_utf8
from kgreason.io.xml_streams import WellFormed
from kgreason.rdf.hashing import hash_text

OWL: Final = "http://www.w3.org/2002/07/owl#"
ONTOLOGY: Final = f"{OWL}Ontology"
IMPORTS: Final = f"{OWL}imports"
VERSION: Final = f"{OWL}versionIRI"
TYPE: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_MARK: Final = b"Ontology"
_IRI: Final = rb"<([^<>\s]*)>"
_OWL_HEADERS: Final = {
    OwlFormat.FUNCTIONAL: re.compile(rb"\bOntology\s*\(\s*" + _IRI + rb"(?:\s*" + _IRI + rb")?"),
    OwlFormat.MANCHESTER: re.compile(rb"\bOntology:\s*" + _IRI + rb"(?:\s*" + _IRI + rb")?"),
    OwlFormat.OWL_XML: re.compile(rb"""\b(?:ontology|version)IRI\s*=\s*["']([^"'<>\s]*)["']"""),
}
_LINES: Final = (RdfFormat.N_TRIPLES, RdfFormat.N_QUADS)


@dataclass(frozen=True, slots=True)
class Header:
    """The names of ontologies in a part or a document, versions among them, and what they import."""

    names: frozenset[str] = frozenset()
    imports: tuple[str, ...] = ()


def header_of_part(part: Part) -> Header:
    """The header of a part that was read: a look at each of its terms, and at its predicates if it has the terms."""
    imports, version, ontology = (_positions(part, key) for key in (IMPORTS, VERSION, ONTOLOGY))
    names: set[str] = set()
    wanted: list[str] = []
    quads = part.quads
    if len(ontology):
        rows = np.isin(quads.object, ontology) & np.isin(quads.predicate, _positions(part, TYPE))
        names.update(_keys(part, quads.subject[rows]))
    if len(version):
        names.update(_keys(part, quads.object[np.isin(quads.predicate, version)]))
    if len(imports):
        wanted = _keys(part, quads.object[np.isin(quads.predicate, imports)])
    return Header(frozenset(filter(_is_iri, names)), tuple(filter(_is_iri, wanted)))


def _is_iri(key: str) -> bool:
    return not key.startswith(("_:", '"'))


def _positions(part: Part, key: str) -> Ids:
    """Where an IRI is among the terms of a part."""
    match part.terms:
        case list(keys):
            found = [keys.index(key)] if key in keys else []
        case OrderedPieces() as ordered:
            row = ordered.find(key)
            found = [] if row is None else [row]
        case KeyColumn() as column:
            alike = column.hashes == hash_text(key.encode())
            # Most parts have none, which `any` tells sooner than a search.
            rows = np.flatnonzero(alike).tolist() if alike.any() else ()
            found = [row for row in rows if str(column.keys.texts[row]) == key]
    return np.array(found, dtype=np.uint32)


def _keys(part: Part, positions: Ids) -> list[str]:
    """The keys of some terms of a part, each once, in the order in which they stand."""
    rows = list(dict.fromkeys(positions.tolist()))
    match part.terms:
        case list(keys):
            return [keys[row] for row in rows]
        case OrderedPieces(pieces):
            ends = np.cumsum([len(piece) for piece in pieces])
            places = [(row, int(np.searchsorted(ends, row, side="right"))) for row in rows]
            return [pieces[at].spelled(row - int(ends[at - 1] if at else 0)) for row, at in places]
        case KeyColumn() as column:
            return [column.keys.spelled(row) for row in rows]


def names_in(document: Document) -> frozenset[str]:
    """The names of the ontology of a document that is RDF: it is read until another subject follows them, or in lines
    to its end, unless the word is nowhere in it.

    Raises:
        LoadError, OSError, EOFError, SyntaxError, ValueError, ...: what reading it raises.
    """
    with document.opened() as stream:
        if not _has_mark(stream):
            return frozenset()
    with document.opened() as stream:
        beginning = first_bytes(stream, SNIFFED)
        known = format_of_path(document.path) or format_of_content(beginning, len(beginning) < SNIFFED)
        if known == RdfFormat.RDF_XML:
            known = written_as(beginning)
        if known is None:
            return frozenset()
        if isinstance(known, OwlFormat):
            return owl_names(beginning, known)
        return _names_in_stream(Rejoined(beginning, stream), known, document.base)


def owl_names(beginning: bytes, format: OwlFormat) -> frozenset[str]:
    """The names in the header of an ontology in a syntax of OWL that begins so."""
    pattern = _OWL_HEADERS.get(format)
    matches = () if pattern is None else pattern.finditer(beginning)
    found = [name for match in matches for name in match.groups() if name]
    return frozenset(name.decode() for name in found[:2])


def _names_in_stream(stream: Readable, format: RdfFormat, base: str | None) -> frozenset[str]:
    well_formed = WellFormed(as_utf8(stream)) if format == RdfFormat.RDF_XML else without_mark(stream)
    checked = Watched(well_formed, Tags(format))
    names: set[str] = set()
    versions: dict[object, str] = {}
    for quad in passes(parse(input=cast(BinaryIO, checked), format=format, base_iri=base)):
        if isinstance(quad.object, NamedNode):
            if quad.predicate.value == TYPE and quad.object.value == ONTOLOGY:
                names.add(str(quad.subject.value) if isinstance(quad.subject, NamedNode) else "")
                continue
            if quad.predicate.value == VERSION:
                versions[quad.subject] = quad.object.value
                continue
        is_other = isinstance(quad.subject, NamedNode) and quad.subject.value not in names
        if names and is_other and format not in _LINES:
            break
    return frozenset(chain(names - {""}, versions.values()))


def _has_mark(stream: Readable) -> bool:
    return any(_MARK in piece for piece in _overlapping(stream))


def _overlapping(stream: Readable) -> Iterator[bytes]:
    end = b""
    while piece := stream.read(file_tuning.READ_BYTES):
        yield end + piece
        end = piece[-len(_MARK) :]
