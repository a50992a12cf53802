"""Sources on their way to parts: N-Triples and N-Quads by as many threads as there are processors, a block each; all
else by pyoxigraph, one file after the other."""

from __future__ import annotations

import lzma
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import BinaryIO, Final
from uuid import uuid4

from pyoxigraph import RdfFormat

from kgreason.errors import LoadError
from kgreason.loading.blocks import blocks_of, each_in_threads, threads
from kgreason.loading.formats import format_of, format_of_path, looks_like_turtle, open_binary
from kgreason.loading.ntriples import Block, MalformedLineError, Reading, read_block
from kgreason.loading.parsed import Progress, parse_stream
from kgreason.loading.parts import Part, encoded
from kgreason.loading.quads import Quads
from kgreason.loading.report import FileReport, Loaded, LoadReport
from kgreason.loading.streams import Readable, Rejoined
from kgreason.terms.dictionary import Dictionary

# Of less than that pyoxigraph has read all before the first column is made.
SMALL = 1 << 16
_LINES: Final = (RdfFormat.N_TRIPLES, RdfFormat.N_QUADS)
_SNIFFED: Final = 4096


@dataclass(slots=True)
class _Source:
    """What is being read, and how far."""

    name: str
    triples: int = 0
    lines: int = 0
    skipped: int = 0


_Job = tuple[_Source, Reading, bytes]


class Gathered:
    """Sources on their way to parts, and these on their way into a dictionary."""

    def __init__(
        self,
        base: str | None = None,
        lenient: bool = False,
        progress: Progress | None = None,
        prefixes: dict[str, str] | None = None,
    ) -> None:
        self._base = base
        self._lenient = lenient
        self._progress = progress
        self._prefixes = prefixes
        self._sources: list[_Source] = []
        self._parts: list[Part] = []

    def into(self, dictionary: Dictionary) -> Loaded:
        """Everything that was read, with the ids of a dictionary; once."""
        return Loaded(encoded(self._parts, dictionary), self.report)

    @property
    def report(self) -> LoadReport:
        """What was read from which source."""
        return LoadReport(tuple(FileReport(each.name, each.triples, each.skipped) for each in self._sources))

    def run(self, jobs: Iterator[_Job]) -> None:
        """Read blocks in threads; what is no block was read when it was its turn."""
        first = next(jobs, None)
        if first is None:
            return
        with closing(each_in_threads(_done, chain((first,), jobs), threads())) as results:
            for source, block in results:
                if isinstance(block, MalformedLineError):
                    raise LoadError(f"{source.name}:{source.lines + block.line + 1}: {block.reason}") from None
                source.lines += block.lines
                source.skipped += block.skipped
                self._take(source, block.part)
                if self._progress is not None:
                    self._progress(source.name, source.triples)

    def file(self, path: Path, format: str | None) -> Iterator[_Job]:
        """The blocks of a file; a file that has none is read at once."""
        if path.is_dir():
            from kgreason.encoded.reading import read_encoded

            terms, *columns = read_encoded(path)
            self._take(self._begun(str(path)), Part(terms, Quads(*columns)))
            return
        known = format_of(format) if format is not None else format_of_path(path)
        if known is None:
            raise LoadError(f"{path}: the name does not tell an RDF format; give one")
        base = self._base or path.absolute().as_uri()
        with _readable(path) as stream:
            if known == RdfFormat.RDF_XML and format is None:
                beginning = stream.read(_SNIFFED)
                known = RdfFormat.TURTLE if looks_like_turtle(beginning) else known
                yield from self.stream(Rejoined(beginning, stream), known, base, str(path))
            else:
                yield from self.stream(stream, known, base, str(path))

    def stream(self, stream: Readable, format: RdfFormat, base: str | None, name: str) -> Iterator[_Job]:
        """The blocks of a stream; one that has none is read at once."""
        source = self._begun(name)
        if format in _LINES:
            beginning = _beginning(stream)
            stream = Rejoined(beginning, stream)
            if len(beginning) >= SMALL or self._lenient:
                # A blank node is the same in all blocks, and in nothing else that was ever read.
                reading = Reading(format == RdfFormat.N_QUADS, f"b{uuid4().hex}", self._lenient)
                yield from ((source, reading, block) for block in blocks_of(stream))
                return
        self._take(source, parse_stream(stream, format, base, name, self._progress, self._prefixes))

    def _begun(self, name: str) -> _Source:
        self._sources.append(_Source(name))
        return self._sources[-1]

    def _take(self, source: _Source, part: Part) -> None:
        source.triples += len(part)
        self._parts.append(part)


def _done(job: _Job) -> tuple[_Source, Block | MalformedLineError]:
    source, reading, block = job
    try:
        return source, read_block(block, reading)
    except MalformedLineError as error:
        return source, error


def _beginning(stream: Readable) -> bytes:
    """The first bytes of a stream, fewer than SMALL only when that is all."""
    pieces: list[bytes] = []
    missing = SMALL
    while missing > 0 and (read := stream.read(missing)):
        pieces.append(read)
        missing -= len(read)
    return b"".join(pieces)


@contextmanager
def _readable(path: Path) -> Iterator[BinaryIO]:
    try:
        with open_binary(path) as stream:
            yield stream
    except (OSError, EOFError, lzma.LZMAError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise LoadError(f"cannot read {path}: {reason}") from error
