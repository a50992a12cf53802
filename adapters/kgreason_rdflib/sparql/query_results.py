"""rdflib's results over columns, which are decoded as rows are read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableSequence, Sequence
from dataclasses import replace
from functools import lru_cache
from io import TextIOBase
from itertools import chain, repeat
from os import PathLike
from pathlib import Path
from types import FunctionType
from typing import IO, Any, Final
from urllib.parse import urlsplit
from urllib.request import url2pathname

import numpy as np
from rdflib.graph import Graph
from rdflib.query import Result, ResultRow
from rdflib.term import Node, Variable

from kgreason.algebra.local_terms import UNBOUND, LocalTerms
from kgreason.dictionary.literal_suffixes import split_keys
from kgreason.errors import QueryError
from kgreason.sparql.put_query import Answer
from kgreason.sparql.solutions import Ids, Solutions
from kgreason_rdflib import rdflib_tuning
from kgreason_rdflib.notebook_cells import cell_of_answer, cell_of_graph, cell_of_rows
from kgreason_rdflib.rdflib_terms import literals_of, node_of
from kgreason_rdflib.sparql.row_collection import uncollected
from kgreason_rdflib.term_border import TermBorder
from kgreason_rdflib.whole_files import whole_file

DOCUMENTS: Final = ("json", "xml", "csv", "tsv")
_FORMATS: Final = {
    "application/sparql-results+json": "json", "application/sparql-results+xml": "xml", "text/csv": "csv",
    "text/tab-separated-values": "tsv",
}  # fmt: skip


class Decoder:
    """From the ids of one query to rdflib terms; None for what is unbound."""

    def __init__(self, terms: LocalTerms, border: TermBorder) -> None:
        self._terms = terms
        self._border = border
        self._made: dict[int, Node | None] = {UNBOUND: None}

    def columns(self, columns: Sequence[Ids]) -> Sequence[Sequence[Node | None]]:
        """The terms of columns of the same length; those of few rows are looked up together."""
        length = len(columns[0]) if columns else 0
        if not 0 < length <= rdflib_tuning.FEW_DECODED:
            return [*map(self._many, columns)]
        found = self._few([each for column in columns for each in column.tolist()])
        return [found[begin : begin + length] for begin in range(0, len(found), length)]

    def column(self, identifiers: Ids) -> Sequence[Node | None]:
        """The terms of a column."""
        return self.columns((identifiers,))[0]

    def _many(self, identifiers: Ids) -> Sequence[Node | None]:
        """The same: what is of the dictionary as fast as a triple's, what the query made one by one."""
        made = identifiers > self._terms.highest
        if not made.any():
            return self._border.decode(identifiers)
        found = np.empty(len(identifiers), dtype=np.object_)
        found[~made] = self._border.decode(identifiers[~made])
        distinct, numbers = np.unique(identifiers[made], return_inverse=True)
        # From an iterator: numpy would take a sequence of strings apart.
        terms = np.fromiter(self._made_terms(distinct.tolist()), dtype=np.object_, count=len(distinct))
        found[made] = terms[numbers]
        decoded: list[Node | None] = found.tolist()
        return decoded

    def _few(self, identifiers: list[int]) -> Sequence[Node | None]:
        """The same for a few."""
        highest = self._terms.highest
        if max(identifiers) <= highest:
            return self._border.terms(identifiers)
        known = iter(self._border.terms([each for each in identifiers if each <= highest]))
        made = [*{each: None for each in identifiers if each > highest}]
        term_of = dict(zip(made, self._made_terms(made), strict=True))
        return [term_of[each] if each > highest else next(known) for each in identifiers]

    def _made_terms(self, identifiers: list[int]) -> Iterator[Node | None]:
        """The terms of distinct ids of the query: literals, which most are, all at once."""
        fresh = [each for each in identifiers if each not in self._made]
        keys = [*map(self._terms.key, fresh)]
        if all(key[:1] == '"' for key in keys):
            self._made.update(zip(fresh, literals_of(*split_keys(keys)), strict=True))
        else:
            self._made.update(zip(fresh, map(node_of, keys), strict=True))
        return map(self._made.__getitem__, identifiers)


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


_ROW_METHODS: Final = {name: method for name, method in vars(ResultRow).items() if isinstance(method, FunctionType)}


@lru_cache(maxsize=1024)
def row_class(names: Sequence[str]) -> type[ResultRow]:
    """The rows of results with these variables: with what rdflib's can do, but the names are kept with the class.

    They are tuples with the methods of rdflib's class, but not of that class: each would be made past its constructor,
    which takes a third longer, and have eight bytes more. `isinstance` says that they are of it.
    """
    labels = {name: position for position, name in enumerate(names)}
    own = {"__slots__": (), "labels": labels, "__getattr__": _first_time, "__reduce__": _reduced}
    return type("ResultRow", (tuple,), {**_ROW_METHODS, **own, "__class__": property(lambda row: ResultRow)})


def _first_time(row: ResultRow, name: str) -> Any:
    """The value of a variable, which the class has as a property from then on: a third of the time."""
    position = row.labels.get(name)
    if position is None:
        raise AttributeError(name)
    setattr(type(row), name, _value_at(position))
    return tuple.__getitem__(row, position)


def _value_at(position: int) -> property:
    get = tuple.__getitem__
    return property(lambda row: get(row, position))


def _reduced(row: ResultRow) -> tuple[Any, ...]:
    return _restored, (tuple(row.labels), tuple(row))


def _restored(names: tuple[str, ...], values: Iterable[Any]) -> ResultRow:
    return tuple.__new__(row_class(names), values)


def _binding(batch: Solutions) -> Solutions:
    """Without the solutions that bind nothing."""
    bound = np.zeros(batch.length, dtype=np.bool_)
    for column in batch.columns.values():
        bound |= column != UNBOUND
        if bound.all():
            return batch
    return batch.where(bound)
