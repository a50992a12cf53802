"""A step of a join, a bounded number of rows at a time.

The facts for each row are counted, not looked at, before rows are cut into pieces (`Table.lookups`), unless the
relation knows that no piece becomes too large. So a step takes bounded memory, and a deadline is heeded between pieces.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from functools import partial
from itertools import chain, starmap

from kgreason import tuning
from kgreason.algebra.atoms import Atom
from kgreason.algebra.bindings import Bindings, Multiplicity, V
from kgreason.algebra.extend import (
    beside,
    extend,
    extended,
    facts_of,
    is_image,
    named,
    told_apart,
    variable_at,
    with_constants,
)
from kgreason.algebra.relation import Relation
from kgreason.algebra.row_keys import Counts, Index
from kgreason.checkpoints import checkpoint
from kgreason.relations.table import Columns, Table


def extend_in_pieces(
    rows: Bindings[V],
    atom: Atom[V],
    relation: Relation,
    kept: Set[V] | None = None,
    multiplicity: Multiplicity = Multiplicity.EACH,
    most: int | None = None,
    first: int | None = None,
) -> Iterator[Bindings[V]]:
    """What `extend` gives, lazily, a bounded number of rows at a time.

    Args:
        most: so many at most (`tuning.JOIN_ROWS` if None). What one row makes is looked up at once; if it is more, it
            comes out in several pieces.
        first: about so many to begin with.
    """
    most = tuning.JOIN_ROWS if most is None else most
    bound, free = told_apart(rows, atom)
    if not free or _is_counted(atom, free, len(bound), kept):
        yield extend(rows, atom, relation, kept, multiplicity)
    elif not bound:
        yield from _crossed_in_pieces(rows, atom, relation, kept, multiplicity, most, first)
    elif rows.length < 2 or (multiplicity is Multiplicity.ANY and is_image(rows, atom, kept)):
        yield from _sliced(extend(rows, atom, relation, kept, multiplicity), most)
    else:
        for part in parts(rows, bound, relation, most, first):
            columns = bound if part is rows else told_apart(part, atom)[0]
            found = relation.lookups(with_constants(part, atom, columns), most)
            yield from chain.from_iterable(starmap(partial(_extended_slices, part, atom, free, kept, most), found))


def _extended_slices(
    rows: Bindings[V], atom: Atom[V], free: list[int], kept: Set[V] | None, most: int, index: Index, facts: Columns
) -> Iterable[Bindings[V]]:
    return _sliced(extended(rows, atom, index, facts, free, kept), most)


def makes_one_piece(rows: Bindings[V], atom: Atom[V], table: Table) -> bool:
    """Whether it is known that a step makes no more rows than a piece may have: O(1) for most tables."""
    most = tuning.JOIN_ROWS
    if rows.length * table.estimate <= most:
        return True
    # The subjects of pairs alone: for their objects it may take another index to tell.
    is_of_subjects = table.arity == 2 and not table.is_virtual and atom.arguments[0] in rows.columns
    return is_of_subjects and rows.length * table.largest_fanout(0) <= most


def parts(
    rows: Bindings[V], bound: Iterable[int], relation: Relation, most: int, first: int | None
) -> Iterable[Bindings[V]]:
    """Rows that follow each other, as many at once as find about `first` facts, then more, if they are as others; all
    of them if it is None. `bound` are the positions of the relation that rows are looked up by."""
    size = relation.estimate
    if first is None or rows.length * size <= first:
        return (rows,)
    fan = max(1.0, min([size / max(1, relation.distinct_estimate(position)) for position in bound]))
    return (rows,) if rows.length * fan <= first else _parts(rows, fan, most, first)


def _parts(rows: Bindings[V], fan: float, most: int, first: int) -> Iterator[Bindings[V]]:
    """The same where each row finds about `fan` facts."""
    begin, size = 0, first
    while begin < rows.length:
        end = begin + max(1, int(size / fan))
        yield rows.slice(begin, end)
        begin, size = end, min(size * tuning.JOIN_GROWTH, most)


def _sliced(rows: Bindings[V], most: int) -> Iterable[Bindings[V]]:
    checkpoint()
    if rows.length <= most:
        return (rows,)
    return (rows.slice(begin, begin + most) for begin in range(0, rows.length, most))


def _is_counted(atom: Atom[V], free: list[int], bound: int, kept: Set[V] | None) -> bool:
    """Whether the step makes no more rows than there are."""
    if kept is None or atom.is_repeating or bound + len(atom.constants) > 1:
        return False
    return kept.isdisjoint([atom.arguments[position] for position in free])


def _crossed_in_pieces(
    rows: Bindings[V],
    atom: Atom[V],
    relation: Relation,
    kept: Set[V] | None,
    multiplicity: Multiplicity,
    most: int,
    first: int | None,
) -> Iterator[Bindings[V]]:
    """Each row with each fact of an atom of which nothing is bound but constants."""
    if kept is not None:
        rows = rows.narrowed(kept)
    size = most if first is None else first
    for found, weights in _fact_chunks(atom, relation, kept, multiplicity, size, most):
        begin = 0
        while begin < found.length:
            part = found.slice(begin, begin + size)
            some = None if weights is None else weights[begin : begin + size]
            yield from paired(rows, part, some, most)
            begin, size = begin + size, min(size * tuning.JOIN_GROWTH, most)


def paired(rows: Bindings[V], found: Bindings[V], weights: Counts | None, most: int) -> Iterator[Bindings[V]]:
    """Each row with each of some others, which have weights or not: about `most` pairs at a time."""
    step = max(1, most // found.length)
    for row in range(0, rows.length, step):
        yield _beside(rows.slice(row, row + step), found, weights)


def _beside(rows: Bindings[V], found: Bindings[V], weights: Counts | None) -> Bindings[V]:
    if rows.length == 1 and not rows.columns and rows.weights is None:
        return Bindings(found.columns, found.length, weights)
    return beside(rows, found, weights)


def _fact_chunks(
    atom: Atom[V], relation: Relation, kept: Set[V] | None, multiplicity: Multiplicity, first: int, most: int
) -> Iterator[tuple[Bindings[V], Counts | None]]:
    """What `facts_of` gives, a bounded number of rows at a time where the relation can do that."""
    if atom.constants or atom.is_repeating:
        yield facts_of(atom, relation, kept, multiplicity)
    elif kept is not None and len(atom.arguments) == 2 and len(kept & atom.variables) == 1:
        position = int(atom.arguments[0] not in kept)
        ends = relation.distinct(position)
        begin, size = 0, first
        while begin < len(ends):
            part = ends[begin : begin + size]
            weights = None if multiplicity is Multiplicity.ANY else relation.fanout(position, part)
            yield Bindings({variable_at(atom, position): part}, len(part)), weights
            begin, size = begin + size, min(size * tuning.JOIN_GROWTH, most)
    else:
        for columns in relation.chunks():
            yield named(atom, columns, kept), None
