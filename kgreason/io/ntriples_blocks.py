"""Blocks of N-Triples and N-Quads to parts: what is plainly shaped whole columns at a time, the rest by pyoxigraph.

Both give the same quads, and refuse the same lines: a block is cut into tokens (`lines`), the distinct tokens are read
(`tokens`), and each line with a token that is odd goes to pyoxigraph.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from pyoxigraph import RdfFormat, parse

from kgreason.checkpoints import passes
from kgreason.dictionary.key_columns import KeyColumn
from kgreason.errors import TermError
from kgreason.io import file_tuning, tokens
from kgreason.io.language_tags import Tags
from kgreason.io.nesting import Nesting
from kgreason.io.parsed_documents import column_of, long_terms, part_of, reason_of
from kgreason.io.parts import Part
from kgreason.io.quads import DEFAULT_GRAPH, Quads
from kgreason.io.token_lines import Lines, cut

_SUBJECTS: Final = (tokens.IRI, tokens.BLANK)
_PREDICATES: Final = (tokens.IRI,)
_OBJECTS: Final = (tokens.IRI, tokens.BLANK, tokens.LITERAL, tokens.TRIPLE)
_RESTS: Final = {False: (tokens.DOT,), True: (tokens.DOT, tokens.NAMED_GRAPH, tokens.BLANK_GRAPH)}


# Of RDF 1.2, as Turtle has it: it says nothing of the triples, and pyoxigraph reads it in Turtle and TriG alone.
_VERSION: Final = re.compile(rb"""[ \t]*VERSION[ \t]*(?:"[^"\\\n\r]*"|'[^'\\\n\r]*')[ \t]*(?:#.*)?\s*""", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reading:
    """How to read blocks: N-Quads or N-Triples, what is put before the labels of blank nodes, and whether a
    malformed line is skipped."""

    quads: bool
    scope: str
    lenient: bool

    @property
    def format(self) -> RdfFormat:
        """Pyoxigraph's name of it."""
        return RdfFormat.N_QUADS if self.quads else RdfFormat.N_TRIPLES


@dataclass(frozen=True, slots=True)
class Block:
    """What a block gave: its triples, how many lines it has, and the numbers of malformed ones, which were skipped."""

    part: Part
    lines: int
    malformed: NDArray[np.int64]

    @property
    def skipped(self) -> int:
        """How many lines are malformed."""
        return len(self.malformed)


class MalformedLineError(Exception):
    """A line, counted from 0 in its block, that is malformed, why, and in which column of it."""

    def __init__(self, line: int, reason: str, column: int | None = None) -> None:
        super().__init__(line, reason, column)
        self.line = line
        self.reason = reason
        self.column = column


def read_block(block: bytes, reading: Reading) -> Block:
    """Read a block of whole lines; the last newline may be missing. About half a microsecond per line.

    Raises:
        MalformedLineError: the first malformed line, unless reading is lenient.
    """
    if not block.endswith(b"\n"):
        block += b"\n"
    plain = block.replace(b"\r\n", b"\n") if b"\r" in block else block
    lines = cut(plain, reading.quads)
    terms = tokens.terms_of(lines.tokens, reading.scope)
    good = good_lines(lines.codes, terms, reading.quads)
    if good.all():
        return Block(part_of_codes(lines.codes, terms), len(lines), np.empty(0, dtype=np.int64))
    odd = np.flatnonzero(~good)
    rest, malformed = _read_odd(plain, lines, odd, reading)
    return Block(part_of_codes(lines.codes[good], terms).followed_by(rest), len(lines), malformed)


def good_lines(codes: NDArray[np.int32], terms: tokens.Terms, quads: bool) -> NDArray[np.bool_]:
    """For rows of four codes of tokens, whether each is a quad, or without `quads` a triple."""
    good = np.ones(len(codes), dtype=np.bool_)
    for column, allowed in enumerate((_SUBJECTS, _PREDICATES, _OBJECTS, _RESTS[quads])):
        is_allowed = np.zeros(tokens.ODD + 1, dtype=np.bool_)
        is_allowed[list(allowed)] = True
        good &= is_allowed[terms.kinds][codes[:, column]]
    return good


def part_of_codes(codes: NDArray[np.int32], terms: tokens.Terms) -> Part:
    """The part of rows of four codes that all are quads, with the terms that they use."""
    used = np.zeros(len(terms.kinds), dtype=np.bool_)
    used[codes.ravel()] = True
    used &= terms.kinds < tokens.ODD
    used &= terms.kinds != tokens.DOT
    # Dots, which are not terms, stand for the default graph.
    numbers = np.where(used, np.cumsum(used, dtype=np.uint32) - np.uint32(1), np.uint32(DEFAULT_GRAPH))
    subject, predicate, object, graph = (numbers[codes[:, column]] for column in range(4))
    return Part(KeyColumn.of_folded(terms.keys.where(used)), Quads(graph, subject, predicate, object))


def _read_odd(
    block: bytes, lines: Lines, odd: NDArray[np.int64], reading: Reading
) -> tuple[Part, NDArray[np.int64]]:
    """Lines by pyoxigraph: all together, and when some are malformed each by itself, to find out which."""
    begins, ends = lines.starts[odd].tolist(), lines.starts[odd + 1].tolist()
    places = passes(zip(begins, ends, strict=True), file_tuning.SINGLE_LINES)
    texts = [_without_version(block[begin:end]) for begin, end in places]
    try:
        return _part_of(b"".join(texts), reading), np.empty(0, dtype=np.int64)
    except (SyntaxError, ValueError, TermError):
        kept: list[bytes] = []
        malformed: list[int] = []
        for line, text in passes(zip(odd.tolist(), texts, strict=True), file_tuning.SINGLE_LINES):
            try:
                _check(text, reading)
                kept.append(text)
            except MalformedLineError as error:
                if not reading.lenient:
                    raise MalformedLineError(line, error.reason, error.column) from None
                malformed.append(line)
        return _part_of(b"".join(kept), reading), np.array(malformed, dtype=np.int64)


def _part_of(text: bytes, reading: Reading) -> Part:
    """Lines by pyoxigraph."""
    tags = Tags(reading.format)
    tags.see(text)
    tags.see(b"")
    Nesting().see(text)
    with long_terms():
        return part_of(parse(input=text, format=reading.format, rename_blank_nodes=False), reading.scope, tags)


def _without_version(line: bytes) -> bytes:
    return b"\n" if _VERSION.fullmatch(line) else line


def _check(line: bytes, reading: Reading) -> None:
    """Raise MalformedLineError for a line that pyoxigraph does not read."""
    try:
        _part_of(line, reading)
    except SyntaxError as error:
        reason = reason_of(error).replace("end of file", "end of line")
        raise MalformedLineError(0, reason, column_of(error)) from None
    except (ValueError, TermError) as error:
        raise MalformedLineError(0, str(error)) from None
