"""Documents on their way to parts: N-Triples, N-Quads and tables by as many threads as there are processors, a block
each; all else by pyoxigraph, one file after the other."""

from __future__ import annotations

import lzma
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias
from uuid import uuid4

from pyoxigraph import RdfFormat

from kgreason import tuning
from kgreason.checkpoints import checkpoint
from kgreason.dictionary.dictionary import Dictionary
from kgreason.errors import LoadError, Place
from kgreason.io.documents import Document
from kgreason.io.encoded.manifest import read_manifest
from kgreason.io.format_sniffing import SNIFFED, format_of_content, unknown_format, written_as
from kgreason.io.formats import (
    PARQUET_MAGIC,
    Format,
    OwlFormat,
    format_of,
    format_of_path,
    is_ambiguous,
    is_table,
)
from kgreason.io.inferred_quads import Inferred
from kgreason.io.job_directories import is_part
from kgreason.io.line_blocks import blocks_of, each_in_threads, threads
from kgreason.io.load_report import FileReport, Loaded, LoadReport, Redeclaration
from kgreason.io.ntriples_blocks import Block, MalformedLineError, Reading, read_block
from kgreason.io.ontology_headers import Header, header_of_part
from kgreason.io.parsed_documents import Progress
from kgreason.io.parsed_streams import parse_stream
from kgreason.io.parts import Part, encoded
from kgreason.io.quads import Quads
from kgreason.io.streams import Readable, Rejoined, first_bytes, without_mark
from kgreason.io.term_tables import TableOptions, blocks_of_table

if TYPE_CHECKING:
    from kgreason.io.encoded.inferred_directory import InferredTriples

_LINES: Final = (RdfFormat.N_TRIPLES, RdfFormat.N_QUADS)
_MARKED: Final = (*_LINES, RdfFormat.TURTLE, RdfFormat.TRIG, RdfFormat.N3)
"""Formats in which pyoxigraph takes a byte order mark for part of a term."""


@dataclass(slots=True)
class _Source:
    """What is being read, and how far."""

    name: str
    triples: int = 0
    lines: int = 0
    skipped: int = 0
    fault: str = ""
    is_table: bool = False

    def place(self, line: int, column: int | None = None) -> Place:
        """A line and its column, or a row, of what is being read next."""
        number = self.lines + line + 1
        return Place(path=self.name, row=number) if self.is_table else Place(path=self.name, line=number, column=column)


_Job: TypeAlias = tuple[_Source, Callable[[], Block]]


