"""RDF files to columns of ids: everything is read before anything is handed on.

Parsing is pyoxigraph's. A malformed file raises one LoadError that names the file, the line and the reason; then
nothing has changed but that the dictionary may know more terms.
"""

from __future__ import annotations

import lzma
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, TypeAlias, cast

import numpy as np
from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, RdfFormat, parse

from kgreason.errors import LoadError
from kgreason.knowledge.formats import format_of, format_of_path, is_rdf_file, looks_like_turtle, open_binary
from kgreason.knowledge.quads import DEFAULT_GRAPH, Quads
from kgreason.knowledge.streams import Readable, Rejoined, WellFormed
from kgreason.schemes.scheme import Ids
from kgreason.terms.dictionary import Dictionary
from kgreason.terms.vocabulary import XSD_STRING

Progress: TypeAlias = Callable[[str, int], None]
"""Called with the name of the source and the number of triples read from it so far."""

_REPORT_EVERY = 65536
_SNIFFED = 4096


def read_files(
    paths: Sequence[str | Path],
    dictionary: Dictionary,
    *,
    format: str | None = None,
    base: str | None = None,
    progress: Progress | None = None,
    prefixes: dict[str, str] | None = None,
) -> Quads:
    """Read files, and all RDF files in directories; the format is told by each file's name unless given.

    `prefixes` takes those that the files declare.

    Raises:
        LoadError: a file is missing, unreadable, of an unknown format, or malformed.
    """
    parts = [_read_file(path, dictionary, format, base, progress, prefixes) for path in _expanded(paths)]
    return _joined(parts)


def read_stream(
    stream: BinaryIO | bytes,
    dictionary: Dictionary,
    *,
    format: str,
    base: str | None = None,
    source: str = "standard input",
    progress: Progress | None = None,
    prefixes: dict[str, str] | None = None,
) -> Quads:
    """Read one stream of a given format; `source` names it in errors, `prefixes` takes those it declares."""
    opened = BytesIO(stream) if isinstance(stream, bytes) else stream
    return _read(opened, format_of(format), base, source, dictionary, progress, prefixes)


def _expanded(paths: Sequence[str | Path]) -> Iterator[Path]:
    for given in paths:
        path = Path(given)
        if path.is_dir():
            files = sorted(file for file in path.rglob("*") if file.is_file() and is_rdf_file(file))
            if not files:
                raise LoadError(f"there are no RDF files in the directory {path}")
            yield from files
        elif not path.exists():
            raise LoadError(f"there is no file {path}")
        else:
            yield path


def _read_file(
    path: Path,
    dictionary: Dictionary,
    format: str | None,
    base: str | None,
    progress: Progress | None,
    prefixes: dict[str, str] | None,
) -> Quads:
    known = format_of(format) if format is not None else format_of_path(path)
    if known is None:
        raise LoadError(f"{path}: the name does not tell an RDF format; give one")
    try:
        with open_binary(path) as stream:
            if known == RdfFormat.RDF_XML and format is None:
                beginning = stream.read(_SNIFFED)
                known = RdfFormat.TURTLE if looks_like_turtle(beginning) else known
                return _read(Rejoined(beginning, stream), known, base or path.absolute().as_uri(), str(path),
                             dictionary, progress, prefixes)  # fmt: skip
            return _read(stream, known, base or path.absolute().as_uri(), str(path), dictionary, progress, prefixes)
    except (OSError, EOFError, lzma.LZMAError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise LoadError(f"cannot read {path}: {reason}") from error


def _read(
    stream: Readable,
    format: RdfFormat,
    base: str | None,
    source: str,
    dictionary: Dictionary,
    progress: Progress | None,
    prefixes: dict[str, str] | None = None,
) -> Quads:
    try:
        checked = WellFormed(stream) if format == RdfFormat.RDF_XML else stream
        quads = parse(input=cast(BinaryIO, checked), format=format, base_iri=base, rename_blank_nodes=True)
        encoded = _encoded(quads, source, dictionary, progress)
        if prefixes is not None:
            prefixes.update(quads.prefixes)
        return encoded
    except SyntaxError as error:
        place = f"{source}:{error.lineno}" if error.lineno else source
        raise LoadError(f"{place}: {str(error.msg).strip()}") from None
    except UnicodeDecodeError as error:
        raise LoadError(f"{source}: not valid UTF-8: {error.reason}") from None
    except ValueError as error:
        raise LoadError(f"{source}: {error}") from None


def _encoded(quads: Iterable[Quad], source: str, dictionary: Dictionary, progress: Progress | None) -> Quads:
    """Ids of quads as they come. Terms are looked up by their values, subjects and predicates by
    what came last, as files repeat them."""
    columns = [array("I") for _ in range(4)]
    add_graph, add_subject, add_predicate, add_object = (column.append for column in columns)
    encode = dictionary.encode_key
    graphs: dict[object, int] = {}
    predicates: dict[str, int] = {}
    last_subject: object = None
    subject_id = 0
    for quad in quads:
        subject, predicate, object_, graph = quad
        if subject is not last_subject and subject != last_subject:
            last_subject = subject
            subject_id = encode(_key(subject))
        name = predicate.value
        predicate_id = predicates.get(name)
        if predicate_id is None:
            predicate_id = predicates[name] = encode(name)
        kind = type(object_)
        add_object(encode(object_.value if kind is NamedNode else _key(object_)))
        add_subject(subject_id)
        add_predicate(predicate_id)
        graph_id = graphs.get(graph)
        if graph_id is None:
            is_default = isinstance(graph, DefaultGraph)
            graph_id = graphs[graph] = DEFAULT_GRAPH if is_default else encode(_key(graph))
        add_graph(graph_id)
        if progress is not None and not len(columns[0]) % _REPORT_EVERY:
            progress(source, len(columns[0]))
    if progress is not None:
        progress(source, len(columns[0]))
    return Quads(*(np.frombuffer(column, dtype=np.uint32) if len(column) else _NONE for column in columns))


_NONE: Ids = np.empty(0, dtype=np.uint32)


def _key(term: object) -> str:
    """The dictionary's key of a parsed term, which pyoxigraph has validated."""
    if isinstance(term, NamedNode):
        return term.value
    if isinstance(term, BlankNode):
        return f"_:{term.value}"
    if not isinstance(term, Literal):
        raise LoadError("triples as terms (RDF-star) are not RDF 1.1 and cannot be loaded")
    if term.language is not None:
        return f'"{term.value}"@{term.language}'
    datatype = term.datatype.value
    return f'"{term.value}"' if datatype == XSD_STRING else f'"{term.value}"^^{datatype}'


def _joined(parts: list[Quads]) -> Quads:
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return Quads.empty()
    return Quads(
        np.concatenate([part.graph for part in parts]),
        np.concatenate([part.subject for part in parts]),
        np.concatenate([part.predicate for part in parts]),
        np.concatenate([part.object for part in parts]),
    )
