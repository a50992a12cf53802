"""From id columns to rdflib triples: what `ReasoningStore.triples` hands out, row by row.

Columns are decoded in pieces, small ones first: a reader of one row pays for few, and a long scan
costs a fraction of a microsecond per row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat
from typing import Any, TypeAlias

import numpy as np
from rdflib.term import Node

from kgreason import memory
from kgreason.relations.table import Ids
from kgreason.store.triple_view import Chunk, Few, Run, View, chunk_of, run_length
from kgreason_rdflib import rdflib_tuning
from kgreason_rdflib.rdflib_terms import Triple
from kgreason_rdflib.term_border import TermBorder

Pattern = tuple[int | None, int | None, int | None]


class Union:
    """Several views as one, each triple once; `overlapping` says whether a triple may be in two of them.

    Reading disjoint views costs what each costs; of overlapping ones every row but the first view's is looked
    up in the views before it."""

    def __init__(self, views: Sequence[View], overlapping: bool) -> None:
        self._views = tuple(views)
        self._overlapping = overlapping

    def runs(self, s: int | None, p: int | None, o: int | None) -> Iterator[Run]:
        """The matching triples, as runs."""
        for position, view in enumerate(self._views):
            if self._overlapping and position:
                for chunk in view.match(s, p, o):
                    fresh = self._fresh(chunk, self._views[:position])
                    if len(fresh[0]):
                        yield fresh
            else:
                yield from view.runs(s, p, o)

    def few(self, s: int | None, p: int | None, o: int | None, most: int) -> Few | None:
        """The triples that match a pattern with an end; None where a view has more than `most` with a predicate, or
        views may have the same ones."""
        if self._overlapping:
            return None
        found: Few = []
        for view in self._views:
            some = view.few(s, p, o, most)
            if some is None:
                return None
            found += some
        return found

    def match(self, s: int | None, p: int | None, o: int | None) -> Iterator[Chunk]:
        """The matching triples as columns of subjects, predicates and objects."""
        return map(chunk_of, self.runs(s, p, o))

    def contains(self, s: int, p: int, o: int) -> bool:
        """Whether one of the views has the triple."""
        return any(view.contains(s, p, o) for view in self._views)

    def count(self, s: int | None = None, p: int | None = None, o: int | None = None) -> int:
        """How many triples match: counted by the views when they are disjoint, enumerated otherwise."""
        if self._overlapping and len(self._views) > 1:
            return sum(map(run_length, self.runs(s, p, o)))
        return sum(view.count(s, p, o) for view in self._views)

    @staticmethod
    def _fresh(columns: Chunk, earlier: Sequence[View]) -> Chunk:
        rows = zip(*(column.tolist() for column in columns), strict=True)
        fresh = [not any(view.contains(*row) for view in earlier) for row in rows]
        mask = np.array(fresh, dtype=np.bool_)
        return columns[0][mask], columns[1][mask], columns[2][mask]


def ids_of(pattern: Any, border: TermBorder) -> Pattern | None:
    """The ids of a pattern, None when one of its terms was never seen."""
    subject, predicate, object = pattern
    s = p = o = None
    if subject is not None and (s := border.lookup(subject)) is None:
        return None
    if predicate is not None and (p := border.lookup(predicate)) is None:
        return None
    if object is not None and (o := border.lookup(object)) is None:
        return None
    return s, p, o


def read(view: View, pattern: Any, border: TermBorder) -> Iterator[Triple] | list[Triple]:
    """The triples of a view that match a pattern of rdflib terms; a list if the pattern has an end, and they are
    few."""
    ids = ids_of(pattern, border)
    if ids is None:
        return []
    few = few_of(view, ids)
    if few is not None:
        return few_rows(few, ids, pattern, border)
    same = same_terms(pattern, ids, border)
    return chain.from_iterable(rows_of(piece, same, border) for piece in pieces_of(view.runs(*ids)))


def few_of(view: View, ids: Pattern) -> Few | None:
    """The triples of a view that match a pattern, by predicate; None where they may be many."""
    s, p, o = ids
    if s is not None and p is not None and o is not None:
        return [(p, [o])] if view.contains(s, p, o) else []
    return None if s is None and o is None else view.few(s, p, o, rdflib_tuning.FIRST_ROWS_READ)


def few_rows(found: Few, ids: Pattern, pattern: Any, border: TermBorder) -> list[Triple]:
    """The rows of triples that have an end in common."""
    if not found:
        return []
    (s, _, o), (subject, predicate, object) = ids, pattern
    if s is not None:
        subject = border.kept(subject, s)
    if o is not None:
        object = border.kept(object, o)
    rows: list[Triple] = []
    for each, ends in found:
        named = border.term(each) if predicate is None else border.kept(predicate, each)
        if o is None:
            rows += [(subject, named, term) for term in border.terms(ends)]
        elif s is None:
            rows += [(term, named, object) for term in border.terms(ends)]
        else:
            rows.append((subject, named, object))
    return rows


def few_ids(found: Few, ids: Pattern) -> Iterator[tuple[int, int, int]]:
    """The ids of the same rows."""
    s, _, o = ids
    for each, ends in found:
        for end in ends:
            yield end if s is None else s, each, end if o is None else o


_Same: TypeAlias = tuple[Iterator[Node] | None, ...]
"""The terms that a pattern has, each of them endless; None for a wildcard."""


def same_terms(pattern: Any, ids: Pattern, border: TermBorder) -> _Same:
    """The terms of a pattern, as they were first written."""
    return tuple(
        None if each is None else repeat(border.kept(term, each)) for term, each in zip(pattern, ids, strict=True)
    )


def pieces_of(runs: Iterator[Run]) -> Iterator[Run]:
    """Runs in pieces, small ones first."""
    size = rdflib_tuning.FIRST_ROWS_READ
    for run in runs:
        rows = run_length(run)
        if rows <= size:
            yield run
            continue
        start = 0
        while start < rows:
            subjects, predicates, objects = (
                part if isinstance(part, int) else part[start : start + size] for part in run
            )
            yield subjects, predicates, objects
            start, size = start + size, min(2 * size, rdflib_tuning.LAST_ROWS_READ)
            memory.check_reserve("reading triples")


def rows_of(run: Run, same: _Same, border: TermBorder) -> Iterator[Triple]:
    """The rows of a run."""
    (subjects, predicates, objects), (s, p, o) = run, same
    is_short = run_length(run) <= rdflib_tuning.FIRST_ROWS_READ
    return zip(  # noqa: B905 - two of the three may be endless
        _terms(subjects, s, border, is_short, is_subject=True),
        _terms(predicates, p, border, is_short),
        _terms(objects, o, border, is_short),
    )


def _terms(
    part: int | Ids, same: Iterator[Node] | None, border: TermBorder, is_short: bool, is_subject: bool = False
) -> Iterable[Node]:
    """The terms of one position. Those of a few rows are made as they are read: who asks for one row needs no more."""
    if isinstance(part, int):
        return same or repeat(border.term(part))
    if is_short:
        return map(border.term, part.tolist())
    return border.decode(part, is_asked_next=is_subject)
