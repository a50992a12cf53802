"""The mutual scheme: the pairs that a closure has both ways, as equivalent classes are subclasses of each other.

What is paired both ways makes classes, the components of the closure, so that a class of n things takes n ids and not
n * n pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from kgreason.relations.binary import BinaryTable, as_binary
from kgreason.relations.catalogue import CHAIN, MUTUAL, Input, present
from kgreason.relations.edge_components import paths
from kgreason.relations.equality import EqualityTable
from kgreason.relations.inverse import InverseTable
from kgreason.relations.plain import empty_table, union_of
from kgreason.relations.stored import Part, PartReader, PartWriter, expect_kind
from kgreason.relations.table import NO_IDS, Columns, Ids, Table
from kgreason.relations.transitive.closure_table import TransitiveTable
from kgreason.relations.transitive.restricted_closure import RestrictedClosure
from kgreason.relations.union import UnionTable


class MutualPairs(UnionTable):
    """The pairs within classes, and some more, as those of the `excluded` ids, which are in components of the closure,
    but in no class."""

    scheme = "mutual"
    stored_as = "mutual"

    def __init__(self, classes: EqualityTable, more: BinaryTable, excluded: Ids = NO_IDS) -> None:
        super().__init__((classes, more))
        self.classes = classes
        self.more = more
        self.excluded = excluded

    @property
    def nbytes(self) -> int:
        return self.classes.nbytes + self.classes.edges.nbytes

    def inputs(self) -> Iterable[Table]:
        return (self.more,)

    def passing(self, edges: Table) -> Table:
        """The pairs of the components that have some edge of a closure within them: O(their members + other pairs)."""
        subjects, objects = edges.columns()
        is_within = self.classes.contains((subjects, objects))
        leaves, enters = np.isin(subjects, self.excluded), np.isin(objects, self.excluded)
        touched = np.concatenate((subjects[is_within | enters], objects[leaves]))
        is_around = np.logical_or(*(np.isin(column, self.excluded) for column in self.more.columns()))
        return UnionTable([self.classes.around(touched), self.more.filter(is_around)])

    def is_subset_of(self, other: Table) -> bool | None:
        """O(members + other pairs): what is within a class follows from edges along it."""
        if not isinstance(other, MutualPairs):
            return None
        if not other.contains(self.more.columns()).all() or not other.contains(self.classes.edges.columns()).all():
            return False
        return True if self.classes.is_subset_of(other.classes) else None

    def write(self, to: PartWriter) -> list[Part]:
        """The classes, the other pairs, and what is in no class."""
        return [to.table(self.classes), to.table(self.more), to.numbers(self.excluded)]

    @classmethod
    def read(cls, parts: list[Part], of: PartReader) -> MutualPairs:
        """A table of `write`; LoadError where it is damaged."""
        classes = expect_kind(of.table(parts[0], "its classes", 2), EqualityTable, "its classes")
        more = expect_kind(of.table(parts[1], "its other pairs", 2), BinaryTable, "its other pairs")
        return cls(classes, more, of.numbers(parts[2], np.uint32, "what is in no class"))


def mutual_pairs(before: Table | None, inputs: Sequence[Input], has_loops: bool) -> MutualPairs:
    """External pairs, and those that the inputs of the role MUTUAL have both ways; of these the pairs of a thing with
    itself, too, if it `has_loops`. `before` is an earlier version.

    Cost: O(members of components, edges that a restriction is about), and of the version before the classes that
    change.
    """
    external = present(each.after for each in inputs if each.role == CHAIN)
    found = _both_ways([each.after for each in inputs if each.role == MUTUAL and each.after])
    subjects, objects = found.pairs
    is_loop = subjects == objects
    loops = subjects[is_loop] if has_loops else NO_IDS
    edges = found.edges.union(BinaryTable.of((loops, loops)))
    more = as_binary(union_of([*external, BinaryTable.of((subjects[~is_loop], objects[~is_loop]))]))
    if not isinstance(before, MutualPairs):
        return MutualPairs(EqualityTable.of(edges), more, found.excluded)
    known = before.classes.edges
    classes = before.classes.changed(edges.difference(known), known.difference(edges))
    is_same = classes is before.classes and np.array_equal(more.keys(), before.more.keys())
    return before if is_same else MutualPairs(classes, more, found.excluded)


@dataclass(frozen=True, slots=True)
class _BothWays:
    """Edges along each component but for the excluded ids, and the other pairs that are there both ways."""

    edges: BinaryTable
    pairs: Columns
    excluded: Ids


def _both_ways(tables: Sequence[Table]) -> _BothWays:
    """What closures have both ways, each by itself: O(members of components), or of other tables O(pairs)."""
    edges: list[Table] = [empty_table(2)]
    pairs: list[Columns] = [(NO_IDS, NO_IDS)]
    excluded: tuple[int, ...] = ()
    for table in tables:
        whole = table.base if isinstance(table, InverseTable) else table
        if isinstance(whole, TransitiveTable):
            edges.append(_components(whole, ()))
            pairs.append((whole.loops(), whole.loops()))
        elif isinstance(whole, RestrictedClosure):
            excluded = whole.restriction.excluded
            edges.append(_components(whole.closure, excluded))
            pairs += [(whole.loops(), whole.loops()), *_around(whole)]
        else:
            pairs.append(whole.reciprocal(whole))
    columns = tuple(map(np.concatenate, zip(*pairs, strict=True)))
    return _BothWays(as_binary(union_of(edges)), columns, np.array(sorted(excluded), dtype=np.uint32))


def _components(table: TransitiveTable, excluded: tuple[int, ...]) -> BinaryTable:
    """Edges along the components of more than one thing, without some ids."""
    groups = table.closure.groups.values()
    members = table.closure.labelling.nodes[np.concatenate([np.empty(0, dtype=np.int64), *groups])]
    index = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    kept = ~np.isin(members, excluded)
    index, members = index[kept], members[kept]
    order = np.lexsort((members, index))
    return paths(index[order], members[order])


def _around(table: RestrictedClosure) -> list[Columns]:
    """The pairs of ids that only edges lead to with what they lead back to, both ways."""
    subjects, objects = table.kept.columns()
    there = (subjects != objects) & table.contains((objects, subjects))
    subjects, objects = subjects[there], objects[there]
    return [(subjects, objects), (objects, subjects)]
