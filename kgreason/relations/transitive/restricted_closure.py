"""A transitive closure without the pairs that a restriction is about (`restricted_pairs`), unless an edge gives them.

The closure itself is not restricted: what a path leads to is reached by the rule as well, since its last part, from any
thing on the way, ends where the path ends.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kgreason.columns import sorted_sets
from kgreason.errors import DamageError
from kgreason.relations.binary import BinaryTable, as_binary
from kgreason.relations.catalogue import Restriction
from kgreason.relations.stored import Part, PartReader, PartWriter, check_sorted, expect_kind
from kgreason.relations.table import Columns, Ids, Index, Mask, Table
from kgreason.relations.transitive.closure_table import TransitiveTable
from kgreason.relations.transitive.restricted_pairs import RestrictedPairs, restricted_pairs


class RestrictedClosure(RestrictedPairs):
    """The closure of edges that a restriction leaves, with the edges themselves."""

    stored_as = "restricted"

    def __init__(
        self,
        whole: TransitiveTable,
        restriction: Restriction,
        is_inverse: bool = False,
        kept: BinaryTable | None = None,
    ) -> None:
        """Take over a closure: O(edges), unless the edges that the restriction is about are known."""
        super().__init__(whole, whole.edges, restriction, is_inverse)
        self.closure = whole
        self.kept = self._restricted(whole.edges) if kept is None else kept

    @classmethod
    def of(cls, edges: BinaryTable, restriction: Restriction) -> RestrictedClosure:
        """The closure of edges, from scratch."""
        return cls(TransitiveTable.of(edges), restriction)

    def changed(self, added: BinaryTable, removed: BinaryTable) -> RestrictedClosure:
        """The version after edges come that were not there, and edges go that were."""
        if not len(added) and not len(removed):
            return self
        kept = self.kept.difference(self._restricted(removed)).union(self._restricted(added))
        return RestrictedClosure(self.closure.changed(added, removed), self.restriction, self.is_inverse, kept)

    def _superset(self) -> Table:
        return self.closure

    def _restricted(self, edges: BinaryTable) -> BinaryTable:
        """The edges that the restriction is about."""
        return edges.filter(self._is_restricted(*edges.columns()))

    @property
    def edges(self) -> BinaryTable:
        """The edges whose closure it is."""
        return self.closure.edges

    @property
    def nbytes(self) -> int:
        return super().nbytes + self.closure.nbytes

    def inputs(self) -> Iterable[Table]:
        return (self.edges,)

    def generators(self) -> tuple[Table]:
        return (self.edges,)

    def __bool__(self) -> bool:
        return bool(self.closure)

    def count(self) -> int:
        """O(edges): the pairs of the closure but for those that the restriction is about."""
        return len(self.inverse()) if self.is_inverse else super().count()

    def compacted(self) -> RestrictedClosure:
        closure = self.closure.compacted()
        if closure is self.closure:
            return self
        return RestrictedClosure(closure, self.restriction, self.is_inverse, self.kept)

    def subjects(self) -> Ids:
        return self.closure.subjects()

    def distinct(self, position: int) -> Ids:
        return self.closure.distinct(position)

    @property
    def estimate(self) -> int:
        return self.closure.estimate

    def has_key(self, position: int, identifiers: Ids) -> Mask:
        return self.closure.has_key(position, identifiers)

    def inverse(self) -> RestrictedClosure:
        found = super().inverse()
        assert isinstance(found, RestrictedClosure)
        return found

    def _inverted(self) -> RestrictedClosure:
        return RestrictedClosure(self.closure.inverse(), self.restriction, not self.is_inverse, self.kept.inverse())

    def image_of(self, position: int, identifier: int) -> Ids:
        if position == 0:
            return self.objects_of(identifier)
        return self.lookup({1: np.array([identifier], dtype=np.uint32)})[1][0]

    def lookup(self, bound: dict[int, Ids]) -> tuple[Index, Columns]:
        if 1 not in bound or self._inverse is not None or self.closure.searched_subjects(bound[1]) is None:
            return super().lookup(bound)
        return self._looked_up(bound)

    def fanout(self, position: int, identifiers: Ids) -> Index:
        if position == 0 or self._inverse is not None or self.closure.searched_subjects(identifiers) is None:
            return super().fanout(position, identifiers)
        return np.bincount(self.lookup({1: identifiers})[0], minlength=len(identifiers))

    # -- versions -----------------------------------------------------------------------------------------------

    def is_subset_of(self, other: Table) -> bool | None:
        """Whether there are paths for the edges, and edges for the pairs that take one: O(edges that differ), and
        O(nodes) where the other closure leaves out more."""
        found = self._beside(other)
        if found is None:
            return None
        closure, _, kept = found
        return bool(self.closure.is_subset_of(closure)) and bool(other.contains(kept.columns()).all())

    def difference(self, other: Table) -> Table:
        found = self._beside(other)
        if found is None:
            return super().difference(other)
        closure, restriction, kept = found
        return _lacking(self.closure.difference(closure), kept, other, restriction, self.is_inverse)

    def lacking(self, other: Table) -> Table:
        if not isinstance(other, TransitiveTable):
            return super().lacking(other)
        kept = restricted_pairs(other, self.restriction, self.is_inverse)
        return _lacking(other.difference(self.closure), kept, self, self.restriction, self.is_inverse)

    def _beside(self, other: Table) -> tuple[TransitiveTable, Restriction, BinaryTable] | None:
        """The closure of another table, the restriction beyond which both have what their closures have, and what this
        one has within it; None where there are none."""
        if isinstance(other, TransitiveTable):
            return other, self.restriction, self.kept
        if not isinstance(other, RestrictedClosure) or self.is_inverse != other.is_inverse:
            return None
        if other.restriction.is_within(self.restriction):
            return other.closure, self.restriction, self.kept
        if self.restriction.is_within(other.restriction):
            kept = restricted_pairs(self, other.restriction, self.is_inverse)
            return other.closure, other.restriction, kept
        return None

    def passing(self, edges: Table) -> Table:
        """A pair that only an edge gives has a path along some edges if it is one of these."""
        kept = self.kept.intersection(edges)
        whole = self.closure.passing(edges)
        return RestrictedPairs(whole, as_binary(kept), self.restriction, self.is_inverse)

    def least_passing(self, edges: Table) -> int:
        """Of the whole closure, less all pairs that may be left out."""
        hidden = len(self.closure.distinct(0)) * (len(self._excluded) + self.restriction.irreflexive)
        return max(0, self.closure.least_passing(edges) - hidden)

    def _restricts_as(self, other: RestrictedClosure) -> bool:
        return self.restriction == other.restriction and self.is_inverse == other.is_inverse

    def _changed_subjects(self, other: Table) -> Ids | None:
        if not isinstance(other, RestrictedClosure) or not self._restricts_as(other):
            return None
        subjects = self.closure.changed_subjects(other.closure)
        if subjects is None:
            return None
        come, gone = self.kept.difference(other.kept), other.kept.difference(self.kept)
        ends = sorted_sets.union(come.distinct(0), gone.distinct(0))
        return sorted_sets.intersection(sorted_sets.union(subjects, ends), self.subjects())

    def _keys_missing_from(self, other: Table, position: int) -> Ids:
        if not isinstance(other, RestrictedClosure):
            return self.distinct(position)
        return self.closure.keys_missing_from(other.closure, position)

    # -- files --------------------------------------------------------------------------------------------------

    def write(self, to: PartWriter) -> list[Part]:
        """The closure, and what is left out of it."""
        excluded = to.numbers(self._excluded)
        return [to.table(self.closure), bool(self.restriction.irreflexive), excluded, bool(self.is_inverse)]

    @classmethod
    def read(cls, parts: list[Part], of: PartReader) -> RestrictedClosure:
        """A table of `write`; LoadError where it is damaged."""
        closure = expect_kind(of.table(parts[0], "its closure", 2), TransitiveTable, "its closure")
        irreflexive = of.flag(parts[1], "whether it pairs things with themselves")
        excluded = of.numbers(parts[2], np.uint32, "what only edges lead to")
        check_sorted(excluded, "what only edges lead to")
        of.check_ids(excluded, "what only edges lead to")
        if not irreflexive and not len(excluded):
            raise DamageError("nothing is left out", part="its restriction")
        restriction = Restriction(irreflexive, tuple(excluded.tolist()))
        return cls(closure, restriction, of.flag(parts[3], "whether it is an inverse"))

    def _check(self) -> None:
        self.closure._check()
        expected = self._restricted(self.edges)
        is_kept = not expected.difference(self.kept) and not self.kept.difference(expected)
        assert is_kept, "what is kept is not what the edges have"
        super()._check()


def _lacking(whole: Table, kept: BinaryTable, part: Table, restriction: Restriction, is_inverse: bool) -> Table:
    """What two closures differ in, with those pairs within a restriction that a part lacks."""
    return RestrictedPairs(whole, kept.filter(~part.contains(kept.columns())), restriction, is_inverse)
