"""Pairs of a virtual table without those of a thing with itself, and those that lead to some things.

So do rules say it whose filters keep trivial facts away, as the OWL rule sets do of classes: ``sub(x, z) :- sub(x, y),
sub(y, z), x != z, z != owl:Thing``. A pair that an edge gives is there all the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from kgreason.columns import sorted_sets
from kgreason.columns.id_columns import repeated
from kgreason.relations.binary import BinaryTable
from kgreason.relations.catalogue import Restriction
from kgreason.relations.table import NO_IDS, Columns, Ids, Index, Mask, Table
from kgreason.relations.virtual_pairs import VirtualPairs


class RestrictedPairs(VirtualPairs):
    """The pairs of a virtual table that a restriction lets through, and some more that it would not.

    `kept` are the latter. With `is_inverse` the restriction is about the pairs the other way round.
    """

    scheme = "transitive"

    def __init__(self, whole: Table, kept: BinaryTable, restriction: Restriction, is_inverse: bool = False) -> None:
        self.whole = whole
        self.kept = kept
        self.restriction = restriction
        self.is_inverse = is_inverse
        self._excluded = np.array(sorted(restriction.excluded), dtype=np.uint32)
        self._has_facts: bool | None = None
        self._subjects: Ids | None = None
        self._inverse: RestrictedPairs | None = None

    def _is_restricted(self, subjects: Ids, objects: Ids) -> Mask:
        """For each pair whether only `kept` may have it."""
        ends = subjects if self.is_inverse else objects
        found = np.zeros(len(ends), dtype=np.bool_)
        for identifier in self._excluded:
            found |= ends == identifier
        return found | (subjects == objects) if self.restriction.irreflexive else found

    def _superset(self) -> Table | None:
        """A table that has all pairs, those that are kept among them; None where there is none."""
        return None

    @property
    def nbytes(self) -> int:
        return self.kept.nbytes + (0 if self._subjects is None else self._subjects.nbytes)

    @property
    def estimate(self) -> int:
        return self.whole.estimate + len(self.kept)

    def distinct_estimate(self, position: int) -> int:
        return self.whole.distinct_estimate(position)

    def expected_fanout(self, position: int, identifiers: Ids) -> float:
        return self.whole.expected_fanout(position, identifiers)

    @property
    def is_dear(self) -> bool:
        return self.whole.is_dear

    def is_indexed(self, position: int) -> bool:
        return self.whole.is_indexed(position)

    def __bool__(self) -> bool:
        if self._has_facts is None:
            has_some = bool(self.kept) or not self._is_restricted(*self.whole.some()).all()
            self._has_facts = bool(has_some) or any(True for _ in self.chunks())
        return self._has_facts

    def count(self) -> int:
        """The pairs of the whole but for those that the restriction is about: what these cost."""
        hidden = sum(map(self._count_with, self._excluded.tolist()))
        if self.restriction.irreflexive:
            loops = self.whole.loops()
            hidden += int((~np.isin(loops, self._excluded)).sum())
        return len(self.whole) - hidden + len(self.kept)

    def _count_with(self, identifier: int) -> int:
        """How many pairs of the whole are with an id that is excluded: O(subjects)."""
        if self.is_inverse:
            return self.whole.fanout_of(0, identifier)
        subjects = self.whole.distinct(0)
        return int(self.whole.contains((subjects, repeated(identifier, len(subjects)))).sum())

    def chunks(self) -> Iterator[Columns]:
        for columns in self.whole.chunks():
            kept = ~self._is_restricted(*columns)
            if kept.any():
                yield tuple(column[kept] for column in columns)
        if self.kept:
            yield self.kept.columns()

    def subjects(self) -> Ids:
        if self._subjects is None:
            objects = sorted_sets.union(self.whole.distinct(1), self.kept.distinct(1))
            self._subjects = self.image(1, objects)
        return self._subjects

    def objects_of(self, subject: int) -> Ids:
        objects = self.whole.objects_of(subject)
        free = objects[~self._is_restricted(repeated(subject, len(objects)), objects)]
        return np.concatenate((free, self.kept.objects_of(subject))) if self.kept else free

    def image_of(self, position: int, identifier: int) -> Ids:
        return self.objects_of(identifier) if position == 0 else self.image(1, np.array([identifier], dtype=np.uint32))

    def few_of(self, position: int, identifier: int, most: int) -> list[int] | None:
        if position == int(not self.is_inverse):
            if identifier in self.restriction.excluded:
                return self.kept.few_of(position, identifier, most)
            hidden: Sequence[int] = ()
        else:
            hidden = self.restriction.excluded
        if self.restriction.irreflexive:
            hidden = (*hidden, identifier)
        found = self.whole.few_of(position, identifier, most + len(hidden))
        kept = self.kept.few_of(position, identifier, most)
        if found is None or kept is None:
            return None
        found = [each for each in found if each not in hidden] + kept
        return found if len(found) <= most else None

    def expand_subjects(self, subjects: Ids) -> tuple[Index, Ids]:
        index, (_, objects) = self.whole.lookup({0: subjects})
        free = ~self._is_restricted(subjects[index], objects)
        if not self.kept:
            return index[free], objects[free]
        more, columns = self.kept.lookup({0: subjects})
        return np.concatenate((index[free], more)), np.concatenate((objects[free], columns[1]))

    def may_have_key(self, position: int, identifiers: Ids) -> Mask:
        return self.whole.may_have_key(position, identifiers) | self.kept.has_key(position, identifiers)

    def lookup(self, bound: dict[int, Ids]) -> tuple[Index, Columns]:
        if 1 in bound and len(bound[1]) == 1 and self._inverse is None:
            return self._looked_up(bound)
        return super().lookup(bound)

    def _looked_up(self, bound: dict[int, Ids]) -> tuple[Index, Columns]:
        """The same, from what the whole table finds."""
        index, columns = self.whole.lookup(bound)
        free = ~self._is_restricted(*columns)
        more, kept = self.kept.lookup(bound)
        return np.concatenate((index[free], more)), tuple(
            np.concatenate((column[free], other)) for column, other in zip(columns, kept, strict=True)
        )

    def fanout(self, position: int, identifiers: Ids) -> Index:
        """O(k) more than of the whole table."""
        if position == 1 and len(identifiers) == 1:
            return np.array([len(self.image_of(1, identifiers.item()))])
        if position == 1:
            return self.inverse().fanout(0, identifiers)
        counts = self.whole.fanout(0, identifiers)
        ends = self._excluded
        is_excluded = np.isin(identifiers, ends)
        if self.is_inverse:
            counts[is_excluded] = 0
        else:
            for end in ends:
                counts -= self.whole.contains((identifiers, repeated(end, len(identifiers))))
        if self.restriction.irreflexive:
            counts -= self.whole.contains((identifiers, identifiers)) & ~is_excluded
        return counts + self.kept.fanout(0, identifiers)

    def contains(self, columns: Columns) -> Mask:
        if len(columns[0]) == 1:
            return np.array([self.has((int(columns[0][0]), int(columns[1][0])))])
        found = self.whole.contains(columns)
        restricted = np.flatnonzero(self._is_restricted(*columns))
        found[restricted] = self.kept.contains(tuple(column[restricted] for column in columns))
        return found

    def has(self, fact: tuple[int, ...]) -> bool:
        subject, object = fact
        end = subject if self.is_inverse else object
        is_restricted = end in self.restriction.excluded or (self.restriction.irreflexive and subject == object)
        return self.kept.has(fact) if is_restricted else self.whole.has(fact)

    def image(self, position: int, identifiers: Ids) -> Ids:
        read = self.whole.proper_image if self.restriction.irreflexive else self.whole.image
        if position == int(not self.is_inverse):
            found = read(position, identifiers[~np.isin(identifiers, self._excluded)])
        else:
            found = sorted_sets.difference(read(position, identifiers), self._excluded)
        return sorted_sets.union(found, self.kept.image(position, identifiers))

    def between(self, subjects: Ids, objects: Ids) -> Columns:
        free = self.whole.between(subjects, objects)
        is_free = ~self._is_restricted(*free)
        kept = self.kept.between(subjects, objects)
        return np.concatenate((free[0][is_free], kept[0])), np.concatenate((free[1][is_free], kept[1]))

    def reciprocal(self, other: Table) -> Columns:
        all_of_other = other._superset() if isinstance(other, RestrictedPairs) else None
        if all_of_other is None:
            return super().reciprocal(other)
        free = self.whole.reciprocal(all_of_other)
        is_free = ~self._is_restricted(*free)
        pairs = [np.concatenate((free[at][is_free], self.kept.columns()[at])) for at in (0, 1)]
        found = other.contains(tuple(pairs[::-1]))
        return pairs[0][found], pairs[1][found]

    def representatives(self, identifiers: Ids) -> Ids:
        """Those of the whole table, but for what no path leads to."""
        return np.where(np.isin(identifiers, self._excluded), identifiers, self.whole.representatives(identifiers))

    def circles(self) -> Ids:
        return sorted_sets.difference(self.whole.circles(), self._excluded)

    def loops(self) -> Ids:
        if self.restriction.irreflexive:
            return self.kept.loops()
        loops = self.whole.loops()
        return np.concatenate((loops[~self._is_restricted(loops, loops)], self.kept.loops()))

    def new_keys(self, position: int) -> Ids:
        return self.whole.new_keys(position)

    def inverse(self) -> RestrictedPairs:
        if self._inverse is None:
            self._inverse = self._inverted()
            self._inverse._inverse = self
        return self._inverse

    def _inverted(self) -> RestrictedPairs:
        return RestrictedPairs(self.whole.inverse(), self.kept.inverse(), self.restriction, not self.is_inverse)


def restricted_pairs(table: Table, restriction: Restriction, is_inverse: bool = False) -> BinaryTable:
    """The pairs of a table that a restriction is about: O(nodes)."""
    loops = table.loops() if restriction.irreflexive else NO_IDS
    position = int(not is_inverse)
    others = [table.image(position, np.array([end], dtype=np.uint32)) for end in restriction.excluded]
    ends = np.repeat(np.array(restriction.excluded, dtype=np.uint32), [len(column) for column in others])
    columns = np.concatenate([loops, *others]), np.concatenate([loops, ends])
    return BinaryTable.of(columns[::-1] if is_inverse else columns)
