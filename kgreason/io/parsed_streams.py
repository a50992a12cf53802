"""Any RDF format through pyoxigraph, into a part.

Of a long document most goes by way of N-Quads: pyoxigraph writes the quads as lines, which are read by columns in half
the time that Python needs to take the quads apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, suppress
from itertools import chain, islice
from typing import BinaryIO, cast

from pyoxigraph import DefaultGraph, Literal, Quad, RdfFormat, Triple, parse, serialize

from kgreason import memory
from kgreason.checkpoints import passes
from kgreason.errors import LoadError, TermError
from kgreason.io import file_tuning
from kgreason.io.language_tags import Tags, Watched
from kgreason.io.ntriples_blocks import MalformedLineError, Reading, read_block
from kgreason.io.parsed_documents import Progress, key_of_parsed, part_of, reported
from kgreason.io.parts import Part
from kgreason.io.streams import LineByLine, Readable, without_mark
from kgreason.io.xml_encodings import as_utf8
from kgreason.io.xml_streams import WellFormed


def parse_stream(
    stream: Readable,
    format: RdfFormat,
    base: str | None,
    source: str,
    progress: Progress | None = None,
    prefixes: dict[str, str] | None = None,
    *,
    scope: str | None = None,
    again: Callable[[], AbstractContextManager[Readable]] | None = None,
) -> Part:
    """Read a stream to its end.

    Args:
        stream: bytes.
        format: of them.
        base: what relative IRIs are relative to.
        source: the name of the stream in errors.
        progress: told how many triples were read so far.
        prefixes: takes those that the stream declares.
        scope: put before the labels of blank nodes; without one they get labels that nothing else has.
        again: opens the stream from its beginning, to find the line of a term that pyoxigraph reads and no dictionary
            takes.

    Raises:
        LoadError: malformed; with the line, and the reason that pyoxigraph gives.
    """
    memory.check_reserve("reading a document")
    with reported(source):
        tags = Tags(format)
        watched = Watched(as_utf8(stream) if format == RdfFormat.RDF_XML else stream, tags)
        checked = WellFormed(watched) if format == RdfFormat.RDF_XML else watched
        quads = parse(input=cast(BinaryIO, checked), format=format, base_iri=base, rename_blank_nodes=scope is None)
        read = _counted(_asserted(quads, format), source, progress)
        try:
            part = Part.joined([*_parts(read, scope or "", tags)])
        except TermError as error:
            line = _line_of_refused(again, format, base) if again is not None else None
            raise LoadError(str(error), path=source, line=line) from None
        if prefixes is not None:
            prefixes.update(quads.prefixes)
            prefixes.update(checked.prefixes if isinstance(checked, WellFormed) else {})
        return part


def _asserted(quads: Iterable[Quad], format: RdfFormat) -> Iterable[Quad]:
    """The quads of a document, of which no formula of N3 is one."""
    return _without_formulas(quads) if format == RdfFormat.N3 else quads


def _without_formulas(quads: Iterable[Quad]) -> Iterator[Quad]:
    """TermError for a quad of a formula: pyoxigraph makes a graph of what is only quoted."""
    for quad in quads:
        if not isinstance(quad.graph_name, DefaultGraph):
            raise TermError("a quoted formula of N3 cannot be stored", expected="a triple of RDF 1.1")
        yield quad


def _parts(quads: Iterator[Quad], scope: str, tags: Tags) -> Iterator[Part]:
    """Quads as parts, one at least: by lines from the second on, where each language tag is spelled as it is parsed."""
    count = file_tuning.PARSED_FIRST
    while True:
        part = part_of(islice(quads, count), scope, tags)
        yield part
        if len(part) < count:
            return
        respelled: list[Quad] = []
        as_parsed = _until_respelled(quads, tags, respelled)
        while text := _lines_of(as_parsed):
            yield _of_lines(text, scope)
        if not respelled:
            return
        quads = chain(respelled, quads)
        count *= 8  # rarely lines pay then


def _until_respelled(quads: Iterable[Quad], tags: Tags, respelled: list[Quad]) -> Iterator[Quad]:
    """Quads up to the first one with a tag that the document writes otherwise than it is parsed; that one is put into a
    list."""
    for quad in quads:
        if tags.are_coming and _is_respelled(quad.object, tags):
            respelled.append(quad)
            return
        yield quad


class _Lines:
    """Takes lines from pyoxigraph, some kilobytes at a time, as long as there is memory: a text of its own would end
    the process where there is none."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []
        self.size = 0

    def write(self, piece: bytes) -> int:
        """MemoryError where hardly any is left."""
        memory.check_reserve("the lines of a document")
        memory.check(2 * self.size, "the lines of a document")
        self.pieces.append(bytes(piece))
        self.size += len(piece)
        return len(piece)

    def flush(self) -> None:
        """Nothing is held back."""


def _lines_of(quads: Iterator[Quad]) -> bytes:
    """The next quads as lines, none at their end."""
    lines = _Lines()
    serialize(_until_long(quads, lines), output=cast(BinaryIO, lines), format=RdfFormat.N_QUADS)
    return b"".join(lines.pieces)


def _until_long(quads: Iterator[Quad], lines: _Lines) -> Iterator[Quad]:
    for quad in quads:
        yield quad
        if lines.size >= file_tuning.PARSED_BYTES:
            return


def _is_respelled(term: object, tags: Tags) -> bool:
    while isinstance(term, Triple):
        term = term.object
    return isinstance(term, Literal) and term.language is not None and not tags.passes(term.language)


def _of_lines(text: bytes, scope: str) -> Part:
    try:
        return read_block(text, Reading(quads=True, scope=scope, lenient=False)).part
    except MalformedLineError as error:
        raise TermError(error.reason) from None


def _line_of_refused(
    again: Callable[[], AbstractContextManager[Readable]], format: RdfFormat, base: str | None
) -> int | None:
    """The line where the first term ends that has no key, or a formula begins: the parser gets line by line."""
    # Of a stream that is another one by now there is nothing to say.
    with suppress(SyntaxError, ValueError, OSError, EOFError, LoadError), again() as stream:
        lines = LineByLine(as_utf8(stream) if format == RdfFormat.RDF_XML else without_mark(stream))
        try:
            watched = Watched(lines, Tags(format))
            for quad in _asserted(parse(input=cast(BinaryIO, watched), format=format, base_iri=base), format):
                key_of_parsed(quad.object)
                key_of_parsed(quad.subject)
        except TermError:
            return lines.count
    return None


def _counted(quads: Iterable[Quad], source: str, progress: Progress | None) -> Iterator[Quad]:
    if progress is None:
        yield from passes(quads, file_tuning.PARSED_LOOK)
        return
    count = 0
    for count, quad in enumerate(passes(quads, file_tuning.PARSED_LOOK), 1):
        yield quad
        if not count % file_tuning.PARSED_REPORT:
            progress(source, count)
    progress(source, count)
