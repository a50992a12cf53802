"""rdflib's results over columns, which are decoded as rows are read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableSequence
from dataclasses import replace
from io import TextIOBase
from itertools import chain, repeat
from os import PathLike
from pathlib import Path
from typing import IO, Any, Final
from urllib.parse import urlsplit
from urllib.request import url2pathname

import numpy as np
from rdflib.graph import Graph
from rdflib.query import Result
from rdflib.term import Node, Variable

from kgreason.algebra.local_terms import UNBOUND
from kgreason.errors import QueryError
from kgreason.sparql.put_query import Answer
from kgreason.sparql.solutions import Solutions
from kgreason_rdflib import rdflib_tuning
from kgreason_rdflib.notebook_cells import cell_of_answer, cell_of_graph, cell_of_rows
from kgreason_rdflib.sparql.result_rows import row_class
from kgreason_rdflib.sparql.row_collection import uncollected
from kgreason_rdflib.sparql.solution_terms import Decoder
from kgreason_rdflib.term_border import TermBorder
from kgreason_rdflib.whole_files import whole_file

DOCUMENTS: Final = ("json", "xml", "csv", "tsv")
_FORMATS: Final = {
    "application/sparql-results+json": "json", "application/sparql-results+xml": "xml", "text/csv": "csv",
    "text/tab-separated-values": "tsv",
}  # fmt: skip


class DocumentResult(Result):
    """A result that is written without terms of rdflib where the format allows it."""

    def serialize(
        self,
        destination: str | IO[bytes] | None = None,
        encoding: str = "utf-8",
        format: str = "xml",
        **args: Any,
    ) -> bytes | None:
        """Write solutions and truths as JSON, XML, CSV or TSV; another format, and triples, as rdflib does."""
        chosen = _FORMATS.get(format, format)
        is_ours = chosen in DOCUMENTS and not args and _is_utf8(encoding)
        document = self._document(chosen) if is_ours else None
        if document is None:
            return super().serialize(destination, encoding, format, **args)
        return _written(document, destination)

    def _document(self, format: str) -> Iterable[bytes] | None:
        """The pieces of a document in one of `DOCUMENTS`; None for what has none."""
        return None


class LazyResult(DocumentResult):
    """The solutions of a SELECT. Rows are made as they are read, and kept as columns.

    As with rdflib's own results, iteration leaves out solutions that bind nothing, which `len` and `bindings` count.
    """

    def __init__(self, answer: Answer, border: TermBorder, namespaces: Mapping[str, Any]) -> None:
        self._answer = answer
        self._batches = answer.batches
        self._read: list[Solutions] = []
        self._failure: Exception | None = None
        self._decoder = Decoder(answer.terms, border)
        self._namespaces = namespaces
        self._dicts: MutableSequence[Mapping[Variable, Any]] | None = None
        super().__init__("SELECT")
        self.vars = [Variable(name) for name in answer.variables]

    @property
    def bindings(self) -> MutableSequence[Mapping[Variable, Any]]:
        """Each solution as a dictionary without the variables that it leaves unbound."""
        if self._dicts is None:
            labels = self.vars or []
            self._dicts = [
                {label: term for label, term in zip(labels, row, strict=True) if term is not None}
                for batch in self._solutions()
                for piece in _pieces(batch)
                for row in self._tuples(piece)
            ]
        return self._dicts

    @bindings.setter
    def bindings(self, value: Any) -> None:
        self._dicts = value

    def __iter__(self) -> Iterator[Any]:
        return chain.from_iterable(self._rows())

    def _rows(self) -> Iterator[list[Any]]:
        """The rows, a piece at a time."""
        row_type = row_class(tuple(map(str, self.vars or ())))
        for batch in self._solutions():
            for piece in _pieces(_binding(batch)):
                with uncollected(piece.length):
                    rows = [*map(row_type, self._tuples(piece))]
                yield rows

    def __len__(self) -> int:
        return sum(batch.length for batch in self._solutions())

    def __bool__(self) -> bool:
        return any(batch.length for batch in self._solutions())

    def _document(self, format: str) -> Iterable[bytes]:
        from kgreason.sparql.result_documents import rows_document

        return rows_document(replace(self._answer, batches=self._solutions()), format)

    def _repr_html_(self) -> str:
        """The first solutions for a notebook; no others are worked out for that."""
        return cell_of_rows(list(map(str, self.vars or ())), iter(self), self._namespaces)

    def _solutions(self) -> Iterator[Solutions]:
        """All batches, those that were read before first."""
        position = 0
        while True:
            while position < len(self._read):
                yield self._read[position]
                position += 1
            if self._failure is not None:
                raise self._failure
            try:
                fresh = next(self._batches, None)
            except BaseException as failure:
                # A second read must not take the rows that came before the error for all of them.
                self._failure = failure if isinstance(failure, Exception) else QueryError("the query was interrupted")
                raise
            if fresh is None:
                return
            self._read.append(fresh.spread())

    def _tuples(self, piece: Solutions) -> Iterable[tuple[Node | None, ...]]:
        columns = self._decoder.columns([piece.column(str(label)) for label in self.vars or ()])
        return zip(*columns, strict=True) if columns else repeat((), piece.length)


def _pieces(batch: Solutions) -> Iterator[Solutions]:
    """The first few solutions, so that they need not wait for the others to be decoded, and then more and more."""
    start, size = 0, rdflib_tuning.FIRST_ROWS_READ
    while start < batch.length:
        yield batch.slice(start, start + size)
        start, size = start + size, min(4 * size, rdflib_tuning.LAST_ROWS_READ)


class MadeResult(DocumentResult):
    """The answer of an ASK, or the graph of a CONSTRUCT or DESCRIBE."""

    def __init__(self, form: str, *, answer: bool | None = None, graph: Graph | None = None) -> None:
        super().__init__(form)
        self.askAnswer = answer
        self.graph = graph

    def _document(self, format: str) -> Iterable[bytes] | None:
        if self.type != "ASK":
            return None
        from kgreason.sparql.result_documents import truth_document

        return [truth_document(bool(self.askAnswer), format)]

    def _repr_html_(self) -> str:
        """The answer, or the first triples, for a notebook."""
        return cell_of_answer(self.askAnswer) if self.graph is None else cell_of_graph(self.graph)


def _is_utf8(encoding: str | None) -> bool:
    return encoding is None or encoding.lower() in ("utf-8", "utf8")


def _written(pieces: Iterable[bytes], destination: str | IO[bytes] | None) -> bytes | None:
    """The bytes of a document, or None when they went to a stream or a file, which has them all or stays as it was."""
    if destination is None:
        return b"".join(pieces)
    if not isinstance(destination, str | PathLike):
        # rdflib's serializers take both kinds of streams.
        is_text = isinstance(destination, TextIOBase)
        for piece in pieces:
            destination.write(piece.decode() if is_text else piece)  # type: ignore[arg-type]  # a stream of text
        return None
    with whole_file(_path_of(destination)) as stream:
        stream.writelines(pieces)
    return None


def _path_of(destination: str | PathLike[str]) -> Path:
    """The file that a path or a URL names, as for rdflib."""
    scheme, host, path, *_ = urlsplit(str(destination))
    if scheme != "file":
        return Path(destination)
    if host:
        raise ValueError(f"the file URI {destination} has a host (expected file:///PATH)")
    return Path(url2pathname(path))


def _binding(batch: Solutions) -> Solutions:
    """Without the solutions that bind nothing."""
    bound = np.zeros(batch.length, dtype=np.bool_)
    for column in batch.columns.values():
        bound |= column != UNBOUND
        if bound.all():
            return batch
    return batch.where(bound)
