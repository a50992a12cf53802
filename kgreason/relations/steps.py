"""Steps in place of a closure: pairs of a relation that have all its other pairs at the ends of their paths.

A class of n equal things has 2 n - 2 of them, however many links have made it.

A rule that copies facts along each pair, ``d(x) :- c(x), sub(c, d)``, copies them along paths as well, so that the
pairs that a closure is made of are enough for it. Where it has no step to some id, since that names no relation or a
filter keeps it out, a path ends there; the pairs of the relation that lead around it are then steps, too.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kgreason.columns import pairs, sorted_sets
from kgreason.relations.binary import BinaryTable, as_binary
from kgreason.relations.catalogue import AROUND, CHAIN, UNNAMED, Input, present
from kgreason.relations.plain import empty_table, union_of
from kgreason.relations.table import NO_IDS, Ids, Table
from kgreason.relations.union import UnionTable


class StepsScheme:
    """The pairs that closures among the inputs are made of, and those around the ids of inputs with such a role; all
    pairs of an input that does not know what it is made of."""

    def derive(self, before: Table | None, inputs: Sequence[Input]) -> Table:
        """O(edges) where an id is gone around, and for several inputs."""
        parts = present(each.after for each in inputs if each.role == CHAIN)
        edges = [table for part in parts for table in part.spanning()]
        if any(table.is_virtual for table in edges):
            return UnionTable(parts)
        steps = as_binary(union_of(edges or [empty_table(2)]))
        excluded, unnamed = (_ids_of(inputs, role) for role in (AROUND, UNNAMED))
        detours = _around(steps, sorted_sets.union(excluded, unnamed), unnamed)
        if not detours:
            return steps
        known = [detours.filter(part.contains(detours.columns())) for part in parts]
        return steps.union(union_of(known))


def _ids_of(inputs: Sequence[Input], role: str) -> Ids:
    tables = present(each.after for each in inputs if each.role == role)
    return sorted_sets.union_all([table.distinct(0) for table in tables] or [NO_IDS])


def _around(steps: BinaryTable, inner: Ids, unnamed: Ids) -> BinaryTable | None:
    """The pairs at the ends of paths whose inner ids are all among `inner`, but those with an end among `unnamed`; None
    where no path has one."""
    inner = inner[steps.has_key(0, inner) & steps.has_key(1, inner)]
    if not len(inner):
        return None
    onward = _proper(*steps.lookup({0: inner})[1])
    into = _without(unnamed, _proper(*steps.lookup({1: inner})[1]), 0)
    found = np.empty(0, dtype=np.uint64)
    while len(into):
        index, (_, objects) = onward.lookup({0: into.columns()[1]})
        fresh = sorted_sets.difference(pairs.distinct(into.columns()[0][index], objects), found)
        found = sorted_sets.union(found, fresh)
        into = BinaryTable(fresh[sorted_sets.contains(inner, pairs.objects(fresh))])
    return _without(unnamed, BinaryTable(found[pairs.subjects(found) != pairs.objects(found)]), 1)


def _without(ids: Ids, table: BinaryTable, position: int) -> BinaryTable:
    """The pairs that have none of some ids at a position."""
    return BinaryTable(table.keys()[~sorted_sets.contains(ids, table.columns()[position])])


def _proper(subjects: Ids, objects: Ids) -> BinaryTable:
    differ = subjects != objects
    return BinaryTable.of((subjects[differ], objects[differ]))
