"""The equivalence scheme: a symmetric and transitive relation as components and their members.

Every node of an edge is equivalent to itself and to all nodes of its component, as the symmetric and the
transitive rule together derive. Source: the symmetric-transitive module of paper 000 (Algorithms 7 to 9), whose
deletion is exact here for each component that it touches.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kgreason.columns import bitmaps, pairs, sorted_sets
from kgreason.columns.components import undirected_components
from kgreason.errors import DamageError
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
from kgreason.relations.stored import Part, PartReader, PartWriter, check_sorted, check_starts, expect_kind
from kgreason.relations.symmetric_pairs import SymmetricPairs
from kgreason.relations.table import Columns, Ids, Index, Mask, Table

_NO_IDS: Ids = np.empty(0, dtype=np.uint32)
_SPARSE = 16
_SHORT = 1 << 18
"""The components of many nodes are read off an array by id where there are fewer than _SPARSE ids for each node, or
_SHORT in all, and at least one of _SPARSE nodes is asked for: 5 nanoseconds each, a search 80."""

_DETOURS: Final = 1 << 6
"""When no more edges than this go from components, each is looked at: where two others lead from one end to the other,
the component stays. A link of a clique of 2,000 takes 190 ms without."""


class EquivalenceTable(SymmetricPairs):
    """The pairs within components. `members` holds the nodes of component 0, then those of component 1, ..., each
    component in order; component n begins at ``starts[n]``."""

    scheme = "equivalence"
    stored_as = "equivalence"
    is_transitive = True

    def __init__(self, edges: BinaryTable, members: Ids, starts: Numbers) -> None:
        """Take over edges and the components that they make; `starts` ends with the number of nodes."""
        self.edges = edges
        self._members = members
        self._starts = starts
        self._order = np.argsort(members, kind="stable").astype(np.uint32)
        self._nodes = members[self._order]
        self._length = int((np.diff(starts) ** 2).sum())
        # The number of the component of each node, by the order of nodes, and by their ids.
        self._by_node: Numbers | None = None
        self._numbers: NDArray[np.int32] | None = None
        self._sizes: Numbers | None = None

    @classmethod
    def of(cls, edges: BinaryTable) -> EquivalenceTable:
        """The components of edges, from scratch: two sorts."""
        return cls(edges, *components_of(edges))

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
        table = cls(edges, members, np.append(borders, len(members)))
        found = undirected_components(len(ends), *(ends.searchsorted(column) for column in edges.columns()))
        count = len(sorted_sets.unique(found))
        if len(borders) != count or not table.contains(edges.columns()).all():
            raise LabelsError("the components are not those of the edges")
        return table

    def changed(self, added: BinaryTable, removed: BinaryTable) -> EquivalenceTable:
        """The version after edges come and go: only the components that have an end of one that matters are made anew,
        and the others copied: O(touched edges log edges + nodes)."""
        if not len(added) and not len(removed):
            return self
        edges = self.edges.difference(removed).union(added)
        ends = self._ends_that_matter(edges, added, removed)
        if not len(ends):
            return EquivalenceTable(edges, self._members, self._starts)
        sizes = np.diff(self._starts)
        touched = np.zeros(len(sizes), dtype=np.bool_)
        known = self._components(ends)
        touched[known[known >= 0]] = True
        inside = np.repeat(touched, sizes)
        nodes = bitmaps.distinct(np.concatenate((self._members[inside], ends)))
        _, out = edges.lookup({0: nodes})
        _, back = edges.lookup({1: nodes})
        fresh, starts = components_of(BinaryTable.of(tuple(map(np.concatenate, zip(out, back, strict=True)))))
        kept = sizes[~touched]
        begin = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(kept)))
        members = np.concatenate((self._members[~inside], fresh))
        return EquivalenceTable(edges, members, np.concatenate((begin[:-1], begin[-1] + starts)))

    def _ends_that_matter(self, edges: BinaryTable, added: BinaryTable, removed: BinaryTable) -> Ids:
        """The ends of the changed edges, but of those that come within a component, and of those that go where two
        other edges lead from one end to the other."""
        come, gone = added.columns(), removed.columns()
        fresh = ~self.contains(come)
        lost = np.ones(len(gone[0]), dtype=np.bool_)
        if len(lost) <= _DETOURS:
            lost[:] = [not has_detour(edges, a, b) for a, b in zip(*(column.tolist() for column in gone), strict=True)]
        found = [*(column[fresh] for column in come), *(column[lost] for column in gone)]
        return bitmaps.distinct(np.concatenate(found))

    @property
    def nbytes(self) -> int:
        arrays = (self._members, self._starts, self._order, self._nodes)
        made = [array.nbytes for array in (self._by_node, self._numbers, self._sizes) if array is not None]
        return sum(array.nbytes for array in arrays) + sum(made)

    def inputs(self) -> Iterable[Table]:
        return (self.edges,)

    def __bool__(self) -> bool:
        return len(self._members) > 0

    def subjects(self) -> Ids:
        return self._nodes

    def objects_of(self, subject: int) -> Ids:
        number = int(self._components(np.array([subject], dtype=np.uint32))[0])
        return self._members[self._starts[number] : self._starts[number + 1]] if number >= 0 else _NO_IDS

    def expand_subjects(self, subjects: Ids) -> tuple[Index, Ids]:
        numbers = self._components(subjects)
        known = np.flatnonzero(numbers >= 0)
        index, positions = pairs.spread(self._starts[numbers[known]], self._starts[numbers[known] + 1])
        return known[index], self._members[positions]

    def spread(self, identifiers: Ids) -> tuple[Index, Ids]:
        """The members of the component of each id, or the id itself where it has none, with the number of the id, in
        order: O(ids log nodes + output)."""
        numbers = self._components(identifiers)
        counts = self._sizes_of(numbers)
        alone = counts == 0
        if alone.all():
            return np.arange(len(identifiers)), identifiers
        begins = self._starts[numbers]
        index, positions = pairs.spread(begins, begins + np.maximum(counts, 1))
        found = self._members.take(positions, mode="clip")
        by_itself = alone[index]
        found[by_itself] = identifiers[index[by_itself]]
        return index, found

    def image(self, position: int, identifiers: Ids) -> Ids:
        """The members of the components that some ids have, sorted: O(ids and members)."""
        touched = sorted_sets.unique(self._components(identifiers))
        touched = touched[touched >= 0]
        positions = pairs.positions_of(self._starts[touched], self._starts[touched + 1])
        return np.sort(self._members[positions])

    def proper_image(self, position: int, identifiers: Ids) -> Ids:
        return sorted_sets.difference(self.image(position, identifiers), self.alone(identifiers))

    def alone(self, identifiers: Ids) -> Ids:
        """Those of some ids that have a component without any other of them, sorted."""
        distinct = sorted_sets.unique(identifiers)
        numbers = self._components(distinct)
        _, places, counts = np.unique(numbers, return_inverse=True, return_counts=True)
        found: Ids = distinct[(counts[places] == 1) & (numbers >= 0)]
        return found

    def fanout(self, position: int, identifiers: Ids) -> Index:
        return self._sizes_of(self._components(identifiers))

    def _sizes_of(self, numbers: Numbers) -> Index:
        if self._sizes is None:
            # An id without a component has the number -1, which finds the size 0 at the end.
            self._sizes = np.append(np.diff(self._starts), 0)
        return np.asarray(self._sizes[numbers])

    def largest_fanout(self, position: int) -> int:
        return int(np.diff(self._starts).max(initial=0))

    def contains(self, columns: Columns) -> Mask:
        numbers = self._components(columns[0])
        return np.asarray((numbers >= 0) & (numbers == self._components(columns[1])))

    def least(self, identifiers: Ids) -> Ids:
        """For each id, in any order, the least member of its component, or itself where it has none."""
        numbers = self._components(identifiers)
        known = numbers >= 0
        if not known.any():
            return identifiers
        found = identifiers.copy()
        found[known] = self._members[self._starts[numbers[known]]]
        return found

    def neighbours(self) -> Columns:
        """Each member with the next one of its component: O(members)."""
        inside = np.flatnonzero(within_components(self._starts, len(self._members)))
        return self._members[inside], self._members[inside + 1]

    def around(self, identifiers: Ids) -> EquivalenceTable:
        numbers = self._components(identifiers)
        touched = sorted_sets.unique(numbers[numbers >= 0])
        index, positions = pairs.spread(self._starts[touched], self._starts[touched + 1])
        members = self._members[positions]
        alone = members[(np.diff(self._starts)[touched] == 1)[index]]
        return EquivalenceTable.of(paths(index, members).union(BinaryTable.of((alone, alone))))

    def components(self) -> tuple[Ids, Numbers]:
        """The nodes, and for each the number of its component: O(nodes)."""
        return self._members, numbers_of(self._starts)

    def loops(self) -> Ids:
        return self._nodes

    def reachability_labels(self) -> ReachabilityLabels:
        return ComponentLabels(self.edges, self._members, self._starts)

    def is_subset_of(self, other: Table) -> bool | None:
        edges = self.edges.difference(other.edges) if isinstance(other, EquivalenceTable) else None
        return None if edges is None else bool(other.contains(edges.columns()).all())

    def _changed_subjects(self, other: Table) -> Ids | None:
        if not isinstance(other, EquivalenceTable):
            return None
        return self._members_beside(np.concatenate((*self._parted_from(other), *other._parted_from(self))))

    def joined(self, other: EquivalenceTable) -> Ids:
        """The members, sorted, of components that are not within one of another version."""
        return self._members_beside(np.concatenate(self._parted_from(other)))

    def _members_beside(self, nodes: Ids) -> Ids:
        """The members, sorted, of the components that some nodes have."""
        numbers = self._components(nodes)
        touched = sorted_sets.unique(numbers[numbers >= 0])
        _, positions = pairs.spread(self._starts[touched], self._starts[touched + 1])
        return np.sort(self._members[positions])

    def _parted_from(self, other: EquivalenceTable) -> Columns:
        """The edges whose ends another version does not connect."""
        edges = self.edges.difference(other.edges).columns()
        parted = ~other.contains(edges)
        return tuple(column[parted] for column in edges)

    def _components(self, nodes: Ids) -> Numbers:
        """The number of the component of each node, -1 for none."""
        if not len(self._nodes):
            return np.full(len(nodes), -1, dtype=np.int64)
        limit = max(len(self._nodes) * _SPARSE, _SHORT)
        if self._numbers is not None or (len(nodes) * _SPARSE >= len(self._nodes) and int(self._nodes[-1]) < limit):
            if self._numbers is None:
                self._numbers = np.full(int(self._nodes[-1]) + 2, -1, dtype=np.int32)
                self._numbers[self._members] = self.components()[1]
            return self._numbers[np.minimum(nodes, len(self._numbers) - 1)].astype(np.int64)
        if self._by_node is None:
            self._by_node = self._starts.searchsorted(self._order, side="right") - 1
        at = self._nodes.searchsorted(nodes)
        at[at == len(self._nodes)] = 0
        numbers = self._by_node[at]
        numbers[self._nodes[at] != nodes] = -1
        return numbers

    def write(self, to: PartWriter) -> list[Part]:
        """The edges, the members of all components, one after the other, and where each component begins."""
        return [to.table(self.edges), to.numbers(self._members), to.numbers(self._starts)]

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
        table = cls(edges, members, starts)
        check_sorted(table.subjects(), "its members, in order")
        return table

    def _check(self) -> None:
        self.edges._check()
        expected = EquivalenceTable.of(self.edges)
        assert np.array_equal(expected._nodes, self._nodes), "the nodes are not those of the edges"
        groups = self._groups()
        assert {*map(frozenset, expected._groups())} == {*map(frozenset, groups)}, "the components differ"
        assert all(group == sorted(group) for group in groups), "a component is not in order"
        around = np.append(self._nodes, self._nodes[-1:] + 1)  # of which the last may have no component
        index, found = self.spread(around)
        of_each = [found[index == number].tolist() for number in range(len(around))]
        known = {node: group for group in groups for node in group}
        assert of_each == [known.get(node, [node]) for node in around.tolist()], "the members of a component are others"
        super()._check()

    def _groups(self) -> list[list[int]]:
        return [part.tolist() for part in np.split(self._members, self._starts[1:-1])]
