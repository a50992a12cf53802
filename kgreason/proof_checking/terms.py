"""Terms of files and of rules in one form: as `kgreason.rdf.model` has them, with language tags in lower case."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import IO, Any, Final, TypeAlias, TypeVar, cast

import pyoxigraph
from pyoxigraph import RdfFormat

from kgreason.errors import LoadError, one_line
from kgreason.rdf.model import IRI, BlankNode, Literal, Term, TripleTerm

Triple: TypeAlias = tuple[Term, Term, Term]
Node = TypeVar("Node")

_COMPRESSIONS: Final = (".gz", ".bz2", ".xz")


def read_triples(source: Path | bytes | Iterable[Triple], format: str = "nt") -> Iterator[Triple]:
    """The triples of a file, whose name tells its format, of a text in a format, or of triples; graphs do not matter.

    Raises:
        LoadError: it cannot be read.
    """
    if isinstance(source, Path):
        yield from _of_file(source)
    elif isinstance(source, bytes):
        yield from _parsed(source, _format_of(Path(f"proof.{format}")), None)
    else:
        yield from (_triple(folded(part) for part in triple) for triple in source)


def folded(node: Node) -> Node:
    """A term, or a rule with all terms in it, with language tags in lower case: RDF takes all spellings for one."""
    changed: Any = node
    if isinstance(node, Literal):
        changed = replace(node, language=node.language.lower()) if node.language else node
    elif isinstance(node, tuple):
        changed = tuple(map(folded, node))
    elif is_dataclass(node) and not isinstance(node, type):
        given = (field.name for field in fields(node) if field.init)
        changed = replace(node, **{name: folded(getattr(node, name)) for name in given})
    known: Node = changed
    return known


def _of_file(path: Path) -> Iterator[Triple]:
    format = _format_of(path.with_suffix("") if path.suffix.lower() in _COMPRESSIONS else path)
    try:
        with _opened(path) as stream:
            yield from _parsed(stream, format, path)
    except (OSError, EOFError, lzma.LZMAError) as error:
        raise LoadError(f"cannot be read: {one_line(error)}", path=path) from error


def _opened(path: Path) -> IO[bytes]:
    match path.suffix.lower():
        case ".gz":
            return cast("IO[bytes]", gzip.open(path))
        case ".bz2":
            return bz2.open(path)
        case ".xz":
            return lzma.open(path)
    return path.open("rb")


def _format_of(path: Path) -> RdfFormat:
    found = RdfFormat.from_extension(path.suffix.lower().lstrip("."))
    if found is None:
        raise LoadError("unknown format", path=path, expected=".nt, .nq, .ttl, .trig, .rdf or .jsonld")
    return found


def _parsed(source: bytes | IO[bytes], format: RdfFormat, path: Path | None) -> Iterator[Triple]:
    base = None if path is None else path.absolute().as_uri()
    try:
        for quad in pyoxigraph.parse(source, format=format, base_iri=base):
            yield _triple(map(_term, (quad.subject, quad.predicate, quad.object)))
    except (SyntaxError, ValueError) as error:
        raise LoadError(str(error), path=path) from error


def _triple(terms: Iterable[Term]) -> Triple:
    subject, predicate, object = terms
    return subject, predicate, object


def _term(node: Any) -> Term:
    match node:
        case pyoxigraph.NamedNode():
            return IRI(node.value)
        case pyoxigraph.BlankNode():
            return BlankNode(node.value)
        case pyoxigraph.Literal():
            if node.language is None:
                return Literal(node.value, node.datatype.value)
            direction = None if node.direction is None else str(node.direction.value)
            return Literal(node.value, language=node.language.lower(), direction=direction)
    parts: list[Any] = [_term(part) for part in node]
    return TripleTerm(*parts)
