"""Facts over representatives, shown over members: a relation that holds of a thing under all its names.

Where ``owl:sameAs`` makes classes of things (`kgreason.relations.equality`), a property that holds of one member of a
class holds of all. Its *inner* pairs, with the representative of its class in the place of each thing, say all that
there is to say; a class of a thousand members with fifty facts has fifty of them.

Source: rewriting (Motik et al., "Handling owl:sameAs via Rewriting", AAAI 2015), as a table: readers see members.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from weakref import ReferenceType, ref

import numpy as np

from kgreason.columns import bitmaps, pairs, sorted_sets
from kgreason.columns.masks import any_of
from kgreason.relations import represented_changes, table_tuning
from kgreason.relations.binary import as_binary
from kgreason.relations.equality import EqualityTable
from kgreason.relations.inverse import InverseTable, inverse_view
from kgreason.relations.plain import empty_table, table_of
from kgreason.relations.stored import Part, PartReader, PartWriter, expect_kind
from kgreason.relations.table import NO_IDS, Columns, Ids, Index, Mask, Table
from kgreason.relations.union import simplest
from kgreason.relations.virtual_pairs import VirtualPairs

NOTHING_EQUAL: Final = EqualityTable.of(as_binary(empty_table(2)))
"""Classes of none: over these a table is as it is."""


class RepresentedTable(VirtualPairs):
    """The pairs of all members whose representatives are an inner pair.

    `normal` are the inputs that the inner pairs were made of, over representatives; those that are None are inner pairs
    of another relation (`kgreason.relations.representation`).
    """

    scheme = "represented"
    stored_as = "represented"

    def __init__(self, inner: Table, equality: EqualityTable, normal: Sequence[Table | None] = ()) -> None:
        self.inner = inner
        self.equality = equality
        self.normal = tuple(normal)
        self._inverse: RepresentedTable | None = None
        self._seen: ReferenceType[Table] = ref(self)
        """The table that others see: this one, but for `of_different`."""
        self._has_all_of: ReferenceType[Table] | None = None
        self._is_within: ReferenceType[Table] | None = None
        self._expected: int | None = None
        self._differing: tuple[ReferenceType[Table], Columns | None] | None = None
        self._fresh_inside: tuple[ReferenceType[Table], Table] | None = None

    @property
    def is_transitive(self) -> bool:
        return self.inner.is_transitive

    @property
    def is_symmetric(self) -> bool:
        return self.inner.is_symmetric

    @property
    def nbytes(self) -> int:
        own = [table for table in (self.inner, *self.normal) if table is not None]
        return sum({id(table): table.nbytes for table in own}.values())

    def inputs(self) -> Iterable[Table]:
        return () if self.inner.is_virtual else (self.inner,)

    @property
    def estimate(self) -> int:
        if self._length is not None:
            return self._length
        if self._expected is None:
            self._expected = self.inner.estimate if self.inner.is_virtual else self._expected_pairs()
        return self._expected

    def _expected_pairs(self) -> int:
        """About how many pairs there are, by some inner pairs at even distances."""
        columns = self.inner.columns()
        step = max(1, len(columns[0]) // table_tuning.SAMPLED_SIZES)
        some = self.equality.pair_sizes((columns[0][::step], columns[1][::step]))
        return int(some.mean() * len(columns[0])) if len(some) else 0

    def distinct_estimate(self, position: int) -> int:
        return self.inner.distinct_estimate(position)

    def __bool__(self) -> bool:
        return bool(self.inner)

    def count(self) -> int:
        """Each inner pair counts for the members of both classes: O(inner pairs that have a class)."""
        if not self.inner.is_virtual:
            return int(self.equality.pair_sizes(self.inner.columns()).sum())
        return sum(int(self.equality.pair_sizes(columns).sum()) for columns in self.inner.chunks())

    def subjects(self) -> Ids:
        return self._members(self.inner.distinct(0))

    def objects_of(self, subject: int) -> Ids:
        return self.equality.spread(self.inner.objects_of(self.equality.representative(subject)))[1]

    def few_of(self, position: int, identifier: int, most: int) -> list[int] | None:
        inner = self.inner.few_of(position, self.equality.representative(identifier), most)
        if not inner:
            return inner
        found: list[int] = []
        for end in inner:
            found += self.equality.classes.objects_of(end).tolist() or [end]
            if len(found) > most:
                return None
        return found

    def expand_subjects(self, subjects: Ids) -> tuple[Index, Ids]:
        index, columns = self.inner.lookup({0: self.equality.representatives(subjects)})
        rows, objects = self.equality.spread(columns[1])
        return index[rows], objects

    def has(self, fact: tuple[int, ...]) -> bool:
        return self.inner.has(tuple(map(self.equality.representative, fact)))

    def contains(self, columns: Columns) -> Mask:
        return self.inner.contains(self.equality.represented(columns))

    def has_key(self, position: int, identifiers: Ids) -> Mask:
        return self.inner.has_key(position, self.equality.representatives(identifiers))

    def fanout(self, position: int, identifiers: Ids) -> Index:
        wanted = self.equality.representatives(identifiers)
        distinct, at = np.unique(wanted, return_inverse=True)
        index, columns = self.inner.lookup({position: distinct})
        weights = self.equality.sizes(columns[1 - position])
        counts = np.bincount(index, weights=weights, minlength=len(distinct)).astype(np.int64)
        return counts[at]

    def largest_fanout(self, position: int) -> int:
        return self.inner.largest_fanout(position) * max(1, self.equality.classes.largest_fanout(0))

    def image(self, position: int, identifiers: Ids) -> Ids:
        return self._members(self.inner.image(position, self.equality.representatives(identifiers)))

    def loops(self) -> Ids:
        return self._members(bitmaps.distinct(self.inner.loops()))

    def chunks(self) -> Iterator[Columns]:
        for subjects, objects in self.inner.chunks():
            weights = self.equality.pair_sizes((subjects, objects))
            for begin, end in pairs.runs_within(weights, table_tuning.CHUNK):
                yield from self._shown_in_parts((subjects[begin:end], objects[begin:end]))

    def inverse(self) -> RepresentedTable:
        if self._inverse is None:
            self._inverse = RepresentedTable(self.inner.inverse(), self.equality)
        return self._inverse

    def generators(self) -> Iterator[Table]:
        """Those of the inner pairs, shown over members."""
        for table in self.inner.generators():
            yield self if table is self.inner else RepresentedTable(table, self.equality)

    def _members(self, representatives: Ids) -> Ids:
        """The members of the classes of sorted representatives, sorted. Where things with a class are fewer, these are
        looked for among the representatives."""
        circles = self.equality.circles()
        if len(circles) > len(representatives):
            return np.sort(self.equality.spread(representatives)[1])
        ends = sorted_sets.intersection(circles, representatives)
        return sorted_sets.union(representatives, np.sort(self.equality.spread(ends)[1]))

    def _shown_in_parts(self, inner: Columns) -> Iterator[Columns]:
        """The same, about `table_tuning.CHUNK` rows at a time where a single pair of classes has more."""
        rows, subjects = self.equality.spread(inner[0])
        ends = inner[1][rows]
        for begin, end in pairs.runs_within(self.equality.sizes(ends), table_tuning.CHUNK):
            again, objects = self.equality.spread(ends[begin:end])
            yield subjects[begin:end][again], objects

    def _shown(self, inner: Columns) -> Columns:
        """The pairs of members whose representatives are the given pairs."""
        rows, subjects = self.equality.spread(inner[0])
        again, objects = self.equality.spread(inner[1][rows])
        return subjects[again], objects

    # -- versions -----------------------------------------------------------------------------------------------

    @classmethod
    def of_different(cls, table: Table, normal: Sequence[Table | None] = ()) -> RepresentedTable:
        """Pairs of things of which none are equal: as they are."""
        found = cls(simplest(table), NOTHING_EQUAL, normal)
        found._seen = ref(table)
        return found

    def follow(self, before: RepresentedTable, gains: bool, loses: bool) -> None:
        """Note how this version, whose inputs have gained or lost pairs, compares with the version before: it has all
        of its pairs where the inputs lose none and no class is parted, and no others where they gain none and no
        classes are joined."""
        if not loses and not len(before.equality.joined(self.equality)):
            self._has_all_of = before._seen
        if not gains and not len(self.equality.joined(before.equality)):
            self._is_within = before._seen

    def with_classes(self, equality: EqualityTable) -> RepresentedTable | None:
        """The same inner pairs over another version of the classes, None if that has other pairs or may have them:
        where something that moved has an inner pair."""
        if has_any(self.inner, equality.moved(self.equality)):
            return None
        found = RepresentedTable(self.inner, equality, self.normal)
        found._has_all_of = found._is_within = self._seen
        found._few = self._few
        return found

    def compacted(self) -> RepresentedTable:
        inner = self.inner.compacted()
        if inner is self.inner:
            return self
        found = RepresentedTable(inner, self.equality, self.normal)
        found._length, found._few = self._length, self._few
        return found

    def has_all_of(self, other: RepresentedTable) -> bool:
        """Whether it is known to have all pairs of another version."""
        known = ((self._has_all_of, other), (other._is_within, self))
        return any(which is not None and which() is each._seen() for which, each in known)

    def difference(self, other: Table) -> Table:
        """Written out where what may differ is little, else a view."""
        beside = _as_represented(other)
        if beside.has_all_of(self):
            return empty_table(2)
        if self._is_like(beside):
            candidates = self.differing(beside)
            if candidates is not None:
                shown = self._shown(candidates)
                kept = ~other.contains(shown)
                return table_of(tuple(column[kept] for column in shown))
        return super().difference(other)

    def lacking(self, other: Table) -> Table:
        return _as_represented(other).difference(self)

    def _is_like(self, other: RepresentedTable) -> bool:
        """Whether to compare the inner pairs of both is less than to look at all of them."""
        mine, theirs = self.inner, other.inner
        return type(mine) is type(theirs) or not (mine.is_virtual or theirs.is_virtual)

    def differing(self, other: RepresentedTable) -> Columns | None:
        """The inner pairs of which another version may lack something, None where they are many; found once for each
        pair of versions (`represented_changes.differing`)."""
        known = self._differing
        if known is None or known[0]() is not other._seen():
            known = self._differing = other._seen, represented_changes.differing(self, other)
        return known[1]

    def fresh_inside(self, other: RepresentedTable) -> Table:
        """The inner pairs that are none of another version; found once for each pair of versions."""
        known = self._fresh_inside
        if known is None or known[0]() is not other._seen():
            known = self._fresh_inside = other._seen, self.inner.difference(other.inner)
        return known[1]

    def have_fresh_inside(self, other: RepresentedTable, fresh: Table) -> None:
        """Take over what `fresh_inside` would find."""
        self._fresh_inside = other._seen, fresh

    def _changed_subjects(self, other: Table) -> Ids | None:
        beside = _as_represented(other)
        if self.has_all_of(beside) and beside.has_all_of(self):
            return NO_IDS
        return represented_changes.changed_subjects(self, beside) if self._is_like(beside) else None

    def _keys_missing_from(self, other: Table, position: int) -> Ids:
        beside = _as_represented(other)
        if beside.has_all_of(self):
            return NO_IDS
        if not self._is_like(beside):
            return self.distinct(position)
        return self._members(represented_changes.missing_keys(self, beside, position))

    # -- files --------------------------------------------------------------------------------------------------

    def write(self, to: PartWriter) -> list[Part]:
        """The inner pairs, the classes, and the inputs over representatives."""
        return [to.table(self.inner), to.table(self.equality), [to.optional(table) for table in self.normal]]

    @classmethod
    def read(cls, parts: list[Part], of: PartReader) -> RepresentedTable:
        """A table of `write`; LoadError where it is damaged."""
        inner = of.table(parts[0], "its inner pairs", 2)
        equality = expect_kind(of.table(parts[1], "its classes", 2), EqualityTable, "its classes")
        entries = of.entries(parts[2], None, "its inputs")
        return cls(inner, equality, [of.optional(part, "an input", 2) for part in entries])

    def _check(self) -> None:
        self.inner._check()
        for column in self.inner.columns():
            assert np.array_equal(self.equality.representatives(column), column), "an inner id that represents nothing"
        super()._check()


def _as_represented(table: Table) -> RepresentedTable:
    """A table as one over representatives."""
    return table if isinstance(table, RepresentedTable) else RepresentedTable.of_different(table)


def inner_of(table: Table | None, equality: EqualityTable) -> Table | None:
    """The inner pairs of a table over the same classes, as they are or the other way round. Of any other table None,
    but where nothing is equal the table itself."""
    if isinstance(table, RepresentedTable):
        return table.inner if table.equality is equality else None
    if isinstance(table, InverseTable) and isinstance(table.base, RepresentedTable):
        return inverse_view(table.base.inner) if table.base.equality is equality else None
    return None if equality else table


def has_any(table: Table, things: Ids) -> bool:
    """Whether any of some things is in a fact."""
    positions = range(table.arity)
    if len(things) <= table_tuning.SOUGHT_MEMBERS:
        return any(table.has_id(position, thing) for thing in things.tolist() for position in positions)
    return any(any_of(table.has_key(position, things)) for position in positions)
