"""The equivalence scheme: a symmetric and transitive relation as components and their members.

Every node of an edge is equivalent to itself and to all nodes of its component, as the symmetric and the
transitive rule together derive. Source: the symmetric-transitive module of Hu et al. 2019 (Algorithms 7 to 9), whose
deletion is exact here for each component that it touches.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kgreason.columns import bitmaps, sorted_sets
from kgreason.columns.components import undirected_components
from kgreason.errors import DamageError
from kgreason.relations import table_tuning
from kgreason.relations.binary import BinaryTable
from kgreason.relations.edge_components import (
    ComponentLabels,
    Numbers,
    components_of,
    has_detour,
    numbers_of,
    paths,
    within_components,
)
from kgreason.relations.given_labels import LabelsError
from kgreason.relations.labels import ReachabilityLabels
from kgreason.relations.node_components import NodeComponents
from kgreason.relations.stored import Part, PartReader, PartWriter, check_sorted, check_starts, expect_kind
from kgreason.relations.symmetric_pairs import SymmetricPairs
from kgreason.relations.table import Columns, Ids, Index, Mask, Table


class EquivalenceTable(SymmetricPairs):
    """The pairs within components."""

    scheme = "equivalence"
    stored_as = "equivalence"
    is_transitive = True

    def __init__(self, edges: BinaryTable, components: NodeComponents, count: int | None = None) -> None:
        """Take over edges and the components that they make; `count` is how many pairs these have, if it is known."""
        self.edges = edges
        self._in = components
        self._length = int((np.diff(components.whole()[1]) ** 2).sum()) if count is None else count

    @classmethod
    def of(cls, edges: BinaryTable) -> EquivalenceTable:
        """The components of edges, from scratch: two sorts."""
        return cls(edges, NodeComponents.of(*components_of(edges)))

    @classmethod
    def given(cls, edges: BinaryTable, members: Ids, components: Numbers) -> EquivalenceTable:
        """The components of edges as `components` gave them elsewhere: each member with the number of its own.

        Raises:
            LabelsError: they are not those of the edges.

        Cost: a sort of the members, and one search for components.
        """
        order = np.lexsort((members, components))
        members, borders = members[order], np.unique(components[order], return_index=True)[1]
        ends = bitmaps.distinct(np.concatenate(edges.columns()))
        if not np.array_equal(np.sort(members), ends):
            raise LabelsError("the nodes are not those of the edges, each once")
        table = cls(edges, NodeComponents.of(members, np.append(borders, len(members))))
        found = undirected_components(len(ends), *(ends.searchsorted(column) for column in edges.columns()))
        count = len(sorted_sets.unique(found))
        if len(borders) != count or not table.contains(edges.columns()).all():
            raise LabelsError("the components are not those of the edges")
        return table

    def changed(self, added: BinaryTable, removed: BinaryTable) -> EquivalenceTable:
        """The version after edges come and go: only the components that have an end of one that matters are made anew,
        and the others copied: O(touched edges log edges), and a copy of the nodes."""
        if not len(added) and not len(removed):
            return self
        edges = self.edges.difference(removed).union(added)
        ends = self._ends_that_matter(edges, added, removed)
        if not len(ends):
            return EquivalenceTable(edges, self._in, self._length)
        touched = self._numbers_of(ends)
        before = self._in.sizes(touched)
        nodes = bitmaps.distinct(np.concatenate((self._in.spread(touched)[1], ends)))
        _, out = edges.lookup({0: nodes})
        _, back = edges.lookup({1: nodes})
        members, starts = components_of(BinaryTable.of(tuple(map(np.concatenate, zip(out, back, strict=True)))))
        count = len(self) - int((before**2).sum()) + int((np.diff(starts) ** 2).sum())
        return EquivalenceTable(edges, self._in.replaced(touched, members, starts), count)

    def _ends_that_matter(self, edges: BinaryTable, added: BinaryTable, removed: BinaryTable) -> Ids:
        """The ends of the changed edges, but of those that come within a component, and of those that go where two
        other edges lead from one end to the other."""
        come, gone = added.columns(), removed.columns()
        fresh = ~self.contains(come)
        lost = np.ones(len(gone[0]), dtype=np.bool_)
        if len(lost) <= table_tuning.LINKS_LOOKED_AT:
            lost[:] = [not has_detour(edges, a, b) for a, b in zip(*(column.tolist() for column in gone), strict=True)]
        found = [*(column[fresh] for column in come), *(column[lost] for column in gone)]
        return bitmaps.distinct(np.concatenate(found))

    @property
    def nbytes(self) -> int:
        return self._in.nbytes

    def inputs(self) -> Iterable[Table]:
        return (self.edges,)

    def __bool__(self) -> bool:
        return len(self._in.nodes) > 0

    def subjects(self) -> Ids:
        return self._in.nodes

    def objects_of(self, subject: int) -> Ids:
        return self._in.of_node(subject)

    def expand_subjects(self, subjects: Ids) -> tuple[Index, Ids]:
        numbers = self._in.of_nodes(subjects)
        known = np.flatnonzero(numbers >= 0)
        index, members = self._in.spread(numbers[known])
        return known[index], members

    def spread(self, identifiers: Ids) -> tuple[Index, Ids]:
        """The members of the component of each id, or the id itself where it has none, with the number of the id, in
        order: O(ids log nodes + output)."""
        numbers = self._in.of_nodes(identifiers)
        counts = self._in.sizes(numbers)
        is_inside = counts > 0
        if not is_inside.any():
            return np.arange(len(identifiers)), identifiers
        index = np.repeat(np.arange(len(identifiers)), np.maximum(counts, 1))
        found = identifiers.take(index)
        found[is_inside.take(index)] = self._in.spread(numbers[is_inside])[1]
        return index, found

    def image(self, position: int, identifiers: Ids) -> Ids:
        """The members of the components that some ids have, sorted: O(ids and members)."""
        return np.sort(self._in.spread(self._numbers_of(identifiers))[1])

    def proper_image(self, position: int, identifiers: Ids) -> Ids:
        return sorted_sets.difference(self.image(position, identifiers), self.alone(identifiers))

    def alone(self, identifiers: Ids) -> Ids:
        """Those of some ids that have a component without any other of them, sorted."""
        distinct = sorted_sets.unique(identifiers)
        numbers = self._in.of_nodes(distinct)
        _, places, counts = np.unique(numbers, return_inverse=True, return_counts=True)
        found: Ids = distinct[(counts[places] == 1) & (numbers >= 0)]
        return found

    def fanout(self, position: int, identifiers: Ids) -> Index:
        return self._in.sizes(self._in.of_nodes(identifiers))

    def largest_fanout(self, position: int) -> int:
        return int(np.diff(self._in.starts).max(initial=0))

    def contains(self, columns: Columns) -> Mask:
        numbers = self._in.of_nodes(columns[0])
        return np.asarray((numbers >= 0) & (numbers == self._in.of_nodes(columns[1])))

    def has(self, fact: tuple[int, ...]) -> bool:
        return fact[1] in self._in.of_node(fact[0])

    def least(self, identifiers: Ids) -> Ids:
        """For each id, in any order, the least member of its component, or itself where it has none."""
        numbers = self._in.of_nodes(identifiers)
        known = numbers >= 0
        if not known.any():
            return identifiers
        found = identifiers.copy()
        found[known] = self._in.members[self._in.starts[numbers[known]]]
        return found

    def neighbours(self) -> Columns:
        """Each member with the next one of its component: O(members)."""
        members, starts = self._in.whole()
        inside = np.flatnonzero(within_components(starts, len(members)))
        return members[inside], members[inside + 1]

    def around(self, identifiers: Ids) -> EquivalenceTable:
        touched = self._numbers_of(identifiers)
        index, members = self._in.spread(touched)
        alone = members[(self._in.sizes(touched) == 1)[index]]
        return EquivalenceTable.of(paths(index, members).union(BinaryTable.of((alone, alone))))

    def components(self) -> tuple[Ids, Numbers]:
        """The nodes, and for each the number of its component: O(nodes)."""
        members, starts = self._in.whole()
        return members, numbers_of(starts)

    def loops(self) -> Ids:
        return self._in.nodes

    def reachability_labels(self) -> ReachabilityLabels:
        return ComponentLabels(self.edges, *self._in.whole())

    def is_subset_of(self, other: Table) -> bool | None:
        edges = self.edges.difference(other.edges) if isinstance(other, EquivalenceTable) else None
        return None if edges is None else bool(other.contains(edges.columns()).all())

    def _changed_subjects(self, other: Table) -> Ids | None:
        if not isinstance(other, EquivalenceTable):
            return None
        return self.image(0, np.concatenate((*self._parted_from(other), *other._parted_from(self))))

    def joined(self, other: EquivalenceTable) -> Ids:
        """The members, sorted, of components that are not within one of another version."""
        return self.image(0, np.concatenate(self._parted_from(other)))

    def _parted_from(self, other: EquivalenceTable) -> Columns:
        """The edges whose ends another version does not connect."""
        edges = self.edges.difference(other.edges).columns()
        parted = ~other.contains(edges)
        return tuple(column[parted] for column in edges)

    def _numbers_of(self, nodes: Ids) -> Numbers:
        """The numbers of the components that some nodes have, sorted."""
        numbers = sorted_sets.unique(self._in.of_nodes(nodes))
        return numbers[numbers >= 0]

    def write(self, to: PartWriter) -> list[Part]:
        """The edges, the members of all components, one after the other, and where each component begins."""
        members, starts = self._in.whole()
        return [to.table(self.edges), to.numbers(members), to.numbers(starts)]

    @classmethod
    def read(cls, parts: list[Part], of: PartReader) -> EquivalenceTable:
        """A table of `write`; LoadError where they are damaged."""
        edges = expect_kind(of.table(parts[0], "its edges", 2), BinaryTable, "its edges")
        members = of.numbers(parts[1], np.uint32, "its members")
        starts = of.numbers(parts[2], np.int64, "where its components begin")
        of.check_ids(members, "its members")
        check_starts(starts, len(members), "its components")
        if len(members) and not bool((members[1:] > members[:-1])[within_components(starts, len(members))].all()):
            raise DamageError("a component out of order", part="its members")
        table = cls(edges, NodeComponents.of(members, starts))
        check_sorted(table.subjects(), "its members, in order")
        return table

    def _check(self) -> None:
        self.edges._check()
        expected = EquivalenceTable.of(self.edges)
        assert np.array_equal(expected._in.nodes, self._in.nodes), "the nodes are not those of the edges"
        groups = self._groups()
        assert {*map(frozenset, expected._groups())} == {*map(frozenset, groups)}, "the components differ"
        assert all(group == sorted(group) for group in groups), "a component is not in order"
        around = np.append(self._in.nodes, self._in.nodes[-1:] + 1)  # of which the last may have no component
        index, found = self.spread(around)
        of_each = [found[index == number].tolist() for number in range(len(around))]
        known = {node: group for group in groups for node in group}
        assert of_each == [known.get(node, [node]) for node in around.tolist()], "the members of a component are others"
        super()._check()

    def _groups(self) -> list[list[int]]:
        members, starts = self._in.whole()
        return [part.tolist() for part in np.split(members, starts[1:-1])]
