"""The equality scheme: a symmetric and transitive relation without the pairs of a thing with itself, as owl:sameAs.

It is kept as classes and their members, so that a class of n things takes n ids and not n * n pairs. A thing is paired
with itself only where an edge says so. Each class has a representative, its least member: `represented` keeps the facts
of other relations over representatives.
"""

from __future__ import annotations

from collections.abc import Iterable
from weakref import ReferenceType, ref

import numpy as np
from pyroaring import BitMap

from kgreason.columns import bitmaps, pairs, sorted_sets
from kgreason.columns.masks import all_of
from kgreason.errors import DamageError
from kgreason.relations import table_tuning
from kgreason.relations.binary import BinaryTable
from kgreason.relations.equivalence import EquivalenceTable
from kgreason.relations.stored import Part, PartReader, PartWriter, check_sorted, expect_kind
from kgreason.relations.symmetric_pairs import SymmetricPairs
from kgreason.relations.table import NO_IDS, Columns, Ids, Index, Mask, Table


class EqualityTable(SymmetricPairs):
    """The pairs of different members of a class, and the pairs of a thing with itself that are edges."""

    scheme = "equality"
    stored_as = "equality"

    def __init__(self, classes: EquivalenceTable, loops: Ids) -> None:
        """Take over classes, and the sorted members that are paired with themselves."""
        self.classes = classes
        self.edges = classes.edges
        self._loops = loops
        members = len(classes.subjects())
        self._length = len(classes) - members + len(loops)
        self._joined: tuple[ReferenceType[EqualityTable], Ids] | None = None
        self._joined_classes: tuple[Ids, Ids] | None = None
        self._moved: tuple[ReferenceType[EqualityTable], Ids] | None = None
        self._members: BitMap | None = None

    @classmethod
    def of(cls, edges: BinaryTable) -> EqualityTable:
        """The classes of edges, from scratch: two sorts."""
        return cls(EquivalenceTable.of(edges), edges.loops())

    def changed(self, added: BinaryTable, removed: BinaryTable) -> EqualityTable:
        """The version after edges come and go: only classes that have an end of one are made anew."""
        if not len(added) and not len(removed):
            return self
        loops = sorted_sets.union(sorted_sets.difference(self._loops, removed.loops()), added.loops())
        return EqualityTable(self.classes.changed(added, removed), loops)

    # -- classes and representatives ----------------------------------------------------------------------------

    @property
    def members(self) -> BitMap:
        """The things that have a class, as a set: O(members) when first asked."""
        if self._members is None:
            self._members = bitmaps.from_ids(self.classes.subjects())
        return self._members

    def representatives(self, identifiers: Ids) -> Ids:
        """For each id, in any order, that of the representative of its class, or itself where it has none."""
        return self.classes.least(identifiers)

    def representative(self, identifier: int) -> int:
        """The same for one id: O(log members)."""
        found = self.classes.objects_of(identifier)
        return int(found[0]) if len(found) else identifier

    def circles(self) -> Ids:
        """What has a class: O(members)."""
        return self.classes.subjects()

    def represented(self, columns: Columns) -> Columns:
        """Two columns of one length with representatives in the place of ids: one look-up."""
        found = self.representatives(np.concatenate(columns))
        length = len(columns[0])
        return found[:length], found[length:]

    def pair_sizes(self, columns: Columns) -> Index:
        """For each pair of ids how many pairs the members of their classes make: one look-up."""
        found = self.sizes(np.concatenate(columns))
        length = len(columns[0])
        return np.asarray(found[:length] * found[length:])

    def sizes(self, identifiers: Ids) -> Index:
        """For each id how many members its class has, 1 where it has none."""
        return np.maximum(self.classes.fanout(0, identifiers), 1)

    def spread(self, identifiers: Ids) -> tuple[Index, Ids]:
        """The members of the class of each id, or itself where it has none, with the number of the id, in order."""
        return self.classes.spread(identifiers)

    def moved(self, other: EqualityTable | None) -> Ids:
        """The things, sorted, whose class has other members in another version; found once for each pair of versions:
        O(edges that differ, members of their classes)."""
        if other is None:
            return self.classes.subjects()
        if self is other:
            return NO_IDS
        if self._moved is None or self._moved[0]() is not other:
            self._moved = ref(other), sorted_sets.union(self.joined(other), other.joined(self))
        return self._moved[1]

    def joined(self, other: EqualityTable) -> Ids:
        """The things, sorted, whose class has members that are not equal to them in another version: as `moved`."""
        if self is other:
            return NO_IDS
        if self._joined is None or self._joined[0]() is not other:
            self._joined = ref(other), self.classes.joined(other.classes)
        return self._joined[1]

    def joined_classes(self, other: EqualityTable) -> Ids:
        """The representatives, sorted, of the classes of what `joined` gives."""
        members = self.joined(other)
        if self._joined_classes is None or self._joined_classes[0] is not members:
            self._joined_classes = members, sorted_sets.unique(self.representatives(members))
        return self._joined_classes[1]

    def around(self, identifiers: Ids) -> EqualityTable:
        classes = self.classes.around(identifiers)
        loops = sorted_sets.intersection(self._loops, classes.subjects())
        return EqualityTable.of(classes.edges.union(BinaryTable.of((loops, loops))))

    def spanning(self) -> Iterable[Table]:
        """Each member with the next one of its class, both ways, and things by themselves that are paired with
        themselves."""
        before, after = self.classes.neighbours()
        alone = self._loops[self.sizes(self._loops) == 1]
        ends = (np.concatenate((before, after, alone)), np.concatenate((after, before, alone)))
        return (BinaryTable.of(ends),)

    # -- the table ----------------------------------------------------------------------------------------------

    @property
    def nbytes(self) -> int:
        return self.classes.nbytes + self._loops.nbytes

    def inputs(self) -> Iterable[Table]:
        return (self.edges,)

    def __bool__(self) -> bool:
        return bool(self.classes)

    def subjects(self) -> Ids:
        return self.classes.subjects()

    def objects_of(self, subject: int) -> Ids:
        found = self.classes.objects_of(subject)
        return found if self.has_loop(subject) else found[found != subject]

    def few_of(self, position: int, identifier: int, most: int) -> list[int] | None:
        found = self.classes.objects_of(identifier)
        if len(found) > most + 1:
            return None
        others = found.tolist()
        if others and not self.has_loop(identifier):
            others.remove(identifier)
        return others if len(others) <= most else None

    def has_loop(self, identifier: int) -> bool:
        """Whether a thing is paired with itself."""
        at = int(self._loops.searchsorted(identifier))
        return at < len(self._loops) and int(self._loops[at]) == identifier

    def expand_subjects(self, subjects: Ids) -> tuple[Index, Ids]:
        index, objects = self.classes.expand_subjects(subjects)
        kept = self._are_shown(subjects[index], objects)
        return index[kept], objects[kept]

    def image(self, position: int, identifiers: Ids) -> Ids:
        alone = sorted_sets.difference(self.classes.alone(identifiers), self._loops)
        return sorted_sets.difference(self.classes.image(position, identifiers), alone)

    def proper_image(self, position: int, identifiers: Ids) -> Ids:
        return self.classes.proper_image(position, identifiers)

    def fanout(self, position: int, identifiers: Ids) -> Index:
        counts = self.classes.fanout(position, identifiers)
        return counts - (counts > 0) + sorted_sets.contains(self._loops, identifiers)

    def largest_fanout(self, position: int) -> int:
        return self.classes.largest_fanout(position)

    def contains(self, columns: Columns) -> Mask:
        return self.classes.contains(columns) & self._are_shown(*columns)

    def has(self, fact: tuple[int, ...]) -> bool:
        return self.has_loop(fact[0]) if fact[0] == fact[1] else self.classes.has(fact)

    def _are_shown(self, subjects: Ids, objects: Ids) -> Mask:
        same = np.flatnonzero(subjects == objects)
        kept = np.ones(len(subjects), dtype=np.bool_)
        kept[same] = sorted_sets.contains(self._loops, subjects[same])
        return kept

    def loops(self) -> Ids:
        return self._loops

    def is_subset_of(self, other: Table) -> bool | None:
        if not isinstance(other, EqualityTable):
            return None
        if len(sorted_sets.difference(self._loops, other._loops)):
            return False
        return self.classes.is_subset_of(other.classes)

    def difference(self, other: Table) -> Table:
        """Written out where it is little, else a view."""
        if not isinstance(other, EqualityTable):
            return super().difference(other)
        found = self._newly_equal(other)
        if found is None:
            return super().difference(other)
        loops = sorted_sets.difference(self._loops, other._loops)
        return BinaryTable.of(tuple(np.concatenate((column, loops)) for column in found))

    def _newly_equal(self, other: EqualityTable) -> Columns | None:
        """The pairs of different things that are not equal in another version, each once; None where they are many.

        A class consists of parts of those of the other version. All of the pairs have an end outside the largest part,
        so what joins a large class costs the class and these pairs: O(members, pairs).
        """
        members = self.joined(other)
        if not len(members):
            return NO_IDS, NO_IDS
        wholes = self.representatives(members)
        keys = pairs.pack(wholes, other.representatives(members))
        parts, sizes = sorted_sets.counted(keys)
        if int((sorted_sets.counted(wholes)[1] ** 2).sum()) - int((sizes**2).sum()) > table_tuning.KEPT:
            return None
        order = np.lexsort((sizes, pairs.subjects(parts)))
        ordered = pairs.subjects(parts[order])
        largest = np.zeros(len(parts), dtype=np.bool_)
        largest[order[np.append(ordered[1:] != ordered[:-1], True)]] = True
        is_inside = largest[parts.searchsorted(keys)]
        outside = members[~is_inside]
        index, ends = self.expand_subjects(outside)
        begins = outside[index]
        apart = (begins != ends) & ~other.classes.contains((begins, ends))
        begins, ends = begins[apart], ends[apart]
        back = is_inside[members.searchsorted(ends)]
        return np.concatenate((begins, ends[back])), np.concatenate((ends, begins[back]))

    def _changed_subjects(self, other: Table) -> Ids | None:
        if not isinstance(other, EqualityTable):
            return None
        loops = sorted_sets.union(
            sorted_sets.difference(self._loops, other._loops), sorted_sets.difference(other._loops, self._loops)
        )
        classes = self.classes.changed_subjects(other.classes)
        return None if classes is None else sorted_sets.intersection(sorted_sets.union(classes, loops), self.subjects())

    def _keys_missing_from(self, other: Table, position: int) -> Ids:
        return sorted_sets.difference(self.subjects(), other.distinct(position))

    def write(self, to: PartWriter) -> list[Part]:
        """The classes, and the members that are paired with themselves."""
        return [to.table(self.classes), to.numbers(self._loops)]

    @classmethod
    def read(cls, parts: list[Part], of: PartReader) -> EqualityTable:
        """A table of `write`; LoadError where they are damaged."""
        classes = expect_kind(of.table(parts[0], "its classes", 2), EquivalenceTable, "its classes")
        loops = of.numbers(parts[1], np.uint32, "its pairs of equals")
        check_sorted(loops, "its pairs of equals")
        if not all_of(sorted_sets.contains(classes.subjects(), loops)):
            raise DamageError("paired with itself without a class", part="its pairs of equals")
        return cls(classes, loops)

    def _check(self) -> None:
        self.classes._check()
        assert np.array_equal(self._loops, self.edges.loops()), "the loops are not those of the edges"
        super()._check()
