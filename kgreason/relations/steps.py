"""Steps in place of a closure: pairs of a relation that have all its other pairs at the ends of their paths.

A class of n equal things has 2 n - 2 of them, however many links have made it.

A rule that copies facts along each pair, ``d(x) :- c(x), sub(c, d)``, copies them along paths as well, so that the
pairs that a closure is made of are enough for it. Where it has no step to some id, since that names no relation or a
filter keeps it out, a path ends there; the pairs of the relation that lead around it are then steps, too.
"""

from __future__ import annotations

from collections.abc import Sequence

from kgreason.columns import pairs, sorted_sets
from kgreason.columns.pairs import Keys
from kgreason.relations.binary import BinaryTable, as_binary
from kgreason.relations.catalogue import AROUND, CHAIN, UNNAMED, Input, present
from kgreason.relations.pair_blocks import NO_KEYS
from kgreason.relations.plain import empty_table, union_of
from kgreason.relations.table import NO_IDS, Ids, Table
from kgreason.relations.union import UnionTable


class StepsScheme:
    """The pairs that closures among the inputs are made of, and those around the ids of inputs with such a role; all
    pairs of an input that does not know what it is made of."""

    def derive(self, before: Table | None, inputs: Sequence[Input]) -> Table:
        """O(edges) where an id is gone around, and for several inputs."""
        parts = present(each.after for each in inputs if each.role == CHAIN)
        edges = [[*part.spanning()] for part in parts]
        if any(table.is_virtual for tables in edges for table in tables):
            return UnionTable(parts)
        steps = [as_binary(union_of(tables or [empty_table(2)])) for tables in edges]
        excluded, unnamed = (_ids_of(inputs, role) for role in (AROUND, UNNAMED))
        inner = sorted_sets.union(excluded, unnamed)
        detours = present(_around(own, part, inner, unnamed) for own, part in zip(steps, parts, strict=True))
        return as_binary(union_of([*steps, *detours] or [empty_table(2)]))


def _ids_of(inputs: Sequence[Input], role: str) -> Ids:
    tables = present(each.after for each in inputs if each.role == role)
    return sorted_sets.union_all([table.distinct(0) for table in tables] or [NO_IDS])


def _around(steps: BinaryTable, whole: Table, inner: Ids, unnamed: Ids) -> BinaryTable | None:
    """The pairs of a relation at the ends of paths of its steps around ids of `inner`, but those with an end among
    `unnamed`; None where no path has such an id between its ends.

    A path goes on at an end that is to be gone around, and at both where these are no pair of the relation: a closure
    may leave out those that begin or end with some ids, and has what lies beyond them."""
    inner = inner[steps.has_key(0, inner) & steps.has_key(1, inner)]
    if not len(inner):
        return None
    onward = _without(unnamed, _proper(*steps.lookup({1: inner})[1]), 0)
    back = BinaryTable(NO_KEYS)
    met = found = NO_KEYS
    while len(onward) or len(back):
        fresh = sorted_sets.difference(sorted_sets.union(_longer(onward, steps, 1), _longer(back, steps, 0)), met)
        met = sorted_sets.union(met, fresh)
        starts, ends = BinaryTable(fresh).columns()
        known = whole.contains((starts, ends))
        found = sorted_sets.union(found, fresh[known])
        onward, back = (BinaryTable(fresh[~known | sorted_sets.contains(inner, column)]) for column in (ends, starts))
    return _without(unnamed, _without(unnamed, BinaryTable(found), 0), 1)


def _longer(paths: BinaryTable, steps: BinaryTable, position: int) -> Keys:
    """Paths, as pairs of their ends, with one step more at the end at a position: to other ids, and not in a circle."""
    ends = paths.columns()[position]
    index, columns = steps.lookup({1 - position: ends})
    kept, beyond = paths.columns()[1 - position][index], columns[position]
    differ = (beyond != ends[index]) & (beyond != kept)
    pair = (kept[differ], beyond[differ]) if position == 1 else (beyond[differ], kept[differ])
    return pairs.distinct(*pair)


def _without(ids: Ids, table: BinaryTable, position: int) -> BinaryTable:
    """The pairs that have none of some ids at a position."""
    return BinaryTable(table.keys()[~sorted_sets.contains(ids, table.columns()[position])])


def _proper(subjects: Ids, objects: Ids) -> BinaryTable:
    differ = subjects != objects
    return BinaryTable.of((subjects[differ], objects[differ]))
