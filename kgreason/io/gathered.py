"""Documents on their way to parts, by their formats: N-Triples, N-Quads and tables by as many threads as there are
processors, a block each; all else by pyoxigraph, one file after the other."""

from __future__ import annotations

import lzma
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from functools import partial
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Final, TypeAlias
from uuid import uuid4

from pyoxigraph import RdfFormat

from kgreason.checkpoints import checkpoint
from kgreason.errors import LoadError, one_line
from kgreason.io import file_tuning
from kgreason.io.documents import Document
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
from kgreason.io.gathered_parts import GatheredParts, Source
from kgreason.io.job_directories import is_part
from kgreason.io.line_blocks import blocks_of, each_in_threads, threads
from kgreason.io.ntriples_blocks import Block, MalformedLineError, Reading, read_block
from kgreason.io.parsed_documents import Progress
from kgreason.io.parsed_streams import parse_stream
from kgreason.io.streams import Readable, Rejoined, first_bytes, without_mark
from kgreason.io.term_tables import TableOptions, blocks_of_table

_LINES: Final = (RdfFormat.N_TRIPLES, RdfFormat.N_QUADS)
_MARKED: Final = (*_LINES, RdfFormat.TURTLE, RdfFormat.TRIG, RdfFormat.N3)
"""Formats in which pyoxigraph takes a byte order mark for part of a term."""

_Job: TypeAlias = tuple[Source, Callable[[], Block]]


class Gathered(GatheredParts):
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
        super().__init__(lenient, progress, prefixes, wants_headers)
        self._tables = TableOptions.of(columns, terms)
        self._base = base

    def run(self, jobs: Iterator[_Job]) -> None:
        """Read blocks in threads; LoadError for a line that is malformed. Documents without blocks are read in turn in
        this thread."""
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
            beginning = first_bytes(stream, file_tuning.SMALL_FILE)
            if len(beginning) >= file_tuning.SMALL_FILE or self._lenient:
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

    def _ontology(self, source: Source, stream: Readable, format: OwlFormat, base: str | None) -> None:
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

    def _blocks(self, source: Source, stream: Readable, format: RdfFormat, scope: str | None) -> Iterator[_Job]:
        """Lines in blocks: a malformed one is named, and the others are read where reading is lenient."""
        # A blank node is the same in all blocks, and in nothing else that was ever read.
        reading = Reading(format == RdfFormat.N_QUADS, scope or f"b{uuid4().hex}", self._lenient)
        for block in blocks_of(stream):
            yield source, partial(read_block, block, reading)


def _done(job: _Job) -> tuple[Source, Block | MalformedLineError]:
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
        raise LoadError(f"cannot be read: {one_line(error)}", path=document.name) from error
