"""What one piece of a source gives: quads over terms of its own, until all pieces meet in one dictionary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason import memory
from kgreason.arrow import pa
from kgreason.checkpoints import checkpoint
from kgreason.dictionary import term_tuning
from kgreason.dictionary.arrow_columns import text_column
from kgreason.dictionary.dictionary import Dictionary
from kgreason.dictionary.key_columns import KeyColumn
from kgreason.dictionary.ordered_keys import OrderedPieces
from kgreason.io import file_tuning
from kgreason.io.line_blocks import each_in_threads, threads
from kgreason.io.quads import DEFAULT_GRAPH, Ids, Quads

_Piece: TypeAlias = tuple[Quads, Ids, int]
"""Quads over terms of their own, the ids of these, and the row of the first one among all quads."""


@dataclass(frozen=True, slots=True)
class Part:
    """Quads whose ids are positions in `terms`: a list or a column of keys, in which a term may stand twice, or ordered
    ones."""

    terms: list[str] | KeyColumn | OrderedPieces
    quads: Quads

    def __len__(self) -> int:
        return len(self.quads)

    def column(self) -> KeyColumn:
        """The terms as a column."""
        match self.terms:
            case list(keys):
                return KeyColumn.of(text_column(keys))
            case OrderedPieces() as ordered:
                return ordered.hashed()
            case column:
                return column

    @staticmethod
    def joined(parts: Sequence[Part]) -> Part:
        """Parts, at least one, as one."""
        if len(parts) == 1:
            return parts[0]
        columns = [part.column() for part in parts]
        begins = accumulate(map(len, columns), initial=0)
        shifted = [_shifted(part.quads, np.uint32(begin)) for part, begin in zip(parts, begins, strict=False)]
        return Part(KeyColumn.joined(columns), Quads.concatenated(shifted))

    def followed_by(self, other: Part) -> Part:
        """This part and another one as one."""
        return Part.joined((self, other))


def encoded(parts: list[Part], dictionary: Dictionary, numbers: Sequence[int] = ()) -> tuple[Quads, list[Ids]]:
    """The quads of parts with the ids of a dictionary, which learns their terms in one step; and of the parts with
    some numbers the ids of their terms.

    The list is emptied on the way, so that nothing is held longer than it is needed.
    """
    checkpoint()
    places = _encode_terms(parts, dictionary)
    wanted = [places[number] for number in numbers]
    rows = [part.quads for part in parts]
    parts.clear()
    # What one part alone has is written over: memory that is asked for anew costs more than the translation.
    quads = rows[0] if len(rows) == 1 else Quads.of_length(sum(map(len, rows)))
    ends = accumulate(map(len, rows))
    pieces = [(own, ids, end - len(own)) for own, ids, end in zip(rows, places, ends, strict=True)]
    rows.clear()
    if len(quads) < file_tuning.PART_ROWS:
        for piece in pieces:
            _translate(piece, quads)
    else:
        # Arrow keeps what was freed, and nothing here asks it for as much again.
        pa.default_memory_pool().release_unused()
        for _ in each_in_threads(partial(_translate, target=quads), _consumed(pieces), threads()):
            checkpoint()
        # The quads of the parts: of LUBM(50,0) 100 MB, which were held beside all that is made of the new ones.
        memory.give_back()
    return quads, wanted


def _consumed(pieces: list[_Piece]) -> Iterator[_Piece]:
    """Pieces of at most so many rows, none of them held longer than it is needed."""
    pieces.reverse()
    while pieces:
        own, identifiers, begin = pieces.pop()
        for start in range(0, len(own), file_tuning.PART_ROWS):
            yield own.rows(slice(start, start + file_tuning.PART_ROWS)), identifiers, begin + start


def _encode_terms(parts: list[Part], dictionary: Dictionary) -> list[Ids]:
    """For each part the ids of its terms, which the parts have no longer: first those of ordered ones, which ask least
    of a dictionary that knows little."""
    ordered: dict[int, Ids] = {}
    for number, part in enumerate(parts):
        if isinstance(part.terms, OrderedPieces):
            ordered[number] = dictionary.encode_ordered(part.terms)
            parts[number] = Part([], part.quads)
    places = _encode_unordered(parts, dictionary)
    return [ordered.get(number, ids) for number, ids in enumerate(places)]


def _encode_unordered(parts: list[Part], dictionary: Dictionary) -> list[Ids]:
    """The same where nothing is ordered; few terms need no columns, and all lists are one column together."""
    keys: list[str] = []
    columns: list[KeyColumn] = []
    lengths: dict[int, int] = {}
    for number, part in enumerate(parts):
        if isinstance(part.terms, list):
            keys += part.terms
            lengths[number] = len(part.terms)
        else:
            columns.append(part.column())
    parts[:] = [Part([], part.quads) for part in parts]
    if not columns and len(keys) < term_tuning.SEGMENT_LEAST:
        found = [dictionary.encode_keys(keys)]
    else:
        if keys:
            columns.append(KeyColumn.of(text_column(keys)))
            keys.clear()
        found = dictionary.encode_columns(columns)
    of_lists = iter(np.split(found.pop(), np.cumsum([*lengths.values()])[:-1]) if any(lengths.values()) else ())
    of_columns = iter(found)
    none = np.empty(0, dtype=np.uint32)
    return [
        (next(of_lists, none) if number in lengths else next(of_columns)) for number in range(len(parts))
    ]


def _translate(piece: _Piece, target: Quads) -> None:
    """Write quads with other ids into `target`, from a row on; it may be where they are already."""
    quads, identifiers, begin = piece
    rows = target.rows(slice(begin, begin + len(quads)))
    np.take(identifiers, quads.subject, out=rows.subject, mode="clip")
    np.take(identifiers, quads.predicate, out=rows.predicate, mode="clip")
    np.take(identifiers, quads.object, out=rows.object, mode="clip")
    named = quads.graph != DEFAULT_GRAPH
    # Looked up first: the target may be the quads themselves.
    graphs = identifiers[quads.graph[named]]
    rows.graph[:] = DEFAULT_GRAPH
    if len(graphs):
        rows.graph[named] = graphs


def _shifted(quads: Quads, shift: np.uint32) -> Quads:
    named: NDArray[np.bool_] = quads.graph != DEFAULT_GRAPH
    graph = np.where(named, quads.graph + shift, quads.graph)
    return Quads(graph, quads.subject + shift, quads.predicate + shift, quads.object + shift)
