"""From id columns to rdflib triples: what `ReasoningStore.triples` hands out, row by row.

Columns are decoded in pieces, small ones first: a reader of one row pays for few, and a long scan
costs a fraction of a microsecond per row. Chunks of a few rows, as a subject has one of for each of its properties,
are put together first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice, repeat
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from kgreason import memory
from kgreason_rdflib.rdflib_terms import TermBorder, Triple

Column = NDArray[np.uint32]
Columns = tuple[Column, Column, Column]
Pattern = tuple[int | None, int | None, int | None]

_FIRST_PIECE = 32
_LAST_PIECE = 8192


class View(Protocol):
    """An immutable set of triples of ids, as `kgreason.store.knowledge_base.TripleView`."""

    def match(self, s: int | None, p: int | None, o: int | None) -> Iterator[Columns]: ...

    def contains(self, s: int, p: int, o: int) -> bool: ...

    def count(self, s: int | None = None, p: int | None = None, o: int | None = None) -> int: ...


class Union:
    """Several views as one, each triple once; `overlapping` says whether a triple may be in two of them.

    Reading disjoint views costs what each costs; of overlapping ones every row but the first view's is looked
    up in the views before it."""

    def __init__(self, views: Sequence[View], overlapping: bool) -> None:
        self._views = tuple(views)
        self._overlapping = overlapping

    def match(self, s: int | None, p: int | None, o: int | None) -> Iterator[Columns]:
        """The matching triples as columns of subjects, predicates and objects."""
        for position, view in enumerate(self._views):
            for columns in view.match(s, p, o):
                repeats = self._overlapping and position
                yield self._fresh(columns, self._views[:position]) if repeats else columns

    def contains(self, s: int, p: int, o: int) -> bool:
        """Whether one of the views has the triple."""
        return any(view.contains(s, p, o) for view in self._views)

    def count(self, s: int | None = None, p: int | None = None, o: int | None = None) -> int:
        """How many triples match: counted by the views when they are disjoint, enumerated otherwise."""
        if self._overlapping and len(self._views) > 1:
            return sum(len(subjects) for subjects, _, _ in self.match(s, p, o))
        return sum(view.count(s, p, o) for view in self._views)

    @staticmethod
    def _fresh(columns: Columns, earlier: Sequence[View]) -> Columns:
        rows = zip(*(column.tolist() for column in columns), strict=True)
        fresh = [not any(view.contains(*row) for view in earlier) for row in rows]
        mask = np.array(fresh, dtype=np.bool_)
        return columns[0][mask], columns[1][mask], columns[2][mask]


def ids_of(pattern: Any, border: TermBorder) -> Pattern | None:
    """The ids of a pattern, None when one of its terms was never seen."""
    ids: list[int | None] = []
    for node in pattern:
        found = None if node is None else border.lookup(node)
        if found is None and node is not None:
            return None
        ids.append(found)
    return ids[0], ids[1], ids[2]


def read(view: View, pattern: Pattern, border: TermBorder) -> Iterator[Triple]:
    """The triples of a view that match a pattern of ids, as rdflib terms."""
    s, p, o = pattern
    if s is not None and p is not None and o is not None:
        return iter(((border.term(s), border.term(p), border.term(o)),) if view.contains(s, p, o) else ())
    return chain.from_iterable(_pieces(view, pattern, border))


def _pieces(view: View, pattern: Pattern, border: TermBorder) -> Iterator[Iterator[Triple]]:
    fixed = [None if bound is None else repeat(border.term(bound)) for bound in pattern]
    size = _FIRST_PIECE
    for columns in _joined(view.match(*pattern)):
        start, rows = 0, len(columns[0])
        while start < rows:
            stop = min(start + size, rows)
            subjects, predicates, objects = (
                border.decode(column[start:stop]) if same is None else same
                for column, same in zip(columns, fixed, strict=True)
            )
            yield zip(subjects, predicates, objects)  # noqa: B905 - two of the three may be endless
            start, size = stop, min(2 * size, _LAST_PIECE)
            memory.check_reserve("reading triples")


def _joined(chunks: Iterator[Columns]) -> Iterator[Columns]:
    """The same rows with small chunks put together; the first one comes by itself, since many readers want no more."""
    yield from islice(chunks, 1)
    small: list[Columns] = []
    rows = 0
    for chunk in chunks:
        rows += len(chunk[0])
        if rows > _LAST_PIECE and small:
            yield _concatenated(small)
            small, rows = [], len(chunk[0])
        small.append(chunk)
    if small:
        yield _concatenated(small)


def _concatenated(chunks: Sequence[Columns]) -> Columns:
    if len(chunks) == 1:
        return chunks[0]
    subjects, predicates, objects = map(np.concatenate, zip(*chunks, strict=True))
    return subjects, predicates, objects
