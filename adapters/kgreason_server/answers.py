"""Answers of queries as documents: which formats there are, and the pieces of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from http import HTTPStatus
from io import BytesIO, RawIOBase
from typing import Any, Final

from kgreason.algebra.bindings import Multiplicity
from kgreason.checkpoints import heeded
from kgreason.errors import WriteError
from kgreason.rdf.prefixes import declarable
from kgreason.rdf.vocabulary import STANDARD_PREFIXES
from kgreason.relations.table import Ids
from kgreason.sparql.limits import Limits
from kgreason.sparql.result_documents import ROW_FORMATS, Chunk, rows_document, triple_lines, truth_document
from kgreason.store.document_blocks import Decoded, document_blocks, is_long
from kgreason.store.triple_view import View
from kgreason.store.triple_writer import gathered, write_triples
from kgreason_rdflib.sparql.query_engine import Asking
from kgreason_rdflib.store import ReasoningStore
from kgreason_rdflib.triple_rows import Pattern
from kgreason_server.content_negotiation import preferred
from kgreason_server.problems import RequestError
from kgreason_server.replies import Pieces, Reply, paced

ARROW: Final = "application/vnd.apache.arrow.stream"
PARQUET: Final = "application/vnd.apache.parquet"
N_TRIPLES: Final = "application/n-triples"
ROWS: Final = {
    "application/sparql-results+json": "json",
    "application/sparql-results+xml": "xml",
    "text/csv": "csv",
    "text/tab-separated-values": "tsv",
    ARROW: "arrow",
    PARQUET: "parquet",
    "application/json": "json",
    "application/xml": "xml",
    "text/xml": "xml",
}
"""Formats of the solutions of a SELECT, by media type; the first is that of clients which ask for none."""
TRUTHS: Final = {name: format for name, format in ROWS.items() if format not in ("arrow", "parquet")} | {
    "text/plain": "text"
}
TRIPLES: Final = {
    "text/turtle": "ttl",
    N_TRIPLES: "nt",
    "application/rdf+xml": "rdf",
    "application/ld+json": "jsonld",
    "text/n3": "n3",
    "application/trig": "trig",
    "application/n-quads": "nq",
    "text/plain": "nt",
    "application/xml": "rdf",
    "application/json": "jsonld",
}
"""Formats of triples, by media type."""
GRAPHLESS: Final = {name: format for name, format in TRIPLES.items() if format not in ("nq", "trig")}
"""Those that have no graphs."""
_CHARSET: Final = frozenset(("ttl", "n3", "csv", "tsv", "text"))


def offers_for(form: str) -> dict[str, str]:
    """The formats of the answers of a form of query."""
    return ROWS if form == "SELECT" else TRUTHS if form == "ASK" else TRIPLES


def answered(
    asking: Asking, accept: str | None, limits: Limits, store: ReasoningStore, offers: Mapping[str, str] | None = None
) -> Reply:
    """The answer of a query, in the format that the client likes best, of those of its form unless others are offered.

    Raises:
        RequestError: 406, it likes none.
    """
    form = asking.question.form
    offered = offers or offers_for(form)
    media_type = preferred(accept, list(offered))
    format = offered[media_type]
    match form:
        case "SELECT" if format in ROW_FORMATS:
            pieces = rows_document(asking.answer(asking.question.variables), format)
        case "SELECT":
            pieces = _table(asking, format)
        case "ASK":
            found = asking.answer((), Multiplicity.ANY)
            pieces = iter([truth_document(any(batch.length for batch in found.batches), format)])
        case _:
            chunks, terms = asking.triples()
            pieces = triples_document(chunks, terms, format, prefixes_of(store))
    return Reply(_with_charset(media_type, format), paced(pieces, limits))


def graph_reply(
    view: View, store: ReasoningStore, media_type: str, limits: Limits, pattern: Pattern = (None, None, None)
) -> Reply:
    """The triples of a view of a store that match a pattern of ids, as a document."""
    format = TRIPLES[media_type]
    chunks = heeded(limits.check, view.match(*pattern))
    pieces = triples_document(chunks, store.knowledge_base.dictionary, format, prefixes_of(store))
    return Reply(_with_charset(media_type, format), paced(pieces, limits))


def prefixes_of(store: ReasoningStore) -> dict[str, str]:
    """The prefixes that documents declare where they are of use."""
    return STANDARD_PREFIXES | declarable(store.namespaces())


def triples_document(chunks: Iterator[Chunk], terms: Decoded, format: str, prefixes: dict[str, str]) -> Iterator[bytes]:
    """Triples as a document: N-Triples as they come, other formats sorted, or where they are long in blocks."""
    if format in ("nt", "nq"):
        return triple_lines(chunks, terms)
    return _documents(chunks, terms, format, prefixes)


def _documents(chunks: Iterator[Chunk], terms: Decoded, format: str, prefixes: dict[str, str]) -> Pieces:
    columns = gathered([_Chunks(chunks)])
    try:
        if not is_long(columns):
            out = BytesIO()
            write_triples(_Chunks(iter([columns])), terms, out, format, prefixes)
            yield out.getvalue()
            return
        yield from document_blocks(columns, terms, format, prefixes)
    except WriteError as error:
        raise RequestError(HTTPStatus.NOT_ACCEPTABLE, str(error)) from None


class _Chunks:
    """Triples for one who asks for all of them, once."""

    def __init__(self, chunks: Iterator[Chunk]) -> None:
        self._chunks = chunks

    def match(self, subject: None, predicate: None, object: None, /) -> Iterator[tuple[Ids, Ids, Ids]]:
        """All of them."""
        return self._chunks


def _table(asking: Asking, format: str) -> Pieces:
    """Solutions as Arrow IPC or Parquet: columns of values, a batch or row group at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from kgreason.sparql.arrow_results import RowBatches

    batches, out = RowBatches.of(asking.answer(asking.question.variables)), _Sink()
    if format == "arrow":
        writer: Any = pa.ipc.new_stream(out, batches.schema)
    else:
        writer = pq.ParquetWriter(out, batches.schema, compression="zstd")
    with writer:
        for batch in batches:
            writer.write_batch(batch)
            if piece := out.taken():
                yield piece
    yield out.taken()


class _Sink(RawIOBase):
    """A file of which is taken what was written since."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size = 0

    def writable(self) -> bool:
        """It is."""
        return True

    def tell(self) -> int:
        """How much was written."""
        return self._size

    def write(self, piece: Any) -> int:
        """Keep a piece."""
        self._pieces.append(bytes(piece))
        self._size += len(self._pieces[-1])
        return len(self._pieces[-1])

    def taken(self) -> bytes:
        """What was written since it was asked last."""
        found = b"".join(self._pieces)
        self._pieces.clear()
        return found


def _with_charset(media_type: str, format: str) -> str:
    return f"{media_type}; charset=utf-8" if format in _CHARSET or media_type.startswith("text/") else media_type