class Gathered:
    """Documents on their way to parts, and these on their way into a dictionary."""

    def __init__(
        self,
        base: str | None = None,
        lenient: bool = False,
        progress: Progress | None = None,
        prefixes: dict[str, str] | None = None,
        columns: Sequence[str] | None = None,
        terms: str | None = None,
        wants_headers: bool = False,
    ) -> None:
        self._tables = TableOptions.of(columns, terms)
        self._base = base
        self._lenient = lenient
        self._progress = progress
        self._prefixes = prefixes
        self._declared_by: dict[str, str] = {}
        self._redeclarations: dict[str, Redeclaration] = {}
        self._sources: list[_Source] = []
        self._parts: list[Part] = []
        self._encoded: dict[Path, int] = {}
        self._inferred: list[tuple[InferredTriples, int, int]] = []
        self._wants_headers = wants_headers
        self.headers: list[tuple[str, Header]] = []
        """What was read of ontologies, by the names of the documents, where that is wanted."""

    def into(self, dictionary: Dictionary) -> Loaded:
        """Everything that was read, with the ids of a dictionary; once."""
        numbers = [number for _, *pair in self._inferred for number in pair]
        is_alone = len(self._parts) == 2
        quads, identifiers = encoded(self._parts, dictionary, numbers)
        inferred = tuple(
            Inferred.of(read, explicit, own, is_alone)
            for (read, *_), explicit, own in zip(self._inferred, identifiers[::2], identifiers[1::2], strict=True)
        )
        return Loaded(quads, self.report, inferred)

    @property
    def report(self) -> LoadReport:
        """What was read from which source."""
        reports = (FileReport(each.name, each.triples, each.skipped, each.fault) for each in self._sources)
        return LoadReport(tuple(reports), redeclarations=tuple(self._redeclarations.values()))

    def run(self, jobs: Iterator[_Job]) -> None:
        """Read blocks in threads. Documents without blocks are read in turn in this thread."""
        first = next(jobs, None)
        if first is None:
            return
        with closing(each_in_threads(_done, chain((first,), jobs), threads())) as results:
            for source, block in results:
                checkpoint()
                if isinstance(block, MalformedLineError):
                    raise LoadError(block.reason, **source.place(block.line, block.column)) from None
                source.lines += block.lines
                source.skipped += block.skipped
                self._take(source, block.part)
                if self._progress is not None:
                    self._progress(source.name, source.triples)

    def inferred(self, directory: Path, explicit: Path) -> None:
        """Read what follows from encoded triples, which were read before."""
        # With Parquet, which takes 0.1 seconds to import.
        from kgreason.io.encoded.inferred_directory import read_inferred

        read = read_inferred(directory, read_manifest(explicit))
        source = self._begun(str(directory))
        source.triples = len(read.triples.subject)
        self._inferred.append((read, self._encoded[explicit], len(self._parts)))
        self._parts.append(Part(read.triples.terms if len(read.triples.terms) else [], Quads.empty()))

    def document(self, document: Document, format: str | None, default: str | None = None) -> Iterator[_Job]:
        """The blocks of a document. A document without blocks is read at once.

        Its format is `format`, or what its name tells, or `default`, or what its content tells.
        """
        path = document.path
        if document.is_directory:
            self._take_encoded(path)
            return
        if is_table(path) if format is None else format.lower() == "parquet":
            yield from self._table(document)
            return
        told = None if document.content is None else document.content.format
        known = format_of(format) if format is not None else told or _told(path)
        if known is None and default is not None:
            known = format_of(default)
        with _readable(document) as stream:
            if known is not None and (known != RdfFormat.RDF_XML or format is not None):
                yield from self._stream_of(document, stream, known)
                return
            yield from self._by_content(document, stream, known)

    def _stream_of(self, document: Document, stream: Readable, format: Format) -> Iterator[_Job]:
        base = self._base or document.base
        return self.stream(stream, format, base, document.name, document.scope, document.again)

    def _by_content(self, document: Document, stream: Readable, known: Format | None) -> Iterator[_Job]:
        """The blocks of a document whose content tells its format, or whether it is what its name says."""
        beginning = first_bytes(stream, SNIFFED)
        if known is None and beginning.startswith(PARQUET_MAGIC):
            yield from self._table(document, Rejoined(beginning, stream))
            return
        known = self._sniffed(beginning, document) if known is None else known
        if known == RdfFormat.RDF_XML:
            known = written_as(beginning)
        if known is not None:
            yield from self._stream_of(document, Rejoined(beginning, stream), known)

    def _take_encoded(self, path: Path) -> None:
        # With Parquet, which takes 0.1 seconds to import.
        from kgreason.io.encoded.encoded_reader import read_encoded

        terms, *columns = read_encoded(path)
        self._encoded[path] = len(self._parts)
        self._take(self._begun(str(path)), Part(terms, Quads(*columns)))

    def _table(self, document: Document, stream: Readable | None = None) -> Iterator[_Job]:
        """The rows of a table: a file, or what is read of a stream, or of the document if there is none."""
        content: bytes | None = None
        if document.content is not None:
            with nullcontext(stream) if stream is not None else _readable(document) as opened:
                content = opened.read()
        source = self._begun(document.name)
        source.is_table = True
        scope = document.scope or f"b{uuid4().hex}"
        is_begun = False
        try:
            where = document.path if content is None else content
            blocks = blocks_of_table(where, document.name, document.partition, self._tables, scope, self._lenient)
            for work in blocks:
                is_begun = True
                yield source, work
        except LoadError as error:
            # What the system cannot read is not malformed, and of what has begun some triples are taken already.
            if is_begun or getattr(error.__cause__, "errno", None) is not None:
                raise
            self._refuse(source, error)

    def _sniffed(self, beginning: bytes, document: Document) -> Format | None:
        """The format of a document that begins so; None for one that is left out."""
        # Of a job some parts may well be empty.
        may_be_empty = is_part(document.path.name)
        known = format_of_content(beginning, len(beginning) < SNIFFED) if beginning or may_be_empty else None
        if known is None:
            self._refuse(self._begun(document.name), unknown_format(beginning, document.name))
        return known

    def stream(
        self,
        stream: Readable,
        format: Format,
        base: str | None,
        name: str,
        scope: str | None = None,
        again: Callable[[], AbstractContextManager[Readable]] | None = None,
    ) -> Iterator[_Job]:
        """The blocks of a stream. A stream without blocks is read at once. `scope` is as for `Document`; `again`
        opens the stream from its beginning."""
        source = self._begun(name)
        if isinstance(format, OwlFormat):
            self._ontology(source, stream, format, base)
            return
        if format in _MARKED:
            stream = without_mark(stream)
        if format in _LINES:
            beginning = first_bytes(stream, tuning.SMALL_FILE)
            if len(beginning) >= tuning.SMALL_FILE or self._lenient:
                yield from self._blocks(source, Rejoined(beginning, stream), format, scope)
                return
            stream = BytesIO(beginning)
        declared: dict[str, str] = {}
        try:
            part = parse_stream(stream, format, base, name, self._progress, declared, scope=scope, again=again)
        except LoadError as error:
            if format in _LINES:
                yield from self._blocks(source, BytesIO(beginning), format, scope)
            else:
                self._refuse(source, error)
            return
        self._declare(declared, name)
        self._take(source, part)

    def _ontology(self, source: _Source, stream: Readable, format: OwlFormat, base: str | None) -> None:
        from kgreason.io.owl.owl_documents import parse_owl

        declared: dict[str, str] = {}
        try:
            part = parse_owl(stream, format, base, source.name, declared)
        except LoadError as error:
            self._refuse(source, error)
            return
        if self._progress is not None:
            self._progress(source.name, len(part))
        self._declare(declared, source.name)
        self._take(source, part)

    def _blocks(self, source: _Source, stream: Readable, format: RdfFormat, scope: str | None) -> Iterator[_Job]:
        """Lines in blocks: a malformed one is named, and the others are read where reading is lenient."""
        # A blank node is the same in all blocks, and in nothing else that was ever read.
        reading = Reading(format == RdfFormat.N_QUADS, scope or f"b{uuid4().hex}", self._lenient)
        for block in blocks_of(stream):
            yield source, partial(read_block, block, reading)

    def _refuse(self, source: _Source, error: LoadError) -> None:
        """Leave a malformed document out where reading is lenient, and raise the error where it is not."""
        if not self._lenient:
            raise error
        source.fault = str(error)

    def _declare(self, declared: Mapping[str, str], source: str) -> None:
        """Take the prefixes of a source, before those of earlier ones."""
        if self._prefixes is None:
            return
        for prefix, namespace in declared.items():
            former, by = self._prefixes.get(prefix), self._declared_by.get(prefix)
            if former is not None and former != namespace and by is not None:
                self._redeclarations[prefix] = Redeclaration(prefix, namespace, source, former, by)
            if former != namespace:
                self._declared_by[prefix] = source
        self._prefixes.update(declared)

    def _begun(self, name: str) -> _Source:
        self._sources.append(_Source(name))
        return self._sources[-1]

    def _take(self, source: _Source, part: Part) -> None:
        source.triples += len(part)
        self._parts.append(part)
        if self._wants_headers:
            header = header_of_part(part)
            if header.names or header.imports:
                self.headers.append((source.name, header))


def _done(job: _Job) -> tuple[_Source, Block | MalformedLineError]:
    source, read = job
    try:
        return source, read()
    except MalformedLineError as error:
        return source, error


def _told(path: Path) -> Format | None:
    """The format that a name tells; Spark and Hadoop call parts of anything ``.json``."""
    return None if is_part(path.name) and is_ambiguous(path) else format_of_path(path)


@contextmanager
def _readable(document: Document) -> Iterator[Readable]:
    try:
        with document.opened() as stream:
            yield stream
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise LoadError(f"cannot be read: {reason}", path=document.name) from error
